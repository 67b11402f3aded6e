//! Compressed files as inputs: recognised by their first bytes at any size, read or named.

mod common;

use std::io::Write;
use std::path::PathBuf;
use std::process::Output;

/// Lines of JSON that compress badly, so that each block of Zstandard is as large as blocks get.
fn lines(bytes: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut out = Vec::with_capacity(bytes + 256);
    while out.len() < bytes {
        let mut text = String::new();
        for _ in 0..8 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            text.push_str(&format!("{state:016x}"));
        }
        writeln!(out, "{{\"n\":{},\"text\":\"{text}\"}}", state % 1000).expect("memory takes all");
    }
    out
}

fn zstd(bytes: &[u8], level: i32) -> Vec<u8> {
    zstd::encode_all(bytes, level).expect("memory takes all")
}

fn polywire(args: &[&str], stdin: &[u8]) -> Output {
    common::fed(common::command(args), stdin)
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

struct File(PathBuf);

impl File {
    fn new(name: &str, bytes: &[u8]) -> File {
        let path = std::env::temp_dir().join(format!("polywire-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).expect("a file");
        File(path)
    }

    fn name(&self) -> String {
        self.0.display().to_string()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn zstd_of_any_block_size_is_recognised_and_read() {
    let plain = lines(24 << 20);
    for (level, size) in [(3, 24 << 20), (12, 1 << 20)] {
        let plain = &plain[..plain[..size].iter().rposition(|byte| *byte == b'\n').expect("a line") + 1];
        let packed = zstd(plain, level);
        assert!(packed.len() > size / 3, "{}", packed.len());
        let output = polywire(&["convert", "--open", ".", "--to", "jsonl"], &packed);
        assert_eq!(output.status.code(), Some(0), "level {level}: {}", told(&output));
        assert!(output.stdout == plain, "level {level}");
    }
}

#[test]
fn without_being_opened_it_is_named() {
    let packed = zstd(&lines(4 << 20), 3);
    let file = File::new("log.jsonl.zst", &packed);
    for args in [&["convert", "--to", "json"][..], &["compare", "--time", "0.001"], &["schema", "infer"], &["convert", "--to", "msgpack"]] {
        let output = polywire(&[args, &[&file.name()]].concat(), b"");
        let told = told(&output);
        assert_eq!(output.status.code(), Some(3), "{args:?}: {told}");
        assert!(told.contains("saw jsonl in zstd") && told.contains("`convert --open .` reads it"), "{args:?}: {told}");
    }
    let output = polywire(&["diff", &file.name(), "examples/tickets.jsonl"], b"");
    assert!(output.status.code() == Some(3) && told(&output).contains("jsonl in zstd"), "{}", told(&output));
    let output = polywire(&["diff", "--open", ".", &file.name(), &file.name()], b"");
    assert_eq!((output.status.code(), told(&output)), (Some(0), String::new()));
}

#[test]
fn inspect_shows_what_is_inside_of_large_blocks() {
    let packed = zstd(&lines(1 << 20), 3);
    let output = polywire(&["inspect", "--depth", "1"], &packed);
    let shown = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    assert!(shown.contains("jsonl in zstd") && shown.lines().count() > 1000, "{}", &shown[..500]);
}

#[test]
fn what_is_inside_needs_no_format_of_its_own_to_be_read() {
    let table = format!("a,b\n{}", "1,x\n".repeat(200_000));
    let file = File::new("table.csv.zst", &zstd(table.as_bytes(), 3));
    let output = polywire(&["convert", &file.name(), "--open", ".", "--to", "jsonl"], b"");
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    assert_eq!(output.stdout, "{\"a\":1,\"b\":\"x\"}\n".repeat(200_000).as_bytes());
    // Without the file extension, it has to be said.
    let packed = zstd(b"\x05\x06\x07", 3);
    let output = polywire(&["convert", "--to", "json"], &packed);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        told(&output).contains("an unknown format in zstd") && told(&output).contains("`convert --open . --from FORMAT`"),
        "{}",
        told(&output)
    );
    let output = polywire(&["convert", "--open", ".", "--from", "msgpack", "--to", "jsonl"], &packed);
    assert_eq!((output.status.code(), output.stdout), (Some(0), b"5\n6\n7\n".to_vec()));
    let output = polywire(&["inspect"], &packed);
    assert!(output.status.code() == Some(3) && told(&output).contains("in zstd"), "{}", told(&output));
}

#[test]
fn a_broken_zstd_file_is_named_too() {
    let packed = zstd(&lines(1 << 20), 3);
    let output = polywire(&["convert", "--open", ".", "--to", "jsonl"], &packed[..packed.len() / 2]);
    assert_eq!(output.status.code(), Some(3));
    assert!(told(&output).contains("zstd that cannot be decoded"), "{}", told(&output));
    // A magic number, and nothing that follows it.
    let output = polywire(&["convert", "--to", "json"], b"\x28\xb5\x2f\xfd\xff\xff\xff\xff\xff\xff");
    assert!(output.status.code() == Some(3) && told(&output).contains("in zstd"), "{}", told(&output));
}

#[test]
fn gzip_of_real_size_is_read_and_named() {
    let plain = lines(8 << 20);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&plain).expect("memory takes all");
    let packed = encoder.finish().expect("memory takes all");
    let output = polywire(&["convert", "--open", ".", "--to", "jsonl"], &packed);
    assert!(output.status.success() && output.stdout == plain, "{}", told(&output));
    let output = polywire(&["compare", "--time", "0.001"], &packed);
    assert!(output.status.code() == Some(3) && told(&output).contains("jsonl in gzip"), "{}", told(&output));
}

/// First bytes as the programs write them, with enough behind them that looks like anything.
#[test]
fn what_is_not_read_is_named_with_what_to_do() {
    let random = lines(1 << 20);
    for (name, unpack, start) in [
        ("xz", "xz -dc", &b"\xfd7zXZ\0\0\x04\xe6\xd6\xb4F"[..]),
        ("bzip2", "bzip2 -dc", b"BZh91AY&SY\x8e\x0f"),
        ("lz4", "lz4 -dc", b"\x04\x22\x4d\x18\x64\x40\xa7\x6f"),
        ("lzip", "lzip -dc", b"LZIP\x01\x0c"),
        ("zip", "unzip -p", b"PK\x03\x04\x14\0\0\0\x08\0"),
        ("7z", "7z x -so", b"7z\xbc\xaf\x27\x1c\0\x04"),
    ] {
        let packed = [start, &random].concat();
        for args in [
            &["convert", "--to", "json"][..],
            &["convert", "--open", ".", "--to", "json"],
            &["inspect"],
            &["compare", "--time", "0.001"],
            &["schema", "infer"],
            &["diff", "-", "examples/tickets.jsonl"],
        ] {
            let output = polywire(args, &packed);
            let told = told(&output);
            assert_eq!(output.status.code(), Some(3), "{name} {args:?}: {told}");
            assert!(told.contains(&format!("saw {name} data")) && told.contains(&format!("unpack it first: {unpack} FILE")), "{told}");
        }
        // Alone, too.
        assert_eq!(polywire(&["inspect"], start).status.code(), Some(3), "{name}");
    }
}
