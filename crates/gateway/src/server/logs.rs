//! The logs of a gateway.

use std::io;
use std::path::PathBuf;
use std::time::SystemTime;

use crate::observe::{Audited, Line, Log, Place, SlowQuery};
use crate::secrets::Secrets;

/// The destinations of logs; those without one are not written.
#[derive(Debug, Clone, Default)]
pub struct LogPlaces {
    /// The access log: every request.
    pub access: Option<Place>,
    /// The log of slow queries.
    pub slow: Option<Place>,
    /// The audit log: scripts of callers, changes at services, refusals, reloads.
    pub audit: Option<Place>,
}

impl LogPlaces {
    /// Returns those that are files.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.access, &self.slow, &self.audit].into_iter().filter_map(|place| match place {
            Some(Place::File(path)) => Some(path),
            _ => None,
        })
    }
}

/// The logs that are written.
#[derive(Default)]
pub(super) struct Logs {
    pub access: Option<Log<Line>>,
    pub slow: Option<Log<SlowQuery>>,
    pub audit: Option<Log<Audited>>,
}

impl Logs {
    /// Opens logs.
    ///
    /// # Errors
    /// A file cannot be opened.
    pub fn open(places: LogPlaces, secrets: &Secrets) -> io::Result<Logs> {
        Ok(Logs {
            access: places.access.map(|place| Log::new(place, secrets)).transpose()?,
            slow: places.slow.map(|place| Log::new(place, secrets)).transpose()?,
            audit: places.audit.map(|place| Log::new(place, secrets)).transpose()?,
        })
    }

    /// Opens the files again.
    pub fn reopen(&self) {
        self.access.as_ref().map(Log::reopen);
        self.slow.as_ref().map(Log::reopen);
        self.audit.as_ref().map(Log::reopen);
    }

    /// Returns the number of lines that were not written; none if there is no log.
    pub fn dropped(&self) -> Option<u64> {
        let all = [self.access.as_ref().map(Log::dropped), self.slow.as_ref().map(Log::dropped), self.audit.as_ref().map(Log::dropped)];
        all.into_iter().flatten().reduce(|one, other| one + other)
    }

    /// Notes a reload of the folder, and the reason why the old state stays, if it does.
    pub fn reloaded(&self, failure: Option<String>) {
        if let Some(log) = &self.audit {
            log.write(Audited::Reload { time: SystemTime::now(), failure });
        }
    }
}
