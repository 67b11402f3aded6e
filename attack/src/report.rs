//! Lines and table of the outcome.

use std::io::Write;
use std::time::Duration;

use crate::attack::Attack;
use crate::trial::Findings;

/// Misses that are shown of one attack.
const SHOWN: usize = 6;

/// The outcome of one attack.
pub struct Line {
    /// The attack.
    pub attack: &'static Attack,
    /// What it has found.
    pub findings: Findings,
    /// The time within which 99 of 100 good answers came.
    pub p99: Duration,
    /// Requests of good callers, and those without a good answer.
    pub asked: usize,
    pub lost: usize,
    /// The most memory, in bytes, and the memory afterwards.
    pub peak: u64,
    pub after: u64,
    /// The time of the attack.
    pub took: Duration,
}

impl Line {
    /// Returns true if the attack succeeded.
    pub fn is_miss(&self) -> bool {
        !self.findings.misses.is_empty()
    }

    fn verdict(&self) -> String {
        match (&self.findings.skipped, self.findings.misses.len()) {
            (_, count @ 1..) => format!("MISS ({count})"),
            (Some(_), _) => "skipped".to_owned(),
            (None, _) => "holds".to_owned(),
        }
    }

    fn row(&self) -> String {
        format!(
            "{:22}{:>8}{:>9.1}{:>9.1}{:>10}{:>8}{:>8}  {}",
            self.attack.name,
            self.findings.tries,
            self.took.as_secs_f64(),
            self.p99.as_secs_f64() * 1000.0,
            format!("{}/{}", self.lost, self.asked),
            self.peak >> 20,
            self.after >> 20,
            self.verdict()
        )
    }
}

const HEAD: &str = "attack                   tries  seconds   p99 ms      lost peak MB    then  verdict";

/// Writes what an attack has found, as soon as it is over.
pub fn progress(line: &Line) {
    println!("{}", line.row());
    if let Some(why) = &line.findings.skipped {
        println!("    not made: {why}");
    }
    for miss in line.findings.misses.iter().take(SHOWN) {
        println!("    {miss:.400}");
    }
    if line.findings.misses.len() > SHOWN {
        println!("    and {} more", line.findings.misses.len() - SHOWN);
    }
    // A report that nobody reads is no failure of the gateway.
    let _ = std::io::stdout().flush();
}

/// Writes the table of all attacks.
pub fn table(lines: &[Line]) {
    println!("\n{HEAD}");
    lines.iter().for_each(|line| println!("{}", line.row()));
    let (mut held, mut missed, mut skipped) = (0, 0, 0);
    for line in lines {
        match (line.is_miss(), line.findings.skipped.is_some()) {
            (true, _) => missed += 1,
            (false, true) => skipped += 1,
            (false, false) => held += 1,
        }
    }
    let tries: usize = lines.iter().map(|line| line.findings.tries).sum();
    let seconds: f64 = lines.iter().map(|line| line.took.as_secs_f64()).sum();
    println!("{held} attacks held off, {missed} succeeded, {skipped} not made; {tries} tries in {seconds:.0} s");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_skipped_did_not_hold() {
        let line = |misses: &[&str], skipped: Option<&str>| Line {
            attack: &crate::registry::ATTACKS[0],
            findings: Findings {
                tries: 1,
                misses: misses.iter().map(|miss| (*miss).to_owned()).collect(),
                skipped: skipped.map(str::to_owned),
            },
            p99: Duration::ZERO,
            asked: 1,
            lost: 0,
            peak: 0,
            after: 0,
            took: Duration::ZERO,
        };
        assert!(line(&[], None).verdict() == "holds" && line(&[], Some("x")).verdict() == "skipped");
        assert!(line(&["x"], None).is_miss() && line(&["x"], Some("y")).verdict() == "MISS (1)");
    }
}
