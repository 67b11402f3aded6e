//! The byte layout of packets (docs/spec/psyc.md 2 and 3): classes of bytes, parser, framing,
//! rendering.

pub(crate) mod bytes;
#[cfg(feature = "walk")]
mod frame;
pub mod parse;
pub(crate) mod parser;
pub mod render;
pub(crate) mod scan;

pub use bytes::{
    BAR, CONTENT_SIZE_MAX, DELIMITER, ELEM_SIZE_MAX, END, LF, MODIFIER_SIZE_MAX, SIZE_LIMIT, SIZE_THRESHOLD, TAB, is_keyword_byte,
    is_operator,
};
#[cfg(feature = "walk")]
pub use frame::Framer;
pub use parse::{Code, Limits, PacketStep, ParseState, step};
pub use parser::{Mode, ParseError, Parser};
pub use render::{Lengths, RenderError, lengths, needs_size, render};
pub use scan::{is_keyword, keyword_len};
