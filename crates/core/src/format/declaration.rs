//! A format's declaration: one value of this type is its line in the registry.

use crate::format::bind::Binder;
use crate::format::columns::Columnar;
use crate::format::settings::Configure;
use crate::walk::entries::Structure;
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
    /// Name for command lines and errors, lower case.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// Media types, the preferred one first.
    pub media_types: &'static [&'static str],
    /// File extensions without the dot, the preferred one first.
    pub extensions: &'static [&'static str],
    /// Description of how its messages start, for people; [`Format::recognise`] decides.
    pub magic: &'static str,
    /// Text or binary.
    pub nature: Nature,
    /// The need of a schema for reading it.
    pub schema: SchemaNeed,
    /// The meaning of a duplicate key in a record.
    pub repeats: Repeats,
    /// Separator between the messages of a stream.
    pub separator: &'static str,
    /// True if a stream without messages is one too.
    pub may_be_empty: bool,
    /// Judges whether `start`, the first bytes of a stream, is in this format; `whole` means that
    /// nothing follows them.
    pub recognise: fn(start: &[u8], whole: bool) -> Confidence,
    /// Makes a reader.
    pub reader: fn() -> Box<dyn Reader>,
    /// Makes a writer, if the format can be written without a schema.
    pub writer: Option<fn() -> Box<dyn Writer>>,
    /// The place of the next message in a stream, whatever the bytes of a message are.
    pub framing: Framing,
    /// True if its messages name their character set themselves, and readers decode them.
    pub names_charset: bool,
    /// Finds the structure of a document whose entries are read one by one, if the format can.
    pub structure: Option<fn() -> Box<dyn Structure>>,
    /// Returns the name, for people, of a tag of one of the format's tag spaces.
    pub tag_name: fn(space: &str, code: u64) -> Option<&'static str>,
    /// Returns the format of the bytes in a tagged value of one of the format's tag spaces, if the
    /// tag declares one.
    pub tag_holds: fn(space: &str, code: u64) -> Option<&'static Format>,
    /// The bytes around the elements of a list, if a list may be written element by element.
    pub list_marks: Option<&'static ListMarks>,
    /// True if the bytes of a message say where it ends, so that it can be read before more bytes
    /// come or the input ends.
    pub marks_end: bool,
    /// Binds the format to schemas, if it takes them.
    pub binder: Option<&'static dyn Binder>,
    /// Makes readers and writers by settings, if the format has any.
    pub settings: Option<&'static dyn Configure>,
    /// True if the first message of a stream gives the fields of all others, as in a table.
    pub first_gives_fields: bool,
    /// Reads and writes its files, if these hold messages as columns. Its reader reads their rows.
    pub columns: Option<&'static dyn Columnar>,
}

impl Format {
    /// Makes a format that is only read, takes no schema, and whose messages follow each other
    /// without a separator. Duplicate keys are [`Repeats::Doubled`].
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
            may_be_empty: false,
            recognise,
            reader,
            writer: None,
            framing: Framing::Contents,
            structure: None,
            tag_name: |_, _| None,
            tag_holds: |_, _| None,
            list_marks: None,
            marks_end: true,
            binder: None,
            settings: None,
            first_gives_fields: false,
            names_charset: false,
            columns: None,
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

    /// Sets the meaning of a duplicate key in a record.
    #[must_use]
    pub const fn repeats(mut self, repeats: Repeats) -> Format {
        self.repeats = repeats;
        self
    }

    /// Sets the separator between the messages of a stream.
    #[must_use]
    pub const fn separator(mut self, separator: &'static str) -> Format {
        self.separator = separator;
        self
    }

    /// Declares that a stream without messages is one too.
    #[must_use]
    pub const fn may_be_empty(mut self) -> Format {
        self.may_be_empty = true;
        self
    }

    /// Sets the function that makes its writers.
    #[must_use]
    pub const fn writer(mut self, writer: fn() -> Box<dyn Writer>) -> Format {
        self.writer = Some(writer);
        self
    }

    /// Sets what gives the place of the next message in a stream. It also declares that a message
    /// does not depend on one before it, save for the first one's fields.
    #[must_use]
    pub const fn framing(mut self, framing: Framing) -> Format {
        self.framing = framing;
        self
    }

    /// Sets the function that finds the structure of its documents, which then need the memory of
    /// an entry.
    #[must_use]
    pub const fn structure(mut self, structure: fn() -> Box<dyn Structure>) -> Format {
        self.structure = Some(structure);
        self
    }

    /// Sets the function that names the tags of its tag spaces.
    #[must_use]
    pub const fn tag_name(mut self, tag_name: fn(space: &str, code: u64) -> Option<&'static str>) -> Format {
        self.tag_name = tag_name;
        self
    }

    /// Sets the function that returns the format of the bytes in tagged values of its tag spaces.
    #[must_use]
    pub const fn tag_holds(mut self, tag_holds: fn(space: &str, code: u64) -> Option<&'static Format>) -> Format {
        self.tag_holds = tag_holds;
        self
    }

    /// Declares that a list is the messages of its elements with these bytes around them.
    #[must_use]
    pub const fn list_marks(mut self, list_marks: &'static ListMarks) -> Format {
        self.list_marks = Some(list_marks);
        self
    }

    /// Declares that a message ends where the next one begins, or the input ends.
    #[must_use]
    pub const fn ends_with_input(mut self) -> Format {
        self.marks_end = false;
        self
    }

    /// Sets its binder to schemas.
    #[must_use]
    pub const fn binder(mut self, binder: &'static dyn Binder) -> Format {
        self.binder = Some(binder);
        self
    }

    /// Sets what makes readers and writers by settings.
    #[must_use]
    pub const fn settings(mut self, settings: &'static dyn Configure) -> Format {
        self.settings = Some(settings);
        self
    }

    /// Declares that its messages name their character set themselves.
    #[must_use]
    pub const fn names_charset(mut self) -> Format {
        self.names_charset = true;
        self
    }

    /// Declares that its files hold messages as columns.
    #[must_use]
    pub const fn columns(mut self, columns: &'static dyn Columnar) -> Format {
        self.columns = Some(columns);
        self
    }

    /// Declares that the first message of a stream gives the fields of all later ones.
    #[must_use]
    pub const fn first_gives_fields(mut self) -> Format {
        self.first_gives_fields = true;
        self
    }
}

/// The thing that gives the place of the next message in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Framing {
    /// The contents of a message: it is known only if the message is well-formed.
    #[default]
    Contents,
    /// A message is a line, or lines where quotes hold breaks.
    Lines,
    /// A length before each message.
    Lengths,
    /// Lengths and counts within the message: it is known if these are sound, whatever else is
    /// wrong.
    Counts,
}

impl Framing {
    /// Reports whether a reader can go on behind a bad message, and messages can be walked apart
    /// from each other.
    pub fn goes_on(self) -> bool {
        self != Framing::Contents
    }
}

/// The bytes around the elements of a list: JSON's brackets and commas.
#[derive(Debug)]
pub struct ListMarks {
    /// Bytes before the first element.
    pub open: &'static [u8],
    /// Bytes between two elements.
    pub between: &'static [u8],
    /// Bytes after the last element.
    pub close: &'static [u8],
}

/// Text or binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    /// Meant to be read by people too.
    Text,
    /// For programs.
    Binary,
}

/// The need of a schema for reading a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaNeed {
    /// Its messages describe themselves.
    None,
    /// A schema adds meaning to the message.
    Optional,
    /// The bytes mean nothing without a schema.
    Required,
}

/// The meaning of a duplicate key in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeats {
    /// Elements of a list, as with XML's siblings and Protobuf's repeated fields.
    List,
    /// A mistake, or a matter of policy, as with JSON's keys.
    Doubled,
}

/// The confidence that bytes are in a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// The bytes cannot be in the format.
    No,
    /// The bytes can be in the format, and in many others.
    Possible,
    /// The bytes look like the format.
    Likely,
    /// The bytes name the format.
    Certain,
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Format({})", self.name)
    }
}
