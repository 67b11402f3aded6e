//! Dialects: a format alone, with settings, or bound to a schema.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Fault, Result};
use crate::format::bind::{Bound, Description};
use crate::format::declaration::Format;
use crate::format::settings::Configured;
use crate::walk::read::Reader;
use crate::walk::write::Writer;

/// A format alone, with settings, or bound to a schema.
#[derive(Clone)]
pub struct Dialect {
    format: &'static Format,
    bound: Option<Arc<dyn Bound>>,
    configured: Option<Arc<dyn Configured>>,
}

impl Dialect {
    /// Makes the dialect of a bound format.
    pub fn bound(format: &'static Format, bound: Arc<dyn Bound>) -> Dialect {
        Dialect { format, bound: Some(bound), configured: None }
    }

    /// Binds a format to the message type `name` of the schema in the file `path`.
    ///
    /// # Errors
    /// The format takes no schema, or [`Binder::bind`](crate::format::Binder::bind) fails.
    pub fn with_schema(format: &'static Format, path: &Path, name: Option<&str>, include: &[String]) -> Result<Dialect> {
        let Some(binder) = format.binder else {
            return Err(Error::new(ErrorKind::Usage, Fault::Caller)
                .seen(format!("a schema for the format `{}`", format.name))
                .expected("a format that takes one"));
        };
        Ok(Dialect::bound(format, binder.bind(path, name, include)?))
    }

    /// Returns the dialect with these settings, each a name and a value; without any, the dialect
    /// as it is.
    ///
    /// # Errors
    /// The format does not take a setting, or not with that value; or the dialect is bound, and
    /// there are settings.
    pub fn with_settings(self, given: &[(&str, &str)]) -> Result<Dialect> {
        let Some((first, _)) = given.first() else { return Ok(self) };
        let known = self.format.settings.map(|settings| settings.settings()).unwrap_or_default();
        let strange = given.iter().find(|(name, _)| !known.iter().any(|setting| setting.name == *name));
        if let (None, Some(bound)) = (strange, &self.bound)
            && let Some(bound) = bound.configured(given)?
        {
            return Ok(Dialect::bound(self.format, bound));
        }
        let refused = strange.map(|(name, _)| *name).or(self.is_bound().then_some(*first));
        match (self.format.settings, refused) {
            (Some(settings), None) => Ok(Dialect { configured: Some(settings.configure(given)?), ..self }),
            (_, refused) => {
                let names: Vec<&str> = known.iter().map(|setting| setting.name).collect();
                let error = Error::usage(format!("the setting `{}` for {}", refused.unwrap_or(first), self.format.name));
                Err(match (self.is_bound(), names.is_empty()) {
                    (true, _) => error.expected("no setting beside a schema"),
                    (_, true) => error.expected("none, as the format has no settings"),
                    _ => error.expected(format!("one of {}", names.join(", "))),
                })
            }
        }
    }

    /// Returns the format.
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// Returns whether it is bound.
    pub fn is_bound(&self) -> bool {
        self.bound.is_some()
    }

    /// Returns whether it is a format alone, without schema and settings.
    pub fn is_plain(&self) -> bool {
        self.bound.is_none() && self.configured.is_none()
    }

    /// Makes a reader.
    pub fn reader(&self) -> Box<dyn Reader> {
        match (&self.bound, &self.configured) {
            (Some(bound), _) => bound.reader(),
            (None, Some(configured)) => configured.reader(),
            (None, None) => (self.format.reader)(),
        }
    }

    /// Returns whether `other` is bound to the very same message type: the same binding, or one of
    /// another format with the same tables.
    pub fn is_bound_as(&self, other: &Dialect) -> bool {
        let (Some(one), Some(other)) = (&self.bound, &other.bound) else { return false };
        Arc::ptr_eq(one, other) || one.tables().zip(other.tables()).is_some_and(|(one, other)| Arc::ptr_eq(&one, &other))
    }

    /// Returns its message type in a form that other libraries of the format take, if it is bound
    /// and they share one.
    pub fn describe(&self) -> Option<Description> {
        self.bound.as_ref()?.describe()
    }

    /// Returns another format bound to the very same message type, if it takes schemas of the same
    /// language.
    #[must_use]
    pub fn in_format(&self, format: &'static Format) -> Option<Dialect> {
        let tables = self.bound.as_ref()?.tables()?;
        Some(Dialect::bound(format, format.binder?.bind_tables(tables)?))
    }

    /// Returns the same dialect with a reader that steps over fields that the schema does not know,
    /// if the format refuses these.
    #[must_use]
    pub fn ignoring_unknown(&self) -> Option<Dialect> {
        Some(Dialect::bound(self.format, self.bound.as_ref()?.ignoring_unknown()?))
    }

    /// Returns the same dialect by the declarations of its schema alone, if it goes by a mapping.
    #[must_use]
    pub fn declared(&self) -> Option<Dialect> {
        Some(Dialect::bound(self.format, self.bound.as_ref()?.declared()?))
    }

    /// Reports whether [`Dialect::typed`] changes anything.
    pub fn has_types(&self) -> bool {
        self.bound.as_ref().is_some_and(|bound| bound.typed().is_some())
    }

    /// Returns the same dialect with values of the types that its common schema has, as
    /// [`Bound::typed`].
    #[must_use]
    pub fn typed(self) -> Dialect {
        match self.bound.as_ref().and_then(|bound| bound.typed()) {
            Some(typed) => Dialect::bound(self.format, typed),
            None => self,
        }
    }

    /// Makes a writer for messages that come straight from a reader of this dialect. It keeps
    /// fields that the schema does not know, where the format allows it.
    pub fn relay(&self) -> Option<Box<dyn Writer>> {
        match &self.bound {
            Some(bound) => bound.relay(),
            None => self.writer(),
        }
    }

    /// Returns advice for people who convert its messages to the format `to`, as [`Bound::advice`].
    pub fn advice(&self, to: &Format) -> Option<String> {
        self.bound.as_ref()?.advice(to)
    }

    /// Returns the field a bare list stands for, as [`Bound::list_field`].
    pub fn list_field(&self) -> Option<&str> {
        self.bound.as_ref()?.list_field()
    }

    /// Makes a writer, if the format can be written.
    pub fn writer(&self) -> Option<Box<dyn Writer>> {
        match (&self.bound, &self.configured) {
            (Some(bound), _) => bound.writer(),
            (None, Some(configured)) => configured.writer(),
            (None, None) => self.format.writer.map(|make| make()),
        }
    }
}

impl From<&'static Format> for Dialect {
    fn from(format: &'static Format) -> Dialect {
        Dialect { format, bound: None, configured: None }
    }
}

impl fmt::Debug for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dialect({}{})", self.format.name, if self.is_bound() { ", bound" } else { "" })
    }
}
