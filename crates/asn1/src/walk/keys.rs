//! Values that choose the rows of tables, while a message is read or written.

use super::plan::{Node, Op, Plan};
use super::table::end_key;
use crate::model::TypeId;

/// Contents octets of the components that choose rows, for the structures that are open.
///
/// An encoding calls [`Keys::enter`] and [`Keys::leave`] around each structure, and for a component
/// that is a key [`Keys::begin`], [`Keys::put`] with the contents octets of X.690 of its value, and
/// [`Keys::end`]. Structures without keys take part too, since relations count them.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    frames: Vec<Frame>,
    cells: Vec<(u32, usize, usize)>,
    octets: Vec<u8>,
    /// Start of the key that is under way.
    under_way: Option<(u32, usize)>,
    wanted: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
struct Frame {
    cells: usize,
    octets: usize,
}

impl Keys {
    /// Forgets everything, for the next message.
    pub fn clear(&mut self) {
        self.frames.clear();
        self.cells.clear();
        self.octets.clear();
        self.under_way = None;
    }

    /// Enters a structure.
    #[inline]
    pub fn enter(&mut self) {
        self.frames.push(Frame { cells: self.cells.len(), octets: self.octets.len() });
    }

    /// Leaves a structure.
    #[inline]
    pub fn leave(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.cells.truncate(frame.cells);
            self.octets.truncate(frame.octets);
        }
    }

    /// Begins the key of a component of the innermost structure.
    pub fn begin(&mut self, component: u32) {
        self.under_way = Some((component, self.octets.len()));
    }

    /// Returns whether a key is under way.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.under_way.is_some()
    }

    /// Appends octets to the key under way: a value's contents octets, or the index of an
    /// alternative as one octet before the value's.
    pub fn put(&mut self, octets: &[u8]) {
        self.octets.extend_from_slice(octets);
    }

    /// Ends the key under way.
    pub fn end(&mut self) {
        if let Some((component, start)) = self.under_way.take() {
            self.cells.push((component, start, self.octets.len()));
        }
    }

    /// Returns the type of the value in a string, if it has one.
    pub fn contents(&mut self, plan: &Plan, node: &Node) -> Option<TypeId> {
        let ty = node.contents?;
        let inner = plan.node(ty);
        // An open type whose row is not known leaves the string as it is.
        if inner.op == Op::Open && inner.tags.is_empty() { self.resolve(plan, inner) } else { Some(ty) }
    }

    /// Returns the type that a table gives an open type at this place.
    pub fn resolve(&mut self, plan: &Plan, node: &Node) -> Option<TypeId> {
        let table = &plan.tables[node.table? as usize];
        self.wanted.clear();
        for source in &table.sources {
            let at = self.frames.len().checked_sub(1 + source.up as usize)?;
            let to = self.frames.get(at + 1).map_or(self.cells.len(), |next| next.cells);
            let cells = &self.cells[self.frames[at].cells..to];
            let (_, start, end) = cells.iter().rev().find(|(component, ..)| *component == source.component)?;
            let begin = self.wanted.len();
            self.wanted.extend_from_slice(&self.octets[*start..*end]);
            end_key(&mut self.wanted, begin);
        }
        table.rows.get(&self.wanted[..]).copied()
    }
}
