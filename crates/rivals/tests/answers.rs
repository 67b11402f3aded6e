//! Every library on real messages, and on those that some of them cannot hold.

use std::path::Path;

use polywire_compare::comparison::{Comparison, RivalRow, Verdict};
use polywire_compare::{Messages, Options, compare};
use polywire_core::format::{Dialect, Format};
use polywire_core::tools::Count;
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::Doubles;
use polywire_core::value::Tree;
use polywire_core::{Budget, Limits};
use polywire_formats::registry::{self, FORMATS};
use polywire_rivals::{RIVALS, STACK};

fn run(from: &'static Format, bytes: &[u8], limits: Limits) -> Comparison {
    let mut messages = Messages::new(from, &limits).doubles(Doubles::Keep);
    messages.add("test", &mut Stream::new(bytes)).expect("messages");
    let formats: Vec<&'static Format> =
        FORMATS.iter().copied().filter(|format| format.writer.is_some() || format.name == "protobuf").collect();
    let options = Options { time: Some(0.0001), limits, rivals: RIVALS.to_vec(), ..Options::new(&formats) };
    compare(&messages, &options, &mut |_| {}).expect("a comparison")
}

fn on(from: &str, bytes: &[u8]) -> Comparison {
    run(registry::find(from).expect("a format"), bytes, Limits::DEFAULT)
}

fn example(file: &str) -> Comparison {
    let bytes = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(file)).expect("an example");
    let format = registry::by_extension(file.rsplit('.').next().unwrap_or_default()).expect("a format");
    run(format, &bytes, Limits::DEFAULT)
}

fn rival<'c>(comparison: &'c Comparison, format: &str, name: &str) -> &'c RivalRow {
    let row = comparison.rows.iter().find(|row| row.format == format).expect("a row");
    row.rivals.iter().find(|rival| rival.name == name).expect("a rival")
}

/// A library that has all values has all figures, and is not far from our bytes.
fn whole(comparison: &Comparison, format: &str, name: &str) {
    let rival = rival(comparison, format, name);
    assert_eq!((rival.verdict, &rival.why, &rival.losses), (Verdict::Exact, &None, &Vec::new()), "{format} {name}");
    assert!(rival.decode.is_some());
    let writes = polywire_rivals::find(format, name).expect("a rival").writes();
    assert_eq!([rival.raw.is_some(), rival.encode.is_some()], [writes; 2], "{format} {name}");
    let ratios = rival.ratios.as_ref().expect("ratios");
    assert!(ratios.decode.is_some() && ratios.encode.is_some() == writes);
}

#[test]
fn all_have_all_values_of_the_examples() {
    for file in ["packets.jsonl", "tickets-2.json", "search-reply.json"] {
        let comparison = example(file);
        for (format, names) in [
            ("json", &["serde_json", "sonic-rs", "simd-json", "jiter"][..]),
            ("msgpack", &["rmp-serde"]),
            ("cbor", &["ciborium", "minicbor"]),
            ("xml", &["roxmltree"]),
            ("protobuf", &["prost-reflect"]),
            ("yaml", &["serde_yaml", "saphyr"]),
        ] {
            names.iter().for_each(|name| whole(&comparison, format, name));
        }
    }
    for file in ["packets.xml", "search-reply.xml"] {
        let comparison = example(file);
        for (format, name) in [("xml", "roxmltree"), ("json", "sonic-rs"), ("msgpack", "rmp-serde"), ("cbor", "ciborium")] {
            whole(&comparison, format, name);
        }
    }
}

/// Through serde, quick-xml gives local names only.
#[test]
fn a_deserializer_that_drops_prefixes_is_shown_with_the_names() {
    whole(&on("xml", b"<a id=\"1\"><b>x &amp; y</b>\n <b/><c d=\"e\">t</c></a>"), "xml", "quick-xml");
    let comparison = example("packets.xml");
    let losses = &rival(&comparison, "xml", "quick-xml").losses;
    let with = |name: &str| losses.iter().any(|lost| lost.path.rsplit('.').next() == Some(name));
    assert!(with("activity:verb") && with("verb") && losses.iter().all(|lost| lost.count == 1), "{losses:?}");
}

/// Messages that every format can say: what a format's row keeps, its libraries keep.
#[test]
fn every_library_takes_part_where_its_format_is() {
    let comparison = on("json", b"{\"id\":1,\"name\":\"n\",\"list\":[1,2,{\"a\":\"b\"}]}\n{\"id\":2,\"name\":\"\",\"list\":[]}\n");
    for rival in RIVALS {
        // csv drops the quotes that make an empty cell text.
        if registry::find(rival.format()).is_ok() && !["quick-xml", "csv"].contains(&rival.name()) {
            whole(&comparison, rival.format(), rival.name());
        }
    }
}

#[test]
fn a_library_that_cannot_hold_a_value_is_shown_with_it() {
    let text = br#"{"n":18446744073709551616,"d":0.12345678901234567890123}"#;
    let comparison = on("json", text);
    // serde_json holds them only with features that a build of the whole workspace turns on.
    let places = |name: &str| -> Vec<String> {
        let rival = rival(&comparison, "json", name);
        assert!(rival.why.is_none() && rival.decode.is_some(), "{rival:?}");
        rival.losses.iter().map(|lost| lost.path.clone()).collect()
    };
    assert_eq!(places("sonic-rs"), ["d", "n"]);
    assert_eq!(places("jiter"), ["d"]);
    let lost = &rival(&comparison, "json", "sonic-rs").losses[1];
    assert_eq!(lost.example.as_ref().map(|[before, _]| before.as_str()), Some("big integer 18446744073709551616"));
}

#[test]
fn doubled_keys_show_who_keeps_them() {
    let comparison = on("json", b"{\"a\":1,\"a\":2}");
    assert_eq!(rival(&comparison, "json", "jiter").verdict, Verdict::Exact);
    assert_eq!(rival(&comparison, "json", "serde_json").verdict, Verdict::Lossy);
}

#[test]
fn a_library_that_refuses_a_message_says_why() {
    // XML takes two levels more.
    const DEPTH: usize = Limits::MAX_DEPTH as usize - 2;
    let deep = format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH));
    let limits = Limits::DEFAULT.with_depth(Limits::MAX_DEPTH);
    let check = move || {
        let comparison = run(registry::find("json").expect("a format"), deep.as_bytes(), limits);
        let refused = rival(&comparison, "json", "serde_json");
        assert_eq!((refused.verdict, refused.decode.is_none(), refused.raw), (Verdict::Impossible, true, None));
        let why = refused.why.as_deref().unwrap_or_default();
        assert!(why.starts_with("message 1: ") && why.contains("recursion limit"), "{why}");
        assert!(comparison.rows.iter().flat_map(|row| &row.rivals).all(|rival| rival.why.is_some() || rival.decode.is_some()));
    };
    std::thread::Builder::new().stack_size(STACK).spawn(check).expect("a thread").join().expect("no library overflows the stack");
}

#[test]
fn namespaces_and_typed_values_survive_a_tree_with_prefixes() {
    let comparison = on("xml", b"<a xmlns=\"u\" xmlns:p=\"v\"><p:b p:c=\"&lt;&#10;\">x &amp; y</p:b><!-- z --><b/>t&#13;</a>");
    whole(&comparison, "xml", "roxmltree");
    let losing = rival(&comparison, "xml", "quick-xml");
    assert!(losing.verdict == Verdict::Lossy && losing.raw.is_none() && losing.decode.is_some(), "{losing:?}");
}

#[test]
fn special_values_of_a_format_are_held() {
    // RFC 8949, appendix A: a date, a bignum, a URI, undefined, half a float.
    let cbor = b"\x85\xc0\x74\x32\x30\x31\x33\x2d\x30\x33\x2d\x32\x31\x54\x32\x30\x3a\x30\x34\x3a\x30\x30\x5a\xc2\x49\x01\0\0\0\0\0\0\0\0\xd8\x20\x61a\xf6\xf9\x3c\0";
    let comparison = on("cbor", cbor);
    whole(&comparison, "cbor", "minicbor");
    whole(&comparison, "cbor", "ciborium");
    let comparison = on("msgpack", b"\x93\xd6\xff\x5a\x4a\xf6\xa5\xd5\xfe\x01\x02\xc4\x01\xff");
    whole(&comparison, "msgpack", "rmp-serde");
}

#[test]
fn special_values_of_bson_are_held() {
    if registry::find("bson").is_err() {
        return;
    }
    let document = bson::doc! {
        "id": bson::oid::ObjectId::from_bytes([7; 12]),
        "at": bson::DateTime::from_millis(1_700_000_000_123),
        "amount": bson::Decimal128::from_bytes([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x3e, 0x30]),
        "bytes": bson::Binary { subtype: bson::spec::BinarySubtype::Uuid, bytes: vec![1; 16] },
        "stamp": bson::Timestamp { time: 5, increment: 6 },
        "small": 1_i32, "large": 1_i64, "float": 1.0, "nothing": null,
    };
    let comparison = on("bson", &document.to_vec().expect("bytes"));
    whole(&comparison, "bson", "bson");
}

/// Mutated messages: no library brings the comparison down, whatever it makes of what our own
/// readers take.
#[test]
fn no_broken_message_brings_a_comparison_down() {
    for rival in RIVALS {
        let Ok(format) = registry::find(rival.format()) else { continue };
        let Some(writer) = format.writer else { continue };
        let value = polywire_core::value::Value::record([
            ("a", polywire_core::value::Value::List(vec![polywire_core::value::Value::UInt(7), polywire_core::value::Value::text("x<&")])),
            ("b", polywire_core::value::Value::text("yz")),
        ]);
        let (mut writer, mut bytes) = (writer(), Vec::new());
        value.emit(&mut *writer).expect("a writer takes it");
        writer.finish(&mut bytes).expect("bytes");
        let mut known = 0;
        // A part of a list of tokens, of a table or of YAML is one too.
        let any_prefix = ["minicbor", "csv", "serde_yaml", "saphyr"].contains(&rival.name());
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut broken = bytes.clone();
                broken[at] ^= 1 << bit;
                let ours = (format.reader)().walk(&broken, 0, &mut Count::default(), &mut Budget::new(&Limits::DEFAULT));
                let theirs = rival.enter(&format.into()).expect("a library").decode(&broken);
                known += usize::from(ours.is_ok() == theirs.is_ok());
            }
            assert!(
                rival.enter(&format.into()).expect("a library").decode(&bytes[..at]).is_err() || at == 0 || any_prefix,
                "{rival:?} takes {at} bytes"
            );
        }
        assert!(known * 2 > bytes.len() * 8, "{rival:?} and we see {known} of {} alike", bytes.len() * 8);
    }
}

#[test]
fn cells_are_held_but_for_quotes_that_make_a_number_text() {
    whole(&on("csv", b"id,name,price\n1,\"a, b\",9.5\n2,\"say \"\"x\"\"\",\n3,c,true\n"), "csv", "csv");
    let comparison = on("csv", b"id,name\n1,\"17\"\n2,b\n");
    let losing = rival(&comparison, "csv", "csv");
    assert!(losing.verdict == Verdict::Lossy && losing.decode.is_some(), "{losing:?}");
    assert_eq!(losing.losses.iter().map(|lost| lost.count).sum::<u64>(), 1, "{losing:?}");
}

/// A message of everything that a schema of Protobuf can say, by its declared schema.
#[test]
fn prost_reflect_takes_every_kind_of_field() {
    let schema = r#"syntax = "proto2";
        enum Colour { RED = 1; BLUE = -2; }
        message All {
          required sint64 number = 1;
          repeated int32 packed = 2 [packed = true];
          repeated fixed32 loose = 3;
          map<string, All> map = 4;
          oneof one { string text = 5; bytes bytes = 6; }
          optional Colour colour = 7;
          optional group Inner = 8 { optional double at = 1; }
          extensions 100 to 199;
        }
        extend All { optional float more = 150; }"#;
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("all.proto");
    std::fs::write(&file, schema).expect("a file");
    let protobuf = registry::find("protobuf").expect("a format");
    let dialect = Dialect::with_schema(protobuf, &file, Some("All"), &[]).expect("a schema");
    let inner = br#"{"number":-7,"packed":[1,-1,300],"loose":[1,2],"text":"t","colour":"BLUE","inner":{"at":0.5},"[more]":1.5"#;
    let text = [inner, &br#","map":{"a":{"number":1}}}"#[..]].concat();
    let mut message = Vec::new();
    let mut tree = Tree::new();
    (registry::find("json").expect("a format").reader)().walk(&text, 0, &mut tree, &mut Budget::new(&Limits::DEFAULT)).expect("a message");
    let mut writer = dialect.writer().expect("a writer");
    tree.emit(&mut *writer).expect("it fits");
    writer.finish(&mut message).expect("bytes");
    let mut answer = Vec::new();
    let rival = polywire_rivals::find("protobuf", "prost-reflect").expect("a rival");
    rival.enter(&dialect).expect("its schema").answer(&message, &mut answer).expect("an answer");
    assert_eq!(answer, message);
    let refused = rival.enter(&protobuf.into()).expect("a library").decode(&message).expect_err("no schema");
    assert!(refused.to_string().contains("schema"), "{refused}");
}
