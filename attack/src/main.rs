//! Attacks on the gateway, and the proof that it holds.
//!
//! `tools/attack [OPTIONS] [NAME…]` runs the attacks whose names begin so, or all of them. Each
//! attack is bounded in count and time, and asks only the process that this program has started, at
//! loopback. During each, good callers lose no request and get their answers in time; afterwards,
//! the process is as before.
//!
//! - `--list`: the names of the attacks.
//! - `--polywire PROGRAM`: the command line, built with the feature `gateway`.
//! - `--h2spec PROGRAM`: h2spec; without it, that part is skipped.
//! - `--stop`: ends at the first attack that succeeds.
//! - `--slow`: latencies are shown and not judged, for builds that are not optimised.

mod attack;
mod attacks;
mod options;
mod registry;
mod report;
mod run;
mod trial;
mod wire;
mod world;

use std::process::ExitCode;

use options::Options;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("attack: {error}");
            return ExitCode::from(2);
        }
    };
    if options.list {
        for attack in registry::ATTACKS {
            println!("{:24}{}", attack.name, attack.title);
        }
        return ExitCode::SUCCESS;
    }
    match run::run(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("attack: {error}");
            ExitCode::from(2)
        }
    }
}
