//! Writes streams.

mod bits;
mod blocks;
mod events;
mod header;
mod index;
mod remarks;

use polywire_core::{Error, Result};

use crate::bits::width;
use crate::events::Value;
use crate::grammar::{Grammar, Second};
use crate::options::{Alignment, Options};
use crate::tables::{Production, Scope, Tables, XSI};
use bits::BitsOut;
use blocks::Blocks;
use index::{Index, Productions, key};

pub use header::Head;

/// An element that has started.
#[derive(Debug, Clone, Copy)]
struct Level {
    name: u32,
    in_content: bool,
}

/// The state outside of a self-contained element.
#[derive(Debug)]
struct Saved {
    scope: Scope,
    index: Index,
    depth: usize,
}

/// Writes streams, and keeps memory between them. Events come in the order of a document: the
/// namespaces of an element before its attributes, and `xsi:type` before the others.
///
/// Comments, instructions, document types and references that the options do not keep are left out.
#[derive(Debug, Default)]
pub struct Encoder {
    options: Options,
    grammar: Option<Grammar>,
    tables: Tables,
    index: Index,
    productions: Productions,
    out: BitsOut,
    blocks: Blocks,
    levels: Vec<Level>,
    saved: Vec<Saved>,
    /// True once the root element has started.
    started: bool,
}

impl Encoder {
    /// Creates an encoder.
    pub fn new() -> Encoder {
        Encoder::default()
    }

    /// Begins a stream.
    ///
    /// # Errors
    /// The header cannot hold the options.
    pub fn begin(&mut self, options: &Options, head: Head) -> Result<()> {
        self.options.clone_from(options);
        self.grammar = Some(Grammar::of(options));
        self.tables.clear()?;
        self.tables.max_length = options.value_max_length;
        self.tables.capacity = options.value_partition_capacity;
        self.index.begin(&self.tables);
        self.productions.clear();
        self.levels.clear();
        self.saved.clear();
        self.started = false;
        self.out.clear(false);
        header::write(&mut self.out, head, options)?;
        if options.alignment.has_blocks() {
            self.blocks.begin(options, self.out.get());
            self.out.clear(true);
        }
        self.out.aligned = options.alignment != Alignment::BitPacked;
        Ok(())
    }

    fn grammar(&self) -> Result<Grammar> {
        self.grammar.ok_or_else(|| Error::internal("an event of EXI outside of a stream"))
    }

    fn second(&mut self, in_content: bool, second: Second) -> Result<bool> {
        let grammar = self.grammar()?;
        let seconds = if in_content { &grammar.content } else { &grammar.start };
        let Some(code) = seconds.code(second) else { return Ok(false) };
        let Some(level) = self.levels.last() else { return Err(misuse()) };
        let name = &self.tables.names[level.name as usize];
        if in_content {
            self.out.number(name.content.len() as u32 + 1, width(name.content.len() + 2));
        } else {
            self.out.number(name.start.len() as u32, width(name.start.len() + 1));
        }
        self.out.number(code, seconds.width);
        Ok(true)
    }

    /// Writes the code of a production that the innermost element's grammar has learned; returns
    /// false if it has not.
    fn known(&mut self, production: Production) -> bool {
        let Some(level) = self.levels.last() else { return false };
        let Some(place) = self.productions.get(&key(level.name, level.in_content, production)) else { return false };
        let name = &self.tables.names[level.name as usize];
        let (learned, more) = if level.in_content { (name.content.len(), 2) } else { (name.start.len(), 1) };
        self.out.number(learned as u32 - 1 - place, width(learned + more));
        true
    }

    fn learn(&mut self, production: Production) {
        let Some(level) = self.levels.last() else { return };
        let name = &mut self.tables.names[level.name as usize];
        let list = if level.in_content { &mut name.content } else { &mut name.start };
        self.productions.insert(key(level.name, level.in_content, production), list.len() as u32);
        list.push(production);
    }

    /// Ends the start tag of the innermost element: what follows is content.
    fn end_tag(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            level.in_content = true;
        }
    }

    fn put_prefix(&mut self, name: u32, prefix: Option<&str>) {
        if !self.options.preserve.prefixes {
            return;
        }
        let uri = self.tables.names[name as usize].uri;
        let count = self.tables.scope.uris[uri as usize].prefixes.len();
        let place = prefix.and_then(|prefix| self.index.prefix(&self.tables, uri, prefix));
        // A namespace event names a prefix that is not there.
        self.out.number(place.unwrap_or(0), width(count));
    }

    /// Writes the start of an element.
    ///
    /// # Errors
    /// Events came in another order than in a document, as in all methods, or the stream is longer
    /// than 4 GiB.
    pub fn start(&mut self, uri: &str, local: &str, prefix: Option<&str>) -> Result<()> {
        let name = match self.levels.last() {
            None => self.start_outside(uri, local)?,
            Some(level) => {
                let in_content = level.in_content;
                match self.index.name(&self.tables, uri, local) {
                    Some(name) if self.known(Production::element(name)) => {
                        self.end_tag();
                        name
                    }
                    _ => {
                        self.second(in_content, Second::Element)?;
                        let name = self.index.put_name(&mut self.tables, &mut self.out, uri, local)?;
                        self.learn(Production::element(name));
                        self.end_tag();
                        name
                    }
                }
            }
        };
        self.put_prefix(name, prefix);
        self.levels.push(Level { name, in_content: false });
        Ok(())
    }

    /// Writes the start of an element that has no other around it, without its prefix.
    fn start_outside(&mut self, uri: &str, local: &str) -> Result<u32> {
        let grammar = self.grammar()?;
        if self.options.fragment {
            return self.fragment_element(uri, local);
        }
        if std::mem::replace(&mut self.started, true) {
            return Err(misuse());
        }
        self.out.number(0, u32::from(grammar.before.any()));
        self.index.put_name(&mut self.tables, &mut self.out, uri, local)
    }

    fn fragment_element(&mut self, uri: &str, local: &str) -> Result<u32> {
        let remarks = usize::from(self.grammar()?.outside.any());
        let learned = self.tables.scope.tops.len();
        let bits = width(learned + 2 + remarks);
        if let Some(name) = self.index.name(&self.tables, uri, local)
            && let Some(place) = self.productions.get(&(u32::MAX, name))
        {
            self.out.number(learned as u32 - 1 - place, bits);
            return Ok(name);
        }
        self.out.number(learned as u32, bits);
        let name = self.index.put_name(&mut self.tables, &mut self.out, uri, local)?;
        self.productions.insert((u32::MAX, name), learned as u32);
        self.tables.scope.tops.push(name);
        Ok(name)
    }

    /// Makes the element that has just started self-contained: it can be read without what is
    /// before it. Without the option `self_contained`, or in blocks, nothing is written.
    ///
    /// # Errors
    /// As [`Encoder::start`].
    pub fn self_contained(&mut self) -> Result<()> {
        let Some(level) = self.levels.last().copied().filter(|level| !level.in_content) else { return Err(misuse()) };
        if !self.second(false, Second::SelfContained)? {
            return Ok(());
        }
        self.out.align();
        let name = &self.tables.names[level.name as usize];
        let (uri, local) = (self.tables.arena.get(name.uri_text).to_string(), self.tables.arena.get(name.local).to_string());
        let scope = std::mem::take(&mut self.tables.scope);
        self.tables.begin_scope()?;
        let mut index = Index::default();
        index.begin(&self.tables);
        let index = std::mem::replace(&mut self.index, index);
        self.saved.push(Saved { scope, index, depth: self.levels.len() - 1 });
        let name = self.fragment_element(&uri, &local)?;
        self.put_prefix(name, None);
        if let Some(level) = self.levels.last_mut() {
            level.name = name;
        }
        Ok(())
    }

    /// Writes the declaration of a prefix, if the options keep prefixes. `own` means that it is the
    /// prefix of the element that declares it.
    ///
    /// # Errors
    /// As [`Encoder::start`].
    pub fn namespace(&mut self, prefix: &str, uri: &str, own: bool) -> Result<()> {
        if !self.second(false, Second::Namespace)? {
            return Ok(());
        }
        let uri = self.index.put_uri(&mut self.tables, &mut self.out, uri)?;
        let count = self.tables.scope.uris[uri as usize].prefixes.len();
        let bits = width(count + 1);
        match self.index.prefix(&self.tables, uri, prefix) {
            Some(place) => self.out.number(place + 1, bits),
            None => {
                self.out.number(0, bits);
                self.out.string(prefix);
                let text = self.tables.arena.add(prefix)?;
                self.tables.scope.uris[uri as usize].prefixes.push(text);
                self.index.add_prefix(&self.tables, uri, count as u32);
            }
        }
        self.out.number(u32::from(own), 1);
        Ok(())
    }

    /// Writes an attribute. A name as its value is that of `xsi:type`; unless the options keep
    /// spellings, that attribute has no other value.
    ///
    /// # Errors
    /// As [`Encoder::start`], or text as the value of `xsi:type`.
    pub fn attribute(&mut self, uri: &str, local: &str, prefix: Option<&str>, value: Value<'_>) -> Result<()> {
        if self.levels.last().is_none_or(|level| level.in_content) {
            return Err(misuse());
        }
        let name = match self.index.name(&self.tables, uri, local) {
            Some(name) if self.known(Production::attribute(name)) => name,
            _ => {
                self.second(false, Second::Attribute)?;
                let name = self.index.put_name(&mut self.tables, &mut self.out, uri, local)?;
                self.learn(Production::attribute(name));
                name
            }
        };
        self.put_prefix(name, prefix);
        if !(uri == XSI && local == "type") {
            let Value::Text(text) = value else { return Err(misuse()) };
            return self.value(name, text);
        }
        match value {
            Value::Text(text) if self.options.preserve.lexical => self.index.put_value(&mut self.tables, &mut self.out, name, text),
            Value::Name(value) if !self.options.preserve.lexical => {
                let number = self.index.put_name(&mut self.tables, &mut self.out, value.uri, value.local)?;
                self.put_prefix(number, value.prefix);
                Ok(())
            }
            _ => Err(misuse()),
        }
    }

    /// Writes text.
    ///
    /// # Errors
    /// As [`Encoder::start`].
    pub fn text(&mut self, text: &str) -> Result<()> {
        let Some(level) = self.levels.last().copied() else { return Err(misuse()) };
        if !self.known(Production::TEXT) {
            self.second(level.in_content, Second::Text)?;
            self.learn(Production::TEXT);
        }
        self.end_tag();
        self.value(level.name, text)
    }

    fn value(&mut self, name: u32, text: &str) -> Result<()> {
        if !self.options.alignment.has_blocks() {
            return self.index.put_value(&mut self.tables, &mut self.out, name, text);
        }
        if self.blocks.add(name, text)? {
            self.end_block()?;
        }
        Ok(())
    }

    fn end_block(&mut self) -> Result<()> {
        self.blocks.end(&mut self.tables, &mut self.index, &mut self.out)
    }

    /// Writes the end of the innermost element.
    ///
    /// # Errors
    /// As [`Encoder::start`].
    pub fn end(&mut self) -> Result<()> {
        let Some(level) = self.levels.last().copied() else { return Err(misuse()) };
        if level.in_content {
            let learned = self.tables.names[level.name as usize].content.len();
            self.out.number(learned as u32, width(learned + 2));
        } else if !self.known(Production::END) {
            self.second(false, Second::End)?;
            self.learn(Production::END);
        }
        self.levels.pop();
        if let Some(saved) = self.saved.pop_if(|saved| saved.depth == self.levels.len()) {
            self.end_fragment()?;
            (self.tables.scope, self.index) = (saved.scope, saved.index);
            self.out.align();
        }
        Ok(())
    }

    fn end_fragment(&mut self) -> Result<()> {
        let remarks = usize::from(self.grammar()?.outside.any());
        let learned = self.tables.scope.tops.len();
        self.out.number(learned as u32 + 1, width(learned + 2 + remarks));
        Ok(())
    }

    /// Ends the stream, and appends it to `out`.
    ///
    /// # Errors
    /// An element has not ended, or a document has none.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let grammar = self.grammar()?;
        if !self.levels.is_empty() || !(self.started || self.options.fragment) {
            return Err(misuse());
        }
        if self.options.fragment {
            self.end_fragment()?;
        } else {
            self.out.number(0, u32::from(grammar.outside.any()));
        }
        if self.options.alignment.has_blocks() {
            self.end_block()?;
            out.extend_from_slice(self.blocks.get());
        } else {
            self.out.align();
            out.extend_from_slice(self.out.get());
        }
        self.grammar = None;
        Ok(())
    }
}

#[cold]
fn misuse() -> Error {
    Error::internal("events of EXI in an order that no document has").format_is("exi")
}
