//! XML from outside: the format's own promises, and two judges, `roxmltree` and `quick-xml`.

use std::path::PathBuf;

use polywire_core::format::Format;
use polywire_core::tools::diff::differences;
use polywire_core::value::Tree;
use polywire_core::value::Value;
use polywire_core::{Budget, Error, ErrorKind, Field, Limits, Next, Note, Open, Part, Scalar, Sink, Span, Writer};
use polywire_formats::registry::find;
use polywire_formats::xml::{XmlReader, XmlWriter};
use polywire_testing::{self as testing, Rng, Shape};

fn xml() -> &'static Format {
    find("xml").unwrap()
}

/// The events of a walk, as one line.
#[derive(Default)]
struct Script {
    told: String,
    spans: Vec<(String, Span)>,
}

impl Script {
    fn tell(&mut self, what: String, at: Span) {
        if !self.told.is_empty() {
            self.told.push(' ');
        }
        self.told.push_str(&what);
        self.spans.push((what, at));
    }
}

impl<'m> Sink<'m> for Script {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next, Error> {
        let what = match open {
            Open::Record { name: "", .. } => "{".to_owned(),
            Open::Record { name, .. } => format!("{name}{{"),
            Open::Map(_) => "map{".to_owned(),
            Open::List(_) => "[".to_owned(),
            Open::Tuple(_) => "(".to_owned(),
            Open::Variant { name, index } => format!("{name}#{index}("),
            Open::Tagged { space, code } => format!("{space}:{code}("),
            other => panic!("{other:?} is new"),
        };
        self.tell(what, at);
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next, Error> {
        self.tell(format!("{}:", field.name.get()), at);
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<(), Error> {
        let what = match value {
            Scalar::Text(text) => format!("{:?}", text.get()),
            Scalar::Bytes(bytes) => format!("bytes{:?}", bytes.get()),
            Scalar::Octets(bytes) => format!("octets{:?}", bytes.get()),
            Scalar::Big(text, _) => format!("big {}", text.get()),
            Scalar::Decimal(text, _) => format!("decimal {}", text.get()),
            Scalar::Time(moment) => format!("time {moment}"),
            Scalar::Null => "null".to_owned(),
            Scalar::Bool(value) => value.to_string(),
            Scalar::Int(value, _) => value.to_string(),
            Scalar::UInt(value, _) => value.to_string(),
            Scalar::F32(value, _) => format!("{value:?}f32"),
            Scalar::F64(value, _) => format!("{value:?}"),
            other => panic!("{other:?} is new"),
        };
        self.tell(what, at);
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<(), Error> {
        panic!("XML has no parts")
    }

    fn close(&mut self, at: Span) -> Result<(), Error> {
        self.tell("}".to_owned(), at);
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<(), Error> {
        let what = match note {
            Note::Layout(text) => format!("layout{text:?}"),
            Note::Comment(text) => format!("comment{text:?}"),
            Note::Directive(text) => format!("directive{text:?}"),
            Note::Frame(text) => format!("frame{text:?}"),
            Note::Coerced(what) => format!("coerced{what:?}"),
            Note::Unknown(bytes) => format!("unknown{bytes:?}"),
            other => panic!("{other:?} is new"),
        };
        self.tell(what, at);
        Ok(())
    }
}

fn walk(bytes: &[u8]) -> Result<Script, Error> {
    walk_by(&mut XmlReader::default(), bytes)
}

fn walk_by(reader: &mut XmlReader, bytes: &[u8]) -> Result<Script, Error> {
    use polywire_core::Reader;
    let mut script = Script::default();
    reader.walk(bytes, 0, &mut script, &mut Budget::new(&Limits::DEFAULT))?;
    Ok(script)
}

fn told(text: &str) -> String {
    walk(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}")).told
}

fn fails(text: &str) -> Error {
    match walk(text.as_bytes()) {
        Ok(script) => panic!("{text} was read as {}", script.told),
        Err(error) => error,
    }
}

/// The document written again from its events.
fn rewritten(bytes: &[u8]) -> String {
    use polywire_core::Reader;
    let mut writer = XmlWriter::default();
    let mut out = Vec::new();
    XmlReader::default().walk(bytes, 0, &mut writer, &mut Budget::new(&Limits::DEFAULT)).unwrap();
    writer.finish(&mut out).unwrap();
    assert!(writer.losses().is_empty());
    String::from_utf8(out).unwrap()
}

fn written(value: &Value) -> String {
    String::from_utf8(testing::write(xml(), value).unwrap()).unwrap()
}

#[test]
fn elements_attributes_and_text() {
    for (document, events) in [
        ("<a/>", r#"{ a: "" }"#),
        ("<a></a>", r#"{ a: "" }"#),
        ("<a>x</a>", r#"{ a: "x" }"#),
        ("<a> \n </a>", r#"{ a: " \n " }"#),
        ("<a>1</a >", r#"{ a: "1" }"#),
        ("<a b='1' c = \"2\"/>", r#"{ a: { @b: "1" @c: "2" } }"#),
        ("<a b='1'>x</a>", r##"{ a: { @b: "1" #text: "x" } }"##),
        ("<a><b>1</b><c/><b>2</b></a>", r#"{ a: { b: "1" c: "" b: "2" } }"#),
        ("<a>\n <b/>\n</a>", r#"{ a: { layout"\n " b: "" layout"\n" } }"#),
        ("<a>x <b>y</b> z</a>", r##"{ a: { #text: "x " b: "y" #text: " z" } }"##),
        ("<a><b/> <b/>\n</a>", r##"{ a: { b: "" #text: " " b: "" #text: "\n" } }"##),
        ("<a xml:space='preserve'>\n<b>\n<c/></b></a>", r##"{ a: { @xml:space: "preserve" #text: "\n" b: { #text: "\n" c: "" } } }"##),
        ("<a>&lt;&#65;&#x42;&amp;&quot;&apos;&gt;</a>", r#"{ a: "<AB&\"'>" }"#),
        ("<a>x<![CDATA[<&]] >]]>y</a>", r#"{ a: "x<&]] >y" }"#),
        ("<a><![CDATA[]]></a>", r#"{ a: "" }"#),
        ("<a>&#10;<b/></a>", r##"{ a: { #text: "\n" b: "" } }"##),
        ("<a>x\r\ny\rz</a>", r#"{ a: "x\ny\nz" }"#),
        ("<a b='x\r\ny\tz&#9;'/>", r#"{ a: { @b: "x y z\t" } }"#),
        ("<a><!-- c --></a>", r#"{ a: { comment" c " } }"#),
        ("<a>x<!--c-->y</a>", r##"{ a: { #text: "x" comment"c" #text: "y" } }"##),
        ("<a><?p q?><b/></a>", r#"{ a: { directive"<?p q?>" b: "" } }"#),
        ("<p:a xmlns:p='u' p:b=''/>", r#"{ p:a: { @xmlns:p: "u" @p:b: "" } }"#),
        ("<é ü='ß'/>", r#"{ é: { @ü: "ß" } }"#),
    ] {
        assert_eq!(told(document), events, "{document}");
    }
}

#[test]
fn what_stands_outside_of_the_root() {
    assert_eq!(
        told("<?xml version='1.0'?>\n<!--c--><!DOCTYPE a SYSTEM 'x'>\n<a/>\n<?p?>\n"),
        "layout\"<?xml version='1.0'?>\" layout\"\\n\" comment\"c\" directive\"<!DOCTYPE a SYSTEM 'x'>\" layout\"\\n\" { a: \"\" } \
         layout\"\\n\" directive\"<?p?>\" layout\"\\n\""
    );
}

#[test]
fn spans_are_where_things_stand() {
    let document = "<a b='1'><c>x</c>\n<d/> y</a>";
    for (what, at) in walk(document.as_bytes()).unwrap().spans.iter().skip(1).rev().skip(1) {
        let text = &document[at.start as usize..at.end as usize];
        let wanted = match what.as_str() {
            "a:" => "a",
            "{" => "<a b='1'>",
            "@b:" => "b",
            "\"1\"" => "'1'",
            "c:" => "c",
            "\"x\"" => "<c>x</c>",
            "d:" => "d",
            "\"\"" => "<d/>",
            "layout\"\\n\"" => "\n",
            "#text:" | "\" y\"" => " y",
            "}" => "</a>",
            other => panic!("{other}"),
        };
        assert_eq!(text, wanted);
    }
}

#[test]
fn entities_of_the_document_are_expanded() {
    for (subset, content, events) in [
        ("<!ENTITY e 'x&#60;y'>", "a&e;b", None),
        ("<!ENTITY e 'x&#38;#60;y'>", "a&e;b", Some(r#""ax<yb""#)),
        ("<!ENTITY e 'x'><!ENTITY f '&e;&e;'>", "&f;", Some(r#""xx""#)),
        ("<!ENTITY e 'x<b>y</b>'>", "1&e;2", Some(r##"{ #text: "1x" b: "y" #text: "2" }"##)),
        ("<!ENTITY e '<b>&f;</b>'><!ENTITY f '<c/>'>", "&e;&e;", Some(r#"{ b: { c: "" } b: { c: "" } }"#)),
        ("<!ENTITY e '<b'>", "&e;/>", None),
        ("<!ENTITY e '<b>'>", "&e;</b>", None),
        ("<!ENTITY e '</b>'>", "<b>&e;", None),
        ("<!ENTITY e '</a>'>", "&e;", None),
        ("<!ENTITY e '&e;'>", "&e;", None),
        ("<!ENTITY e '&f;'><!ENTITY f 'x&e;'>", "&e;", None),
        ("<!ENTITY e '&f;<b/>'><!ENTITY f 'x&e;'>", "&e;", None),
        ("<!ENTITY e SYSTEM 'file:///etc/passwd'>", "&e;", Some(r#"{ directive"&e;" }"#)),
        ("<!ENTITY % e 'x'>", "&e;", None),
        ("", "&e;", None),
        ("<!ENTITY lt '&#38;#60;'>", "&lt;", Some(r#""<""#)),
        ("<!ENTITY e ''>", "&e;", Some(r#""""#)),
        ("<!ENTITY e '\n'>", "&e;<b/>", Some(r#"{ layout"\n" b: "" }"#)),
    ] {
        let document = format!("<!DOCTYPE a [{subset}]><a>{content}</a>");
        match (events, walk(document.as_bytes())) {
            (Some(events), Ok(script)) => assert!(script.told.ends_with(&format!("{{ a: {events} }}")), "{document}: {}", script.told),
            (None, Err(error)) => assert!(error.offset().is_some_and(|at| at >= 10), "{document}: {error}"),
            (_, outcome) => panic!("{document}: {:?}", outcome.map(|script| script.told)),
        }
    }
}

#[test]
fn attributes_of_the_document_type() {
    let document = "<!DOCTYPE a [<!ATTLIST a x CDATA 'd&#65;' t NMTOKENS #IMPLIED y ID #REQUIRED xmlns:p CDATA 'u'><!ENTITY e ' q '>]>\
                    <a t=' 1  2&e;'><p:a x='&e;\n'/></a>";
    assert!(told(document).ends_with(r#"{ a: { @t: "1 2 q" @x: "dA" @xmlns:p: "u" p:a: { @x: " q  " } } }"#), "{}", told(document));
    assert!(walk(b"<!DOCTYPE a [<!ENTITY e '&#60;'>]><a x='&e;'/>").is_err());
}

#[test]
fn what_is_not_well_formed_is_refused() {
    for (document, offset) in [
        ("", 0),
        (" ", 1),
        ("x", 0),
        ("<a>", 3),
        ("<a></b>", 3),
        ("<a></a", 6),
        ("<a><b></a></b>", 6),
        ("</a>", 1),
        ("<a/><b/>", 4),
        ("<a/>x", 4),
        ("<a/>&#32;", 4),
        ("<a b='1' b='2'/>", 9),
        ("<a b=1/>", 5),
        ("<a b/>", 4),
        ("<a b='1'c='2'/>", 8),
        ("<a b='<'/>", 6),
        ("<a b='&'/>", 7),
        ("<a b='&x;'/>", 6),
        ("<a b='1/>", 9),
        ("<a / >", 4),
        ("< a/>", 1),
        ("<1/>", 1),
        ("<a>&</a>", 4),
        ("<a>&#0;</a>", 3),
        ("<a>]]></a>", 3),
        ("<a>\u{1}</a>", 3),
        ("<a>\u{ffff}</a>", 3),
        ("<a b='\u{0}'/>", 6),
        ("<a><!-- -- --></a>", 8),
        ("<a><![CDATA[</a>", 16),
        ("<a><![cdata[]]></a>", 4),
        ("<a><?xml version='1.0'?></a>", 3),
        (" <?xml version='1.0'?><a/>", 1),
        ("<?xml version='3'?><a/>", 15),
        ("<!DOCTYPE a><!DOCTYPE a><a/>", 12),
        ("<a/><!DOCTYPE a>", 4),
        ("<x:a/>", 1),
        ("<a x:b=''/>", 3),
        ("<a:b:c xmlns:a='u'/>", 1),
        ("<a xmlns:x=''/>", 3),
        ("<a xmlns:x='u' xmlns:y='u' x:b='' y:b=''/>", 34),
        ("<a xmlns:xmlns='u'/>", 3),
        ("<a xmlns:xml='u'/>", 3),
        ("<a xmlns:u='http://www.w3.org/XML/1998/namespace'/>", 3),
        ("<a><b xmlns:x='u'/><x:c/></a>", 20),
        ("<a xmlns:x='u'></x:a>", 15),
    ] {
        let error = fails(document);
        assert_eq!(error.offset(), Some(offset), "{document:?}: {error}");
        assert_eq!(error.format(), Some("xml"));
    }
    assert_eq!(walk(b"<a>\xff</a>").err().unwrap().offset(), Some(3));
    assert_eq!(fails("<a/>b").kind(), ErrorKind::Trailing);
    assert_eq!(fails("<a><b>").kind(), ErrorKind::Truncated);
    assert_eq!(fails("<a b='1' b='2'/>").kind(), ErrorKind::DoubledKey);
}

#[test]
fn other_encodings_are_decoded_and_point_to_the_original() {
    let text = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><a b=\"é\">日本🦀<c>x</c></a>";
    for big in [false, true] {
        let bytes: Vec<u8> =
            format!("\u{feff}{text}").encode_utf16().flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect();
        let script = walk(&bytes).unwrap();
        assert!(script.told.ends_with(r##"{ a: { @b: "é" #text: "日本🦀" c: "x" } }"##), "{}", script.told);
        let (_, at) = script.spans.iter().find(|(what, _)| what == "\"x\"").unwrap();
        let units: Vec<u16> = bytes[at.start as usize..at.end as usize]
            .chunks(2)
            .map(|pair| if big { u16::from_be_bytes([pair[0], pair[1]]) } else { u16::from_le_bytes([pair[0], pair[1]]) })
            .collect();
        assert_eq!(String::from_utf16(&units).unwrap(), "<c>x</c>");
        let broken: Vec<u8> = bytes[..bytes.len() - 4].to_vec();
        assert!(walk(&broken).is_err());
    }
    for (label, bytes, text) in [
        ("ISO-8859-1", &b"\xe9\x80"[..], "é\u{80}"),
        ("windows-1252", b"\xe9\x80", "é€"),
        ("Shift_JIS", b"\x93\xfa\x96\x7b", "日本"),
        ("koi8-r", b"\xc1", "а"),
        ("us-ascii", b"x", "x"),
        ("GB18030", b"\xc4\xe3", "你"),
    ] {
        let mut document = format!("<?xml version='1.0' encoding='{label}'?><a>").into_bytes();
        document.extend_from_slice(bytes);
        document.extend_from_slice(b"</a>");
        let script = walk(&document).unwrap();
        assert!(script.told.ends_with(&format!("{{ a: {text:?} }}")), "{label}: {}", script.told);
    }
    assert!(walk(b"<?xml version='1.0' encoding='us-ascii'?><a>\xe9</a>").is_err());
    assert!(walk(b"<?xml version='1.0' encoding='x-none'?><a/>").is_err());
    assert!(walk(b"\xef\xbb\xbf<a/>").is_ok());
    assert!(walk(b"\xff\xfe<\0a\0/\0>").is_err());
}

#[test]
fn documents_come_back_as_they_were() {
    for document in [
        "<a/>",
        "<a>1</a>",
        "<a>true</a>",
        "<a x=\"1\"/>",
        "<a>\n  <b>x</b>\n  <b>y</b>\n</a>",
        "<p>mixed <b>bold</b> and <i>italic</i>\n</p>",
        "<!--before--><?p?><!DOCTYPE a [<!ENTITY e 'x'>]>\n<a><!--in--><b/>\n<?q r?></a>\n<!--after-->",
        "<s:a xmlns:s=\"urn:s\" xmlns=\"urn:d\"><b s:c=\"&quot;&lt;\"/></s:a>",
        "<pw:a xmlns:pw=\"urn:other\"><pw:b pw:t=\"list\"/></pw:a>",
        "<a xml:space=\"preserve\">\n<b/>\n</a>",
        "<a x=\"1\">\n</a>",
        "<a>x&#13;y]]&gt;</a>",
        "<a><!--only--></a>",
        "<a>x<!--c-->y<?p?>z</a>",
        "<a>&#10;<b/></a>",
        "<i><e/><p/><message/></i>",
        "<a xmlns:q=\"urn:polywire:other\"><b xmlns:r=\"urn:polywire:values\" r:t=\"list\"/></a>",
    ] {
        assert_eq!(rewritten(document.as_bytes()), document);
    }
    for (document, again) in [
        ("<?xml version='1.0'?>\n<a></a>\n", "<a/>"),
        ("<a b='&#65;'><![CDATA[x<]]></a>", "<a b=\"A\">x&lt;</a>"),
        ("<a>\r\n<b/></a>", "<a>\n<b/></a>"),
    ] {
        assert_eq!(rewritten(document.as_bytes()), again);
    }
}

#[test]
fn values_are_written_small_and_come_back() {
    let text = Value::text;
    let one = |value| Value::record([("a", value)]);
    for (value, document) in [
        (one(text("x")), "<a>x</a>"),
        (one(text("1")), "<a>1</a>"),
        (one(Value::record([("@x", text("1")), ("b", text("y"))])), "<a x=\"1\"><b>y</b></a>"),
        (one(Value::UInt(1)), "<a xmlns:pw=\"urn:polywire:values\">1</a>"),
        (
            one(Value::record([("n", Value::F64(1.0)), ("s", text("1")), ("t", text("x"))])),
            "<a xmlns:pw=\"urn:polywire:values\"><n>1.0</n><s pw:t=\"text\">1</s><t>x</t></a>",
        ),
        (one(Value::Null), "<a xmlns:pw=\"urn:polywire:values\" pw:t=\"null\"/>"),
        (one(Value::record::<&str>([])), "<a xmlns:pw=\"urn:polywire:values\" pw:t=\"map\"/>"),
        (one(Value::record([("#text", text("x"))])), "<a xmlns:pw=\"urn:polywire:values\" pw:t=\"map\">x</a>"),
        (
            one(Value::List(vec![Value::UInt(1), Value::Bool(true)])),
            "<a xmlns:pw=\"urn:polywire:values\" pw:t=\"list\"><i>1</i><i>true</i></a>",
        ),
        (Value::UInt(5), "<message xmlns:pw=\"urn:polywire:values\" pw:root=\"value\">5</message>"),
        (
            Value::record([("a", text("x")), ("b", text("y"))]),
            "<message xmlns:pw=\"urn:polywire:values\" pw:root=\"value\"><a>x</a><b>y</b></message>",
        ),
        (
            one(Value::record([("a b", text("x")), ("pw:t", text("y"))])),
            "<a xmlns:pw=\"urn:polywire:values\"><pw:e pw:k=\"a b\">x</pw:e><pw:e pw:k=\"pw:t\">y</pw:e></a>",
        ),
        (
            one(Value::Map(vec![(Value::UInt(1), text("x"))])),
            "<a xmlns:pw=\"urn:polywire:values\" pw:t=\"map\"><pw:p><i>1</i><i>x</i></pw:p></a>",
        ),
        (one(Value::Bytes(vec![0, 255])), "<a xmlns:pw=\"urn:polywire:values\" pw:t=\"bytes\">AP8=</a>"),
        (one(text("\0")), "<a xmlns:pw=\"urn:polywire:values\" pw:t=\"text64\">AA==</a>"),
        (
            one(Value::Tagged { space: "cbor".into(), code: 32, value: Box::new(text("u")) }),
            "<a xmlns:pw=\"urn:polywire:values\" pw:t=\"tagged\" pw:space=\"cbor\" pw:code=\"32\"><i>u</i></a>",
        ),
        (
            one(Value::Variant { name: "N".into(), index: 2, values: vec![] }),
            "<a xmlns:pw=\"urn:polywire:values\" pw:t=\"variant\" pw:name=\"N\" pw:index=\"2\"/>",
        ),
        (
            one(Value::Record { name: "T".into(), fields: vec![("b".into(), Value::int(-1))] }),
            "<a xmlns:pw=\"urn:polywire:values\" pw:name=\"T\"><b>-1</b></a>",
        ),
    ] {
        assert_eq!(written(&value), document);
        testing::round_trip(xml(), &value);
    }
}

#[test]
fn tagged_values_of_all_formats_come_back() {
    use polywire_formats::{ber, cbor, msgpack};
    for space in [cbor::NAME, cbor::SIMPLE, msgpack::NAME, ber::UNIVERSAL, ber::APPLICATION, ber::CONTEXT, ber::PRIVATE] {
        let value = Value::Tagged { space: space.into(), code: u64::MAX, value: Box::new(Value::Bytes(vec![1])) };
        testing::round_trip(xml(), &value);
    }
    testing::round_trip(xml(), &Value::Tagged { space: "nobody's".into(), code: 1, value: Box::new(Value::Null) });
    let mut writer = XmlWriter::default();
    writer.open(Open::Tagged { space: "\u{1}", code: 1 }, Span::NONE).unwrap();
    assert_eq!(writer.losses().len(), 1);
}

#[test]
fn special_values_come_back() {
    let values = [
        Value::F64(f64::INFINITY),
        Value::F64(f64::NEG_INFINITY),
        Value::F64(f64::NAN),
        Value::F64(-0.0),
        Value::F32(f32::NEG_INFINITY),
        Value::F32(0.1),
        Value::Decimal("0.1000000000000000000001".into()),
        Value::Big("-99999999999999999999999".into()),
        Value::text(" "),
        Value::text("\n"),
        Value::text("\r\n\t"),
        Value::text("]]>"),
        Value::text("\u{fffe}"),
        Value::Time(polywire_core::Timestamp::new(i64::MAX, 5).unwrap()),
        Value::Tuple(vec![]),
        Value::Map(vec![(Value::List(vec![]), Value::Map(vec![])), (Value::Null, Value::Bool(false))]),
        Value::record([("#text", Value::UInt(1)), ("@a", Value::Null), ("#text", Value::text("\n")), ("#text", Value::text("x"))]),
        Value::record([("@a", Value::text("1")), ("@a", Value::text("2")), ("@b\0", Value::text("3")), ("b", Value::text("\0"))]),
        Value::record([("@xmlns:p", Value::text("u")), ("p:a", Value::text("1")), ("q:a", Value::text("2"))]),
        Value::record([("@xmlns:pw", Value::text("u")), ("pw:e", Value::UInt(1))]),
        Value::record([("p:x", Value::record([("@xmlns:p", Value::text("u")), ("@p:y", Value::text("1"))]))]),
        Value::record([("@xmlns:pw", Value::text("urn:polywire:values"))]),
        Value::record([(
            "b",
            Value::record([
                ("@xmlns:q", Value::text("urn:polywire:values")),
                ("@q:t", Value::text("x")),
                ("c", Value::Map(vec![(Value::text("@q:t"), Value::text("x")), (Value::UInt(1), Value::Null)])),
                ("d e", Value::record([("@q:k", Value::text("x"))])),
                ("f", Value::Record { name: "T".into(), fields: vec![("@q:name".into(), Value::text("x"))] }),
            ]),
        )]),
        Value::record([("@xml:space", Value::text("preserve")), ("#text", Value::text("\n")), ("b", Value::UInt(1))]),
    ];
    for value in &values {
        testing::round_trip(xml(), value);
        testing::round_trip(xml(), &Value::record([("root", value.clone())]));
        testing::round_trip(xml(), &Value::List(vec![value.clone(), value.clone()]));
    }
    let bits = |value: &Value| match value {
        Value::F64(value) => value.to_bits(),
        other => panic!("{other:?}"),
    };
    let nan = Value::F64(f64::from_bits(0x7ff0_0000_0000_0001));
    let bytes = testing::write(xml(), &nan).unwrap();
    let mut sink = polywire_core::value::ValueSink::default();
    testing::read(xml(), &bytes).unwrap().emit(&mut sink).unwrap();
    assert_eq!(bits(&sink.finish().unwrap()), bits(&nan));
}

#[test]
fn random_values_come_back() {
    let mut rng = Rng::with_seed(1);
    for n in 0..4000 {
        let value = testing::value(&mut rng, if n % 3 == 0 { Shape::PLAIN } else { Shape::ANY });
        testing::round_trip(xml(), &value);
        testing::round_trip(xml(), &Value::record([("root", value)]));
    }
}

/// A random document with all that XML has.
fn document(rng: &mut Rng) -> String {
    let mut out = String::new();
    if rng.u8(..4) == 0 {
        out.push_str("<?xml version=\"1.0\" encoding='UTF-8'?>\n");
    }
    misc(rng, &mut out);
    if rng.u8(..4) == 0 {
        out.push_str("<!DOCTYPE r [<!ENTITY e \"en&#233;ti<b/>ty\"><!ENTITY t 'text'>]>\n");
        element(rng, &mut out, 4, true);
    } else {
        element(rng, &mut out, 4, false);
    }
    misc(rng, &mut out);
    out
}

fn misc(rng: &mut Rng, out: &mut String) {
    for _ in 0..rng.u8(..3) {
        out.push_str(["<!-- c -->", "<?p d?>", "\n", " ", "<!---->"][rng.usize(..5)]);
    }
}

fn element(rng: &mut Rng, out: &mut String, depth: u32, entities: bool) {
    let name = ["r", "item", "a-b", "é", "x.1", "i"][rng.usize(..6)];
    let namespaces = rng.u8(..6) == 0;
    let name = if namespaces { format!("n:{name}") } else { name.to_owned() };
    out.push_str(&format!("<{name}"));
    if namespaces {
        out.push_str(" xmlns:n='urn:n'");
    }
    for attribute in ["a", "b", "xml:lang"] {
        if rng.u8(..4) == 0 {
            let value = ["", "1", "x&amp;y", "a\tb\nc", "&#10;", "'", "&lt;"][rng.usize(..7)];
            out.push_str(&format!(" {attribute} = \"{value}\""));
        }
    }
    if rng.u8(..5) == 0 {
        return out.push_str("/>");
    }
    out.push('>');
    for _ in 0..rng.u8(..5) {
        match rng.u8(..10) {
            0..=3 if depth > 0 => element(rng, out, depth - 1, entities),
            4 => out.push_str(["\n  ", "  ", "\r\n", "\t"][rng.usize(..4)]),
            5 => out.push_str(["text", "1", "ü &lt; ", " x\n", "&#13;", "true", "]]"][rng.usize(..7)]),
            6 => out.push_str("<![CDATA[<&>]]>"),
            7 => out.push_str("<!-- in -->"),
            8 => out.push_str("<?p i?>"),
            _ if entities => out.push_str(["&t;", "&e;"][rng.usize(..2)]),
            _ => out.push_str("&#x1F980;"),
        }
    }
    out.push_str(&format!("</{name}>"));
}

/// A document as a judge sees it, without layout, and without differences that it ignores.
fn judged(text: &str) -> String {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
    let tree = roxmltree::Document::parse_with_options(text, options).unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut out = String::new();
    judge(tree.root(), &mut out);
    out
}

fn judge(node: roxmltree::Node<'_, '_>, out: &mut String) {
    for child in node.children() {
        match child.node_type() {
            roxmltree::NodeType::Element => {
                out.push_str(&format!("<{:?}", child.tag_name()));
                for attribute in child.attributes() {
                    out.push_str(&format!(" {:?}{:?}={:?}", attribute.namespace(), attribute.name(), attribute.value()));
                }
                out.push('>');
                judge(child, out);
                out.push_str("</>");
            }
            roxmltree::NodeType::Text => out.push_str(&format!("{:?}", child.text().unwrap_or(""))),
            roxmltree::NodeType::Comment => out.push_str(&format!("<!--{}-->", child.text().unwrap_or(""))),
            roxmltree::NodeType::PI => out.push_str(&format!("<?{:?}?>", child.pi())),
            roxmltree::NodeType::Root => {}
        }
    }
}

#[test]
fn a_judge_sees_the_same_document_after_a_round_trip() {
    let mut rng = Rng::with_seed(2);
    for _ in 0..3000 {
        let document = document(&mut rng);
        let again = rewritten(document.as_bytes());
        assert_eq!(judged(&document), judged(&again), "{document}\nbecame\n{again}");
        assert_eq!(again, rewritten(again.as_bytes()), "{document}");
    }
}

/// The events of a walk for elements, attributes and text, as a judge sees them.
#[derive(Default)]
struct Flat(String);

impl Flat {
    fn of(bytes: &[u8]) -> String {
        use polywire_core::Reader;
        let mut flat = Flat::default();
        XmlReader::default().walk(bytes, 0, &mut flat, &mut Budget::new(&Limits::DEFAULT)).unwrap();
        flat.0
    }
}

impl<'m> Sink<'m> for Flat {
    fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next, Error> {
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next, Error> {
        if field.name.get() != "#text" {
            self.0.push_str(&format!("{}:", field.name.get()));
        }
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, _: Span) -> Result<(), Error> {
        let Scalar::Text(text) = value else { panic!("{value:?} in a document") };
        self.0.push_str(&text.get().replace(char::is_whitespace, ""));
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<(), Error> {
        panic!("XML has no parts")
    }

    fn close(&mut self, _: Span) -> Result<(), Error> {
        Ok(())
    }
}

#[test]
fn judges_agree_with_the_walk() {
    use quick_xml::events::Event;
    let mut rng = Rng::with_seed(3);
    for _ in 0..3000 {
        let document = document(&mut rng);
        if document.contains("<!DOCTYPE") {
            // Neither judge reports entities as they stand.
            continue;
        }
        let mut reader = quick_xml::Reader::from_str(&document);
        let mut flat = String::new();
        let attributes = |start: &quick_xml::events::BytesStart<'_>, flat: &mut String| {
            flat.push_str(&format!("{}:", start.name().as_ref()));
            for attribute in start.attributes() {
                let attribute = attribute.unwrap();
                let value = quick_xml::escape::unescape(&attribute.value).unwrap().replace(char::is_whitespace, "");
                flat.push_str(&format!("@{}:{value}", attribute.key.as_ref()));
            }
        };
        loop {
            match reader.read_event().unwrap() {
                Event::Eof => break,
                Event::Start(start) | Event::Empty(start) => attributes(&start, &mut flat),
                Event::Text(text) => flat.push_str(&text.replace(char::is_whitespace, "")),
                Event::CData(text) => flat.push_str(&text),
                Event::GeneralRef(name) => {
                    flat.push_str(&quick_xml::escape::unescape(&format!("&{};", &*name)).unwrap().replace(char::is_whitespace, ""));
                }
                _ => {}
            }
        }
        assert_eq!(Flat::of(document.as_bytes()), flat, "{document}");
    }
}

#[test]
fn what_is_written_of_random_values_is_read_by_a_judge() {
    let mut rng = Rng::with_seed(4);
    for _ in 0..2000 {
        let value = testing::value(&mut rng, Shape::ANY);
        judged(&written(&value));
        judged(&written(&Value::record([("root", value)])));
    }
}

fn packets() -> Vec<(PathBuf, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/packets");
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "xml"))
        .map(|path| (path.clone(), std::fs::read(&path).unwrap()))
        .collect();
    found.sort();
    assert!(found.len() >= 7);
    found
}

#[test]
fn real_messages_come_back() {
    for (path, bytes) in packets() {
        let text = String::from_utf8(bytes).unwrap();
        let again = rewritten(text.as_bytes());
        assert_eq!(judged(&text), judged(&again), "{}", path.display());
        testing::fuzz_rewrite(xml(), text.as_bytes());
        testing::fuzz_skip(xml(), text.as_bytes());
    }
}

fn corpus() -> Vec<Vec<u8>> {
    let mut rng = Rng::with_seed(5);
    let mut corpus: Vec<Vec<u8>> = packets().into_iter().map(|(_, bytes)| bytes).collect();
    corpus.extend((0..40).map(|_| document(&mut rng).into_bytes()));
    corpus.extend((0..40).map(|_| testing::write(xml(), &testing::value(&mut rng, Shape::ANY)).unwrap()));
    corpus.push("\u{feff}<?xml version='1.0' encoding='UTF-16'?><a b='é'>日本</a>".encode_utf16().flat_map(u16::to_le_bytes).collect());
    corpus.push(b"<?xml version='1.0' encoding='Shift_JIS'?><a>\x93\xfa\x96\x7b<b/></a>".to_vec());
    corpus.push(
        b"<!DOCTYPE a [<!ELEMENT a (b|c)*><!ATTLIST a x (u|v) 'u' y CDATA #FIXED '&e;'><!NOTATION n SYSTEM 'x'>\
        <!ENTITY e 'x'><!ENTITY f '<b>&e;</b>'>]><a>&f;<c>&e;</c></a>"
            .to_vec(),
    );
    corpus
}

#[test]
fn no_bytes_break_the_reader() {
    let mut rng = Rng::with_seed(6);
    for bytes in corpus() {
        for end in 0..=bytes.len() {
            testing::fuzz_walk(xml(), &bytes[..end]);
        }
        for _ in 0..60 {
            let mutated = testing::mutate(&mut rng, &bytes);
            testing::fuzz_walk(xml(), &mutated);
            testing::fuzz_rewrite(xml(), &mutated);
            testing::fuzz_skip(xml(), &mutated);
            let cut = rng.usize(..=mutated.len());
            testing::fuzz_frames(xml(), &mutated, cut);
        }
        testing::fuzz_skip(xml(), &bytes);
        testing::fuzz_rewrite(xml(), &bytes);
    }
}

/// A reader guesses names by the documents before, which changes nothing but its speed.
#[test]
fn a_reader_reads_every_document_as_a_new_one_does() {
    let mut rng = Rng::with_seed(8);
    let corpus = corpus();
    let mut reader = XmlReader::default();
    let mut well = 0;
    for _ in 0..1_000 {
        let bytes = rng.choice(&corpus).unwrap();
        let bytes = if rng.bool() { bytes.clone() } else { testing::mutate(&mut rng, bytes) };
        let outcome = |script: Result<Script, Error>| script.map(|script| script.spans).map_err(|error| format!("{error:?}"));
        let (again, new) = (outcome(walk_by(&mut reader, &bytes)), outcome(walk(&bytes)));
        well += u32::from(new.is_ok());
        assert_eq!(again, new, "{}", String::from_utf8_lossy(&bytes));
    }
    assert!(well > 300, "{well}");
}

/// A type name in one message does not reach the next one of the same writer.
#[test]
fn a_type_name_stays_in_its_message() {
    let document = b"<message xmlns:pw=\"urn:polywire:values\" pw:root=\"value\"><pw:e pw:k=\"@mu\"><q pw:name=\"eh\"/></pw:e></message>";
    testing::fuzz_rewrite(xml(), document);
    let named = Value::record([("q", Value::Record { name: "eh".into(), fields: vec![] })]);
    let plain = Value::record([("a", Value::int(1)), ("b", Value::int(2))]);
    let mut writer = XmlWriter::default();
    let mut out = Vec::new();
    for value in [&named, &plain] {
        out.clear();
        value.emit(&mut writer).unwrap();
        writer.finish(&mut out).unwrap();
    }
    assert_eq!(String::from_utf8(out).unwrap(), written(&plain));
}

#[test]
fn truncated_documents_are_said_to_be() {
    for (path, bytes) in packets() {
        let trimmed = bytes.trim_ascii_end();
        for end in 0..trimmed.len() {
            let error = walk(&trimmed[..end]).err().unwrap_or_else(|| panic!("{} cut at {end} was read", path.display()));
            assert_eq!(error.kind(), ErrorKind::Truncated, "{} cut at {end}: {error}", path.display());
            assert!(error.offset().is_some_and(|at| at <= end as u64));
        }
    }
}

#[test]
fn entity_bombs_are_stopped() {
    let mut laughs = String::from("<!DOCTYPE a [<!ENTITY e0 'ha'>");
    for n in 1..64 {
        laughs.push_str(&format!("<!ENTITY e{n} '{}'>", format!("&e{};", n - 1).repeat(10)));
    }
    let quadratic = format!("<!DOCTYPE a [<!ENTITY e '{}'>]>", "x".repeat(100_000));
    let nothing = laughs.replacen("'ha'", "''", 1);
    let markup = laughs.replacen("'ha'", "'<b/>'", 1);
    let references = "&e;".repeat(100_000);
    for (document, limit) in [
        (format!("{laughs}]><a>&e63;</a>"), true),
        (format!("{laughs}]><a b='&e63;'/>"), true),
        (format!("{nothing}]><a>&e63;</a>"), true),
        (format!("{markup}]><a>&e63;</a>"), true),
        (format!("{quadratic}<a>{references}</a>"), true),
        (format!("{quadratic}<a>&e;&e;</a>"), false),
    ] {
        match walk(document.as_bytes()) {
            Ok(_) => assert!(!limit),
            Err(error) => assert!(limit && error.kind() == ErrorKind::Limit, "{error}"),
        }
    }
    let presets = (0..1000).map(|n| format!(" a{n} CDATA '{}'", "x".repeat(50))).collect::<String>();
    let document = format!("<!DOCTYPE a [<!ATTLIST b{presets}>]><a>{}</a>", "<b/>".repeat(20_000));
    assert_eq!(fails(&document).kind(), ErrorKind::Limit);
    let mut chain = String::from("<!DOCTYPE a [<!ENTITY e0 'x'>");
    for n in 1..20_000 {
        chain.push_str(&format!("<!ENTITY e{n} '&e{};'>", n - 1));
    }
    assert!(walk(format!("{chain}]><a>&e19999;</a>").as_bytes()).is_ok());
}

#[test]
fn many_attributes_and_prefixes_take_linear_time() {
    let attributes: String = (0..50_000).map(|n| format!(" a{n}='{n}'")).collect();
    assert!(walk(format!("<a{attributes}/>").as_bytes()).is_ok());
    assert_eq!(fails(&format!("<a{attributes} a49999=''/>")).kind(), ErrorKind::DoubledKey);
    assert_eq!(fails(&format!("<a{}/>", " b=''".repeat(50_000))).kind(), ErrorKind::DoubledKey);
    let declared: String = (0..50_000).map(|n| format!(" xmlns:p{n}='u{n}' p{n}:a=''")).collect();
    let used: String = (0..50_000).map(|n| format!("<p{n}:b/>")).collect();
    let document = format!("<a{declared}>{used}</a>");
    testing::fuzz_rewrite(xml(), document.as_bytes());
}

#[test]
fn deep_documents_meet_the_limit() {
    let document = "<a>".repeat(200_000) + &"</a>".repeat(200_000);
    assert_eq!(fails(&document).kind(), ErrorKind::Limit);
    testing::fuzz_frames(xml(), document.as_bytes(), 300_000);
    let mut writer = XmlWriter::default();
    for _ in 0..1000 {
        writer.open(Open::Record { name: "", len: polywire_core::Len::Unknown }, Span::NONE).unwrap();
        writer.field(Field::named(polywire_core::Str::Input("a")), Span::NONE).unwrap();
    }
    writer.reset();
    Value::text("x").emit(&mut writer).unwrap();
    let mut out = Vec::new();
    writer.finish(&mut out).unwrap();
    assert_eq!(out, b"<message xmlns:pw=\"urn:polywire:values\" pw:root=\"value\">x</message>");
}

#[test]
fn marks_that_make_no_sense_are_refused() {
    for element in [
        "<b pw:t='nothing'/>",
        "<b pw:x='1'/>",
        "<b pw:t='null'>x</b>",
        "<b pw:t='bytes'>*</b>",
        "<b pw:t='list'>x</b>",
        "<b pw:t='list' x='1'/>",
        "<b pw:t='list' pw:name='x'/>",
        "<b pw:t='tagged' pw:space='cbor' pw:code='1'/>",
        "<b pw:t='tagged' pw:space='' pw:code='1'><i/></b>",
        "<b pw:t='tagged' pw:space='cbor' pw:code='1'><i/><i/></b>",
        "<b pw:t='variant' pw:index='x'/>",
        "<b pw:t='variant' pw:index='4294967296'/>",
        "<b pw:t='time'>2020-01-01</b>",
        "<b pw:t='f32'>1e</b>",
        "<b pw:t='text64'>/w==</b>",
        "<b pw:t='decimal'>0x1</b>",
        "<b><pw:p><i>1</i><i>2</i></pw:p></b>",
        "<b pw:t='map'><pw:p><i>1</i></pw:p></b>",
        "<b pw:t='map'><pw:p/></b>",
        "<b pw:t='map'><pw:p><i>x</i><i>2</i></pw:p></b>",
        "<b pw:t='map'><pw:p><i>1</i><i>2</i><i>3</i></pw:p></b>",
        "<b><pw:e>x</pw:e></b>",
        "<b><pw:q/></b>",
        "<b pw:k='x'/>",
        "<b pw:root='value'/>",
        "<b xmlns:pw='urn:x'/>",
        "<b pw:t='null'><!-- x --></b>",
    ] {
        let error = fails(&format!("<a xmlns:pw='urn:polywire:values'>{element}</a>"));
        assert!(error.offset().is_some_and(|at| at > 30), "{element}: {error}");
    }
    assert_eq!(
        told("<a xmlns:q='urn:polywire:values'><b q:t='list'>\n<x>1</x><!--c--></b></a>"),
        r#"{ a: { b: [ layout"\n" 1 comment"c" } } }"#
    );
}

#[test]
fn remarks_from_other_formats_are_kept_or_counted() {
    let mut writer = XmlWriter::default();
    let mut tree = Tree::new();
    let value = Value::record([("a", Value::text("x"))]);
    value.emit(&mut tree).unwrap();
    for (note, kept) in [
        (Note::Comment("fine"), true),
        (Note::Comment("a -- b"), false),
        (Note::Comment("ends in -"), false),
        (Note::Directive("<?p q?>"), true),
        (Note::Directive("<?xml version='1.0'?>"), false),
        (Note::Directive("<!DOCTYPE a>"), true),
        (Note::Directive("% odd"), false),
        (Note::Layout("\n"), true),
        (Note::Unknown(b"x"), false),
    ] {
        let mut out = Vec::new();
        writer.note(note, Span::NONE).unwrap();
        tree.emit(&mut writer).unwrap();
        writer.finish(&mut out).unwrap();
        assert_eq!(writer.losses().len(), usize::from(!kept), "{note:?}");
        assert!(testing::read(xml(), &out).is_ok());
    }
}

#[test]
fn repeated_fields_stay_repeated() {
    let bytes = b"<a><b>1</b><c/><b>2</b></a>";
    let tree = testing::read(xml(), bytes).unwrap();
    let value = Value::record([("a", Value::record([("b", Value::text("1")), ("c", Value::text("")), ("b", Value::text("2"))]))]);
    let mut wanted = Tree::new();
    value.emit(&mut wanted).unwrap();
    assert!(differences(tree.root().unwrap(), wanted.root().unwrap(), 1).is_empty());
}

#[test]
fn entities_outside_of_the_document_are_stepped_over_with_a_note() {
    for (document, events) in [
        ("<!DOCTYPE a SYSTEM 'a.dtd'><a>&nbsp;</a>", r#"{ a: { directive"&nbsp;" } }"#),
        (
            "<!DOCTYPE a [<!ENTITY e SYSTEM 'x'>]><a>x&e;y<b>&e;</b></a>",
            r##"{ a: { #text: "x" directive"&e;" #text: "y" b: { directive"&e;" } } }"##,
        ),
        ("<!DOCTYPE a [<!ENTITY e SYSTEM 'x'><!ENTITY i '1&e;2'>]><a>&i;</a>", r##"{ a: { #text: "1" directive"&e;" #text: "2" } }"##),
        ("<!DOCTYPE a [%p;<!ENTITY i 'x'>]><a>&i;</a>", r#"{ a: { directive"&i;" } }"#),
    ] {
        assert!(told(document).ends_with(events), "{document}: {}", told(document));
        // XML keeps the reference, and the document type that declares it.
        let Ok((written, losses)) = converted(document) else { panic!("{document}") };
        let expected = document.replace("<a>&i;</a>", if document.contains("1&e;2") { "<a>1&e;2</a>" } else { "<a>&i;</a>" });
        assert_eq!((written, losses), (expected, 0));
    }
    for (document, seen) in [
        ("<!DOCTYPE a [<!ENTITY e SYSTEM 'x'>]><a b='&e;'/>", "external entity"),
        ("<!DOCTYPE a [<!NOTATION n SYSTEM 'n'><!ENTITY e SYSTEM 'x' NDATA n>]><a>&e;</a>", "no text"),
        ("<?xml version='1.0' standalone='yes'?><!DOCTYPE a SYSTEM 'x'><a>&e;</a>", "entity `e`"),
        ("<?xml version='1.0' standalone='yes'?><!DOCTYPE a [%p;]><a/>", "parameter entity `p`"),
    ] {
        assert!(fails(document).to_string().contains(seen), "{document}: {}", fails(document));
    }
    // In an attribute's value the reference has no place: it is lost, and named so.
    let (_, losses) = converted("<!DOCTYPE a SYSTEM 'a.dtd'><a b='x&e;y'/>").unwrap();
    assert_eq!(losses, 1);
}

/// Returns a document as a conversion writes it, and the number of its losses.
fn converted(document: &str) -> polywire_core::Result<(String, usize)> {
    use polywire_core::Limits;
    use polywire_core::tools::Stream;
    use polywire_core::tools::adapt::Walker;
    let mut out = Vec::new();
    let mut walker = Walker::new(&polywire_formats::xml::FORMAT, &Limits::DEFAULT);
    let done = polywire_core::tools::convert::convert(
        &mut Stream::new(document.as_bytes()),
        &mut out,
        &mut walker,
        &polywire_formats::xml::FORMAT,
    )?;
    Ok((String::from_utf8(out).unwrap().trim_end().to_string(), done.losses.iter().count()))
}

#[test]
fn parameter_entities_are_expanded_within_bounds() {
    let document = "<!DOCTYPE a [<!ENTITY % p \"<!ENTITY e 'x'><!ATTLIST b c CDATA 'd' xmlns:n CDATA 'u'>\">%p;]><a>&e;<b/></a>";
    assert!(told(document).ends_with(r##"{ a: { #text: "x" b: { @c: "d" @xmlns:n: "u" } } }"##), "{}", told(document));
    // Defaults of attributes hold in the text of an entity too.
    let document = "<!DOCTYPE a [<!ATTLIST b c NMTOKENS ' d  e '><!ENTITY e '<b/><b c=\"1\"/>'>]><a>&e;</a>";
    assert!(told(document).ends_with(r#"{ a: { b: { @c: "d e" } b: { @c: "1" } } }"#), "{}", told(document));
    let mut bomb = String::from("<!DOCTYPE a [<!ENTITY % p0 '<?pi?>'>");
    for n in 1..12 {
        bomb.push_str(&format!("<!ENTITY % p{n} '{}'>", format!("&#37;p{};", n - 1).repeat(10)));
    }
    assert_eq!(fails(&format!("{bomb}%p11;]><a/>")).kind(), ErrorKind::Limit);
}

#[test]
fn namespaces_forbid_colons_in_names_that_have_no_prefix() {
    for document in
        ["<?a:b c?><a/>", "<a><?a:b?></a>", "<!DOCTYPE a [<!ENTITY a:b 'c'>]><a/>", "<!DOCTYPE a [<!NOTATION a:b SYSTEM 'c'>]><a/>"]
    {
        assert!(fails(document).to_string().contains("colon"), "{document}: {}", fails(document));
    }
}

#[test]
fn declarations_stand_first_and_name_the_encoding() {
    assert!(fails("\n<?xml version='1.0'?><a/>").to_string().contains("<?xml"));
    assert!(fails("\u{feff}<?xml version='1.0' encoding='ISO-8859-1'?><a/>").to_string().contains("ISO-8859-1"));
    assert!(walk("\u{feff}<?xml version='1.0' encoding='utf-8'?><a/>".as_bytes()).is_ok());
    let wide = |label: &str| {
        let text = format!("\u{feff}<?xml version='1.0' encoding='{label}'?><a/>");
        text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()
    };
    assert!(walk(&wide("UTF-16")).is_ok());
    assert!(walk(&wide("UTF-8")).is_err_and(|error| error.kind() == ErrorKind::Encoding));
}

#[test]
fn a_root_that_is_the_message_is_no_field() {
    use polywire_core::Reader;
    for mark in ["pw:k=\"x\" pw:root=\"value\"", "pw:root=\"value\""] {
        let document = format!("<pw:e xmlns:pw=\"urn:polywire:values\" {mark}>t</pw:e>");
        let error = fails(&document);
        assert_eq!((error.kind(), error.offset()), (ErrorKind::Syntax, Some(1)), "{error}");
        let mut writer = XmlWriter::default();
        let outcome = XmlReader::default().walk(document.as_bytes(), 0, &mut writer, &mut Budget::new(&Limits::DEFAULT));
        assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Syntax);
    }
}
