//! The dictionary language: all mistakes in one run, one layout, both ways to the common schema,
//! and reading piece by piece.

use std::sync::Arc;

use polywire_core::schema::language::{SchemaLanguage, SchemaReader, SchemaText};
use polywire_core::text::sources::NoFiles;
use polywire_core::value::{Value, ValueSink};
use polywire_core::{Budget, Field, Frame, Limits, Next, Note, Open, Part, Reader, Result, Scalar, Sink, Span, Writer};
use polywire_usds::dictionary::Dictionary;
use polywire_usds::document::Form;
use polywire_usds::error::Revision;
use polywire_usds::language::Usds;
use polywire_usds::plan::Plan;
use polywire_usds::walk::{UsdsReader, UsdsWriter};

fn text(bytes: &str) -> SchemaText<'_> {
    SchemaText { name: "d.udic", bytes: bytes.as_bytes(), identity: "" }
}

/// Numbers of all findings, each with its line and column.
fn found(bytes: &str) -> Vec<String> {
    let found = Dictionary::parse("d", bytes.as_bytes()).expect_err("it has mistakes");
    found.findings.iter().map(|finding| format!("{} {}", finding.get("usds").unwrap_or("-"), found.position(finding.at))).collect()
}

#[test]
fn all_mistakes_are_told_in_one_run() {
    let a = "USDS DICTIONARY ID=1 v.1.300 {\n1: STRUCT P { 1: INT a 2: LONG b; 3: LONG a; 0: INT c; }\n2: STRUCT P { 1: ARRAY<Q> x; } }";
    assert_eq!(found(a), ["5001 d:1:26", "4001 d:2:24", "6002 d:2:46", "5004 d:3:11"]);
    let b = "USDS B {\n INT a\n LONG b;\n ENUM<ULONG> e { x = 1, y = 1 };\n BYTE c; BYTE c;\n N { BYTE v = 200; SHORT w = 1 2; };\n}";
    assert_eq!(found(b), ["4001 d:3:2", "30007 d:4:7", "30004 d:4:29", "5004 d:5:15", "202 d:6:15", "4001 d:6:32"]);
    // Errors that discard the whole text come last.
    assert_eq!(found("USDS B { N { Leaf a; Twig b; }; <N || i> p; INT i; }"), ["26001 d:1:14", "26001 d:1:22"]);
    assert_eq!(found("USDS B { A { B b; }; B { C { A a; }; }; D { D d = NULL; E[] e; }; E { D d; }; }"), ["6011 d:1:30"]);
    assert_eq!(found("USDS B { S { INT a; }; <S || P> P; }"), ["32006 d:1:30"]);
    assert_eq!(found("USDS B { 1: S { 1: INT a; 1: INT b; 3: INT c; }; }"), ["6003 d:1:47"]);
    assert_eq!(found("USDS B { 1: S { 1: INT a; 4: INT b; }; }"), ["6002 d:1:37"]);
    assert_eq!(found("USDS B { INT128 a; }"), ["22001 d:1:10"]);
    assert_eq!(found("USDS B ENUMERATOR: DOUBLE { INT a; }"), ["201 d:1:20"]);
    assert_eq!(found("USDS B { S { ENUM e { a, b } = c; }; }"), ["30010 d:1:32"]);
    assert_eq!(found("# no comments\nUSDS B { INT a; }"), ["4001 d:1:1"]);
    // Nesting is bounded, and deep text does no harm.
    let deep = format!("USDS B {{ {} INT a; {} }}", "S { ".repeat(5000), "}; ".repeat(5000));
    assert_eq!(found(&deep), ["- d:1:412"]);
}

#[test]
fn texts_have_one_layout() {
    let untidy = "USDS DICTIONARY   ID =7 v. 1.02{1:STRUCT P{2:STRING b;1: ARRAY < P > a ;}RESTRICT{root=false;}}";
    let tidy = Usds.format(&text(untidy)).expect("it is right");
    assert_eq!(
        tidy,
        "USDS DICTIONARY ID=7 v.1.2 {\n    1: STRUCT P {\n        2: STRING b;\n        1: ARRAY<P> a;\n    } RESTRICT { notRoot; }\n}\n"
    );
    assert_eq!(Usds.format(&text(&tidy)).as_ref(), Ok(&tidy));
    let untidy = "\u{feff}USDS N 1 . 2 ENCODE : UTF-8 ENUMERATOR:BYTE{S{DOUBLE d=-.5e3;STRING s=\"a\\\"\";ENUM e{x,y=-4}=y;T[][]t=NULL;};T{<S||T>[]p;};}";
    let tidy = Usds.format(&text(untidy)).expect("it is right");
    let expected = [
        "USDS N 1.2 ENCODE: UTF-8 ENUMERATOR: BYTE {",
        "    S {",
        "        DOUBLE d = -.5e3;",
        "        STRING s = \"a\\\"\";",
        "        ENUM e { x, y = -4 } = y;",
        "        T[][] t = NULL;",
        "    };",
        "",
        "    T {",
        "        <S || T>[] p;",
        "    };",
        "}",
        "",
    ];
    assert_eq!(tidy, expected.join("\n"));
    assert_eq!(Dictionary::parse("d", tidy.as_bytes()), Dictionary::parse("d", untidy.as_bytes()));
}

#[test]
fn schemas_come_back() {
    let source = "USDS 9: N 1.0 { S { INT a; UVARINT u; VARINT v = -3; STRING<UTF-8> s = NULL; ENUM e { x, y }; <S || T> p = NULL; T[] t; }; T { LONG l; FLOAT f; }; }";
    let read = Usds.read(&text(source), &mut NoFiles).unwrap_or_else(|found| panic!("{found}"));
    read.schema.check().expect("it is sound");
    assert!(read.losses.iter().any(|loss| loss.what.contains("9 v1.0")), "{:?}", read.losses);
    let (written, _) = Usds.write(&read.schema).expect("it was a dictionary");
    let again = Dictionary::parse("again", written.as_bytes()).unwrap_or_else(|found| panic!("{written}\n{found}"));
    assert_eq!(again.tags(), Dictionary::parse("d", source.as_bytes()).expect("it is right").tags());
}

#[test]
fn documents_of_a_stream_lean_on_earlier_ones() {
    let dictionary = Dictionary::parse("d", b"USDS 3: N 1.0 { S { INT a; STRING<UTF-8> s; }; }").expect("it is right");
    let plan = Arc::new(Plan::new(Arc::new(dictionary)));
    let document = |a: u64| {
        let fields = vec![("a".to_string(), Value::UInt(a)), ("s".to_string(), Value::text("x"))];
        let root = Value::Record { name: "S".into(), fields };
        Value::Record { name: String::new(), fields: vec![("S".into(), root)] }
    };
    let mut stream = Vec::new();
    for (n, form) in [(1, Form::HeadDictionaryBody), (2, Form::HeadBody)] {
        let mut writer = UsdsWriter::documents(Arc::clone(&plan), form).expect("it has a section");
        document(n).emit(&mut writer).and_then(|()| writer.finish(&mut stream)).expect("it fits");
    }
    let mut reader = UsdsReader::default();
    let (mut at, mut numbers) = (0, Vec::new());
    loop {
        match reader.frame(&stream[at..], at as u64, true).expect("documents") {
            Frame::Message { start, end } => {
                let mut sink = ValueSink::default();
                let message = &stream[at + start..at + end];
                reader.walk(message, at as u64, &mut sink, &mut Budget::new(&Limits::DEFAULT)).unwrap_or_else(|error| panic!("{error}"));
                numbers.push(format!("{:?}", sink.finish().expect("a value")).contains("UInt(2)"));
                at += end;
            }
            Frame::End => break,
            Frame::More(_) | Frame::Between(_) => panic!("it was all there"),
        }
    }
    assert_eq!(numbers, [false, true]);
    // Without the first, nobody knows the dictionary.
    let second = &stream[stream.len() - 20..];
    let start = second.iter().position(|byte| *byte == b'$').expect("a head");
    let error = UsdsReader::default().walk(&second[start..], 0, &mut ValueSink::default(), &mut Budget::new(&Limits::DEFAULT));
    assert!(error.expect_err("it is not known").what().contains("9001"));
}

/// Where what frames the values lies, and what it says.
#[derive(Default)]
struct Frames(Vec<(u64, u64, String)>);

impl<'m> Sink<'m> for Frames {
    fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next> {
        Ok(Next::Stop)
    }

    fn field(&mut self, _: Field<'m, '_>, _: Span) -> Result<Next> {
        Ok(Next::Stop)
    }

    fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        if let Note::Frame(text) = note {
            self.0.push((at.start, at.end, text.to_string()));
        }
        Ok(())
    }
}

#[test]
fn every_byte_of_head_and_dictionary_is_told() {
    let mut rng = polywire_usds::testing::Rng::with_seed(4);
    for round in 0..60 {
        let revision = [Revision::A, Revision::B, Revision::Profile][round % 3];
        let dictionary = polywire_usds::testing::dictionary(&mut rng, revision);
        let plan = Arc::new(Plan::new(Arc::new(dictionary.clone())));
        let mut writer = UsdsWriter::documents(plan, Form::HeadDictionaryBody).expect("it has a section");
        let mut bytes = Vec::new();
        Value::record::<String>([]).emit(&mut writer).and_then(|()| writer.finish(&mut bytes)).expect("a body without roots");
        let mut frames = Frames::default();
        UsdsReader::default().walk(&bytes, 0, &mut frames, &mut Budget::new(&Limits::DEFAULT)).expect("a document");
        let mut at = 0;
        for (start, end, what) in &frames.0 {
            assert!(*start == at && end > start, "{what}: {start} to {end}, and not from {at}");
            at = *end;
        }
        // The signature of the body is the record's.
        assert_eq!(at, bytes.len() as u64 - 1);
        for (tag, id) in dictionary.tags().iter().zip(1..) {
            let start = format!("tag {id} `{}`: ", tag.name);
            assert_eq!(frames.0.iter().filter(|(_, _, what)| what.starts_with(&start)).count(), 1, "{start}");
        }
    }
}

/// Sections of revision B have neither nullability nor defaults; the sections are those that the
/// original writes.
#[test]
fn sections_of_revision_b_leave_null_and_defaults_out() {
    use polywire_usds::dictionary::section;
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    for (text, expected, lost) in [
        ("USDS Chain { Node { UVARINT v; Node next = NULL; }; }", "7401044e6f646512660101760f6602046e6578740001", &["Node.next"][..]),
        (
            "USDS Nul { P { INT a = NULL; DOUBLE[] b = NULL; STRING<UTF-8> c = NULL; }; }",
            "7401015012660101610666020162110d660301631001",
            &["P.a", "P.b", "P.c"],
        ),
        (
            "USDS Def { P { INT a = -7; LONG b = 9223372036854775807; BOOLEAN c = true; DOUBLE d = -1.25; UVARINT e = 18446744073709551615; STRING<UTF-8> f = \"x y\"; }; }",
            "7401015012660101610666020162086603016301660401640d660501650f660601661001",
            &["P.a", "P.b", "P.c", "P.d", "P.e", "P.f"],
        ),
        ("USDS Plain { P { INT a; }; }", "74010150126601016106", &[]),
    ] {
        let dictionary = Dictionary::parse("d", text.as_bytes()).unwrap_or_else(|_| panic!("{text}"));
        let section = section::write(&dictionary, Revision::B).unwrap();
        assert_eq!(hex(&section), expected, "{text}");
        assert_eq!(section::lost(&dictionary, Revision::B), lost, "{text}");
        assert!(section::lost(&dictionary, Revision::Profile).is_empty());
        let read = section::read(&section, Revision::B, dictionary.identity()).unwrap();
        assert_eq!(hex(&section::write(&read, Revision::B).unwrap()), hex(&section));
    }
}
