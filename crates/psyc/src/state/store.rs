//! Variables by context, and packets applied to them.

use alloc::collections::BTreeMap;
use alloc::collections::btree_map;
use alloc::vec::Vec;
use core::ops::Bound;

use super::change::{Sign, Work, combine, update};
use super::error::{Error, ErrorKind};
use super::limits::Limits;
use super::update::Update;
use super::write::write;

use crate::keyword::{self, Relation};
use crate::packet::{Content, Header, Modifier, Operator, Packet, State};
use crate::wire::{LF, is_keyword};

/// The variables of a context, by name.
type Values = BTreeMap<Vec<u8>, Vec<u8>>;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Context {
    values: Values,
    /// The number of bytes of names and values.
    bytes: usize,
}

/// Contexts and their variables. A context without variables does not exist.
#[derive(Debug, Clone)]
pub struct Store {
    contexts: BTreeMap<Vec<u8>, Context>,
    /// The number of bytes of names and values of all contexts, with the names of the contexts.
    bytes: usize,
    limits: Limits,
}

impl PartialEq for Store {
    /// Returns whether the variables are the same; limits don't count.
    fn eq(&self, other: &Store) -> bool {
        self.contexts == other.contexts
    }
}

impl Eq for Store {}

/// The effects of a packet, besides those on the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effects<'a> {
    /// Name of the context.
    pub context: &'a [u8],
    /// Variables that the packet sets for itself, in its order.
    pub set: Vec<(&'a [u8], &'a [u8])>,
    /// Variables that the peer asks for, in its order. [`Store::value`] has the answers.
    pub queries: Vec<&'a [u8]>,
    /// True if the peer asks for a reset and all variables. [`Store::snapshot`] of this side's own
    /// store makes that packet.
    pub resync: bool,
    /// Variables with the reserved operator `!`, which does nothing.
    pub reserved: Vec<&'a [u8]>,
    /// True if the packet changed the state or repeated it.
    pub changes: bool,
}

/// The changes that a packet makes to a context. Nothing is changed before all of them are known.
struct Pending<'s, 'a> {
    old: Option<&'s Values>,
    /// None: taken away.
    new: BTreeMap<&'a [u8], Option<Vec<u8>>>,
}

impl Pending<'_, '_> {
    fn get(&self, name: &[u8]) -> Option<&[u8]> {
        match self.new.get(name) {
            Some(value) => value.as_deref(),
            None => self.old.and_then(|old| old.get(name)).map(Vec::as_slice),
        }
    }
}

/// Returns the context of a routing header: its last `_context`, else its last `_source`, else the
/// circuit itself, whose name is empty.
fn context<'a>(routing: impl Iterator<Item = Modifier<'a>>) -> &'a [u8] {
    let (mut context, mut source) = (None, None);
    for modifier in routing.filter(|modifier| matches!(modifier.operator, Operator::Set | Operator::Assign)) {
        match modifier.name {
            b"_context" => context = Some(modifier.value),
            b"_source" => source = Some(modifier.value),
            _ => {}
        }
    }
    context.or(source).unwrap_or_default()
}

/// Returns whether `name` is `known`, or inherits from it.
fn is_or_inherited(known: &[u8], name: &[u8]) -> bool {
    known == name || keyword::inherits(known, name) == Relation::Yes
}

/// Returns the longest of the variables that `name` is, or inherits from. Searches once per
/// variable in the way and not per word of the name, since a hostile name has many words.
fn nearest<'v>(values: &'v Values, mut name: &[u8]) -> Option<(&'v [u8], &'v [u8])> {
    loop {
        // All names that `name` inherits from sort before it, the longest last, and whatever sorts
        // between begins as that one does.
        let (known, value) = values.range::<[u8], _>((Bound::Unbounded, Bound::Included(name))).next_back()?;
        if is_or_inherited(known, name) {
            return Some((known, value));
        }
        let common = known.iter().zip(name).take_while(|(known, name)| known == name).count();
        name = keyword::parent(&name[..=common])?;
    }
}

impl Store {
    /// Returns an empty store.
    pub fn new(limits: Limits) -> Store {
        Store { contexts: BTreeMap::new(), bytes: 0, limits }
    }

    /// Applies a packet as a whole, or changes nothing.
    pub fn apply<'a, H: Header<'a>>(&mut self, packet: &Packet<'a, H>) -> Result<Effects<'a>, Error> {
        let name = context(packet.routing.lines());
        let whole = |kind| Error { line: 0, name: Vec::new(), kind };
        let Content::Parts { state, entity, .. } = packet.content else { return Err(whole(ErrorKind::Raw)) };
        if name.contains(&LF) {
            return Err(whole(ErrorKind::Name));
        }
        let old = self.contexts.get(name);
        let reset = state == Some(State::Reset);
        let mut effects = Effects {
            context: name,
            set: Vec::new(),
            queries: Vec::new(),
            resync: state == Some(State::Resync),
            reserved: Vec::new(),
            changes: reset,
        };
        let mut pending = Pending { old: old.filter(|_| !reset).map(|old| &old.values), new: BTreeMap::new() };
        let mut work = Work(self.limits.work);
        let mut last = 0;
        for (line, modifier) in entity.lines().enumerate() {
            last = line;
            self.line(&mut pending, &mut effects, modifier, &mut work).map_err(|kind| Error {
                line,
                name: modifier.name.to_vec(),
                kind,
            })?;
        }
        let new: BTreeMap<&[u8], Option<Vec<u8>>> = pending.new;
        if effects.changes {
            self.commit(name, reset, new).map_err(|kind| Error { line: last, name: Vec::new(), kind })?;
        }
        Ok(effects)
    }

    fn line<'a>(
        &self,
        pending: &mut Pending<'_, 'a>,
        effects: &mut Effects<'a>,
        modifier: Modifier<'a>,
        work: &mut Work,
    ) -> Result<(), ErrorKind> {
        let Modifier { operator, name, value, .. } = modifier;
        if !is_keyword(name) {
            return Err(ErrorKind::Name);
        }
        let sign = match operator {
            Operator::Set => {
                effects.set.push((name, value));
                return Ok(());
            }
            Operator::Query => {
                effects.queries.push(name);
                return Ok(());
            }
            Operator::Reserved => {
                effects.reserved.push(name);
                return Ok(());
            }
            Operator::Assign => {
                effects.changes = true;
                pending.new.insert(name, Some(value.to_vec()));
                return Ok(());
            }
            Operator::Update => {
                let change = Update::read(value, self.limits.depth)?;
                let old = pending.get(name).unwrap_or_default();
                let layouts = |kind: &[u8]| if kind == name { None } else { pending.get(kind).map(<[u8]>::to_vec) };
                let new = update(name, old, &change, &layouts, work)?;
                effects.changes = true;
                pending.new.insert(name, new);
                return Ok(());
            }
            Operator::Augment => Sign::Plus,
            Operator::Diminish => Sign::Minus,
        };
        let old = pending.get(name);
        let new = if operator == Operator::Diminish && value.is_empty() {
            old.ok_or(ErrorKind::NotThere)?;
            None
        } else {
            Some(combine(name, old.unwrap_or_default(), sign, value, work)?)
        };
        effects.changes = true;
        pending.new.insert(name, new);
        Ok(())
    }

    /// Makes changes, if the limits allow what comes of them.
    fn commit(&mut self, name: &[u8], reset: bool, new: BTreeMap<&[u8], Option<Vec<u8>>>) -> Result<(), ErrorKind> {
        let size = |name: &[u8], value: Option<&Vec<u8>>| value.map_or(0, |value| name.len() + value.len());
        let old = self.contexts.get(name);
        let before = old.map_or(0, |old| old.bytes);
        let (mut count, mut bytes) = match old {
            Some(old) if !reset => (old.values.len(), old.bytes),
            _ => (0, 0),
        };
        for (variable, value) in &new {
            let was = old.filter(|_| !reset).and_then(|old| old.values.get(*variable));
            count = count + usize::from(value.is_some()) - usize::from(was.is_some());
            bytes = bytes + size(variable, value.as_ref()) - size(variable, was);
        }
        let (named, was_named) = (if count > 0 { name.len() } else { 0 }, if old.is_some() { name.len() } else { 0 });
        let total = self.bytes + bytes + named - before - was_named;
        let contexts = self.contexts.len() + usize::from(count > 0) - usize::from(old.is_some());
        let grows = bytes > before || count > old.map_or(0, |old| old.values.len());
        // A change that only shrinks the store is allowed, so that a store whose limits were
        // lowered can be emptied.
        if grows {
            let limits = &self.limits;
            for (name, is, limit) in [
                ("contexts", contexts, limits.contexts),
                ("variables", count, limits.variables),
                ("context_bytes", bytes, limits.context_bytes),
                ("total_bytes", total, limits.total_bytes),
            ] {
                if is > limit {
                    return Err(ErrorKind::Limit(name));
                }
            }
        }
        self.bytes = total;
        if count == 0 {
            self.contexts.remove(name);
            return Ok(());
        }
        let context = match self.contexts.get_mut(name) {
            Some(context) => context,
            None => self.contexts.entry(name.to_vec()).or_default(),
        };
        if reset {
            context.values.clear();
        }
        for (variable, value) in new {
            match value {
                Some(value) => {
                    context.values.insert(variable.to_vec(), value);
                }
                None => {
                    context.values.remove(variable);
                }
            }
        }
        context.bytes = bytes;
        Ok(())
    }

    /// Returns the value of a variable as a packet sees it: the packet's own value, else that of
    /// the state. Failing both, returns the value of the longest name that the variable inherits
    /// from (docs/spec/psyc.md 12.1). If the packet sets a variable twice, the last value counts.
    pub fn value<'s>(&'s self, effects: &Effects<'s>, name: &[u8]) -> Option<&'s [u8]> {
        let state = self.contexts.get(effects.context).and_then(|state| nearest(&state.values, name));
        // `max_by_key` returns the last of equally long names.
        let set = effects.set.iter().copied().filter(|set| is_or_inherited(set.0, name)).max_by_key(|set| set.0.len());
        match (set, state) {
            (Some(set), Some(state)) if state.0.len() > set.0.len() => Some(state.1),
            (set, state) => set.or(state).map(|found| found.1),
        }
    }

    /// Returns the value that a context's state has for exactly this variable.
    pub fn get(&self, context: &[u8], name: &[u8]) -> Option<&[u8]> {
        self.contexts.get(context)?.values.get(name).map(Vec::as_slice)
    }

    /// Returns the variables of a context, in the order of their names.
    pub fn variables(&self, context: &[u8]) -> Variables<'_> {
        Variables(self.contexts.get(context).map(|context| context.values.iter()).unwrap_or_default())
    }

    /// Returns the names of all contexts, in order.
    pub fn contexts(&self) -> Contexts<'_> {
        Contexts(self.contexts.keys())
    }

    /// Returns the number of bytes of names and values of all contexts, with the names of the
    /// contexts.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the bounds of the store.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Forgets a context, and returns whether it existed. The change is in no log.
    pub fn forget(&mut self, context: &[u8]) -> bool {
        match self.contexts.remove(context) {
            Some(old) => {
                self.bytes -= old.bytes + context.len();
                true
            }
            None => false,
        }
    }

    /// Appends a packet that gives any store this store's state of a context: a reset and all
    /// variables, or a reset alone if there are none.
    pub fn snapshot(&self, context: &[u8], out: &mut Vec<u8>) {
        let lines: Vec<Modifier<'_>> = self.variables(context).map(|(name, value)| Modifier::new(Operator::Assign, name, value)).collect();
        write(context, Some(State::Reset), &lines, out);
    }
}

/// The variables of a context: names and values.
#[derive(Debug, Clone)]
pub struct Variables<'s>(btree_map::Iter<'s, Vec<u8>, Vec<u8>>);

impl<'s> Iterator for Variables<'s> {
    type Item = (&'s [u8], &'s [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(name, value)| (name.as_slice(), value.as_slice()))
    }
}

/// The names of contexts.
#[derive(Debug, Clone)]
pub struct Contexts<'s>(btree_map::Keys<'s, Vec<u8>, Context>);

impl<'s> Iterator for Contexts<'s> {
    type Item = &'s [u8];

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(Vec::as_slice)
    }
}
