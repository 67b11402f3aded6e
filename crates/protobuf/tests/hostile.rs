//! Hostile bytes are normal input: the bodies of the fuzz targets, seeded, and messages made to
//! cost much.

use std::sync::Arc;

use polywire_core::tools::Count;
use polywire_core::{Budget, ErrorKind, Limits, Reader, Result};
use polywire_protobuf::json::{JsonParser, JsonPrinter, ParseOptions, PrintOptions};
use polywire_protobuf::testing::{Rng, bodies, judged, message};
use polywire_protobuf::text::{TextParser, TextPrinter};
use polywire_protobuf::walk::ProtobufReader;
use polywire_protobuf::wire::framing::Framing;
use polywire_testing::mutate;

const KINDS: usize = 3;

#[test]
fn mutated_messages_break_nothing() {
    let mut rng = Rng::with_seed(5);
    for n in 0..6000 {
        let choice = rng.usize(..KINDS);
        let bytes = message(&mut rng, &bodies::plans()[choice], n % 2 == 0);
        let mut bytes = [&[choice as u8], &bytes[..]].concat();
        bodies::message(&bytes);
        for _ in 0..4 {
            bytes = mutate(&mut rng, &bytes);
            bodies::message(&bytes);
        }
    }
}

#[test]
fn a_judge_agrees_on_mutated_messages() {
    let mut rng = Rng::with_seed(8);
    for n in 0..1000 {
        let choice = rng.usize(..KINDS);
        let bytes = message(&mut rng, &bodies::plans()[choice], n % 2 == 0);
        let mut bytes = [&[choice as u8], &bytes[..]].concat();
        judged(&bytes);
        for _ in 0..3 {
            bytes = mutate(&mut rng, &bytes);
            judged(&bytes);
        }
    }
}

#[test]
fn mutated_texts_break_nothing() {
    let mut rng = Rng::with_seed(6);
    for _ in 0..4000 {
        let choice = rng.usize(..KINDS);
        let plan = &bodies::plans()[choice];
        let bytes = message(&mut rng, plan, true);
        let mut text = vec![choice as u8];
        if JsonPrinter::new(Arc::clone(plan), PrintOptions::default())
            .print(&bytes, 0, &mut text, &mut Budget::new(&Limits::DEFAULT))
            .is_err()
        {
            continue;
        }
        bodies::json(&text);
        for _ in 0..4 {
            text = mutate(&mut rng, &text);
            bodies::json(&text);
        }
    }
}

#[test]
fn mutated_texts_of_the_text_format_break_nothing() {
    let mut rng = Rng::with_seed(7);
    for _ in 0..4000 {
        let choice = rng.usize(..KINDS);
        let plan = &bodies::plans()[choice];
        let bytes = message(&mut rng, plan, true);
        let mut text = vec![choice as u8];
        if TextPrinter::new(Arc::clone(plan)).print(&bytes, 0, &mut text, &mut Budget::new(&Limits::DEFAULT)).is_err() {
            continue;
        }
        bodies::text(&text);
        for _ in 0..4 {
            text = mutate(&mut rng, &text);
            bodies::text(&text);
        }
    }
}

fn walk(kind: usize, bytes: &[u8], limits: Limits) -> Result<()> {
    let mut reader = ProtobufReader::new(Arc::clone(&bodies::plans()[kind]), Framing::Whole);
    reader.walk(bytes, 0, &mut Count::default(), &mut Budget::new(&limits))
}

fn print(kind: usize, bytes: &[u8], limits: Limits) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut printer = JsonPrinter::new(Arc::clone(&bodies::plans()[kind]), PrintOptions::default());
    printer.print(bytes, 0, &mut out, &mut Budget::new(&limits)).map(|()| out)
}

/// A field of wire type LEN.
fn delimited(tag: u8, contents: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    let mut length = contents.len();
    while length >= 0x80 {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
    out.extend_from_slice(contents);
    out
}

#[test]
fn depth_is_limited() {
    // Messages, groups, maps, values within values.
    let nested = |tag: u8, depth: usize| (0..depth).fold(Vec::new(), |inner, _| delimited(tag, &inner));
    let limits = Limits::DEFAULT.with_depth(50);
    for (kind, tag) in [(1, 0x4a), (1, 0x5a), (2, 0x62)] {
        assert!(walk(kind, &nested(tag, 20), limits).is_ok());
        assert_eq!(walk(kind, &nested(tag, 60), limits).unwrap_err().kind(), ErrorKind::Limit);
        assert_eq!(print(kind, &nested(tag, 60), limits).unwrap_err().kind(), ErrorKind::Limit);
    }
    // Groups without end, known and unknown.
    for tag in [0x1b, 0x7b] {
        let groups = vec![tag; 1 << 20];
        assert_eq!(walk(0, &groups, limits).unwrap_err().kind(), ErrorKind::Limit);
        assert_eq!(walk(1, &groups, Limits::DEFAULT).unwrap_err().kind(), ErrorKind::Limit);
        assert!(walk(0, &groups[..40], limits).is_err());
    }
    for text in ["{\"r\":[", "{\"one\":", "{\"unknown\":[", "{\"m\":{\"1\":"] {
        let mut parser = JsonParser::new(Arc::clone(&bodies::plans()[1]), ParseOptions { ignore_unknown: true });
        let outcome = parser.parse(text.repeat(100_000).as_bytes(), 0, &mut Vec::new(), &mut Budget::new(&limits));
        assert!(outcome.is_err());
    }
}

#[test]
fn depth_of_the_text_format_is_limited() {
    let limits = Limits::DEFAULT.with_depth(50);
    for text in ["one {", "r: [<", "m {value <", "one: {"] {
        let mut parser = TextParser::new(Arc::clone(&bodies::plans()[1]));
        let outcome = parser.parse(text.repeat(100_000).as_bytes(), 0, &mut Vec::new(), &mut Budget::new(&limits));
        assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Limit);
    }
}

#[test]
fn the_deepest_message_is_told() {
    let depth = Limits::MAX_DEPTH as usize - 1;
    let limits = Limits::DEFAULT.with_depth(Limits::MAX_DEPTH);
    let deep = (0..depth).fold(Vec::new(), |inner, _| delimited(0x5a, &inner));
    assert!(walk(1, &deep, limits).is_ok());
    let json = print(1, &deep, limits).unwrap();
    let mut made = Vec::new();
    JsonParser::new(Arc::clone(&bodies::plans()[1]), ParseOptions::default())
        .parse(&json, 0, &mut made, &mut Budget::new(&limits))
        .unwrap();
    assert_eq!(made, deep);
}

#[test]
fn lengths_claim_nothing() {
    // A length of 2 GB, of a string, of packed numbers, of a message, of a map's entry.
    for tag in [&[0x3a][..], &[0x7a], &[0x4a], &[0x52]] {
        let bytes = [tag, &[0xff, 0xff, 0xff, 0xff, 0x07]].concat();
        assert_eq!(walk(1, &bytes, Limits::DEFAULT).unwrap_err().kind(), ErrorKind::Truncated);
    }
}

#[test]
fn floods_are_counted() {
    let limits = Limits::DEFAULT.with_items(1000);
    // Packed numbers, unknown fields, list elements, entries of a map, entries of one key.
    let packed = delimited(0x7a, &vec![0; 5000]);
    let unknown = [0xc0, 0x3e, 0x00].repeat(5000);
    let elements = [0x92, 0x01, 0x00].repeat(5000);
    let entries = [0x52, 0x00].repeat(5000);
    for bytes in [packed, unknown, elements, entries] {
        assert_eq!(walk(1, &bytes, limits).unwrap_err().kind(), ErrorKind::Limit);
        assert!(walk(1, &bytes, Limits::DEFAULT).is_ok());
    }
}

#[test]
fn fields_out_of_order_are_told_in_linear_time() {
    // Each of these would take minutes if a field, an entry or a group were visited again for each
    // other one.
    let elements = [[0x92, 0x01, 0x00].as_slice(), &[0x98, 0x3f, 0x01], &[0x4a, 0x00]].concat().repeat(200_000);
    assert!(walk(1, &elements, Limits::DEFAULT).is_ok());
    let messages = [0x5a, 0x00, 0x62, 0x00].repeat(200_000);
    assert!(walk(1, &messages, Limits::DEFAULT).is_ok());
    let merged = [0x5a, 0x02, 0x30, 0x01, 0x18, 0x01].repeat(200_000);
    assert!(walk(1, &merged, Limits::DEFAULT).is_ok());
    let entries: Vec<u8> = (0..200_000u32)
        .flat_map(|n| delimited(0x52, &[&[0x08][..], &[n as u8 | 0x80, (n >> 7) as u8 | 0x80, (n >> 14) as u8 & 0x7f]].concat()))
        .rev()
        .collect();
    drop(walk(1, &entries, Limits::DEFAULT));
    let depth = 400;
    let groups = [vec![0x1b; depth], delimited(0x0a, &vec![b'x'; 4 << 20]), vec![0x1c; depth]].concat();
    drop(walk(0, &groups, Limits::DEFAULT));
}
