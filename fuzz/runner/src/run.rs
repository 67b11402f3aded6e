//! One target: seeds, fuzzing, and the corpus made small.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::common::Result;
use crate::targets::{Target, Targets};
use crate::{output, seeds};

/// Platform of the programs.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// Seconds of the processor after which one input is a finding.
const SLOW: f64 = 60.0;

/// Seconds by the clock after which an input is looked at for that.
const TIMEOUT: u32 = 300;

/// Mebibytes of memory beyond which one input is a finding.
const MEMORY: u32 = 3072;

/// Rounds of a target at most. One round is enough on a machine without other work.
const ROUNDS: usize = 6;

/// What came of a target.
#[derive(Debug, Default)]
pub struct Outcome {
    pub executions: u64,
    /// Processor time.
    pub seconds: f64,
    pub edges: u64,
    pub inputs: u64,
    pub findings: Vec<PathBuf>,
}

/// Builds and runs targets.
pub struct Runner {
    root: PathBuf,
    /// Folder of the public suites, if there is one.
    suites: Option<PathBuf>,
    /// Folder of programs, seeds and logs.
    target: PathBuf,
}

impl Runner {
    /// Makes a runner. The environment names the folder of suites and cargo's target folder.
    pub fn new(root: &Path) -> Result<Runner> {
        let suites = std::env::var_os("SUITES").filter(|folder| !folder.is_empty()).map(PathBuf::from);
        if let Some(folder) = suites.as_ref().filter(|folder| !folder.is_dir()) {
            return Err(format!("SUITES={}: no folder", folder.display()));
        }
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("fuzz/target"), PathBuf::from);
        Ok(Runner { root: root.to_path_buf(), suites, target })
    }

    /// Builds all programs, with the nightly compiler.
    pub fn build(&self) -> Result<()> {
        let tools = self.root.join("target/tools/bin");
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("nice");
        command.args(["-n", "19", "cargo", "+nightly", "fuzz", "build"]).current_dir(&self.root).env("CARGO_TARGET_DIR", &self.target);
        command.env("PATH", format!("{}:{path}", tools.display())).env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN");
        let status = command.status().map_err(|error| format!("cargo fuzz: {error}"))?;
        if status.success() { Ok(()) } else { Err("cargo fuzz build failed; `tools/setup.sh fuzz` installs it".to_string()) }
    }

    /// Runs one target for some seconds of the processor, and makes its corpus small.
    pub fn run(&self, target: &Target, targets: &Targets, goal: f64) -> Result<Outcome> {
        let folder = |name: &str| self.target.join(name).join(&target.name);
        let seeds = folder("fuzz-seeds");
        seeds::write(target, targets, &self.root, self.suites.as_deref(), &seeds)?;
        let corpus = self.root.join("fuzz/corpus").join(&target.name);
        for folder in [&corpus, &self.artifacts(target), &self.target.join("fuzz-logs")] {
            std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        let mut outcome = Outcome::default();
        // Seconds by the clock that one of the processor takes beside the machine's other work.
        let mut pace = 1.0;
        for _ in 0..ROUNDS {
            let left = goal - outcome.seconds;
            if left < 1.0 || left < goal / 50.0 || !outcome.findings.is_empty() {
                break;
            }
            let (before, clock) = (processor_seconds()?, Instant::now());
            let (text, good) = self.start(target, "run", |command| {
                command.arg(format!("-max_total_time={}", (left * pace).ceil() as u64)).arg("-print_final_stats=1");
                command.args([&corpus, &seeds]);
            })?;
            let used = processor_seconds()? - before;
            pace = (clock.elapsed().as_secs_f64() / used.max(0.1)).clamp(1.0, 20.0);
            outcome.seconds += used;
            outcome.executions += output::executions(&text);
            let inputs = output::findings(&text);
            if !good && inputs.is_empty() {
                return Err(format!("{}: the program failed; see {}", target.name, self.log(target, "run").display()));
            }
            outcome.findings.extend(self.judged(target, inputs)?);
        }
        let small = folder("fuzz-merged");
        if small.exists() {
            std::fs::remove_dir_all(&small).map_err(|error| format!("{}: {error}", small.display()))?;
        }
        std::fs::create_dir_all(&small).map_err(|error| format!("{}: {error}", small.display()))?;
        let (text, _) = self.start(target, "merge", |command| {
            command.arg("-merge=1").args([&small, &corpus, &seeds]);
        })?;
        // A seed that fails ends no merge.
        outcome.findings.extend(self.judged(target, output::findings(&text))?);
        outcome.findings.sort();
        outcome.findings.dedup();
        if let Some((inputs, edges)) = output::merged(&text) {
            (outcome.inputs, outcome.edges) = (inputs, edges);
            replace(&corpus, &small)?;
        }
        Ok(outcome)
    }

    /// Returns the inputs without those that only the machine's other work made slow, and removes
    /// these.
    fn judged(&self, target: &Target, inputs: Vec<PathBuf>) -> Result<Vec<PathBuf>> {
        let mut findings = Vec::new();
        for input in inputs {
            // A merge goes over an input twice.
            if !input.exists() {
                continue;
            }
            if output::is_timeout(&input) {
                let before = processor_seconds()?;
                let (_, good) = self.start(target, "slow", |command| {
                    command.arg(&input);
                })?;
                if good && processor_seconds()? - before < SLOW {
                    std::fs::remove_file(&input).map_err(|error| format!("{}: {error}", input.display()))?;
                    continue;
                }
            }
            findings.push(input);
        }
        Ok(findings)
    }

    /// Returns the folder of inputs that failed.
    fn artifacts(&self, target: &Target) -> PathBuf {
        self.root.join("fuzz/artifacts").join(&target.name)
    }

    fn log(&self, target: &Target, purpose: &str) -> PathBuf {
        self.target.join("fuzz-logs").join(format!("{}-{purpose}.log", target.name))
    }

    /// Starts the program of a target, and returns what it printed and whether it ended well.
    fn start(&self, target: &Target, purpose: &str, more: impl FnOnce(&mut Command)) -> Result<(String, bool)> {
        let program = self.target.join(PLATFORM).join("release").join(&target.name);
        let log = self.log(target, purpose);
        let failed = |error: std::io::Error| format!("{}: {error}", program.display());
        let file = File::create(&log).map_err(|error| format!("{}: {error}", log.display()))?;
        let mut command = Command::new("nice");
        command.args(["-n", "19"]).arg(&program).arg(format!("-max_len={}", seeds::LONGEST));
        command.arg(format!("-timeout={TIMEOUT}")).arg(format!("-rss_limit_mb={MEMORY}"));
        command.arg(format!("-artifact_prefix={}/", self.artifacts(target).display()));
        command.env("ASAN_OPTIONS", "detect_odr_violation=0").current_dir(&self.root);
        more(&mut command);
        let status = command.stdout(file.try_clone().map_err(failed)?).stderr(file).status().map_err(failed)?;
        let text = std::fs::read(&log).map_err(|error| format!("{}: {error}", log.display()))?;
        Ok((String::from_utf8_lossy(&text).into_owned(), status.success()))
    }
}

/// Puts a corpus in the place of another one.
fn replace(corpus: &Path, small: &Path) -> Result<()> {
    let failed = |error: std::io::Error| format!("{}: {error}", corpus.display());
    std::fs::remove_dir_all(corpus).map_err(failed)?;
    std::fs::create_dir_all(corpus).map_err(failed)?;
    // Both may be on different disks.
    for file in std::fs::read_dir(small).map_err(failed)?.flatten() {
        std::fs::copy(file.path(), corpus.join(file.file_name())).map_err(failed)?;
    }
    std::fs::remove_dir_all(small).map_err(failed)
}

/// Returns the seconds of the processor that all ended children took.
fn processor_seconds() -> Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|error| format!("processor time: {error}"))?;
    Ok((usage.user_time().num_milliseconds() + usage.system_time().num_milliseconds()) as f64 / 1000.0)
}
