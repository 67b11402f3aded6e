//! Refuses records and maps with duplicate keys.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::error::{Error, ErrorKind, Result};
use crate::tools::adapt::key::KeyText;
use crate::walk::event::{Field, Next, Note, Open, Part, Scalar, Span, Str};
use crate::walk::sink::Sink;

/// Passes all events on, and fails at the second occurrence of a key. Keys that are containers are
/// compared by their contents in order.
pub struct Unique<'a, 'm, S: ?Sized> {
    inner: &'a mut S,
    keys: Vec<Key<'m>>,
    levels: Vec<Level<'m>>,
    // Rare, and boxed so that a look at it is one comparison.
    container: Option<Box<Container>>,
}

/// A key that is a container, as far as it came.
struct Container {
    text: KeyText,
    at: Span,
    /// Number of levels around it.
    levels: usize,
}

/// A key, and true if it came as a name: the text `"1"` and the number 1 are two keys.
type Key<'m> = (bool, Cow<'m, str>);

struct Level<'m> {
    /// Where this container's keys start in `keys`.
    start: usize,
    /// A bit for each key, which several keys may share.
    marks: u64,
    /// Takes over from `keys` in large containers.
    many: Option<HashSet<Key<'m>>>,
    is_map: bool,
    value_due: bool,
}

/// Most keys that are compared one by one; with more, hashing is faster.
const FEW: usize = 16;

impl<'a, 'm, S: Sink<'m> + ?Sized> Unique<'a, 'm, S> {
    /// Makes the adapter before `inner`.
    pub fn new(inner: &'a mut S) -> Self {
        // Room for a common message, so that one allocation does for each.
        Unique { inner, keys: Vec::with_capacity(2 * FEW), levels: Vec::with_capacity(8), container: None }
    }

    /// Adds a name, if it is at once clear that it comes for the first time. Returns false else.
    #[inline]
    fn is_new(&mut self, name: Str<'m, '_, str>) -> bool {
        let (Str::Input(name), Some(level), None) = (name, self.levels.last_mut(), &self.container) else { return false };
        // Many names share marks.
        let is_new = level.many.is_none() && self.keys.len() - level.start < FEW && level.mark(name);
        if is_new {
            self.keys.push((true, Cow::Borrowed(name)));
        }
        is_new
    }

    #[inline]
    fn key(&mut self, key: Key<'m>, at: Span) -> Result<()> {
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        if let Some(many) = &mut level.many {
            if many.contains(&key) {
                return Err(doubled(&key.1, at));
            }
            many.insert(key);
            return Ok(());
        }
        let few = &self.keys[level.start..];
        level.mark(&key.1);
        if few.contains(&key) {
            return Err(doubled(&key.1, at));
        }
        let is_full = few.len() >= FEW;
        self.keys.push(key);
        if is_full {
            level.many = Some(self.keys.drain(level.start..).collect());
        }
        Ok(())
    }

    /// Adds to the key that is a container, if one is open.
    #[inline]
    fn within(&mut self, add: impl FnOnce(&mut KeyText)) {
        #[cold]
        fn add_to(container: &mut Container, add: impl FnOnce(&mut KeyText)) {
            add(&mut container.text);
        }
        if let Some(container) = &mut self.container {
            add_to(container, add);
        }
    }

    /// A value that is no field starts: true if it stands where a map's key does.
    fn is_key(&mut self) -> bool {
        match self.levels.last_mut() {
            Some(level) if level.is_map => {
                level.value_due = !level.value_due;
                level.value_due
            }
            _ => false,
        }
    }
}

impl Level<'_> {
    /// Marks a key. Returns true if it surely is not among those that were marked before.
    #[inline]
    fn mark(&mut self, key: &str) -> bool {
        let bytes = key.as_bytes();
        let sum = match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
            (Some(first), Some(last)) => u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32,
            _ => bytes.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
        };
        // An odd number that spreads all bits over the highest ones (Fibonacci hashing).
        let mark = 1 << (sum.wrapping_add(bytes.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58);
        let is_new = self.marks & mark == 0;
        self.marks |= mark;
        is_new
    }
}

#[cold]
fn doubled(key: &str, at: Span) -> Error {
    Error::data(ErrorKind::DoubledKey, at.start)
        .seen(format!("the key `{}` for the second time", key.chars().take(64).collect::<String>()))
        .expected("each key once")
        .hint("if the sender means it, choose to keep the first, the last or all")
}

impl<'m, S: Sink<'m> + ?Sized> Sink<'m> for Unique<'_, 'm, S> {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        let is_key = self.is_key();
        let next = self.inner.open(open, at)?;
        if next == Next::Enter {
            if is_key && self.container.is_none() {
                self.container = Some(Box::new(Container { text: KeyText::default(), at, levels: self.levels.len() }));
            }
            self.within(|text| text.open(open));
            let is_map = matches!(open, Open::Map(_) | Open::Record { .. });
            self.levels.push(Level { start: self.keys.len(), marks: 0, many: None, is_map, value_due: false });
        }
        Ok(next)
    }

    #[inline]
    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        if !self.is_new(field.name) {
            let name = match field.name {
                Str::Input(name) => Cow::Borrowed(name),
                Str::Scratch(name) => Cow::Owned(name.to_string()),
            };
            self.within(|text| text.field(&name));
            self.key((true, name), at)?;
        }
        let next = self.inner.field(field, at)?;
        if let Some(level) = self.levels.last_mut() {
            level.value_due = next == Next::Enter;
        }
        Ok(next)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        if self.is_key() {
            self.key((false, Cow::Owned(KeyText::of_scalar(&value))), at)?;
        }
        if self.container.is_some() {
            self.within(|text| text.scalar(&value));
        }
        self.inner.scalar(value, at)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        if part.last {
            self.is_key();
        }
        self.within(|text| text.part(part.bytes));
        self.inner.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        if let Some(level) = self.levels.pop() {
            self.keys.truncate(level.start);
        }
        self.within(KeyText::close);
        if let Some(container) = self.container.take_if(|container| container.levels == self.levels.len()) {
            self.key((false, Cow::Owned(container.text.finish())), container.at)?;
        }
        self.inner.close(at)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.inner.note(note, at)
    }
}
