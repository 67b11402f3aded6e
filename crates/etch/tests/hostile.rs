//! Any bytes as messages: truncated, mutated and random ones break no promise.

use std::path::Path;

use polywire_core::format::Format;
use polywire_core::tools::Count;
use polywire_core::tools::adapt::Walker;
use polywire_core::{ErrorKind, Frame, Limits};
use polywire_etch::{MESSAGE, PACKET};
use polywire_testing::{self as testing, Rng, Shape};

const FORMATS: [&Format; 2] = [&MESSAGE, &PACKET];

/// The files of `testdata/corpus`, and random values.
fn corpus(format: &'static Format) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/corpus").join(format.name);
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("a corpus").flatten().map(|file| file.path()).collect();
    files.sort();
    let mut found: Vec<Vec<u8>> = files.iter().map(|file| std::fs::read(file).expect("a file")).collect();
    let mut rng = Rng::with_seed(42);
    for n in 0..60 {
        let value = testing::value(&mut rng, if n % 2 == 0 { Shape::PLAIN } else { Shape::ANY });
        found.extend(testing::write(format, &value).ok());
    }
    found
}

#[test]
fn truncated_messages_break_nothing() {
    for format in FORMATS {
        for bytes in corpus(format) {
            let bytes = &bytes[..bytes.len().min(300)];
            for end in 0..=bytes.len() {
                testing::fuzz_reader(format, &bytes[..end], end / 2);
            }
        }
    }
}

#[test]
fn mutated_messages_break_nothing() {
    let mut rng = Rng::with_seed(7);
    for format in FORMATS {
        let corpus = corpus(format);
        for _ in 0..4000 {
            let start = &corpus[rng.usize(..corpus.len())];
            let bytes = testing::mutate(&mut rng, start);
            testing::fuzz_reader(format, &bytes, rng.usize(..=bytes.len()));
        }
    }
}

#[test]
fn random_bytes_break_nothing() {
    let mut rng = Rng::with_seed(9);
    for format in FORMATS {
        for _ in 0..4000 {
            let bytes: Vec<u8> = (0..rng.usize(..48)).map(|_| if rng.u8(..4) > 0 { rng.u8(..19) } else { rng.u8(..) }).collect();
            testing::fuzz_reader(format, &bytes, bytes.len() / 2);
        }
    }
}

#[test]
fn streams_are_cut_anywhere() {
    for format in FORMATS {
        let mut messages = corpus(format);
        messages.retain(|message| message.len() < 200);
        messages.truncate(24);
        testing::fuzz_cuts(format, &messages);
    }
}

fn refused(format: &'static Format, bytes: &[u8], limits: &Limits) -> ErrorKind {
    Walker::new(format, limits).walk(bytes, 0, &mut Count::default()).expect_err("a limit").kind()
}

#[test]
fn nesting_is_bounded() {
    let open = b"\x91\x96\x01\x01";
    let message = |levels: usize| [&b"\x03\x92\x01\x93\x01a"[..], &open.repeat(levels), b"\x05", &[0x81].repeat(levels + 1)].concat();
    assert_eq!(refused(&MESSAGE, &message(600), &Limits::DEFAULT), ErrorKind::Limit);
    let framed = (MESSAGE.reader)().frame(&message(5000), 0, true);
    assert!(matches!(framed, Ok(Frame::Message { start: 0, end }) if end > 2048), "{framed:?}");
    testing::fuzz_rewrite(&MESSAGE, &message(500));
    assert!(Walker::new(&MESSAGE, &Limits::DEFAULT).walk(&message(500), 0, &mut Count::default()).is_ok());
}

/// Counts that the bytes cannot hold are refused at once, and nothing is set aside for them.
#[test]
fn claimed_counts_are_held_against_the_bytes() {
    for bytes in [
        &b"\x03\x92\x86\x7f\xff\xff\xff\x81"[..],
        b"\x03\x92\x01\x93\x01a\x91\x96\x01\x86\x7f\xff\xff\xff\x81",
        b"\x03\x92\x01\x93\x01a\x8b\x86\x7f\xff\xff\xff\x81",
    ] {
        assert_eq!(refused(&MESSAGE, bytes, &Limits::DEFAULT), ErrorKind::Truncated, "{bytes:?}");
    }
}
