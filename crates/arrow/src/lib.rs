//! Columns of messages: Arrow's record batches, its files, and Parquet.
//!
//! A *plan* is the mapping of a common schema to Arrow's types. [`Rows`] is the sink that fills its
//! columns, and [`Batches`] runs it over the messages of any format, on one thread or on several.
//! [`Messages`] is the way back: a row of any batch becomes the events of a message.
//! `docs/columns.md` has the mapping.
//!
//! ```
//! use std::sync::Arc;
//!
//! use polywire_arrow::{Batches, FileKind, FileWriter, Options, Plan, Squeeze};
//! use polywire_core::schema::{FieldType, NamedType, Record, Schema, Type, Width};
//!
//! let record = Record { fields: vec![FieldType::required("id", Type::UInt(Width::W32))], ..Record::default() };
//! let order = NamedType { name: "Order".into(), doc: String::new(), ty: Type::Record(record) };
//! let schema = Schema { types: vec![order], root: Some("Order".into()) };
//! let plan = Arc::new(Plan::new(&schema, &Options::default().for_parquet(true))?);
//!
//! let lines = "{\"id\":1}\n{\"id\":2}\n";
//! let batches = Batches::new(lines.as_bytes(), polywire_formats::registry::find("jsonl")?, plan);
//! let mut file = FileWriter::new(FileKind::Parquet, Vec::new(), &batches.schema(), Squeeze::Zstd)?;
//! for batch in batches {
//!     file.write(&batch?)?;
//! }
//! assert!(file.finish()?.starts_with(b"PAR1"));
//! # Ok::<(), polywire_core::Error>(())
//! ```
//!
//! | part | for |
//! |---|---|
//! | [`Plan`], [`schema_for`], [`project`], [`members`] | the mapping of a schema, whole or of selected paths |
//! | [`common_schema`] | the schema of columns that others made |
//! | [`Rows`] | a sink: messages become rows |
//! | [`Batches`], [`Spawned`] | a stream's messages as batches |
//! | [`Messages`] | rows become messages again |
//! | [`CellReader`], [`CellWriter`] | a column with a message in each cell becomes rows, and back |
//! | [`ROWS`], [`RowBytes`] | rows as a stream of messages, for all that reads one |
//! | [`FileWriter`], [`open`] | files |
//! | [`ARROW`], [`ARROW_STREAM`], [`PARQUET`] | the formats of the files, as the registry has them |
#![deny(unsafe_code)]

mod batches;
mod cells;
mod column;
mod emit;
mod files;
mod foreign;
mod format;
mod json;
mod narrow;
mod options;
mod pieces;
mod plan;
mod project;
mod rows;
mod sink;
mod texts;
mod writer;

pub use {arrow_array, arrow_schema};

pub use batches::{Batches, Filled, Spawned};
pub use cells::{CellReader, CellWriter, alone};
pub use emit::Messages;
pub use files::{FileKind, FileWriter, MOST, Opened, Source, Squeeze, open};
pub use foreign::common_schema;
pub use format::{ARROW, ARROW_STREAM, PARQUET};
pub use options::{Bad, Decimals, Options, Rest, Sums};
pub use plan::{Plan, schema_for};
pub use project::{members, project};
pub use rows::{ROWS, RowBytes};
pub use sink::Rows;
