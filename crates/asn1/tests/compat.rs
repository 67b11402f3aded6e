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
    let of = |finding: &&Finding| finding.message.split_once(": in ").is_none_or(|(_, encodings)| encodings.contains(encoding));
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
    // Old, new, then BER, PER, OER, JER and XER, each backward and forward: fine, warns, refused,
    // or `b` for broken in one of two ways.
    for (old, new, [ber, per, oer, jer, xer]) in [
        ("A ::= ENUMERATED { a, b }", "A ::= ENUMERATED { a, b, c }", ["FR", "bb", "FR", "FR", "FR"]),
        ("A ::= ENUMERATED { a, b, c }", "A ::= ENUMERATED { a, b, c, d }", ["FR", "FR", "FR", "FR", "FR"]),
        ("A ::= ENUMERATED { a, b, ... }", "A ::= ENUMERATED { a, b, ..., c }", ["FF", "FF", "FF", "FF", "FF"]),
        ("A ::= ENUMERATED { a, b }", "A ::= ENUMERATED { a, b, ... }", ["FF", "bb", "FF", "FF", "FF"]),
        ("A ::= ENUMERATED { a, b }", "A ::= ENUMERATED { a, x }", ["WW", "WW", "WW", "RR", "RR"]),
        ("A ::= SEQUENCE { n INTEGER (0..7) }", "A ::= SEQUENCE { n INTEGER (0..6) }", ["WF", "RF", "RF", "WF", "WF"]),
        ("A ::= SEQUENCE { n INTEGER (0..7) }", "A ::= SEQUENCE { n INTEGER (0..8) }", ["FW", "bb", "FR", "FW", "FW"]),
        ("A ::= SEQUENCE { n INTEGER (0..255) }", "A ::= SEQUENCE { n INTEGER (0..256) }", ["FW", "bb", "bb", "FW", "FW"]),
        ("A ::= SEQUENCE { n INTEGER }", "A ::= SEQUENCE { n INTEGER (0..8) }", ["WF", "bb", "bb", "WF", "WF"]),
        ("A ::= SEQUENCE { a NULL, ... }", "A ::= SEQUENCE { a NULL, b INTEGER OPTIONAL, ... }", ["FF", "bb", "bb", "FF", "FF"]),
        ("A ::= SEQUENCE { a NULL }", "A ::= SEQUENCE { a NULL, b INTEGER OPTIONAL }", ["FR", "bb", "bb", "FR", "FR"]),
        ("A ::= SEQUENCE { a NULL, ... }", "A ::= SEQUENCE { a NULL, ..., b INTEGER }", ["FF", "FF", "FF", "FF", "FF"]),
        ("A ::= SEQUENCE { a BOOLEAN }", "A ::= SEQUENCE { a BOOLEAN, ... }", ["FF", "bb", "bb", "FF", "FF"]),
        ("A ::= SEQUENCE { a NULL }", "A ::= SEQUENCE { a NULL, b INTEGER }", ["RR", "bb", "bb", "RR", "RR"]),
        ("A ::= SEQUENCE { a BOOLEAN }", "A ::= SEQUENCE { a BOOLEAN OPTIONAL }", ["FR", "bb", "bb", "FR", "FR"]),
        ("A ::= SEQUENCE { a BOOLEAN }", "A ::= SEQUENCE { x BOOLEAN }", ["WW", "WW", "WW", "RR", "RR"]),
        ("A ::= SET { a [0] BOOLEAN, b [1] INTEGER }", "A ::= SET { b [1] INTEGER, a [0] BOOLEAN }", ["FF", "FF", "FF", "FF", "FF"]),
        (
            "A ::= SEQUENCE { a [0] BOOLEAN, b [1] INTEGER }",
            "A ::= SEQUENCE { b [1] INTEGER, a [0] BOOLEAN }",
            ["RR", "bb", "bb", "FF", "RR"],
        ),
        ("A ::= SEQUENCE { a [0] BOOLEAN }", "A ::= SEQUENCE { a [1] BOOLEAN }", ["RR", "FF", "FF", "FF", "FF"]),
        ("A ::= CHOICE { a [0] NULL, b [1] INTEGER }", "A ::= CHOICE { a [0] NULL, b [2] INTEGER }", ["RR", "FF", "bb", "FF", "FF"]),
        ("A ::= CHOICE { a NULL }", "A ::= CHOICE { a NULL, b INTEGER }", ["FR", "bb", "FR", "FR", "FR"]),
        ("A ::= CHOICE { a NULL, ... }", "A ::= CHOICE { a NULL, ..., b INTEGER }", ["FF", "FF", "FF", "FF", "FF"]),
        ("A ::= CHOICE { a NULL, ... }", "A ::= CHOICE { a NULL, b INTEGER, ... }", ["FF", "bb", "Fb", "FF", "FF"]),
        ("A ::= CHOICE { a NULL, b INTEGER, ... }", "A ::= CHOICE { a NULL, ..., b INTEGER }", ["FF", "bb", "bb", "FF", "FF"]),
        ("A ::= CHOICE { a NULL }", "A ::= CHOICE { a NULL, ... }", ["FF", "bb", "FF", "FF", "FF"]),
        ("A ::= SEQUENCE OF INTEGER", "A ::= SEQUENCE (SIZE (0..3)) OF INTEGER", ["WF", "bb", "RF", "WF", "WF"]),
        ("A ::= SEQUENCE { o OCTET STRING (SIZE (4)) }", "A ::= SEQUENCE { o OCTET STRING (SIZE (4..5)) }", ["FW", "bb", "bb", "FW", "FW"]),
        (
            "A ::= SEQUENCE { t PrintableString }",
            "A ::= SEQUENCE { t PrintableString (FROM (\"0\"..\"9\")) }",
            ["WF", "bb", "WF", "WF", "WF"],
        ),
        ("A ::= SEQUENCE { a INTEGER DEFAULT 1 }", "A ::= SEQUENCE { a INTEGER DEFAULT 2 }", ["WW", "WW", "WW", "WW", "WW"]),
        (
            "A ::= SEQUENCE { b SEQUENCE OF B } B ::= BOOLEAN",
            "A ::= SEQUENCE { b SEQUENCE OF B } B ::= BOOLEAN",
            ["FF", "FF", "FF", "FF", "FF"],
        ),
        ("A ::= SEQUENCE OF B B ::= INTEGER", "A ::= SEQUENCE OF C C ::= INTEGER", ["FF", "FF", "FF", "FF", "RR"]),
        ("A ::= SEQUENCE OF B B ::= BOOLEAN", "A ::= SEQUENCE OF C C ::= BOOLEAN", ["FF", "FF", "FF", "FF", "FF"]),
        ("A ::= INTEGER { one(1), two(2) }", "A ::= INTEGER { one(1) }", ["FF", "FF", "FF", "FF", "FF"]),
        ("A ::= BIT STRING { one(1) }", "A ::= BIT STRING { one(2) }", ["FF", "FF", "FF", "FF", "FF"]),
        (
            "A ::= SEQUENCE { a [JER:NAME AS \"x\"] INTEGER }",
            "A ::= SEQUENCE { a [JER:NAME AS \"y\"] INTEGER }",
            ["FF", "FF", "FF", "RR", "FF"],
        ),
        ("A ::= SEQUENCE { a INTEGER }", "A ::= SEQUENCE { b [JER:NAME AS \"a\"] INTEGER }", ["WW", "WW", "WW", "WW", "RR"]),
        ("A ::= OCTET STRING (SIZE (4))", "A ::= [JER:BASE64] OCTET STRING (SIZE (4))", ["FF", "FF", "FF", "bb", "FF"]),
        ("A ::= ENUMERATED { a, b }", "A ::= [JER:TEXT b AS \"c\"] ENUMERATED { a, b }", ["FF", "FF", "FF", "RR", "FF"]),
        ("A ::= SEQUENCE { n INTEGER }", "A ::= SEQUENCE { n UTF8String }", ["bb", "bb", "bb", "bb", "bb"]),
    ] {
        let found = compare(old, new);
        for (encoding, expected) in [("BER", ber), ("PER", per), ("OER", oer), ("JER", jer), ("XER", xer)] {
            for ((effect, expected), direction) in effects(&found, encoding).into_iter().zip(expected.chars()).zip(Direction::ALL) {
                let right = match expected {
                    'F' => effect == F,
                    'W' => effect == W,
                    'R' => effect == R,
                    _ => effect.breaks(),
                };
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
    let ber = found.findings.iter().find(|finding| finding.message.contains("in BER, DER, CER")).expect("a finding");
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

#[test]
fn a_witness_of_oer_is_octets() {
    let found = compare("A ::= CHOICE { a [0] BOOLEAN, b [1] NULL }", "A ::= CHOICE { a [4] BOOLEAN, b [1] NULL }");
    let oer = found.findings.iter().find(|finding| finding.message.ends_with("in OER")).expect("a finding");
    assert_eq!((oer.kind, oer.path.as_str(), oer.backward.rule.map(|rule| rule.id)), ("tag_changed", "A.a", Some("octet-tags")));
    let witness = oer.backward.witness.as_ref().expect("a witness");
    assert_eq!((witness.bytes.as_slice(), witness.meant.as_str()), ([0x80, 0xff].as_slice(), "a true"));
    assert!(matches!(&witness.read, Reading::Refused(text) if text.contains("tag")), "{witness:?}");
    // Two octets become four: the reader takes the next ones.
    let found = compare("A ::= SEQUENCE { n INTEGER (0..65535) }", "A ::= SEQUENCE { n INTEGER (0..65536) }");
    let oer = found.findings.iter().find(|finding| finding.message.ends_with("in OER")).expect("a finding");
    assert_eq!(oer.forward.witness.as_ref().expect("a witness").bytes.len(), 4);
    assert!([&oer.backward, &oer.forward].iter().all(|outcome| outcome.rule.is_some_and(|rule| rule.id == "octet-range")));
}

#[test]
fn a_witness_of_xer_is_elements() {
    let witness = |old: &str, new: &str, kind: &str, direction: Direction| {
        let found = compare(old, new);
        let of_xer = |finding: &&Finding| finding.kind == kind && finding.message.contains("XER");
        let finding = found.findings.iter().find(of_xer).unwrap_or_else(|| panic!("{old} to {new}: {found:#?}"));
        let witness = finding.outcome(direction).witness.clone().unwrap_or_else(|| panic!("no witness: {finding:#?}"));
        (String::from_utf8(witness.bytes).expect("XER is text"), witness.read)
    };
    // A component has another name.
    let (old, new) = ("A ::= SEQUENCE { a BOOLEAN }", "A ::= SEQUENCE { x BOOLEAN }");
    let found = compare(old, new);
    let texts = found.findings.iter().find(|finding| finding.message.ends_with("in JER and XER")).expect("a finding");
    assert_eq!((texts.kind, texts.backward.rule.map(|rule| rule.section)), ("component_renamed", Some("X.697")));
    // A misread is shown in each encoding by itself: digits are a text too.
    let (old, new) = ("A ::= SEQUENCE { n INTEGER }", "A ::= SEQUENCE { n UTF8String }");
    let (text, read) = witness(old, new, "type_changed", Direction::Backward);
    assert_eq!((text.as_str(), read), ("<A><n>0</n></A>", Reading::As("{ n = \"0\" }".to_string())));
    // The type of a value in a string has another name, which its element has.
    let (old, new) = ("A ::= OCTET STRING (CONTAINING B) B ::= INTEGER", "A ::= OCTET STRING (CONTAINING C) C ::= INTEGER");
    let (text, read) = witness(old, new, "element_renamed", Direction::Forward);
    assert!(text == "<A><C>0</C></A>" && matches!(&read, Reading::Refused(text) if text.contains("<B>")), "{text} {read:?}");
    // The rule of an order that only some readers keep has no witness of ours.
    let found = compare("A ::= SEQUENCE { a [0] NULL, b [1] NULL }", "A ::= SEQUENCE { b [1] NULL, a [0] NULL }");
    let order =
        found.findings.iter().find(|finding| finding.kind == "order_changed" && finding.message.contains("XER")).expect("a finding");
    assert!(order.effect().breaks(), "{order:#?}");
}
