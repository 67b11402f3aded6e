//! Formats whose bytes a schema explains.
//!
//! A [`Format`](crate::format::declaration::Format) that can be bound has a [`Binder`]. Bound to a schema it is a [`Bound`]: readers and writers of one
//! message type.

use std::path::Path;
use std::sync::Arc;

use crate::error::Result;
use crate::schema::types::Schema;
use crate::walk::read::Reader;
use crate::walk::write::Writer;

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
    /// [`Loader::include`](crate::text::sources::Loader::include) tells them.
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
