//! Mustache templates in memory.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::parse::{Node, parse};
use crate::template::error::TemplateError;

/// A template and its place: its text, and its nodes once they were asked for.
#[derive(Debug)]
pub(crate) struct TemplateFile {
    path: PathBuf,
    text: String,
    nodes: OnceLock<Result<Vec<Node>, TemplateError>>,
}

impl TemplateFile {
    pub fn new(path: PathBuf, text: String) -> TemplateFile {
        TemplateFile { path, text, nodes: OnceLock::new() }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn nodes(&self) -> Result<&[Node], &TemplateError> {
        self.nodes.get_or_init(|| parse(&self.text)).as_deref()
    }
}
