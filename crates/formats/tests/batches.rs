//! Messages that are found many at once are those that are found one by one.

use polywire_core::tools::Stream;
use polywire_core::tools::adapt::Walker;
use polywire_core::{Dialect, Limits};
use polywire_formats::registry::find;

/// Offset and bytes of a message.
type Place = (u64, Vec<u8>);

fn one_by_one(dialect: &Dialect, text: &[u8]) -> (Vec<Place>, bool) {
    let (mut stream, mut walker) = (Stream::new(text), Walker::new(dialect.clone(), &Limits::DEFAULT));
    let mut places = Vec::new();
    loop {
        match stream.next(&mut walker) {
            Ok(Some(message)) => places.push((message.base, message.bytes.to_vec())),
            ended => return (places, ended.is_err()),
        }
    }
}

fn in_batches(dialect: &Dialect, text: &[u8], size: usize) -> (Vec<Place>, bool) {
    let (mut stream, mut walker) = (Stream::new(text), Walker::new(dialect.clone(), &Limits::DEFAULT));
    let mut places: Vec<Place> = Vec::new();
    let mut spare = None;
    loop {
        match stream.batch(&mut walker, size, spare.take()) {
            Ok(Some(batch)) => {
                places.extend(batch.messages().map(|message| (message.base, message.bytes.to_vec())));
                assert_eq!(stream.taken(), places.len() as u64);
                assert_eq!(stream.offset(), places.last().map_or(0, |(base, bytes)| base + bytes.len() as u64));
                spare = Some(batch);
            }
            ended => return (places, ended.is_err()),
        }
    }
}

#[test]
fn lines_and_rows_are_found_alike() {
    let mut rng = fastrand::Rng::with_seed(5);
    let tables = ["csv", "tsv", "jsonl"].map(|name| Dialect::from(find(name).unwrap()));
    for round in 0..800 {
        // Quotes and lone returns are seldom, so that many messages come without them.
        let odd = rng.u32(..12);
        let mut text = Vec::new();
        for _ in 0..rng.usize(..400) {
            text.extend_from_slice(match rng.u32(..100) {
                0..40 => b"1",
                40..60 => b",",
                60..80 => b"\n",
                80..84 => b" ",
                84..88 => b"\t",
                88..92 => b"\r\n",
                92 if odd == 0 => b"\"",
                93 if odd == 1 => b"\r",
                _ => b"a",
            });
        }
        for dialect in &tables {
            let expected = one_by_one(dialect, &text);
            for size in [1, 40, 1000] {
                let shown = String::from_utf8_lossy(&text);
                assert_eq!(in_batches(dialect, &text, size), expected, "{} {round} {size}: {shown:?}", dialect.format().name);
            }
        }
    }
}
