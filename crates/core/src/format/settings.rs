//! Settings of a format: what users choose about how it is read or written.
//!
//! A [`Format`](crate::format::declaration::Format) that has settings has a [`Configure`]. With
//! settings it is a [`Configured`], which makes readers and writers. Faces take the list of
//! settings from here, and know none of them by name.

use std::sync::Arc;

use crate::error::Result;
use crate::walk::read::Reader;
use crate::walk::write::Writer;

/// A setting that a format takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Setting {
    /// Name, lower case with hyphens. Formats that share a name share its meaning.
    pub name: &'static str,
    /// Name of the value for people, or `None` for a switch: that has the empty value.
    pub value: Option<&'static str>,
    /// Description for people, without a full stop.
    pub about: &'static str,
    /// True if readers take it.
    pub reads: bool,
    /// Name that it has for writers, where a reader's settings stand beside a writer's; `None` if
    /// writers do not take it.
    pub writes: Option<&'static str>,
    /// Value that readers of whole files get where the user gives none. Without it they read as a
    /// reader without settings does.
    pub usual: Option<&'static str>,
}

impl Setting {
    /// Makes a setting with a value, which neither readers nor writers take yet.
    pub const fn new(name: &'static str, value: &'static str, about: &'static str) -> Setting {
        Setting { name, value: Some(value), about, reads: false, writes: None, usual: None }
    }

    /// Makes a switch, which neither readers nor writers take yet.
    pub const fn switch(name: &'static str, about: &'static str) -> Setting {
        Setting { name, value: None, about, reads: false, writes: None, usual: None }
    }

    /// Declares that readers take it.
    #[must_use]
    pub const fn reads(mut self) -> Setting {
        self.reads = true;
        self
    }

    /// Declares that writers take it, and sets the name that it has for them, where a reader's
    /// settings stand beside a writer's.
    #[must_use]
    pub const fn writes(mut self, name: &'static str) -> Setting {
        self.writes = Some(name);
        self
    }

    /// Sets the value that readers of whole files get where the user gives none.
    #[must_use]
    pub const fn usual(mut self, value: &'static str) -> Setting {
        self.usual = Some(value);
        self
    }
}

/// Makes readers and writers of a format by settings.
pub trait Configure: Sync {
    /// Returns the settings that the format takes.
    fn settings(&self) -> &'static [Setting];

    /// Returns the format with these settings, each a name of [`Configure::settings`] and a value.
    ///
    /// # Errors
    /// A value is none of the setting's, or two of them contradict each other.
    fn configure(&self, given: &[(&str, &str)]) -> Result<Arc<dyn Configured>>;
}

/// A format with settings.
pub trait Configured: Send + Sync {
    /// Makes a reader.
    fn reader(&self) -> Box<dyn Reader>;

    /// Makes a writer, if the format can be written.
    fn writer(&self) -> Option<Box<dyn Writer>>;
}
