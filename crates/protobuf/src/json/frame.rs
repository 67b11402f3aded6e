//! Where the JSON text of a message ends.

use polywire_core::read::Frame;

/// Finds objects, and other values up to white space, in a stream. It remembers how far it looked, so that the time is linear in the stream's length.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Framer {
    /// How far it looked, from the start of the message.
    at: usize,
    /// Containers that are open.
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Framer {
    pub(super) fn next(&mut self, buf: &[u8], eof: bool) -> Frame {
        let white = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        let Some(start) = buf.iter().position(|byte| !white(byte)) else {
            return if eof { Frame::End } else { Frame::More(1) };
        };
        for (n, byte) in buf.iter().enumerate().skip(self.at.max(start)) {
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => continue,
                }
                if !self.in_string && self.depth == 0 {
                    return self.found(start, n + 1);
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return self.found(start, n + 1);
                    }
                }
                byte if self.depth == 0 && white(byte) => return self.found(start, n),
                _ => {}
            }
        }
        if eof {
            return self.found(start, buf.len());
        }
        self.at = buf.len();
        Frame::More(1)
    }

    fn found(&mut self, start: usize, end: usize) -> Frame {
        *self = Framer::default();
        Frame::Message { start, end }
    }
}
