//! Where in a message a value is: `vouchers[17].goods_name`.

use std::fmt;

use crate::error::{Error, Result};
use crate::event::{Field, Next, Open, Part, Scalar, Span};
use crate::limits::{Budget, Limits};
use crate::read::Reader;
use crate::sink::Sink;

/// One step of a [`Path`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// Into a field, a map's entry with a text key, or a case of a sum type.
    Name(String),
    /// Into a list or tuple, counted from 0.
    Index(u64),
    /// Into any element of a list: what a path of a schema has in place of an index.
    Each,
    /// Into a map's entry whose key is no text, as people read it.
    Key(String),
}

/// The way from the message to a value in it. Printed, names that are not plain words are quoted.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Path(pub Vec<Step>);

impl Path {
    /// The path with every index replaced by "each": the same for all elements of a list.
    pub fn in_schema(&self) -> Path {
        let step = |step: &Step| match step {
            Step::Index(_) | Step::Key(_) => Step::Each,
            other => other.clone(),
        };
        Path(self.0.iter().map(step).collect())
    }

    /// Reads `a.b`, `a."odd name".c` and `a[].b`; `[…]` steps into lists are for the reader's eye and left out, since
    /// lists are looked through. `*` names every field.
    pub fn parse(text: &str) -> Result<Path> {
        let bad = |at: usize, expected: &'static str| {
            Error::usage(format!("character {} of the path `{text}`", at + 1))
                .expected(expected)
                .hint("paths look like vouchers.goods_name or order.\"unit price\"")
        };
        let bytes = text.as_bytes();
        let mut steps = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b'[' => at += text[at..].find(']').ok_or_else(|| bad(at, "a closing ']'"))? + 1,
                b'"' => {
                    let mut name = String::new();
                    let mut rest = text[at + 1..].chars();
                    loop {
                        match rest.next() {
                            Some('"') => break,
                            Some('\\') => name.push(rest.next().ok_or_else(|| bad(text.len(), "a closing '\"'"))?),
                            Some(other) => name.push(other),
                            None => return Err(bad(text.len(), "a closing '\"'")),
                        }
                    }
                    at = text.len() - rest.as_str().len();
                    steps.push(Step::Name(name));
                }
                _ => {
                    let end = text[at..].find(['.', '[']).map_or(text.len(), |n| at + n);
                    if end == at {
                        return Err(bad(at, "a name"));
                    }
                    steps.push(Step::Name(text[at..end].to_string()));
                    at = end;
                }
            }
            if at < bytes.len() && bytes[at] == b'.' {
                at += 1;
                if at == bytes.len() {
                    return Err(bad(at, "a name"));
                }
            } else if at < bytes.len() && bytes[at] != b'[' {
                return Err(bad(at, "'.' or '['"));
            }
        }
        if steps.is_empty() {
            return Err(bad(0, "a name"));
        }
        Ok(Path(steps))
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("the message itself");
        }
        for (n, step) in self.0.iter().enumerate() {
            match step {
                Step::Name(name) => {
                    if n > 0 {
                        f.write_str(".")?;
                    }
                    let plain = |c: char| c.is_alphanumeric() || "_-@#:$*".contains(c);
                    if !name.is_empty() && name.chars().all(plain) { f.write_str(name)? } else { write!(f, "{name:?}")? }
                }
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Each => f.write_str("[]")?,
                Step::Key(key) => write!(f, "[{key}]")?,
            }
        }
        Ok(())
    }
}

/// Follows events and knows the path of the value that was announced last.
#[derive(Debug, Clone, Default)]
pub struct Tracker {
    steps: Vec<Step>,
    levels: Vec<Level>,
    /// Whether the value at `steps` has ended, so that the next thing belongs to the container around it.
    ended: bool,
    in_part: bool,
}

#[derive(Debug, Clone)]
struct Level {
    kind: Kind,
    /// Length of `steps` inside this container.
    base: usize,
    next: u64,
    /// In records and maps: the key was seen, its value comes.
    value_due: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sequence,
    Named,
    Transparent,
}

impl Tracker {
    /// Number of containers around the current place.
    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Path of the value that was announced last, or of the container around it once that value has ended.
    pub fn path(&self) -> Path {
        let end = if self.ended { self.levels.last().map_or(0, |level| level.base) } else { self.steps.len() };
        Path(self.steps[..end].to_vec())
    }

    /// Path of the value that was announced last, ended or not.
    pub fn last_path(&self) -> Path {
        Path(self.steps.clone())
    }

    /// The last step of [`Tracker::last_path`], unless the value is the message itself or lies in a tagged value.
    pub fn last_step(&self) -> Option<&Step> {
        let base = self.levels.last().map_or(0, |level| level.base);
        self.steps[base.min(self.steps.len())..].last()
    }

    /// The name of a value is announced.
    pub fn field(&mut self, name: &str) {
        self.ended = false;
        if let Some(level) = self.levels.last_mut() {
            self.steps.truncate(level.base);
            self.steps.push(Step::Name(name.to_string()));
            level.value_due = true;
        }
    }

    /// A value starts; `key` gives its text if it should turn out to be a map's key. True if it is one.
    fn value(&mut self, key: impl FnOnce() -> String) -> bool {
        self.ended = false;
        let Some(level) = self.levels.last_mut() else { return false };
        match level.kind {
            Kind::Transparent => self.steps.truncate(level.base),
            Kind::Sequence => {
                self.steps.truncate(level.base);
                self.steps.push(Step::Index(level.next));
                level.next += 1;
            }
            Kind::Named if level.value_due => level.value_due = false,
            Kind::Named => {
                self.steps.truncate(level.base);
                self.steps.push(Step::Key(key()));
                level.value_due = true;
                return true;
            }
        }
        false
    }

    /// A container starts. True if it is a map's key.
    pub fn open(&mut self, open: &Open<'_>) -> bool {
        let is_key = self.value(|| format!("a {}", open.kind()));
        let kind = match open {
            Open::List(_) | Open::Tuple(_) => Kind::Sequence,
            Open::Record { .. } | Open::Map(_) => Kind::Named,
            Open::Variant { name, .. } => {
                self.steps.push(Step::Name((*name).to_string()));
                Kind::Sequence
            }
            Open::Tagged { .. } => Kind::Transparent,
        };
        self.levels.push(Level { kind, base: self.steps.len(), next: 0, value_due: false });
        is_key
    }

    /// A container was announced and is not entered.
    pub fn skipped(&mut self) {
        self.value(String::new);
        self.ended = true;
    }

    /// A scalar. True if it is a map's key.
    pub fn scalar(&mut self, scalar: &Scalar<'_, '_>) -> bool {
        let is_key = self.value(|| key_text(scalar));
        self.ended = !is_key;
        is_key
    }

    /// A piece of a scalar. True if it belongs to a map's key.
    pub fn part(&mut self, part: &Part<'_>) -> bool {
        let is_key = !self.in_part && self.value(|| "text in parts".to_string());
        self.in_part = !part.last;
        self.ended = part.last && !is_key;
        is_key
    }

    /// The innermost container ends.
    pub fn close(&mut self) {
        if let Some(level) = self.levels.pop() {
            self.steps.truncate(level.base);
        }
        self.ended = true;
    }
}

/// A scalar that is a map's key, as people read it in a path.
pub(crate) fn key_text(scalar: &Scalar<'_, '_>) -> String {
    match scalar {
        Scalar::Null => "null".into(),
        Scalar::Bool(value) => value.to_string(),
        Scalar::Int(value) => value.to_string(),
        Scalar::UInt(value) => value.to_string(),
        Scalar::F32(value) => value.to_string(),
        Scalar::F64(value) => value.to_string(),
        Scalar::Big(text) | Scalar::Decimal(text) => text.get().to_string(),
        Scalar::Text(text) => format!("{:?}", text.get()),
        Scalar::Bytes(bytes) | Scalar::Octets(bytes) => {
            let bytes = bytes.get();
            let shown: String = bytes.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
            format!("h'{shown}{}'", if bytes.len() > 16 { "…" } else { "" })
        }
        Scalar::Time(moment) => moment.to_string(),
    }
}

/// The path at byte `offset` of a message, found by walking it once more; a walk that failed there fails there again.
pub fn locate(reader: &mut dyn Reader, msg: &[u8], base: u64, offset: u64, limits: &Limits) -> Path {
    let mut sink = Locate { tracker: Tracker::default(), offset, past: false };
    // The outcome is known: the first walk told it.
    let _ = reader.walk(msg, base, &mut sink, &mut Budget::new(limits));
    sink.tracker.path()
}

/// The path of the scalar that spans `at`, found by walking the message once more; `None` if there is none.
pub(crate) fn locate_scalar(reader: &mut dyn Reader, msg: &[u8], base: u64, at: Span, limits: &Limits) -> Option<Path> {
    let mut sink = LocateScalar { tracker: Tracker::default(), at, found: None };
    // The outcome is known: the first walk told it.
    let _ = reader.walk(msg, base, &mut sink, &mut Budget::new(limits));
    sink.found
}

struct LocateScalar {
    tracker: Tracker,
    at: Span,
    found: Option<Path>,
}

impl LocateScalar {
    fn next(&self) -> Next {
        if self.found.is_some() { Next::Stop } else { Next::Enter }
    }
}

impl<'m> Sink<'m> for LocateScalar {
    fn open(&mut self, open: Open<'_>, _: Span) -> Result<Next> {
        self.tracker.open(&open);
        Ok(self.next())
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        self.tracker.field(field.name.get());
        Ok(self.next())
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        if !self.tracker.scalar(&value) && at == self.at && self.found.is_none() {
            self.found = Some(self.tracker.last_path());
        }
        Ok(())
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        if !self.tracker.part(&part) && part.last && at.end == self.at.end && self.found.is_none() {
            self.found = Some(self.tracker.last_path());
        }
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        self.tracker.close();
        Ok(())
    }
}

struct Locate {
    tracker: Tracker,
    offset: u64,
    past: bool,
}

impl Locate {
    fn reached(&mut self, at: Span) -> bool {
        self.past = self.past || (at.start > self.offset && !at.is_empty());
        !self.past
    }
}

impl<'m> Sink<'m> for Locate {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        if !self.reached(at) {
            return Ok(Next::Stop);
        }
        self.tracker.open(&open);
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        if !self.reached(at) {
            return Ok(Next::Stop);
        }
        self.tracker.field(field.name.get());
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        if self.reached(at) {
            self.tracker.scalar(&value);
            // An offset inside the scalar names the scalar, not the container around it.
            self.tracker.ended = self.tracker.ended && self.offset >= at.end;
            self.past = self.offset < at.end;
        }
        Ok(())
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        if self.reached(at) {
            self.tracker.part(&part);
            self.tracker.ended = self.tracker.ended && self.offset >= at.end;
        }
        Ok(())
    }

    fn close(&mut self, at: Span) -> Result<()> {
        if self.reached(at) {
            self.tracker.close();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Len, Str};

    #[test]
    fn paths_print_and_parse() {
        let path = Path(vec![Step::Name("a".into()), Step::Index(17), Step::Name("b c".into()), Step::Each]);
        assert_eq!(path.to_string(), "a[17].\"b c\"[]");
        assert_eq!(path.in_schema().to_string(), "a[].\"b c\"[]");
        let parsed = Path::parse("a[17].\"b \\\" c\".@id").unwrap();
        assert_eq!(parsed.0, ["a", "b \" c", "@id"].map(|name| Step::Name(name.into())));
        for bad in ["", ".a", "a.", "a..b", "a[", "\"a", "a\"b\"x\"", "[]"] {
            assert!(Path::parse(bad).is_err() || bad == "a\"b\"x\"", "{bad}");
        }
    }

    #[test]
    fn a_tracker_knows_each_place() {
        let mut tracker = Tracker::default();
        tracker.open(&Open::Record { name: "", len: Len::Unknown });
        tracker.field("list");
        tracker.open(&Open::List(Len::Unknown));
        tracker.scalar(&Scalar::Null);
        tracker.open(&Open::Map(Len::Unknown));
        assert!(tracker.scalar(&Scalar::UInt(5)));
        assert_eq!(tracker.path().to_string(), "list[1][5]");
        assert!(!tracker.scalar(&Scalar::Text(Str::Input("x"))));
        assert_eq!(tracker.path().to_string(), "list[1]");
        tracker.close();
        tracker.close();
        assert_eq!(tracker.path().to_string(), "the message itself");
        assert_eq!(tracker.last_path().to_string(), "list");
    }
}
