//! Reading of `.proto` text and descriptor sets, and errors with their places.

use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::{Files, NoFiles, identity};
use polywire_core::{Fault, Limits};
use polywire_protobuf::descriptor::FileDescriptorSet;
use polywire_protobuf::model::{Cardinality, Default, Edition, Kind, Pool, Presence, WellKnown};
use polywire_protobuf::source::{Protos, is_descriptor_set, read};

fn file(name: &str) -> Protos {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/protos").join(name);
    let bytes = std::fs::read(&path).unwrap();
    let text = SchemaText { name: path.to_str().unwrap(), bytes: &bytes, identity: &identity(&path) };
    read(&text, &mut Files::new()).unwrap_or_else(|error| panic!("{error}"))
}

fn text(text: &str) -> Result<Protos, String> {
    read(&SchemaText { name: "a.proto", bytes: text.as_bytes(), identity: "" }, &mut NoFiles).map_err(|error| error.to_string())
}

#[test]
fn proto2_is_resolved() {
    let protos = file("old.proto");
    let pool = &protos.pool;
    let id = pool.message("judge.old.Everything").unwrap();
    let all = &pool[id];
    assert_eq!(pool[all.file].edition, Edition::Proto2);
    assert_eq!(all.doc.lines().next(), Some("A message with all kinds of fields."));
    let field = |name: &str| all.by_name(name).unwrap();
    assert_eq!((field("a_double").presence, field("a_float").presence), (Presence::Required, Presence::Explicit));
    assert_eq!(field("an_int32").default, Some(Default::Int(i32::MIN.into())));
    assert_eq!(field("a_string").default, Some(Default::String("q\"\nä\\".into())));
    assert_eq!(field("some_bytes").default, Some(Default::Bytes((*b"\0\x01\xff\\ab").into())));
    assert_eq!(field("colour").default, Some(Default::Enum(2)));
    assert!(field("packed").packed && !field("expanded").packed && !field("a_string").utf8);
    assert_eq!(&*field("expanded").doc, "behind it");
    assert!(matches!(field("part").kind, Kind::Group(part) if &*pool[part].name == "judge.old.Everything.Part"));
    let (key, value) = pool.map_entry(field("colours")).unwrap();
    assert_eq!((key.kind, field("colours").cardinality), (Kind::String, Cardinality::Map));
    assert!(matches!(value.kind, Kind::Enum(colour) if pool[colour].closed && &*pool[colour].by_number(2).unwrap().name == "BLUE"));
    assert_eq!(all.oneofs.len(), 1);
    assert_eq!(
        all.oneofs[0].fields.iter().map(|index| &*all.fields[*index as usize].name).collect::<Vec<_>>(),
        ["text", "number", "limit"]
    );
    let more = pool.field(id, 100).unwrap();
    assert_eq!((&*more.name, &*more.json_name, more.packed), ("judge.old.Everything.more", "[judge.old.Everything.more]", true));
    assert_eq!(all.reserved, [30..31, 40..51, 536_870_000..536_870_912]);
    assert!(pool[pool.message("judge.old.Set").unwrap()].message_set);
    let watch = &pool.services()[0].methods[1];
    assert!(watch.client_streaming && watch.server_streaming && &*pool[watch.output].name == "judge.old.sub.Shared");
    let at = protos.place(all.file, field("colour").at).unwrap();
    assert_eq!(&protos.sources[at.source as usize].text[at.range()], "colour");
}

#[test]
fn editions_are_read() {
    for (written, edition) in [
        ("edition = \"2023\";\nmessage M { int32 a = 1; }", Edition::E2023),
        ("// A comment.\n/* And\n another. */ edition=\"2024\"; local message M { int32 a = 1; }", Edition::E2024),
    ] {
        let protos = text(written).unwrap();
        assert_eq!(protos.pool.files()[0].edition, edition);
        let field = protos.pool[protos.pool.message("M").unwrap()].by_name("a").unwrap();
        assert_eq!(field.presence, Presence::Explicit);
    }
    let protos = file("edition.proto");
    let mixed = &protos.pool[protos.pool.message("judge.edition.Mixed").unwrap()];
    let field = |name: &str| mixed.by_name(name).unwrap();
    assert_eq!((field("implicit").presence, field("required").presence), (Presence::Implicit, Presence::Required));
    assert!(matches!((field("delimited").kind, field("prefixed").kind), (Kind::Group(_), Kind::Message(_))));
    for (written, told) in [
        ("edition = \"2022\";", "a.proto:1:11: unknown edition \"2022\""),
        ("editions = 1;", "a.proto:1:1: expected a message"),
        ("edition \"2023\";", "a.proto:1:9: expected '=', but found '\"2023\"'"),
    ] {
        let refused = text(written).unwrap_err();
        assert!(refused.starts_with(told), "{refused}");
    }
}

#[test]
fn types_that_stand_by_themselves_are_roots() {
    let roots = |written: &str| {
        let protos = text(&format!("syntax = \"proto3\"; {written}")).unwrap();
        protos.pool.roots().into_iter().map(|id| protos.pool[id].name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(roots("message A { B b = 1; } message B {}"), ["A"]);
    assert_eq!(roots("message A {} message B {} message C { A a = 1; }"), ["B", "C"]);
    assert_eq!(roots("message A { B b = 1; } message B { A a = 1; }"), ["B"]);
    assert_eq!(roots("enum E { X = 0; }"), [""; 0]);
}

#[test]
fn proto3_is_resolved() {
    let protos = file("new.proto");
    let pool = &protos.pool;
    let fresh = &pool[pool.message(".judge.fresh.Fresh").unwrap()];
    let field = |name: &str| fresh.by_name(name).unwrap();
    assert_eq!((field("plain").presence, field("explicit").presence), (Presence::Implicit, Presence::Explicit));
    assert_eq!(field("explicit").oneof, None, "the oneof of `optional` is none");
    assert_eq!(fresh.oneofs.len(), 1);
    assert!(field("packed_by_default").packed && !field("not_packed").packed && field("text_").utf8);
    assert_eq!(&*field("text_").json_name, "text");
    assert_eq!((field("left").oneof, field("left").presence), (Some(0), Presence::Explicit));
    let well_known = |name: &str| pool[field(name).kind.message().unwrap()].well_known;
    assert_eq!(well_known("at"), Some(WellKnown::Timestamp));
    assert_eq!(well_known("value"), Some(WellKnown::Value));
    assert_eq!(well_known("struct"), Some(WellKnown::Struct));
    assert_eq!(well_known("wrapped"), Some(WellKnown::Int64Value));
    assert_eq!(well_known("empty"), Some(WellKnown::Empty));
    assert_eq!(well_known("self"), None);
    assert!(matches!(field("null").kind, Kind::Enum(null) if pool[null].well_known == Some(WellKnown::NullValue)));
    assert_eq!(protos.root().map(|id| &*pool[id].name), Some("judge.fresh.Fresh"));
}

#[test]
fn a_set_is_known_by_its_bytes() {
    let protos = file("new.proto");
    let mut bytes = Vec::new();
    protos.set.write(&mut bytes);
    assert!(is_descriptor_set(&bytes) && !is_descriptor_set(b"\nsyntax = \"proto3\";") && !is_descriptor_set(b""));
    let again = read(&SchemaText { name: "set", bytes: &bytes, identity: "" }, &mut NoFiles).unwrap();
    assert_eq!(again.pool, protos.pool);
    assert_eq!(again.set, protos.set);
}

#[test]
fn mistakes_are_told_at_their_places() {
    for (source, told) in [
        ("syntax = \"proto3\";\nmessage M {\n  int32 a 1;\n}\n", "a.proto:3:11: "),
        ("syntax = \"proto3\";\nmessage M {\n  Nowhere a = 1;\n}\n", "a.proto:3:3: "),
        ("syntax = \"proto3\";\nmessage M {\n  int32 a = 1;\n  int32 b = 1;\n}\n", "a.proto:4:"),
        ("syntax = \"proto3\";\nimport \"nowhere.proto\";\n", "a.proto:2:"),
        ("syntax = \"proto3\";\nimport \"../up.proto\";\n", "a.proto:2:"),
        ("syntax = \"proto3\";\nenum E { A = 1; }\n", "a.proto:2:"),
        ("syntax = \"proto9\";\n", "a.proto:1:"),
    ] {
        let error = text(source).unwrap_err();
        assert!(error.starts_with(told), "{source}\n{error}");
    }
    let deep = format!("syntax = \"proto3\";\n{}", "message M {".repeat(100_000));
    assert!(text(&deep).unwrap_err().contains("brackets"), "nested too deep");
    let option = format!("syntax = \"proto3\";\noption (x) = {};", "{ a ".repeat(100_000));
    assert!(text(&option).unwrap_err().contains("brackets"), "nested too deep");
    assert!(read(&SchemaText { name: "b", bytes: b"\xff", identity: "" }, &mut NoFiles).is_err());
}

/// Every set with a cut or a changed byte is refused or read, and a set that is read is written
/// unchanged.
#[test]
fn hostile_sets_are_refused_without_harm() {
    let protos = file("old.proto");
    let mut bytes = Vec::new();
    let mut set = polywire_protobuf::source::bare(&protos.set);
    set.file.retain(|file| !file.name.as_deref().unwrap_or_default().starts_with("google/"));
    set.write(&mut bytes);
    let try_it = |bytes: &[u8]| match FileDescriptorSet::read(bytes, &Limits::DEFAULT) {
        Ok(set) => {
            let mut again = Vec::new();
            set.write(&mut again);
            let mut third = Vec::new();
            FileDescriptorSet::read(&again, &Limits::DEFAULT).unwrap().write(&mut third);
            assert!(third == again, "what is read is written as it was, by number");
            if let Err(error) = Pool::new(&set) {
                assert_eq!(error.fault(), Fault::Schema);
            }
        }
        Err(error) => assert_eq!(error.fault(), Fault::Schema),
    };
    for end in 0..bytes.len() {
        try_it(&bytes[..end]);
    }
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..20_000 {
        let mut bytes = bytes.clone();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(..bytes.len());
            bytes[at] = random.u8(..);
        }
        try_it(&bytes);
    }
    // A field of an unknown number with groups that never end.
    try_it(&[0x1b; 100_000]);
    // Nested messages, deeper than any limit: each level is the tag and length of the next.
    let field = |tag: u8, inner: &[u8]| {
        let mut out = polywire_core::bytes::OutBuf::default();
        out.byte(tag);
        out.varint(inner.len() as u64);
        out.put(inner);
        let mut bytes = Vec::new();
        out.finish(&mut bytes);
        bytes
    };
    let nested = (0..2000).fold(Vec::new(), |inner, _| field(0x1a, &inner));
    let file = field(0x0a, &field(0x22, &nested));
    assert!(FileDescriptorSet::read(&file, &Limits::DEFAULT).is_err());
}

/// A file is read by whatever path it is found.
#[test]
fn names_of_files_are_of_any_shape() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/protos");
    let bytes = std::fs::read(folder.join("old.proto")).unwrap();
    for name in ["../protos/old.proto", "a/../old.proto", "..", "", "stdin", "abc123:old.proto", "/", "ö l.proto"] {
        let identity = identity(&folder.join("old.proto"));
        for include in [vec![], vec![folder.to_str().unwrap().to_string()]] {
            let text = SchemaText { name, bytes: &bytes, identity: &identity };
            let protos = read(&text, &mut Files::new().including(include)).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(protos.root().is_some(), "{name}");
        }
    }
}
