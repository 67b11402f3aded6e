//! Tables of types. The slow reader follows them to validate bytes, and to find out what is wrong
//! with refused ones.

use std::marker::PhantomData;

use polywire_runtime::PathStep;

use crate::error::{Cause, Error};
use crate::limits::Limits;
use crate::wire::{Cursor, Head, Protocol, Read, kind};

/// A type.
#[derive(Debug)]
pub enum Shape {
    /// Truth value.
    Bool,
    /// Signed, 8 bits.
    Int8,
    /// Signed, 16 bits.
    Int16,
    /// Signed, 32 bits, and enums.
    Int32,
    /// Signed, 64 bits.
    Int64,
    /// IEEE 754 binary64.
    Double,
    /// Text in UTF-8.
    Text,
    /// Any bytes.
    Bytes,
    /// Universal unique identifier.
    Uuid,
    /// Elements of a type.
    List(&'static Shape),
    /// Different elements of a type.
    Set(&'static Shape),
    /// Keys and values.
    Map(&'static Shape, &'static Shape),
    /// Struct, union or exception.
    Struct(Struct),
}

/// A struct, union or exception.
#[derive(Debug)]
pub struct Struct {
    /// Its name.
    pub name: &'static str,
    /// True if it has exactly one field.
    pub union: bool,
    /// Its fields.
    pub fields: &'static [Field],
}

/// A field.
#[derive(Debug)]
pub struct Field {
    /// Its number.
    pub id: i16,
    /// Its name.
    pub name: &'static str,
    /// True if no message lacks it.
    pub required: bool,
    /// Its type.
    pub shape: &'static Shape,
}

impl Shape {
    const fn kind(&self) -> u8 {
        match self {
            Shape::Bool => kind::BOOL,
            Shape::Int8 => kind::I8,
            Shape::Int16 => kind::I16,
            Shape::Int32 => kind::I32,
            Shape::Int64 => kind::I64,
            Shape::Double => kind::DOUBLE,
            Shape::Text | Shape::Bytes => kind::STRING,
            Shape::Uuid => kind::UUID,
            Shape::List(_) => kind::LIST,
            Shape::Set(_) => kind::SET,
            Shape::Map(..) => kind::MAP,
            Shape::Struct(_) => kind::STRUCT,
        }
    }

    /// Reads a message, and returns where it ends.
    ///
    /// # Errors
    /// Why `bytes` are not such a message, with offset and path.
    pub fn explain<P: Protocol>(&'static self, bytes: &[u8], limits: &Limits) -> Result<usize, Error<P>> {
        let cursor = Cursor { rest: bytes };
        let mut slow = Slow::<P> { cursor, len: bytes.len(), at: 0, path: Vec::new(), depth: limits.depth(), protocol: PhantomData };
        if let Shape::Struct(of) = self {
            slow.path.push(PathStep::Name(of.name));
        }
        match slow.value(self) {
            Ok(()) => Ok(slow.offset()),
            Err(cause) => Err(Error::new(cause, slow.at, slow.path)),
        }
    }
}

/// Returns the error for a message that only one of the two readers accepts: a bug in this crate.
#[cold]
pub(crate) fn disagreed<P: Protocol>() -> Error<P> {
    Error::new(Cause::End, 0, Vec::new())
}

struct Slow<'b, P> {
    cursor: Cursor<'b>,
    len: usize,
    /// Offset of the value or number that was begun last.
    at: usize,
    /// Steps to the value that is being read.
    path: Vec<PathStep>,
    depth: u32,
    protocol: PhantomData<P>,
}

impl<P: Protocol> Slow<'_, P> {
    fn offset(&self) -> usize {
        self.len - self.cursor.rest.len()
    }

    fn enter(&mut self) -> Read<()> {
        self.depth = self.depth.checked_sub(1).ok_or(Cause::Depth)?;
        Ok(())
    }

    /// Reads a value within a step, which stays in the path if the value is refused.
    fn within(&mut self, step: PathStep, shape: &'static Shape) -> Read<()> {
        self.path.push(step);
        self.value(shape)?;
        self.path.pop();
        Ok(())
    }

    fn holds(&self, count: u64, least: u64) -> Read<()> {
        if count.saturating_mul(least) > self.cursor.rest.len() as u64 { Err(Cause::Count(count)) } else { Ok(()) }
    }

    fn value(&mut self, shape: &'static Shape) -> Read<()> {
        self.at = self.offset();
        match shape {
            Shape::Text => {
                let bytes = P::bytes(&mut self.cursor)?;
                std::str::from_utf8(bytes).map_err(|_| Cause::Text).map(drop)
            }
            Shape::List(inner) | Shape::Set(inner) => {
                let (kind, count) = P::list(&mut self.cursor)?;
                self.elements(kind, inner, count)?;
                self.holds(count, P::least(inner.kind()))?;
                self.enter()?;
                for index in 0..count {
                    self.within(PathStep::Index(index as u32), inner)?;
                }
                self.depth += 1;
                Ok(())
            }
            Shape::Map(of_key, of_value) => {
                let (key, value, count) = P::map(&mut self.cursor)?;
                self.elements(key, of_key, count)?;
                self.elements(value, of_value, count)?;
                self.holds(count, P::least(of_key.kind()) + P::least(of_value.kind()))?;
                self.enter()?;
                for index in 0..count {
                    self.within(PathStep::Index(index as u32), of_key)?;
                    self.within(PathStep::Index(index as u32), of_value)?;
                }
                self.depth += 1;
                Ok(())
            }
            Shape::Struct(of) => self.structure(of),
            _ => self.plain(shape.kind()),
        }
    }

    fn elements(&self, kind: u8, of: &Shape, count: u64) -> Read<()> {
        if count > 0 && kind != of.kind() { Err(Cause::Elements(kind, of.kind())) } else { Ok(()) }
    }

    fn structure(&mut self, of: &'static Struct) -> Read<()> {
        self.enter()?;
        let (mut last, mut came) = (0, vec![false; of.fields.len()]);
        let mut filled = false;
        loop {
            self.at = self.offset();
            let Some(head) = P::field(&mut self.cursor, last)? else { break };
            last = head.id;
            if of.union && filled {
                return Err(Cause::SecondCase(head.id));
            }
            filled = true;
            let found = of.fields.iter().position(|field| field.id == head.id && field.shape.kind() == head.kind);
            match found {
                Some(index) => {
                    came[index] = true;
                    let field = &of.fields[index];
                    self.path.push(PathStep::Name(field.name));
                    if head.kind == kind::BOOL { P::truth(&mut self.cursor, head).map(drop) } else { self.value(field.shape) }?;
                    self.path.pop();
                }
                None if of.union => return Err(Cause::UnknownCase(head.id)),
                None => self.skip(head)?,
            }
        }
        if of.union && !filled {
            return Err(Cause::Empty);
        }
        if let Some((field, _)) = of.fields.iter().zip(came).find(|(field, came)| field.required && !came) {
            return Err(Cause::Missing(field.name));
        }
        self.depth += 1;
        Ok(())
    }

    fn skip(&mut self, head: Head) -> Read<()> {
        if head.kind == kind::BOOL { P::truth(&mut self.cursor, head).map(drop) } else { self.plain(head.kind) }
    }

    /// Reads a value by its type alone.
    fn plain(&mut self, of: u8) -> Read<()> {
        self.at = self.offset();
        let cursor = &mut self.cursor;
        match of {
            kind::BOOL => P::bool(cursor).map(drop),
            kind::I8 => P::int8(cursor).map(drop),
            kind::I16 => P::int16(cursor).map(drop),
            kind::I32 => P::int32(cursor).map(drop),
            kind::I64 => P::int64(cursor).map(drop),
            kind::DOUBLE => P::double(cursor).map(drop),
            kind::UUID => cursor.array::<16>().map(drop),
            kind::STRING => P::bytes(cursor).map(drop),
            kind::LIST | kind::SET => {
                let (kind, count) = P::list(cursor)?;
                self.holds(count, P::least(kind))?;
                self.enter()?;
                for _ in 0..count {
                    self.plain(kind)?;
                }
                self.depth += 1;
                Ok(())
            }
            kind::MAP => {
                let (key, value, count) = P::map(cursor)?;
                self.holds(count, P::least(key) + P::least(value))?;
                self.enter()?;
                for _ in 0..count {
                    self.plain(key)?;
                    self.plain(value)?;
                }
                self.depth += 1;
                Ok(())
            }
            _ => {
                self.enter()?;
                let mut last = 0;
                while let Some(head) = P::field(&mut self.cursor, last)? {
                    last = head.id;
                    self.skip(head)?;
                }
                self.depth += 1;
                Ok(())
            }
        }
    }
}
