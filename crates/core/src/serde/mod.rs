//! Values and messages by way of serde: Rust's types to events, and trees to Rust's types.
//!
//! [`to_events`] writes any `Serialize` type to a sink, such as a writer. [`FromTree`] deserialises
//! the values of a [`Tree`](crate::Tree). [`Value`](crate::Value) and
//! [`Timestamp`](crate::Timestamp) implement both traits: exact here, and as close as serde's data
//! model allows in other libraries.
//!
//! A format may have a deserializer of its own, a *pull reader*, which makes no events. It calls
//! [`visit`] and its siblings, so that the same value becomes the same Rust value by either way.
//!
//! ```
//! use polywire_core::serde::{FromTree, Reading, to_events};
//! use polywire_core::{Tree, Value};
//!
//! let mut tree = Tree::new();
//! to_events(&("point", [1, -2]), &mut tree)?;
//! let expected = Value::List(vec![Value::text("point"), Value::List(vec![Value::int(1), Value::int(-2)])]);
//! assert_eq!(Value::from(tree.root().unwrap()), expected);
//!
//! let back: (String, [i8; 2]) = FromTree::new(tree.root().unwrap(), Reading::default()).read()?;
//! assert_eq!(back, ("point".to_string(), [1, -2]));
//! # Ok::<(), polywire_core::Error>(())
//! ```

mod error;
mod events;
mod names;
mod scrap;
mod siblings;
mod tree;
mod value;
mod visit;

pub use error::{is_missing_field, mismatch};
pub use events::{Events, to_events};
pub use names::{Kind, Special, is_special, moment};
pub use tree::{FromTree, Reading};
pub use visit::{Exact, Name, Number, bytes_of_base64, exact, visit, visit_number};
