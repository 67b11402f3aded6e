//! How messages of an unknown protocol are recognised: by reading them.

use polywire_core::format::Confidence;

use crate::wire::{self, WireType, length, skip, vint};

/// Fewer bytes than these may be anything.
const SHORTEST: usize = 8;

/// Composites within each other that recognition looks into.
const DEEPEST: usize = 32;

/// What speaks for it: every length and count of a message is kept to the byte, and messages are tuples. So many bytes that fit by chance are rare.
pub(super) fn recognise(start: &[u8], whole: bool) -> Confidence {
    let mut at = 0;
    let mut seen = Seen::default();
    let mut messages = 0;
    while at < start.len() {
        let Ok((prefix, inside)) = wire::prefix(start, at) else { return Confidence::No };
        // Unions with many variants are rare.
        if prefix.wire != WireType::Tuple || prefix.tag > 127 {
            return Confidence::No;
        }
        match length(start, inside) {
            Ok((_, end)) => {
                if !seen.composite(&start[..end], inside, 1, 0) {
                    return Confidence::No;
                }
                messages += 1;
                at = end;
            }
            // A message that goes on beyond the start.
            Err(_) if !whole => break,
            Err(_) => return if messages > 0 { Confidence::Possible } else { Confidence::No },
        }
    }
    match (messages, start.len() >= SHORTEST, seen.values > 1) {
        (0, true, _) if !whole => Confidence::Possible,
        (0, ..) => Confidence::No,
        (_, true, true) => Confidence::Likely,
        _ => Confidence::Possible,
    }
}

#[derive(Default)]
struct Seen {
    values: u64,
}

impl Seen {
    /// Whether the composite whose length is at `at`, and which ends with `bytes`, holds exactly its `per` values for each that it counts. Recursion is bounded by [`DEEPEST`].
    fn composite(&mut self, bytes: &[u8], at: usize, per: u64, depth: usize) -> bool {
        let Ok((inside, end)) = length(bytes, at) else { return false };
        let bytes = &bytes[..end];
        let Ok((count, mut at)) = vint::read(bytes, inside) else { return false };
        if count > (end - at) as u64 || depth > DEEPEST {
            return false;
        }
        for _ in 0..count * per {
            self.values += 1;
            let Ok((prefix, inside)) = wire::prefix(bytes, at) else { return false };
            let Ok(end) = skip::payload(bytes, inside, prefix.wire) else { return false };
            let per = if prefix.wire == WireType::Assoc { 2 } else { 1 };
            if prefix.wire.has_length() && prefix.wire != WireType::Bytes && !self.composite(&bytes[..end], inside, per, depth + 1) {
                return false;
            }
            at = end;
        }
        at == end
    }
}
