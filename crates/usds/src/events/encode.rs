//! Calls to bodies.

use std::slice::Iter;

use super::row::{self, RowOut};
use crate::error::{DecodeError, Problem};
use crate::plan::{Op, Plan};
use crate::wire::signature::signature;
use crate::wire::{self, FALSE, TRUE};

/// Writer of bodies from values in the order of the dictionary.
///
/// Structures that are not nullable start and end without a call, and arrays end with their last
/// element. A root takes one call of [`Encoder::root`] and one per scalar and array, in the order
/// of the fields. [`Encoder::row`] writes a whole structure of scalars in one call.
#[derive(Debug)]
pub struct Encoder<'p> {
    plan: &'p Plan,
    out: Vec<u8>,
    /// Values that come next. When it is empty, [`Encoder::advance`] finds the next run, so a value
    /// costs no more than a look at the first of these.
    run: Iter<'p, Op>,
    /// Container that `run` belongs to.
    top: OpenContainer<'p>,
    /// Open containers around it, each with the run that follows the inner one.
    levels: Vec<(Iter<'p, Op>, OpenContainer<'p>)>,
}

/// A container in progress.
#[derive(Debug, Clone, Copy)]
struct OpenContainer<'p> {
    /// Values that repeat: the type of an array's elements, or the fields of its structures.
    element: &'p [Op],
    /// Remaining number of repetitions.
    again: u32,
    /// True if the element is the fields of a structure, and [`Encoder::enter`] was not called for
    /// the next one.
    structures: bool,
    enters: bool,
    /// For a structure with nullable fields, each of which is a run of its own: the offset of its
    /// presence bytes, the next slot, and the slot after the last.
    presence: usize,
    next: u32,
    end: u32,
}

impl<'p> OpenContainer<'p> {
    /// OpenContainer that ends with its run.
    const NONE: OpenContainer<'p> =
        OpenContainer { element: &[], again: 0, structures: false, enters: false, presence: 0, next: 0, end: 0 };

    #[inline(always)]
    fn is_complete(&self) -> bool {
        self.again == 0 && self.next == self.end
    }
}

impl<'p> Encoder<'p> {
    /// Returns an encoder that appends a body to `out`, signature first.
    pub fn new(plan: &'p Plan, out: Vec<u8>) -> Encoder<'p> {
        let mut encoder = Encoder::entries(plan, Vec::new());
        encoder.begin(out);
        encoder
    }

    /// Returns an encoder that appends entries of a body to `out`, which holds the signature
    /// already.
    pub fn entries(plan: &'p Plan, out: Vec<u8>) -> Encoder<'p> {
        Encoder { plan, out, run: [].iter(), top: OpenContainer::NONE, levels: Vec::new() }
    }

    #[cold]
    fn failure(&self, problem: Problem) -> DecodeError {
        DecodeError::new(problem, self.plan.wire(), self.out.len())
    }

    #[cold]
    fn misfit(&self, op: Option<Op>, given: &str) -> DecodeError {
        row::misfit(self.plan, op, given).after(self.out.len())
    }

    /// Returns whether no root is open, or the open one is complete.
    #[inline(always)]
    fn is_complete(&self) -> bool {
        self.run.as_slice().is_empty() && self.top.is_complete() && self.levels.is_empty()
    }

    /// Starts a root of that tag; its value comes next.
    ///
    /// # Errors
    /// There is no such root, or the previous value is not complete.
    pub fn root(&mut self, tag: u32) -> Result<(), DecodeError> {
        if !self.is_complete() {
            return Err(self.misfit(None, "another root"));
        }
        let Some(op) = self.plan.root_op(tag) else {
            return Err(self.failure(if self.plan.dictionary().tag(tag).is_some() { Problem::NotRoot } else { Problem::RootUnknown }));
        };
        wire::put_uvarint(&mut self.out, u64::from(tag));
        self.top = OpenContainer::NONE;
        self.run = match op {
            // Work between the elements of an array is done here, so that no value has to check for
            // it.
            Op::Structure(index) if self.plan.shapes[index as usize].presence == 0 => {
                let element = &self.plan.ops[self.plan.shapes[index as usize].slots()];
                self.top = OpenContainer { element, structures: true, enters: true, ..OpenContainer::NONE };
                element.iter()
            }
            _ => self.plan.tags[tag as usize - 1..tag as usize].iter(),
        };
        Ok(())
    }

    /// Returns the type of the next value, and enters structures until there is one.
    #[inline(always)]
    fn next(&mut self) -> Result<Op, DecodeError> {
        match self.run.as_slice() {
            [Op::Structure(_), ..] | [] => self.find(),
            [op, ..] => Ok(*op),
        }
    }

    #[inline(never)]
    fn find(&mut self) -> Result<Op, DecodeError> {
        loop {
            match self.peek() {
                Some(Op::Structure(shape)) => self.enter_shape(shape),
                Some(op) => return Ok(op),
                None => return Err(self.misfit(None, "a value")),
            }
        }
    }

    /// Returns the type of the next value; `None` between roots.
    #[inline(always)]
    fn peek(&mut self) -> Option<Op> {
        while self.run.as_slice().is_empty() {
            if !self.advance() {
                return None;
            }
        }
        self.run.as_slice().first().copied()
    }

    /// Finds the next run, which may be empty. Returns false between roots.
    #[inline(always)]
    fn advance(&mut self) -> bool {
        if self.top.again > 0 {
            self.top.again -= 1;
            self.run = self.top.element.iter();
            self.top.enters = self.top.structures;
            return true;
        }
        self.leave()
    }

    #[inline(never)]
    fn leave(&mut self) -> bool {
        let OpenContainer { presence, next, end, .. } = self.top;
        if next < end {
            // The bit is cleared again if the field is null.
            let nullable = self.plan.slots[next as usize].nullable as usize;
            if nullable > 0 {
                self.out[presence + (nullable - 1) / 8] |= 1 << ((nullable - 1) % 8);
            }
            self.run = self.plan.ops[next as usize..=next as usize].iter();
            self.top.next += 1;
            return true;
        }
        let outer = self.levels.pop();
        if let Some((run, level)) = &outer {
            (self.run, self.top) = (run.clone(), *level);
        }
        outer.is_some()
    }

    /// Enters a container, which is first in the run.
    #[inline(always)]
    fn open(&mut self, run: Iter<'p, Op>, level: OpenContainer<'p>) {
        self.run.next();
        // A level with nothing after it need not be kept.
        if !(self.run.as_slice().is_empty() && self.top.is_complete()) {
            self.levels.push((self.run.clone(), self.top));
        }
        (self.run, self.top) = (run, level);
    }

    fn enter_shape(&mut self, shape: u32) {
        let plan = self.plan;
        let shape = &plan.shapes[shape as usize];
        if shape.presence == 0 {
            return self.open(plan.ops[shape.slots()].iter(), OpenContainer::NONE);
        }
        let presence = self.out.len();
        self.out.resize(presence + shape.presence as usize, 0);
        self.open([].iter(), OpenContainer { presence, next: shape.first, end: shape.first + shape.len, ..OpenContainer::NONE });
    }

    /// Notes that a value is complete.
    #[inline(always)]
    fn step(&mut self) {
        self.run.next();
    }

    /// Writes a boolean.
    ///
    /// # Errors
    /// Another type comes next, here and in all other calls.
    #[inline(always)]
    pub fn bool(&mut self, value: bool) -> Result<(), DecodeError> {
        match self.next()? {
            Op::Boolean => self.out.push(if value { TRUE } else { FALSE }),
            op => return Err(self.misfit(Some(op), "a truth value")),
        }
        self.step();
        Ok(())
    }

    /// Writes an integer of any integer type.
    ///
    /// # Errors
    /// The number is out of range.
    #[inline(always)]
    pub fn int(&mut self, value: i64) -> Result<(), DecodeError> {
        match self.next()? {
            Op::Long => self.out.extend_from_slice(&value.to_le_bytes()),
            Op::Int if i32::try_from(value).is_ok() => self.out.extend_from_slice(&(value as i32).to_le_bytes()),
            op => self.whole(op, i128::from(value))?,
        }
        self.step();
        Ok(())
    }

    /// Writes a non-negative integer of any integer type.
    ///
    /// # Errors
    /// The number is out of range.
    #[inline(always)]
    pub fn uint(&mut self, value: u64) -> Result<(), DecodeError> {
        match self.next()? {
            Op::Uvarint => wire::put_uvarint(&mut self.out, value),
            op => self.whole(op, i128::from(value))?,
        }
        self.step();
        Ok(())
    }

    fn whole(&mut self, op: Op, value: i128) -> Result<(), DecodeError> {
        let simple = match op {
            Op::Enumeration(index) => {
                let members = &self.plan.enumerations[index as usize];
                if i64::try_from(value).ok().and_then(|number| members.position(number)).is_none() {
                    return Err(self.failure(Problem::NoEnumerator));
                }
                members.subtype
            }
            op => op.whole().ok_or_else(|| self.misfit(Some(op), "a whole number"))?,
        };
        wire::put_whole(&mut self.out, simple, value).map_err(|problem| self.failure(problem))
    }

    /// Writes a FLOAT.
    ///
    /// # Errors
    /// Another type comes next.
    pub fn f32(&mut self, value: f32) -> Result<(), DecodeError> {
        match self.next()? {
            Op::Float => self.out.extend_from_slice(&value.to_le_bytes()),
            op => return Err(self.misfit(Some(op), "a float")),
        }
        self.step();
        Ok(())
    }

    /// Writes a DOUBLE.
    ///
    /// # Errors
    /// Another type comes next.
    #[inline(always)]
    pub fn f64(&mut self, value: f64) -> Result<(), DecodeError> {
        match self.next()? {
            Op::Double => self.out.extend_from_slice(&value.to_le_bytes()),
            op => return Err(self.misfit(Some(op), "a double")),
        }
        self.step();
        Ok(())
    }

    /// Writes text.
    ///
    /// # Errors
    /// Another type comes next, or the length does not fit into 32 bits.
    #[inline(always)]
    pub fn text(&mut self, value: &str) -> Result<(), DecodeError> {
        match self.next()? {
            Op::Text | Op::Octets => self.sized(value.as_bytes()),
            op => Err(self.misfit(Some(op), "text")),
        }
    }

    /// Writes text of undeclared encoding.
    ///
    /// # Errors
    /// Another type comes next, or the bytes are not UTF-8 where that is declared.
    pub fn octets(&mut self, value: &[u8]) -> Result<(), DecodeError> {
        match self.next()? {
            Op::Octets => self.sized(value),
            Op::Text if wire::utf8(value).is_some() => self.sized(value),
            Op::Text => Err(self.failure(Problem::Text)),
            op => Err(self.misfit(Some(op), "text")),
        }
    }

    #[inline(always)]
    fn sized(&mut self, bytes: &[u8]) -> Result<(), DecodeError> {
        if bytes.len() > u32::MAX as usize {
            return Err(self.failure(Problem::Overflow));
        }
        wire::put_sized(&mut self.out, bytes);
        self.step();
        Ok(())
    }

    /// Starts an array of `count` elements, which come next.
    ///
    /// # Errors
    /// Another type comes next.
    pub fn array(&mut self, count: u32) -> Result<(), DecodeError> {
        let element = match self.next()? {
            Op::Array(array) => &self.plan.elements[array as usize..=array as usize],
            op => return Err(self.misfit(Some(op), "an array")),
        };
        wire::put_uvarint(&mut self.out, u64::from(count));
        let plan = self.plan;
        let (element, structures) = match element {
            // Structures of an array follow each other as their fields do, without work between
            // them.
            [Op::Structure(index)] if plan.shapes[*index as usize].presence == 0 => (&plan.ops[plan.shapes[*index as usize].slots()], true),
            element => (element, false),
        };
        self.open([].iter(), OpenContainer { element, again: count, structures, ..OpenContainer::NONE });
        Ok(())
    }

    /// Writes the next scalars, in the order of ids, as many as `fill` gives. This is far faster
    /// than a call for each. A structure that comes next is entered. After an error, nothing is
    /// written.
    ///
    /// # Errors
    /// The error of `fill`: a value where another type, or a container, comes next.
    #[inline(always)]
    pub fn row(&mut self, fill: impl FnOnce(&mut RowOut<'_, '_>) -> Result<(), DecodeError>) -> Result<(), DecodeError> {
        self.next()?;
        let start = self.out.len();
        let mut row = RowOut::new(self.plan, self.run.as_slice(), &mut self.out);
        let filled = fill(&mut row);
        let rest = row.rest();
        drop(row);
        if filled.is_err() {
            return Err(self.unfilled(filled, start));
        }
        self.run = rest;
        Ok(())
    }

    /// Writes an array of structures of scalars, one for each of `items`; `fill` gives the fields
    /// in the order of ids. After an error, nothing is written.
    ///
    /// # Errors
    /// As [`Encoder::array`] and [`Encoder::row`].
    #[inline(always)]
    pub fn rows<T>(
        &mut self,
        items: impl IntoIterator<IntoIter: ExactSizeIterator<Item = T>>,
        mut fill: impl FnMut(&mut RowOut<'_, '_>, T) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        let items = items.into_iter();
        let plan = self.plan;
        let shape = match self.next()? {
            Op::Array(array) => match plan.elements[array as usize] {
                Op::Structure(shape) if plan.shapes[shape as usize].flat => shape,
                op => return Err(self.misfit(Some(op), "a structure of scalars")),
            },
            op => return Err(self.misfit(Some(op), "an array")),
        };
        let Ok(mut left) = u32::try_from(items.len()) else { return Err(self.failure(Problem::Overflow)) };
        let start = self.out.len();
        wire::put_uvarint(&mut self.out, u64::from(left));
        let ops = &plan.ops[plan.shapes[shape as usize].slots()];
        let mut row = RowOut::new(plan, ops, &mut self.out);
        let mut filled = Ok(());
        for item in items {
            row.again(ops);
            filled = fill(&mut row, item);
            if filled.is_err() || row.left() > 0 || left == 0 {
                break;
            }
            left -= 1;
        }
        drop(row);
        if filled.is_err() || left > 0 {
            return Err(self.unfilled(filled, start));
        }
        self.step();
        Ok(())
    }

    #[cold]
    fn unfilled(&mut self, filled: Result<(), DecodeError>, start: usize) -> DecodeError {
        self.out.truncate(start);
        match filled {
            Err(failure) => failure.after(start),
            Ok(()) => self.failure(Problem::Unset).seen("a structure that is not complete"),
        }
    }

    /// Chooses the structure of that tag for the next polymorph.
    ///
    /// # Errors
    /// Another type comes next, or the polymorph has no such member.
    pub fn member(&mut self, tag: u32) -> Result<(), DecodeError> {
        let members = match self.next()? {
            Op::Polymorph(polymorph) => &self.plan.polymorphs[polymorph as usize],
            op => return Err(self.misfit(Some(op), "a member of a polymorph")),
        };
        let Some(member) = members.iter().find(|member| member.tag == tag) else { return Err(self.failure(Problem::MemberType)) };
        wire::put_uvarint(&mut self.out, u64::from(tag));
        self.enter_shape(member.shape);
        Ok(())
    }

    /// Enters the next structure, whose own first field is nullable.
    ///
    /// # Errors
    /// Another type comes next.
    pub fn enter(&mut self) -> Result<(), DecodeError> {
        match self.peek() {
            Some(_) if self.top.enters && self.run.len() == self.top.element.len() => {
                self.top.enters = false;
                Ok(())
            }
            Some(Op::Structure(shape)) => {
                self.enter_shape(shape);
                Ok(())
            }
            op => Err(self.misfit(op, "a structure")),
        }
    }

    /// Writes null for the next field. If a structure comes next, the structure is null;
    /// [`Encoder::enter`] enters it instead.
    ///
    /// # Errors
    /// The field is not nullable.
    pub fn null(&mut self) -> Result<(), DecodeError> {
        let there = self.peek().is_some();
        let OpenContainer { presence, next, end, .. } = self.top;
        // Only a structure with presence bytes has an end; its field is the run.
        let nullable =
            if there && end > 0 && !self.run.as_slice().is_empty() { self.plan.slots[next as usize - 1].nullable as usize } else { 0 };
        if nullable == 0 {
            return Err(self.failure(Problem::NotNullable));
        }
        self.out[presence + (nullable - 1) / 8] &= !(1 << ((nullable - 1) % 8));
        self.step();
        Ok(())
    }

    /// Returns the bytes, once all values are complete. [`Encoder::begin`] starts the next body.
    ///
    /// # Errors
    /// A value is missing.
    pub fn finish(&mut self) -> Result<Vec<u8>, DecodeError> {
        if self.is_complete() {
            Ok(std::mem::take(&mut self.out))
        } else {
            Err(self.failure(Problem::Unset).seen("a root that is not complete"))
        }
    }

    /// Starts another body after the contents of `out`, and discards an unfinished one. An encoder
    /// that is reused allocates nothing.
    pub fn begin(&mut self, mut out: Vec<u8>) {
        out.push(signature(self.plan.wire()));
        self.out = out;
        self.levels.clear();
        (self.run, self.top) = ([].iter(), OpenContainer::NONE);
    }
}
