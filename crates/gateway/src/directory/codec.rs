//! Formats of clauses, with their schemas: `using decoder` of a table, `using encoder` of a route.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use polywire_core::format::Dialect;
use polywire_core::text::diagnostic::{Diagnostic, Place};
use polywire_core::{Error, Result};
use polywire_formats::registry;
use polywire_ql::table::{Codec, Table};

use super::files::below;

/// Returns the format that a clause of a script in `folder` names. Its schema lies below the
/// directory `root`, as `folder` does.
///
/// # Errors
/// There is no such format, it takes no schema, or the schema cannot be read.
pub(crate) fn dialect(root: &Path, folder: &Path, codec: &Codec) -> Result<Dialect> {
    let format = registry::find(&codec.format)?;
    let Some(schema) = &codec.schema else { return Ok(Dialect::from(format)) };
    let file = below(root, folder, schema).ok_or_else(|| {
        Error::usage(format!("the schema `{schema}`"))
            .expected("a file below the table directory, or below the folder of routes where that lies elsewhere")
            .hint("put it beside the file that names it")
    })?;
    Dialect::with_schema(format, &root.join(file), codec.message.as_deref(), &[root.to_string_lossy().into_owned()])
}

/// Returns the format of an encoder clause.
///
/// # Errors
/// As [`dialect`], or the format cannot be written.
pub(crate) fn encoder(root: &Path, folder: &Path, codec: &Codec) -> Result<Dialect> {
    let dialect = dialect(root, folder, codec)?;
    if dialect.writer().is_none() {
        let error = Error::usage(format!("an encoder for {}", dialect.format().title));
        return Err(match codec.schema {
            Some(_) => error.expected("a format that can be written"),
            None => {
                error.expected("one that can be written without a schema").hint("name a schema: using encoder '…' schema '…' message '…'")
            }
        });
    }
    Ok(dialect)
}

/// The mistakes of clauses that were checked, since many tables name the same schema.
#[derive(Debug, Default)]
pub(super) struct Checked(HashMap<(PathBuf, Codec, bool), Option<String>>);

impl Checked {
    /// Returns warnings about the formats and schemas that a table names, whose statement is at
    /// `at`.
    pub fn doubts(&mut self, root: &Path, table: &Table, at: Place) -> Vec<Diagnostic> {
        let folder = table.folder.as_deref().unwrap_or(root);
        let mut found = Vec::new();
        for action in table.actions() {
            for (codec, encodes) in [(&action.decoder, false), (&action.encoder, true)] {
                let Some(codec) = codec else { continue };
                let wrong = self.0.entry((folder.to_owned(), codec.clone(), encodes)).or_insert_with(|| {
                    let loaded = if encodes { encoder(root, folder, codec) } else { dialect(root, folder, codec) };
                    loaded.err().map(|error| error.to_string())
                });
                let Some(wrong) = wrong else { continue };
                let (code, clause) = if encodes { ("bad_encoder", "encoder") } else { ("bad_decoder", "decoder") };
                let about = format!("table {}, on {}: `using {clause}`: {wrong}", table.name, action.verb.name());
                found.push(Diagnostic::warning(code, at, about).hint("calls of this verb will fail"));
            }
        }
        found
    }
}
