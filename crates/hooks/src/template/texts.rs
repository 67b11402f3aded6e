//! Texts of templates that need no engine, kept until files change.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use crate::error::HookError;
use crate::files::Files;

/// A text that was read, and where it lies.
pub(super) type Text = Arc<(PathBuf, String)>;

/// Texts by the directory that they are named from and their names.
#[derive(Debug, Default)]
pub(crate) struct Texts(RwLock<HashMap<PathBuf, HashMap<String, Text>>>);

impl Texts {
    /// Files may have changed.
    pub fn forget(&self) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub(super) fn get(&self, files: &Files, from: &Path, name: &str) -> Result<Text, HookError> {
        if let Some(known) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(from).and_then(|folder| folder.get(name)) {
            return Ok(known.clone());
        }
        let text: Text = Arc::new(super::source(files, from, name, ".mu")?);
        let mut kept = self.0.write().unwrap_or_else(PoisonError::into_inner);
        kept.entry(from.to_owned()).or_default().insert(name.to_string(), text.clone());
        Ok(text)
    }
}
