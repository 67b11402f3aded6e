//! Folders of tables and routes for tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that goes when the test ends.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        loop {
            let name = format!("polywire-gateway-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
            let path = std::env::temp_dir().join(name);
            // Another copy of this module may have made it.
            match fs::create_dir(&path) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                made => {
                    made.expect("a folder");
                    return Folder(path);
                }
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file, as an editor does: it is there as a whole or not at all.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> &Folder {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("a file in a folder")).expect("a folder");
        let draft = path.with_extension("draft");
        fs::write(&draft, text).expect("a file");
        fs::rename(draft, path).expect("a file");
        self
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
