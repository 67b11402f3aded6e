//! Names of BSON's types and subtypes of binary data, as the specification has them.

use super::wire::{BINARY, CODE, CODE_WITH_SCOPE, DB_POINTER, DECIMAL128, MAX_KEY, MIN_KEY, NAME, OBJECT_ID, REGEX, SYMBOL, TIMESTAMP};
use super::wire::{UNDEFINED, binary_code};

/// Returns the name of the type behind a tagged value of the space `space`.
pub(super) fn name(space: &str, code: u64) -> Option<&'static str> {
    if space != NAME {
        return None;
    }
    if code & !0xff == binary_code(0) {
        return Some(binary(code as u8));
    }
    Some(match u8::try_from(code).ok()? {
        BINARY => "binary",
        UNDEFINED => "undefined",
        OBJECT_ID => "ObjectId",
        REGEX => "regular expression",
        DB_POINTER => "DBPointer",
        CODE => "JavaScript code",
        SYMBOL => "symbol",
        CODE_WITH_SCOPE => "JavaScript code with scope",
        TIMESTAMP => "timestamp of the log",
        DECIMAL128 => "decimal128",
        MIN_KEY => "min key",
        MAX_KEY => "max key",
        _ => return None,
    })
}

fn binary(subtype: u8) -> &'static str {
    match subtype {
        0 => "binary",
        1 => "function",
        2 => "binary, old form",
        3 => "UUID, old form",
        4 => "UUID",
        5 => "MD5",
        6 => "encrypted BSON value",
        7 => "compressed BSON column",
        8 => "sensitive binary",
        9 => "vector",
        128.. => "binary of the user's subtype",
        _ => "binary of a reserved subtype",
    }
}
