//! PSYC 1.0: packets of a routing header, an entity header, a method and data.
//!
//! - [`wire`] is how bytes are laid out: the packet parser, framing, rendering, and the parts of lists and dicts.
//! - [`packet`] is what a packet is: operators, modifiers, states.
//! - [`list`] and [`dict`] are the structured values; [`index`] is a path into one, and [`update`] changes what is there. What their parsers
//!   share is in [`element`].
//! - [`keyword`] is how names inherit from each other; [`variable`] and [`method`] are the names that PSYC knows, and [`value`] is what the
//!   variables' values mean.
//! - [`uniform`] takes addresses apart, [`text`] fills templates, [`packet_id`] names packets, [`number`] reads digits.
//! - [`batch`] parses a buffer of many packets at once; `circuit`, a feature, reads and writes them in a stream of tokio's.
//! - [`state`] keeps what packets assign, by context; [`compact`] makes names short.
//! - [`walk`] tells a packet as events, and writes any message as a packet; `docs/psyc-records.md` is its profile.
//! - [`xmpp`] makes packets of XMPP stanzas, and stanzas of packets.
//!
//! Section numbers in this crate are those of the implementer's specification of PSYC 1.0 packet syntax that the project keeps; where it
//! names deviations of the C library (`D1` and so on), this crate does what it calls right.
//!
//! Without features the crate is parsers and renderer, and neither allocates nor needs an operating system. The features: `alloc` is what
//! returns owned bytes; `std` finds bytes in long values with the widest instructions of the machine; `walk`, the default, is the format of the
//! toolkit, and needs both.
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![deny(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;

#[cfg(feature = "alloc")]
pub mod batch;
#[cfg(feature = "tokio")]
pub mod circuit;
#[cfg(feature = "alloc")]
pub mod compact;
pub mod dict;
pub mod element;
pub mod index;
pub mod keyword;
pub mod list;
pub mod method;
pub mod number;
pub mod packet;
pub mod packet_id;
#[cfg(feature = "walk")]
mod record;
#[cfg(feature = "alloc")]
pub mod state;
pub mod text;
pub mod uniform;
pub mod update;
pub mod value;
pub mod variable;
#[cfg(feature = "walk")]
pub mod walk;
pub mod wire;
#[cfg(feature = "walk")]
pub mod xmpp;

#[cfg(feature = "walk")]
pub use walk::{FORMAT, NAME};
