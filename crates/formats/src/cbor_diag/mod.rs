//! CBOR's diagnostic notation: RFC 8949, section 8, and RFC 8610, appendix G.
//!
//! Reading makes CBOR of the text, and gives the events of that; writing makes CBOR first, and
//! prints it. So both have one meaning. `docs/formats/cbor-diag.md` describes it.
//!
//! | file | holds |
//! |---|---|
//! | `frame` | the ends of messages in a stream |
//! | `parse` | text to CBOR, with the places of its values |
//! | `literal` | numbers and strings |
//! | `read` | the events of a text |
//! | `print` | CBOR to text |
//! | `write` | the writer |

mod frame;
mod literal;
mod parse;
mod print;
mod read;
mod write;

use polywire_core::format::{Confidence, Format, Nature};

pub use read::DiagReader;
pub use write::DiagWriter;

/// Name in the registry and in errors.
pub const NAME: &str = "cbor-diag";

/// The notation's line in the registry. Bytes that look like it are taken for JSON or YAML.
pub static FORMAT: Format =
    Format::new(NAME, "CBOR diagnostic notation", Nature::Text, |_, _| Confidence::No, || Box::new(DiagReader::default()))
        .media_types(&["application/cbor-diagnostic"])
        .extensions(&["diag"])
        .magic("nothing of its own: its file extension shows it")
        .ends_with_input()
        .separator("\n")
        .tag_name(|_, _| None)
        .writer(|| Box::new(DiagWriter::default()));
