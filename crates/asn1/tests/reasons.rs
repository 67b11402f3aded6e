//! Each refusal of a module names the paragraph of the standard that the text breaks.

use polywire_asn1::Modules;
use polywire_core::Limits;
use polywire_core::text::diagnostic::{Diagnostic, Severity};

const TEXTS: [&str; 3] = [
    include_str!("../../../testdata/asn1/Tickets.asn"),
    include_str!("../../../testdata/asn1/Packed.asn"),
    include_str!("../../../testdata/asn1/Forms.asn"),
];

/// A text with what the others lack: classes, objects, parameters.
const CLASSES: &str = "M DEFINITIONS ::= BEGIN C ::= CLASS { &id INTEGER UNIQUE, &Type OPTIONAL, &v &Type OPTIONAL } \
    WITH SYNTAX { ID &id [TYPE &Type] [VALUE &v] } one C ::= { ID 1 TYPE BOOLEAN } Set C ::= { one | { ID 2 TYPE INTEGER }, ... } \
    T { C: S, INTEGER: n } ::= SEQUENCE { id C.&id ({S}), v C.&Type ({S}{@id}) OPTIONAL, k INTEGER (0..n), ... } \
    U ::= T { {Set}, 5 } V ::= SEQUENCE (SIZE (1..4)) OF [1] U W ::= OCTET STRING (CONTAINING V) x INTEGER ::= 7 \
    Y ::= CHOICE { a NULL, b [0] ENUMERATED { p, q(4), ... }, ..., [[ c BIT STRING { z(0) } ]] } y Y ::= b : p \
    Z ::= a < Y R ::= REAL (WITH COMPONENTS { mantissa (1..5) }) END";

/// Codes of findings about limits, which the standard knows nothing of.
const LIMITS: [&str; 6] = ["too_deep", "too_many_types", "large_text", "large_tag", "endless_parameters", "many_words"];

/// Returns the errors of a text.
fn errors(text: &str) -> Vec<Diagnostic> {
    let mut modules = Modules::new();
    modules.add("m.asn", text.as_bytes());
    let found = modules.resolve(&Limits::DEFAULT).err().map(|found| found.findings).unwrap_or_default();
    found.into_iter().filter(|finding| finding.severity == Severity::Error).collect()
}

fn is_reasoned(error: &Diagnostic) -> bool {
    LIMITS.contains(&error.code) || ["X.680 ", "X.681 ", "X.682 ", "X.683 ", "X.208 "].iter().any(|part| error.hint.contains(part))
}

#[test]
fn refusals_name_their_paragraphs() {
    let mut wrong = Vec::new();
    for (body, paragraph) in [
        ("A ::= INTEGER { a(1), a(2) }", "X.680 19.5"),
        ("A ::= ENUMERATED { a, 5 }", "X.680 20.1"),
        ("A ::= ENUMERATED { a, b, a }", "X.680 20.2"),
        ("A ::= BIT STRING { a(x(", "X.680 22.1"),
        ("A ::= SEQUENCE { a }", "X.680 17.1"),
        ("A ::= SEQUENCE { a NULL b NULL; }", "X.680 25.1"),
        ("A ::= SET { , }", "X.680 27.1"),
        ("A ::= CHOICE { a NULL; }", "X.680 29.1"),
        ("A ::= SEQUENCE OF", "X.680 17.1"),
        ("A ::= SEQUENCE NULL", "X.680 25.1, 26.1"),
        ("A ::= [x] NULL x INTEGER ::= -1", "X.680 31.2"),
        ("A ::= [1 NULL", "X.680 31.2"),
        ("A ::= INTEGER (1..)", "X.680"),
        ("A ::= INTEGER (1 | )", "X.680 17.7"),
        ("A ::= INTEGER (1..2", "X.680"),
        ("A ::= OCTET STRING (WITH COMPONENTS { 1 })", "X.680 51.8"),
        ("A ::= B", "X.680 13.10"),
        ("A ::= A", "X.680 16.1"),
        ("A ::= a < INTEGER", "X.680 30.2"),
        ("A ::= a < CHOICE { b NULL }", "X.680 30.2"),
        ("a INTEGER ::= TRUE", "X.680 17.7"),
        ("a CHOICE { b NULL } ::= c : NULL A ::= INTEGER (a)", "X.680 29.10"),
        ("A ::= INTEGER (1..b) b ::= 5", "X.680"),
        ("A ::= CLASS { id }", "X.681 9.3"),
        ("A ::= CLASS { &id INTEGER } WITH SYNTAX { [&id }", "X.681 10.5"),
        ("A ::= CLASS { &id INTEGER } B ::= A.&no", "X.681 9.13"),
        ("A ::= CLASS { &id INTEGER } B A ::= { c } c INTEGER ::= 1", "X.681"),
        ("A ::= CLASS { &id INTEGER } B ::= SEQUENCE { a A.&id ({S}{@}) } S A ::= { ... }", "X.682 10.7"),
        ("A { } ::= NULL B ::= A {1, 2}", "X.683"),
        ("A { B } ::= B C ::= A { INTEGER, NULL }", "X.683 9.2"),
        ("A ::= VisibleString (\"x", "X.680 12.14"),
        ("a BIT STRING ::= '012'B", "X.680 12.10"),
        ("A ::= NULL /* open", "X.680 12.6"),
        ("a ::= 5", "X.680 17.1"),
        ("5 ::= NULL", "X.680 16"),
        ("%", "X.680"),
    ] {
        let found = errors(&format!("M DEFINITIONS ::= BEGIN {body} END"));
        if !found.iter().any(|error| error.hint.contains(paragraph)) || !found.iter().all(is_reasoned) {
            let all: Vec<String> = found.iter().map(|error| format!("{} ({})", error.message, error.hint)).collect();
            wrong.push(format!("{body}: not {paragraph}: {all:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_refusal_of_a_mutated_text_is_without_one() {
    let mut random = fastrand::Rng::with_seed(23);
    let mut count = 0;
    for text in TEXTS.into_iter().chain([CLASSES]) {
        assert!(errors(text).is_empty(), "{:?}", errors(text));
        let words: Vec<&str> = text.split_inclusive([' ', '\n', '{', '(', ',']).collect();
        for _ in 0..150 {
            let mut changed = words.clone();
            let (at, other) = (random.usize(..words.len()), random.usize(..words.len()));
            match random.u8(0..3) {
                0 => _ = changed.remove(at),
                1 => changed.swap(at, other),
                _ => changed.insert(at, words[other]),
            }
            let found = errors(&changed.concat());
            count += found.len();
            if let Some(error) = found.iter().find(|error| !is_reasoned(error)) {
                let at = error.at.range();
                panic!(
                    "{} ({}) {error:?} at {:?}",
                    error.message,
                    error.hint,
                    changed.concat().get(at.start.saturating_sub(40)..at.end + 40)
                );
            }
        }
    }
    assert!(count > 300, "{count}");
}
