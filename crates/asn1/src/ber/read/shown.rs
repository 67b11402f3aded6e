//! Tags for people.

use crate::model::StringKind;
use crate::walk::plan::TagKey;

/// Returns a tag for people, as ASN.1 writes it.
pub(super) fn shown(tag: TagKey) -> String {
    let number = tag.number();
    match tag.class() {
        0 => match name(number) {
            Some(name) => name.to_string(),
            None => format!("[UNIVERSAL {number}]"),
        },
        1 => format!("[APPLICATION {number}]"),
        2 => format!("[{number}]"),
        _ => format!("[PRIVATE {number}]"),
    }
}

/// Returns the type of a universal tag (X.680 8.4).
fn name(number: u64) -> Option<&'static str> {
    Some(match number {
        1 => "BOOLEAN",
        2 => "INTEGER",
        3 => "BIT STRING",
        4 => "OCTET STRING",
        5 => "NULL",
        6 => "OBJECT IDENTIFIER",
        8 => "EXTERNAL",
        9 => "REAL",
        10 => "ENUMERATED",
        16 => "SEQUENCE",
        17 => "SET",
        _ => {
            return [
                StringKind::ObjectDescriptor,
                StringKind::Utf8,
                StringKind::Numeric,
                StringKind::Printable,
                StringKind::Teletex,
                StringKind::Ia5,
                StringKind::UtcTime,
                StringKind::GeneralizedTime,
                StringKind::Graphic,
                StringKind::Visible,
                StringKind::General,
                StringKind::Universal,
                StringKind::Bmp,
            ]
            .iter()
            .find(|kind| kind.tag() == number)
            .map(|kind| kind.keyword());
        }
    })
}
