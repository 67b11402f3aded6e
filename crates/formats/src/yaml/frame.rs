//! Framing: a document ends at a `---` or `...` at the start of a line (YAML 1.2.2 section 9.1).
//! Text cannot contain these marks there.

use polywire_core::Frame;

/// The byte order mark, which may precede each document (YAML 1.2.2 section 5.2).
pub const BOM: &[u8] = b"\xef\xbb\xbf";

/// State of the search for the end of the first document. Offsets count from the start of the
/// buffer.
#[derive(Debug, Default)]
pub struct Framer {
    /// Start of the current line.
    line: usize,
    /// No end lies before this offset in that line.
    searched: usize,
    /// Offset of the first byte that is not blank.
    start: Option<usize>,
    stage: Stage,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Before the document: blank lines, comments and `...`.
    #[default]
    Before,
    /// Directives, which belong to the document that follows.
    Directives,
    /// In the document.
    Inside,
    /// After `...`: comments still belong to the document.
    Ended,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Blank,
    Comment,
    Directive,
    Start,
    End,
    Content,
}

impl Framer {
    /// Finds the first document in `buf`.
    pub fn frame(&mut self, buf: &[u8], eof: bool) -> Frame {
        loop {
            let found = memchr::memchr2(b'\n', b'\r', &buf[self.searched..]);
            let end = match found {
                Some(len) => self.searched + len + 1,
                None if eof && self.line < buf.len() => buf.len(),
                None if eof => {
                    let start = self.start;
                    let stage = self.stage;
                    *self = Framer::default();
                    return match (stage, start) {
                        (Stage::Before, _) | (_, None) => Frame::End,
                        (_, Some(start)) => Frame::Message { start, end: buf.len() },
                    };
                }
                None => {
                    self.searched = buf.len();
                    return Frame::More(1);
                }
            };
            let line = classify(&buf[self.line..end]);
            let ends = match (self.stage, line) {
                (Stage::Inside, Line::Start) => true,
                (Stage::Ended, line) => matches!(line, Line::Start | Line::Directive | Line::Content),
                _ => false,
            };
            if ends && let Some(start) = self.start {
                let end = self.line;
                *self = Framer::default();
                return Frame::Message { start, end };
            }
            if line != Line::Blank {
                self.start.get_or_insert(self.line);
            }
            self.stage = match (self.stage, line) {
                (stage, Line::Blank | Line::Comment) => stage,
                (Stage::Before | Stage::Directives, Line::Directive) => Stage::Directives,
                (Stage::Before, Line::End) => Stage::Before,
                (_, Line::End) => Stage::Ended,
                _ => Stage::Inside,
            };
            self.line = end;
            self.searched = end;
        }
    }
}

fn classify(line: &[u8]) -> Line {
    let line = line.strip_prefix(BOM).unwrap_or(line);
    let is_mark =
        |mark: &[u8]| line.strip_prefix(mark).is_some_and(|rest| matches!(rest.first(), None | Some(b' ' | b'\t' | b'\n' | b'\r')));
    match line.trim_ascii_start().first() {
        None => Line::Blank,
        Some(b'#') => Line::Comment,
        _ if is_mark(b"---") => Line::Start,
        _ if is_mark(b"...") => Line::End,
        _ if line.first() == Some(&b'%') => Line::Directive,
        _ => Line::Content,
    }
}
