//! Options of the command line.

use std::path::{Path, PathBuf};

use crate::cases::Cases;
use crate::tools::Tools;

/// The request of the caller.
pub struct Options {
    /// Folders in which suites are looked up, in order.
    pub folders: Vec<PathBuf>,
    /// True if only the names are wanted.
    pub list: bool,
    /// Most misses that are shown of a suite.
    pub misses: usize,
    /// File of the page.
    pub write: Option<PathBuf>,
    only: Vec<String>,
    polywire: Option<PathBuf>,
    home: PathBuf,
    installed: PathBuf,
}

impl Options {
    /// Reads the arguments.
    ///
    /// # Errors
    /// One is unknown, or lacks its value.
    pub fn parse(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
        let home = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let installed = home.join("../target/suites");
        let mut options = Options {
            folders: Vec::new(),
            list: false,
            misses: 20,
            write: None,
            only: Vec::new(),
            polywire: None,
            home,
            installed: installed.clone(),
        };
        let mut suites = std::env::var_os("SUITES").filter(|folder| !folder.is_empty()).map(PathBuf::from);
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{arg} without a value"));
            match arg.as_str() {
                "--suites" => suites = Some(value()?.into()),
                "--only" => options.only.push(value()?),
                "--polywire" => options.polywire = Some(value()?.into()),
                "--write" => options.write = Some(value()?.into()),
                "--misses" => options.misses = value()?.parse().map_err(|_| "--misses without a number")?,
                "--list" => options.list = true,
                _ => {
                    return Err(format!(
                        "saw {arg}, expected --suites DIR, --only NAME, --polywire PROGRAM, --write FILE, --misses NUMBER or --list"
                    ));
                }
            }
        }
        if let Some(folder) = &suites
            && !folder.is_dir()
        {
            return Err(format!("{} is no folder", folder.display()));
        }
        options.folders.extend(suites);
        options.folders.push(installed);
        Ok(options)
    }

    /// Returns whether a suite was asked for.
    pub fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| name.starts_with(only.as_str()))
    }

    /// Returns the file of a suite's exceptions.
    pub fn exceptions(&self, name: &str) -> PathBuf {
        self.home.join("exceptions").join(format!("{name}.toml"))
    }

    /// Returns the programs that suites need.
    pub fn tools(&self) -> Tools {
        Tools { polywire: self.polywire.clone(), installed: self.installed.clone(), home: self.home.clone() }
    }

    /// Returns whether a suite is whole: packages of registries may lack cases.
    pub fn is_whole(&self, cases: &Cases<'_>) -> bool {
        !is_below(cases.root(), &self.installed)
    }
}

fn is_below(path: &Path, folder: &Path) -> bool {
    path.starts_with(folder)
}
