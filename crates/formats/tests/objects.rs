//! Documents as data: conventions of XML and CSV, and a document for any value.

use bytes::Bytes;
use polywire_core::format::Dialect;
use polywire_core::format::Format;
use polywire_core::value::Value;
use polywire_core::walk::Path;
use polywire_core::{Budget, ErrorKind, Limits, Result};
use polywire_doc::{Conventions, Datum, DocSink, Read, Reading, Reads, Repeated, Shape, Wanted};
use polywire_formats::registry;
use polywire_formats::{ber, csv, json, xml};
use polywire_testing::{self as testing, Rng, Shape as Random};

fn conventions(format: &Format) -> &'static dyn Conventions {
    registry::conventions(format).expect("conventions")
}

fn read(convention: &str, text: &str, wanted: &Wanted, shape: &Shape) -> Result<Read> {
    let reading = Reading { wanted, shape, header: false, utf8: false };
    let body = Bytes::copy_from_slice(text.as_bytes());
    conventions(&xml::FORMAT).read(convention, &body, &reading, &mut Budget::new(&Limits::DEFAULT))
}

fn shown(read: Read) -> String {
    String::from_utf8(Datum::from(read.doc).to_json()).unwrap()
}

/// The JSON text of a document, whether anybody looks into its elements or not.
fn as_json(convention: &str, text: &str) -> String {
    let json = |wanted: &Wanted| {
        let read = read(convention, text, wanted, &Shape::default()).unwrap_or_else(|error| panic!("{error} in {text}"));
        let value = Datum::from(read.doc);
        (String::from_utf8(value.to_json()).unwrap(), value)
    };
    let (expected, value) = json(&Wanted::everything());
    for levels in 1..=2 {
        let mut written = Wanted::nothing();
        for (root, inner) in value.view().members() {
            match inner.members() {
                inner if levels == 2 && inner.len() > 0 => inner.for_each(|(name, _)| written.write([root, name])),
                _ => written.write([root]),
            }
        }
        if value.view().is_object() {
            assert_eq!(json(&written).0, expected, "{text}");
        }
    }
    expected
}

#[test]
fn ql_maps_as_the_specification_says() {
    for (text, expected) in [
        ("<r><a>1</a><b>two</b></r>", r#"{"r":{"a":1,"b":"two"}}"#),
        (r#"<r x="1" y="z"><a k="v">t</a></r>"#, r#"{"r":{"x":1,"y":"z","a":{"k":"v","$t":"t"}}}"#),
        ("<r><i>1</i><i>2</i><j>4</j><i>3</i></r>", r#"{"r":{"i":[1,2,3],"j":4}}"#),
        (
            "<r><a>007</a><b>1e3</b><c>true</c><d>No</d><e>yes</e><f>0x10</f><g> 12 </g><h>FALSE</h></r>",
            r#"{"r":{"a":7,"b":1000,"c":true,"d":false,"e":true,"f":16,"g":12,"h":false}}"#,
        ),
        ("<r><a></a><b>  </b><c/><d>\n</d></r>", r#"{"r":{"a":{},"b":{},"c":{},"d":{}}}"#),
        ("<r><a>salt &amp; pepper</a><b>x &lt; y</b></r>", r#"{"r":{"a":"salt & pepper","b":"x < y"}}"#),
        ("<r><a> one <b>x</b> two </a></r>", r#"{"r":{"a":{"b":"x","$t":"one  two"}}}"#),
        ("<r><a>1<!-- -->2</a><b><![CDATA[<3>]]> </b></r>", r#"{"r":{"a":12,"b":"<3>"}}"#),
        (r#"<r a="" b=" " c=" 5 " d=" x "/>"#, r#"{"r":{"a":"","b":" ","c":5,"d":" x "}}"#),
        (r#"<s:E xmlns:s="u" xmlns="v"><s:B/></s:E>"#, r#"{"s:E":{"xmlns:s":"u","xmlns":"v","s:B":{}}}"#),
        (r#"<r n="1"><n>2</n></r>"#, r#"{"r":{"n":[1,2]}}"#),
        ("<r>9007199254740993</r>", r#"{"r":9007199254740993}"#),
        ("<r>123456789012345678901234567890.5</r>", r#"{"r":123456789012345678901234567890.5}"#),
        ("<r>Infinity</r>", r#"{"r":"Infinity"}"#),
        ("<r>a\r\nb</r>", r#"{"r":"a\nb"}"#),
        ("<r/>", r#"{"r":{}}"#),
        ("<?xml version='1.0' encoding='ISO-8859-1'?><!-- c --><r>plain</r>", r#"{"r":"plain"}"#),
    ] {
        assert_eq!(as_json("ql", text), expected, "{text}");
    }
}

#[test]
fn marks_of_typed_values_are_plain_attributes() {
    let value = Value::record([("a", Value::List(vec![Value::UInt(1), Value::text("x")]))]);
    let typed = String::from_utf8(testing::write(&xml::FORMAT, &value).unwrap()).unwrap();
    assert!(typed.contains("xmlns:pw"), "{typed}");
    let mapped = as_json("ql", &typed);
    assert!(mapped.contains("\"xmlns:pw\":"), "{mapped}");
}

#[test]
fn other_conventions_read_no_numbers() {
    let text = r#"<a:r xmlns:a="u" xmlns="v" n="1"><b>2</b><b> true </b><c k="v">t &amp; u</c><d/></a:r>"#;
    assert_eq!(as_json("text", text), r#"{"a:r":{"xmlns:a":"u","xmlns":"v","n":"1","b":["2","true"],"c":{"k":"v","$t":"t & u"},"d":{}}}"#);
    assert_eq!(
        as_json("badgerfish", text),
        r#"{"a:r":{"@xmlns":{"a":"u","$":"v"},"@n":"1","b":[{"$":"2"},{"$":"true"}],"c":{"@k":"v","$":"t & u"},"d":{}}}"#
    );
    assert_eq!(
        as_json("jsonml", "<r a='1'>x<b/> <!-- -->y<c>2</c><d e=''/></r>"),
        r#"["r",{"a":"1"},"x",["b"]," ","y",["c","2"],["d",{"e":""}]]"#
    );
    assert_eq!(as_json("walk", "<r a='1'>x<b>2</b></r>"), r##"{"r":{"@a":"1","#text":"x","b":"2"}}"##);
    let error = read("other", "<r/>", &Wanted::everything(), &Shape::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage);
    for convention in conventions(&xml::FORMAT).list() {
        assert!(read(convention.name, "<r><a>1</a></r>", &Wanted::everything(), &Shape::default()).is_ok());
    }
}

#[test]
fn what_is_not_wanted_is_skipped() {
    let text = r#"<e><junk a="b">xxxxxxxxxx<y/></junk><i><id>1</id><p c="USD">9.5</p><z><q>1</q></z></i><i><id>2</id><p c="EUR">4</p></i><i>note</i></e>"#;
    let select = |paths: &[&[&str]]| {
        let wanted = Wanted::paths(paths.iter().map(|path| path.iter().copied()));
        let read = read("ql", text, &wanted, &Shape::default()).unwrap();
        (read.skipped, shown(read))
    };
    let (skipped, json) = select(&[&["e", "i", "id"], &["e", "i", "p", "$t"]]);
    assert_eq!(json, r#"{"e":{"i":[{"id":1,"p":{"$t":9.5}},{"id":2,"p":{"$t":4}},"note"]}}"#);
    assert!(skipped > 50, "{skipped}");
    assert_eq!(select(&[&["e", "i", "p", "c"]]).1, r#"{"e":{"i":[{"p":{"c":"USD"}},{"p":{"c":"EUR"}},"note"]}}"#);
    assert_eq!(select(&[&["e", "junk", "$t"]]).1, r#"{"e":{"junk":{"$t":"xxxxxxxxxx"}}}"#);
    assert_eq!(select(&[&["other"]]).1, "{}");
    let (skipped, json) = select(&[&[]]);
    assert_eq!((skipped, json), (0, as_json("ql", text)));
}

#[test]
fn what_is_declared_has_one_shape() {
    let mut shape = Shape::default();
    let path = |text: &str| Path::parse(text).unwrap();
    shape.list(&path("r.i"));
    shape.list(&path("r.i.tag"));
    shape.reads(&path("r.i.zip"), Reads::Text);
    shape.reads(&path("r.i.k"), Reads::Text);
    shape.reads(&path("r.i.p.\"$t\""), Reads::Text);
    for (text, expected) in [
        ("<r><i><zip>01234</zip></i></r>", r#"{"r":{"i":[{"zip":"01234"}]}}"#),
        (
            "<r><i k='1'><tag>a</tag><tag>2</tag></i><i><p c='3'>4</p></i></r>",
            r#"{"r":{"i":[{"k":"1","tag":["a",2]},{"p":{"c":3,"$t":"4"}}]}}"#,
        ),
        ("<r/>", r#"{"r":{}}"#),
    ] {
        assert_eq!(shown(read("ql", text, &Wanted::everything(), &shape).unwrap()), expected);
    }
    let mut numbers = Shape::default();
    numbers.reads(&path("r.n"), Reads::Number);
    assert_eq!(
        shown(read("text", "<r><n>1</n><n>x</n><m>2</m></r>", &Wanted::everything(), &numbers).unwrap()),
        r#"{"r":{"n":[1,"x"],"m":"2"}}"#
    );
}

#[test]
fn hostile_documents_are_errors() {
    let bomb = format!(
        "<!DOCTYPE r [<!ENTITY a0 \"{}\">{}]><r>&a8;</r>",
        "x".repeat(100),
        (1..9).map(|n| format!("<!ENTITY a{n} \"{}\">", format!("&a{};", n - 1).repeat(10))).collect::<String>()
    );
    let deep = format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
    for text in [
        &*bomb,
        &deep,
        "<r>",
        "<r><a></r>",
        "<r>&nope;</r>",
        "<r a='1' a='2'/>",
        "",
        "x",
        "<r/><r/>",
        "<!DOCTYPE r SYSTEM 'file:///etc/passwd'><r>&x;</r>",
        "<r>\u{1}</r>",
    ] {
        for convention in conventions(&xml::FORMAT).list() {
            let error = read(convention.name, text, &Wanted::everything(), &Shape::default()).expect_err("a hostile document");
            assert!(error.offset().is_some(), "{error}");
            // Where nothing is wanted the same limits hold.
            let skipped = read(convention.name, text, &Wanted::paths([["r", "none"]]), &Shape::default());
            assert!(skipped.is_err() || text.contains("&nope;") || text.contains("&x;"), "{text:.40}");
        }
    }
    let invalid = Bytes::from_static(b"<r>\xff</r>");
    let wanted = Wanted::everything();
    let reading = Reading { wanted: &wanted, shape: &Shape::default(), header: false, utf8: false };
    let error = conventions(&xml::FORMAT).read("ql", &invalid, &reading, &mut Budget::new(&Limits::DEFAULT)).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::Encoding, Some(3)));
    let long = format!("<r>{}</r>", "9".repeat(100_000));
    assert!(as_json("ql", &long).starts_with("{\"r\":\"999"));
}

/// The plain twin of the mapping, on the walk's tree: what each element becomes without selection,
/// declarations or speed.
fn twin(value: &Value) -> Value {
    let Value::Record { fields, .. } = value else {
        let Value::Text(text) = value else { panic!("{value:?} in a document") };
        return if text.trim().is_empty() { Value::record::<&str>([]) } else { Value::text(text.trim()) };
    };
    let mut members: Vec<(String, Vec<Value>)> = Vec::new();
    let mut text = String::new();
    for (name, value) in fields {
        let (name, value) = match (name.strip_prefix('@'), value) {
            (Some(name), value) => (name.to_string(), value.clone()),
            (None, Value::Text(run)) if name == "#text" => {
                text.push_str(run);
                continue;
            }
            (None, value) => (name.clone(), twin(value)),
        };
        match members.iter_mut().find(|(known, _)| *known == name) {
            Some((_, values)) => values.push(value),
            None => members.push((name, vec![value])),
        }
    }
    if !text.trim().is_empty() {
        if members.is_empty() {
            return Value::text(text.trim());
        }
        members.push(("$t".into(), vec![Value::text(text.trim())]));
    }
    let one = |mut values: Vec<Value>| if values.len() == 1 { values.swap_remove(0) } else { Value::List(values) };
    Value::record(members.into_iter().map(|(name, values)| (name, one(values))))
}

fn random_element(rng: &mut Rng, depth: u32, out: &mut String) {
    let name = ["a", "b", "c", "item"][rng.usize(..4)];
    out.push_str(&format!("<{name}"));
    for attribute in ["k", "b"] {
        if rng.u8(..4) == 0 {
            out.push_str(&format!(" {attribute}='{}'", ["", " ", "1", "x &amp; y"][rng.usize(..4)]));
        }
    }
    out.push('>');
    for _ in 0..if depth == 0 { 1 } else { rng.usize(..5) } {
        match rng.u8(..6) {
            0 | 1 if depth > 0 => random_element(rng, depth - 1, out),
            2 => out.push_str("<!-- c -->"),
            3 => out.push_str("<![CDATA[ <&> ]]>"),
            _ => out.push_str([" ", "text", "\n  ", "&lt; 1", "12", "é"][rng.usize(..6)]),
        }
    }
    out.push_str(&format!("</{name}>"));
}

#[test]
fn the_mapping_agrees_with_its_twin() {
    let mut rng = Rng::with_seed(11);
    for _ in 0..3000 {
        let mut text = String::new();
        random_element(&mut rng, 4, &mut text);
        let walked = testing::value_of(&xml::FORMAT, text.as_bytes()).unwrap_or_else(|error| panic!("{error} in {text}"));
        let Value::Record { fields, .. } = &walked else { panic!("{walked:?}") };
        let expected = Value::record([(fields[0].0.clone(), twin(&fields[0].1))]);
        let found = read("text", &text, &Wanted::everything(), &Shape::default()).unwrap();
        assert_eq!(Datum::from(found.doc), Datum::from(&expected), "{text}");
        // The selection is part of the whole.
        let wanted = Wanted::paths([vec![fields[0].0.as_str(), "a"], vec![fields[0].0.as_str(), "item", "b"]]);
        let (part, whole) = (Datum::from(read("ql", &text, &wanted, &Shape::default()).unwrap().doc), as_json("ql", &text));
        let whole = testing::value_of(&json::FORMAT, whole.as_bytes()).unwrap();
        let root = Datum::from(&whole).view().members().next().unwrap().1.to_datum();
        let of_part = part.view().members().next().unwrap().1.get("a").map(|found| found.to_datum());
        if root.view().is_object() {
            assert_eq!(of_part, root.view().get("a").map(|found| found.to_datum()), "{text}");
        }
    }
}

/// A list of records that are much alike.
fn random_records(rng: &mut Rng) -> String {
    let names = ["id", "title", "titles", "a-name-of-more-than-thirty-two-bytes", "a-name-of-more-than-thirty-two-bytez", "n:p", "sub"];
    let fields: Vec<(&str, u8)> = (0..rng.usize(1..10)).map(|_| (names[rng.usize(..7)], rng.u8(..))).collect();
    let gap = ["", "\n  ", " "][rng.usize(..3)];
    let mut out = String::from("<r xmlns:n='u'>");
    for _ in 0..rng.usize(..12) {
        out.push_str(&format!("{gap}<i{}>", ["", "", "", " k='1'"][rng.usize(..4)]));
        for &(name, likely) in &fields {
            if rng.u8(..) > likely.max(100) {
                continue;
            }
            let attribute =
                if likely % 3 > 0 { "" } else { [" c=\"EUR\"", " c=\"5\"", " c=\"\"", " c='a&amp;b'", " c=\"x\" d=\"y\""][rng.usize(..5)] };
            let text =
                ["text", "1", "96.99", "true", "No", "2026-01-01", " x ", "\u{3000}", "", "&lt;", "<q>1</q><q/>", "<!-- c -->z", "]]", "é"]
                    [rng.usize(..14)];
            out.push_str(&format!("{gap}<{name}{attribute}>{text}</{name}>"));
        }
        out.push_str(&format!("{gap}</i>"));
    }
    out.push_str("</r>");
    out
}

#[test]
fn like_records_are_read_as_all_else_is() {
    let mut rng = Rng::with_seed(13);
    let path = |text: &str| Path::parse(text).unwrap();
    let mut shape = Shape::default();
    shape.list(&path("r.i.id"));
    shape.reads(&path("r.i.title"), Reads::Text);
    let some = Wanted::paths([vec!["r", "i", "title"], vec!["r", "i", "sub", "$t"], vec!["r", "i", "id", "c"], vec!["r", "i", "sub", "q"]]);
    for _ in 0..2000 {
        let text = random_records(&mut rng);
        // Where a carriage return may be anywhere, each text gets a second look, and no way is the
        // short one.
        let slow = format!("{text}<!--\r-->");
        for convention in ["ql", "text", "badgerfish"] {
            for (wanted, shape) in
                [(&Wanted::everything(), &Shape::default()), (&some, &Shape::default()), (&Wanted::everything(), &shape), (&some, &shape)]
            {
                let found = read(convention, &text, wanted, shape).map(shown).map_err(|error| error.to_string());
                assert_eq!(found, read(convention, &slow, wanted, shape).map(shown).map_err(|error| error.to_string()), "{text}");
            }
        }
    }
}

#[test]
fn tampered_documents_do_no_harm() {
    let mut rng = Rng::with_seed(12);
    for _ in 0..300 {
        let mut text = String::from("<?xml version='1.0'?>");
        random_element(&mut rng, 4, &mut text);
        let bytes = testing::mutate(&mut rng, text.as_bytes());
        testing::fuzz_conventions(conventions(&xml::FORMAT), &bytes);
        testing::fuzz_conventions(conventions(&csv::FORMAT), &testing::mutate(&mut rng, b"a,b\n\"1\",\"x\"\"y\"\n\n2,"));
    }
    for format in registry::FORMATS {
        for _ in 0..100 {
            let value = testing::value(&mut rng, Random::ANY);
            let bytes = testing::write(format, &value).unwrap_or_else(|_| b"{\"a\":1}".to_vec());
            testing::fuzz_document(format, &bytes);
            testing::fuzz_document(format, &testing::mutate(&mut rng, &bytes));
        }
    }
}

fn table(text: &'static [u8], header: bool, wanted: &Wanted, shape: &Shape) -> Result<Read> {
    let reading = Reading { wanted, shape, header, utf8: true };
    conventions(&csv::FORMAT).read("table", &Bytes::from_static(text), &reading, &mut Budget::new(&Limits::DEFAULT))
}

#[test]
fn tables_are_lists_of_rows() {
    let all = Wanted::everything();
    let none = Shape::default();
    let rows = b"\xef\xbb\xbfname,n\r\n\"a \"\"b\"\", c\",1\r\n\r\nx,\r\n";
    assert_eq!(shown(table(rows, false, &all, &none).unwrap()), r#"[["name","n"],["a \"b\", c","1"],["x",""]]"#);
    assert_eq!(shown(table(rows, true, &all, &none).unwrap()), r#"[{"name":"a \"b\", c","n":"1"},{"name":"x","n":""}]"#);
    let mut numbers = Shape::default();
    numbers.reads(&Path::parse("n").unwrap(), Reads::Number);
    let read = table(rows, true, &Wanted::paths([["n"]]), &numbers).unwrap();
    assert_eq!((read.skipped, shown(read)), (12 + 1, r#"[{"n":1},{"n":""}]"#.to_string()));
    assert_eq!(shown(table(b"a\tb\n1\t2", false, &all, &none).unwrap()), r#"[["a","b"],["1","2"]]"#);
    assert_eq!(shown(table(b"a,b\n1\n", true, &all, &none).unwrap()), r#"[{"a":"1"}]"#);
    assert_eq!(table(b"a\n1,2\n", true, &all, &none).unwrap_err().offset(), Some(4));
    assert_eq!(shown(table(b"a\rb", false, &all, &none).unwrap()), r#"[["a"],["b"]]"#);
    for bad in [&b"a,\"b\n"[..], b"a\"b\n", b"\"a\"b\n", b"\xff"] {
        assert!(table(bad, false, &all, &none).unwrap_err().offset().is_some());
    }
}

/// Returns the data of a document, by a second implementation without care for speed.
fn reduced(value: &Value) -> Value {
    let list = |values: &[Value]| Value::List(values.iter().map(reduced).collect());
    let key = |key: &Value| match reduced(key) {
        Value::Text(text) => text,
        other => {
            let text = String::from_utf8(Datum::from(&other).to_json()).unwrap();
            text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).map_or(text.clone(), str::to_string)
        }
    };
    let members = |members: Vec<(String, Value)>| {
        let mut kept: Vec<(String, Value)> = Vec::new();
        for (name, value) in members {
            match kept.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known = value,
                None => kept.push((name, value)),
            }
        }
        Value::record(kept)
    };
    match value {
        Value::List(values) | Value::Tuple(values) => list(values),
        Value::Map(pairs) => members(pairs.iter().map(|(name, value)| (key(name), reduced(value))).collect()),
        Value::Record { fields, .. } => members(fields.iter().map(|(name, value)| (name.clone(), reduced(value))).collect()),
        Value::Variant { name, values, .. } => match &values[..] {
            [] => Value::text(name.clone()),
            [value] => Value::record([(name.clone(), reduced(value))]),
            values => Value::record([(name.clone(), list(values))]),
        },
        Value::Tagged { value, .. } => reduced(value),
        Value::Octets(bytes) => String::from_utf8(bytes.clone()).map_or(Value::Bytes(bytes.clone()), Value::Text),
        other => other.clone(),
    }
}

#[test]
fn any_value_becomes_a_document_and_comes_back() {
    let mut rng = Rng::with_seed(13);
    for n in 0..4000 {
        let value = testing::value(&mut rng, if n % 2 == 0 { Random::ANY } else { Random::PLAIN });
        let datum = Datum::from(&value);
        let expected = reduced(&value);
        testing::assert_same(&expected, &Value::from(&datum), "a document");
        // Its events make the same document again, and so do owned values.
        let again = Value::from(&datum);
        let told = Datum::from_walk(|sink| again.emit(sink)).unwrap();
        assert_eq!(told, datum);
        assert_eq!(owned(&datum), datum);
        assert_eq!(owned(&datum).to_json(), datum.to_json());
        if n % 2 == 1 {
            let written = testing::write(&json::FORMAT, &expected).unwrap();
            let (ours, theirs) =
                (testing::value_of(&json::FORMAT, &datum.to_json()).unwrap(), testing::value_of(&json::FORMAT, &written).unwrap());
            assert_eq!(Datum::from(&ours), Datum::from(&theirs));
        }
    }
}

/// The same value without a document.
fn owned(datum: &Datum) -> Datum {
    let view = datum.view();
    if view.is_list() {
        Datum::list(view.items().map(|item| owned(&item.to_datum())))
    } else if view.is_object() {
        Datum::object(view.members().map(|(name, member)| (name, owned(&member.to_datum()))))
    } else {
        match datum {
            Datum::Node(_) => match Value::from(view) {
                Value::Text(text) => Datum::text(text),
                Value::Big(text) => Datum::Big(text.into()),
                Value::Decimal(text) => Datum::Decimal(text.into()),
                Value::Bytes(bytes) => Datum::Bytes(bytes.into()),
                other => panic!("{other:?}"),
            },
            other => other.clone(),
        }
    }
}

#[test]
fn every_format_makes_documents() {
    let mut rng = Rng::with_seed(14);
    let mut read = 0;
    for format in registry::FORMATS {
        if format.writer.is_none() {
            continue;
        }
        for _ in 0..100 {
            let value = Value::record([("a", testing::value(&mut rng, Random::PLAIN)), ("b", Value::UInt(1))]);
            let Ok(bytes) = testing::write(format, &value) else { continue };
            let wanted = Wanted::paths([["b"]]);
            let body = Bytes::from(bytes);
            for wanted in [&wanted, &Wanted::everything()] {
                let mut sink = DocSink::new(body.clone(), wanted, Repeated::Last);
                let mut reader = Dialect::from(*format).reader();
                if reader.walk(&body, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT)).is_ok() {
                    let (doc, skipped) = sink.finish(body.len() as u64).unwrap();
                    assert!(skipped <= body.len() as u64);
                    read += usize::from(Datum::from(doc).view().get("b").is_some());
                }
            }
        }
    }
    assert!(read > 1000, "{read}");
}

#[test]
fn floats_that_are_no_numbers_are_the_same_in_documents() {
    // A sequence of two reals, both NOT-A-NUMBER (X.690 8.5.9).
    testing::fuzz_document(&ber::FORMAT, &[0x30, 0x06, 0x09, 0x01, 0x42, 0x09, 0x01, 0x42]);
}
