//! Recognition of messages by reading them.

use polywire_core::ErrorKind;
use polywire_core::bytes::Input;
use polywire_core::format::Confidence;

use crate::skip::Skipper;
use crate::wire::{self, HEADER, INT, Name, SIGNATURE, VERSION};

/// Deepest nesting that is looked into.
const DEPTH: u32 = 64;

/// Judges whether bytes are packets.
pub(crate) fn packet(start: &[u8], _: bool) -> Confidence {
    match start.get(HEADER) {
        _ if !start.starts_with(&SIGNATURE) => Confidence::No,
        Some(&VERSION) | None => Confidence::Certain,
        Some(_) => Confidence::Possible,
    }
}

/// Judges whether bytes are messages.
pub(crate) fn message(start: &[u8], whole: bool) -> Confidence {
    let mut input = Input::new(start, 0);
    let evident = match wire::message(&mut input) {
        Ok((Name::Text(name), count)) => count > 0 && !name.is_empty() && std::str::from_utf8(name).is_ok(),
        // Hashes of names have all their bits.
        Ok((Name::Hash(_), count)) => count > 0 && start.get(1) == Some(&INT),
        Err(_) => return Confidence::No,
    };
    let mut skipper = Skipper::default();
    let mut at = 0;
    while at < start.len() {
        skipper.message(at);
        match skipper.run(start, 0, DEPTH) {
            Ok(end) => at = end,
            Err(error) if error.kind() == ErrorKind::Truncated && !whole => break,
            Err(_) => return Confidence::No,
        }
    }
    if evident { Confidence::Likely } else { Confidence::Possible }
}
