//! Places of the heads of CBOR that is well-formed.

use polywire_core::bytes::Input;

use super::wire::{self, BREAK, BYTES, INDEFINITE, TEXT};

/// Returns the offset of each head and break, in order, of at most 4 GiB. Ends at bytes that are no
/// CBOR.
pub(crate) fn offsets(cbor: &[u8]) -> Vec<u32> {
    let mut offsets = Vec::new();
    let mut input = Input::new(cbor, 0);
    while let Some(first) = input.peek() {
        offsets.push(input.pos() as u32);
        input.seek(input.pos() + 1);
        if first == BREAK {
            continue;
        }
        let Ok(head) = wire::head(&mut input, first) else { break };
        if matches!(head.major, BYTES | TEXT) && head.info != INDEFINITE && input.take(head.arg, "a string").is_err() {
            break;
        }
    }
    offsets
}
