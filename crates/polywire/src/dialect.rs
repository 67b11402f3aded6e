//! Formats bound to a schema, which take the place of a format's name.

use std::path::Path;

use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::{Loader, NoFiles};

use crate::{Dialect, Error, Format, Result};

/// Binds a format to a message type of a schema, which is text in the format's own schema language:
/// `.proto` for the formats of Protobuf, which also take the bytes of a descriptor set. Without a
/// name, the type is the one that no other type holds. The result takes the place of a format's
/// name.
///
#[cfg_attr(feature = "protobuf", doc = "```")]
#[cfg_attr(not(feature = "protobuf"), doc = "```text")]
/// let schema = r#"syntax = "proto3"; message Order { int32 id = 1; repeated string tags = 2; }"#;
/// let order = polywire::bind("protobuf", schema, Some("Order"))?;
/// let bytes = polywire::convert(br#"{"id":7,"tags":["a"]}"#, "json", &order)?;
/// assert_eq!(bytes, b"\x08\x07\x12\x01a");
/// # Ok::<(), polywire::Error>(())
/// ```
///
/// # Errors
/// The format has no such name, is not compiled in, or takes no schema; the text is no schema, or
/// lacks the type.
pub fn bind(format: &str, schema: impl AsRef<[u8]>, message: Option<&str>) -> Result<Dialect> {
    bind_with(format, schema.as_ref(), &mut NoFiles, message)
}

/// Does the same as [`bind`] with a schema file, whose imports are found in the folders `include`.
///
/// # Errors
/// The file cannot be read, or those of [`bind`].
pub fn bind_file(format: &str, path: impl AsRef<Path>, include: &[String], message: Option<&str>) -> Result<Dialect> {
    Dialect::with_schema(crate::format(format)?, path.as_ref(), message, include)
}

fn bind_with(format: &str, schema: &[u8], files: &mut dyn Loader, message: Option<&str>) -> Result<Dialect> {
    let format = crate::format(format)?;
    let binder = format.binder.ok_or_else(|| takes_no_schema(format))?;
    let text = SchemaText { name: "schema", bytes: schema, identity: "" };
    Ok(Dialect::bound(format, binder.bind_text(&text, files, message)?))
}

pub(crate) fn takes_no_schema(format: &Format) -> Error {
    Error::usage(format!("a schema for the format `{}`", format.name)).expected("a format that takes one")
}
