//! The shim that every rival goes through.
//!
//! *Prepare* makes a peer for a workload, *check* has it answer what the messages hold, [`Subject::pass`] does the timed work, and dropping
//! the peer frees it.

use polywire_compare::harness::Subject;
use polywire_core::Result;
use serde::Deserialize;

/// A program or library on one workload.
pub trait Peer<'a>: Subject + 'a {
    /// What it finds in the workload, outside of the clock: a number that all peers of a workload must agree on.
    fn check(&mut self) -> Result<u64>;

    /// Bytes of the workload's messages in the peer's own format; none if it reads and writes them as they are.
    fn size(&self) -> Option<usize> {
        None
    }
}

/// What is done with each message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// It is parsed, and every value visited.
    #[default]
    Decode,
    /// It is written, from values that are there.
    Encode,
    /// It is parsed, and written again.
    Render,
    /// It is parsed, and the payload that it has in base64 is decoded.
    DecodeBase64,
}

impl Work {
    /// Behind a peer's name, where a workload has several.
    pub fn suffix(self) -> &'static str {
        match self {
            Work::Decode => "",
            Work::Encode => ", encoded",
            Work::Render => ", rendered",
            Work::DecodeBase64 => " + base64",
        }
    }
}

/// A peer that is ready, or none if it doesn't do this work.
pub type Prepared<'a> = Result<Option<Box<dyn Peer<'a> + 'a>>>;
