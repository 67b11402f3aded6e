//! Changes from one version to the other, with their effects.

use std::collections::{HashMap, HashSet};

use polywire_core::schema::language::{Direction, Effect, Finding, Outcome, Reading, Rule};
use polywire_core::text::diagnostic::Place;
use polywire_core::value::Value;

use super::align::{self, Change, Item};
use super::pairing::{self, Tags};
use super::sample::{self, Maker, SampleKind};
use super::side::{Side, Spot, TypeStep};
use super::trial::{Trial, Tried, roles};
use super::{notation, rule};
use crate::dictionary::draft::{Entry, Shape};
use crate::dictionary::{Default as Start, Enumeration, Field, Type};
use crate::document::Form;
use crate::error::Revision;
use crate::wire::codes::Simple;
use crate::wire::put_whole;

/// Most changes of one structure that are judged one by one. If there are more, all get the verdict
/// of the whole.
const MOST_ALONE: usize = 200;

/// Most steps through changed links. Deeper changes are found on other paths.
const MOST_STEPS: usize = 100;

/// A type of one version.
#[derive(Clone)]
struct Node<'s> {
    ty: &'s Type,
    /// Nearest tag or field around it.
    entry: &'s Entry,
    spot: Spot,
}

impl Node<'_> {
    fn at(&self) -> Place {
        self.entry.name.at
    }
}

/// A change before it is judged.
struct Seed {
    kind: &'static str,
    path: String,
    message: String,
    old: Option<Place>,
    new: Option<Place>,
}

/// A change of a structure: its form in each direction, and the position of the field in the
/// writer's structure.
struct Altered {
    seed: Seed,
    change: [Change; 2],
    field: [Option<u32>; 2],
    rule: Rule,
}

pub(super) struct Changes<'s> {
    sides: [&'s Side; 2],
    tags: &'s Tags,
    trial: Trial<'s>,
    /// True if messages are whole documents, not bodies of one root.
    documents: bool,
    findings: Vec<Finding>,
    /// Pairs of types already compared.
    seen: HashSet<[*const Type; 2]>,
    /// Targets of links, still to be compared.
    due: Vec<([Node<'s>; 2], String)>,
    /// First document that breaks, for each direction.
    broken: [Option<Value>; 2],
}

impl<'s> Changes<'s> {
    pub(super) fn new(sides: [&'s Side; 2], tags: &'s Tags, documents: bool) -> Changes<'s> {
        let trial = Trial::new(sides, tags);
        Changes { sides, tags, trial, documents, findings: Vec::new(), seen: HashSet::new(), due: Vec::new(), broken: [None, None] }
    }

    pub(super) fn find(mut self) -> Vec<Finding> {
        let [old, new] = self.sides;
        self.signature();
        for id in new.ids() {
            match self.tags.other(false, id) {
                Some(before) if old.is_reached(before) || new.is_reached(id) => self.tag(before, id),
                Some(_) => {}
                None => self.lone(1, id),
            }
            while let Some((nodes, path)) = self.due.pop() {
                self.types(nodes, &path);
            }
        }
        for id in old.ids().filter(|id| self.tags.other(true, *id).is_none()) {
            self.lone(0, id);
        }
        if self.documents {
            self.identity();
        }
        self.findings
    }

    fn push(&mut self, seed: Seed, [backward, forward]: [Outcome; 2]) {
        let Seed { kind, path, message, old, new } = seed;
        let root = path.split(['.', '[']).next().unwrap_or_default().to_string();
        self.findings.push(Finding { kind, root, path, message, old, new, backward, forward });
    }

    fn both(&mut self, mut outcome: impl FnMut(&mut Self, Direction) -> Outcome) -> [Outcome; 2] {
        Direction::ALL.map(|direction| outcome(self, direction))
    }

    fn warns(rule: Rule) -> [Outcome; 2] {
        [(); 2].map(|()| Outcome { effect: Effect::Warns, rule: Some(rule), witness: None, json: None })
    }

    /// Returns how readers handle documents with one of these values at that place. A misread value
    /// weighs more than a refused one.
    fn judge(&mut self, direction: Direction, rule: Rule, spot: &Spot, leaves: &[Value]) -> Outcome {
        let writer = self.sides[roles(direction)[0]];
        if !writer.is_possible(spot) {
            return Outcome::FINE;
        }
        let mut refused = None;
        for (leaf, kind) in leaves.iter().flat_map(|leaf| [(leaf, SampleKind::Distinct), (leaf, SampleKind::Least)]) {
            if !self.trial.is_open() {
                break;
            }
            let Some(document) = Maker::new(writer, kind).document(spot, leaf.clone()) else {
                self.trial.spend(sample::MOST_VALUES as usize);
                continue;
            };
            match self.trial.run(direction, &document, Form::Body) {
                Some(tried) if tried.as_meant => {}
                Some(tried) => match tried.witness.read {
                    Reading::As(_) => return self.breaks(direction, rule, tried, &document),
                    Reading::Refused(_) => drop(refused.get_or_insert((tried, document))),
                },
                None => {}
            }
        }
        match refused {
            Some((tried, document)) => self.breaks(direction, rule, tried, &document),
            None => Outcome { effect: Effect::Refused, rule: Some(rule), witness: None, json: None },
        }
    }

    fn breaks(&mut self, direction: Direction, rule: Rule, tried: Tried, document: &Value) -> Outcome {
        self.broken[roles(direction)[0]].get_or_insert_with(|| document.clone());
        let effect = if matches!(tried.witness.read, Reading::As(_)) { Effect::Misread } else { Effect::Refused };
        Outcome { effect, rule: Some(rule), witness: Some(tried.witness), json: None }
    }

    /// Returns a document that shows a property of all documents.
    fn any_document(&self, side: usize) -> Value {
        let side = self.sides[side];
        let mut roots = side.ids().filter(|id| side.is_root(*id));
        let made = roots.find_map(|id| {
            let value = Maker::new(side, SampleKind::Distinct).sample(side.tag_type(id))?;
            Maker::new(side, SampleKind::Distinct).document(&Spot::of_tag(id), value)
        });
        made.unwrap_or_else(|| Value::record::<String>([]))
    }

    /// Returns the subject of findings about the whole dictionary.
    fn name(&self) -> String {
        let name = self.sides[1].dictionary.name();
        if name.is_empty() { "dictionary".into() } else { name.into() }
    }

    fn signature(&mut self) {
        let [before, after] = self.sides.map(|side| side.plan.wire());
        if before == after {
            return;
        }
        let [old, new] = self.sides;
        let seed = Seed {
            kind: "revision_changed",
            path: self.name(),
            message: format!("bodies of {} became bodies of {}", revision(before), revision(after)),
            old: Some(old.head()),
            new: Some(new.head()),
        };
        let outcomes = self.both(|changes, direction| {
            let [writer, reader] = roles(direction);
            let [from, to] = [writer, reader].map(|side| changes.sides[side].plan.wire());
            let extended = changes.sides[reader].dictionary.is_extended();
            if from.is_a() == to.is_a() && !(from == Revision::B && extended) {
                return Outcome::FINE;
            }
            let document = changes.any_document(writer);
            match changes.trial.run(direction, &document, Form::Body) {
                Some(tried) => changes.breaks(direction, rule::SIGNATURE, tried, &document),
                None => Outcome { effect: Effect::Refused, rule: Some(rule::SIGNATURE), witness: None, json: None },
            }
        });
        self.push(seed, outcomes);
    }

    /// Compares the identities, which heads contain.
    fn identity(&mut self) {
        let [old, new] = self.sides;
        let [before, after] = self.sides.map(|side| side.dictionary.identity());
        let places = [old, new].map(|side| Some(side.head()));
        let trial = |changes: &mut Self, direction: Direction, document: &Value, form: Form, rule: Rule| match changes
            .trial
            .run(direction, document, form)
        {
            Some(tried) => changes.breaks(direction, rule, tried, document),
            None => Outcome { effect: Effect::Refused, rule: Some(rule), witness: None, json: None },
        };
        let path = self.name();
        let seed = |kind, message| Seed { kind, path, message, old: places[0], new: places[1] };
        let (seed, outcomes) = if before != after {
            let outcomes = self.both(|changes, direction| {
                let document = changes.any_document(roles(direction)[0]);
                trial(changes, direction, &document, Form::HeadBody, rule::IDENTITY)
            });
            (seed("identity_changed", format!("the dictionary {before} became {after}")), outcomes)
        } else if self.broken.iter().any(Option::is_some) {
            let outcomes = self.both(|changes, direction| match changes.broken[roles(direction)[0]].clone() {
                Some(document) => trial(changes, direction, &document, Form::HeadDictionaryBody, rule::SAME_IDENTITY),
                None => Outcome::FINE,
            });
            (seed("identity_kept", format!("the dictionary changed, and is still {before}")), outcomes)
        } else {
            return;
        };
        self.push(seed, outcomes);
        self.findings.rotate_right(1);
    }

    /// Reports a tag that only one side has.
    fn lone(&mut self, side: usize, id: u32) {
        let own = self.sides[side];
        if !own.is_reached(id) {
            return;
        }
        let (kind, what) = if side == 1 { ("tag_added", "was added") } else { ("tag_removed", "was removed") };
        let at = Some(own.entry(id).name.at);
        let name = own.tag_name(id).to_string();
        let message = format!("the tag `{name}`, {id}, {what}");
        let seed = Seed { kind, path: name, message, old: at.filter(|_| side == 0), new: at.filter(|_| side == 1) };
        let leaves = self.samples(side, own.tag_type(id));
        let outcomes = self.both(|changes, direction| {
            // Parts of other tags are reported there.
            if roles(direction)[0] != side || !own.is_root(id) {
                return Outcome::FINE;
            }
            changes.judge(direction, rule::ROOT, &Spot::of_tag(id), &leaves)
        });
        self.push(seed, outcomes);
    }

    fn samples(&self, side: usize, ty: &Type) -> Vec<Value> {
        let side = self.sides[side];
        sample::samples(side, ty)
    }

    /// Compares a tag that both sides have.
    fn tag(&mut self, before: u32, after: u32) {
        let [old, new] = self.sides;
        let ids = [before, after];
        let path = new.tag_name(after).to_string();
        let places = [Some(old.entry(before).name.at), Some(new.entry(after).name.at)];
        let seed = |kind, message| Seed { kind, path: path.clone(), message, old: places[0], new: places[1] };
        if old.tag_name(before) != path {
            let message = format!("the tag `{}` is called `{path}`", old.tag_name(before));
            self.push(seed("tag_renamed", message), Self::warns(rule::NAMES));
        }
        if before != after {
            let outcomes = self.both(|changes, direction| {
                let side = roles(direction)[0];
                let (own, id) = (changes.sides[side], ids[side]);
                if own.is_root(id) {
                    let leaves = changes.samples(side, own.tag_type(id));
                    return changes.judge(direction, rule::TAG_ID, &Spot::of_tag(id), &leaves);
                }
                // A polymorph stands for its members and is not on the wire itself.
                let is_polymorph = matches!(own.tag_type(id), Type::Polymorph(_));
                let Some(spot) = own.as_member(id).filter(|_| !is_polymorph) else { return Outcome::FINE };
                let leaves: Vec<Value> =
                    changes.samples(side, own.tag_type(id)).into_iter().map(|value| sample::member(own, id, value)).collect();
                changes.judge(direction, rule::TAG_ID, &spot, &leaves)
            });
            self.push(seed("tag_id_changed", format!("the tag `{path}` was {before} and is {after}")), outcomes);
        }
        if old.is_root(before) != new.is_root(after) && self.documents {
            let message = if new.is_root(after) { format!("`{path}` became a root") } else { format!("`{path}` is no root any more") };
            let outcomes = self.both(|changes, direction| {
                let side = roles(direction)[0];
                if !changes.sides[side].is_root(ids[side]) {
                    return Outcome::FINE;
                }
                let leaves = changes.samples(side, changes.sides[side].tag_type(ids[side]));
                changes.judge(direction, rule::ROOT, &Spot::of_tag(ids[side]), &leaves)
            });
            self.push(seed("root_changed", message), outcomes);
        }
        let node = |side: &'s Side, id| Node { ty: side.tag_type(id), entry: side.entry(id), spot: Spot::of_tag(id) };
        self.types([node(old, before), node(new, after)], &path);
    }

    /// Returns the type that a link refers to.
    fn linked(side: &'s Side, node: Node<'s>) -> Node<'s> {
        match node.ty {
            Type::Link(id) => {
                // The link changed. Documents get there through it, unless the path is too long.
                let spot = if node.spot.steps.len() > MOST_STEPS { Spot::of_tag(*id) } else { node.spot };
                Node { ty: side.tag_type(*id), entry: side.entry(*id), spot }
            }
            _ => node,
        }
    }

    /// Compares two types. Recursion is bounded by the nesting of inline types, since links are
    /// queued.
    fn types(&mut self, nodes: [Node<'s>; 2], path: &str) {
        let [old, new] = nodes;
        // Changes of the tag itself are reported there.
        if let (Type::Link(one), Type::Link(other)) = (old.ty, new.ty)
            && self.tags.other(true, *one) == Some(*other)
        {
            return;
        }
        let [before, after] = [Self::linked(self.sides[0], old.clone()), Self::linked(self.sides[1], new.clone())];
        let [from, to] = [before.ty, after.ty];
        let compared = [std::ptr::from_ref(from), std::ptr::from_ref(to)];
        let is_linked = [old.ty, new.ty].iter().any(|ty| matches!(ty, Type::Link(_)));
        match (from, to) {
            (Type::Structure(_), Type::Structure(_)) | (Type::Array(_), Type::Array(_)) if is_linked => {
                if self.seen.insert(compared) {
                    let path = if let Type::Link(id) = new.ty { self.sides[1].tag_name(*id).to_string() } else { path.to_string() };
                    self.due.push(([before, after], path));
                }
            }
            (Type::Structure(one), Type::Structure(other)) => self.structures([&before, &after], one, other, path),
            (Type::Array(one), Type::Array(other)) => {
                let inner = |node: &Node<'s>, ty| Node { ty, entry: node.entry, spot: node.spot.below(TypeStep::Element) };
                self.types([inner(&before, one), inner(&after, other)], &format!("{path}[]"));
            }
            (Type::Enumeration(one), Type::Enumeration(other)) => {
                if self.seen.insert(compared) {
                    self.enumerations([&before, &after], one, other, path);
                }
            }
            (Type::Polymorph(one), Type::Polymorph(other)) => {
                if self.seen.insert(compared) {
                    self.polymorphs([&before, &after], one, other, path);
                }
            }
            (Type::Simple(one), Type::Simple(other)) if one == other => {}
            (Type::Text { utf8: one }, Type::Text { utf8: other }) if one == other => {}
            _ => self.retyped([&old, &new], [&before, &after], path),
        }
    }

    /// Reports types that have different bytes, or the same bytes with different meanings.
    fn retyped(&mut self, nodes: [&Node<'s>; 2], resolved: [&Node<'s>; 2], path: &str) {
        let [from, to] = resolved.map(|node| node.ty);
        let is_text = matches!((from, to), (Type::Text { .. }, Type::Text { .. }));
        let kind = match nodes[1].spot.steps.last() {
            _ if is_text => "encoding_changed",
            None => "tag_type_changed",
            Some(TypeStep::Field(_)) => "field_type_changed",
            Some(TypeStep::Element) => "element_type_changed",
        };
        let [was, is] = [0, 1].map(|side| shown(self.sides[side], nodes[side].ty));
        let seed =
            Seed { kind, path: path.into(), message: format!("{was} became {is}"), old: Some(nodes[0].at()), new: Some(nodes[1].at()) };
        let outcomes = self.both(|changes, direction| {
            let [writer, reader] = roles(direction);
            let [own, other] = [writer, reader].map(|side| resolved[side].ty);
            match (own, other) {
                (Type::Text { utf8: true }, Type::Text { .. }) => return Outcome::FINE,
                // A number replaces its name.
                (Type::Enumeration(enumeration), Type::Simple(simple)) if enumeration.subtype == *simple => {
                    return Outcome { effect: Effect::Warns, rule: Some(rule::NAMES), witness: None, json: None };
                }
                _ => {}
            }
            let rule = if is_text { rule::ENCODING } else { rule::TYPE };
            let leaves = sample::telling(changes.sides[writer], own);
            changes.judge(direction, rule, &nodes[writer].spot, &leaves)
        });
        self.push(seed, outcomes);
    }

    fn structures(&mut self, nodes: [&Node<'s>; 2], before: &'s [Field], after: &'s [Field], path: &str) {
        let [old, new] = self.sides;
        let paired = pairing::fields(old, before, new, after);
        let entries = nodes.map(|node| entries(node.entry));
        let place = |side: usize, name: &str| entries[side].get(name).map(|entry| entry.name.at);
        let below = |name: &str| format!("{path}.{name}");
        let count = before.len() as u32;
        let key = |n: usize| paired[n].unwrap_or(count + n as u32);
        let items = [
            before.iter().zip(0..).map(|(field, key)| Item { key, nullable: field.nullable }).collect::<Vec<Item>>(),
            after.iter().enumerate().map(|(n, field)| Item { key: key(n), nullable: field.nullable }).collect(),
        ];
        let common: Vec<u32> = paired.iter().flatten().copied().collect();
        let fixed: HashSet<u32> = common.iter().zip(align::steady(&common)).filter(|(_, steady)| *steady).map(|(key, _)| *key).collect();
        // The nearest earlier field, in each version, that both versions have and that did not
        // move.
        let behind = |side: usize, at: usize| items[side][..at].iter().rev().map(|item| item.key).find(|key| fixed.contains(key));
        let presence = |nullable: bool| if nullable { rule::PRESENCE } else { rule::POSITION };

        let mut altered = Vec::new();
        for (n, field) in after.iter().enumerate() {
            let (item, at) = (items[1][n], place(1, &field.name));
            let Some(position) = paired[n] else {
                let message = format!("the field `{}`, {}, was added as {}", field.name, shown_field(new, field), n + 1);
                let change = [Change::Unwritten { item, behind: behind(1, n) }, Change::Unread(item.key)];
                let seed = Seed { kind: "field_added", path: below(&field.name), message, old: None, new: at };
                altered.push(Altered { seed, change, field: [None, Some(n as u32)], rule: presence(field.nullable) });
                continue;
            };
            let own = &before[position as usize];
            let was = place(0, &own.name);
            let seed = |kind, message| Seed { kind, path: below(&field.name), message, old: was, new: at };
            let positions = [Some(position), Some(n as u32)];
            if own.name != field.name {
                let message = format!("the field `{}` is called `{}`", own.name, field.name);
                self.push(seed("field_renamed", message), Self::warns(rule::NAMES));
            }
            if !fixed.contains(&position) {
                let change = [behind(1, n), behind(0, position as usize)].map(|behind| Change::Moved { key: position, behind });
                let message = format!("the field `{}` was {} and is {}", field.name, position + 1, n + 1);
                altered.push(Altered { seed: seed("field_moved", message), change, field: positions, rule: rule::POSITION });
            }
            if own.nullable != field.nullable {
                let kind = if field.nullable { "field_nullable" } else { "field_required" };
                let what = if field.nullable { "may be null" } else { "may not be null any more" };
                let change = [Change::Nullable(position); 2];
                let seed = seed(kind, format!("the field `{}` {what}", field.name));
                altered.push(Altered { seed, change, field: positions, rule: rule::PRESENCE });
            }
            // NaN is not equal to itself.
            if format!("{:?}", own.default) != format!("{:?}", field.default) {
                let message = format!("the default {} became {}", default(own), default(field));
                self.push(seed("default_changed", message), Self::warns(rule::DEFAULTS));
            }
        }
        let kept: HashSet<u32> = common.iter().copied().collect();
        for (n, field) in (0..).zip(before).filter(|(n, _)| !kept.contains(n)) {
            let item = items[0][n as usize];
            let message = format!("the field `{}`, {}, {}, was removed", field.name, n + 1, shown_field(old, field));
            let change = [Change::Unread(item.key), Change::Unwritten { item, behind: behind(0, n as usize) }];
            let seed = Seed { kind: "field_removed", path: below(&field.name), message, old: place(0, &field.name), new: None };
            altered.push(Altered { seed, change, field: [Some(n), None], rule: presence(field.nullable) });
        }
        self.altered(nodes, &items, altered);
        for (n, field) in after.iter().enumerate() {
            let Some(position) = paired[n] else { continue };
            let own = &before[position as usize];
            let node = |side: usize, field: &'s Field, at: u32| {
                let entry = entries[side].get(field.name.as_str()).copied().unwrap_or(nodes[side].entry);
                Node { ty: &field.ty, entry, spot: nodes[side].spot.below(TypeStep::Field(at)) }
            };
            self.types([node(0, own, position), node(1, field, n as u32)], &below(&field.name));
        }
    }

    /// Judges the changes of one structure: none does harm if the whole does none.
    fn altered(&mut self, nodes: [&Node<'s>; 2], items: &[Vec<Item>; 2], altered: Vec<Altered>) {
        let mut breaking = [(); 2].map(|()| vec![false; altered.len()]);
        for direction in Direction::ALL {
            let [writer, reader] = roles(direction);
            if align::is_aligned(&items[writer], &items[reader]) {
                continue;
            }
            let alone = altered.len() <= MOST_ALONE;
            let mut found = false;
            for (n, one) in altered.iter().enumerate().filter(|_| alone) {
                let broken = !align::is_aligned(&items[writer], &align::changed(&items[writer], one.change[writer]));
                breaking[writer][n] = broken;
                found |= broken;
            }
            // They do harm only together.
            if !found {
                breaking[writer].fill(true);
            }
        }
        for (n, one) in altered.into_iter().enumerate() {
            let outcomes = self.both(|changes, direction| {
                let writer = roles(direction)[0];
                if !breaking[writer][n] {
                    return Outcome::FINE;
                }
                let (side, ty) = (changes.sides[writer], nodes[writer].ty);
                let mut leaves = changes.samples(writer, ty);
                if let Some(field) = one.field[writer] {
                    let made = [
                        (SampleKind::Least, SampleKind::Distinct),
                        (SampleKind::Distinct, SampleKind::Least),
                        (SampleKind::Large, SampleKind::Least),
                    ];
                    leaves.extend(made.into_iter().filter_map(|(kind, other)| Maker::new(side, kind).structure(ty, field, other)));
                }
                changes.judge(direction, one.rule, &nodes[writer].spot, &leaves)
            });
            self.push(one.seed, outcomes);
        }
    }

    fn enumerations(&mut self, nodes: [&Node<'s>; 2], before: &'s Enumeration, after: &'s Enumeration, path: &str) {
        let both = [before, after];
        let places = nodes.map(|node| match &node.entry.shape {
            Shape::Enumeration { members, .. } => members.iter().map(|(name, _)| (name.of.as_str(), name.at)).collect(),
            _ => HashMap::new(),
        });
        let place = |side: usize, name: &str| places[side].get(name).copied();
        let seed = |kind, name: &str, message, old, new| {
            let path = if name.is_empty() { path.to_string() } else { format!("{path}.{name}") };
            Seed { kind, path, message, old, new }
        };
        if before.subtype != after.subtype {
            let message = format!("its numbers were of the type {} and are {}", before.subtype.keyword(), after.subtype.keyword());
            let outcomes = self.both(|changes, direction| {
                let [writer, reader] = roles(direction);
                let differs = |(_, number): &&(String, i64)| bytes(both[writer].subtype, *number) != bytes(both[reader].subtype, *number);
                let leaves: Vec<Value> = (0..both[writer].members.len())
                    .filter(|at| differs(&&both[writer].members[*at]))
                    .map(|at| sample::enumerator(both[writer], at))
                    .take(20)
                    .collect();
                if leaves.is_empty() { Outcome::FINE } else { changes.judge(direction, rule::TYPE, &nodes[writer].spot, &leaves) }
            });
            self.push(seed("enumeration_type_changed", "", message, Some(nodes[0].at()), Some(nodes[1].at())), outcomes);
        }
        let paired = pairing::enumerators(before, after);
        for (n, (name, number)) in after.members.iter().enumerate() {
            let at = place(1, name);
            let Some(position) = paired[n] else {
                let message = format!("the enumerator `{name}`, {number}, was added");
                let forward = self.judge(Direction::Forward, rule::ENUMERATOR, &nodes[1].spot, &[sample::enumerator(after, n)]);
                self.push(seed("enumerator_added", name, message, None, at), [Outcome::FINE, forward]);
                continue;
            };
            let (was, earlier) = &before.members[position as usize];
            let old = place(0, was);
            if was != name {
                let message = format!("the enumerator `{was}` is called `{name}`");
                self.push(seed("enumerator_renamed", name, message, old, at), Self::warns(rule::NAMES));
            }
            if earlier != number {
                let message = format!("the enumerator `{name}` was {earlier} and is {number}");
                let positions = [position as usize, n];
                let outcomes = self.both(|changes, direction| {
                    let writer = roles(direction)[0];
                    let leaf = sample::enumerator(both[writer], positions[writer]);
                    changes.judge(direction, rule::ENUMERATOR, &nodes[writer].spot, &[leaf])
                });
                self.push(seed("enumerator_renumbered", name, message, old, at), outcomes);
            }
        }
        let kept: HashSet<u32> = paired.iter().flatten().copied().collect();
        for (n, (name, number)) in before.members.iter().enumerate().filter(|(n, _)| !kept.contains(&(*n as u32))) {
            let message = format!("the enumerator `{name}`, {number}, was removed");
            let backward = self.judge(Direction::Backward, rule::ENUMERATOR, &nodes[0].spot, &[sample::enumerator(before, n)]);
            self.push(seed("enumerator_removed", name, message, place(0, name), None), [backward, Outcome::FINE]);
        }
    }

    fn polymorphs(&mut self, nodes: [&Node<'s>; 2], before: &[u32], after: &[u32], path: &str) {
        let members = [self.sides[0].members(before), self.sides[1].members(after)];
        for side in [1, 0] {
            let own = self.sides[side];
            let other: HashSet<u32> = members[1 - side].iter().copied().collect();
            for id in &members[side] {
                if self.tags.other(side == 0, *id).is_some_and(|paired| other.contains(&paired)) {
                    continue;
                }
                let name = own.tag_name(*id);
                let (kind, what) = if side == 1 { ("member_added", "added") } else { ("member_removed", "removed") };
                let seed = Seed {
                    kind,
                    path: format!("{path}.{name}"),
                    message: format!("the member `{name}`, {id}, was {what}"),
                    old: (side == 0).then(|| nodes[0].at()),
                    new: (side == 1).then(|| nodes[1].at()),
                };
                let leaves: Vec<Value> =
                    self.samples(side, own.tag_type(*id)).into_iter().map(|value| sample::member(own, *id, value)).collect();
                let direction = Direction::ALL[side];
                let judged =
                    if own.round(*id).is_none() { Outcome::FINE } else { self.judge(direction, rule::MEMBER, &nodes[side].spot, &leaves) };
                let outcomes = if side == 1 { [Outcome::FINE, judged] } else { [judged, Outcome::FINE] };
                self.push(seed, outcomes);
            }
        }
    }
}

/// Returns the fields of an entry by name.
fn entries(entry: &Entry) -> HashMap<&str, &Entry> {
    match &entry.shape {
        Shape::Structure { fields, .. } => fields.iter().map(|field| (field.name.of.as_str(), field)).collect(),
        _ => HashMap::new(),
    }
}

fn bytes(simple: Simple, number: i64) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    put_whole(&mut out, simple, i128::from(number)).ok().map(|()| out)
}

fn revision(revision: Revision) -> &'static str {
    match revision {
        Revision::A => "revision A",
        Revision::B => "revision B",
        Revision::Profile => "the profile",
    }
}

/// Returns a type in the dictionary language.
fn shown(side: &Side, ty: &Type) -> String {
    match ty {
        Type::Simple(simple) => simple.keyword().into(),
        Type::Text { utf8: true } => "STRING<UTF-8>".into(),
        Type::Text { utf8: false } => "STRING".into(),
        Type::Array(element) => format!("{}[]", shown(side, element)),
        Type::Structure(_) => "a structure".into(),
        Type::Link(id) => format!("`{}`", side.tag_name(*id)),
        Type::Enumeration(enumeration) => format!("ENUM<{}>", enumeration.subtype.keyword()),
        Type::Polymorph(members) => {
            let names: Vec<&str> = members.iter().take(10).map(|id| side.tag_name(*id)).collect();
            format!("<{}{}>", names.join(" || "), if members.len() > 10 { " || …" } else { "" })
        }
    }
}

fn shown_field(side: &Side, field: &Field) -> String {
    format!("{}{}", shown(side, &field.ty), if field.nullable { " or null" } else { "" })
}

fn default(field: &Field) -> String {
    match (&field.default, &field.ty) {
        (None, _) => "none".into(),
        (Some(Start::Number(number)), Type::Enumeration(enumeration)) => {
            let known = enumeration.members.iter().find(|(_, known)| known == number);
            known.map_or_else(|| number.to_string(), |(name, _)| name.clone())
        }
        (Some(Start::Number(number)), _) => number.to_string(),
        (Some(Start::Value(value)), _) => notation::show(value),
    }
}
