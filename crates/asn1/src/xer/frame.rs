//! Where a document ends in a stream: behind the end tag of its first element.

use polywire_core::Frame;

/// Byte order mark of UTF-8.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Search for the end of the first document, which resumes when more bytes have come. Offsets count
/// from the start of the buffer.
#[derive(Debug, Default)]
pub(crate) struct Framer {
    start: usize,
    at: usize,
    depth: u64,
    /// True if something other than white space came.
    begun: bool,
}

impl Framer {
    /// Finds the first document in `buf`. `first` means that `buf` is the start of the stream.
    pub fn frame(&mut self, buf: &[u8], first: bool, eof: bool) -> Frame {
        match self.end(buf, first, eof) {
            Some(end) => {
                let start = self.start;
                *self = Framer::default();
                Frame::Message { start, end }
            }
            None if !eof => Frame::More(1),
            None if !self.begun => {
                *self = Framer::default();
                Frame::End
            }
            None => {
                let start = self.start;
                *self = Framer::default();
                Frame::Message { start, end: buf.len() }
            }
        }
    }

    fn end(&mut self, buf: &[u8], first: bool, eof: bool) -> Option<usize> {
        if !self.begun {
            if first && self.at == 0 {
                if BOM.starts_with(&buf[..buf.len().min(BOM.len())]) && buf.len() < BOM.len() && !eof {
                    return None;
                }
                self.at = if buf.starts_with(BOM) { BOM.len() } else { 0 };
            }
            self.at += buf[self.at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
            self.start = self.at;
            self.begun = self.at < buf.len();
        }
        loop {
            self.at += buf[self.at..].iter().position(|byte| *byte == b'<').unwrap_or(buf.len() - self.at);
            let rest = &buf[self.at..];
            // Whole, so that a start which is cut is looked at again.
            let end = if rest.starts_with(b"<!--") {
                find(rest, 4, b"-->")?
            } else if rest.starts_with(b"<![CDATA[") {
                find(rest, 9, b"]]>")?
            } else if rest.starts_with(b"<?") {
                find(rest, 2, b"?>")?
            } else if rest.len() < 9 && b"<![CDATA[".starts_with(rest) || rest.len() < 4 && b"<!--".starts_with(rest) {
                return None;
            } else {
                let end = find(rest, 1, b">")?;
                let tag = &rest[..end];
                if tag.starts_with(b"</") {
                    self.depth = self.depth.saturating_sub(1);
                } else if !tag.ends_with(b"/>") && !tag.starts_with(b"<!") {
                    self.depth += 1;
                }
                if self.depth == 0 && !tag.starts_with(b"<!") {
                    return Some(self.at + end);
                }
                end
            };
            self.at += end;
        }
    }
}

/// Returns the offset behind the first `mark`, from `from` on.
fn find(bytes: &[u8], from: usize, mark: &[u8]) -> Option<usize> {
    bytes.get(from..)?.windows(mark.len()).position(|window| window == mark).map(|found| from + found + mark.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the documents of a stream that arrives at once, or byte by byte.
    fn frames(text: &[u8], at_once: bool) -> Vec<&[u8]> {
        let (mut framer, mut found) = (Framer::default(), Vec::new());
        let (mut from, mut seen) = (0, if at_once { text.len() } else { 0 });
        loop {
            match framer.frame(&text[from..seen], from == 0, seen == text.len()) {
                Frame::Message { start, end } => {
                    found.push(&text[from + start..from + end]);
                    from += end;
                }
                Frame::More(_) => seen += 1,
                Frame::Between(_) => panic!("every byte belongs to a message"),
                Frame::End => return found,
            }
        }
    }

    #[test]
    fn documents_end_where_they_end_however_the_stream_is_cut() {
        let text = b"\xef\xbb\xbf <?xml version=\"1.0\"?>\n<!-- <a> --><a><b/>x<![CDATA[</a>]]></a>\n<c/><d></d></e><f>un";
        let documents: [&[u8]; 5] =
            [b"<?xml version=\"1.0\"?>\n<!-- <a> --><a><b/>x<![CDATA[</a>]]></a>", b"<c/>", b"<d></d>", b"</e>", b"<f>un"];
        assert_eq!(frames(text, true), documents);
        assert_eq!(frames(text, false), documents);
        assert!(frames(b" \n ", false).is_empty());
    }
}
