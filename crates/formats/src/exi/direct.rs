//! Emits a document's events as the walk of its XML would.

use polywire_core::{Budget, Error, ErrorKind, Field, Len, Next, Note, Open, Result, Scalar, Sink, Span, Str};
use polywire_exi::{Alignment, Events, Name, Options, Value};

use super::names::Names;
use super::tag::Tag;
use crate::xml::{NAMESPACE, first_illegal, is_blank};

/// An element that has started and has content, or is passed over.
#[derive(Debug, Clone, Copy)]
struct Level {
    had_text: bool,
    preserve: bool,
    /// Number of declarations around it.
    scope: usize,
}

/// Memory of walks.
#[derive(Debug, Default)]
pub struct Work {
    levels: Vec<Level>,
    tag: Tag,
    names: Names,
    /// Text that no other event follows so far.
    text: String,
    /// A field's name, or a note's text.
    made: String,
}

/// The reason for an early end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halt {
    /// The sink stopped the walk.
    Stop,
    /// The document has to be read as XML: it has marks of values, or a document type.
    AsXml,
}

/// The receiver of a document's events.
pub struct Direct<'w, 'm> {
    work: &'w mut Work,
    sink: &'w mut dyn Sink<'m>,
    /// The end of the walk before the end of the document.
    pub halt: Option<Halt>,
    /// True once the message's record is open.
    opened: bool,
    /// Number of open elements within one that the sink skips, with that one.
    skipped: u32,
    text_at: Span,
    has_text: bool,
    /// Comments and instructions before the root, which wait for its start tag.
    notes: Vec<(bool, String, Span)>,
}

impl<'w, 'm> Direct<'w, 'm> {
    /// Creates a receiver for one document.
    pub fn new(work: &'w mut Work, sink: &'w mut dyn Sink<'m>) -> Direct<'w, 'm> {
        work.levels.clear();
        work.names.clear();
        work.text.clear();
        work.tag.clear();
        let nowhere = Span::new(0, 0);
        Direct { work, sink, halt: None, opened: false, skipped: 0, text_at: nowhere, has_text: false, notes: Vec::new() }
    }

    #[cold]
    fn stop(&mut self, halt: Halt) -> Error {
        self.halt = Some(halt);
        Error::internal("the end of a walk before the end of its document")
    }

    /// Returns false if the sink skips what comes next.
    #[inline]
    fn entered(&mut self, next: Next) -> Result<bool> {
        match next {
            Next::Enter => Ok(true),
            Next::Skip => Ok(false),
            Next::Stop => Err(self.stop(Halt::Stop)),
        }
    }

    /// Opens the record that the message is.
    fn open_message(&mut self, at: Span, budget: &mut Budget) -> Result<()> {
        if std::mem::replace(&mut self.opened, true) {
            return Ok(());
        }
        for (is_comment, text, at) in std::mem::take(&mut self.notes) {
            self.sink.note(if is_comment { Note::Comment(&text) } else { Note::Directive(&text) }, at)?;
        }
        budget.item(at.start)?;
        budget.enter(at.start)?;
        let next = self.sink.open(Open::Record { name: "", len: Len::Unknown }, Span::new(at.start, at.start))?;
        if !self.entered(next)? {
            return Err(self.stop(Halt::Stop));
        }
        Ok(())
    }

    /// Opens the message by its root, whose tag is complete.
    #[cold]
    fn root(&mut self, at: Span, budget: &mut Budget) -> Result<()> {
        let tag = &self.work.tag;
        if tag.attributes().iter().any(|attribute| tag.value_of(*attribute) == NAMESPACE) {
            return Err(self.stop(Halt::AsXml));
        }
        self.open_message(at, budget)
    }

    /// Completes the start tag that waits, and emits the element as a field. Returns false if the
    /// sink skips it.
    #[inline]
    fn field(&mut self, budget: &mut Budget) -> Result<bool> {
        self.work.tag.complete(&mut self.work.names)?;
        let at = self.work.tag.at;
        if !self.opened {
            self.root(at, budget)?;
        }
        budget.item(at.start)?;
        let next = self.sink.field(Field::named(Str::Scratch(self.work.tag.name())), at)?;
        self.entered(next)
    }

    /// Emits an element that has text only as that: `at` is the text's place, and `end` that of the
    /// element's end.
    #[inline]
    fn text_value(&mut self, text: &str, at: Span, end: Span, budget: &mut Budget) -> Result<()> {
        legal(text, at)?;
        let start = self.work.tag.at;
        budget.item(start.start)?;
        self.sink.scalar(Scalar::Text(Str::Scratch(text)), Span::new(start.start, end.end.max(start.end)))
    }

    /// Closes the record that the innermost element is.
    fn close(&mut self, at: Span, budget: &mut Budget) -> Result<()> {
        if self.has_text {
            self.text_field(budget)?;
        }
        if let Some(level) = self.work.levels.pop() {
            self.work.names.leave(level.scope);
        }
        self.sink.close(at)?;
        budget.leave();
        Ok(())
    }

    /// Emits an element that has more than text: its start and attributes. Its content follows.
    fn record(&mut self, budget: &mut Budget) -> Result<()> {
        if !self.field(budget)? {
            return self.skip();
        }
        self.record_value(budget)
    }

    fn skip(&mut self) -> Result<()> {
        self.skipped = 1;
        self.work.names.leave(self.work.tag.scope);
        self.drop_text();
        Ok(())
    }

    fn record_value(&mut self, budget: &mut Budget) -> Result<()> {
        let at = self.work.tag.at;
        budget.enter(at.start)?;
        budget.item(at.start)?;
        let next = self.sink.open(Open::Record { name: "", len: Len::Unknown }, at)?;
        if !self.entered(next)? {
            budget.leave();
            return self.skip();
        }
        let mut preserve = self.work.levels.last().is_some_and(|level| level.preserve);
        for n in 0..self.work.tag.attributes().len() {
            let attribute = self.work.tag.attributes()[n];
            let name = self.work.tag.name_of(attribute);
            if name == "xml:space" {
                preserve = self.work.tag.value_of(attribute) == "preserve";
            }
            self.work.made.clear();
            self.work.made.push('@');
            self.work.made.push_str(name);
            budget.item(attribute.at.start)?;
            let next = self.sink.field(Field::named(Str::Scratch(&self.work.made)), attribute.at)?;
            if self.entered(next)? {
                let value = self.work.tag.value_of(attribute);
                legal(value, attribute.at)?;
                budget.item(attribute.at.start)?;
                self.sink.scalar(Scalar::Text(Str::Scratch(value)), attribute.at)?;
            }
        }
        self.work.levels.push(Level { had_text: false, preserve, scope: self.work.tag.scope });
        Ok(())
    }

    /// Makes sure that the innermost element is a record whose content can follow, and emits the
    /// text before it.
    fn content(&mut self, budget: &mut Budget) -> Result<()> {
        if self.work.tag.waits {
            self.record(budget)?;
        }
        if self.has_text && self.skipped == 0 {
            self.text_field(budget)?;
        }
        Ok(())
    }

    fn drop_text(&mut self) {
        self.work.text.clear();
        self.has_text = false;
    }

    /// Emits text beside other content: layout, or a field.
    fn text_field(&mut self, budget: &mut Budget) -> Result<()> {
        let at = self.text_at;
        self.has_text = false;
        if let Some(level) = self.work.levels.last_mut().filter(|_| !self.work.text.is_empty()) {
            legal(&self.work.text, at)?;
            if !level.had_text && !level.preserve && is_blank(&self.work.text) && self.work.text.contains('\n') {
                self.sink.note(Note::Layout(&self.work.text), at)?;
            } else {
                level.had_text = true;
                budget.item(at.start)?;
                let next = self.sink.field(Field::named(Str::Scratch("#text")), at)?;
                if self.entered(next)? {
                    budget.item(at.start)?;
                    self.sink.scalar(Scalar::Text(Str::Scratch(&self.work.text)), at)?;
                }
            }
        }
        self.work.text.clear();
        Ok(())
    }

    /// Ends the message.
    pub fn finish(&mut self, end: u64, budget: &mut Budget) -> Result<()> {
        let opened = self.open_message(Span::new(end, end), budget);
        if self.halt.is_some() {
            return Ok(());
        }
        opened?;
        budget.leave();
        self.sink.close(Span::new(end, end))
    }

    fn note(&mut self, is_comment: bool, text: &str, at: Span, budget: &mut Budget) -> Result<()> {
        legal(text, at)?;
        if !self.opened && !self.work.tag.waits {
            self.notes.push((is_comment, text.to_string(), at));
            return Ok(());
        }
        self.content(budget)?;
        if self.skipped > 0 {
            return Ok(());
        }
        self.sink.note(if is_comment { Note::Comment(text) } else { Note::Directive(text) }, at)
    }
}

#[inline]
fn legal(text: &str, at: Span) -> Result<()> {
    if is_printable(text.as_bytes()) { Ok(()) } else { checked(text, at) }
}

/// Returns whether all bytes are ASCII from the space on, which XML allows.
#[inline]
fn is_printable(bytes: &[u8]) -> bool {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // Each byte without its high bit gets it by this sum if it is 0x20 or more.
    let fits = |eight: [u8; 8]| {
        let word = u64::from_ne_bytes(eight);
        ((word & !HIGH) + 0x6060_6060_6060_6060) & !word & HIGH == HIGH
    };
    let (Some(last), (chunks, _)) = (bytes.last_chunk::<8>(), bytes.as_chunks::<8>()) else {
        return bytes.iter().all(|byte| (b' '..=b'~').contains(byte));
    };
    chunks.iter().all(|eight| fits(*eight)) && fits(*last)
}

fn checked(text: &str, at: Span) -> Result<()> {
    match first_illegal(text) {
        None => Ok(()),
        Some(place) => {
            let code = text[place..].chars().next().map_or(0, u32::from);
            let error = Error::data(ErrorKind::Syntax, at.start).seen(format!("the character U+{code:04X}"));
            Err(error.expected("characters that XML 1.0 allows"))
        }
    }
}

/// Says for people what a stream's options are.
fn describe(options: &Options) -> String {
    let mut text = match options.alignment {
        Alignment::BitPacked => "EXI header: bit-packed",
        Alignment::BytePacked => "EXI header: byte-packed",
        Alignment::PreCompression => "EXI header: pre-compression",
        Alignment::Compression => "EXI header: compression",
    }
    .to_string();
    let keep = options.preserve;
    for (set, name) in [
        (options.fragment, "fragment"),
        (keep.comments, "comments"),
        (keep.instructions, "instructions"),
        (keep.doctypes, "document types"),
        (keep.prefixes, "prefixes"),
        (keep.lexical, "lexical values"),
        (options.self_contained, "self-contained elements"),
    ] {
        if set {
            text.push_str(", ");
            text.push_str(name);
        }
    }
    text
}

impl Events for Direct<'_, '_> {
    fn header(&mut self, options: &Options, at: Span, _: &mut Budget) -> Result<()> {
        self.sink.note(Note::Frame(&describe(options)), at)
    }

    #[inline]
    fn start(&mut self, name: Name<'_>, at: Span, budget: &mut Budget) -> Result<()> {
        if self.skipped == 0 {
            self.content(budget)?;
        }
        if self.skipped > 0 {
            self.skipped += 1;
            return Ok(());
        }
        self.work.tag.begin(name, at, &self.work.names)
    }

    fn end(&mut self, at: Span, budget: &mut Budget) -> Result<()> {
        if self.skipped > 0 {
            self.skipped -= 1;
            return Ok(());
        }
        if self.work.tag.waits {
            if !self.field(budget)? {
                self.work.names.leave(self.work.tag.scope);
                self.drop_text();
                return Ok(());
            }
            if self.work.tag.attributes().is_empty() {
                let text = std::mem::take(&mut self.work.text);
                let outcome = self.text_value(&text, self.text_at, at, budget);
                self.work.text = text;
                self.drop_text();
                return outcome;
            }
            self.record_value(budget)?;
            if self.skipped > 0 {
                self.skipped = 0;
                return Ok(());
            }
        }
        self.close(at, budget)
    }

    fn self_contained(&mut self, _: Span, _: &mut Budget) -> Result<()> {
        if self.skipped == 0 {
            self.work.tag.self_contained();
        }
        Ok(())
    }

    fn namespace(&mut self, prefix: &str, uri: &str, own: bool, at: Span, _: &mut Budget) -> Result<()> {
        if self.skipped > 0 {
            return Ok(());
        }
        self.work.tag.namespace(prefix, uri, own, at, &mut self.work.names)
    }

    fn attribute(&mut self, name: Name<'_>, value: Value<'_>, at: Span, _: &mut Budget) -> Result<()> {
        if self.skipped > 0 {
            return Ok(());
        }
        self.work.tag.attribute(name, value, at)
    }

    #[inline]
    fn text(&mut self, text: &str, at: Span, _: &mut Budget) -> Result<()> {
        if self.skipped > 0 {
            return Ok(());
        }
        if !self.has_text {
            (self.has_text, self.text_at) = (true, at);
        }
        self.text_at.end = at.end;
        self.work.text.push_str(text);
        Ok(())
    }

    fn leaf(&mut self, text: &str, at: Span, end: Span, budget: &mut Budget) -> Result<()> {
        if self.skipped > 0 || self.has_text || !self.work.tag.waits {
            self.text(text, at, budget)?;
            return self.end(end, budget);
        }
        if !self.field(budget)? {
            self.work.names.leave(self.work.tag.scope);
            return Ok(());
        }
        if self.work.tag.attributes().is_empty() {
            return self.text_value(text, at, end, budget);
        }
        self.record_value(budget)?;
        if self.skipped > 0 {
            self.skipped = 0;
            return Ok(());
        }
        self.text(text, at, budget)?;
        self.close(end, budget)
    }

    fn comment(&mut self, text: &str, at: Span, budget: &mut Budget) -> Result<()> {
        if self.skipped > 0 {
            return Ok(());
        }
        self.note(true, text, at, budget)
    }

    fn instruction(&mut self, target: &str, text: &str, at: Span, budget: &mut Budget) -> Result<()> {
        if self.skipped > 0 {
            return Ok(());
        }
        let space = if text.is_empty() { "" } else { " " };
        self.note(false, &format!("<?{target}{space}{text}?>"), at, budget)
    }

    fn doctype(&mut self, _: [&str; 4], _: Span, _: &mut Budget) -> Result<()> {
        Err(self.stop(Halt::AsXml))
    }

    fn reference(&mut self, name: &str, at: Span, budget: &mut Budget) -> Result<()> {
        if self.skipped > 0 {
            return Ok(());
        }
        self.note(false, &format!("&{name};"), at, budget)
    }
}
