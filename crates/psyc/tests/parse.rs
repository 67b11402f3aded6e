//! The parsers on random and on exhaustive inputs, against plain twins and at all cuts; what
//! docs/spec/psyc.md 19 says of single inputs; and streams that come byte by byte.

mod twins;

use polywire_psyc::wire::{Limits, Mode, PacketStep, Parser};
use polywire_psyc::{dict, index, list, update};

/// Pieces of packets, most of them whole lines.
const PIECES: [&str; 44] = [
    ":_a\tb\n",
    ":_source\tpsyc://example.com/~juliet\n",
    "=_degree_availability\t4\n",
    ":_a_name_that_is_longer_than_a_block\tand a value that is longer than two blocks are, by some bytes\n",
    "\n",
    "0\n",
    "1\n",
    "5\n",
    "9\n",
    "12\n",
    "23\n",
    "007\n",
    "=\n",
    "?\n",
    ":_a 3\tfoo\n",
    "=_b 0\t\n",
    "+_c 5\t\n|\nx\n",
    "-_d 2\tx\n",
    "_m\n",
    "_message_private\n",
    "m\n",
    "data",
    "some more data than fits into one block of sixteen bytes, and into two, three or four of these",
    "\n|\n",
    "|\n",
    "|",
    "\n|",
    ":",
    "=",
    "@_x\t",
    "!_y ",
    "_",
    "\t",
    " ",
    "3",
    "*",
    "\u{e4}",
    "\0",
    "\r\n",
    "18446744073709551616",
    "18446744073709551610\t",
    "_m\n\n|\n",
    "00000000000000000000000000000000000000000001",
    "|\n:_a\tb\n",
];

const ITEMS: [&str; 36] = [
    "|",
    "| a",
    "|3 abc",
    "|=_t",
    "|=_t a b",
    "|=_t:3 a|b",
    "{k}",
    "{3 a}b}",
    "{k} v",
    "{k}=_t:2 v{",
    "{",
    "}",
    " ",
    ":",
    "=",
    "_type",
    "#12",
    "#",
    "._name",
    ".",
    "3",
    "0 ",
    "12 ",
    " =",
    " +_list",
    " =_t:4 ",
    "abcd",
    "x",
    "\n",
    "|0 ",
    "{0 }",
    "99999999999999999999",
    " a value that is longer than a block of sixteen bytes",
    "_a_type_that_is_longer_than_a_block",
    "|=_x:",
    "00000000000000000000000000000000003",
];

fn random(rng: &mut fastrand::Rng, pieces: &[&str], most: usize) -> Vec<u8> {
    let mut bytes = vec![rng.u8(..)];
    for _ in 0..rng.usize(..most) {
        bytes.extend_from_slice(pieces[rng.usize(..pieces.len())].as_bytes());
    }
    // Some of them spoilt.
    if rng.u8(..4) == 0 && bytes.len() > 1 {
        let at = rng.usize(1..bytes.len());
        match rng.u8(..3) {
            0 => bytes[at] = rng.u8(..),
            1 => drop(bytes.remove(at)),
            _ => bytes.truncate(at),
        }
    }
    bytes
}

/// Runs a body on each string of an alphabet, up to a length.
fn each_string(alphabet: &[u8], longest: u32, body: impl Fn(&[u8])) {
    for length in 0..=longest {
        for mut number in 0..alphabet.len().pow(length) {
            let mut bytes = vec![number as u8];
            for _ in 0..length {
                bytes.push(alphabet[number % alphabet.len()]);
                number /= alphabet.len();
            }
            body(&bytes);
        }
    }
}

#[test]
fn packets_agree_with_the_plain_twin_on_random_inputs() {
    let mut rng = fastrand::Rng::with_seed(6);
    for _ in 0..12_000 {
        twins::fuzz_twin(&random(&mut rng, &PIECES, 9));
    }
}

#[test]
fn packets_agree_with_the_plain_twin_on_all_short_inputs() {
    each_string(b":_\t\n|2 ", 5, twins::fuzz_twin);
    each_string(b"=a\n|", 7, twins::fuzz_twin);
}

#[test]
fn structured_values_do_not_depend_on_cuts() {
    let mut rng = fastrand::Rng::with_seed(7);
    for _ in 0..12_000 {
        twins::fuzz_cuts(&random(&mut rng, &ITEMS, 7));
    }
    each_string(b"|=a:1 {", 5, twins::fuzz_cuts);
    each_string(b"#.{}1 =a", 5, twins::fuzz_cuts);
}

/// The codes of a whole input, up to the first that ends it.
fn codes(input: &str, mode: Mode, limits: Limits) -> Vec<i32> {
    let mut parser = Parser::new(mode).limits(limits);
    let mut codes = Vec::new();
    loop {
        let code = parser.next(input.as_bytes()).map_or_else(|fault| fault.code.number(), |step| step.number());
        codes.push(code);
        if code < 2 || code == 13 && (mode == Mode::Content || parser.cursor() == input.len()) {
            return codes;
        }
    }
}

#[test]
fn deviations_of_section_19() {
    for (input, expected) in [
        // psyc-D2: the content does not fit its size.
        ("5\n_message_private\nx\n|\n", &[-2][..]),
        ("4\n:_a 9\tfoobarbaz\n|\n", &[-2]),
        ("9\n:_a 3\tfoo\n|\n", &[-2]),
        ("3\n?\n|\n", &[3, -8]),
        // psyc-D3: sizes that no content has.
        ("18446744073709551616\n", &[-2]),
        ("99999999999999999999999999999999999999\n", &[-2]),
        ("\n:_a 18446744073709551610\tfoo", &[-5]),
        ("9223372036854775808\n", &[-2]),
        // psyc-D4: no method, and a declared size larger than the content.
        ("99\n?\n|\n", &[3, -8]),
        // psyc-D5 and psyc-D6.
        ("10\n:_a 3\tfoo\n|\n", &[8, 13]),
        ("4\n_m\n\n|\n", &[12, 13]),
        // psyc-D9: strict.
        ("\n=\n?\n|\n", &[4, -3]),
        (":_a\n|\n", &[-4]),
        // Examples of docs/spec/psyc.md 18.
        (":_source\tpsyc://h/~ann\n\n_message\nHi all\n|\n", &[2, 12, 13]),
        ("27\n=_note 5\ta\n|\nb\n_data\nx\n|\ny\n|\n", &[8, 12, 13]),
        ("\n_m x\n", &[-7]),
        ("\n*\n", &[-8]),
    ] {
        assert_eq!(codes(input, Mode::All, Limits::NONE), expected, "{input:?}");
    }
    // psyc-D7 and psyc-D8.
    assert_eq!(codes("\n|\n", Mode::RoutingOnly, Limits::NONE), [12, 13]);
    assert_eq!(codes("3\n_m\n_x\n|\n", Mode::RoutingOnly, Limits::NONE), [12, -8]);
    assert_eq!(codes("0\n|\n", Mode::RoutingOnly, Limits::NONE), [12, 13]);
    assert_eq!(codes("|\n", Mode::RoutingOnly, Limits::NONE), [13]);
    // docs/spec/psyc.md 6.6.
    assert_eq!(codes("", Mode::Content, Limits::NONE), [13]);
    assert_eq!(codes("|", Mode::Content, Limits::NONE), [13]);
    assert_eq!(codes(":_a\tb\n|\n", Mode::Content, Limits::NONE), [8, -8]);
    assert_eq!(codes(":_a 9\tb", Mode::Content, Limits::NONE), [5, 1]);
}

#[test]
fn cursors_are_those_of_the_worked_example() {
    let input = b":_source\tpsyc://h/~ann\n\n_message\nHi all\n|\n";
    let mut parser = Parser::default();
    for cursor in [22, 40, 42] {
        assert!(parser.next(input).is_ok());
        assert_eq!(parser.cursor(), cursor);
    }
    let mut parser = Parser::default();
    assert!(matches!(parser.next(&input[..35]), Ok(PacketStep::Routing(_))));
    assert_eq!(parser.next(&input[..35]), Ok(PacketStep::More));
    assert_eq!(parser.cursor(), 24);
    assert_eq!(parser.remaining(&input[..35]), b"_message\nHi");
}

#[test]
fn limits_of_section_2_are_enforced_when_asked() {
    let body = |length: usize| format!("\n_m\n{}\n|\n", "x".repeat(length));
    // Method, LF, data, LF are the content.
    assert_eq!(codes(&body(512 - 4), Mode::All, Limits::NOMINAL), [12, 13]);
    assert_eq!(codes(&body(513 - 4), Mode::All, Limits::NOMINAL), [-9]);
    assert_eq!(codes(&body(513 - 4), Mode::All, Limits::NONE), [12, 13]);
    let line = |length: usize| format!(":_a\t{}\n|\n", "x".repeat(length));
    assert_eq!(codes(&line(256), Mode::All, Limits::NOMINAL), [2, 13]);
    assert_eq!(codes(&line(257), Mode::All, Limits::NOMINAL), [-10]);
    assert_eq!(codes(&format!("517\n:_a 509\t{}\n|\n", "x".repeat(509)), Mode::All, Limits::NOMINAL), [-2]);
    assert_eq!(codes(&format!("518\n:_a 509\t{}\n|\n", "x".repeat(509)), Mode::All, Limits::NOMINAL), [8, 13]);
    let element = |length: usize| format!("| {}| b", "x".repeat(length));
    for (length, number) in [(128, 6), (129, -6)] {
        let mut state = list::ListState::default();
        let step = list::step(&mut state, element(length).as_bytes(), true, &list::Limits::NOMINAL).map(|step| step.number());
        assert_eq!(step.unwrap_or_else(|fault| fault.number), number);
    }
}

/// The numbers of all calls on a whole value.
macro_rules! numbers {
    ($parser:expr, $terminal:expr) => {{
        let mut parser = $parser;
        let mut numbers = Vec::new();
        loop {
            let number = parser.step().map_or_else(|fault| fault.number, |step| step.number());
            numbers.push(number);
            if number < 0 || $terminal.contains(&number) {
                break numbers;
            }
        }
    }};
}

#[test]
fn structured_values_of_sections_7_to_10() {
    let big = "18446744073709551616";
    for (input, expected) in [
        ("", &[8][..]),
        ("|", &[7]),
        ("||", &[6, 7]),
        ("|0 |0 ", &[6, 7]),
        ("_nick", &[8]),
        ("|3", &[1]),
        ("|3 ", &[1]),
        ("|=", &[1]),
        ("|=_x:", &[1]),
        ("|3|", &[-5]),
        ("|0|", &[-5]),
        ("|=_x:y", &[-5]),
        ("|=_x: a", &[-5]),
        ("|=_x:|", &[-5]),
        ("|=_x!", &[-4]),
        ("|=|", &[-4]),
        ("|3abc", &[-5]),
        (&*format!("|{big} a"), &[-5]),
    ] {
        assert_eq!(numbers!(list::List::new(input.as_bytes()), [1, 3, 7, 8]), expected, "{input:?}");
    }
    for (input, expected) in [
        ("{}", &[6, 11][..]),
        ("{k}0 ", &[6, 11]),
        ("{0 }x", &[6, -8]),
        ("{0 ", &[1]),
        ("{3 abc", &[6, 1]),
        ("{3 abcX 1", &[6, -6]),
        ("{a}3 ", &[6, 1]),
        ("{a}3{b}", &[6, -8]),
        ("{a}=_x:{b}", &[6, -8]),
        ("{5 abc", &[3]),
        ("{a}5 abc", &[6, 7]),
        ("x!", &[2, -3]),
        ("_uniform{2 a}}=_nick bob{c}7 x{y|z}w", &[2, 6, 10, 6, 10, 12]),
        (&*format!("{{{big} a}}"), &[-4]),
        (&*format!("{{a}}{big} a"), &[6, -8]),
    ] {
        assert_eq!(numbers!(dict::Dict::new(input.as_bytes()), [1, 3, 7, 11, 12]), expected, "{input:?}");
    }
    for (input, expected) in [
        ("", &[11][..]),
        ("#1{foo}._bar", &[3, 10, 6]),
        ("{3 foo}{bar}", &[10, 10, 11]),
        ("{3 abcX", &[10, -6]),
        ("{3 abc", &[10, 1]),
        ("{3 ab", &[7]),
        ("{3}", &[-5]),
        ("{k", &[1]),
        ("#", &[1]),
        (".", &[1]),
        (".!", &[-4]),
        (&*format!("#{big}"), &[-3]),
        (&*format!("{{{big} a}}"), &[-5]),
    ] {
        assert_eq!(numbers!(index::Index::new(input.as_bytes()), [1, 4, 6, 7, 11]), expected, "{input:?}");
    }
    for (input, expected) in [
        ("", &[27][..]),
        ("#1", &[1]),
        ("._a", &[1]),
        ("{k}", &[10, 27]),
        ("{3 foo} + a", &[10, 21, 26]),
        ("{3 abcX", &[10, -6]),
        ("#1 ", &[3, 1]),
        ("#1 =", &[3, 27]),
        ("#2 =_list", &[3, 22]),
        ("#1 =_t ", &[3, 21, 27]),
        ("#1 =_t:0 ", &[3, 21, 27]),
        ("#1 =_t:0 x", &[3, 21, 26]),
        ("#1 =_t:", &[3, 21, 1]),
        ("#1 =_t:3", &[3, 21, 1]),
        ("#1 =_t:3 ", &[3, 21, 1]),
        ("#1 =_t:x", &[3, 21, -23]),
        ("#1 =_t:3x", &[3, 21, -23]),
        ("#1 =_t:3 ab", &[3, 21, 23]),
        ("#1 =_t:3 abcd", &[3, 21, 26]),
        ("#1 =_t!", &[3, -22]),
        ("x", &[-2]),
        (" = all", &[21, 26]),
        (&*format!("#1 =:{big} a"), &[3, 21, -23]),
    ] {
        assert_eq!(numbers!(update::Update::new(input.as_bytes()), [1, 7, 22, 23, 25, 26, 27]), expected, "{input:?}");
    }
}

/// A parser that looked at its bytes again each time would need minutes here.
#[test]
fn streams_that_come_byte_by_byte_are_looked_at_once() {
    const LONG: usize = 300_000;
    let long = |piece: &str| piece.repeat(LONG / piece.len());
    for (input, mode, events) in [
        (format!("\n_m\n{}\n|\n", long("a|\n|b")), Mode::All, 2),
        (format!("\n_m\n{}\n|\n", long("|")), Mode::RoutingOnly, 2),
        (format!(":_a\t{}\n|\n", long("x")), Mode::All, 2),
        (format!(":_{}\tx\n|\n", long("name")), Mode::All, 2),
        (format!("\n_{}\n|\n", long("method")), Mode::All, 2),
        (format!("{}4\n_m\nx\n|\n", long("0")), Mode::All, 1),
        (format!("\n:_a {}3\tfoo\n|\n", long("0")), Mode::All, 2),
        (format!("{}\n:_a {LONG}\t{}\n|\n", LONG + 12, long("x")), Mode::All, 2),
    ] {
        let input = input.into_bytes();
        let ends: Vec<usize> = (1..=input.len()).collect();
        let parsed = twins::packet::parsed(&input, mode, None, &ends);
        // A content of the wrong size is an error at its end, which is as good an end as any.
        assert!(parsed.len() >= events && !parsed.contains(&twins::packet::Event::More), "{:?}", parsed.len());
    }
    for input in [
        format!("|=_{}", long("type")),
        format!("|{}3 abc", long("0")),
        format!("| {}", long("x")),
        format!("{{{}", long("k")),
        format!("{{k}} {}", long("v")),
        format!("#{}", long("0")),
        format!(".{}", long("n")),
        format!(" =_{} x", long("type")),
        format!(" =:{}1 x", long("0")),
    ] {
        twins::fuzz_cuts(&[&[200], input.as_bytes()].concat());
    }
}

/// The state is laid out as the C library's, without the buffer before it (docs/spec/psyc.md A.7).
#[test]
fn states_are_laid_out_as_in_c() {
    use polywire_psyc::element::ItemState;
    use polywire_psyc::list::ListState;
    use polywire_psyc::wire::ParseState;
    use std::mem::{offset_of, size_of};

    let word = size_of::<usize>();
    assert_eq!(size_of::<ParseState>(), 7 * word + 8);
    assert_eq!(offset_of!(ParseState, part), 7 * word);
    assert_eq!(offset_of!(ParseState, flags), 7 * word + 4);
    assert_eq!(offset_of!(ParseState, valuelen_found), 7 * word + 6);
    assert_eq!(size_of::<ListState>(), 6 * word + 8);
    assert_eq!(offset_of!(ListState, part), 6 * word);
    assert_eq!(size_of::<ItemState>(), 4 * word + 8);
    assert_eq!(offset_of!(ItemState, elemlen_found), 4 * word + 4);
}
