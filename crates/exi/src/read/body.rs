//! Reads the structure of a body by the built-in grammars (EXI 1.0, 8.4).

use polywire_core::{Budget, Error, ErrorKind, Result, Span};

use crate::bits::{Bits, width};
use crate::grammar::{Grammar, Second, Seconds};
use crate::options::{Alignment, Options};
use crate::tables::{Known, Piece, Production, Scope, Tables};

/// Names below this length cost no more than their event does.
const SHORT: u32 = 64;

/// The place of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    /// An attribute of this name, and its prefix.
    Attribute(u32, Option<Piece>),
    /// Text in an element of this name.
    Text(u32),
}

/// The value of `xsi:type`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Type {
    Text(Piece),
    Name(u32, Option<Piece>),
}

/// The outcome of taking text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// The text.
    Text,
    /// The text and the end of its element.
    Leaf,
    /// The text, after which the block is full.
    Full,
}

/// A receiver of structure.
pub(crate) trait Receiver {
    fn start(&mut self, tables: &Tables, name: u32, prefix: Option<Piece>, at: Span, budget: &mut Budget) -> Result<()>;
    fn end(&mut self, at: Span, budget: &mut Budget) -> Result<()>;
    fn self_contained(&mut self, at: Span, budget: &mut Budget) -> Result<()>;
    fn namespace(&mut self, tables: &Tables, prefix: Piece, uri: Piece, own: bool, at: Span, budget: &mut Budget) -> Result<()>;
    fn xsi_type(&mut self, tables: &Tables, name: (u32, Option<Piece>), value: Type, at: Span, budget: &mut Budget) -> Result<()>;
    /// Takes a value, or reads it. Returns true if the block is full.
    fn value(&mut self, tables: &mut Tables, bits: &mut Bits<'_>, of: Of, at: u64, budget: &mut Budget) -> Result<bool>;
    /// Takes text in an element of this name, or reads it, with the end of the element if that
    /// comes next: a code of `end`'s width and value.
    fn text(&mut self, tables: &mut Tables, bits: &mut Bits<'_>, name: u32, end: (u32, u32), at: u64, budget: &mut Budget)
    -> Result<Taken>;
    fn comment(&mut self, tables: &Tables, text: Piece, at: Span, budget: &mut Budget) -> Result<()>;
    fn instruction(&mut self, tables: &Tables, parts: [Piece; 2], at: Span, budget: &mut Budget) -> Result<()>;
    fn doctype(&mut self, tables: &Tables, parts: [Piece; 4], at: Span, budget: &mut Budget) -> Result<()>;
    fn reference(&mut self, tables: &Tables, name: Piece, at: Span, budget: &mut Budget) -> Result<()>;
}

/// An element that has started.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    pub name: u32,
    pub in_content: bool,
}

/// The state outside of all elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Outside {
    #[default]
    Before,
    After,
    Fragment,
    /// Nothing outside is read: the body ends with its element.
    Nowhere,
}

/// The state of a self-contained element's surroundings.
#[derive(Debug)]
pub(super) struct Saved {
    pub scope: Scope,
    /// Number of elements around it.
    pub depth: usize,
}

/// The state of a body that is being read.
#[derive(Debug)]
pub(crate) struct Body {
    pub(super) grammar: Grammar,
    aligned: bool,
    prefixes: bool,
    lexical: bool,
    pub(super) outside: Outside,
    pub(super) levels: Vec<Level>,
    pub(super) saved: Vec<Saved>,
}

impl Body {
    pub fn new(options: &Options, outside: Outside) -> Body {
        Body {
            grammar: Grammar::of(options),
            aligned: options.alignment != Alignment::BitPacked,
            prefixes: options.preserve.prefixes,
            lexical: options.preserve.lexical,
            outside,
            levels: Vec::new(),
            saved: Vec::new(),
        }
    }

    /// Reads events until the end of the body, or of a block: then it returns false.
    pub fn run<R: Receiver>(&mut self, tables: &mut Tables, bits: &mut Bits<'_>, receiver: &mut R, budget: &mut Budget) -> Result<bool> {
        bits.set_aligned(self.aligned);
        loop {
            let Some(level) = self.levels.last() else {
                if self.outside(tables, bits, receiver, budget)? {
                    return Ok(true);
                }
                continue;
            };
            let name = &tables.names[level.name as usize];
            let at = bits.offset();
            if level.in_content {
                let learned = name.content.len();
                let code = bits.number(width(learned + 2))? as usize;
                if code < learned {
                    match name.content[learned - 1 - code].known() {
                        Known::Element(child) => self.start(tables, bits, receiver, child, at, budget)?,
                        _ => {
                            let name = level.name;
                            if self.text(tables, bits, receiver, name, at, budget)? {
                                return Ok(false);
                            }
                        }
                    }
                } else if code == learned {
                    self.end(tables, bits, receiver, at, budget)?;
                } else if code == learned + 1 {
                    if self.content(tables, bits, receiver, at, budget)? {
                        return Ok(false);
                    }
                } else {
                    return Err(wrong_code(at));
                }
            } else {
                let learned = name.start.len();
                let code = bits.number(width(learned + 1))? as usize;
                if code < learned {
                    let production = name.start[learned - 1 - code];
                    // Branches are foreseen better than a jump by a table.
                    if production == Production::TEXT {
                        let name = level.name;
                        self.end_tag();
                        if self.text(tables, bits, receiver, name, at, budget)? {
                            return Ok(false);
                        }
                    } else if let Known::Element(child) = production.known() {
                        self.end_tag();
                        self.start(tables, bits, receiver, child, at, budget)?;
                    } else if let Known::Attribute(name) = production.known() {
                        if self.attribute(tables, bits, receiver, name, at, budget)? {
                            return Ok(false);
                        }
                    } else {
                        self.end(tables, bits, receiver, at, budget)?;
                    }
                } else if code == learned {
                    if self.start_tag(tables, bits, receiver, at, budget)? {
                        return Ok(false);
                    }
                } else {
                    return Err(wrong_code(at));
                }
            }
        }
    }

    /// Opens an element of a name, as a schema's wildcard finds it.
    pub fn open<R: Receiver>(
        &mut self,
        tables: &mut Tables,
        bits: &mut Bits<'_>,
        receiver: &mut R,
        name: u32,
        budget: &mut Budget,
    ) -> Result<()> {
        let at = bits.offset();
        self.start(tables, bits, receiver, name, at, budget)
    }

    pub(super) fn second(&self, bits: &mut Bits<'_>, seconds: &Seconds, at: u64) -> Result<Second> {
        let code = bits.number(seconds.width)?;
        seconds.get(code).ok_or_else(|| wrong_code(at))
    }

    /// Ends the start tag of the innermost element: what follows is content.
    #[inline(always)]
    fn end_tag(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            level.in_content = true;
        }
    }

    #[inline(always)]
    pub(super) fn start<R: Receiver>(
        &mut self,
        tables: &mut Tables,
        bits: &mut Bits<'_>,
        receiver: &mut R,
        name: u32,
        at: u64,
        budget: &mut Budget,
    ) -> Result<()> {
        let prefix = self.prefix(tables, bits, name)?;
        budget.enter(at)?;
        spend_name(tables, name, at, budget)?;
        receiver.start(tables, name, prefix, bits.since(at), budget)?;
        self.levels.push(Level { name, in_content: false });
        Ok(())
    }

    #[inline(always)]
    pub(super) fn prefix(&self, tables: &Tables, bits: &mut Bits<'_>, name: u32) -> Result<Option<Piece>> {
        if !self.prefixes {
            return Ok(None);
        }
        let prefixes = &tables.scope.uris[tables.names[name as usize].uri as usize].prefixes;
        let at = bits.offset();
        let place = bits.number(width(prefixes.len()))?;
        match prefixes.get(place as usize) {
            Some(prefix) => Ok(Some(*prefix)),
            None if prefixes.is_empty() => Ok(None),
            None => Err(missing("prefix", at)),
        }
    }

    #[inline(always)]
    fn end<R: Receiver>(&mut self, tables: &mut Tables, bits: &mut Bits<'_>, receiver: &mut R, at: u64, budget: &mut Budget) -> Result<()> {
        self.levels.pop();
        budget.leave();
        if self.saved.last().is_some_and(|saved| saved.depth == self.levels.len()) {
            self.leave_scope(tables, bits)?;
        }
        receiver.end(bits.since(at), budget)
    }

    /// Reads text in the innermost element, whose name this is. Returns true if the block is full.
    #[inline(always)]
    fn text<R: Receiver>(
        &mut self,
        tables: &mut Tables,
        bits: &mut Bits<'_>,
        receiver: &mut R,
        name: u32,
        at: u64,
        budget: &mut Budget,
    ) -> Result<bool> {
        if !self.saved.is_empty() {
            return receiver.value(tables, bits, Of::Text(name), at, budget);
        }
        let learned = tables.names[name as usize].content.len();
        let end = (width(learned + 2), learned as u32);
        match receiver.text(tables, bits, name, end, at, budget)? {
            Taken::Text => {}
            Taken::Leaf => {
                self.levels.pop();
                budget.leave();
            }
            Taken::Full => return Ok(true),
        }
        Ok(false)
    }

    #[inline(always)]
    fn attribute<R: Receiver>(
        &mut self,
        tables: &mut Tables,
        bits: &mut Bits<'_>,
        receiver: &mut R,
        name: u32,
        at: u64,
        budget: &mut Budget,
    ) -> Result<bool> {
        let prefix = self.prefix(tables, bits, name)?;
        spend_name(tables, name, at, budget)?;
        if name != tables.scope.xsi_type {
            return receiver.value(tables, bits, Of::Attribute(name, prefix), at, budget);
        }
        let value = if self.lexical {
            Type::Text(tables.read_value(bits, name, budget)?)
        } else {
            let value = tables.read_name(bits)?;
            spend_name(tables, value, at, budget)?;
            Type::Name(value, self.prefix(tables, bits, value)?)
        };
        receiver.xsi_type(tables, (name, prefix), value, bits.since(at), budget)?;
        Ok(false)
    }

    /// Reads an event of a start tag that its grammar has not learned.
    #[inline(never)]
    fn start_tag<R: Receiver>(
        &mut self,
        tables: &mut Tables,
        bits: &mut Bits<'_>,
        receiver: &mut R,
        at: u64,
        budget: &mut Budget,
    ) -> Result<bool> {
        let Some(level) = self.levels.last().copied() else { return Ok(false) };
        let grammar = level.name as usize;
        let seconds = self.grammar.start;
        match self.second(bits, &seconds, at)? {
            Second::End => {
                tables.names[grammar].learn_end();
                self.end(tables, bits, receiver, at, budget)?;
            }
            Second::Attribute => {
                let name = tables.read_name(bits)?;
                let is_type = name == tables.scope.xsi_type;
                tables.names[grammar].learn_attribute(name, is_type);
                return self.attribute(tables, bits, receiver, name, at, budget);
            }
            Second::Namespace => {
                let uri = tables.read_uri(bits)?;
                let prefix = tables.read_prefix(bits, uri)?;
                let own = bits.number(1)? == 1;
                let uri = tables.scope.uris[uri as usize].text;
                spend(uri.len.saturating_add(prefix.len), at, budget)?;
                receiver.namespace(tables, prefix, uri, own, bits.since(at), budget)?;
            }
            Second::SelfContained => {
                self.enter_scope(tables, bits, level, at, budget)?;
                receiver.self_contained(bits.since(at), budget)?;
            }
            Second::Element => {
                let name = tables.read_name(bits)?;
                tables.names[grammar].start.push(Production::element(name));
                self.end_tag();
                self.start(tables, bits, receiver, name, at, budget)?;
            }
            Second::Text => {
                tables.names[grammar].learn_start_text();
                self.end_tag();
                return receiver.value(tables, bits, Of::Text(level.name), at, budget);
            }
            other => {
                self.end_tag();
                self.remark(other, tables, bits, receiver, at, budget)?;
            }
        }
        Ok(false)
    }

    /// Reads an event of content that its grammar has not learned.
    #[inline(never)]
    fn content<R: Receiver>(
        &mut self,
        tables: &mut Tables,
        bits: &mut Bits<'_>,
        receiver: &mut R,
        at: u64,
        budget: &mut Budget,
    ) -> Result<bool> {
        let Some(level) = self.levels.last().copied() else { return Ok(false) };
        let grammar = level.name as usize;
        let seconds = self.grammar.content;
        match self.second(bits, &seconds, at)? {
            Second::Element => {
                let name = tables.read_name(bits)?;
                tables.names[grammar].content.push(Production::element(name));
                self.start(tables, bits, receiver, name, at, budget)?;
            }
            Second::Text => {
                tables.names[grammar].learn_content_text();
                return receiver.value(tables, bits, Of::Text(level.name), at, budget);
            }
            other => self.remark(other, tables, bits, receiver, at, budget)?,
        }
        Ok(false)
    }
}

/// Spends what a repeated text makes, beyond the bits that refer to it.
#[inline(always)]
pub(crate) fn spend(len: u32, at: u64, budget: &mut Budget) -> Result<()> {
    if len > SHORT { budget.decode(u64::from(len), at) } else { Ok(()) }
}

#[inline(always)]
fn spend_name(tables: &Tables, name: u32, at: u64, budget: &mut Budget) -> Result<()> {
    let name = &tables.names[name as usize];
    spend(name.local.len.saturating_add(name.uri_text.len), at, budget)
}

#[cold]
pub(crate) fn wrong_code(at: u64) -> Error {
    Error::data(ErrorKind::Syntax, at).seen("an event code that the grammar does not have").expected("one of its codes")
}

#[cold]
pub(crate) fn missing(what: &'static str, at: u64) -> Error {
    Error::data(ErrorKind::Syntax, at).seen(format!("a reference to a {what} that has not come")).expected("one of the string table")
}
