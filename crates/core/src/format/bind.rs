//! Formats whose bytes a schema explains.
//!
//! A [`Format`](crate::format::declaration::Format) that can be bound has a [`Binder`]. Bound to a
//! schema it is a [`Bound`], which makes readers and writers of one message type.

use std::any::Any;
use std::path::Path;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::format::declaration::Format;
use crate::schema::language::SchemaText;
use crate::schema::types::Schema;
use crate::text::sources::{Files, Loaded, Loader};
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

    /// Binds the format to the message type `name` of a schema, which is in the format's own schema
    /// language. Without a name, binds it to the language's default root. `files` loads the texts
    /// that the schema imports.
    ///
    /// # Errors
    /// The text is not a schema, or lacks the type.
    fn bind_text(&self, schema: &SchemaText<'_>, files: &mut dyn Loader, name: Option<&str>) -> Result<Arc<dyn Bound>>;

    /// Binds the format to the message type `name` of the schema file `path`: see
    /// [`Binder::bind_text`]. `include` holds the include folders, as [`Loader::include`] returns
    /// them.
    ///
    /// # Errors
    /// The file cannot be read, or those of [`Binder::bind_text`].
    fn bind(&self, path: &Path, name: Option<&str>, include: &[String]) -> Result<Arc<dyn Bound>> {
        let shown = path.display().to_string();
        let mut files = Files::new().including(include.to_vec());
        let Loaded { bytes, identity } = files.load(&shown).map_err(|error| Error::io(&format!("reading {shown}"), &error))?;
        self.bind_text(&SchemaText { name: &shown, bytes: &bytes, identity: &identity }, &mut files, name)
    }

    /// Binds the format to the root type of a common schema, such as an inferred one. Values come
    /// back as they were where the format can hold them.
    ///
    /// # Errors
    /// The format cannot express the schema.
    fn adopt(&self, schema: &Schema) -> Result<Arc<dyn Bound>>;

    /// Returns whether bytes look like a schema in its own language, for a file whose extension no
    /// language has.
    fn recognises(&self, schema: &[u8]) -> bool {
        std::str::from_utf8(schema).is_ok()
    }

    /// Returns the message types that [`Binder::bind`] could mean without a name, if there are
    /// several and the language has no rule to choose one. The messages then have to decide.
    ///
    /// # Errors
    /// As [`Binder::bind`].
    fn candidates(&self, path: &Path, include: &[String]) -> Result<Vec<Candidate>> {
        let _ = (path, include);
        Ok(Vec::new())
    }

    /// Binds the format to the message type of `tables`, which a binding of another format of the
    /// same schema language returned. Returns `None` if they are not of that language.
    fn bind_tables(&self, tables: Tables) -> Option<Arc<dyn Bound>> {
        let _ = tables;
        None
    }
}

/// A message type that messages may have.
#[derive(Clone)]
pub struct Candidate {
    /// Name of the type.
    pub name: String,
    /// Binding to it.
    pub bound: Arc<dyn Bound>,
}

/// A message type as other libraries of the format take it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// For Protobuf, a `FileDescriptorSet`.
    pub bytes: Vec<u8>,
    /// Full name of the message type there.
    pub name: String,
}

/// Tables of one message type, which its bindings in several formats share.
pub type Tables = Arc<dyn Any + Send + Sync>;

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

    /// Returns the tables of the message type. Formats that are bound to the same tables understand
    /// each other's unknown fields.
    fn tables(&self) -> Option<Tables> {
        None
    }

    /// Returns the message type in a form that other libraries of the format take, if they share
    /// one.
    fn describe(&self) -> Option<Description> {
        None
    }

    /// Returns the same binding with a reader that steps over fields that the schema does not know,
    /// if the format refuses these.
    fn ignoring_unknown(&self) -> Option<Arc<dyn Bound>> {
        None
    }

    /// Returns the binding by the declarations alone, if values are those of a
    /// [mapping](crate::schema::mapping).
    fn declared(&self) -> Option<Arc<dyn Bound>> {
        None
    }

    /// Returns the same binding with values of the types that its common schema has. `None` if the
    /// messages show these anyway. A moment may be a record on the wire, and is a moment then.
    fn typed(&self) -> Option<Arc<dyn Bound>> {
        None
    }

    /// Returns the same binding with these settings of the format, each a name and a value, if a
    /// binding of the format takes them.
    ///
    /// # Errors
    /// A value is none of the setting's.
    fn configured(&self, given: &[(&str, &str)]) -> Result<Option<Arc<dyn Bound>>> {
        let _ = given;
        Ok(None)
    }

    /// Returns advice for people who convert its messages to the format `to`, a sentence without a
    /// full stop, if another format shows some of their values as people expect them.
    fn advice(&self, to: &Format) -> Option<String> {
        let _ = to;
        None
    }

    /// Returns the field a bare list stands for: the message type's only list field.
    fn list_field(&self) -> Option<&str> {
        None
    }
}
