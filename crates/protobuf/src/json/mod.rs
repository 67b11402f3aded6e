//! Canonical JSON (ProtoJSON format, <https://protobuf.dev/programming-guides/json/>).

mod convert;
mod number;
mod parse;
mod print;
mod scan;
mod well_known;

use polywire_json::string::{self as json_string, Short};

pub use convert::FORMAT;
pub(crate) use convert::JsonCodec;
pub use parse::{JsonParser, ParseOptions};
pub use print::{JsonPrinter, PrintOptions};

pub(crate) use number::{double, float, whole};
pub(crate) use well_known::{parse_duration, parse_timestamp, path_of_mask};

/// Appends `text` as a JSON string, as the printers of Protocol Buffers escape it.
pub(crate) fn string(out: &mut Vec<u8>, text: &str) {
    json_string::string(out, text, Short::All);
}
