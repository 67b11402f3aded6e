//! The fast ways against the plain ones.

use fastrand::Rng;

use super::blocks::{BLOCK, Masks, classify};
#[cfg(all(target_arch = "x86_64", feature = "std"))]
use super::blocks::{Blocks, Carry, Sink, portable};
use super::index::Index;
use super::{End, Tape};
use crate::wire::{Code, Limits, is_keyword_byte};

fn corpus() -> Vec<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/packets");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().flatten().map(|file| file.path()).collect();
    files.sort();
    files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "psyc")).map(|path| std::fs::read(path).unwrap()).collect()
}

fn word(rng: &mut Rng, out: &mut Vec<u8>, most: usize) {
    for _ in 0..rng.usize(1..=most) {
        out.push(*rng.choice(b"_abzAZ09m").unwrap());
    }
}

fn text(rng: &mut Rng, most: usize) -> Vec<u8> {
    (0..rng.usize(0..=most)).map(|_| *rng.choice(b"ab _|\n\t:=|\n9\xff").unwrap()).collect()
}

/// Returns a packet that keeps the grammar, and now and then one that does not.
fn packet(rng: &mut Rng, out: &mut Vec<u8>) {
    let most = if rng.u8(..) < 3 { 40_000 } else { 90 };
    let line = |rng: &mut Rng, out: &mut Vec<u8>, entity: bool| {
        out.push(*rng.choice(b":=+-@?!").unwrap());
        let longest = if rng.u8(..) < 8 { 200 } else { 12 };
        word(rng, out, longest);
        let mut value = text(rng, most);
        if entity && rng.bool() {
            out.extend_from_slice(format!(" {}{}", if rng.u8(..) < 9 { "000000000000000000000" } else { "" }, value.len()).as_bytes());
        } else {
            value.retain(|byte| *byte != b'\n');
        }
        out.push(b'\t');
        out.extend_from_slice(&value);
        out.push(b'\n');
    };
    for _ in 0..rng.usize(0..4) {
        line(rng, out, false);
    }
    if rng.u8(..) < 230 {
        let mut content = Vec::new();
        if rng.u8(..) < 40 {
            content.extend_from_slice(if rng.bool() { b"=\n" } else { b"?\n" });
        }
        for _ in 0..rng.usize(0..5) {
            line(rng, &mut content, true);
        }
        let sized = rng.bool();
        if rng.u8(..) < 200 {
            word(rng, &mut content, 20);
            content.push(b'\n');
            let data = text(rng, most);
            if rng.bool()
                && (sized || !(data.starts_with(b"|\n") || data.ends_with(b"\n|") || data.windows(3).any(|part| part == b"\n|\n")))
            {
                content.extend_from_slice(&data);
                content.push(b'\n');
            }
        }
        if sized {
            out.extend_from_slice(content.len().to_string().as_bytes());
        }
        out.push(b'\n');
        out.extend_from_slice(&content);
    }
    out.extend_from_slice(b"|\n");
}

fn mutate(rng: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..rng.usize(1..3) {
        if bytes.is_empty() {
            return;
        }
        let at = rng.usize(..bytes.len());
        match rng.u8(..4) {
            0 => {
                bytes.remove(at);
            }
            1 => bytes.insert(at, *rng.choice(b"\n\t |:=_a90\x80").unwrap()),
            2 => bytes[at] = *rng.choice(b"\n\t |:=?_a90\x80").unwrap(),
            _ => bytes.truncate(at),
        }
    }
}

fn check(tapes: &mut (Tape, Tape), bytes: &[u8]) -> End {
    let fast = tapes.0.parse(bytes);
    let exact = tapes.1.parse_exactly(bytes);
    let shown = || String::from_utf8_lossy(&bytes[..bytes.len().min(2000)]).into_owned();
    assert_eq!(fast.end(), exact.end(), "{:?}", shown());
    assert_eq!(fast.records.packets(), exact.records.packets(), "{:?}", shown());
    assert_eq!(fast.records.lines(), exact.records.lines(), "{:?}", shown());
    fast.end()
}

#[test]
fn the_tape_is_that_of_the_pull_parser() {
    let corpus = corpus();
    assert_eq!(corpus.len(), 10);
    let mut rng = Rng::with_seed(4);
    let mut tapes = (Tape::default(), Tape::default());
    let (mut complete, mut faults, mut more) = (0, 0, 0);
    for round in 0..6000 {
        let mut bytes = Vec::new();
        for _ in 0..rng.usize(1..if round % 50 == 0 { 300 } else { 8 }) {
            if rng.bool() { packet(&mut rng, &mut bytes) } else { bytes.extend_from_slice(rng.choice(&corpus).unwrap()) }
        }
        if round % 4 > 0 {
            mutate(&mut rng, &mut bytes);
        }
        match check(&mut tapes, &bytes) {
            End::Complete => complete += 1,
            End::More { .. } => more += 1,
            End::ParseError(_) => faults += 1,
        }
    }
    assert!(complete > 1500 && faults > 1000 && more > 500, "{complete} {faults} {more}");
}

#[test]
fn cut_anywhere_the_rest_is_told() {
    let whole: Vec<u8> = corpus().concat();
    let mut tapes = (Tape::default(), Tape::default());
    for cut in 0..=whole.len() {
        check(&mut tapes, &whole[..cut]);
        let (mut count, mut start) = (0, 0);
        let first = tapes.0.parse(&whole[..cut]);
        count += first.len();
        if let End::More { start: rest, .. } = first.end() {
            start += rest;
        } else {
            start = cut;
        }
        let second = tapes.0.parse(&whole[start..]);
        assert_eq!((count + second.len(), second.end()), (10, End::Complete), "cut at {cut}");
    }
}

#[test]
fn short_inputs_of_the_bytes_that_matter() {
    const BYTES: &[u8] = b"\n\t|:=a3 *";
    let mut tapes = (Tape::default(), Tape::default());
    let mut bytes = Vec::new();
    for length in 0..=5u32 {
        for mut number in 0..BYTES.len().pow(length) {
            bytes.clear();
            for _ in 0..length {
                bytes.push(BYTES[number % BYTES.len()]);
                number /= BYTES.len();
            }
            check(&mut tapes, &bytes);
        }
    }
}

#[test]
fn sizes_up_to_the_limit_are_believed() {
    let mut tape = Tape::default().limits(Limits { size: 3, ..Limits::NONE });
    assert_eq!(tape.parse(b"\n:_a 3\tabc\n|\n").end(), End::Complete);
    let End::ParseError(fault) = tape.parse(b"\n:_a 4\tabcd\n|\n").end() else { panic!("a size over the limit") };
    assert_eq!((fault.code, fault.at), (Code::ModLen, 5));
    let End::ParseError(fault) = tape.parse(b"4\n_ab\n|\n").end() else { panic!("a size over the limit") };
    assert_eq!((fault.code, fault.at), (Code::Length, 0));
    let mut tape = Tape::default().limits(Limits { value: 2, ..Limits::NONE });
    let End::ParseError(fault) = tape.parse(b":_a\tab\n:_b\tabc\n|\n").end() else { panic!("a value over the limit") };
    assert_eq!(fault.code, Code::ModNoLen);
}

#[test]
fn claims_take_no_memory() {
    let mut tape = Tape::default();
    let claim = format!("{}\n_m\nx", usize::MAX / 2);
    let batch = tape.parse(claim.as_bytes());
    assert!(matches!(batch.end(), End::More { start: 0, missing } if missing > usize::MAX / 2 - 100));
    assert!(tape.memory() < 400_000);
}

#[test]
fn every_byte_is_classified() {
    for first in 0..=255u8 {
        let block: [u8; BLOCK] = std::array::from_fn(|n| first.wrapping_add(n as u8));
        let bits = |is: fn(u8) -> bool| block.iter().enumerate().fold(0u64, |bits, (n, byte)| bits | u64::from(is(*byte)) << n);
        let plain = Masks { lf: bits(|byte| byte == b'\n'), keyword: bits(is_keyword_byte) };
        assert_eq!(classify(&block), plain);
    }
}

#[cfg(all(target_arch = "x86_64", feature = "std"))]
#[test]
fn all_ways_to_index_agree() {
    let mut rng = Rng::with_seed(5);
    for _ in 0..3000 {
        let blocks: Vec<[u8; BLOCK]> = (0..rng.usize(1..6))
            .map(|_| {
                let any = rng.u8(..) < 60;
                std::array::from_fn(|_| if any { rng.u8(..) } else { *rng.choice(b"\n\n\n|_aZ09:\t ").unwrap() })
            })
            .collect();
        let run = |way: Blocks| {
            let (mut stops, mut marks) = (vec![0; 7 * BLOCK], vec![0; 7 * BLOCK]);
            let mut carry = Carry::LINE;
            let mut sink = Sink { stops: &mut stops, count: 0, marks: &mut marks, mark_count: 0 };
            way(&blocks, 640, &mut carry, &mut sink);
            let (count, mark_count) = (sink.count, sink.mark_count);
            stops.truncate(count);
            marks.truncate(mark_count);
            (stops, marks, carry)
        };
        let plain = run(portable);
        assert_eq!(run(super::simd::avx2), plain);
        assert_eq!(run(super::simd::avx512), plain);
        assert_eq!(plain.0, plain_stops(blocks.as_flattened()));
    }
}

/// The index, computed byte by byte.
#[cfg(all(target_arch = "x86_64", feature = "std"))]
fn plain_stops(bytes: &[u8]) -> Vec<u32> {
    let mut stops = Vec::new();
    let mut start = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let name = usize::from(!is_keyword_byte(line[0]));
        let length = line[name..].iter().take_while(|byte| is_keyword_byte(**byte)).count();
        let end = name + length;
        if length > 0 && line.get(end).is_some_and(|byte| *byte != b'\n') {
            stops.push((640 + start + end) as u32);
        }
        start += line.len();
        if line.ends_with(b"\n") {
            stops.push((640 + start - 1) as u32);
        }
    }
    stops
}

#[test]
fn an_index_is_bounded() {
    let mut index = Index::default();
    let bytes = vec![b'\n'; 1 << 20];
    let before = index.bytes();
    index.seek(0);
    let mut count = 0;
    while index.end() < bytes.len() {
        index.refill(&bytes);
        count += index.stops().len();
    }
    assert_eq!(count, bytes.len());
    let ends: Vec<u8> = b"|\n".repeat(1 << 19);
    index.seek(0);
    while index.end() < ends.len() {
        index.refill(&ends);
    }
    assert_eq!(index.bytes(), before);
}
