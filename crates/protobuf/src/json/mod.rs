//! Canonical JSON (ProtoJSON format, <https://protobuf.dev/programming-guides/json/>).

mod convert;
mod parse;
mod print;

pub use convert::NAME;
pub(crate) use convert::{Framer, JsonCodec};
pub use parse::{JsonParser, ParseOptions};
pub use print::{JsonPrinter, PrintOptions};
