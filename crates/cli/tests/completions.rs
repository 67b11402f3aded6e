//! Completions, as shells ask for them: verbs, options, formats, bundled messages, and the fields
//! of the file that is named.
#![cfg(unix)]

mod common;

use std::process::Command;

/// Returns what is offered for the last of the words, by the protocol of zsh and fish.
fn offered(shell: &str, words: &[&str]) -> Vec<String> {
    let mut command = common::command(&["--", "polywire"]);
    command.args(words).env("POLYWIRE_COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", words.len().to_string()).env("_CLAP_IFS", "\n");
    let output = command.output().expect("polywire runs");
    assert!(output.status.success() && output.stderr.is_empty(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    // A description stands behind a tab or a colon.
    text.lines().map(|line| line.split(['\t', ':']).next().unwrap_or_default().to_string()).filter(|word| !word.is_empty()).collect()
}

/// Each word, and a part of what is offered.
const CASES: &[(&[&str], &[&str])] = &[
    (&["con"], &["convert"]),
    (&["schema", "in"], &["infer"]),
    (&["convert", "--exactly"], &["--exactly-one"]),
    (&["convert", "--to", "msg"], &["msgpack"]),
    (&["convert", "--from", ""], &["json", "cbor", "protobuf", "yaml"]),
    (&["compare", "--corpus", "tickets-"], &["tickets-2", "tickets-1000"]),
    (&["schema", "infer", "--lang", "p"], &["proto"]),
    (&["convert", "examples/tickets.jsonl", "--select", "vou"], &["vouchers", "vouchers.sum", "vouchers.goods_name"]),
    (&["convert", "examples/tickets.jsonl", "--select", "shift_number,vouchers.s"], &["shift_number,vouchers.sum"]),
    (&["convert", "--select", "", "examples/tickets.jsonl"], &[]),
    (&["diff", "examples/tickets-2.json", "examples/tickets-2.json", "--ignore", "start"], &["start_time"]),
    (&["convert", "--each", "vou", "examples/tickets-1000.json"], &[]),
    (&["convert", "examples/tickets-1000.json", "--each", "vou"], &["vouchers"]),
    (&["convert", "examples/tickets-1000.json", "--each", "vouchers", "--select", "go"], &["goods_name"]),
    (&["compare", "examples/search-reply.json", "--each", "searchResult.it"], &["searchResult.items"]),
    (
        &["convert", "examples/search-reply.pb", "--schema", "examples/search.proto", "--select", "searchResult.item.ti"],
        &["searchResult.item.title"],
    ),
    (&["inspect", "examples/search-reply.xml", "--path", "soapenv:Env"], &[]),
];

#[test]
fn words_are_offered_where_they_fit() {
    for (words, expected) in CASES {
        let found = offered("fish", words);
        for word in *expected {
            assert!(found.iter().any(|offer| offer == word), "{words:?}: {found:?}");
        }
    }
    assert_eq!(offered("fish", &["convert", "examples/tickets.jsonl", "--select", "zzz"]), [""; 0]);
}

/// A file that is broken, or is none, has no fields, and completing says nothing about it.
#[test]
fn files_without_fields_are_no_error() {
    for file in ["examples", "examples/README.md", "nowhere.json", "/dev/null"] {
        assert_eq!(offered("fish", &["convert", file, "--select", "a"]), [""; 0], "{file}");
    }
}

/// A file of a gigabyte is looked at from its start.
#[test]
fn only_the_start_of_a_long_file_is_read() {
    let file = std::env::temp_dir().join(format!("polywire-completions-{}.json", std::process::id()));
    let item = r#"{"first_name":1,"text":"a long text that fills the list"},"#;
    std::fs::write(&file, format!("[{}", item.repeat(100_000))).expect("a file");
    assert_eq!(offered("fish", &["convert", file.to_str().expect("text"), "--select", "first"]), ["first_name"]);
    std::fs::remove_file(file).expect("the file goes");
}

/// The script that bash is given offers what the program does.
#[test]
fn bash_offers_formats_and_fields() {
    let script = r#"
set -u
source <("$0" completions bash)
PATH=$(dirname "$0"):$PATH
offer() {
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_TYPE=9; COMPREPLY=()
    _clap_complete_polywire polywire "${@: -1}" "${@: -2:1}"
    printf '%s\n' "${COMPREPLY[@]}"
}
offer polywire convert --to msg
offer polywire compare --corpus sea
offer polywire convert examples/tickets.jsonl --select vouchers.g
"#;
    let output = Command::new("bash").arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_polywire")).current_dir(common::root()).output();
    let output = output.expect("bash runs");
    let printed = String::from_utf8(output.stdout).expect("text");
    assert_eq!(
        printed.lines().collect::<Vec<_>>(),
        ["msgpack", "search-reply", "search-reply-xml", "vouchers.goods_name"],
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn every_shell_has_a_script() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = common::command(&["completions", shell]).output().expect("polywire runs");
        assert!(output.status.success() && String::from_utf8_lossy(&output.stdout).contains("POLYWIRE_COMPLETE"), "{shell}");
    }
}
