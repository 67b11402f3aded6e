//! Hashes of values that equal values share.

use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::tools::adapt::{Hits, Places, Projection};
use crate::value::tree::{Entry, Item, View};
use crate::walk::event::{Open, Scalar};

use super::tolerance::Tolerance;

/// Makes digests of values. Ignored parts do not count.
#[derive(Debug, Clone)]
pub(super) struct Digester {
    pub(super) state: RandomState,
    pub(super) tolerance: Tolerance,
    /// A field that stands alone may be a list of one.
    pub(super) repeats: bool,
}

/// The paths that are ignored, and marks for those that named something.
pub(super) struct Ignored<'i> {
    pub(super) paths: &'i Projection,
    pub(super) hits: &'i mut Hits,
}

/// Digests of containers by their place in the tree.
pub(super) type Memo = HashMap<usize, u64, RandomState>;

impl Digester {
    /// Returns the digest of `item`, which stands at `places` of the paths that are ignored. Those
    /// of its containers are kept in `memo`. Recursion is bounded by the depth that the readers'
    /// budgets allow.
    pub(super) fn digest(
        &self,
        item: Item<'_, '_>,
        places: &Places,
        ignored: &mut Option<Ignored<'_>>,
        memo: &mut Option<&mut Memo>,
    ) -> u64 {
        let open = match item.view() {
            View::Scalar(scalar) => {
                let mut state = self.state.build_hasher();
                self.tolerance.hash(&scalar, &mut state);
                return state.finish();
            }
            View::Open(open) => open,
        };
        if let Some(known) = memo.as_ref().and_then(|memo| memo.get(&item.place())) {
            return *known;
        }
        let digest = self.container(item, &open, places, ignored, memo);
        if let Some(memo) = memo {
            memo.insert(item.place(), digest);
        }
        digest
    }

    fn container(
        &self,
        item: Item<'_, '_>,
        open: &Open<'_>,
        places: &Places,
        ignored: &mut Option<Ignored<'_>>,
        memo: &mut Option<&mut Memo>,
    ) -> u64 {
        let mut state = self.state.build_hasher();
        match open {
            Open::Map(_) | Open::Record { .. } => {
                // A map equals a record without a name.
                let name = if let Open::Record { name, .. } = open { *name } else { "" };
                name.hash(&mut state);
                // The order of entries says nothing, so their hashes are added up.
                let mut sum = 0u64;
                for entry in item.entries() {
                    let inside = within(entry, places, ignored.as_ref().map(|ignored| ignored.paths), self.repeats);
                    if is_left_out(&inside, ignored) {
                        continue;
                    }
                    let mut state = self.state.build_hasher();
                    match entry {
                        Entry::Field(name, _) => name.hash(&mut state),
                        Entry::Pair(key, _) => self.digest(key, &Places::NOWHERE, &mut None, memo).hash(&mut state),
                        Entry::Element(_) => {}
                    }
                    self.digest(entry.value(), &inside, ignored, memo).hash(&mut state);
                    sum = sum.wrapping_add(state.finish());
                }
                sum.hash(&mut state);
            }
            Open::Tagged { space, code } => {
                (3u8, space, code).hash(&mut state);
                for entry in item.entries() {
                    self.digest(entry.value(), places, ignored, memo).hash(&mut state);
                }
            }
            Open::List(_) | Open::Tuple(_) | Open::Variant { .. } => {
                let inside = match (open, &*ignored) {
                    (Open::Variant { name, index }, ignored) => {
                        (2u8, name, index).hash(&mut state);
                        ignored.as_ref().map_or(Places::NOWHERE, |ignored| places.named(ignored.paths, name))
                    }
                    (open, _) => {
                        u8::from(matches!(open, Open::Tuple(_))).hash(&mut state);
                        places.clone()
                    }
                };
                let len = if inside.is_nowhere() { 0 } else { item.entries().count() as u64 };
                for (at, entry) in item.entries().enumerate() {
                    let inside = match ignored {
                        Some(ignored) if !inside.is_nowhere() => inside.element(ignored.paths, at as u64, len),
                        _ => Places::NOWHERE,
                    };
                    if is_left_out(&inside, ignored) {
                        0u64.hash(&mut state);
                        continue;
                    }
                    self.digest(entry.value(), &inside, ignored, memo).hash(&mut state);
                }
            }
        }
        state.finish()
    }

    /// Returns a hash of what a value is known by: the first entry of a record or map that is a
    /// scalar, with its name, else the whole value. Two versions of a record mostly share it.
    pub(super) fn sketch(&self, item: Item<'_, '_>, whole: u64) -> u64 {
        let View::Open(Open::Record { .. } | Open::Map(_)) = item.view() else { return whole };
        for entry in item.entries() {
            if let (Entry::Field(name, _), View::Scalar(scalar)) = (&entry, entry.value().view())
                && !matches!(scalar, Scalar::Null)
            {
                let mut state = self.state.build_hasher();
                name.hash(&mut state);
                self.tolerance.hash(&scalar, &mut state);
                return state.finish();
            }
        }
        whole
    }
}

/// Returns the places of an entry of a record or map.
fn within(entry: Entry<'_, '_>, places: &Places, paths: Option<&Projection>, repeats: bool) -> Places {
    let Some(paths) = paths.filter(|_| !places.is_nowhere()) else { return Places::NOWHERE };
    match entry {
        Entry::Field(name, value) => {
            let places = places.named(paths, name);
            let is_list = matches!(value.view(), View::Open(Open::List(_) | Open::Tuple(_)));
            if repeats && !is_list { places.element(paths, 0, 1) } else { places }
        }
        Entry::Pair(key, _) => match key.view() {
            View::Scalar(Scalar::UInt(key, _)) => i64::try_from(key).map_or(Places::NOWHERE, |key| places.keyed(paths, key)),
            View::Scalar(Scalar::Int(key, _)) => places.keyed(paths, key),
            _ => Places::NOWHERE,
        },
        Entry::Element(_) => Places::NOWHERE,
    }
}

/// Reports whether a value at these places is ignored, and marks its path if so.
fn is_left_out(places: &Places, ignored: &mut Option<Ignored<'_>>) -> bool {
    let Some(ignored) = ignored.as_mut().filter(|_| !places.is_nowhere()) else { return false };
    let is_whole = places.is_whole(ignored.paths);
    if is_whole {
        places.mark(ignored.paths, ignored.hits);
    }
    is_whole
}
