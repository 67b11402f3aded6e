//! The fuzz target of the C interface on stable Rust: random, mutated and real input, all parsers,
//! cut in all ways.

mod door;

use door::differential::differential;

/// Pieces of packets, lists, dicts, indexes, updates, templates and addresses.
const WORDS: &[&[u8]] = &[
    b"\n",
    b"|\n",
    b"\n|\n",
    b"\t",
    b" ",
    b":",
    b"=",
    b"+",
    b"?",
    b"@",
    b"|",
    b"{",
    b"}",
    b"#",
    b".",
    b"[",
    b"]",
    b"/",
    b"//",
    b"0",
    b"1",
    b"3",
    b"12",
    b"18446744073709551615",
    b"_a",
    b"_list",
    b"_message",
    b":_source\tpsyc://h/~a\n",
    b"=_x 3\tfoo\n",
    b"psyc://",
    b"x",
    b"a}b",
    b"\xff",
];

#[test]
fn real_packets() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/packets");
    let mut files = 0;
    for file in std::fs::read_dir(folder).expect("packets").flatten() {
        if file.path().extension().is_some_and(|ending| ending == "psyc") {
            let bytes = std::fs::read(file.path()).expect("a packet");
            for what in 0..9 {
                for piece in 0..=bytes.len().min(255) {
                    differential(&[&[what, piece as u8], &bytes[..]].concat());
                }
            }
            files += 1;
        }
    }
    assert!(files >= 7, "the packets were not found");
}

#[test]
fn words() {
    let mut rng = fastrand::Rng::with_seed(20);
    for _ in 0..60_000 {
        let mut data = vec![rng.u8(..), if rng.bool() { 0 } else { rng.u8(..24) }];
        for _ in 0..rng.usize(..14) {
            data.extend_from_slice(rng.choice(WORDS).expect("words"));
        }
        differential(&data);
    }
}

#[test]
fn bytes() {
    let mut rng = fastrand::Rng::with_seed(21);
    for _ in 0..20_000 {
        let mut data: Vec<u8> = (0..rng.usize(..40)).map(|_| rng.u8(..)).collect();
        data.iter_mut().skip(2).for_each(|byte| *byte &= 0x7f);
        differential(&data);
    }
}
