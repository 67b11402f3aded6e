//! Recognises bencode by reading it.

use polywire_core::format::Confidence;
use polywire_core::tools::Count;
use polywire_core::{Budget, ErrorKind, Frame, Limits, Reader};

use super::read::BencodeReader;
use super::wire::{DICTIONARY, INTEGER, LIST};

/// Judges `start`. Complete dictionaries and lists with contents can hardly be anything else. One
/// that continues beyond `start` is read as far as it goes. Strings and empty containers may be
/// words of a text.
pub(super) fn recognise(start: &[u8], whole: bool) -> Confidence {
    let mut reader = BencodeReader::default();
    let mut budget = Budget::new(&Limits::DEFAULT);
    let mut found = Confidence::No;
    let mut rest = start;
    while let Some(&head) = rest.first() {
        let mut count = Count::default();
        budget.reset();
        let container = matches!(head, DICTIONARY | LIST);
        // At the end of the stream, `frame` would hand over a truncated message like a complete
        // one.
        let end = match reader.frame(rest, 0, false) {
            Ok(Frame::Message { end, .. }) => Some(end),
            _ => None,
        };
        let walked = reader.walk(&rest[..end.unwrap_or(rest.len())], 0, &mut count, &mut budget);
        let held = count.fields + count.scalars > 0;
        match (walked, end) {
            (Ok(()), Some(end)) => {
                let this = if container && held || head == INTEGER { Confidence::Likely } else { Confidence::Possible };
                found = found.max(this);
                if container && held && whole && end == start.len() {
                    return Confidence::Certain;
                }
                rest = &rest[end..];
            }
            (Err(error), None) if error.kind() == ErrorKind::Truncated => {
                let cut = if whole || !(container && held) { Confidence::Possible } else { Confidence::Likely };
                return if found == Confidence::No && !(container && held) { Confidence::No } else { found.max(cut) };
            }
            // A stream that was read for the most part may still be of this format.
            _ => return if found == Confidence::Likely && rest.len() * 2 < start.len() { Confidence::Possible } else { Confidence::No },
        }
    }
    found
}
