//! Events of a walk: what a reader emits to a sink about one message.
//!
//! A message is one value. A value is a scalar, a value in parts, or a container: `open`, its
//! entries, `close`. A record's entries are `field`, value, `field`, value. A map's are key, value,
//! key, value; a text key always comes as a `field`, so that sinks treat objects of all formats
//! alike. The entries of a list, a tuple, a variant and a tagged value are values.

use crate::walk::time::Timestamp;

/// A byte range in the stream that a message came from.
///
/// An empty span (`start == end`) means not on the wire: a default, or a value built in memory.
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

    /// Makes the span from `start` up to, not including, `end`.
    #[inline]
    pub const fn new(start: u64, end: u64) -> Span {
        Span { start, end }
    }

    /// Makes the span `base + start .. base + end`, for readers that count from their message's
    /// start.
    #[inline]
    pub const fn at(base: u64, start: usize, end: usize) -> Span {
        Span { start: base + start as u64, end: base + end as u64 }
    }

    /// Returns the number of bytes.
    pub const fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Returns whether the thing is not on the wire.
    pub const fn is_empty(self) -> bool {
        self.start >= self.end
    }
}

/// Text or bytes: a part of the message, which lives as long as it, or the reader's scratch memory,
/// which lives until the call returns. Unescaped text is in scratch memory.
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
    /// Returns the contents, wherever they are.
    #[inline]
    pub fn get(self) -> &'s T {
        match self {
            Str::Input(text) => text,
            Str::Scratch(text) => text,
        }
    }

    /// Returns the same contents for a sink that copies them and does not outlive the call.
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

    /// Returns how the number was written, if known.
    #[inline]
    pub const fn spelling(self) -> Option<&'s Spelling<'s>> {
        self.0
    }

    /// Returns the width in bits, if the reader says so.
    #[inline]
    pub fn width(self) -> Option<u8> {
        self.0?.width
    }

    /// Returns the exponent of a number of a decimal type.
    #[inline]
    pub fn exponent(self) -> Option<i32> {
        self.0?.exponent
    }

    /// Returns whether a number must not be rounded: its type is decimal, or the caller wants text.
    #[inline]
    pub fn is_exact(self) -> bool {
        self.0.is_some_and(|spelling| spelling.exact || spelling.exponent.is_some())
    }

    /// Returns the bytes that the number came as, if its reader was `format`'s and says so.
    #[inline]
    pub fn wire(self, format: &str) -> Option<&'s [u8]> {
        self.0?.wire.filter(|(name, _)| *name == format).map(|(_, bytes)| bytes)
    }

    /// Returns the digits as they came, if the reader says so.
    #[inline]
    pub fn digits(self) -> Option<&'s str> {
        self.0?.digits
    }
}

impl PartialEq for Hint<'_> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// One way to write a number. A field that is `None` is unknown.
///
/// ```
/// use polywire_core::{Hint, Scalar, Spelling};
///
/// let cents = Spelling::decimal("1.50", -2);
/// assert_eq!(Scalar::F64(1.5, Hint::new(&cents)), Scalar::f64(1.5));
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Spelling<'s> {
    /// Width in bits, in formats that have several.
    pub width: Option<u8>,
    /// Exponent of ten by which a whole mantissa was multiplied. Only numbers whose type is decimal
    /// have one, such as BSON's Decimal128.
    pub exponent: Option<i32>,
    /// Digits in JSON's number syntax, as they came: with sign, point, exponent and trailing zeros.
    pub digits: Option<&'s str>,
    /// Name of a format and the bytes that the number came as in it, where its writer would choose
    /// others, such as a shorter head. Only that writer repeats them.
    pub wire: Option<(&'static str, &'s [u8])>,
    /// True if the caller wants a decimal number as text rather than rounded.
    pub exact: bool,
}

impl<'s> Spelling<'s> {
    /// A spelling of which nothing is known.
    const NONE: Spelling<'static> = Spelling { width: None, exponent: None, digits: None, wire: None, exact: false };

    /// Returns the spelling of a number of `bits` bits.
    pub const fn width(bits: u8) -> Spelling<'static> {
        Spelling { width: Some(bits), ..Spelling::NONE }
    }

    /// Returns the spelling of an integer of `bits` bits that came as `bytes` in `format`, whose
    /// writer would choose others.
    pub const fn wire(format: &'static str, bits: u8, bytes: &'s [u8]) -> Spelling<'s> {
        Spelling { width: Some(bits), wire: Some((format, bytes)), ..Spelling::NONE }
    }

    /// Returns the spelling of a number that came as `digits`, in JSON's number syntax.
    pub const fn digits(digits: &'s str) -> Spelling<'s> {
        Spelling { digits: Some(digits), ..Spelling::NONE }
    }

    /// Returns the spelling of a number of a decimal type: its digits in JSON's number syntax, and
    /// the exponent of ten that multiplies its whole mantissa.
    pub const fn decimal(digits: &'s str, exponent: i32) -> Spelling<'s> {
        Spelling { exponent: Some(exponent), digits: Some(digits), ..Spelling::NONE }
    }
}

/// A value without parts.
///
/// Every value has one form. Whole numbers from zero up are `UInt`, those below zero are `Int`, and
/// `Big` holds those that fit neither. `Decimal` holds numbers that an `f64` would change.
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
    /// IEEE 754 binary64, or text that a binary64 number gives back when printed with as many
    /// digits.
    F64(f64, Hint<'s>),
    /// Decimal digits of a whole number outside `i64` and `u64`: `-` if negative, no leading zeros.
    Big(Str<'m, 's, str>, Hint<'s>),
    /// A decimal number that an `f64` would change, in JSON's number syntax.
    Decimal(Str<'m, 's, str>, Hint<'s>),
    /// Unicode text.
    Text(Str<'m, 's, str>),
    /// Binary data.
    Bytes(Str<'m, 's, [u8]>),
    /// Text in a character set that the format does not name.
    Octets(Str<'m, 's, [u8]>),
    /// A moment in time.
    Time(Timestamp),
}

impl<'m: 's, 's> Scalar<'m, 's> {
    /// Returns the same value for a sink that copies it and does not outlive the call.
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
    /// Makes a whole number in its one form, without a hint.
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

    /// Makes the number that a float of [`Type::Number`](crate::schema::Type::Number) means. It is
    /// an integer if it is whole and fits 64 bits. Minus zero is a float.
    pub fn number(value: f64) -> Self {
        const ABOVE_INT: f64 = 9_223_372_036_854_775_808.0;
        let is_whole = value.fract() == 0.0 && !(value == 0.0 && value.is_sign_negative());
        match value {
            _ if is_whole && (-ABOVE_INT..ABOVE_INT).contains(&value) => Scalar::int(value as i64),
            _ if is_whole && (ABOVE_INT..2.0 * ABOVE_INT).contains(&value) => Scalar::uint(value as u64),
            _ => Scalar::f64(value),
        }
    }

    /// Makes a whole number of its digits, in the form of [`Scalar::Big`], without a hint.
    #[inline]
    pub const fn big(digits: Str<'m, 's, str>) -> Self {
        Scalar::Big(digits, Hint::NONE)
    }

    /// Makes a decimal number of its text, in the form of [`Scalar::Decimal`], without a hint.
    #[inline]
    pub const fn decimal(text: Str<'m, 's, str>) -> Self {
        Scalar::Decimal(text, Hint::NONE)
    }

    /// Returns the decimal digits that the number was written with, if they are known: those of its
    /// hint, or those of a big integer or a decimal.
    pub fn digits(&self) -> Option<&'s str>
    where
        'm: 's,
    {
        match *self {
            Scalar::Int(_, hint) | Scalar::UInt(_, hint) | Scalar::F32(_, hint) | Scalar::F64(_, hint) => hint.digits(),
            Scalar::Big(text, _) | Scalar::Decimal(text, _) => Some(text.get()),
            _ => None,
        }
    }

    /// Returns the name of the scalar's kind, for people.
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

/// The number of a container's entries, as far as it is known at its opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Len {
    /// Unknown: the format does not say, or an adapter may drop entries.
    Unknown,
    /// The number of entries (in a map: pairs) that follow, or the walk fails. It comes from the
    /// wire: never allocate by it.
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
    /// A fixed number of values in order, each with its own meaning.
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
    /// One value that a format marks as special, such as CBOR's tags and MessagePack's extensions.
    Tagged {
        /// Tag space: name of the numbering that `code` belongs to.
        space: &'s str,
        /// Number of the tag.
        code: u64,
    },
}

impl Open<'_> {
    /// Returns the name of the container's kind, for people.
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

    /// Returns the same container with no claim on the number of its entries.
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
    /// Makes a field that has only a name.
    #[inline]
    pub const fn named(name: Str<'m, 's, str>) -> Self {
        Field { name, id: None, slot: None }
    }
}

/// A sink's answer to an announced value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Emit its events.
    Enter,
    /// Skip it: no events, and no `close`. Framing and limits are checked, contents are not.
    Skip,
    /// End the walk, without an error.
    Stop,
}

/// A piece of text or bytes that comes in parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part<'s> {
    /// Bytes of this piece. A piece of text is a whole number of UTF-8 sequences.
    pub bytes: &'s [u8],
    /// The kind of value that the pieces make together.
    pub kind: PartKind,
    /// Length of the whole in bytes, if announced. It comes from the wire: never allocate by it.
    pub total: Option<u64>,
    /// True for the last piece.
    pub last: bool,
}

/// The kind of value that pieces make together.
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
    /// Bytes that the reader skipped without understanding them; a conversion loses them.
    Unknown(&'s [u8]),
    /// A comment; a conversion loses it unless the target has comments.
    Comment(&'s str),
    /// An instruction to the document's processor, verbatim (XML's `<?…?>` and `<!DOCTYPE …>`).
    Directive(&'s str),
    /// White space between values that a pretty-printer could have put there; dropping it is no
    /// loss.
    Layout(&'s str),
    /// A description of bytes around the values: a header, a dictionary's entry, a signature. It is
    /// for `inspect`, and dropping it is no loss.
    Frame(&'s str),
    /// A value that the reader changed in form, as stated. It is for `inspect`, and no loss.
    Coerced(&'static str),
    /// The meaning of the value that follows, as people read it: the name of an object identifier,
    /// the digits or the address in octets. It is a likely one where a table of names decides. It
    /// is for `inspect`, and dropping it is no loss.
    Meaning(&'s str),
}
