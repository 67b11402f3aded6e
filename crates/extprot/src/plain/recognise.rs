//! Recognition of messages of an unknown protocol, by parsing them.

use polywire_core::format::Confidence;

use crate::wire::{self, WireType, length, skip, vint};

/// Minimum length in bytes; a shorter start proves nothing.
const SHORTEST: usize = 8;

/// Deepest nesting that recognition checks.
const DEEPEST: usize = 32;

/// Recognises a tuple in which every length and count matches to the byte. That rarely happens by
/// chance.
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
            // The message continues after the start.
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
    /// Returns whether the composite whose length is at `at`, and which ends with `bytes`, holds
    /// exactly `count × per` values. Recursion is bounded by [`DEEPEST`].
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
