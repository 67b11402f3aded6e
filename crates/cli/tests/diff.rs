//! `polywire diff` as a person or a program meets it.
//!
//! `TRYCMD=overwrite cargo test -p polywire-cli --test diff` writes the transcripts anew.

mod common;

use std::path::Path;
use std::process::{Command, Output};

fn files() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diff/files")
}

fn polywire(args: &[&str], stdin: &[u8]) -> Output {
    let mut command = common::command(args);
    command.current_dir(files());
    common::fed(command, stdin)
}

#[test]
fn transcripts() {
    trycmd::TestCases::new().case("tests/diff/*.toml").run();
}

#[test]
fn one_side_may_be_stdin() {
    let xml = std::fs::read(files().join("order.xml")).expect("a file");
    for args in [["diff", "-", "order.json"], ["diff", "order.json", "-"]] {
        let output = polywire(&args, &xml);
        assert_eq!((output.status.code(), output.stdout, output.stderr), (Some(0), Vec::new(), Vec::new()));
    }
}

#[test]
fn each_side_may_have_its_format_said() {
    for (args, code) in [
        (&["diff", "--from", "json", "order.json", "-"][..], 0),
        (&["diff", "--from-a", "json", "--from-b", "json", "order.json", "-"], 0),
        (&["diff", "--from", "json", "--from-a", "xml", "order.xml", "-"], 0),
        (&["diff", "--from-b", "xml", "order.json", "-"], 3),
        (&["diff", "--from", "nonsense", "order.json", "-"], 2),
        (&["diff", "no-such-file", "-"], 4),
        (&["diff", "order.json"], 2),
        (&["diff", "--select", "order.note", "other-order.xml", "-"], 1),
        (&["diff", "--select", "order.@id", "other-order.xml", "-"], 0),
    ] {
        let stdin = std::fs::read(files().join("order.json")).expect("a file");
        let output = polywire(args, &stdin);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn colours_change_nothing_else() {
    let args = ["diff", "orders.json", "changed.msgpack"];
    let plain = String::from_utf8(polywire(&args, b"").stdout).expect("text");
    let coloured = String::from_utf8(polywire(&[&["--color", "always"], &args[..]].concat(), b"").stdout).expect("text");
    let mut stripped = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once("\x1b[") {
        stripped.push_str(before);
        rest = after.split_once('m').expect("the end of an escape sequence").1;
    }
    assert!(coloured.contains("\x1b[") && !plain.contains('\x1b'));
    assert_eq!(stripped + rest, plain);
}

/// Streams that are far longer than what the program may hold: they must go message by message.
#[test]
#[cfg(target_os = "linux")]
fn long_streams_need_the_memory_of_a_message() {
    let folder = std::env::temp_dir().join(format!("polywire-diff-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let line = |n: usize| format!("{{\"text\":\"{}\",\"n\":{n}}}\n", "x".repeat(2000));
    for (name, odd) in [("one.json", usize::MAX), ("other.json", 39_999)] {
        let text: String = (0..40_000).map(|n| line(if n == odd { 0 } else { n })).collect();
        std::fs::write(folder.join(name), text).expect("a file");
    }
    let mut command = Command::new("sh");
    command.arg("-c").arg("ulimit -d 65536; exec \"$0\" \"$@\"").arg(env!("CARGO_BIN_EXE_polywire"));
    let output = command.args(["diff", "one.json", "other.json"]).current_dir(&folder).output().expect("sh runs");
    std::fs::remove_dir_all(&folder).expect("the folder goes");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let shown = String::from_utf8(output.stdout).expect("text");
    assert!(
        shown.starts_with("message 40000: n\n  - integer 39999  ") && shown.ends_with("1 difference, in 1 of 40000 messages\n"),
        "{shown}"
    );
}

/// Runs the program in `folder`, and returns what it prints.
fn run(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let output = common::command(args).current_dir(folder).output().expect("polywire runs");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr))
}

#[test]
fn each_schema_language_works_on_one_side_and_on_both() {
    let folder = std::env::temp_dir().join(format!("polywire-diff-schema-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let line = |n: u32| format!("{{\"id\":{n},\"name\":\"n{n}\",\"tags\":[\"a\",\"b{n}\"],\"price\":{n}.5}}\n");
    let all: String = (1..40).map(line).collect();
    let fewer: String = (1..40).filter(|n| *n != 7).map(line).collect();
    std::fs::write(folder.join("all.jsonl"), all).expect("a file");
    std::fs::write(folder.join("fewer.jsonl"), fewer).expect("a file");
    for (language, format) in [("proto", "protobuf-delimited"), ("extprot", "extprot"), ("usds", "usds")] {
        let schema = format!("schema.{language}");
        run(&folder, &["schema", "infer", "all.jsonl", "--lang", language, "-o", &schema]);
        for name in ["all", "fewer"] {
            let (from, to) = (format!("{name}.jsonl"), format!("{name}.{language}.bin"));
            let (code, said) = run(&folder, &["convert", &from, "-o", &to, "--to", format, "--schema", &schema]);
            assert_eq!(code, Some(0), "{said}");
        }
        let (all, fewer) = (format!("all.{language}.bin"), format!("fewer.{language}.bin"));
        let (code, said) = run(&folder, &["diff", "--schema", &schema, "--from", format, &all, &fewer]);
        assert_eq!(code, Some(1), "{language}: {said}");
        assert!(said.starts_with("message 7: the message itself\n") && said.contains("\n1 difference, in 1 of 39 messages;"), "{said}");
        let (code, said) = run(&folder, &["diff", "--schema", &schema, "--from-a", format, &all, "all.jsonl"]);
        assert_eq!((code, said.as_str()), (Some(0), ""), "{language}");
        let (code, _) = run(&folder, &["diff", "--schema", &schema, "--from-b", format, "fewer.jsonl", &all]);
        assert_eq!(code, Some(1), "{language}");
    }
    std::fs::remove_dir_all(&folder).expect("the folder goes");
}

#[test]
fn streams_are_aligned_from_pipes_too() {
    let line = |n: usize| format!("{{\"id\":{n},\"text\":\"{}\"}}\n", "x".repeat(100));
    let all: String = (0..20_000).map(line).collect();
    let other: String = (0..20_000).filter(|n| *n != 3).map(line).chain([line(77_777)]).collect();
    let folder = std::env::temp_dir().join(format!("polywire-diff-pipes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("all.json"), all).expect("a file");
    for key in [&[][..], &["--key", "id"]] {
        let mut command = common::command(&[&["diff", "all.json", "-"], key].concat());
        command.current_dir(&folder);
        let output = common::fed(command, other.as_bytes());
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(
            shown.starts_with("message 4: the message itself\n  - record of 2") && shown.contains("\nmessage 20000: the message itself\n"),
            "{shown}"
        );
        assert!(shown.ends_with("2 differences, in 2 of 20001 messages\n"), "{shown}");
    }
    std::fs::remove_dir_all(folder).expect("the folder goes");
}

#[test]
fn what_precedes_a_message_that_cannot_be_read_is_reported() {
    let (left, right) = ("{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n{\"a\":4}\n", "{\"a\":1}\n{\"a\":7}\n{\"a\":3}\n{\"a\":x}\n");
    let folder = std::env::temp_dir().join(format!("polywire-diff-broken-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("left.json"), left).expect("a file");
    std::fs::write(folder.join("right.json"), right).expect("a file");
    for (args, sign) in [(["diff", "left.json", "right.json"], "+ integer 7"), (["diff", "right.json", "left.json"], "- integer 7")] {
        let (code, said) = run(&folder, &args);
        assert_eq!(code, Some(3), "{said}");
        assert!(said.starts_with("message 2: a\n") && said.contains(sign), "{said}");
        assert!(!said.contains("nothing") && said.contains("right.json:4:6"), "{said}");
    }
    std::fs::remove_dir_all(folder).expect("the folder goes");
}
