//! Polywire beside other libraries: the same bytes, in one run, each answer checked before it is timed.
//!
//! `cargo run --release --manifest-path peers/Cargo.toml [-- --check] [--time SECONDS] [--record FILE]`

mod ours;
mod peer;
mod rivals;
mod workload;

use std::path::Path;
use std::process::ExitCode;

use polywire_compare::Machine;
use polywire_compare::harness::{self, Measured, Subject};
use polywire_compare::report::layout;
use polywire_core::error::{Error, Result};
use serde::Serialize;

use peer::Peer;
use workload::{Input, Workload};

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

/// One line of the record.
#[derive(Debug, Serialize)]
struct Line {
    workload: String,
    title: String,
    peer: String,
    bytes: usize,
    messages: usize,
    /// Microseconds of a pass: quartiles and median.
    us: [f64; 3],
    mb_per_s: f64,
    /// Our time as a multiple of this peer's, round by round: quartiles and median.
    ratio: [f64; 3],
    at_most: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Record {
    machine: Machine,
    seconds_a_measurement: f64,
    lines: Vec<Line>,
}

fn run() -> Result<bool> {
    let (mut check_only, mut time, mut record) = (false, 1.0, None);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--check" => check_only = true,
            "--time" => time = args.next().and_then(|text| text.parse().ok()).ok_or_else(|| Error::usage("--time without seconds"))?,
            "--record" => record = Some(args.next().ok_or_else(|| Error::usage("--record without a file"))?),
            other => return Err(Error::usage(other.to_string()).expected("--check, --time SECONDS or --record FILE")),
        }
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut lines = Vec::new();
    for workload in workload::load(&here.join("workloads/walk.json"))? {
        let input = Input::load(&here.join("../examples").join(&workload.file))?;
        let mut peers = vec![peer::prepare(&workload.ours, &input)?];
        for rival in &workload.rivals {
            peers.push(peer::prepare(&rival.peer, &input)?);
        }
        check(&workload, &mut peers)?;
        if !check_only {
            lines.extend(measure(&workload, &input, &mut peers, time)?);
        }
    }
    if check_only {
        println!("every peer gives the answer of every workload");
        return Ok(true);
    }
    let machine = Machine::here();
    print(&machine, time, &lines);
    let kept = lines.iter().all(|line| line.at_most.is_none_or(|most| line.ratio[1] <= most));
    if let Some(file) = record {
        let text = serde_json::to_string_pretty(&Record { machine, seconds_a_measurement: time, lines })
            .map_err(|error| Error::internal(error.to_string()))?;
        std::fs::write(&file, text + "\n").map_err(|error| Error::io(&file, &error))?;
    }
    Ok(kept)
}

/// Holds that all peers find what the workload says is there.
fn check(workload: &Workload, peers: &mut [Box<dyn Peer<'_> + '_>]) -> Result<()> {
    let names = std::iter::once(&workload.ours).chain(workload.rivals.iter().map(|rival| &rival.peer));
    for (name, peer) in names.zip(peers) {
        let answer = peer.check()?;
        if answer != workload.answer {
            return Err(
                Error::internal(format!("{name} on {}: {answer}", workload.name)).expected(format!("the answer {}", workload.answer))
            );
        }
    }
    Ok(())
}

fn measure(workload: &Workload, input: &Input, peers: &mut [Box<dyn Peer<'_> + '_>], time: f64) -> Result<Vec<Line>> {
    let mut subjects: Vec<&mut dyn Subject> = Vec::new();
    for peer in peers {
        subjects.push(&mut **peer);
    }
    let measured = harness::run(&mut subjects, time, None, &mut |_| {})?;
    let line = |name: &String, peer: &Measured, at_most: Option<f64>| {
        let spread = peer.spread()?;
        let ratio = measured[0].ratio(peer)?;
        Some(Line {
            workload: workload.name.clone(),
            title: workload.title.clone(),
            peer: name.clone(),
            bytes: input.bytes.len(),
            messages: input.messages.len(),
            us: [spread.q1, spread.median, spread.q3].map(|seconds| seconds * 1e6),
            mb_per_s: input.bytes.len() as f64 / spread.median / 1e6,
            ratio: [ratio.q1, ratio.median, ratio.q3],
            at_most,
        })
    };
    let mut lines: Vec<Line> = line(&workload.ours, &measured[0], None).into_iter().collect();
    for (rival, peer) in workload.rivals.iter().zip(&measured[1..]) {
        lines.extend(line(&rival.peer, peer, Some(rival.at_most)));
    }
    Ok(lines)
}

fn print(machine: &Machine, time: f64, lines: &[Line]) {
    let cells: Vec<Vec<String>> = lines
        .iter()
        .map(|line| {
            let verdict = line.at_most.map_or("", |most| if line.ratio[1] <= most { "kept" } else { "MISSED" });
            vec![
                line.workload.clone(),
                line.peer.clone(),
                format!("{:.1}", line.us[1]),
                format!("{:.0}", line.mb_per_s),
                line.at_most.map_or(String::new(), |_| format!("{:.2}", line.ratio[1])),
                line.at_most.map_or(String::new(), |_| format!("{:.2}–{:.2}", line.ratio[0], line.ratio[2])),
                line.at_most.map_or(String::new(), |most| format!("{most:.2}")),
                verdict.to_string(),
            ]
        })
        .collect();
    let header = ["workload", "peer", "µs", "MB/s", "ours ÷ it", "quartiles", "at most", ""];
    for line in layout(&header, cells.iter().map(Vec::as_slice), |column| column < 2 || column == 7) {
        println!("{line}");
    }
    println!();
    println!("Medians of interleaved rounds, {time} s a measurement; MB/s by the bytes of the file in examples/. {}", machine.line());
    println!(
        "In the clock: walks tell every event through `dyn Sink`; rivals build, and drop, their trees; the bare XML reader only finds tokens."
    );
    println!("Conversions of ours frame the stream and look for doubled keys; the rival is handed each message.");
    println!("Against us: messages are warm in the caches, and one core runs nothing else of ours.");
}
