//! Runs the fuzz targets, keeps their corpora small, and draws the page of what was run.

mod common;
mod jobs;
mod output;
mod record;
mod report;
mod run;
mod seeds;
mod targets;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use common::{Result, root};
use record::{Record, Run};
use run::Runner;
use targets::{Target, Targets};

#[derive(Parser)]
#[command(about = "Runs the fuzz targets (fuzz/README.md)")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run targets at low priority, and add what was run to fuzz/record.json
    Run {
        /// Processor minutes of each target; each kind has a number of its own if absent
        #[arg(long)]
        minutes: Option<f64>,
        /// Take the programs as they were built last
        #[arg(long)]
        no_build: bool,
        /// Take names as whole ones: `format_json` without `format_jsonl`
        #[arg(long)]
        exact: bool,
        /// Targets at once
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
        jobs: u16,
        /// Targets by the start of their names; all if absent
        targets: Vec<String>,
    },
    /// Write docs/security.md from fuzz/record.json
    Report,
}

fn main() -> ExitCode {
    match started(&Args::parse().command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("fuzz: {error}");
            ExitCode::from(2)
        }
    }
}

fn started(command: &Command) -> Result<ExitCode> {
    let root = root().canonicalize().map_err(|error| format!("the repository: {error}"))?;
    let targets = Targets::load(&root.join("fuzz/targets.toml"))?;
    let file = root.join("fuzz/record.json");
    match command {
        Command::Report => {
            let record = Record::load(&file)?;
            let page = root.join("docs/security.md");
            std::fs::write(&page, report::page(&targets, &record)).map_err(|error| format!("{}: {error}", page.display()))?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Run { minutes, no_build, exact, jobs, targets: names } => {
            let is_named = |target: &Target, name: &str| if *exact { target.name == name } else { target.name.starts_with(name) };
            let chosen: Vec<&Target> =
                targets.target.iter().filter(|target| names.is_empty() || names.iter().any(|name| is_named(target, name))).collect();
            if chosen.is_empty() {
                return Err(format!("no target begins with {}; fuzz/targets.toml lists them", names.join(" or ")));
            }
            let runner = Runner::new(&root)?;
            if !no_build {
                runner.build()?;
            }
            if *jobs > 1 {
                return jobs::run(&chosen, *minutes, usize::from(*jobs));
            }
            let mut findings = 0;
            for target in chosen {
                let goal = 60.0 * minutes.unwrap_or_else(|| target.kind.minutes());
                let outcome = runner.run(target, &targets, goal)?;
                println!(
                    "{}: {} executions in {:.0} s, {} edges, {} inputs",
                    target.name, outcome.executions, outcome.seconds, outcome.edges, outcome.inputs
                );
                for input in &outcome.findings {
                    println!("{}: a finding: {}", target.name, input.display());
                }
                findings += outcome.findings.len();
                Record::add_to(
                    &file,
                    Run {
                        target: target.name.clone(),
                        date: jiff::Timestamp::now().strftime("%F").to_string(),
                        executions: outcome.executions,
                        seconds: outcome.seconds.round() as u64,
                        edges: outcome.edges,
                        inputs: outcome.inputs,
                        findings: outcome.findings.len() as u64,
                    },
                )?;
            }
            if findings > 0 {
                println!("{findings} findings; `cargo +nightly fuzz tmin TARGET FILE` makes one small");
            }
            Ok(ExitCode::from(u8::from(findings > 0)))
        }
    }
}
