//! Formats whose bytes a schema explains.
//!
//! A [`Format`](crate::format::declaration::Format) that can be bound has a [`Binder`]. Bound to a
//! schema it is a [`Bound`], which makes readers and writers of one message type.

use std::path::Path;
use std::sync::Arc;

use crate::error::Result;
use crate::schema::types::Schema;
use crate::walk::read::Reader;
use crate::walk::write::Writer;

/// Binds a format to schemas.
pub trait Binder: Sync {
    /// Returns the file extensions of its own schema language, without the dot. A file with another
    /// format's extension is rejected; an unknown extension is accepted.
    fn endings(&self) -> &'static [&'static str];

    /// Returns whether messages can be written.
    fn writes(&self) -> bool {
        true
    }

    /// Returns whether it can be bound to common schemas.
    fn adopts(&self) -> bool {
        self.writes()
    }

    /// Binds the format to the message type `name` of the schema file `path`, which is in the
    /// format's own schema language. Without a name, binds it to the language's default root.
    /// `include` holds the include folders, as
    /// [`Loader::include`](crate::text::sources::Loader::include) returns them.
    ///
    /// # Errors
    /// The file cannot be read, is not a schema, or lacks the type.
    fn bind(&self, path: &Path, name: Option<&str>, include: &[String]) -> Result<Arc<dyn Bound>>;

    /// Binds the format to the root type of a common schema, such as an inferred one. Values come
    /// back as they were where the format can hold them.
    ///
    /// # Errors
    /// The format cannot express the schema.
    fn adopt(&self, schema: &Schema) -> Result<Arc<dyn Bound>>;
}

/// A format bound to a message type.
pub trait Bound: Send + Sync {
    /// Makes a reader.
    fn reader(&self) -> Box<dyn Reader>;

    /// Makes a writer, if messages of the type can be written.
    fn writer(&self) -> Option<Box<dyn Writer>>;

    /// Makes a writer for messages that come straight from [`Bound::reader`] of the same type. It
    /// writes back fields of a later version that this schema does not know, where the format
    /// allows it.
    fn relay(&self) -> Option<Box<dyn Writer>> {
        self.writer()
    }

    /// Returns the field a bare list stands for: the message type's only list field.
    fn list_field(&self) -> Option<&str> {
        None
    }
}
