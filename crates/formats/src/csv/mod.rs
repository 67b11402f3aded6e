//! Tables as text (RFC 4180): a message is a row, and the first row names the fields. The convention is described in `docs/formats/csv.md`.
//!
//! Reading is done by own code: the crate csv-core copies each cell, does not tell whether it stood in quotes, and takes quotes that are out of
//! place for text. Here quotes decide between text and number, cells are borrowed, and mistakes are told.

mod frame;
mod header;
mod lex;
mod read;
mod recognise;
mod table;
mod write;

pub use read::CsvReader;
pub use table::CsvTable;
pub use write::CsvWriter;

use polywire_core::format::{Format, Nature};

/// CSV's line in the registry.
pub static FORMAT: Format = Format::new("csv", "CSV", Nature::Text, recognise::recognise, || Box::new(CsvReader::default()))
    // RFC 4180 section 3; the second is what tab-separated files are sent as.
    .media_types(&["text/csv", "text/tab-separated-values"])
    .extensions(&["csv"])
    .magic("names of columns between , ; | or tabs")
    .separator("\n")
    .writer(|| Box::new(CsvWriter::default()));

/// The byte order mark that spreadsheets put before UTF-8 text.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// What may stand between cells; the header tells which of them does. The first is what is written.
const SEPARATORS: [u8; 4] = *b",;\t|";
