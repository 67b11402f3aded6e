//! Schema files: messages go by an inferred schema to the formats that need one, and come back.

// The records of `json!` are large.
#![recursion_limit = "256"]

#[path = "../common/mod.rs"]
mod common;
mod inputs;

use std::path::PathBuf;
use std::process::Command;

/// A format that needs a schema: its name, its language, the file extension.
const LANGUAGES: [(&str, &str, &str); 3] =
    [("protobuf-delimited", "proto", "proto"), ("extprot", "extprot", "extprot"), ("usds", "usds", "udic")];

/// Runs the program. Returns its exit code, stdout and stderr.
fn run(args: &[&str]) -> (i32, Vec<u8>, String) {
    let output = common::command(args).output().expect("polywire runs");
    (output.status.code().expect("an exit code"), output.stdout, String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Returns a folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("mapping").join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[test]
fn messages_go_there_and_back_by_an_inferred_schema() {
    let folder = folder("round-trips");
    let path = |name: String| folder.join(name).to_str().expect("a path of text").to_string();
    let protoc = Command::new("protoc").arg("--version").output().is_ok_and(|output| output.status.success());
    for input in inputs::all() {
        let file = path(input.name.to_string());
        std::fs::write(&file, &input.bytes).expect("the input is written");
        for (format, language, extension) in LANGUAGES {
            let case = format!("{} {language}", input.name);
            let schema = path(format!("{}.{extension}", input.name));
            let (code, out, said) = run(&["schema", "infer", &file, "--from", input.format, "--lang", language, "-o", &schema]);
            assert_eq!((code, out.len()), (0, 0), "{case}: {said}");
            if language == "proto" && protoc {
                let name = format!("{}.proto", input.name);
                let output = Command::new("protoc").current_dir(&folder).args(["-I.", "-o/dev/null", &name]).output().expect("protoc runs");
                assert!(output.status.success(), "{case}: {}", String::from_utf8_lossy(&output.stderr));
            }
            let convert = |from: &str, to: &str, file: &str, into: &str| {
                let (code, bytes, said) = run(&["convert", file, "--from", from, "--to", to, "--schema", &schema]);
                assert_eq!(code, 0, "{case}, {from} to {to}: {said}");
                assert!(!bytes.is_empty(), "{case}");
                std::fs::write(into, &bytes).expect("the messages are written");
            };
            let (bound, again) = (path(format!("{}.{language}.bin", input.name)), path(format!("{}.{language}.back", input.name)));
            convert(input.format, format, &file, &bound);
            convert(format, input.format, &bound, &again);
            let (code, found, said) = run(&["diff", &file, &again, "--from", input.format]);
            assert_eq!(code, 0, "{case}: {}{said}", String::from_utf8_lossy(&found));
            // Whoever formats the schema keeps the mapping.
            let (code, _, said) = run(&["schema", "format", "--write", &schema]);
            assert_eq!(code, 0, "{case}: {said}");
            let once_more = path(format!("{}.{language}.more", input.name));
            convert(input.format, format, &file, &once_more);
            assert!(std::fs::read(&bound).ok() == std::fs::read(&once_more).ok(), "{case}");
        }
    }
}

/// Schemas that `compare` has written are those that it has measured with. With so few messages,
/// it learns on the same that it measures.
#[test]
fn schemas_of_compare_are_given_back_to_it() {
    const FORMATS: [(&str, &str); 3] = [("protobuf", "proto"), ("extprot", "extprot"), ("usds", "udic")];
    let folder = folder("compare");
    let (file, schemas) = (folder.join("orders.jsonl"), folder.join("schemas"));
    let input = inputs::all().swap_remove(0);
    let lines: Vec<&[u8]> = input.bytes.split_inclusive(|byte| *byte == b'\n').take(15).collect();
    std::fs::write(&file, lines.concat()).expect("the input is written");
    let sizes = |more: &[&str]| -> Vec<(String, serde_json::Value)> {
        let file = file.to_str().expect("a path of text");
        let fixed = ["compare", file, "--formats", "protobuf,extprot,usds", "--base", "json", "--time", "0.001", "--report", "json"];
        let (code, report, said) = run(&[&fixed, more].concat());
        assert_eq!(code, 0, "{said}");
        let report: serde_json::Value = serde_json::from_slice(&report).expect("a report");
        let rows = report["rows"].as_array().expect("rows").iter().filter(|row| row["schema"].is_object());
        rows.map(|row| {
            assert_eq!(row["verdict"], "exact", "{row}");
            (row["format"].to_string(), row["sizes"]["raw"].clone())
        })
        .collect()
    };
    let learned = sizes(&["--schemas", schemas.to_str().expect("a path of text")]);
    assert_eq!(learned.len(), 3);
    let given = FORMATS.map(|(format, extension)| format!("{format}={}", schemas.join(format!("{format}.{extension}")).display()));
    let more: Vec<&str> = given.iter().flat_map(|given| ["--schema", given]).collect();
    assert_eq!(sizes(&more), learned);
}

/// A mapping is for the declarations that it was written with.
#[test]
fn a_mapping_of_other_declarations_is_refused() {
    let folder = folder("changed");
    let file = folder.join("order.json");
    std::fs::write(&file, r#"{"order id":1,"sum":2.5}"#).expect("the input is written");
    let file = file.to_str().expect("a path of text");
    for (format, language, extension) in LANGUAGES {
        let path = folder.join(format!("order.{extension}"));
        let schema = path.to_str().expect("a path of text");
        let (code, _, said) = run(&["schema", "infer", file, "--lang", language, "-o", schema]);
        assert_eq!(code, 0, "{said}");
        let text = std::fs::read_to_string(&path).expect("a schema");
        let convert = |text: &str| {
            std::fs::write(&path, text).expect("the schema is written");
            run(&["convert", file, "--to", format, "--schema", schema])
        };
        let (code, bytes, said) = convert(&text);
        assert_eq!(code, 0, "{language}: {said}");
        // Names in declarations are for people.
        let renamed =
            text.replace("double sum", "double total").replace("sum : float", "total : float").replace("DOUBLE sum", "DOUBLE total");
        assert!(renamed != text && convert(&renamed) == (0, bytes, String::new()), "{language}: {renamed}");
        let (code, _, said) =
            convert(&text.replace("double sum", "string sum").replace("sum : float", "sum : int").replace("DOUBLE", "FLOAT"));
        assert!(code == 3 && said.contains("mapping") && said.contains("infer the schema again"), "{language} {code}: {said}");
        let (code, _, said) = convert(&text.replace("(polywire-mapping 1", "(polywire-mapping 9"));
        assert!(code == 3 && said.contains("version 9"), "{language} {code}: {said}");
    }
}

/// The schema is what was asked for, so that a remark about it is no failure.
#[test]
fn remarks_about_a_schema_do_not_fail() {
    let folder = folder("remarks");
    let file = folder.join("order.json");
    std::fs::write(&file, r#"{"order-id":1}"#).expect("the input is written");
    let file = file.to_str().expect("a path of text");
    let (code, text, remarks) = run(&["schema", "infer", file, "--lang", "proto"]);
    assert_eq!(code, 0, "{remarks}");
    assert!(remarks.contains("Message.order-id: its name became `order_id`"), "{remarks}");
    let text = String::from_utf8(text).expect("text");
    assert!(text.contains(r#"order_id = 1 [json_name = "order-id"]"#), "{text}");
    let missing = folder.join("none").join("x.proto");
    let (code, _, said) = run(&["schema", "infer", file, "--lang", "proto", "-o", missing.to_str().expect("a path of text")]);
    assert!(code == 4 && said.contains("x.proto"), "{code}: {said}");
}
