//! Values of a document, for reading.

use super::arena::BITS;
use super::row::Row;
use super::view::View;
use crate::events::Scalar;
use crate::plan::Op;

impl<'d> View<'d> {
    /// Returns the structure of that shape at that word.
    #[inline(always)]
    fn structure(self, shape: u32, start: usize) -> Structure<'d> {
        let own = &self.plan().shapes[shape as usize];
        let (first, presence) = (own.first, (own.len as usize).div_ceil(BITS));
        let block = self.words().get(start..start + presence + own.len as usize).unwrap_or_default();
        Structure { view: self, shape, first, presence, block }
    }

    #[inline(always)]
    pub(super) fn value(self, op: Op, word: u64) -> Value<'d> {
        match op {
            Op::Structure(shape) => Value::Structure(self.structure(shape, word as usize)),
            Op::Array(array) => {
                let element = self.plan().elements[array as usize];
                Value::Array(Array { view: self, element, start: word as usize })
            }
            Op::Polymorph(polymorph) => {
                let member = self.plan().polymorphs[polymorph as usize][(word >> 32) as usize];
                Value::Member {
                    tag: member.tag,
                    position: (word >> 32) as u32,
                    structure: self.structure(member.shape, word as u32 as usize),
                }
            }
            op => Value::Scalar(self.scalar(op, word)),
        }
    }
}

/// A value.
#[derive(Debug, Clone, Copy)]
pub enum Value<'d> {
    /// No value.
    Null,
    /// A value without parts.
    Scalar(Scalar<'d>),
    /// A structure.
    Structure(Structure<'d>),
    /// A polymorph.
    Member {
        /// Id of the tag of the structure.
        tag: u32,
        /// Position among all members.
        position: u32,
        /// The structure.
        structure: Structure<'d>,
    },
    /// An array.
    Array(Array<'d>),
}

impl<'d> Value<'d> {
    /// Returns the structure, or that of a polymorph.
    pub fn structure(self) -> Option<Structure<'d>> {
        match self {
            Value::Structure(structure) | Value::Member { structure, .. } => Some(structure),
            _ => None,
        }
    }

    /// Returns the array.
    pub fn array(self) -> Option<Array<'d>> {
        match self {
            Value::Array(array) => Some(array),
            _ => None,
        }
    }

    /// Returns the scalar.
    pub fn scalar(self) -> Option<Scalar<'d>> {
        match self {
            Value::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }
}

/// A structure.
#[derive(Debug, Clone, Copy)]
pub struct Structure<'d> {
    view: View<'d>,
    shape: u32,
    /// First slot.
    first: u32,
    /// Number of presence words, which come first.
    presence: usize,
    block: &'d [u64],
}

impl<'d> Structure<'d> {
    /// Returns the name of its tag, or of the field of an inline structure.
    pub fn name(self) -> &'d str {
        &self.view.plan().shapes[self.shape as usize].name
    }

    /// Returns the number of fields.
    pub fn len(self) -> usize {
        self.view.plan().shapes[self.shape as usize].len as usize
    }

    /// Returns whether there are no fields, which is never the case.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the type and the word of a present field.
    #[inline(always)]
    fn word(self, slot: u32) -> Option<(Op, u64)> {
        let n = slot.wrapping_sub(self.first) as usize;
        let word = *self.block.get(self.presence..)?.get(n)?;
        (self.block[n / BITS] >> (n % BITS) & 1 == 1).then(|| (self.view.plan().ops[slot as usize], word))
    }

    /// Returns the value of a field by its slot; `None` if the field is not set, or belongs to
    /// another structure.
    #[inline]
    pub fn get(self, slot: u32) -> Option<Value<'d>> {
        match self.word(slot) {
            Some((op, word)) => Some(self.view.value(op, word)),
            None => self.is_null(slot).then_some(Value::Null),
        }
    }

    /// Returns whether a nullable field is null.
    pub fn is_null(self, slot: u32) -> bool {
        let shape = &self.view.plan().shapes[self.shape as usize];
        shape.slots().contains(&(slot as usize)) && self.view.plan().slots[slot as usize].nullable > 0 && self.word(slot).is_none()
    }

    /// Returns the leading fields in the order of ids, up to the first that is not a scalar or is
    /// nullable. This is far faster than a lookup of each slot. If a field is not set, the row is
    /// empty.
    #[inline(always)]
    pub fn row(self) -> Row<'d> {
        let plan = self.view.plan();
        let shape = &plan.shapes[self.shape as usize];
        let lead = shape.lead as usize;
        let ops = &plan.ops[shape.first as usize..shape.first as usize + lead];
        Row::new(self.view, ops, if self.presence == 1 { self.block.get(..=lead).unwrap_or_default() } else { &[] })
    }

    /// Returns the value of a field by its name.
    pub fn by_name(self, name: &str) -> Option<Value<'d>> {
        let slot = self.view.plan().shapes[self.shape as usize].slots().find(|slot| *self.view.plan().slots[*slot].name == *name)?;
        self.get(slot as u32)
    }

    /// Returns the value of a field by its id.
    pub fn by_id(self, id: u32) -> Option<Value<'d>> {
        let shape = &self.view.plan().shapes[self.shape as usize];
        if (1..=shape.len).contains(&id) { self.get(shape.first + id - 1) } else { None }
    }

    /// Returns all fields in the order of their ids: slot, name and value, `None` if the field is
    /// not set.
    pub fn fields(self) -> impl Iterator<Item = (u32, &'d str, Option<Value<'d>>)> {
        let plan = self.view.plan();
        plan.shapes[self.shape as usize].slots().map(move |slot| (slot as u32, &*plan.slots[slot].name, self.get(slot as u32)))
    }

    /// Returns a boolean.
    #[inline(always)]
    pub fn bool(self, slot: u32) -> Option<bool> {
        match self.word(slot)? {
            (Op::Boolean, word) => Some(word != 0),
            _ => None,
        }
    }

    /// Returns an integer of a signed type.
    #[inline(always)]
    pub fn int(self, slot: u32) -> Option<i64> {
        match self.word(slot)? {
            (Op::Byte | Op::Short | Op::Int | Op::Long | Op::Varint, word) => Some(word as i64),
            _ => None,
        }
    }

    /// Returns an integer of an unsigned type.
    #[inline(always)]
    pub fn uint(self, slot: u32) -> Option<u64> {
        match self.word(slot)? {
            (Op::Ubyte | Op::Ushort | Op::Uint | Op::Ulong | Op::Uvarint, word) => Some(word),
            _ => None,
        }
    }

    /// Returns a DOUBLE.
    #[inline(always)]
    pub fn f64(self, slot: u32) -> Option<f64> {
        match self.word(slot)? {
            (Op::Double, word) => Some(f64::from_bits(word)),
            _ => None,
        }
    }

    /// Returns text declared to be UTF-8.
    #[inline(always)]
    pub fn text(self, slot: u32) -> Option<&'d str> {
        match self.word(slot)? {
            (Op::Text, word) => crate::wire::utf8(self.view.bytes(word)),
            _ => None,
        }
    }

    /// Returns the bytes of text in any encoding.
    #[inline(always)]
    pub fn octets(self, slot: u32) -> Option<&'d [u8]> {
        match self.word(slot)? {
            (Op::Text | Op::Octets, word) => Some(self.view.bytes(word)),
            _ => None,
        }
    }

    /// Returns an array.
    #[inline]
    pub fn array(self, slot: u32) -> Option<Array<'d>> {
        match self.word(slot)? {
            (Op::Array(array), word) => {
                Some(Array { view: self.view, element: self.view.plan().elements[array as usize], start: word as usize })
            }
            _ => None,
        }
    }

    /// Returns a structure, or that of a polymorph.
    #[inline]
    pub fn structure(self, slot: u32) -> Option<Structure<'d>> {
        match self.word(slot)? {
            (Op::Structure(shape), word) => Some(self.view.structure(shape, word as usize)),
            (op, word) => self.view.value(op, word).structure(),
        }
    }
}

/// An array.
#[derive(Debug, Clone, Copy)]
pub struct Array<'d> {
    pub(super) view: View<'d>,
    pub(super) element: Op,
    pub(super) start: usize,
}

impl<'d> Array<'d> {
    /// Returns the number of elements.
    #[inline]
    pub fn len(self) -> usize {
        self.view.words().get(self.start).map_or(0, |word| *word as u32 as usize)
    }

    /// Returns whether there are no elements.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns an element, counted from 0.
    #[inline]
    pub fn get(self, index: usize) -> Option<Value<'d>> {
        if index >= self.len() {
            return None;
        }
        Some(match self.element {
            Op::Structure(shape) => {
                let start = self.start + 1 + index * self.view.plan().stride(self.element);
                Value::Structure(self.view.structure(shape, start))
            }
            op => self.view.value(op, *self.view.words().get(self.start + 1 + index)?),
        })
    }

    /// Returns all elements.
    pub fn iter(self) -> impl Iterator<Item = Value<'d>> {
        (0..self.len()).filter_map(move |index| self.get(index))
    }

    /// Returns all elements of an array of structures of scalars as rows; `None` for other arrays.
    /// This is far faster than lookups by slot. A row with a field that is not set is empty.
    #[inline(always)]
    pub fn rows(self) -> Option<impl Iterator<Item = Row<'d>>> {
        let plan = self.view.plan();
        let Op::Structure(shape) = self.element else { return None };
        if !plan.is_row(shape) {
            return None;
        }
        let ops = &plan.ops[plan.shapes[shape as usize].slots()];
        let (start, stride) = (self.start + 1, 1 + ops.len());
        let mut blocks = self.view.words().get(start..start + self.len() * stride).unwrap_or_default();
        Some(std::iter::from_fn(move || {
            let (block, behind) = blocks.split_at_checked(stride)?;
            blocks = behind;
            Some(Row::new(self.view, ops, block))
        }))
    }

    /// Returns all elements of an array of structures.
    #[inline]
    pub fn structures(self) -> impl Iterator<Item = Structure<'d>> {
        let (shape, count) = match self.element {
            Op::Structure(shape) => (shape, self.len()),
            _ => (0, 0),
        };
        let stride = self.view.plan().stride(self.element);
        (0..count).map(move |index| self.view.structure(shape, self.start + 1 + index * stride))
    }
}
