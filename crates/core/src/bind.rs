//! Formats whose bytes a schema explains.
//!
//! A [`Format`] that can be bound has a [`Binder`]. Bound to a schema it is a [`Bound`]: readers and writers of one message type. A
//! [`Dialect`] is what the faces work with: a format as it is, or as bound.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Fault, Result};
use crate::format::Format;
use crate::read::Reader;
use crate::schema::Schema;
use crate::write::Writer;

/// Binds a format to schemas.
pub trait Binder: Sync {
    /// Endings of files in its own schema language, without the dot. A file with another format's ending is none of its own; one of an ending that no format has may be.
    fn endings(&self) -> &'static [&'static str];

    /// Whether messages can be written.
    fn writes(&self) -> bool {
        true
    }

    /// Whether it can be bound to common schemas.
    fn adopts(&self) -> bool {
        self.writes()
    }

    /// Binds it to the message type `name` of the schema in the file `path`, which is in the format's own schema language; without a name, to the
    /// type that the language takes for the message's. `include` are the folders that texts are looked up in that the file refers to, as
    /// [`Loader::include`](crate::sources::Loader::include) tells them.
    ///
    /// # Errors
    /// The file cannot be read, is no schema, or has no such type.
    fn bind(&self, path: &Path, name: Option<&str>, include: &[String]) -> Result<Arc<dyn Bound>>;

    /// Binds it to the root type of a common schema, such as one that was inferred, so that values come back as they were where the format can hold them.
    ///
    /// # Errors
    /// The format cannot say the schema.
    fn adopt(&self, schema: &Schema) -> Result<Arc<dyn Bound>>;
}

/// A format bound to a message type.
pub trait Bound: Send + Sync {
    /// Makes a reader.
    fn reader(&self) -> Box<dyn Reader>;

    /// Makes a writer, where messages of the type can be written.
    fn writer(&self) -> Option<Box<dyn Writer>>;

    /// Makes a writer for messages that come straight from [`Bound::reader`] of the same type: what a later version of the schema put into them, and this one does not
    /// know, is written back, where the format allows it.
    fn relay(&self) -> Option<Box<dyn Writer>> {
        self.writer()
    }

    /// The only field of the message type that holds a list, which a list by itself can stand for.
    fn list_field(&self) -> Option<&str> {
        None
    }
}

/// A format as it is spoken: by itself, or bound to a schema.
#[derive(Clone)]
pub struct Dialect {
    format: &'static Format,
    bound: Option<Arc<dyn Bound>>,
}

impl Dialect {
    /// The format, bound.
    pub fn bound(format: &'static Format, bound: Arc<dyn Bound>) -> Dialect {
        Dialect { format, bound: Some(bound) }
    }

    /// The format, bound to the message type `name` of the schema in the file `path`.
    ///
    /// # Errors
    /// The format takes no schema, or as [`Binder::bind`].
    pub fn with_schema(format: &'static Format, path: &Path, name: Option<&str>, include: &[String]) -> Result<Dialect> {
        let Some(binder) = format.binder else {
            return Err(Error::new(ErrorKind::Usage, Fault::Caller)
                .seen(format!("a schema for the format `{}`", format.name))
                .expected("a format that takes one"));
        };
        Ok(Dialect::bound(format, binder.bind(path, name, include)?))
    }

    /// The format.
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// Whether it is bound.
    pub fn is_bound(&self) -> bool {
        self.bound.is_some()
    }

    /// Makes a reader.
    pub fn reader(&self) -> Box<dyn Reader> {
        self.bound.as_ref().map_or_else(self.format.reader, |bound| bound.reader())
    }

    /// Whether `other` is the same format, bound to the very same message type.
    pub fn is_bound_as(&self, other: &Dialect) -> bool {
        match (&self.bound, &other.bound) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }

    /// Makes a writer for messages that come straight from a reader of this dialect: it keeps what the schema does not know, where the format allows it.
    pub fn relay(&self) -> Option<Box<dyn Writer>> {
        match &self.bound {
            Some(bound) => bound.relay(),
            None => self.writer(),
        }
    }

    /// The field that a list by itself can stand for, as [`Bound::list_field`].
    pub fn list_field(&self) -> Option<&str> {
        self.bound.as_ref()?.list_field()
    }

    /// Makes a writer, where the format can be written.
    pub fn writer(&self) -> Option<Box<dyn Writer>> {
        match &self.bound {
            Some(bound) => bound.writer(),
            None => self.format.writer.map(|make| make()),
        }
    }
}

impl From<&'static Format> for Dialect {
    fn from(format: &'static Format) -> Dialect {
        Dialect { format, bound: None }
    }
}

impl fmt::Debug for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dialect({}{})", self.format.name, if self.is_bound() { ", bound" } else { "" })
    }
}
