//! Changes between two versions of a type, and what they mean in BER, PER, OER, JER and XER.

use std::collections::HashSet;

use polywire_core::schema::language::{Effect, Rule};
use polywire_core::text::diagnostic::Place;
use polywire_core::value::Value;
use smol_str::SmolStr;

use super::sample::Goal;
use super::{elements, rule};
use crate::model::{
    Addition, Alphabet, Bounds, Cell, Choice, Component, Constraints, Enumeration, Kind, Model, Presence, Structure, Tag, TypeId,
};
use crate::per::{Number, Size};

/// Effect with the rule that decides it.
pub(super) type Verdict = (Effect, Option<Rule>);

/// Meaning of a change in BER, PER, OER, JER and XER, each backward and forward.
pub(super) type Verdicts = [[Verdict; 2]; 5];

/// Meaning in those but XER, which follows from them.
type Mostly = [[Verdict; 2]; 4];

/// Every message is read as it was meant.
pub(super) const FINE: Verdict = (Effect::Fine, None);

/// Rules of places among the additions, and before the marker, in PER.
const PACKED: [Rule; 2] = [rule::PACKED_ADDITIONS, rule::PACKED_ROOT];

/// The same in OER.
const OCTETS: [Rule; 2] = [rule::OCTET_ADDITIONS, rule::OCTET_ROOT];

/// Most changes of one type, and most types below it.
const MOST: usize = 100_000;

/// Change with its meaning, backward and forward.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) kind: &'static str,
    pub(super) path: String,
    pub(super) message: String,
    pub(super) at: [Option<Place>; 2],
    /// Meaning in BER, PER, OER, JER and XER, each backward and forward.
    pub(super) verdicts: Verdicts,
    /// Way to the place in a value of the old version, and of the new one.
    pub(super) goal: [Vec<Goal>; 2],
}

/// Place in both versions.
#[derive(Debug, Clone)]
pub(super) struct Spot {
    pub(super) ids: [TypeId; 2],
    pub(super) at: [Place; 2],
    pub(super) path: String,
    pub(super) goal: Vec<Goal>,
    /// True for an alternative: OER writes its tag.
    is_alternative: bool,
}

/// Comparison of two versions.
pub(super) struct Changes<'m> {
    pub(super) models: [&'m Model; 2],
    due: Vec<Spot>,
    pub(super) found: Vec<Change>,
}

const fn refused(rule: Rule) -> Verdict {
    (Effect::Refused, Some(rule))
}

const fn misread(rule: Rule) -> [Verdict; 2] {
    [(Effect::Misread, Some(rule)), (Effect::Misread, Some(rule))]
}

const fn warns(rule: Rule) -> [Verdict; 2] {
    [(Effect::Warns, Some(rule)), (Effect::Warns, Some(rule))]
}

impl<'m> Changes<'m> {
    pub(super) fn new(old: &'m Model, new: &'m Model) -> Changes<'m> {
        Changes { models: [old, new], due: Vec::new(), found: Vec::new() }
    }

    /// Returns the changes below a type, in the order of the new version.
    pub(super) fn of(mut self, name: &str, old: TypeId, new: TypeId) -> Vec<Change> {
        let at = [self.models[0].ty(old).at, self.models[1].ty(new).at];
        self.due.push(Spot { ids: [old, new], at, path: name.to_string(), goal: Vec::new(), is_alternative: false });
        let mut seen = HashSet::new();
        while let Some(spot) = self.due.pop() {
            if self.found.len() >= MOST || seen.len() >= MOST {
                break;
            }
            if seen.insert(spot.ids) {
                let from = self.due.len();
                self.types(&spot);
                self.due[from..].reverse();
            }
        }
        self.found.sort_by_key(|change| (change.at[1].is_none(), change.at[1]));
        self.found
    }

    fn note(&mut self, spot: &Spot, kind: &'static str, message: String, verdicts: Mostly) {
        let goal = [spot.goal.clone(), spot.goal.clone()];
        self.note_at(spot, kind, message, verdicts, [Some(spot.at[0]), Some(spot.at[1])], goal);
    }

    fn note_at(
        &mut self,
        spot: &Spot,
        kind: &'static str,
        message: String,
        verdicts: Mostly,
        at: [Option<Place>; 2],
        goal: [Vec<Goal>; 2],
    ) {
        let [ber, per, oer, jer] = verdicts;
        let verdicts = [ber, per, oer, jer, elements::verdict(kind, ber, jer)];
        self.found.push(Change { kind, path: spot.path.clone(), message, at, verdicts, goal });
    }

    fn step(&mut self, spot: &Spot, ids: [TypeId; 2], at: [Place; 2], shown: &str, goal: Goal) {
        let mut way = spot.goal.clone();
        let is_alternative = matches!(goal, Goal::Case(_));
        way.push(goal);
        self.due.push(Spot { ids, at, path: format!("{}{shown}", spot.path), goal: way, is_alternative });
    }

    fn types(&mut self, spot: &Spot) {
        let [old, new] = [self.models[0].ty(spot.ids[0]), self.models[1].ty(spot.ids[1])];
        let path = &spot.path;
        if matches!(old.kind, Kind::Unknown) || matches!(new.kind, Kind::Unknown) {
            return;
        }
        let same_kind = old.kind.keyword() == new.kind.keyword();
        if old.tags != new.tags && (same_kind || old.tags.is_empty() != new.tags.is_empty()) {
            let message = format!("the tag of `{path}` changed from {} to {}", tags(&old.tags), tags(&new.tags));
            let shown = spot.is_alternative && old.tags.first() != new.tags.first();
            let oer = if shown { misread(rule::OCTET_TAGS) } else { [FINE; 2] };
            self.note(spot, "tag_changed", message, [[refused(rule::TAGS); 2], [FINE; 2], oer, [FINE; 2]]);
        }
        if !same_kind {
            let message = format!("the type of `{path}` changed from {} to {}", old.kind.keyword(), new.kind.keyword());
            let ber = if old.tags == new.tags { misread(rule::KIND) } else { [refused(rule::TAGS); 2] };
            return self.note(
                spot,
                "type_changed",
                message,
                [ber, misread(rule::PACKED_KIND), misread(rule::OCTET_KIND), misread(rule::JSON_KIND)],
            );
        }
        self.constraints(spot, &old.constraints, &new.constraints, &old.kind);
        let items = if let (Kind::Enumerated(old), Kind::Enumerated(new)) = (&old.kind, &new.kind) { Some([&**old, &**new]) } else { None };
        self.forms(spot, &old.json, &new.json, items);
        match (&old.kind, &new.kind) {
            (Kind::Enumerated(old), Kind::Enumerated(new)) => self.enumerations(spot, old, new),
            (Kind::Sequence(old), Kind::Sequence(new)) => self.structures(spot, old, new, false),
            (Kind::Set(old), Kind::Set(new)) => self.structures(spot, old, new, true),
            (Kind::SequenceOf(old), Kind::SequenceOf(new)) | (Kind::SetOf(old), Kind::SetOf(new)) => {
                self.list_elements(spot, [*old, *new]);
                self.step(spot, [*old, *new], spot.at, "[]", Goal::Item);
            }
            (Kind::Choice(old), Kind::Choice(new)) => self.choices(spot, old, new),
            (Kind::Open, Kind::Open) => self.tables(spot),
            _ => {}
        }
        if let (Some(old), Some(new)) = (old.contents, new.contents) {
            self.element_names(spot, [old, new], "in");
            let path = format!("{path}.<contents>");
            self.due.push(Spot { ids: [old, new], path, is_alternative: false, ..spot.clone() });
        }
    }

    fn constraints(&mut self, spot: &Spot, old: &Constraints, new: &Constraints, kind: &Kind) {
        let path = &spot.path;
        if old.value != new.value {
            let message = format!("the range of `{path}` changed from {} to {}", range(old.value), range(new.value));
            let lost = |from: Option<Bounds>, to: Option<Bounds>| match within(from, to) {
                true => FINE,
                false => refused(rule::VALUES),
            };
            let outside = [lost(old.value, new.value), lost(new.value, old.value)];
            let soft = outside.map(|(effect, rule)| if effect.breaks() { (Effect::Warns, rule) } else { FINE });
            let per = if layout(old.value) == layout(new.value) { outside } else { misread(rule::PACKED_RANGE) };
            let same = Number::of_octets(old.value).form == Number::of_octets(new.value).form;
            let oer = if same { outside } else { misread(rule::OCTET_RANGE) };
            self.note(spot, "range_changed", message, [soft, per, oer, soft]);
        }
        if old.size != new.size {
            let message = format!("the size of `{path}` changed from {} to {}", range(old.size), range(new.size));
            let lost = |from: Option<Bounds>, to: Option<Bounds>| if within(from, to) { FINE } else { refused(rule::VALUES) };
            let outside = [lost(old.size, new.size), lost(new.size, old.size)];
            let soft = outside.map(|(effect, rule)| if effect.breaks() { (Effect::Warns, rule) } else { FINE });
            let per = if length(old.size) == length(new.size) { outside } else { misread(rule::PACKED_SIZE) };
            let fixed = |of: &Constraints| match kind {
                Kind::SequenceOf(_) | Kind::SetOf(_) => None,
                Kind::Text(string) if Alphabet::of(*string).is_none() => None,
                _ => Size::of_octets(of.size, of.extensible).fixed(),
            };
            let oer = if fixed(old) == fixed(new) { outside } else { misread(rule::OCTET_SIZE) };
            // A bit string of one size is text, another one an object (X.697 24).
            let is_bits = matches!(kind, Kind::Bits(names) if names.is_empty());
            let jer = if is_bits && fixed(old) != fixed(new) { misread(rule::JSON_BITS) } else { soft };
            self.note(spot, "size_changed", message, [soft, per, oer, jer]);
        }
        let float = |of: &Constraints| of.real.filter(|_| !of.extensible).and_then(|real| real.float());
        if float(old) != float(new) {
            let form = |of| float(of).map_or_else(|| "octets with a length".to_string(), |bits| format!("a float of {bits} bits"));
            let message = format!("`{path}` is {} in OER, and was {}", form(new), form(old));
            self.note(spot, "real_changed", message, [[FINE; 2], [FINE; 2], misread(rule::OCTET_REAL), [FINE; 2]]);
        }
        if old.alphabet != new.alphabet {
            let Kind::Text(string) = kind else { return };
            let all = Alphabet::of(*string).unwrap_or_default();
            let letters = |alphabet: &Option<Alphabet>| alphabet.clone().unwrap_or_else(|| all.clone());
            let (old, new) = (letters(&old.alphabet), letters(&new.alphabet));
            let message = format!("the alphabet of `{path}` changed from {} characters to {}", old.len(), new.len());
            let lost = |from: &Alphabet, to: &Alphabet| if from.and(to) == *from { FINE } else { (Effect::Warns, Some(rule::VALUES)) };
            let soft = [lost(&old, &new), lost(&new, &old)];
            self.note(spot, "alphabet_changed", message, [soft, misread(rule::PACKED_ALPHABET), soft, soft]);
        }
    }

    fn enumerations(&mut self, spot: &Spot, old: &Enumeration, new: &Enumeration) {
        let path = &spot.path;
        if old == new {
            return;
        }
        self.marker(spot, old.extensible, new.extensible, [FINE; 2]);
        let all = |of: &Enumeration| of.root.iter().chain(&of.additions).cloned().collect::<Vec<_>>();
        let (before, after) = (all(old), all(new));
        let index = |of: &Enumeration, name: &str| of.root.iter().position(|(known, _)| known == name);
        let addition = |of: &Enumeration, name: &str| of.additions.iter().position(|(known, _)| known == name);
        let packed = |name: &str| (index(old, name), addition(old, name)) == (index(new, name), addition(new, name));
        let widths = bits(old.root.len()) == bits(new.root.len());
        for (name, number) in &after {
            let goal = |value: &str| {
                let mut way = spot.goal.clone();
                way.push(Goal::Is(Value::text(value)));
                way
            };
            match before.iter().find(|(known, _)| known == name) {
                Some((_, was)) => {
                    let ber = if was == number { [FINE; 2] } else { misread(rule::ENUMERATORS) };
                    let per = if packed(name) && widths { [FINE; 2] } else { misread(rule::PACKED_INDEX) };
                    if was != number || !packed(name) {
                        let message = format!("the enumerator `{name}` of `{path}` changed its number or place");
                        let at = [Some(spot.at[0]), Some(spot.at[1])];
                        self.note_at(spot, "enumerator_moved", message, [ber, per, ber, [FINE; 2]], at, [goal(name), goal(name)]);
                    }
                }
                None => {
                    let renamed = before.iter().find(|(known, was)| was == number && after.iter().all(|(other, _)| other != known));
                    if let Some((was, _)) = renamed {
                        let message = format!("the enumerator `{was}` of `{path}` is called `{name}` now");
                        let jer = [refused(rule::JSON_NAMES); 2];
                        self.note(spot, "enumerator_renamed", message, [warns(rule::NAMES), warns(rule::NAMES), warns(rule::NAMES), jer]);
                        continue;
                    }
                    let (known, is_addition) = (old.extensible && new.extensible, addition(new, name).is_some());
                    let ber = [FINE, if known { FINE } else { refused(rule::UNKNOWN) }];
                    let last = addition(new, name).is_none_or(|place| place >= old.additions.len());
                    let per = match (is_addition && known && last, widths) {
                        (true, _) => [FINE, FINE],
                        (false, true) if !is_addition && old.root.iter().all(|(name, _)| packed(name)) => {
                            [FINE, refused(rule::PACKED_INDEX)]
                        }
                        _ => misread(rule::PACKED_INDEX),
                    };
                    let message = format!("the enumerator `{name}` of `{path}` is new");
                    let at = [Some(spot.at[0]), Some(spot.at[1])];
                    let last_root = old.root.last().map_or("", |(name, _)| name.as_str());
                    self.note_at(spot, "enumerator_added", message, [ber, per, ber, ber], at, [goal(last_root), goal(name)]);
                }
            }
        }
        for (name, number) in &before {
            let gone = after.iter().all(|(known, other)| known != name && other != number);
            if gone {
                let mut way = spot.goal.clone();
                way.push(Goal::Is(Value::text(name.as_str())));
                let last_root = new.root.last().map_or("", |(name, _)| name.as_str());
                let mut other = spot.goal.clone();
                other.push(Goal::Is(Value::text(last_root)));
                let ber = [if new.extensible { FINE } else { refused(rule::UNKNOWN) }, FINE];
                let message = format!("the enumerator `{name}` of `{path}` is gone");
                let per = misread(rule::PACKED_INDEX);
                self.note_at(spot, "enumerator_removed", message, [ber, per, ber, ber], [Some(spot.at[0]), Some(spot.at[1])], [way, other]);
            }
        }
    }

    /// Notes a marker that comes or goes. `oer` is what that means in OER, which has no bit for one
    /// in an ENUMERATED or a CHOICE.
    fn marker(&mut self, spot: &Spot, old: bool, new: bool, oer: [Verdict; 2]) {
        if old == new {
            return;
        }
        let what = if new { "got an extension marker" } else { "lost its extension marker" };
        self.note(spot, "marker_changed", format!("`{}` {what}", spot.path), [[FINE; 2], misread(rule::PACKED_MARKER), oer, [FINE; 2]]);
    }

    fn structures(&mut self, spot: &Spot, old: &'m Structure, new: &'m Structure, set: bool) {
        let path = spot.path.clone();
        self.marker(spot, old.extensible, new.extensible, misread(rule::OCTET_MARKER));
        let members = |of: &'m Structure| of.components().map(|one| (&one.name, one.written()));
        self.member_names(spot, members(old), members(new));
        let (before, after) = (components(old), components(new));
        let order = |of: &Structure| {
            of.order.iter().filter_map(|index| of.root.get(*index as usize)).map(|one| one.name.clone()).collect::<Vec<_>>()
        };
        let (packed_before, packed_after) = (order(old), order(new));
        let goal = |name: &SmolStr| {
            let mut way = spot.goal.clone();
            way.push(Goal::Field(name.clone()));
            way
        };
        // A component at the place of another one, of the same type, was renamed.
        let mut renamed: Vec<(SmolStr, SmolStr)> = Vec::new();
        for (place, (component, _)) in after.iter().enumerate() {
            if before.iter().all(|(known, _)| known.name != component.name)
                && let Some((was, _)) = before.get(place)
                && after.iter().all(|(known, _)| known.name != was.name)
                && self.alike(was.ty, component.ty)
            {
                renamed.push((was.name.clone(), component.name.clone()));
                let message = format!("the component `{}` of `{path}` is called `{}` now", was.name, component.name);
                let jer = if was.written() == component.written() { warns(rule::NAMES) } else { [refused(rule::JSON_NAMES); 2] };
                self.note_at(
                    spot,
                    "component_renamed",
                    message,
                    [warns(rule::NAMES), warns(rule::NAMES), warns(rule::NAMES), jer],
                    [Some(was.at), Some(component.at)],
                    [goal(&was.name), goal(&component.name)],
                );
            }
        }
        let was_named = |name: &SmolStr| renamed.iter().find(|(_, is)| is == name).map_or_else(|| name.clone(), |(was, _)| was.clone());
        for (component, addition) in &after {
            let was = was_named(&component.name);
            let Some((previous, previous_addition)) = before.iter().find(|(known, _)| known.name == was) else {
                let required = component.presence == Presence::Required && addition.is_none();
                let unknown = if old.extensible { FINE } else { refused(rule::UNKNOWN) };
                let ber = [if required { refused(rule::REQUIRED) } else { FINE }, unknown];
                let additions = |of: &Structure| of.additions.len();
                let by_place = |rules: [Rule; 2]| match addition {
                    Some((place, _)) if *place >= additions(old) && old.extensible => [FINE; 2],
                    Some((place, _)) if *place >= additions(old) => [FINE, refused(rule::UNKNOWN)],
                    Some(_) => misread(rules[0]),
                    None => misread(rules[1]),
                };
                let message = format!("the component `{}` of `{path}` is new", component.name);
                self.note_at(
                    spot,
                    "component_added",
                    message,
                    [ber, by_place(PACKED), by_place(OCTETS), ber],
                    [Some(spot.at[0]), Some(component.at)],
                    [spot.goal.clone(), goal(&component.name)],
                );
                continue;
            };
            self.step(
                spot,
                [previous.ty, component.ty],
                [previous.at, component.at],
                &format!(".{}", component.name),
                Goal::Field(component.name.clone()),
            );
            self.presence(spot, previous, component, goal(&component.name));
            let moved = match (previous_addition, addition) {
                (None, None) => None,
                (Some((was, _)), Some((is, _))) if was == is => None,
                (Some(_), Some(_)) => Some(0),
                _ => Some(1),
            };
            if let Some(place) = moved {
                let message =
                    format!("the component `{}` of `{path}` moved across the extension marker or among the additions", component.name);
                self.note_at(
                    spot,
                    "component_moved",
                    message,
                    [[FINE; 2], misread(PACKED[place]), misread(OCTETS[place]), [FINE; 2]],
                    [Some(previous.at), Some(component.at)],
                    [goal(&was), goal(&component.name)],
                );
            }
        }
        for (component, addition) in &before {
            if after.iter().any(|(known, _)| was_named(&known.name) == component.name) {
                continue;
            }
            let required = component.presence == Presence::Required && addition.is_none();
            let unknown = if new.extensible { FINE } else { refused(rule::UNKNOWN) };
            let ber = [unknown, if required { refused(rule::REQUIRED) } else { FINE }];
            let by_place = |rules: [Rule; 2]| match addition {
                Some((place, _)) if *place >= new.additions.len() && new.extensible => [FINE; 2],
                Some(_) => misread(rules[0]),
                None => misread(rules[1]),
            };
            let message = format!("the component `{}` of `{path}` is gone", component.name);
            self.note_at(
                spot,
                "component_removed",
                message,
                [ber, by_place(PACKED), by_place(OCTETS), ber],
                [Some(component.at), Some(spot.at[1])],
                [goal(&component.name), spot.goal.clone()],
            );
        }
        // The order of components that both versions have.
        let common = |names: &[SmolStr], of: &[SmolStr]| names.iter().filter(|name| of.contains(name)).cloned().collect::<Vec<_>>();
        let texts = |of: &[(&Component, Option<(usize, bool)>)]| of.iter().map(|(one, _)| one.name.clone()).collect::<Vec<_>>();
        let (texts_before, texts_after) = (texts(&before), texts(&after));
        let moved = common(&texts_before, &texts_after) != common(&texts_after, &texts_before);
        let packed = common(&packed_before, &packed_after) != common(&packed_after, &packed_before);
        if moved || packed {
            let ber = if set || !moved { [FINE; 2] } else { [refused(rule::ORDER); 2] };
            let by_place = |rule: Rule| if packed { misread(rule) } else { [FINE; 2] };
            let verdicts = [ber, by_place(rule::PACKED_ROOT), by_place(rule::OCTET_ROOT), [FINE; 2]];
            self.note(spot, "order_changed", format!("the order of the components of `{path}` changed"), verdicts);
        }
    }

    fn presence(&mut self, spot: &Spot, old: &Component, new: &Component, goal: Vec<Goal>) {
        if old.presence == new.presence {
            return;
        }
        let path = format!("{}.{}", spot.path, new.name);
        let at = [Some(old.at), Some(new.at)];
        let required = |component: &Component| component.presence == Presence::Required;
        if required(old) == required(new) {
            let message = format!("the default of `{path}` changed");
            let verdict = warns(rule::DEFAULTS);
            return self.note_at(spot, "default_changed", message, [verdict; 4], at, [goal.clone(), goal]);
        }
        let missing = refused(rule::REQUIRED);
        let ber = if required(new) { [missing, FINE] } else { [FINE, missing] };
        let what = if required(new) { "has to be there now" } else { "may be absent now" };
        let message = format!("`{path}` {what}");
        let absent = [spot.goal.clone(), spot.goal.clone()];
        let verdicts = [ber, misread(rule::PACKED_PREAMBLE), misread(rule::OCTET_PREAMBLE), ber];
        self.note_at(spot, "presence_changed", message, verdicts, at, absent);
    }

    fn choices(&mut self, spot: &Spot, old: &'m Choice, new: &'m Choice) {
        let path = spot.path.clone();
        self.marker(spot, old.extensible, new.extensible, [FINE; 2]);
        let members = |of: &'m Choice| of.root.iter().chain(&of.additions).map(|one| (&one.name, one.written()));
        self.member_names(spot, members(old), members(new));
        let index =
            |of: &Choice, name: &str| of.order.iter().position(|index| of.root.get(*index as usize).is_some_and(|one| one.name == name));
        let addition = |of: &Choice, name: &str| of.additions.iter().position(|one| one.name == name);
        let widths = bits(old.root.len()) == bits(new.root.len());
        let goal = |name: &SmolStr| {
            let mut way = spot.goal.clone();
            way.push(Goal::Case(name.clone()));
            way
        };
        for is in new.root.iter().chain(&new.additions) {
            let name = &is.name;
            match old.root.iter().chain(&old.additions).find(|was| was.name == *name) {
                Some(was) => {
                    self.step(spot, [was.ty, is.ty], [was.at, is.at], &format!(".{name}"), Goal::Case(name.clone()));
                    let places = [(index(old, name), addition(old, name)), (index(new, name), addition(new, name))];
                    if places[0] != places[1] || (places[0].0.is_some() && !widths) {
                        let message = format!("the index of the alternative `{name}` of `{path}` changed");
                        // OER writes additions behind a length, wherever they are among them.
                        let crossed = places[0].0.is_some() != places[1].0.is_some();
                        let oer = if crossed { misread(rule::OCTET_ALTERNATIVE) } else { [FINE; 2] };
                        let verdicts = [[FINE; 2], misread(rule::PACKED_INDEX), oer, [FINE; 2]];
                        self.note_at(spot, "alternative_moved", message, verdicts, [Some(was.at), Some(is.at)], [goal(name), goal(name)]);
                    }
                }
                None => {
                    let known = old.extensible && new.extensible;
                    let ber = [FINE, if known { FINE } else { refused(rule::UNKNOWN) }];
                    let per = match addition(new, name) {
                        Some(place) if known && place >= old.additions.len() => [FINE; 2],
                        Some(_) => [FINE, refused(rule::PACKED_INDEX)],
                        None => [FINE, refused(rule::PACKED_INDEX)],
                    };
                    let root = addition(new, name).is_none() && known;
                    let oer = if root { [FINE, refused(rule::OCTET_ALTERNATIVE)] } else { ber };
                    let message = format!("the alternative `{name}` of `{path}` is new");
                    self.note_at(
                        spot,
                        "alternative_added",
                        message,
                        [ber, per, oer, ber],
                        [Some(spot.at[0]), Some(is.at)],
                        [spot.goal.clone(), goal(name)],
                    );
                }
            }
        }
        for was in old.root.iter().chain(&old.additions) {
            if new.root.iter().chain(&new.additions).all(|is| is.name != was.name) {
                let ber = [if new.extensible { FINE } else { refused(rule::UNKNOWN) }, FINE];
                let per = [refused(rule::PACKED_INDEX), FINE];
                let root = addition(old, &was.name).is_none() && new.extensible;
                let oer = if root { [refused(rule::OCTET_ALTERNATIVE), FINE] } else { ber };
                let message = format!("the alternative `{}` of `{path}` is gone", was.name);
                self.note_at(
                    spot,
                    "alternative_removed",
                    message,
                    [ber, per, oer, ber],
                    [Some(was.at), Some(spot.at[1])],
                    [goal(&was.name), spot.goal.clone()],
                );
            }
        }
    }

    /// Compares the rows of the tables that decide an open type: those with the same first value.
    fn tables(&mut self, spot: &Spot) {
        let [old, new] = [self.models[0], self.models[1]];
        let uses = [&old.ty(spot.ids[0]).table, &new.ty(spot.ids[1]).table];
        let [Some(was), Some(is)] = uses else { return };
        let key = |row: &crate::model::Row| {
            row.cells.iter().find_map(|(name, cell)| match cell {
                Cell::Value(_, value) => Some((name.clone(), value.clone())),
                Cell::Type(_) => None,
            })
        };
        let (before, after) = (old.table(was.table), new.table(is.table));
        for row in &after.rows {
            let (Some(wanted), Some(Cell::Type(now))) = (key(row), row.cell(&is.field)) else { continue };
            let previous = before.rows.iter().find(|other| key(other).as_ref() == Some(&wanted));
            match previous.map(|row| row.cell(&was.field)) {
                Some(Some(Cell::Type(then))) => {
                    let name = new.ty(*now).name.as_ref().map_or("<open>", |(_, name)| name.as_str());
                    let at = [old.ty(*then).at, new.ty(*now).at];
                    let (path, goal) = (format!("{}<{name}>", spot.path), spot.goal.clone());
                    self.element_names(spot, [*then, *now], "of the same row in");
                    self.due.push(Spot { ids: [*then, *now], at, path, goal, is_alternative: false });
                }
                Some(_) => {}
                None => {
                    let unknown = if before.extensible { FINE } else { refused(rule::UNKNOWN) };
                    let name = new.ty(*now).name.as_ref().map_or("a type", |(_, name)| name.as_str());
                    let message = format!("`{}` may be `{name}` now, by a new row of its table", spot.path);
                    self.note(spot, "row_added", message, [[FINE, unknown]; 4]);
                }
            }
        }
        for row in &before.rows {
            let (Some(wanted), Some(Cell::Type(then))) = (key(row), row.cell(&was.field)) else { continue };
            if !after.rows.iter().any(|other| key(other).as_ref() == Some(&wanted)) {
                let unknown = if after.extensible { FINE } else { refused(rule::UNKNOWN) };
                let name = old.ty(*then).name.as_ref().map_or("a type", |(_, name)| name.as_str());
                let message = format!("`{}` is `{name}` no longer: the row of its table is gone", spot.path);
                self.note(spot, "row_removed", message, [[unknown, FINE]; 4]);
            }
        }
    }

    fn alike(&self, old: TypeId, new: TypeId) -> bool {
        let (old, new) = (self.models[0].ty(old), self.models[1].ty(new));
        old.kind.keyword() == new.kind.keyword() && old.tags == new.tags && old.constraints == new.constraints
    }
}

/// Returns the components of a structure in the order of BER: the root, then the additions, each
/// with the index of the addition and whether it stands alone.
fn components(of: &Structure) -> Vec<(&Component, Option<(usize, bool)>)> {
    let mut all: Vec<(&Component, Option<(usize, bool)>)> = of.root.iter().map(|component| (component, None)).collect();
    for (place, addition) in of.additions.iter().enumerate() {
        match addition {
            Addition::Component(component) => all.push((component, Some((place, true)))),
            Addition::Group(components, _) => all.extend(components.iter().map(|component| (component, Some((place, false))))),
        }
    }
    all
}

/// Returns the bits of an index below `count`.
fn bits(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros()
}

/// Returns whether all numbers of some bounds are in others. Those behind a marker may be any.
fn within(one: Option<Bounds>, other: Option<Bounds>) -> bool {
    let Some(other) = other.filter(|other| !other.extensible) else { return true };
    let Some(one) = one else { return other.range.low.is_none() && other.range.high.is_none() };
    let low = other.range.low.is_none_or(|low| one.range.low.is_some_and(|own| own >= low));
    let high = other.range.high.is_none_or(|high| one.range.high.is_some_and(|own| own <= high));
    low && high && !one.extensible
}

/// Returns what decides the bits of a whole number (X.691 13.2).
fn layout(bounds: Option<Bounds>) -> (Option<i128>, Option<u32>, bool) {
    let Some(Bounds { range, extensible }) = bounds else { return (None, None, false) };
    let width = match (range.low, range.high) {
        (Some(low), Some(high)) => Some(128 - (high - low).leading_zeros()),
        _ => None,
    };
    (range.low, width, extensible)
}

/// Returns what decides the bits of a length (X.691 11.9).
fn length(size: Option<Bounds>) -> (Option<i128>, Option<u32>, bool) {
    match size {
        Some(Bounds { range, extensible }) if range.high.is_some_and(|high| high < 65536) => {
            let (low, width, _) = layout(Some(Bounds { range, extensible }));
            (low, width, extensible)
        }
        Some(Bounds { extensible, .. }) => (None, None, extensible),
        None => (None, None, false),
    }
}

fn range(bounds: Option<Bounds>) -> String {
    let Some(Bounds { range, extensible }) = bounds else { return "any".to_string() };
    let side = |bound: Option<i128>, open: &str| bound.map_or_else(|| open.to_string(), |bound| bound.to_string());
    format!("{}..{}{}", side(range.low, "MIN"), side(range.high, "MAX"), if extensible { ", ..." } else { "" })
}

fn tags(tags: &[Tag]) -> String {
    let shown = |tag: &Tag| {
        let class = tag.class.keyword();
        if class.is_empty() { format!("[{}]", tag.number) } else { format!("[{class} {}]", tag.number) }
    };
    if tags.is_empty() { "none".to_string() } else { tags.iter().map(shown).collect::<Vec<_>>().join(" ") }
}
