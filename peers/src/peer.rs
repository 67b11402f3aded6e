//! The shim that every rival goes through.
//!
//! *Prepare* makes a peer for a workload, *check* has it answer what the message holds, [`Subject::pass`] does the timed work, and dropping
//! the peer frees it.

use polywire_compare::harness::Subject;
use polywire_core::error::{Error, Result};

use crate::workload::Input;

/// A program or library on one workload.
pub trait Peer<'a>: Subject + 'a {
    /// What it finds in the workload, outside of the clock: a number that all peers of a workload must agree on.
    fn check(&mut self) -> Result<u64>;
}

/// Makes a peer for a workload.
pub type Prepare = for<'a> fn(&'a Input) -> Result<Box<dyn Peer<'a> + 'a>>;

/// All peers, by the names that workloads use.
pub const PEERS: &[(&str, Prepare)] = &[
    ("polywire walk json", |input| crate::ours::walk("json", input)),
    ("polywire walk msgpack", |input| crate::ours::walk("msgpack", input)),
    ("polywire walk cbor", |input| crate::ours::walk("cbor", input)),
    ("polywire walk xml", |input| crate::ours::walk_elements("xml", input)),
    ("polywire convert json msgpack", |input| crate::ours::convert("json", "msgpack", input)),
    ("sonic-rs Value", |input| crate::rivals::library("json", "sonic-rs", input)),
    ("serde_json Value", |input| crate::rivals::library("json", "serde_json", input)),
    ("serde_json Value to rmp-serde", crate::rivals::serde_json_to_rmp),
    ("rmp-serde to rmpv Value", |input| crate::rivals::library("msgpack", "rmp-serde", input)),
    ("ciborium Value", |input| crate::rivals::library("cbor", "ciborium", input)),
    ("quick-xml reader", crate::rivals::quick_xml),
];

/// The peer of that name.
pub fn prepare<'a>(name: &str, input: &'a Input) -> Result<Box<dyn Peer<'a> + 'a>> {
    let known = PEERS.iter().find(|(known, _)| *known == name);
    known.ok_or_else(|| Error::usage(format!("peer {name}")).expected("one that peer.rs lists"))?.1(input)
}
