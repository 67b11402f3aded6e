//! Values from walks.

use bytes::Bytes;

use super::datum::Datum;
use super::member::Repeated;
use super::sink::DocSink;
use super::wanted::Wanted;
use polywire_core::value::Value;
use polywire_core::{Result, Sink};

impl Datum {
    /// Returns the value that `emit` sends to a sink; null if it sends nothing.
    ///
    /// # Errors
    /// Errors of `emit`, or a container that it leaves open.
    pub fn from_walk<'m>(emit: impl FnOnce(&mut dyn Sink<'m>) -> Result<()>) -> Result<Datum> {
        let wanted = Wanted::everything();
        let mut sink = DocSink::new(Bytes::new(), &wanted, Repeated::Last);
        emit(&mut sink)?;
        Ok(Datum::from(sink.finish(0)?.0))
    }
}

/// Converts the value as [`DocSink`] does. A value that is nested deeper than
/// [`Limits::MAX_DEPTH`](polywire_core::Limits::MAX_DEPTH), or whose keys are, becomes null.
impl From<&Value> for Datum {
    fn from(value: &Value) -> Datum {
        Datum::from_walk(|sink| value.emit(sink)).unwrap_or_default()
    }
}
