//! Bad input on the command line: an error with offset and path, exit code 3, no panic, and bounded
//! memory.
//!
//! The kernel bounds memory: the program runs with 64 MiB of data plus eight times the input. Its
//! code, whose size is the build's affair, does not count. A program that needs more aborts, which
//! is not exit code 3.
#![cfg(target_os = "linux")]

mod common;

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// One input for one format.
struct Case {
    format: &'static str,
    name: &'static str,
    bytes: Vec<u8>,
    /// Part of the error's text; `None` where the input is large but valid.
    error: Option<&'static str>,
}

fn case(format: &'static str, name: &'static str, bytes: impl Into<Vec<u8>>, error: &'static str) -> Case {
    Case { format, name, bytes: bytes.into(), error: Some(error) }
}

fn polywire(args: &[&str], input: &[u8]) -> Output {
    let kilobytes = (64 << 10) + 8 * input.len() / 1024;
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("ulimit -d {kilobytes}; exec \"$0\" \"$@\"")).arg(env!("CARGO_BIN_EXE_polywire")).args(args);
    common::fed(command, input)
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

fn alias_bomb() -> String {
    let mut text = String::from("- &a0 lol\n");
    for n in 1..12 {
        let inner = vec![format!("*a{}", n - 1); 10].join(", ");
        text.push_str(&format!("- &a{n} [{inner}]\n"));
    }
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

/// Documents of BSON within each other, whose lengths are right.
fn deep_documents() -> Vec<u8> {
    let depth = 200_000u32;
    let mut bytes = Vec::new();
    for level in 0..depth {
        bytes.extend((8 * (depth - level) + 5).to_le_bytes());
        bytes.extend(b"\x03a\0");
    }
    bytes.extend(b"\x05\0\0\0\0");
    bytes.extend(vec![0; depth as usize]);
    bytes
}

fn doubled_columns() -> String {
    let names: Vec<String> = (0..50_000).map(|n| format!("k{n}")).collect();
    format!("{},k7\n{}0\n", names.join(","), "0,".repeat(50_000))
}

/// Lists within lists, each an element with its size.
fn deep_packet() -> Vec<u8> {
    let mut sizes = Vec::new();
    let mut length = 0;
    for _ in 0..20_000 {
        let head = format!("|=_list:{length} ");
        length += head.len();
        sizes.push(head);
    }
    let mut packet = String::from("\n:_list_a\t");
    packet.extend(sizes.into_iter().rev());
    packet.push_str("\n|\n");
    packet.into_bytes()
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
        case("bson", "empty", "", "expected a message"),
        case("bson", "2 GiB in 10 bytes", b"\xff\xff\xff\x7f\x10a\0\x01\0\0".as_slice(), "at byte 10"),
        case("bson", "text of 2 GiB in a document", b"\x0e\0\0\0\x02a\0\xff\xff\xff\x7fx\0\0".as_slice(), "at byte 11, in a"),
        case("bson", "truncated", b"\x0f\0\0\0\x02a\0\x03\0\0\0x".as_slice(), "at byte 12, in a"),
        case("bson", "invalid UTF-8", b"\x0e\0\0\0\x02a\0\x02\0\0\0\xff\0\0".as_slice(), "at byte 11, in a"),
        case("bson", "flipped length", b"\x0c\0\0\x80\x10a\0\x01\0\0\0\0".as_slice(), "a length of -2147483636, at byte 0"),
        case("bson", "deep documents", deep(b"\xff\xff\xff\x7f\x03a\0"), "at byte"),
        case("bson", "deep documents of the right lengths", deep_documents(), "more than 512 containers"),
        case("bson", "doubled key", b"\x0b\0\0\0\x0aa\0\x0aa\0\0".as_slice(), "at byte 7, in a"),
        case("bencode", "empty", "", "expected a message"),
        case("bencode", "string of 2^64 in 22 bytes", "18446744073709551615:a", "at byte 22"),
        case("bencode", "string of 4 GiB in a list", "l4294967296:ab", "at byte 14"),
        case("bencode", "truncated", "d1:al1:b3:x", "at byte 11, in a"),
        case("bencode", "invalid length", "d1:a1x", "at byte 5, in a"),
        case("bencode", "deep lists", deep(b"l"), "more than 512 containers"),
        case("bencode", "deep dictionaries", deep(b"d1:a"), "more than 512 containers"),
        case("bencode", "doubled key", "d1:ai1e1:ai2ee", "at byte 7, in a"),
        case("bencode", "a number of a million digits", format!("i{}e", "1".repeat(1_000_000)), "a number of more than 4096 digits"),
        case("jsonl", "truncated", "{\"a\":1}\n{\"a\":[1", "the end of the input, at byte 15, in a"),
        case("jsonl", "a value over two lines", "{\"a\":\n1}\n", "a value ends on its line"),
        case("jsonl", "two values on a line", "1\n[] []\n", "help: a line holds one value"),
        case("jsonl", "invalid UTF-8", b"{\"a\":[\"\xff\"]}\n".as_slice(), "at byte 7, in a"),
        case("jsonl", "deep lists", deep(b"["), "more than 512 containers"),
        case("jsonl", "doubled keys", doubled_keys(), "in a.k7"),
        case("csv", "truncated", "a,b\n1,\"x", "the closing quote of a cell, saw the end of the input, at byte 8, in b"),
        case("csv", "invalid UTF-8", b"a,b\n1,x\xff\n".as_slice(), "at byte 7, in b"),
        case("csv", "ragged", "a,b\n1,2\n3\n", "without one for \"b\", at byte 9"),
        case("csv", "a million commas", format!("a,b\n{}", ",".repeat(1_000_000)), "more than 2 cells, at byte 6"),
        case("csv", "doubled key among 50,000", doubled_columns(), "in k7"),
        case("csv", "a quote that is never closed", format!("a,b\n1,\"{}", "x\n".repeat(1_000_000)), "the closing quote"),
        case("csv", "a number of a million digits", format!("a,b\n1,{}", "1".repeat(1_000_000)), "more than 4096 digits, at byte 6, in b"),
        case("yaml", "truncated", "{\"a\": [1, ", "at byte 10, in a"),
        case("yaml", "invalid UTF-8", b"a: \xff\n".as_slice(), "at byte 3"),
        case("yaml", "deep lists in brackets", deep(b"["), "more than 255 nested containers"),
        case("yaml", "deep blocks", deep(b"- "), "more than 512 containers"),
        case("yaml", "alias bomb", alias_bomb(), "aliases that stand for more than"),
        case("yaml", "unknown alias", "a: *b\n", "at byte 3, in a"),
        case("yaml", "doubled keys", "a: 1\na: 2\n", "at byte 5, in a"),
        case("yaml", "a number of a million digits", "1".repeat(1_000_000), "a number of more than 4096 digits"),
        case("psyc", "empty", "", "expected a message"),
        case("psyc", "truncated", ":_source\ta\n\n:_list_x\t| a", "the end of the input, at byte 24"),
        case("psyc", "content of 2^64 bytes", "18446744073709551615\n_m\nx\n|\n", "at byte 19"),
        case("psyc", "value of 2^62 bytes in 10", "\n:_a 4611686018427387904\tx\n|\n", "the end of the input, at byte"),
        case("psyc", "element of 9 bytes in 1", "\n:_list_a\t|9 x\n|\n", "in a"),
        case("psyc", "invalid UTF-8", b"\n:_a\t=_text x\xff\n|\n".as_slice(), "at byte 13, in a"),
        case("psyc", "deep lists", deep_packet(), "more than 512 containers"),
        case("psyc", "a name of a million bytes", format!(":_{}", "_7".repeat(500_000)), "the end of the input"),
        case("psyc", "a number of a million digits", format!("\n:_a\t{}\n|\n", "1".repeat(1_000_000)), "a number of more than 4096 digits"),
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
        for to in ["json", "xml", "msgpack", "cbor", "bson", "bencode"] {
            check(&case, &["convert", "--lossy", "--from", case.format, "--to", to]);
        }
    }
}

#[test]
fn inspect_shows_what_it_can_and_refuses_bad_input() {
    for case in cases() {
        // A dump needs no rule for duplicate keys: it shows both values.
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
fn schema_infer_refuses_bad_input() {
    for case in cases() {
        check(&case, &["schema", "infer", "--from", case.format]);
    }
}

/// No two messages have a name, a text or a shape in common; memory is bounded all the same.
#[test]
fn schema_infer_remembers_a_bounded_amount() {
    let mut stream = String::new();
    for n in 0..20_000 {
        let fields = (0..12).map(|m| format!("\"a{n}b{m}\":{{\"c{n}d{m}\":[\"text{n}\",{{\"e{n}\":{m}}}]}}")).collect::<Vec<_>>().join(",");
        stream.push_str(&format!("{{{fields}}}\n"));
    }
    let mut command = Command::new("sh");
    command.arg("-c").arg("ulimit -d 131072; exec \"$0\" \"$@\"").arg(env!("CARGO_BIN_EXE_polywire"));
    let mut child =
        command.args(["schema", "infer", "--from", "json"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("sh runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let feeder = std::thread::spawn(move || stdin.write_all(stream.as_bytes()).expect("the program reads on"));
    let output = child.wait_with_output().expect("the program ends");
    feeder.join().expect("the feeder ends");
    assert!(output.status.success());
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).lines().nth(1),
        Some("root type Message = map<text, map<text, (text, map<text, uint32>)>>")
    );
}

#[test]
fn selecting_steps_over_bad_input_without_harm() {
    for case in cases() {
        let output = polywire(&["convert", "--lossy", "--from", case.format, "--to", "json", "--select", "zzz"], &case.bytes);
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 1 | 3)), "{} {}: {:?} {}", case.format, case.name, code, String::from_utf8_lossy(&output.stderr));
    }
}

/// Feeds `piece` to a conversion `times` times, with at most 64 MiB of data, and counts the bytes
/// of output.
fn converted(args: &[&str], start: &str, piece: String, times: u64) -> u64 {
    let mut command = Command::new("sh");
    command.arg("-c").arg("ulimit -d 65536; exec \"$0\" \"$@\"").arg(env!("CARGO_BIN_EXE_polywire")).arg("convert").args(args);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("sh runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let start = start.to_string();
    let feeder = std::thread::spawn(move || {
        stdin.write_all(start.as_bytes()).expect("the program reads on");
        for _ in 0..times {
            stdin.write_all(piece.as_bytes()).expect("the program reads on");
        }
    });
    let mut stdout = child.stdout.take().expect("a pipe");
    let written = std::io::copy(&mut stdout, &mut std::io::sink()).expect("the program writes");
    feeder.join().expect("the feeder ends");
    assert!(child.wait().expect("the program ends").success());
    written
}

/// A stream that is far longer than what the program may hold: it must go message by message.
#[test]
fn long_streams_need_the_memory_of_a_message() {
    let line = format!("{{\"text\":\"{}\",\"n\":[1,2,3]}}\n", "x".repeat(900));
    let written = converted(&["--from", "json", "--to", "msgpack"], "", line.repeat(100), 1500);
    assert_eq!(written, 150_000 * (1 + 5 + 3 + 900 + 2 + 4));
}

#[test]
fn long_tables_need_the_memory_of_a_row() {
    let text = "x".repeat(900);
    let written = converted(&["--from", "csv", "--to", "jsonl"], "text,n\n", format!("{text},1\n").repeat(100), 1500);
    assert_eq!(written, 150_000 * (900 + "{\"text\":\"\",\"n\":1}\n".len() as u64));
    let lines = format!("{{\"text\":\"{text}\",\"n\":1}}\n").repeat(100);
    let written = converted(&["--from", "jsonl", "--to", "csv"], "", lines, 1500);
    assert_eq!(written, "text,n\n".len() as u64 + 150_000 * 903);
}

/// Returns one GiB as 1 MiB of gzip: consecutive members, the first of which looks like a message.
fn bomb() -> Vec<u8> {
    let gzip = |bytes: &mut dyn std::io::Read| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::copy(bytes, &mut encoder).expect("memory takes all");
        encoder.finish().expect("memory takes all")
    };
    let zeros = gzip(&mut std::io::Read::take(std::io::repeat(b'0'), 16 << 20));
    [gzip(&mut &b"[1, 2, \""[..]), zeros.repeat(64)].concat()
}

/// Payloads are held to the limits of the message around them, however small it is.
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
    // A file that is compressed as a whole is bad data; a payload in a message is shown as it is.
    for (args, input, code) in
        [(&["inspect", "--depth", "3", "--from", "msgpack"][..], &packed, 0), (&["inspect", "--depth", "3"], &bomb, 3)]
    {
        let output = polywire(&[args, &limit].concat(), input);
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {:?}", output.status);
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
