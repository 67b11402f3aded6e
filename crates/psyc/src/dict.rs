//! Dicts (sections 5.2, 8 and 11.5).

use memchr::memchr;

use crate::element::{self, Bad};
use crate::list::{Element, Fault};
use crate::packet::Sizing;
use crate::wire::keyword_len;

/// Starts a key, and ends the value before it.
pub const KEY_START: u8 = b'{';
/// Ends a key.
pub const KEY_END: u8 = b'}';

/// What one call of [`Dict::step`] delivers, numbered as in section 8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// The value ends inside a key or a value.
    More,
    /// The type of values without one of their own.
    Default(&'a [u8]),
    /// The part of a sized key that is there.
    KeyPart(&'a [u8]),
    /// A key.
    Key(&'a [u8]),
    /// The part of a sized value that is there.
    Part(Element<'a>),
    /// A value.
    Value(Element<'a>),
    /// A value that ends with the dict.
    Last(Element<'a>),
    /// Nothing is left but, perhaps, a default type alone.
    End(&'a [u8]),
}

/// Reads the keys and values of a dict whose value is whole. The numbers of its faults are those of section 8.
#[derive(Debug, Clone)]
pub struct Dict<'a> {
    value: &'a [u8],
    at: usize,
    /// A key was delivered, and its end mark was not read yet.
    value_due: bool,
}

/// A key behind its brace.
pub(crate) struct Key {
    pub start: usize,
    pub end: usize,
}

/// The key that starts at `at`, behind its brace.
pub(crate) fn key(bytes: &[u8], at: usize) -> Result<Key, Bad> {
    match bytes.get(at) {
        None => Err(Bad::More),
        Some(b'0'..=b'9') => {
            let (size, start) = element::size(bytes, at)?;
            if start == bytes.len() {
                return Err(Bad::More);
            }
            Ok(Key { start, end: element::octets(bytes, start, size)? })
        }
        Some(_) => match memchr(KEY_END, &bytes[at..]) {
            Some(found) => Ok(Key { start: at, end: at + found }),
            None => Err(Bad::More),
        },
    }
}

impl<'a> Dict<'a> {
    /// The dict that `value` is.
    pub fn new(value: &'a [u8]) -> Dict<'a> {
        Dict { value, at: 0, value_due: false }
    }

    /// The next thing in it.
    pub fn step(&mut self) -> Result<Step<'a>, Fault> {
        if self.value_due {
            return self.value();
        }
        if self.at == 0 {
            let len = keyword_len(self.value);
            self.at = len;
            if len == self.value.len() {
                return Ok(Step::End(self.value));
            }
            if len > 0 {
                return Ok(Step::Default(&self.value[..len]));
            }
        }
        match self.value.get(self.at) {
            None => return Ok(Step::End(b"")),
            Some(&KEY_START) => {}
            Some(_) => return Err(Fault { number: -3, at: self.at }),
        }
        match key(self.value, self.at + 1) {
            Ok(Key { start, end }) => {
                self.at = end;
                self.value_due = true;
                Ok(Step::Key(&self.value[start..end]))
            }
            Err(Bad::More) => Ok(Step::More),
            Err(Bad::Part(at)) => Ok(Step::KeyPart(&self.value[at..])),
            Err(Bad::Kind(at) | Bad::Length(at)) => Err(Fault { number: -4, at }),
        }
    }

    fn value(&mut self) -> Result<Step<'a>, Fault> {
        match self.value.get(self.at) {
            None => return Ok(Step::More),
            Some(&KEY_END) => {}
            Some(_) => return Err(Fault { number: -6, at: self.at }),
        }
        match element::element(self.value, self.at + 1, KEY_START) {
            Ok(found) => {
                self.at = found.end;
                self.value_due = false;
                let element = Element { kind: found.kind, value: found.value, sizing: Sizing::Check };
                Ok(if found.last { Step::Last(element) } else { Step::Value(element) })
            }
            Err(Bad::More) => Ok(Step::More),
            Err(Bad::Part(at)) => Ok(Step::Part(Element { value: &self.value[at..], ..Element::default() })),
            Err(Bad::Kind(at)) => Err(Fault { number: -7, at }),
            Err(Bad::Length(at)) => Err(Fault { number: -8, at }),
        }
    }
}
