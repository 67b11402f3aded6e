//! The heads of MessagePack as the structure of a document needs them.

use polywire_core::{Budget, Limits, Result};

use super::skip::{Skipped, Skipper};
use super::wire::{self, ARRAY16, ARRAY32, MAP16, MAP32, STR8, STR16, STR32};
use crate::counted_structure::{Head, Heads, Skip};

/// MessagePack's heads.
#[derive(Debug, Default)]
pub(super) struct MsgpackHeads;

impl Heads for MsgpackHeads {
    const NAME: &'static str = wire::NAME;

    fn head(&self, buf: &[u8]) -> Option<(usize, Head)> {
        let first = *buf.first()?;
        let counted = |width: usize| Some(buf.get(1..1 + width)?.iter().fold(0, |n, byte| n << 8 | u64::from(*byte)));
        Some(match first {
            0x80..=0x8f => (1, Head::Map(Some(u64::from(first & 0x0f)))),
            0x90..=0x9f => (1, Head::List(Some(u64::from(first & 0x0f)))),
            0xa0..=0xbf => (1, Head::Text(usize::from(first & 0x1f))),
            STR8 => (2, Head::Text(counted(1)? as usize)),
            STR16 => (3, Head::Text(counted(2)? as usize)),
            STR32 => (5, Head::Text(counted(4)? as usize)),
            ARRAY16 => (3, Head::List(Some(counted(2)?))),
            ARRAY32 => (5, Head::List(Some(counted(4)?))),
            MAP16 => (3, Head::Map(Some(counted(2)?))),
            MAP32 => (5, Head::Map(Some(counted(4)?))),
            _ => (1, Head::Other),
        })
    }

    fn skip(&self, buf: &[u8], base: u64) -> Result<Skip> {
        let mut skipper = Skipper::default();
        skipper.start(0, 1);
        Ok(match skipper.run(buf, base, &mut Budget::new(&Limits::MAX))? {
            Skipped::All(end) => Skip::All(end),
            Skipped::More(missing) => Skip::More(missing),
        })
    }
}
