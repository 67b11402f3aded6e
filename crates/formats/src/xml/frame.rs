//! Framing: finds the end of a document and the start of the next one, without decoding or checking
//! them.

use memchr::{memchr, memchr2, memchr3, memmem};
use polywire_core::Frame;

use super::chars::{is_space, may_start_name, skip_space};
use super::encoding::{self, UTF8_MARK};

/// Scans a stream of documents for their ends, and remembers its position.
///
/// Comments, instructions and white space between two documents belong to the second one, as its
/// prolog; at the end of the stream they belong to the first. So a document is handed over when the
/// next one starts, or the stream ends.
///
/// Encodings whose markup can't be found without decoding them, such as UTF-16, have one document
/// per stream.
#[derive(Debug, Default)]
pub struct Framer {
    /// Offset in the buffer of the first byte not scanned.
    at: usize,
    /// Offset of the first byte that is no white space.
    start: usize,
    state: State,
    /// Number of open elements.
    depth: usize,
    /// Offset after the root element, once it has ended.
    root_end: Option<usize>,
    /// Offset after the last comment or instruction that followed it.
    end: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    /// At the start of the stream or of a document.
    #[default]
    Start,
    /// After white space only; the encoding is not known yet.
    Encoding,
    /// The whole stream is one document.
    Whole,
    Text,
    /// In a tag, with the quote if in a quoted value.
    Tag(Option<u8>),
    EndTag,
    Section,
    /// In a comment or instruction; true if it stands in a document type declaration.
    Comment(bool),
    Instruction(bool),
    /// In a document type declaration, with the quote if in a quoted literal.
    Doctype(Option<u8>),
    Subset,
    /// In a declaration of the internal subset, with the quote if in a quoted literal.
    Declaration(Option<u8>),
}

impl Framer {
    /// Returns the first document in `buf`; `first` is true at the start of the stream.
    pub fn next(&mut self, buf: &[u8], first: bool, eof: bool) -> Frame {
        match self.scan(buf, first, eof) {
            Some(end) => {
                let start = self.start;
                *self = Framer::default();
                Frame::Message { start, end }
            }
            None if !eof => Frame::More(1),
            None => {
                // An unfinished document is handed over as it is.
                let (start, end) = (self.start, self.root_end.map_or(buf.len(), |_| self.end));
                let blank = skip_space(buf, start) == buf.len();
                *self = Framer::default();
                if blank { Frame::End } else { Frame::Message { start, end } }
            }
        }
    }

    /// Returns the end of the document, if it is in `buf`.
    fn scan(&mut self, buf: &[u8], first: bool, eof: bool) -> Option<usize> {
        loop {
            let rest = &buf[self.at.min(buf.len())..];
            match self.state {
                State::Start => {
                    self.start = skip_space(buf, self.at);
                    self.at = self.start;
                    if self.start == buf.len() {
                        return None;
                    }
                    // White space before the declaration of the first document is a mistake, which
                    // the walk reports.
                    if first && self.start > 0 && is_declaration(&buf[self.start..], eof)? {
                        self.start = 0;
                    }
                    self.state = State::Encoding;
                }
                State::Encoding => {
                    let open = rest.len() < 4 || encoding::declaration_is_open(rest);
                    if open && !eof {
                        return None;
                    }
                    self.state = match encoding::detect(rest, 0) {
                        Ok((charset, _)) if !charset.shows_markup() => State::Whole,
                        // The walk reports the error in it.
                        Err(_) if rest.starts_with(&[0]) || rest.get(1) == Some(&0) => State::Whole,
                        _ => State::Text,
                    };
                    if rest.starts_with(UTF8_MARK) {
                        self.at += UTF8_MARK.len();
                    }
                }
                State::Whole => {
                    self.at = buf.len();
                    return None;
                }
                State::Text => match self.text(buf, eof) {
                    Some(Found::Document(end)) => return Some(end),
                    Some(Found::Markup) => {}
                    None => return None,
                },
                State::Tag(None) => match memchr3(b'>', b'"', b'\'', rest) {
                    Some(n) if rest[n] == b'>' => {
                        let gt = self.at + n;
                        self.at = gt + 1;
                        self.state = State::Text;
                        if buf[gt - 1] != b'/' {
                            self.depth += 1;
                        } else if self.depth == 0 {
                            self.root_ends();
                        }
                    }
                    Some(n) => self.go(n + 1, State::Tag(Some(rest[n]))),
                    None => return self.wait(buf, 0),
                },
                State::Tag(Some(quote)) => match memchr(quote, rest) {
                    Some(n) => self.go(n + 1, State::Tag(None)),
                    None => return self.wait(buf, 0),
                },
                State::EndTag => match memchr(b'>', rest) {
                    Some(n) => {
                        self.go(n + 1, State::Text);
                        self.depth = self.depth.saturating_sub(1);
                        if self.depth == 0 {
                            self.root_ends();
                        }
                    }
                    None => return self.wait(buf, 0),
                },
                State::Section => match memmem::find(rest, b"]]>") {
                    Some(n) => self.go(n + 3, State::Text),
                    None => return self.wait(buf, 2),
                },
                State::Comment(inner) => match memmem::find(rest, b"-->") {
                    Some(n) => self.leave(n + 3, inner),
                    None => return self.wait(buf, 2),
                },
                State::Instruction(inner) => match memmem::find(rest, b"?>") {
                    Some(n) => self.leave(n + 2, inner),
                    None => return self.wait(buf, 1),
                },
                State::Doctype(None) => match rest.iter().position(|byte| matches!(byte, b'>' | b'[' | b'"' | b'\'')) {
                    Some(n) => self.go(
                        n + 1,
                        match rest[n] {
                            b'>' => State::Text,
                            b'[' => State::Subset,
                            quote => State::Doctype(Some(quote)),
                        },
                    ),
                    None => return self.wait(buf, 0),
                },
                State::Doctype(Some(quote)) => match memchr(quote, rest) {
                    Some(n) => self.go(n + 1, State::Doctype(None)),
                    None => return self.wait(buf, 0),
                },
                State::Subset => match memchr2(b']', b'<', rest) {
                    Some(n) if rest[n] == b']' => self.go(n + 1, State::Doctype(None)),
                    Some(n) => match Markup::at(&rest[n..], eof) {
                        Some(Markup::Comment) => self.go(n + 4, State::Comment(true)),
                        Some(Markup::Instruction) => self.go(n + 2, State::Instruction(true)),
                        Some(_) => self.go(n + 1, State::Declaration(None)),
                        None => return self.wait(buf, rest.len() - n),
                    },
                    None => return self.wait(buf, 0),
                },
                State::Declaration(None) => match memchr3(b'>', b'"', b'\'', rest) {
                    Some(n) if rest[n] == b'>' => self.go(n + 1, State::Subset),
                    Some(n) => self.go(n + 1, State::Declaration(Some(rest[n]))),
                    None => return self.wait(buf, 0),
                },
                State::Declaration(Some(quote)) => match memchr(quote, rest) {
                    Some(n) => self.go(n + 1, State::Declaration(None)),
                    None => return self.wait(buf, 0),
                },
            }
        }
    }

    fn go(&mut self, bytes: usize, state: State) {
        self.at += bytes;
        self.state = state;
    }

    /// Notes that everything but the last `keep` bytes has been scanned.
    fn wait(&mut self, buf: &[u8], keep: usize) -> Option<usize> {
        self.at = self.at.max(buf.len().saturating_sub(keep));
        None
    }

    fn root_ends(&mut self) {
        self.root_end = Some(self.at);
        self.end = self.at;
    }

    /// Leaves a comment or an instruction.
    fn leave(&mut self, bytes: usize, inner: bool) {
        self.go(bytes, if inner { State::Subset } else { State::Text });
        self.end = self.at;
    }

    /// Scans between pieces of markup.
    fn text(&mut self, buf: &[u8], eof: bool) -> Option<Found> {
        if let Some(root_end) = self.root_end {
            self.at = skip_space(buf, self.at);
            if self.at == buf.len() {
                return None;
            }
            let rest = &buf[self.at..];
            return match Markup::at(rest, eof) {
                None => None,
                Some(Markup::Comment) => self.found(4, State::Comment(false)),
                Some(Markup::Instruction) if !is_declaration(rest, eof)? => self.found(2, State::Instruction(false)),
                Some(_) => Some(Found::Document(root_end)),
            };
        }
        let Some(n) = memchr(b'<', &buf[self.at..]) else {
            self.wait(buf, 0);
            return None;
        };
        self.at += n;
        match Markup::at(&buf[self.at..], eof)? {
            Markup::Comment => self.found(4, State::Comment(false)),
            Markup::Instruction => self.found(2, State::Instruction(false)),
            Markup::Section => self.found(9, State::Section),
            Markup::Doctype => self.found(9, State::Doctype(None)),
            Markup::Start | Markup::Other => self.found(1, State::Tag(None)),
            Markup::End => self.found(2, State::EndTag),
        }
    }

    fn found(&mut self, bytes: usize, state: State) -> Option<Found> {
        self.go(bytes, state);
        Some(Found::Markup)
    }
}

enum Found {
    /// The end of a document, at this offset.
    Document(usize),
    /// Markup of the same document.
    Markup,
}

/// The kind of markup that starts with a `<`.
pub(super) enum Markup {
    Comment,
    Instruction,
    Section,
    Doctype,
    End,
    Start,
    Other,
}

impl Markup {
    /// Returns the kind of markup that `rest` starts with, or `None` if that needs more bytes.
    pub(super) fn at(rest: &[u8], eof: bool) -> Option<Markup> {
        let known = [(&b"<!--"[..], Markup::Comment), (b"<![CDATA[", Markup::Section), (b"<!DOCTYPE", Markup::Doctype)];
        for (start, markup) in known {
            if rest.starts_with(start) {
                return Some(markup);
            }
            if start.starts_with(rest) && !eof {
                return None;
            }
        }
        match rest {
            [b'<', b'?', ..] => Some(Markup::Instruction),
            [b'<', b'/', ..] => Some(Markup::End),
            [b'<', byte, ..] if may_start_name(*byte) => Some(Markup::Start),
            _ => Some(Markup::Other),
        }
    }
}

/// Reports whether the instruction that `rest` starts with is an XML declaration, and so starts a
/// document.
fn is_declaration(rest: &[u8], eof: bool) -> Option<bool> {
    const START: &[u8] = b"<?xml";
    if START.starts_with(rest) && !eof {
        return None;
    }
    if !rest.starts_with(START) {
        return Some(false);
    }
    match rest.get(START.len()) {
        None if !eof => None,
        byte => Some(byte.copied().is_some_and(is_space)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames a stream that arrives in pieces of `step` bytes.
    fn documents(stream: &[u8], step: usize) -> Vec<&[u8]> {
        let mut framer = Framer::default();
        let (mut start, mut end, mut found) = (0, 0, Vec::new());
        loop {
            match framer.next(&stream[start..end], start == 0, end == stream.len()) {
                Frame::Message { start: from, end: to } => {
                    found.push(&stream[start + from..start + to]);
                    start += to;
                }
                Frame::More(_) => end = (end + step).min(stream.len()),
                Frame::Between(_) => panic!("every byte belongs to a document"),
                Frame::End => return found,
            }
        }
    }

    #[test]
    fn documents_are_told_apart_however_the_stream_is_cut() {
        let doctype = "<?xml version='1.0'?><!DOCTYPE a [<!-- ]> ' --><!ENTITY e \"]>'\"><?p ]> ?>]>\n<a b='>' c=\"</a>\"><!-- </a> --><![CDATA[</a>]]><a/></a>";
        for wanted in [
            vec!["<a/>", "<b>x</b>", "<c><c/></c>"],
            vec![doctype, "<!-- of b -->\n<b/>", "<?p?><c></c>\n<!-- of c, at the end -->"],
            vec!["\u{feff}<a/>", "<?xml version='1.0' encoding='iso-8859-1'?><b/>"],
            vec!["</a>", "<b/>"],
            vec![],
        ] {
            for separator in ["", "\n", " \r\n\t"] {
                let stream = wanted.join(separator) + separator;
                for step in 1..=stream.len().max(1) {
                    assert_eq!(
                        documents(stream.as_bytes(), step),
                        wanted.iter().map(|text| text.as_bytes()).collect::<Vec<_>>(),
                        "{stream}: {step}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_unfinished_is_handed_over_at_the_end() {
        for stream in ["<a>", "text", "<a", "<!-- a", "<?xml", "<!DOCTYPE a [", "<a><![CDATA[", "<"] {
            for step in 1..=stream.len() {
                assert_eq!(documents(stream.as_bytes(), step), [stream.as_bytes()]);
            }
        }
        assert_eq!(documents(b"<a/><!-- b", 1), [&b"<a/>"[..], b"<!-- b"]);
    }

    #[test]
    fn a_stream_in_utf_16_is_one_document() {
        let stream: Vec<u8> = "\u{feff}<a/>\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        for step in [1, 3, 100] {
            assert_eq!(documents(&stream, step), [&stream[..]]);
        }
    }
}
