//! Messages of another number or shape, and outputs that are files, folders, compressed or live.

mod common;

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn polywire(args: &[&str], stdin: &[u8]) -> Output {
    common::fed(common::command(args), stdin)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("polywire-reshape-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn put(&self, name: &str, contents: &[u8]) -> String {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, contents).expect("a file");
        path.display().to_string()
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn read(&self, name: &str) -> String {
        text(&fs::read(self.0.join(name)).expect("a file"))
    }

    /// Returns the names of all files, hidden ones too.
    fn names(&self, below: &str) -> Vec<String> {
        let folder = fs::read_dir(self.0.join(below)).expect("a folder");
        let mut names: Vec<String> = folder.map(|entry| entry.expect("an entry").file_name().into_string().expect("text")).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Lines of JSON, `bytes` long or a little more.
fn lines(bytes: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes + 256);
    let mut number = 0_u64;
    while out.len() < bytes {
        let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        writeln!(out, "{{\"id\":{number},\"key\":\"{mixed:016x}\",\"tags\":[\"a\",\"b\"],\"price\":{}.5}}", mixed % 1000).expect("memory");
        number += 1;
    }
    out
}

/// Runs the program with a limit on its memory, feeds it, and returns the number of bytes that it
/// wrote.
fn within(kilobytes: u32, args: &[&str], feed: impl FnOnce(&mut dyn Write) + Send + 'static) -> u64 {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("ulimit -d {kilobytes}; exec \"$0\" \"$@\"")).arg(env!("CARGO_BIN_EXE_polywire")).args(args);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("sh runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let feeder = std::thread::spawn(move || feed(&mut stdin));
    let written = std::io::copy(&mut child.stdout.take().expect("a pipe"), &mut std::io::sink()).expect("the program writes");
    feeder.join().expect("the feeder ends");
    assert!(child.wait().expect("the program ends").success(), "{args:?}");
    written
}

#[test]
fn nothing_is_read_behind_the_last_message_that_is_taken() {
    let endless: fn(&mut dyn Write) = |stdin| while stdin.write_all(b"{\"n\":1}\n{\"n\":2}\n").is_ok() {};
    for (args, expected) in
        [(["--head", "3"], "{\"n\":1}\n{\"n\":2}\n{\"n\":1}\n"), (["--message", "2"], "{\"n\":2}\n"), (["--head", "0"], "")]
    {
        let mut child = common::command(&["convert", "--to", "json", args[0], args[1]]);
        let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        let feeder = std::thread::spawn(move || endless(&mut stdin));
        let output = child.wait_with_output().expect("the program ends");
        feeder.join().expect("the feeder ends");
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), expected.to_string()), "{args:?}");
    }
    // A file of ten gigabytes, all of them a hole behind the first line.
    let folder = Folder::new("hole");
    let name = folder.put("huge.jsonl", b"{\"n\":1}\n{\"n\":2}\n");
    fs::OpenOptions::new().write(true).open(&name).and_then(|file| file.set_len(10 << 30)).expect("a hole");
    let output = polywire(&["convert", &name, "--head", "2", "--to", "csv"], b"");
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), "n\n1\n2\n".to_string()), "{}", text(&output.stderr));
}

#[test]
fn what_is_skipped_still_tells_what_later_messages_need() {
    let table = "a,b\n1,x\n2,y\n3,z\n";
    let skipped = polywire(&["convert", "--from", "csv", "--skip", "2", "--to", "jsonl"], table.as_bytes());
    assert_eq!(text(&skipped.stdout), "{\"a\":3,\"b\":\"z\"}\n");
    // It is not checked: the first line is no message.
    let bad = polywire(&["convert", "--from", "jsonl", "--skip", "1", "--to", "json"], b"#fields a b\n{\"a\":1}\n");
    assert_eq!((bad.status.code(), text(&bad.stdout)), (Some(0), "{\"a\":1}\n".to_string()), "{}", text(&bad.stderr));
    let folder = Folder::new("skip");
    let (one, two) = (folder.put("1.jsonl", b"1\n2\n3\n"), folder.put("2.csv", b"n\n4\n5\n"));
    let over_both = polywire(&["convert", &one, &two, "--skip", "2", "--head", "2", "--to", "jsonl"], b"");
    assert_eq!(text(&over_both.stdout), "3\n{\"n\":4}\n", "{}", text(&over_both.stderr));
    let all = polywire(&["convert", &one, "--skip", "7", "--to", "jsonl"], b"");
    assert_eq!((all.status.code(), text(&all.stdout)), (Some(0), String::new()));
}

#[test]
fn a_sample_is_of_all_inputs_and_the_same_each_time() {
    let folder = Folder::new("sample");
    let table: String = (0..500).fold("n\n".to_string(), |table, n| format!("{table}{n}\n"));
    let lines: String = (500..1000).fold(String::new(), |lines, n| format!("{lines}{{\"n\":{n}}}\n"));
    let (one, two) = (folder.put("1.csv", table.as_bytes()), folder.put("2.jsonl", lines.as_bytes()));
    let sampled = |seed: &str| {
        let output = polywire(&["convert", &one, &two, "--sample", "100", "--seed", seed, "--to", "csv"], b"");
        assert!(output.status.success(), "{}", text(&output.stderr));
        let text = text(&output.stdout);
        text.lines().skip(1).map(|line| line.parse().expect("a number")).collect::<Vec<u32>>()
    };
    let sample = sampled("0");
    assert_eq!(sample, sampled("0"));
    assert_ne!(sample, sampled("1"));
    assert!(sample.len() == 100 && sample.windows(2).all(|pair| pair[0] < pair[1]), "{sample:?}");
    assert!((30..70).contains(&sample.iter().filter(|n| **n < 500).count()), "{sample:?}");
    let few = polywire(&["convert", &one, "--head", "3", "--sample", "10", "--to", "jsonl"], b"");
    assert_eq!(text(&few.stdout), "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n");
    let whole = polywire(&["convert", "--from", "bencode", "--each", ".", "--sample", "1", "--to", "jsonl"], b"li1ei2ee");
    assert!(
        whole.status.code() == Some(2) && text(&whole.stderr).contains("--sample of the entries of bencode"),
        "{}",
        text(&whole.stderr)
    );
}

/// The list of all messages is written as they come, in formats where a list is its elements.
#[test]
fn a_list_of_all_messages_needs_the_memory_of_one() {
    let record = format!("{{\"text\":\"{}\",\"n\":[1,2,3]}}\n", "x".repeat(900));
    for format in ["json", "jsonl", "cbor"] {
        let record = record.clone();
        let written = within(32_768, &["convert", "--from", "jsonl", "--slurp", "--to", format], move |stdin| {
            for _ in 0..40_000 {
                stdin.write_all(record.as_bytes()).expect("the program reads on");
            }
        });
        assert!(written > 36_000_000, "{format}: {written}");
    }
    // Others hold it, within the limits.
    let held =
        polywire(&["convert", "--from", "jsonl", "--slurp", "--max-decoded", "20", "--to", "msgpack"], b"\"0123456789\"\n\"0123456789\"\n");
    assert_eq!(held.status.code(), Some(3));
    assert!(text(&held.stderr).contains("a list of 2 messages and more than 20 bytes") && held.stdout.is_empty(), "{}", text(&held.stderr));
}

#[test]
fn a_list_is_the_same_however_it_is_written() {
    let input = "{\"a\":[1,null,\"x\"]}\n[]\n-7\n1.5\n";
    for to in ["json", "msgpack", "cbor", "yaml", "xml"] {
        let list = polywire(&["convert", "--from", "jsonl", "--slurp", "--to", to], input.as_bytes());
        assert!(list.status.success(), "{to}: {}", text(&list.stderr));
        let joined = polywire(&["convert", "--from", to, "--join", "--to", "jsonl"], &list.stdout);
        let expected = if to == "xml" { None } else { Some(input.to_string()) };
        if let Some(expected) = expected {
            assert_eq!(text(&joined.stdout), expected, "{to}: {}", text(&joined.stderr));
        }
        let back = polywire(&["convert", "--from", to, "--to", "json"], &list.stdout);
        assert_eq!(text(&back.stdout), "[{\"a\":[1,null,\"x\"]},[],-7,1.5]\n", "{to}: {}", text(&back.stderr));
    }
    let none = polywire(&["convert", "--from", "jsonl", "--slurp", "--to", "json"], b"");
    assert_eq!((none.status.code(), text(&none.stdout)), (Some(0), "[]\n".to_string()));
    // An error ends the list behind the last whole message.
    let cut = polywire(&["convert", "--from", "jsonl", "--slurp", "--to", "json"], b"1\n2\n{\n");
    assert_eq!((cut.status.code(), text(&cut.stdout)), (Some(3), "[1,2]\n".to_string()));
    let held = polywire(&["convert", "--from", "jsonl", "--slurp", "--to", "msgpack"], b"1\n2\n{\n");
    assert_eq!((held.status.code(), held.stdout.len()), (Some(3), 0));
}

#[test]
fn columns_come_back_as_the_records_that_they_were() {
    for message in [
        r#"{"a":{"b":1,"c":{"d":null}},"e":[1,[2,{"f":"x"}],[]],"g":{}}"#,
        r#"{"a":[],"b":[{}],"":{"":1}}"#,
        r#"{"only":"a scalar"}"#,
        r#"{}"#,
        r#"[{"not":{"a":"record"}}]"#,
        r#"{"wide":[0,1,2,3,4,5,6,7,8,9,10,11]}"#,
    ] {
        let flat = polywire(&["convert", "--from", "json", "--flatten", "--to", "json"], message.as_bytes());
        assert_eq!(text(&flat.stderr), "", "{message}");
        let back = polywire(&["convert", "--from", "json", "--unflatten", "--to", "json"], &flat.stdout);
        assert_eq!(text(&back.stdout).trim_end(), message, "{}", text(&flat.stdout));
    }
    let names = polywire(&["convert", "--from", "json", "--flatten", "--to", "json"], br#"{"a.b":{"0":1,"1":2}}"#);
    assert_eq!(text(&names.stdout), "{\"a.b.0\":1,\"a.b.1\":2}\n");
    assert!(text(&names.stderr).contains("name with the separator") && text(&names.stderr).contains("record with numbers as names"));
    assert_eq!(names.status.code(), Some(0));
    let twice = polywire(&["convert", "--from", "json", "--flatten", "--to", "json"], br#"{"a":{"b":1},"a.b":2}"#);
    assert!(twice.status.code() == Some(3) && text(&twice.stderr).contains("two values for the column `a.b`"), "{}", text(&twice.stderr));
    // Null gives way; anything else keeps its whole name.
    let taken = polywire(
        &["convert", "--from", "json", "--unflatten", "--to", "json"],
        br#"{"a":null,"a.b":1,"c":2,"c.d":3,"e":4,"e.f":null,"g.1":1,"g.0":0,"h.01":1}"#,
    );
    assert_eq!(text(&taken.stdout), "{\"a\":{\"b\":1},\"c\":2,\"c.d\":3,\"e\":4,\"g\":[0,1],\"h\":{\"01\":1}}\n");
    let deep = format!("{{\"{}\":1}}", vec!["a"; 600].join("."));
    let deep = polywire(&["convert", "--from", "json", "--unflatten", "--to", "json"], deep.as_bytes());
    assert!(deep.status.code() == Some(3) && text(&deep.stderr).contains("a name of 600 parts"), "{}", text(&deep.stderr));
}

#[test]
fn a_folder_gets_a_file_for_each_input() {
    let folder = Folder::new("folder");
    let input = folder.path("in");
    folder.put("in/a.json", b"{\"n\":1}");
    folder.put("in/b/a.csv", b"n\n2\n3\n");
    folder.put("in/b/c", b"{\"n\":4}\n{\"n\":5}\n");
    folder.put("in/notes.bin", b"\x01\x02");
    let out = format!("{}/", folder.path("out"));
    let written = polywire(&["convert", &input, "-o", &out, "--to", "jsonl", "--compress", "gzip"], b"");
    assert_eq!(written.status.code(), Some(0), "{}", text(&written.stderr));
    assert!(text(&written.stderr).contains("notes.bin: skipped"), "{}", text(&written.stderr));
    assert_eq!(
        (folder.names("out"), folder.names("out/b")),
        (vec!["a.jsonl.gz".into(), "b".into()], vec!["a.jsonl.gz".into(), "c.jsonl.gz".into()])
    );
    let read = polywire(&["convert", &out, "--to", "jsonl"], b"");
    assert_eq!(text(&read.stdout), "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n{\"n\":4}\n{\"n\":5}\n");
    // A pattern has its files below the folders without signs.
    let pattern = polywire(&["convert", &format!("{input}/**/*.csv"), "-o", &format!("{}/", folder.path("tables")), "--to", "json"], b"");
    assert!(pattern.status.success() && folder.names("tables/b") == ["a.json"], "{}", text(&pattern.stderr));
    // A run that fails leaves the files that are there, and no half of one.
    folder.put("kept/bad.csv", b"as it was");
    let bad = folder.put("bad.jsonl", b"{\"n\":1}\n{\"n\":\n");
    let failed = polywire(&["convert", &bad, "-o", &folder.path("kept"), "--to", "csv"], b"");
    assert_eq!(
        (failed.status.code(), folder.names("kept"), folder.read("kept/bad.csv")),
        (Some(3), vec!["bad.csv".into()], "as it was".into())
    );
    // Two results in one place are refused before anything is written.
    let twin = folder.put("in/a.xml", b"<n>1</n>");
    let both = polywire(&["convert", &folder.path("in/a.json"), &twin, "-o", &format!("{}/", folder.path("none")), "--to", "cbor"], b"");
    assert!(both.status.code() == Some(2) && text(&both.stderr).contains("which both become this file"), "{}", text(&both.stderr));
    assert!(!Path::new(&folder.path("none")).exists());
}

#[test]
fn a_file_changes_in_its_place_as_a_whole_or_not_at_all() {
    let folder = Folder::new("place");
    let name = folder.put("a.jsonl", &lines(1 << 20));
    let before = folder.read("a.jsonl");
    let edited = polywire(&["convert", &name, "--in-place", "--select", "id", "--skip", "10"], b"");
    assert!(edited.status.success() && edited.stdout.is_empty(), "{}", text(&edited.stderr));
    assert!(folder.read("a.jsonl").starts_with("{\"id\":10}\n{\"id\":11}\n"));
    assert_eq!(folder.read("a.jsonl").lines().count(), before.lines().count() - 10);
    for (name, contents, args, code) in [
        ("bad.jsonl", "{\"n\":1}\n{\"n\":\n", &["--select", "n"][..], 3),
        ("lossy.yaml", "n: 1 # a comment\n", &[], 1),
        ("lossy.yml", "n: 1 # a comment\n", &["--lossy=value"], 1),
        ("empty.json", "", &["--from", "json"], 3),
        ("short.jsonl", "1\n2\n", &["--message", "3"], 2),
        ("other.json", "{\"n\":1}", &["--to", "cbor"], 2),
    ] {
        let path = folder.put(name, contents.as_bytes());
        let output = polywire(&[&["convert", &path, "--in-place"], args].concat(), b"");
        assert_eq!((output.status.code(), folder.read(name)), (Some(code), contents.to_string()), "{name}: {}", text(&output.stderr));
    }
    let lossy = folder.put("lossy.yaml", b"n: 1 # a comment\n");
    let accepted = polywire(&["convert", &lossy, "--in-place", "--lossy=remark"], b"");
    assert_eq!((accepted.status.code(), folder.read("lossy.yaml").contains('#')), (Some(0), false), "{}", text(&accepted.stderr));
    // A compressed file stays one.
    let packed = folder.path("a.jsonl.zst");
    assert!(polywire(&["convert", &name, "-o", &packed], b"").status.success());
    assert!(polywire(&["convert", &packed, "--in-place", "--head", "1"], b"").status.success());
    assert_eq!(&fs::read(&packed).expect("a file")[..4], b"\x28\xb5\x2f\xfd");
    assert_eq!(text(&polywire(&["convert", &packed, "--to", "json"], b"").stdout), "{\"id\":10}\n");
    assert!(folder.names("").iter().all(|name| !name.starts_with('.')), "{:?}", folder.names(""));
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new("links");
    let name = folder.put("data/real.jsonl", b"1\n2\n");
    fs::set_permissions(&name, fs::Permissions::from_mode(0o640)).expect("permissions");
    symlink("data/real.jsonl", folder.path("link.jsonl")).expect("a link");
    assert!(polywire(&["convert", &folder.path("link.jsonl"), "--in-place", "--head", "1"], b"").status.success());
    assert_eq!((folder.read("data/real.jsonl"), folder.read("link.jsonl")), ("1\n".into(), "1\n".into()));
    assert!(fs::symlink_metadata(folder.path("link.jsonl")).expect("a link").is_symlink());
    assert_eq!(fs::metadata(&name).expect("a file").permissions().mode() & 0o777, 0o640);
    fs::set_permissions(&name, fs::Permissions::from_mode(0o440)).expect("permissions");
    let read_only = polywire(&["convert", &name, "--in-place"], b"");
    assert_eq!((read_only.status.code(), folder.read("data/real.jsonl")), (Some(4), "1\n".into()), "{}", text(&read_only.stderr));
    let twice = polywire(&["convert", &name, &folder.path("link.jsonl"), "--in-place"], b"");
    assert!(twice.status.code() == Some(4) || twice.status.code() == Some(2), "{}", text(&twice.stderr));
}

#[test]
fn many_megabytes_come_back_from_every_compression() {
    let folder = Folder::new("packed");
    // Behind the windows and blocks of all; tools/check-more.sh has as many as the variable says.
    let all: Option<usize> = std::env::var("POLYWIRE_MEGABYTES").ok().and_then(|megabytes| megabytes.parse().ok());
    for (extension, method, tool, megabytes) in [
        ("gz", "gzip:1", "gzip", 12),
        ("zst", "zstd", "zstd", 20),
        ("lz4", "lz4", "lz4", 9),
        ("bz2", "bzip2:1", "bzip2", 1),
        ("xz", "xz:0", "xz", 4),
    ] {
        let megabytes = all.unwrap_or(megabytes);
        let plain = folder.put("plain.jsonl", &lines(megabytes << 20));
        let packed = folder.path(&format!("packed.jsonl.{extension}"));
        let written = polywire(&["convert", &plain, "-o", &packed, "--compress", method], b"");
        assert!(written.status.success(), "{method}: {}", text(&written.stderr));
        let size = fs::metadata(&packed).expect("a file").len();
        assert!(size < (megabytes << 20) as u64 * 2 / 3, "{method}: {size}");
        let back = folder.path("back.jsonl");
        let read = polywire(&["convert", &packed, "-o", &back], b"");
        assert!(read.status.success(), "{method}: {}", text(&read.stderr));
        assert!(fs::read(&back).expect("a file") == fs::read(&plain).expect("a file"), "{method}");
        // The system's tool is a judge where there is one.
        if let Ok(judged) = Command::new(tool).args(["-dc", &packed]).output() {
            assert!(judged.status.success() && judged.stdout == fs::read(&plain).expect("a file"), "{tool}: {}", text(&judged.stderr));
        }
        fs::remove_file(&packed).expect("the file goes");
    }
}

#[test]
fn an_output_that_ends_early_is_whole_for_its_compression() {
    let packed = polywire(&["convert", "--from", "jsonl", "--to", "jsonl", "--compress", "gz"], b"1\n2\n{\n");
    assert_eq!(packed.status.code(), Some(3));
    let read = polywire(&["convert", "--to", "jsonl"], &packed.stdout);
    assert_eq!((read.status.code(), text(&read.stdout)), (Some(0), "1\n2\n".to_string()), "{}", text(&read.stderr));
}

/// Reads lines of a program's output as they come.
struct Lines(std::process::ChildStdout);

impl Lines {
    fn next(&mut self) -> String {
        let mut line = Vec::new();
        let mut byte = [0];
        while line.last() != Some(&b'\n') && self.0.read(&mut byte).expect("output") == 1 {
            line.push(byte[0]);
        }
        text(&line)
    }
}

#[test]
fn a_message_is_written_before_the_next_one_comes() {
    for (args, first) in [(&["--from", "jsonl"][..], "{\"n\":1}\n"), (&[], "{\"n\":1}\n{\"n\":"), (&["--from", "cbor"], "\u{0}\u{1}")] {
        let mut command = common::command(&[&["convert", "--to", "jsonl", "--unbuffered"], args].concat());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts");
        let (mut stdin, mut lines) = (child.stdin.take().expect("a pipe"), Lines(child.stdout.take().expect("a pipe")));
        stdin.write_all(first.as_bytes()).expect("the program reads");
        assert_eq!(lines.next(), if args.contains(&"cbor") { "0\n" } else { "{\"n\":1}\n" });
        drop(stdin);
        child.kill().and_then(|()| child.wait()).expect("the program ends");
    }
}

#[cfg(unix)]
mod follow {
    use super::*;
    use std::io::BufRead;
    use std::process::Child;

    /// A run of the program that follows a file.
    struct Followed {
        child: Child,
        lines: Lines,
        told: std::io::BufReader<std::process::ChildStderr>,
    }

    impl Followed {
        fn start(args: &[&str]) -> Followed {
            let mut command = common::command(&[&["convert", "--follow"], args].concat());
            let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
            let lines = Lines(child.stdout.take().expect("a pipe"));
            let told = std::io::BufReader::new(child.stderr.take().expect("a pipe"));
            Followed { child, lines, told }
        }

        fn told(&mut self) -> String {
            let mut line = String::new();
            self.told.read_line(&mut line).expect("text");
            line
        }

        /// Ends the program by a signal, and returns its exit code and the rest of its output.
        fn end(mut self, signal: rustix::process::Signal) -> (Option<i32>, String) {
            let id = rustix::process::Pid::from_child(&self.child);
            rustix::process::kill_process(id, signal).expect("a signal");
            let mut rest = String::new();
            self.lines.0.read_to_string(&mut rest).expect("text");
            self.told.read_to_string(&mut rest).expect("text");
            (self.child.wait().expect("it ends").code(), rest)
        }
    }

    fn append(name: &str, text: &str) {
        let mut file = fs::OpenOptions::new().append(true).open(name).expect("a file");
        file.write_all(text.as_bytes()).expect("room");
    }

    #[test]
    fn a_file_that_grows_is_read_as_its_messages_get_whole() {
        let folder = Folder::new("grows");
        let name = folder.put("app.jsonl", b"{\"n\":1}\n{\"n\"");
        let mut run = Followed::start(&[&name, "--to", "json"]);
        assert_eq!(run.lines.next(), "{\"n\":1}\n");
        append(&name, ":2}\n{\"n\":3}\n{\"n\":4");
        assert_eq!((run.lines.next(), run.lines.next()), ("{\"n\":2}\n".into(), "{\"n\":3}\n".into()));
        append(&name, "2}\n{\"n\"");
        assert_eq!(run.lines.next(), "{\"n\":42}\n");
        let (code, rest) = run.end(rustix::process::Signal::INT);
        assert_eq!(code, Some(0));
        assert!(rest.contains("a message that is not whole is left out: 4 bytes from byte "), "{rest}");
    }

    #[test]
    fn truncation_and_rotation_are_told_and_gone_along_with() {
        let folder = Folder::new("rotates");
        let name = folder.put("table.csv", b"n,x\n1,a\n2,b\n");
        let mut run = Followed::start(&[&name, "--to", "jsonl"]);
        assert_eq!((run.lines.next(), run.lines.next()), ("{\"n\":1,\"x\":\"a\"}\n".into(), "{\"n\":2,\"x\":\"b\"}\n".into()));
        fs::write(&name, "n\n3\n").expect("a shorter file");
        assert!(run.told().ends_with("truncated, read again from its start\n"));
        assert_eq!(run.lines.next(), "{\"n\":3}\n");
        fs::rename(&name, folder.path("table.csv.1")).expect("another name");
        append(&folder.path("table.csv.1"), "4\n");
        assert_eq!(run.lines.next(), "{\"n\":4}\n");
        fs::write(folder.path("new"), "m\n5\n").expect("a file");
        fs::rename(folder.path("new"), &name).expect("its name");
        assert!(run.told().ends_with("replaced by another file, which is read from its start\n"));
        assert_eq!(run.lines.next(), "{\"m\":5}\n");
        assert_eq!(run.end(rustix::process::Signal::TERM), (Some(0), String::new()));
    }

    #[test]
    fn a_followed_file_ends_with_its_last_message_that_is_taken() {
        let folder = Folder::new("taken");
        let name = folder.put("app.jsonl", b"1\n2\n");
        let mut run = Followed::start(&[&name, "--skip", "1", "--head", "2", "--to", "json"]);
        assert_eq!(run.lines.next(), "2\n");
        append(&name, "3\n4\n");
        assert_eq!((run.lines.next(), run.lines.next()), ("3\n".into(), String::new()));
        assert_eq!(run.child.wait().expect("it ends").code(), Some(0));
        // A mistake ends it too.
        let bad = folder.put("bad.jsonl", b"1\n{\n");
        let mut run = Followed::start(&[&bad, "--from", "jsonl", "--to", "json"]);
        assert_eq!((run.lines.next(), run.child.wait().expect("it ends").code()), ("1\n".into(), Some(3)));
    }

    #[test]
    fn what_cannot_be_followed_is_refused() {
        let folder = Folder::new("refused");
        let (lines, yaml) = (folder.put("a.jsonl", b"1\n"), folder.put("a.yaml", b"n: 1\n"));
        let packed = folder.path("a.jsonl.gz");
        assert!(polywire(&["convert", &lines, "-o", &packed], b"").status.success());
        let whole = folder.put("a.bencode", b"li1ei2ee");
        for (args, expected) in [
            (&[yaml.as_str()][..], "--follow for yaml"),
            (&[packed.as_str()], "--follow for a compressed file"),
            (&[whole.as_str(), "--each", "."], "--follow for bencode"),
            (&["-"], "something else than a file"),
            (&[], "0 inputs with --follow"),
            (&[lines.as_str(), yaml.as_str()], "2 inputs with --follow"),
            (&[lines.as_str(), "-o", &format!("{}/", folder.path("out"))], "--follow with a folder"),
            (&[lines.as_str(), "--slurp"], "cannot be used with"),
        ] {
            let output = polywire(&[&["convert", "--follow", "--to", "jsonl"], args].concat(), b"");
            assert!(output.status.code() == Some(2) && text(&output.stderr).contains(expected), "{args:?}: {}", text(&output.stderr));
        }
    }
}
