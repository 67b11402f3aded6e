//! Tables of types as they are on the wire: generated code has one for each message. The slow
//! reader follows them to find out why a message can't be read, by the steps of
//! docs/spec/extprot.md 5.

use polywire_runtime::PathStep;

use crate::error::{Cause, Error, Size};
use crate::limits::Limits;
use crate::wire::{self, VintError, wire_type, wire_type_name};

/// A type.
#[derive(Debug)]
pub struct Shape {
    /// The form on the wire.
    pub form: Form,
    /// The meaning of an absent value.
    pub absent: Absent,
}

/// The form of a type on the wire.
#[derive(Debug)]
pub enum Form {
    /// A primitive (docs/spec/extprot.md 5.2).
    Primitive(Primitive),
    /// A list or array of a type.
    List(&'static Shape),
    /// A tuple, with the types of its elements.
    Tuple(&'static [&'static Shape]),
    /// A sum.
    Sum {
        /// The number of constant constructors.
        constants: u64,
        /// Types of the arguments of the others, in order.
        others: &'static [&'static [&'static Shape]],
    },
    /// A message or record.
    Message {
        /// Its name in paths.
        name: &'static str,
        /// Name and fields of each variant. The name is empty if the message is no union.
        variants: &'static [(&'static str, &'static [Field])],
    },
    /// A view of a message.
    Subset {
        /// Its name in paths.
        name: &'static str,
        /// Fields up to the last wanted one.
        fields: &'static [Field],
    },
    /// A message of another module, with its table.
    External(&'static Shape),
}

/// A primitive type (docs/spec/extprot.md 2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Primitive {
    /// True or false.
    Bool,
    /// 0 to 255.
    Byte,
    /// Signed, variable length.
    Int,
    /// Signed, 64 bits.
    Long,
    /// IEEE 754 binary64.
    Float,
    /// Any bytes.
    String,
}

impl Primitive {
    /// Returns the wire type that it is written with.
    const fn own(self) -> u64 {
        match self {
            Primitive::Bool | Primitive::Byte => wire_type::BITS8,
            Primitive::Int => wire_type::VINT,
            Primitive::Long => wire_type::BITS64_LONG,
            Primitive::Float => wire_type::BITS64_FLOAT,
            Primitive::String => wire_type::BYTES,
        }
    }

    /// Returns whether it is read from a wire type (docs/spec/extprot.md 5.4).
    const fn reads(self, wire: u64) -> bool {
        match self {
            Primitive::Bool | Primitive::Byte => wire == wire_type::BITS8,
            Primitive::Int => matches!(wire, wire_type::VINT | wire_type::BITS8),
            Primitive::Long => matches!(wire, wire_type::BITS64_LONG | wire_type::VINT | wire_type::BITS8 | wire_type::BITS32),
            Primitive::Float => {
                matches!(wire, wire_type::BITS64_FLOAT | wire_type::VINT | wire_type::BITS8 | wire_type::BITS32 | wire_type::BITS64_LONG)
            }
            Primitive::String => wire == wire_type::BYTES,
        }
    }
}

/// The meaning of an absent value (docs/spec/extprot.md 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absent {
    /// An error: there is no default.
    Missing,
    /// An error of a nested message without a default, which is found when the value is made.
    Broken,
    /// The default of the type.
    Default,
}

/// A field of a message.
#[derive(Debug)]
pub struct Field {
    /// Its name in paths.
    pub name: &'static str,
    /// Its type, or none for a field that a subset leaves out.
    pub shape: Option<&'static Shape>,
    /// True if the field is decoded on access only.
    pub lazy: bool,
}

/// The treatment of lazy fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lazies {
    /// Skip them.
    Skip,
    /// Read them after all else.
    Enter,
}

impl Shape {
    /// Checks that `bytes` start with a value of this type and returns where it ends.
    ///
    /// # Errors
    /// The first mistake, in the order of docs/spec/extprot.md 5.
    pub fn explain(&self, bytes: &[u8], limits: &Limits, lazies: Lazies) -> Result<usize, Error> {
        let mut walk = Walk { bytes, limits, lazies, at: 0, path: Vec::new(), lazy: Vec::new(), entered: &[] };
        match walk.value(self, bytes.len()) {
            Ok(()) => Ok(walk.at),
            Err(error) => Err(self.first(bytes, limits, error, &walk.lazy)),
        }
    }

    /// Returns the error to report when `error` was met inside the lazy fields at the offsets
    /// `lazy`, from the outside in: an error elsewhere comes before it
    /// (docs/spec/extprot.md 5.8).
    fn first(&self, bytes: &[u8], limits: &Limits, error: Error, lazy: &[usize]) -> Error {
        // The message without lazy fields, then the outermost of them without those in it, and so
        // on inwards. Lazy fields before these are right.
        for outer in 0..lazy.len() {
            let entered = &lazy[..outer];
            let mut walk = Walk { bytes, limits, lazies: Lazies::Skip, at: 0, path: Vec::new(), lazy: Vec::new(), entered };
            if let Err(earlier) = walk.value(self, bytes.len()) {
                return earlier;
            }
        }
        error
    }

    /// Returns the error of [`explain`](Self::explain) for bytes that generated code could not
    /// read.
    ///
    /// # Panics
    /// If the bytes are valid: the generated code and its tables differ.
    #[cold]
    pub fn refusal(&self, bytes: &[u8], limits: &Limits, lazies: Lazies) -> Error {
        self.explain(bytes, limits, lazies).expect_err("generated code refuses what its tables accept")
    }
}

struct Walk<'a> {
    bytes: &'a [u8],
    limits: &'a Limits,
    lazies: Lazies,
    at: usize,
    path: Vec<PathStep>,
    /// Offsets of the lazy fields around, from the outside in.
    lazy: Vec<usize>,
    /// Offsets of the lazy fields that are read although others are skipped.
    entered: &'a [usize],
}

impl Walk<'_> {
    fn fail<T>(&self, cause: Cause, at: usize) -> Result<T, Error> {
        Err(Error::new(cause, at, self.path.clone()))
    }

    fn wire_type<T>(&self, wire: u64, at: usize) -> Result<T, Error> {
        self.fail(Cause::BadWireType(Some(wire as u8)), at)
    }

    /// Reads a number of the value at `start`.
    fn vint(&mut self, end: usize, start: usize) -> Result<u64, Error> {
        match wire::vint(&self.bytes[..end], self.at) {
            Ok((value, at)) => {
                self.at = at;
                Ok(value)
            }
            Err(VintError::End) => self.fail(Cause::UnexpectedEnd, end),
            Err(VintError::Overflow) => self.fail(Cause::VintOverflow, start),
        }
    }

    /// Reads tag and wire type.
    fn prefix(&mut self, end: usize) -> Result<(u64, u64), Error> {
        let start = self.at;
        let prefix = self.vint(end, start)?;
        if wire_type_name((prefix & 15) as u8).is_none() {
            return self.fail(Cause::BadWireType(None), start);
        }
        Ok((prefix >> 4, prefix & 15))
    }

    fn fixed(&mut self, size: usize, end: usize) -> Result<(), Error> {
        if size > end - self.at {
            return self.fail(Cause::UnexpectedEnd, end);
        }
        self.at += size;
        Ok(())
    }

    /// Reads a length. Returns where the composite ends, and its length.
    fn length(&mut self, end: usize, start: usize) -> Result<(usize, u64), Error> {
        let length = self.vint(end, start)?;
        if length > (end - self.at) as u64 {
            return self.fail(Cause::UnexpectedEnd, end);
        }
        Ok((self.at + length as usize, length))
    }

    /// Reads a head. Returns where the composite ends, and its count.
    fn composite(&mut self, end: usize, start: usize) -> Result<(usize, u64), Error> {
        let (stop, _) = self.length(end, start)?;
        Ok((stop, self.vint(stop, start)?))
    }

    fn limited(&mut self, end: usize, start: usize) -> Result<(usize, u64), Error> {
        let (stop, length) = self.length(end, start)?;
        let count = self.vint(stop, start)?;
        if count > self.limits.elements {
            return self.fail(Cause::LimitExceeded(Size::Elements, count), start);
        }
        if length > self.limits.message_length {
            return self.fail(Cause::LimitExceeded(Size::MessageLength, length), start);
        }
        Ok((stop, count))
    }

    fn payload(&mut self, wire: u64, start: usize, end: usize) -> Result<(), Error> {
        match wire {
            wire_type::VINT => self.vint(end, start).map(drop),
            wire_type::BITS8 => self.fixed(1, end),
            wire_type::BITS32 => self.fixed(4, end),
            wire_type::BITS64_LONG | wire_type::BITS64_FLOAT => self.fixed(8, end),
            wire_type::ENUM => Ok(()),
            _ => {
                self.at = self.length(end, start)?.0;
                Ok(())
            }
        }
    }

    fn skip(&mut self, end: usize) -> Result<(), Error> {
        let start = self.at;
        let (_, wire) = self.prefix(end)?;
        self.payload(wire, start, end)
    }

    fn primitive_payload(&mut self, wire: u64, start: usize, end: usize) -> Result<(), Error> {
        if wire == wire_type::BYTES {
            let (stop, length) = self.length(end, start)?;
            if length > self.limits.string_length {
                return self.fail(Cause::LimitExceeded(Size::StringLength, length), start);
            }
            self.at = stop;
            return Ok(());
        }
        self.payload(wire, start, end)
    }

    fn value(&mut self, shape: &Shape, end: usize) -> Result<(), Error> {
        match shape.form {
            Form::Primitive(primitive) => self.primitive(primitive, end),
            Form::List(element) => self.list(element, end),
            Form::Tuple(parts) => {
                let start = self.at;
                let (_, wire) = self.prefix(end)?;
                if wire == wire_type::TUPLE { self.elements(parts, start, end) } else { self.promoted(parts, wire, start, end) }
            }
            Form::Sum { constants, others } => self.sum(constants, others, end),
            Form::Message { name, variants } => {
                self.path.push(PathStep::Name(name));
                self.message(variants, end)?;
                self.path.pop();
                Ok(())
            }
            Form::Subset { name, fields } => {
                self.path.push(PathStep::Name(name));
                self.subset(fields, end)?;
                self.path.pop();
                Ok(())
            }
            Form::External(shape) => self.value(shape, end),
        }
    }

    fn primitive(&mut self, primitive: Primitive, end: usize) -> Result<(), Error> {
        let start = self.at;
        let (tag, wire) = self.prefix(end)?;
        if tag != 0 {
            return self.fail(Cause::UnknownTag(tag), start);
        }
        if wire != wire_type::TUPLE {
            return if primitive.reads(wire) { self.primitive_payload(wire, start, end) } else { self.wire_type(wire, start) };
        }
        let (stop, count) = self.composite(end, start)?;
        if count == 0 {
            return self.wire_type(wire, start);
        }
        let first = self.at;
        let (tag, wire) = self.prefix(stop)?;
        if tag != 0 {
            return self.fail(Cause::UnknownTag(tag), first);
        }
        if !primitive.reads(wire) {
            return self.wire_type(wire, first);
        }
        self.primitive_payload(wire, first, stop)?;
        self.at = stop;
        Ok(())
    }

    fn list(&mut self, element: &Shape, end: usize) -> Result<(), Error> {
        let start = self.at;
        let (_, wire) = self.prefix(end)?;
        if wire != wire_type::HTUPLE {
            return self.wire_type(wire, start);
        }
        let (stop, count) = self.limited(end, start)?;
        for _ in 0..count {
            self.value(element, stop)?;
        }
        self.at = stop;
        Ok(())
    }

    fn elements(&mut self, parts: &[&'static Shape], start: usize, end: usize) -> Result<(), Error> {
        let (stop, count) = self.composite(end, start)?;
        self.counted(parts, count, stop)
    }

    fn counted(&mut self, parts: &[&'static Shape], count: u64, stop: usize) -> Result<(), Error> {
        for (n, part) in parts.iter().enumerate() {
            if count > n as u64 {
                self.value(part, stop)?;
            } else {
                self.absent(part, Cause::MissingTupleElement(n as u32))?;
            }
        }
        self.at = stop;
        Ok(())
    }

    fn absent(&self, shape: &Shape, missing: Cause) -> Result<(), Error> {
        let absent = if let Form::External(shape) = shape.form { shape.absent } else { shape.absent };
        match absent {
            Absent::Default => Ok(()),
            Absent::Broken => self.fail(Cause::MissingField, self.at),
            Absent::Missing => self.fail(missing, self.at),
        }
    }

    /// Reads a bare primitive in the place of the values of `parts`.
    fn promoted(&mut self, parts: &[&'static Shape], wire: u64, start: usize, end: usize) -> Result<(), Error> {
        let fits = matches!(parts[0].form, Form::Primitive(primitive) if primitive.own() == wire);
        if !fits || parts[1..].iter().any(|part| part.absent == Absent::Missing) {
            return self.wire_type(wire, start);
        }
        self.primitive_payload(wire, start, end)?;
        parts[1..].iter().try_for_each(|part| self.absent(part, Cause::MissingField))
    }

    fn sum(&mut self, constants: u64, others: &[&[&'static Shape]], end: usize) -> Result<(), Error> {
        let start = self.at;
        let (tag, wire) = self.prefix(end)?;
        match wire {
            wire_type::ENUM if constants > 0 => {
                if tag < constants {
                    Ok(())
                } else {
                    self.fail(Cause::UnknownTag(tag), start)
                }
            }
            wire_type::TUPLE if !others.is_empty() => {
                let (stop, count) = self.composite(end, start)?;
                match usize::try_from(tag).ok().and_then(|tag| others.get(tag)) {
                    Some(parts) => self.counted(parts, count, stop),
                    None => self.fail(Cause::UnknownTag(tag), start),
                }
            }
            wire_type::ENUM | wire_type::TUPLE => self.wire_type(wire, start),
            _ => match others.first() {
                Some(parts) => self.promoted(parts, wire, start, end),
                None => self.wire_type(wire, start),
            },
        }
    }

    fn message(&mut self, variants: &[(&'static str, &'static [Field])], end: usize) -> Result<(), Error> {
        let start = self.at;
        let (tag, wire) = self.prefix(end)?;
        let row = if wire == wire_type::TUPLE { Some(self.limited(end, start)?) } else { None };
        let Some((name, fields)) = usize::try_from(tag).ok().and_then(|tag| variants.get(tag)) else {
            return self.fail(Cause::UnknownTag(tag), start);
        };
        let depth = self.path.len();
        let first = fields.first().and_then(|field| Some((field.name, field.shape?)));
        let promoted = match first {
            Some((_, Shape { form: Form::Primitive(primitive), .. })) => primitive.own() == wire,
            _ => false,
        };
        if row.is_none() && !promoted {
            return self.wire_type(wire, start);
        }
        if !name.is_empty() {
            self.path.push(PathStep::Name(name));
        }
        match row {
            Some((stop, count)) => self.fields(fields, count, stop)?,
            None => {
                for (n, field) in fields.iter().enumerate() {
                    self.path.push(PathStep::Name(field.name));
                    match (n, field.shape) {
                        (0, _) => self.primitive_payload(wire, start, end)?,
                        (_, Some(shape)) => self.absent(shape, Cause::MissingField)?,
                        (_, None) => {}
                    }
                    self.path.pop();
                }
            }
        }
        self.path.truncate(depth);
        Ok(())
    }

    fn fields(&mut self, fields: &[Field], count: u64, stop: usize) -> Result<(), Error> {
        for (n, field) in fields.iter().enumerate() {
            self.step(field, count > n as u64, stop)?;
        }
        self.at = stop;
        Ok(())
    }

    fn step(&mut self, field: &Field, present: bool, stop: usize) -> Result<(), Error> {
        match (field.shape, present) {
            (None, true) => self.skip(stop)?,
            (None, false) => {}
            (Some(shape), present) => {
                self.path.push(PathStep::Name(field.name));
                match present {
                    true if field.lazy && !self.is_constant(shape, stop) => self.lazy(shape, stop)?,
                    true => self.value(shape, stop)?,
                    false => self.absent(shape, Cause::MissingField)?,
                }
                self.path.pop();
            }
        }
        Ok(())
    }

    fn lazy(&mut self, shape: &Shape, stop: usize) -> Result<(), Error> {
        if self.lazies == Lazies::Skip && !self.entered.contains(&self.at) {
            return self.skip(stop);
        }
        self.lazy.push(self.at);
        self.value(shape, stop)?;
        self.lazy.pop();
        Ok(())
    }

    /// Returns whether a constant constructor comes, which a lazy field decodes at once
    /// (docs/spec/extprot.md 5.8).
    fn is_constant(&self, shape: &Shape, stop: usize) -> bool {
        matches!(shape.form, Form::Sum { constants: 1.., .. })
            && wire::vint(&self.bytes[..stop], self.at).is_ok_and(|(prefix, _)| prefix & 15 == wire_type::ENUM)
    }

    fn subset(&mut self, fields: &[Field], end: usize) -> Result<(), Error> {
        let start = self.at;
        let (tag, wire) = self.prefix(end)?;
        if wire != wire_type::TUPLE {
            return self.wire_type(wire, start);
        }
        let (stop, count) = self.limited(end, start)?;
        if tag != 0 {
            return self.fail(Cause::UnknownTag(tag), start);
        }
        self.fields(fields, count, stop)
    }
}
