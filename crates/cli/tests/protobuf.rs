//! Protocol Buffers on the command line: unknown fields, message types, descriptor sets, empty
//! messages.

mod common;

use std::path::PathBuf;

/// Returns a file of the test's own folder with that content.
fn file(name: &str, content: impl AsRef<[u8]>) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("protobuf-cli").join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(&path, content).expect("a file");
    path.to_str().expect("a path of text").to_string()
}

/// Returns exit code, stdout and stderr.
fn run(args: &[&str], stdin: &[u8]) -> (i32, Vec<u8>, String) {
    let output = common::fed(common::command(args), stdin);
    (output.status.code().expect("an exit code"), output.stdout, String::from_utf8(output.stderr).expect("text"))
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

const ONE: &str = "syntax = \"proto3\"; message M { int32 a = 1; map<int32, string> m = 2; }";

/// Types that the first message may decide.
const SEVERAL: &str = "syntax = \"proto3\"; package shop; message Order { string id = 1; repeated Line lines = 2; }
    message Line { string sku = 1; int32 count = 2; } message Query { string text = 1; int32 page = 2; } message Ping { fixed32 at = 1; }";

#[test]
fn unknown_fields_are_kept_dropped_or_refused() {
    let schema = file("unknown.proto", ONE);
    let message = [8, 1, 0x18, 5, 0x22, 1, b'x'];
    let convert =
        |to: &str, more: &[&str]| run(&[&["convert", "-", "--from", "protobuf", "--to", to, "--schema", &schema], more].concat(), &message);
    let (code, out, err) = convert("protobuf-delimited", &[]);
    assert_eq!((code, out, err.as_str()), (0, [&[7][..], &message].concat(), ""));
    let (code, out, _) = convert("protobuf-grpc", &["--unknown", "keep"]);
    assert_eq!((code, out), (0, [&[0, 0, 0, 0, 7][..], &message].concat()));
    let (code, out, err) = convert("protobuf", &["--unknown", "drop"]);
    assert_eq!((code, out, err.as_str()), (0, vec![8, 1], ""));
    let (code, out, err) = convert("protobuf", &["--unknown", "fail"]);
    assert_eq!((code, out), (3, Vec::new()));
    assert!(err.contains("at byte 2"), "{err}");
    let (code, out, err) = convert("txtpb", &[]);
    assert_eq!((code, text(&out)), (0, "a: 1\n3: 5\n4: \"x\"\n"));
    assert!(err.contains("by its number"), "{err}");
    // JSON has no place for them.
    let (code, out, err) = convert("protojson", &[]);
    assert_eq!((code, text(&out)), (1, "{\"a\":1}\n"));
    assert!(err.contains("could not keep"), "{err}");
    assert_eq!(convert("protojson", &["--unknown", "drop"]).0, 0);
}

#[test]
fn unknown_names_in_json_may_be_ignored() {
    let schema = file("names.proto", ONE);
    let json = b"{\"a\":1,\"later\":{\"x\":[2]}}";
    let args = ["convert", "-", "--from", "protojson", "--to", "protobuf", "--schema", &schema];
    let (code, _, err) = run(&args, json);
    assert_eq!(code, 3, "{err}");
    let (code, out, err) = run(&[&args[..], &["--ignore-unknown"]].concat(), json);
    assert_eq!((code, out, err.as_str()), (0, vec![8, 1], ""));
    let (code, _, err) = run(&["convert", "-", "--from", "json", "--to", "msgpack", "--ignore-unknown"], json);
    assert_eq!(code, 2, "{err}");
}

#[test]
fn the_file_extension_of_canonical_json_counts() {
    let schema =
        file("any.proto", "syntax = \"proto3\"; import \"google/protobuf/struct.proto\"; message M { google.protobuf.Struct s = 1; }");
    let input = file("any.protojson", "{\"s\":{\"a\":[1,null]}}");
    let (code, out, err) = run(&["convert", &input, "--to", "txtpb", "--schema", &schema], b"");
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(text(&out).contains("null_value: NULL_VALUE"), "{}", text(&out));
    // Text of the text format looks like other formats.
    let input = file("any.txtpb", "s { fields { key: \"a\" value { bool_value: true } } }");
    let (code, out, err) = run(&["convert", &input, "--to", "protojson", "--schema", &schema], b"");
    assert_eq!((code, text(&out), err.as_str()), (0, "{\"s\":{\"a\":true}}\n", ""));
    // Without the schema, the error names it.
    let (code, _, err) = run(&["convert", &input, "--to", "json"], b"");
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("--schema"), "{err}");
}

#[test]
fn the_first_message_decides_between_several_types() {
    let schema = file("several.proto", SEVERAL);
    let order = [0x0a, 1, b'7', 0x12, 5, 0x0a, 1, b'k', 0x10, 2];
    // Only an order has lines.
    let (code, out, err) = run(&["convert", "-", "--from", "protobuf", "--to", "json", "--schema", &schema], &order);
    assert_eq!((code, text(&out)), (0, "{\"id\":\"7\",\"lines\":[{\"sku\":\"k\",\"count\":2}]}\n"));
    assert!(err.contains("shop.Order") && err.contains("shop.Query, shop.Ping") && err.contains("--type"), "{err}");
    let (code, _, err) = run(&["convert", "-", "--from", "protobuf", "--to", "json", "--schema", &schema, "--type", "Order"], &order);
    assert_eq!((code, err.as_str()), (0, ""));
    // Two types take a text alone.
    let (code, out, err) = run(&["convert", "-", "--from", "protobuf", "--to", "json", "--schema", &schema], &[0x0a, 1, b'7']);
    assert_eq!((code, out), (2, Vec::new()));
    assert!(err.contains("shop.Order, shop.Query") && !err.contains("shop.Ping") && err.contains("--type"), "{err}");
    // None takes this one.
    let (code, _, err) = run(&["inspect", "-", "--from", "protobuf", "--schema", &schema], &[0x48, 1]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("shop.Order, shop.Query, shop.Ping"), "{err}");
    // The format that is written decides too.
    let (code, out, err) =
        run(&["convert", "-", "--from", "json", "--to", "protobuf", "--schema", &schema], b"{\"text\":\"x\",\"page\":2}");
    assert_eq!((code, out), (0, vec![0x0a, 1, b'x', 0x10, 2]));
    assert!(err.contains("shop.Query"), "{err}");
    let (code, out, err) = run(&["inspect", "-", "--from", "protobuf-delimited", "--schema", &schema], &[&[10][..], &order].concat());
    assert_eq!(code, 0, "{err}");
    assert!(text(&out).contains("sku") && err.contains("shop.Order"), "{err}");
}

#[test]
fn messages_are_compared_by_their_schema() {
    let schema = file("map.proto", ONE);
    let entry = |key: u8, value: u8| [0x12, 5, 8, key, 0x12, 1, value];
    let one = file("one.pb", [&[8, 1][..], &entry(1, b'a'), &entry(2, b'b')].concat());
    let other = file("other.pb", [&entry(2, b'b')[..], &entry(1, b'a'), &[8, 1]].concat());
    let (code, out, err) = run(&["diff", &one, &other, "--schema", &schema, "--type", "M"], b"");
    assert_eq!((code, text(&out), err.as_str()), (0, "", ""));
    let (code, ..) = run(&["diff", &one, &other], b"");
    assert_eq!(code, 1);
    // Other formats of the same messages.
    let json = file("map.protojson", "{\"m\":{\"2\":\"b\",\"1\":\"a\"},\"a\":1}");
    let (code, out, err) = run(&["diff", &one, &json, "--schema", &schema], b"");
    assert_eq!((code, text(&out), err.as_str()), (0, "", ""));
    // Unknown fields are a difference.
    let later = file("later.pb", [&std::fs::read(&one).expect("a file")[..], &[0x18, 5]].concat());
    let (code, out, _) = run(&["diff", &one, &later, "--schema", &schema], b"");
    assert_eq!(code, 1, "{}", text(&out));
    let (code, ..) = run(&["diff", &json, &json, "--from", "json", "--schema", &schema], b"");
    assert_eq!(code, 2);
}

#[test]
fn a_descriptor_set_may_have_any_name() {
    let proto = file("named.proto", ONE);
    let set = file("named.set", "");
    let (code, _, err) = run(&["schema", "convert", &proto, "--descriptor-set", &set], b"");
    assert_eq!((code, err.as_str()), (0, ""));
    let message = file("named.pb", [8, 1, 0x12, 5, 8, 1, 0x12, 1, b'a']);
    let (code, out, err) = run(&["convert", &message, "--to", "protojson", "--schema", &set], b"");
    assert_eq!((code, text(&out), err.as_str()), (0, "{\"a\":1,\"m\":{\"1\":\"a\"}}\n", ""));
    let (code, out, err) = run(&["compare", &message, "--schema", &set, "--time", "0.001", "--report", "csv"], b"");
    assert_eq!(code, 0, "{err}");
    assert!(text(&out).contains("protobuf"), "{}", text(&out));
}

#[test]
fn an_empty_input_is_a_message_where_the_schema_is_named() {
    let schema = file("empty.proto", ONE);
    let (code, out, err) = run(&["convert", "-", "--from", "protobuf", "--to", "json", "--schema", &schema], b"");
    assert_eq!((code, text(&out), err.as_str()), (0, "{}\n", ""));
    let input = file("empty.pb", "");
    let (code, out, err) = run(&["convert", &input, "--to", "protobuf-delimited", "--schema", &schema], b"");
    assert_eq!((code, out, err.as_str()), (0, vec![0], ""));
    let (code, _, err) = run(&["diff", &input, "-", "--from-b", "protojson", "--schema", &schema], b"{}");
    assert_eq!((code, err.as_str()), (0, ""));
    let required = file("required.proto", "syntax = \"proto2\"; message M { required int32 a = 1; }");
    let (code, _, err) = run(&["convert", &input, "--to", "json", "--schema", &required], b"");
    assert_eq!(code, 3, "{err}");
}

#[test]
fn a_schema_may_be_in_an_edition() {
    let schema = file("edition.proto", "edition = \"2023\";\nmessage M { int32 a = 1; }");
    let (code, out, err) = run(&["convert", "-", "--from", "protobuf", "--to", "json", "--schema", &schema], &[8, 1]);
    assert_eq!((code, text(&out), err.as_str()), (0, "{\"a\":1}\n", ""));
}

/// ProtoJSON and text have the names and messages that are declared, and so go to and from bytes by
/// an inferred schema.
#[test]
fn an_inferred_schema_shows_messages_as_they_are_declared() {
    let file = |name: &str, bytes: &[u8]| {
        let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&path, bytes).expect("a file");
        path.to_str().expect("a path of text").to_string()
    };
    let messages = file("inferred.jsonl", b"{\"an id\":1,\"mix\":null}\n{\"an id\":2,\"mix\":\"a\"}\n{\"an id\":3,\"mix\":[5]}\n");
    let (code, schema, said) = run(&["schema", "infer", &messages, "--lang", "proto"], b"");
    assert_eq!(code, 0, "{said}");
    let schema = file("inferred.proto", &schema);
    let convert = |from: &str, to: &str, bytes: &[u8]| {
        let (code, out, said) = run(&["convert", "-", "--from", from, "--to", to, "--schema", &schema], bytes);
        assert_eq!(code, 0, "{from} to {to}: {said}");
        out
    };
    let bytes = convert("jsonl", "protobuf-delimited", &std::fs::read(&messages).expect("messages"));
    let shown = convert("protobuf-delimited", "protojson", &bytes);
    assert!(text(&shown).contains(r#""mix":{"text":"a"}"#), "{}", text(&shown));
    assert_eq!(convert("protojson", "protobuf-delimited", &shown), bytes);
    assert_eq!(convert("protobuf-delimited", "jsonl", &bytes), std::fs::read(&messages).expect("messages"));
}

/// A `.proto` cannot have a field `order-id`, so one with that name in JSON means it.
#[test]
fn a_name_in_json_that_no_field_could_have_is_the_name_of_the_value() {
    let fields = r#"int32 order_id = 1 [json_name = "order-id"]; oneof o { string at = 2 [json_name = "@at"]; } int32 own_name = 3 [json_name = "other"];"#;
    let schema = file("names.proto", format!("syntax = \"proto3\"; message M {{ {fields} }}"));
    let message = [8, 1, 0x12, 1, b'x', 0x18, 5];
    let convert = |from: &str, to: &str, bytes: &[u8]| {
        let (code, out, said) = run(&["convert", "-", "--from", from, "--to", to, "--schema", &schema], bytes);
        assert_eq!(code, 0, "{from} to {to}: {said}");
        out
    };
    let json = convert("protobuf", "json", &message);
    assert_eq!(text(&json).trim(), r#"{"order-id":1,"@at":"x","own_name":5}"#);
    assert_eq!(convert("json", "protobuf", &json), message);
    assert_eq!(convert("json", "protobuf", br#"{"order_id":1,"at":"x","other":5}"#), message, "other names are understood");
    let shown = convert("protobuf", "txtpb", &message);
    assert!(text(&shown).contains("order_id: 1") && text(&shown).contains("at: \"x\""), "{}", text(&shown));
    assert_eq!(convert("txtpb", "protobuf", &shown), message);
    let (code, listing, said) = run(&["schema", "convert", &schema, "--to", "listing"], b"");
    assert!(text(&listing).contains("order-id") && !said.contains("`order-id`"), "{code}: {} {said}", text(&listing));
    assert!(said.contains("its name `other` in JSON"), "{said}");
}
