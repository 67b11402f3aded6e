//! Canonical JSON (ProtoJSON format, <https://protobuf.dev/programming-guides/json/>).

mod number;
mod parse;
mod print;
mod scan;
mod text;
mod well_known;

pub use parse::{JsonParser, ParseOptions};
pub use print::{JsonPrinter, PrintOptions};

pub(crate) use text::string;
