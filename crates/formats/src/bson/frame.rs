//! Framing: a document's first four bytes are its length.

use polywire_core::Frame;

use super::wire::MIN_DOCUMENT;

/// Finds the first document of a stream. Nothing stands between documents, and no state is needed
/// between calls.
pub(super) fn frame(buf: &[u8], eof: bool) -> Frame {
    let Some(len) = buf.first_chunk().map(|len| i32::from_le_bytes(*len)) else {
        return match buf.len() {
            0 if eof => Frame::End,
            end if eof => Frame::Message { start: 0, end },
            some => Frame::More(4 - some),
        };
    };
    match usize::try_from(len) {
        Ok(end) if end >= MIN_DOCUMENT => match end.checked_sub(buf.len()) {
            None | Some(0) => Frame::Message { start: 0, end },
            Some(_) if eof => Frame::Message { start: 0, end: buf.len() },
            Some(missing) => Frame::More(missing),
        },
        // The walk reports the error in the length.
        _ => Frame::Message { start: 0, end: 4 },
    }
}
