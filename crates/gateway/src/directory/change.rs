//! The check of a directory that was read again, before it replaces the one being served.

use std::collections::HashSet;
use std::path::PathBuf;
use std::{fmt, io};

use polywire_core::text::diagnostic::Diagnostics;

use super::Directory;

/// The reason why the directory in service stays.
#[derive(Debug)]
#[non_exhaustive]
pub enum NotReloaded {
    /// The directory cannot be read, or `config.json` is invalid.
    Unreadable(io::Error),
    /// The path leads to another folder than at the start, whose hooks would not run.
    Moved {
        /// The folder, without links.
        to: PathBuf,
    },
    /// A folder with served files is missing.
    Gone {
        /// `tables` or `routes`.
        folder: &'static str,
    },
    /// Files that were valid are broken.
    Broken(Vec<Diagnostics>),
}

impl fmt::Display for NotReloaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotReloaded::Unreadable(error) => error.fmt(f),
            NotReloaded::Moved { to } => write!(f, "the path leads to {} now; start again to serve that", to.display()),
            NotReloaded::Gone { folder } => write!(f, "the folder {folder} is gone"),
            NotReloaded::Broken(problems) => {
                let names: Vec<&str> = problems.iter().filter_map(file).collect();
                write!(f, "broken: {}", names.join(", "))
            }
        }
    }
}

impl std::error::Error for NotReloaded {}

impl From<io::Error> for NotReloaded {
    fn from(error: io::Error) -> NotReloaded {
        NotReloaded::Unreadable(error)
    }
}

impl Directory {
    /// Checks that this directory may be served instead of `before`.
    ///
    /// # Errors
    /// It would serve less than `before` because something is broken, not because files were
    /// deleted.
    pub fn may_follow(&self, before: &Directory) -> Result<(), NotReloaded> {
        if self.root != before.root {
            return Err(NotReloaded::Moved { to: self.root.clone() });
        }
        let gone = |folder: io::Result<PathBuf>| !folder.is_ok_and(|folder| folder.is_dir());
        if !before.tables.is_empty() && gone(self.layout.tables()) {
            return Err(NotReloaded::Gone { folder: "tables" });
        }
        if !before.routes.all().is_empty() && gone(self.layout.routes()) {
            return Err(NotReloaded::Gone { folder: "routes" });
        }
        let known: HashSet<&str> = before.problems.iter().filter(|problems| problems.is_error()).filter_map(file).collect();
        let new = |problems: &&Diagnostics| problems.is_error() && !file(problems).is_some_and(|name| known.contains(name));
        let broken: Vec<Diagnostics> = self.problems.iter().filter(new).cloned().collect();
        if broken.is_empty() { Ok(()) } else { Err(NotReloaded::Broken(broken)) }
    }
}

fn file(problems: &Diagnostics) -> Option<&str> {
    problems.sources.first().map(|source| source.name.as_str())
}
