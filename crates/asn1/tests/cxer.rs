//! Canonical XER: one text of each value, and the rule of each other one.

use std::sync::Arc;

use polywire_asn1::xer::{Checks, Xer};
use polywire_core::walk::{Indent, Layout};
use polywire_core::{Budget, Limits, Reader, Result, Sink, Tree, Writer};

mod plainly;

use plainly::{Plainly, plan, resolved};

const PACKED: &str = include_str!("../../../testdata/asn1/Packed.asn");
const VECTORS: &str = include_str!("../../../testdata/asn1/packed-xer.txt");

/// Prepares a type of assignments for both rules.
fn module(assignments: &str) -> [Xer; 2] {
    let plan = plan(&resolved(&format!("M DEFINITIONS AUTOMATIC TAGS ::= BEGIN {assignments} END")), "A");
    [Xer::new(Arc::clone(&plan)), Xer::canonical(plan)]
}

fn walk<'m>(xer: &Xer, text: &'m str, sink: &mut dyn Sink<'m>) -> Result<()> {
    xer.reader(Checks::Remark).walk(text.as_bytes(), 0, sink, &mut Budget::new(&Limits::DEFAULT))
}

fn through(xer: &Xer, text: &str, writer: &mut dyn Writer) -> Result<String> {
    let mut out = Vec::new();
    let mut sink = Plainly(writer);
    walk(xer, text, &mut sink)?;
    writer.finish(&mut out)?;
    Ok(String::from_utf8(out).unwrap())
}

#[test]
fn a_value_has_one_text() {
    for (assignments, text, one) in [
        ("A ::= UTF8String", "<?xml version=\"1.0\"?><A><![CDATA[<]]>&#98;&gt;<nul/></A>", "<A>&lt;b&gt;<nul/></A>"),
        ("A ::= UTF8String", "<A></A>", "<A/>"),
        ("A ::= IA5String", "<A>a&#13;b</A>", "<A>a\rb</A>"),
        ("A ::= INTEGER { one(1) }", "<A> <one/> </A>", "<A>1</A>"),
        ("A ::= BIT STRING { a(0), c(9) }", "<A>10 000</A>", "<A>1</A>"),
        ("A ::= BIT STRING { a(0) } (SIZE (3..9))", "<A>10000</A>", "<A>100</A>"),
        ("A ::= BIT STRING", "<A>1 0\n0</A>", "<A>100</A>"),
        ("A ::= OCTET STRING", "<A> 0a Fb </A>", "<A>0AFB</A>"),
        ("A ::= REAL", "<A>1500.0</A>", "<A>1.5E3</A>"),
        ("A ::= REAL", "<A>-0.000012</A>", "<A>-1.2E-5</A>"),
        ("A ::= REAL", "<A>0.0</A>", "<A>0</A>"),
        ("A ::= REAL", "<A>0.1000000000000000000001</A>", "<A>1.000000000000000000001E-1</A>"),
        ("A ::= REAL", "<A> <PLUS-INFINITY/> </A>", "<A><PLUS-INFINITY/></A>"),
        ("A ::= GeneralizedTime", "<A>20200102030405.50Z</A>", "<A>20200102030405.5Z</A>"),
        ("A ::= UTCTime", "<A>2001020304Z</A>", "<A>200102030400Z</A>"),
        ("A ::= SEQUENCE { a NULL, b BOOLEAN }", "<A>\n<b><true/></b><a></a></A>", "<A><a/><b><true/></b></A>"),
        // A default is there, and what it has below it.
        ("A ::= SEQUENCE { a INTEGER DEFAULT 5, b NULL OPTIONAL }", "<A/>", "<A><a>5</a></A>"),
        (
            "A ::= SEQUENCE { b B DEFAULT {} } B ::= SEQUENCE { a ENUMERATED { x, y } DEFAULT y, l SEQUENCE OF BOOLEAN DEFAULT { TRUE } }",
            "<A/>",
            "<A><b><a><y/></a><l><true/></l></b></A>",
        ),
        // Components of a SET stand in the order of their tags, a choice by its lowest one, and
        // additions behind them.
        (
            "A ::= SET { a [3] NULL, b CHOICE { x [2] NULL, y [9] NULL }, c [APPLICATION 7] NULL, d [PRIVATE 0] NULL, ..., z [0] NULL }",
            "<A><a/><b><y/></b><c/><d/><z/></A>",
            "<A><c/><b><y/></b><a/><d/><z/></A>",
        ),
        // Elements are sorted with their tags, so that a digit comes before `<`.
        (
            "A ::= SET OF INTEGER",
            "<A><INTEGER>9</INTEGER><x>10</x><x>1</x></A>",
            "<A><INTEGER>10</INTEGER><INTEGER>1</INTEGER><INTEGER>9</INTEGER></A>",
        ),
        ("A ::= SEQUENCE OF INTEGER", "<A><x>9</x><x>1</x></A>", "<A><INTEGER>9</INTEGER><INTEGER>1</INTEGER></A>"),
    ] {
        let [basic, canonical] = module(assignments);
        let written = through(&basic, text, &mut canonical.writer()).unwrap_or_else(|error| panic!("{assignments} {text}: {error}"));
        assert_eq!(written, one, "{assignments}");
        assert!(walk(&canonical, text, &mut Tree::new()).is_err(), "{assignments}: {text} is canonical");
        for mut writer in [canonical.writer(), canonical.relay()] {
            assert_eq!(through(&canonical, one, &mut writer).unwrap_or_else(|error| panic!("{assignments} {one}: {error}")), one);
        }
    }
}

/// All values of a judge have a canonical text, which means the same and is read alone.
#[test]
fn values_of_a_judge_have_their_text() {
    let model = resolved(PACKED);
    let mut count = 0;
    for line in VECTORS.lines().filter(|line| !line.starts_with('#')) {
        let [name, text, ..] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let plan = plan(&model, name);
        let (basic, canonical) = (Xer::new(Arc::clone(&plan)), Xer::canonical(plan));
        let one = match through(&basic, text, &mut canonical.writer()) {
            Ok(one) => one,
            // Digits of octets for an open type have no canonical text.
            Err(error) if error.to_string().contains("bytes of another encoding") => continue,
            Err(error) => panic!("{line}: {error}"),
        };
        assert_eq!(through(&canonical, &one, &mut canonical.writer()).unwrap_or_else(|error| panic!("{one}: {error}")), one);
        // Basic rules read it too.
        assert_eq!(through(&basic, &one, &mut canonical.writer()).unwrap(), one, "{line}");
        count += 1;
    }
    assert!(count > 200, "{count}");
}

#[test]
fn other_texts_are_refused_with_the_rule() {
    let [_, canonical] = module(
        "A ::= SEQUENCE { a INTEGER DEFAULT 5, b BIT STRING { x(0) } OPTIONAL, o OCTET STRING OPTIONAL, r REAL OPTIONAL,
            l SET OF INTEGER OPTIONAL, s SET { p NULL OPTIONAL, q NULL OPTIONAL } OPTIONAL, t UTF8String OPTIONAL,
            g GeneralizedTime OPTIONAL, z NULL OPTIONAL, n SEQUENCE OF INTEGER OPTIONAL }",
    );
    let mut wrong = Vec::new();
    for (text, place, rule) in [
        ("<?xml version=\"1.0\"?><A><a>5</a></A>", 1, "9.1.1"),
        ("<A><a>5</a><!-- x --></A>", 12, "9.1.1"),
        ("<A> <a>5</a></A>", 3, "9.1.2"),
        ("<A><a>5</a></A >", 14, "9.1.2"),
        ("<A><a>5</a><t>&#65;</t></A>", 14, "9.1.3"),
        ("<A><a>5</a><t>&#38;</t></A>", 15, "9.1.3"),
        ("<A><a>5</a><z></z></A>", 13, "9.1.4"),
        ("<A/>", 2, "9.5"),
        ("<A><z/><a>5</a></A>", 4, "9.5"),
        ("<A><a>5</a><r>1.50E0</r></A>", 17, "9.2"),
        ("<A><a>5</a><b>10</b></A>", 15, "9.3"),
        ("<A><a>5</a><o>0a</o></A>", 15, "9.4"),
        ("<A><a>5</a><s><q/><p/></s></A>", 15, "9.6"),
        ("<A><a>5</a><l><INTEGER>2</INTEGER><INTEGER>1</INTEGER></l></A>", 23, "9.7"),
        ("<A><a>5</a><n><x>2</x></n></A>", 15, "name of their type"),
        ("<A><a>5</a><g>202001020304Z</g></A>", 26, "9.10"),
    ] {
        let error = match walk(&canonical, text, &mut Tree::new()) {
            Ok(()) => panic!("{text} is read"),
            Err(error) => error,
        };
        if (error.offset(), error.format()) != (Some(place), Some("asn1-cxer")) || !error.to_string().contains(rule) {
            wrong.push(format!("{text} (at {place}, {rule}): {error}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let mut writer = canonical.writer();
    assert!(!writer.lay_out(&Layout::COMPACT.with_indent(Some(Indent::Spaces(2)))) && writer.lay_out(&Layout::COMPACT));
}

#[test]
fn values_without_a_canonical_text_are_errors() {
    for (assignments, text, words) in [
        ("A ::= UTF8String", "<A>&#xFFFF;</A>", "a character that XML does not have"),
        ("A ::= GeneralizedTime", "<A>20200102030405.5</A>", "a time in UTC"),
        ("A ::= SEQUENCE { a ANY }", "<A><a>0500</a></A>", "bytes of another encoding"),
        ("A ::= SEQUENCE { a INTEGER DEFAULT n }", "<A/>", "a default that is known"),
    ] {
        let text_of = format!("M DEFINITIONS AUTOMATIC TAGS ::= BEGIN IMPORTS n FROM Elsewhere; {assignments} END");
        let plan = plan(&resolved(&text_of), "A");
        let (basic, canonical) = (Xer::new(Arc::clone(&plan)), Xer::canonical(plan));
        let error = through(&basic, text, &mut canonical.writer()).expect_err(assignments);
        assert!(error.to_string().contains(words), "{assignments}: {error}");
    }
}

#[test]
fn parts_of_other_versions_are_read() {
    let [_, canonical] = module("A ::= SEQUENCE { a NULL, ..., b INTEGER DEFAULT 5 }");
    // A sender of an earlier version has no additions, one of a later version has more.
    for text in ["<A><a/></A>", "<A><a/><b>5</b></A>", "<A><a/><b>5</b><c><x>1</x></c></A>"] {
        assert_eq!(through(&canonical, text, &mut canonical.relay()).unwrap(), text);
    }
    assert_eq!(through(&canonical, "<A><a/></A>", &mut canonical.writer()).unwrap(), "<A><a/><b>5</b></A>");
}

#[test]
fn mutated_messages_break_nothing() {
    let model = resolved(PACKED);
    let mut random = fastrand::Rng::with_seed(7);
    let signs: Vec<u8> = b"<>/&;!-[]?01aeE. \r".to_vec();
    let limits = Limits::DEFAULT.with_depth(100).with_decoded(1 << 20);
    for line in VECTORS.lines().filter(|line| !line.starts_with('#')) {
        let [name, text, ..] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let plan = plan(&model, name);
        let canonical = Xer::canonical(Arc::clone(&plan));
        let Ok(one) = through(&Xer::new(plan), text, &mut canonical.writer()) else { continue };
        let (mut reader, mut relay) = (canonical.reader(Checks::Remark), canonical.relay());
        for _ in 0..30 {
            let mut bad = one.clone().into_bytes();
            for _ in 0..random.usize(1..4) {
                let at = random.usize(..bad.len());
                match random.u8(..3) {
                    0 => bad[at] = signs[random.usize(..signs.len())],
                    1 if bad.len() > 1 => drop(bad.remove(at)),
                    _ => bad.insert(at, signs[random.usize(..signs.len())]),
                }
            }
            relay.reset();
            // A message that is read is canonical: a relay writes the same bytes.
            if reader.walk(&bad, 0, &mut relay, &mut Budget::new(&limits)).is_ok() {
                let mut out = Vec::new();
                relay.finish(&mut out).expect("what was read is written");
                assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(&bad), "{name}");
                let _ = relay.losses();
            }
        }
    }
}
