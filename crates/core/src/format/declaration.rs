//! What a format tells about itself: one value of this type is its line in the registry.

use crate::format::bind::Binder;
use crate::walk::read::Reader;
use crate::walk::write::Writer;

/// A format: its line in the registry. Two formats are the same if their names are equal; do not
/// compare addresses.
///
/// ```
/// # use polywire_core::{Budget, Format, Frame, Reader, Result, Sink};
/// # use polywire_core::format::{Confidence, Nature};
/// # struct MyReader;
/// # impl Reader for MyReader {
/// #     fn frame(&mut self, _: &[u8], _: u64, _: bool) -> Result<Frame> { Ok(Frame::End) }
/// #     fn walk<'m>(&mut self, _: &'m [u8], _: u64, _: &mut dyn Sink<'m>, _: &mut Budget) -> Result<()> { Ok(()) }
/// # }
/// # fn recognise(_: &[u8], _: bool) -> Confidence { Confidence::No }
/// pub static FORMAT: Format = Format::new("mine", "My format", Nature::Binary, recognise, || Box::new(MyReader))
///     .media_types(&["application/x-mine"])
///     .extensions(&["mine"]);
/// ```
#[non_exhaustive]
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

impl Format {
    /// Makes a format that is only read, takes no schema, and whose messages follow each other without
    /// a separator. Duplicate keys are [`Repeats::Doubled`].
    pub const fn new(
        name: &'static str,
        title: &'static str,
        nature: Nature,
        recognise: fn(start: &[u8], whole: bool) -> Confidence,
        reader: fn() -> Box<dyn Reader>,
    ) -> Format {
        Format {
            name,
            title,
            media_types: &[],
            extensions: &[],
            magic: "",
            nature,
            schema: SchemaNeed::None,
            repeats: Repeats::Doubled,
            separator: "",
            recognise,
            reader,
            writer: None,
            binder: None,
        }
    }

    /// Sets its media types, the preferred one first.
    #[must_use]
    pub const fn media_types(mut self, media_types: &'static [&'static str]) -> Format {
        self.media_types = media_types;
        self
    }

    /// Sets its file extensions without the dot, the preferred one first.
    #[must_use]
    pub const fn extensions(mut self, extensions: &'static [&'static str]) -> Format {
        self.extensions = extensions;
        self
    }

    /// Sets how its messages start, for people.
    #[must_use]
    pub const fn magic(mut self, magic: &'static str) -> Format {
        self.magic = magic;
        self
    }

    /// Sets whether reading it takes a schema.
    #[must_use]
    pub const fn schema(mut self, schema: SchemaNeed) -> Format {
        self.schema = schema;
        self
    }

    /// Sets what several fields of one name in one record mean.
    #[must_use]
    pub const fn repeats(mut self, repeats: Repeats) -> Format {
        self.repeats = repeats;
        self
    }

    /// Sets what is written between the messages of a stream.
    #[must_use]
    pub const fn separator(mut self, separator: &'static str) -> Format {
        self.separator = separator;
        self
    }

    /// Sets what makes its writers.
    #[must_use]
    pub const fn writer(mut self, writer: fn() -> Box<dyn Writer>) -> Format {
        self.writer = Some(writer);
        self
    }

    /// Sets what binds it to schemas.
    #[must_use]
    pub const fn binder(mut self, binder: &'static dyn Binder) -> Format {
        self.binder = Some(binder);
        self
    }
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
