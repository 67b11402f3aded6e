//! Bodies over hostile bytes: `tests/hostile.rs` and the fuzz targets `columns_sink` and
//! `columns_file` run them.

use std::sync::Arc;

use polywire_arrow::{Bad, Batches, Decimals, Messages, Options, Plan, Rest, Source, Sums, open};
use polywire_core::schema::Schema;
use polywire_core::tools::Count;
use polywire_formats::registry;
use polywire_testing::Rng;

use super::random;

/// Formats that need no schema, by the first byte.
pub const FORMATS: [&str; 10] = ["jsonl", "msgpack", "cbor", "bson", "json", "yaml", "csv", "xml", "bencode", "psyc"];

/// Returns the schema and the choices that two bytes stand for.
pub fn choices(schema: u8, options: u8) -> (Schema, Options) {
    let chosen = Options::default()
        .with_sums(if options & 1 == 0 { Sums::Structs } else { Sums::Union })
        .with_decimals(if options & 2 == 0 { Decimals::Text } else { Decimals::Fixed { precision: 40, scale: 3 } })
        .with_bad(if options & 4 == 0 { Bad::Column } else { Bad::Skip })
        .with_rest(if options & 8 == 0 { Rest::Column } else { Rest::Drop })
        .with_rows(1 + usize::from(options >> 5));
    (random::schema(&mut Rng::with_seed(u64::from(schema))), chosen.for_parquet(options & 16 != 0))
}

/// Makes rows of the messages of a stream, by a schema that has nothing to do with them, and emits
/// the rows. The first three bytes choose the format, the schema and the options.
///
/// # Panics
/// A promise is broken.
pub fn sink(bytes: &[u8]) {
    let [format, schema, options, bytes @ ..] = bytes else { return };
    let format = registry::find(FORMATS[usize::from(*format) % FORMATS.len()]).unwrap_or_else(|error| panic!("{error}"));
    let (schema, options) = choices(*schema, *options);
    let plan = Arc::new(Plan::new(&schema, &options).unwrap_or_else(|error| panic!("{error}")));
    let rows = options.rows;
    for batch in Batches::new(bytes, format, plan) {
        let Ok(batch) = batch else { return };
        assert!(batch.num_rows() <= rows);
        let messages = Messages::new(&batch).unwrap_or_else(|error| panic!("{error}"));
        for row in 0..messages.len() {
            messages.emit(row, &mut Count::default()).unwrap_or_else(|error| panic!("row {row}: {error}"));
        }
    }
}

/// Reads a file of columns, from memory and as it comes.
///
/// # Panics
/// A promise is broken.
pub fn file(bytes: &[u8]) {
    let bytes = bytes::Bytes::copy_from_slice(bytes);
    for source in [Source::Bytes(bytes.clone()), Source::Read(Box::new(std::io::Cursor::new(bytes.clone())), 1 << 20)] {
        let Ok(opened) = open(source, None) else { continue };
        for batch in opened.take(20) {
            let Ok(batch) = batch else { break };
            let Ok(messages) = Messages::new(&batch) else { break };
            for row in 0..messages.len().min(1000) {
                let _ = messages.emit(row, &mut Count::default());
            }
        }
    }
}
