//! Tables of the query language, made of the descriptions that services publish: OpenAPI, WSDL and
//! Protocol Buffers.
//!
//! A front reads one kind of description and returns an [`Imported`]: tables with parameters, types
//! and comments, files that they name, and remarks on what a table cannot say. Nothing is read or
//! written here but what the caller hands over.
//!
//! # Example
//! ```
//! use polywire_import::{Settings, openapi};
//!
//! # fn main() -> polywire_core::Result<()> {
//! let description = br#"{"openapi": "3.0.0", "info": {"title": "Shop"}, "servers": [{"url": "https://shop.example/v1"}],
//!   "paths": {"/items": {"get": {"parameters": [{"name": "q", "in": "query", "required": true, "schema": {"type": "string"}}]}}}}"#;
//! let imported = openapi::import(description, "shop.json", &Settings::default())?;
//! let table = &imported.tables[0];
//! assert_eq!(table.name, "items");
//! assert!(table.text().contains("on select get from 'https://shop.example/v1/items?q={^q}'"));
//! # Ok(())
//! # }
//! ```
//!
//! # Files
//! | file | holds |
//! |---|---|
//! | `table` | a table to be made, and its text |
//! | `names` | names of tables, parameters and files: valid, unique, bounded |
//! | `remark` | what a table cannot say |
//! | `openapi` | OpenAPI 2.0, 3.0 and 3.1 |
//! | `proto` | services of Protocol Buffers |
//! | `wsdl` | WSDL 1.1 with XML Schema |
#![forbid(unsafe_code)]

pub mod names;
pub mod openapi;
pub mod proto;
pub mod remark;
pub mod table;
pub mod wsdl;

use polywire_core::text::diagnostic::Source;
use polywire_doc::Datum;
use polywire_ql::plan::Plan;

pub use remark::Remark;
pub use table::Table;

/// Wishes of the user, for every kind of description.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// First part of the names of all tables, and the name of their part of the configuration.
    pub prefix: Option<String>,
    /// Address of the service, instead of the one that the description has.
    pub server: Option<String>,
    /// Makes operations that may change something a `select` too.
    pub select: bool,
}

/// The outcome of an import.
#[derive(Debug, Clone, Default)]
pub struct Imported {
    /// The tables, in the order of the description.
    pub tables: Vec<Table>,
    /// Files that the tables name: name and contents.
    pub files: Vec<(String, Vec<u8>)>,
    /// Remarks on parts that the tables do not say.
    pub remarks: Vec<Remark>,
    /// Operations of the description.
    pub operations: usize,
    /// Operations that are a verb of a table.
    pub made: usize,
    /// Keys that the configuration needs, with what each is.
    pub needs: Vec<(String, String)>,
}

/// Beginnings of names that say that an operation only reads.
const READING: [&str; 17] = [
    "get",
    "list",
    "find",
    "search",
    "query",
    "read",
    "lookup",
    "fetch",
    "show",
    "describe",
    "count",
    "check",
    "batchget",
    "retrieve",
    "is",
    "has",
    "calculate",
];

/// Reports whether the name of an operation says that it only reads: its first word does.
fn is_reading(name: &str) -> bool {
    let matches = |word: &str| {
        let rest = name.get(word.len()..).filter(|_| name.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)));
        rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_lowercase()))
    };
    READING.iter().any(|word| matches(word))
}

impl Imported {
    /// Adds a remark on a place of the description.
    fn remark(&mut self, place: impl Into<String>, what: impl Into<String>) {
        self.remarks.push(Remark { place: place.into(), what: what.into() });
    }

    /// Adds a key that the configuration needs, once.
    fn needs(&mut self, key: String, what: impl Into<String>) {
        if !self.needs.iter().any(|(known, _)| *known == key) {
            self.needs.push((key, what.into()));
        }
    }

    /// Takes out tables that would not load, with a remark on each.
    fn check(&mut self) {
        let mut refused = Vec::new();
        self.tables.retain(|table| {
            let what = match Plan::tables(&Source::new(table.name.as_str(), table.text()), &Datum::default(), None) {
                Err(problems) => problems.findings.first().map(|finding| finding.message.clone()).unwrap_or_default(),
                Ok(made) => match made.iter().flat_map(|made| made.actions()).find_map(|action| action.uri.as_ref().err()) {
                    Some(mistake) => mistake.clone(),
                    None => return true,
                },
            };
            refused.push((table.name.clone(), table.actions.len(), what));
            false
        });
        for (name, verbs, what) in refused {
            self.made = self.made.saturating_sub(verbs);
            self.remark(name, format!("the table cannot be written: {what}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_says_what_an_operation_does() {
        assert!(["GetItem", "get", "listAll", "Search_items", "BatchGetX", "isOpen"].into_iter().all(is_reading));
        assert!(["Getaway", "Issue", "SayHello", "", "Reset", "é"].into_iter().all(|name| !is_reading(name)));
    }
}
