//! Mustache: templates without scripts.
//!
//! Tags are `{{name}}`, `{{{raw}}}`, `{{&raw}}`, `{{#section}}`, `{{^inverted}}`, `{{/end}}`,
//! `{{!comment}}`, `{{>partial}}` and `{{=<% %>=}}`. Two things are unusual: values are escaped for
//! the media type of the body (ql-D21), and a tag is closed by as many braces as it was opened by,
//! so `{"a":{{x}}}` keeps its last brace (ql-D31). Only where the text closes too many braces
//! otherwise, and just as many, do braces behind a tag belong to it, as in `<a>{{x}}}</a>`.

mod parse;
mod render;
mod template;

use super::error::TemplateError;

pub(crate) use render::{Effort, RenderError, render};
pub(crate) use template::TemplateFile;

/// Checks that a text is a template. Returns the doubt about its braces, if there is one.
pub(super) fn check(text: &str) -> Result<Option<String>, TemplateError> {
    parse::doubt(text)
}
