//! The list of targets, `fuzz/targets.toml`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::common::Result;

/// All targets, and the groups of files that they start from.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Targets {
    /// Groups of seeds by name.
    pub seeds: BTreeMap<String, Group>,
    /// Targets in the order in which they run.
    pub target: Vec<Target>,
}

/// Patterns of files, and how inputs are in them.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Group {
    /// Files that are inputs.
    pub files: Vec<String>,
    /// JSON whose strings of hexadecimal digits are inputs.
    pub hex: Vec<String>,
    /// PEM whose blocks are inputs.
    pub pem: Vec<String>,
}

/// One fuzz target.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Name of its program.
    pub name: String,
    /// Kind of the target, which decides how long it runs.
    pub kind: Kind,
    /// Property that it checks, in a few words.
    pub holds: String,
    /// Groups of seeds.
    #[serde(default)]
    pub seeds: Vec<String>,
    /// Bytes, each of which is put before each seed; none if empty.
    #[serde(default)]
    pub first: Vec<u8>,
}

/// Kind of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A reader of bytes from strangers.
    Reader,
    /// Two implementations side by side.
    Differential,
    /// Any other.
    Other,
}

impl Kind {
    /// All kinds, in the order of the page.
    pub const ALL: [Kind; 3] = [Kind::Reader, Kind::Differential, Kind::Other];

    /// Returns the least processor minutes of such a target.
    pub fn minutes(self) -> f64 {
        match self {
            Kind::Reader => 10.0,
            Kind::Differential => 5.0,
            Kind::Other => 2.0,
        }
    }

    /// Returns the heading of such targets.
    pub fn heading(self) -> &'static str {
        match self {
            Kind::Reader => "Readers of bytes from strangers",
            Kind::Differential => "Beside other libraries",
            Kind::Other => "Others",
        }
    }
}

impl Targets {
    /// Reads the list.
    pub fn load(file: &Path) -> Result<Targets> {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let targets: Targets = toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        for target in &targets.target {
            if let Some(name) = target.seeds.iter().find(|name| !targets.seeds.contains_key(*name)) {
                return Err(format!("{}: {} names the seeds {name}, which are no group", file.display(), target.name));
            }
        }
        Ok(targets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Manifest {
        bin: Vec<Bin>,
    }

    #[derive(Deserialize)]
    struct Bin {
        name: String,
    }

    #[test]
    fn every_program_is_a_target() {
        let folder = crate::common::root().join("fuzz");
        let targets = Targets::load(&folder.join("targets.toml")).unwrap();
        let manifest: Manifest = toml::from_str(&std::fs::read_to_string(folder.join("Cargo.toml")).unwrap()).unwrap();
        let mut listed: Vec<&str> = targets.target.iter().map(|target| target.name.as_str()).collect();
        let mut built: Vec<&str> = manifest.bin.iter().map(|bin| bin.name.as_str()).collect();
        listed.sort_unstable();
        built.sort_unstable();
        assert_eq!(listed, built);
    }

    #[test]
    fn every_pattern_of_the_repository_finds_files() {
        let root = crate::common::root();
        let targets = Targets::load(&root.join("fuzz/targets.toml")).unwrap();
        for (name, group) in &targets.seeds {
            for pattern in group.files.iter().chain(&group.hex).chain(&group.pem).filter(|pattern| !pattern.starts_with("$SUITES/")) {
                let found = glob::glob(root.join(pattern).to_str().unwrap()).unwrap().count();
                assert!(found > 0, "{name}: {pattern} finds no file");
            }
        }
    }
}
