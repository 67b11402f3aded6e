//! The packets that changed a store, as a stream of packets.

use core::fmt;

use alloc::vec::Vec;

use super::error::Error;
use super::limits::Limits;
use super::store::{Effects, Store};
use super::write::write;
use crate::batch::{End, Tape};
use crate::packet::{Content, Header, Modifier, Operator, Packet, State};
use crate::wire::ParseError;

/// A stream of packets that rebuild a store's state when applied to an empty store. Only whole
/// packets are appended, so the stream can be written to a file as it grows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Log {
    bytes: Vec<u8>,
}

impl Log {
    /// Returns an empty log, for an empty store.
    pub fn new() -> Log {
        Log::default()
    }

    /// Returns the stream.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the stream, for callers that keep it elsewhere.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Applies a packet to the log's store, and appends the modifiers that changed the state.
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

    /// Replaces the log by one packet per context that sets the present state of the store.
    pub fn compact(&mut self, store: &Store) {
        self.bytes.clear();
        for context in store.contexts() {
            store.snapshot(context, &mut self.bytes);
        }
    }

    /// Rebuilds the store of a log.
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
                End::ParseError(ParseError { code, at }) => return Err(ReplayError::ParseError(ParseError { code, at: start + at })),
            }
        }
    }
}

/// The result of replaying a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// The store.
    pub store: Store,
    /// The number of bytes of the log that are whole packets. If it is less than the log's length,
    /// the writing of the last packet was interrupted: cut the log there before appending to it.
    pub end: usize,
}

/// A log that cannot be replayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplayError {
    /// The log is no stream of packets.
    ParseError(ParseError),
    /// A packet of the log cannot be applied.
    State {
        /// The offset of the packet.
        start: usize,
        /// The reason.
        error: Error,
    },
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::ParseError(fault) => write!(f, "byte {} of the log: expected {}", fault.at, fault.code.expected()),
            ReplayError::State { start, error } => write!(f, "the packet at byte {start} of the log: {error}"),
        }
    }
}

impl core::error::Error for ReplayError {}
