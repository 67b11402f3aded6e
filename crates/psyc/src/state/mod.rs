//! State: the values that packets assign to variables, kept by context (docs/spec/psyc.md 4.2 and
//! 4.3).
//!
//! [`Store::apply`] applies the operators of a packet; a packet that cannot be applied as a whole
//! changes nothing. It returns the packet's [`Effects`]: the variables set for it alone, the
//! variables asked for, and whether the state changed. [`Log`] keeps the packets that changed it,
//! and replays them. `docs/psyc-state.md` has the rules.
//!
//! ```
//! use polywire_psyc::packet::{Modifier, Operator, Packet};
//! use polywire_psyc::state::{Limits, Store};
//!
//! let routing = [Modifier::new(Operator::Set, b"_context", b"psyc://h/@room")];
//! let mut store = Store::new(Limits::default());
//! let join = [Modifier::new(Operator::Augment, b"_list_members", b"| ann| bob"), Modifier::new(Operator::Assign, b"_amount_members", b"2")];
//! store.apply(&Packet::new(&routing, &join, b"", b""))?;
//! let leave = [Modifier::new(Operator::Diminish, b"_list_members", b"| ann"), Modifier::new(Operator::Diminish, b"_amount_members", b"1")];
//! let effects = store.apply(&Packet::new(&routing, &leave, b"_notice_context_leave", b""))?;
//! assert_eq!(store.value(&effects, b"_list_members"), Some(&b"| bob"[..]));
//! assert_eq!(store.value(&effects, b"_amount_members"), Some(&b"1"[..]));
//! # Ok::<(), polywire_psyc::state::Error>(())
//! ```

mod change;
mod error;
mod limits;
mod log;
mod store;
mod structure;
mod update;
mod write;

#[cfg(test)]
mod tests;

pub use error::{Error, ErrorKind};
pub use limits::Limits;
pub use log::{Log, Replay, ReplayError};
pub use store::{Contexts, Effects, Store, Variables};
