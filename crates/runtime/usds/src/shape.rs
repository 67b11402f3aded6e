//! Tables of types. The slow reader follows them to validate bytes, and to find out what is wrong
//! with refused ones.

use polywire_runtime::PathStep;
use polywire_runtime::text::utf8;

use crate::error::Problem;
use crate::wire::{self, ID, SIZE};

/// A type.
#[derive(Debug)]
pub enum Shape {
    /// True or false.
    Boolean,
    /// A fixed number of bytes.
    Fixed(usize),
    /// Unsigned, of variable length.
    Uvarint,
    /// Signed, of variable length.
    Varint,
    /// Text declared to be UTF-8.
    Text,
    /// Text declared to be nothing.
    Octets,
    /// A number of a type, one of these, in ascending order.
    Enumeration(Subtype, &'static [i64]),
    /// Any number of values.
    Array(&'static Shape),
    /// The number of nullable fields, and the fields.
    Structure(u32, &'static [Field]),
    /// A structure of one of several tags: id, name, type.
    Polymorph(&'static [(u32, &'static str, &'static Shape)]),
}

/// The type of enumerators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subtype {
    /// Signed, that many bytes.
    Signed(usize),
    /// Unsigned, that many bytes.
    Unsigned(usize),
    /// Signed, of variable length.
    Varint,
}

/// A field of a structure.
#[derive(Debug)]
pub struct Field {
    /// Its name in the dictionary.
    pub name: &'static str,
    /// Its type.
    pub shape: &'static Shape,
    /// True if it may be null.
    pub nullable: bool,
}

/// A mistake, its place, and the path from the inside out.
#[derive(Debug)]
pub(crate) struct Refused {
    pub problem: Problem,
    pub at: usize,
    pub path: Vec<PathStep>,
}

impl Refused {
    /// Returns the refusal. Missing bytes are missing at the end.
    #[cold]
    pub fn new(problem: Problem, at: usize, bytes: &[u8]) -> Refused {
        Refused { problem, at: if problem == Problem::End { bytes.len() } else { at }, path: Vec::new() }
    }

    #[cold]
    fn below(mut self, step: PathStep) -> Refused {
        self.path.push(step);
        self
    }
}

impl Shape {
    /// Checks the value at `at` and returns where it ends. Recursion is as deep as the types nest:
    /// no type holds itself.
    pub(crate) fn check(&self, bytes: &[u8], at: usize) -> Result<usize, Refused> {
        let refused = |problem| Refused::new(problem, at, bytes);
        match self {
            Shape::Structure(nullable, fields) => structure(*nullable, fields, bytes, at),
            Shape::Array(element) => {
                let (count, mut end) = wire::narrow(bytes, at, SIZE).map_err(refused)?;
                if count as usize > bytes.len() - end {
                    return Err(refused(Problem::End));
                }
                for index in 0..count {
                    end = element.check(bytes, end).map_err(|refused| refused.below(PathStep::Index(index)))?;
                }
                Ok(end)
            }
            Shape::Polymorph(members) => {
                let (tag, end) = wire::narrow(bytes, at, ID).map_err(refused)?;
                let (_, name, shape) = members.iter().find(|(id, ..)| *id == tag).ok_or_else(|| refused(Problem::Member))?;
                shape.check(bytes, end).map_err(|refused| refused.below(PathStep::Name(name)))
            }
            scalar => scalar.scalar(bytes, at).map_err(refused),
        }
    }

    fn scalar(&self, bytes: &[u8], at: usize) -> Result<usize, Problem> {
        match self {
            Shape::Boolean => wire::boolean(bytes, at).map(|(_, end)| end),
            Shape::Fixed(size) if bytes.len() - at < *size => Err(Problem::End),
            Shape::Fixed(size) => Ok(at + size),
            Shape::Uvarint => wire::uvarint(bytes, at).map(|(_, end)| end),
            Shape::Varint => wire::varint(bytes, at).map(|(_, end)| end),
            Shape::Octets => wire::sized(bytes, at).map(|(_, end)| end),
            Shape::Text => {
                let (text, end) = wire::sized(bytes, at)?;
                utf8(text).map(|_| end).ok_or(Problem::Text)
            }
            Shape::Enumeration(subtype, numbers) => {
                let (number, end) = subtype.number(bytes, at)?;
                numbers.binary_search(&number).map(|_| end).map_err(|_| Problem::Enumerator)
            }
            Shape::Array(_) | Shape::Structure(..) | Shape::Polymorph(_) => unreachable!("`check` looks into them"),
        }
    }
}

impl Subtype {
    fn number(self, bytes: &[u8], at: usize) -> Result<(i64, usize), Problem> {
        let (size, is_signed) = match self {
            Subtype::Varint => return wire::varint(bytes, at),
            Subtype::Signed(size) => (size, true),
            Subtype::Unsigned(size) => (size, false),
        };
        let chunk = bytes[at..].get(..size).ok_or(Problem::End)?;
        let mut word = [0; 8];
        word[..size].copy_from_slice(chunk);
        let (number, unused) = (i64::from_le_bytes(word), 64 - 8 * size);
        Ok((if is_signed { number << unused >> unused } else { number }, at + size))
    }
}

fn structure(nullable: u32, fields: &[Field], bytes: &[u8], at: usize) -> Result<usize, Refused> {
    let presence = at;
    let mut at = at + nullable.div_ceil(8) as usize;
    if nullable > 0 {
        let last = bytes.get(at - 1).ok_or_else(|| Refused::new(Problem::End, presence, bytes))?;
        if u16::from(*last) >> ((nullable - 1) % 8 + 1) != 0 {
            return Err(Refused::new(Problem::Padded, presence, bytes));
        }
    }
    let mut position = 0;
    for field in fields {
        if field.nullable {
            let is_there = bytes[presence + position / 8] >> (position % 8) & 1 == 1;
            position += 1;
            if !is_there {
                continue;
            }
        }
        at = field.shape.check(bytes, at).map_err(|refused| refused.below(PathStep::Name(field.name)))?;
    }
    Ok(at)
}
