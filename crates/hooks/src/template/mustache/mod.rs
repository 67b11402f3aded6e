//! Mustache: templates without any script.
//!
//! Tags are `{{name}}`, `{{{raw}}}`, `{{&raw}}`, `{{#section}}`, `{{^inverted}}`, `{{/end}}`, `{{!comment}}`, `{{>partial}}` and `{{=<% %>=}}`. Two things are other than usual: values are escaped for
//! the media type of the body (deviation D21), and a tag is closed by as many braces as it was opened by, so that `{"a":{{x}}}` keeps its last brace (D31).

mod parse;
mod render;

use std::sync::OnceLock;

use polywire_doc::Datum;

use super::escape::Escape;
use super::texts::Text;
use crate::error::{HookError, HookErrorKind, Place};

use parse::Node;

/// A template: its text, and its nodes once somebody has asked for them.
#[derive(Debug)]
pub(super) struct Template {
    text: String,
    nodes: OnceLock<Result<Vec<Node>, Mistake>>,
}

impl Template {
    pub fn new(text: String) -> Template {
        Template { text, nodes: OnceLock::new() }
    }

    fn nodes(&self) -> Result<&[Node], &Mistake> {
        self.nodes.get_or_init(|| parse::parse(&self.text)).as_deref()
    }
}

/// What is wrong with a template.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mistake {
    line: u32,
    message: String,
}

/// What a text may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    /// The most nodes that are visited: sections in sections multiply.
    pub nodes: usize,
    /// The longest text that is made, in bytes.
    pub bytes: usize,
}

impl Effort {
    /// All that a template may take.
    pub const MOST: Effort = Effort { nodes: 1_000_000, bytes: 64 << 20 };
    /// So little that nobody has to wait for it.
    pub const LITTLE: Effort = Effort { nodes: 5000, bytes: 1 << 20 };
}

/// Why there is no text.
#[derive(Debug)]
pub(super) enum Failure {
    /// It takes more than it may.
    TooLarge,
    Wrong(HookError),
}

impl From<Failure> for HookError {
    fn from(failure: Failure) -> HookError {
        match failure {
            Failure::TooLarge => HookError::new(HookErrorKind::Template, "the text that the template makes is too large"),
            Failure::Wrong(error) => error,
        }
    }
}

/// Whether a text is a template.
pub(super) fn check(text: &str, file: &str) -> Result<(), HookError> {
    parse::parse(text).map(|_| ()).map_err(|mistake| told(mistake, file))
}

fn told(Mistake { line, message }: Mistake, file: &str) -> HookError {
    HookError::new(HookErrorKind::Template, message).at(Some(Place { file: file.to_string(), line, column: 0 }))
}

/// The text that a template makes: `source` gives the template itself for `None`, and its partials by their names.
pub(super) fn render(
    source: &dyn Fn(Option<&str>) -> Result<Text, HookError>,
    file: &str,
    scope: &Datum,
    how: (Escape, Effort),
) -> Result<String, Failure> {
    let text = source(None).map_err(Failure::Wrong)?;
    render::run(&text.template, &|name| source(Some(name)), scope, how).map_err(|failure| match failure {
        render::Failure::Partial(error) => Failure::Wrong(error),
        render::Failure::Mistake(name, mistake) => Failure::Wrong(told(mistake, if name.is_empty() { file } else { &name })),
        render::Failure::TooLarge => Failure::TooLarge,
    })
}
