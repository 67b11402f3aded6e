//! Sizes of the messages: raw, compressed alone, compressed as one stream, compressed with a
//! dictionary.

use std::io;

use polywire_core::tools::Count;
use polywire_core::{Error, Result, Tree};
use zstd::bulk::Compressor;

use crate::comparison::{Dictionary, Sizes};
use crate::compressed::{ZSTD_LEVEL, gzip, zstd_stream};
use crate::messages::{Arranged, Messages};
use crate::prove::{Proof, in_stream};

/// Most bytes of the messages that are compressed, in the input's format: of more, a sample is
/// compressed, spread evenly. zstd's window of this level has half of that.
pub(crate) const SAMPLE_BYTES: usize = 4 << 20;

/// Most messages that are compressed alone, spread evenly over the sample.
pub(crate) const ALONE: usize = 10_000;

/// Least messages for a dictionary: half to train it, half to measure it.
pub(crate) const DICTIONARY_MESSAGES: usize = 16;

/// Largest dictionary: the default of the program zstd.
const DICTIONARY_BYTES: usize = 112_640;

/// Least ratio of the training bytes to the dictionary, so that it is no copy of them.
const DICTIONARY_SHARE: usize = 10;

/// Smallest dictionary that the trainer makes.
const DICTIONARY_LEAST: usize = 512;

/// Most bytes to train on.
const TRAINING_BYTES: usize = 8 << 20;

/// Returns the indices of the messages to compress alone, of the sample.
pub(crate) fn alone(sample: &[usize]) -> Vec<usize> {
    let step = sample.len().div_ceil(ALONE).max(1);
    sample.iter().copied().step_by(step).collect()
}

/// The bytes that a format is charged for each message.
pub(crate) struct Charged<'a> {
    pub(crate) proof: &'a Proof,
    /// The format that messages are charged in that do not fit the schema of `proof`. `None`: such
    /// messages are charged as they came.
    pub(crate) instead: Option<&'a Proof>,
    pub(crate) messages: &'a Messages,
}

impl<'a> Charged<'a> {
    /// Returns the bytes of a message of the sample, and the separator behind it.
    fn message(&self, index: usize) -> (&'a [u8], &'static str) {
        let mut proofs = [Some(self.proof), self.instead].into_iter().flatten();
        let written = |proof: &'a Proof| proof.message(index).map(|bytes| (bytes, proof.format.separator));
        proofs.find_map(written).unwrap_or_else(|| (self.messages.get(index).0, self.messages.format().separator))
    }

    /// Returns the messages of the sample with their separators.
    fn stream(&self, sample: &[usize]) -> Vec<u8> {
        let mut stream = Vec::new();
        for index in sample {
            let (bytes, separator) = self.message(*index);
            stream.extend_from_slice(bytes);
            stream.extend_from_slice(separator.as_bytes());
        }
        stream
    }

    /// Returns the bytes of all measured messages: those that fit, and the others in the other
    /// format.
    fn raw(&self) -> Result<u64> {
        let Some(instead) = self.instead.filter(|_| !self.proof.unfit.is_empty()) else {
            let unfit = self.proof.unfit.iter().map(|index| self.messages.get(*index).0.len() as u64);
            return Ok(self.proof.raw + unfit.sum::<u64>());
        };
        let mut writer = in_stream(&instead.dialect).ok_or_else(|| Error::internal("a format without a writer was proved"))?;
        let mut walker = self.messages.walker(self.messages.dialect().clone());
        let mut raw = self.proof.raw;
        let mut unfit = self.proof.unfit.iter().copied().peekable();
        let last = self.proof.unfit.last().map_or(0, |last| last + 1);
        let mut out = Vec::new();
        // In order, those between included: a message may lean on one before it.
        for index in 0..last {
            let (bytes, base) = self.messages.get(index);
            // The head of a stream is charged with its first message.
            if unfit.next_if_eq(&index).is_none() && index > 0 {
                walker.walk(bytes, base, &mut Count::default())?;
                continue;
            }
            let mut sink = Arranged::new(Tree::without_spans(), instead.needs);
            walker.walk(bytes, base, &mut sink)?;
            out.clear();
            writer.tree(&sink.tree)?;
            writer.finish(&mut out)?;
            if self.proof.unfit.binary_search(&index).is_ok() {
                raw += out.len() as u64;
            }
        }
        Ok(raw)
    }
}

/// Returns the sizes of one format, on average over the `measured` messages, of which compression
/// has the `sample`. `alone` are those of it to compress alone.
pub(crate) fn sizes(charged: &Charged<'_>, measured: usize, sample: &[usize], alone: &[usize]) -> Result<Sizes> {
    let chosen: Vec<&[u8]> = alone.iter().map(|index| charged.message(*index).0).collect();
    let stream = charged.stream(sample);
    let count = sample.len().max(1) as f64;
    let (dictionary, no_dictionary) = match dictionary(&chosen) {
        Ok(dictionary) => (Some(dictionary), None),
        Err(why) => (None, Some(why)),
    };
    let failed = |error: io::Error| Error::io("compressing in memory", &error);
    Ok(Sizes {
        raw: charged.raw()? as f64 / measured.max(1) as f64,
        gzip: mean(&chosen, gzip).map_err(failed)?,
        zstd: Compressor::new(ZSTD_LEVEL).and_then(|mut zstd| mean(&chosen, |bytes| Ok(zstd.compress(bytes)?.len()))).map_err(failed)?,
        dictionary,
        no_dictionary,
        batch_gzip: gzip(&stream).map_err(failed)? as f64 / count,
        batch_zstd: zstd_stream(&stream).map_err(failed)? as f64 / count,
    })
}

fn mean(messages: &[&[u8]], mut compressed: impl FnMut(&[u8]) -> io::Result<usize>) -> io::Result<f64> {
    let mut total = 0;
    for message in messages {
        total += compressed(message)?;
    }
    Ok(total as f64 / messages.len().max(1) as f64)
}

/// Trains on every second message and measures on the others. The error says why there is no
/// dictionary.
fn dictionary(messages: &[&[u8]]) -> Result<Dictionary, String> {
    let (trained, trained_on) = trained(messages)?;
    let measured: Vec<&[u8]> = messages.iter().skip(1).step_by(2).copied().collect();
    let zstd = Compressor::with_dictionary(ZSTD_LEVEL, &trained)
        .and_then(|mut zstd| mean(&measured, |bytes| Ok(zstd.compress(bytes)?.len())))
        .map_err(|error| error.to_string())?;
    Ok(Dictionary { zstd, bytes: trained.len(), trained_on, measured_on: measured.len() })
}

/// Trains a dictionary on every second message. Returns it with their number; the error says why
/// there is none.
pub(crate) fn trained(messages: &[&[u8]]) -> Result<(Vec<u8>, usize), String> {
    if messages.len() < DICTIONARY_MESSAGES {
        return Err(format!("a dictionary takes {DICTIONARY_MESSAGES} messages or more, half of them to train it"));
    }
    let mut training = Vec::new();
    let mut lengths = Vec::new();
    for message in messages.iter().step_by(2) {
        if training.len() + message.len() > TRAINING_BYTES {
            break;
        }
        training.extend_from_slice(message);
        lengths.push(message.len());
    }
    let most = (training.len() / DICTIONARY_SHARE).clamp(DICTIONARY_LEAST, DICTIONARY_BYTES);
    let trained = zstd::dict::from_continuous(&training, &lengths, most)
        .map_err(|_| "the messages are too few, too short or too little alike to train a dictionary".to_string())?;
    Ok((trained, lengths.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dictionary_is_measured_on_the_other_half() {
        let messages: Vec<Vec<u8>> =
            (0..400).map(|n| format!("{{\"number\":{n},\"goods\":\"some goods name {}\",\"paid\":true}}", n * 7919 % 100).into()).collect();
        let slices: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        let found = dictionary(&slices).unwrap();
        assert_eq!((found.trained_on, found.measured_on), (200, 200));
        let mut plain = Compressor::new(ZSTD_LEVEL).unwrap();
        let without = mean(&slices, |bytes| Ok(plain.compress(bytes)?.len())).unwrap();
        assert!(found.zstd < without / 1.5, "{} against {without}", found.zstd);
        assert!(dictionary(&slices[..15]).unwrap_err().contains("16 messages"));
        assert!(dictionary(&[b"".as_slice(); 20]).is_err());
    }

    #[test]
    fn a_sample_is_spread_evenly() {
        assert_eq!(alone(&[0, 1, 2]), [0, 1, 2]);
        assert_eq!(alone(&[1, 3, 5]), [1, 3, 5]);
        let many = alone(&(0..25_000).collect::<Vec<usize>>());
        assert!(many.len() <= ALONE && many[1] == 3 && many.last() > Some(&24_990));
    }
}
