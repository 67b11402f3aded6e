//! The meaning of references of AMF3, as a reader of the message will have it.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::RandomState;
use polywire_core::Result;

use super::unsupported;
use crate::u29;

/// Texts, traits and objects so far.
#[derive(Debug, Default)]
pub(super) struct Tables<'t> {
    strings: HashMap<Cow<'t, [u8]>, u32, RandomState>,
    /// Traits by their bytes: flags, class and members.
    traits: HashMap<Vec<u8>, u32, RandomState>,
    /// Markers of the objects of AMF3.
    pub objects: Vec<u8>,
    /// Number of objects of AMF0.
    pub objects0: u32,
}

impl<'t> Tables<'t> {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.strings.clear();
        self.traits.clear();
        self.objects.clear();
        self.objects0 = 0;
    }

    /// Writes a text, or a reference to it if it was written before.
    pub fn string(&mut self, text: Cow<'t, [u8]>, out: &mut Vec<u8>) -> Result<()> {
        if text.is_empty() {
            out.push(1);
            return Ok(());
        }
        if let Some(index) = self.strings.get(&text) {
            u29::put(out, index << 1);
            return Ok(());
        }
        u29::put(out, length(text.len())? << 1 | 1);
        out.extend_from_slice(&text);
        let index = self.strings.len() as u32;
        if i64::from(index) <= u29::MAX_SIGNED {
            self.strings.insert(text, index);
        }
        Ok(())
    }

    /// Returns the number of traits that were written before, or gives them one.
    pub fn traits(&mut self, bytes: Vec<u8>) -> Option<u32> {
        let next = self.traits.len() as u32;
        // A reference has 27 bits.
        match self.traits.get(&bytes) {
            Some(known) => Some(*known),
            None if next < 1 << 27 => {
                self.traits.insert(bytes, next);
                None
            }
            None => None,
        }
    }
}

/// Returns a length or count that AMF3 can have.
pub(super) fn length(len: usize) -> Result<u32> {
    u32::try_from(len)
        .ok()
        .filter(|len| i64::from(*len) <= u29::MAX_SIGNED)
        .ok_or_else(|| unsupported(format!("{len} bytes or values in one value")).expected(format!("at most {}", u29::MAX_SIGNED)))
}
