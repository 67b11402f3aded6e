//! Body templates (docs/spec/ql.md 8.3): EJS and Mustache. URI templates are the query language's.
//!
//! | file | holds |
//! |---|---|
//! | `language` | the languages, and the check of a text |
//! | `ejs` | EJS to JavaScript, which runs in the sandbox |
//! | `mustache` | Mustache, without scripts |
//! | `escape` | how values are escaped for a media type |
//! | `file` | files of templates |
//! | `texts` | Mustache's files, kept in memory |
//! | `error` | mistakes in templates |

mod ejs;
mod error;
mod escape;
mod file;
mod language;
mod mustache;
mod texts;

pub use escape::Escape;
pub use language::Language;

pub(crate) use error::error;
pub(crate) use file::script;
pub(crate) use mustache::{Effort, RenderError, TemplateFile, render};
pub(crate) use texts::Texts;
