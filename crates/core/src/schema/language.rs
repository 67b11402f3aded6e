//! What a schema language tells about itself: how it is named, how schemas are read from its text and written as such, and how texts are laid out.

use crate::error::Result;
use crate::schema::types::Schema;
use crate::text::diagnostic::{Diagnostic, Diagnostics, Place, Source};
use crate::text::sources::Loader;

/// A language that schemas are written in.
pub trait SchemaLanguage: Sync {
    /// Name for command lines, lower case.
    fn name(&self) -> &'static str;

    /// Name for people.
    fn title(&self) -> &'static str;

    /// File endings without the dot, the preferred one first.
    fn extensions(&self) -> &'static [&'static str];

    /// The schema as text of this language, which ends with a line break, and what the language can't say.
    ///
    /// # Errors
    /// A schema that [`Schema::check`] refuses, or one that the language can't say in any form.
    fn write(&self, schema: &Schema) -> Result<(String, Vec<SchemaLoss>)>;

    /// How its texts are read; none for a language that is only written.
    fn reader(&self) -> Option<&dyn SchemaReader> {
        None
    }

    /// What two versions mean to each other, where the language has rules for that.
    fn compatibility(&self) -> Option<&dyn Compatibility> {
        None
    }
}

/// The reading side of a language.
pub trait SchemaReader {
    /// Reads a schema and checks it. Texts that it refers to come from `files`.
    ///
    /// # Errors
    /// All mistakes that can be told in one run.
    fn read(&self, text: &SchemaText<'_>, files: &mut dyn Loader) -> Result<ReadSchema, Diagnostics>;

    /// The schema as text of its own language, whatever form it has, and what that cannot say. None: the common schema says as much.
    ///
    /// # Errors
    /// As [`SchemaReader::read`].
    fn own_text(&self, text: &SchemaText<'_>, files: &mut dyn Loader) -> Option<Result<(String, Vec<SchemaLoss>), Diagnostics>> {
        let _ = (text, files);
        None
    }

    /// The schema with all that it refers to in the language's binary form, where it has one: Protocol Buffers' descriptor sets.
    ///
    /// # Errors
    /// As [`SchemaReader::read`].
    fn binary(&self, text: &SchemaText<'_>, files: &mut dyn Loader) -> Option<Result<Vec<u8>, Diagnostics>> {
        let _ = (text, files);
        None
    }

    /// The text in the language's one layout: with its comments, and with the same meaning. A text in that layout stays as it is.
    ///
    /// # Errors
    /// The text has mistakes of syntax: all of them.
    fn format(&self, text: &SchemaText<'_>) -> Result<String, Diagnostics>;
}

/// A text of a schema language.
#[derive(Debug, Clone, Copy)]
pub struct SchemaText<'t> {
    /// Path, or what people know it by.
    pub name: &'t str,
    /// Its bytes.
    pub bytes: &'t [u8],
    /// What [`Loaded::identity`](crate::text::sources::Loaded::identity) is for it; empty if it is no file.
    pub identity: &'t str,
}

/// A schema as it was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReadSchema {
    /// The schema.
    pub schema: Schema,
    /// What the common schema cannot say of the text.
    pub losses: Vec<SchemaLoss>,
    /// What means something, but perhaps not what was meant.
    pub warnings: Vec<Diagnostic>,
    /// The texts that the warnings are about.
    pub sources: Vec<Source>,
}

/// Something that a schema language could not say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaLoss {
    /// Name of the type, and of the field or case in it: `Voucher.sum`.
    pub at: String,
    /// What became of it, for people.
    pub what: String,
}

/// Whose messages are read by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// Readers of the new version, messages of the old.
    Backward,
    /// Readers of the old version, messages of the new.
    Forward,
}

impl Direction {
    /// Both, backward first.
    pub const ALL: [Direction; 2] = [Direction::Backward, Direction::Forward];

    /// Its word.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::Backward => "backward",
            Direction::Forward => "forward",
        }
    }
}

/// How bad a change is in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// Every message is read as it was meant.
    Fine,
    /// Every message is read, but people may take what is read for something else: a name or a default changed.
    Warns,
    /// Some message is read without an error as something that it does not say.
    Misread,
    /// Some message is refused.
    Refused,
}

impl Effect {
    /// Whether the versions do not go together.
    pub const fn breaks(self) -> bool {
        matches!(self, Effect::Misread | Effect::Refused)
    }

    /// Its word.
    pub const fn name(self) -> &'static str {
        match self {
            Effect::Fine => "fine",
            Effect::Warns => "warns",
            Effect::Misread => "misread",
            Effect::Refused => "refused",
        }
    }
}

/// A rule of a schema language about its versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// For programs: words joined by `-`, the same from version to version.
    pub id: &'static str,
    /// What it says, in a sentence.
    pub text: &'static str,
    /// Where the language's specification says so.
    pub section: &'static str,
}

/// A message of one version that shows what the other makes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// The message.
    pub bytes: Vec<u8>,
    /// What its writer meant, as text.
    pub meant: String,
    /// What the reader makes of it.
    pub read: Reading,
}

/// What a reader makes of a witness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// It refuses it, with this error.
    Refused(String),
    /// It takes it for this value.
    As(String),
}

/// What a change means in one direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How bad it is.
    pub effect: Effect,
    /// The rule that says so.
    pub rule: Option<Rule>,
    /// A message that shows it. There is none for what is fine, nor where the type has no message at all, such as types of foreign modules.
    pub witness: Option<Witness>,
}

impl Outcome {
    /// Nothing to say.
    pub const FINE: Outcome = Outcome { effect: Effect::Fine, rule: None, witness: None };
}

/// One change between two versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What kind of change, for programs: words joined by `_`, the same from version to version.
    pub kind: &'static str,
    /// The message or type at whose root the change was found.
    pub root: String,
    /// Path from the root, as in errors of that format.
    pub path: String,
    /// What changed, in a sentence.
    pub message: String,
    /// Where it was, in the old version's sources.
    pub old: Option<Place>,
    /// Where it is, in the new version's sources.
    pub new: Option<Place>,
    /// What it means for readers of the new version.
    pub backward: Outcome,
    /// What it means for readers of the old version.
    pub forward: Outcome,
}

impl Finding {
    /// What it means in a direction.
    pub fn outcome(&self, direction: Direction) -> &Outcome {
        match direction {
            Direction::Backward => &self.backward,
            Direction::Forward => &self.forward,
        }
    }

    /// The worse of both directions.
    pub fn effect(&self) -> Effect {
        self.backward.effect.max(self.forward.effect)
    }
}

/// What was found about two versions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Comparison {
    /// Texts of the old version.
    pub old: Vec<Source>,
    /// Texts of the new version.
    pub new: Vec<Source>,
    /// Every change, in the order of the new version where it has a place there.
    pub findings: Vec<Finding>,
}

impl Comparison {
    /// The worst effect in a direction.
    pub fn effect(&self, direction: Direction) -> Effect {
        self.findings.iter().map(|finding| finding.outcome(direction).effect).max().unwrap_or(Effect::Fine)
    }
}

/// A version of a schema.
pub struct Version<'a> {
    /// Its text.
    pub text: SchemaText<'a>,
    /// Finds the texts that it refers to, of the same version.
    pub files: &'a mut dyn Loader,
}

/// The rules of a schema language about its versions.
pub trait Compatibility: Sync {
    /// Compares two versions: the type of that name, or all types of messages.
    ///
    /// # Errors
    /// What is wrong with either text.
    fn compare(&self, old: Version<'_>, new: Version<'_>, root: Option<&str>) -> Result<Comparison, Diagnostics>;
}
