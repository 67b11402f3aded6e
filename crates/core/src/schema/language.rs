//! Schema languages: their names, how schemas are read from their text and written to it, how texts
//! are formatted, and how two versions are compared.

use crate::error::Result;
use crate::schema::types::Schema;
use crate::text::diagnostic::{Diagnostic, Diagnostics, Place, Source};
use crate::text::sources::Loader;

/// A language that schemas are written in.
pub trait SchemaLanguage: Sync {
    /// Returns the name for command lines, lower case.
    fn name(&self) -> &'static str;

    /// Returns the name for people.
    fn title(&self) -> &'static str;

    /// Returns the file extensions without the dot, the preferred one first.
    fn extensions(&self) -> &'static [&'static str];

    /// Writes the schema as text that ends with a line break. Returns the text, and what the
    /// language cannot express.
    ///
    /// # Errors
    /// The schema fails [`Schema::check`], or the language has no form for it.
    fn write(&self, schema: &Schema) -> Result<(String, Vec<SchemaLoss>)>;

    /// Writes the schema as text whose declarations describe the bytes of
    /// [`Binder::adopt`](crate::format::Binder::adopt), with the [mapping](crate::schema::mapping)
    /// that makes [`Binder::bind`](crate::format::Binder::bind) give values back as they were. A
    /// schema that cannot be adopted is written as [`SchemaLanguage::write`] does.
    ///
    /// # Errors
    /// Those of [`SchemaLanguage::write`].
    fn write_mapped(&self, schema: &Schema) -> Result<(String, Vec<SchemaLoss>)> {
        self.write(schema)
    }

    /// Returns the reader of texts, or `None` for a language that is only written.
    fn reader(&self) -> Option<&dyn SchemaReader> {
        None
    }

    /// Returns the comparison of versions, where the language has rules for it.
    fn compatibility(&self) -> Option<&dyn Compatibility> {
        None
    }
}

/// The reading side of a language.
pub trait SchemaReader {
    /// Reads a schema and checks it. `files` loads the texts that it imports.
    ///
    /// # Errors
    /// All mistakes that one run can find.
    fn read(&self, text: &SchemaText<'_>, files: &mut dyn Loader) -> Result<ReadSchema, Diagnostics>;

    /// Returns the schema as text of its own language, with what that cannot express. `None` means
    /// that the common schema holds as much.
    ///
    /// # Errors
    /// Those of [`SchemaReader::read`].
    fn own_text(&self, text: &SchemaText<'_>, files: &mut dyn Loader) -> Option<Result<(String, Vec<SchemaLoss>), Diagnostics>> {
        let _ = (text, files);
        None
    }

    /// Returns the schema and its imports in the language's binary form, if it has one, such as the
    /// descriptor sets of Protocol Buffers.
    ///
    /// # Errors
    /// Those of [`SchemaReader::read`].
    fn binary(&self, text: &SchemaText<'_>, files: &mut dyn Loader) -> Option<Result<Vec<u8>, Diagnostics>> {
        let _ = (text, files);
        None
    }

    /// Formats the text in the language's one layout. Comments and meaning stay, and a formatted
    /// text is unchanged.
    ///
    /// # Errors
    /// All mistakes of syntax.
    fn format(&self, text: &SchemaText<'_>) -> Result<String, Diagnostics>;
}

/// A text of a schema language.
#[derive(Debug, Clone, Copy)]
pub struct SchemaText<'t> {
    /// Path, or another name for people.
    pub name: &'t str,
    /// Bytes of the text.
    pub bytes: &'t [u8],
    /// Identity, as [`Loaded::identity`](crate::text::sources::Loaded::identity) has it. Empty if
    /// the text is no file.
    pub identity: &'t str,
}

/// Result of reading a schema.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReadSchema {
    /// The schema.
    pub schema: Schema,
    /// Parts of the text that the common schema cannot express.
    pub losses: Vec<SchemaLoss>,
    /// Warnings: valid parts that may not mean what their writer meant.
    pub warnings: Vec<Diagnostic>,
    /// The texts that the warnings are about.
    pub sources: Vec<Source>,
}

/// Part of a schema that a language cannot express.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaLoss {
    /// Name of the type, and of the field or case in it: `Voucher.sum`.
    pub at: String,
    /// Result in the other language, for people.
    pub what: String,
}

/// Direction of compatibility: which version reads the messages of which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// New readers, old messages.
    Backward,
    /// Old readers, new messages.
    Forward,
}

impl Direction {
    /// Both directions, backward first.
    pub const ALL: [Direction; 2] = [Direction::Backward, Direction::Forward];

    /// Returns the name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::Backward => "backward",
            Direction::Forward => "forward",
        }
    }
}

/// Severity of a change in one direction, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// Every message keeps its meaning.
    Fine,
    /// Every message is read, but people may misunderstand it: a name or a default changed.
    Warns,
    /// Some message is read without an error, as another value.
    Misread,
    /// Some message is rejected.
    Refused,
}

impl Effect {
    /// Returns whether the versions are incompatible.
    pub const fn breaks(self) -> bool {
        matches!(self, Effect::Misread | Effect::Refused)
    }

    /// Returns the name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Effect::Fine => "fine",
            Effect::Warns => "warns",
            Effect::Misread => "misread",
            Effect::Refused => "refused",
        }
    }
}

/// Rule of a schema language about its versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rule {
    /// Stable identifier for programs: words joined by `-`.
    pub id: &'static str,
    /// The rule, in a sentence.
    pub text: &'static str,
    /// Section of the language's specification.
    pub section: &'static str,
}

/// Example message of one version, with its meaning in the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// The message.
    pub bytes: Vec<u8>,
    /// Value that the writer meant, as text.
    pub meant: String,
    /// Result of reading it.
    pub read: Reading,
}

/// Result of reading a witness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// The reader rejects it with this error.
    Refused(String),
    /// The reader returns this value.
    As(String),
}

/// Meaning of a change in one direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Severity.
    pub effect: Effect,
    /// Rule that decides it.
    pub rule: Option<Rule>,
    /// Example message. `None` for [`Effect::Fine`], and for types without messages, such as those
    /// of foreign modules.
    pub witness: Option<Witness>,
    /// Result in the format's JSON form, tried where the bytes of a message break as well. `None`
    /// if it was not tried.
    pub json: Option<Box<InJson>>,
}

/// Meaning of a change for messages in the JSON form of a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InJson {
    /// Severity.
    pub effect: Effect,
    /// Example message, whose bytes are a JSON text. `None` for [`Effect::Fine`].
    pub witness: Option<Witness>,
}

impl Outcome {
    /// Outcome of a change without an effect.
    pub const FINE: Outcome = Outcome { effect: Effect::Fine, rule: None, witness: None, json: None };
}

/// Change between two versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Stable kind of change for programs: words joined by `_`.
    pub kind: &'static str,
    /// Message type below which the change was found.
    pub root: String,
    /// Path from the root, as in errors of that format.
    pub path: String,
    /// The change, in a sentence.
    pub message: String,
    /// Place in the old version's sources.
    pub old: Option<Place>,
    /// Place in the new version's sources.
    pub new: Option<Place>,
    /// Outcome for readers of the new version.
    pub backward: Outcome,
    /// Outcome for readers of the old version.
    pub forward: Outcome,
}

impl Finding {
    /// Returns the outcome in a direction.
    pub fn outcome(&self, direction: Direction) -> &Outcome {
        match direction {
            Direction::Backward => &self.backward,
            Direction::Forward => &self.forward,
        }
    }

    /// Returns the worse effect of both directions.
    pub fn effect(&self) -> Effect {
        self.backward.effect.max(self.forward.effect)
    }
}

/// Result of comparing two versions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Comparison {
    /// Texts of the old version.
    pub old: Vec<Source>,
    /// Texts of the new version.
    pub new: Vec<Source>,
    /// All changes, in the order of the new version; changes without a place there follow.
    pub findings: Vec<Finding>,
}

impl Comparison {
    /// Returns the worst effect in a direction.
    pub fn effect(&self, direction: Direction) -> Effect {
        self.findings.iter().map(|finding| finding.outcome(direction).effect).max().unwrap_or(Effect::Fine)
    }
}

/// One version of a schema.
pub struct Version<'a> {
    /// Text of the schema.
    pub text: SchemaText<'a>,
    /// Loader of the imports of the same version.
    pub files: &'a mut dyn Loader,
}

/// Comparison of versions by the rules of a schema language.
pub trait Compatibility: Sync {
    /// Compares the type named `root`, or all message types, of two versions.
    ///
    /// # Errors
    /// The mistakes in either text.
    fn compare(&self, old: Version<'_>, new: Version<'_>, root: Option<&str>) -> Result<Comparison, Diagnostics>;
}
