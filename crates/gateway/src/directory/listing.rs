//! The files of a folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The deepest nesting of folders that is read.
const MAX_DEPTH: usize = 32;

/// Returns the files below `folder` that `wanted` accepts, in the order of their paths; none if the
/// folder is missing.
pub(super) fn files(folder: &Path, wanted: fn(&str) -> bool) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = open.pop() {
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            other => other?,
        };
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if entry.path().is_dir() {
                // Packages of hooks hold no tables.
                if depth < MAX_DEPTH && name != "node_modules" && !name.starts_with('.') {
                    open.push((entry.path(), depth + 1));
                }
            } else if wanted(&name) {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}
