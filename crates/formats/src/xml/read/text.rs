//! Character data: adjacent text, references and CDATA sections are one.

use memchr::{memchr, memchr2, memmem};
use polywire_core::bytes::find_any;
use polywire_core::{Error, ErrorKind, Note, Scalar, Span, Str};

use super::super::chars;
use super::super::markup::{self, Reference};
use super::sink::ElementSink;
use super::source::Source;
use super::walker::{Kind, Run, RunText, Walk, Walker, entered};

impl<'m, 't, 'd, S: Source<'m, 't, 'd>, K: ElementSink<'m>> Walker<'_, 'm, 't, 'd, S, K>
where
    'm: 't,
{
    /// Reads text up to the next tag, comment or instruction: character data, references and CDATA
    /// sections are one.
    #[inline(always)]
    pub(super) fn run(&mut self) -> Walk<Run> {
        match self.quick_run() {
            Some(run) => Ok(run),
            None => self.slow_run(),
        }
    }

    /// Reads the common case of [`Self::run`]: text that needs no second look.
    #[inline(always)]
    pub(super) fn quick_run(&mut self) -> Option<Run> {
        let start = self.pos;
        let bytes = self.text.as_bytes();
        let end = find_any(bytes, start, [b'<', b'&'])?;
        if bytes[end] == b'&' || self.peek(end + 1) == b'!' || !self.contents.is_plain() || self.is_nested() {
            return None;
        }
        self.pos = end;
        let blank = chars::is_blank(&self.text[start..end]);
        Some(Run { text: RunText::Plain(start, end), blank, at: self.span(start, end) })
    }

    #[inline(never)]
    pub(super) fn slow_run(&mut self) -> Walk<Run> {
        let first = self.pos;
        let from = self.offset(first);
        let mut blank = true;
        self.work.made.clear();
        loop {
            let bytes = self.text.as_bytes();
            let start = self.pos;
            let end = memchr2(b'<', b'&', &bytes[start..]).map_or(bytes.len(), |n| start + n);
            if end > start {
                let text = &self.text[start..end];
                if self.contents.section_end
                    && self.outer.is_empty()
                    && let Some(n) = memmem::find(text.as_bytes(), b"]]>")
                {
                    let error = Error::data(ErrorKind::Syntax, self.offset(start + n));
                    return Err(error.seen("`]]>` in text").expected("`]]&gt;`").into());
                }
                blank = blank && chars::is_blank(text);
                self.pos = end;
                let more =
                    self.peek(end) == b'&' || bytes[end..].starts_with(b"<![CDATA[") || (end == bytes.len() && !self.outer.is_empty());
                if !more
                    && start == first
                    && self.outer.is_empty()
                    && !(self.contents.returns && text.contains('\r'))
                    && self.work.made.is_empty()
                {
                    return Ok(Run { text: RunText::Plain(start, end), blank, at: self.span(start, end) });
                }
                if self.outer.is_empty() {
                    markup::push_normalised(&mut self.work.made, text);
                } else {
                    // Carriage returns in an entity's text were written as references.
                    self.work.made.push_str(text);
                }
            }
            if end == bytes.len() {
                if self.leave_entity()? {
                    continue;
                }
                break;
            }
            if bytes[end] == b'&' {
                let (reference, after) = markup::reference(self.text, end).map_err(|error| self.place(error))?;
                match reference {
                    Reference::Char(c) => {
                        self.work.made.push(c);
                        self.pos = after;
                        blank = false;
                    }
                    // It stands in the element beside the text.
                    Reference::Entity(name) if self.steps_over(name) => break,
                    Reference::Entity(name) => self.enter_entity(name, end, after)?,
                }
            } else if bytes[end..].starts_with(b"<![CDATA[") {
                let inner = end + "<![CDATA[".len();
                let Some(n) = memmem::find(&bytes[inner..], b"]]>") else {
                    return Err(self.wrong(self.text.len(), "`]]>`, the end of a CDATA section"));
                };
                markup::push_normalised(&mut self.work.made, &self.text[inner..inner + n]);
                self.pos = inner + n + 3;
                blank = false;
            } else {
                break;
            }
        }
        let to = self.offset(self.pos);
        let text = if self.work.made.is_empty() { RunText::Plain(self.pos, self.pos) } else { RunText::Made };
        Ok(Run { text, blank, at: Span::new(from, to.max(from)) })
    }

    /// Emits a record's text: layout, or a `#text` field.
    pub(super) fn text_field(&mut self, run: &Run) -> Walk<()> {
        if matches!(run.text, RunText::Plain(start, end) if start == end) {
            return Ok(());
        }
        let Some(level) = self.work.levels.last_mut() else { return Ok(()) };
        if run.blank {
            let text = match run.text {
                RunText::Plain(start, end) => &self.text[start..end],
                RunText::Made => &self.work.made,
            };
            if matches!(level.kind, Kind::Sequence | Kind::Tagged | Kind::Pair)
                || (!level.had_text && !level.preserve && memchr(b'\n', text.as_bytes()).is_some())
            {
                self.sink.note(Note::Layout(text), run.at)?;
                return Ok(());
            }
        }
        if !matches!(level.kind, Kind::Record | Kind::Map) {
            return Err(Error::data(ErrorKind::Syntax, run.at.start)
                .seen("text")
                .expected("an element for each value of a list, tuple, pair, variant or tagged value")
                .into());
        }
        level.had_text = true;
        self.item(run.at)?;
        if entered(self.sink.text(run.at)?)? {
            self.text_of(run, run.at)?;
        }
        Ok(())
    }

    pub(super) fn text_of(&mut self, run: &Run, at: Span) -> Walk<()> {
        self.item(at)?;
        let text = match run.text {
            RunText::Plain(start, end) => S::lend(&self.text[start..end]),
            RunText::Made => Str::Scratch(&*self.work.made),
        };
        self.sink.scalar(Scalar::Text(text), at)?;
        Ok(())
    }
}
