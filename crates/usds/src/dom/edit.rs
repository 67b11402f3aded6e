//! Changes to documents.

use super::arena::{Arena, BITS, Document, Root};
use super::row::RowMut;
use super::word::{own_text, rare_word, truth};
use crate::dictionary::Default as Start;
use crate::error::{DecodeError, Problem};
use crate::events::Scalar;
use crate::plan::Op;
use polywire_core::value::Value;

impl Document<'_, '_> {
    /// Appends a root that is a structure. Fields with defaults are set to them, others are not
    /// set.
    ///
    /// # Errors
    /// The tag is not a root, or not a structure.
    #[inline]
    pub fn add_structure(&mut self, tag: u32) -> Result<StructureMut<'_>, DecodeError> {
        let op = self.root_op(tag)?;
        let Op::Structure(shape) = op else { return Err(self.failure(Problem::Conversion).seen(format!("a structure for {}", op.name()))) };
        let boundary = self.input.len();
        let start = new_structure(self.arena, boundary, shape).map_err(|problem| self.failure(problem))?;
        self.arena.roots.push(Root { tag, word: start as u64 });
        Ok(structure_at(self.arena, boundary, shape, start))
    }

    /// Appends a root that is a scalar.
    ///
    /// # Errors
    /// The tag is not a root, or has another type.
    pub fn add_scalar(&mut self, tag: u32, value: Scalar<'_>) -> Result<(), DecodeError> {
        let op = self.root_op(tag)?;
        let boundary = self.input.len();
        let word = word(self.arena, boundary, op, value).map_err(|problem| self.failure(problem))?;
        self.arena.roots.push(Root { tag, word });
        Ok(())
    }

    /// Appends a root that is an empty array.
    ///
    /// # Errors
    /// The tag is not a root, or not an array.
    pub fn add_array(&mut self, tag: u32) -> Result<ArrayMut<'_>, DecodeError> {
        let op = self.root_op(tag)?;
        let Op::Array(array) = op else { return Err(self.failure(Problem::Conversion).seen(format!("an array for {}", op.name()))) };
        let start = new_array(self.arena).map_err(|problem| self.failure(problem))?;
        self.arena.roots.push(Root { tag, word: start as u64 });
        let owner = Owner::Root(self.arena.roots.len() - 1);
        let element = self.arena.plan.elements[array as usize];
        Ok(ArrayMut { boundary: self.input.len(), arena: self.arena, element, start, owner })
    }

    /// Returns a root that is a structure, for changes.
    pub fn structure_mut(&mut self, index: usize) -> Option<StructureMut<'_>> {
        let root = *self.arena.roots.get(index)?;
        match self.arena.plan.tag_op(root.tag)? {
            Op::Structure(shape) => Some(structure_at(self.arena, self.input.len(), shape, root.word as usize)),
            _ => None,
        }
    }

    /// Removes a root. Returns false if it does not exist.
    pub fn remove(&mut self, index: usize) -> bool {
        let there = index < self.len();
        if there {
            self.arena.roots.remove(index);
        }
        there
    }

    #[inline(always)]
    fn root_op(&self, tag: u32) -> Result<Op, DecodeError> {
        let plan = &self.arena.plan;
        plan.root_op(tag)
            .ok_or_else(|| self.failure(if plan.dictionary().tag(tag).is_some() { Problem::NotRoot } else { Problem::RootUnknown }))
    }
}

#[inline(always)]
fn new_structure(arena: &mut Arena, boundary: usize, shape: u32) -> Result<usize, Problem> {
    let start = arena.take(arena.plan.words_of(shape))?;
    begin(arena, boundary, shape, start)?;
    Ok(start)
}

/// Makes a structure of the words at `start`, in which only fields with defaults are set.
#[inline(always)]
fn begin(arena: &mut Arena, boundary: usize, shape: u32, start: usize) -> Result<(), Problem> {
    let words = arena.plan.presence_words(shape);
    // A loop instead of a call, since there is usually one word.
    for word in start..start + words {
        arena.words[word] = 0;
    }
    if arena.plan.shapes[shape as usize].defaults { defaults(arena, boundary, shape, start, words) } else { Ok(()) }
}

#[cold]
fn defaults(arena: &mut Arena, boundary: usize, shape: u32, start: usize, words: usize) -> Result<(), Problem> {
    let plan = std::sync::Arc::clone(&arena.plan);
    for (n, slot) in plan.shapes[shape as usize].slots().enumerate() {
        let Some(default) = &plan.slots[slot].default else { continue };
        let scalar = match default {
            Start::Number(number) => Scalar::Int(*number),
            Start::Value(Value::Bool(value)) => Scalar::Bool(*value),
            Start::Value(Value::Int(value)) => Scalar::Int(*value),
            Start::Value(Value::UInt(value)) => Scalar::UInt(*value),
            Start::Value(Value::F32(value)) => Scalar::F32(*value),
            Start::Value(Value::F64(value)) => Scalar::F64(*value),
            Start::Value(Value::Text(text)) => Scalar::Text(text),
            Start::Value(_) => continue,
        };
        match word(arena, boundary, plan.ops[slot], scalar) {
            Ok(word) => set(arena, start, words, n, word),
            // A number that is not an enumerator cannot be written: the field is not set.
            Err(Problem::NoEnumerator) => {}
            Err(problem) => return Err(problem),
        }
    }
    Ok(())
}

#[inline(always)]
fn new_array(arena: &mut Arena) -> Result<usize, Problem> {
    let start = arena.take(1)?;
    arena.words[start] = 0;
    Ok(start)
}

#[inline(always)]
fn set(arena: &mut Arena, start: usize, words: usize, n: usize, word: u64) {
    arena.words[start + words + n] = word;
    arena.words[start + n / BITS] |= 1 << (n % BITS);
}

/// Returns the word of a scalar of a type.
#[inline(always)]
fn word(arena: &mut Arena, boundary: usize, op: Op, value: Scalar<'_>) -> Result<u64, Problem> {
    Ok(match (value, op) {
        (Scalar::Bool(value), Op::Boolean) => truth(value),
        (Scalar::F64(value), Op::Double) => value.to_bits(),
        (Scalar::Int(value), Op::Long) => value as u64,
        (Scalar::Int(value), Op::Int) if i32::try_from(value).is_ok() => value as u64,
        (Scalar::UInt(value), Op::Uvarint) => value,
        (Scalar::Text(text), Op::Text) => own_text(&mut arena.text, boundary, text.as_bytes())?,
        (value, op) => return rare_word(&arena.plan, &mut arena.text, boundary, op, value),
    })
}

/// A structure for changes.
#[derive(Debug)]
pub struct StructureMut<'d> {
    arena: &'d mut Arena,
    boundary: usize,
    /// First slot, number of slots, and number of presence words.
    first: u32,
    len: u32,
    words: usize,
    start: usize,
}

/// Returns the structure of that shape at that word.
#[inline(always)]
fn structure_at(arena: &mut Arena, boundary: usize, shape: u32, start: usize) -> StructureMut<'_> {
    let own = &arena.plan.shapes[shape as usize];
    let (first, len) = (own.first, own.len);
    StructureMut { arena, boundary, first, len, words: (len as usize).div_ceil(BITS), start }
}

impl StructureMut<'_> {
    /// Returns the type of a field, and its position.
    #[inline(always)]
    fn field(&self, slot: u32) -> Result<(Op, usize), DecodeError> {
        let n = slot.wrapping_sub(self.first);
        if n < self.len { Ok((self.arena.plan.ops[slot as usize], n as usize)) } else { Err(self.failure(Problem::NotFound, slot)) }
    }

    #[cold]
    fn failure(&self, problem: Problem, slot: u32) -> DecodeError {
        let failure = DecodeError::new(problem, self.arena.plan.wire(), 0);
        failure.below(polywire_core::walk::PathStep::Name(self.arena.plan.slot_name(slot).to_string()))
    }

    /// Returns the slot of the field with that name.
    pub fn slot(&self, name: &str) -> Option<u32> {
        let plan = &self.arena.plan;
        (self.first..self.first + self.len).find(|slot| *plan.slots[*slot as usize].name == *name)
    }

    /// Sets a field to a scalar. An integer fits every integer type in whose range it is;
    /// enumerations accept names and numbers.
    ///
    /// # Errors
    /// The field is of another structure or type, or the value is out of range.
    #[inline(always)]
    pub fn set(&mut self, slot: u32, value: Scalar<'_>) -> Result<(), DecodeError> {
        let (op, n) = self.field(slot)?;
        match word(self.arena, self.boundary, op, value) {
            Ok(word) => {
                set(self.arena, self.start, self.words, n, word);
                Ok(())
            }
            Err(problem) => Err(self.failure(problem, slot)),
        }
    }

    /// Sets the first fields, in the order of ids, as many as `fill` gives. This is far faster than
    /// [`StructureMut::set`] for each. After an error, no field is set that was not set before.
    ///
    /// # Errors
    /// The structure has more than 64 fields; the error of `fill`.
    #[inline(always)]
    pub fn row(&mut self, fill: impl FnOnce(&mut RowMut<'_>) -> Result<(), DecodeError>) -> Result<(), DecodeError> {
        if self.words != 1 {
            return Err(self.failure(Problem::Conversion, self.first));
        }
        let Arena { plan, words, text, .. } = &mut *self.arena;
        let (presence, words) = words[self.start..self.start + 1 + self.len as usize].split_at_mut(1);
        let ops = &plan.ops[self.first as usize..(self.first + self.len) as usize];
        let mut row = RowMut::fields(plan, ops, words, text, self.boundary);
        fill(&mut row)?;
        let given = ops.len() - row.left();
        if given > 0 {
            presence[0] |= u64::MAX >> (BITS - given);
        }
        Ok(())
    }

    /// Sets a field to a new array of structures of scalars, one for each of `items`; `fill` gives
    /// the fields in the order of ids.
    ///
    /// # Errors
    /// As [`ArrayMut::extend_rows`].
    #[inline(always)]
    pub fn rows<T>(
        &mut self,
        slot: u32,
        items: impl IntoIterator<IntoIter: ExactSizeIterator<Item = T>>,
        fill: impl FnMut(&mut RowMut<'_>, T) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        let items = items.into_iter();
        let (op, n) = self.field(slot)?;
        let Op::Array(array) = op else { return Err(self.failure(Problem::Conversion, slot)) };
        let element = self.arena.plan.elements[array as usize];
        let capacity = items.len();
        if capacity > u32::MAX as usize {
            return Err(self.failure(Problem::Limit, slot));
        }
        let room = 1 + capacity * self.arena.plan.stride(element);
        let start = self.arena.take(room).map_err(|problem| self.failure(problem, slot))?;
        self.arena.words[start] = (capacity as u64) << 32;
        self.put(n, start as u64);
        let owner = Owner::Word(self.start + self.words + n);
        ArrayMut { arena: self.arena, boundary: self.boundary, element, start, owner }.extend_rows(items, fill)
    }

    /// Sets a field to null.
    ///
    /// # Errors
    /// The field is not nullable (14003).
    pub fn set_null(&mut self, slot: u32) -> Result<(), DecodeError> {
        let (_, n) = self.field(slot)?;
        if self.arena.plan.slots[slot as usize].nullable == 0 {
            return Err(self.failure(Problem::NotNullable, slot));
        }
        self.arena.words[self.start + n / BITS] &= !(1 << (n % BITS));
        Ok(())
    }

    /// Returns the word of a field, if it is set.
    #[inline(always)]
    fn present(&self, n: usize) -> Option<u64> {
        (self.arena.words[self.start + n / BITS] >> (n % BITS) & 1 == 1).then(|| self.arena.words[self.start + self.words + n])
    }

    #[inline(always)]
    fn put(&mut self, n: usize, word: u64) {
        set(self.arena, self.start, self.words, n, word);
    }

    /// Returns the structure of a field, which is created if it is absent.
    ///
    /// # Errors
    /// The field is not a structure.
    pub fn structure(&mut self, slot: u32) -> Result<StructureMut<'_>, DecodeError> {
        let (op, n) = self.field(slot)?;
        let Op::Structure(shape) = op else { return Err(self.failure(Problem::Conversion, slot)) };
        let start = match self.present(n) {
            Some(word) => word as usize,
            None => {
                let start = new_structure(self.arena, self.boundary, shape).map_err(|problem| self.failure(problem, slot))?;
                self.put(n, start as u64);
                start
            }
        };
        Ok(structure_at(self.arena, self.boundary, shape, start))
    }

    /// Sets a field to a new structure of that tag.
    ///
    /// # Errors
    /// The field is not a polymorph with that member.
    pub fn member(&mut self, slot: u32, tag: u32) -> Result<StructureMut<'_>, DecodeError> {
        let (op, n) = self.field(slot)?;
        let (shape, start, word) = new_member(self.arena, self.boundary, op, tag).map_err(|problem| self.failure(problem, slot))?;
        self.put(n, word);
        Ok(structure_at(self.arena, self.boundary, shape, start))
    }

    /// Returns the array of a field, which is created if it is absent.
    ///
    /// # Errors
    /// The field is not an array.
    #[inline]
    pub fn array(&mut self, slot: u32) -> Result<ArrayMut<'_>, DecodeError> {
        let (op, n) = self.field(slot)?;
        let Op::Array(array) = op else { return Err(self.failure(Problem::Conversion, slot)) };
        let start = match self.present(n) {
            Some(word) => word as usize,
            None => {
                let start = new_array(self.arena).map_err(|problem| self.failure(problem, slot))?;
                self.put(n, start as u64);
                start
            }
        };
        let owner = Owner::Word(self.start + self.words + n);
        let element = self.arena.plan.elements[array as usize];
        Ok(ArrayMut { arena: self.arena, boundary: self.boundary, element, start, owner })
    }
}

fn new_member(arena: &mut Arena, boundary: usize, op: Op, tag: u32) -> Result<(u32, usize, u64), Problem> {
    let Op::Polymorph(polymorph) = op else { return Err(Problem::Conversion) };
    let members = &arena.plan.polymorphs[polymorph as usize];
    let position = members.iter().position(|member| member.tag == tag).ok_or(Problem::MemberType)?;
    let shape = members[position].shape;
    let start = new_structure(arena, boundary, shape)?;
    Ok((shape, start, start as u64 | (position as u64) << 32))
}

/// Place of the word that holds the start of an array.
#[derive(Debug, Clone, Copy)]
enum Owner {
    Root(usize),
    Word(usize),
}

/// An array for changes.
#[derive(Debug)]
pub struct ArrayMut<'d> {
    arena: &'d mut Arena,
    boundary: usize,
    element: Op,
    start: usize,
    owner: Owner,
}

impl ArrayMut<'_> {
    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.arena.words[self.start] as u32 as usize
    }

    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all elements.
    pub fn clear(&mut self) {
        self.arena.words[self.start] &= !0xffff_ffff;
    }

    fn failure(&self, problem: Problem) -> DecodeError {
        DecodeError::new(problem, self.arena.plan.wire(), 0)
    }

    /// Reserves one element after the last. Returns its first word. A full array moves to the end
    /// of the document, unless it is there.
    #[inline(always)]
    fn room(&mut self) -> Result<usize, Problem> {
        let header = self.arena.words[self.start];
        let (count, capacity) = (header as u32 as usize, (header >> 32) as usize);
        let stride = self.arena.plan.stride(self.element);
        if count == capacity {
            self.enlarge(count, capacity, (capacity * 2).max(4), stride)?;
        }
        Ok(self.start + 1 + count * stride)
    }

    /// Reserves `wanted` elements. The array moves to the end of the document, unless it is there.
    #[cold]
    fn enlarge(&mut self, count: usize, capacity: usize, wanted: usize, stride: usize) -> Result<(), Problem> {
        if wanted > u32::MAX as usize {
            return Err(Problem::Limit);
        }
        if self.start + 1 + capacity * stride == self.arena.used {
            self.arena.take((wanted - capacity) * stride)?;
        } else {
            let start = self.arena.take(1 + wanted * stride)?;
            self.arena.words.copy_within(self.start..self.start + 1 + count * stride, start);
            self.start = start;
            match self.owner {
                Owner::Root(index) => self.arena.roots[index].word = start as u64,
                Owner::Word(word) => self.arena.words[word] = start as u64,
            }
        }
        self.arena.words[self.start] = count as u64 | (wanted as u64) << 32;
        Ok(())
    }

    fn grown(&mut self) {
        self.arena.words[self.start] += 1;
    }

    /// Appends a scalar.
    ///
    /// # Errors
    /// The elements have another type, or the value is out of range.
    pub fn push(&mut self, value: Scalar<'_>) -> Result<(), DecodeError> {
        let pushed = word(self.arena, self.boundary, self.element, value).and_then(|word| Ok((word, self.room()?)));
        let (word, at) = pushed.map_err(|problem| self.failure(problem))?;
        self.arena.words[at] = word;
        self.grown();
        Ok(())
    }

    /// Appends a structure, in which only fields with defaults are set.
    ///
    /// # Errors
    /// The elements are not structures.
    #[inline]
    pub fn push_structure(&mut self) -> Result<StructureMut<'_>, DecodeError> {
        let Op::Structure(shape) = self.element else { return Err(self.failure(Problem::Conversion)) };
        let start = self.room().map_err(|problem| self.failure(problem))?;
        begin(self.arena, self.boundary, shape, start).map_err(|problem| self.failure(problem))?;
        self.grown();
        Ok(structure_at(self.arena, self.boundary, shape, start))
    }

    /// Appends a structure of scalars; `fill` gives the fields in the order of ids. This is far
    /// faster than [`ArrayMut::push_structure`] and a call for each field. After an error, nothing
    /// is appended.
    ///
    /// # Errors
    /// The elements are not structures of scalars, or have nullable fields or more than 64 fields;
    /// the error of `fill`; a field that `fill` left out.
    #[inline(always)]
    pub fn push_row(&mut self, mut fill: impl FnMut(&mut RowMut<'_>) -> Result<(), DecodeError>) -> Result<(), DecodeError> {
        self.extend_rows([()], |row, ()| fill(row))
    }

    /// Appends a structure of scalars for each of `items`; `fill` gives the fields in the order of
    /// ids. After an error, the structures before it remain.
    ///
    /// # Errors
    /// As [`ArrayMut::push_row`].
    #[inline(always)]
    pub fn extend_rows<T>(
        &mut self,
        items: impl IntoIterator<IntoIter: ExactSizeIterator<Item = T>>,
        mut fill: impl FnMut(&mut RowMut<'_>, T) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        let items = items.into_iter();
        let shape = self.row_shape()?;
        self.reserve(items.len()).map_err(|problem| self.failure(problem))?;
        let Arena { plan, words, text, .. } = &mut *self.arena;
        let ops = &plan.ops[plan.shapes[shape as usize].slots()];
        let stride = 1 + ops.len();
        let (header, places) = words[self.start..].split_at_mut(1);
        let header = &mut header[0];
        let (count, capacity) = (*header as u32 as usize, (*header >> 32) as usize);
        let mut places = &mut places[count * stride..capacity * stride];
        for item in items {
            // The iterator gives more items than it announced.
            let Some((place, behind)) = std::mem::take(&mut places).split_at_mut_checked(stride) else { break };
            places = behind;
            let mut row = RowMut::new(plan, ops, place, text, self.boundary);
            fill(&mut row, item)?;
            if !row.is_full() {
                return Err(self.failure(Problem::Unset).seen("a structure that is not complete"));
            }
            *header += 1;
        }
        Ok(())
    }

    /// Returns the shape of the elements, if they are structures of scalars.
    #[inline(always)]
    fn row_shape(&self) -> Result<u32, DecodeError> {
        match self.element {
            Op::Structure(shape) if self.arena.plan.is_row(shape) => Ok(shape),
            _ => Err(self.failure(Problem::Conversion)),
        }
    }

    /// Reserves `more` elements.
    #[inline(always)]
    fn reserve(&mut self, more: usize) -> Result<(), Problem> {
        let header = self.arena.words[self.start];
        let (count, capacity) = (header as u32 as usize, (header >> 32) as usize);
        if capacity - count >= more {
            return Ok(());
        }
        let stride = self.arena.plan.stride(self.element);
        self.enlarge(count, capacity, (count + more).max(capacity * 2).max(4), stride)
    }

    /// Appends a structure of that tag.
    ///
    /// # Errors
    /// The elements are not polymorphs with that member.
    pub fn push_member(&mut self, tag: u32) -> Result<StructureMut<'_>, DecodeError> {
        let made = new_member(self.arena, self.boundary, self.element, tag).and_then(|made| Ok((made, self.room()?)));
        let ((shape, start, word), at) = made.map_err(|problem| self.failure(problem))?;
        self.arena.words[at] = word;
        self.grown();
        Ok(structure_at(self.arena, self.boundary, shape, start))
    }

    /// Appends an empty array.
    ///
    /// # Errors
    /// The elements are not arrays.
    pub fn push_array(&mut self) -> Result<ArrayMut<'_>, DecodeError> {
        let Op::Array(array) = self.element else { return Err(self.failure(Problem::Conversion)) };
        let made = new_array(self.arena).and_then(|start| Ok((start, self.room()?)));
        let (start, at) = made.map_err(|problem| self.failure(problem))?;
        self.arena.words[at] = start as u64;
        self.grown();
        let element = self.arena.plan.elements[array as usize];
        Ok(ArrayMut { arena: self.arena, boundary: self.boundary, element, start, owner: Owner::Word(at) })
    }

    /// Returns an element that is a structure, for changes.
    pub fn structure(&mut self, index: usize) -> Option<StructureMut<'_>> {
        match self.element {
            Op::Structure(shape) if index < self.len() => {
                let start = self.start + 1 + index * self.arena.plan.words_of(shape);
                Some(structure_at(self.arena, self.boundary, shape, start))
            }
            _ => None,
        }
    }
}
