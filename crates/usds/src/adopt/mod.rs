//! Dictionaries for messages of a common schema, in which values come back unchanged.
//!
//! A type that dictionaries do not have is encoded as one that they have, and a
//! [`Node`](node::Node) gives its meaning: a map is an array of pairs, bytes are a string, a number
//! that no type holds is its digits, a sum is a polymorph. Readers and writers of adopted schemas
//! use nodes; any other reader of USDS uses the dictionary. The last tag is the schema's
//! [mapping](polywire_core::schema::mapping), as the default of a text, since dictionaries have no
//! comments.

mod mapped;
mod node;
mod read;
mod types;
mod write;

use polywire_core::Result;
use polywire_core::schema::Schema;

pub(crate) use mapped::{of_dictionary, text};
pub(crate) use node::Adopted;
pub(crate) use read::AdoptedReader;
pub(crate) use write::AdoptedWriter;

/// Returns the dictionary of a schema.
///
/// # Errors
/// The schema has types of ASN.1 only, or lists that contain themselves.
pub(crate) fn adopt(schema: &Schema) -> Result<Adopted> {
    types::adopt(schema)
}
