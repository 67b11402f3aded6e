//! The ends of messages: values follow each other with white space or commas between.

use polywire_core::Frame;

/// A scan for the end of a message that goes on where it stopped.
#[derive(Debug, Default)]
pub(super) struct Framer {
    /// Offset of the first byte that was not looked at.
    at: usize,
    /// Offset of the message's first byte.
    start: Option<usize>,
    /// Offset after the value, if it seems to be whole.
    end: Option<usize>,
    within: Within,
    /// Open brackets.
    depth: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Within {
    /// White space, or a comma or bracket was last.
    #[default]
    Space,
    /// A number, a name, or what is next to a string.
    Token,
    /// A `+` was last: the value goes on.
    Sum,
    Quotes(u8),
    /// In quotes, behind a backslash.
    Escape(u8),
    Comment,
    Line,
}

impl Framer {
    pub(super) fn frame(&mut self, buf: &[u8], eof: bool) -> Frame {
        while let Some(&byte) = buf.get(self.at) {
            let at = self.at;
            match self.within {
                Within::Quotes(quote) => match byte {
                    b'\\' => self.within = Within::Escape(quote),
                    _ if byte == quote => self.within = Within::Token,
                    _ => {}
                },
                Within::Escape(quote) => self.within = Within::Quotes(quote),
                Within::Comment if byte == b'/' => self.within = Within::Space,
                Within::Line if byte == b'\n' => self.within = Within::Space,
                Within::Comment | Within::Line => {}
                Within::Space | Within::Token | Within::Sum => {
                    let is_space = matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
                    let is_comment = matches!(byte, b'/' | b'#');
                    if self.depth == 0 && self.within == Within::Token && (is_space || is_comment || byte == b',') {
                        self.end.get_or_insert(at);
                    }
                    if let Some(end) = self.end
                        && !is_space
                        && !is_comment
                    {
                        // A comma ends the message with the comments before it.
                        match byte {
                            b'+' => self.end = None,
                            b',' => return self.message(at),
                            _ => return self.message(end),
                        }
                    }
                    if !(is_space || byte == b',' && self.start.is_none()) {
                        self.start.get_or_insert(at);
                    }
                    match byte {
                        _ if is_space => self.within = if self.within == Within::Sum { Within::Sum } else { Within::Space },
                        b'/' => self.within = Within::Comment,
                        b'#' => self.within = Within::Line,
                        b'"' | b'\'' => self.within = Within::Quotes(byte),
                        b',' => self.within = Within::Space,
                        b'+' => self.within = Within::Sum,
                        b'(' | b'[' | b'{' | b'<' => {
                            self.depth += 1;
                            self.within = Within::Space;
                        }
                        b')' | b']' | b'}' | b'>' => {
                            if self.depth == 0 {
                                // The walk reports it.
                                return self.message(at + 1);
                            }
                            self.depth -= 1;
                            self.within = Within::Token;
                        }
                        _ => self.within = Within::Token,
                    }
                }
            }
            self.at += 1;
        }
        match (eof, self.start) {
            (false, _) => Frame::More(1),
            (true, None) => Frame::End,
            (true, Some(_)) => self.message(buf.len()),
        }
    }

    fn message(&mut self, end: usize) -> Frame {
        let start = self.start.unwrap_or(end);
        *self = Framer::default();
        Frame::Message { start, end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_apart_by_white_space_or_commas() {
        let text = "1, [2,\n3] {\"a\": 'b c'}\n/x, y/ h'01' + \n 'x' # end, of it\n, 1(2) <<1, 2>> (_ \"a\", \"b\") \"\\\"\" /last/";
        for cut in [1, 3, text.len()] {
            let (mut framer, mut found, mut start, mut end) = (Framer::default(), Vec::new(), 0, cut.min(text.len()));
            loop {
                match framer.frame(&text.as_bytes()[start..end], end == text.len()) {
                    Frame::Message { start: from, end: to } => {
                        found.push(&text[start + from..start + to]);
                        start += to;
                    }
                    Frame::More(_) => end = (end + cut).min(text.len()),
                    Frame::Between(_) | Frame::End => break,
                }
            }
            assert_eq!(
                found,
                [
                    "1",
                    "[2,\n3]",
                    "{\"a\": 'b c'}",
                    "/x, y/ h'01' + \n 'x' # end, of it\n",
                    "1(2)",
                    "<<1, 2>>",
                    "(_ \"a\", \"b\")",
                    "\"\\\"\" /last/"
                ]
            );
        }
    }
}
