//! Makes a document from a walk.

use bytes::Bytes;

use super::build::Builder;
use super::member::{Member, Repeated};
use super::names::NameId;
use super::nodes::Doc;
use super::shape::{Declared, Shape};
use super::skipped::Skipped;
use super::wanted::{Place, Wanted};
use polywire_core::walk::KeyCost;
use polywire_core::{Error, Field, Next, Open, Part, PartKind, Result, Scalar, Sink, Span, Str};

/// Sink that makes a [`Doc`] from the wanted parts of a walk.
///
/// - Tuples become lists; records and maps become objects.
/// - A key that is not text becomes its JSON text. Containers in keys nest at most eight deep.
/// - A case of a sum type becomes its name if it has no values. Otherwise it becomes an object with
///   the name as its only member; several values become a list.
/// - A tagged value is replaced by its content.
/// - Octets become text if they are UTF-8, else bytes.
/// - Names of types, and notes, are dropped.
#[derive(Debug)]
pub struct DocSink<'w> {
    builder: Builder,
    wanted: &'w Wanted,
    shape: Option<&'w Shape>,
    levels: Vec<OpenContainer>,
    keys: KeyCost,
    /// Destination of the next value, if a field named it.
    due: Slot,
    part: Option<Vec<u8>>,
    skipped: Skipped,
}

#[derive(Debug, Clone, Copy)]
struct OpenContainer {
    kind: ContainerKind,
    place: Place,
    declared: Declared,
    /// True if this is a key of the map around it.
    is_key: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ContainerKind {
    List,
    Object,
    /// An object whose next value is a key, unless a field comes.
    Map,
    Variant(NameId),
    /// A case that is not wanted, and whether it has values: it stays a name or an object.
    OtherVariant(NameId, bool),
    Tagged,
}

/// Destination of a value.
#[derive(Debug, Clone, Copy)]
enum Slot {
    /// The container decides.
    Open,
    Put(Member, Place, Declared),
    Key(Place),
    /// The value is not wanted.
    Drop,
}

impl<'w> DocSink<'w> {
    /// Creates a sink for a walk of `source`. The document keeps `source`, so that texts in it need
    /// no copy. With an empty `source`, all texts are copied.
    pub fn new(source: Bytes, wanted: &'w Wanted, repeated: Repeated) -> DocSink<'w> {
        DocSink {
            builder: Builder::new(source, repeated),
            wanted,
            shape: None,
            levels: Vec::with_capacity(16),
            keys: KeyCost::default(),
            due: Slot::Open,
            part: None,
            skipped: Skipped::default(),
        }
    }

    /// Makes lists of the values that `shape` declares to be lists.
    #[must_use]
    pub fn shaped(mut self, shape: &'w Shape) -> DocSink<'w> {
        self.shape = Some(shape).filter(|shape| !shape.is_empty());
        self
    }

    /// Returns the document and the number of bytes that the reader skipped; `end` is the end of
    /// the message.
    ///
    /// # Errors
    /// The walk left a container open.
    pub fn finish(mut self, end: u64) -> Result<(Doc, u64)> {
        self.skipped.until(Span::new(end, end));
        Ok((self.builder.finish()?, self.skipped.bytes()))
    }

    /// Returns the destination of the next value.
    #[inline]
    fn slot(&mut self) -> Slot {
        match std::mem::replace(&mut self.due, Slot::Open) {
            Slot::Open => match self.levels.last_mut() {
                None => Slot::Put(Member::ELEMENT, self.wanted.root(), self.shape.map_or(Declared::NOTHING, Shape::root)),
                Some(OpenContainer { kind: ContainerKind::Map, place, .. }) => Slot::Key(*place),
                Some(OpenContainer { kind: ContainerKind::OtherVariant(_, carries), .. }) => {
                    *carries = true;
                    Slot::Drop
                }
                Some(level) => Slot::Put(Member::ELEMENT, level.place, level.declared),
            },
            slot => slot,
        }
    }

    /// Takes back a key that was put as a value; its text becomes the name of the next value.
    /// Returns the length of the text.
    fn key(&mut self, place: Place) -> usize {
        let key = self.builder.take_as_key();
        let declared = self.levels.last().map_or(Declared::NOTHING, |map| map.declared);
        self.due = self.named(&key, place, declared).unwrap_or(Slot::Drop);
        key.len()
    }

    /// Returns the destination of the member `name`, if it is wanted.
    #[inline]
    fn named(&mut self, name: &str, place: Place, declared: Declared) -> Option<Slot> {
        let place = self.wanted.member(place, name)?;
        let mut member = Member::named(self.builder.name(name));
        let declared = match self.shape {
            Some(shape) => {
                let declared = shape.member(declared, name);
                member.listed = shape.is_list(declared);
                declared
            }
            None => Declared::NOTHING,
        };
        Some(Slot::Put(member, place, declared))
    }

    fn skip(&mut self, at: Span) -> Next {
        self.skipped.from(at);
        Next::Skip
    }
}

impl<'m> Sink<'m> for DocSink<'_> {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.skipped.until(at);
        let slot = self.slot();
        let (member, place, declared, is_key) = match slot {
            Slot::Put(member, place, declared) => (member, place, declared, false),
            Slot::Key(_) => (Member::ELEMENT, Place::EVERYTHING, Declared::NOTHING, true),
            Slot::Drop | Slot::Open => return Ok(self.skip(at)),
        };
        if is_key {
            self.keys.enter(at)?;
        }
        let (kind, place) = match open {
            Open::Record { .. } => (ContainerKind::Object, place),
            Open::Map(_) => (ContainerKind::Map, place),
            Open::List(_) | Open::Tuple(_) => (ContainerKind::List, place),
            Open::Variant { name, .. } => match self.wanted.member(place, name) {
                Some(place) => (ContainerKind::Variant(self.builder.name(name)), place),
                None => (ContainerKind::OtherVariant(self.builder.name(name), false), place),
            },
            Open::Tagged { .. } => {
                // The content replaces the tagged value.
                self.due = if is_key { Slot::Put(Member::ELEMENT, place, declared) } else { slot };
                (ContainerKind::Tagged, place)
            }
            other => return Err(Error::unknown_event(other.kind())),
        };
        match kind {
            ContainerKind::Object | ContainerKind::Map | ContainerKind::OtherVariant(..) => self.builder.open_object(member)?,
            ContainerKind::List => self.builder.open_list(member)?,
            ContainerKind::Variant(name) => {
                self.builder.open_object(member)?;
                self.builder.open_list(Member::named(name))?;
            }
            ContainerKind::Tagged => {}
        }
        self.levels.push(OpenContainer { kind, place, declared, is_key });
        Ok(Next::Enter)
    }

    #[inline]
    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.skipped.until(at);
        let Some(level) = self.levels.last() else { return Err(Error::internal("a field outside of all records")) };
        let name = field.name.get();
        let (place, declared) = (level.place, level.declared);
        let Some(slot) = self.named(name, place, declared) else { return Ok(self.skip(at)) };
        self.due = slot;
        Ok(Next::Enter)
    }

    #[inline]
    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.skipped.until(at);
        match self.slot() {
            Slot::Put(member, ..) => self.builder.scalar(member, value),
            Slot::Key(place) => {
                self.builder.scalar(Member::ELEMENT, value)?;
                self.key(place);
                Ok(())
            }
            Slot::Drop | Slot::Open => Ok(()),
        }
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        if !part.last || self.part.is_some() {
            self.part.get_or_insert_default().extend_from_slice(part.bytes);
        }
        if !part.last {
            return Ok(());
        }
        let whole = self.part.take();
        let bytes = whole.as_deref().unwrap_or(part.bytes);
        match part.kind {
            PartKind::Bytes => self.scalar(Scalar::Bytes(Str::Scratch(bytes)), at),
            PartKind::Octets => self.scalar(Scalar::Octets(Str::Scratch(bytes)), at),
            PartKind::Text => match std::str::from_utf8(bytes) {
                Ok(text) => self.scalar(Scalar::Text(Str::Scratch(text)), at),
                Err(_) => Err(Error::internal("text in parts that is not UTF-8")),
            },
        }
    }

    #[inline]
    fn close(&mut self, at: Span) -> Result<()> {
        self.skipped.until(at);
        let Some(level) = self.levels.pop() else { return Err(Error::internal("a close without its open")) };
        match level.kind {
            ContainerKind::Object | ContainerKind::Map | ContainerKind::List | ContainerKind::OtherVariant(_, true) => {
                self.builder.close()?;
            }
            ContainerKind::OtherVariant(name, false) => {
                let member = self.builder.cancel();
                let name = self.builder.name_of(name).to_string();
                self.builder.scalar(member, Scalar::Text(Str::Scratch(&name)))?;
            }
            ContainerKind::Tagged => {}
            ContainerKind::Variant(name) => match self.builder.entries() {
                0 => {
                    self.builder.cancel();
                    let member = self.builder.cancel();
                    let name = self.builder.name_of(name).to_string();
                    self.builder.scalar(member, Scalar::Text(Str::Scratch(&name)))?;
                }
                1 => {
                    self.builder.unwrap();
                    self.builder.close()?;
                }
                _ => {
                    self.builder.close()?;
                    self.builder.close()?;
                }
            },
        }
        if level.is_key {
            let place = self.levels.last().map_or(Place::EVERYTHING, |map| map.place);
            let length = self.key(place);
            self.keys.leave(length, at)?;
        }
        Ok(())
    }
}
