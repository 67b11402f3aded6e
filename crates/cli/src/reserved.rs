//! A file that is written at the end of long work, and opened before it.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use polywire_core::Error;

use crate::failure::Failure;

/// A file that can be written. Its contents stay until [`Reserved::write`]; a file that was made
/// for it is removed again if that never happens.
pub struct Reserved {
    path: PathBuf,
    file: File,
    is_new: bool,
}

impl Reserved {
    /// Opens a file for writing, and makes it if needed.
    ///
    /// # Errors
    /// The file cannot be written: its folder is missing, or it is a folder itself, or this user
    /// may not.
    pub fn file(path: &Path) -> Result<Reserved, Failure> {
        let made = OpenOptions::new().write(true).create_new(true).open(path);
        let (opened, is_new) = match made {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => (OpenOptions::new().write(true).open(path), false),
            made => (made, true),
        };
        let file = opened.map_err(|error| unwritable(path, &error))?;
        Ok(Reserved { path: path.to_path_buf(), file, is_new })
    }

    /// Writes the file, in place of what it held.
    ///
    /// # Errors
    /// The system's.
    pub fn write(mut self, text: &str) -> Result<(), Failure> {
        let mut write = || {
            // A pipe or a terminal has no length.
            if self.file.metadata()?.is_file() {
                self.file.set_len(0)?;
            }
            self.file.write_all(text.as_bytes())
        };
        write().map_err(|error| Failure::about(Error::io("writing", &error), Some(&self.path.display().to_string())))?;
        self.is_new = false;
        Ok(())
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        if self.is_new {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let hint = match error.kind() {
        ErrorKind::NotFound => format!("make the folder {} first, or name a file in one that exists", folder.display()),
        ErrorKind::IsADirectory => format!("name a file in it, such as {}", path.join("report.html").display()),
        _ => "name a file in a folder that you may write to".to_string(),
    };
    Failure::about(Error::io("making the file", error).hint(hint), Some(&path.display().to_string()))
}
