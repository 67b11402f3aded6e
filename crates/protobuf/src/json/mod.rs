//! Canonical JSON (ProtoJSON format, <https://protobuf.dev/programming-guides/json/>).

mod print;
mod text;
mod well_known;

pub use print::{JsonPrinter, PrintOptions};

pub(crate) use text::string;
