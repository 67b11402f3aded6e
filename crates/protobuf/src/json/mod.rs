//! Canonical JSON (ProtoJSON format, <https://protobuf.dev/programming-guides/json/>).

mod convert;
mod frame;
mod number;
mod parse;
mod print;
mod scan;
mod text;
mod well_known;

pub use convert::FORMAT;
pub(crate) use convert::{ProtoJsonReader, ProtoJsonWriter};
pub use parse::{JsonParser, ParseOptions};
pub use print::{JsonPrinter, PrintOptions};

pub(crate) use number::{double, float, whole};
pub(crate) use text::string;
pub(crate) use well_known::{parse_duration, parse_timestamp, path_of_mask};
