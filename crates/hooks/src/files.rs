//! The files that hooks may read: those below the table directory.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Reads below one directory. Links are followed, and must not lead out of it.
#[derive(Debug, Clone)]
pub(crate) struct Files {
    root: PathBuf,
}

/// Finds the main file in the text of a `package.json`.
pub(crate) type Main<'f> = &'f dyn Fn(String) -> Option<String>;

/// Largest file that is read, in bytes.
const LARGEST: u64 = 32 * 1024 * 1024;

impl Files {
    /// Returns the files below `root`, which has to exist.
    pub fn below(root: &Path) -> std::io::Result<Files> {
        Ok(Files { root: fs::canonicalize(root)? })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the path of a file or directory without links, if it exists below the root. Relative
    /// paths start at `from`.
    pub fn find(&self, from: &Path, path: &str) -> Option<PathBuf> {
        let found = fs::canonicalize(from.join(path)).ok()?;
        found.starts_with(&self.root).then_some(found)
    }

    fn file(&self, from: &Path, path: &str) -> Option<PathBuf> {
        self.find(from, path).filter(|found| found.is_file())
    }

    /// Returns the path of a file relative to the root, for messages.
    pub fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().into_owned()
    }

    /// Reads a whole file.
    pub fn read(&self, from: &Path, path: &str) -> Result<Vec<u8>, String> {
        let Some(found) = self.file(from, path) else {
            return Err(format!("ENOENT: no such file below the table directory: {path}"));
        };
        let failed = |error: std::io::Error| format!("{path} cannot be read: {error}");
        let mut bytes = Vec::new();
        fs::File::open(found).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes)).map_err(failed)?;
        if bytes.len() as u64 > LARGEST {
            return Err(format!("{path} is larger than {LARGEST} bytes"));
        }
        Ok(bytes)
    }

    /// Reads a whole file as text.
    pub fn text(&self, from: &Path, path: &str) -> Result<String, String> {
        String::from_utf8(self.read(from, path)?)
            .map_err(|error| format!("{path} is not UTF-8, at byte {}", error.utf8_error().valid_up_to()))
    }

    /// Finds the module that `name` means in a file of directory `from`: a file, a file without its
    /// extension, a directory, or a package of a `node_modules` on the way up to the root.
    pub fn module(&self, from: &Path, name: &str, main: Main<'_>) -> Result<PathBuf, String> {
        let missing = || format!("Cannot find module '{name}' from {}", if from == self.root { ".".into() } else { self.shown(from) });
        let relative = name == "." || name == ".." || name.starts_with("./") || name.starts_with("../") || name.starts_with('/');
        let found = if relative {
            self.as_module(from, name, main)
        } else {
            from.ancestors()
                .take_while(|folder| folder.starts_with(&self.root))
                .find_map(|folder| self.as_module(&folder.join("node_modules"), name, main))
        };
        let found = found.ok_or_else(missing)?;
        match found.extension().and_then(|extension| extension.to_str()) {
            Some("node") => Err(format!("{name} is a native module, and only modules in JavaScript can be loaded")),
            Some("mjs") => Err(format!("{name} is an ECMAScript module, and only CommonJS modules can be loaded")),
            _ => Ok(found),
        }
    }

    /// Finds the module at a path from the root, as tables and scripts name it: `patch.js`,
    /// `./patch`, or a package.
    pub fn named(&self, name: &str, main: Main<'_>) -> Result<PathBuf, String> {
        match self.as_module(&self.root, name, main) {
            Some(found) => Ok(found),
            None => self.module(&self.root, name, main),
        }
    }

    fn as_module(&self, from: &Path, name: &str, main: Main<'_>) -> Option<PathBuf> {
        if !name.ends_with('/') {
            for suffix in ["", ".js", ".json", ".cjs"] {
                if let Some(found) = self.file(from, &format!("{name}{suffix}")) {
                    return Some(found);
                }
            }
        }
        let folder = self.find(from, name).filter(|found| found.is_dir())?;
        if let Some(main) = self.text(&folder, "package.json").ok().and_then(main) {
            for suffix in ["", ".js", ".json", "/index.js"] {
                if let Some(found) = self.file(&folder, &format!("{main}{suffix}")) {
                    return Some(found);
                }
            }
        }
        self.file(&folder, "index.js").or_else(|| self.file(&folder, "index.json"))
    }
}

/// Returns the directory of a path that was found.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}
