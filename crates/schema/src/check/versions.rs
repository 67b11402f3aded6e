//! Versions of a schema: files, and revisions in git.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use polywire_core::text::sources::{Files, Loaded, Loader, MAX_TEXT, identity};
use polywire_core::{Error, Result};

/// One version of a schema.
pub struct Version {
    /// Label for people: a path, or a revision and a path.
    pub label: String,
    /// The schema's text.
    pub bytes: Vec<u8>,
    /// [`Loaded::identity`] of its file.
    pub identity: String,
    /// Loader of the files that it includes, in the same version.
    pub files: Box<dyn Loader>,
}

/// Most revisions that a range may have.
pub const MOST_REVISIONS: usize = 10_000;

/// Reads the version in a file; `include` holds include folders, as for [`Loader::include`].
///
/// # Errors
/// The file cannot be read.
pub fn file(path: &Path, include: &[String]) -> Result<Version> {
    let label = path.display().to_string();
    let mut files = Files::new().including(include.to_vec());
    let loaded = files.load(&path.to_string_lossy()).map_err(|error| Error::io(&label, &error))?;
    Ok(Version { label, bytes: loaded.bytes, identity: loaded.identity, files: Box::new(files) })
}

/// Reads the versions of a file at git revisions. `git:REV` is one revision; `git:A..B` is A and
/// all revisions after A up to B that changed the file. The list is empty if the file is new: none
/// of the revisions has it.
///
/// # Errors
/// `source` does not begin with `git:`, or git is not installed or does not know the revision.
pub fn revisions(path: &Path, source: &str, include: &[String]) -> Result<Vec<Version>> {
    let range = source.strip_prefix("git:").filter(|range| !range.is_empty() && !range.starts_with('-'));
    let range = range.ok_or_else(|| Error::usage(format!("`{source}`")).expected("git:REVISION, or git:FROM..TO"))?;
    let repository = Repository::of(path, include)?;
    let Some((from, to)) = range.split_once("..") else {
        let is_there = repository.has_file(range)?;
        return is_there.then(|| repository.version(range)).into_iter().collect();
    };
    let to = if to.is_empty() { "HEAD" } else { to };
    let log = ["log", "--format=%H", "--reverse", "--end-of-options", &format!("{from}..{to}"), "--", &repository.name];
    let log = repository.git(&log).map_err(|error| repository.unknown(error))?;
    let log = String::from_utf8_lossy(&log).into_owned();
    let mut revisions: Vec<&str> = if from.is_empty() { Vec::new() } else { vec![from] };
    revisions.extend(log.lines());
    if revisions.len() > MOST_REVISIONS {
        return Err(Error::usage(format!("{} revisions", revisions.len())).expected(format!("at most {MOST_REVISIONS}")));
    }
    // A revision of a range may lack the file: before it was added, or after it was moved.
    Ok(revisions.into_iter().filter_map(|revision| repository.version(revision).ok()).collect())
}

/// The folder of a file in a repository, and the file's name in it.
#[derive(Debug, Clone)]
struct Repository {
    folder: PathBuf,
    name: String,
    include: Vec<String>,
}

impl Repository {
    fn of(path: &Path, include: &[String]) -> Result<Repository> {
        let name = path.file_name().ok_or_else(|| Error::usage(path.display().to_string()).expected("a file"))?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok(Repository { folder: folder.to_path_buf(), name: name.to_string_lossy().into_owned(), include: include.to_vec() })
    }

    fn git<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<Vec<u8>> {
        let output = Command::new("git").arg("-C").arg(&self.folder).args(args).output();
        let output = output.map_err(|error| Error::io("git", &error))?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let message = String::from_utf8_lossy(&output.stderr);
        let message = message.lines().next().unwrap_or("no reason given");
        Err(Error::usage(format!("git: {}", message.trim_start_matches("fatal: "))))
    }

    /// Returns whether a revision has the file.
    fn has_file(&self, revision: &str) -> Result<bool> {
        let tree = self.git(&["rev-parse", "--verify", "--end-of-options", &format!("{revision}^{{tree}}")]);
        let tree = tree.map_err(|error| match self.is_repository() {
            true => self.unknown(Error::usage(format!("git: no revision `{revision}`"))),
            false => error,
        })?;
        // Options that git does not know are repeated in its answer.
        let tree = String::from_utf8_lossy(&tree);
        let tree = tree.lines().last().unwrap_or_default();
        Ok(!self.git(&["ls-tree", "--name-only", tree, "--", &self.name])?.is_empty())
    }

    fn is_repository(&self) -> bool {
        self.git(&["rev-parse", "--git-dir"]).is_ok()
    }

    /// Adds to an error about a revision how to get it.
    fn unknown(&self, error: Error) -> Error {
        if !self.is_repository() {
            return error;
        }
        let shallow = self.git(&["rev-parse", "--is-shallow-repository"]).is_ok_and(|answer| answer.starts_with(b"true"));
        error.hint(if shallow {
            "this clone is shallow, it has only the newest commits: git fetch --unshallow, or for actions/checkout fetch-depth: 0"
        } else {
            "is it fetched? `git branch --all` and `git tag` list the names"
        })
    }

    /// Reads a file at a revision; `path` is relative to the folder.
    fn show(&self, revision: &str, path: &str) -> Result<Vec<u8>> {
        self.git(&["show", "--end-of-options", &format!("{revision}:./{path}")])
    }

    fn version(&self, revision: &str) -> Result<Version> {
        let bytes = self.show(revision, &self.name)?;
        let short = if revision.len() == 40 { &revision[..12] } else { revision };
        Ok(Version {
            label: format!("{short}:{}", self.name),
            bytes,
            identity: identity(&self.folder.join(&self.name)),
            files: Box::new(Past { repository: self.clone(), revision: revision.to_string() }),
        })
    }
}

/// Files of a revision. Paths are relative to the working directory, like those of [`Files::new`].
struct Past {
    repository: Repository,
    revision: String,
}

impl Loader for Past {
    fn load(&mut self, path: &str) -> io::Result<Loaded> {
        let full = identity(Path::new(path));
        let wanted = self.wanted(path, &full);
        let bytes =
            self.repository.show(&self.revision, &wanted).map_err(|error| io::Error::new(io::ErrorKind::NotFound, error.to_string()))?;
        Ok(Loaded { bytes: bytes.into_iter().take(MAX_TEXT + 1).collect(), identity: full })
    }

    fn include(&self) -> &[String] {
        &self.repository.include
    }

    fn list(&mut self, folder: &str, deep: bool) -> Vec<String> {
        let wanted = self.wanted(folder, &identity(Path::new(folder)));
        let wanted = if wanted.is_empty() { "./".to_string() } else { format!("./{wanted}/") };
        let mut args = vec!["ls-tree", "--name-only", "-z", "--end-of-options", &self.revision, "--", &wanted];
        if deep {
            args.insert(1, "-r");
        }
        let found = self.repository.git(&args).unwrap_or_default();
        let names = found.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        names.map(|name| self.repository.folder.join(String::from_utf8_lossy(name).as_ref()).to_string_lossy().into_owned()).collect()
    }
}

impl Past {
    /// Returns the path from the folder of the repository to a path whose identity is `full`.
    fn wanted(&self, path: &str, full: &str) -> String {
        let folder = identity(&self.repository.folder);
        if Path::new(full).is_absolute() { relative(Path::new(&folder), Path::new(full)) } else { path.to_string() }
    }
}

/// Returns the path from a folder to a file, both absolute.
fn relative(folder: &Path, file: &Path) -> String {
    let common = folder.components().zip(file.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().skip(common).map(|_| "..".to_string());
    let down = file.components().skip(common).map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_from_folder_to_file() {
        let path = |folder: &str, file: &str| relative(Path::new(folder), Path::new(file));
        assert_eq!(path("/a/b", "/a/b/c.x"), "c.x");
        assert_eq!(path("/a/b", "/a/d/e.x"), "../d/e.x");
        assert_eq!(path("/a", "/e.x"), "../e.x");
    }

    #[test]
    fn a_source_that_is_no_revision_is_refused() {
        for source in ["main", "git:", "git:--output=x", "svn:1"] {
            assert!(revisions(Path::new("a.x"), source, &[]).is_err(), "{source}");
        }
    }
}
