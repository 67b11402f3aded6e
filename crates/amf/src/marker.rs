//! The first byte of a value, which is its type.

/// Markers of AMF0 (AMF0 2.1).
pub(crate) mod amf0 {
    pub const NUMBER: u8 = 0x00;
    pub const BOOLEAN: u8 = 0x01;
    pub const STRING: u8 = 0x02;
    pub const OBJECT: u8 = 0x03;
    pub const NULL: u8 = 0x05;
    pub const UNDEFINED: u8 = 0x06;
    pub const REFERENCE: u8 = 0x07;
    pub const ECMA_ARRAY: u8 = 0x08;
    pub const OBJECT_END: u8 = 0x09;
    pub const STRICT_ARRAY: u8 = 0x0a;
    pub const DATE: u8 = 0x0b;
    pub const LONG_STRING: u8 = 0x0c;
    pub const UNSUPPORTED: u8 = 0x0d;
    pub const XML_DOCUMENT: u8 = 0x0f;
    pub const TYPED_OBJECT: u8 = 0x10;
    /// A value of AMF3 follows (AMF0 3.1).
    pub const AVM_PLUS: u8 = 0x11;
}

/// Markers of AMF3 (AMF3 3.1).
pub(crate) mod amf3 {
    pub const UNDEFINED: u8 = 0x00;
    pub const NULL: u8 = 0x01;
    pub const FALSE: u8 = 0x02;
    pub const TRUE: u8 = 0x03;
    pub const INTEGER: u8 = 0x04;
    pub const DOUBLE: u8 = 0x05;
    pub const STRING: u8 = 0x06;
    pub const XML_DOCUMENT: u8 = 0x07;
    pub const DATE: u8 = 0x08;
    pub const ARRAY: u8 = 0x09;
    pub const OBJECT: u8 = 0x0a;
    pub const XML: u8 = 0x0b;
    pub const BYTE_ARRAY: u8 = 0x0c;
    pub const VECTOR_INT: u8 = 0x0d;
    pub const VECTOR_UINT: u8 = 0x0e;
    pub const VECTOR_DOUBLE: u8 = 0x0f;
    pub const VECTOR_OBJECT: u8 = 0x10;
    pub const DICTIONARY: u8 = 0x11;
}

/// Marks of a shared object.
pub(crate) mod shared {
    /// First two bytes of a file.
    pub const MAGIC: [u8; 2] = [0x00, 0xbf];
    /// Bytes behind the length.
    pub const SIGNATURE: [u8; 10] = *b"TCSO\0\x04\0\0\0\0";
    /// Bytes before the part that the length counts: the magic bytes and the length.
    pub const COUNTED: usize = 6;
    /// Bytes between the name and the version.
    pub const PADDING: [u8; 3] = [0; 3];
}
