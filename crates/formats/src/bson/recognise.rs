//! Recognises BSON: by a length that fits, and by its contents.

use polywire_core::format::Confidence;
use polywire_core::tools::Count;
use polywire_core::{Budget, ErrorKind, Frame, Limits, Reader};

use super::frame::frame;
use super::read::BsonReader;
use super::wire;

/// Judges `start`. A complete document can hardly be anything else. One that continues beyond
/// `start` is read as far as it goes.
pub(super) fn recognise(start: &[u8], whole: bool) -> Confidence {
    if !start.get(4).is_some_and(|&kind| kind == 0 || wire::is_type(kind)) {
        return Confidence::No;
    }
    let mut count = Count::default();
    let mut read = |msg| BsonReader::default().walk(msg, 0, &mut count, &mut Budget::new(&Limits::DEFAULT));
    match frame(start, false) {
        Frame::Message { end, .. } => match read(&start[..end]) {
            Err(_) => Confidence::No,
            Ok(()) if end == wire::MIN_DOCUMENT => Confidence::Possible,
            Ok(()) if whole && end == start.len() => Confidence::Certain,
            Ok(()) => Confidence::Likely,
        },
        _ => match read(start) {
            Err(error) if error.kind() == ErrorKind::Truncated && count.fields > 0 => {
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
