//! Sizes of a block of messages in one format, for samples of data that no single process holds.

use std::io;

use polywire_core::format::Dialect;
use polywire_core::tools::Message;
use polywire_core::tools::adapt::Walker;
use polywire_core::{Error, ErrorKind, Fault, Result};
use zstd::bulk::Compressor;

use crate::compressed::{ZSTD_LEVEL, gzip, zstd_stream};

/// Bytes of a block's messages together. A message that the format cannot hold is charged as it
/// came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockSizes {
    /// Number of messages.
    pub messages: u64,
    /// Number of those that the format, or its schema, cannot hold.
    pub unfit: u64,
    /// Bytes of the messages.
    pub raw: u64,
    /// Bytes with gzip, each message alone.
    pub gzip: u64,
    /// Bytes with zstd, each message alone.
    pub zstd: u64,
    /// Bytes with gzip, all as one stream.
    pub batch_gzip: u64,
    /// Bytes with zstd, all as one stream.
    pub batch_zstd: u64,
}

/// Measures messages that `walker` reads, in the dialect `to`.
///
/// # Errors
/// The format cannot be written, or compression fails.
pub fn block_sizes(walker: &mut Walker, messages: &[Message<'_>], to: &Dialect) -> Result<BlockSizes> {
    let mut writer = walker.writer(to).ok_or_else(|| {
        let error = Error::new(ErrorKind::Unsupported, Fault::Caller).seen(format!("the format `{}`", to.format().name));
        error.expected("a format that can be written without a schema").hint("give its schema")
    })?;
    let failed = |error: io::Error| Error::io("compressing in memory", &error);
    let mut alone = Compressor::new(ZSTD_LEVEL).map_err(failed)?;
    let mut sizes = BlockSizes { messages: messages.len() as u64, ..BlockSizes::default() };
    let (mut out, mut stream) = (Vec::new(), Vec::new());
    for message in messages {
        out.clear();
        let written = walker.walk(message.bytes, message.base, &mut *writer).and_then(|()| writer.finish(&mut out));
        // A loss is what `compare` shows; here, the message has a size all the same.
        writer.losses();
        if written.is_err() {
            writer.reset();
            walker.recover();
            out.clear();
            out.extend_from_slice(message.bytes);
            sizes.unfit += 1;
        }
        sizes.raw += out.len() as u64;
        sizes.gzip += gzip(&out).map_err(failed)? as u64;
        sizes.zstd += alone.compress(&out).map_err(failed)?.len() as u64;
        stream.extend_from_slice(&out);
        stream.extend_from_slice(to.format().separator.as_bytes());
    }
    if !messages.is_empty() {
        sizes.batch_gzip = gzip(&stream).map_err(failed)? as u64;
        sizes.batch_zstd = zstd_stream(&stream).map_err(failed)? as u64;
    }
    Ok(sizes)
}

#[cfg(test)]
mod tests {
    use polywire_core::Limits;
    use polywire_core::schema::{FieldType, NamedType, Record, Schema, Type, Width};
    use polywire_formats::registry;

    use super::*;

    #[test]
    fn a_message_that_does_not_fit_is_charged_as_it_came() {
        let json = registry::find("json").unwrap();
        let mut walker = Walker::new(json, &Limits::DEFAULT);
        let texts = [&br#"{"id":1}"#[..], br#"{"id":"none"}"#, br#"{"id":2}"#];
        let messages = texts.map(|bytes| Message { bytes, base: 0 });
        let same = block_sizes(&mut walker, &messages, &json.into()).unwrap();
        assert_eq!((same.messages, same.unfit, same.raw), (3, 0, 8 + 13 + 8));
        assert!(same.batch_zstd < same.zstd && same.batch_gzip < same.gzip);
        let record = Record { fields: vec![FieldType::required("id", Type::UInt(Width::W32))], ..Record::default() };
        let order = NamedType { name: "Order".into(), doc: String::new(), ty: Type::Record(record) };
        let schema = Schema { types: vec![order], root: Some("Order".into()) };
        let protobuf = registry::find("protobuf").unwrap();
        let bound = Dialect::bound(protobuf, protobuf.binder.unwrap().adopt(&schema).unwrap());
        let other = block_sizes(&mut walker, &messages, &bound).unwrap();
        assert_eq!((other.messages, other.unfit, other.raw), (3, 1, 2 + 13 + 2));
    }
}
