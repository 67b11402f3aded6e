//! Reports for programs: errors, losses, and the rows of an inspection as JSON objects.
//!
//! `docs/errors.md` and `docs/inspect.md` describe the fields. Every door writes these objects: the
//! command line with `--errors json` and `--report json`, and the C library.
//!
//! ```
//! use polywire_core::{Error, ErrorKind};
//! use polywire_report::ErrorLine;
//!
//! let error = Error::data(ErrorKind::Syntax, 17).expected("',' or ']'").seen("'!'");
//! let line = serde_json::to_string(&ErrorLine::new(&error, None, None)).unwrap();
//! assert!(line.starts_with(r#"{"type":"error","kind":"syntax","fault":"data","text":"#), "{line}");
//! ```
#![forbid(unsafe_code)]

mod error;
mod loss;
mod row;

pub use error::ErrorLine;
pub use loss::{LossLine, losses};
pub use row::RowLine;
