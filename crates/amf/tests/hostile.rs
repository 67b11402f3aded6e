//! Any bytes as messages: truncated, mutated and random ones break no promise.

use std::path::Path;

use polywire_amf::{AMF0, AMF3, PACKET, SHARED_OBJECT};
use polywire_core::format::Format;
use polywire_core::tools::Count;
use polywire_core::tools::adapt::Walker;
use polywire_core::{Budget, ErrorKind, Frame, Limits};
use polywire_testing::{self as testing, Rng, Shape};

const FORMATS: [&Format; 4] = [&AMF0, &AMF3, &PACKET, &SHARED_OBJECT];

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

/// A list of references to one long text would be long text for each two bytes.
#[test]
fn references_to_texts_spend_the_limit() {
    let head = |number: usize| [(number >> 6) as u8 | 0x80, (number << 1) as u8 & 0x7f | 1];
    let (count, len) = (2000, 2000);
    let mut message = [&[0x09][..], &head(count + 1), &[0x01, 0x06], &head(len), &vec![b'x'; len]].concat();
    for _ in 0..count {
        message.extend([0x06, 0x00]);
    }
    assert!(Walker::new(&AMF3, &Limits::DEFAULT).walk(&message, 0, &mut Count::default()).is_ok());
    assert_eq!(refused(&AMF3, &message, &Limits::DEFAULT.with_decoded(1 << 20)), ErrorKind::Limit);
}

/// Objects that references mean are not expanded: thirty levels of two references each are thirty
/// values.
#[test]
fn references_to_objects_are_not_expanded() {
    let mut bytes = vec![0x09, 31 << 1 | 1, 0x01, 0x09, 0x01, 0x01];
    for level in 1..=30u8 {
        bytes.extend([0x09, 0x05, 0x01, 0x09, level << 1, 0x09, level << 1]);
    }
    let mut count = Count::default();
    Walker::new(&AMF3, &Limits::DEFAULT).walk(&bytes, 0, &mut count).expect("it is a list");
    assert!(count.scalars + count.containers < 200, "{count:?}");
}

#[test]
fn nesting_is_bounded() {
    for (format, open) in [(&AMF0, &b"\x0a\0\0\0\x01"[..]), (&AMF3, b"\x09\x03\x01")] {
        let bytes = [&open.repeat(5000)[..], b"\x01\x01"].concat();
        assert_eq!(refused(format, &bytes, &Limits::DEFAULT), ErrorKind::Limit);
        let framed = (format.reader)().frame(&bytes, 0, true);
        assert!(matches!(framed, Ok(Frame::Message { start: 0, end }) if end > 2048), "{framed:?}");
        let bytes = [&open.repeat(500)[..], if format.name == "amf0" { b"\x01\x01" } else { b"\x03" }].concat();
        testing::fuzz_rewrite(format, &bytes);
        assert!(Walker::new(format, &Limits::DEFAULT).walk(&bytes, 0, &mut Count::default()).is_ok());
        // Values that are stepped over are bounded too.
        let deep = [&open.repeat(9000)[..], b"\x01\x01"].concat();
        let mut sink = Skips;
        let walked = (format.reader)().walk(&deep, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT));
        assert_eq!(walked.expect_err("it is deep").kind(), ErrorKind::Limit);
    }
}

/// Skips the first container.
struct Skips;

impl<'m> polywire_core::Sink<'m> for Skips {
    fn open(&mut self, _: polywire_core::Open<'_>, _: polywire_core::Span) -> polywire_core::Result<polywire_core::Next> {
        Ok(polywire_core::Next::Skip)
    }

    fn field(&mut self, _: polywire_core::Field<'m, '_>, _: polywire_core::Span) -> polywire_core::Result<polywire_core::Next> {
        Ok(polywire_core::Next::Skip)
    }

    fn scalar(&mut self, _: polywire_core::Scalar<'m, '_>, _: polywire_core::Span) -> polywire_core::Result<()> {
        Ok(())
    }

    fn part(&mut self, _: polywire_core::Part<'_>, _: polywire_core::Span) -> polywire_core::Result<()> {
        Ok(())
    }

    fn close(&mut self, _: polywire_core::Span) -> polywire_core::Result<()> {
        Ok(())
    }
}

/// Counts that the bytes cannot hold are refused at once, and nothing is set aside for them.
#[test]
fn claimed_counts_are_held_against_the_bytes() {
    for (format, bytes) in [
        (&AMF0, &b"\x0a\xff\xff\xff\xff\x05"[..]),
        (&AMF3, b"\x09\xff\xff\xff\xff\x01"),
        (&AMF3, b"\x11\xff\xff\xff\xff\0\x01"),
        (&AMF3, b"\x10\xff\xff\xff\xff\0\x01"),
        (&AMF3, b"\x0d\xff\xff\xff\xff\0\x01"),
        (&AMF3, b"\x0a\xff\xff\xff\xfb\x01"),
        (&PACKET, b"\0\0\xff\xff\0\0"),
    ] {
        assert_eq!(refused(format, bytes, &Limits::DEFAULT), ErrorKind::Truncated, "{bytes:?}");
    }
}
