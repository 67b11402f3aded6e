//! Texts that people write, and the files that they include: from the file system, from another version, from memory.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Most bytes of one file that [`Files`] reads; of a longer one there is one byte more, for whoever refuses it.
pub const MAX_FILE: usize = 16 << 20;

/// A text with what it takes to read what it includes.
pub struct Text<'a> {
    /// Path of the file, or whatever people know the text by.
    pub name: &'a str,
    /// The text.
    pub bytes: &'a [u8],
    /// [`Loaded::identity`] of its file, empty if it is none.
    pub identity: &'a str,
    /// Gives included files.
    pub loader: &'a mut dyn Loader,
}

/// Where included files come from.
pub trait Loader {
    /// The file of that path, as it stands in the text that includes it.
    ///
    /// # Errors
    /// The file cannot be read.
    fn load(&mut self, path: &str) -> io::Result<Loaded>;
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What is the same for the same file, by whatever path it was found: cycles are told by it.
    pub identity: String,
}

/// No files: nothing can be included.
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
}

impl Files {
    /// Relative to the working directory of the process.
    pub fn new() -> Files {
        Files::default()
    }

    /// Relative to a folder.
    pub fn below(folder: impl Into<PathBuf>) -> Files {
        Files { folder: folder.into() }
    }
}

impl Loader for Files {
    fn load(&mut self, path: &str) -> io::Result<Loaded> {
        let path = self.folder.join(path);
        let mut bytes = Vec::new();
        std::fs::File::open(&path)?.take(MAX_FILE as u64 + 1).read_to_end(&mut bytes)?;
        Ok(Loaded { bytes, identity: identity(&path) })
    }
}

/// What [`Loaded::identity`] is for files of the file system.
pub fn identity(path: &Path) -> String {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf()).to_string_lossy().into_owned()
}
