//! Options of reading, which conversions and streams share.

use polywire_core::tools::adapt::{Doubles, Projection, Walker};
use polywire_core::walk::{EntryPath, Path};

use crate::{Dialect, Limits, Result};

/// A format, and how its messages are read.
#[derive(Clone)]
pub(crate) struct Reading {
    dialect: Dialect,
    pub(crate) limits: Limits,
    pub(crate) duplicates: Doubles,
    each: Option<EntryPath>,
    select: Option<Projection>,
    /// Paths of `select`.
    #[cfg(feature = "columns")]
    paths: Option<Vec<Path>>,
}

impl Reading {
    pub(crate) fn new(dialect: Dialect) -> Reading {
        Reading {
            dialect,
            limits: Limits::DEFAULT,
            duplicates: Doubles::default(),
            each: None,
            select: None,
            #[cfg(feature = "columns")]
            paths: None,
        }
    }

    pub(crate) fn each(&mut self, path: &str) -> Result<()> {
        self.each = Some(EntryPath::parse(path)?);
        Ok(())
    }

    pub(crate) fn select(&mut self, paths: &[&str]) -> Result<()> {
        let paths = paths.iter().map(|path| Path::parse(path)).collect::<Result<Vec<Path>>>()?;
        self.select = Some(Projection::new(&paths));
        #[cfg(feature = "columns")]
        {
            self.paths = Some(paths);
        }
        Ok(())
    }

    /// Returns the paths that are selected, if not all are.
    #[cfg(feature = "columns")]
    pub(crate) fn selection(&self) -> Option<&[Path]> {
        self.paths.as_deref()
    }

    pub(crate) fn walker(&self) -> Walker {
        let walker = Walker::new(self.dialect.clone(), &self.limits).doubles(self.duplicates);
        walker.select(self.select.clone()).each(self.each.clone())
    }
}
