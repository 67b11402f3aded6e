//! Steps over values: framing, and what a sink does not want.

use std::marker::PhantomData;

use polywire_core::bytes::Input;
use polywire_core::{Error, ErrorKind, Limits, Result};

use crate::kind::Kind;
use crate::wire::Protocol;

/// Steps over one value, in as many calls as its bytes come in. Memory is bounded by the limit of
/// depth.
#[derive(Debug, Default)]
pub(crate) struct Skipper<P> {
    /// Number of bytes that were stepped over.
    pos: usize,
    levels: Vec<Level>,
    protocol: PhantomData<P>,
}

#[derive(Debug, Clone, Copy)]
enum Level {
    /// A value that is not begun.
    Value(Kind),
    /// A struct, behind the field of that number.
    Struct(i16),
    /// Elements of one type that are left.
    List(u64, Kind),
    /// Keys and values that are left.
    Map(u64, Kind, Kind),
}

/// Result of stepping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Skipped {
    /// The value ends here.
    All(usize),
    /// Bytes are missing.
    More,
}

impl<P: Protocol> Skipper<P> {
    /// Begins a value of a type at `pos`.
    pub fn start(&mut self, pos: usize, kind: Kind) {
        self.levels.clear();
        self.levels.push(Level::Value(kind));
        self.pos = pos;
    }

    /// Begins the rest of the values of a list.
    pub fn start_list(&mut self, pos: usize, left: u64, kind: Kind) {
        self.levels.clear();
        self.levels.push(Level::List(left, kind));
        self.pos = pos;
    }

    /// Begins the rest of the keys and values of a map.
    pub fn start_map(&mut self, pos: usize, left: u64, kinds: (Kind, Kind)) {
        self.levels.clear();
        self.levels.push(Level::Map(left, kinds.0, kinds.1));
        self.pos = pos;
    }

    /// Returns the number of bytes that were stepped over, up to what is wrong after an error.
    pub fn pos(&self) -> usize {
        self.pos
    }

    /// Steps on, at most `depth` containers deep.
    ///
    /// # Errors
    /// The bytes are no value.
    pub fn run(&mut self, buf: &[u8], base: u64, depth: u32) -> Result<Skipped> {
        let mut input = Input::new(buf, base);
        while let Some(level) = self.levels.pop() {
            input.seek(self.pos);
            match self.step(level, &mut input) {
                Ok(()) if self.levels.len() > depth.min(Limits::MAX_DEPTH) as usize + 1 => {
                    let error = Error::data(ErrorKind::Limit, base + self.pos as u64);
                    self.pos = input.pos();
                    return Err(error
                        .seen(format!("more than {depth} containers within each other"))
                        .expected("a value that is less deep"));
                }
                Ok(()) => self.pos = input.pos(),
                Err(error) if error.kind() == ErrorKind::Truncated => {
                    self.levels.push(level);
                    return Ok(Skipped::More);
                }
                Err(error) => {
                    self.pos = input.pos();
                    return Err(error);
                }
            }
        }
        Ok(Skipped::All(self.pos))
    }

    fn step(&mut self, level: Level, input: &mut Input<'_>) -> Result<()> {
        match level {
            Level::Value(kind) => self.value(kind, input),
            Level::Struct(last) => {
                let Some(head) = P::field(input, last)? else { return Ok(()) };
                self.levels.push(Level::Struct(head.id));
                if head.truth.is_none() {
                    self.levels.push(Level::Value(head.kind));
                }
                Ok(())
            }
            Level::List(left, kind) => match P::fixed(kind) {
                Some(size) => input.take(left.saturating_mul(size), "the elements of a list").map(|_| ()),
                None if left == 0 => Ok(()),
                None => {
                    self.levels.push(Level::List(left - 1, kind));
                    self.levels.push(Level::Value(kind));
                    Ok(())
                }
            },
            Level::Map(0, ..) => Ok(()),
            Level::Map(left, key, value) => {
                self.levels.push(Level::Map(left - 1, key, value));
                self.levels.push(Level::Value(if left.is_multiple_of(2) { key } else { value }));
                Ok(())
            }
        }
    }

    fn value(&mut self, kind: Kind, input: &mut Input<'_>) -> Result<()> {
        if let Some(size) = P::fixed(kind) {
            return input.take(size, "a value").map(|_| ());
        }
        match kind {
            Kind::String => P::bytes(input).map(|_| ()),
            Kind::Struct => {
                self.levels.push(Level::Struct(0));
                Ok(())
            }
            Kind::List | Kind::Set => {
                let head = P::list(input)?;
                if let Some(kind) = head.kind {
                    self.levels.push(Level::List(head.count, kind));
                }
                Ok(())
            }
            Kind::Map => {
                let head = P::map(input)?;
                if let Some((key, value)) = head.kinds {
                    self.levels.push(Level::Map(head.count * 2, key, value));
                }
                Ok(())
            }
            other => P::int(input, other).map(|_| ()),
        }
    }
}
