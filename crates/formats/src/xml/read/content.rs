//! Elements and their content.

use memchr::{memchr, memmem};
use polywire_core::bytes::find_any;
use polywire_core::{Error, ErrorKind, Len, Open, Scalar, Span};

use super::super::chars::{may_start_name, scan_name, skip_space};
use super::super::{prolog, values};
use super::leaves::Found;
use super::paths::{self, PathId};
use super::sink::ElementSink;
use super::source::Source;
use super::walker::{Halt, Kind, Level, Run, Tag, Walk, Walker, entered};

impl<'m, 't, 'd, S: Source<'m, 't, 'd>, K: ElementSink<'m>> Walker<'_, 'm, 't, 'd, S, K>
where
    'm: 't,
{
    /// Reads the content of the open elements, down to the end of all.
    pub(super) fn content(&mut self) -> Walk<()> {
        while !self.work.levels.is_empty() {
            if self.peek(self.pos) == b'<' {
                match self.peek(self.pos + 1) {
                    b'/' => {
                        self.end_tag()?;
                        continue;
                    }
                    b'!' if self.text.as_bytes()[self.pos..].starts_with(b"<![CDATA[") => {}
                    b'!' | b'?' => {
                        match prolog::misc(self.text, self.pos).map_err(|error| self.place(error))? {
                            Some(piece) => {
                                self.piece(piece)?;
                                self.pos = piece.end;
                            }
                            None => return Err(self.wrong(self.pos + 1, "a comment, a CDATA section or an element")),
                        }
                        continue;
                    }
                    _ => {
                        if self.as_expected()? {
                            continue;
                        }
                        let tag = self.tag()?;
                        if K::HAS_PROFILE && self.marks.is_some() {
                            self.marked(tag)?;
                        } else {
                            self.plain(tag)?;
                        }
                        continue;
                    }
                }
            }
            if self.as_expected()? {
                continue;
            }
            if self.pos == self.text.len() && self.outer.is_empty() {
                return Err(self.unfinished());
            }
            // Two calls, so that the common case needs no copy of the run.
            if let Some(run) = self.quick_run() {
                self.text_field(&run)?;
            } else if !self.step_over()? {
                let run = self.slow_run()?;
                self.text_field(&run)?;
            }
        }
        Ok(())
    }

    #[cold]
    pub(super) fn unfinished(&self) -> Halt {
        let name = self.work.levels.last().map_or("", |level| &self.text[level.name.0..level.name.1]);
        self.wrong(self.text.len(), format!("`</{name}>`"))
    }

    pub(super) fn push(&mut self, tag: Tag, kind: Kind) -> Walk<()> {
        let preserve = self.work.levels.last().is_some_and(|level| level.preserve);
        self.work.levels.push(Level {
            name: tag.name,
            nesting: self.nesting(),
            kind,
            had_text: false,
            preserve,
            scope: tag.scope,
            count: 0,
            path: tag.path,
            last: PathId::NONE,
            likely: self.work.paths.first(tag.path, paths::Kind::Element),
        });
        self.pos = tag.after;
        Ok(())
    }

    /// Returns the end of a start tag's name, if it stands at `at` again, perhaps as the beginning
    /// of a longer one.
    #[inline(always)]
    pub(super) fn same_name(&self, path: PathId, name: (usize, usize), at: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        if let Some(name) = self.work.paths.name_at(path, bytes, at) {
            return Some(name.end);
        }
        let end = at + name.1 - name.0;
        (bytes.get(at..end) == Some(&bytes[name.0..name.1])).then_some(end)
    }

    /// Reads the end tag at `pos` and leaves the element it ends; returns the element, and the
    /// tag's start.
    #[inline(always)]
    pub(super) fn finish(&mut self) -> Walk<(Level, usize)> {
        let start = self.pos;
        let Some(level) = self.work.levels.pop() else { return Err(self.wrong(start, "no end tag")) };
        if level.nesting != self.nesting() {
            return Err(self.mismatched(start, level));
        }
        let bytes = self.text.as_bytes();
        // Ranges of names count in the text that the element started in.
        let Some(mut at) = self.same_name(level.path, level.name, start + 2) else { return Err(self.mismatched(start, level)) };
        if self.peek(at) != b'>' {
            at = skip_space(bytes, at);
            if self.peek(at) != b'>' {
                return Err(self.mismatched(start, level));
            }
        }
        self.pos = at + 1;
        if level.scope != self.scope.len() {
            self.scope.leave(level.scope);
        }
        Ok((level, start))
    }

    #[cold]
    pub(super) fn mismatched(&self, start: usize, level: Level) -> Halt {
        if level.nesting != self.outer.len() {
            return Error::data(ErrorKind::Syntax, self.offset(start))
                .seen("an end tag in the text of an entity")
                .expected("the end tags of the elements that start in it, and no others")
                .into();
        }
        let name = &self.text[level.name.0..level.name.1];
        match scan_name(self.text, start + 2) {
            Ok(seen) if &self.text[start + 2..seen.end] != name && seen.end < self.text.len() => {
                Error::data(ErrorKind::Syntax, self.offset(start))
                    .seen(format!("`</{}>`", &self.text[start + 2..seen.end]))
                    .expected(format!("`</{name}>`"))
                    .into()
            }
            Ok(seen) => self.wrong(skip_space(self.text.as_bytes(), seen.end), "`>`, the end of an end tag"),
            Err(at) => self.wrong(at, format!("`</{name}>`")),
        }
    }

    pub(super) fn end_tag(&mut self) -> Walk<()> {
        let (level, start) = self.finish()?;
        match level.kind {
            Kind::Pair if level.count == 2 => return Ok(()),
            Kind::Tagged if level.count != 1 => return Err(self.count(start, "one value in a tagged value", level.count)),
            Kind::Pair => return Err(self.count(start, "a key and a value in a pair", level.count)),
            _ => {}
        }
        let at = self.span(start, self.pos);
        self.sink.close(at)?;
        self.budget.leave();
        Ok(())
    }

    #[cold]
    pub(super) fn count(&self, at: usize, expected: &'static str, count: u32) -> Halt {
        Error::data(ErrorKind::Syntax, self.offset(at)).seen(format!("{count} values")).expected(expected).into()
    }

    /// Reads an element in a document.
    #[inline(always)]
    pub(super) fn plain(&mut self, tag: Tag) -> Walk<()> {
        if !self.element(tag)? {
            return self.skip(tag);
        }
        if self.work.attributes.is_empty() {
            if tag.empty {
                self.pos = tag.after;
                return self.scalar(Scalar::Text(S::lend("")), self.span(tag.start, tag.after));
            }
            let at = self.span(tag.start, tag.after);
            if self.peek(tag.after) == b'<' && may_start_name(self.peek(tag.after + 1)) {
                return self.record_of_elements(tag, at);
            }
            if let Some((start, end)) = self.short_leaf(tag) {
                let at = self.span(tag.start, self.pos);
                return self.scalar(Scalar::Text(S::lend(&self.text[start..end])), at);
            }
            self.push(tag, Kind::Leaf)?;
            let run = self.run()?;
            if self.peek(self.pos) == b'<' && self.peek(self.pos + 1) == b'/' {
                self.finish()?;
                let at = Span::new(at.start, self.offset(self.pos));
                return self.text_of(&run, at);
            }
            return self.record_after(at, &run);
        }
        let at = self.span(tag.start, tag.after);
        self.record(tag, Open::Record { name: "", len: Len::Unknown }, at, None)
    }

    /// Reads the expected elements; returns true if any came.
    #[inline(always)]
    fn as_expected(&mut self) -> Walk<bool> {
        match self.leaves()? {
            Found::Nothing => Ok(false),
            Found::Leaves => Ok(true),
            Found::Record(tag) => self.known_record(tag).map(|()| true),
        }
    }

    /// Reads an element without attributes that starts with another one, whose start tag was read
    /// and not emitted.
    fn known_record(&mut self, tag: Tag) -> Walk<()> {
        if !self.element(tag)? {
            return self.skip(tag);
        }
        self.record_of_elements(tag, self.span(tag.start, tag.after))
    }

    /// Reads an element without attributes that starts with another one.
    fn record_of_elements(&mut self, tag: Tag, at: Span) -> Walk<()> {
        self.budget.enter(at.start)?;
        if self.open(Open::Record { name: "", len: Len::Unknown }, at)? {
            return self.push(tag, Kind::Record);
        }
        self.skip(tag)?;
        self.budget.leave();
        Ok(())
    }

    /// Reads the common case: an element of nothing but text that needs no second look. Returns the
    /// range of its text, or `None` in any other case, with nothing read.
    #[inline(always)]
    pub(super) fn short_leaf(&mut self, tag: Tag) -> Option<(usize, usize)> {
        let bytes = self.text.as_bytes();
        let end = find_any(bytes, tag.after, [b'<', b'&'])?;
        if bytes[end] != b'<' || self.peek(end + 1) != b'/' {
            return None;
        }
        let close = self.same_name(tag.path, tag.name, end + 2).filter(|close| self.peek(*close) == b'>')?;
        if !self.contents.is_plain() {
            let text = &bytes[tag.after..end];
            if (self.contents.returns && memchr(b'\r', text).is_some())
                || (self.contents.section_end && memmem::find(text, b"]]>").is_some())
            {
                return None;
            }
        }
        self.pos = close + 1;
        Some((tag.after, end))
    }

    /// Emits the element that was pushed last, and has more than text, as a record; `run` is the
    /// text that it starts with.
    pub(super) fn record_after(&mut self, at: Span, run: &Run) -> Walk<()> {
        self.budget.enter(at.start)?;
        if !self.open(Open::Record { name: "", len: Len::Unknown }, at)? {
            self.skip_rest()?;
            self.budget.leave();
            return Ok(());
        }
        if let Some(level) = self.work.levels.last_mut() {
            level.kind = Kind::Record;
        }
        self.text_field(run)
    }

    /// Reads an element as a record or map, with its attributes as its first fields. Marks of the
    /// `prefix` are no fields.
    pub(super) fn record(&mut self, tag: Tag, open: Open<'_>, at: Span, prefix: Option<&'t str>) -> Walk<()> {
        self.budget.enter(at.start)?;
        if !self.open(open, at)? {
            self.skip(tag)?;
            self.budget.leave();
            return Ok(());
        }
        let mut preserve = None;
        for n in 0..self.work.attributes.len() {
            let attribute = self.work.attributes[n];
            let (text, presets) = (self.text, self.presets);
            let name = match attribute.preset {
                None => &text[attribute.name.0..attribute.name.1],
                Some(place) => presets[place as usize].name.as_str(),
            };
            if attribute.prefixed {
                if attribute.preset.is_none() && prefix.is_some_and(|prefix| values::is_mark(name, prefix)) {
                    continue;
                }
                if name == "xml:space" {
                    preserve = Some(match attribute.preset {
                        None => &text[attribute.value.0..attribute.value.1] == "preserve",
                        Some(place) => presets[place as usize].value.trim() == "preserve",
                    });
                }
            }
            let (name_at, value_at) = if attribute.preset.is_some() {
                (Span::new(at.start, at.start), Span::new(at.start, at.start))
            } else {
                (self.span(attribute.name.0, attribute.name.1), self.span(attribute.value.0 - 1, attribute.value.1 + 1))
            };
            self.item(name_at)?;
            if entered(self.sink.attribute(attribute.path, name, name_at)?)? {
                let text = self.value(attribute)?;
                self.text_of(&Run { text, blank: false, at: value_at }, value_at)?;
            }
        }
        if prefix.is_none()
            && !tag.empty
            && self.peek(tag.after) > b' '
            && let Some((start, end)) = self.short_leaf(tag)
        {
            return self.text_and_close(tag, start, end);
        }
        let kind = if matches!(open, Open::Map(_)) { Kind::Map } else { Kind::Record };
        self.push(tag, kind)?;
        if let (Some(level), Some(preserve)) = (self.work.levels.last_mut(), preserve) {
            level.preserve = preserve;
        }
        if tag.empty { self.close_empty(tag) } else { Ok(()) }
    }

    /// Reads the rest of an element with attributes: its text and its end tag. The text does not
    /// start with white space, and may be missing.
    fn text_and_close(&mut self, tag: Tag, start: usize, end: usize) -> Walk<()> {
        if start < end {
            let at = self.span(start, end);
            self.item(at)?;
            if entered(self.sink.text(at)?)? {
                self.scalar(Scalar::Text(S::lend(&self.text[start..end])), at)?;
            }
        }
        if tag.scope != self.scope.len() {
            self.scope.leave(tag.scope);
        }
        let at = self.span(end, self.pos);
        self.sink.close(at)?;
        self.budget.leave();
        Ok(())
    }

    /// Ends an element that has no end tag.
    pub(super) fn close_empty(&mut self, tag: Tag) -> Walk<()> {
        let Some(level) = self.work.levels.pop() else { return Ok(()) };
        self.scope.leave(tag.scope);
        match level.kind {
            Kind::Tagged => return Err(self.count(tag.start, "one value in a tagged value", 0)),
            Kind::Pair => return Err(self.count(tag.start, "a key and a value in a pair", 0)),
            _ => {}
        }
        let at = self.span(tag.after - 2, tag.after);
        self.sink.close(at)?;
        self.budget.leave();
        Ok(())
    }
}
