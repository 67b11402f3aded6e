//! Texts of templates that need no engine, kept until files change.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use super::mustache::Template;
use crate::error::HookError;
use crate::files::Files;

/// A text that was read, shared by who uses it.
pub(super) type Text = Arc<File>;

/// A template, and where it lies.
#[derive(Debug)]
pub(super) struct File {
    pub path: PathBuf,
    pub template: Template,
}

/// Templates by the directory that they are named from and their names.
#[derive(Debug, Default)]
pub(crate) struct Texts(RwLock<HashMap<OsString, HashMap<String, Text>>>);

impl Texts {
    /// Files may have changed.
    pub fn forget(&self) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub(super) fn get(&self, files: &Files, from: &Path, name: &str) -> Result<Text, HookError> {
        if let Some(known) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(from.as_os_str()).and_then(|folder| folder.get(name))
        {
            return Ok(known.clone());
        }
        let (path, text) = super::source(files, from, name, ".mu")?;
        let text = Arc::new(File { path, template: Template::new(text) });
        let mut kept = self.0.write().unwrap_or_else(PoisonError::into_inner);
        kept.entry(from.into()).or_default().insert(name.to_string(), text.clone());
        Ok(text)
    }
}
