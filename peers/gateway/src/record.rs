//! What a run measured, and the tables that are printed of it.

use polywire_compare::Machine;
use polywire_compare::report::layout;
use serde::Serialize;

use crate::Options;
use crate::round::Round;
use crate::subject::{Plan, Server, Subject};
use crate::wrk::{CONNECTIONS, Seen};

/// All of a subject.
#[derive(Debug, Serialize)]
pub struct Row {
    pub name: String,
    pub ours: bool,
    pub rounds: Vec<Round>,
    /// The plain program beside it.
    pub beside: Option<String>,
    /// What that took in each round, in microseconds.
    pub plain: Vec<f64>,
    /// What 200 users who think saw.
    pub users: Option<Seen>,
}

/// A limit, and what was measured.
#[derive(Debug, Serialize)]
pub struct Verdict {
    pub what: String,
    pub measured: f64,
    pub limit: f64,
    pub met: bool,
}

/// All of a run.
#[derive(Debug, Serialize)]
pub struct Record {
    pub machine: Machine,
    pub seconds: f64,
    pub rounds: usize,
    pub connections: usize,
    /// Milliseconds between gateway and backend, each way.
    pub delay_ms: Option<u64>,
    /// Megabits a second that go between them, each way, if that is bounded.
    pub rate_mbit: Option<u64>,
    pub rows: Vec<Row>,
    pub verdicts: Vec<Verdict>,
}

impl Row {
    /// A row without figures yet.
    pub fn of(subject: &Subject) -> Row {
        Row {
            name: subject.name.clone(),
            ours: subject.server == Server::Polywire,
            rounds: Vec::new(),
            beside: subject.beside.as_ref().map(|beside| beside.plain.clone()),
            plain: Vec::new(),
            users: None,
        }
    }

    fn median(&self, of: impl Fn(&Round) -> f64) -> f64 {
        median(self.rounds.iter().map(of))
    }

    /// The median of the rounds, with the least and the most of them.
    fn spread(&self, of: fn(&Round) -> f64) -> String {
        let least = self.rounds.iter().map(of).fold(f64::INFINITY, f64::min);
        let most = self.rounds.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
        format!("{:.0} ({least:.0}–{most:.0})", self.median(of))
    }

    fn throughput(&self) -> f64 {
        self.median(Round::throughput)
    }

    fn cpu(&self) -> f64 {
        self.median(|round| round.cpu_micros)
    }

    fn cells(&self) -> Vec<String> {
        let seen = |of: fn(&Seen) -> f64| format!("{:.1}", self.median(|round| of(&round.seen)) / 1000.0);
        vec![
            self.name.clone(),
            self.spread(Round::throughput),
            format!("{:.0}", self.median(|round| round.seen.bytes as f64 / round.seen.seconds / 1000.0)),
            seen(|seen| seen.mean),
            seen(|seen| seen.deviation),
            seen(|seen| seen.min),
            seen(|seen| seen.p50),
            seen(|seen| seen.p99),
            seen(|seen| seen.max),
            self.rounds.iter().map(|round| round.seen.errors).sum::<u64>().to_string(),
            self.spread(|round| round.cpu_micros),
            format!("{:.1}", self.median(|round| round.peak as f64) / 1000.0),
        ]
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

impl Record {
    /// The record of `rows`, with each limit of the plan judged.
    pub fn new(options: &Options, rows: Vec<Row>, plan: &Plan) -> Record {
        // The limits are for a backend that is near.
        let verdicts = if options.delay.is_none() { judge(&rows, plan) } else { Vec::new() };
        Record {
            machine: Machine::here(),
            seconds: options.seconds,
            rounds: options.rounds,
            connections: CONNECTIONS,
            delay_ms: options.delay,
            rate_mbit: options.rate.filter(|_| options.delay.is_some()),
            rows,
            verdicts,
        }
    }

    /// Whether every limit is kept.
    pub fn met(&self) -> bool {
        self.verdicts.iter().all(|verdict| verdict.met)
    }

    /// Prints the tables.
    pub fn print(&self) {
        let header = [
            "gateway, 200 connections",
            "tx/s",
            "KB/s",
            "mean ms",
            "dev",
            "min",
            "p50",
            "p99",
            "max",
            "errors",
            "CPU µs/request",
            "peak MB",
        ];
        show(&header, self.rows.iter().map(Row::cells));
        let header = ["200 users who think", "tx/s", "mean ms", "dev", "min", "p50", "p99", "max", "errors"];
        show(
            &header,
            self.rows.iter().filter_map(|row| {
                let seen = row.users?;
                let mut cells = vec![row.name.clone(), format!("{:.0}", seen.requests as f64 / seen.seconds)];
                cells.extend(
                    [seen.mean, seen.deviation, seen.min, seen.p50, seen.p99, seen.max].map(|time| format!("{:.2}", time / 1000.0)),
                );
                cells.push(seen.errors.to_string());
                Some(cells)
            }),
        );
        let header = ["limit", "measured", "limit", ""];
        show(
            &header,
            self.verdicts.iter().map(|verdict| {
                let met = if verdict.met { "met" } else { "missed" };
                vec![verdict.what.clone(), format!("{:.3}", verdict.measured), format!("{}", verdict.limit), met.to_owned()]
            }),
        );
    }
}

fn show(header: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    let rows: Vec<Vec<String>> = rows.collect();
    if !rows.is_empty() {
        layout(header, rows.iter().map(Vec::as_slice), |column| column == 0).iter().for_each(|line| println!("{line}"));
        println!();
    }
}

fn judge(rows: &[Row], plan: &Plan) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    let mut at_most = |what: String, measured: f64, limit: f64| verdicts.push(Verdict { what, measured, limit, met: measured <= limit });
    let row = |name: &str| rows.iter().find(|row| row.name == name);
    for (subject, own) in plan.subjects.iter().zip(rows) {
        if let Some(beside) = &subject.beside {
            let ratio = median(own.rounds.iter().zip(&own.plain).map(|(round, plain)| round.cpu_micros / plain));
            at_most(format!("{}: CPU ÷ {}", subject.name, beside.plain), ratio, beside.at_most);
        }
        for limit in &subject.limits {
            let Some(other) = row(&limit.than) else { continue };
            if let Some(most) = limit.cpu_at_most {
                at_most(format!("{}: CPU ÷ {}", subject.name, other.name), own.cpu() / other.cpu(), most);
            }
            if let Some(least) = limit.at_least {
                // Told the other way round, so that less is better in every line.
                at_most(format!("{} tx/s ÷ {}", other.name, subject.name), other.throughput() / own.throughput(), 1.0 / least);
            }
        }
        if own.ours {
            at_most(format!("{}: peak KB", subject.name), own.median(|round| round.peak as f64), plan.peak_at_most as f64);
        }
        if let (true, Some(seen)) = (own.ours, own.users) {
            at_most(format!("{}: errors of thinking users", subject.name), seen.errors as f64, 0.0);
            let most = if subject.name.contains("XML") { 10.0 } else { 5.0 };
            at_most(format!("{}: p99 of thinking users, ms", subject.name), seen.p99 / 1000.0, most);
        }
    }
    verdicts
}
