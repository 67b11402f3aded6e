//! Entries of documents as messages: however the stream is cut, and as the whole document has them.

use std::io::{self, Read};

use polywire_core::tools::Stream;
use polywire_core::tools::adapt::Walker;
use polywire_core::walk::EntryPath;
use polywire_core::{Dialect, Error, ErrorKind, Format, Limits, Tree, Value};
use polywire_formats::registry;
use polywire_testing as testing;

/// Gives a few bytes at a time.
struct Pieces<'b>(&'b [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let taken = self.1.min(self.0.len()).min(buf.len());
        buf[..taken].copy_from_slice(&self.0[..taken]);
        self.0 = &self.0[taken..];
        Ok(taken)
    }
}

fn entries(format: &'static Format, bytes: &[u8], path: &str, piece: usize) -> Result<Vec<Value>, Error> {
    let mut walker = Walker::new(format, &Limits::DEFAULT).each(Some(EntryPath::parse(path)?));
    let mut stream = Stream::new(Pieces(bytes, piece));
    let mut found = Vec::new();
    while let Some(message) = stream.next(&mut walker)? {
        let mut tree = Tree::new();
        walker.walk(message.bytes, message.base, &mut tree)?;
        found.push(Value::from(tree.root().expect("a value")));
        // The bytes are a message of the format.
        if !walker.reads_whole() {
            let mut alone = Tree::new();
            Walker::new(format, &Limits::DEFAULT).walk(message.bytes, 0, &mut alone)?;
            assert_eq!(found.last(), Some(&Value::from(alone.root().expect("a value"))));
        }
    }
    if found.is_empty() {
        return Err(walker.no_entry().expect("an error"));
    }
    Ok(found)
}

/// Returns the values that a JSON text has, one per line.
fn values(lines: &str) -> Vec<Value> {
    let mut walker = Walker::new(registry::find("jsonl").unwrap(), &Limits::DEFAULT);
    let mut stream = Stream::new(lines.as_bytes());
    let mut found = Vec::new();
    while let Some(message) = stream.next(&mut walker).unwrap() {
        let mut tree = Tree::new();
        walker.walk(message.bytes, message.base, &mut tree).unwrap();
        found.push(Value::from(tree.root().unwrap()));
    }
    found
}

fn written(value: &Value, format: &'static Format) -> Vec<u8> {
    let (mut writer, mut out) = (Dialect::from(format).writer().expect("a writer"), Vec::new());
    let mut tree = Tree::new();
    value.emit(&mut tree).unwrap();
    tree.emit(&mut *writer).unwrap();
    writer.finish(&mut out).unwrap();
    out
}

fn same(format: &str, bytes: &[u8], path: &str, expected: &str) {
    let format = registry::find(format).unwrap();
    for piece in [1, 2, 3, 7, 64, 1 << 20] {
        let found = entries(format, bytes, path, piece).unwrap_or_else(|error| panic!("{} {path} by {piece}: {error}", format.name));
        let json = registry::find("json").unwrap();
        let lines = |values: &[Value]| values.iter().map(|value| String::from_utf8(written(value, json)).unwrap()).collect::<Vec<_>>();
        assert_eq!(lines(&found), lines(&values(expected)), "{} {path} by {piece}", format.name);
    }
}

const DOCUMENT: &str = r#"{"meta":{"n":3,"items":[0],"t":"]}\"{["},"items":[{"id":1,"tags":["a","b"]},{"id":2,"tags":[]},{"id":3,"tags":["c"],"x":{"y":null}}],"end":[[1,2],[3]]}"#;

#[test]
fn entries_of_formats_that_hold_any_value() {
    let document = &values(DOCUMENT)[0];
    for format in ["json", "cbor", "msgpack", "yaml", "bencode"] {
        let format = registry::find(format).unwrap();
        let bytes = written(document, format);
        let all = "{\"id\":1,\"tags\":[\"a\",\"b\"]}\n{\"id\":2,\"tags\":[]}\n{\"id\":3,\"tags\":[\"c\"],\"x\":{\"y\":null}}\n";
        // Bencode has no null.
        let all = if format.name == "bencode" { all.replace(",\"x\":{\"y\":null}", "") } else { all.to_string() };
        let bytes =
            if format.name == "bencode" { written(&values(&DOCUMENT.replace(",\"x\":{\"y\":null}", ""))[0], format) } else { bytes };
        same(format.name, &bytes, "items", &all);
        same(format.name, &bytes, "items[]", &all);
        same(format.name, &bytes, "items.id", "1\n2\n3");
        same(format.name, &bytes, "end[]", "[1,2]\n[3]");
        if format.name != "yaml" {
            same(format.name, &bytes, "end[][]", "1\n2\n3");
            same(format.name, &bytes, "items.tags", "\"a\"\n\"b\"\n\"c\"");
        }
        same(format.name, &bytes, "meta.n", "3");
        let error = entries(format, &bytes, "items.name", 5).unwrap_err();
        assert!(error.advice().starts_with("`items` has: id, tags"), "{}: {error} {}", format.name, error.advice());
    }
    let bson = registry::find("bson").unwrap();
    let bytes = written(document, bson);
    let expected = "{\"id\":1,\"tags\":[\"a\",\"b\"]}\n{\"id\":2,\"tags\":[]}\n{\"id\":3,\"tags\":[\"c\"],\"x\":{\"y\":null}}\n";
    same("bson", &bytes, "items", expected);
    let error = entries(bson, &bytes, "meta.n", 3).unwrap_err();
    assert!(error.kind() == ErrorKind::Unsupported && error.what().contains("0x10"), "{error}");
}

#[test]
fn a_list_at_the_top_is_many_messages() {
    let expected = "{\"a\":1}\n{\"a\":2}\n\"x\"\n[3]";
    for (format, bytes) in [
        ("json", &b" [ {\"a\": 1} ,{\"a\":2}, \"x\",[3]] "[..]),
        ("json", b"[{\"a\":1},{\"a\":2}] [\"x\",[3]]"),
        ("yaml", b"# list\n- a: 1\n- a: 2\n\n- x\n- - 3\n"),
        ("yaml", b"---\n  - a: 1\n  -\n    # two\n    a: 2\n  - \"x\"\n---\n- [3]\n"),
        ("cbor", b"\xd9\xd9\xf7\x9f\xa1\x61a\x01\xbf\x61a\x02\xff\x61x\x81\x03\xff"),
        ("msgpack", b"\xdc\x00\x04\x81\xa1a\x01\x81\xa1a\x02\xa1x\x91\x03"),
        ("bencode", b"ld1:ai1eed1:ai2ee1:xli3eee"),
    ] {
        same(format, bytes, ".", expected);
    }
    same("json", b"{\"a\":1} {\"a\":2} ", ".", "{\"a\":1}\n{\"a\":2}");
}

#[test]
fn elements_of_xml() {
    let text = "<?xml version='1.0'?>\n<!DOCTYPE rss [<!ENTITY a \"<]>\"> <!-- ] -->]>\n<rss v='>'><channel><title>T &amp; U</title>\
                <item k='1'><a>x</a></item><!-- <item/> --><item/>text<skip><item>no</item></skip><![CDATA[<item>]]><item>z</item></channel></rss>\n<!-- end -->";
    same("xml", text.as_bytes(), "rss.channel.item", "{\"item\":{\"@k\":\"1\",\"a\":\"x\"}}\n{\"item\":\"\"}\n{\"item\":\"z\"}");
    same("xml", text.as_bytes(), "*.*.title", "{\"title\":\"T & U\"}");
    same("xml", b"<r><a>1</a><b>2</b></r><r><a>3</a></r>", "r.*", "{\"a\":\"1\"}\n{\"b\":\"2\"}\n{\"a\":\"3\"}");
    // Prefixes that the elements around an entry declare are declared in it.
    let text = "<f xmlns:a='u:a' xmlns:b=\"u:b\"><x xmlns:c='u'><a:i/></x><a:i><b:j/>c:</a:i><a:i xmlns:a='v' a:k='1'/></f>";
    same("xml", text.as_bytes(), "f.x.*", "{\"a:i\":{\"@xmlns:a\":\"u:a\",\"\":\"\"}}".replace(",\"\":\"\"", "").as_str());
    same(
        "xml",
        text.as_bytes(),
        "f.\"a:i\"",
        "{\"a:i\":{\"@xmlns:b\":\"u:b\",\"@xmlns:a\":\"u:a\",\"b:j\":\"\",\"#text\":\"c:\"}}\n{\"a:i\":{\"@xmlns:a\":\"v\",\"@a:k\":\"1\"}}",
    );
    let xml = registry::find("xml").unwrap();
    for (bad, what) in [("<r><a/></s>", "</r>"), ("<r><a/>", "the end"), ("<?xml version='1.0' encoding='UTF-16'?><r><a/></r>", "encod")] {
        let error = entries(xml, bad.as_bytes(), "r.a", 4).unwrap_err();
        assert!(format!("{error}").contains(what), "{bad}: {error}");
    }
}

#[test]
fn sequences_of_yaml_as_people_write_them() {
    let text = "%YAML 1.2\n--- # start\napiVersion: v1\nitems:\n- kind: A  # one\n  text: |\n    - no item\n    items:\n  map: {a: 1}\n\
                # between\n-   kind: B\n    list:\n    - 1\n    - 2\n\"quoted: key\": [1, 2]\nother:\n    deep:\n      - kind: C\n...\n";
    let items = "{\"kind\":\"A\",\"text\":\"- no item\\nitems:\\n\",\"map\":{\"a\":1}}\n{\"kind\":\"B\",\"list\":[1,2]}";
    same("yaml", text.as_bytes(), "items", items);
    same("yaml", text.as_bytes(), "other.deep", "{\"kind\":\"C\"}");
    same("yaml", text.as_bytes(), "items.kind", "\"A\"\n\"B\"");
}

#[test]
fn malformed_documents_are_refused_where_they_are() {
    for (format, bytes, path, offset, what) in [
        ("json", "[{\"a\":1} {\"a\":2}]", ".", 9, "','"),
        ("json", "[{\"a\":1},", ".", 9, "a value"),
        ("json", "{\"a\" 1}", "a", 5, "':'"),
        ("json", "{\"x\":1,}", "a", 7, "a name"),
        ("yaml", "a:\n  - x: 1\n    y: 2\n   - z\n", "a", 24, "expected"),
        ("yaml", "a: [1]\n", "a", 3, "block"),
        ("bson", "\u{5}\0\0", "a", 3, "the length"),
    ] {
        let format = registry::find(format).unwrap();
        for piece in [1, 1 << 20] {
            let error = entries(format, bytes.as_bytes(), path, piece).unwrap_err();
            assert!(format!("{error}").contains(what), "{bytes}: {error}");
            assert_eq!(error.offset(), Some(offset), "{bytes}: {error}");
        }
    }
}

#[test]
fn tampered_documents_do_no_harm() {
    let mut rng = fastrand::Rng::with_seed(4);
    let document = &values(DOCUMENT)[0];
    for format in ["json", "cbor", "msgpack", "bson", "yaml", "xml"] {
        let format = registry::find(format).unwrap();
        let bytes = match format.name {
            "xml" => b"<r><!-- c --><items><id>1</id></items><items a='2'>text<id/></items></r>".to_vec(),
            _ => written(document, format),
        };
        for _ in 0..40 {
            let mut bytes = bytes.clone();
            for _ in 0..=rng.usize(..2) {
                let at = rng.usize(..bytes.len());
                bytes[at] = rng.u8(..);
            }
            bytes.truncate(rng.usize(1..=bytes.len() * 2).min(bytes.len()));
            testing::fuzz_entries(format, &bytes, rng.usize(1..9));
        }
    }
}
