//! Mistakes that people make, and what the program says to help.

mod common;

use std::process::Output;

fn polywire(args: &[&str], stdin: &str) -> (i32, String) {
    let Output { status, stderr, .. } = common::fed(common::command(args), stdin.as_bytes());
    (status.code().unwrap_or(-1), String::from_utf8(stderr).expect("text"))
}

#[test]
fn a_folder_in_place_of_a_file_is_said() {
    for args in [
        &["inspect", "examples"][..],
        &["convert", "examples/packets.jsonl", "--to", "json", "--schema", "examples"],
        &["schema", "compile", "examples/shop"],
        &["compare", "--corpus", "packets", "--baseline", "examples"],
    ] {
        let (code, said) = polywire(args, "");
        assert!([2, 4].contains(&code), "{args:?}: {code}");
        assert!(said.contains("it is a folder: name a file in it") || said.contains("schema"), "{args:?}: {said}");
    }
}

#[test]
fn a_duplicate_key_names_the_option() {
    let (code, said) = polywire(&["convert", "--from", "json", "--to", "cbor"], r#"{"a":1,"a":2}"#);
    assert!(code == 3 && said.contains("--duplicate-keys first or last"), "{code}: {said}");
    let (code, _) = polywire(&["convert", "--from", "json", "--to", "cbor", "--duplicate-keys", "last"], r#"{"a":1,"a":2}"#);
    assert_eq!(code, 0);
}

#[test]
fn the_path_of_a_deep_value_is_short() {
    let deep = format!("{}1{}", "{\"some_name\":".repeat(2000), "}".repeat(2000));
    let (code, said) = polywire(&["convert", "--from", "json", "--to", "cbor"], &deep);
    assert!(code == 3 && said.contains("some_name … some_name"), "{code}: {said}");
    assert!(said.lines().next().is_some_and(|line| line.len() < 400), "{said}");
    assert!(said.contains("raise it with --max-depth"), "{said}");
    let (code, said) = polywire(
        &["convert", "--from", "json", "--to", "cbor", "--max-depth", "2048"],
        &format!("{}1{}", "[".repeat(2049), "]".repeat(2049)),
    );
    assert!(code == 3 && said.contains("no limit can be higher"), "{code}: {said}");
}

#[test]
fn file_extensions_are_names_of_formats() {
    for (name, text) in [("yml", "a: 1\n"), ("ndjson", "{\"a\":1}\n"), ("geojson", "{\"a\":1}")] {
        let output = common::fed(common::command(&["convert", "--from", name, "--to", "json"]), text.as_bytes());
        assert_eq!(String::from_utf8(output.stdout).expect("text").trim_end(), "{\"a\":1}", "{name}");
    }
    let (code, said) = polywire(&["convert", "--from", "jsn", "--to", "json"], "");
    assert!(code == 2 && said.contains("a similar value exists: 'json'"), "{code}: {said}");
}
