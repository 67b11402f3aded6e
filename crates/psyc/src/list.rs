//! Lists (sections 5.1, 7 and 11.5).

use crate::element::{self, Bad};
use crate::packet::Sizing;
use crate::wire::{BAR, keyword_len};

/// What one call of [`List::step`] delivers, numbered as in section 7.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// The value ends inside an element.
    More,
    /// The type of elements without one of their own.
    Default(&'a [u8]),
    /// The part of a sized element that is there.
    Part(Element<'a>),
    /// An element.
    Element(Element<'a>),
    /// An element that ends with the value.
    Last(Element<'a>),
    /// Nothing is left.
    End,
}

/// An element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Element<'a> {
    /// Type of its own, empty if it has none.
    pub kind: &'a [u8],
    /// Its value.
    pub value: &'a [u8],
    /// Whether its size is written.
    pub sizing: Sizing,
}

/// What is wrong with a list, numbered as in section 7.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// -3: no bar where one has to be. -4: no type, or no end of one. -5: no size, or no space after it.
    pub number: i32,
    /// Offset in the value.
    pub at: usize,
}

/// Reads the elements of a list whose value is whole.
#[derive(Debug, Clone)]
pub struct List<'a> {
    value: &'a [u8],
    at: usize,
}

impl<'a> List<'a> {
    /// The list that `value` is.
    pub fn new(value: &'a [u8]) -> List<'a> {
        List { value, at: 0 }
    }

    /// The next thing in it.
    pub fn step(&mut self) -> Result<Step<'a>, Fault> {
        if self.at == 0 {
            let len = keyword_len(self.value);
            self.at = len;
            if len > 0 && len < self.value.len() {
                return Ok(Step::Default(&self.value[..len]));
            }
        }
        match self.value.get(self.at) {
            None => return Ok(Step::End),
            Some(&BAR) => {}
            Some(_) => return Err(Fault { number: -3, at: self.at }),
        }
        match element::element(self.value, self.at + 1, BAR) {
            Ok(found) => {
                self.at = found.end;
                let element = Element { kind: found.kind, value: found.value, sizing: Sizing::Check };
                Ok(if found.last { Step::Last(element) } else { Step::Element(element) })
            }
            Err(Bad::More) => Ok(Step::More),
            Err(Bad::Part(at)) => Ok(Step::Part(Element { value: &self.value[at..], ..Element::default() })),
            Err(Bad::Kind(at)) => Err(Fault { number: -4, at }),
            Err(Bad::Length(at)) => Err(Fault { number: -5, at }),
        }
    }
}
