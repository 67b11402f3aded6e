//! String tables (EXI 1.0, 7.3) and the grammars that names have learned (8.4.3).
//!
//! All text lies in one arena. Names have numbers, which are never used twice in a stream: a
//! self-contained element has names of its own.

use polywire_core::{Error, ErrorKind, Result};

/// The namespace of the prefix `xml`.
pub(crate) const XML: &str = "http://www.w3.org/XML/1998/namespace";
/// The namespace of `xsi:type` and `xsi:nil`.
pub(crate) const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// A range of the arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Piece {
    pub start: u32,
    pub len: u32,
}

impl Piece {
    /// The place of a value that another one has replaced.
    pub const GONE: Piece = Piece { start: u32::MAX, len: u32::MAX };
}

/// Text that lives as long as its stream is read or written.
#[derive(Debug, Default)]
pub(crate) struct Arena(pub String);

impl Arena {
    #[inline(always)]
    pub fn get(&self, piece: Piece) -> &str {
        let start = piece.start as usize;
        self.0.get(start..start + piece.len as usize).unwrap_or_default()
    }

    /// Returns what was appended from `start` on.
    #[inline(always)]
    pub fn since(&self, start: usize, at: u64) -> Result<Piece> {
        match u32::try_from(self.0.len()) {
            Ok(end) => Ok(Piece { start: start as u32, len: end - start as u32 }),
            Err(_) => Err(Error::data(ErrorKind::Limit, at).seen("more than 4 GiB of text in one EXI stream")),
        }
    }

    pub fn add(&mut self, text: &str) -> Result<Piece> {
        let start = self.0.len();
        self.0.push_str(text);
        self.since(start, 0)
    }
}

/// A production that an element's grammar has learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Production(pub u32);

/// A production, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    Attribute(u32),
    Element(u32),
    Text,
    End,
}

impl Production {
    pub const TEXT: Production = Production(2);
    pub const END: Production = Production(3);

    #[inline(always)]
    pub fn attribute(name: u32) -> Production {
        Production(name << 2)
    }

    #[inline(always)]
    pub fn element(name: u32) -> Production {
        Production(name << 2 | 1)
    }

    #[inline(always)]
    pub fn known(self) -> Known {
        match self.0 & 3 {
            0 => Known::Attribute(self.0 >> 2),
            1 => Known::Element(self.0 >> 2),
            2 => Known::Text,
            _ => Known::End,
        }
    }
}

/// A name: its text, its values so far, and the grammar of elements of this name. The newest
/// production has the event code 0, so they are kept from the last to the first code.
#[derive(Debug, Default)]
pub(crate) struct Name {
    pub uri: u32,
    pub uri_text: Piece,
    pub local: Piece,
    pub values: Vec<Piece>,
    /// Productions of a start tag's content, without those that every element has.
    pub start: Vec<Production>,
    pub start_has_text: bool,
    pub start_has_end: bool,
    pub start_has_type: bool,
    /// Productions of the content behind.
    pub content: Vec<Production>,
    pub content_has_text: bool,
}

/// A namespace: its names and prefixes.
#[derive(Debug, Default)]
pub(crate) struct Uri {
    pub text: Piece,
    pub names: Vec<u32>,
    pub prefixes: Vec<Piece>,
}

/// The tables that a self-contained element has of its own.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    pub uris: Vec<Uri>,
    /// The global partition of values.
    pub values: Vec<Piece>,
    /// For each of `values` its name, and its place among that name's values; only with a
    /// capacity.
    pub owners: Vec<(u32, u32)>,
    /// Place of the next value, with a capacity.
    pub next: usize,
    /// Number of `xsi:type`.
    pub xsi_type: u32,
    /// Elements at the top of a fragment.
    pub tops: Vec<u32>,
}

/// Number of names whose memory is kept for the next stream.
const SPARE: usize = 1 << 10;
/// Number of entries of a list up to which its memory is kept.
const SHORT: usize = 1 << 8;

impl Name {
    /// Returns an empty name with this one's memory.
    fn emptied(self) -> Name {
        fn empty<T>(mut list: Vec<T>) -> Vec<T> {
            list.clear();
            list.shrink_to(SHORT);
            list
        }
        Name { values: empty(self.values), start: empty(self.start), content: empty(self.content), ..Name::default() }
    }
}

/// All tables of a stream.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub arena: Arena,
    pub names: Vec<Name>,
    /// Names of streams before, which have memory.
    spare: Vec<Name>,
    pub scope: Scope,
    pub max_length: Option<u32>,
    pub capacity: Option<u32>,
}

impl Tables {
    /// Empties the tables for a new stream.
    pub fn clear(&mut self) -> Result<()> {
        self.arena.0.clear();
        let room = SPARE.saturating_sub(self.spare.len());
        self.spare.extend(self.names.drain(..).take(room).map(Name::emptied));
        (self.max_length, self.capacity) = (None, None);
        self.scope = Scope::default();
        self.begin_scope()
    }

    /// Fills an empty scope with the entries that every stream starts with (appendix D).
    pub fn begin_scope(&mut self) -> Result<()> {
        self.add_uri("", Some(""), &[])?;
        self.add_uri(XML, Some("xml"), &["base", "id", "lang", "space"])?;
        self.add_uri(XSI, Some("xsi"), &["nil", "type"])?;
        self.scope.xsi_type = self.scope.uris[2].names[1];
        Ok(())
    }

    /// Adds a namespace with names.
    pub fn add_uri(&mut self, uri: &str, prefix: Option<&str>, names: &[&str]) -> Result<()> {
        let text = self.arena.add(uri)?;
        let number = self.uri(text);
        if let Some(prefix) = prefix {
            let prefix = self.arena.add(prefix)?;
            self.scope.uris[number as usize].prefixes.push(prefix);
        }
        for name in names {
            let local = self.arena.add(name)?;
            self.name(number, local);
        }
        Ok(())
    }

    /// Adds a namespace.
    pub fn uri(&mut self, text: Piece) -> u32 {
        self.scope.uris.push(Uri { text, ..Uri::default() });
        self.scope.uris.len() as u32 - 1
    }

    /// Adds a name to a namespace.
    pub fn name(&mut self, uri: u32, local: Piece) -> u32 {
        let number = self.names.len() as u32;
        let entry = &mut self.scope.uris[uri as usize];
        entry.names.push(number);
        let spare = self.spare.pop().unwrap_or_default();
        self.names.push(Name { uri, uri_text: entry.text, local, ..spare });
        number
    }

    /// Adds a value of `length` characters to the partitions, if they take it (7.3.3). Returns the
    /// value that had to go.
    #[inline(always)]
    pub fn value(&mut self, name: u32, value: Piece, length: u64) -> Option<Piece> {
        if length == 0 || self.max_length.is_some_and(|longest| length > u64::from(longest)) {
            return None;
        }
        match self.capacity {
            None => {
                self.names[name as usize].values.push(value);
                self.scope.values.push(value);
                None
            }
            Some(capacity) => self.bounded(name, value, capacity as usize),
        }
    }

    fn bounded(&mut self, name: u32, value: Piece, capacity: usize) -> Option<Piece> {
        if capacity == 0 {
            return None;
        }
        let scope = &mut self.scope;
        let values = &mut self.names[name as usize].values;
        values.push(value);
        let owner = (name, values.len() as u32 - 1);
        let mut gone = None;
        if scope.next < scope.values.len() {
            let (name, place) = std::mem::replace(&mut scope.owners[scope.next], owner);
            gone = Some(std::mem::replace(&mut scope.values[scope.next], value));
            self.names[name as usize].values[place as usize] = Piece::GONE;
        } else {
            scope.values.push(value);
            scope.owners.push(owner);
        }
        scope.next = (scope.next + 1) % capacity;
        gone
    }
}
