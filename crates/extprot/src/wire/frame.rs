//! Framing: finds the end of a message in a stream that may be cut anywhere (docs/spec/extprot.md
//! 4.4).

use super::vint::Partial;
use super::{Broken, WireType};

/// Result of [`Framer::frame`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framed {
    /// A complete message of this length in bytes.
    Whole(usize),
    /// At least this number of bytes is missing.
    More(usize),
}

/// Finds the ends of messages. It remembers its position, so the time is linear in the length of
/// the stream however the stream is cut.
#[derive(Debug, Clone, Default)]
pub struct Framer {
    at: usize,
    state: State,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Prefix(Partial),
    Length(Partial),
    Number(Partial),
    /// Offset of the end of the message.
    End(usize),
}

impl Default for State {
    fn default() -> State {
        State::Prefix(Partial::default())
    }
}

impl Framer {
    /// Finds the end of the message at the start of `buf`. After [`Framed::More`], the next call
    /// must pass a `buf` that starts with the same bytes.
    ///
    /// # Errors
    /// The prefix or the length is invalid. The framer is then reset.
    pub fn frame(&mut self, buf: &[u8]) -> Result<Framed, Broken> {
        loop {
            if let State::End(end) = self.state {
                if end > buf.len() {
                    return Ok(Framed::More(end - buf.len()));
                }
                *self = Framer::default();
                return Ok(Framed::Whole(end));
            }
            let Some(&byte) = buf.get(self.at) else { return Ok(Framed::More(1)) };
            self.at += 1;
            let next = self.byte(byte);
            if next.is_err() {
                *self = Framer::default();
            }
            next?;
        }
    }

    fn byte(&mut self, byte: u8) -> Result<(), Broken> {
        match &mut self.state {
            State::Prefix(partial) => {
                let Some(prefix) = partial.add(byte)? else { return Ok(()) };
                let wire = WireType::of(prefix).ok_or(Broken::WireType)?;
                self.state = match wire.fixed() {
                    Some(size) => State::End(self.at + size),
                    None if wire.has_length() => State::Length(Partial::default()),
                    None => State::Number(Partial::default()),
                };
            }
            State::Length(partial) => {
                if let Some(length) = partial.add(byte)? {
                    self.state = State::End(self.at.saturating_add(usize::try_from(length).unwrap_or(usize::MAX)));
                }
            }
            State::Number(partial) => {
                if partial.add(byte)?.is_some() {
                    self.state = State::End(self.at);
                }
            }
            State::End(_) => {}
        }
        Ok(())
    }

    /// Resets the framer for another stream.
    pub fn reset(&mut self) {
        *self = Framer::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_found_however_it_arrives() {
        for message in
            [&[0x01, 0x03, 0x01, 0x00, 0x03][..], &[0x00, 0xff, 0x80, 0x00], &[0xba, 0x02], &[0x83, 0x80, 0x00, 0x81, 0x00, 0x61]]
        {
            let stream = [message, &[9, 9]].concat();
            assert_eq!(Framer::default().frame(&stream), Ok(Framed::Whole(message.len())), "{message:02x?}");
            let mut framer = Framer::default();
            for cut in 0..message.len() {
                assert!(
                    matches!(framer.frame(&message[..cut]), Ok(Framed::More(more)) if more <= message.len() - cut),
                    "{message:02x?} {cut}"
                );
            }
            assert_eq!(framer.frame(message), Ok(Framed::Whole(message.len())));
            assert_eq!(framer.frame(message), Ok(Framed::Whole(message.len())));
        }
        assert_eq!(Framer::default().frame(&[0x09]), Err(Broken::WireType));
        assert!(matches!(Framer::default().frame(&[0x03, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]), Ok(Framed::More(_))));
    }
}
