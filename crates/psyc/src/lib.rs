//! PSYC 1.0: packets of a routing header, an entity header, a method and data.
//!
//! - [`wire`] has the layout of bytes: the packet parser, framing, rendering, and the parts of
//!   lists and dicts.
//! - [`packet`] has the parts of a packet: operators, modifiers, states.
//! - [`list`] and [`dict`] are the structured values; [`index`] is a path into one, and [`update`]
//!   changes a part of one. [`element`] has the common parts of their parsers.
//! - [`keyword`] has inheritance of names; [`variable`] and [`method`] have the names that PSYC
//!   knows, and [`value`] has the meaning of the variables' values.
//! - [`uniform`] parses addresses, [`text`] fills templates, [`packet_id`] identifies packets,
//!   [`number`] reads digits.
//! - [`batch`] parses a buffer of many packets at once; `circuit`, a feature, reads and writes a
//!   stream of packets with tokio.
//! - [`state`] keeps the values that packets assign, by context; [`compact`] shortens names.
//! - [`walk`] reads a packet as events, and writes any message as a packet, by the profile of
//!   `docs/psyc-records.md`.
//! - [`xmpp`] maps XMPP stanzas to packets, and packets to stanzas.
//!
//! The specification is `docs/spec/psyc.md`. Comments cite its sections (`docs/spec/psyc.md 4.2`)
//! and the deviations of the C library (`psyc-D3`), for which this crate does what the table's last
//! column says.
//!
//! Without features the crate has parsers and renderer, and needs neither an allocator nor an
//! operating system. The features are:
//!
//! - `alloc`: functions that return owned bytes.
//! - `std`: searches in long values by the widest instructions of the machine.
//! - `tokio`: the module `circuit`; needs `alloc` and `std`.
//! - `walk`, the default: the format of the toolkit; needs `alloc` and `std`.
//!
//! A packet is parsed where it lies:
//!
//! ```
//! use polywire_psyc::wire::{Parser, PacketStep};
//!
//! let packet = b":_target\tpsyc://example.org/~ann\n\n_message\nHi all\n|\n";
//! let mut parser = Parser::default();
//! assert!(matches!(parser.next(packet), Ok(PacketStep::Routing(line)) if line.name == b"_target"));
//! assert_eq!(parser.next(packet), Ok(PacketStep::Body(b"_message", b"Hi all")));
//! assert_eq!(parser.next(packet), Ok(PacketStep::Complete));
//! ```
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
