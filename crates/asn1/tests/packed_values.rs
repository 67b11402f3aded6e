//! Values that PER and OER write in ways of their own: times, floats, named bits, defaults behind
//! the marker; and what becomes of values outside of constraints.

use std::sync::Arc;

use polywire_asn1::Modules;
use polywire_asn1::per::{Per, Variant};
use polywire_asn1::walk::Plan;
use polywire_core::value::Value;
use polywire_core::{Budget, Field, Limits, Needs, Next, Note, Open, Reader, Result, Scalar, Sink, Span, Tree, Writer};

mod show;

use show::{bytes, hex};

fn per(assignments: &str, variant: Variant) -> Per {
    let mut modules = Modules::new();
    modules.add("m.asn", format!("M DEFINITIONS AUTOMATIC TAGS ::= BEGIN {assignments} END").as_bytes());
    let model = modules.resolve(&Limits::DEFAULT).unwrap_or_else(|found| panic!("{found}"));
    let ty = model.named("M", "T").expect("the type T");
    Per::new(Arc::new(Plan::new(Arc::new(model), ty).unwrap()), variant)
}

/// Sink that keeps the value and, if it inspects, the remarks.
struct Seen<'m> {
    tree: Tree<'m>,
    remarks: Option<Vec<String>>,
}

impl<'m> Sink<'m> for Seen<'m> {
    fn needs(&self) -> Needs {
        if self.remarks.is_some() { Needs::GUESSES } else { self.tree.needs() }
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.tree.open(open, at)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.tree.field(field, at)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.tree.scalar(value, at)
    }

    fn part(&mut self, part: polywire_core::Part<'_>, at: Span) -> Result<()> {
        self.tree.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.tree.close(at)
    }

    fn note(&mut self, note: Note<'_>, _: Span) -> Result<()> {
        if let (Some(remarks), Note::Meaning(text)) = (&mut self.remarks, note) {
            remarks.push(text.to_string());
        }
        Ok(())
    }
}

fn seen(per: &Per, message: &[u8], lenient: bool, inspects: bool) -> Result<(String, Vec<String>)> {
    let mut sink = Seen { tree: Tree::new(), remarks: inspects.then(Vec::new) };
    per.reader(lenient).walk(message, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT))?;
    let mut text = String::new();
    show::show(sink.tree.root().expect("a value"), &mut text);
    Ok((text, sink.remarks.unwrap_or_default()))
}

fn read(per: &Per, message: &str) -> Result<String> {
    seen(per, &bytes(&message.replace(' ', "")), false, false).map(|(text, _)| text)
}

fn write(per: &Per, value: &Value) -> Result<String> {
    let mut writer = per.writer();
    value.emit(&mut writer)?;
    let mut out = Vec::new();
    writer.finish(&mut out)?;
    Ok(hex(&out))
}

const PACKED: [Variant; 3] = [Variant::Unaligned, Variant::Aligned, Variant::CanonicalOctets];

#[test]
fn dates_and_times_are_those_of_a_judge() {
    // The bytes are asn1tools's.
    let of = "T ::= SEQUENCE { x BOOLEAN, d DATE, t TIME-OF-DAY, dt DATE-TIME }";
    for (year, wires) in [
        (2026, ["a0b5aa8bda0a2220a300", "a005ad545ed00511105180", "ff0207ea0b1b15053b0207ea0203040506"]),
        (2010, ["8b5aa8bd8a2220a300", "8b5aa8bd8a2220a300", "ff0207da0b1b15053b0207da0203040506"]),
        (1999, ["df55aa8bddf42220a300", "c0faad545ee0fa11105180", "ff0207cf0b1b15053b0207cf0203040506"]),
        (1600, ["e040c815aa8bde040c802220a300", "e0020640ad545ef002064011105180", "ff0206400b1b15053b0206400203040506"]),
        (2300, ["e0411f95aa8bde0411f82220a300", "e00208fcad545ef00208fc11105180", "ff0208fc0b1b15053b0208fc0203040506"]),
    ] {
        let value = Value::record([
            ("x", Value::Bool(true)),
            ("d", Value::text(format!("{year}-11-27"))),
            ("t", Value::text("21:05:59")),
            ("dt", Value::text(format!("{year}-02-03T04:05:06"))),
        ]);
        for (variant, wire) in PACKED.into_iter().zip(wires) {
            let per = per(of, variant);
            assert_eq!(write(&per, &value).unwrap(), wire, "{variant:?}");
            let shown = format!(r#"{{"x":true,"d":"{year}-11-27","t":"21:05:59","dt":"{year}-02-03T04:05:06"}}"#);
            assert_eq!(read(&per, wire).unwrap(), shown);
        }
    }
}

#[test]
fn durations_are_parts_with_a_preamble() {
    let [unaligned, aligned, octets] = PACKED.map(|variant| per("T ::= DURATION", variant));
    let long = format!("PT1.{:0>38}S", 7);
    let texts = ["P2Y10M15DT10H20M30S", "P5W", "P1M", "PT1M", "P0Y", "PT0.050S", "PT0.0S", "P100Y", "P1DT36H", "PT64S", long.as_str()];
    for text in texts {
        for per in [&unaligned, &aligned, &octets] {
            let wire = write(per, &Value::text(text)).unwrap();
            assert_eq!(read(per, &wire).unwrap(), format!("{text:?}"), "{wire}");
        }
    }
    // One part: its bit of the preamble, the marker's bit, and 6 bits; 5W is 0010 0000 | 0 000101.
    assert_eq!(write(&unaligned, &Value::text("P5W")).unwrap(), "200a");
    // Beyond the root: the marker's bit, then a length and octets.
    assert_eq!(write(&unaligned, &Value::text("P100Y")).unwrap(), "8080b200");
    assert_eq!(write(&octets, &Value::text("P100Y")).unwrap(), "800164");
    // 1.5 hours: one digit, which is 5.
    assert_eq!(write(&octets, &Value::text("PT1.5H")).unwrap(), "0901010101 0105".replace(' ', ""));
    for (wrong, error) in [("00", "without parts"), ("0100", "")] {
        let message = read(&octets, wrong).unwrap_err().to_string();
        assert!(message.contains(error), "{message}");
    }
    assert!(read(&octets, "09 0101 0101 010a").unwrap_err().to_string().contains("a fraction of 1 digits that is 10"));
    for wrong in ["P", "1Y", "P1YT", "P1S", "P1.5Y2M"] {
        let message = write(&unaligned, &Value::text(wrong)).unwrap_err().to_string();
        assert!(message.contains("DURATION"), "{wrong}: {message}");
    }
    let date = per("T ::= DATE", Variant::Octets);
    assert!(write(&date, &Value::text("2026-13-01")).unwrap_err().to_string().contains("1 to 12"));
    assert!(read(&date, "0207ea 0d 01").unwrap_err().to_string().contains("the number 13"));
    assert!(read(&date, "022711 01 01").unwrap_err().to_string().contains("the year 10001"));
    let time = per("T ::= TIME", Variant::Unaligned);
    assert!(read(&time, "00").unwrap_err().to_string().contains("BER, DER and CER have"));
    assert!(write(&time, &Value::text("x")).unwrap_err().to_string().contains("a value of TIME"));
}

#[test]
fn floats_of_oer_follow_the_constraint() {
    let single = "REAL (WITH COMPONENTS { mantissa (-16777215..16777215), base (2), exponent (-149..104) })";
    let double = "REAL (WITH COMPONENTS { ..., mantissa (-9007199254740991..9007199254740991), base (2), exponent (-1074..971) })";
    for (of, wire) in [
        (single.to_string(), "3fc00000"),
        (double.to_string(), "3ff8000000000000"),
        // Zero beside them, as Interledger has it, a reference, and narrower bounds.
        (single.replace("(WITH", "(0 | WITH"), "3fc00000"),
        (format!("Half Half ::= {single}"), "3fc00000"),
        (
            "Half (WITH COMPONENTS { ..., mantissa (0..100) }) Half ::= REAL (WITH COMPONENTS { ..., base (2), exponent (0..9) })".into(),
            "3fc00000",
        ),
        // One bound missing, too wide, another base, or a marker: as X.690 has it.
        (single.replace(", base (2)", ""), "0380ff03"),
        (single.replace("-149", "-150"), "3ff8000000000000"),
        (double.replace("-1074", "-1075"), "0380ff03"),
        (single.replace("(2)", "(2 | 10)"), "0380ff03"),
        (single.replace("(-149..104)", "(-149..104, ...)"), "0380ff03"),
        (single.replace("104) })", "104) }, ...)"), "0380ff03"),
        ("REAL".into(), "0380ff03"),
    ] {
        for variant in [Variant::Octets, Variant::CanonicalOctets] {
            let per = per(&format!("T ::= {of}"), variant);
            assert_eq!(write(&per, &Value::F64(1.5)).unwrap(), wire, "{of}");
            assert_eq!(read(&per, wire).unwrap(), "1.5", "{of}");
        }
        // PER writes what X.690 does, whatever the constraint.
        assert_eq!(write(&per(&format!("T ::= {of}"), Variant::Unaligned), &Value::F64(1.5)).unwrap(), "0380ff03");
    }
    let half = per(&format!("T ::= {single}"), Variant::Octets);
    for (text, wire) in [("NaN", "7fc00000"), ("-INF", "ff800000"), ("-0", "80000000")] {
        assert_eq!(write(&half, &Value::text(text)).unwrap(), wire);
    }
    let mut writer = half.writer();
    Value::F64(0.1).emit(&mut writer).unwrap();
    let mut out = Vec::new();
    writer.finish(&mut out).unwrap();
    assert_eq!((hex(&out).as_str(), writer.losses().len()), ("3dcccccd", 1));
}

#[test]
fn named_bits_are_as_few_as_the_size_allows() {
    let of = "T ::= BIT STRING { p(0), q(3), z(8) } (SIZE (2..4, ...))";
    let [unaligned, _, octets] = PACKED.map(|variant| per(of, variant));
    let bits = |names: &[&str]| Value::List(names.iter().map(|name| Value::text(*name)).collect());
    // Marker, two bits of the size, then the bits; beyond the root a length of its own. OER knows
    // no size with a marker.
    for (names, wire, in_octets) in
        [(&[][..], "00", "0100"), (&["p"], "10", "020780"), (&["q"], "42", "020410"), (&["p", "q", "z"], "84c840", "03079080")]
    {
        assert_eq!(write(&unaligned, &bits(names)).unwrap(), wire, "{names:?}");
        assert_eq!(write(&octets, &bits(names)).unwrap(), in_octets, "{names:?}");
        let shown = format!("[{}]", names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(","));
        assert_eq!(read(&unaligned, wire).unwrap(), shown);
        assert_eq!(read(&octets, in_octets).unwrap(), shown);
    }
}

#[test]
fn canonical_oer_refuses_defaults_behind_the_marker() {
    let of = "T ::= SEQUENCE { ..., n INTEGER (0..9) DEFAULT 4, s OCTET STRING DEFAULT '0102'H, [[ b BOOLEAN DEFAULT TRUE, z NULL ]] }";
    let [basic, canonical] = [Variant::Octets, Variant::CanonicalOctets].map(|variant| per(of, variant));
    let plain = "80 0205 80 01 05";
    for message in [plain, "80 0205 40 03 020103", "80 0205 c0 01 05 03 020103"] {
        assert_eq!(read(&canonical, message).unwrap(), read(&basic, message).unwrap());
    }
    assert_eq!(read(&canonical, plain).unwrap(), r#"{"n":5}"#);
    for message in ["80 0205 80 01 04", "80 0205 80 8101 04", "80 0205 40 03 020102", "80 0205 20 02 80 ff"] {
        assert!(read(&basic, message).is_ok(), "{message}");
        let error = read(&canonical, message).unwrap_err().to_string();
        assert!(error.contains("X.696 16.3") || error.contains("X.696 8.6.5"), "{message}: {error}");
    }
    let value = Value::record([("n", Value::int(4)), ("s", Value::Bytes(vec![1, 2]))]);
    assert_eq!(write(&basic, &value).unwrap(), "00");
}

#[test]
fn values_outside_of_constraints_are_refused_or_remarked() {
    let of = "T ::= SEQUENCE { row INTEGER (1..40), low INTEGER (MIN..9), far INTEGER (5..MAX), name IA5String (SIZE (1..3)) (FROM (\"a\"..\"z\")), \
        code OCTET STRING (SIZE (2..3)), all SEQUENCE (SIZE (2)) OF NULL, fixed VisibleString (SIZE (2)) (FROM (\"a\"..\"z\")) }";
    let oer = per(of, Variant::Octets);
    let message = bytes("32010a01020461626341010101034161");
    let expected = [
        "the number 50 is outside of the module's 1 to 40",
        "a greater number is outside of the module's MIN to 9",
        "the number 2 is outside of the module's 5 to MAX",
        "a size of 4 is outside of the module's 1 to 3",
        "a size of 1 is outside of the module's 2 to 3",
        "a size of 3 is outside of the module's 2 to 2",
        "the character 'A' is outside of the module's a character of the permitted alphabet",
    ];
    let (shown, remarks) = seen(&oer, &message, true, true).unwrap();
    assert_eq!(remarks, expected);
    assert_eq!(shown, r#"{"row":50,"low":10,"far":2,"name":"abcA","code":"0x01","all":[null,null,null],"fixed":"Aa"}"#);
    // A conversion gets the same values without a word, and by default an error.
    assert_eq!(seen(&oer, &message, true, false).unwrap(), (shown, Vec::new()));
    assert!(seen(&oer, &message, false, false).unwrap_err().to_string().contains("1 to 40, saw the number 50"));
    for (value, error) in [("abcd", "a size of 4"), ("aB", "'B'")] {
        let text = per("T ::= IA5String (SIZE (1..3)) (FROM (\"a\"..\"z\"))", Variant::Octets);
        assert!(write(&text, &Value::text(value)).unwrap_err().to_string().contains(error));
    }
    let uper = per("T ::= SEQUENCE { row INTEGER (1..40), more VisibleString (FROM (\" \"..\"}\")) }", Variant::Unaligned);
    // 6 bits of 63, a length of 1, and `~` in 7 bits.
    let message = bytes("fc07f0");
    let (shown, remarks) = seen(&uper, &message, true, true).unwrap();
    assert_eq!(shown, r#"{"row":64,"more":"~"}"#);
    let expected =
        ["the number 64 is outside of the module's 1 to 40", "the character U+007E is outside of the module's permitted characters"];
    assert_eq!(remarks, expected);
    assert!(seen(&uper, &message, false, true).is_err());
}
