//! Values in memory: owned, borrowed, and as text for people.

pub(crate) mod any;
pub(crate) mod binary64;
pub(crate) mod declared;
pub(crate) mod held;
pub mod lexical;
pub(crate) mod notation;
pub(crate) mod owned;
pub(crate) mod same;
pub mod show;
pub(crate) mod tree;

pub use any::{emit_any, put_any, put_any_scalar};
pub use binary64::{ROUNDED, binary64, gives_back, nearest_f32, nearest_f64};
pub use declared::DeclaredFloat;
pub use held::Held;
pub use notation::Notation;
pub use owned::{Value, ValueSink};
pub use same::{same, same_decimal};
pub use tree::{Entries, Entry, Item, Plain, PlainEvents, Tree, View};
