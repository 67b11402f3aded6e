//! Mustache: templates without any script.
//!
//! Tags are `{{name}}`, `{{{raw}}}`, `{{&raw}}`, `{{#section}}`, `{{^inverted}}`, `{{/end}}`, `{{!comment}}`, `{{>partial}}` and `{{=<% %>=}}`. Two things are other than usual: values are escaped for
//! the media type of the body (deviation D21), and a tag is closed by as many braces as it was opened by, so that `{"a":{{x}}}` keeps its last brace (D31).

mod parse;
mod render;

use polywire_core::doc::Datum;

use super::escape::Escape;
use crate::error::{HookError, HookErrorKind, Place};

/// What is wrong with a template.
#[derive(Debug, PartialEq, Eq)]
struct Mistake {
    line: u32,
    message: String,
}

/// Whether a text is a template.
pub(super) fn check(text: &str, file: &str) -> Result<(), HookError> {
    parse::parse(text).map(|_| ()).map_err(|mistake| told(mistake, file))
}

fn told(Mistake { line, message }: Mistake, file: &str) -> HookError {
    HookError::new(HookErrorKind::Template, message).at(Some(Place { file: file.to_string(), line, column: 0 }))
}

/// The text of a template: `source` gives the text of the template itself for `None`, and those of its partials by their names.
pub(super) fn render(
    source: &dyn Fn(Option<&str>) -> Result<String, HookError>,
    file: &str,
    scope: &Datum,
    escape: Escape,
) -> Result<String, HookError> {
    let text = source(None)?;
    render::run(&text, &|name| source(Some(name)), scope, escape).map_err(|failure| match failure {
        render::Failure::Partial(error) => error,
        render::Failure::Mistake(name, mistake) => told(mistake, if name.is_empty() { file } else { &name }),
        render::Failure::TooLarge => HookError::new(HookErrorKind::Template, "the text that the template makes is too large"),
    })
}
