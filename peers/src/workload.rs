//! Workloads are data: which file, which peers, what the answer must be, and how the times should compare.

use std::path::Path;

use polywire_core::adapt::Walker;
use polywire_core::error::{Error, Result};
use polywire_core::limits::Limits;
use polywire_core::stream::Stream;
use polywire_core::tree::Tree;
use polywire_formats::registry;
use serde::Deserialize;

/// One line of a benchmark.
#[derive(Debug, Deserialize)]
pub struct Workload {
    pub name: String,
    pub title: String,
    /// In the folder `examples`.
    pub file: String,
    pub ours: String,
    /// How many things the messages hold: all peers must find as many.
    pub answer: u64,
    pub rivals: Vec<Rival>,
}

/// A rival, and the most that our time may be as a multiple of its time.
#[derive(Debug, Deserialize)]
pub struct Rival {
    pub peer: String,
    pub at_most: f64,
}

/// The workloads of a file.
pub fn load(path: &Path) -> Result<Vec<Workload>> {
    let text = std::fs::read(path).map_err(|error| Error::io(&path.display().to_string(), &error))?;
    serde_json::from_slice(&text).map_err(|error| Error::usage(format!("{}: {error}", path.display())))
}

/// The messages of a workload.
pub struct Input {
    pub bytes: Vec<u8>,
    /// Where each message lies in `bytes`.
    pub messages: Vec<(usize, usize)>,
}

impl Input {
    /// The messages of a file, framed by the format that its bytes look like.
    pub fn load(path: &Path) -> Result<Input> {
        let bytes = std::fs::read(path).map_err(|error| Error::io(&path.display().to_string(), &error))?;
        let format = registry::recognise(&bytes, true).map(registry::unframed).ok_or_else(|| Error::usage(format!("{}: no known format", path.display())))?;
        let mut walker = Walker::new(format, &Limits::DEFAULT);
        let mut stream = Stream::new(&bytes[..]);
        let mut messages = Vec::new();
        while let Some(message) = stream.next(&mut walker)? {
            let start = message.base as usize;
            messages.push((start, start + message.bytes.len()));
        }
        Ok(Input { bytes, messages })
    }

    /// Each message.
    pub fn each(&self) -> impl Iterator<Item = &[u8]> {
        self.messages.iter().map(|(start, end)| &self.bytes[*start..*end])
    }

    /// Each message, converted to the format of that name.
    pub fn converted(&self, to: &str) -> Result<Vec<Vec<u8>>> {
        let to = registry::find(to)?;
        let from = registry::recognise(&self.bytes, true).map(registry::unframed).ok_or_else(|| Error::internal("a format that was recognised before"))?;
        if from.name == to.name {
            return Ok(self.each().map(<[u8]>::to_vec).collect());
        }
        let mut writer = to.writer.ok_or_else(|| Error::usage(format!("{} cannot be written", to.name)))?();
        let mut walker = Walker::new(from, &Limits::DEFAULT);
        self.each()
            .map(|message| {
                let mut tree = Tree::new();
                walker.walk(message, 0, &mut tree)?;
                tree.emit(&mut *writer)?;
                let mut out = Vec::new();
                writer.finish(&mut out)?;
                Ok(out)
            })
            .collect()
    }
}
