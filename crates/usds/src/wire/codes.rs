//! Signatures, and the numbers of types and encodings (docs/spec/usds.md 3 and 5).

use crate::error::Revision;

/// The head: `$S`, version 1.0.
pub const HEAD: [u8; 4] = [0x24, 0x53, 0x01, 0x00];
/// The dictionary section: `D`.
pub const DICTIONARY: u8 = 0x44;
/// A body of revision A: `B`.
pub const BODY_A: u8 = 0x42;
/// A body of revision B: `b`.
pub const BODY_B: u8 = 0x62;
/// A body of the profile: `p`.
pub const BODY_PROFILE: u8 = 0x70;
/// First byte of a dictionary section of revision A: UTF-8.
pub const SECTION_A: u8 = 0x02;
/// First byte of a dictionary section of the profile: `P`.
pub const SECTION_PROFILE: u8 = 0x50;
/// A tag in a dictionary section: `t`.
pub const TAG: u8 = 0x74;
/// A field in a dictionary section: `f`.
pub const FIELD: u8 = 0x66;
/// A restriction in a dictionary section, or the end of an inline structure: `Rr`.
pub const NOT_ROOT: [u8; 2] = [0x52, 0x72];
/// A field may be null (profile): `n`.
pub const NULLABLE: u8 = 0x6e;
/// A field has a default (profile): `=`.
pub const DEFAULT: u8 = 0x3d;

/// Single-value type of the dictionary language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Simple {
    /// Truth value.
    Boolean,
    /// Signed, 8 bits.
    Byte,
    /// Unsigned, 8 bits.
    Ubyte,
    /// Signed, 16 bits.
    Short,
    /// Unsigned, 16 bits.
    Ushort,
    /// Signed, 32 bits.
    Int,
    /// Unsigned, 32 bits.
    Uint,
    /// Signed, 64 bits.
    Long,
    /// Unsigned, 64 bits.
    Ulong,
    /// IEEE 754 binary32.
    Float,
    /// IEEE 754 binary64.
    Double,
    /// Signed, 64 bits, short if it is small.
    Varint,
    /// Unsigned, 64 bits, short if it is small.
    Uvarint,
}

impl Simple {
    /// All of these types.
    pub const ALL: [Simple; 13] = [
        Simple::Boolean,
        Simple::Byte,
        Simple::Ubyte,
        Simple::Short,
        Simple::Ushort,
        Simple::Int,
        Simple::Uint,
        Simple::Long,
        Simple::Ulong,
        Simple::Float,
        Simple::Double,
        Simple::Varint,
        Simple::Uvarint,
    ];

    /// Returns the keyword of revision B.
    pub const fn keyword(self) -> &'static str {
        match self {
            Simple::Boolean => "BOOLEAN",
            Simple::Byte => "BYTE",
            Simple::Ubyte => "UBYTE",
            Simple::Short => "SHORT",
            Simple::Ushort => "USHORT",
            Simple::Int => "INT",
            Simple::Uint => "UINT",
            Simple::Long => "LONG",
            Simple::Ulong => "ULONG",
            Simple::Float => "FLOAT",
            Simple::Double => "DOUBLE",
            Simple::Varint => "VARINT",
            Simple::Uvarint => "UVARINT",
        }
    }

    /// Returns the code of revision A, for the types that work there.
    pub const fn code_a(self) -> Option<u8> {
        match self {
            Simple::Boolean => Some(1),
            Simple::Int => Some(8),
            Simple::Long => Some(12),
            Simple::Double => Some(22),
            Simple::Uvarint => Some(25),
            _ => None,
        }
    }

    /// Returns the code of revision B and the profile.
    pub const fn code_b(self) -> u8 {
        match self {
            Simple::Boolean => 1,
            Simple::Byte => 2,
            Simple::Ubyte => 3,
            Simple::Short => 4,
            Simple::Ushort => 5,
            Simple::Int => 6,
            Simple::Uint => 7,
            Simple::Long => 8,
            Simple::Ulong => 9,
            Simple::Float => 12,
            Simple::Double => 13,
            Simple::Varint => 14,
            Simple::Uvarint => 15,
        }
    }

    /// Returns the type with that code in a revision.
    pub fn of_code(code: u8, revision: Revision) -> Option<Simple> {
        Simple::ALL.into_iter().find(|simple| match revision {
            Revision::A => simple.code_a() == Some(code),
            _ => simple.code_b() == code,
        })
    }

    /// Returns whether bodies of revision B can hold the type.
    pub const fn is_plain(self) -> bool {
        self.code_a().is_some()
    }

    /// Returns the minimum and maximum of an integer type.
    pub const fn range(self) -> Option<(i128, i128)> {
        Some(match self {
            Simple::Byte => (i8::MIN as i128, i8::MAX as i128),
            Simple::Ubyte => (0, u8::MAX as i128),
            Simple::Short => (i16::MIN as i128, i16::MAX as i128),
            Simple::Ushort => (0, u16::MAX as i128),
            Simple::Int => (i32::MIN as i128, i32::MAX as i128),
            Simple::Uint => (0, u32::MAX as i128),
            Simple::Long | Simple::Varint => (i64::MIN as i128, i64::MAX as i128),
            Simple::Ulong | Simple::Uvarint => (0, u64::MAX as i128),
            Simple::Boolean | Simple::Float | Simple::Double => return None,
        })
    }

    /// Returns whether an enumeration can have the type for its numbers (docs/spec/usds.md 2.3).
    pub const fn is_subtype(self) -> bool {
        !matches!(self, Simple::Boolean | Simple::Ulong | Simple::Float | Simple::Double | Simple::Uvarint)
    }
}

/// Codes of composite types.
pub mod made {
    /// STRING in A.
    pub const STRING_A: u8 = 26;
    /// ARRAY in A.
    pub const ARRAY_A: u8 = 27;
    /// STRUCT in A.
    pub const STRUCT_A: u8 = 31;
    /// A link in A, as the element of an array.
    pub const TAG_A: u8 = 32;
    /// A link.
    pub const TAG: u8 = 0;
    /// STRING.
    pub const STRING: u8 = 16;
    /// ARRAY.
    pub const ARRAY: u8 = 17;
    /// STRUCT.
    pub const STRUCT: u8 = 18;
    /// ENUM.
    pub const ENUM: u8 = 19;
    /// POLYMORPH, the highest number of B.
    pub const POLYMORPH: u8 = 20;
}

/// Returns the code of an encoding: UTF-8 or none.
pub const fn encoding(utf8: bool, revision: Revision) -> u8 {
    match (utf8, revision) {
        (false, _) => 0,
        (true, Revision::A) => 2,
        (true, _) => 1,
    }
}
