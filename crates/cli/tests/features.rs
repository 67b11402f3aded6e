//! Features of the program: a part that it has is used; for one that it lacks, the error names the
//! command that builds it.

mod common;

/// Runs the program; returns its exit code, and what it printed on stdout and stderr.
fn run(args: &[&str]) -> (Option<i32>, String, String) {
    let output = common::command(args).output().expect("polywire runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn help_lists_the_verbs_of_features_in_every_program() {
    let (code, help, _) = run(&["--help"]);
    assert_eq!(code, Some(0));
    for verb in ["serve", "query", "table"] {
        let line = help.lines().find(|line| line.starts_with(&format!("  {verb} "))).unwrap_or_else(|| panic!("{help}"));
        assert!(line.len() > 20, "{line}");
        assert_eq!(run(&[verb, "--help"]).0, Some(0), "{verb}");
    }
    assert_eq!(help.contains("feature `gateway`"), cfg!(not(feature = "gateway")), "{help}");
    let (_, help, _) = run(&["compare", "--help"]);
    assert_eq!(help.contains("feature `rivals`"), cfg!(not(feature = "rivals")), "{help}");
}

#[cfg(not(feature = "gateway"))]
#[test]
fn a_verb_that_is_not_built_in_says_the_command_that_has_it() {
    for args in [&["serve", "examples/shop", "--port", "0"][..], &["query", "select * from items"], &["table", "new", "-x"], &["serve"]] {
        let (code, out, error) = run(args);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{error}");
        let command = format!("    cargo run --profile dist --features gateway -- {}", args[0]);
        assert!(error.lines().any(|line| line.starts_with(&command)), "{error}");
    }
}

#[cfg(not(feature = "rivals"))]
#[test]
fn an_option_that_is_not_built_in_says_the_command_that_has_it() {
    let (code, out, error) = run(&["compare", "--rivals", "examples/packets.jsonl"]);
    assert_eq!((code, out.as_str()), (Some(2), ""), "{error}");
    assert!(error.contains("\n    cargo run --profile dist --features rivals -- compare --rivals examples/packets.jsonl\n"), "{error}");
}

#[cfg(not(any(feature = "amf", feature = "asn1", feature = "columns", feature = "etch", feature = "exi", feature = "thrift")))]
#[test]
fn a_format_that_is_not_built_in_says_the_command_that_has_it() {
    let folder = tempfile::tempdir().expect("a folder is made");
    let file = folder.path().join("table.parquet");
    std::fs::write(&file, b"PAR1\x15\0\x15\x0e\x15PAR1").expect("a file is written");
    let parquet = file.to_str().expect("a path of text");
    for (feature, args) in [
        ("columns", &["convert", "examples/tickets.jsonl", "--to", "parquet"][..]),
        ("columns", &["convert", "examples/tickets.jsonl", "-o", "out.parquet"]),
        ("columns", &["convert", parquet, "--to", "json"]),
        ("asn1", &["convert", "examples/tickets.jsonl", "--to", "asn1-uper"]),
        ("exi", &["convert", "examples/packets.xml", "--to", "exi"]),
        ("thrift", &["convert", "examples/tickets.jsonl", "--to", "thrift-compact"]),
        ("amf", &["convert", "examples/tickets.jsonl", "--to", "amf3"]),
        ("etch", &["convert", "examples/tickets.jsonl", "--to", "etch"]),
        ("thrift", &["schema", "infer", "examples/tickets.jsonl", "--lang", "thrift"]),
        ("etch", &["schema", "infer", "examples/tickets.jsonl", "--lang", "etch"]),
        ("asn1", &["schema", "infer", "examples/tickets.jsonl", "--lang", "asn1"]),
    ] {
        let (code, out, error) = run(args);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{error}");
        assert!(error.contains(&format!("\n    cargo run --profile dist --features {feature} -- {}", args[0])), "{error}");
    }
}
