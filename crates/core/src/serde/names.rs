//! The private language between [`Value`](crate::Value) and the serializers and deserializers of
//! this toolkit, for values that serde's data model has no kind for.
//!
//! A value is marked by the name of a newtype or tuple struct. Other libraries ignore such names.

use crate::walk::time::Timestamp;

/// A name of the private language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Special {
    /// Newtype: a value of any kind, each of its parts exact.
    Value,
    /// Newtype of text: decimal digits of a whole number beyond 64 bits.
    Big,
    /// Newtype of text: a decimal number in JSON's syntax.
    Decimal,
    /// Newtype of text: a moment, as [`moment`] reads it.
    Time,
    /// Newtype of bytes or text: octets.
    Octets,
    /// Newtype of a sequence: a tuple.
    Tuple,
    /// Newtype of a map: a record without the name of a type.
    Fields,
    /// Tuple struct: name of a type, and the map of its fields.
    Record,
    /// Tuple struct: name of a case, its index, and the sequence of its values.
    Variant,
    /// Tuple struct: tag space, tag, and the tagged value.
    Tagged,
}

impl Special {
    const ALL: [Special; 10] = [
        Special::Value,
        Special::Big,
        Special::Decimal,
        Special::Time,
        Special::Octets,
        Special::Tuple,
        Special::Fields,
        Special::Record,
        Special::Variant,
        Special::Tagged,
    ];

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Special::Value => "$polywire::Value",
            Special::Big => "$polywire::Big",
            Special::Decimal => "$polywire::Decimal",
            Special::Time => "$polywire::Time",
            Special::Octets => "$polywire::Octets",
            Special::Tuple => "$polywire::Tuple",
            Special::Fields => "$polywire::Fields",
            Special::Record => "$polywire::Record",
            Special::Variant => "$polywire::Variant",
            Special::Tagged => "$polywire::Tagged",
        }
    }

    /// Returns the special of a name.
    #[cold]
    pub fn of(name: &str) -> Option<Special> {
        Special::ALL.into_iter().find(|special| special.name() == name)
    }
}

/// Returns whether a struct's name is one of the private language. A compiler that knows the name
/// answers beforehand.
#[inline(always)]
pub const fn is_special(name: &'static str) -> bool {
    let name = name.as_bytes();
    name.len() > 10 && name[0] == b'$' && name[1] == b'p' && name[9] == b':'
}

/// The kinds of values that a deserializer gives to [`Value`](crate::Value) as cases of an enum,
/// and what they hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Text: decimal digits.
    Big,
    /// Text: a number in JSON's syntax.
    Decimal,
    /// Text: a moment, as [`moment`] reads it.
    Time,
    /// Bytes.
    Octets,
    /// A sequence.
    Tuple,
    /// A map: of a record without the name of a type.
    Fields,
    /// A map with keys of any kind.
    Map,
    /// A sequence of two: name, and the map of the fields.
    Record,
    /// A sequence of three: name, index, and the sequence of values.
    Variant,
    /// A sequence of three: tag space, tag, and the value.
    Tagged,
}

impl Kind {
    const ALL: [Kind; 10] = [
        Kind::Big,
        Kind::Decimal,
        Kind::Time,
        Kind::Octets,
        Kind::Tuple,
        Kind::Fields,
        Kind::Map,
        Kind::Record,
        Kind::Variant,
        Kind::Tagged,
    ];

    pub(crate) fn of(index: u32) -> Option<Kind> {
        Kind::ALL.get(index as usize).copied()
    }
}

/// Returns the moment of its text form, that of [`Timestamp`]'s `Display`, or of RFC 3339 text with
/// any offset.
pub fn moment(text: &str) -> Option<Timestamp> {
    if let Some((seconds, nanos)) = text.strip_prefix('@').and_then(|text| text.split_once('.')) {
        return Timestamp::new(seconds.parse().ok()?, nanos.parse().ok().filter(|_| nanos.len() == 9)?);
    }
    Timestamp::from_any_rfc3339(text)
}
