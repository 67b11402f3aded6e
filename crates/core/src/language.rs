//! What a schema language tells about itself: how it is named, and how a schema is printed in it.

use crate::compat::Compatibility;
use crate::error::Result;
use crate::schema::Schema;

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

    /// What two versions mean to each other, where the language has rules for that.
    fn compatibility(&self) -> Option<&'static dyn Compatibility> {
        None
    }
}

/// Something that a schema language could not say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaLoss {
    /// Name of the type, and of the field or case in it: `Voucher.sum`.
    pub at: String,
    /// What became of it, for people.
    pub what: String,
}
