//! RFC 8949, appendix F: encoded items that are not well-formed.

use crate::cases::Cases;
use crate::cbor::appendix::refused;
use crate::files;
use crate::place;
use crate::suite::Suite;

/// The ill-formed items of RFC 8949, appendix F.1. They are facts of the document, and need no
/// folder.
pub static SUITE: Suite = Suite {
    name: "cbor-appendix-f",
    format: "CBOR",
    title: "RFC 8949 appendix F",
    folder: place::IN_HERE,
    needs: ".",
    licence: "in the RFC",
    rule: "each item that is not well-formed is refused",
    others: "",
    run,
};

/// The items, by the kinds that the appendix has.
const ITEMS: &[(&str, &str)] = &[
    ("end of input in a head", "18 19 1a 1b 1901 1a0102 1b01020304050607 38 58 78 98 9a01ff00 b8 d8 f8 f900 fa0000 fb000000"),
    ("definite-length strings with short data", "41 61 5affffffff00 5bffffffffffffffff010203 7affffffff00 7b7fffffffffffffff010203"),
    ("definite-length maps and arrays not closed with enough items", "81 818181818181818181 8200 a1 a20102 a100 a2000000"),
    ("tag number not followed by tag content", "c0"),
    ("indefinite-length strings not closed by a break", "5f4100 7f6100"),
    (
        "indefinite-length maps and arrays not closed by a break",
        "9f 9f0102 bf bf01020102 819f 9f8000 9f9f9f9f9fffffffff 9f819f819f9fffffff",
    ),
    ("reserved additional information", "1c 1d 1e 3c 3d 3e 5c 5d 5e 7c 7d 7e 9c 9d 9e bc bd be dc dd de fc fd fe"),
    ("reserved two-byte encodings of simple values", "f800 f801 f818 f81f"),
    ("indefinite-length string chunks not of the correct type", "5f00ff 5f21ff 5f6100ff 5f80ff 5fa0ff 5fc000ff 5fe0ff 7f4100ff"),
    ("indefinite-length string chunks not of definite length", "5f5f4100ffff 7f7f6100ffff"),
    ("break on its own outside of an indefinite-length item", "ff"),
    ("break in a definite-length array or map or a tag", "81ff 8200ff a1ff a1ff00 a100ff a20000ff 9f81ff 9f829f819f9fffffffff"),
    ("break in an indefinite-length map that would lead to an odd number of items", "bf00ff bf000000ff"),
    ("major type 0, 1, 6 with additional information 31", "1f 3f df"),
];

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    for (kind, items) in ITEMS {
        for item in items.split(' ') {
            let bytes = files::hex(item)?;
            cases.run(kind, item, || refused(&bytes));
        }
    }
    Ok(())
}
