//! Values from walks.

use bytes::Bytes;

use super::datum::Datum;
use super::member::Repeated;
use super::sink::DocSink;
use super::wanted::Wanted;
use polywire_core::value::Value;
use polywire_core::{Result, Sink};

impl Datum {
    /// The datum of what `emit` tells a sink.
    ///
    /// # Errors
    /// Those of `emit`, and it told no whole value.
    pub fn from_walk<'m>(emit: impl FnOnce(&mut dyn Sink<'m>) -> Result<()>) -> Result<Datum> {
        let wanted = Wanted::everything();
        let mut sink = DocSink::new(Bytes::new(), &wanted, Repeated::Last);
        emit(&mut sink)?;
        Ok(Datum::from(sink.finish(0)?.0))
    }
}

/// As [`DocSink`] takes it; null where it is nested deeper than [`Limits::MAX_DEPTH`](polywire_core::Limits::MAX_DEPTH).
impl From<&Value> for Datum {
    fn from(value: &Value) -> Datum {
        let wanted = Wanted::everything();
        let mut sink = DocSink::new(Bytes::new(), &wanted, Repeated::Last);
        match value.emit(&mut sink).and_then(|()| sink.finish(0)) {
            Ok((doc, _)) => Datum::from(doc),
            Err(_) => Datum::Null,
        }
    }
}
