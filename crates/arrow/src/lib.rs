//! Columns.
#![forbid(unsafe_code)]

mod batches;
mod column;
mod emit;
mod files;
mod foreign;
mod json;
mod options;
mod plan;
mod project;
mod rows;
mod sink;

pub use {arrow_array, arrow_schema};

pub use batches::{Batches, Filled, Spawned};
pub use emit::Messages;
pub use files::{FileKind, FileWriter, MOST, Opened, Source, Squeeze, open};
pub use foreign::common_schema;
pub use options::{Bad, Decimals, Options, Rest, Sums};
pub use plan::{Plan, schema_for};
pub use project::project;
pub use rows::{ROWS, RowBytes};
pub use sink::Rows;
