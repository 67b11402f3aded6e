//! Tables as text (RFC 4180): a message is a row, and the first row names the fields.
//! `docs/formats/csv.md` describes the convention.
//!
//! The crate csv-core is not used: it copies each cell, does not report quotes around a cell, and
//! accepts misplaced quotes as text. Here quotes decide between text and number, cells are
//! borrowed, and mistakes are errors.

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

use polywire_core::format::{Format, Framing, Nature};

/// CSV's line in the registry.
pub static FORMAT: Format = Format::new(lex::NAME, "CSV", Nature::Text, recognise::recognise, || Box::new(CsvReader::default()))
    // RFC 4180 section 3; the second is what tab-separated files are sent as.
    .media_types(&["text/csv", "text/tab-separated-values"])
    .extensions(&["csv"])
    .magic("names of columns between , ; | or tabs")
    .may_be_empty()
    .separator("\n")
    .framing(Framing::Lines)
    .first_gives_fields()
    .writer(|| Box::new(CsvWriter::default()));
