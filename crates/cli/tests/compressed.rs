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
fn every_verb_reads_through_compression() {
    let plain = lines(1 << 20);
    let file = File::new("log.jsonl.zst", &zstd(&plain, 3));
    let name = file.name();
    for args in [
        &["convert", "--to", "jsonl", &name][..],
        &["compare", "--time", "0.001", "--formats", "json,cbor", &name],
        &["schema", "infer", &name],
    ] {
        let output = polywire(args, b"");
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", told(&output));
        assert!(args[0] != "convert" || output.stdout == plain, "{args:?}");
    }
    for open in [&[][..], &["--open", "."]] {
        let output = polywire(&[&["diff", &name, "-"][..], open].concat(), &plain);
        assert_eq!((output.status.code(), told(&output)), (Some(0), String::new()));
    }
    let output = polywire(&["inspect", &name], b"");
    assert!(String::from_utf8_lossy(&output.stdout).contains("jsonl in zstd"), "inspect shows the bytes as they are");
}

/// Two lines as the programs bzip2, xz and lz4 pack them, and twice that.
#[test]
fn bzip2_xz_and_lz4_are_read() {
    for (name, packed) in [
        ("bzip2", &b"\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x22\x9d\xe2\xe9\x00\x00\x06\x59\x80\x00\x10\x10\x00\x30\x10\x20\x00\x00\x0a\x20\x00\x31\x0c\x08\x12\x80\x7a\x89\xc2\x26\x86\x8b\xe2\xee\x48\xa7\x0a\x12\x04\x53\xbc\x5d\x20"[..]),
        ("xz", b"\xfd\x37\x7a\x58\x5a\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00\x21\x01\x16\x00\x00\x00\x74\x2f\xe5\xa3\x01\x00\x0f\x7b\x22\x61\x22\x3a\x31\x7d\x0a\x7b\x22\x61\x22\x3a\x32\x7d\x0a\x00\x14\x5f\x11\x02\x79\xf7\x0d\xcc\x00\x01\x28\x10\xe5\x0b\x6c\x60\x1f\xb6\xf3\x7d\x01\x00\x00\x00\x00\x04\x59\x5a"),
        ("lz4", b"\x04\x22\x4d\x18\x64\x40\xa7\x10\x00\x00\x80\x7b\x22\x61\x22\x3a\x31\x7d\x0a\x7b\x22\x61\x22\x3a\x32\x7d\x0a\x00\x00\x00\x00\x62\x3a\xb3\xdb"),
    ] {
        for times in [1, 2] {
            let output = polywire(&["convert", "--to", "jsonl"], &packed.repeat(times));
            assert_eq!(output.status.code(), Some(0), "{name}: {}", told(&output));
            assert_eq!(String::from_utf8_lossy(&output.stdout), "{\"a\":1}\n{\"a\":2}\n".repeat(times), "{name}");
        }
        let output = polywire(&["convert", "--to", "jsonl"], &packed[..packed.len() - 12]);
        assert!(output.status.code() == Some(3) && told(&output).contains(&format!("{name} that cannot be decoded")), "{}", told(&output));
    }
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
    assert!(told(&output).contains("bytes that look like no format: 05 06 07") && told(&output).contains("--from"), "{}", told(&output));
    let output = polywire(&["convert", "--from", "msgpack", "--to", "jsonl"], &packed);
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
    assert!(output.status.code() == Some(3) && told(&output).contains("zstd that cannot be decoded"), "{}", told(&output));
}

#[test]
fn gzip_of_real_size_is_read() {
    let plain = lines(8 << 20);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&plain).expect("memory takes all");
    let packed = encoder.finish().expect("memory takes all");
    let output = polywire(&["convert", "--open", ".", "--to", "jsonl"], &packed);
    assert!(output.status.success() && output.stdout == plain, "{}", told(&output));
    let output = polywire(&["schema", "infer"], &packed);
    assert!(output.status.success() && output.stdout.starts_with(b"# Inferred from"), "{}", told(&output));
}

/// First bytes as the programs write them, with enough behind them that looks like anything.
#[test]
fn what_is_not_read_is_named_with_what_to_do() {
    let random = lines(1 << 20);
    for (name, unpack, start) in [
        ("lzip", "lzip -dc", &b"LZIP\x01\x0c"[..]),
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
