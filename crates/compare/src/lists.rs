//! Documents that are one list of records, and lists that make up most of a document: their entries
//! are what a system sends and stores.

use std::collections::BTreeMap;

use polywire_core::format::{Format, Repeats};
use polywire_core::tools::adapt::Walker;
use polywire_core::value::{Entry, Item, View};
use polywire_core::walk::{EntryPath, Path, PathStep};
use polywire_core::{Error, Field, Limits, Next, Open, Part, Result, Scalar, Sink, Span, Tree};

/// Fewest records of a list that is pointed out.
const FEW: usize = 10;

/// Deepest containers that are searched for such a list.
const DEEP: usize = 5;

/// Returns the path to the messages of a document that is one list of records, judged by `start`,
/// its first bytes: an array whose first element is a record, or a root element whose children are
/// of one name.
pub fn records_at_top(format: &'static Format, start: &[u8]) -> Option<EntryPath> {
    format.structure?;
    let mut top = Top { repeats: format.repeats == Repeats::List, ..Top::default() };
    // The start may be cut anywhere: what was seen before counts.
    let _ = Walker::new(format, &Limits::DEFAULT).walk(start, 0, &mut top);
    match top.is_list {
        true => Some(EntryPath::default()),
        false => {
            let root = top.root.filter(|_| top.repeats && top.children > 1 && top.alike)?;
            let path = Path(vec![PathStep::Name(root), PathStep::Name("*".into())]);
            EntryPath::parse(&path.to_string()).ok()
        }
    }
}

/// The sink that judges the start of a document.
#[derive(Debug, Default)]
struct Top {
    repeats: bool,
    depth: usize,
    is_list: bool,
    root: Option<String>,
    child: Option<String>,
    children: usize,
    alike: bool,
    /// The value that comes is a child that must be a container.
    due: bool,
}

impl Top {
    /// Notes that the root has something that is no record.
    fn differs(&mut self) {
        if self.due {
            (self.alike, self.due) = (false, false);
            self.children = 2;
        }
    }
}

impl<'m> Sink<'m> for Top {
    fn open(&mut self, open: Open<'_>, _: Span) -> Result<Next> {
        let is_list = matches!(open, Open::List(_) | Open::Tuple(_));
        self.depth += 1;
        match self.depth {
            1 if is_list => {
                self.is_list = true;
                Ok(Next::Enter)
            }
            1 | 2 if !self.is_list && self.repeats && !self.due => Ok(Next::Enter),
            2 if self.is_list => {
                self.is_list = matches!(open, Open::Record { .. } | Open::Map(_));
                Ok(Next::Stop)
            }
            3 if self.due => {
                self.due = false;
                self.depth -= 1;
                Ok(Next::Skip)
            }
            _ => Ok(Next::Stop),
        }
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        let name = field.name.get();
        match self.depth {
            1 => self.root = Some(name.to_string()),
            // Attributes are about the root.
            2 if name.starts_with('@') => return Ok(Next::Skip),
            2 => {
                self.alike = match &self.child {
                    None => true,
                    Some(child) => self.alike && child == name,
                };
                self.child.get_or_insert_with(|| name.to_string());
                self.children += 1;
                self.due = true;
            }
            _ => {}
        }
        Ok(Next::Enter)
    }

    fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> Result<()> {
        if self.depth == 1 && self.is_list {
            self.is_list = false;
            return Err(stopped());
        }
        self.differs();
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        self.differs();
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        if self.depth == 1 && self.is_list {
            // An empty list has no record.
            self.is_list = false;
        }
        self.depth -= 1;
        Ok(())
    }
}

/// Ends a walk whose outcome is known.
fn stopped() -> Error {
    Error::internal("enough was seen")
}

/// A list within a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LongList {
    /// Path to its entries.
    pub(crate) path: EntryPath,
    /// Number of its records.
    pub(crate) records: usize,
}

/// Returns the list of records that takes more than half of a document's bytes, if there is one.
pub(crate) fn long_list(tree: &Tree<'_>, format: &Format) -> Option<LongList> {
    let root = tree.root()?;
    let all = size(root);
    let mut found: Vec<(u64, Path, usize)> = Vec::new();
    search(root, &mut Vec::new(), format.repeats == Repeats::List, &mut found);
    // The outer one of lists within each other has more bytes.
    let (_, path, records) = found.into_iter().filter(|(bytes, ..)| 2 * bytes > all).max_by_key(|(bytes, ..)| *bytes)?;
    let path = if path.0.is_empty() { EntryPath::default() } else { EntryPath::parse(&path.to_string()).ok()? };
    Some(LongList { path, records })
}

fn size(item: Item<'_, '_>) -> u64 {
    item.span().len()
}

/// Collects the lists of records in `item`: their bytes, their path, and the number of their
/// records.
fn search(item: Item<'_, '_>, steps: &mut Vec<PathStep>, repeats: bool, found: &mut Vec<(u64, Path, usize)>) {
    match item.view() {
        View::Open(Open::List(_) | Open::Tuple(_)) => {
            let records = item.entries().filter(|entry| is_record(entry.value())).count();
            if records >= FEW {
                found.push((size(item), Path(steps.clone()), records));
            }
        }
        View::Open(Open::Record { .. } | Open::Map(_)) if steps.len() < DEEP => {
            let mut alike: BTreeMap<String, (u64, usize)> = BTreeMap::new();
            for entry in item.entries() {
                let Entry::Field(name, value) = entry else { continue };
                if repeats && is_record(value) {
                    let (bytes, count) = alike.entry(name.to_string()).or_default();
                    (*bytes, *count) = (*bytes + size(value), *count + 1);
                }
                steps.push(PathStep::Name(name.to_string()));
                search(value, steps, repeats, found);
                steps.pop();
            }
            for (name, (bytes, count)) in alike.into_iter().filter(|(_, (_, count))| *count >= FEW) {
                let mut steps = steps.clone();
                steps.push(PathStep::Name(name));
                found.push((bytes, Path(steps), count));
            }
        }
        _ => {}
    }
}

fn is_record(item: Item<'_, '_>) -> bool {
    matches!(item.view(), View::Open(Open::Record { .. } | Open::Map(_)))
}
