//! The names of types.

use crate::kind::Kind;

const NAMES: [(Kind, &str); 12] = [
    (Kind::Bool, "tf"),
    (Kind::I8, "i8"),
    (Kind::I16, "i16"),
    (Kind::I32, "i32"),
    (Kind::I64, "i64"),
    (Kind::Double, "dbl"),
    (Kind::String, "str"),
    (Kind::Struct, "rec"),
    (Kind::Map, "map"),
    (Kind::List, "lst"),
    (Kind::Set, "set"),
    (Kind::Uuid, "uid"),
];

/// Returns the name of a type.
pub(super) fn name(kind: Kind) -> &'static str {
    NAMES.iter().find(|(known, _)| *known == kind).map_or("str", |(_, name)| name)
}

/// Returns the type of a name.
pub(super) fn kind(name: &str) -> Option<Kind> {
    NAMES.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
}
