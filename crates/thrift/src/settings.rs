//! Settings of the protocols: the transport, and the kind of envelope.

use std::marker::PhantomData;
use std::sync::Arc;

use polywire_core::format::{Configure, Configured, Setting};
use polywire_core::{Error, Reader, Result, Writer};

use crate::plan::Plan;
use crate::transport::Transport;
use crate::wire::Protocol;

const TRANSPORT: &str = "transport";
const ENVELOPE: &str = "envelope";

const OF_TRANSPORT: Setting = Setting::new(
    TRANSPORT,
    "KIND",
    "how messages of Thrift follow each other: plain (default); framed: a length of four bytes before each; header: a length and a \
     header of THeader, which names the protocol",
)
.reads()
.writes("to-transport");

static OF_BINARY: &[Setting] = &[
    OF_TRANSPORT,
    Setting::new(ENVELOPE, "KIND", "envelopes of Thrift's binary protocol: strict (default): with a version; old: without one")
        .reads()
        .writes("to-envelope"),
];

static OF_COMPACT: &[Setting] = &[OF_TRANSPORT];

/// Settings of a protocol.
#[derive(Debug)]
pub(crate) struct Settings<P>(pub PhantomData<P>);

impl<P: Protocol> Configure for Settings<P> {
    fn settings(&self) -> &'static [Setting] {
        // Only the binary protocol has two envelopes.
        if P::ID == 0 { OF_BINARY } else { OF_COMPACT }
    }

    fn configure(&self, given: &[(&str, &str)]) -> Result<Arc<dyn Configured>> {
        Ok(Arc::new(Chosen::<P>::of(given)?))
    }
}

/// The choices of a user.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Chosen<P> {
    transport: Transport,
    old: bool,
    protocol: PhantomData<P>,
}

impl<P: Protocol> Chosen<P> {
    /// Reads settings.
    ///
    /// # Errors
    /// A value is none of its setting's.
    pub fn of(given: &[(&str, &str)]) -> Result<Chosen<P>> {
        let mut chosen = Chosen { transport: Transport::Plain, old: false, protocol: PhantomData };
        for &(name, value) in given {
            match (name, value) {
                (TRANSPORT, _) => chosen.transport = Transport::named(value)?,
                (ENVELOPE, "strict") if P::ID == 0 => chosen.old = false,
                (ENVELOPE, "old") if P::ID == 0 => chosen.old = true,
                (ENVELOPE, _) if P::ID == 0 => {
                    return Err(Error::usage(format!("the value `{value}` of the setting `{ENVELOPE}`")).expected("one of strict, old"));
                }
                _ => return Err(Error::usage(format!("the setting `{name}`"))),
            }
        }
        Ok(chosen)
    }

    /// Makes a reader, by a schema if there is one.
    pub fn reader_by(&self, plan: Option<&Arc<Plan>>) -> Box<dyn Reader> {
        self.transport.reader::<P>(self.old, plan)
    }

    /// Makes a writer, by a schema if there is one. `relay` means that fields that the schema lacks
    /// are written as they came from Thrift.
    pub fn writer_by(&self, plan: Option<&Arc<Plan>>, relay: bool) -> Box<dyn Writer> {
        self.transport.writer::<P>(self.old, plan, relay)
    }
}

impl<P: Protocol> Configured for Chosen<P> {
    fn reader(&self) -> Box<dyn Reader> {
        self.reader_by(None)
    }

    fn writer(&self) -> Option<Box<dyn Writer>> {
        Some(self.writer_by(None, false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Binary, Compact};

    #[test]
    fn values_are_checked() {
        let refused = |outcome: Result<Chosen<Binary>>| outcome.unwrap_err().to_string();
        assert!(refused(Chosen::of(&[("transport", "http")])).contains("one of plain, framed, header"));
        assert!(refused(Chosen::of(&[("envelope", "new")])).contains("one of strict, old"));
        assert!(Chosen::<Compact>::of(&[("envelope", "old")]).is_err());
        let chosen = Chosen::<Binary>::of(&[("transport", "header"), ("envelope", "old")]).unwrap();
        assert_eq!((chosen.transport, chosen.old), (Transport::Header, true));
    }
}
