//! Polywire beside other libraries: the same bytes, in one run, each answer checked before it is timed.
//!
//! `cargo run --profile dist --manifest-path peers/Cargo.toml [--features native] [-- OPTIONS]`
//! - `--check`: only holds the answers of all peers against each other, on messages of up to 1 MB.
//! - `--only PREFIX`: the workloads whose names start so. May be repeated.
//! - `--time SECONDS`: of each measurement, 1 if not given.
//! - `--record FILE.json`: keeps the figures there, and draws the page `FILE.html` of them.
//! - `--list`: the names of the workloads.
#![deny(unsafe_code)]

mod failed;
mod input;
#[cfg(feature = "native")]
mod native;
mod ours;
mod page;
mod peer;
mod record;
mod registry;
mod rivals;
mod schema;
mod sizes;
mod typed;
mod visit;
mod workload;

use std::path::Path;
use std::process::ExitCode;

use polywire_compare::Machine;
use polywire_compare::harness::{self, Subject};
use polywire_core::{Error, Result};

use peer::Peer;
use record::{Line, Record};
use workload::{Entry, Matrix, Workload};

/// Bytes of a message that `--check` takes at most: the larger ones are checked when they are timed.
const CHECKED: usize = 1_000_000;

/// Rounds of a measurement: short ones, since a round in which another program ran is lost.
const ROUNDS: usize = 201;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("peers: {error}");
            ExitCode::from(2)
        }
    }
}

#[derive(Default)]
struct Options {
    check: bool,
    list: bool,
    only: Vec<String>,
    time: Option<f64>,
    record: Option<String>,
}

impl Options {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Options> {
        let mut options = Options::default();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| Error::usage(format!("{arg} without a value")));
            match arg.as_str() {
                "--check" => options.check = true,
                "--list" => options.list = true,
                "--only" => options.only.push(value()?),
                "--time" => options.time = Some(value()?.parse().map_err(|_| Error::usage("--time without seconds"))?),
                "--record" => options.record = Some(value()?),
                _ => return Err(Error::usage(arg).expected("--check, --list, --only PREFIX, --time SECONDS or --record FILE.json")),
            }
        }
        Ok(options)
    }
}

fn run() -> Result<bool> {
    let options = Options::parse(std::env::args().skip(1))?;
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut walks: Vec<workload::Line> = workload::read(&here.join("workloads/walk.json"))?;
    walks.extend(workload::read::<Vec<workload::Line>>(&here.join("workloads/encode.json"))?);
    let matrices =
        ["psyc", "typed", "protobuf", "serde", "asn1"].map(|name| workload::read::<Matrix>(&here.join(format!("workloads/{name}.json"))));
    let matrices = matrices.into_iter().collect::<Result<Vec<_>>>()?;
    let mut planned: Vec<_> = walks.iter().map(workload::Line::plan).collect();
    for matrix in &matrices {
        planned.extend(matrix.plan()?);
    }
    planned.retain(|workload| options.only.is_empty() || options.only.iter().any(|prefix| workload.name.starts_with(prefix)));
    let sizes: sizes::Plan = workload::read(&here.join("workloads/sizes.json"))?;
    let sizes = (options.only.is_empty() || options.only.iter().any(|prefix| sizes.name.starts_with(prefix))).then_some(sizes);
    if options.list {
        sizes.iter().for_each(|sizes| println!("{}", sizes.name));
        planned.iter().for_each(|workload| println!("{}", workload.name));
        return Ok(true);
    }
    let time = options.time.unwrap_or(1.0);
    let mut lines = Vec::new();
    let mut checked = 0;
    for workload in &planned {
        let workload = workload.load(&here.join(".."))?;
        if options.check && workload.inputs.iter().any(|input| input.bytes().len() > CHECKED) {
            continue;
        }
        let mut peers = Vec::new();
        for entry in &workload.entries {
            if let Some(peer) = enter(&workload, entry)? {
                peers.push((entry, peer));
                checked += 1;
            }
        }
        if !options.check {
            eprintln!("{}: {} peers", workload.name, peers.len());
            lines.extend(measure(&workload, &mut peers, time)?);
        }
    }
    if options.check {
        println!("every peer gives the answer of every workload: {checked} answers");
        return Ok(true);
    }
    #[cfg(feature = "native")]
    let native = native::VERSIONS.to_string();
    #[cfg(not(feature = "native"))]
    let native = String::new();
    let tables = match &sizes {
        Some(sizes) => sizes.tables(here)?.into(),
        None => Vec::new(),
    };
    let record = Record { machine: Machine::here(), seconds_a_measurement: time, native, lines, tables };
    record.print();
    if let Some(file) = options.record {
        let text = serde_json::to_string_pretty(&record).map_err(|error| Error::internal(error.to_string()))?;
        let page = Path::new(&file).with_extension("html");
        std::fs::write(&file, text + "\n").map_err(|error| Error::io(&file, &error))?;
        std::fs::write(&page, page::html(&record)?).map_err(|error| Error::io(&page.display().to_string(), &error))?;
    }
    Ok(record.met())
}

/// A peer that found what the workload says is there.
fn enter<'w>(workload: &'w Workload, entry: &Entry) -> Result<Option<Box<dyn Peer<'w> + 'w>>> {
    // Without its feature, only the C and C++ libraries are unknown.
    if !registry::is_built(&entry.peer) {
        return Ok(None);
    }
    let on = |error: Error| Error::internal(format!("{} on {}: {error}", entry.label, workload.name));
    let Some(mut peer) = registry::prepare(&entry.peer, entry.work, &workload.inputs[entry.input])? else {
        return Err(on(Error::usage(format!("no peer does {:?}", entry.work))));
    };
    let answer = peer.check().map_err(on)?;
    if answer != entry.answer {
        return Err(on(Error::internal(answer.to_string()).expected(format!("the answer {}", entry.answer))));
    }
    Ok(Some(peer))
}

fn measure(workload: &Workload, peers: &mut [(&Entry, Box<dyn Peer<'_> + '_>)], time: f64) -> Result<Vec<Line>> {
    let entries: Vec<&Entry> = peers.iter().map(|(entry, _)| *entry).collect();
    let sizes: Vec<Option<usize>> = peers.iter().map(|(_, peer)| peer.size()).collect();
    let mut subjects: Vec<&mut dyn Subject> = Vec::new();
    for (_, peer) in peers {
        subjects.push(&mut **peer);
    }
    let measured = harness::run_rounds(&mut subjects, time, ROUNDS, None, &mut |_| {})?;
    let line = |((entry, size), measured_of)| Line::new(workload, entry, measured_of, size, (entries[0], &measured[0]));
    Ok(entries.iter().copied().zip(sizes).zip(&measured).filter_map(line).collect())
}
