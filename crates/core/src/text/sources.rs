//! Loaders of the texts that other texts refer to, as by `include` or `import`.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Limit on the bytes of one file. [`Files`] reads one byte more, so that its caller sees the
/// excess.
pub const MAX_TEXT: usize = 16 << 20;

/// Loader of the texts that another text refers to.
pub trait Loader {
    /// Loads the text at `path`, spelled as in the text that refers to it.
    ///
    /// # Errors
    /// The text cannot be read.
    fn load(&mut self, path: &str) -> io::Result<Loaded>;

    /// Returns the include folders, in search order, for languages that import files by relative
    /// path. A path is loaded with the folder before it. Without folders, the language's own
    /// default holds.
    fn include(&self) -> &[String] {
        &[]
    }

    /// Returns the paths of the files in a folder, sorted, for languages whose imports are not file
    /// names. With `deep`, includes the files of the folders in it. An unreadable folder has none.
    fn list(&mut self, folder: &str, deep: bool) -> Vec<String> {
        let _ = (folder, deep);
        Vec::new()
    }
}

/// Most files that [`Files`] lists, and most folders that it reads for a list.
const MAX_LIST: usize = 100_000;

/// Loaded text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// Bytes of the text.
    pub bytes: Vec<u8>,
    /// Identity, equal for all paths that lead to the same text. It reveals import cycles.
    pub identity: String,
}

/// Loader without files: every load fails.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str) -> io::Result<Loaded> {
        Err(io::Error::new(io::ErrorKind::NotFound, "there are no files here"))
    }
}

/// Loader of files by absolute paths, and by paths relative to one folder.
#[derive(Debug, Clone, Default)]
pub struct Files {
    folder: PathBuf,
    include: Vec<String>,
}

impl Files {
    /// Returns a loader of paths relative to the working directory of the process.
    pub fn new() -> Files {
        Files::default()
    }

    /// Returns a loader of paths relative to a folder.
    pub fn below(folder: impl Into<PathBuf>) -> Files {
        Files { folder: folder.into(), include: Vec::new() }
    }

    /// Sets the include folders.
    #[must_use]
    pub fn including(self, include: Vec<String>) -> Files {
        Files { include, ..self }
    }
}

impl Loader for Files {
    fn load(&mut self, path: &str) -> io::Result<Loaded> {
        let path = self.folder.join(path);
        let mut bytes = Vec::new();
        std::fs::File::open(&path)?.take(MAX_TEXT as u64 + 1).read_to_end(&mut bytes)?;
        Ok(Loaded { bytes, identity: identity(&path) })
    }

    fn include(&self) -> &[String] {
        &self.include
    }

    fn list(&mut self, folder: &str, deep: bool) -> Vec<String> {
        let mut found = Vec::new();
        let mut due = vec![PathBuf::from(folder)];
        let mut read = 0;
        while let Some(folder) = due.pop() {
            read += 1;
            for entry in std::fs::read_dir(self.folder.join(&folder)).into_iter().flatten().flatten() {
                let path = folder.join(entry.file_name());
                // A link to a folder may lead back, so that only folders themselves are read.
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() && deep && read + due.len() < MAX_LIST => due.push(path),
                    Ok(kind) if !kind.is_dir() && found.len() < MAX_LIST => found.push(path.to_string_lossy().into_owned()),
                    _ => {}
                }
            }
        }
        found.sort();
        found
    }
}

/// Returns the [`Loaded::identity`] of a file.
pub fn identity(path: &Path) -> String {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_below_their_folder() {
        let mut files = Files::below(env!("CARGO_MANIFEST_DIR"));
        let found = files.load("Cargo.toml").unwrap();
        assert!(found.bytes.starts_with(b"[package]"));
        assert_eq!(found.identity, files.load("src/../Cargo.toml").unwrap().identity);
        assert!(files.load("no-such-file").is_err() && NoFiles.load("Cargo.toml").is_err());
        let (flat, deep) = (files.list(".", false), files.list("src", true));
        assert!(flat.contains(&"./Cargo.toml".to_string()) && !flat.iter().any(|path| path.contains("lib.rs")), "{flat:?}");
        assert!(deep.contains(&"src/text/sources.rs".to_string()) && deep.is_sorted(), "{deep:?}");
        assert!(files.list("no-such-folder", true).is_empty() && NoFiles.list(".", true).is_empty());
    }
}
