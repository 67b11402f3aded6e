//! Steps over values: framing, and what a sink does not want.

use polywire_core::bytes::Input;
use polywire_core::{Error, ErrorKind, Limits, Result};

use crate::wire::{self, Head, NONE, wrong};

/// Steps over messages and values, in as many calls as their bytes come in.
#[derive(Debug, Default)]
pub(crate) struct Skipper {
    pos: usize,
    levels: Vec<Level>,
}

#[derive(Debug, Clone, Copy)]
enum Level {
    Message,
    Value,
    /// Fields that are left.
    Fields(u32),
    /// Elements that are left.
    Elements(u32),
}

impl Skipper {
    /// Begins a message at `pos`.
    pub fn message(&mut self, pos: usize) {
        self.start(pos, Level::Message);
    }

    /// Begins a value at `pos`.
    pub fn value(&mut self, pos: usize) {
        self.start(pos, Level::Value);
    }

    /// Begins the rest of the fields of a structure.
    pub fn fields(&mut self, pos: usize, left: u32) {
        self.start(pos, Level::Fields(left));
    }

    /// Begins the rest of the elements of an array.
    pub fn elements(&mut self, pos: usize, left: u32) {
        self.start(pos, Level::Elements(left));
    }

    fn start(&mut self, pos: usize, level: Level) {
        self.levels.clear();
        self.levels.push(level);
        self.pos = pos;
    }

    /// Returns the number of bytes that were stepped over, up to what is wrong after an error.
    pub fn pos(&self) -> usize {
        self.pos
    }

    /// Steps on to the end, at most `depth` containers deep.
    ///
    /// # Errors
    /// Bytes are missing, and can be given again with more; or they are wrong.
    pub fn run(&mut self, buf: &[u8], base: u64, depth: u32) -> Result<usize> {
        let mut input = Input::new(buf, base);
        while let Some(level) = self.levels.pop() {
            input.seek(self.pos);
            let step = self.step(level, &mut input);
            if self.levels.len() > depth.min(Limits::MAX_DEPTH) as usize + 2 {
                let error = Error::data(ErrorKind::Limit, base + self.pos as u64);
                self.pos = input.pos();
                return Err(error.seen(format!("more than {depth} containers within each other")).expected("a value that is less deep"));
            }
            if let Err(error) = step {
                if error.kind() == ErrorKind::Truncated {
                    self.levels.push(level);
                } else {
                    self.pos = input.pos();
                }
                return Err(error);
            }
            self.pos = input.pos();
        }
        Ok(self.pos)
    }

    fn step(&mut self, level: Level, input: &mut Input<'_>) -> Result<()> {
        match level {
            Level::Message => {
                let (_, count) = wire::message(input)?;
                self.levels.push(Level::Fields(count));
            }
            Level::Fields(left) => {
                if more(input, left, "fields")? {
                    wire::name(input)?;
                    self.levels.extend([Level::Fields(left - 1), Level::Value]);
                }
            }
            Level::Elements(left) => {
                if more(input, left, "elements")? {
                    self.levels.extend([Level::Elements(left - 1), Level::Value]);
                }
            }
            Level::Value => {
                let at = input.offset();
                match wire::head(input)? {
                    Head::None => return Err(no_value(at)),
                    Head::Array(.., count) => self.levels.push(Level::Elements(count)),
                    Head::Struct(_, count) => self.levels.push(Level::Fields(count)),
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

/// Reads the end of a structure or an array, if it is there; holds that it is there if none is
/// left. Returns whether another one follows.
pub(crate) fn more(input: &mut Input<'_>, left: u32, what: &'static str) -> Result<bool> {
    let at = input.offset();
    match input.peek() {
        Some(NONE) if left == 0 => input.u8("81").map(|_| false),
        Some(NONE) => Err(wrong(at, format!("81, an end where {left} {what} are left")).expected("as many as the count says")),
        Some(code) if left == 0 => Err(wrong(at, format!("the type code 0x{code:02x}")).expected(format!("81, the end of the {what}"))),
        Some(_) => Ok(true),
        None => input.u8("the end of a structure or an array").map(|_| true),
    }
}

/// Returns the error of an end where a value belongs.
#[cold]
pub(crate) fn no_value(at: u64) -> Error {
    wrong(at, "81, an end").expected("a value")
}
