//! Schemas: inferred from messages, written and read in their languages, compared.
//!
//! Languages are `listing` (for people, only written), `proto`, `extprot` and `usds`, the last
//! three by the features of these formats.

use std::io::Read;

use polywire_core::schema::language::{self, SchemaText};
use polywire_core::text::sources::{Loader, NoFiles};
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::Walker;
use polywire_schema::languages;

pub use polywire_core::schema::language::{Comparison, Direction, Effect, Finding, Outcome, Reading, Rule, SchemaLoss, Witness};
pub use polywire_core::schema::{Case, FieldType, Schema, Type};
pub use polywire_schema::accept::accepts;
pub use polywire_schema::infer::Inference;

use crate::{Dialect, Error, ErrorKind, Fault, IntoDialect, Limits, Result};

/// Infers the schema of messages. It accepts each of them.
///
/// ```
/// let lines = "{\"id\":1,\"name\":\"Ada\"}\n{\"id\":2}\n";
/// let schema = polywire::schema::infer(lines.as_bytes(), "jsonl")?;
/// let (text, _) = polywire::schema::write(&schema, "listing")?;
/// assert!(text.contains("name?: text"), "{text}");
/// # Ok::<(), polywire::Error>(())
/// ```
///
/// [`Inference`] takes samples one by one, and merges with others.
///
/// # Errors
/// The format has no such name or is not compiled in, or a message cannot be read.
pub fn infer(messages: impl Read, format: impl IntoDialect) -> Result<Schema> {
    let mut inference = Inference::new();
    let mut walker = Walker::new(format.into_dialect()?, &Limits::DEFAULT);
    inference.add_stream(&mut Stream::new(messages), &mut walker, 1)?;
    Ok(inference.finish(None))
}

/// Writes a schema as text of a language. Returns the text, and what the language cannot express.
///
/// # Errors
/// There is no such language, or it has no form for the schema.
pub fn write(schema: &Schema, language: &str) -> Result<(String, Vec<SchemaLoss>)> {
    languages::find(language)?.write_mapped(schema)
}

/// Reads the text of a schema.
///
/// # Errors
/// There is no such language, or the text is no schema in it.
pub fn read(text: &str, language: &str) -> Result<Schema> {
    let found = languages::find(language)?;
    let reader = found.reader().ok_or_else(|| Error::usage(format!("`{language}`")).expected("a language that can be read"))?;
    let text = SchemaText { name: "schema", bytes: text.as_bytes(), identity: "" };
    Ok(reader.read(&text, &mut NoFiles)?.schema)
}

/// Compares two versions of a schema: is each able to read the messages of the other?
///
/// A [`Finding`] is a change, with its outcome in each direction and an example message that shows
/// it.
///
#[cfg_attr(feature = "protobuf", doc = "```")]
#[cfg_attr(not(feature = "protobuf"), doc = "```text")]
/// use polywire::schema::{self, Direction};
///
/// let old = r#"syntax = "proto3"; message Order { int32 id = 1; string note = 2; }"#;
/// let new = r#"syntax = "proto3"; message Order { int32 id = 1; int32 note = 2; }"#;
/// let comparison = schema::check(old, new, "proto")?;
/// assert!(comparison.effect(Direction::Backward).breaks());
/// let change = &comparison.findings[0];
/// assert!(change.backward.witness.is_some(), "{}", change.message);
/// # Ok::<(), polywire::Error>(())
/// ```
///
/// # Errors
/// There is no such language, it has no rules about versions, or a text is no schema in it.
pub fn check(old: &str, new: &str, language: &str) -> Result<Comparison> {
    check_with(old, &mut NoFiles, new, &mut NoFiles, language)
}

/// Does the same as [`check`] for texts that import others, which the loaders load.
///
/// # Errors
/// As [`check`].
pub fn check_with(old: &str, old_files: &mut dyn Loader, new: &str, new_files: &mut dyn Loader, language: &str) -> Result<Comparison> {
    let found = languages::find(language)?;
    let rules = found.compatibility().ok_or_else(|| {
        Error::new(ErrorKind::Unsupported, Fault::Caller)
            .seen(format!("a schema in the language {}", found.title()))
            .expected("a language with compatibility rules")
    })?;
    let old = language::Version { text: named("old", old), files: old_files };
    let new = language::Version { text: named("new", new), files: new_files };
    Ok(rules.compare(old, new, None)?)
}

fn named<'t>(name: &'t str, text: &'t str) -> SchemaText<'t> {
    SchemaText { name, bytes: text.as_bytes(), identity: name }
}

/// Binds a format to a common schema, such as an inferred one.
///
/// # Errors
/// The format has no such name, is not compiled in, takes no schema, or cannot express this one.
pub fn adopt(format: &str, schema: &Schema) -> Result<Dialect> {
    let format = crate::format(format)?;
    let binder = format.binder.filter(|binder| binder.adopts()).ok_or_else(|| crate::dialect::takes_no_schema(format))?;
    Ok(Dialect::bound(format, binder.adopt(schema)?))
}
