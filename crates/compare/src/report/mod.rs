//! Reports of a [`Comparison`](crate::Comparison), for people and for programs. Each is a function
//! from the record to text.

pub mod chart;
mod csv;
pub(crate) mod figures;
mod grid;
mod html;
mod json;
mod markdown;
mod script;
mod style;
mod table;

pub use self::csv::csv;
pub(crate) use self::figures::{counted, thousands};
pub(crate) use self::grid::rival_name;
pub use self::html::html;
pub use self::json::json;
#[cfg(feature = "schema")]
pub use self::json::schema;
pub use self::markdown::markdown;
pub use self::style::STYLE;
pub use self::table::{layout, table};

#[cfg(test)]
pub(crate) mod sample;
