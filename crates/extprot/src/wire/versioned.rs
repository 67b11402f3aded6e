//! Versioned frames (docs/spec/extprot.md 4.4): a version of two bytes, little-endian, then a
//! message.

use super::Broken;
use super::frame::{Framed, Framer};

/// Length of the version in bytes.
pub const HEADER: usize = 2;

/// Returns the version at the start of a frame, or `None` if it is incomplete.
#[inline]
pub fn version(frame: &[u8]) -> Option<u16> {
    frame.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
}

/// Appends the version that starts a frame; the caller appends the message.
pub fn write(out: &mut Vec<u8>, version: u16) {
    out.extend_from_slice(&version.to_le_bytes());
}

/// Finds the ends of versioned frames, in time linear in the length of the stream however it is
/// cut.
#[derive(Debug, Clone, Default)]
pub struct VersionedFramer(Framer);

impl VersionedFramer {
    /// Works like [`Framer::frame`]; the version counts as part of its frame.
    ///
    /// # Errors
    /// As [`Framer::frame`].
    pub fn frame(&mut self, buf: &[u8]) -> Result<Framed, Broken> {
        match buf.get(HEADER..) {
            Some(message) => Ok(match self.0.frame(message)? {
                Framed::Whole(end) => Framed::Whole(HEADER + end),
                more => more,
            }),
            // A message has at least one byte.
            None => Ok(Framed::More(HEADER - buf.len() + 1)),
        }
    }

    /// Resets the framer for another stream.
    pub fn reset(&mut self) {
        self.0.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_found_however_it_arrives() {
        let mut frame = Vec::new();
        write(&mut frame, 0x0102);
        assert_eq!(frame, [2, 1]);
        frame.extend([0x01, 0x03, 0x01, 0x00, 0x03]);
        assert_eq!(version(&frame), Some(0x0102));
        assert_eq!(version(&frame[..1]), None);
        let mut framer = VersionedFramer::default();
        for cut in 0..frame.len() {
            assert!(matches!(framer.frame(&frame[..cut]), Ok(Framed::More(more)) if more <= frame.len() - cut), "{cut}");
        }
        frame.extend([9, 9]);
        assert_eq!(framer.frame(&frame), Ok(Framed::Whole(7)));
        assert_eq!(framer.frame(&[0, 0, 9]), Err(Broken::WireType));
        assert_eq!(framer.frame(&frame), Ok(Framed::Whole(7)));
    }
}
