//! PSYC 1.0: packets of a routing header, an entity header, a method and data.
//!
//! - [`wire`] is how bytes are laid out: the packet parser, framing, rendering, and the parts of lists and dicts.
//! - [`packet`] is what a packet is: operators, modifiers, states.
//! - [`list`] and [`dict`] are the structured values.
//! - [`batch`] parses a buffer of many packets at once.
//! - [`walk`] tells a packet as events, and writes any message as a packet; `docs/psyc-records.md` is its profile.
//! - [`xmpp`] makes packets of XMPP stanzas, and stanzas of packets.
//!
//! Section numbers in this crate are those of the implementer's specification of PSYC 1.0 packet syntax that the project keeps; where it
//! names deviations of the C library (`D1` and so on), this crate does what it calls right.
#![deny(unsafe_code)]

pub mod batch;
pub mod dict;
mod element;
pub mod list;
pub mod packet;
mod record;
pub mod walk;
pub mod wire;
pub mod xmpp;

pub use walk::{FORMAT, NAME};
