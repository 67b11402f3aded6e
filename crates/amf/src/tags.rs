//! The tag space `amf`: marks for what AMF has beyond other formats.
//!
//! Codes from 2³² on hold a number in their lower 32 bits.

/// Name of the space.
pub const SPACE: &str = "amf";

/// `undefined`; the value is null.
pub const UNDEFINED: u64 = 1;
/// A value that the sender could not write (AMF0 2.15); the value is null.
pub const UNSUPPORTED: u64 = 2;
/// A reference of AMF0; the value is the index of the object in the order of the objects.
pub const REFERENCE_0: u64 = 3;
/// A reference of AMF3; the value is the index of the object in the order of the objects.
pub const REFERENCE_3: u64 = 4;
/// A text of up to 65,535 bytes that AMF0 has as a long string.
pub const LONG_STRING: u64 = 5;
/// A text that is an `XMLDocument`.
pub const XML_DOCUMENT: u64 = 6;
/// A text that is `XML` of E4X.
pub const XML: u64 = 7;
/// A date that is no whole number of milliseconds; the value is a float64 of them.
pub const DATE: u64 = 8;
/// A typed object of AMF0 whose class has no name.
pub const TYPED: u64 = 9;
/// A value of AMF3 within AMF0.
pub const AMF3: u64 = 10;
/// An array of AMF3 with names: a map of these, then of its elements by their places.
pub const ARRAY: u64 = 11;
/// A dictionary whose keys are all text, or that is empty.
pub const DICTIONARY: u64 = 12;
/// A dictionary with weak keys.
pub const WEAK_DICTIONARY: u64 = 13;
/// A vector of 32-bit integers with a sign; the next code is one of fixed length.
pub const VECTOR_INT: u64 = 14;
/// A vector of 32-bit integers without a sign; the next code is one of fixed length.
pub const VECTOR_UINT: u64 = 16;
/// A vector of float64; the next code is one of fixed length.
pub const VECTOR_DOUBLE: u64 = 18;
/// A vector of objects: a tuple of the name of their class and a list; the next code is one of
/// fixed length.
pub const VECTOR_OBJECT: u64 = 20;
/// An object of AMF3 without a class, whose members are all sealed.
pub const SEALED: u64 = 22;

/// An object of AMF3 whose class is dynamic; the number is that of its sealed members, which come
/// first.
pub const DYNAMIC: u64 = 1 << 32;
/// A date of AMF0; the number is its time zone, as 16 bits.
pub const ZONED: u64 = 2 << 32;
/// An ECMA array of AMF0 whose count is not that of its entries; the number is the count.
pub const ECMA_ARRAY: u64 = 3 << 32;

/// An externalizable object of a known class; the number is that of the bits in its traits that
/// mean nothing (AMF3 3.12).
pub const EXTERNAL: u64 = 4 << 32;

/// Splits a code from 2³² on into its kind and its number.
pub(crate) const fn split(code: u64) -> (u64, u32) {
    (code & !0xffff_ffff, code as u32)
}

/// Returns the name of a code, for people.
pub(crate) fn name(space: &str, code: u64) -> Option<&'static str> {
    if space != SPACE {
        return None;
    }
    Some(match code {
        UNDEFINED => "undefined",
        UNSUPPORTED => "unsupported",
        REFERENCE_0 | REFERENCE_3 => "reference to an object",
        LONG_STRING => "long string",
        XML_DOCUMENT => "XML document",
        XML => "XML",
        DATE => "date",
        TYPED => "typed object",
        AMF3 => "AMF3",
        ARRAY => "array with names",
        DICTIONARY => "dictionary",
        WEAK_DICTIONARY => "dictionary with weak keys",
        VECTOR_INT => "vector of int",
        15 => "vector of int, of fixed length",
        VECTOR_UINT => "vector of uint",
        17 => "vector of uint, of fixed length",
        VECTOR_DOUBLE => "vector of Number",
        19 => "vector of Number, of fixed length",
        VECTOR_OBJECT => "vector of objects",
        21 => "vector of objects, of fixed length",
        SEALED => "sealed object",
        _ => match split(code).0 {
            DYNAMIC => "dynamic object",
            ZONED => "date with a time zone",
            ECMA_ARRAY => "ECMA array",
            EXTERNAL => "externalizable object",
            _ => return None,
        },
    })
}
