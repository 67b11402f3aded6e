//! Kinds of messages, and the first one.

use crate::engine::Limits;
use crate::wire::wire_fields;

/// From the gateway: the first message, [`Begin`].
pub(crate) const BEGIN: u8 = 0;
/// From the gateway: a call. It holds the generation of the files, the number of the task, and the
/// task.
pub(crate) const CALL: u8 = 1;
/// From the gateway: the value that the worker has asked for, or the reason why it cannot be had.
pub(crate) const WHOLE: u8 = 2;

/// From a worker: its engine is there.
pub(crate) const READY: u8 = 0;
/// From a worker: a message of a script, after its severity.
pub(crate) const LOG: u8 = 1;
/// From a worker: it asks for the value that the task holds in part, or not at all.
pub(crate) const ASK: u8 = 2;
/// From a worker: the answer of a call. It holds [`Looks`], and the answer or the error.
pub(crate) const ANSWER: u8 = 3;

/// The first message to a worker.
pub(crate) struct Begin {
    /// Id of the gateway's process.
    pub gateway: u32,
    /// The table directory, without links.
    pub root: String,
    /// Longest time of a call, in milliseconds.
    pub time: u64,
    pub memory: usize,
    pub stack: usize,
}

wire_fields!(Begin { gateway, root, time, memory, stack });

impl Begin {
    pub fn limits(&self) -> Limits {
        Limits { time: std::time::Duration::from_millis(self.time), memory: self.memory, stack: self.stack }
    }
}

/// The looks of scripts at a body that was sent in part.
#[derive(Default)]
pub(crate) struct Looks {
    /// The places that scripts looked at.
    pub looked: Option<polywire_doc::Wanted>,
    /// The path of the part that is returned unchanged.
    pub returned: Option<Vec<String>>,
}

wire_fields!(Looks { looked, returned });
