//! The gateway beside its rivals, under load: the published test, a search by keywords whose 50 items come from a backend in XML, Protocol Buffers or JSON.
//!
//! `cargo run --profile dist --manifest-path peers/Cargo.toml -p polywire-peers-gateway [-- OPTIONS]`
//! - `--polywire FILE`: the program to measure, `target/dist/polywire` of the toolkit if not given.
//! - `--seconds N`: of each round, 5 if not given; `--rounds N`: 3 if not given. Rounds of all subjects are interleaved.
//! - `--only PREFIX`: the subjects whose names start so. May be repeated.
//! - `--users SECONDS`: how long 200 users who think are simulated, 30 if not given.
//! - `--delay MS`: between gateway and backend, each way, by a relay. Its figures are a table of their own.
//! - `--rate MBIT`: what that relay hands on in a second, each way; all that there is, if not given.
//! - `--soak SECONDS`: load on the subjects of ours with a look at their memory every few seconds, instead of the comparison.
//! - `--check`: only holds the answers against each other.
//! - `--record FILE.json`: keeps the figures there.
//!
//! The gateway has one core, and everything else the other: the backend (nginx with static files), the clients, and the relay.
#![deny(unsafe_code)]

mod answer;
mod http;
mod plain;
mod process;
mod record;
mod relay;
mod round;
mod subject;
mod users;
mod wrk;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use record::{Record, Row};
use subject::{Plan, Stage};

/// What went wrong, as people read it.
type Error = Box<dyn std::error::Error>;

/// The core of the gateway.
const GATEWAY_CORE: usize = 0;
/// The core of the rest.
const OTHER_CORE: usize = 1;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(failure) => {
            eprintln!("gateway: {failure}");
            ExitCode::from(2)
        }
    }
}

struct Options {
    polywire: PathBuf,
    seconds: f64,
    rounds: usize,
    only: Vec<String>,
    users: f64,
    delay: Option<u64>,
    rate: Option<u64>,
    soak: Option<f64>,
    check: bool,
    record: Option<PathBuf>,
}

impl Options {
    /// The link between gateway and backend, if there is one.
    fn link(&self) -> Option<relay::Kind> {
        let delay = Duration::from_millis(self.delay?);
        Some(relay::Kind { delay, rate: self.rate.map(|megabits| megabits * 1_000_000 / 8) })
    }

    fn parse(mut args: impl Iterator<Item = String>, root: &Path) -> Result<Options, Error> {
        let mut options = Options {
            polywire: root.join("target/dist/polywire"),
            seconds: 5.0,
            rounds: 3,
            only: Vec::new(),
            users: 30.0,
            delay: None,
            rate: None,
            soak: None,
            check: false,
            record: None,
        };
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{arg} without a value"));
            match arg.as_str() {
                "--polywire" => options.polywire = value()?.into(),
                "--seconds" => options.seconds = value()?.parse()?,
                "--rounds" => options.rounds = value()?.parse()?,
                "--only" => options.only.push(value()?),
                "--users" => options.users = value()?.parse()?,
                "--delay" => options.delay = Some(value()?.parse()?),
                "--rate" => options.rate = Some(value()?.parse()?),
                "--soak" => options.soak = Some(value()?.parse()?),
                "--check" => options.check = true,
                "--record" => options.record = Some(value()?.into()),
                _ => return Err(format!("{arg}: the options are in src/main.rs").into()),
            }
        }
        Ok(options)
    }
}

fn run() -> Result<bool, Error> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.join("../..").canonicalize()?;
    let options = Options::parse(std::env::args().skip(1), &root)?;
    let plan = Plan::read(&here.join("subjects.json"))?.only(&options.only);
    let mut stage = Stage::set(&root, &options.polywire, options.link())?;
    let checked = answer::check(&mut stage, &plan)?;
    println!("every gateway gives the items of the reply: {checked} answers");
    if options.check {
        return Ok(true);
    }
    if let Some(seconds) = options.soak {
        return soak(&mut stage, &plan, seconds);
    }
    let mut rows: Vec<Row> = plan.subjects.iter().map(Row::of).collect();
    for round in 0..options.rounds {
        for (subject, row) in plan.subjects.iter().zip(&mut rows) {
            eprintln!("round {} of {}: {}", round + 1, options.rounds, subject.name);
            row.rounds.push(stage.load(subject, options.seconds)?);
        }
        for plain in plain::ALL {
            let micros = plain.cpu_micros(&stage)?;
            rows.iter_mut().filter(|row| row.beside.as_deref() == Some(plain.name)).for_each(|row| row.plain.push(micros));
        }
    }
    for (subject, row) in plan.subjects.iter().zip(&mut rows).filter(|(subject, _)| subject.users) {
        eprintln!("200 users who think: {}", subject.name);
        row.users = Some(stage.users(subject, Duration::from_secs_f64(options.users))?);
    }
    let record = Record::new(&options, rows, &plan);
    record.print();
    if let Some(path) = &options.record {
        std::fs::write(path, serde_json::to_string_pretty(&record)? + "\n")?;
    }
    Ok(record.met())
}

/// Loads each subject of ours for its share of the time, and tells its memory as it goes.
fn soak(stage: &mut Stage, plan: &Plan, seconds: f64) -> Result<bool, Error> {
    let mut flat = true;
    for subject in plan.subjects.iter().filter(|subject| subject.server == subject::Server::Polywire) {
        let memory = stage.soak(subject, seconds)?;
        let early = memory.get(memory.len() / 4).copied().unwrap_or(0);
        let last = memory.last().copied().unwrap_or(0);
        let grown = last as f64 / early as f64;
        println!("{}: resident {:?} KB; the end is {grown:.3} of the first quarter", subject.name, memory);
        flat &= grown < 1.1;
    }
    Ok(flat)
}
