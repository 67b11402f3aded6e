//! The conformance runner of Protocol Buffers, by the library and by the command line.
//!
//! The runner starts a testee and speaks with it over pipes. Ours is `protobuf_testee` of this
//! workspace, which answers by the library, or by `polywire convert`, one process a case.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::cases::Cases;
use crate::outcome::{Miss, Outcome};
use crate::suite::Suite;

const FOLDER: &str = "timostamm+protobuf-npm";
const RUNNER: &str = "bin/conformance_test_runner-linux-x64";
const RULE: &str = "each required and recommended case that the runner passes, with `--enforce_recommended --maximum_edition 2024`; a case that a testee \
                    skips is not right";
const BINARY: &str =
    "Failures in the lists of Google's repository: rust_upb 0, cpp 39, java 62, php 72. Google's Python (upb) fails 8 by the same runner.";
const TEXT: &str = "Failures in the lists of Google's repository: cpp 20, java 26. Google's Python (upb) fails 48 by the same runner.";

const fn suite(name: &'static str, title: &'static str, others: &'static str, run: fn(&mut Cases<'_>) -> Result<(), String>) -> Suite {
    Suite { name, format: "Protobuf", title, folder: FOLDER, needs: RUNNER, licence: "BSD-3-Clause", rule: RULE, others, run }
}

/// Binary and JSON, by the library.
pub static LIBRARY: Suite =
    suite("protobuf", "conformance runner, binary and JSON, by the library", BINARY, |cases| report(cases, Testee::Library, Part::Binary));
/// Text format, by the library.
pub static LIBRARY_TEXT: Suite =
    suite("protobuf-text", "conformance runner, text format, by the library", TEXT, |cases| report(cases, Testee::Library, Part::Text));
/// Binary and JSON, by the command line.
pub static COMMAND: Suite = suite("protobuf-command", "conformance runner, binary and JSON, by `polywire`", BINARY, |cases| {
    report(cases, Testee::Command, Part::Binary)
});
/// Text format, by the command line.
pub static COMMAND_TEXT: Suite = suite("protobuf-command-text", "conformance runner, text format, by `polywire`", TEXT, |cases| {
    report(cases, Testee::Command, Part::Text)
});

#[derive(Clone, Copy, PartialEq)]
enum Testee {
    Library,
    Command,
}

#[derive(Clone, Copy, PartialEq)]
enum Part {
    Binary,
    Text,
}

/// Figures that the runner printed about one of its two parts.
#[derive(Debug, Default, Clone, PartialEq)]
struct Figures {
    successes: usize,
    skipped: usize,
    /// Name and reason of each failure.
    failures: Vec<(String, String)>,
}

fn report(cases: &mut Cases<'_>, testee: Testee, part: Part) -> Result<(), String> {
    static RUNS: [OnceLock<Result<Vec<Figures>, String>>; 2] = [OnceLock::new(), OnceLock::new()];
    let run = RUNS[usize::from(testee == Testee::Command)].get_or_init(|| figures(cases, testee));
    let figures = run.as_ref().map_err(Clone::clone)?.get(usize::from(part == Part::Text)).ok_or("the runner did not report this part")?;
    for _ in 0..figures.successes {
        cases.run_unnamed("all", String::new, || Outcome::Right);
    }
    for index in 0..figures.skipped {
        cases.put("all", format!("skipped {}", index + 1), Outcome::miss(Miss::Failed, "skipped by the testee"));
    }
    for (name, reason) in &figures.failures {
        cases.put("all", name.clone(), Outcome::miss(Miss::Failed, reason.chars().take(400).collect::<String>()));
    }
    Ok(())
}

/// Runs the runner once; returns the figures of its parts.
fn figures(cases: &Cases<'_>, testee: Testee) -> Result<Vec<Figures>, String> {
    let program = cases.tools.beside("protobuf_testee")?;
    let runner = cases.root().join(RUNNER);
    let messages = cases.tools.installed(Path::new(FOLDER).join("messages.set"))?;
    let mut command = start(&runner, &cases.tools.installed);
    command.args(["--enforce_recommended", "--maximum_edition", "2024"]).arg(program).arg(&messages).stdin(Stdio::null());
    if testee == Testee::Command {
        command.arg(cases.tools.polywire()?);
    }
    let out = command.output().map_err(|error| format!("{}: {error}", runner.display()))?;
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    let parts = read(&text);
    if parts.is_empty() { Err(format!("the runner reported nothing: {}", text.lines().last().unwrap_or_default())) } else { Ok(parts) }
}

/// Returns the command of the runner: by newer libraries of the system's vendor, where
/// `tools/setup.sh suites` had to bring some.
fn start(runner: &Path, installed: &Path) -> Command {
    let libraries = installed.join("glibc");
    let loader = libraries.join("ld-linux-x86-64.so.2");
    if !loader.exists() {
        return Command::new(runner);
    }
    let mut command = Command::new(loader);
    command.arg("--library-path").arg(libraries).arg(runner);
    command
}

/// Reads the runner's report.
fn read(text: &str) -> Vec<Figures> {
    let (mut parts, mut failures) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let failed = line.strip_prefix("ERROR, test=").or_else(|| line.strip_prefix("WARNING, test="));
        if let Some((name, reason)) = failed.and_then(|line| line.split_once(": ")) {
            failures.push((name.to_string(), reason.to_string()));
        }
        let Some((_, figures)) = line.split_once("CONFORMANCE SUITE ").and_then(|(_, rest)| rest.split_once(": ")) else { continue };
        let count = |what: &str| {
            figures.split(", ").find_map(|figure| figure.trim_end_matches('.').strip_suffix(what)?.trim().parse().ok()).unwrap_or(0usize)
        };
        parts.push(Figures { successes: count("successes"), skipped: count("skipped"), failures: std::mem::take(&mut failures) });
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_is_read() {
        let text = "ERROR, test=Required.A.B: Should have failed to parse. request=x\n\
                    CONFORMANCE SUITE FAILED: 10 successes, 2 skipped, 0 expected failures, 1 unexpected failures.\n\
                    CONFORMANCE SUITE PASSED: 883 successes, 0 skipped, 0 expected failures, 0 unexpected failures.\n";
        let failures = vec![("Required.A.B".to_string(), "Should have failed to parse. request=x".to_string())];
        let binary = Figures { successes: 10, skipped: 2, failures };
        assert_eq!(read(text), [binary, Figures { successes: 883, ..Figures::default() }]);
    }
}
