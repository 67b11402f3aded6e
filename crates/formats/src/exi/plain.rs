//! Messages that are plain documents: elements, attributes and text, which the writer of XML writes
//! without marks. They are kept as they come, and need not become XML on the way.

use polywire_core::{Field, Len, Open, Result, Scalar, Sink, Span, Str};

use super::scan::Parts;
use crate::xml::{Attributes, Prefixes, XmlWriter, first_illegal, is_blank, is_qname, split};

/// A range of [`Plain::text`].
type Range = (usize, usize);

/// A part of the message.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// An element with nothing but text.
    Leaf(Range, Range),
    Open(Range),
    /// An attribute of the element that was opened last. Its name is that of the field.
    Attribute(Range, Range),
    Text(Range),
    Close,
}

/// An open record.
#[derive(Debug, Clone, Copy)]
struct Level {
    name: Range,
    /// True as long as attributes can come.
    waits: bool,
    has_attributes: bool,
    has_child: bool,
    ends_in_text: bool,
    /// Number of declarations around it.
    scope: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Before,
    Inside,
    After,
}

/// A message so far, as long as it is plain. Each event is taken, or refused with false: then the
/// message is not plain, and [`Plain::replay`] has all that came before.
#[derive(Debug)]
pub struct Plain {
    text: String,
    steps: Vec<Step>,
    levels: Vec<Level>,
    /// The name of the field whose value comes next.
    field: Option<Range>,
    attributes: Attributes,
    scope: Prefixes,
    place: Place,
}

impl Default for Plain {
    fn default() -> Plain {
        Plain {
            text: String::new(),
            steps: Vec::new(),
            levels: Vec::new(),
            field: None,
            attributes: Attributes::default(),
            scope: Prefixes::default(),
            place: Place::Before,
        }
    }
}

impl Plain {
    /// Forgets the message.
    pub fn clear(&mut self) {
        self.text.clear();
        self.steps.clear();
        self.levels.clear();
        self.field = None;
        self.attributes.clear();
        self.scope.leave(0);
        self.place = Place::Before;
    }

    /// Returns whether the message is complete.
    pub fn is_complete(&self) -> bool {
        self.place == Place::After
    }

    fn get(&self, range: Range) -> &str {
        &self.text[range.0..range.1]
    }

    fn add(&mut self, text: &str) -> Range {
        let start = self.text.len();
        self.text.push_str(text);
        (start, self.text.len())
    }

    /// Takes the start of a container.
    pub fn open(&mut self, open: Open<'_>) -> bool {
        let Open::Record { name: "", .. } = open else { return false };
        let mut level =
            Level { name: (0, 0), waits: false, has_attributes: false, has_child: false, ends_in_text: false, scope: self.scope.len() };
        if self.place == Place::Before {
            self.place = Place::Inside;
        } else {
            let Some(name) = self.field.filter(|name| !is_special(self.get(*name))) else { return false };
            if !self.child() {
                return false;
            }
            self.field = None;
            (level.name, level.waits) = (name, true);
            self.steps.push(Step::Open(name));
        }
        self.levels.push(level);
        true
    }

    /// Takes the name of a field.
    pub fn field(&mut self, name: &str) -> bool {
        let Some(level) = self.levels.last() else { return false };
        let is_message = self.levels.len() == 1;
        if self.field.is_some() || is_message && (level.has_child || is_special(name)) {
            return false;
        }
        self.field = Some(self.add(name));
        true
    }

    /// Takes a scalar.
    pub fn scalar(&mut self, value: &Scalar<'_, '_>) -> bool {
        let (Scalar::Text(text), Some(name)) = (value, self.field) else { return false };
        let text = text.get();
        if first_illegal(text).is_some() {
            return false;
        }
        let step = match self.get(name) {
            attribute if attribute.starts_with('@') => {
                let Some(level) = self.levels.last_mut().filter(|level| level.waits) else { return false };
                let attribute = &self.text[name.0 + 1..name.1];
                // It changes what is layout.
                if attribute == "xml:space" {
                    return false;
                }
                self.attributes.push(attribute, text);
                level.has_attributes = true;
                Step::Attribute(name, self.add(text))
            }
            "#text" => {
                let unclear = text.is_empty() || is_blank(text) && text.contains('\n');
                if unclear || !self.complete() || self.levels.last().is_none_or(|level| level.ends_in_text) {
                    return false;
                }
                if let Some(level) = self.levels.last_mut() {
                    level.ends_in_text = true;
                }
                Step::Text(self.add(text))
            }
            _ => {
                if !self.child() || !self.can_be_name(name, 0) {
                    return false;
                }
                Step::Leaf(name, self.add(text))
            }
        };
        self.steps.push(step);
        self.field = None;
        true
    }

    /// Takes the end of a record.
    pub fn close(&mut self) -> bool {
        if self.field.is_some() || !self.complete() {
            return false;
        }
        let Some(level) = self.levels.last().copied() else { return false };
        // An empty one needs a mark.
        if !level.has_child && !level.has_attributes {
            return false;
        }
        self.levels.pop();
        self.scope.leave(level.scope);
        if self.levels.is_empty() {
            self.place = Place::After;
        } else {
            self.steps.push(Step::Close);
        }
        true
    }

    /// Prepares the innermost record for an element in it.
    fn child(&mut self) -> bool {
        let complete = self.complete();
        if let Some(level) = self.levels.last_mut() {
            (level.has_child, level.ends_in_text) = (true, false);
        }
        complete
    }

    /// Completes the innermost start tag. Returns false if its name or attributes cannot stand in
    /// it.
    fn complete(&mut self) -> bool {
        let is_root = self.levels.len() <= 2;
        let Some(level) = self.levels.last_mut().filter(|level| level.waits) else { return true };
        level.waits = false;
        let name = level.name;
        let count = self.attributes.len();
        if self.attributes.fit(&self.scope, is_root, false) < count || !self.can_be_name(name, count) {
            return false;
        }
        for n in 0..count {
            let (name, value) = self.attributes.get(n);
            if let Some(prefix) = name.strip_prefix("xmlns:") {
                self.scope.declare(prefix, value);
            }
        }
        self.attributes.clear();
        true
    }

    fn can_be_name(&self, name: Range, attributes: usize) -> bool {
        let name = self.get(name);
        is_qname(name)
            && split(name).is_none_or(|(prefix, _)| {
                prefix != "xmlns" && (self.scope.uri(prefix).is_some() || self.attributes.declares(prefix, attributes))
            })
    }

    /// Emits what came so far to the writer of XML.
    pub fn replay(&self, xml: &mut XmlWriter) -> Result<()> {
        // Plain parts are no losses, so their places do not matter.
        let at = Span::new(0, 0);
        let named = |name: Range| Field::named(Str::Scratch(self.get(name)));
        let text = |text: Range| Scalar::Text(Str::Scratch(self.get(text)));
        let record = Open::Record { name: "", len: Len::Unknown };
        if self.place != Place::Before {
            xml.open(record, at)?;
        }
        for step in &self.steps {
            match *step {
                Step::Leaf(name, value) | Step::Attribute(name, value) => {
                    xml.field(named(name), at)?;
                    xml.scalar(text(value), at)?;
                }
                Step::Open(name) => {
                    xml.field(named(name), at)?;
                    xml.open(record, at)?;
                }
                Step::Text(value) => {
                    xml.field(Field::named(Str::Scratch("#text")), at)?;
                    xml.scalar(text(value), at)?;
                }
                Step::Close => Sink::close(xml, at)?,
            }
        }
        if let Some(name) = self.field {
            xml.field(named(name), at)?;
        }
        if self.place == Place::After { Sink::close(xml, at) } else { Ok(()) }
    }

    /// Hands the parts of the complete document over, as those of its XML would be.
    pub fn emit(&self, parts: &mut impl Parts) -> Result<()> {
        let mut steps = self.steps.iter().copied().peekable();
        let mut attributes = Vec::new();
        while let Some(step) = steps.next() {
            match step {
                Step::Leaf(name, text) => {
                    parts.start(self.get(name), &[])?;
                    if text.0 < text.1 {
                        parts.text(self.get(text), false)?;
                    }
                    parts.end()?;
                }
                Step::Open(name) => {
                    attributes.clear();
                    while let Some(&Step::Attribute((start, end), value)) = steps.peek() {
                        attributes.push((self.get((start + 1, end)), self.get(value)));
                        steps.next();
                    }
                    parts.start(self.get(name), &attributes)?;
                }
                // Those follow their element's start.
                Step::Attribute(..) => {}
                Step::Text(text) => parts.text(self.get(text), false)?,
                Step::Close => parts.end()?,
            }
        }
        Ok(())
    }
}

/// Returns whether a field is no element: an attribute, or text.
fn is_special(name: &str) -> bool {
    name.starts_with('@') || name == "#text"
}
