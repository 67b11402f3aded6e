//! A dictionary for messages of a common schema, such that values come back as they were.
//!
//! What a dictionary has no type for has bytes of one that it has, and a [`Node`] says what they mean: a map is an array of pairs, bytes are a string, a number that no type
//! holds is its digits, a sum is a polymorph. So readers and writers of adopted schemas go by nodes; the dictionary is what any other reader of USDS goes by.

mod node;
mod read;
mod types;
mod write;

use polywire_core::Result;
use polywire_core::schema::Schema;

pub(crate) use node::Adopted;
pub(crate) use read::AdoptedReader;
pub(crate) use write::AdoptedWriter;

/// The dictionary of a schema.
///
/// # Errors
/// The schema has types that come from nowhere but ASN.1, or lists that hold themselves.
pub(crate) fn adopt(schema: &Schema) -> Result<Adopted> {
    types::adopt(schema)
}
