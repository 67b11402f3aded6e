//! Texts that break a rule: each is refused at its place, as `protoc` refuses it.

use std::path::Path;
use std::process::Command;

use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::{Loaded, Loader, NoFiles};
use polywire_protobuf::source::read;

fn told(text: &str) -> String {
    match read(&SchemaText { name: "a.proto", bytes: text.as_bytes(), identity: "" }, &mut NoFiles) {
        Ok(_) => panic!("this is read:\n{text}"),
        Err(found) => found.to_string(),
    }
}

/// Asks that each text is refused with these words, by `protoc` too. The one of the system is
/// asked first, since it starts sooner, and the newer one where that takes a text.
fn refused(prefix: &str, cases: &[(&str, &str)], judges: &[fn() -> Command]) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("refused-{}", prefix.len()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut wrong = Vec::new();
    for (text, words) in cases {
        let text = format!("{prefix}{text}");
        let told = told(&text);
        if !told.starts_with(&format!("a.proto:{words}")) {
            wrong.push(format!("{text}\nexpected {words}\n     saw {told}"));
        }
        std::fs::write(folder.join("a.proto"), &text).unwrap();
        let refuses = |judge: &fn() -> Command| {
            let mut judge = judge();
            judge.arg(format!("-I{}", folder.display())).arg("--descriptor_set_out=/dev/null").arg("a.proto");
            !judge.output().unwrap().status.success()
        };
        if !judges.iter().any(refuses) {
            wrong.push(format!("protoc takes:\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn system() -> Command {
    let mut command = Command::new("protoc");
    command.arg("--experimental_allow_proto3_optional");
    command
}

fn package() -> Command {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/judges/bin/python");
    assert!(python.exists(), "the package `grpcio-tools` is missing: run `tools/setup.sh judges`");
    let place = Command::new(&python).args(["-c", "import grpc_tools; print(grpc_tools.__path__[0])"]).output().unwrap();
    let mut command = Command::new(&python);
    command.args(["-m", "grpc_tools.protoc", &format!("-I{}/_proto", String::from_utf8(place.stdout).unwrap().trim())]);
    command
}

#[test]
fn the_grammar() {
    let cases = [
        ("message M { int32 a 1; }", "2:21: expected '=', but found '1'"),
        ("message M { int32 a = ; }", "2:23: expected the number of the field"),
        ("message M { int32 a = 1 }", "2:25: expected ';', but found '}'"),
        ("message M {", "2:12: expected '}' at the end of a message, but found the end of the text"),
        ("message { }", "2:9: expected the name of a message"),
        ("}", "2:1: expected a message, enum"),
        ("what;", "2:1: expected a message, enum"),
        ("package a; package b;", "2:12: a second package"),
        ("import a;", "2:8: expected the path of a file"),
        ("option a = ;", "2:12: expected the value of an option"),
        ("option java_package = -\"a\";", "2:24: expected the value"),
        ("message M { map<string, int32> a = 1; oneof o { map<int32, int32> b = 2; } }", "2:49: a map in a oneof"),
        ("message M { repeated map<int32, int32> b = 2; }", "2:22: a label of a map"),
        ("message M { oneof o { repeated int32 b = 2; } }", "2:23: the label `repeated` in a oneof"),
        ("message M { reserved a; }", "2:22: a reserved name of another syntax"),
        ("message M { reserved 5 to 3; }", "2:22: a range from 5 to 3"),
        ("message M { reserved 0; }", "2:22: reserved number 0"),
        ("message M { int32 a = 99999999999; }", "2:23: the number 99999999999 is out of range"),
        ("message M { int32 a = 08; }", "2:23: a number with a leading zero"),
        ("message M { int32 a = 0x; }", "2:23: a hexadecimal number without digits"),
        ("message M { int32 a = 1x; }", "2:24: a name right behind a number"),
        ("option java_package = \"a\n\";", "2:23: a string without an end on its line"),
        ("option java_package = \"\\q\";", "2:23: an escape that strings do not have"),
        ("/* never", "2:1: a comment without an end"),
        ("/* a /* b */", "2:6: a comment within a comment"),
        ("message M { int32 ä = 1; }", "2:19: 'ä' has no meaning here"),
        ("service S { rpc F(int32) returns (int32); }", "2:19: expected the name of a message"),
        ("enum E { A; }", "2:11: expected '='"),
        ("option features.field_presence = EXPLICIT;", "2:8: features, which only editions have"),
    ];
    refused("syntax = \"proto3\";\n", &cases, &[system, package]);
    assert!(told("syntax = \"proto4\";").starts_with("a.proto:1:10: unknown syntax \"proto4\""));
    assert!(told("edition = \"1999\";").starts_with("a.proto:1:11: unknown edition \"1999\""));
}

#[test]
fn names_and_numbers() {
    let cases = [
        ("message M {} message M {}", "2:22: the name `M` is defined twice"),
        ("message M { optional int32 a = 1; optional int32 a = 2; }", "2:50: the name `M.a` is defined twice"),
        ("enum E { A = 0; } enum F { A = 0; }", "2:28: the name `A` is defined twice (values of enums share"),
        ("message M { optional int32 a = 1; optional int32 b = 1; }", "2:54: number 1 is used twice in `M`, by `a` and `b`"),
        ("message M { optional int32 a = 0; }", "2:32: field number 0"),
        ("message M { optional int32 a = 19500; }", "2:32: field number 19500 is reserved"),
        ("message M { optional int32 a = 536870912; }", "2:32: field number 536870912 is too large"),
        ("message M { reserved 1 to 5; optional int32 a = 3; }", "2:49: number 3 of `a` is reserved"),
        ("message M { reserved \"a\"; optional int32 a = 3; }", "2:42: the name `a` is reserved"),
        ("message M { reserved 1 to 5, 3; }", "2:30: the range 3 to 3 overlaps 1 to 5"),
        ("message M { extensions 1 to 5; reserved 3; }", "2:41: the range 3 to 3 overlaps 1 to 5"),
        ("message M { extensions 1 to 5; optional int32 a = 3; }", "2:51: number 3 of `a` is for extensions"),
        ("enum E { A = 0; B = 0; }", "2:21: number 0 is used twice in the enum `E`, by `A` and `B`"),
        ("enum E { option allow_alias = true; A = 0; }", "2:10: the enum `E` allows aliases, and has none"),
        ("enum E { reserved 1 to 3; A = 2; }", "2:31: number 2 of `A` is reserved"),
        ("enum E { reserved \"A\"; A = 2; }", "2:24: the name `A` is reserved"),
        ("enum E { }", "2:6: the enum `E` has no values"),
        ("enum E { E_A = 0; A = 1; }", "2:19: the values `E_A` and `A` have one name"),
        ("message M { optional N a = 1; }", "2:22: name 'N' is not defined"),
        ("message M { optional x.N a = 1; message x {} }", "2:22: name 'x.N' is not defined: it is read as `M.x.N`"),
        ("message M { optional S a = 1; } service S {}", "2:22: name 'S' is not defined"),
        ("service S { rpc F(E) returns (E); } enum E { A = 0; }", "2:19: `E` is an enum, not a message"),
        ("extend M { optional int32 a = 1; } message M { extensions 2; }", "2:31: `M` has no extension number 1 (its numbers are 2 to 2)"),
        (
            "message M { extensions 2; } extend M { optional int32 a = 2; optional int32 b = 2; }",
            "2:81: extension number 2 of `M` is used twice",
        ),
        ("message M { extensions 2; } extend M { required int32 a = 2; }", "2:40: a required extension"),
        ("message M { oneof o { } }", "2:23: expected the name of a type"),
        ("message M { map<string, M> a = 1; message AEntry {} }", "2:43: the name `M.AEntry` is defined twice"),
    ];
    refused("syntax = \"proto2\";\n", &cases, &[system, package]);
}

#[test]
fn fields_and_their_defaults() {
    let cases = [
        ("message M { optional int32 a = 1 [default = 2147483648]; }", "2:45: the number 2147483648 is out of range"),
        ("message M { optional uint32 a = 1 [default = -1]; }", "2:46: expected an unsigned integer"),
        ("message M { optional bool a = 1 [default = 1]; }", "2:44: expected 'true' or 'false'"),
        ("message M { optional string a = 1 [default = 1]; }", "2:46: expected a string"),
        ("message M { optional E a = 1 [default = B]; } enum E { A = 0; }", "2:41: the enum `E` has no value `B`"),
        ("message M { optional M a = 1 [default = B]; }", "2:41: a default of a message"),
        ("message M { repeated int32 a = 1 [default = 1]; }", "2:45: a default of a repeated field"),
        ("message M { optional int32 a = 1 [default = 1, default = 2]; }", "2:48: a second `default`"),
        ("message M { optional int32 a = 1 [packed = true]; }", "2:35: `packed` of a field that cannot be"),
        ("message M { optional int32 a = 1 [lazy = true]; }", "2:35: a lazy field that is no message"),
        ("message M { optional int32 a = 1 [jstype = JS_STRING]; }", "2:35: `jstype` of a field without 64 bits"),
        ("message M { map<double, int32> a = 1; }", "2:13: a map with keys of this type"),
        ("message M { map<string, int32> a = 1; optional AEntry b = 2; }", "2:48: `M.AEntry` is the entry of a map"),
        ("message M { option message_set_wire_format = true; optional int32 a = 1; }", "2:67: a field in a message set"),
        (
            "message M { option message_set_wire_format = true; extensions 4; } extend M { optional int32 a = 4; }",
            "2:88: an extension of a message set",
        ),
        ("message M { optional group g = 1 {} }", "2:28: the name `g` of a group"),
        ("message M { int32 a = 1; }", "2:13: expected 'optional', 'required' or 'repeated'"),
        ("message M { optional int32 a = 1 [json_name = \"[x]\"]; }", "2:35: the name `[x]` in JSON"),
        (
            "message M { optional int32 a = 1 [json_name = \"x\"]; optional int32 b = 2 [json_name = \"x\"]; }",
            "2:68: `b` and `a` have the same name `x` in JSON",
        ),
        ("message M { extensions 5; } extend M { optional int32 a = 5 [json_name = \"x\"]; }", "2:62: `json_name` of an extension"),
    ];
    refused("syntax = \"proto2\";\n", &cases, &[system, package]);
    let cases = [
        ("message M { required int32 a = 1; }", "2:13: a required field in proto3"),
        ("message M { int32 a = 1 [default = 1]; }", "2:36: a default in proto3"),
        ("message M { repeated group G = 1 {} }", "2:22: a group in proto3"),
        ("message M { extensions 1; }", "2:24: an extension range in proto3"),
        ("enum E { A = 1; }", "2:14: the first value of the enum `E` is 1, not 0"),
        ("message M { int32 foo_bar = 1; int32 fooBar = 2; }", "2:38: `fooBar` and `foo_bar` have the same name `fooBar` in JSON"),
        (
            "import \"google/protobuf/descriptor.proto\"; message M { google.protobuf.FieldDescriptorProto.Type t = 1; }",
            "2:56: the enum `google.protobuf.FieldDescriptorProto.Type` is closed",
        ),
        (
            "import \"google/protobuf/any.proto\"; import \"google/protobuf/any.proto\";",
            "2:37: google/protobuf/any.proto is imported twice",
        ),
        (
            "import \"google/protobuf/descriptor.proto\"; extend google.protobuf.FileDescriptorSet { string a = 536000000; }",
            "2:51: an extension of `google.protobuf.FileDescriptorSet` in proto3",
        ),
    ];
    refused("syntax = \"proto3\";\n", &cases, &[system, package]);
}

#[test]
fn options() {
    let prefix = "syntax = \"proto2\";\nimport \"google/protobuf/descriptor.proto\"; extend google.protobuf.MessageOptions { optional M m = 50001; \
                  optional int32 i = 50002; optional E e = 50003; optional float f = 50004; repeated M r = 50005; optional string s = 50006; } \
                  enum E { A = 0; } message M { optional int32 x = 1; optional M m = 2; repeated string t = 3; oneof o { int32 p = 4; int32 q = 5; } }\n";
    let cases = [
        ("option nothing = 1;", "3:8: `FileOptions` has no option `nothing`"),
        ("option (nothing) = 1;", "3:8: name 'nothing' is not defined"),
        ("option (i) = 1;", "3:8: the option `(i)` is none of `FileOptions`"),
        ("option (M) = 1;", "3:8: `M` is a message, not an extension"),
        ("message N { option (i) = 1; option (i) = 2; }", "3:36: the option `(i)` is set twice"),
        ("message N { option (i) = \"a\"; }", "3:26: expected an integer from -2147483648 to 2147483647 for `(i)`"),
        ("message N { option (i) = 2147483648; }", "3:26: expected an integer"),
        ("message N { option (e) = B; }", "3:26: expected the name of a value of the enum `E`"),
        ("message N { option (s) = a; }", "3:26: expected a string in quotes"),
        ("message N { option (f) = true; }", "3:26: expected a number"),
        ("message N { option (m) = 1; }", "3:26: expected a message in braces for `(m)`"),
        ("message N { option (i).x = 1; }", "3:20: the option `(i)` is no message"),
        ("message N { option (r).x = 1; }", "3:20: the repeated option `(r)`"),
        ("message N { option (m).y = 1; }", "3:24: `M` has no option `y`"),
        ("message N { option (m) = { y: 1 }; }", "3:28: the message `M` has no field `y`"),
        ("message N { option (m) = { x: 1 x: 2 }; }", "3:34: the field `x` is set twice"),
        ("message N { option (m) = { p: 1 q: 2 }; }", "3:34: the fields `q` and `p` of one oneof"),
        ("message N { option (m) = { x: \"\" }; }", "3:31: expected an integer"),
        ("message N { option (m) = { x 1 }; }", "3:30: expected ':', but found '1'"),
        ("message N { option (m) = { m { }; }", "3:36: expected ';', but found the end of the text"),
        ("message N { option (m) = { t: [1] }; }", "3:32: expected a string in quotes for `t`"),
        ("message N { option (m) = { [x.y]: 1 }; }", "3:32: the extension `x.y` of `M` is not defined"),
        ("message N { option (m).x = 1; option (m) = { x: 1 }; }", "3:38: the option `(m)` is set twice"),
        ("message N { option map_entry = true; }", "3:20: the option `map_entry`"),
        ("message N { option deprecated = 1; }", "3:33: expected `true` or `false`"),
        ("option uninterpreted_option = { };", "3:8: `FileOptions` has no option"),
    ];
    refused(prefix, &cases, &[system, package]);
}

#[test]
fn editions() {
    let cases = [
        ("message M { optional int32 a = 1; }", "2:13: the label `optional`, which editions do not have"),
        ("message M { required int32 a = 1; }", "2:13: the label `required`"),
        ("message M { repeated group G = 1 {} }", "2:22: a group, which editions do not have"),
        ("message M { reserved \"a\"; }", "2:22: a reserved name of another syntax"),
        ("message M { repeated int32 a = 1 [packed = true]; }", "2:35: the option `packed`"),
        ("message M { int32 a = 1 [features.field_presence = IMPLICIT, default = 5]; }", "2:72: a default of a field of implicit presence"),
        ("message M { M a = 1 [features.field_presence = IMPLICIT]; }", "2:22: implicit presence of a message"),
        ("message M { repeated int32 a = 1 [features.field_presence = EXPLICIT]; }", "2:35: the presence of a repeated field"),
        ("message M { oneof o { int32 a = 1 [features.field_presence = EXPLICIT]; } }", "2:36: the presence of a field in a oneof"),
        ("message M { int32 a = 1 [features.repeated_field_encoding = PACKED]; }", "2:26: an encoding of repeated values"),
        ("message M { int32 a = 1 [features.utf8_validation = VERIFY]; }", "2:26: the validation of UTF-8"),
        ("message M { int32 a = 1 [features.message_encoding = DELIMITED]; }", "2:26: the encoding of messages"),
        ("message M { int32 a = 1 [features.enum_type = OPEN]; }", "2:35: the option `enum_type` cannot be set on a field"),
        (
            "message M { option features.enforce_naming_style = STYLE2024; }",
            "2:29: the option `enforce_naming_style` comes with edition 2024",
        ),
        ("option features.field_presence = LEGACY_REQUIRED;", "2:1: required presence of all fields"),
        ("export message M {}", "2:1: expected a message, enum"),
        ("import option \"google/protobuf/any.proto\";", "2:8: an import for options only"),
        ("enum E { A = 1; }", "2:14: the first value of the enum `E` is 1"),
        (
            "message M { extensions 5 [declaration = { number: 6 full_name: \".a\" type: \"int32\" }]; }",
            "2:24: the declared extension 6 is outside of its range",
        ),
    ];
    refused("edition = \"2023\";\n", &cases, &[package]);
    let cases = [
        ("message m {}", "2:9: the name `m` is not in TitleCase"),
        ("message M { int32 aB = 1; }", "2:19: the name `aB` is not in lower_snake_case"),
        ("enum E { a = 0; }", "2:10: the name `a` is not in UPPER_SNAKE_CASE"),
        ("package A;", "2:1: the package `A` is not in lower_snake_case"),
        ("export service S {}", "2:8: expected 'message' or 'enum'"),
        ("import weak \"google/protobuf/any.proto\";", "2:8: a weak import"),
        ("message M { string s = 1 [ctype = CORD]; }", "2:27: the option `ctype`, which edition 2024 does not have"),
        ("option java_multiple_files = true;", "2:8: the option `java_multiple_files` is gone since edition 2024"),
        (
            "import option \"google/protobuf/any.proto\"; message M { google.protobuf.Any a = 1; }",
            "2:56: name 'google.protobuf.Any' is defined in google/protobuf/any.proto, which is not imported",
        ),
    ];
    refused("edition = \"2024\";\n", &cases, &[package]);
}

/// Files by their names.
struct Folder(&'static [(&'static str, &'static str)]);

impl Loader for Folder {
    fn load(&mut self, path: &str) -> std::io::Result<Loaded> {
        let found = self.0.iter().find(|(name, _)| *name == path).ok_or(std::io::ErrorKind::NotFound)?;
        Ok(Loaded { bytes: found.1.as_bytes().to_vec(), identity: path.to_string() })
    }
}

#[test]
fn several_files() {
    let compile = |text: &str, files: &'static [(&'static str, &'static str)]| {
        let read = read(&SchemaText { name: "a.proto", bytes: text.as_bytes(), identity: "" }, &mut Folder(files));
        read.map_err(|found| found.to_string())
    };
    let through = &[("b.proto", "import 'c.proto';"), ("c.proto", "message C {}"), ("d.proto", "import public 'c.proto';")];
    let text = |import: &str| format!("import '{import}';\nmessage A {{ optional C c = 1; }}");
    assert!(compile(&text("c.proto"), through).is_ok() && compile(&text("d.proto"), through).is_ok());
    let told = compile(&text("b.proto"), through).unwrap_err();
    assert!(told.starts_with("a.proto:2:22: name 'C' is defined in c.proto, which is not imported"), "{told}");
    let circle = &[("b.proto", "import 'c.proto';"), ("c.proto", "\nimport 'b.proto';")];
    let told = compile("import 'b.proto';", circle).unwrap_err();
    assert!(told.starts_with("c.proto:2:1: a circle of imports: b.proto -> c.proto -> b.proto"), "{told}");
    let hidden = &[("b.proto", "edition = '2024'; local message L {} message T { message N {} }")];
    let user = |name: &str| format!("edition = '2024'; import 'b.proto'; message A {{ {name} x = 1; }}");
    assert!(compile(&user("T"), hidden).is_ok());
    for (name, why) in [("L", "`L` is `local` in another file"), ("T.N", "`T.N` is local to another file")] {
        let told = compile(&user(name), hidden).unwrap_err();
        assert!(told.contains(why), "{told}");
    }
    let lite = &[("b.proto", "option optimize_for = LITE_RUNTIME; message B { extensions 1; }")];
    assert!(compile("import 'b.proto';", lite).unwrap_err().contains("optimized for the lite runtime"));
    // The faults of one run have both of their places.
    let twice = "message M {\n  optional int32 a = 1;\n  optional int32 b = 1;\n  optional N n = 2;\n  optional int32 a = 3;\n}";
    let found = read(&SchemaText { name: "a.proto", bytes: twice.as_bytes(), identity: "" }, &mut NoFiles).unwrap_err();
    assert_eq!(found.findings.len(), 2, "{found}");
    let [(first, label)] = &found.findings[0].related[..] else { panic!("{found}") };
    assert_eq!((found.position(*first), label.as_str()), ("a.proto:2:18".to_string(), "first defined here"));
}
