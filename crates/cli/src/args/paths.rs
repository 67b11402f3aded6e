//! Paths into messages: `--select`, `--ignore`, `--open`.

use std::str::FromStr;

use clap::Args;
use polywire_core::Error;
use polywire_core::tools::adapt::{Opening, Projection};
use polywire_core::tools::diff::ListKey;
use polywire_core::walk::Path;
use polywire_formats::payload::PAYLOADS;

/// The paths of `--select` and `--ignore`.
#[derive(Debug, Clone)]
pub struct Selection(pub Projection);

impl FromStr for Selection {
    type Err = Error;

    fn from_str(text: &str) -> Result<Selection, Error> {
        let paths = split(text).into_iter().map(Path::parse).collect::<Result<Vec<Path>, Error>>()?;
        Ok(Selection(Projection::new(&paths)))
    }
}

/// The paths of `--open`.
#[derive(Debug, Clone)]
pub struct OpenPaths {
    paths: Vec<Path>,
    /// True if the message itself is opened.
    pub root: bool,
}

impl FromStr for OpenPaths {
    type Err = Error;

    fn from_str(text: &str) -> Result<OpenPaths, Error> {
        let path = |text: &&str| if *text == "." { Ok(Path::default()) } else { Path::parse(text) };
        let found = split(text).iter().map(path).collect::<Result<Vec<Path>, Error>>()?;
        let root = found.contains(&Path::default());
        Ok(OpenPaths { paths: found, root })
    }
}

impl OpenPaths {
    /// Returns the path that is opened and leads to a value in which `path` leads on, if there is
    /// one.
    pub fn above(&self, path: &Path) -> Option<&Path> {
        self.paths.iter().find(|open| !open.0.is_empty() && open.0.len() < path.0.len() && path.0.starts_with(&open.0))
    }

    /// Returns the payloads to open, as walkers take them. If the input was `decoded`, its messages
    /// are what it held, and are not opened themselves.
    pub fn opening(&self, decoded: bool) -> Option<Opening> {
        let paths: Vec<Path> = self.paths.iter().filter(|path| !decoded || !path.0.is_empty()).cloned().collect();
        (!paths.is_empty()).then(|| Opening { paths: Projection::new(&paths), payloads: &PAYLOADS })
    }
}

/// The keys of `--key`.
#[derive(Debug, Clone)]
pub struct Keys(pub Vec<ListKey>);

impl FromStr for Keys {
    type Err = Error;

    fn from_str(text: &str) -> Result<Keys, Error> {
        Ok(Keys(split(text).into_iter().map(ListKey::parse).collect::<Result<_, Error>>()?))
    }
}

#[derive(Debug, Args)]
pub struct StrictArg {
    /// Exit with 2 if a path matched nothing in any message
    #[arg(long)]
    pub strict_paths: bool,
}

/// Splits paths at the commas between them, which may have white space around them.
fn split(text: &str) -> Vec<&str> {
    let mut paths = Vec::new();
    let (mut start, mut quoted, mut escaped) = (0, false, false);
    for (at, char) in text.char_indices().chain([(text.len(), ',')]) {
        match char {
            ',' if !quoted || at == text.len() => {
                paths.push(text[start..at].trim());
                start = at + 1;
            }
            '"' if !escaped => quoted = !quoted,
            _ => {}
        }
        escaped = char == '\\' && !escaped;
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_the_message_itself() {
        let parsed = |text: &str| text.parse::<OpenPaths>().map(|open| open.root).ok();
        assert_eq!(["a.b", ".", "a , .,b", "\"x,y\".z,."].map(parsed), [Some(false), Some(true), Some(true), Some(true)]);
        assert_eq!(["", "a,", "..", ".a"].map(parsed), [None; 4]);
    }

    #[test]
    fn a_selection_splits_at_commas_outside_of_quotes() {
        assert_eq!(split("a,b.c,\"x,y\".z"), ["a", "b.c", "\"x,y\".z"]);
        assert_eq!(split("id, ts"), ["id", "ts"]);
        assert!("id, ts".parse::<Selection>().is_ok());
        for bad in ["", "a,,b", "a,", "\"a,b"] {
            assert!(bad.parse::<Selection>().is_err(), "{bad}");
        }
    }
}
