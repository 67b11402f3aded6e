//! Files of templates.

use std::path::{Path, PathBuf};

use super::ejs;
use super::error::error;
use crate::engine::ScriptError;
use crate::files::Files;

/// Reads a template, or one that another includes. `name` is looked up below the folder `from`,
/// with and without `extension`.
pub(super) fn read(files: &Files, from: &Path, name: &str, extension: &str) -> Result<(PathBuf, String), ScriptError> {
    let found =
        [name.to_string(), format!("{name}{extension}")].into_iter().find_map(|name| files.find(from, &name).filter(|path| path.is_file()));
    let Some(path) = found else { return Err(error(format!("no template {name} below the table directory"))) };
    let shown = path.to_string_lossy().into_owned();
    let text = files.text(files.root(), &shown).map_err(error)?;
    Ok((path, text))
}

/// Reads an EJS file as a script for the engine; returns its path too.
pub(crate) fn script(files: &Files, from: &Path, name: &str) -> Result<(PathBuf, String), ScriptError> {
    let (path, text) = read(files, from, name, ".ejs")?;
    let script = ejs::compile(&text).map_err(|error| error.in_file(&files.shown(&path)))?;
    Ok((path, script))
}
