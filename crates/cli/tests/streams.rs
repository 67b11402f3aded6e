//! Standard output and error that cannot be written: no panic, and no result that is lost with exit
//! code 0.
#![cfg(unix)]

mod common;

use std::process::{Command, Output, Stdio};

/// Runs a line of shell, in which `$P` is the program.
fn shell(line: &str) -> Output {
    let mut command = Command::new("sh");
    command.arg("-c").arg(line).env("P", env!("CARGO_BIN_EXE_polywire")).current_dir(common::root()).stdin(Stdio::null());
    command.output().expect("sh runs")
}

fn code(line: &str) -> (Option<i32>, String) {
    let output = shell(line);
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Commands that write to stdout, and succeed.
const WRITERS: &[&str] = &[
    "convert testdata/packets/user_profile.xml --to json",
    "convert testdata/packets/user_profile.xml --to msgpack",
    "inspect testdata/packets/user_profile.xml",
    "formats",
    "formats --report json",
    "completions bash",
    "schema infer examples/tickets.jsonl",
    "compare testdata/packets/user_profile.xml --time 0.001 --formats json",
];

/// Commands that write to stderr, and their exit codes.
const COMPLAINTS: &[(&str, i32)] = &[
    ("convert no-such-file --to json", 4),
    ("convert testdata/cbor/losses.cbor --to json", 1),
    ("convert --to nonsense", 2),
    ("convert testdata/packets/user_profile.xml --to json --select nothing", 1),
    ("inspect Cargo.toml --from bson", 3),
    ("diff Cargo.toml README.md --from json", 3),
    ("schema format README.md --lang extprot", 3),
    ("schema format README.md --lang proto", 3),
    ("schema infer examples/tickets.jsonl --lang usds --nonsense", 2),
];

#[test]
fn a_closed_stdout_is_an_error_where_there_is_a_result() {
    for line in WRITERS {
        assert_eq!(code(&format!("$P {line} >/dev/null")).0, Some(0), "{line}");
        let (closed, told) = code(&format!("$P {line} >&-"));
        assert_eq!(closed, Some(4), "{line}: {told}");
        assert!(told.starts_with("polywire: ") && told.ends_with(": stdout is closed\n"), "{line}: {told}");
    }
}

#[test]
fn a_stdout_that_cannot_be_written_is_an_error() {
    for line in WRITERS {
        let (unwritable, told) = code(&format!("$P {line} 1<Cargo.toml"));
        assert_eq!(unwritable, Some(4), "{line}: {told}");
        if cfg!(target_os = "linux") {
            let (full, told) = code(&format!("$P {line} >/dev/full"));
            assert_eq!(full, Some(4), "{line}: {told}");
        }
    }
}

#[test]
fn a_closed_stdout_is_no_error_where_nothing_is_written_to_it() {
    let file = std::env::temp_dir().join(format!("polywire-streams-{}.json", std::process::id()));
    let shown = file.display();
    assert_eq!(code(&format!("$P convert testdata/packets/user_profile.xml -o {shown} >&-")).0, Some(0));
    assert_eq!(code(&format!("$P diff {shown} testdata/packets/user_profile.xml >&-")), (Some(0), String::new()));
    assert_eq!(code(&format!("$P diff {shown} examples/tickets.jsonl >&-")).0, Some(4));
    std::fs::remove_file(file).expect("the file goes");
}

#[test]
fn a_stderr_that_cannot_be_written_changes_no_exit_code() {
    for (line, expected) in COMPLAINTS {
        let ways = if cfg!(target_os = "linux") { &["2>/dev/full", "2>&-", "2<Cargo.toml"][..] } else { &["2>&-", "2<Cargo.toml"] };
        for way in ways {
            assert_eq!(code(&format!("$P {line} </dev/null >/dev/null {way}")).0, Some(*expected), "{line} {way}");
        }
        let said = code(&format!("$P {line} </dev/null >/dev/null"));
        assert!(said.0 == Some(*expected) && !said.1.is_empty(), "{line}: {said:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    // The shell that reads ends before the program writes.
    for (line, _) in COMPLAINTS {
        let output = shell(&format!("{{ sleep 0.1; $P {line} </dev/null; echo $? >&3; }} 3>&2 2>&1 | true"));
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!told.contains("101") && !told.trim().is_empty(), "{line}: {told}");
    }
    let output = shell("{ $P convert examples/tickets.jsonl --to json; echo $? >&3; } 3>&2 2>&1 | head -1 >/dev/null");
    assert_eq!(String::from_utf8_lossy(&output.stderr).trim(), "0");
}
