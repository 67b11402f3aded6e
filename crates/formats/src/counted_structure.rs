//! The structure of documents whose containers begin with a head that counts their entries.

use polywire_core::walk::{Shape, Step, Structure};
use polywire_core::{Error, ErrorKind, Result};

/// Contents of a head, as far as the structure goes by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Head {
    /// A list, with the number of its elements if it is counted.
    List(Option<u64>),
    /// A map, with the number of its entries if it is counted.
    Map(Option<u64>),
    /// Text of this number of bytes.
    Text(usize),
    /// The end of a container that is not counted.
    Break,
    /// Any other value.
    Other,
}

/// The heads of a format.
pub(crate) trait Heads: Send {
    /// Name of the format.
    const NAME: &'static str;

    /// Reads the head that `buf` begins with. Returns the bytes that it takes, marks before it
    /// included; `None` if more bytes are needed.
    fn head(&self, buf: &[u8]) -> Option<(usize, Head)>;

    /// Returns the number of bytes of the value of any kind that `buf` begins with.
    ///
    /// # Errors
    /// The value is malformed.
    fn skip(&self, buf: &[u8], base: u64) -> Result<Skip>;
}

/// The length of a value.
pub(crate) enum Skip {
    /// In bytes.
    All(usize),
    /// Unknown until this number of bytes has come.
    More(usize),
}

/// The structure of documents of a format with such heads.
#[derive(Debug, Default)]
pub(crate) struct Counted<H> {
    heads: H,
    levels: Vec<Level>,
}

#[derive(Debug, Clone, Copy)]
struct Level {
    is_map: bool,
    /// Number of entries to come, if they are counted.
    left: Option<u64>,
}

impl<H: Heads> Structure for Counted<H> {
    fn next<'s>(&'s mut self, buf: &'s [u8], base: u64, eof: bool) -> Result<Step<'s>> {
        let missing = |missing: usize, what: &'static str| match eof {
            true => Err(Error::truncated(base + buf.len() as u64, what).format_is(H::NAME)),
            false => Ok(Step::More(missing)),
        };
        let Some(level) = self.levels.last() else {
            return match self.heads.head(buf) {
                Some((_, head)) => Ok(Step::Value { at: 0, shape: shape(head), name: None }),
                None if buf.is_empty() && eof => Ok(Step::End),
                None => missing(1, "the head of a value"),
            };
        };
        if level.left == Some(0) {
            self.levels.pop();
            self.passed();
            return Ok(Step::Close(0));
        }
        let Some((size, head)) = self.heads.head(buf) else { return missing(1, "the head of a value") };
        if head == Head::Break {
            if level.left.is_some() {
                return Err(Error::data(ErrorKind::Syntax, base).seen("a break").expected("a value").format_is(H::NAME));
            }
            self.levels.pop();
            self.passed();
            return Ok(Step::Close(size));
        }
        if !level.is_map {
            return Ok(Step::Value { at: 0, shape: shape(head), name: None });
        }
        let (at, name) = match head {
            Head::Text(length) => match buf.get(size..size.saturating_add(length)) {
                Some(name) => (size + length, Some(name)),
                None => return missing((size.saturating_add(length)) - buf.len(), "a name"),
            },
            _ => match self.heads.skip(buf, base)? {
                Skip::All(end) if end <= buf.len() => (end, None),
                Skip::All(end) => return missing(end - buf.len(), "a key"),
                Skip::More(bytes) => return missing(bytes, "a key"),
            },
        };
        let Some((_, head)) = self.heads.head(&buf[at..]) else { return missing(1, "the head of a value") };
        Ok(Step::Value { at, shape: shape(head), name: name.map(String::from_utf8_lossy) })
    }

    fn enter(&mut self, buf: &[u8]) -> usize {
        let (size, head) = self.heads.head(buf).unwrap_or((0, Head::Other));
        let (is_map, left) = match head {
            Head::Map(left) => (true, left),
            Head::List(left) => (false, left),
            _ => (false, Some(0)),
        };
        self.levels.push(Level { is_map, left });
        size
    }

    fn passed(&mut self) {
        if let Some(Level { left: Some(left), .. }) = self.levels.last_mut() {
            *left = left.saturating_sub(1);
        }
    }
}

fn shape(head: Head) -> Shape {
    match head {
        Head::List(_) => Shape::List,
        Head::Map(_) => Shape::Named,
        _ => Shape::Scalar,
    }
}
