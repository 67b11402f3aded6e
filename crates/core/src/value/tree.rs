//! The tree: the events of one message, laid flat.
//!
//! A tree is a sink, and emits its events to other sinks. It borrows what lies in the message and
//! copies the rest into one arena. A tree thus takes a handful of allocations however many values
//! it holds, and none once it is recycled.

use crate::error::{Error, Result};
use crate::value::lexical::is_redundant;
use crate::walk::event::{Field, Hint, Len, Next, Note, Open, Part, PartKind, Scalar, Span, Spelling, Str};
use crate::walk::sink::Sink;
use crate::walk::time::Timestamp;

/// A message as a flat tree. Walk a message into it, then read it with [`Tree::root`] or emit it to
/// another sink with [`Tree::emit`].
///
/// ```
/// use polywire_core::value::Entry;
/// use polywire_core::{Tree, Value};
///
/// let point = Value::record([("x", Value::int(1)), ("y", Value::int(-2))]);
/// let mut tree = Tree::new();
/// point.emit(&mut tree)?;
/// let entries = tree.root().unwrap().entries();
/// let name = |entry| if let Entry::Field(name, _) = entry { name } else { "" };
/// assert_eq!(entries.map(name).collect::<Vec<&str>>(), ["x", "y"]);
/// # Ok::<(), polywire_core::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Tree<'m> {
    nodes: Vec<Node<'m>>,
    /// One per node, or none at all.
    spans: Vec<ShortSpan>,
    /// Offset that short spans count from.
    base: u64,
    arena: Vec<u8>,
    heads: Vec<Head>,
    numbered: Vec<Numbered<'m>>,
    spelled: Vec<Spelled<'m>>,
    open: Vec<u32>,
    part: Option<PendingPart>,
    /// True if a map or record ended behind a key.
    uneven: bool,
    no_spans: bool,
}

#[derive(Debug, Clone, Copy)]
enum Node<'m> {
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    F32(f32),
    F64(f64),
    Time(Timestamp),
    Str(StrKind, Text<'m>),
    /// A number with a hint: index into `spelled`.
    Spelled(u32),
    Field(Text<'m>),
    /// A field with an id or a slot: index into `numbered`.
    FieldNumbered(u32),
    Open {
        kind: Kind,
        /// Index into `heads`, for the kinds that have one.
        head: u32,
        /// Number of entries; in maps and records, of pairs.
        count: u32,
        /// Index of the matching `Close`.
        close: u32,
    },
    Close,
    /// A note that a writer may keep: any but frames and coercions.
    Note(NoteKind, Text<'m>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StrKind {
    Text,
    Bytes,
    Octets,
    Big,
    Decimal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    List,
    Map,
    Tuple,
    Record,
    Variant,
    Tagged,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NoteKind {
    Comment,
    Directive,
    Layout,
    Unknown,
}

#[derive(Debug, Clone, Copy)]
enum Text<'m> {
    Str(&'m str),
    Bytes(&'m [u8]),
    /// Bytes in the arena; those of text kinds are whole UTF-8.
    Arena(u32, u32),
}

/// The part of an `Open` node that does not fit into it.
#[derive(Debug, Clone, Copy)]
struct Head {
    /// Text in the arena: name of a type or a case, or a tag space.
    name: (u32, u32),
    /// Index of a case, or number of a tag.
    code: u64,
}

#[derive(Debug, Clone, Copy)]
struct Numbered<'m> {
    name: Text<'m>,
    id: Option<u64>,
    slot: Option<u32>,
}

/// A number with the hint that it came with.
#[derive(Debug, Clone, Copy)]
struct Spelled<'m> {
    /// The number.
    node: Node<'m>,
    width: Option<u8>,
    exponent: Option<i32>,
    digits: Option<Text<'m>>,
    wire: Option<(&'static str, Text<'m>)>,
    exact: bool,
}

/// A span in half the space: its start, counted from the tree's base, and its length. Start
/// [`u32::MAX`] means none, or one too far from the base.
#[derive(Debug, Clone, Copy)]
struct ShortSpan(u32, u32);

#[derive(Debug, Clone, Copy)]
struct PendingPart {
    start: u32,
    at: Span,
}

impl<'m> Tree<'m> {
    /// Makes an empty tree that keeps the byte range of each value.
    pub fn new() -> Tree<'m> {
        Tree::default()
    }

    /// Makes an empty tree that keeps no byte ranges: all spans are [`Span::NONE`].
    pub fn without_spans() -> Tree<'m> {
        Tree { no_spans: true, ..Tree::default() }
    }

    /// Empties the tree for another message, which may have another lifetime. Keeps its memory.
    pub fn recycle<'n>(self) -> Tree<'n> {
        let Tree { mut nodes, mut spans, mut arena, mut heads, mut numbered, mut spelled, mut open, no_spans, .. } = self;
        nodes.clear();
        spans.clear();
        arena.clear();
        heads.clear();
        numbered.clear();
        spelled.clear();
        open.clear();
        // Collecting an emptied vector into one of the same layout reuses its memory.
        let nodes = nodes.into_iter().map(|_| Node::Null).collect();
        let numbered = numbered.into_iter().map(|_| Numbered { name: Text::Arena(0, 0), id: None, slot: None }).collect();
        let spelled = spelled
            .into_iter()
            .map(|_| Spelled { node: Node::Null, width: None, exponent: None, digits: None, wire: None, exact: false })
            .collect();
        Tree { nodes, spans, base: 0, arena, heads, numbered, spelled, open, part: None, uneven: false, no_spans }
    }

    /// Returns whether a whole value was received.
    pub fn is_complete(&self) -> bool {
        self.open.is_empty() && self.part.is_none() && self.nodes.iter().any(|node| !matches!(node, Node::Note(..)))
    }

    /// Returns the place ([`Item::place`]) of the innermost container that is still open.
    pub fn open_place(&self) -> Option<usize> {
        self.open.last().map(|place| *place as usize)
    }

    /// Returns the place ([`Item::place`]) of the value that comes next. A tree may hold several
    /// values that are in no container, each at its place.
    pub fn next_place(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the value at a place, which must be one of this tree's values.
    pub fn item(&self, place: usize) -> Option<Item<'_, 'm>> {
        let is_value = self.nodes.get(place).is_some() && !self.is_close(place) && !self.is_field(place) && !self.is_note(place);
        is_value.then_some(Item { tree: self, at: place })
    }

    /// Returns the message's value, if a whole one was received.
    pub fn root(&self) -> Option<Item<'_, 'm>> {
        if !self.is_complete() {
            return None;
        }
        Some(Item { tree: self, at: self.skip_notes(0) })
    }

    /// Emits this tree to `sink`, with exact counts for all containers.
    ///
    /// # Errors
    /// `sink` returned an error.
    pub fn emit(&self, sink: &mut dyn Sink<'m>) -> Result<()> {
        self.emit_into(sink)
    }

    /// Emits like [`Tree::emit`], to a sink whose type is known, which saves an indirect call per
    /// event.
    ///
    /// # Errors
    /// `sink` returned an error.
    pub fn emit_into<S: Sink<'m> + ?Sized>(&self, sink: &mut S) -> Result<()> {
        let mut at = 0;
        while let Some(&node) = self.nodes.get(at) {
            // Each common kind has a call of its own, so that the sink's match can be folded away.
            match node {
                Node::Field(name) => match sink.field(Field::named(self.shared_str(name)), self.span(at))? {
                    Next::Enter => {}
                    Next::Skip => {
                        at = self.after_announced(at);
                        continue;
                    }
                    Next::Stop => return Ok(()),
                },
                Node::Str(StrKind::Text, text) => sink.scalar(Scalar::Text(self.shared_str(text)), self.span(at))?,
                Node::UInt(value) => sink.scalar(Scalar::UInt(value, Hint::NONE), self.span(at))?,
                Node::F64(value) => sink.scalar(Scalar::F64(value, Hint::NONE), self.span(at))?,
                Node::Bool(value) => sink.scalar(Scalar::Bool(value), self.span(at))?,
                Node::Close => sink.close(self.span(at))?,
                _ => match self.emit_node(at, sink)? {
                    Next::Enter => {}
                    Next::Skip => {
                        at = self.after_announced(at);
                        continue;
                    }
                    Next::Stop => return Ok(()),
                },
            }
            at += 1;
        }
        Ok(())
    }

    /// Returns the events, if the tree is exactly one whole value without notes before it.
    #[inline]
    pub fn plain(&self) -> Option<PlainEvents<'_, 'm>> {
        let whole = self.open.is_empty() && self.part.is_none() && !self.uneven;
        let one = !matches!(self.nodes.first(), None | Some(Node::Note(..))) && self.after_value(0) == self.nodes.len();
        (whole && one).then(|| PlainEvents { tree: self, nodes: self.nodes.iter() })
    }

    /// Emits one node only.
    pub(crate) fn emit_node(&self, at: usize, sink: &mut (impl Sink<'m> + ?Sized)) -> Result<Next> {
        let span = self.span(at);
        match self.nodes[at] {
            Node::Field(_) | Node::FieldNumbered(_) => return sink.field(self.field_at(at), span),
            Node::Open { .. } => return sink.open(self.open_at(at), span),
            Node::Close => sink.close(span)?,
            Node::Note(kind, text) => {
                let bytes = self.bytes_of(text);
                let note = match kind {
                    NoteKind::Comment => Note::Comment(self.str_of(text)),
                    NoteKind::Directive => Note::Directive(self.str_of(text)),
                    NoteKind::Layout => Note::Layout(self.str_of(text)),
                    NoteKind::Unknown => Note::Unknown(bytes),
                };
                sink.note(note, span)?;
            }
            Node::Spelled(index) => {
                let Spelled { node, width, exponent, digits, wire, exact } = self.spelled[index as usize];
                let digits = digits.map(|digits| self.str_of(digits));
                let wire = wire.map(|(format, bytes)| (format, self.bytes_of(bytes)));
                let spelling = Spelling { width, exponent, digits, wire, exact };
                sink.scalar(self.scalar_of(node, Hint::new(&spelling)), span)?;
            }
            _ => sink.scalar(self.scalar_at(at), span)?,
        }
        Ok(Next::Enter)
    }

    /// Returns the index after the value that the node at `at` announces: its own container, or the
    /// field's value.
    fn after_announced(&self, at: usize) -> usize {
        match self.nodes[at] {
            Node::Field(_) | Node::FieldNumbered(_) => self.after_value(self.skip_notes(at + 1)),
            _ => self.after_value(at),
        }
    }

    /// Returns the index after the value that starts at `at`.
    #[inline]
    pub(crate) fn after_value(&self, at: usize) -> usize {
        match self.nodes.get(at) {
            Some(Node::Open { close, .. }) => *close as usize + 1,
            _ => at + 1,
        }
    }

    #[inline]
    pub(crate) fn skip_notes(&self, mut at: usize) -> usize {
        while matches!(self.nodes.get(at), Some(Node::Note(..))) {
            at += 1;
        }
        at
    }

    pub(crate) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    #[inline]
    pub(crate) fn span(&self, at: usize) -> Span {
        match self.spans.get(at) {
            None | Some(ShortSpan(u32::MAX, _)) => Span::NONE,
            Some(&ShortSpan(start, len)) => {
                let start = self.base + u64::from(start);
                Span::new(start, start + u64::from(len))
            }
        }
    }

    fn push_span(&mut self, at: Span) {
        if self.spans.is_empty() {
            self.base = at.start;
        }
        let start = at.start.checked_sub(self.base).and_then(|start| u32::try_from(start).ok()).unwrap_or(u32::MAX);
        self.spans.push(ShortSpan(start, u32::try_from(at.len()).unwrap_or(u32::MAX)));
    }

    pub(crate) fn is_note(&self, at: usize) -> bool {
        matches!(self.nodes[at], Node::Note(..))
    }

    #[inline]
    pub(crate) fn is_field(&self, at: usize) -> bool {
        matches!(self.nodes[at], Node::Field(_) | Node::FieldNumbered(_))
    }

    pub(crate) fn is_open(&self, at: usize) -> bool {
        matches!(self.nodes[at], Node::Open { .. })
    }

    pub(crate) fn is_scalar(&self, at: usize) -> bool {
        !matches!(self.nodes[at], Node::Open { .. } | Node::Close | Node::Field(_) | Node::FieldNumbered(_) | Node::Note(..))
    }

    #[inline]
    pub(crate) fn is_close(&self, at: usize) -> bool {
        matches!(self.nodes[at], Node::Close)
    }

    /// Returns what kind of value starts at `at`.
    #[cfg(feature = "serde")]
    #[inline]
    pub(crate) fn shape_at(&self, at: usize) -> Shape {
        match self.nodes[at] {
            Node::Open { kind: Kind::List | Kind::Tuple, .. } => Shape::List,
            Node::Open { kind: Kind::Map | Kind::Record, .. } => Shape::Map,
            Node::Open { kind: Kind::Variant, .. } => Shape::Variant,
            Node::Open { kind: Kind::Tagged, .. } => Shape::Tagged,
            _ => Shape::Scalar,
        }
    }

    /// Returns the number of entries of the container at `at`.
    #[cfg(feature = "serde")]
    pub(crate) fn count_at(&self, at: usize) -> u32 {
        if let Node::Open { count, .. } = self.nodes[at] { count } else { 0 }
    }

    /// Returns the index of the `Close` of a record or map that opens at `at`.
    pub(crate) fn close_of_named(&self, at: usize) -> Option<usize> {
        match self.nodes[at] {
            Node::Open { kind: Kind::Record | Kind::Map, close, .. } => Some(close as usize),
            _ => None,
        }
    }

    pub(crate) fn open_at(&self, at: usize) -> Open<'_> {
        let Node::Open { kind, head, count, .. } = self.nodes[at] else { return Open::List(Len::Unknown) };
        let len = Len::Claimed(u64::from(count));
        let head = self.heads.get(head as usize).copied().unwrap_or(Head { name: (0, 0), code: 0 });
        let name = self.str_of(Text::Arena(head.name.0, head.name.1));
        match kind {
            Kind::List => Open::List(len),
            Kind::Map => Open::Map(len),
            Kind::Tuple => Open::Tuple(len),
            Kind::Record => Open::Record { name, len },
            Kind::Variant => Open::Variant { name, index: head.code as u32 },
            Kind::Tagged => Open::Tagged { space: name, code: head.code },
        }
    }

    #[inline]
    pub(crate) fn field_at(&self, at: usize) -> Field<'m, '_> {
        match self.nodes[at] {
            Node::Field(name) => Field::named(self.shared_str(name)),
            Node::FieldNumbered(index) => {
                let Numbered { name, id, slot } = self.numbered[index as usize];
                Field { name: self.shared_str(name), id, slot }
            }
            _ => Field::named(Str::Scratch("")),
        }
    }

    /// Returns the scalar of a node, without the hint that [`Tree::emit_node`] adds.
    #[inline]
    pub(crate) fn scalar_at(&self, at: usize) -> Scalar<'m, '_> {
        match self.nodes[at] {
            Node::Spelled(index) => self.scalar_of(self.spelled[index as usize].node, Hint::NONE),
            node => self.scalar_of(node, Hint::NONE),
        }
    }

    #[inline]
    fn scalar_of<'s>(&'s self, node: Node<'m>, hint: Hint<'s>) -> Scalar<'m, 's> {
        match node {
            Node::Bool(value) => Scalar::Bool(value),
            Node::Int(value) => Scalar::Int(value, hint),
            Node::UInt(value) => Scalar::UInt(value, hint),
            Node::F32(value) => Scalar::F32(value, hint),
            Node::F64(value) => Scalar::F64(value, hint),
            Node::Time(value) => Scalar::Time(value),
            Node::Str(kind, text) => match kind {
                StrKind::Text => Scalar::Text(self.shared_str(text)),
                StrKind::Big => Scalar::Big(self.shared_str(text), hint),
                StrKind::Decimal => Scalar::Decimal(self.shared_str(text), hint),
                StrKind::Bytes => Scalar::Bytes(self.shared_bytes(text)),
                StrKind::Octets => Scalar::Octets(self.shared_bytes(text)),
            },
            _ => Scalar::Null,
        }
    }

    /// Keeps a number with its hint, unless the hint holds only the digits that a writer would
    /// choose.
    fn spelled(&mut self, node: Node<'m>, spelling: &Spelling<'_>) -> Result<Node<'m>> {
        let Spelling { width, exponent, digits, wire, exact } = *spelling;
        let redundant = |digits: &str| match node {
            Node::F64(value) => is_redundant(digits, value),
            // The number's own.
            Node::Str(..) => true,
            _ => false,
        };
        if !exact && width.is_none() && exponent.is_none() && wire.is_none() && digits.is_none_or(redundant) {
            return Ok(node);
        }
        let digits = match digits {
            Some(digits) => Some(self.keep_str(Str::Scratch(digits))?),
            None => None,
        };
        let wire = match wire {
            Some((format, bytes)) => Some((format, self.keep(bytes)?)),
            None => None,
        };
        self.spelled.push(Spelled { node, width, exponent, digits, wire, exact });
        Ok(Node::Spelled(index(self.spelled.len() - 1)?))
    }

    #[inline]
    fn shared_str(&self, text: Text<'m>) -> Str<'m, '_, str> {
        match text {
            Text::Str(text) => Str::Input(text),
            other => Str::Scratch(self.str_of(other)),
        }
    }

    fn shared_bytes(&self, text: Text<'m>) -> Str<'m, '_, [u8]> {
        match text {
            Text::Str(text) => Str::Input(text.as_bytes()),
            Text::Bytes(bytes) => Str::Input(bytes),
            other => Str::Scratch(self.bytes_of(other)),
        }
    }

    #[inline(never)]
    fn str_of(&self, text: Text<'m>) -> &str {
        match text {
            Text::Str(text) => text,
            // Text enters the arena only as text, or checked as parts were put together.
            other => std::str::from_utf8(self.bytes_of(other)).unwrap_or_default(),
        }
    }

    #[inline]
    fn bytes_of(&self, text: Text<'m>) -> &[u8] {
        match text {
            Text::Str(text) => text.as_bytes(),
            Text::Bytes(bytes) => bytes,
            Text::Arena(start, end) => self.arena.get(start as usize..end as usize).unwrap_or_default(),
        }
    }

    fn keep_str(&mut self, text: Str<'m, '_, str>) -> Result<Text<'m>> {
        Ok(match text {
            Str::Input(text) => Text::Str(text),
            Str::Scratch(text) => self.keep(text.as_bytes())?,
        })
    }

    fn keep_bytes(&mut self, bytes: Str<'m, '_, [u8]>) -> Result<Text<'m>> {
        Ok(match bytes {
            Str::Input(bytes) => Text::Bytes(bytes),
            Str::Scratch(bytes) => self.keep(bytes)?,
        })
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<Text<'m>> {
        let start = index(self.arena.len())?;
        self.arena.extend_from_slice(bytes);
        Ok(Text::Arena(start, index(self.arena.len())?))
    }

    #[inline]
    fn push(&mut self, node: Node<'m>, at: Span) {
        self.nodes.push(node);
        if !self.no_spans {
            self.push_span(at);
        }
    }

    /// Counts one entry of the innermost container: a name, a key or a value.
    #[inline]
    fn count(&mut self) {
        if let Some(&open) = self.open.last()
            && let Node::Open { count, .. } = &mut self.nodes[open as usize]
        {
            *count = count.saturating_add(1);
        }
    }
}

#[cold]
fn too_large() -> Error {
    Error::new(crate::error::ErrorKind::Limit, crate::error::Fault::Data)
        .seen("a message of more than 2^32 values or bytes of unescaped text")
}

#[inline]
fn index(n: usize) -> Result<u32> {
    u32::try_from(n).map_err(|_| too_large())
}

impl<'m> Sink<'m> for Tree<'m> {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.count();
        let here = index(self.nodes.len())?;
        let (kind, head) = match open {
            Open::List(_) => (Kind::List, None),
            Open::Map(_) => (Kind::Map, None),
            Open::Tuple(_) => (Kind::Tuple, None),
            Open::Record { name: "", .. } => (Kind::Record, None),
            Open::Record { name, .. } => (Kind::Record, Some((name, 0))),
            Open::Variant { name, index } => (Kind::Variant, Some((name, u64::from(index)))),
            Open::Tagged { space, code } => (Kind::Tagged, Some((space, code))),
        };
        let head = match head {
            None => u32::MAX,
            Some((name, code)) => {
                let start = index(self.arena.len())?;
                self.arena.extend_from_slice(name.as_bytes());
                self.heads.push(Head { name: (start, index(self.arena.len())?), code });
                index(self.heads.len() - 1)?
            }
        };
        self.push(Node::Open { kind, head, count: 0, close: 0 }, at);
        self.open.push(here);
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.count();
        let name = self.keep_str(field.name)?;
        if field.id.is_none() && field.slot.is_none() {
            self.push(Node::Field(name), at);
        } else {
            self.numbered.push(Numbered { name, id: field.id, slot: field.slot });
            self.push(Node::FieldNumbered(index(self.numbered.len() - 1)?), at);
        }
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.count();
        let (node, hint) = match value {
            Scalar::Null => (Node::Null, Hint::NONE),
            Scalar::Bool(value) => (Node::Bool(value), Hint::NONE),
            Scalar::Int(value, hint) => (Node::Int(value), hint),
            Scalar::UInt(value, hint) => (Node::UInt(value), hint),
            Scalar::F32(value, hint) => (Node::F32(value), hint),
            Scalar::F64(value, hint) => (Node::F64(value), hint),
            Scalar::Time(value) => (Node::Time(value), Hint::NONE),
            Scalar::Text(text) => (Node::Str(StrKind::Text, self.keep_str(text)?), Hint::NONE),
            Scalar::Big(text, hint) => (Node::Str(StrKind::Big, self.keep_str(text)?), hint),
            Scalar::Decimal(text, hint) => (Node::Str(StrKind::Decimal, self.keep_str(text)?), hint),
            Scalar::Bytes(bytes) => (Node::Str(StrKind::Bytes, self.keep_bytes(bytes)?), Hint::NONE),
            Scalar::Octets(bytes) => (Node::Str(StrKind::Octets, self.keep_bytes(bytes)?), Hint::NONE),
        };
        let node = match hint.spelling() {
            Some(spelling) => self.spelled(node, spelling)?,
            None => node,
        };
        self.push(node, at);
        Ok(())
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        let pending = match self.part.take() {
            Some(pending) => pending,
            None => PendingPart { start: index(self.arena.len())?, at },
        };
        self.arena.extend_from_slice(part.bytes);
        if !part.last {
            self.part = Some(pending);
            return Ok(());
        }
        let whole = Text::Arena(pending.start, index(self.arena.len())?);
        let kind = match part.kind {
            PartKind::Bytes => StrKind::Bytes,
            PartKind::Octets => StrKind::Octets,
            PartKind::Text if std::str::from_utf8(self.bytes_of(whole)).is_ok() => StrKind::Text,
            PartKind::Text => return Err(Error::internal("parts of text that are no UTF-8")),
        };
        self.count();
        self.push(Node::Str(kind, whole), Span::new(pending.at.start, at.end));
        Ok(())
    }

    fn close(&mut self, at: Span) -> Result<()> {
        let close_index = index(self.nodes.len())?;
        let Some(open) = self.open.pop() else { return Err(Error::internal("a close without its open")) };
        if let Node::Open { kind, count, close, .. } = &mut self.nodes[open as usize] {
            if matches!(kind, Kind::Map | Kind::Record) {
                self.uneven |= *count % 2 != 0;
                *count /= 2;
            }
            *close = close_index;
        }
        self.push(Node::Close, at);
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        let (kind, bytes) = match note {
            Note::Comment(text) => (NoteKind::Comment, text.as_bytes()),
            Note::Directive(text) => (NoteKind::Directive, text.as_bytes()),
            Note::Layout(text) => (NoteKind::Layout, text.as_bytes()),
            Note::Unknown(bytes) => (NoteKind::Unknown, bytes),
            Note::Frame(_) | Note::Coerced(_) | Note::Meaning(_) => return Ok(()),
        };
        let text = self.keep(bytes)?;
        self.push(Node::Note(kind, text), at);
        Ok(())
    }
}

/// An event of a tree, of the kinds that most messages consist of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Plain<'t> {
    /// The name of the value that follows.
    Name(&'t str),
    /// Text.
    Text(&'t str),
    /// A whole number from zero up, without a hint.
    UInt(u64),
    /// A whole number below zero, without a hint.
    Int(i64),
    /// A binary64 number, and the digits that it came as if a writer might choose others. Its type
    /// is no decimal.
    F64(f64, Option<&'t [u8]>),
    /// Truth value.
    Bool(bool),
    /// No value.
    Null,
    /// A list of this number of values.
    List(u32),
    /// A map, or a record without the name of a type, of this number of pairs.
    Map(u32),
    /// The end of the innermost list or map.
    Close,
    /// Any other event.
    Other,
}

/// The events of a tree, for writers that write most messages without a call per event.
#[derive(Debug, Clone)]
pub struct PlainEvents<'t, 'm> {
    tree: &'t Tree<'m>,
    nodes: std::slice::Iter<'t, Node<'m>>,
}

impl<'t> Iterator for PlainEvents<'t, '_> {
    type Item = Plain<'t>;

    #[inline(always)]
    fn next(&mut self) -> Option<Plain<'t>> {
        Some(match *self.nodes.next()? {
            Node::Field(Text::Str(name)) => Plain::Name(name),
            Node::Field(name) => Plain::Name(self.tree.str_of(name)),
            Node::Str(StrKind::Text, Text::Str(text)) => Plain::Text(text),
            Node::Str(StrKind::Text, text) => Plain::Text(self.tree.str_of(text)),
            Node::UInt(value) => Plain::UInt(value),
            Node::Int(value) => Plain::Int(value),
            Node::F64(value) => Plain::F64(value, None),
            Node::Spelled(index) => match self.tree.spelled[index as usize] {
                Spelled { node: Node::F64(value), exponent: None, digits: Some(digits), .. } => {
                    Plain::F64(value, Some(self.tree.bytes_of(digits)))
                }
                _ => Plain::Other,
            },
            Node::Bool(value) => Plain::Bool(value),
            Node::Null => Plain::Null,
            Node::Open { kind: Kind::List, count, .. } => Plain::List(count),
            Node::Open { kind: Kind::Map, count, .. } => Plain::Map(count),
            Node::Open { kind: Kind::Record, head: u32::MAX, count, .. } => Plain::Map(count),
            Node::Close => Plain::Close,
            _ => Plain::Other,
        })
    }
}

/// A value in a [`Tree`].
#[derive(Debug, Clone, Copy)]
pub struct Item<'t, 'm> {
    tree: &'t Tree<'m>,
    at: usize,
}

/// The kinds of values that make a difference to serde.
#[cfg(feature = "serde")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Scalar,
    /// A list or a tuple.
    List,
    /// A map or a record.
    Map,
    Variant,
    Tagged,
}

/// The contents of an [`Item`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum View<'t, 'm> {
    /// A scalar.
    Scalar(Scalar<'m, 't>),
    /// A container; its entries come from [`Item::entries`].
    Open(Open<'t>),
}

impl<'t, 'm: 't> Item<'t, 'm> {
    /// Returns the scalar, or the start of the container.
    pub fn view(self) -> View<'t, 'm> {
        match self.tree.nodes[self.at] {
            Node::Open { .. } => View::Open(self.tree.open_at(self.at)),
            _ => View::Scalar(self.tree.scalar_at(self.at)),
        }
    }

    /// Returns the decimal digits that a number was written with, if they are known.
    pub fn digits(self) -> Option<&'t str> {
        let text = |node: Node<'m>| match node {
            Node::Str(StrKind::Big | StrKind::Decimal, text) => Some(text),
            _ => None,
        };
        let digits = match self.tree.nodes[self.at] {
            Node::Spelled(index) => {
                let spelled = &self.tree.spelled[index as usize];
                spelled.digits.or(text(spelled.node))
            }
            node => text(node),
        };
        digits.map(|digits| self.tree.str_of(digits))
    }

    /// Returns the exponent of a number of a decimal type, if it is known.
    pub fn exponent(self) -> Option<i32> {
        match self.tree.nodes[self.at] {
            Node::Spelled(index) => self.tree.spelled[index as usize].exponent,
            _ => None,
        }
    }

    /// Returns the bytes that a number came as, if its reader was `format`'s and says so.
    pub fn wire(self, format: &str) -> Option<&'t [u8]> {
        let Node::Spelled(index) = self.tree.nodes[self.at] else { return None };
        let (name, bytes) = self.tree.spelled[index as usize].wire?;
        (name == format).then(|| self.tree.bytes_of(bytes))
    }

    /// Returns its tree, and its node there.
    #[cfg(feature = "serde")]
    pub(crate) fn parts(self) -> (&'t Tree<'m>, usize) {
        (self.tree, self.at)
    }

    /// Returns the value of a node.
    #[cfg(feature = "serde")]
    pub(crate) fn of(tree: &'t Tree<'m>, at: usize) -> Item<'t, 'm> {
        Item { tree, at }
    }

    /// Returns its place in the tree: a number that no other value of the tree has, for use as a
    /// key.
    pub fn place(self) -> usize {
        self.at
    }

    /// Returns its byte range, from the first byte of its start to the last of its end.
    pub fn span(self) -> Span {
        match self.tree.nodes[self.at] {
            Node::Open { close, .. } => Span::new(self.tree.span(self.at).start, self.tree.span(close as usize).end),
            _ => self.tree.span(self.at),
        }
    }

    /// Returns the byte range of its first event: all of a scalar, or the opening of a container.
    pub fn opening(self) -> Span {
        self.tree.span(self.at)
    }

    /// Returns the entries of a container, in order; a scalar has none.
    pub fn entries(self) -> Entries<'t, 'm> {
        let (at, named) = match self.tree.nodes[self.at] {
            Node::Open { kind, .. } => (self.at + 1, matches!(kind, Kind::Map | Kind::Record)),
            _ => (self.tree.nodes.len(), false),
        };
        Entries { tree: self.tree, at, named }
    }

    /// Emits this value to `sink`.
    ///
    /// # Errors
    /// `sink` returned an error.
    pub fn emit(self, sink: &mut dyn Sink<'m>) -> Result<()> {
        let mut at = self.at;
        let end = self.tree.after_value(at);
        while at < end {
            match self.tree.emit_node(at, sink)? {
                Next::Enter => at += 1,
                Next::Skip => at = self.tree.after_announced(at),
                Next::Stop => return Ok(()),
            }
        }
        Ok(())
    }
}

/// One entry of a container.
#[derive(Debug, Clone, Copy)]
pub enum Entry<'t, 'm> {
    /// A value in a list, tuple, variant or tagged value.
    Element(Item<'t, 'm>),
    /// A field of a record, or a map's entry whose key is text.
    Field(&'t str, Item<'t, 'm>),
    /// A map's entry whose key is not text.
    Pair(Item<'t, 'm>, Item<'t, 'm>),
}

impl<'t, 'm> Entry<'t, 'm> {
    /// Returns the entry's value.
    pub fn value(self) -> Item<'t, 'm> {
        match self {
            Entry::Element(value) | Entry::Field(_, value) | Entry::Pair(_, value) => value,
        }
    }
}

/// Iterates over a container's entries.
#[derive(Debug, Clone)]
pub struct Entries<'t, 'm> {
    tree: &'t Tree<'m>,
    at: usize,
    named: bool,
}

impl<'t, 'm: 't> Iterator for Entries<'t, 'm> {
    type Item = Entry<'t, 'm>;

    fn next(&mut self) -> Option<Entry<'t, 'm>> {
        let tree = self.tree;
        let item = |at: usize| Item { tree, at };
        let at = tree.skip_notes(self.at);
        if at >= tree.nodes.len() || tree.is_close(at) {
            return None;
        }
        if tree.is_field(at) {
            let value = tree.skip_notes(at + 1);
            self.at = tree.after_value(value);
            return Some(Entry::Field(tree.field_at(at).name.get(), item(value)));
        }
        let after = tree.after_value(at);
        if self.named {
            let value = tree.skip_notes(after);
            self.at = tree.after_value(value);
            return Some(Entry::Pair(item(at), item(value)));
        }
        self.at = after;
        Some(Entry::Element(item(at)))
    }
}
