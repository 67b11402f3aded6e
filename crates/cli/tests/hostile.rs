//! Bad input on the command line: an error with offset and path, exit code 3, no panic, and bounded memory.
//!
//! Memory is held by the kernel: the program runs with an address space of 64 MiB plus eight times the input. One that needs
//! more aborts, which is not exit code 3.
#![cfg(target_os = "linux")]

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// What one format is fed with.
struct Case {
    format: &'static str,
    name: &'static str,
    bytes: Vec<u8>,
    /// What the error says, in part; nothing where the input is large but sound.
    error: Option<&'static str>,
}

fn case(format: &'static str, name: &'static str, bytes: impl Into<Vec<u8>>, error: &'static str) -> Case {
    Case { format, name, bytes: bytes.into(), error: Some(error) }
}

fn polywire(args: &[&str], input: &[u8]) -> Output {
    let kilobytes = (64 << 10) + 8 * input.len() / 1024;
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\"")).arg(env!("CARGO_BIN_EXE_polywire")).args(args);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("sh runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let feeder = std::thread::spawn(move || {
        // The program may end before it has read everything.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("the program ends");
    feeder.join().expect("the feeder ends");
    output
}

fn many_attributes(doubled: bool) -> String {
    let mut text = String::from("<a");
    for n in 0..50_000 {
        text.push_str(&format!(" k{n}=\"v\""));
    }
    text.push_str(if doubled { " k7=\"v\"/>" } else { "/>" });
    text
}

fn entity_bomb() -> String {
    let mut text = String::from("<!DOCTYPE a [<!ENTITY e0 \"lollollollol\">");
    for n in 1..12 {
        let inner = format!("&e{};", n - 1).repeat(10);
        text.push_str(&format!("<!ENTITY e{n} \"{inner}\">"));
    }
    text.push_str("]><a>&e11;</a>");
    text
}

fn doubled_keys() -> String {
    let mut text = String::from("{\"a\":{");
    for n in 0..50_000 {
        text.push_str(&format!("\"k{n}\":0,"));
    }
    text.push_str("\"k7\":1}}");
    text
}

fn cases() -> Vec<Case> {
    let deep = |open: &[u8]| open.repeat(200_000);
    vec![
        case("json", "empty", "", "expected a message"),
        case("json", "truncated", "{\"a\":[1,{\"b\":\"x", "the end of the input, at byte 15, in a[1].b"),
        case("json", "invalid UTF-8", b"{\"a\":[\"\xff\"]}".as_slice(), "at byte 7, in a"),
        case("json", "deep lists", deep(b"["), "more than 512 containers"),
        case("json", "deep objects", deep(b"{\"a\":"), "more than 512 containers"),
        case("json", "doubled keys", doubled_keys(), "in a.k7"),
        case("json", "a number of a million digits", "1".repeat(1_000_000), "a number of more than 4096 digits"),
        case("xml", "empty", "", "expected a message"),
        case("xml", "truncated", "<a><b c=\"d\">x", "at byte 13"),
        case("xml", "invalid UTF-8", b"<a>\xff</a>".as_slice(), "at byte 3"),
        case("xml", "deep elements", deep(b"<a>"), "more than 512 containers"),
        case("xml", "doubled attribute among 50,000", many_attributes(true), "k7"),
        case("xml", "entity bomb", entity_bomb(), "entities that expand"),
        Case { format: "xml", name: "50,000 attributes", bytes: many_attributes(false).into_bytes(), error: None },
        case("msgpack", "empty", "", "expected a message"),
        case("msgpack", "text of 4 GiB in 10 bytes", b"\xdb\xff\xff\xff\xffabcde".as_slice(), "at byte"),
        case("msgpack", "list of 4 Gi in 10 bytes", b"\xdd\xff\xff\xff\xff\x01\x02\x03\x04\x05".as_slice(), "at byte"),
        case("msgpack", "map of 4 Gi in 10 bytes", b"\xdf\xff\xff\xff\xff\xa1a\x01\xa1b".as_slice(), "at byte"),
        case("msgpack", "deep lists", deep(b"\x91"), "more than 512 containers"),
        case("msgpack", "doubled key", b"\x82\xa1a\x01\xa1a\x02".as_slice(), "at byte 4, in a"),
        case("cbor", "empty", "", "expected a message"),
        case("cbor", "text of 4 GiB in 10 bytes", b"\x7a\xff\xff\xff\xffabcde".as_slice(), "at byte"),
        case("cbor", "list of 2^64 in 10 bytes", b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff\x01".as_slice(), "at byte"),
        case("cbor", "map of 4 Gi in 10 bytes", b"\xba\xff\xff\xff\xff\x61a\x01\x61b".as_slice(), "at byte"),
        case("cbor", "invalid UTF-8", b"\xa1\x61a\x61\xff".as_slice(), "at byte 4, in a"),
        case("cbor", "deep lists", deep(b"\x81"), "more than 512 containers"),
        case("cbor", "deep tags", deep(b"\xc6"), "more than 512 containers"),
        case("cbor", "doubled key", b"\xa2\x61a\x01\x61a\x02".as_slice(), "at byte 4, in a"),
        case("ber", "empty", "", "expected a message"),
        case("ber", "4 GiB in 10 bytes", b"\x30\x84\xff\xff\xff\xff\x02\x01\x01\x00".as_slice(), "at byte"),
        case("ber", "deep sequences", deep(b"\x30\x80"), "more than 512 containers"),
    ]
}

fn check(case: &Case, args: &[&str]) {
    let output = polywire(args, &case.bytes);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let shown = format!("{} {}: {args:?}: {:?} {}", case.format, case.name, output.status, told.chars().take(400).collect::<String>());
    match case.error {
        Some(error) => {
            assert_eq!(output.status.code(), Some(3), "{shown}");
            assert!(told.contains(error), "expected `{error}`: {shown}");
            assert!(told.contains("at byte ") || case.bytes.is_empty(), "no offset: {shown}");
        }
        None => assert_eq!(output.status.code(), Some(0), "{shown}"),
    }
}

#[test]
fn convert_refuses_bad_input() {
    for case in cases() {
        for to in ["json", "xml", "msgpack", "cbor"] {
            check(&case, &["convert", "--lossy", "--from", case.format, "--to", to]);
        }
    }
}

#[test]
fn inspect_shows_what_it_can_and_refuses_bad_input() {
    for case in cases() {
        // A dump has no use for a rule about doubled keys: it shows both.
        if !case.name.starts_with("doubled key") {
            check(&case, &["inspect", "--from", case.format]);
            check(&case, &["inspect", "--report", "json", "--from", case.format]);
        }
    }
}

#[test]
fn compare_refuses_bad_input() {
    for case in cases().iter().filter(|case| case.error.is_some() && case.format != "ber") {
        check(case, &["compare", "--time", "0.001", "--from", case.format]);
    }
}

#[test]
fn selecting_steps_over_bad_input_without_harm() {
    for case in cases() {
        let output = polywire(&["convert", "--lossy", "--from", case.format, "--to", "json", "--select", "zzz"], &case.bytes);
        let code = output.status.code();
        assert!(
            code == Some(3) || code == Some(0),
            "{} {}: {:?} {}",
            case.format,
            case.name,
            code,
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// A stream that is far longer than what the program may hold: it must go message by message.
#[test]
fn long_streams_need_the_memory_of_a_message() {
    let line = format!("{{\"text\":\"{}\",\"n\":[1,2,3]}}\n", "x".repeat(900));
    let mut command = Command::new("sh");
    command.arg("-c").arg("ulimit -v 65536; exec \"$0\" \"$@\"").arg(env!("CARGO_BIN_EXE_polywire"));
    command.args(["convert", "--from", "json", "--to", "msgpack"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("sh runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let lines = 150_000;
    let feeder = std::thread::spawn(move || {
        for _ in 0..lines / 100 {
            stdin.write_all(line.repeat(100).as_bytes()).expect("the program reads on");
        }
    });
    let mut stdout = child.stdout.take().expect("a pipe");
    let written = std::io::copy(&mut stdout, &mut std::io::sink()).expect("the program writes");
    feeder.join().expect("the feeder ends");
    assert!(child.wait().expect("the program ends").success());
    assert_eq!(written, lines * (1 + 5 + 3 + 900 + 2 + 4));
}

/// One GiB in 1 MiB, as gzip: members one behind the other, the first of which looks like a message.
fn bomb() -> Vec<u8> {
    let gzip = |bytes: &mut dyn std::io::Read| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::copy(bytes, &mut encoder).expect("memory takes all");
        encoder.finish().expect("memory takes all")
    };
    let zeros = gzip(&mut std::io::Read::take(std::io::repeat(b'0'), 16 << 20));
    [gzip(&mut &b"[1, 2, \""[..]), zeros.repeat(64)].concat()
}

/// What is inside of a message is held to the limits of the message, however small it looked.
#[test]
fn bombs_inside_of_messages_are_bounded() {
    let bomb = bomb();
    let packed = [&b"\x81\xa1a\xc6"[..], &u32::try_from(bomb.len()).expect("a short bomb").to_be_bytes(), &bomb].concat();
    let limit = ["--max-decoded", "8388608"];
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/diff/files/order.json");
    for (args, input) in [
        (&["convert", "--open", "a", "--from", "msgpack", "--to", "json"][..], &packed),
        (&["convert", "--open", ".", "--to", "json"], &bomb),
        (&["diff", "--open", ".", "-", file], &bomb),
    ] {
        let output = polywire(&[args, &limit].concat(), input);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{args:?}: {:?} {told}", output.status);
        assert!(told.contains("expands to more than 8388608 bytes"), "{args:?}: {told}");
    }
    for (args, input) in [(&["inspect", "--depth", "3", "--from", "msgpack"][..], &packed), (&["inspect", "--depth", "3"], &bomb)] {
        let output = polywire(&[args, &limit].concat(), input);
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {:?}", output.status);
        assert!(shown.contains("looks like") || shown.contains("json in gzip"), "{args:?}: {shown}");
        assert!(shown.split_whitespace().collect::<Vec<_>>().join(" ").contains("expands to more than 8388608 bytes"), "{args:?}: {shown}");
    }
}

/// The other verbs' bad input, for the verb that reads two files.
#[test]
fn diff_refuses_bad_input() {
    for case in cases() {
        let told = |args: &[&str]| {
            let output = polywire(args, &case.bytes);
            (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
        };
        let shown = format!("{} {}", case.format, case.name);
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/diff/files/order.json");
        let (left, said) = told(&["diff", "--from-a", case.format, "-", file]);
        let (right, _) = told(&["diff", "--from-b", case.format, file, "-"]);
        let expected = Some(if case.error.is_some() { 3 } else { 1 });
        assert_eq!((left, right), (expected, expected), "{shown}: {said}");
    }
}

#[test]
fn compressed_streams_need_the_memory_of_a_message() {
    let line = format!("{{\"text\":\"{}\",\"n\":[1,2,3]}}\n", "x".repeat(900));
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let lines = 100_000;
    for _ in 0..lines / 100 {
        encoder.write_all(line.repeat(100).as_bytes()).expect("memory takes all");
    }
    let output = polywire(&["convert", "--open", ".", "--to", "msgpack"], &encoder.finish().expect("memory takes all"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.stdout.len(), lines * (1 + 5 + 3 + 900 + 2 + 4));
}
