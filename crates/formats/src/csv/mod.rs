//! Tables as text (RFC 4180): a message is a row, and the first row names the fields.
//! `docs/formats/csv.md` describes the convention.
//!
//! The crate csv-core is not used: it copies each cell, does not report quotes around a cell, and
//! accepts misplaced quotes as text. Here quotes decide between text and number, cells are
//! borrowed, and mistakes are errors.

#[cfg(feature = "columns")]
mod columns;
mod frame;
mod header;
mod lex;
#[cfg(feature = "columns")]
mod number;
mod options;
mod pass;
mod read;
mod recognise;
#[cfg(feature = "columns")]
mod split;
mod table;
mod write;

pub use read::CsvReader;
pub use table::CsvTable;
pub use write::CsvWriter;

use options::{Options, TableSettings};
use polywire_core::format::{Format, Framing, Nature};

/// CSV's line in the registry.
pub static FORMAT: Format = Format::new(lex::NAME, "CSV", Nature::Text, recognise::recognise, || Box::new(CsvReader::default()))
    // RFC 4180 section 3.
    .media_types(&["text/csv"])
    .extensions(&["csv"])
    .magic("names of columns between , ; | or tabs")
    .may_be_empty()
    .separator("\n")
    .framing(Framing::Lines)
    .first_gives_fields()
    .settings(&TableSettings { name: lex::NAME, separator: None })
    .writer(|| Box::new(CsvWriter::default()));

/// Name of tables with tabs, in the registry and in errors.
const TABS_NAME: &str = "tsv";

/// The line in the registry of tables with tabs between the cells.
pub static TABS: Format = Format::new(TABS_NAME, "TSV", Nature::Text, recognise::recognise_tabs, || Box::new(CsvReader::new(tabs())))
    .media_types(&["text/tab-separated-values"])
    .extensions(&["tsv", "tab"])
    .magic("names of columns between tabs")
    .may_be_empty()
    .separator("\n")
    .framing(Framing::Lines)
    .first_gives_fields()
    .settings(&TableSettings { name: TABS_NAME, separator: Some(b'\t') })
    .writer(|| Box::new(CsvWriter::new(tabs())));

fn tabs() -> Options {
    Options::new(TABS_NAME, Some(b'\t'))
}
