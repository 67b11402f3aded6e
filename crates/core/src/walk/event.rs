//! The words of a walk: what a reader says to a sink about one message.
//!
//! A message is one value. A value is a scalar, a value in parts, or a container: `open`, its entries, `close`.
//! The entries of a record are `field`, value, `field`, value. Those of a map are key, value, key, value, where a
//! key that is text always comes as a `field`, so that sinks treat objects of all formats alike. The entries of
//! a list, a tuple, a variant and a tagged value are values.

use crate::walk::time::Timestamp;

/// A byte range in the stream that a message came from.
///
/// An empty span (`start == end`) says that the thing is not on the wire: a default, or a value that was built in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u64,
    /// Offset after the last byte.
    pub end: u64,
}

impl Span {
    /// The span of something that is not on the wire.
    pub const NONE: Span = Span { start: 0, end: 0 };

    /// The span from `start` up to, not including, `end`.
    #[inline]
    pub const fn new(start: u64, end: u64) -> Span {
        Span { start, end }
    }

    /// The span of `base + start .. base + end`, for readers that count from the start of their message.
    #[inline]
    pub const fn at(base: u64, start: usize, end: usize) -> Span {
        Span { start: base + start as u64, end: base + end as u64 }
    }

    /// Number of bytes.
    pub const fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Whether the thing is not on the wire.
    pub const fn is_empty(self) -> bool {
        self.start >= self.end
    }
}

/// Text or bytes that either lie in the message (and live as long as it), or in the reader's scratch memory
/// (and live until the call returns), as unescaped text does.
#[derive(Debug, PartialEq, Eq)]
pub enum Str<'m, 's, T: ?Sized> {
    /// Part of the message.
    Input(&'m T),
    /// Made by the reader; gone after the call.
    Scratch(&'s T),
}

impl<T: ?Sized> Clone for Str<'_, '_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Str<'_, '_, T> {}

impl<'m: 's, 's, T: ?Sized> Str<'m, 's, T> {
    /// The contents, wherever they lie.
    #[inline]
    pub fn get(self) -> &'s T {
        match self {
            Str::Input(text) => text,
            Str::Scratch(text) => text,
        }
    }

    /// The same contents for a sink that copies them and does not outlive the call.
    #[inline]
    pub fn scratch(self) -> Str<'static, 's, T> {
        Str::Scratch(self.get())
    }
}

/// How a number was written, beyond its value: its width, a decimal's exponent, its digits as they
/// came. A hint never changes what a number means, and equality ignores it.
///
/// Copying one copies a reference; what it refers to lives for the call.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hint<'s>(Option<&'s Spelling<'s>>);

impl<'s> Hint<'s> {
    /// No hint.
    pub const NONE: Hint<'static> = Hint(None);

    /// Makes a hint of a spelling.
    #[inline]
    pub const fn new(spelling: &'s Spelling<'s>) -> Hint<'s> {
        Hint(Some(spelling))
    }

    /// Returns how the number was written, if the reader says so.
    #[inline]
    pub const fn spelling(self) -> Option<&'s Spelling<'s>> {
        self.0
    }
}

impl PartialEq for Hint<'_> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// One way to write a number. What is `None` is unknown.
///
/// ```
/// use polywire_core::{Hint, Scalar, Spelling};
///
/// let mut cents = Spelling::default();
/// cents.exponent = Some(-2);
/// assert_eq!(Scalar::F64(1.5, Hint::new(&cents)), Scalar::f64(1.5));
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Spelling<'s> {
    /// Width in bits, in formats that have several.
    pub width: Option<u8>,
    /// Exponent of ten by which a whole mantissa was multiplied.
    pub exponent: Option<i32>,
    /// Digits as they came, with sign, point and exponent.
    pub digits: Option<&'s str>,
}

/// A value without parts.
///
/// Every value has one spelling: whole numbers from zero up are `UInt`, those below are `Int`, and `Big` is for those that
/// neither holds; `Decimal` is for numbers that an `f64` would change.
///
/// Numbers carry a [`Hint`] of how they were written, which equality ignores. Make them with
/// [`Scalar::int`], [`Scalar::uint`], [`Scalar::f64`] and their siblings where there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Scalar<'m, 's> {
    /// No value.
    Null,
    /// Truth value.
    Bool(bool),
    /// A whole number below zero.
    Int(i64, Hint<'s>),
    /// A whole number from zero up.
    UInt(u64, Hint<'s>),
    /// IEEE 754 binary32, as such on the wire.
    F32(f32, Hint<'s>),
    /// IEEE 754 binary64, or text whose value an `f64` gives back.
    F64(f64, Hint<'s>),
    /// Decimal digits of a whole number outside `i64` and `u64`, with `-` where it is negative, without leading zeros.
    Big(Str<'m, 's, str>, Hint<'s>),
    /// A decimal number that an `f64` would change: JSON's number syntax.
    Decimal(Str<'m, 's, str>, Hint<'s>),
    /// Unicode text.
    Text(Str<'m, 's, str>),
    /// Binary data.
    Bytes(Str<'m, 's, [u8]>),
    /// Text in a character set that the format does not tell.
    Octets(Str<'m, 's, [u8]>),
    /// A moment in time.
    Time(Timestamp),
}

impl<'m: 's, 's> Scalar<'m, 's> {
    /// The same value for a sink that copies it and does not outlive the call.
    #[inline]
    pub fn scratch(self) -> Scalar<'static, 's> {
        match self {
            Scalar::Null => Scalar::Null,
            Scalar::Bool(value) => Scalar::Bool(value),
            Scalar::Int(value, hint) => Scalar::Int(value, hint),
            Scalar::UInt(value, hint) => Scalar::UInt(value, hint),
            Scalar::F32(value, hint) => Scalar::F32(value, hint),
            Scalar::F64(value, hint) => Scalar::F64(value, hint),
            Scalar::Big(text, hint) => Scalar::Big(text.scratch(), hint),
            Scalar::Decimal(text, hint) => Scalar::Decimal(text.scratch(), hint),
            Scalar::Text(text) => Scalar::Text(text.scratch()),
            Scalar::Bytes(bytes) => Scalar::Bytes(bytes.scratch()),
            Scalar::Octets(bytes) => Scalar::Octets(bytes.scratch()),
            Scalar::Time(moment) => Scalar::Time(moment),
        }
    }
}

impl<'m, 's> Scalar<'m, 's> {
    /// Makes a whole number in its one spelling, without a hint.
    #[inline]
    pub const fn int(value: i64) -> Self {
        if value < 0 { Scalar::Int(value, Hint::NONE) } else { Scalar::UInt(value as u64, Hint::NONE) }
    }

    /// Makes a whole number from zero up, without a hint.
    #[inline]
    pub const fn uint(value: u64) -> Self {
        Scalar::UInt(value, Hint::NONE)
    }

    /// Makes a binary32 number, without a hint.
    #[inline]
    pub const fn f32(value: f32) -> Self {
        Scalar::F32(value, Hint::NONE)
    }

    /// Makes a binary64 number, without a hint.
    #[inline]
    pub const fn f64(value: f64) -> Self {
        Scalar::F64(value, Hint::NONE)
    }

    /// Makes a whole number of its digits, as [`Scalar::Big`] asks for them, without a hint.
    #[inline]
    pub const fn big(digits: Str<'m, 's, str>) -> Self {
        Scalar::Big(digits, Hint::NONE)
    }

    /// Makes a decimal number of its text, as [`Scalar::Decimal`] asks for it, without a hint.
    #[inline]
    pub const fn decimal(text: Str<'m, 's, str>) -> Self {
        Scalar::Decimal(text, Hint::NONE)
    }

    /// The name of the scalar's kind, for messages to people.
    pub const fn kind(&self) -> &'static str {
        match self {
            Scalar::Null => "null",
            Scalar::Bool(_) => "bool",
            Scalar::Int(..) | Scalar::UInt(..) => "integer",
            Scalar::F32(..) => "float32",
            Scalar::F64(..) => "float64",
            Scalar::Big(..) => "big integer",
            Scalar::Decimal(..) => "decimal",
            Scalar::Text(_) => "text",
            Scalar::Bytes(_) => "bytes",
            Scalar::Octets(_) => "octets",
            Scalar::Time(_) => "timestamp",
        }
    }
}

/// How many entries a container has, as far as is known when it opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Len {
    /// The format does not say, or an adapter may drop entries.
    Unknown,
    /// So many entries (of a map: pairs) follow, or the walk fails. The number comes from the wire: never allocate from it.
    Claimed(u64),
}

/// The start of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Open<'s> {
    /// Values in order, any number.
    List(Len),
    /// Pairs of key and value; a key that is text comes as a field.
    Map(Len),
    /// Values in order, a fixed number of them, each with its own meaning.
    Tuple(Len),
    /// Named fields.
    Record {
        /// Type name, empty if unknown.
        name: &'s str,
        /// Number of fields.
        len: Len,
    },
    /// A case of a sum type: holds 0, 1 or n values.
    Variant {
        /// Name of the case, empty if unknown.
        name: &'s str,
        /// Index of the case in its type.
        index: u32,
    },
    /// One value that a format marks as special: CBOR tags, MessagePack extensions.
    Tagged {
        /// The format whose numbering `code` belongs to.
        space: &'s str,
        /// The mark.
        code: u64,
    },
}

impl Open<'_> {
    /// The name of the container's kind, for messages to people.
    pub const fn kind(&self) -> &'static str {
        match self {
            Open::List(_) => "list",
            Open::Map(_) => "map",
            Open::Tuple(_) => "tuple",
            Open::Record { .. } => "record",
            Open::Variant { .. } => "variant",
            Open::Tagged { .. } => "tagged value",
        }
    }

    /// The same container with no claim on the number of its entries.
    pub const fn unclaimed(self) -> Self {
        match self {
            Open::List(_) => Open::List(Len::Unknown),
            Open::Map(_) => Open::Map(Len::Unknown),
            Open::Tuple(_) => Open::Tuple(Len::Unknown),
            Open::Record { name, .. } => Open::Record { name, len: Len::Unknown },
            other => other,
        }
    }
}

/// The name of the value that follows: a record's field, or a map's key that is text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field<'m, 's> {
    /// Name or key.
    pub name: Str<'m, 's, str>,
    /// Number of the field on the wire, in formats that number them.
    pub id: Option<u64>,
    /// Index of the field in the schema's record, where a schema is known.
    pub slot: Option<u32>,
}

impl<'m, 's> Field<'m, 's> {
    /// A field that has just a name.
    #[inline]
    pub const fn named(name: Str<'m, 's, str>) -> Self {
        Field { name, id: None, slot: None }
    }
}

/// What a sink wants of the value that was announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Its events.
    Enter,
    /// No events of it, its `close` neither. Its bytes are stepped over: framing and limits hold, contents are not checked.
    Skip,
    /// Nothing more of this message. The walk ends well.
    Stop,
}

/// A piece of text or bytes that comes in parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part<'s> {
    /// This piece. Of text, a whole number of UTF-8 sequences.
    pub bytes: &'s [u8],
    /// What the pieces make together.
    pub kind: PartKind,
    /// Length of the whole in bytes, if the format says so beforehand; from the wire: never allocate from it.
    pub total: Option<u64>,
    /// Whether this is the last piece.
    pub last: bool,
}

/// What the pieces of a value in parts make together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartKind {
    /// UTF-8 text.
    Text,
    /// Binary data.
    Bytes,
    /// Text in an unknown character set.
    Octets,
}

/// Something in the message that is no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note<'s> {
    /// Bytes that the reader could not interpret and stepped over; a conversion loses them.
    Unknown(&'s [u8]),
    /// A comment; a conversion loses it unless the target has comments.
    Comment(&'s str),
    /// An instruction to the processor of the document, as it stands there (XML's `<?…?>` and `<!DOCTYPE …>`).
    Directive(&'s str),
    /// White space between values that a pretty-printer could have put there. Losing it is no loss.
    Layout(&'s str),
    /// What bytes around the values say: a head, an entry of a dictionary, a signature. For `inspect`; nothing is lost.
    Frame(&'s str),
    /// The reader gave a value another form than the wire's, as stated. For `inspect`; nothing is lost.
    Coerced(&'static str),
}
