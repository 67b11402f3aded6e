//! Compatibility of two versions, by encoding rule, with witnesses.

use polywire_asn1::language::Asn1;
use polywire_core::schema::language::{Comparison, Direction, Effect, Finding, Reading, SchemaLanguage, SchemaText, Version};
use polywire_core::text::sources::NoFiles;

fn compare(old: &str, new: &str) -> Comparison {
    let module = |body: &str| format!("M DEFINITIONS AUTOMATIC TAGS ::= BEGIN {body} END");
    let (old, new) = (module(old), module(new));
    let text = |bytes| SchemaText { name: "m.asn", bytes, identity: "" };
    let version = |bytes, files| Version { text: text(bytes), files };
    let rules = Asn1.compatibility().expect("ASN.1 has rules");
    let found = rules.compare(version(old.as_bytes(), &mut NoFiles), version(new.as_bytes(), &mut NoFiles), None);
    found.unwrap_or_else(|found| panic!("{found}"))
}

/// Effects of all findings of an encoding, backward and forward, the worst of each.
fn effects(found: &Comparison, encoding: &str) -> [Effect; 2] {
    let other = if encoding == "PER" { ": in BER" } else { ": in PER" };
    let of = |finding: &&Finding| !finding.message.contains(other);
    Direction::ALL.map(|direction| {
        let all = found.findings.iter().filter(of).map(|finding| finding.outcome(direction).effect);
        all.max().unwrap_or(Effect::Fine)
    })
}

const F: Effect = Effect::Fine;
const W: Effect = Effect::Warns;
const R: Effect = Effect::Refused;

#[test]
fn a_change_means_something_else_in_each_encoding() {
    // Old, new, then BER and PER, each backward and forward. `None`: broken in one of two ways.
    let broken = None;
    let some = Some;
    for (old, new, ber, per) in [
        ("A ::= ENUMERATED { a, b }", "A ::= ENUMERATED { a, b, c }", [some(F), some(R)], [broken, broken]),
        ("A ::= ENUMERATED { a, b, c }", "A ::= ENUMERATED { a, b, c, d }", [some(F), some(R)], [some(F), some(R)]),
        ("A ::= ENUMERATED { a, b, ... }", "A ::= ENUMERATED { a, b, ..., c }", [some(F), some(F)], [some(F), some(F)]),
        ("A ::= ENUMERATED { a, b }", "A ::= ENUMERATED { a, b, ... }", [some(F), some(F)], [broken, broken]),
        ("A ::= ENUMERATED { a, b }", "A ::= ENUMERATED { a, x }", [some(W), some(W)], [some(W), some(W)]),
        ("A ::= SEQUENCE { n INTEGER (0..7) }", "A ::= SEQUENCE { n INTEGER (0..6) }", [some(W), some(F)], [some(R), some(F)]),
        ("A ::= SEQUENCE { n INTEGER (0..7) }", "A ::= SEQUENCE { n INTEGER (0..8) }", [some(F), some(W)], [broken, broken]),
        ("A ::= SEQUENCE { n INTEGER }", "A ::= SEQUENCE { n INTEGER (0..8) }", [some(W), some(F)], [broken, broken]),
        ("A ::= SEQUENCE { a NULL, ... }", "A ::= SEQUENCE { a NULL, b INTEGER OPTIONAL, ... }", [some(F), some(F)], [broken, broken]),
        ("A ::= SEQUENCE { a NULL }", "A ::= SEQUENCE { a NULL, b INTEGER OPTIONAL }", [some(F), some(R)], [broken, broken]),
        ("A ::= SEQUENCE { a NULL, ... }", "A ::= SEQUENCE { a NULL, ..., b INTEGER }", [some(F), some(F)], [some(F), some(F)]),
        ("A ::= SEQUENCE { a NULL }", "A ::= SEQUENCE { a NULL, b INTEGER }", [some(R), some(R)], [broken, broken]),
        ("A ::= SEQUENCE { a BOOLEAN }", "A ::= SEQUENCE { a BOOLEAN OPTIONAL }", [some(F), some(R)], [broken, broken]),
        ("A ::= SEQUENCE { a BOOLEAN }", "A ::= SEQUENCE { x BOOLEAN }", [some(W), some(W)], [some(W), some(W)]),
        (
            "A ::= SET { a [0] BOOLEAN, b [1] INTEGER }",
            "A ::= SET { b [1] INTEGER, a [0] BOOLEAN }",
            [some(F), some(F)],
            [some(F), some(F)],
        ),
        (
            "A ::= SEQUENCE { a [0] BOOLEAN, b [1] INTEGER }",
            "A ::= SEQUENCE { b [1] INTEGER, a [0] BOOLEAN }",
            [some(R), some(R)],
            [broken, broken],
        ),
        ("A ::= SEQUENCE { a [0] BOOLEAN }", "A ::= SEQUENCE { a [1] BOOLEAN }", [some(R), some(R)], [some(F), some(F)]),
        ("A ::= CHOICE { a NULL }", "A ::= CHOICE { a NULL, b INTEGER }", [some(F), some(R)], [broken, broken]),
        ("A ::= CHOICE { a NULL, ... }", "A ::= CHOICE { a NULL, ..., b INTEGER }", [some(F), some(F)], [some(F), some(F)]),
        ("A ::= SEQUENCE OF INTEGER", "A ::= SEQUENCE (SIZE (0..3)) OF INTEGER", [some(W), some(F)], [broken, broken]),
        (
            "A ::= SEQUENCE { t PrintableString }",
            "A ::= SEQUENCE { t PrintableString (FROM (\"0\"..\"9\")) }",
            [some(W), some(F)],
            [broken, broken],
        ),
        ("A ::= SEQUENCE { a INTEGER DEFAULT 1 }", "A ::= SEQUENCE { a INTEGER DEFAULT 2 }", [some(W), some(W)], [some(W), some(W)]),
        (
            "A ::= SEQUENCE { b SEQUENCE OF B } B ::= BOOLEAN",
            "A ::= SEQUENCE { b SEQUENCE OF B } B ::= BOOLEAN",
            [some(F), some(F)],
            [some(F), some(F)],
        ),
    ] {
        let found = compare(old, new);
        for (encoding, expected) in [("BER", ber), ("PER", per)] {
            for ((effect, expected), direction) in effects(&found, encoding).into_iter().zip(expected).zip(Direction::ALL) {
                let right = expected.map_or(effect.breaks(), |expected| effect == expected);
                assert!(right, "{old} to {new}: {encoding} {}: {effect:?}, {found:#?}", direction.name());
            }
        }
    }
}

#[test]
fn a_witness_is_read_by_the_other_version() {
    let found = compare("A ::= SEQUENCE { s ENUMERATED { a, b }, t BOOLEAN }", "A ::= SEQUENCE { s ENUMERATED { a, b, c }, t BOOLEAN }");
    let per = found.findings.iter().find(|finding| finding.message.ends_with("in PER")).expect("a finding");
    assert_eq!((per.kind, per.path.as_str()), ("enumerator_added", "A.s"));
    // One bit for `b`, then `t`: with two bits for `s`, the reader takes both for `c`'s neighbour.
    let witness = per.backward.witness.as_ref().expect("a witness");
    assert_eq!((witness.bytes.as_slice(), witness.meant.as_str()), ([0b1100_0000].as_slice(), "{ s = \"b\", t = true }"));
    assert!(matches!(&witness.read, Reading::Refused(text) if text.contains("enumerator")), "{witness:?}");
    let ber = found.findings.iter().find(|finding| finding.message.ends_with("DER and CER")).expect("a finding");
    let witness = ber.forward.witness.as_ref().expect("a witness");
    assert_eq!(witness.bytes, [0x30, 6, 0x80, 1, 2, 0x81, 1, 0xff]);
}

#[test]
fn types_come_and_go_and_tables_grow() {
    let found = compare("A ::= INTEGER", "B ::= INTEGER");
    let kinds: Vec<&str> = found.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, ["type_added", "type_removed"]);
    assert_eq!([found.effect(Direction::Backward), found.effect(Direction::Forward)], [R, F]);
    let table = |rows: &str, one: &str| {
        format!(
            "C ::= CLASS {{ &id INTEGER UNIQUE, &Type }} WITH SYNTAX {{ &Type ID &id }}
             Set C ::= {{ {rows} }} One ::= SEQUENCE {{ n {one} }}
             A ::= SEQUENCE {{ id C.&id ({{Set}}), body C.&Type ({{Set}}{{@id}}) }}"
        )
    };
    let found = compare(&table("{One ID 1}, ...", "BOOLEAN"), &table("{One ID 1} | {BOOLEAN ID 2}, ...", "INTEGER"));
    let kinds: Vec<(&str, &str)> = found.findings.iter().map(|finding| (finding.kind, finding.path.as_str())).collect();
    assert!(kinds.contains(&("row_added", "A.body")) && kinds.contains(&("type_changed", "A.body<One>.n")), "{kinds:?}");
    assert!(found.findings.iter().all(|finding| finding.kind != "row_added" || finding.effect() == F));
}
