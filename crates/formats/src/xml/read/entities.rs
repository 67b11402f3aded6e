//! Entities: expanded within bounds, and never fetched.

use polywire_core::{Error, ErrorKind, Note, Span};

use super::super::chars::is_space;
use super::super::dtd::{Replacement, too_much};
use super::super::markup::{self, Reference};
use super::sink::ElementSink;
use super::source::Source;
use super::walker::{Outer, Walk, Walker};

impl<'m, 't, 'd, S: Source<'m, 't, 'd>, K: ElementSink<'m>> Walker<'_, 'm, 't, 'd, S, K>
where
    'm: 't,
{
    /// Counts the bytes that entities add, so that a short document can't become a huge one.
    pub(super) fn spend(&mut self, bytes: usize, at: usize) -> Walk<()> {
        let at = self.offset(at);
        match self.allowance.checked_sub(bytes as u64) {
            Some(left) => self.allowance = left,
            None => return Err(too_much(at).into()),
        }
        Ok(self.budget.decode(bytes as u64, at)?)
    }

    /// Returns the number and the text of the entity that is referred to at `at`, if its text is at
    /// hand.
    pub(super) fn entity(&self, name: &str, at: usize) -> Walk<(u32, &'d str)> {
        let dtd = self.dtd;
        let error = |seen: String| Error::data(ErrorKind::Syntax, self.offset(at)).seen(seen);
        let Some((id, replacement)) = dtd.and_then(|dtd| dtd.entity(name)) else {
            let error = error(format!("a reference to the entity `{name}`"));
            return Err(error.expected("an entity that is declared").hint("a plain `&` is written `&amp;`").into());
        };
        match replacement {
            Replacement::External => Err(error(format!("a reference to the external entity `{name}`"))
                .expected(if self.profile {
                    "text in the value of an attribute (XML 1.0, section 3.1)"
                } else {
                    "entities that the document itself declares, since nothing else is ever fetched"
                })
                .into()),
            Replacement::Unparsed => Err(error(format!("a reference to `{name}`, an entity that is no text"))
                .expected("an entity with text (XML 1.0, section 4.1)")
                .into()),
            Replacement::Text(_) if self.active[id as usize] => Err(error(format!("a reference to the entity `{name}` within itself"))
                .expected("entities that do not contain themselves")
                .into()),
            Replacement::Text(text) => Ok((id, text)),
        }
    }

    /// Returns true if a reference to the entity `name` is stepped over: its text is not in the
    /// document (section 4.4.3). Documents that become data have no place for the note.
    pub(super) fn steps_over(&self, name: &str) -> bool {
        self.profile && self.dtd.is_some_and(|dtd| dtd.steps_over(name))
    }

    /// Steps over a reference at `pos` to an entity whose text is outside of the document; returns
    /// false if none stands here. The reference itself is a note.
    pub(super) fn step_over(&mut self) -> Walk<bool> {
        if self.peek(self.pos) != b'&' || self.dtd.is_none() {
            return Ok(false);
        }
        match markup::reference(self.text, self.pos) {
            Ok((Reference::Entity(name), after)) if self.steps_over(name) => {
                self.sink.note(Note::Directive(&self.text[self.pos..after]), self.span(self.pos, after))?;
                self.pos = after;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Appends the text of an entity, and of those it refers to, to [`Work::made`]; for the value
    /// of an `attribute`, or for text.
    ///
    /// An attribute's value has no place for a reference. One to an entity that may be declared
    /// outside of the document is left out of it, and noted as unknown.
    pub(super) fn expand(&mut self, name: &str, at: usize, attribute: bool) -> Walk<()> {
        if self.unknown(name, at)? {
            return Ok(());
        }
        let (id, text) = self.entity(name, at)?;
        let mut stack = vec![(id, text, 0)];
        self.active[id as usize] = true;
        self.spend(1 + text.len(), at)?;
        while let Some((id, text, pos)) = stack.pop() {
            let rest = &text[pos..];
            let special = |byte: u8| byte == b'&' || byte == b'<' || attribute && is_space(byte);
            let next = rest.bytes().position(special);
            self.work.made.push_str(&rest[..next.unwrap_or(rest.len())]);
            let Some(next) = next else {
                self.active[id as usize] = false;
                continue;
            };
            let pos = pos + next;
            let mut after = pos + 1;
            let mut inner = None;
            match text.as_bytes()[pos] {
                b'&' => {
                    let (reference, end) = markup::reference(text, pos).map_err(|error| error.at(self.offset(at)))?;
                    after = end;
                    match reference {
                        Reference::Char(c) => self.work.made.push(c),
                        Reference::Entity(name) if self.unknown(name, at)? => {}
                        Reference::Entity(name) => inner = Some(self.entity(name, at)?),
                    }
                }
                b'<' => {
                    return Err(Error::data(ErrorKind::Syntax, self.offset(at))
                        .seen("an entity with `<` in its text")
                        .expected("no `<` in the value of an attribute")
                        .into());
                }
                _ => self.work.made.push(' '),
            }
            stack.push((id, text, after));
            if let Some((id, text)) = inner {
                self.spend(1 + text.len(), at)?;
                self.active[id as usize] = true;
                stack.push((id, text, 0));
            }
        }
        Ok(())
    }

    /// Notes a reference at `at` to an entity that is not declared in the document, if it may be
    /// declared elsewhere; returns true if so.
    fn unknown(&mut self, name: &str, at: usize) -> Walk<bool> {
        let unknown = self.steps_over(name) && self.dtd.is_some_and(|dtd| dtd.entity(name).is_none());
        if unknown {
            let at = self.offset(at);
            self.sink.note(Note::Unknown(format!("&{name};").as_bytes()), Span::new(at, at))?;
        }
        Ok(unknown)
    }

    /// Continues in the text of an entity, which may have markup.
    pub(super) fn enter_entity(&mut self, name: &str, at: usize, after: usize) -> Walk<()> {
        let (entity, text) = self.entity(name, at)?;
        let Some(text) = S::nest(text) else {
            self.expand(name, at, false)?;
            self.pos = after;
            return Ok(());
        };
        self.spend(1 + text.len(), at)?;
        self.active[entity as usize] = true;
        self.outer.push(Outer { text: self.text, at, pos: after, entity, levels: self.work.levels.len() });
        self.text = text;
        self.pos = 0;
        Ok(())
    }

    /// Returns to the text around an entity at its end; returns false at the end of the document.
    pub(super) fn leave_entity(&mut self) -> Walk<bool> {
        let at = self.offset(self.pos);
        let Some(outer) = self.outer.pop() else { return Ok(false) };
        if outer.levels != self.work.levels.len() {
            return Err(Error::data(ErrorKind::Syntax, at)
                .seen("the end of an entity's text")
                .expected("the end tag of an element that starts in it")
                .into());
        }
        self.active[outer.entity as usize] = false;
        (self.text, self.pos) = (outer.text, outer.pos);
        Ok(true)
    }
}
