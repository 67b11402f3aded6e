//! What a schema language and an encoding give to the generator. Both know no target language but by the types of it that they are handed:
//! one method for each target.

use polywire_core::Error;
use polywire_core::text::diagnostic::Diagnostics;

use crate::Options;
use crate::plan::Plan;
use crate::rust::RustTypes;

/// A language that schemas are written in.
pub trait Language: Sync {
    /// Name for command lines, lower case.
    fn name(&self) -> &'static str;

    /// File endings without the dot, the preferred one first.
    fn extensions(&self) -> &'static [&'static str];

    /// Reads a schema. `name` is its path; files that it includes are looked up as the language has it, and in the folders of the options.
    ///
    /// # Errors
    /// All that is wrong with it.
    fn read(&self, name: &str, text: &[u8], options: &Options) -> Result<Source, Diagnostics>;
}

/// A schema that code can be made of.
pub struct Source {
    /// Its types.
    pub plan: Plan,
    /// How they are encoded. Types are made once, however many these are.
    pub encodings: Vec<Box<dyn Encoding>>,
    /// What means something, but perhaps not what was meant.
    pub warnings: Diagnostics,
}

/// An encoding that types have whatever language they come from.
pub trait ForeignEncoding: Sync {
    /// Its name, as [`Encoding::name`].
    fn name(&self) -> &'static str;

    /// The encoding of a plan's types. `name` is what people know the schema by.
    ///
    /// # Errors
    /// Types that it has no bytes for.
    fn of(&self, plan: &Plan, name: &str) -> Result<Box<dyn Encoding>, Error>;
}

/// How the types of one plan are encoded.
pub trait Encoding {
    /// Name of the module with its code, and of the encoding.
    fn name(&self) -> &'static str;

    /// Items of Rust that read and write the types: what goes into its module, in which the types are in scope.
    fn rust(&self, types: &RustTypes<'_>) -> String;
}
