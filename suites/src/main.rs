//! Public test suites, run by the library, and held against the exceptions that are known.
//!
//! `tools/suites [OPTIONS]`, or `cargo run --release --manifest-path suites/Cargo.toml -- OPTIONS`
//! - `--suites DIR`: folder with a folder `OWNER+NAME` per suite; also the variable `SUITES`. Suites
//!   that are not there are taken from `target/suites`, which `tools/setup.sh suites` fills.
//! - `--only NAME`: the suites whose names start so. May be repeated.
//! - `--polywire PROGRAM`: the command line, for suites that it is judged by.
//! - `--write FILE`: writes the page, if every suite ran.
//! - `--misses NUMBER`: misses of a suite that are shown, 20 if not given.
//! - `--list`: the names of the suites.
#![deny(unsafe_code)]

mod bencode;
mod bson;
mod cases;
mod cbor;
mod csv;
mod der;
mod exceptions;
mod files;
mod http2;
mod json;
mod json_value;
mod msgpack;
mod mustache;
mod options;
mod outcome;
mod page;
mod place;
mod protobuf;
mod registry;
mod suite;
mod testee;
mod tools;
mod verdict;
mod xml;
mod yaml;

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use cases::Cases;
use exceptions::Exceptions;
use options::Options;
use page::Line;
use verdict::Verdict;

/// Bytes of stack: judges read and drop deep values by recursion.
const STACK: usize = 1 << 30;

fn main() -> ExitCode {
    let outcome = std::thread::Builder::new().stack_size(STACK).spawn(run).map_err(|error| error.to_string());
    match outcome.and_then(|run| run.join().map_err(|_| "the runner panicked".to_string())?) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("suites: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, String> {
    let options = Options::parse(std::env::args().skip(1))?;
    let mut out = std::io::stdout().lock();
    let mut say = |text: &str| writeln!(out, "{text}").and_then(|()| out.flush()).map_err(|error| error.to_string());
    if options.list {
        for suite in registry::SUITES {
            say(&format!("{:22}{}", suite.name, suite.folder))?;
        }
        return Ok(true);
    }
    // Panics of the library are misses, with their text; the runner prints those.
    std::panic::set_hook(Box::new(|_| {}));
    let tools = options.tools();
    let (mut lines, mut clean, mut absent) = (Vec::new(), true, Vec::new());
    for suite in registry::SUITES.iter().copied().filter(|suite| options.wants(suite.name)) {
        let known = Exceptions::load(&options.exceptions(suite.name))?;
        let Some(place) = place::find(suite, &options.folders) else {
            absent.push(suite.name);
            say(&format!("{:22}not here: {}", suite.name, suite.folder))?;
            continue;
        };
        let started = Instant::now();
        let mut cases = Cases::new(place.folder, &tools);
        if let Err(error) = (suite.run)(&mut cases) {
            absent.push(suite.name);
            say(&format!("{:22}not run: {error}", suite.name))?;
            continue;
        }
        let verdict = Verdict::of(&cases, &known, options.is_whole(&cases));
        clean &= verdict.is_clean();
        let line = Line::new(suite, place.version, &cases, known);
        let marks = if verdict.is_clean() { "as known" } else { "NOT AS KNOWN" };
        say(&format!("{:22}{} in {:.1} s: {marks}", suite.name, line.summary(), started.elapsed().as_secs_f64()))?;
        for (what, list) in [("new miss", &verdict.fresh), ("stale exception", &verdict.stale)] {
            for text in list.iter().take(options.misses) {
                say(&format!("    {what}: {text}"))?;
            }
            if list.len() > options.misses {
                say(&format!("    {what}: {} more (--misses NUMBER)", list.len() - options.misses))?;
            }
        }
        lines.push(line);
    }
    let text = page::page(&lines);
    say(&page::table(&lines))?;
    say(&format!("{} suites as the exceptions say, {} not run", lines.len(), absent.len())
        .replace("as the exceptions say", if clean { "as the exceptions say" } else { "run, some not as the exceptions say" }))?;
    if let Some(file) = &options.write {
        if !absent.is_empty() {
            return Err(format!("{} is not written: {} did not run", file.display(), absent.join(", ")));
        }
        std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(clean)
}
