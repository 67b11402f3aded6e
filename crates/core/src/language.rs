//! What a schema language tells about itself: how it is named, how schemas are read from its text and written as such, and how texts are laid out.

use crate::compat::Compatibility;
use crate::diagnostic::{Diagnostic, Diagnostics, Source};
use crate::error::Result;
use crate::schema::Schema;
use crate::sources::Loader;

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
    /// What [`Loaded::identity`](crate::sources::Loaded::identity) is for it; empty if it is no file.
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
