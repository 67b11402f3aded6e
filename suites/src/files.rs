//! Files of a suite.

use std::path::{Path, PathBuf};

/// Returns the files of a folder that `wanted` takes by their name, sorted.
///
/// # Errors
/// The folder cannot be read.
pub fn in_folder(folder: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.is_file() && wanted(&name(&path)) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Returns the files below a folder that `wanted` takes by their name, sorted. Links are not
/// followed.
///
/// # Errors
/// A folder cannot be read.
pub fn below(folder: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, String> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))? {
            let path = entry.map_err(|error| error.to_string())?.path();
            if path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if wanted(&name(&path)) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Reads a file.
///
/// # Errors
/// It cannot be read.
pub fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Reads a file of UTF-8 text.
///
/// # Errors
/// It cannot be read, or is not UTF-8.
pub fn text(path: &Path) -> Result<String, String> {
    String::from_utf8(bytes(path)?).map_err(|error| format!("{}: {error}", path.display()))
}

/// Reads a file of JSON by the judge.
///
/// # Errors
/// It cannot be read, or is not JSON.
pub fn json(path: &Path) -> Result<serde_json::Value, String> {
    serde_json::from_slice(&bytes(path)?).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns the last part of a path.
pub fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Returns a path as it is below `root`.
pub fn within(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}

/// Decodes hexadecimal digits of either case.
///
/// # Errors
/// There are others.
pub fn hex(text: &str) -> Result<Vec<u8>, String> {
    data_encoding::HEXLOWER_PERMISSIVE.decode(text.as_bytes()).map_err(|error| format!("{text}: {error}"))
}
