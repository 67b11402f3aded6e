//! Every command in README.md and in the pages of `docs` runs, as it is written, and so does every
//! example of the help.
//!
//! Each page has a folder of its own, with copies of `examples`, `testdata` and `docs`, so that its
//! commands run as they do at the root of the repository. A page whose commands need other files
//! gets them from `files/NAME` beside this test, and by the script `setup.sh` in it. `bash` runs
//! each command with the built program in its path. [`page`] says which parts of a page are
//! commands, and how a page marks those that run otherwise or not at all.
//!
//! `PAGES=jq cargo test -p polywire-cli --all-features --test pages` runs the pages whose names
//! hold `jq`.

#[path = "../common/mod.rs"]
mod common;
mod page;

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use polywire_core::text::diagnostic::Source;

use common::root;
use page::{Command, Example, Run, blocks, fits};

/// Number of commands that this test does not run, each with a reason in its page. They need root,
/// a network or hours, or another test runs them.
const NOT_RUN: usize = 39;

/// Seconds after which a command is taken for one that hangs.
const PATIENCE: &str = "120";

/// Measures for a moment, since pages are about what is measured and not about how exactly; and
/// serves on any port, since the one that a page names may be taken.
const POLYWIRE: &str = r#"#!/bin/sh
case "$1 " in
"compare ") case " $* " in *" --time "*) ;; *) set -- "$@" --time 0.001 ;; esac ;;
"serve ") case " $* " in *" --port "* | *" --check "*) ;; *) set -- "$@" --port 0 ;; esac ;;
esac
exec PROGRAM "$@"
"#;

/// Stands for a build: `cargo run` runs the program that there is.
const CARGO: &str = r#"#!/bin/sh
while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done
[ $# -gt 0 ] || { echo "only cargo run is here" >&2; exit 99; }
shift
exec polywire "$@"
"#;

/// Returns README.md and all pages below `docs`, as paths from the root.
fn pages() -> Vec<PathBuf> {
    let mut found = vec![PathBuf::from("README.md")];
    let mut folders = vec![PathBuf::from("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).expect("a folder").flatten() {
            let path = folder.join(entry.file_name());
            if root().join(&path).is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn read(page: &Path) -> Vec<Command> {
    contents(page).0
}

/// Returns the commands and examples of a page. Specifications have neither: their blocks are
/// grammars and bytes, which vectors in `testdata` hold.
fn contents(page: &Path) -> (Vec<Command>, Vec<Example>) {
    if page.starts_with("docs/spec") {
        return (Vec::new(), Vec::new());
    }
    let text = std::fs::read_to_string(root().join(page)).expect("a page");
    blocks(&text).unwrap_or_else(|error| panic!("{}: {error}", page.display()))
}

/// Writes a program to a folder.
fn program(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a program");
    assert!(Process::new("chmod").arg("+x").arg(path).status().expect("chmod runs").success());
}

/// Makes the programs that commands call, and returns the path that leads to them first.
fn programs(scratch: &Path) -> String {
    let folder = scratch.join("bin");
    std::fs::create_dir_all(&folder).expect("a folder");
    program(&folder, "polywire", &POLYWIRE.replace("PROGRAM", env!("CARGO_BIN_EXE_polywire")));
    program(&folder, "cargo", CARGO);
    format!("{}:{}", folder.display(), std::env::var("PATH").expect("a path"))
}

/// Copies what is in a folder into another one.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).expect("a copy")),
        }
    }
}

/// Makes the folder in which a page's commands run.
fn lay(page: &Path, folder: &Path, path: &str) {
    for name in ["examples", "testdata", "docs", "crates/asn1/src/x509"] {
        copy(&root().join(name), &folder.join(name));
    }
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages/files").join(page.file_stem().expect("a name"));
    if own.is_dir() {
        copy(&own, folder);
    }
    if folder.join("setup.sh").is_file() {
        let output = Process::new("bash")
            .args(["-eu", "setup.sh"])
            .current_dir(folder)
            .env("PATH", path)
            .env("ROOT", root())
            .output()
            .expect("bash runs");
        assert!(output.status.success(), "{}: {}", page.display(), String::from_utf8_lossy(&output.stderr));
    }
}

/// Makes the process of a command: stdout and stderr are one, as on a terminal.
fn process(command: &Command, folder: &Path, path: &str) -> Process {
    let mut process = Process::new("timeout");
    process.args([PATIENCE, "bash", "-o", "pipefail", "-c"]).arg(format!("exec 2>&1\n{}", command.text));
    process.current_dir(folder).env("PATH", path).stdin(Stdio::null());
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "RUST_BACKTRACE"] {
        process.env_remove(variable);
    }
    process
}

/// Runs a command, and returns what is wrong with it.
fn run(command: &Command, folder: &Path, path: &str) -> Result<(), String> {
    let mut process = process(command, folder, path);
    if command.run == Run::UntilStopped {
        return stopped(process);
    }
    let output = process.output().expect("bash runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    let code = output.status.code().unwrap_or(-1);
    if !command.exits.contains(&code) {
        return Err(format!("exit code {code}, not {:?}:\n{}", command.exits, excerpt(&printed)));
    }
    match &command.output {
        Some(shown) if !fits(shown, &printed.trim_end().lines().collect::<Vec<_>>()) => Err(format!("printed:\n{printed}")),
        _ => Ok(()),
    }
}

/// Starts a command that runs until it is stopped, and stops it when it has printed something.
fn stopped(mut process: Process) -> Result<(), String> {
    let mut child = process.stdout(Stdio::piped()).spawn().expect("bash runs");
    let mut start = [0; 4096];
    let length = child.stdout.as_mut().expect("a pipe").read(&mut start).expect("a pipe");
    let early = child.try_wait().expect("a process");
    // `timeout` hands the signal on.
    assert!(Process::new("kill").arg(child.id().to_string()).status().expect("kill runs").success() || early.is_some());
    child.wait().expect("a process");
    match (length, early) {
        (1.., None) => Ok(()),
        (_, ended) => Err(format!("ended by itself, {ended:?}:\n{}", String::from_utf8_lossy(&start[..length]))),
    }
}

/// Returns the first lines of a text.
fn excerpt(text: &str) -> String {
    text.lines().take(30).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_command_of_the_pages_runs_as_written() {
    let scratch = std::env::temp_dir().join(format!("polywire-pages-{}", std::process::id()));
    let path = programs(&scratch);
    let wanted = std::env::var("PAGES").unwrap_or_default();
    let all = pages();
    let chosen: Vec<&PathBuf> = all.iter().filter(|page| page.to_string_lossy().contains(&wanted)).collect();
    let (next, failures, ran) = (AtomicUsize::new(0), Mutex::new(Vec::new()), AtomicUsize::new(0));
    let work = || {
        while let Some(page) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
            let found = read(page);
            let folder = scratch.join(page.with_extension("").to_string_lossy().replace('/', "-"));
            if found.iter().all(|command| matches!(command.run, Run::Not(_))) {
                continue;
            }
            lay(page, &folder, &path);
            for command in found.iter().filter(|command| !matches!(command.run, Run::Not(_))) {
                ran.fetch_add(1, Ordering::Relaxed);
                if let Err(error) = run(command, &folder, &path) {
                    failures.lock().expect("a list").push(format!("{}:{}: {}\n{error}", page.display(), command.line, command.text));
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(work);
        }
    });
    std::fs::remove_dir_all(&scratch).expect("the folder goes");
    let mut failures = failures.into_inner().expect("a list");
    failures.sort();
    assert!(failures.is_empty(), "{} of {} commands:\n\n{}", failures.len(), ran.into_inner(), failures.join("\n\n"));
}

/// Returns the verbs that have no verbs below them, each as its words.
fn verbs(words: &[String]) -> Vec<(Vec<String>, String)> {
    let args: Vec<&str> = words.iter().map(String::as_str).chain(["--help"]).collect();
    let help = String::from_utf8(common::command(&args).output().expect("polywire runs").stdout).expect("text");
    let Some((_, listed)) = help.split_once("\nCommands:\n") else { return vec![(words.to_vec(), help)] };
    let names = listed.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let inner = names.filter(|name| !name.is_empty() && *name != "help").map(|name| [words, &[name.to_string()]].concat());
    inner.flat_map(|words| verbs(&words)).collect()
}

#[test]
fn every_verb_has_three_examples_that_run() {
    let scratch = std::env::temp_dir().join(format!("polywire-examples-{}", std::process::id()));
    let path = programs(&scratch);
    let found = verbs(&[]);
    assert!(found.len() > 15, "{} verbs", found.len());
    for (words, help) in found {
        let (_, examples) = help.split_once("\nExamples:\n").unwrap_or_else(|| panic!("{words:?} has no examples"));
        let commands: Vec<&str> =
            examples.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with('#')).collect();
        assert_eq!(commands.len(), 3, "{words:?}: {examples}");
        let folder = scratch.join(words.join("-"));
        lay(Path::new("examples.md"), &folder, &path);
        for text in commands {
            assert!(text.contains(&format!("polywire {}", words.join(" "))), "{words:?}: {text}");
            let command = Command { line: 0, text: text.to_string(), exits: vec![0], output: None, run: Run::ToItsEnd };
            run(&command, &folder, &path).unwrap_or_else(|error| panic!("{text}\n{error}"));
        }
    }
    std::fs::remove_dir_all(&scratch).expect("the folder goes");
}

/// Within a sentence, a command is a pattern for commands: its verb and its options are there.
#[test]
fn commands_within_sentences_have_verbs_and_options_that_exist() {
    let mut helps: HashMap<Vec<String>, String> = HashMap::new();
    let mut count = 0;
    for page in pages() {
        let text = std::fs::read_to_string(root().join(&page)).expect("a page");
        for span in page::spans(&text).filter(|span| span.starts_with("polywire ")) {
            let words: Vec<String> = span.split_whitespace().skip(1).map(str::to_string).collect();
            let depth = if words[0] == "schema" || words[0] == "import" || words[0] == "table" { 2 } else { 1 };
            let verb: Vec<String> = words.iter().take(depth).filter(|word| !word.contains('|')).cloned().collect();
            if verb[0].starts_with('-') {
                continue;
            }
            let help = helps.entry(verb).or_insert_with_key(|verb| {
                let args: Vec<&str> = verb.iter().map(String::as_str).chain(["--help"]).collect();
                let output = common::command(&args).output().expect("polywire runs");
                assert!(output.status.success(), "{}: {span}", page.display());
                String::from_utf8(output.stdout).expect("text")
            });
            for option in words.iter().filter_map(|word| word.split('=').next()).filter(|word| word.starts_with("--") && word.len() > 2) {
                assert!(help.contains(option), "{}: {span}: no option {option}", page.display());
            }
            count += 1;
        }
    }
    assert!(count > 20, "{count} commands");
}

#[test]
fn commands_that_no_test_runs_have_a_reason() {
    let mut listed = Vec::new();
    for page in pages() {
        for command in read(&page) {
            if let Run::Not(reason) = command.run {
                assert!(reason.len() > 5, "{}:{}: no reason", page.display(), command.line);
                listed.push(format!("{}:{}: {} ({reason})", page.display(), command.line, command.text));
            }
        }
    }
    assert_eq!(listed.len(), NOT_RUN, "commands that are not run:\n{}", listed.join("\n"));
}

/// Reads a text as what its block says that it is, and returns what is wrong with it.
fn wrong(example: &Example, scratch: &Path) -> Option<String> {
    let file = scratch.join(format!("example.{}", example.language));
    // A page shows a tab of PSYC as an arrow.
    std::fs::write(&file, example.text.replace('⇥', "\t")).expect("a file");
    let file = file.to_str().expect("a path");
    let arguments = match example.language.as_str() {
        "extprot" | "proto" => vec!["schema", "convert", file, "--to", "listing"],
        "ql" => {
            let wrong = polywire_ql::syntax::parse(&Source::new("example", example.text.as_str())).err();
            return wrong.map(|wrong| format!("{:?}", wrong.findings));
        }
        format => vec!["convert", file, "--from", format, "--to", "json", "--lossy"],
    };
    let output = common::command(&arguments).output().expect("polywire runs");
    // A schema that another language cannot say wholly exits with 1.
    let read = output.status.code().is_some_and(|code| code < 2);
    (!read).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn every_text_of_the_pages_is_one_of_its_language() {
    let scratch = std::env::temp_dir().join(format!("polywire-texts-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).expect("a folder");
    let (mut count, mut faults) = (0, Vec::new());
    for page in pages() {
        for example in contents(&page).1 {
            count += 1;
            if let Some(fault) = wrong(&example, &scratch) {
                faults.push(format!("{}:{}: {fault}", page.display(), example.line));
            }
        }
    }
    std::fs::remove_dir_all(&scratch).expect("the folder goes");
    assert!(count > 15, "{count} texts");
    assert!(faults.is_empty(), "{} of {count} texts:\n{}", faults.len(), faults.join("\n"));
}
