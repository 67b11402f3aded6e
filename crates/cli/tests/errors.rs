//! Errors of messages: their place in a text, their form for programs, messages that are stepped
//! over, and the same outcome on any number of threads.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Runs the program on `input`; returns its exit code, its output, and its messages.
fn run(args: &[&str], input: &[u8]) -> (i32, Vec<u8>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_polywire"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("stdin");
    let bytes = input.to_vec();
    // The program may end before it reads everything, and writes before it has.
    let feed = std::thread::spawn(move || drop(stdin.write_all(&bytes)));
    let Output { status, stdout, stderr } = child.wait_with_output().expect("the program ends");
    feed.join().expect("the input is fed");
    (status.code().unwrap_or(-1), stdout, String::from_utf8_lossy(&stderr).into_owned())
}

/// The objects on stderr.
fn objects(messages: &str) -> Vec<Value> {
    messages.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

/// A file that goes with the test.
struct TempFile(PathBuf);

impl TempFile {
    fn new(name: &str, bytes: &[u8]) -> TempFile {
        let path = std::env::temp_dir().join(format!("polywire-errors-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).expect("a file");
        TempFile(path)
    }

    fn name(&self) -> &str {
        self.0.to_str().expect("a name")
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Lines of JSON, with what other formats cannot keep in some.
fn lines(count: usize) -> Vec<String> {
    (0..count)
        .map(|n| match n % 97 {
            0 => format!("{{\"id\":{n},\"name\":\"\u{f6}rder {n}\",\"big\":1{n}0000000000000000000001}}"),
            _ => format!("{{\"id\":{n},\"name\":\"order {n}\",\"items\":[{{\"sku\":\"a{n}\",\"n\":{}}},{{\"sku\":\"b\"}}]}}", n % 7),
        })
        .collect()
}

fn joined(lines: &[String]) -> Vec<u8> {
    lines.iter().flat_map(|line| line.bytes().chain([b'\n'])).collect()
}

#[test]
fn a_mistake_in_line_1_000_000_has_its_place() {
    let mut text = Vec::new();
    for line in 1..=1_000_010 {
        text.extend_from_slice(if line == 1_000_000 { "{\"a\":[\u{e4},]}\n".as_bytes() } else { b"{\"a\":[1]}\n" });
    }
    let at = 999_999 * 10 + 6;
    let file = TempFile::new("million.jsonl", &text);
    for (threads, args, name) in [("1", vec![file.name()], file.name()), ("2", vec!["--from", "jsonl"], "stdin")] {
        let args = [&["convert", "--to", "msgpack", "--threads", threads][..], &args].concat();
        let (code, out, messages) = run(&args, if name == "stdin" { &text } else { b"" });
        assert_eq!((code, out.len()), (3, 999_999 * 5), "{messages}");
        assert!(messages.contains(&format!("{name}:1000000:7\n")), "{messages}");
        assert!(messages.contains(&format!("at byte {at}, in a\n")) && messages.contains("message 1000000"), "{messages}");
        assert!(messages.contains("1000000 | {\"a\":[\u{e4},]}"), "{messages}");
    }
}

#[test]
fn a_long_line_is_cut_around_the_mistake() {
    let text = format!("[{}!]", "\"\u{20ac}\",".repeat(400_000));
    let (code, _, messages) = run(&["convert", "--from", "json", "--to", "msgpack"], text.as_bytes());
    assert_eq!(code, 3);
    assert!(messages.len() < 1000, "{} bytes", messages.len());
    assert!(messages.contains("stdin:1:1600002\n") && messages.contains("!]"), "{messages}");
}

#[test]
fn an_excerpt_does_nothing_to_the_terminal() {
    let text = "{\"a\":\"\u{9b}31m\u{202e}\x1b[2J\x07\",\"b\":!}\r\n";
    let (code, _, messages) = run(&["convert", "--from", "jsonl", "--to", "cbor"], text.as_bytes());
    assert_eq!(code, 3);
    assert!(messages.chars().all(|char| char == '\n' || !char.is_control() && char != '\u{202e}'), "{messages:?}");
    let name = TempFile::new("b\u{1b}ad.json", b"[!]");
    let (_, _, messages) = run(&["convert", "--to", "cbor", name.name()], b"");
    assert!(!messages.contains('\u{1b}'), "{messages:?}");
}

#[test]
fn a_place_in_a_compressed_file_is_that_of_the_decoded_bytes() {
    let text = TempFile::new("plain.jsonl", b"{\"a\":1}\n{\"a\":!}\n");
    let packed = TempFile::new("packed.jsonl.gz", b"");
    let (code, _, messages) = run(&["convert", "--from", "jsonl", "--to", "jsonl", text.name(), "--skip-bad"], b"");
    assert_eq!(code, 1, "{messages}");
    let bytes = {
        let mut child = Command::new("gzip").arg("-c").arg(&text.0).stdout(Stdio::piped()).spawn().expect("gzip starts");
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut child.stdout.take().expect("stdout"), &mut bytes).expect("gzip writes");
        child.wait().expect("gzip ends");
        bytes
    };
    std::fs::write(&packed.0, bytes).expect("a file");
    let (code, _, messages) = run(&["convert", "--from", "jsonl", "--to", "cbor", packed.name()], b"");
    assert_eq!(code, 3);
    assert!(messages.contains(&format!("{}:2:6\n", packed.name())) && messages.contains("at decoded byte 13 (in gzip)"), "{messages}");
}

#[test]
fn binary_messages_have_a_number() {
    let (code, _, messages) = run(&["convert", "--from", "msgpack", "--to", "json"], b"\x01\x02\x81\xa1a\xc1");
    assert_eq!((code, messages.ends_with("at byte 5, in a, message 3\n")), (3, true), "{messages}");
}

#[test]
fn errors_for_programs_are_objects() {
    let input = b"{\"a\":1}\n{\"a\":{\"b\":[1,!]}}\n";
    let (code, _, messages) = run(&["--errors", "json", "convert", "--from", "jsonl", "--to", "yaml"], input);
    let [remark, error] = &objects(&messages)[..] else { panic!("a remark and an error: {messages}") };
    assert_eq!(remark["text"], "1 message was written before this error:");
    assert_eq!(code, 3);
    for (key, value) in [
        ("type", "error".into()),
        ("kind", "syntax".into()),
        ("fault", "data".into()),
        ("format", "jsonl".into()),
        ("seen", "'!'".into()),
        ("file", "stdin".into()),
        ("offset", 21.into()),
        ("line", 2.into()),
        ("column", 14.into()),
        ("message", 2.into()),
        ("path", "a.b".into()),
        ("exit", Value::from(3)),
    ] {
        assert_eq!(error[key], value, "{key}: {messages}");
    }
    // Each way to fail: arguments, a missing file, losses, remarks, a schema.
    for (args, code, kind) in [
        (&["convert", "--to", "json", "--no-such"][..], 2, "usage"),
        (&["convert", "--to", "nothing"], 2, "usage"),
        (&["convert", "--to", "json", "/no/such/file"], 4, "io"),
        (&["schema", "convert", "/no/such.proto", "--to", "extprot"], 4, "io"),
    ] {
        let (seen, _, messages) = run(&[args, &["--errors=json"]].concat(), input);
        let found = objects(&messages);
        assert_eq!((seen, found.len()), (code, 1), "{args:?}: {messages}");
        assert_eq!((&found[0]["kind"], &found[0]["exit"]), (&kind.into(), &code.into()), "{messages}");
    }
    let lossy = b"{\"a\":\"x\",\"b\":12345678901234567890.5}\n";
    let (code, _, messages) = run(&["convert", "--from", "jsonl", "--to", "msgpack", "--errors", "json"], lossy);
    let [loss] = &objects(&messages)[..] else { panic!("one loss: {messages}") };
    assert_eq!((code, &loss["type"], &loss["path"], &loss["count"]), (1, &"loss".into(), &"b".into(), &1.into()), "{messages}");
}

#[test]
fn a_schema_knows_nothing_of_bad_lines() {
    let good = b"{\"a\":1,\"b\":\"x\"}\n{\"a\":2}\n";
    let input = b"{\"a\":1,\"b\":\"x\"}\n{\"c\":true,\"a\":\"x\",!}\n{\"a\":2}\n{\"d\"\n";
    let bad = TempFile::new("bad-infer", b"");
    let infer = ["schema", "infer", "--from", "jsonl"];
    let (code, out, messages) = run(&[&infer[..], &["--skip-bad", "--bad-to", bad.name()]].concat(), input);
    assert_eq!((code, out), (1, run(&infer, good).1), "{messages}");
    assert_eq!(std::fs::read(&bad.0).unwrap(), b"{\"c\":true,\"a\":\"x\",!}\n{\"d\"\n");
    assert!(messages.contains("2 bad messages left out"), "{messages}");
    assert_eq!(run(&[&infer[..], &["--skip-bad=1"]].concat(), input).0, 3);
    assert_eq!(run(&["schema", "infer", "--skip-bad"], b"[1]").0, 2, "JSON has no such framing");
}

#[cfg(feature = "gateway")]
#[test]
fn a_query_goes_on_behind_bad_rows() {
    let input = b"{\"a\":1}\n{\"a\":!}\n{\"a\":2}\n{\"d\"\n";
    let bad = TempFile::new("bad-query", b"");
    let query = ["query", "select a from '-'", "--from", "jsonl"];
    let (code, out, messages) = run(&[&query[..], &["--skip-bad", "--bad-to", bad.name()]].concat(), input);
    assert_eq!((code, out.as_slice()), (1, &b"[1,2]\n"[..]), "{messages}");
    assert_eq!(std::fs::read(&bad.0).unwrap(), b"{\"a\":!}\n{\"d\"\n");
    assert!(messages.contains("2 bad messages left out") && messages.contains("stdin:2:6\n"), "{messages}");
    assert_eq!(run(&[&query[..], &["--skip-bad=1"]].concat(), input).0, 3);
    assert_eq!(run(&query, input).0, 3);
    let first = ["query", "select a from '-' limit 1", "--from", "jsonl", "--skip-bad"];
    assert_eq!(run(&first, input).0, 0, "nothing is read behind the last row");
}

#[test]
fn bad_lines_are_kept_as_they_are_and_all_others_are_written() {
    let input = b"{\"a\":1}\n {\"b\":!}\r\n{\"a\":3}\n\n{\"x\":\"\xff\"}\n{\"a\":1,\"a\":2}\n{\"z\":1}\n[1";
    let bad = TempFile::new("bad", b"old");
    let args = ["convert", "--from", "jsonl", "--to", "json", "--skip-bad", "--bad-to", bad.name()];
    let (code, out, messages) = run(&args, input);
    assert_eq!((code, out.as_slice()), (1, &b"{\"a\":1}\n{\"a\":3}\n{\"z\":1}\n"[..]), "{messages}");
    assert_eq!(std::fs::read(&bad.0).unwrap(), b" {\"b\":!}\r\n{\"x\":\"\xff\"}\n{\"a\":1,\"a\":2}\n[1");
    assert!(messages.contains("4 bad messages left out") && messages.contains("stdin:2:7\n"), "{messages}");
    // One more than allowed is an error, and nothing is written after it.
    let (code, out, messages) = run(&["convert", "--from", "jsonl", "--to", "json", "--skip-bad=1"], input);
    assert_eq!((code, out.as_slice()), (3, &b"{\"a\":1}\n{\"a\":3}\n"[..]), "{messages}");
    // For programs, each is an object without an exit code.
    let (code, _, messages) = run(&["convert", "--from", "jsonl", "--to", "json", "--skip-bad", "--errors", "json"], input);
    let numbers: Vec<Value> =
        objects(&messages).iter().filter(|error| error["exit"].is_null()).map(|error| error["message"].clone()).collect();
    assert_eq!((code, numbers), (1, vec![2.into(), 4.into(), 5.into(), 7.into(), Value::Null]), "{messages}");
}

#[test]
fn bad_rows_do_not_hide_the_next_ones() {
    let input = b"id,n\n1\n2,\"x\"y\n3,4\n5,6,7\n8,\"a\nb\"\n";
    let bad = TempFile::new("rows", b"");
    let (code, out, messages) = run(&["convert", "--from", "csv", "--to", "json", "--skip-bad", "--bad-to", bad.name()], input);
    assert_eq!(code, 1, "{messages}");
    assert_eq!(String::from_utf8_lossy(&out), "{\"id\":3,\"n\":4}\n{\"id\":8,\"n\":\"a\\nb\"}\n", "{messages}");
    assert!(std::fs::read_to_string(&bad.0).unwrap().ends_with("1\n2,\"x\"y\n5,6,7\n"), "{:?}", std::fs::read_to_string(&bad.0));
}

#[test]
fn bad_messages_with_lengths_are_kept_with_these() {
    // The same name twice; then a byte that no message has.
    let good: &[u8] = b"\x81\xa1a\x01";
    let double: &[u8] = b"\x82\xa1a\x01\xa1a\x02";
    let bad = TempFile::new("msgpack", b"");
    let args = ["convert", "--from", "msgpack", "--to", "json", "--skip-bad", "--bad-to", bad.name()];
    let (code, out, messages) = run(&args, &[good, double, good].concat());
    assert_eq!((code, out.as_slice()), (1, &b"{\"a\":1}\n{\"a\":1}\n"[..]), "{messages}");
    assert_eq!(std::fs::read(&bad.0).unwrap(), double);
    let (code, out, messages) = run(&args, &[good, b"\x81\xa1a\xc1", good].concat());
    assert_eq!((code, out.as_slice()), (3, &b"{\"a\":1}\n"[..]), "where it ends is not known: {messages}");
    let text: &[u8] = b"\xa1\x61a\x61\xff";
    let (code, out, messages) = run(&["convert", "--from", "cbor", "--to", "json", "--skip-bad"], &[b"\x01", text, b"\x02"].concat());
    assert_eq!((code, out.as_slice()), (1, &b"1\n2\n"[..]), "text that is no UTF-8: {messages}");
    // A length before each message; the field's length is beyond the message.
    let args = ["convert", "--from", "protobuf-delimited", "--to", "json", "--lossy", "--skip-bad", "--bad-to", bad.name()];
    let (code, out, messages) = run(&args, b"\x02\x08\x01\x02\x12\x09\x02\x08\x03");
    assert_eq!((code, out.iter().filter(|byte| **byte == b'\n').count()), (1, 2), "{messages}");
    assert_eq!(std::fs::read(&bad.0).unwrap(), b"\x02\x12\x09");
    // BSON's length is wrong, so nothing gives the next place.
    let (code, _, messages) = run(&["convert", "--from", "bson", "--to", "json", "--skip-bad"], b"\x0c\0\0\x80\x10a\0\x01\0\0\0\0");
    assert_eq!(code, 3, "{messages}");
}

#[test]
fn a_message_that_the_target_cannot_hold_is_bad() {
    let (code, out, messages) = run(&["convert", "--from", "jsonl", "--to", "csv", "--skip-bad"], b"{\"a\":1}\n7\n{\"a\":2}\n");
    assert_eq!((code, out.as_slice()), (1, &b"a\n1\n2\n"[..]), "{messages}");
    assert!(messages.contains("one bad message left out") && messages.contains("stdin:2:1\n"), "{messages}");
}

#[test]
fn where_the_next_message_is_not_known_bad_ones_are_not_skipped() {
    for from in ["json", "yaml", "xml", "protobuf", "txtpb"] {
        let (code, _, messages) = run(&["convert", "--from", from, "--to", "cbor", "--skip-bad"], b"");
        assert!(code == 2 && messages.contains("--skip-bad for messages in") && messages.contains("jsonl, "), "{from} {code}: {messages}");
    }
    let (code, _, messages) = run(&["convert", "--from", "jsonl", "--each", ".", "--to", "cbor", "--skip-bad"], b"[1]");
    assert!(code == 2 && messages.contains("entries of a document"), "{messages}");
}

#[test]
fn any_number_of_threads_gives_the_same() {
    let good = lines(60_000);
    let mut broken = good.clone();
    broken[50_000] = "{\"id\":1,!}".into();
    let mut bad = good.clone();
    for n in (500..60_000).step_by(5_000) {
        bad[n] = format!("{{\"id\":{n},\"id\":2}}");
    }
    let (good, broken, bad) = (joined(&good), joined(&broken), joined(&bad));
    assert!(good.len() > 3 << 20, "several batches");
    let file = TempFile::new("threads", b"");
    let kept = ["--skip-bad", "--bad-to", file.name()];
    for (input, args) in [
        (&good, &["convert", "--to", "msgpack"][..]),
        (&good, &["convert", "--to", "csv", "--flatten"]),
        (&good, &["convert", "--to", "json", "--select", "items[0].sku,nothing", "--strict-paths"]),
        (&good, &["convert", "--to", "json", "--select", "big", "--pretty"]),
        (&good, &["convert", "--to", "json", "--head", "30000"]),
        (&good, &["convert", "--to", "xml", "--slurp", "--lossy"]),
        (&good, &["schema", "infer", "--lang", "proto"]),
        (&good, &["jq", "{id, sku: .items[0].sku, big}"]),
        (&good, &["jq", "-r", ".name, .nothing"]),
        (&good, &["jq", "-e", "--to", "yaml", "select(.id > 59980) | range(.id % 3), .items.sku"]),
        (&good, &["jq", "--to", "xml", "{big}"]),
        (&broken, &["jq", "--errors", "json", ".id, .name.x?"]),
        (&broken, &["jq", ".items.x, error"]),
        (&broken, &["convert", "--to", "json"]),
        (&broken, &["convert", "--to", "bson", "--errors", "json"]),
        (&broken, &["schema", "infer"]),
        (&bad, &["convert", "--to", "json", kept[0], kept[1], kept[2]]),
        (&bad, &["convert", "--to", "msgpack", "--skip-bad=5", "--lossy"]),
        (&bad, &["jq", "--skip-bad=9", "if .id % 6000 == 1 then error else .id end"]),
        (&bad, &["convert", "--to", "cbor", "--skip-bad=0"]),
    ] {
        let outcome = |threads| {
            let outcome = run(&[args, &["--from", "jsonl", "--threads", threads]].concat(), input);
            (outcome, std::fs::read(&file.0).unwrap())
        };
        let one = outcome("1");
        let other = outcome("3");
        assert!(one == other, "{args:?}: {} and {}, {} and {} bytes", one.0.2, other.0.2, one.0.1.len(), other.0.1.len());
    }
    // Messages that are binary, and framed by their own lengths.
    let (_, packed, _) = run(&["convert", "--from", "jsonl", "--to", "msgpack", "--lossy"], &good);
    let back = |threads| run(&["convert", "--from", "msgpack", "--to", "json", "--threads", threads], &packed);
    assert!(back("1") == back("3"));
}
