//! Hostile `.proto` texts: large, deep, cut, and with changed bytes. Each is read or refused, in
//! time that grows as the text does.

use std::path::Path;

use polywire_core::schema::language::SchemaText;
use polywire_core::text::diagnostic::Diagnostics;
use polywire_core::text::sources::Files;
use polywire_protobuf::source::{Protos, read};

fn protos() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/protos")
}

fn compile(text: &str) -> Result<Protos, Diagnostics> {
    let include = vec![protos().to_str().unwrap().to_string()];
    read(&SchemaText { name: "a.proto", bytes: text.as_bytes(), identity: "" }, &mut Files::new().including(include))
}

/// Every finding has a place within its text.
fn check(text: &str) {
    if let Err(found) = compile(text) {
        assert!(found.is_error() && found.findings.len() <= 200);
        for finding in &found.findings {
            for place in std::iter::once(finding.at).chain(finding.related.iter().map(|(place, _)| *place)) {
                let source = &found.sources[place.source as usize];
                assert!(source.text.get(place.range()).is_some(), "{finding:?}");
            }
        }
    }
}

fn many(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect()
}

#[test]
fn large_texts_take_as_long_as_they_are() {
    let n = 30_000;
    let head = "syntax = \"proto2\"; ";
    let options = "import \"google/protobuf/descriptor.proto\"; extend google.protobuf.MessageOptions { repeated M o = 50001; } ";
    for text in [
        ";".repeat(4 << 20),
        "}".repeat(1 << 20),
        format!("message {} {{}}", "a".repeat(4 << 20)),
        format!("/*{}", "*\n".repeat(1 << 20)),
        "// a\n\n".repeat(1 << 18),
        format!("option java_package = {};", "\"a\" ".repeat(1 << 18)),
        format!("option a = {{{}}};", "a: 1 ".repeat(1 << 18)),
        format!("option a{} = 1;", ".a".repeat(1 << 18)),
        format!("package a{};", ".a".repeat(1 << 18)),
        format!("message M {{ optional a{} x = 1; }}", ".a".repeat(1 << 18)),
        many(n, |n| format!("import \"a{n}.proto\";")),
        many(n, |n| format!("message M{n} {{}}")),
        many(n, |_| "message M {}".into()),
        format!("message M {{ {} }}", many(n, |n| format!("optional int32 a{n} = {};", n + 1))),
        format!("message M {{ {} }}", many(n, |n| format!("map<int32, int32> a{n} = {};", n + 1))),
        format!("message M {{ {} }}", many(n, |n| format!("optional group G{n} = {} {{}}", n + 1))),
        format!("message M {{ {} }}", many(n, |_| "optional int32 a = 1;".into())),
        format!("message M {{ reserved {} 600000000; }}", many(n, |n| format!("{},", 2 * n + 1))),
        format!(
            "message M {{ reserved {} 600000000; {} }}",
            many(n, |n| format!("{},", 2 * n + 1)),
            many(n, |n| format!("optional int32 a{n} = {};", 2 * n + 2))
        ),
        format!("message M {{ extensions {} 100000000 [deprecated = true]; }}", many(n, |n| format!("{},", 2 * n + 1))),
        format!(
            "message M {{ extensions {} 100000000; }} extend M {{ {} }}",
            many(n, |n| format!("{},", n + 1)),
            many(n, |n| format!("optional int32 a{n} = {};", n + 1))
        ),
        format!("enum E {{ {} }}", many(n, |n| format!("A{n} = {n};"))),
        format!("enum E {{ option allow_alias = true; {} }}", many(n, |n| format!("A{n} = 0;"))),
        format!("{options} message M {{ {} }}", many(n, |_| "option (o) = {};".into())),
        format!("{options} message M {{ repeated M m = 1; option (o) = {{ {} }}; }}", "m {} ".repeat(n)),
        format!("{options} message M {{ repeated E e = 1; option (o) = {{ {} }}; }} enum E {{ A = 0; {} }}", "e: 1 ".repeat(n), {
            many(n, |n| format!("A{n} = {};", n + 1))
        }),
        format!("message {} {{ {} }}", "A".repeat(100_000), many(n, |n| format!("optional int32 a{n} = {};", n + 1))),
        format!("service S {{ {} }}", many(n, |n| format!("rpc F{n}(S) returns (S);"))),
    ] {
        check(&format!("{head}{text}"));
    }
}

#[test]
fn deep_texts_end() {
    for (open, close) in [("message M {", "}"), ("optional group G = 1 {", "}"), ("enum E {", "}"), ("oneof o {", "}"), ("extend M {", "}")]
    {
        for depth in [10, 31, 32, 33, 99, 100_000] {
            check(&format!("syntax = \"proto2\"; {}{}", open.repeat(depth), close.repeat(depth)));
            check(&open.repeat(depth));
        }
    }
    let head = "import \"google/protobuf/descriptor.proto\"; extend google.protobuf.FileOptions { optional M o = 50001; } \
                message M { optional M m = 1; } option (o) = ";
    for depth in [50, 98, 200] {
        check(&format!("{head} {}{};", "{ m ".repeat(depth), "}".repeat(depth)));
        check(&format!("{head} {{ {} {} }};", "m < ".repeat(depth), ">".repeat(depth)));
    }
    let nested = |depth: usize| format!("syntax = \"proto2\"; {}{}", many(depth, |n| format!("message M{n} {{")), "}".repeat(depth));
    assert!(compile(&nested(31)).is_ok());
    assert!(compile(&nested(32)).unwrap_err().to_string().contains("more than 31 messages within each other"));
}

#[test]
fn cut_and_changed_texts_are_read_or_refused() {
    let mut random = fastrand::Rng::with_seed(26);
    for file in ["everything2.proto", "everything3.proto", "edition2023.proto", "edition2024.proto"] {
        let text = std::fs::read_to_string(protos().join("compiled").join(file)).unwrap();
        assert!(compile(&text).is_ok(), "{file}");
        for end in (0..text.len()).step_by(7) {
            if let Some(cut) = text.get(..end) {
                check(cut);
            }
        }
        let words: Vec<&str> = text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()).collect();
        for _ in 0..400 {
            let mut changed = words.clone();
            for _ in 0..random.usize(1..4) {
                let (from, to) = (random.usize(..changed.len()), random.usize(..changed.len()));
                match random.u8(..3) {
                    0 => changed[to] = changed[from],
                    1 => changed.swap(from, to),
                    _ => _ = changed.remove(to),
                }
            }
            check(&changed.concat());
        }
    }
}
