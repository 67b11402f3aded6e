//! Meaning of a change in XER, which writes values as elements with the names of the module.

use polywire_core::schema::language::Effect;

use super::changes::{Change, Changes, FINE, Spot, Verdict};
use super::rule;
use crate::model::TypeId;
use crate::xer::{is_bare_kind, name_in};

/// Changes that one encoding alone sees. The others have no finding of them.
pub(super) const LONELY: [&str; 3] = ["element_renamed", "member_renamed", "form_changed"];

/// Returns what a change means in XER, by what it means in BER and JER. XER knows components,
/// alternatives and enumerators by their names as JER does, and keeps the order of a SEQUENCE as
/// BER does. Numbers and bits are digits, so that their names mean nothing (X.693 8.3.6, 8.3.9).
pub(super) fn verdict(kind: &str, ber: [Verdict; 2], jer: [Verdict; 2]) -> [Verdict; 2] {
    let by = |verdicts: [Verdict; 2], rule| verdicts.map(|(effect, before)| (effect, before.map(|_| rule)));
    match kind {
        "type_changed" => by(jer, rule::ELEMENT_KIND),
        // Encoding instructions of JER may keep the name that it had.
        "component_renamed" | "enumerator_renamed" => [(Effect::Refused, Some(rule::ELEMENT_NAMES)); 2],
        "order_changed" => by(ber, rule::ELEMENT_ORDER),
        // A bit string is digits, however many.
        "size_changed" => ber,
        _ => jer,
    }
}

impl Changes<'_> {
    /// Compares the names of the elements around values that no identifier names: those in lists,
    /// strings and open types. `place` is what they are in, for people.
    pub(super) fn element_names(&mut self, spot: &Spot, ids: [TypeId; 2], place: &str) {
        let [old, new] = [0, 1].map(|side| name_in(self.models[side], ids[side]));
        if old != new {
            let message = format!("the element of the values {place} `{}` is called `{new}` now, and was `{old}`", spot.path);
            let broken = (Effect::Refused, Some(rule::ELEMENT_TYPES));
            let verdicts = [[FINE; 2], [FINE; 2], [FINE; 2], [FINE; 2], [broken; 2]];
            let (at, goal) = ([Some(spot.at[0]), Some(spot.at[1])], [spot.goal.clone(), spot.goal.clone()]);
            self.found.push(Change { kind: "element_renamed", path: spot.path.clone(), message, at, verdicts, goal });
        }
    }

    /// Compares the names of the elements in a list. Some values stand there by themselves.
    pub(super) fn list_elements(&mut self, spot: &Spot, ids: [TypeId; 2]) {
        let bare = |side: usize| is_bare_kind(&self.models[side].ty(ids[side]).kind);
        if !bare(0) && !bare(1) {
            self.element_names(spot, ids, "in");
        }
    }
}
