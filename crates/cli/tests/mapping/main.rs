//! Files can do what `compare` does in memory: messages go by an inferred schema to the formats that
//! need one, and come back as they were.

// The records of `json!` are large.
#![recursion_limit = "256"]

#[path = "../common/mod.rs"]
mod common;
mod inputs;

use std::path::PathBuf;
use std::process::Command;

/// A format that needs a schema: its name, its language, the file extension, and more arguments.
const LANGUAGES: [(&str, &str, &str, &[&str]); 3] = [
    ("protobuf-delimited", "proto", "proto", &[]),
    ("extprot", "extprot", "extprot", &[]),
    ("usds", "usds", "udic", &[]),
];

/// Inputs that come back unchanged, by language. Whoever mends another one adds it here.
const HOLD: &[(&str, &[&str])] =
    &[("proto", &["log.jsonl", "feed.xml", "deployments.yaml", "bom.xml", "pom.xml", "openapi.yaml"]), ("extprot", &[]), ("usds", &[])];

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
    let mut holding: Vec<(&str, Vec<&str>)> = LANGUAGES.iter().map(|(_, language, ..)| (*language, Vec::new())).collect();
    for input in inputs::all() {
        let file = path(input.name.to_string());
        std::fs::write(&file, &input.bytes).expect("the input is written");
        for ((format, language, extension, more), (_, holding)) in LANGUAGES.iter().zip(&mut holding) {
            let schema = path(format!("{}.{extension}", input.name));
            let (code, out, said) = run(&["schema", "infer", &file, "--from", input.format, "--lang", language, "-o", &schema]);
            assert_eq!((code, out.len()), (0, 0), "{} {language}: {said}", input.name);
            if *language == "proto" && protoc {
                let output =
                    Command::new("protoc").current_dir(&folder).args(["-I.", "-o/dev/null", &format!("{}.proto", input.name)]).output();
                let output = output.expect("protoc runs");
                assert!(output.status.success(), "{}: {}", input.name, String::from_utf8_lossy(&output.stderr));
            }
            let convert = |from: &str, to: &str, file: &str| {
                run(&[&["convert", file, "--from", from, "--to", to, "--schema", &schema], *more].concat())
            };
            let (there, bytes, _) = convert(input.format, format, &file);
            let bound = path(format!("{}.{language}.bin", input.name));
            std::fs::write(&bound, &bytes).expect("the messages are written");
            let (back, bytes, _) = convert(format, input.format, &bound);
            let again = path(format!("{}.{language}.back", input.name));
            std::fs::write(&again, &bytes).expect("the messages are written");
            let (differs, ..) = run(&["diff", &file, &again, "--from", input.format]);
            if (there, back, differs) == (0, 0, 0) {
                assert!(!bytes.is_empty(), "{}", input.name);
                holding.push(input.name);
            }
        }
    }
    let hold: Vec<(&str, Vec<&str>)> = HOLD.iter().map(|(language, names)| (*language, names.to_vec())).collect();
    assert_eq!(holding, hold);
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
