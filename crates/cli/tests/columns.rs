//! Files of columns on the command line: Arrow and Parquet.

mod common;

use std::path::PathBuf;
use std::process::Output;

/// A folder that is gone after the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("polywire-columns-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn with(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        std::fs::write(self.0.join(name), bytes).expect("a file");
        self.path(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run(args: &[&str], stdin: &[u8]) -> Output {
    common::fed(common::command(args), stdin)
}

/// Runs a command that has to exit with `code`, and returns both of its outputs.
fn texts(args: &[&str], stdin: &[u8], code: i32) -> (String, String) {
    let output = run(args, stdin);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(code), "{args:?}: {err}");
    (out, err)
}

const TICKETS: &str = "examples/tickets.jsonl";

#[test]
fn messages_go_to_each_kind_of_file_and_come_back() {
    let folder = Folder::new("back");
    let lines = std::fs::read_to_string(common::root().join(TICKETS)).expect("the example");
    for name in ["t.parquet", "t.arrow", "t.feather", "t.arrows"] {
        let file = folder.path(name);
        let (_, err) = texts(&["convert", TICKETS, "-o", &file], b"", 0);
        assert!(err.contains("the schema that 500 messages have"), "{err}");
        assert_eq!(texts(&["diff", TICKETS, &file], b"", 0).0, "");
        let bytes = std::fs::read(&file).expect("a file");
        // By content, from a pipe, on one thread and on several.
        let one = texts(&["convert", &file, "--to", "jsonl", "--threads", "1"], b"", 0).0;
        assert_eq!(one, texts(&["convert", "--to", "jsonl", "--threads", "2"], &bytes, 0).0);
        assert_eq!(one.lines().count(), lines.lines().count());
        let (told, _) = texts(&["inspect", "--no-pager", &file], b"", 0);
        assert!(told.contains("500 rows in 1") && told.contains("shift_number"), "{told}");
        let (json, _) = texts(&["inspect", "--no-pager", "--report", "json"], &bytes, 0);
        assert!(json.contains("\"rows\":500") && json.contains(&format!("\"bytes\":{},", bytes.len())), "{json}");
        let (schema, _) = texts(&["schema", "infer", &file], b"", 0);
        assert!(schema.contains("shift_number: uint32"), "{schema}");
        // From one kind of columns to the other, by the schema of the file.
        let other = folder.path(if name == "t.parquet" { "o.arrow" } else { "o.parquet" });
        assert_eq!(texts(&["convert", &file, "-o", &other], b"", 0).1, "");
        assert_eq!(texts(&["diff", TICKETS, &other], b"", 0).0, "");
    }
    assert_eq!(texts(&["jq", "-c", ".cash_register", &folder.path("t.parquet")], b"", 0).0.lines().count(), 500);
}

#[test]
fn a_schema_may_be_given_and_other_fields_are_kept() {
    let folder = Folder::new("schema");
    let proto = folder.with("m.proto", "syntax = \"proto3\";\nmessage M { uint32 id = 1; repeated string tags = 2; }\n");
    let lines = "{\"id\":1,\"tags\":[\"a\"],\"more\":{\"x\":true}}\n{\"id\":2,\"tags\":[]}\n";
    let file = folder.path("m.parquet");
    texts(&["convert", "--from", "jsonl", "--schema", &proto, "-o", &file], lines.as_bytes(), 0);
    let (told, _) = texts(&["inspect", "--no-pager", &file], b"", 0);
    assert!(told.contains("UInt32") && told.contains("_rest"), "{told}");
    assert!(texts(&["convert", &file, "--to", "jsonl"], b"", 0).0.contains("\"more\":{\"x\":true}"));
    // The schema is inferred from what is selected.
    let input = folder.with("m.jsonl", lines);
    texts(&["convert", &input, "--select", "id", "-o", &file], b"", 0);
    assert_eq!(texts(&["convert", &file, "--to", "jsonl"], b"", 0).0, "{\"id\":1}\n{\"id\":2}\n");
}

#[test]
fn bad_messages_end_the_run_are_left_out_or_are_rows() {
    let folder = Folder::new("bad");
    let input = folder.with("bad.jsonl", "{\"id\":1}\n{\"id\":\n{\"id\":3}\n");
    let file = folder.path("bad.parquet");
    texts(&["convert", &input, "-o", &file], b"", 3);
    // The messages before the error are in a file that is whole.
    assert_eq!(texts(&["convert", &file, "--to", "jsonl"], b"", 0).0, "{\"id\":1}\n");
    texts(&["convert", &input, "--skip-bad", "-o", &file], b"", 1);
    assert_eq!(texts(&["convert", &file, "--to", "jsonl"], b"", 0).0, "{\"id\":1}\n{\"id\":3}\n");
    let (_, err) = texts(&["convert", &input, "--bad", "column", "-o", &file], b"", 1);
    assert!(err.contains("1 bad message is a row"), "{err}");
    assert!(texts(&["inspect", "--no-pager", &file], b"", 0).0.contains("3 rows in 1 row group"));
    let (_, err) = texts(&["convert", &input, "--bad", "skip", "-o", &file], b"", 2);
    assert!(err.contains("--skip-bad"), "{err}");
    texts(&["convert", &input, "--sums", "union", "-o", &file], b"", 2);
}

#[test]
fn damaged_files_are_bad_data() {
    let folder = Folder::new("damaged");
    for name in ["t.parquet", "t.arrow", "t.arrows"] {
        let file = folder.path(name);
        texts(&["convert", "examples/nested.jsonl", "--lossy", "-o", &file], b"", 0);
        let bytes = std::fs::read(&file).expect("a file");
        for len in [8, 12, bytes.len() / 2, bytes.len() - 9] {
            let cut = folder.with(&format!("cut-{name}"), &bytes[..len]);
            let output = run(&["convert", &cut, "--to", "jsonl"], b"");
            // A stream of Arrow may lack its end mark.
            assert!(output.status.code() == Some(3) || name == "t.arrows" && len > bytes.len() / 2, "{name}: {len}: {output:?}");
            assert_ne!(output.status.code(), Some(101));
        }
    }
}

#[test]
fn selected_values_of_columns_are_those_of_messages() {
    let folder = Folder::new("selected");
    for (name, form) in [("t.parquet", "struct"), ("t.arrow", "union")] {
        let file = folder.path(name);
        texts(&["convert", TICKETS, "--sums", form, "-o", &file], b"", 0);
        for paths in ["shift_number", "vouchers.sum", "shift_number, vouchers[-1].sum", "vouchers[0]", "*.sum"] {
            let rows = texts(&["convert", &file, "--to", "jsonl", "--select", paths], b"", 0).0;
            let messages = texts(&["convert", TICKETS, "--to", "jsonl", "--select", paths], b"", 0).0;
            assert_eq!(rows, messages, "{name}: {paths}");
        }
        for script in [
            "select shift_number from \"FILE\" limit 3",
            "select vouchers.sum, shift_number from \"FILE\" limit 5",
            "select * from \"FILE\" limit 2",
        ] {
            let rows = texts(&["query", &script.replace("FILE", &file)], b"", 0).0;
            assert!(rows.contains("61"), "{rows}");
            assert_eq!(rows, texts(&["query", &script.replace("FILE", TICKETS)], b"", 0).0, "{name}: {script}");
        }
    }
}

#[test]
fn a_panic_of_another_library_is_one_error() {
    for name in ["panics.arrows", "panics.parquet"] {
        let file = common::root().join("testdata/columns").join(name).display().to_string();
        for threads in ["1", "2"] {
            let (out, err) = texts(&["convert", &file, "--to", "jsonl", "--threads", threads], b"", 3);
            assert_eq!(out, "");
            assert!(err.starts_with("polywire: ") && err.contains("that its reader cannot take"), "{err}");
            assert_eq!(err.trim().lines().count(), 1, "{err}");
        }
    }
}

#[test]
fn a_comparison_has_the_bytes_of_a_file() {
    let (out, _) = texts(&["compare", TICKETS, "--formats", "json,parquet", "--time", "0.001"], b"", 0);
    assert!(out.contains("Columnar: all messages in one file") && out.contains("parquet"), "{out}");
}
