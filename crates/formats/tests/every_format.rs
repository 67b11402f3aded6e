//! The promises of every format, over random values, and over their bytes truncated and mutated:
//! the bodies of the fuzz targets, seeded.

mod vectors;

use std::path::{Path, PathBuf};

use polywire_core::Frame;
use polywire_core::format::Format;
use polywire_formats::registry::FORMATS;
use polywire_testing::{self as testing, Rng, Shape};

/// Messages to start from: random values in the format, its vectors, and the files of
/// `testdata/corpus/<format>/`.
fn corpus(format: &'static Format) -> Vec<Vec<u8>> {
    let mut rng = Rng::with_seed(42);
    let mut corpus = Vec::new();
    for n in 0..60 {
        let value = testing::value(&mut rng, if n % 2 == 0 { Shape::PLAIN } else { Shape::ANY });
        if let Ok(bytes) = testing::write(format, &value) {
            corpus.push(bytes);
        }
    }
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    corpus.extend(vectors::of(format).into_iter().map(|case| case.bytes));
    let folder = testdata.join("corpus").join(format.name);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).map(|folder| folder.flatten().map(|file| file.path()).collect()).unwrap_or_default();
    files.sort();
    corpus.extend(files.iter().map(|file| std::fs::read(file).expect("a corpus file is readable")));
    assert!(corpus.len() > 1, "{}: nothing to start from", format.name);
    corpus
}

#[test]
fn mutated_messages_break_nothing() {
    let mut rng = Rng::with_seed(7);
    for format in FORMATS {
        let corpus = corpus(format);
        for _ in 0..4000 {
            let start = &corpus[rng.usize(..corpus.len())];
            let start = &start[..start.len().min(4096)];
            let bytes = testing::mutate(&mut rng, start);
            testing::fuzz_reader(format, &bytes, rng.usize(..=bytes.len()));
        }
    }
}

#[test]
fn messages_truncated_at_each_byte_break_nothing() {
    for format in FORMATS {
        for bytes in corpus(format) {
            let bytes = &bytes[..bytes.len().min(1500)];
            for end in 0..=bytes.len() {
                testing::fuzz_reader(format, &bytes[..end], end / 2);
            }
        }
    }
}

#[test]
fn random_bytes_break_nothing() {
    let mut rng = Rng::with_seed(9);
    for format in FORMATS {
        for _ in 0..3000 {
            let bytes: Vec<u8> = (0..rng.usize(..64)).map(|_| rng.u8(..)).collect();
            testing::fuzz_reader(format, &bytes, bytes.len() / 2);
        }
        testing::fuzz_walk(format, b"");
    }
}

#[test]
fn every_flipped_bit_breaks_nothing() {
    for format in FORMATS {
        for bytes in corpus(format).iter().take(12) {
            let mut bytes = bytes[..bytes.len().min(300)].to_vec();
            for bit in 0..bytes.len() * 8 {
                bytes[bit / 8] ^= 1 << (bit % 8);
                testing::fuzz_reader(format, &bytes, bit / 8);
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
        }
    }
}

#[test]
fn names_and_endings_are_unique() {
    for (n, format) in FORMATS.iter().enumerate() {
        for other in &FORMATS[..n] {
            assert_ne!(format.name, other.name);
            assert!(format.extensions.iter().all(|ending| !other.extensions.contains(ending)), "{} and {}", format.name, other.name);
        }
        assert!(!format.media_types.is_empty() && !format.extensions.is_empty(), "{}", format.name);
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats").join(format!("{}.md", format.name));
        assert!(page.is_file(), "{}: no page {}", format.name, page.display());
    }
}

/// A followed file gives a message as soon as its last byte has come, unless the format says that
/// only what follows shows the end.
#[test]
fn messages_end_where_the_format_says_that_they_do() {
    let mut rng = Rng::with_seed(3);
    for format in FORMATS.iter().filter(|format| format.writer.is_some()) {
        let messages: Vec<Vec<u8>> =
            (0..200).filter_map(|_| testing::write(format, &testing::value(&mut rng, Shape::PLAIN)).ok()).collect();
        assert!(!messages.is_empty(), "{}", format.name);
        let ends = |message: &Vec<u8>| {
            let bytes = [message, format.separator.as_bytes()].concat();
            matches!((format.reader)().frame(&bytes, 0, false), Ok(Frame::Message { .. }))
        };
        let ended = messages.iter().filter(|message| ends(message)).count();
        assert_eq!(ended == messages.len(), format.marks_end, "{}: {ended} of {}", format.name, messages.len());
    }
}
