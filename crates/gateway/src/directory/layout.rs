//! The places of a directory's parts.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::links;

/// A folder with all parts, or parts in other places, as the original's command line names them
/// (docs/spec/ql.md 13).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// The folder of every part that is not named here.
    pub root: PathBuf,
    /// The configuration, instead of `config.json` in the folder, or `config/dev.json` there, as
    /// the original has it.
    pub config: Option<PathBuf>,
    /// The folder of tables, instead of `tables/`.
    pub tables: Option<PathBuf>,
    /// The folder of routes, instead of `routes/`.
    pub routes: Option<PathBuf>,
    /// The file that registers transformers, instead of the one that the configuration names.
    pub xformers: Option<PathBuf>,
}

/// The places that are watched for changes, by the paths that the system reports: without links.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Places {
    /// Folders, with everything below them.
    pub folders: Vec<PathBuf>,
    /// Places outside the folders: files, links that lead to files or folders, and those folders
    /// themselves.
    pub files: Vec<PathBuf>,
}

/// The places of the configuration in a folder; the first that exists counts.
const CONFIGS: [&str; 2] = ["config.json", "config/dev.json"];

/// The file that registers transformers, where neither the layout nor the configuration names one.
const TRANSFORMERS: &str = "config/xformers.json";

impl Layout {
    /// Makes the layout of a folder with all parts.
    pub fn new(root: &Path) -> Layout {
        Layout { root: root.to_owned(), ..Layout::default() }
    }

    /// Returns the folder that hooks see: the one with all parts, or that of the tables if these
    /// lie elsewhere.
    pub(super) fn hooks_root(&self) -> io::Result<PathBuf> {
        let root = fs::canonicalize(&self.root)?;
        let tables = self.tables()?;
        Ok(if tables.starts_with(&root) { root } else { tables })
    }

    /// Returns the folder of tables. A named one must exist.
    pub(super) fn tables(&self) -> io::Result<PathBuf> {
        self.part(self.tables.as_deref(), "tables")
    }

    /// Returns the folder of routes. A named one must exist.
    pub(super) fn routes(&self) -> io::Result<PathBuf> {
        self.part(self.routes.as_deref(), "routes")
    }

    /// Returns the file of the configuration, if there is one. A named one must exist.
    pub(super) fn config(&self) -> Option<PathBuf> {
        let usual = || CONFIGS.iter().map(|name| self.root.join(name)).find(|file| file.exists());
        self.config.clone().or_else(usual)
    }

    /// Returns the file that registers transformers: the one named here, else `configured` in the
    /// folder, else [`TRANSFORMERS`] there.
    pub(super) fn transformers(&self, configured: Option<&str>) -> PathBuf {
        self.xformers.clone().unwrap_or_else(|| self.root.join(configured.unwrap_or(TRANSFORMERS)))
    }

    /// Returns all places to watch. `xformers` is the file of transformers that the configuration
    /// names, `more` are files beside the layout's.
    pub(crate) fn places(&self, xformers: Option<&str>, more: &[&Path]) -> Places {
        let mut places = Places::default();
        for folder in [Some(&self.root), self.tables.as_ref(), self.routes.as_ref()].into_iter().flatten() {
            places.folders.extend(fs::canonicalize(folder));
            // Another folder may take its place.
            places.files.extend(links::way(folder));
        }
        for file in self.config().into_iter().chain([self.transformers(xformers)]).chain(more.iter().map(|file| (*file).to_owned())) {
            places.files.extend(links::way(&file));
        }
        let is_apart = |file: &PathBuf| !places.folders.iter().any(|folder| file != folder && file.starts_with(folder));
        places.files.retain(is_apart);
        places.files.sort();
        places.files.dedup();
        places
    }

    fn part(&self, named: Option<&Path>, name: &str) -> io::Result<PathBuf> {
        match named {
            Some(folder) => {
                fs::canonicalize(folder).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", folder.display())))
            }
            None => Ok(fs::canonicalize(&self.root)?.join(name)),
        }
    }
}
