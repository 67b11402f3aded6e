//! How bencode is recognised: by reading it.

use polywire_core::count::Count;
use polywire_core::error::ErrorKind;
use polywire_core::format::Confidence;
use polywire_core::limits::{Budget, Limits};
use polywire_core::read::{Frame, Reader};

use super::read::BencodeReader;
use super::wire::{DICTIONARY, INTEGER, LIST};

/// A dictionary or list that is there to its end can hardly be anything else, unless it is as short as a word; one that goes on
/// beyond `start` is read as far as it goes.
pub(super) fn recognise(start: &[u8], whole: bool) -> Confidence {
    let Some(&head) = start.first() else { return Confidence::No };
    if !matches!(head, DICTIONARY | LIST | INTEGER | b'0'..=b'9') {
        return Confidence::No;
    }
    let container = matches!(head, DICTIONARY | LIST);
    let mut reader = BencodeReader::default();
    let mut count = Count::default();
    let mut budget = Budget::new(&Limits::DEFAULT);
    match reader.frame(start, 0, false) {
        Ok(Frame::Message { end, .. }) => match reader.walk_into(&start[..end], 0, &mut count, &mut budget) {
            Err(_) => Confidence::No,
            Ok(()) if container && count.scalars > 0 => {
                if whole && end == start.len() {
                    Confidence::Certain
                } else {
                    Confidence::Likely
                }
            }
            Ok(()) if head == INTEGER => Confidence::Likely,
            Ok(()) => Confidence::Possible,
        },
        _ => match reader.walk_into(start, 0, &mut count, &mut budget) {
            Err(error) if error.kind() == ErrorKind::Truncated && container && count.fields + count.scalars > 0 => {
                if whole {
                    Confidence::Possible
                } else {
                    Confidence::Likely
                }
            }
            _ => Confidence::No,
        },
    }
}
