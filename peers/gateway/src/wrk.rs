//! wrk: as many requests as 200 connections get answered.

use std::path::Path;
use std::process::Stdio;

use serde::{Deserialize, Serialize};

use crate::{Error, OTHER_CORE, process};

/// Connections that are open at once.
pub const CONNECTIONS: usize = 200;

/// What clients saw. Times are microseconds.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Seen {
    pub seconds: f64,
    pub requests: u64,
    pub bytes: u64,
    pub errors: u64,
    pub mean: f64,
    pub deviation: f64,
    pub min: f64,
    pub p50: f64,
    pub p99: f64,
    pub max: f64,
}

/// Loads `url` for that many seconds.
pub fn run(script: &Path, url: &str, seconds: f64) -> Result<Seen, Error> {
    let mut command = process::on_core(OTHER_CORE, Path::new("wrk"));
    command
        .args(["-t1", &format!("-c{CONNECTIONS}"), &format!("-d{}s", seconds.ceil() as u64), "--timeout", "30s", "-s"])
        .arg(script)
        .arg(url);
    let output = command.stderr(Stdio::inherit()).output()?;
    let text = String::from_utf8(output.stdout)?;
    let line = text.lines().find(|line| line.starts_with('{')).ok_or_else(|| format!("wrk said: {text}"))?;
    Ok(serde_json::from_str(line)?)
}
