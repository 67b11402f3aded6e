//! YAML: the core schema, styles, anchors, remarks, limits, and round trips.

use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::value::Value;
use polywire_core::{Error, ErrorKind, Field, Limits, Next, Note, Open, Part, Scalar, Sink, Span};
use polywire_formats::{json, yaml};
use polywire_testing::{self as testing, Rng, Shape};

/// The document as compact JSON, where JSON has a form for it.
fn as_json(text: &str) -> Result<String, Error> {
    let tree = testing::read(&yaml::FORMAT, text.as_bytes())?;
    let mut writer = (json::FORMAT.writer.expect("JSON is written"))();
    tree.emit(&mut *writer)?;
    let mut out = Vec::new();
    writer.finish(&mut out)?;
    Ok(String::from_utf8(out).expect("JSON is UTF-8"))
}

fn check(text: &str, json: &str) {
    match as_json(text) {
        Ok(found) => assert_eq!(found, json, "{text}"),
        Err(error) => panic!("{text}: {error}"),
    }
}

fn failure(text: &str) -> Error {
    testing::read(&yaml::FORMAT, text.as_bytes()).expect_err(text)
}

/// The events, one per line, with the bytes that they lie in.
#[derive(Default)]
struct Told<'m> {
    text: &'m str,
    lines: Vec<String>,
}

impl<'m> Told<'m> {
    fn of(text: &'m str) -> Vec<String> {
        let mut told = Told { text, lines: Vec::new() };
        Walker::new(&yaml::FORMAT, &Limits::DEFAULT).doubles(Doubles::Keep).walk(text.as_bytes(), 0, &mut told).expect(text);
        told.lines
    }

    fn line(&mut self, what: String, at: Span) {
        self.lines.push(format!("{what} <{}>", &self.text[at.start as usize..at.end as usize]));
    }
}

impl<'m> Sink<'m> for Told<'m> {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next, Error> {
        self.line(open.kind().into(), at);
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next, Error> {
        self.line(format!("field {}", field.name.get()), at);
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<(), Error> {
        self.line(value.kind().into(), at);
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, at: Span) -> Result<(), Error> {
        self.line("part".into(), at);
        Ok(())
    }

    fn close(&mut self, at: Span) -> Result<(), Error> {
        self.line("close".into(), at);
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<(), Error> {
        self.line(format!("{note:?}"), at);
        Ok(())
    }
}

#[test]
fn plain_scalars_follow_the_core_schema() {
    let (inf, nan) = (Value::F64(f64::INFINITY), Value::F64(f64::NAN));
    let text = |text: &str| Value::text(text);
    for (source, value) in [
        ("null", Value::Null),
        ("Null", Value::Null),
        ("NULL", Value::Null),
        ("~", Value::Null),
        ("nULL", text("nULL")),
        ("true", Value::Bool(true)),
        ("True", Value::Bool(true)),
        ("FALSE", Value::Bool(false)),
        ("yes", text("yes")),
        ("on", text("on")),
        ("0", Value::UInt(0)),
        ("-0", Value::UInt(0)),
        ("+12", Value::UInt(12)),
        ("-12", Value::Int(-12)),
        ("012", Value::UInt(12)),
        ("0o14", Value::UInt(12)),
        ("0xFf", Value::UInt(255)),
        ("-0x1", text("-0x1")),
        ("0o8", text("0o8")),
        ("0x", text("0x")),
        ("18446744073709551615", Value::UInt(u64::MAX)),
        ("18446744073709551616", Value::Big("18446744073709551616".into())),
        ("-9223372036854775808", Value::Int(i64::MIN)),
        ("-09223372036854775809", Value::Big("-9223372036854775809".into())),
        ("0x10000000000000000", Value::Big("18446744073709551616".into())),
        ("1.5", Value::F64(1.5)),
        (".5", Value::F64(0.5)),
        ("1.", Value::F64(1.0)),
        ("+1.50", Value::F64(1.5)),
        ("-.5e+3", Value::F64(-500.0)),
        ("1e3", Value::F64(1000.0)),
        ("01.5", Value::F64(1.5)),
        ("0.10000000000000000001", Value::Decimal("0.10000000000000000001".into())),
        (".10000000000000000001", Value::Decimal("0.10000000000000000001".into())),
        ("1e400", Value::Decimal("1e400".into())),
        (".inf", inf.clone()),
        ("+.Inf", inf),
        ("-.INF", Value::F64(f64::NEG_INFINITY)),
        (".nan", nan),
        ("-.nan", text("-.nan")),
        (".", text(".")),
        ("1e", text("1e")),
        ("1_000", text("1_000")),
        ("12:30", text("12:30")),
        ("2026-11-21", text("2026-11-21")),
        ("\"1\"", text("1")),
        ("'true'", text("true")),
        ("|\n  1\n", text("1\n")),
        ("!!str 1", text("1")),
        ("! 1", text("1")),
        ("!!int \"1\"", Value::UInt(1)),
        ("!!float 1", Value::F64(1.0)),
        ("!!binary AP8=", Value::Bytes(vec![0, 255])),
        ("!!binary |\n  AP\n  8=\n", Value::Bytes(vec![0, 255])),
        ("!<tag:yaml.org,2002:str> 1", text("1")),
        ("!local 1", Value::UInt(1)),
    ] {
        let tree = testing::read(&yaml::FORMAT, source.as_bytes()).expect(source);
        let found = Value::from(tree.root().expect(source));
        assert_eq!(format!("{found:?}"), format!("{value:?}"), "{source}");
    }
    for bad in ["!!int x", "!!bool 1", "!!null 1", "!!float x", "!!binary '*'"] {
        assert_eq!(failure(bad).kind(), ErrorKind::Syntax, "{bad}");
    }
}

#[test]
fn all_styles_of_values_are_read() {
    check("a: 1\nb:\n- x\n- - y\n  - z\n-\nc:\n", r#"{"a":1,"b":["x",["y","z"],null],"c":null}"#);
    check("- a: 1\n  b: 2\n- {c: 3, d}\n- [e: 4]\n", r#"[{"a":1,"b":2},{"c":3,"d":null},[{"e":4}]]"#);
    check("a: |\n  one\n  two\nb: >-\n  three\n  four\n", r#"{"a":"one\ntwo\n","b":"three four"}"#);
    check("a: \"\\x41\\u00e4\\U0001F980\\\n  b\"\nc: 'it''s'\nd: one\n  two\n", r#"{"a":"Aä🦀b","c":"it's","d":"one two"}"#);
    check("{\"a\":[1,{\"b\":null}]}", r#"{"a":[1,{"b":null}]}"#);
    check("? [1, 2]\n: x\n3: y\n", r#"{"[1,2]":"x","3":"y"}"#);
    check("\u{feff}--- # first\na\n...\n", r#""a""#);
    check("<<: {a: 1}\n", r#"{"<<":{"a":1}}"#);
    check("---\n", "null");
}

#[test]
fn aliases_are_written_out() {
    check("a: &x {b: [1, ä]}\nc: *x\nd: *x\n", r#"{"a":{"b":[1,"ä"]},"c":{"b":[1,"ä"]},"d":{"b":[1,"ä"]}}"#);
    check(
        "- &k key\n- *k : 1\n- &y [*k, &z {n: *k}]\n- *y\n- *z\n",
        r#"["key",{"key":1},["key",{"n":"key"}],["key",{"n":"key"}],{"n":"key"}]"#,
    );
    check("- &a 1\n- &a 2\n- *a\n", "[1,2,2]");
    assert!(failure("- *a\n- &a 1\n").to_string().contains("unknown anchor"));
    let error = failure("a: &a [1, *a]\n");
    assert_eq!((error.kind(), error.offset()), (ErrorKind::Syntax, Some(10)));
    let told = Told::of("- &a [x]\n- *a\n");
    assert_eq!(told[1..], ["list <&a [>", "text <x>", "close <]>", "list <*a>", "text <>", "close <>", "close <>"]);
}

fn bomb() -> String {
    let mut text = String::from("- &a0 lol\n");
    for n in 1..12 {
        text.push_str(&format!("- &a{n} [{}]\n", vec![format!("*a{}", n - 1); 10].join(", ")));
    }
    text
}

#[test]
fn hostile_documents_end_early() {
    let error = failure(&bomb());
    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
    let nested_maps: String = (0..2000).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
    for deep in ["[".repeat(200_000), "{a: ".repeat(200_000), "- ".repeat(200_000), "? ".repeat(200_000), nested_maps] {
        let error = failure(&deep);
        assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
    }
    let aliases_in_depth: String = (1..600).map(|n| format!("- &a{n} [*a{}]\n", n - 1)).collect();
    assert_eq!(failure(&format!("- &a0 [x]\n{aliases_in_depth}")).kind(), ErrorKind::Limit);
    assert_eq!(failure(&"1".repeat(5000)).kind(), ErrorKind::Limit);
}

#[test]
fn errors_tell_where() {
    for (text, offset) in [("ä: [1\nb: 2\n", 6), ("ä: \"\\q\"", 4), ("日本: @x\n", 8)] {
        let error = failure(text);
        assert_eq!(error.kind(), ErrorKind::Syntax, "{error}");
        assert!(error.offset().is_some_and(|at| at >= offset && at <= text.len() as u64), "{text}: {error}");
    }
    let bad = testing::read(&yaml::FORMAT, b"a: \xff").unwrap_err();
    assert_eq!((bad.kind(), bad.offset()), (ErrorKind::Encoding, Some(3)));
    let wide = testing::read(&yaml::FORMAT, b"\xff\xfea\0").unwrap_err();
    assert!(wide.advice().contains("UTF-16"), "{wide}");
    assert_eq!(failure("a\n---\nb\n").kind(), ErrorKind::Trailing);
    assert_eq!(failure("").kind(), ErrorKind::Truncated);
    assert_eq!(failure("# nothing\n").kind(), ErrorKind::Truncated);
}

#[test]
fn spans_are_bytes_and_comments_are_told() {
    let told = Told::of("# ä one\nä: 日本 # two\n# three\nb: # four\n  - \"# none\"\n");
    assert_eq!(
        told,
        [
            "Comment(\" ä one\") <# ä one>",
            "map <>",
            "field ä <ä>",
            "text <日本>",
            "Comment(\" two\") <# two>",
            "Comment(\" three\") <# three>",
            "field b <b>",
            "Comment(\" four\") <# four>",
            "list <>",
            "text <\"# none\">",
            "close <>",
            "close <>",
        ]
    );
    let told = Told::of("a: | # one\n  x # text\n# two\nb: [1, # three\n  2]\nc: x#y\n...\n# four\n");
    let comments: Vec<&String> = told.iter().filter(|line| line.starts_with("Comment")).collect();
    assert_eq!(
        comments,
        ["Comment(\" one\") <>", "Comment(\" two\") <# two>", "Comment(\" three\") <# three>", "Comment(\" four\") <# four>"]
    );
    assert!(told.contains(&"text <| # one\n  x # text\n>".to_string()), "{told:?}");
    let told = Told::of("a: !!str &x >- # one\n  x\n\n\n# two\n");
    let comments: Vec<&String> = told.iter().filter(|line| line.starts_with("Comment")).collect();
    assert_eq!(comments, ["Comment(\" one\") <>", "Comment(\" two\") <# two>"]);
    let told = Told::of("%TAG !e! tag:example.com,2026:\n---\n!e!thing &a # one\nb: 1\n");
    assert_eq!(told[0], "Directive(\"%TAG !e! tag:example.com,2026:\") <%TAG !e! tag:example.com,2026:>");
    assert!(told.iter().any(|line| line.starts_with("Comment(\" one\")")), "{told:?}");
    assert!(told.iter().any(|line| line.starts_with("Directive(\"tag:example.com,2026:thing\")")), "{told:?}");
}

#[test]
fn streams_are_cut_at_marks() {
    let found = |text: &str| -> Vec<String> {
        let frames = testing::frames(&yaml::FORMAT, text.as_bytes(), &[text.len()]);
        frames.into_iter().map(|frame| frame.map_or_else(String::new, |(start, end)| text[start..end].to_string())).collect()
    };
    assert_eq!(found("a: 1\nb: 2"), ["a: 1\nb: 2"]);
    assert_eq!(found("\n# x\na\n---\nb\n--- c\n"), ["# x\na\n", "---\nb\n", "--- c\n"]);
    assert_eq!(found("a\n...\n# after\n%YAML 1.2\n---\nb\n...\n# end\n"), ["a\n...\n# after\n", "%YAML 1.2\n---\nb\n...\n# end\n"]);
    assert_eq!(found("...\n# x\n\n"), [""; 0]);
    assert_eq!(found("---a\n----\n --- b\n"), ["---a\n----\n --- b\n"]);
    let mut rng = Rng::with_seed(5);
    let messages: Vec<Vec<u8>> =
        (0..6).map(|_| testing::write(&yaml::FORMAT, &testing::value(&mut rng, Shape { width: 3, ..Shape::PLAIN })).unwrap()).collect();
    testing::fuzz_cuts(&yaml::FORMAT, &messages);
}

fn written(value: &Value) -> String {
    String::from_utf8(testing::write(&yaml::FORMAT, value).expect("YAML is written")).expect("YAML is UTF-8")
}

#[test]
fn writing_is_in_blocks() {
    let value = Value::record([
        ("name", Value::text("Ann")),
        ("yes", Value::text("no")),
        (
            "list",
            Value::List(vec![
                Value::UInt(1),
                Value::List(vec![Value::Null, Value::List(vec![])]),
                Value::record([("a", Value::text("b c")), ("d", Value::Bytes(vec![0]))]),
            ]),
        ),
        ("empty", Value::record([("x", Value::Map(vec![]))])),
        (
            "keys",
            Value::Map(vec![
                (Value::UInt(1), Value::F64(f64::NAN)),
                (Value::List(vec![Value::UInt(1), Value::text("2")]), Value::List(vec![Value::Bool(true)])),
            ]),
        ),
    ]);
    assert_eq!(
        written(&value),
        "---\nname: Ann\n\"yes\": \"no\"\nlist:\n  - 1\n  - - null\n    - []\n  - a: \"b c\"\n    d: !!binary \"AA==\"\nempty:\n  x: {}\nkeys:\n  1: .nan\n  ? [1, \"2\"]\n  :\n    - true\n"
    );
    testing::round_trip(&yaml::FORMAT, &value);
    let case = |values| Value::Variant { name: "c".into(), index: 0, values };
    let cases =
        Value::List(vec![case(vec![]), case(vec![Value::UInt(1)]), case(vec![Value::UInt(1), Value::record([("a", Value::UInt(2))])])]);
    assert_eq!(written(&cases), "---\n- c\n- {c: 1}\n- {c: [1, {a: 2}]}\n");
}

#[test]
fn random_values_come_back() {
    let mut rng = Rng::with_seed(11);
    for _ in 0..3000 {
        testing::round_trip(&yaml::FORMAT, &testing::value(&mut rng, Shape::PLAIN));
    }
    // The exotic ones that are written without loss.
    for _ in 0..3000 {
        let value = testing::value(&mut rng, Shape::ANY);
        let mut writer = (yaml::FORMAT.writer.expect("YAML is written"))();
        value.emit(&mut *writer).unwrap();
        writer.finish(&mut Vec::new()).unwrap();
        if !writer.losses().iter().any(|lost| lost.is_value()) {
            testing::round_trip(&yaml::FORMAT, &value);
        }
    }
}

#[test]
fn long_keys_and_odd_texts_come_back() {
    let long = "k ä".repeat(900);
    for key in
        [long.as_str(), "", " ", "a: b", "# c", "- d", "?", "null", "1", "~", "\u{85}", "\u{2028}\u{feff}\u{7f}\0", "a\r\nb", "---", "..."]
    {
        let list = Value::Map(vec![(Value::List(vec![Value::text(key)]), Value::text(key))]);
        for value in
            [Value::record([(key, Value::text(key))]), list, Value::List(vec![Value::record([(key, Value::List(vec![Value::UInt(1)]))])])]
        {
            testing::round_trip(&yaml::FORMAT, &value);
        }
    }
}

/// The library holds floats and integers of 64 bits only, so larger numbers are left out.
fn judged(value: &Value) -> Option<serde_json::Value> {
    Some(match value {
        Value::Big(_) => return None,
        Value::F64(number) => serde_json::Value::Number(serde_json::Number::from_f64(*number)?),
        Value::Null => serde_json::Value::Null,
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => (*value).into(),
        Value::UInt(value) => (*value).into(),
        Value::Text(text) => text.clone().into(),
        Value::List(values) => values.iter().map(judged).collect::<Option<Vec<_>>>()?.into(),
        Value::Record { fields, .. } => {
            let fields: Option<serde_json::Map<_, _>> = fields.iter().map(|(name, value)| Some((name.clone(), judged(value)?))).collect();
            fields?.into()
        }
        _ => return None,
    })
}

/// The judge's reading, with its floats and integers as JSON spells them.
fn as_judged(value: &serde_yaml::Value) -> serde_json::Value {
    use serde_yaml::Value as Y;
    match value {
        Y::Null => serde_json::Value::Null,
        Y::Bool(value) => (*value).into(),
        Y::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => number.into(),
            (_, Some(number)) => number.into(),
            _ => number.as_f64().and_then(serde_json::Number::from_f64).map_or(serde_json::Value::Null, serde_json::Value::Number),
        },
        Y::String(text) => text.clone().into(),
        Y::Sequence(values) => values.iter().map(as_judged).collect::<Vec<_>>().into(),
        Y::Mapping(pairs) => pairs
            .iter()
            .map(|(key, value)| (key.as_str().expect("a text key").to_string(), as_judged(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Y::Tagged(_) => panic!("no tag was written"),
    }
}

#[test]
fn another_library_reads_what_is_written() {
    let mut rng = Rng::with_seed(12);
    let mut seen = 0;
    for _ in 0..2000 {
        let value = testing::value(&mut rng, Shape::PLAIN);
        let Some(expected) = judged(&value) else { continue };
        let text = written(&value);
        let found: serde_yaml::Value = serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(as_judged(&found), expected, "{text}");
        seen += 1;
    }
    assert!(seen > 1000);
}

#[test]
fn duplicate_keys_that_are_collections_are_found() {
    for (text, at) in
        [("? [1, a]\n: 1\n? [1, a]\n: 2\n", 14), ("? {a: [b]}\n: 1\n? {a: [b]}\n: 2\n", 16), ("x:\n  ? - 1\n  : 1\n  ? [1]\n  : 2\n", 22)]
    {
        let mut sink = polywire_core::value::ValueSink::default();
        let error = Walker::new(&yaml::FORMAT, &Limits::DEFAULT).walk(text.as_bytes(), 0, &mut sink).expect_err(text);
        assert_eq!(error.kind(), ErrorKind::DoubledKey, "{text}: {error}");
        for (doubles, kept) in [(Doubles::First, Value::UInt(1)), (Doubles::Last, Value::UInt(2))] {
            let mut sink = polywire_core::value::ValueSink::default();
            Walker::new(&yaml::FORMAT, &Limits::DEFAULT).doubles(doubles).walk(text.as_bytes(), 0, &mut sink).expect(text);
            let value = match sink.finish().expect(text) {
                Value::Map(pairs) if pairs[0].0 == Value::text("x") => pairs[0].1.clone(),
                value => value,
            };
            assert!(matches!(&value, Value::Map(pairs) if pairs.len() == 1 && pairs[0].1 == kept), "{text}: {value:?}");
        }
        assert!(error.offset().is_some_and(|offset| offset >= at - 2 && offset <= at + 2), "{text}: {error}");
    }
    for text in [
        "? [1, a]\n: 1\n? [1, b]\n: 2\n",
        "? [1]\n: 1\n? [\"1\"]\n: 2\n",
        "? [[1], 2]\n: 1\n? [[1, 2]]\n: 2\n",
        "? [[1]]\n: [1]\n? [1]\n: [1]\n",
    ] {
        let mut sink = polywire_core::value::ValueSink::default();
        assert!(Walker::new(&yaml::FORMAT, &Limits::DEFAULT).walk(text.as_bytes(), 0, &mut sink).is_ok(), "{text}");
    }
}
