//! Names of inputs: files, folders, and patterns that the shell did not resolve.

use std::path::{Path, PathBuf};

use polywire_core::{Error, ErrorKind, Fault};

use crate::failure::Failure;

/// An input by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file, or `-` for stdin.
    pub path: PathBuf,
    /// Its path below the folder that was named, or below the part of a pattern that is one folder;
    /// its name, if it was named itself.
    pub below: PathBuf,
    /// True if it is there by itself, and not because its name was given.
    pub found: bool,
}

impl Place {
    /// Returns the place of an input that was named itself.
    fn named(path: &Path) -> Place {
        Place { path: path.to_path_buf(), below: file_name(path), found: false }
    }
}

fn file_name(path: &Path) -> PathBuf {
    path.file_name().map(PathBuf::from).unwrap_or_default()
}

/// Returns the folder that all files of a folder or pattern are in.
fn fixed(name: &Path) -> PathBuf {
    if name.is_dir() {
        return name.to_path_buf();
    }
    name.components().take_while(|part| !part.as_os_str().to_string_lossy().contains(['*', '?', '['])).collect()
}

/// Returns the files that `names` stand for: themselves, all files of a folder and the folders in
/// it, and what a pattern such as `logs/**/*.json` fits; sorted within a name.
///
/// # Errors
/// A folder or pattern without files, a folder that cannot be read.
pub fn places(names: &[PathBuf]) -> Result<Vec<Place>, Failure> {
    let mut places = Vec::new();
    for name in names {
        if name == Path::new("-") || name.is_file() {
            places.push(Place::named(name));
            continue;
        }
        let text = name.to_string_lossy();
        let pattern = match name.is_dir() {
            true => format!("{}/**/*", glob::Pattern::escape(text.trim_end_matches('/'))),
            false if text.contains(['*', '?', '[']) => text.to_string(),
            // A name without a file fails when it is opened.
            false => {
                places.push(Place::named(name));
                continue;
            }
        };
        let before = places.len();
        // Hidden files are not meant.
        let options = glob::MatchOptions { require_literal_leading_dot: true, ..glob::MatchOptions::new() };
        let bad = |error: glob::PatternError| Error::usage(format!("the pattern `{text}`")).expected(error.msg.to_string());
        for found in glob::glob_with(&pattern, options).map_err(bad)? {
            let path = found.map_err(|error| {
                let name = error.path().display().to_string();
                Failure::about(Error::io("reading a folder", error.error()), Some(&name))
            })?;
            if path.is_file() {
                let below = path.strip_prefix(fixed(name)).map_or_else(|_| file_name(&path), Path::to_path_buf);
                places.push(Place { path, below, found: true });
            }
        }
        if places.len() == before {
            let error =
                Error::new(ErrorKind::Usage, Fault::Caller).seen("no file").expected("files in this folder, or that fit this pattern");
            return Err(Failure::about(error, Some(&text)));
        }
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_patterns_stand_for_their_files() {
        let folder = std::env::temp_dir().join(format!("polywire-places-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("in [x]")).unwrap();
        for name in ["b.json", "a.json", ".hidden", "in [x]/c.json"] {
            std::fs::write(folder.join(name), "1").unwrap();
        }
        let names = |name: PathBuf| {
            let found = places(&[name]).map_err(|_| ())?.into_iter();
            Ok::<_, ()>(found.map(|place| place.path.strip_prefix(&folder).unwrap().display().to_string()).collect::<Vec<_>>())
        };
        assert_eq!(names(folder.clone()), Ok(vec!["a.json".into(), "b.json".into(), "in [x]/c.json".into()]));
        assert_eq!(names(folder.join("in [x]")), Ok(vec!["in [x]/c.json".into()]));
        assert_eq!(names(folder.join("*.json")), Ok(vec!["a.json".into(), "b.json".into()]));
        assert_eq!(names(folder.join("b.json")), Ok(vec!["b.json".into()]));
        assert_eq!(names(folder.join("none")), Ok(vec!["none".into()]), "an error when it is opened");
        assert_eq!(names(folder.join("*.xml")), Err(()));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
