//! The heads of CBOR as the structure of a document needs them.

use polywire_core::{Budget, Limits, Result};

use super::skip::{Skipped, Skipper};
use super::wire::{self, BREAK, INDEFINITE, LIST, MAP, TAG, TEXT};
use crate::counted_structure::{Head, Heads, Skip};

/// CBOR's heads.
#[derive(Debug, Default)]
pub(super) struct CborHeads;

impl Heads for CborHeads {
    const NAME: &'static str = wire::NAME;

    fn head(&self, buf: &[u8]) -> Option<(usize, Head)> {
        let mut at = 0;
        loop {
            let first = *buf.get(at)?;
            if first == BREAK {
                return Some((at + 1, Head::Break));
            }
            let (major, info) = (first >> 5, first & 0x1f);
            let width = if matches!(info, 24..=27) { 1 << (info - 24) } else { 0 };
            let bytes = buf.get(at + 1..at + 1 + width)?;
            let argument = if width == 0 { u64::from(info) } else { bytes.iter().fold(0, |n, byte| n << 8 | u64::from(*byte)) };
            at += 1 + width;
            let count = (info != INDEFINITE).then_some(argument);
            let head = match major {
                LIST => Head::List(count),
                MAP => Head::Map(count),
                TEXT if info <= 27 => Head::Text(usize::try_from(argument).unwrap_or(usize::MAX)),
                // The mark of CBOR says nothing about a list; other tags make it another value.
                TAG if argument == wire::TAG_SELF_DESCRIBED => continue,
                _ => Head::Other,
            };
            return Some((at, head));
        }
    }

    fn skip(&self, buf: &[u8], base: u64) -> Result<Skip> {
        let mut skipper = Skipper::default();
        skipper.start(0);
        Ok(match skipper.run(buf, base, &mut Budget::new(&Limits::MAX))? {
            Skipped::All(end) => Skip::All(end),
            Skipped::More(missing) => Skip::More(missing),
        })
    }
}
