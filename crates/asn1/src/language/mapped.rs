//! Modules with a mapping, in a comment behind the last module.

use polywire_core::Result;
use polywire_core::schema::{Schema, mapping};

use super::write_adopted;
use crate::adopt::adopt;

/// Writes a schema with its mapping. `None` if the schema cannot be adopted.
///
/// # Errors
/// Those of [`write_adopted`].
pub fn write(schema: &Schema) -> Result<Option<String>> {
    let (Ok(_), Some(mapping)) = (adopt(schema), mapping(schema)) else { return Ok(None) };
    let mut text = write_adopted(schema)?.text;
    text.push_str(&format!("\n/* Names and types as messages have them.\n{mapping} */\n"));
    Ok(Some(text))
}
