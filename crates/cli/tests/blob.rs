//! An unknown blob as a stranger meets it: zstd around messages in CBOR, the last of them cut, with
//! a key that is a number, and MessagePack and JSON inside.

mod common;

use std::path::PathBuf;
use std::process::Output;

/// A file that goes with the test.
struct File(PathBuf);

impl File {
    fn new(name: &str, bytes: &[u8]) -> File {
        let path = std::env::temp_dir().join(format!("polywire-blob-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).expect("a file");
        File(path)
    }

    fn name(&self) -> &str {
        self.0.to_str().expect("a name in UTF-8")
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A message: `{"src": "pump-NN", "note": "{\"level\":N}", 17: {"total": N}}`, the last as bytes in
/// MessagePack, and a number that JSON does not have.
fn message(n: u8) -> Vec<u8> {
    let note = format!("{{\"level\":{n}}}");
    let mut out = vec![0xa4, 0x63];
    out.extend_from_slice(b"src\x67pump-");
    out.extend_from_slice(format!("{n:02}").as_bytes());
    out.extend_from_slice(b"\x64note");
    out.push(0x60 + note.len() as u8);
    out.extend_from_slice(note.as_bytes());
    out.extend_from_slice(&[0x61, b'v', 0xf9, 0x7c, 0x00]);
    out.extend_from_slice(&[0x11, 0x48, 0x81, 0xa5]);
    out.extend_from_slice(b"total");
    out.push(n);
    out
}

/// Messages whose last is cut.
fn cut() -> Vec<u8> {
    let mut all: Vec<u8> = (0..40).flat_map(message).collect();
    all.truncate(all.len() - 6);
    all
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).expect("memory takes all")
}

fn run(args: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = common::fed(common::command(args), b"");
    (status.code(), String::from_utf8_lossy(&stdout).into_owned(), String::from_utf8_lossy(&stderr).into_owned())
}

#[track_caller]
fn says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}

#[test]
fn inspect_fails_for_a_compressed_stream_that_is_cut() {
    let file = File::new("inspect", &zstd(&cut()));
    let (code, out, err) = run(&["inspect", file.name(), "--depth", "9"]);
    says(&out, &["cut off: ", "… 39 whole messages, 1 cut off"]);
    says(&err, &["cbor: ", "the end of the input, at decoded byte 1", "(in zstd)", "message 40"]);
    assert_eq!(code, Some(3));
    // Without the cut, nothing is wrong.
    let whole = File::new("whole", &zstd(&message(1).repeat(2)));
    let (code, out, err) = run(&["inspect", whole.name(), "--depth", "9"]);
    says(&out, &["… 2 messages", "total:"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
}

#[test]
fn rows_are_looked_for_in_the_decoded_messages() {
    let file = File::new("rows", &zstd(&message(7).repeat(3)));
    for (args, found) in [
        (["--message", "3"], "message 3"),
        (["--find", "pump-07"], "src"),
        (["--path", "[17]"], "[17]"),
        (["--at", "5"], "+0005"),
        (["--from", "cbor"], "+0000"),
    ] {
        let (code, out, err) = run(&["inspect", file.name(), args[0], args[1]]);
        says(&out, &[found]);
        says(&err, &["offsets count in the decoded bytes, in zstd"]);
        assert_eq!(code, Some(0), "{args:?}: {out}{err}");
    }
    let (code, out, err) = run(&["inspect", file.name(), "--find", "pump-08"]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    says(&err, &["--depth N looks into those, too"]);
    // Messages inside of values are looked into as deep as is said.
    let (code, out, _) = run(&["inspect", file.name(), "--find", "total", "--depth", "1"]);
    says(&out, &["[17].total", "total:"]);
    assert_eq!(code, Some(0));
}

#[test]
fn a_frame_that_is_cut_is_shown_as_far_as_it_goes() {
    let mut state = 1_u32;
    // Letters that do not compress, in several blocks.
    let text: String = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'a' + (state >> 24) as u8 % 26)
    })
    .take(600_000)
    .collect();
    let lines: Vec<u8> = text.as_bytes().chunks(100).flat_map(|line| [b"{\"a\":\"", line, b"\"}\n"].concat()).collect();
    let mut frame = zstd(&lines);
    let file = File::new("small", &frame[..frame.len() / 100]);
    let (code, _, err) = run(&["inspect", file.name()]);
    says(&err, &["zstd that cannot be decoded", "at decoded byte 0 (in zstd)"]);
    assert!(!err.contains("unknown format"), "{err}");
    assert_eq!(code, Some(3));
    frame.truncate(frame.len() / 2);
    let file = File::new("half", &frame);
    let (code, out, err) = run(&["inspect", file.name(), "--depth", "1"]);
    says(&out, &["\"a\"", "whole messages, 1 "]);
    says(&err, &["zstd that cannot be decoded", "(in zstd)"]);
    assert_eq!(code, Some(3));
}

#[test]
fn what_was_lost_before_an_error_is_reported() {
    let file = File::new("losses", &zstd(&cut()));
    let plain = File::new("plain", &cut());
    for threads in ["1", "4"] {
        let args = ["convert", file.name(), "--to", "jsonl", "--open", "none", "--threads", threads];
        let (code, out, err) = run(&args);
        assert_eq!((code, out.lines().count()), (Some(3), 39));
        says(&err, &["  v: ", "39 times, first at decoded byte ", "  [17]: ", "39 messages were written before this error:"]);
        says(&err, &["--open none matched nothing", "at decoded byte ", "(in zstd)"]);
        assert!(!err.contains("[]:"), "{err}");
        // The error comes last.
        says(err.lines().last().unwrap_or_default(), &["the end of the input"]);
        let (_, _, err) = run(&[&args[..], &["--errors", "json"]].concat());
        says(&err, &["{\"type\":\"loss\"", "\"path\":\"[17]\"", "39 messages were written", "\"decoded\":\"zstd\"", "\"exit\":3"]);
        // Several threads found something at these paths.
        let (_, _, err) = run(&["convert", plain.name(), "--to", "jsonl", "--open", "[17],note", "--threads", threads]);
        assert!(!err.contains("matched nothing"), "{err}");
        says(&err, &["at byte "]);
    }
}

#[test]
fn a_message_that_the_end_cuts_off_is_a_bad_one() {
    let file = File::new("bad", &zstd(&cut()));
    let to = File::new("bad-to", b"");
    for threads in ["1", "4"] {
        let args = ["convert", file.name(), "--to", "jsonl", "--lossy", "--skip-bad", "--bad-to", to.name(), "--threads", threads];
        let (code, out, err) = run(&args);
        assert_eq!((code, out.lines().count()), (Some(1), 39), "{err}");
        says(&err, &["one bad message left out"]);
        let kept = std::fs::read(&to.0).expect("a file");
        let last = message(39);
        assert_eq!(kept, last[..last.len() - 6]);
        let (code, out, _) = run(&["jq", "-c", ".src", file.name(), "--skip-bad", "--threads", threads]);
        assert_eq!((code, out.lines().count()), (Some(1), 39));
    }
}

#[test]
fn keys_that_are_numbers_are_named_as_paths_have_them() {
    let file = File::new("keys", &message(1));
    let (_, _, err) = run(&["convert", file.name(), "--to", "jsonl", "--lossy", "--open", "17"]);
    says(&err, &["--open 17 matched nothing in any message (did you mean [17]?"]);
    let (_, _, err) = run(&["convert", file.name(), "--to", "jsonl", "--lossy", "--select", "total"]);
    says(&err, &["there is no total; there are note, src, v, [17]"]);
    let (_, _, err) = run(&["inspect", file.name(), "--path", "[18]"]);
    says(&err, &["no record such a key; there are note, src, v, [17]"]);
    let (_, _, err) = run(&["convert", file.name(), "--to", "jsonl", "--lossy", "--select", "src,[17].total", "--open", "[17]"]);
    says(&err, &["--select comes before --open, which opens [17]: select [17] whole"]);
    assert!(!err.contains("matched nothing"), "{err}");
}

#[test]
fn jq_opens_what_a_path_names() {
    let file = File::new("jq", &message(9).repeat(3));
    for threads in ["1", "4"] {
        let (code, out, err) = run(&["jq", "-c", "[.[17].total, .note.level]", file.name(), "--open", "[17],note", "--threads", threads]);
        assert_eq!((code, out.as_str(), err.as_str()), (Some(0), "[9,9]\n[9,9]\n[9,9]\n", ""));
        let (code, _, err) = run(&["jq", "-c", ".src", file.name(), "--open", "nothing", "--threads", threads]);
        says(&err, &["--open nothing matched nothing"]);
        assert_eq!(code, Some(1));
    }
    let cut = File::new("jq-cut", &cut());
    let last = |args: &[&str]| run(args).2.lines().last().unwrap_or_default().to_string();
    let converted = last(&["convert", cut.name(), "--to", "jsonl", "--lossy"]);
    assert_eq!(last(&["jq", "-c", ".src", cut.name()]), converted);
}

#[test]
fn json_lines_with_a_broken_line_are_json_lines() {
    let lines = b"{\"a\":1}\n{\"a\":2\n{\"a\":3}\n";
    let named = File::new("broken.jsonl", lines);
    let unnamed = File::new("broken", lines);
    for file in [&named, &unnamed] {
        let (code, out, err) = run(&["convert", file.name(), "--to", "json"]);
        assert_eq!((code, &*out), (Some(3), "{\"a\":1}\n"));
        assert!(err.contains("jsonl: ") && err.contains(":2:7\n"), "{err}");
        let (code, out, _) = run(&["convert", file.name(), "--to", "json", "--skip-bad"]);
        assert_eq!((code, &*out), (Some(1), "{\"a\":1}\n{\"a\":3}\n"));
    }
}

#[test]
fn messages_of_a_payload_within_a_payload_are_counted_there() {
    // CBOR: bytes with {"p": bytes with three messages in JSON}.
    let inner = b"{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n";
    let mut middle = vec![0xa1, 0x61, b'p', 0x58, inner.len() as u8];
    middle.extend_from_slice(inner);
    let mut outer = vec![0xa1, 0x61, b'b', 0x58, middle.len() as u8];
    outer.extend_from_slice(&middle);
    let file = File::new("within.cbor", &outer);
    let (code, out, err) = run(&["inspect", file.name(), "--depth", "2"]);
    assert_eq!(code, Some(0), "{err}");
    let counted: Vec<&str> = out.lines().filter_map(|line| line.split_once("── message ")).map(|(_, rest)| &rest[..1]).collect();
    assert_eq!(counted, ["2", "3"], "{out}");
}

#[test]
fn a_broken_message_deep_inside_is_told_with_its_place() {
    // CBOR: bytes with {"p": bytes with JSON in a frame of zstd that is cut}.
    let mut inner = zstd(b"{\"n\":1}\n{\"n\":2}\n");
    inner.truncate(inner.len() - 2);
    let mut middle = vec![0xa1, 0x61, b'p', 0x58, inner.len() as u8];
    middle.extend_from_slice(&inner);
    let mut outer = vec![0xa1, 0x61, b'b', 0x58, middle.len() as u8];
    outer.extend_from_slice(&middle);
    let file = File::new("deep.cbor", &outer);
    let (code, _, err) = run(&["inspect", file.name(), "--depth", "2"]);
    assert_eq!(code, Some(0), "{err}");
    let expected = "the value at byte 3 holds a broken message: zstd that cannot be decoded: ";
    assert!(err.contains(expected) && err.ends_with(", 2 levels deep\n"), "{err}");
    let (_, _, err) = run(&["inspect", file.name(), "--depth", "1"]);
    assert_eq!(err, "");
}
