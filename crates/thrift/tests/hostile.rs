//! Any bytes as messages of both protocols: truncated, mutated and random ones break no promise.

use std::path::Path;

use polywire_core::format::Format;
use polywire_testing::{self as testing, Rng};
use polywire_thrift::{BINARY, COMPACT};

const FORMATS: [&Format; 2] = [&BINARY, &COMPACT];

/// The files of `testdata/corpus`, and a struct whose bytes begin like an envelope.
fn corpus(format: &'static Format) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/corpus").join(format.name);
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("a corpus").flatten().map(|file| file.path()).collect();
    files.sort();
    let mut found: Vec<Vec<u8>> = files.iter().map(|file| std::fs::read(file).expect("a file")).collect();
    found.push(b"\x82\x21\x14\x05\x08\x00".to_vec());
    found
}

fn all_bodies(format: &'static Format, bytes: &[u8], cut: usize) {
    testing::fuzz_walk(format, bytes);
    testing::fuzz_frames(format, bytes, cut);
    testing::fuzz_skip(format, bytes);
    testing::fuzz_rewrite(format, bytes);
    testing::fuzz_inspect(format, bytes);
}

#[test]
fn truncated_messages_break_nothing() {
    for format in FORMATS {
        for bytes in corpus(format) {
            let bytes = &bytes[..bytes.len().min(300)];
            for end in 0..=bytes.len() {
                all_bodies(format, &bytes[..end], end / 2);
            }
        }
    }
}

#[test]
fn mutated_messages_break_nothing() {
    let mut rng = Rng::with_seed(7);
    for format in FORMATS {
        let corpus = corpus(format);
        for _ in 0..3000 {
            let start = &corpus[rng.usize(..corpus.len())];
            let bytes = testing::mutate(&mut rng, start);
            all_bodies(format, &bytes, rng.usize(..=bytes.len()));
        }
    }
}

#[test]
fn random_bytes_break_nothing() {
    let mut rng = Rng::with_seed(9);
    for format in FORMATS {
        for _ in 0..3000 {
            let bytes: Vec<u8> = (0..rng.usize(..48)).map(|_| if rng.bool() { rng.u8(..17) } else { rng.u8(..) }).collect();
            all_bodies(format, &bytes, bytes.len() / 2);
        }
    }
}

#[test]
fn streams_are_cut_anywhere() {
    for format in FORMATS {
        // The last file of the corpus is a struct: only its end shows that it is no envelope.
        let mut messages = corpus(format);
        messages.pop();
        messages.retain(|message| message.len() < 300);
        testing::fuzz_cuts(format, &messages);
    }
}
