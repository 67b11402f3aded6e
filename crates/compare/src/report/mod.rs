//! A [`Comparison`](crate::Comparison) for people and for programs. Each report is a function from the record to text.

pub mod chart;
mod csv;
mod figures;
mod grid;
mod html;
mod json;
mod markdown;
mod table;

pub use self::csv::csv;
pub(crate) use self::figures::{counted, thousands};
pub(crate) use self::grid::rival_name;
pub use self::html::html;
pub use self::json::json;
pub use self::markdown::markdown;
pub use self::table::{layout, table};

/// The style sheet of the pages, which gives the charts their colours.
pub const STYLE: &str = include_str!("../../templates/style.css");

#[cfg(test)]
pub(crate) mod sample;
