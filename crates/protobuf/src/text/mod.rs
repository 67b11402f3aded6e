//! The text format (<https://protobuf.dev/reference/protobuf/textformat-spec/>), called
//! "specification" here.

mod convert;
mod parse;
mod print;
mod quote;
mod scan;
mod unknown;

pub use convert::NAME;
pub(crate) use convert::{Framer, TextCodec};
pub use parse::TextParser;
pub use print::TextPrinter;
pub use unknown::UnknownFields;
