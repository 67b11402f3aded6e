//! Entries of a document: the values at a path, each of which is a message of its own.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use crate::error::{Error, Result};
use crate::walk::path::{Path, PathStep};
use crate::walk::read::{Frame, Reader};

/// The path to the entries of a document. A list at the path stands for its elements, unless the
/// path ends with `[]`. Lists on the way are entered by themselves.
///
/// ```
/// use polywire_core::walk::EntryPath;
///
/// assert!(EntryPath::parse("log.entries").is_ok());
/// assert!(EntryPath::parse(".").is_ok(), "the document's own list");
/// assert!(EntryPath::parse("a[3]").is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EntryPath {
    steps: Vec<EntryStep>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum EntryStep {
    Name(String),
    /// Any name.
    Any,
    /// An element of a list, or an entry of a map whose key is no text.
    Each,
}

impl EntryPath {
    /// Parses a path such as `log.entries`, `feed.entry`, `paths.*` or `items[].lines`; `.` is the
    /// document itself.
    ///
    /// # Errors
    /// The text is no path, or has positions.
    pub fn parse(text: &str) -> Result<EntryPath> {
        let trimmed = text.trim();
        if trimmed == "." {
            return Ok(EntryPath::default());
        }
        let brackets = trimmed.replace("[*]", "[]");
        if !brackets.is_empty() && brackets.len().is_multiple_of(2) && brackets == "[]".repeat(brackets.len() / 2) {
            return Ok(EntryPath { steps: vec![EntryStep::Each; brackets.len() / 2] });
        }
        let step = |step: PathStep| match step {
            PathStep::Name(name) if name == "*" => Ok(EntryStep::Any),
            PathStep::Name(name) => Ok(EntryStep::Name(name)),
            PathStep::Each => Ok(EntryStep::Each),
            PathStep::Index(_) | PathStep::Slice(_) | PathStep::Key(_) => Err(Error::usage(format!("a position in the path `{trimmed}`"))
                .expected("names, `*` and `[]`, since every entry at the path is a message")),
        };
        Ok(EntryPath { steps: Path::parse(trimmed)?.0.into_iter().map(step).collect::<Result<_>>()? })
    }
}

impl fmt::Display for EntryPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            return f.write_str(".");
        }
        let step = |step: &EntryStep| match step {
            EntryStep::Name(name) => PathStep::Name(name.clone()),
            EntryStep::Any => PathStep::Name("*".into()),
            EntryStep::Each => PathStep::Each,
        };
        Path(self.steps.iter().map(step).collect()).fmt(f)
    }
}

/// The shape of a value, as far as a path to entries goes by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A list: its elements have no names.
    List,
    /// A record, map or element: its entries have names.
    Named,
    /// Anything else, which is not entered.
    Scalar,
}

/// A step of a [`Structure`] through a document.
#[derive(Debug)]
pub enum Step<'s> {
    /// A value.
    Value {
        /// Offset of its first byte in the buffer.
        at: usize,
        /// Its shape.
        shape: Shape,
        /// Its name, if it stands where values have names and it has one.
        name: Option<Cow<'s, str>>,
    },
    /// The end of the innermost container that was entered, this number of bytes further.
    Close(usize),
    /// These bytes are stepped over.
    Between(usize),
    /// At least this number of bytes is missing.
    More(usize),
    /// No document follows.
    End,
}

/// An entry with bytes that make it a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Amended {
    /// The message.
    pub bytes: Vec<u8>,
    /// Offset of the bytes that the document does not have there.
    pub at: usize,
    /// Their number.
    pub added: usize,
}

/// Finds the structure of documents that arrive in pieces: the containers that lie on the way to
/// entries, and where values start. It remembers which containers are open, and no more.
pub trait Structure: Send {
    /// Returns the next step. `buf` begins where the last step ended, at offset `base` of the
    /// stream; `eof` means that nothing follows it.
    ///
    /// # Errors
    /// The document is malformed or cut off, or its entries cannot be messages of their own.
    fn next<'s>(&'s mut self, buf: &'s [u8], base: u64, eof: bool) -> Result<Step<'s>>;

    /// Enters the container that `buf` begins with, as [`Structure::next`] found it. Returns the
    /// number of bytes before its first entry.
    fn enter(&mut self, buf: &[u8]) -> usize;

    /// Finds the end of the value that `buf` begins with, as [`Reader::frame`] does; `reader` reads
    /// the format. An `entry` becomes a message; of another value, [`Frame::Between`] may step over
    /// parts.
    ///
    /// # Errors
    /// As [`Reader::frame`], or the value cannot be a message.
    fn value(&mut self, reader: &mut dyn Reader, buf: &[u8], base: u64, eof: bool, entry: bool) -> Result<Frame> {
        let _ = entry;
        reader.frame(buf, base, eof)
    }

    /// Notes that the value that came last was stepped over as a whole.
    fn passed(&mut self);

    /// Returns the entry that was framed last as a message, if its bytes are none as they stand.
    fn amended(&self, entry: &[u8]) -> Option<Amended> {
        let _ = entry;
        None
    }

    /// Reports whether containers that lead to no entry are stepped over by [`Structure::value`],
    /// and not entered.
    fn steps_over(&self) -> bool {
        false
    }

    /// Reports whether named values that repeat are a list.
    fn repeats(&self) -> bool {
        false
    }
}

/// A way from a document to its entries.
#[derive(Debug)]
pub(crate) struct Descent {
    path: EntryPath,
    /// Number of entries so far.
    pub(crate) found: u64,
    /// Most steps that led somewhere.
    deepest: usize,
    /// Names that stand where the next step should lead.
    names: BTreeSet<String>,
}

/// Treatment of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Treatment {
    /// It is an entry.
    Entry,
    /// It is a container, to be entered.
    Enter(Place),
    /// It is a scalar, to be stepped over.
    Skip,
}

impl Place {
    /// Reports whether no entry is in it.
    pub(crate) fn is_beside(self) -> bool {
        self.steps.is_none()
    }
}

/// A place on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// Number of steps that lead here; `None` beside the way.
    steps: Option<usize>,
    is_list: bool,
}

impl Descent {
    /// Names that are kept of a place.
    const NAMES: usize = 20;

    /// Makes the way of `path`. If repeated values are lists, elements have no steps of their own.
    pub(crate) fn new(mut path: EntryPath, repeats: bool) -> Descent {
        if repeats {
            path.steps.retain(|step| *step != EntryStep::Each);
        }
        Descent { path, found: 0, deepest: 0, names: BTreeSet::new() }
    }

    /// Decides on a value at the top, or in a container at `around`.
    pub(crate) fn treat(&mut self, around: Option<Place>, name: Option<&str>, shape: Shape) -> Treatment {
        let all = self.path.steps.len();
        let steps = match around {
            None if name.is_none() || all == 0 => Some(0),
            None => self.named(0, name),
            Some(place) => match place.steps {
                Some(steps) if place.is_list && steps == all => Some(all + 1),
                Some(steps) if place.is_list => Some(steps + usize::from(self.path.steps[steps] == EntryStep::Each)),
                Some(steps) => self.named(steps, name),
                None => None,
            },
        };
        let flat = self.path.steps.last() == Some(&EntryStep::Each);
        match (steps, shape) {
            (Some(steps), _) if steps > all => self.entry(),
            (Some(steps), shape) if steps == all && (flat || shape != Shape::List) => self.entry(),
            (_, Shape::Scalar) => Treatment::Skip,
            (steps, shape) => Treatment::Enter(Place { steps, is_list: shape == Shape::List }),
        }
    }

    fn entry(&mut self) -> Treatment {
        self.found += 1;
        Treatment::Entry
    }

    /// Returns the number of steps that lead to a value of a name, behind `steps`.
    fn named(&mut self, steps: usize, name: Option<&str>) -> Option<usize> {
        let fits = match (self.path.steps.get(steps)?, name) {
            (EntryStep::Name(step), Some(name)) => step == name,
            (EntryStep::Any, Some(_)) | (EntryStep::Each, None) => true,
            _ => false,
        };
        if fits {
            if steps + 1 > self.deepest {
                self.deepest = steps + 1;
                self.names.clear();
            }
            return Some(steps + 1);
        }
        if let Some(name) = name
            && self.found == 0
            && steps == self.deepest
            && self.names.len() < Descent::NAMES
        {
            self.names.insert(name.to_string());
        }
        None
    }

    /// Returns the error of a path that led to no entry.
    pub(crate) fn missed(&self) -> Option<Error> {
        if self.found > 0 {
            return None;
        }
        let error = Error::usage(format!("no entry at `{}`", self.path)).expected("a path to the list or the values that are messages");
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let way = EntryPath { steps: self.path.steps[..self.deepest.min(self.path.steps.len())].to_vec() };
        Some(match names.as_slice() {
            [] => error,
            names => error.hint(format!("`{way}` has: {}", names.join(", "))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_print_as_they_are_read() {
        for text in [".", "a.b", "a[].b", "*.\"b c\"", "[]", "[][]", "a[]"] {
            assert_eq!(EntryPath::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(EntryPath::parse("a[*]").unwrap().to_string(), "a[]");
        for bad in ["", "a[1]", "a[1:]", "a..b", "[x]"] {
            assert!(EntryPath::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_list_at_the_path_stands_for_its_elements() {
        let place = |steps, is_list| Place { steps: Some(steps), is_list };
        let mut way = Descent::new(EntryPath::parse("a").unwrap(), false);
        assert_eq!(way.treat(None, None, Shape::Named), Treatment::Enter(place(0, false)));
        assert_eq!(way.treat(Some(place(0, false)), Some("a"), Shape::List), Treatment::Enter(place(1, true)));
        assert_eq!(way.treat(Some(place(1, true)), None, Shape::List), Treatment::Entry);
        assert_eq!(way.treat(Some(place(0, false)), Some("a"), Shape::Named), Treatment::Entry);
        assert_eq!(way.treat(Some(place(0, false)), Some("b"), Shape::Scalar), Treatment::Skip);
        let mut way = Descent::new(EntryPath::parse("a[]").unwrap(), false);
        assert_eq!(way.treat(Some(place(1, true)), None, Shape::List), Treatment::Entry);
        assert_eq!(way.treat(Some(place(0, true)), None, Shape::Named), Treatment::Enter(place(0, false)), "lists are entered");
    }

    #[test]
    fn a_path_without_entries_names_what_is_there() {
        let mut way = Descent::new(EntryPath::parse("a.b").unwrap(), false);
        let Treatment::Enter(root) = way.treat(None, None, Shape::Named) else { panic!("entered") };
        let Treatment::Enter(a) = way.treat(Some(root), Some("a"), Shape::Named) else { panic!("entered") };
        way.treat(Some(a), Some("c"), Shape::Scalar);
        assert_eq!(way.missed().unwrap().advice(), "`a` has: c");
        way.treat(Some(a), Some("b"), Shape::Scalar);
        assert!(way.missed().is_none());
    }
}
