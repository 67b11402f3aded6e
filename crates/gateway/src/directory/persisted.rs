//! Scripts that callers may name by their hash, in place of sending them.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::listing::files;
use crate::callers::keys::Hash;

/// A persisted script: the name of its file, and its text.
#[derive(Debug, Clone)]
pub struct Persisted {
    /// The file, or its name in the file that holds all.
    pub name: String,
    /// The text.
    pub text: Arc<str>,
}

/// Reads the scripts below `place`: a folder whose files end in `.ql`, or a file with a JSON object
/// of texts.
///
/// # Errors
/// The place cannot be read, or the file is no such object.
pub(super) fn read(root: &Path, place: &str) -> io::Result<Vec<(Hash, Persisted)>> {
    let path = root.join(place);
    let wrong = |what: String| io::Error::new(io::ErrorKind::InvalidData, format!("{}: {what}", path.display()));
    let named = |error: io::Error| io::Error::new(error.kind(), format!("adHoc: `persisted`: {}: {error}", path.display()));
    let mut scripts = Vec::new();
    if fs::metadata(&path).map_err(named)?.is_dir() {
        for file in files(&path, |name| name.ends_with(".ql"))? {
            let text = fs::read_to_string(&file).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", file.display())))?;
            scripts.push((file.strip_prefix(root).unwrap_or(&file).display().to_string(), text));
        }
    } else {
        let bytes = fs::read(&path).map_err(named)?;
        let all: BTreeMap<String, String> =
            serde_json::from_slice(&bytes).map_err(|error| wrong(format!("expected an object of scripts: {error}")))?;
        for (name, text) in all {
            // A name that is a hash is that of its text: otherwise callers ask for another script.
            if Hash::read(&name).is_some_and(|hash| hash != Hash::of(text.as_bytes())) {
                return Err(wrong(format!("the SHA-256 of the script {name} is another one")));
            }
            scripts.push((name, text));
        }
    }
    let entry = |(name, text): (String, String)| (Hash::of(text.as_bytes()), Persisted { name, text: Arc::from(text) });
    Ok(scripts.into_iter().map(entry).collect())
}
