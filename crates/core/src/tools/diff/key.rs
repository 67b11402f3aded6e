//! Keys by which entries of records and maps are matched.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash, Hasher};

use crate::value::show;
use crate::value::tree::{Entry, Item, View};
use crate::walk::event::{Open, Scalar};
use crate::walk::path::PathStep;
use crate::walk::track::key_text;

use crate::value::same::decimal;

/// The key of an entry. Equal keys name the same entry, except [`Key::Container`]: the containers
/// themselves must be compared.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) enum Key<'t> {
    Name(&'t str),
    /// A scalar that is no text: kind and spelling.
    Scalar(&'static str, Cow<'t, str>),
    /// A container, by a hash of its value.
    Container(u64),
}

/// Returns the key of `entry`; hashes of containers come from `hasher`.
pub(super) fn key<'t>(entry: &Entry<'t, 't>, hasher: &impl BuildHasher) -> Key<'t> {
    match entry {
        Entry::Field(name, _) => Key::Name(name),
        Entry::Pair(key, _) => match key.view() {
            View::Scalar(Scalar::Text(text)) => Key::Scalar("text", Cow::Borrowed(text.get())),
            View::Scalar(scalar) => Key::Scalar(scalar.kind(), Cow::Owned(show::scalar(&scalar, usize::MAX))),
            View::Open(_) => Key::Container(hash(*key, hasher)),
        },
        Entry::Element(_) => Key::Container(0),
    }
}

/// Returns the step of a path into `entry`.
pub(super) fn step(entry: &Entry<'_, '_>) -> PathStep {
    match entry {
        Entry::Field(name, _) => PathStep::Name((*name).to_string()),
        Entry::Pair(key, _) => PathStep::Key(match key.view() {
            View::Scalar(scalar) => key_text(&scalar),
            View::Open(open) => format!("a {}", open.kind()),
        }),
        Entry::Element(_) => PathStep::Each,
    }
}

/// Returns a hash that equal values share. Recursion is bounded by the depth that the readers'
/// budgets allow.
fn hash(item: Item<'_, '_>, hasher: &impl BuildHasher) -> u64 {
    let mut state = hasher.build_hasher();
    let open = match item.view() {
        View::Scalar(scalar) => {
            hash_scalar(&scalar, &mut state);
            return state.finish();
        }
        View::Open(open) => open,
    };
    if matches!(open, Open::Map(_) | Open::Record { .. }) {
        // The order of entries says nothing, so their hashes are added up.
        let entry = |entry: Entry<'_, '_>| {
            let mut state = hasher.build_hasher();
            match entry {
                Entry::Field(name, _) => name.hash(&mut state),
                Entry::Pair(key, _) => hash(key, hasher).hash(&mut state),
                Entry::Element(_) => {}
            }
            hash(entry.value(), hasher).hash(&mut state);
            state.finish()
        };
        item.entries().map(entry).fold(0, u64::wrapping_add).hash(&mut state);
    } else {
        open.kind().hash(&mut state);
        for entry in item.entries() {
            hash(entry.value(), hasher).hash(&mut state);
        }
    }
    state.finish()
}

fn hash_scalar(scalar: &Scalar<'_, '_>, state: &mut impl Hasher) {
    let mut float = |value: f64| (if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }).hash(state);
    match scalar {
        Scalar::F32(value, _) => float(f64::from(*value)),
        Scalar::F64(value, _) => float(*value),
        Scalar::Decimal(text, _) => decimal(text.get()).hash(state),
        Scalar::Text(text) => text.get().hash(state),
        Scalar::Bytes(bytes) | Scalar::Octets(bytes) => bytes.get().hash(state),
        other => show::scalar(other, usize::MAX).hash(state),
    }
}
