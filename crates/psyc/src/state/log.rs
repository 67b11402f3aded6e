//! The packets that changed a store, as a stream of packets.

use core::fmt;

use alloc::vec::Vec;

use super::error::Error;
use super::limits::Limits;
use super::store::{Effects, Store};
use super::write::write;
use crate::batch::{End, Tape};
use crate::packet::{Content, Header, Modifier, Operator, Packet, State};
use crate::wire::Fault;

/// A stream of packets that, applied to an empty store, make the state that it was kept of. It is PSYC like any other, and may be written to a file as it
/// grows: only whole packets are appended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Log {
    bytes: Vec<u8>,
}

impl Log {
    /// An empty log, of an empty store.
    pub fn new() -> Log {
        Log::default()
    }

    /// The stream.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The stream, for those who keep it elsewhere.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Applies a packet to the store that the log is of, and keeps of it what changed the state.
    pub fn apply<'a, H: Header<'a>>(&mut self, store: &mut Store, packet: &Packet<'a, H>) -> Result<Effects<'a>, Error> {
        let effects = store.apply(packet)?;
        if let (true, Content::Parts { state, entity, .. }) = (effects.changes, packet.content) {
            let changes = |operator| matches!(operator, Operator::Assign | Operator::Augment | Operator::Diminish | Operator::Update);
            let lines: Vec<Modifier<'_>> = entity
                .lines()
                .filter(|modifier| changes(modifier.operator))
                .map(|modifier| Modifier::new(modifier.operator, modifier.name, modifier.value))
                .collect();
            write(effects.context, state.filter(|state| *state == State::Reset), &lines, &mut self.bytes);
        }
        Ok(effects)
    }

    /// Starts again with what the store is now: one packet a context.
    pub fn compact(&mut self, store: &Store) {
        self.bytes.clear();
        for context in store.contexts() {
            store.snapshot(context, &mut self.bytes);
        }
    }

    /// The store that a log was kept of.
    pub fn replay(bytes: &[u8], limits: Limits) -> Result<Replay, ReplayError> {
        let mut store = Store::new(limits);
        let mut tape = Tape::default();
        let mut start = 0;
        loop {
            let batch = tape.parse(&bytes[start..]);
            let mut read = 0;
            for packet in batch {
                store.apply(&packet.to_packet()).map_err(|error| ReplayError::State { start: start + read, error })?;
                read = packet.span().end;
            }
            match batch.end() {
                End::Complete => return Ok(Replay { store, end: start + read }),
                // The buffer is larger than a batch.
                End::More { missing: 0, .. } if read > 0 => start += read,
                End::More { .. } => return Ok(Replay { store, end: start + read }),
                End::Fault(Fault { code, at }) => return Err(ReplayError::Fault(Fault { code, at: start + at })),
            }
        }
    }
}

/// What a log was replayed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// The store.
    pub store: Store,
    /// Bytes of the log that are whole packets. Less than its length if the writing of the last was interrupted: the log is to be cut there before it is
    /// written on.
    pub end: usize,
}

/// Why a log can't be replayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplayError {
    /// It is no stream of packets.
    Fault(Fault),
    /// A packet of it can't be applied.
    State {
        /// Offset of the packet.
        start: usize,
        /// Why.
        error: Error,
    },
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Fault(fault) => write!(f, "byte {} of the log: expected {}", fault.at, fault.code.expected()),
            ReplayError::State { start, error } => write!(f, "the packet at byte {start} of the log: {error}"),
        }
    }
}

impl core::error::Error for ReplayError {}
