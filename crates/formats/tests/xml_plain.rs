//! Plain XML: what it keeps, what it loses by name, and what other readers see.

use fastrand::Rng;
use polywire_core::format::Format;
use polywire_core::tools::adapt::Walker;
use polywire_core::walk::{Indent, Layout};
use polywire_core::{Limits, Value, Writer};
use polywire_formats::{json, xml, yaml};
use polywire_testing::{self as testing, Shape};

fn plain(root: Option<&str>) -> Box<dyn Writer> {
    let mut given = vec![("xml", "plain")];
    given.extend(root.map(|root| ("xml-root", root)));
    xml::FORMAT.settings.unwrap().configure(&given).unwrap().writer().unwrap()
}

fn convert(from: &'static Format, mut writer: Box<dyn Writer>, message: &str) -> (String, Vec<&'static str>) {
    let mut out = Vec::new();
    Walker::new(from, &Limits::DEFAULT).walk(message.as_bytes(), 0, &mut *writer).unwrap_or_else(|error| panic!("{message}: {error}"));
    writer.finish(&mut out).unwrap();
    (String::from_utf8(out).unwrap(), writer.losses().iter().map(|lost| lost.what).collect())
}

fn of_json(message: &str) -> (String, Vec<&'static str>) {
    convert(&json::FORMAT, plain(None), message)
}

fn to_json(document: &str) -> String {
    convert(&xml::FORMAT, json::FORMAT.writer.unwrap()(), document).0
}

fn same_json(one: &str, other: &str) -> bool {
    let read = |text: &str| -> serde_json::Value { serde_json::from_str(text).unwrap() };
    read(one) == read(other)
}

#[test]
fn elements_attributes_text_and_lists_come_back() {
    for (message, document) in [
        (r#"{"order":{"@id":"7","item":["pen","ink"]}}"#, r#"<order id="7"><item>pen</item><item>ink</item></order>"#),
        (r##"{"p":{"@a":"1","#text":"x<&"}}"##, r#"<p a="1">x&lt;&amp;</p>"#),
        (r##"{"p":{"b":"x","#text":"y"}}"##, "<p><b>x</b>y</p>"),
        (r#"{"a":""}"#, "<a/>"),
        (r#"{"a":{"b":"x","@late":"1","c":{"d":"","@e":"2","@f":"3"}}}"#, r#"<a late="1"><b>x</b><c e="2" f="3"><d/></c></a>"#),
        (r#"{"s:a":{"@s:b":"1","@xmlns:s":"urn:s","s:c":"2"}}"#, r#"<s:a s:b="1" xmlns:s="urn:s"><s:c>2</s:c></s:a>"#),
        (r#"{"a":{"b":"1","@xmlns:s":"urn:s","s:c":"2"}}"#, r#"<a xmlns:s="urn:s"><b>1</b><s:c>2</s:c></a>"#),
        (r#"{"a":[" ","\n","\r"],"@b":"\n"}"#, "<root b=\"&#10;\"><a> </a><a>\n</a><a>&#13;</a></root>"),
    ] {
        let (written, lost) = of_json(message);
        assert_eq!(written, document);
        let is_document = !document.starts_with("<root");
        assert_eq!(lost.is_empty(), is_document, "{message}: {lost:?}");
        if is_document {
            assert!(same_json(&to_json(document), message), "{document}");
        }
    }
}

#[test]
fn losses_have_names() {
    for (message, document, lost) in [
        (r#"{"a":null}"#, "<a/>", "null became empty text"),
        (r#"{"a":1.50}"#, "<a>1.50</a>", "number became text"),
        (r#"{"a":123456789012345678901234567890}"#, "<a>123456789012345678901234567890</a>", "number became text"),
        (r#"{"a":true}"#, "<a>true</a>", "truth value became text"),
        (r#"{"a":{}}"#, "<a/>", "empty record became empty text"),
        (r##"{"a":{"#text":"x"}}"##, "<a>x</a>", "record of nothing but text became text"),
        (r##"{"a":{"@b":"","#text":""}}"##, r#"<a b=""/>"#, "empty text dropped"),
        (r##"{"a":{"b":"","#text":["x","y"]}}"##, "<a><b/>xy</a>", "texts beside each other became one"),
        (r#"{"a":["x"]}"#, "<a>x</a>", "list of one value became the value"),
        (r#"{"a":{"b":"","c":[]}}"#, "<a><b/></a>", "empty list dropped"),
        (r#"{"a":{"b":[["x","y"],["z","z"]]}}"#, "<a><b><item>x</item><item>y</item></b><b><item>z</item><item>z</item></b></a>", ITEM),
        (r#"{"a b":"x"}"#, "<a_x0020_b>x</a_x0020_b>", "name that no element can have was escaped"),
        (r#"{"a":{"b:c":{"d":""}}}"#, "<a><b_x003A_c><d/></b_x003A_c></a>", "name that no element can have was escaped"),
        (r#"{"a":{"@b c":"x"}}"#, "<a><_x0040_b_x0020_c>x</_x0040_b_x0020_c></a>", ODD),
        (r#"{"a":{"b":"","@c":{"d":""}}}"#, "<a><b/><_x0040_c><d/></_x0040_c></a>", ODD),
        (r#"{"a":"\u0000"}"#, "<a>\u{fffd}</a>", "character that XML does not have became U+FFFD"),
        (r#"{"a":"x","b":"y"}"#, "<root><a>x</a><b>y</b></root>", ROOT),
        (r#"{"@a":"x"}"#, r#"<root a="x"/>"#, ROOT),
        (r##"{"#text":"x"}"##, "<root>x</root>", ROOT),
        (r#"{"a":["x","y"]}"#, "<root><a>x</a><a>y</a></root>", ROOT),
        (r#""x""#, "<root>x</root>", ROOT),
    ] {
        let (written, noted) = of_json(message);
        assert_eq!(written, document);
        assert!(noted.contains(&lost), "{message}: {noted:?}");
        testing::value_of(&xml::FORMAT, document.as_bytes()).unwrap();
    }
    assert_eq!(of_json(r#"["x",["y"]]"#), ("<root><item>x</item><item><item>y</item></item></root>".into(), vec![ITEM, ITEM, ROOT]));
}

const ITEM: &str = "list without a name of its own became elements named item";
const ODD: &str = "attribute or text that no element can have became an element";
const ROOT: &str = "element added around the message";

#[test]
fn a_root_that_the_user_names_stands_around_every_message() {
    for (message, document) in [
        (r#"{"a":"x"}"#, "<r><a>x</a></r>"),
        (r#"{"@a":"x","b":"y"}"#, r#"<r a="x"><b>y</b></r>"#),
        (r#""x""#, "<r>x</r>"),
        (r#"{"b":["x","y"]}"#, "<r><b>x</b><b>y</b></r>"),
    ] {
        assert_eq!(convert(&json::FORMAT, plain(Some("r")), message), (document.into(), vec![]));
    }
}

#[test]
fn lines_are_no_part_of_the_values() {
    let message = r##"{"a":{"b":["x\n",{"c":"","d":"e"}],"#text":"","p":{"i":"x","#text":"y"}}}"##;
    let mut writer = plain(None);
    assert!(writer.lay_out(&Layout::COMPACT.with_indent(Some(Indent::Spaces(2)))));
    let (written, _) = convert(&json::FORMAT, writer, message);
    assert_eq!(written, "<a>\n  <b>x\n</b>\n  <b>\n    <c/>\n    <d>e</d>\n  </b>\n  <p><i>x</i>y</p>\n</a>");
    assert!(same_json(&to_json(&written), r##"{"a":{"b":["x\n",{"c":"","d":"e"}],"p":{"i":"x","#text":"y"}}}"##));
}

#[test]
fn documents_stay_what_they_are() {
    for document in [
        r#"<a x="1"><!--c--><b>t</b><?p q?>u</a>"#,
        r#"<!DOCTYPE a><a xmlns="urn:a" xml:lang="en"><b xmlns:n="urn:n" n:c="d"><n:e/></b></a>"#,
        "<a><!--c-->x</a>",
    ] {
        assert_eq!(convert(&xml::FORMAT, plain(None), document), (document.into(), vec![]), "{document}");
    }
    let (written, _) = convert(&yaml::FORMAT, plain(None), "{1: a, [2, {x: y}]: {b: c}}");
    assert_eq!(
        written,
        "<root><_x0031_>a</_x0031_><_x005B_2_x002C__x007B__x0022_x_x0022__x003A__x0022_y_x0022__x007D__x005D_><b>c</b></_x005B_2_x002C__x007B__x0022_x_x0022__x003A__x0022_y_x0022__x007D__x005D_></root>"
    );
}

/// Returns a random value of nothing but texts, records and lists, by JSON's spelling.
fn texts(rng: &mut Rng, depth: u32) -> serde_json::Value {
    match rng.u8(..if depth == 0 { 4 } else { 9 }) {
        0..4 => serde_json::Value::String([" ", "x", "<&>]]>", "\n ", "é\u{1}", "a\r\nb", "7", ""][rng.usize(..8)].into()),
        4..7 => {
            let names = ["a", "b", "@a", "@b", "#text", "c d", "@xmlns:n", "n:e", "@n:f", "@xml:lang", "@xmlns"];
            (0..rng.usize(..5)).map(|_| (names[rng.usize(..names.len())].to_string(), texts(rng, depth - 1))).collect()
        }
        _ => (0..rng.usize(..4)).map(|_| texts(rng, depth - 1)).collect(),
    }
}

#[test]
fn random_messages_come_back_or_their_losses_are_named() {
    let mut rng = Rng::with_seed(20);
    let mut whole = 0;
    for _ in 0..20_000 {
        let mut message = texts(&mut rng, 4);
        if rng.bool() {
            message = serde_json::json!({ "doc": message });
        }
        let message = message.to_string();
        let (written, lost) = of_json(&message);
        let judged = roxmltree::Document::parse(&written);
        assert!(judged.is_ok(), "{message}: {written}: {judged:?}");
        let again = to_json(&written);
        if lost.is_empty() {
            whole += 1;
            assert!(same_json(&again, &message), "{message}: {written}: {again}");
        }
    }
    assert!(whole > 1000, "{whole}");
}

#[test]
fn values_of_every_kind_make_documents() {
    let mut rng = Rng::with_seed(7);
    for _ in 0..5_000 {
        let value = testing::value(&mut rng, Shape::ANY);
        let value = if rng.bool() { Value::Tagged { space: "t".into(), code: 1, value: Box::new(value) } } else { value };
        let (mut writer, mut out) = (plain(None), Vec::new());
        let tree = value.clone();
        tree.emit(&mut *writer).unwrap();
        writer.finish(&mut out).unwrap();
        assert!(!writer.losses().is_empty() || !matches!(value, Value::Tagged { .. }));
        let written = String::from_utf8(out).unwrap();
        roxmltree::Document::parse(&written).unwrap_or_else(|error| panic!("{written}: {error}"));
        testing::value_of(&xml::FORMAT, written.as_bytes()).unwrap_or_else(|error| panic!("{written}: {error}"));
    }
}
