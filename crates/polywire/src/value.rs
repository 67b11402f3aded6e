//! Single messages as values, and back.

use polywire_core::tools::adapt::Walker;
use polywire_core::tools::{Stream, loss};
use polywire_core::value::ValueSink;

use crate::{Error, ErrorKind, Fault, IntoDialect, Limits, Result, Value};

/// Reads the one message of `bytes` as a value.
///
/// ```
/// use polywire::Value;
///
/// let value = polywire::decode(br#"{"id":7}"#, "json")?;
/// assert_eq!(value, Value::record([("id", Value::UInt(7))]));
/// # Ok::<(), polywire::Error>(())
/// ```
///
/// # Errors
/// The format has no such name or is not compiled in, or `bytes` are not exactly one message of it.
pub fn decode(bytes: &[u8], from: impl IntoDialect) -> Result<Value> {
    let mut walker = Walker::new(from.into_dialect()?, &Limits::DEFAULT);
    let mut stream = Stream::new(bytes).exactly_one(true);
    let mut sink = ValueSink::default();
    while let Some(message) = stream.next(&mut walker)? {
        let walked = walker.walk(message.bytes, message.base, &mut sink);
        walked.map_err(|error| stream.explain(error))?;
    }
    sink.finish().ok_or_else(|| Error::internal("a message without a value"))
}

/// Writes a value as one message. A line of JSON Lines ends with its line break.
///
/// ```
/// use polywire::Value;
///
/// let value = Value::record([("id", Value::UInt(7)), ("name", Value::text("Ada"))]);
/// assert_eq!(polywire::encode(&value, "json")?, br#"{"id":7,"name":"Ada"}"#);
/// assert_eq!(polywire::encode(&value, "jsonl")?, b"{\"id\":7,\"name\":\"Ada\"}\n");
/// # Ok::<(), polywire::Error>(())
/// ```
///
/// # Errors
/// The format has no such name, is not compiled in, or cannot be written; or it cannot keep the
/// value whole.
pub fn encode(value: &Value, to: impl IntoDialect) -> Result<Vec<u8>> {
    let to = to.into_dialect()?;
    let name = to.format().name;
    let mut writer = to.writer().ok_or_else(|| {
        let error = Error::new(ErrorKind::Unsupported, Fault::Caller).seen(format!("the format `{name}`"));
        error.expected("a format that can be written without a schema").hint("bind it to a schema first")
    })?;
    let mut bytes = Vec::new();
    value.emit(&mut *writer).and_then(|()| writer.finish(&mut bytes)).map_err(|error| error.format_is(name))?;
    match loss::summary(&writer.losses()) {
        None => {
            bytes.extend_from_slice(polywire_formats::registry::end_of_message(to.format()).as_bytes());
            Ok(bytes)
        }
        Some(lost) => Err(Error::new(ErrorKind::Loss, Fault::Caller).seen(lost).expected(format!("a value that {name} keeps whole"))),
    }
}
