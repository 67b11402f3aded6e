//! The folder that is served, in a place of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder that is removed with its value.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Makes an empty folder.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn new() -> Result<Folder, String> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("polywire-attack-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Folder(path))
    }

    /// Makes a copy of the bundled folder, with names such as `$SERVICE` filled.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub fn bundled(fill: &[(&str, String)]) -> Result<Folder, String> {
        let folder = Folder::new()?;
        copied(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/folder")), folder.path(), fill)?;
        Ok(folder)
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, name: &str, text: &str) -> Result<(), String> {
        let path = self.0.join(name);
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| fs::write(&path, text)).map_err(|error| format!("{}: {error}", path.display()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left lies where temporary files lie.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn copied(from: &Path, to: &Path, fill: &[(&str, String)]) -> Result<(), String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", from.display());
    fs::create_dir_all(to).map_err(wrong)?;
    for entry in fs::read_dir(from).map_err(wrong)? {
        let entry = entry.map_err(wrong)?;
        let target = to.join(entry.file_name());
        if entry.file_type().map_err(wrong)?.is_dir() {
            copied(&entry.path(), &target, fill)?;
        } else {
            let text = fs::read_to_string(entry.path()).map_err(wrong)?;
            let text = fill.iter().fold(text, |text, (name, value)| text.replace(name, value));
            fs::write(target, text).map_err(wrong)?;
        }
    }
    Ok(())
}
