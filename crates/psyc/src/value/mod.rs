//! The meaning of values of variables and elements, by their types (docs/spec/psyc.md 12.2 and 16),
//! read and written.
//!
//! [`Value::read`] returns a value that borrows its bytes; lists and dicts are read element by
//! element. [`Value::write`] writes a value without parts, and
//! [`wire::render`](mod@crate::wire::render) renders lists and dicts. With the feature `alloc`,
//! [`Owned`] is a whole tree of values.
//!
//! Where the protocol leaves a type's text open, these texts are read and written:
//!
//! | type | text |
//! |---|---|
//! | `_amount` | `-` and digits; numbers beyond 64 bits stay text |
//! | `_time`, `_date` | `-` and digits, within 64 bits |
//! | `_flag` | `1` and `0`; `true` and `false` are read too |
//! | `_degree` | one digit |
//! | `_struct` | its members as a list; members have the types that the elements say |
//! | `_uniform`, `_entity` | any bytes: [`Value::uniform`] takes them apart on demand, since addresses of other schemes occur |
//! | `_color`, `_language`, `_nick`, `_page` | any bytes |

mod nested;
#[cfg(feature = "alloc")]
mod owned;
mod scalar;

pub use nested::{Dict, Entries, Entry, Item, Items, List, Value};
#[cfg(feature = "alloc")]
pub use owned::{Owned, OwnedItem, WriteError};
pub use scalar::{DEPTH_MAX, Date, NUMBER_MAX, PSYC_EPOCH, ValueError};
