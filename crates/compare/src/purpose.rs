//! The purposes that a comparison can be read for: an order of columns each.

use std::str::FromStr;

use polywire_core::{Error, Result};

use crate::comparison::{Sizes, Time, Times};

/// A figure of a row. Smaller is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    /// Raw bytes.
    Raw,
    /// Bytes, each message alone with gzip.
    Gzip,
    /// Bytes, each message alone with zstd.
    Zstd,
    /// Bytes, all messages as one zstd stream.
    Stream,
    /// Time to encode.
    Encode,
    /// Time to decode to a tree.
    Decode,
    /// Time to scan.
    Scan,
}

impl Figure {
    /// Returns the words of a sentence for it.
    pub fn title(self) -> &'static str {
        match self {
            Figure::Raw => "raw bytes",
            Figure::Gzip => "bytes with gzip",
            Figure::Zstd => "bytes with zstd",
            Figure::Stream => "bytes in one zstd stream",
            Figure::Encode => "time to encode",
            Figure::Decode => "time to decode",
            Figure::Scan => "time to scan",
        }
    }

    /// Returns the figure of a row: bytes per message, or nanoseconds.
    pub fn of(self, sizes: &Sizes, times: &Times) -> f64 {
        let time = |time: &Time| time.ns.median;
        match self {
            Figure::Raw => sizes.raw,
            Figure::Gzip => sizes.gzip,
            Figure::Zstd => sizes.zstd,
            Figure::Stream => sizes.batch_zstd,
            Figure::Encode => time(&times.encode),
            Figure::Decode => time(&times.decode),
            Figure::Scan => time(&times.scan),
        }
    }

    /// Reports whether it is a time.
    pub fn is_time(self) -> bool {
        matches!(self, Figure::Encode | Figure::Decode | Figure::Scan)
    }
}

/// A purpose of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Kept for long, and seldom read.
    Archive,
    /// Sent between services.
    Rpc,
    /// Sent to browsers.
    Browser,
    /// Written all the time, and read seldom.
    Log,
}

impl Purpose {
    /// All purposes, with the names that [`Purpose::from_str`] reads.
    pub const ALL: &'static [(&'static str, Purpose)] =
        &[("archive", Purpose::Archive), ("rpc", Purpose::Rpc), ("browser", Purpose::Browser), ("log", Purpose::Log)];

    /// Returns the name on command lines and in reports.
    pub fn name(self) -> &'static str {
        Purpose::ALL.iter().find(|(_, purpose)| *purpose == self).map_or("", |(name, _)| name)
    }

    /// Returns the figures that decide, in order: a later one decides between formats that an
    /// earlier one finds within 5 % of the best.
    pub fn figures(self) -> &'static [Figure] {
        match self {
            Purpose::Archive => &[Figure::Stream, Figure::Scan, Figure::Encode],
            Purpose::Rpc => &[Figure::Decode, Figure::Encode, Figure::Raw],
            Purpose::Browser => &[Figure::Gzip, Figure::Decode, Figure::Raw],
            Purpose::Log => &[Figure::Encode, Figure::Stream, Figure::Scan],
        }
    }
}

impl FromStr for Purpose {
    type Err = Error;

    fn from_str(text: &str) -> Result<Purpose> {
        Purpose::ALL.iter().find(|(name, _)| *name == text).map(|(_, purpose)| *purpose).ok_or_else(|| {
            let names: Vec<&str> = Purpose::ALL.iter().map(|(name, _)| *name).collect();
            Error::usage(format!("the purpose `{text}`")).expected(format!("one of {}", names.join(", ")))
        })
    }
}
