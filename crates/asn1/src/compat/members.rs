//! Changes of encoding instructions of JER: names of members, texts of enumerators, forms.

use polywire_core::schema::language::Effect;
use smol_str::SmolStr;

use super::changes::{Change, Changes, FINE, Spot, Verdict};
use super::rule;
use crate::model::{Enumeration, Json};

impl Changes<'_> {
    /// Compares the names in JER of parts that have the same name in both versions. Parts are their
    /// names, and those in JER.
    pub(super) fn member_names<'n>(
        &mut self,
        spot: &Spot,
        old: impl Iterator<Item = (&'n SmolStr, &'n SmolStr)> + Clone,
        new: impl Iterator<Item = (&'n SmolStr, &'n SmolStr)>,
    ) {
        for (name, is) in new {
            if let Some((_, was)) = old.clone().find(|(known, _)| *known == name)
                && was != is
            {
                let message = format!("`{}.{name}` is called `{is}` in JER now, and was `{was}`", spot.path);
                self.only_in_jer(spot, "member_renamed", message, (Effect::Refused, Some(rule::JSON_NAMES)));
            }
        }
    }

    /// Compares the forms that instructions give a type. `items` are both versions of its
    /// enumerators.
    pub(super) fn forms(&mut self, spot: &Spot, old: &Json, new: &Json, items: Option<[&Enumeration; 2]>) {
        if old.base64 != new.base64 {
            let form = |json: &Json| if json.base64 { "Base64" } else { "hexadecimal digits" };
            let message = format!("`{}` is {} in JER now, and was {}", spot.path, form(new), form(old));
            self.only_in_jer(spot, "form_changed", message, (Effect::Misread, Some(rule::JSON_KIND)));
        }
        if let Some(items) = items
            && old.names != new.names
        {
            let [was, is] = [(items[0], old), (items[1], new)].map(|(items, json)| {
                let names = items.root.iter().chain(&items.additions).map(|(name, _)| name);
                let text = |at: usize| json.names.as_deref().and_then(|names| names.get(at));
                names.enumerate().map(|(at, name)| (name, text(at).unwrap_or(name))).collect::<Vec<_>>()
            });
            self.member_names(spot, was.iter().copied(), is.iter().copied());
        }
    }

    fn only_in_jer(&mut self, spot: &Spot, kind: &'static str, message: String, jer: Verdict) {
        let verdicts = [[FINE; 2], [FINE; 2], [FINE; 2], [jer; 2], [FINE; 2]];
        let (at, goal) = ([Some(spot.at[0]), Some(spot.at[1])], [spot.goal.clone(), spot.goal.clone()]);
        self.found.push(Change { kind, path: spot.path.clone(), message, at, verdicts, goal });
    }
}
