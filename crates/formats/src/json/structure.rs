//! The structure of a JSON text: containers, names, and where values start.

use std::borrow::Cow;

use polywire_core::walk::{Shape, Step, Structure};
use polywire_core::{Error, ErrorKind, Result};
use polywire_json::cursor::{Cursor, Text};
use polywire_json::frame::BOM;
use polywire_json::string::plain_end;

/// The structure of JSON texts, one after the other.
#[derive(Debug, Default)]
pub(crate) struct JsonStructure {
    levels: Vec<Level>,
    scratch: String,
}

#[derive(Debug, Clone, Copy)]
struct Level {
    is_object: bool,
    /// True if an entry came before.
    behind: bool,
}

impl Structure for JsonStructure {
    fn next<'s>(&'s mut self, buf: &'s [u8], base: u64, eof: bool) -> Result<Step<'s>> {
        let white = |mut at: usize| {
            while buf.get(at).is_some_and(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t')) {
                at += 1;
            }
            at
        };
        let missing = |what: &'static str| match eof {
            true => Err(Error::truncated(base + buf.len() as u64, what).format_is("json")),
            false => Ok(Step::More(1)),
        };
        let wrong = |at: usize, expected: &'static str| {
            let seen = char_at(buf, at).map_or_else(|| format!("byte 0x{:02x}", buf[at]), |char| format!("{char:?}"));
            Err(Error::data(ErrorKind::Syntax, base + at as u64).seen(seen).expected(expected).format_is("json"))
        };
        let Some(level) = self.levels.last_mut() else {
            if base == 0 && buf.len() < BOM.len() && BOM.starts_with(buf) && !eof {
                return Ok(Step::More(1));
            }
            let at = white(if base == 0 && buf.starts_with(BOM) { BOM.len() } else { 0 });
            return match buf.get(at) {
                Some(byte) => Ok(Step::Value { at, shape: shape(*byte), name: None }),
                None if eof => Ok(Step::End),
                None => Ok(Step::More(1)),
            };
        };
        let end = if level.is_object { b'}' } else { b']' };
        let mut at = white(0);
        match buf.get(at) {
            None => return missing(if level.is_object { "',' or '}'" } else { "',' or ']'" }),
            Some(byte) if *byte == end => {
                self.levels.pop();
                self.passed();
                return Ok(Step::Close(at + 1));
            }
            Some(b',') if level.behind => at = white(at + 1),
            Some(_) if level.behind => return wrong(at, if level.is_object { "',' or '}'" } else { "',' or ']'" }),
            Some(_) => {}
        }
        if !level.is_object {
            return match buf.get(at) {
                None => missing("a value"),
                Some(b']' | b'}' | b',' | b':') => wrong(at, "a value"),
                Some(byte) => Ok(Step::Value { at, shape: shape(*byte), name: None }),
            };
        }
        match buf.get(at) {
            None => return missing("a name"),
            Some(b'"') => {}
            Some(_) => return wrong(at, "a name in quotes"),
        }
        let Some(behind) = string_end(buf, at + 1) else { return missing("the end of a name") };
        let colon = white(behind);
        match buf.get(colon) {
            None => return missing("':'"),
            Some(b':') => {}
            Some(_) => return wrong(colon, "':'"),
        }
        let value = white(colon + 1);
        let Some(first) = buf.get(value) else { return missing("a value") };
        if matches!(first, b']' | b'}' | b',' | b':') {
            return wrong(value, "a value");
        }
        let name = match std::str::from_utf8(&buf[at..behind]) {
            Ok(text) => match (Cursor { text, at: 1 }).string(&mut self.scratch) {
                Ok(Text::Plain(name)) => Cow::Borrowed(name),
                Ok(Text::Unescaped) => Cow::Borrowed(self.scratch.as_str()),
                Err(mistake) => return wrong(at + mistake.at.min(behind - at - 1), "a name"),
            },
            Err(error) => return wrong(at + error.valid_up_to(), "UTF-8 text"),
        };
        Ok(Step::Value { at: value, shape: shape(*first), name: Some(name) })
    }

    fn enter(&mut self, buf: &[u8]) -> usize {
        self.levels.push(Level { is_object: buf.first() == Some(&b'{'), behind: false });
        1
    }

    fn passed(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            level.behind = true;
        }
    }
}

fn shape(first: u8) -> Shape {
    match first {
        b'{' => Shape::Named,
        b'[' => Shape::List,
        _ => Shape::Scalar,
    }
}

/// Returns the offset behind the closing quote of the string whose contents begin at `at`.
fn string_end(buf: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at = plain_end(buf, at);
        match buf.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            // A control character, which is refused with the name.
            _ => at += 1,
        }
        if at > buf.len() {
            return None;
        }
    }
}

fn char_at(buf: &[u8], at: usize) -> Option<char> {
    let end = (at + 4).min(buf.len());
    buf[at..end].utf8_chunks().next()?.valid().chars().next()
}
