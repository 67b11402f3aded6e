//! Values that choose the rows of tables, while a message is read or written.

use super::plan::{Node, Op, Plan};
use super::table::{Step, end_key};
use crate::model::TypeId;

/// Contents octets of the components that choose rows, for the structures that are open.
///
/// An encoding calls [`Keys::enter`] and [`Keys::leave`] around each structure, and for a component
/// that is a key [`Keys::begin`], [`Keys::put`] with the contents octets of X.690 of its value, and
/// [`Keys::end`]. Structures without keys take part too, since relations count them. A key that is
/// a structure itself keeps the keys in it, for open types beside it.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    frames: Vec<Frame>,
    cells: Vec<Cell>,
    octets: Vec<u8>,
    /// Keys that are under way, at most one for each structure.
    under_way: Vec<UnderWay>,
    wanted: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
struct Frame {
    cells: usize,
    octets: usize,
}

/// Key. Those within its value are before it, at the next level.
#[derive(Debug, Clone, Copy)]
struct Cell {
    component: u32,
    /// 0 for a component of the structure of the frame.
    level: u32,
    start: usize,
    end: usize,
}

#[derive(Debug, Clone, Copy)]
struct UnderWay {
    component: u32,
    start: usize,
    /// Number of frames around.
    depth: usize,
}

impl Keys {
    /// Forgets everything, for the next message.
    pub fn clear(&mut self) {
        self.frames.clear();
        self.cells.clear();
        self.octets.clear();
        self.under_way.clear();
    }

    /// Enters a structure.
    #[inline]
    pub fn enter(&mut self) {
        self.frames.push(Frame { cells: self.cells.len(), octets: self.octets.len() });
    }

    /// Leaves a structure.
    #[inline]
    pub fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        if self.is_open() {
            self.cells[frame.cells..].iter_mut().for_each(|cell| cell.level += 1);
            return;
        }
        self.cells.truncate(frame.cells);
        self.octets.truncate(frame.octets);
    }

    /// Begins the key of a component of the innermost structure.
    pub fn begin(&mut self, component: u32) {
        self.under_way.push(UnderWay { component, start: self.octets.len(), depth: self.frames.len() });
    }

    /// Returns whether a key of the innermost structure is under way.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.under_way.last().is_some_and(|key| key.depth == self.frames.len())
    }

    /// Returns whether a key is under way, perhaps around the innermost structure.
    #[inline]
    pub fn is_inside(&self) -> bool {
        !self.under_way.is_empty()
    }

    /// Appends octets to the key under way: a value's contents octets, or the index of an
    /// alternative as one octet before the value's.
    pub fn put(&mut self, octets: &[u8]) {
        self.octets.extend_from_slice(octets);
    }

    /// Ends the key under way.
    pub fn end(&mut self) {
        if let Some(UnderWay { component, start, .. }) = self.under_way.pop() {
            self.cells.push(Cell { component, level: 0, start, end: self.octets.len() });
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
            let (start, end) = find(&self.cells[self.frames[at].cells..to], &self.octets, &source.path)?;
            let begin = self.wanted.len();
            self.wanted.extend_from_slice(&self.octets[start..end]);
            end_key(&mut self.wanted, begin);
        }
        table.rows.get(&self.wanted[..]).copied()
    }
}

/// Returns the place of the octets of a key at the end of a way.
fn find(mut cells: &[Cell], octets: &[u8], path: &[Step]) -> Option<(usize, usize)> {
    let (mut level, mut place) = (0, None);
    for step in path {
        match step {
            Step::Component(component) => {
                let at = cells.iter().rposition(|cell| cell.level == level && cell.component == *component)?;
                let before = cells[..at].iter().rposition(|cell| cell.level <= level).map_or(0, |before| before + 1);
                place = Some((cells[at].start, cells[at].end));
                (cells, level) = (&cells[before..at], level + 1);
            }
            // The index of the alternative is in front of its value.
            Step::Alternative(alternative) => {
                let (start, end) = place?;
                if octets[start..end].first() != Some(&(*alternative as u8)) {
                    return None;
                }
                place = Some((start + 1, end));
            }
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_within_a_key_outlive_their_structure() {
        let mut keys = Keys::default();
        keys.enter();
        keys.begin(3);
        // An alternative, which is a structure with two keys and one without.
        keys.put(&[1]);
        keys.enter();
        assert!(!keys.is_open() && keys.is_inside());
        for (component, octets) in [(0, b"a"), (2, b"c")] {
            keys.begin(component);
            keys.put(octets);
            keys.end();
        }
        keys.leave();
        keys.end();
        let of = |keys: &Keys, path: &[Step]| find(&keys.cells, &keys.octets, path).map(|(start, end)| keys.octets[start..end].to_vec());
        let [outer, one, other] = [3, 1, 0].map(|step| if step == 3 { Step::Component(3) } else { Step::Alternative(step) });
        assert_eq!(of(&keys, &[outer, one, Step::Component(2)]), Some(b"c".to_vec()));
        assert_eq!(of(&keys, &[outer, one, Step::Component(0)]), Some(b"a".to_vec()));
        assert_eq!(of(&keys, &[outer, one, Step::Component(1)]), None);
        assert_eq!(of(&keys, &[outer, other, Step::Component(0)]), None);
        assert_eq!(of(&keys, &[Step::Component(0)]), None);
        // Those of a structure that is no key are gone with it.
        keys.enter();
        keys.begin(0);
        keys.put(b"x");
        keys.end();
        keys.leave();
        assert_eq!((keys.cells.len(), of(&keys, &[outer, one, Step::Component(0)])), (3, Some(b"a".to_vec())));
        keys.leave();
        assert!(keys.cells.is_empty() && keys.octets.is_empty());
    }
}
