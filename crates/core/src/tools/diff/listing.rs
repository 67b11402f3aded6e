//! A message with its differences as lines: those of the left side, of the right side, and of both
//! around them.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::value::show;
use crate::value::tree::{Entry, Item, View};
use crate::walk::path::PathStep;
use crate::walk::track::key_text;

/// Lines of both sides before and after a difference.
const CONTEXT: usize = 3;

/// Most lines of a value that only one side has, where values are cut.
const LINES: usize = 20;

/// The side that a line is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Both sides, with equal values.
    Both,
    /// The left side.
    Left,
    /// The right side.
    Right,
    /// Lines of both sides are left out here.
    Gap,
}

/// One line of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its side.
    pub mark: Mark,
    /// Containers around it.
    pub depth: usize,
    /// Name or position of the value, and the value in short.
    pub text: String,
}

/// A difference, by its place in the left tree.
#[derive(Debug)]
pub(super) struct Change<'t> {
    /// Place of the value on the left, if there is one.
    pub(super) left: Option<usize>,
    /// The value on the right, and the step to it.
    pub(super) right: Option<(Item<'t, 't>, Option<PathStep>)>,
    /// Place of the container on the left; none for the message itself.
    pub(super) container: Option<usize>,
    /// Place of the value on the left that it stands after.
    pub(super) after: Option<usize>,
}

/// Returns the lines of the message `left` with its changes; values are cut to `shown` characters.
pub(super) fn listing(left: Item<'_, '_>, changes: &[Change<'_>], touched: &HashSet<usize>, shown: usize) -> Vec<Line> {
    let mut listing = Listing { by_left: HashMap::new(), added: HashMap::new(), touched, shown, out: Context::default() };
    for change in changes {
        match (change.left, change.container) {
            (Some(left), _) => {
                listing.by_left.insert(left, change);
            }
            (None, Some(container)) => listing.added.entry((container, change.after)).or_default().push(change),
            (None, None) => {}
        }
    }
    listing.value(left, "", 0);
    listing.out.lines
}

/// Returns the lines of a message that only one side has.
pub(super) fn alone(item: Item<'_, '_>, mark: Mark, shown: usize) -> Vec<Line> {
    let mut out = Context::default();
    whole(item, "", 0, mark, shown, &mut out);
    out.lines
}

struct Listing<'l, 't> {
    by_left: HashMap<usize, &'l Change<'t>>,
    added: HashMap<(usize, Option<usize>), Vec<&'l Change<'t>>>,
    /// The containers that have a change inside.
    touched: &'l HashSet<usize>,
    shown: usize,
    out: Context,
}

impl Listing<'_, '_> {
    /// Recursion is bounded by the depth that the readers' budgets allowed.
    fn value(&mut self, item: Item<'_, '_>, label: &str, depth: usize) {
        if let Some(change) = self.by_left.get(&item.place()).copied() {
            whole(item, label, depth, Mark::Left, self.shown, &mut self.out);
            self.right(change, depth, Some(label));
            return;
        }
        self.out.put(Line { mark: Mark::Both, depth, text: format!("{label}{}", show::item(item, self.shown)) });
        if !self.touched.contains(&item.place()) {
            return;
        }
        self.added(item.place(), None, depth + 1);
        for (index, entry) in item.entries().enumerate() {
            self.value(entry.value(), &label_of(&entry, index), depth + 1);
            self.added(item.place(), Some(entry.value().place()), depth + 1);
        }
    }

    /// Writes what only the right side has at this place.
    fn added(&mut self, container: usize, after: Option<usize>, depth: usize) {
        for change in self.added.remove(&(container, after)).unwrap_or_default() {
            self.right(change, depth, None);
        }
    }

    fn right(&mut self, change: &Change<'_>, depth: usize, label: Option<&str>) {
        let Some((item, step)) = &change.right else { return };
        let own = step.as_ref().map(label_of_step);
        whole(*item, own.as_deref().or(label).unwrap_or_default(), depth, Mark::Right, self.shown, &mut self.out);
    }
}

/// Writes all of a value as lines of one side.
fn whole(item: Item<'_, '_>, label: &str, depth: usize, mark: Mark, shown: usize, out: &mut Context) {
    let most = if shown == usize::MAX { usize::MAX } else { LINES };
    let mut ahead = vec![(item, label.to_string(), depth)];
    let mut written = 0;
    while let Some((item, label, depth)) = ahead.pop() {
        if written == most {
            out.put(Line { mark, depth, text: "… and more (--full)".to_string() });
            return;
        }
        written += 1;
        out.put(Line { mark, depth, text: format!("{label}{}", show::item(item, shown)) });
        if matches!(item.view(), View::Open(_)) {
            // No more than can be written are looked at.
            let inside = item.entries().enumerate().take(most.saturating_sub(written).saturating_add(1));
            let mut entries: Vec<_> = inside.map(|(index, entry)| (entry.value(), label_of(&entry, index), depth + 1)).collect();
            entries.reverse();
            ahead.append(&mut entries);
        }
    }
}

fn label_of(entry: &Entry<'_, '_>, index: usize) -> String {
    match entry {
        Entry::Field(name, _) => label_of_step(&PathStep::Name((*name).to_string())),
        Entry::Pair(key, _) => match key.view() {
            View::Scalar(scalar) => format!("[{}]: ", key_text(&scalar)),
            View::Open(open) => format!("[a {}]: ", open.kind()),
        },
        Entry::Element(_) => format!("[{index}] "),
    }
}

fn label_of_step(step: &PathStep) -> String {
    let path = crate::walk::path::Path(vec![step.clone()]);
    match step {
        PathStep::Index(_) => format!("{path} "),
        _ => format!("{path}: "),
    }
}

/// Lines so far, and those of both sides that may still be left out.
#[derive(Debug, Default)]
struct Context {
    lines: Vec<Line>,
    before: VecDeque<Line>,
    /// Lines after a difference that are still written.
    after: usize,
    gap: bool,
}

impl Context {
    fn put(&mut self, line: Line) {
        if line.mark != Mark::Both {
            if std::mem::take(&mut self.gap) {
                let depth = self.before.front().map_or(0, |line| line.depth);
                self.lines.push(Line { mark: Mark::Gap, depth, text: "…".to_string() });
            }
            self.lines.extend(self.before.drain(..));
            self.lines.push(line);
            self.after = CONTEXT;
        } else if self.after > 0 {
            self.lines.push(line);
            self.after -= 1;
        } else {
            self.before.push_back(line);
            if self.before.len() > CONTEXT {
                self.before.pop_front();
                self.gap = true;
            }
        }
    }
}
