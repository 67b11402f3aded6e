//! The parts that a schema language and an encoding add to the generator.

use polywire_core::Error;
use polywire_core::text::diagnostic::Diagnostics;

use crate::options::Options;
use crate::plan::Plan;
use crate::rust::RustTypes;

/// A language that schemas are written in.
pub trait Language: Sync {
    /// Returns the name for command lines, in lower case.
    fn name(&self) -> &'static str;

    /// Returns the file extensions without the dot, the preferred one first.
    fn extensions(&self) -> &'static [&'static str];

    /// Reads a schema. `name` is its path. Files that it includes are searched for by the rules of
    /// the language, and in the include folders of the options.
    ///
    /// # Errors
    /// All mistakes in it.
    fn read(&self, name: &str, text: &[u8], options: &Options) -> Result<Source, Diagnostics>;
}

/// A schema that code can be generated from.
pub struct Source {
    /// Its types.
    pub plan: Plan,
    /// Encodings of the types, which are the same for all of them.
    pub encodings: Vec<Box<dyn Encoding>>,
    /// Warnings: the schema is valid, but perhaps not what its author means.
    pub warnings: Diagnostics,
}

/// An encoding for the types of any schema language.
pub trait ForeignEncoding: Sync {
    /// Returns its name, as [`Encoding::name`] does.
    fn name(&self) -> &'static str;

    /// Returns the encoding of a plan's types. `name` is the name that people know the schema by.
    ///
    /// # Errors
    /// The encoding has no bytes for one of the types.
    fn of(&self, plan: &Plan, name: &str) -> Result<Box<dyn Encoding>, Error>;
}

/// The encoding of one plan's types.
pub trait Encoding {
    /// Returns the name of the encoding, and of the module with its code.
    fn name(&self) -> &'static str;

    /// Returns the module with the items of Rust that read and write the types.
    fn rust(&self, types: &RustTypes<'_>) -> String;
}
