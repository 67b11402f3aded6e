//! `polywire inspect` as a person or a program meets it: transcripts, exit codes, colours, pipes.
//!
//! `TRYCMD=overwrite cargo test -p polywire-cli --test inspect` writes the transcripts anew.

mod common;

use std::io::{Read, Write};
use std::process::{Output, Stdio};

use common::{command, root};

fn polywire(args: &[&str], stdin: &[u8]) -> Output {
    common::fed(command(args), stdin)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is text")
}

const JSON: &str = r#"{"id": 17, "name": "Gr\u00f6ße 日本", "price": 12.5, "big": 123456789012345678901234567890,
  "tags": ["a", "b\n", null, true, -1], "empty": {}, "deep": [[[[[[[[[[[[1, 2]]]]]]]]]]]],
  "long": "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et dolore magna aliqua."}
"#;

#[test]
fn transcripts() {
    trycmd::TestCases::new().case("tests/inspect/*.toml").run();
}

#[test]
fn lines_fit_100_columns() {
    for stdin in [JSON.as_bytes(), b"[1,x]", &[&b"\x30\x80"[..], &b"\xa0\x80".repeat(200), b"\x0c\x04abcd"].concat()] {
        let shown = text(&polywire(&["inspect", "--from", if stdin[0] == 0x30 { "ber" } else { "json" }], stdin).stdout);
        // A wide character takes two columns.
        let wide = |line: &str| line.chars().count() + line.matches(['日', '本']).count();
        assert!(shown.lines().all(|line| wide(line) <= 100), "{shown}");
    }
}

#[test]
fn all_of_a_long_value_is_shown_if_asked_for() {
    let long = format!("[\"{}\"]", "0123456789abcdef".repeat(256));
    let shown = text(&polywire(&["inspect", "--full"], long.as_bytes()).stdout);
    // The quotes make it two bytes longer, which is one line more.
    assert_eq!(shown.lines().count(), 1 + 513 + 1);
    assert_eq!(shown.matches("0123456789abcdef").count() + shown.matches("more").count(), shown.matches("0123456789abcdef").count());
    let joined: String = shown.lines().skip(1).take(200).map(|line| line.get(47..).unwrap_or("").trim()).collect();
    assert!(joined.contains(&"0123456789abcdef".repeat(256)), "{joined}");
}

#[test]
fn colours_are_for_terminals_and_those_who_ask() {
    let plain = polywire(&["inspect"], b"[1]").stdout;
    assert!(!plain.contains(&0x1b));
    assert_eq!(polywire(&["inspect", "--color", "never"], b"[1]").stdout, plain);
    let coloured = text(&polywire(&["inspect", "--color", "always"], b"[1]").stdout);
    assert!(coloured.contains("\x1b["));
    let mut stripped = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once("\x1b[") {
        stripped.push_str(before);
        rest = after.split_once('m').expect("the end of an escape sequence").1;
    }
    assert_eq!(stripped + rest, text(&plain));
}

#[test]
fn control_characters_of_the_input_never_reach_the_terminal() {
    for stdin in
        [&b"{\"\\u001b[31m\\u0007\":\"\\u001b]0;x\\u0007\\u202e\", \"k\\u009b\": [1]}"[..], b"\x0c\x05\x1b[31m\x07", b"[1,\x1b[31m\x07]"]
    {
        for report in ["text", "json"] {
            let shown =
                text(&polywire(&["inspect", "--from", if stdin[0] == 0x0c { "ber" } else { "json" }, "--report", report], stdin).stdout);
            // A name in JSON is exact; JSON itself escapes what is below a blank.
            let harmful = |c: char| if report == "text" { c.is_control() && c != '\n' } else { c < ' ' && c != '\n' };
            assert!(!shown.is_empty() && !shown.chars().any(harmful), "{shown:?}");
            assert!(!shown.contains('\u{202e}'), "{shown:?}");
        }
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let stdin = "{\"a\":1}\n".repeat(100_000);
    let mut child = command(&["inspect", "--from", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("polywire starts");
    let mut input = child.stdin.take().expect("a pipe");
    // Input is read no further than rows are.
    let feeding = std::thread::spawn(move || input.write_all(stdin.as_bytes()).is_ok());
    let mut head = [0; 100];
    let mut stdout = child.stdout.take().expect("a pipe");
    stdout.read_exact(&mut head).expect("some rows");
    drop(stdout);
    let output = child.wait_with_output().expect("polywire ends");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
    assert!(!feeding.join().expect("no panic"), "the rest was not read");
}

#[test]
fn input_is_read_no_further_than_is_wanted() {
    for args in [&["inspect", "--limit", "3"][..], &["inspect", "--message", "2"], &["inspect", "--at", "9"]] {
        // More than a pipe holds, and no end.
        let mut child = command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("polywire starts");
        let mut input = child.stdin.take().expect("a pipe");
        let feeding = std::thread::spawn(move || while input.write_all(b"{\"a\": 1}\n").is_ok() {});
        let output = child.wait_with_output().expect("polywire ends");
        assert!(output.status.success() && !output.stdout.is_empty(), "{args:?}");
        feeding.join().expect("no panic");
    }
}

#[test]
fn exit_codes() {
    for (args, stdin, code) in [
        (&["inspect"][..], &b"[1]"[..], 0),
        (&["inspect", "--from", "json"], b"", 3),
        (&["inspect", "--nonsense"], b"", 2),
        (&["inspect", "--from", "nonsense"], b"", 2),
        (&["inspect", "--from", "json"], b"[1", 3),
        (&["inspect", "--from", "ber"], b"\x30\x05", 3),
        (&["inspect", "no-such-file"], b"", 4),
    ] {
        assert_eq!(polywire(args, stdin).status.code(), Some(code), "{args:?}");
    }
}

#[test]
fn the_json_report_tiles_the_input() {
    let bytes = std::fs::read(root().join("testdata/ber/certificate.der")).expect("a certificate");
    for (stdin, from) in [(&bytes[..], "ber"), (JSON.as_bytes(), "json"), (b"[1, x, 2]", "json"), (&bytes[..100], "ber")] {
        let report = text(&polywire(&["inspect", "--from", from, "--report", "json"], stdin).stdout);
        let mut told = 0;
        for line in report.lines() {
            let row: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
            assert_eq!(row["start"].as_u64(), Some(told), "{line}");
            told = row["end"].as_u64().expect("an end");
        }
        assert_eq!(told, stdin.len() as u64);
    }
}
