//! Workloads are data: which messages, which peers, what the answer must be, and how the times should compare.
//!
//! `workloads/walk.json` and `workloads/encode.json` are lists of [`Line`]s, each a workload of its own. The other files are each a [`Matrix`]: sets of cases, and
//! suites that send peers over all cases of a set.

use std::collections::BTreeMap;
use std::path::Path;

use polywire_core::{Error, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::input::{Input, Source};
use crate::peer::Work;

/// What is measured in one run: ours, and the rivals on the same or on equivalent messages.
pub struct Workload {
    /// Suite and case.
    pub name: String,
    pub title: String,
    /// Which of the title's cases this is; empty if it has one only.
    pub case: String,
    pub inputs: Vec<Input>,
    /// The first is what the others are compared with: ours, where there is one.
    pub entries: Vec<Entry>,
}

/// A peer of a workload.
pub struct Entry {
    pub label: String,
    pub peer: String,
    pub work: Work,
    /// Index of its input.
    pub input: usize,
    /// What it must find.
    pub answer: u64,
    /// The most that our time may be as a multiple of this one's.
    pub at_most: Option<f64>,
    /// Whether times are compared byte by byte: the messages are equivalent, and the throughput counts.
    pub per_byte: bool,
}

type Load<'d> = Box<dyn Fn(&Path) -> Result<Workload> + 'd>;

/// A workload that is ready to be loaded.
pub struct Planned<'d> {
    pub name: String,
    load: Load<'d>,
}

impl Planned<'_> {
    /// Reads or makes the messages; `root` is the project's.
    pub fn load(&self, root: &Path) -> Result<Workload> {
        (self.load)(root)
    }
}

/// The file of a folder of workloads.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = std::fs::read(path).map_err(|error| Error::io(&path.display().to_string(), &error))?;
    serde_json::from_slice(&text).map_err(|error| Error::usage(format!("{}: {error}", path.display())))
}

/// One workload: a file of a known format, walked, converted, or written from trees.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    name: String,
    title: String,
    /// In the folder `examples`.
    file: String,
    ours: String,
    /// How many things the messages hold: all peers must find as many.
    answer: u64,
    rivals: Vec<Beside>,
}

/// A rival, and the most that our time may be as a multiple of its time.
#[derive(Debug, Deserialize)]
struct Beside {
    peer: String,
    at_most: f64,
}

impl Line {
    pub fn plan(&self) -> Planned<'_> {
        let load = |root: &Path| {
            let entry = |peer: &String, at_most: Option<f64>| Entry {
                label: peer.clone(),
                peer: peer.clone(),
                work: Work::Decode,
                input: 0,
                answer: self.answer,
                at_most,
                per_byte: false,
            };
            let rivals = self.rivals.iter().map(|rival| entry(&rival.peer, Some(rival.at_most)));
            Ok(Workload {
                name: self.name.clone(),
                title: self.title.clone(),
                case: String::new(),
                inputs: vec![Input::framed(&root.join("examples").join(&self.file))?],
                entries: std::iter::once(entry(&self.ours, None)).chain(rivals).collect(),
            })
        };
        Planned { name: self.name.clone(), load: Box::new(load) }
    }
}

/// Cases, and the suites that run over them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    cases: BTreeMap<String, Vec<Case>>,
    suites: Vec<Suite>,
}

/// Equivalent messages in several forms.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    inputs: BTreeMap<String, Twin>,
}

/// The messages in one form.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Twin {
    source: Source,
    /// How many things they hold, as `visit::Answer` counts.
    values: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Suite {
    name: String,
    title: String,
    /// Name of the set of cases.
    cases: String,
    #[serde(default)]
    work: Work,
    /// Whether times are compared byte by byte.
    #[serde(default)]
    per_byte: bool,
    /// The first is ours.
    peers: Vec<Member>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Member {
    peer: String,
    /// Which of a case's forms it gets. Cases without it go without the peer.
    input: String,
    /// What it is called, if not by its name.
    label: Option<String>,
    /// Other work than the suite's.
    work: Option<Work>,
    at_most: Option<f64>,
    /// Cases that the limit is for; all if there are none.
    #[serde(default)]
    limit_for: Vec<String>,
    /// Cases that it takes part in; all if there are none.
    #[serde(default)]
    only_for: Vec<String>,
}

impl Matrix {
    pub fn plan(&self) -> Result<Vec<Planned<'_>>> {
        let mut planned = Vec::new();
        for suite in &self.suites {
            let cases = self.cases.get(&suite.cases).ok_or_else(|| Error::usage(format!("no cases {}", suite.cases)))?;
            planned.extend(
                cases
                    .iter()
                    .map(|case| Planned { name: format!("{}/{}", suite.name, case.name), load: Box::new(|root| suite.load(case, root)) }),
            );
        }
        Ok(planned)
    }
}

impl Suite {
    fn load(&self, case: &Case, root: &Path) -> Result<Workload> {
        let mut inputs = Vec::new();
        let mut known = BTreeMap::new();
        let mut entries = Vec::new();
        for member in &self.peers {
            let meant = |names: &[String]| names.is_empty() || names.contains(&case.name);
            let Some(twin) = case.inputs.get(&member.input).filter(|_| meant(&member.only_for)) else { continue };
            let input = match known.get(&member.input) {
                Some(input) => *input,
                None => {
                    inputs.push(Input::load(root, &twin.source)?);
                    *known.entry(&member.input).or_insert(inputs.len() - 1)
                }
            };
            let work = member.work.unwrap_or(self.work);
            entries.push(Entry {
                label: member
                    .label
                    .clone()
                    .unwrap_or_else(|| format!("{}{}", member.peer, if work == self.work { "" } else { work.suffix() })),
                peer: member.peer.clone(),
                work,
                input,
                answer: twin.values,
                at_most: member.at_most.filter(|_| meant(&member.limit_for)),
                per_byte: self.per_byte,
            });
        }
        let name = format!("{}/{}", self.name, case.name);
        Ok(Workload { name, title: self.title.clone(), case: case.name.clone(), inputs, entries })
    }
}
