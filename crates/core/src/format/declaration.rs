//! What a format tells about itself: one value of this type is its line in the registry.

use crate::format::bind::Binder;
use crate::walk::read::Reader;
use crate::walk::write::Writer;

/// A format. Formats are told apart by address-free equality of their names.
pub struct Format {
    /// Name for command lines and messages, lower case.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// Media types, the preferred one first.
    pub media_types: &'static [&'static str],
    /// File endings without the dot, the preferred one first.
    pub extensions: &'static [&'static str],
    /// How its messages start, for people; [`Format::recognise`] decides.
    pub magic: &'static str,
    /// Text or binary.
    pub nature: Nature,
    /// Whether reading it takes a schema.
    pub schema: SchemaNeed,
    /// What several fields of one name in one record mean.
    pub repeats: Repeats,
    /// What is written between the messages of a stream.
    pub separator: &'static str,
    /// How well `start`, the first bytes of a stream, looks like this format; `whole` says that nothing follows them.
    pub recognise: fn(start: &[u8], whole: bool) -> Confidence,
    /// Makes a reader.
    pub reader: fn() -> Box<dyn Reader>,
    /// Makes a writer, where the format can be written without a schema.
    pub writer: Option<fn() -> Box<dyn Writer>>,
    /// Binds it to a schema, where it takes one.
    pub binder: Option<&'static dyn Binder>,
}

/// Text or binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    /// Meant to be read by people too.
    Text,
    /// For programs.
    Binary,
}

/// Whether reading a format takes a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaNeed {
    /// Its messages describe themselves.
    None,
    /// A schema tells more than the message.
    Optional,
    /// The bytes mean nothing without.
    Required,
}

/// What several fields of one name in one record mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeats {
    /// The elements of a list: XML's siblings, Protobuf's repeated fields.
    List,
    /// A mistake, or a question of policy: JSON's keys.
    Doubled,
}

/// How well bytes look like a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// They can't be it.
    No,
    /// They can be read as it, as much else could.
    Possible,
    /// They look like it.
    Likely,
    /// They say that they are it.
    Certain,
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Format({})", self.name)
    }
}
