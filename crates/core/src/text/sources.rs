//! Where texts come from that other texts refer to, as by `include` or `import`.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Most bytes that [`Files`] reads of one file, and one more, so that whoever asked sees that it is too long.
pub const MAX_TEXT: usize = 16 << 20;

/// Finds the texts that another text refers to.
pub trait Loader {
    /// The text of that path, as it stands in the text that refers to it.
    ///
    /// # Errors
    /// It cannot be read.
    fn load(&mut self, path: &str) -> io::Result<Loaded>;

    /// Folders that the user named for texts to be looked up in, in order, for languages whose texts refer to others by paths below such folders. Their
    /// paths are loaded with the folder before them. None: the language looks where its texts usually are.
    fn include(&self) -> &[String] {
        &[]
    }
}

/// A text that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What is the same for the same text, by whatever path it was found: cycles are told by it.
    pub identity: String,
}

/// No files: nothing is found.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str) -> io::Result<Loaded> {
        Err(io::Error::new(io::ErrorKind::NotFound, "there are no files here"))
    }
}

/// Files of the file system: absolute paths, and paths relative to one folder.
#[derive(Debug, Clone, Default)]
pub struct Files {
    folder: PathBuf,
    include: Vec<String>,
}

impl Files {
    /// Relative to the working directory of the process.
    pub fn new() -> Files {
        Files::default()
    }

    /// Relative to a folder.
    pub fn below(folder: impl Into<PathBuf>) -> Files {
        Files { folder: folder.into(), include: Vec::new() }
    }

    /// The same, with include folders.
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
}

/// What [`Loaded::identity`] is for files of the file system.
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
    }
}
