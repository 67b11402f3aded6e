//! Every way into a message, held against each other.

use std::sync::Arc;

use polywire_core::value::{Value, ValueSink};
use polywire_core::{Budget, Limits, Writer};
use polywire_extprot::error::{DecodeError, SizeLimits};
use polywire_extprot::model::Protocol;
use polywire_extprot::plan::Plan;
use polywire_extprot::validate::validate;
use polywire_extprot::walk::{ExtprotReader, ExtprotWriter, Refusal};

use super::shown::{hex, shown};

/// A message type, ready for all doors.
pub struct Doors<'p> {
    pub protocol: &'p Protocol,
    pub name: &'p str,
    pub plan: Arc<Plan>,
}

impl<'p> Doors<'p> {
    pub fn new(protocol: &'p Protocol, name: &'p str) -> Doors<'p> {
        let plan = Plan::new(protocol, Some(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        Doors { protocol, name, plan: Arc::new(plan) }
    }

    /// Result that all decoders agree on: the value and its end, or the failure.
    ///
    /// # Panics
    /// If they do not agree.
    pub fn decode(&self, bytes: &[u8], limits: &SizeLimits) -> Result<(Value, usize), DecodeError> {
        let node = self.protocol.message(self.name).expect("the message is there");
        let plain = super::decode(self.protocol, node, bytes, limits);
        let reader = ExtprotReader::new(Arc::clone(&self.plan)).limits(*limits);
        let mut sink = ValueSink::default();
        let walked = match reader.walk_into(bytes, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT.with_depth(2048))) {
            Ok(end) => Ok((sink.finish().expect("a value"), end.expect("a sink that wants all"))),
            Err(Refusal::Message(failure)) => Err(failure),
            Err(Refusal::Sink(error)) => panic!("{}: {error}", hex(bytes)),
        };
        let same = match (&plain, &walked) {
            (Ok((one, end)), Ok((other, at))) => shown(one) == shown(other) && end == at,
            (Err(one), Err(other)) => one == other,
            _ => false,
        };
        assert!(same, "{} of {}:\n  twin   {plain:?}\n  reader {walked:?}", hex(bytes), self.name);
        let valid = validate(&self.plan, bytes, limits);
        let wanted = plain.as_ref().map(|(_, end)| *end).map_err(DecodeError::clone);
        assert_eq!(valid, wanted, "validate: {} of {}", hex(bytes), self.name);
        plain
    }

    /// The bytes of a value.
    pub fn encode(&self, value: &Value) -> Result<Vec<u8>, polywire_core::Error> {
        let mut writer = ExtprotWriter::new(Arc::clone(&self.plan))?;
        value.emit(&mut writer)?;
        let mut out = Vec::new();
        writer.finish(&mut out)?;
        Ok(out)
    }
}
