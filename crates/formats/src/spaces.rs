//! Tag spaces whose values have texts of their own. Formats of text know them without the formats
//! that they come from, which may not be compiled in.

/// The tag space of BSON: the code is the element's type. For binary data other than subtype 0, it
/// is 0x0500 plus the subtype.
pub(crate) mod bson {
    /// Name in the registry and in errors, and the space of its tagged values.
    pub const NAME: &str = "bson";

    /// Type of binary data.
    pub(crate) const BINARY: u8 = 0x05;
    /// Type of an ObjectId.
    pub(crate) const OBJECT_ID: u8 = 0x07;

    /// Returns the code of a tagged value for binary data of a subtype.
    pub(crate) const fn binary_code(subtype: u8) -> u64 {
        (BINARY as u64) << 8 | subtype as u64
    }
}

/// The tag space of CBOR: the code is the tag's number.
pub(crate) mod cbor {
    /// Name in the registry and in errors, and the space of its tagged values.
    pub const NAME: &str = "cbor";
}
