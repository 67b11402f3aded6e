//! Calls to a body.

use crate::failure::{Failure, Problem};
use crate::plan::{Op, Plan};
use crate::wire::{self, FALSE, TRUE};

/// Writes bodies from values in the order of the dictionary.
///
/// Structures that cannot be null start and end by themselves, arrays end with their last element. So the calls for a root are [`Encoder::root`] and one per scalar and
/// array, in the order of the fields.
#[derive(Debug)]
pub struct Encoder<'p> {
    plan: &'p Plan,
    out: Vec<u8>,
    /// The innermost container; none between roots.
    top: Level,
    /// The containers around it, the outermost being what stands between roots.
    levels: Vec<Level>,
}

/// A container that is being written.
#[derive(Debug, Clone, Copy)]
struct Level {
    /// What comes next: a slot of a structure; elements of an array have one type.
    next: u32,
    /// The slot behind the last one, or how many elements are left.
    end: u32,
    /// Type of the elements; none of a structure.
    element: Option<Op>,
    /// Where presence bytes are, if there are some.
    presence: Option<usize>,
    /// The first slot of a structure that comes several times, as elements of an array do, and how often it comes again.
    first: u32,
    again: u32,
    /// Whether [`Encoder::enter`] was called for the structure that comes several times.
    entered: bool,
}

impl Level {
    /// Between roots.
    const NONE: Level = Level { next: 0, end: 0, element: None, presence: None, first: 0, again: 0, entered: true };
}

impl<'p> Encoder<'p> {
    /// Appends a body to `out`, its signature first.
    pub fn new(plan: &'p Plan, mut out: Vec<u8>) -> Encoder<'p> {
        out.push(crate::document::signature(plan.wire()));
        Encoder { plan, out, top: Level::NONE, levels: Vec::new() }
    }

    /// Appends entries of a body to `out`, whose signature is there already.
    pub fn entries(plan: &'p Plan, out: Vec<u8>) -> Encoder<'p> {
        Encoder { plan, out, top: Level::NONE, levels: Vec::new() }
    }

    #[cold]
    fn failure(&self, problem: Problem) -> Failure {
        Failure::new(problem, self.plan.wire(), self.out.len())
    }

    #[cold]
    fn misfit(&self, op: Option<Op>, given: &str) -> Failure {
        let expected = op.map_or("a root", Op::name);
        self.failure(Problem::Conversion).seen(format!("{given} where {expected} comes next"))
    }

    /// A root of that tag; its value comes next.
    ///
    /// # Errors
    /// There is no such root, or another value is not complete.
    pub fn root(&mut self, tag: u32) -> Result<(), Failure> {
        if !self.levels.is_empty() {
            return Err(self.misfit(None, "another root"));
        }
        match self.plan.dictionary().tag(tag) {
            Some(found) if found.root => {}
            Some(_) => return Err(self.failure(Problem::NotRoot)),
            None => return Err(self.failure(Problem::RootUnknown)),
        }
        let element = self.plan.tag_op(tag);
        wire::put_uvarint(&mut self.out, u64::from(tag));
        self.push(Level { next: 0, end: 1, element, presence: None, ..Level::NONE });
        Ok(())
    }

    /// The type that comes next, structures entered until it is none.
    #[inline(always)]
    fn next(&mut self) -> Result<Op, Failure> {
        loop {
            let Some(op) = self.peek() else { return Err(self.misfit(None, "a value")) };
            match op {
                Op::Structure(shape) => self.enter_shape(shape),
                op => {
                    self.mark_present();
                    return Ok(op);
                }
            }
        }
    }

    #[inline(always)]
    fn peek(&self) -> Option<Op> {
        match self.top.element {
            Some(op) => Some(op),
            None if self.top.next < self.top.end => Some(self.plan.ops[self.top.next as usize]),
            None => None,
        }
    }

    #[inline(always)]
    fn push(&mut self, level: Level) {
        self.levels.push(std::mem::replace(&mut self.top, level));
    }

    #[inline(always)]
    fn mark_present(&mut self) {
        if let Level { next, presence: Some(presence), .. } = self.top {
            let nullable = self.plan.slots[next as usize].nullable;
            if nullable > 0 {
                self.out[presence + (nullable as usize - 1) / 8] |= 1 << ((nullable - 1) % 8);
            }
        }
    }

    fn enter_shape(&mut self, shape: u32) {
        self.mark_present();
        let shape = &self.plan.shapes[shape as usize];
        let presence = (shape.presence > 0).then_some(self.out.len());
        self.out.resize(self.out.len() + shape.presence as usize, 0);
        self.push(Level { next: shape.first, end: shape.first + shape.len, element: None, presence, ..Level::NONE });
    }

    /// A value is complete.
    #[inline(always)]
    fn step(&mut self) {
        self.top.next += 1;
        if self.top.next == self.top.end {
            if self.top.again > 0 {
                self.repeat();
            } else {
                self.leave();
            }
        }
    }

    #[inline(always)]
    fn repeat(&mut self) {
        self.top.again -= 1;
        self.top.next = self.top.first;
        self.top.entered = false;
    }

    /// What is complete ends, and with it what it completes.
    fn leave(&mut self) {
        while let Some(outer) = self.levels.pop() {
            self.top = outer;
            if self.levels.is_empty() {
                return;
            }
            self.top.next += 1;
            if self.top.next < self.top.end {
                return;
            }
            if self.top.again > 0 {
                self.repeat();
                return;
            }
        }
    }

    /// A truth value.
    ///
    /// # Errors
    /// Something else comes next; so with all others.
    #[inline(always)]
    pub fn bool(&mut self, value: bool) -> Result<(), Failure> {
        match self.next()? {
            Op::Boolean => self.out.push(if value { TRUE } else { FALSE }),
            op => return Err(self.misfit(Some(op), "a truth value")),
        }
        self.step();
        Ok(())
    }

    /// A whole number, in whichever integer type comes next.
    ///
    /// # Errors
    /// It does not fit.
    #[inline(always)]
    pub fn int(&mut self, value: i64) -> Result<(), Failure> {
        match self.next()? {
            Op::Long => self.out.extend_from_slice(&value.to_le_bytes()),
            Op::Int if i32::try_from(value).is_ok() => self.out.extend_from_slice(&(value as i32).to_le_bytes()),
            op => self.whole(op, i128::from(value))?,
        }
        self.step();
        Ok(())
    }

    /// A whole number from zero up, in whichever integer type comes next.
    ///
    /// # Errors
    /// It does not fit.
    #[inline(always)]
    pub fn uint(&mut self, value: u64) -> Result<(), Failure> {
        match self.next()? {
            Op::Uvarint => wire::put_uvarint(&mut self.out, value),
            op => self.whole(op, i128::from(value))?,
        }
        self.step();
        Ok(())
    }

    fn whole(&mut self, op: Op, value: i128) -> Result<(), Failure> {
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

    /// A number of 32 bits of floating point.
    ///
    /// # Errors
    /// Something else comes next.
    pub fn f32(&mut self, value: f32) -> Result<(), Failure> {
        match self.next()? {
            Op::Float => self.out.extend_from_slice(&value.to_le_bytes()),
            op => return Err(self.misfit(Some(op), "a float")),
        }
        self.step();
        Ok(())
    }

    /// A number of 64 bits of floating point.
    ///
    /// # Errors
    /// Something else comes next.
    #[inline(always)]
    pub fn f64(&mut self, value: f64) -> Result<(), Failure> {
        match self.next()? {
            Op::Double => self.out.extend_from_slice(&value.to_le_bytes()),
            op => return Err(self.misfit(Some(op), "a double")),
        }
        self.step();
        Ok(())
    }

    /// Text.
    ///
    /// # Errors
    /// Something else comes next, or it is longer than 32 bits can tell.
    #[inline(always)]
    pub fn text(&mut self, value: &str) -> Result<(), Failure> {
        match self.next()? {
            Op::Text | Op::Octets => self.sized(value.as_bytes()),
            op => Err(self.misfit(Some(op), "text")),
        }
    }

    /// Text in no declared encoding.
    ///
    /// # Errors
    /// Something else comes next, or bytes that are no UTF-8 where that is declared.
    pub fn octets(&mut self, value: &[u8]) -> Result<(), Failure> {
        match self.next()? {
            Op::Octets => self.sized(value),
            Op::Text if wire::utf8(value).is_some() => self.sized(value),
            Op::Text => Err(self.failure(Problem::Text)),
            op => Err(self.misfit(Some(op), "text")),
        }
    }

    #[inline(always)]
    fn sized(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if bytes.len() > u32::MAX as usize {
            return Err(self.failure(Problem::Overflow));
        }
        wire::put_sized(&mut self.out, bytes);
        self.step();
        Ok(())
    }

    /// An array of so many elements, which come next.
    ///
    /// # Errors
    /// Something else comes next.
    pub fn array(&mut self, count: u32) -> Result<(), Failure> {
        let element = match self.next()? {
            Op::Array(array) => self.plan.elements[array as usize],
            op => return Err(self.misfit(Some(op), "an array")),
        };
        wire::put_uvarint(&mut self.out, u64::from(count));
        if count == 0 {
            self.step();
        } else if let Op::Structure(index) = element
            && self.plan.shapes[index as usize].nullable == 0
        {
            // One level for all elements.
            let shape = &self.plan.shapes[index as usize];
            let (next, end) = (shape.first, shape.first + shape.len);
            self.push(Level { next, end, element: None, presence: None, first: next, again: count - 1, entered: false });
        } else {
            self.push(Level { next: 0, end: count, element: Some(element), presence: None, ..Level::NONE });
        }
        Ok(())
    }

    /// The polymorph that comes next is the structure of that tag.
    ///
    /// # Errors
    /// Something else comes next, or a polymorph without that member.
    pub fn member(&mut self, tag: u32) -> Result<(), Failure> {
        let members = match self.next()? {
            Op::Polymorph(polymorph) => &self.plan.polymorphs[polymorph as usize],
            op => return Err(self.misfit(Some(op), "a member of a polymorph")),
        };
        let Some(member) = members.iter().find(|member| member.tag == tag) else { return Err(self.failure(Problem::MemberType)) };
        wire::put_uvarint(&mut self.out, u64::from(tag));
        self.enter_inside(member.shape);
        Ok(())
    }

    /// The structure of a member: its presence is that of the polymorph.
    fn enter_inside(&mut self, shape: u32) {
        let shape = &self.plan.shapes[shape as usize];
        let presence = (shape.presence > 0).then_some(self.out.len());
        self.out.resize(self.out.len() + shape.presence as usize, 0);
        self.push(Level { next: shape.first, end: shape.first + shape.len, element: None, presence, ..Level::NONE });
    }

    /// The structure that comes next is there, and its own first field may be null.
    ///
    /// # Errors
    /// Something else comes next.
    pub fn enter(&mut self) -> Result<(), Failure> {
        if !self.top.entered && self.top.next == self.top.first {
            self.top.entered = true;
            return Ok(());
        }
        match self.peek() {
            Some(Op::Structure(shape)) => {
                self.enter_shape(shape);
                Ok(())
            }
            op => Err(self.misfit(op, "a structure")),
        }
    }

    /// The field that comes next is null. Of a structure that comes next it is the structure; [`Encoder::enter`] goes to its fields.
    ///
    /// # Errors
    /// It cannot be null.
    pub fn null(&mut self) -> Result<(), Failure> {
        match self.top {
            level if level.element.is_none() && level.next < level.end && self.plan.slots[level.next as usize].nullable > 0 => {
                self.step();
                Ok(())
            }
            _ => Err(self.failure(Problem::NotNullable)),
        }
    }

    /// The bytes, once all values are complete.
    ///
    /// # Errors
    /// Something is missing.
    pub fn finish(self) -> Result<Vec<u8>, Failure> {
        if self.levels.is_empty() { Ok(self.out) } else { Err(self.failure(Problem::Unset).seen("a root that is not complete")) }
    }
}
