//! Keys by which elements of lists, and messages of streams, are matched.

use std::collections::VecDeque;
use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::error::{Error, Result};
use crate::tools::adapt::Places;
use crate::value::tree::{Entry, Item};
use crate::walk::path::{Path, PathStep};

use super::digest::Digester;

/// Fields by which the elements of lists are matched, wherever they stand in the list.
///
/// ```
/// use polywire_core::tools::diff::ListKey;
///
/// assert!(ListKey::parse("id")?.is_for(&["any", "list"]));
/// assert!(ListKey::parse("order.items=sku+size")?.is_for(&["order", "items"]));
/// assert!(ListKey::parse(".=id")?.is_for(&[]));
/// # Ok::<(), polywire_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListKey {
    /// Names on the way to the lists; `None` for all lists.
    list: Option<Vec<String>>,
    /// The fields, each as the names on the way to it.
    fields: Vec<Vec<String>>,
    text: String,
}

impl ListKey {
    /// Parses `FIELD`, for all lists and for the messages of a stream, or `LIST=FIELD` for the
    /// lists at a path. `.` is the message itself and the stream. Several fields have a `+`
    /// between them.
    ///
    /// # Errors
    /// The text has another form, or a path with positions.
    pub fn parse(text: &str) -> Result<ListKey> {
        let (list, fields) = match split(text, '=').as_slice() {
            [fields] => (None, *fields),
            [list, fields] if list.trim() == "." => (Some(Vec::new()), *fields),
            [list, fields] => (Some(names(list)?), *fields),
            _ => return Err(bad(text)),
        };
        let fields = split(fields, '+').into_iter().map(names).collect::<Result<Vec<Vec<String>>>>()?;
        Ok(ListKey { list, fields, text: text.trim().to_string() })
    }

    /// Reports whether it is for the list that these names lead to from the message.
    pub fn is_for(&self, names: &[&str]) -> bool {
        self.list
            .as_ref()
            .is_none_or(|list| list.len() == names.len() && list.iter().zip(names).all(|(wanted, name)| wanted == "*" || wanted == name))
    }

    /// Reports whether it is for all lists, and for the messages of a stream.
    pub(super) fn is_for_all(&self) -> bool {
        self.list.is_none()
    }

    /// Returns the text that it was parsed from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns a hash of an element's key, if the element has all its fields.
    pub(super) fn digest(&self, element: Item<'_, '_>, digester: &Digester) -> Option<u64> {
        let mut state = digester.state.build_hasher();
        for field in &self.fields {
            let value = field.iter().try_fold(element, |item, wanted| {
                item.entries().find_map(|entry| match entry {
                    Entry::Field(name, value) if name == wanted => Some(value),
                    _ => None,
                })
            })?;
            digester.digest(value, &Places::NOWHERE, &mut None, &mut None).hash(&mut state);
        }
        Some(state.finish())
    }
}

fn bad(text: &str) -> Error {
    Error::usage(format!("the key `{text}`")).expected("a field such as id, or a list and its field, such as order.items=sku")
}

/// Splits a text at a character outside of quotes.
fn split(text: &str, at: char) -> Vec<&str> {
    let mut quoted = false;
    text.split(move |c| {
        quoted ^= c == '"';
        c == at && !quoted
    })
    .collect()
}

fn names(text: &str) -> Result<Vec<String>> {
    let steps = Path::parse(text.trim())?.0.into_iter();
    let name = |step: PathStep| match step {
        PathStep::Name(name) => Some(Some(name)),
        PathStep::Each => Some(None),
        _ => None,
    };
    let named: Option<Vec<Option<String>>> = steps.map(name).collect();
    named.map(|names| names.into_iter().flatten().collect()).ok_or_else(|| bad(text))
}

/// Pairs of elements with the same key, in the order of the left ones; those without a counterpart
/// between them.
#[derive(Debug, Default)]
pub(super) struct Matched {
    pub(super) pairs: Vec<(Option<usize>, Option<usize>)>,
    /// Elements with the key of another one on their side.
    pub(super) doubled: u64,
}

/// Matches elements by the hashes of their keys. Those of one key are matched in their order.
pub(super) fn matched(left: &[u64], right: &[u64]) -> Matched {
    let mut doubled = 0;
    let mut waiting: HashMap<u64, VecDeque<usize>, RandomState> = HashMap::default();
    for (at, key) in right.iter().enumerate() {
        let same = waiting.entry(*key).or_default();
        doubled += u64::from(!same.is_empty());
        same.push_back(at);
    }
    let mut partner = vec![None; right.len()];
    let mut seen: HashMap<u64, (), RandomState> = HashMap::default();
    let found: Vec<Option<usize>> = left
        .iter()
        .enumerate()
        .map(|(at, key)| {
            doubled += u64::from(seen.insert(*key, ()).is_some());
            let other = waiting.get_mut(key).and_then(VecDeque::pop_front)?;
            partner[other] = Some(at);
            Some(other)
        })
        .collect();
    let mut pairs = Vec::with_capacity(left.len());
    let mut told = 0;
    for (at, other) in found.into_iter().enumerate() {
        if let Some(other) = other {
            // Those before it that only the right has.
            let alone = (told..other).filter(|at| partner[*at].is_none());
            pairs.extend(alone.map(|at| (None, Some(at))));
            told = told.max(other + 1);
        }
        pairs.push((Some(at), other));
    }
    pairs.extend((told..right.len()).filter(|at| partner[*at].is_none()).map(|at| (None, Some(at))));
    Matched { pairs, doubled }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_matched_wherever_they_stand() {
        let Matched { pairs, doubled } = matched(&[1, 2, 3, 4], &[9, 4, 8, 2, 1, 7]);
        assert_eq!(doubled, 0);
        let expected = [
            (None, Some(0)),
            (None, Some(2)),
            (Some(0), Some(4)),
            (Some(1), Some(3)),
            (Some(2), None),
            (Some(3), Some(1)),
            (None, Some(5)),
        ];
        assert_eq!(pairs, expected);
        let Matched { pairs, doubled } = matched(&[1, 1, 1], &[1, 1]);
        assert_eq!((pairs, doubled), (vec![(Some(0), Some(0)), (Some(1), Some(1)), (Some(2), None)], 3));
    }

    #[test]
    fn keys_have_few_forms() {
        let key = ListKey::parse("\"a=b\".c = \"x+y\"+z").unwrap();
        assert_eq!((key.list, key.fields), (Some(vec!["a=b".into(), "c".into()]), vec![vec!["x+y".into()], vec!["z".into()]]));
        for bad in ["", "=id", "a=", "a=b=c", "a[0]=id", "id+"] {
            assert!(ListKey::parse(bad).is_err(), "{bad}");
        }
        assert!(ListKey::parse("*.items=id").unwrap().is_for(&["order", "items"]));
        assert!(!ListKey::parse("items=id").unwrap().is_for(&["order", "items"]));
    }
}
