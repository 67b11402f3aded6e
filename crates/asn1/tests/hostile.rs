//! Hostile texts: deep, endless, multiplying, cut and changed ones. None panics or runs away.

mod language_texts;

use polywire_asn1::Modules;
use polywire_core::Limits;
use polywire_core::text::diagnostic::{Diagnostics, Severity};

const TICKETS: &[u8] = include_bytes!("../../../testdata/asn1/Tickets.asn");

fn resolve(bytes: &[u8], limits: &Limits) -> Result<usize, Diagnostics> {
    let mut modules = Modules::new();
    modules.add("t.asn", bytes);
    modules.resolve(limits).map(|model| model.types.len())
}

/// The codes of the errors in a module.
fn codes(assignments: &str) -> Vec<&'static str> {
    let text = format!("M DEFINITIONS AUTOMATIC TAGS ::= BEGIN {assignments} END");
    let found = resolve(text.as_bytes(), &Limits::DEFAULT.with_items(20_000)).err().unwrap_or_default();
    found.findings.iter().filter(|finding| finding.severity == Severity::Error).map(|finding| finding.code).collect()
}

#[test]
fn nesting_is_bounded() {
    for (open, middle, close) in [
        ("SEQUENCE OF ", "NULL", ""),
        ("SEQUENCE { a ", "NULL", " }"),
        ("[1] CHOICE { a ", "NULL", " }"),
        ("INTEGER (", "1", ")"),
        ("P {", "NULL", "}"),
    ] {
        let text = format!("A ::= {}{middle}{}", open.repeat(5000), close.repeat(5000));
        let found = codes(&text);
        assert!(found.contains(&"too_deep") || found.contains(&"unexpected_word"), "{open}: {found:?}");
    }
    assert!(codes(&format!("a A ::= {}{}", "{".repeat(50_000), "}".repeat(50_000))).contains(&"unknown_name"));
    assert!(codes(&format!("a A ::= {}5", "b : ".repeat(50_000))).contains(&"too_deep"));
    assert!(codes(&format!("A ::= INTEGER ({}1{})", "(".repeat(50_000), ")".repeat(50_000))).contains(&"too_deep"));
}

#[test]
fn parameters_are_bounded() {
    assert_eq!(codes("A ::= P {INTEGER} P {T} ::= SEQUENCE { p P {SEQUENCE OF T} OPTIONAL }"), ["endless_parameters"]);
    assert!(codes("A ::= P {INTEGER} P {T} ::= SEQUENCE { p P {T} OPTIONAL }").is_empty());
    // Each level has twice the types of the one before.
    let mut text = String::from("A ::= P0 {INTEGER}");
    for level in 0..40 {
        let next = level + 1;
        text += &format!(" P{level} {{T}} ::= SEQUENCE {{ a P{next} {{SEQUENCE OF T}}, b P{next} {{SET OF T}} }}");
    }
    assert_eq!(codes(&(text + " P40 {T} ::= T")), ["too_many_types"]);
}

#[test]
fn long_chains_end() {
    let mut text = String::new();
    for at in 0..3000 {
        text += &format!("A{at} ::= SEQUENCE {{ a A{} OPTIONAL }} ", at + 1);
    }
    assert!(codes(&(text + "A3000 ::= NULL")).is_empty());
    let mut text = String::new();
    for at in 0..3000 {
        text += &format!("A{at} ::= A{} ", at + 1);
    }
    assert!(codes(&(text + "A3000 ::= NULL")).is_empty());
    let mut text = String::new();
    for at in 0..3000 {
        text += &format!("a{at} INTEGER ::= a{} ", at + 1);
    }
    assert!(codes(&(text + "a3000 INTEGER ::= 1")).iter().all(|code| *code == "circle"));
    assert!(codes("X ::= CLASS { &X X OPTIONAL } S X ::= { S | a } a X ::= b b X ::= a").contains(&"circle"));
}

#[test]
fn unions_of_any_length_are_joined() {
    let values: Vec<String> = (0..20_000).map(|number| (number * 2).to_string()).collect();
    assert!(codes(&format!("A ::= INTEGER ({}) B ::= A ({})", values.join(" | "), values.join(" | "))).is_empty());
    let letters: Vec<String> = (0..20_000).map(|number| format!("\"{}\"", char::from(b'a' + number as u8 % 26))).collect();
    assert!(codes(&format!("A ::= IA5String (FROM ({}))", letters.join(" | "))).is_empty());
}

#[test]
fn cut_and_changed_texts_are_refused_or_read() {
    let mut outcomes = [0usize; 2];
    for cut in (0..TICKETS.len()).step_by(7) {
        outcomes[usize::from(resolve(&TICKETS[..cut], &Limits::DEFAULT).is_ok())] += 1;
    }
    let signs = b"{}()[]<>|,.:;&@\"'-19aZ \n";
    let mut state = 0x2545_f491_4f6c_dd1du64;
    for _ in 0..400 {
        let mut text = TICKETS.to_vec();
        for _ in 0..3 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let at = (state % text.len() as u64) as usize;
            text[at] = signs[(state >> 32) as usize % signs.len()];
        }
        outcomes[usize::from(resolve(&text, &Limits::DEFAULT).is_ok())] += 1;
    }
    assert!(outcomes[0] > 300 && outcomes[1] > 5, "{outcomes:?}");
}

#[test]
fn texts_of_all_kinds_keep_the_promises_of_the_fuzz_target() {
    let seats = include_bytes!("../../../testdata/schemas/seats.asn");
    let forms = include_bytes!("../../../testdata/asn1/Forms.asn");
    let mut random = fastrand::Rng::with_seed(7);
    for text in [TICKETS, &seats[..], &forms[..]] {
        language_texts::language(text);
        for _ in 0..60 {
            let mut changed = text.to_vec();
            let [from, to] = [random.usize(..text.len()), random.usize(..text.len())];
            let piece: Vec<u8> = text[from..(from + random.usize(1..40)).min(text.len())].to_vec();
            match random.u8(0..4) {
                0 => changed.truncate(to),
                1 => _ = changed.drain(from.min(to)..from.max(to).min(from.min(to) + 30)),
                2 => _ = changed.splice(to..to, piece),
                _ => changed[to] = random.u8(..),
            }
            language_texts::language(&changed);
        }
    }
    for text in [&b""[..], b"\xff", b"M DEFINITIONS ::= BEGIN END", b"-- \x00", b"M DEFINITIONS ::= BEGIN A ::= A END"] {
        language_texts::language(text);
    }
}
