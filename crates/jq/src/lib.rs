//! Filters in the language of jq over messages of any format.
//!
//! The interpreter is that of the crates `jaq-core` and `jaq-std`. The values are ours: a [`Val`]
//! holds all that a walk says, so that times, tags, bytes and numbers with their spelling pass
//! through filters that do not compute with them. [`ValSink`] makes values of messages, and
//! [`Results`] writes them in any format.
//!
//! A filter is text of the language, which is made for JSON: `tojson`, `fromjson` and `@json` are
//! filters of that format, and so this crate names it. Nothing is read, printed or ended here: the
//! caller hands inputs over, and hears from a filter through [`Host`].
//!
//! A filter may be hostile. Its stack and its memory are bounded ([`Memory`]), and its time is not.
//!
//! A filter runs on a value:
//!
//! ```
//! use polywire_jq::{Alone, End, Filter, Memory, Val};
//!
//! let filter = Filter::compile(".price * 2", "filter", &[]).expect("a filter");
//! let input = Val::object([(Val::text("price"), Val::from(21isize))]);
//! let mut results = Vec::new();
//! let end = filter.run(input, &[], &Alone, Memory::default(), &mut |value| {
//!     results.push(value);
//!     Ok::<(), ()>(())
//! });
//! assert!(matches!(end, Ok(End::Done)));
//! assert_eq!(results, [Val::from(42isize)]);
//! ```
#![forbid(unsafe_code)]

mod apart;
mod cut;
mod filter;
mod funs;
mod guard;
mod host;
mod plan;
mod results;
mod value;
mod wanted;

pub use apart::{Apart, Beside};
pub use cut::Cutter;
pub use filter::{End, Filter, Raised, Stopped};
pub use guard::{MEMORY, Memory, thread};
pub use host::{Alone, Host, Said};
pub use results::{Raw, Results};
pub use value::{Exact, List, Moment, Object, Tagged, Text, Val, ValSink, Variant};

use polywire_core::format::Format;

/// The format that the language is made for, in which results are written unless another one is
/// named.
pub static NATIVE: &Format = &polywire_formats::json::FORMAT;
