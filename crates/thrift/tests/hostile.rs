//! Any bytes as messages of both protocols, without a schema and by one, and any texts in the IDL:
//! truncated, mutated and random ones break no promise.

mod language_texts;
mod schema_bytes;

use std::path::Path;

use polywire_core::format::Format;
use polywire_testing::{self as testing, Rng};
use polywire_thrift::{BINARY, COMPACT, JSON};

const FORMATS: [&Format; 3] = [&BINARY, &COMPACT, &JSON];

/// The files of `testdata/corpus`, and a struct whose bytes begin like an envelope.
fn corpus(format: &'static Format) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/corpus").join(format.name);
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("a corpus").flatten().map(|file| file.path()).collect();
    files.sort();
    let mut found: Vec<Vec<u8>> = files.iter().map(|file| std::fs::read(file).expect("a file")).collect();
    found.push(if format.name == JSON.name { b"{}".to_vec() } else { b"\x82\x21\x14\x05\x08\x00".to_vec() });
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

#[test]
fn messages_by_a_schema_break_nothing() {
    let mut rng = Rng::with_seed(11);
    let corpora = FORMATS.map(corpus);
    for round in 0..20_000 {
        let corpus = &corpora[round % 3];
        let mut bytes: Vec<u8> = if rng.bool() {
            (0..rng.usize(..48)).map(|_| if rng.bool() { rng.u8(..17) } else { rng.u8(..) }).collect()
        } else {
            testing::mutate(&mut rng, &corpus[round / 3 % corpus.len()])
        };
        bytes.insert(0, rng.u8(..));
        schema_bytes::by_schema(&bytes);
    }
}

const TEXTS: [&str; 4] = [
    include_str!("../../codegen/conformance/golden/orders.thrift"),
    include_str!("../../../testdata/schemas/shop.thrift"),
    "const A a = {'b': {'c': [1, 2]}} struct A { 1: B b } struct B { 2: required list<i32> c = [3] }",
    "package; @thrift.Box{n = 1} interaction I { void f() } service S { I g(), i32, stream<i32> h(1: E e = 7) } enum E { X = 1 }",
];

#[test]
fn texts_break_nothing() {
    let mut rng = Rng::with_seed(12);
    for text in TEXTS {
        language_texts::language(text.as_bytes());
        for _ in 0..400 {
            language_texts::language(&testing::mutate(&mut rng, text.as_bytes()));
        }
    }
    // Words in any order.
    let words = [
        "struct", "union", "enum", "A", "B", "{", "}", "1:", "i32", "list<", ">", "const", "=", "typedef", "service", "(", ")", "@", "{}",
        "\"x\"", ",",
    ];
    for _ in 0..3000 {
        let text: Vec<&str> = (0..rng.usize(..24)).map(|_| words[rng.usize(..words.len())]).collect();
        language_texts::language(text.join(" ").as_bytes());
    }
}
