//! Formats of clauses, with their schemas: `using decoder` of a table, `using encoder` of a route.

use std::path::Path;

use polywire_core::format::Dialect;
use polywire_core::{Error, Result};
use polywire_formats::registry;
use polywire_ql::table::Codec;

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
