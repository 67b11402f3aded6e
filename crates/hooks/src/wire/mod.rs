//! Tasks and their answers as bytes, between a gateway and its worker processes. Both are the same
//! program, so the form has no versions.
//!
//! Numbers are little-endian, lengths and counts LEB128. A value is a byte for its kind, and its
//! content. The gateway numbers the lists and objects that it sends, in the order of their first
//! byte: an answer names one that it returns unchanged by this number, so that the gateway returns
//! the very value that it sent.
//!
//! A worker trusts the gateway. The gateway does not trust a worker: a script may have broken its
//! engine. It allocates nothing from a count, and limits number and depth of values.
//!
//! | file | holds |
//! |---|---|
//! | `put`, `get` | writer and reader of messages |
//! | `plain` | values of the language |
//! | `data` | documents, and the wanted parts of them |
//! | `sent`, `received` | numbers of lists and objects, as each side knows them |
//! | `frame` | messages in a stream |

mod data;
#[cfg(unix)]
mod frame;
mod get;
mod plain;
mod put;
mod received;
mod sent;

pub(crate) use data::Pruned;
#[cfg(unix)]
pub(crate) use frame::{Frames, Incoming};
pub(crate) use get::{Asker, Get, Malformed};
pub(crate) use put::Put;
pub(crate) use received::Received;
pub(crate) use sent::{Sent, follow};

/// A value that has a form in bytes.
pub(crate) trait Wire: Sized {
    /// Writes the value.
    fn put<'t>(&'t self, out: &mut Put<'t>);

    /// Reads a value.
    fn get(from: &mut Get<'_>) -> Result<Self, Malformed>;
}

/// Implements [`Wire`] for a struct, field by field.
macro_rules! wire_fields {
    ($name:ident $(<$generic:ident>)? { $($field:ident),* $(,)? }) => {
        impl $(<$generic: $crate::wire::Wire>)? $crate::wire::Wire for $name $(<$generic>)? {
            fn put<'t>(&'t self, out: &mut $crate::wire::Put<'t>) {
                $($crate::wire::Wire::put(&self.$field, out);)*
            }

            fn get(from: &mut $crate::wire::Get<'_>) -> Result<Self, $crate::wire::Malformed> {
                Ok(Self { $($field: $crate::wire::Wire::get(from)?),* })
            }
        }
    };
}
pub(crate) use wire_fields;
