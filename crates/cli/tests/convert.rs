//! `polywire convert`: streams without messages, exactly one message, and text that is no Unicode.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs the program on `input`; returns its exit code, its output, and its messages.
fn run(args: &[&str], input: &[u8]) -> (i32, Vec<u8>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_polywire"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // The program may end before it reads everything.
    let _ = child.stdin.take().expect("stdin").write_all(input);
    let Output { status, stdout, stderr } = child.wait_with_output().expect("the program ends");
    (status.code().unwrap_or(-1), stdout, String::from_utf8_lossy(&stderr).into_owned())
}

#[test]
fn an_empty_stream_is_no_messages() {
    for (format, inputs) in [
        ("jsonl", &["", "\n\n"][..]),
        ("csv", &["", "\n", "a,b\n"]),
        ("yaml", &["", "# a comment\n"]),
        ("protobuf-delimited", &[""]),
        ("protobuf-grpc", &[""]),
    ] {
        for input in inputs {
            for verb in [&["convert", "--to", "json"][..], &["inspect"]] {
                let args = [verb, &["--from", format]].concat();
                let (code, out, messages) = run(&args, input.as_bytes());
                assert_eq!((code, messages.as_str()), (0, ""), "{args:?} of {input:?}");
                assert!(verb[0] == "inspect" || out.is_empty(), "{args:?} of {input:?}");
            }
        }
    }
    // One JSON text is one value, and so is one message of CBOR.
    for format in ["json", "cbor", "xml"] {
        assert_eq!(run(&["convert", "--from", format, "--to", "yaml"], b"").0, 3, "{format}");
    }
}

#[test]
fn exactly_one_message_is_demanded() {
    let args = ["convert", "--from", "jsonl", "--to", "json", "--exactly-one"];
    assert_eq!(run(&args, b"{\"a\":1}\n"), (0, b"{\"a\":1}\n".to_vec(), String::new()));
    let (code, _, messages) = run(&args, b"1\n2\n");
    assert!(code == 3 && messages.contains("second message") && messages.contains("byte 2"), "{code}: {messages}");
    let (code, out, messages) = run(&args, b"");
    assert!(code == 3 && out.is_empty() && messages.contains("exactly one message"), "{code}: {messages}");
}

#[test]
fn halves_of_surrogate_pairs_are_read_on_demand() {
    let input = br#"{"a":"x\ud800"}"#;
    let convert = |to, policy: &[&str]| run(&[&["convert", "--from", "json", "--to", to], policy].concat(), input);
    let (code, _, messages) = convert("json", &[]);
    assert!(code == 3 && messages.contains("--surrogates"), "{code}: {messages}");
    let (code, out, _) = convert("json", &["--surrogates", "replace"]);
    assert_eq!((code, out), (0, "{\"a\":\"x\u{fffd}\"}\n".as_bytes().to_vec()));
    let (code, out, messages) = convert("msgpack", &["--surrogates", "keep"]);
    assert_eq!(out, b"\x81\xa1a\xa4x\xed\xa0\x80", "{code}: {messages}");
}

#[test]
fn tables_in_utf_16_are_refused() {
    let wide: Vec<u8> = "id,name\n1,x\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let (code, out, messages) = run(&["convert", "--from", "csv", "--to", "json"], &wide);
    assert!(code == 3 && out.is_empty() && messages.contains("UTF-16"), "{code}: {messages}");
}

#[test]
fn yaml_that_begins_with_a_comment_is_recognised() {
    let (code, out, messages) = run(&["convert", "--to", "json", "--lossy"], b"# settings\n\nserver:\n  host: x\n  port: 1\n");
    assert_eq!((code, out), (0, b"{\"server\":{\"host\":\"x\",\"port\":1}}\n".to_vec()), "{messages}");
}

#[test]
fn text_in_utf_16_without_a_mark_is_no_message() {
    let texts = ["{\"id\": 7}", "a,b\n1,2\n", "a: 1\nb: 2\n", "[1,2,3]", "id\n1\n", "true", "# a comment\n- a\n"];
    for (text, at) in texts.into_iter().flat_map(|text| [(text, 0), (text, 1)]) {
        let bytes: Vec<u8> = text.bytes().flat_map(|byte| if at == 0 { [byte, 0] } else { [0, byte] }).collect();
        let (code, out, messages) = run(&["convert", "--to", "json"], &bytes);
        assert_eq!((code, String::from_utf8_lossy(&out).as_ref()), (3, ""), "{text:?}: {messages}");
    }
}
