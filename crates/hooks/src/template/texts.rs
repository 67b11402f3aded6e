//! Mustache's files, kept in memory until files change.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use super::file;
use super::mustache::TemplateFile;
use crate::engine::ScriptError;
use crate::files::Files;

/// Templates by the folder that they are looked up in, and by name.
#[derive(Debug, Default)]
pub(crate) struct Texts(RwLock<HashMap<OsString, HashMap<String, Arc<TemplateFile>>>>);

impl Texts {
    /// Drops all templates: their files may have changed.
    pub fn forget(&self) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Returns a template, from its file if it is new.
    pub fn get(&self, files: &Files, from: &Path, name: &str) -> Result<Arc<TemplateFile>, ScriptError> {
        if let Some(known) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(from.as_os_str()).and_then(|folder| folder.get(name))
        {
            return Ok(known.clone());
        }
        let (path, text) = file::read(files, from, name, ".mu")?;
        let made = Arc::new(TemplateFile::new(path, text));
        let mut kept = self.0.write().unwrap_or_else(PoisonError::into_inner);
        kept.entry(from.into()).or_default().insert(name.to_string(), made.clone());
        Ok(made)
    }
}
