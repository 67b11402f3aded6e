//! Events of a walk as structs of C.

use polywire_core::{Field, Len, Note, Open, Part, PartKind, Scalar, Span};

/// A number that is not known.
pub const POLYWIRE_UNKNOWN: u64 = u64::MAX;

/// A byte range in the input. It is empty for things that are not on the wire, such as defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct SpanOfC {
    /// Offset of the first byte.
    start: u64,
    /// Offset after the last byte.
    end: u64,
}

/// Text in UTF-8, or bytes. No byte 0 follows. It lives until the callback returns.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Slice {
    /// The first byte.
    data: *const u8,
    /// Number of bytes.
    length: usize,
}

/// The kind of a scalar. Later versions may add kinds.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// No value.
    Null = 0,
    /// A truth value: `boolean`.
    Bool = 1,
    /// A whole number below zero: `integer`.
    Int = 2,
    /// A whole number from zero up: `natural`.
    Uint = 3,
    /// IEEE 754 binary32: `real` has its value.
    Float32 = 4,
    /// IEEE 754 binary64: `real`.
    Float64 = 5,
    /// A whole number that fits neither int64_t nor uint64_t: `text` has its decimal digits, with a
    /// minus sign if it is negative.
    Big = 6,
    /// A decimal number that a double would change: `text` has it in JSON's number syntax.
    Decimal = 7,
    /// Unicode text: `text`.
    Text = 8,
    /// Binary data: `text` has the bytes.
    Bytes = 9,
    /// Text in a character set that the format does not name: `text` has the bytes.
    Octets = 10,
    /// A moment in time: `time`.
    Time = 11,
    /// A kind that this library cannot hand over. A walk does not have any today.
    Other = 12,
}

/// A moment: seconds since 1970-01-01T00:00:00Z, without leap seconds.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Time {
    /// Seconds, rounded down.
    seconds: i64,
    /// Nanoseconds after these, below 10^9.
    nanoseconds: u32,
}

/// The value of a scalar. Its kind says which member holds it.
#[repr(C)]
#[derive(Clone, Copy)]
pub union ValueOfC {
    boolean: bool,
    integer: i64,
    natural: u64,
    real: f64,
    text: Slice,
    time: Time,
}

/// A value without parts.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ScalarOfC {
    /// The kind of the value.
    kind: Kind,
    /// The value.
    value: ValueOfC,
    /// The digits of a number as they came, such as "1.50"; a null pointer if the format does not
    /// write digits, or they say no more than the value.
    digits: Slice,
}

/// The kind of a container. Later versions may add kinds.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Container {
    /// Values in order.
    List = 0,
    /// Pairs of key and value. A key that is text comes as a field, another one as a value.
    Map = 1,
    /// A fixed number of values in order, each with its own meaning.
    Tuple = 2,
    /// Named fields. `name` is the name of the type.
    Record = 3,
    /// A case of a sum type, with 0, 1 or more values. `name` is the case's, `code` its index.
    Variant = 4,
    /// One value that a format marks as special, such as a tag of CBOR. `name` is the numbering
    /// that `code` belongs to.
    Tagged = 5,
    /// A container that this library cannot name. A walk does not have any today.
    Other = 6,
}

/// The start of a container.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct OpenOfC {
    /// The kind of the container.
    kind: Container,
    /// A name; of length 0 if there is none.
    name: Slice,
    /// Number of a variant's case or of a tag, otherwise 0.
    code: u64,
    /// Number of entries (in a map: of pairs), or POLYWIRE_UNKNOWN. It comes from the wire: never
    /// allocate by it.
    length: u64,
}

/// The name of the value that follows: a record's field, or a map's key that is text.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct FieldOfC {
    /// Name or key.
    name: Slice,
    /// Number of the field on the wire, in formats that number them, or POLYWIRE_UNKNOWN.
    id: u64,
    /// Index of the field in the schema's record, or POLYWIRE_UNKNOWN.
    slot: u64,
}

/// A piece of a text or of bytes that come in parts.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PartOfC {
    /// The kind of the value that the pieces make: text, bytes or octets.
    kind: Kind,
    /// True for the last piece.
    last: bool,
    /// The bytes of this piece.
    bytes: Slice,
    /// Length of the whole, or POLYWIRE_UNKNOWN. It comes from the wire: never allocate by it.
    total: u64,
}

/// The kind of a note. Later versions may add kinds.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum NoteKind {
    /// Bytes that the reader stepped over without understanding them.
    Unknown = 0,
    /// A comment.
    Comment = 1,
    /// An instruction to the document's processor, verbatim.
    Directive = 2,
    /// White space between values.
    Layout = 3,
    /// A description of bytes around the values, such as a header.
    Frame = 4,
    /// A remark on a value that the reader changed in form.
    Coerced = 5,
    /// A note that this library cannot name.
    Other = 6,
}

/// Something in the message that is no value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct NoteOfC {
    /// The kind of the note.
    kind: NoteKind,
    /// Its text or bytes.
    contents: Slice,
}

impl Slice {
    const NONE: Slice = Slice { data: std::ptr::null(), length: 0 };

    /// Makes a view of bytes.
    pub fn new(bytes: &[u8]) -> Slice {
        Slice { data: bytes.as_ptr(), length: bytes.len() }
    }
}

impl From<Span> for SpanOfC {
    fn from(span: Span) -> SpanOfC {
        SpanOfC { start: span.start, end: span.end }
    }
}

impl ScalarOfC {
    /// Makes the struct of a scalar, which borrows from it.
    pub fn new(scalar: &Scalar<'_, '_>) -> ScalarOfC {
        let text = |text: &str| ValueOfC { text: Slice::new(text.as_bytes()) };
        let nothing = ValueOfC { natural: 0 };
        let (kind, value) = match scalar {
            Scalar::Null => (Kind::Null, nothing),
            Scalar::Bool(value) => (Kind::Bool, ValueOfC { boolean: *value }),
            Scalar::Int(value, _) => (Kind::Int, ValueOfC { integer: *value }),
            Scalar::UInt(value, _) => (Kind::Uint, ValueOfC { natural: *value }),
            Scalar::F32(value, _) => (Kind::Float32, ValueOfC { real: f64::from(*value) }),
            Scalar::F64(value, _) => (Kind::Float64, ValueOfC { real: *value }),
            Scalar::Big(digits, _) => (Kind::Big, text(digits.get())),
            Scalar::Decimal(digits, _) => (Kind::Decimal, text(digits.get())),
            Scalar::Text(value) => (Kind::Text, text(value.get())),
            Scalar::Bytes(bytes) => (Kind::Bytes, ValueOfC { text: Slice::new(bytes.get()) }),
            Scalar::Octets(bytes) => (Kind::Octets, ValueOfC { text: Slice::new(bytes.get()) }),
            Scalar::Time(time) => (Kind::Time, ValueOfC { time: Time { seconds: time.seconds(), nanoseconds: time.nanos() } }),
            _ => (Kind::Other, nothing),
        };
        let digits = match scalar {
            Scalar::Int(_, hint) | Scalar::UInt(_, hint) | Scalar::F32(_, hint) | Scalar::F64(_, hint) => hint.digits(),
            _ => None,
        };
        ScalarOfC { kind, value, digits: digits.map_or(Slice::NONE, |digits| Slice::new(digits.as_bytes())) }
    }
}

fn known(number: Option<u64>) -> u64 {
    number.unwrap_or(POLYWIRE_UNKNOWN)
}

impl OpenOfC {
    /// Makes the struct of a container's start, which borrows from it.
    pub fn new(open: &Open<'_>) -> OpenOfC {
        let length = |len: &Len| match len {
            Len::Claimed(count) => *count,
            Len::Unknown => POLYWIRE_UNKNOWN,
        };
        let made = |kind, name: &str, code, length| OpenOfC { kind, name: Slice::new(name.as_bytes()), code, length };
        match open {
            Open::List(len) => made(Container::List, "", 0, length(len)),
            Open::Map(len) => made(Container::Map, "", 0, length(len)),
            Open::Tuple(len) => made(Container::Tuple, "", 0, length(len)),
            Open::Record { name, len } => made(Container::Record, name, 0, length(len)),
            Open::Variant { name, index } => made(Container::Variant, name, u64::from(*index), POLYWIRE_UNKNOWN),
            Open::Tagged { space, code } => made(Container::Tagged, space, *code, 1),
            _ => made(Container::Other, "", 0, POLYWIRE_UNKNOWN),
        }
    }
}

impl FieldOfC {
    /// Makes the struct of a field, which borrows from it.
    pub fn new(field: &Field<'_, '_>) -> FieldOfC {
        FieldOfC { name: Slice::new(field.name.get().as_bytes()), id: known(field.id), slot: known(field.slot.map(u64::from)) }
    }
}

impl PartOfC {
    /// Makes the struct of a piece, which borrows from it.
    pub fn new(part: &Part<'_>) -> PartOfC {
        let kind = match part.kind {
            PartKind::Text => Kind::Text,
            PartKind::Bytes => Kind::Bytes,
            PartKind::Octets => Kind::Octets,
        };
        PartOfC { kind, last: part.last, bytes: Slice::new(part.bytes), total: known(part.total) }
    }
}

impl NoteOfC {
    /// Makes the struct of a note, which borrows from it.
    pub fn new(note: &Note<'_>) -> NoteOfC {
        let (kind, contents) = match note {
            Note::Unknown(bytes) => (NoteKind::Unknown, *bytes),
            Note::Comment(text) => (NoteKind::Comment, text.as_bytes()),
            Note::Directive(text) => (NoteKind::Directive, text.as_bytes()),
            Note::Layout(text) => (NoteKind::Layout, text.as_bytes()),
            Note::Frame(text) => (NoteKind::Frame, text.as_bytes()),
            Note::Coerced(text) => (NoteKind::Coerced, text.as_bytes()),
            _ => (NoteKind::Other, &[][..]),
        };
        NoteOfC { kind, contents: Slice::new(contents) }
    }
}
