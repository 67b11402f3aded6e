//! Messages as users have them: entries of documents, folders, kinds.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn polywire(args: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polywire"));
    let mut child =
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let (mut stdin, input) = (child.stdin.take().expect("a pipe"), input.to_vec());
    // The program may end before it has read everything.
    let feeder = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the program ends");
    feeder.join().expect("the feeder ends");
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("polywire-each-{name}-{}", std::process::id()));
    for (name, contents) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is made");
        std::fs::write(path, contents).expect("the file is written");
    }
    folder
}

const LIST: &str = r#"[{"id":1,"tags":["a"]},{"id":2,"tags":[]},{"id":3,"tags":["b","c"]}]"#;
const LINES: &str = "{\"id\":1,\"tags\":[\"a\"]}\n{\"id\":2,\"tags\":[]}\n{\"id\":3,\"tags\":[\"b\",\"c\"]}\n";

#[test]
fn every_verb_takes_entries_for_messages() {
    let wrapped = format!("{{\"meta\":1,\"data\":{{\"rows\":{LIST}}}}}");
    for (document, path) in [(LIST, "."), (&wrapped, "data.rows"), (&wrapped, "*.rows[]")] {
        let converted = polywire(&["convert", "--each", path, "--to", "jsonl"], document.as_bytes());
        assert_eq!(text(&converted.stdout), LINES, "{}", text(&converted.stderr));
        let inferred = polywire(&["schema", "infer", "--each", path], document.as_bytes());
        assert!(
            text(&inferred.stdout).contains("3 samples") && text(&inferred.stdout).contains("tags: list<text>"),
            "{}",
            text(&inferred.stdout)
        );
        let lines = folder("verbs", &[("lines.jsonl", LINES)]).join("lines.jsonl");
        let inspected = polywire(&["inspect", "--each", path], document.as_bytes());
        assert!(inspected.status.success() && text(&inspected.stdout).contains("\"b\""), "{}", text(&inspected.stderr));
        let same = polywire(&["diff", "--each", ".", "-", &lines.display().to_string()], LIST.as_bytes());
        assert_eq!((same.status.code(), text(&same.stderr)), (Some(0), String::new()));
        let compared =
            polywire(&["compare", "--report", "json", "--time", "0.001", "--formats", "json,msgpack", "--each", path], document.as_bytes());
        let record: Value = serde_json::from_slice(&compared.stdout).expect("a record");
        assert_eq!((&record["input"]["messages"], &record["input"]["each"]), (&Value::from(3), &Value::from(path)));
    }
    let missed = polywire(&["convert", "--each", "data.row", "--to", "jsonl"], wrapped.as_bytes());
    assert_eq!(missed.status.code(), Some(2));
    assert!(
        text(&missed.stderr).contains("no entry at `data.row`") && text(&missed.stderr).contains("`data` has: rows"),
        "{}",
        text(&missed.stderr)
    );
    assert_eq!(polywire(&["convert", "--each", "a[1]", "--to", "json"], b"{}").status.code(), Some(2));
}

#[test]
fn compare_takes_a_list_of_records_apart_and_says_so() {
    for (document, whole) in [
        (LIST, "1 message in json"),
        ("<orders day='1'><order><id>1</id></order><order><id>2</id></order></orders>", "1 message in xml"),
        ("- id: 1\n  x: a\n- id: 2\n  x: b\n", "1 message in yaml"),
    ] {
        let args = ["compare", "--time", "0.001", "--formats", "json,cbor"];
        let compared = polywire(&args, document.as_bytes());
        assert!(compared.status.success(), "{}", text(&compared.stderr));
        assert!(text(&compared.stderr).contains("its entries are the messages (--each '"), "{}", text(&compared.stderr));
        assert!(text(&compared.stdout).contains("the entries "), "{}", text(&compared.stdout));
        let asked = polywire(&[&args[..], &["--whole"]].concat(), document.as_bytes());
        assert!(text(&asked.stdout).contains(whole) && !text(&asked.stderr).contains("--each"), "{}", text(&asked.stdout));
    }
    // Anything else is one message, and a long list in it is pointed out.
    let inner = format!("{{\"count\":20,\"rows\":[{}]}}", vec!["{\"id\":1,\"name\":\"a name\"}"; 20].join(","));
    let compared = polywire(&["compare", "--time", "0.001", "--formats", "json,cbor"], inner.as_bytes());
    assert!(text(&compared.stdout).contains("1 message in json"));
    assert!(text(&compared.stdout).replace("\n   ", "").contains("--each 'rows'"), "{}", text(&compared.stdout));
    for one in ["[1,2,3]", "[]", "{\"a\":1}", "<a><b>1</b><b>2</b></a>", "<a><b><c/></b><d><c/></d></a>"] {
        let compared = polywire(
            &["compare", "--time", "0.001", "--formats", "json,cbor", "--from", if one.starts_with('<') { "xml" } else { "json" }],
            one.as_bytes(),
        );
        assert!(text(&compared.stdout).starts_with("1 message in"), "{one}: {}", text(&compared.stdout));
    }
}

#[test]
fn bodies_within_an_archive_are_messages() {
    let entries: Vec<String> = (0..30)
        .map(|n| {
            let body = serde_json::json!({"id": n, "name": format!("name {n}")}).to_string();
            serde_json::json!({"request": {"url": "/"}, "response": {"content": {"text": body}}}).to_string()
        })
        .collect();
    let archive = format!("{{\"log\":{{\"version\":\"1.2\",\"entries\":[{}]}}}}", entries.join(","));
    let each = ["--each", "log.entries.response.content.text", "--open", "."];
    let converted = polywire(&[&["convert", "--to", "jsonl"][..], &each].concat(), archive.as_bytes());
    assert!(text(&converted.stdout).starts_with("{\"id\":0,\"name\":\"name 0\"}\n"), "{}", text(&converted.stderr));
    let compared = polywire(
        &[&["compare", "--time", "0.001", "--formats", "json,protobuf", "--report", "json"][..], &each].concat(),
        archive.as_bytes(),
    );
    let record: Value = serde_json::from_slice(&compared.stdout).expect("a record");
    assert_eq!((&record["input"]["messages"], &record["input"]["smallest"]), (&Value::from(30), &Value::from(24)));
    let inferred = polywire(&[&["schema", "infer"][..], &each].concat(), archive.as_bytes());
    assert!(text(&inferred.stdout).contains("id: uint32"), "{}", text(&inferred.stdout));
}

#[test]
fn folders_and_patterns_are_read_in_order() {
    let folder = folder(
        "folders",
        &[
            ("b/two.json", "{\"n\":2}"),
            ("a.json", "{\"n\":1}"),
            ("c.jsonl", "{\"n\":3}\n{\"n\":4}\n"),
            (".hidden", "{}"),
            ("notes.bin", "\u{1}\u{2}"),
        ],
    );
    let name = folder.display().to_string();
    let converted = polywire(&["convert", &name, "--to", "csv"], b"");
    assert_eq!(text(&converted.stdout), "n\n1\n2\n3\n4\n", "{}", text(&converted.stderr));
    assert!(text(&converted.stderr).contains("notes.bin: skipped"), "{}", text(&converted.stderr));
    let pattern = polywire(&["convert", &format!("{name}/**/*.json"), "--to", "jsonl"], b"");
    assert_eq!(text(&pattern.stdout), "{\"n\":1}\n{\"n\":2}\n");
    let inferred = polywire(&["schema", "infer", &format!("{name}/*.json"), &format!("{name}/c.jsonl")], b"");
    assert!(text(&inferred.stdout).contains("3 samples"), "{}", text(&inferred.stdout));
    let compared = polywire(&["compare", "--time", "0.001", "--formats", "json,cbor", &name], b"");
    assert!(text(&compared.stdout).starts_with("4 messages in json"), "{}", text(&compared.stderr));
    let none = polywire(&["convert", &format!("{name}/*.xml"), "--to", "json"], b"");
    assert_eq!(none.status.code(), Some(2), "{}", text(&none.stderr));
    let over = polywire(&["convert", &name, "--to", "json", "-o", &format!("{name}/a.json")], b"");
    assert!(over.status.code() == Some(2) && text(&over.stderr).contains("the input as the output"), "{}", text(&over.stderr));
    std::fs::remove_dir_all(folder).expect("the folder goes");
}

#[test]
fn folders_are_compared_file_by_file() {
    let left = folder("left", &[("same.json", "{\"n\":1}"), ("in/other.json", "{\"n\":1}"), ("gone.json", "1"), ("x.bin", "\u{1}\u{2}")]);
    let right =
        folder("right", &[("same.json", "{ \"n\": 1 }"), ("in/other.json", "{\"n\":2}"), ("new.json", "1"), ("x.bin", "\u{1}\u{2}")]);
    let (one, other) = (left.display().to_string(), right.display().to_string());
    let found = polywire(&["diff", &one, &other], b"");
    let shown = text(&found.stdout);
    assert_eq!(found.status.code(), Some(1), "{}", text(&found.stderr));
    assert!(shown.contains("in/other.json:\nmessage 1: n\n") && !shown.contains("same.json"), "{shown}");
    assert!(shown.contains(&format!("gone.json: only in {one}\n")) && shown.contains(&format!("new.json: only in {other}\n")), "{shown}");
    assert!(text(&found.stderr).contains("x.bin: skipped"), "{}", text(&found.stderr));
    let lines = text(&polywire(&["diff", &one, &other, "--report", "json"], b"").stdout);
    assert!(
        lines.contains("\"what\":\"difference\",\"file\":\"in/other.json\"") && lines.contains("\"what\":\"file\",\"file\":\"gone.json\""),
        "{lines}"
    );
    assert_eq!(polywire(&["diff", &one, &one], b"").status.code(), Some(0));
    assert_eq!(polywire(&["diff", &one, "examples/tickets.jsonl"], b"").status.code(), Some(2));
    std::fs::remove_dir_all(left).and_then(|()| std::fs::remove_dir_all(right)).expect("the folders go");
}

#[test]
fn kinds_of_messages_have_tables_of_their_own() {
    let login = |n: usize| format!("{{\"type\":\"login\",\"user\":{n},\"address\":\"192.0.2.1\"}}\n");
    let order = |n: usize| format!("{{\"type\":\"order\",\"items\":[{n}],\"total\":{n}.5,\"currency\":\"EUR\"}}\n");
    let mixed: String = (0..90).map(|n| if n % 3 == 0 { order(n) } else { login(n) }).collect();
    let compared = polywire(&["compare", "--time", "0.001", "--formats", "json,cbor", "--report", "json"], mixed.as_bytes());
    let record: Value = serde_json::from_slice(&compared.stdout).expect("a record");
    let tables = record.as_array().expect("two tables");
    let kinds: Vec<(&Value, &Value)> = tables.iter().map(|table| (&table["input"]["messages"], &table["input"]["kind"])).collect();
    assert_eq!(kinds.len(), 2);
    assert_eq!((kinds[0].0, kinds[1].0), (&Value::from(60), &Value::from(30)));
    assert!(kinds[0].1.as_str().is_some_and(|kind| kind.starts_with("type = \"login\"")), "{kinds:?}");
    let table = polywire(&["compare", "--time", "0.001", "--formats", "json,cbor"], mixed.as_bytes());
    assert_eq!(text(&table.stdout).matches("Bytes per message").count(), 2);
    let csv = polywire(&["compare", "--time", "0.001", "--formats", "json,cbor", "--report", "csv"], mixed.as_bytes());
    assert_eq!(text(&csv.stdout).lines().count(), 1 + 4);
}

#[test]
fn formats_without_a_way_to_entries_are_read_whole_and_said() {
    let whole = polywire(&["convert", "--from", "bencode", "--each", "a", "--to", "jsonl"], b"d1:ali1ei2ed1:bi3eeee");
    assert_eq!(text(&whole.stdout), "1\n2\n{\"b\":3}\n");
    assert!(text(&whole.stderr).contains("bencode is read whole for its entries"), "{}", text(&whole.stderr));
    let compared =
        polywire(&["compare", "--from", "bencode", "--each", ".", "--time", "0.001", "--formats", "bencode,json"], b"ld1:bi3eed1:bi4eee");
    assert!(text(&compared.stdout).starts_with("2 messages"), "{}{}", text(&compared.stdout), text(&compared.stderr));
}

/// A document that is far longer than what the program may hold: its entries go one by one.
#[test]
fn long_documents_need_the_memory_of_an_entry() {
    let padding = "x".repeat(900);
    let record = format!("{{\"text\":\"{padding}\",\"n\":[1,2,3]}}");
    let element = format!("<r><text>{padding}</text></r>");
    let item = format!("- text: {padding}\n  n: 1\n");
    for (format, path, start, piece, between, end) in [
        ("json", ".", "[", record.as_str(), ",", "]"),
        ("json", "rows", "{\"skipped\":[", record.as_str(), ",", "],\"rows\":[1]}"),
        ("xml", "rs.r", "<rs>", element.as_str(), "\n", "</rs>"),
        ("yaml", ".", "# rows\n", item.as_str(), "", ""),
    ] {
        let mut command = Command::new("sh");
        command.arg("-c").arg("ulimit -d 65536; exec \"$0\" \"$@\"").arg(env!("CARGO_BIN_EXE_polywire"));
        command.args(["convert", "--from", format, "--each", path, "--to", "msgpack"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("sh runs");
        let mut stdin = child.stdin.take().expect("a pipe");
        let document = [vec![piece; 200].join(between), between.to_string()].concat();
        let (start, piece, end) = (start.to_string(), piece.to_string(), end.to_string());
        let feeder = std::thread::spawn(move || {
            stdin.write_all(start.as_bytes()).expect("the program reads on");
            for _ in 0..500 {
                stdin.write_all(document.as_bytes()).expect("the program reads on");
            }
            stdin.write_all(piece.as_bytes()).and_then(|()| stdin.write_all(end.as_bytes())).expect("the program reads on");
        });
        let mut stdout = child.stdout.take().expect("a pipe");
        let written = std::io::copy(&mut stdout, &mut std::io::sink()).expect("the program writes");
        feeder.join().expect("the feeder ends");
        assert!(child.wait().expect("the program ends").success(), "{format} {path}");
        assert!(if path == "rows" { written == 1 } else { written > 90_000_000 }, "{format} {path}: {written}");
    }
}
