//! Elements in the values profile.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polywire_core::{Error, ErrorKind, Field, Hint, Len, Open, Scalar, Span, Spelling, Str, Timestamp};

use super::super::values::{self, ENTRY, NAMESPACE, PAIR};
use super::sink::ElementSink;
use super::source::Source;
use super::walker::{Halt, Kind, Run, RunText, Tag, Walk, Walker, entered};
use crate::decimal;
use polywire_core::value::binary64;
use polywire_core::value::lexical::{self, Lexical, is_number};

/// The marks of one start tag: indices of its attributes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Marks {
    /// The kind of the value.
    kind: Option<usize>,
    /// Type name of a record, or name of a variant's case.
    name: Option<usize>,
    /// The same in base64.
    name64: Option<usize>,
    /// Index of a variant's case.
    index: Option<usize>,
    /// Tag space of a tagged value.
    space: Option<usize>,
    /// Code of a tagged value.
    code: Option<usize>,
    /// Name of a field.
    key: Option<usize>,
    /// Name of a field, in base64.
    key64: Option<usize>,
    /// The mark that the root is the message itself, not its one field.
    pub(super) root: Option<usize>,
    /// Number of attributes that are no marks.
    others: usize,
}

impl<'m, 't, 'd, S: Source<'m, 't, 'd>, K: ElementSink<'m>> Walker<'_, 'm, 't, 'd, S, K>
where
    'm: 't,
{
    /// Returns the prefix of the values profile, if the current attributes declare one.
    pub(super) fn values_prefix(&self) -> Option<&'t str> {
        let text = self.text;
        self.work.attributes.iter().filter(|attribute| attribute.preset.is_none()).find_map(|attribute| {
            let prefix = text[attribute.name.0..attribute.name.1].strip_prefix("xmlns:")?;
            (&text[attribute.value.0..attribute.value.1] == NAMESPACE).then_some(prefix)
        })
    }

    /// Sorts the marks of a start tag.
    pub(super) fn marks_of(&self, tag: Tag) -> Walk<Marks> {
        let prefix = self.marks.unwrap_or(values::PREFIX);
        let mut marks = Marks::default();
        for (n, attribute) in self.work.attributes.iter().enumerate() {
            if attribute.preset.is_some() {
                marks.others += 1;
                continue;
            }
            let name = &self.text[attribute.name.0..attribute.name.1];
            let Some(local) = values::local(name, prefix) else {
                let declared = name.strip_prefix("xmlns:") == Some(prefix);
                if declared && !self.work.levels.is_empty() {
                    return Err(self.bad(attribute.name.0, name, "this prefix declared at the root only"));
                }
                marks.others += usize::from(!declared);
                continue;
            };
            let place = match local {
                "t" => &mut marks.kind,
                "name" => &mut marks.name,
                "name64" => &mut marks.name64,
                "index" => &mut marks.index,
                "space" => &mut marks.space,
                "code" => &mut marks.code,
                "k" => &mut marks.key,
                "k64" => &mut marks.key64,
                "root" if self.work.levels.is_empty() => &mut marks.root,
                _ => return Err(self.bad(attribute.name.0, name, "a mark of the values profile")),
            };
            *place = Some(n);
        }
        if self.work.levels.is_empty() && values::local(self.name_of(tag), prefix).is_some() {
            return Err(self.bad(tag.name.0, self.name_of(tag), "a root element with a name of its own"));
        }
        Ok(marks)
    }

    fn name_of(&self, tag: Tag) -> &'t str {
        &self.text[tag.name.0..tag.name.1]
    }

    #[cold]
    fn bad(&self, at: usize, seen: &str, expected: &'static str) -> Halt {
        Error::data(ErrorKind::Syntax, self.offset(at)).seen(format!("`{seen}`")).expected(expected).into()
    }

    /// Reads an element in the values profile.
    pub(super) fn marked(&mut self, tag: Tag) -> Walk<()> {
        let marks = self.marks_of(tag)?;
        let prefix = self.marks.unwrap_or(values::PREFIX);
        let name = self.name_of(tag);
        let own = values::local(name, prefix);
        let parent = self.work.levels.last_mut();
        let parent_kind = parent.as_ref().map_or(Kind::Record, |level| level.kind);
        let mut is_key = false;
        let entered = match parent_kind {
            Kind::Record | Kind::Map => match own {
                None if marks.root.is_some() => true,
                None => self.field(tag.name)?,
                Some(ENTRY) => self.entry(tag, marks)?,
                Some(PAIR) if parent_kind == Kind::Map && self.work.attributes.is_empty() => {
                    self.push(tag, Kind::Pair)?;
                    return if tag.empty { self.close_empty(tag) } else { Ok(()) };
                }
                Some(_) => return Err(self.bad(tag.name.0, name, "`e` for a field, or `p` for a pair of a map")),
            },
            _ => {
                if let Some(level) = parent {
                    level.count += 1;
                    is_key = level.kind == Kind::Pair && level.count == 1;
                }
                if own.is_some() {
                    return Err(self.bad(tag.name.0, name, "an element for a value"));
                }
                true
            }
        };
        if !entered {
            return self.skip(tag);
        }
        if (marks.key.is_some() || marks.key64.is_some()) && own != Some(ENTRY) {
            return Err(self.bad(tag.name.0, name, "`k` on an element `e` only"));
        }
        self.marked_value(tag, marks, is_key)
    }

    /// Reads a field whose name is in an attribute.
    fn entry(&mut self, tag: Tag, marks: Marks) -> Walk<bool> {
        let attribute = match (marks.key, marks.key64) {
            (Some(n), None) | (None, Some(n)) => self.work.attributes[n],
            _ => return Err(self.bad(tag.name.0, self.name_of(tag), "a field's name in `k` or in `k64`")),
        };
        let at = self.span(attribute.value.0 - 1, attribute.value.1 + 1);
        let value = self.value(attribute)?;
        if marks.key64.is_some() {
            let start = at.start;
            let text = match value {
                RunText::Plain(start, end) => &self.text[start..end],
                RunText::Made => &self.work.made,
            };
            self.work.key = text64(text, start)?;
            return self.made_field(at);
        }
        match value {
            RunText::Plain(start, end) => {
                self.item(at)?;
                entered(self.sink.field(Field::named(S::lend(&self.text[start..end])), at)?)
            }
            RunText::Made => {
                std::mem::swap(&mut self.work.key, &mut self.work.made);
                self.made_field(at)
            }
        }
    }

    fn marked_value(&mut self, tag: Tag, marks: Marks, is_key: bool) -> Walk<()> {
        let at = self.span(tag.start, tag.after);
        let kind = match marks.kind {
            Some(n) => {
                let (start, end) = self.work.attributes[n].value;
                Some(&self.text[start..end])
            }
            None => None,
        };
        let allowed = match kind {
            None => marks.index.or(marks.space).or(marks.code),
            Some("variant") => marks.space.or(marks.code),
            Some("tagged") => marks.name.or(marks.name64).or(marks.index),
            Some(_) => marks.name.or(marks.name64).or(marks.index).or(marks.space).or(marks.code),
        };
        if let Some(n) = allowed {
            let name = self.work.attributes[n].name;
            return Err(self.bad(name.0, &self.text[name.0..name.1], "only marks that belong to this kind of value"));
        }
        match kind {
            None => match self.type_name(marks)? {
                Some(name) => {
                    return self.record(tag, Open::Record { name: &name, len: Len::Unknown }, at, self.marks);
                }
                None if marks.others > 0 => {
                    return self.record(tag, Open::Record { name: "", len: Len::Unknown }, at, self.marks);
                }
                None => return self.unmarked(tag, at, is_key),
            },
            Some("map") => return self.record(tag, Open::Map(Len::Unknown), at, self.marks),
            _ => {}
        }
        if marks.others > 0 {
            return Err(self.bad(tag.name.0, self.name_of(tag), "attributes on records only"));
        }
        match kind.unwrap_or("") {
            "list" => self.sequence(tag, Open::List(Len::Unknown), at),
            "tuple" => self.sequence(tag, Open::Tuple(Len::Unknown), at),
            "variant" => {
                let name = self.type_name(marks)?.unwrap_or_default();
                let index = self.number(tag, marks.index)?;
                let index = u32::try_from(index).map_err(|_| self.bad(tag.name.0, self.name_of(tag), "a case's index below 2³²"))?;
                self.sequence(tag, Open::Variant { name: &name, index }, at)
            }
            "tagged" => {
                let space = match marks.space {
                    Some(n) => self.attribute_text(self.work.attributes[n])?,
                    None => Cow::Borrowed(""),
                };
                if space.is_empty() {
                    return Err(self.bad(tag.name.0, &space, "in `space` the name of a format"));
                }
                let code = self.number(tag, marks.code)?;
                self.sequence(tag, Open::Tagged { space: &space, code }, at)
            }
            kind => self.marked_scalar(tag, kind, is_key),
        }
    }

    /// Returns the name of a record's type or of a case.
    fn type_name(&mut self, marks: Marks) -> Walk<Option<Cow<'t, str>>> {
        match (marks.name, marks.name64) {
            (Some(n), _) => Ok(Some(self.attribute_text(self.work.attributes[n])?)),
            (None, Some(n)) => {
                let attribute = self.work.attributes[n];
                let text = self.attribute_text(attribute)?;
                Ok(Some(Cow::Owned(text64(&text, self.offset(attribute.value.0))?)))
            }
            (None, None) => Ok(None),
        }
    }

    fn number(&self, tag: Tag, mark: Option<usize>) -> Walk<u64> {
        let text = mark.map_or("", |n| {
            let (start, end) = self.work.attributes[n].value;
            &self.text[start..end]
        });
        match lexical::classify(text) {
            Lexical::UInt(number) => Ok(number),
            _ => Err(self.bad(tag.name.0, self.name_of(tag), "a whole number in `index` or `code`")),
        }
    }

    fn sequence(&mut self, tag: Tag, open: Open<'_>, at: Span) -> Walk<()> {
        self.budget.enter(at.start)?;
        if !self.open(open, at)? {
            self.skip(tag)?;
            self.budget.leave();
            return Ok(());
        }
        let kind = if matches!(open, Open::Tagged { .. }) { Kind::Tagged } else { Kind::Sequence };
        self.push(tag, kind)?;
        if tag.empty { self.close_empty(tag) } else { Ok(()) }
    }

    /// Reads an element without marks and attributes: a scalar by its spelling, or a record.
    fn unmarked(&mut self, tag: Tag, at: Span, is_key: bool) -> Walk<()> {
        if tag.empty {
            self.pos = tag.after;
            self.scope.leave(tag.scope);
            self.no_text_key(is_key, at)?;
            return self.scalar(Scalar::Text(S::lend("")), at);
        }
        if self.work.attributes.is_empty()
            && let Some((start, end)) = self.short_leaf(tag)
        {
            let at = Span::new(at.start, self.offset(self.pos));
            return self.spelled(S::lend(&self.text[start..end]), at, is_key);
        }
        self.push(tag, Kind::Leaf)?;
        let run = self.run()?;
        if self.peek(self.pos) != b'<' || self.peek(self.pos + 1) != b'/' {
            return self.record_after(at, &run);
        }
        self.finish()?;
        let at = Span::new(at.start, self.offset(self.pos));
        match run.text {
            RunText::Plain(start, end) => self.spelled(S::lend(&self.text[start..end]), at, is_key),
            RunText::Made => {
                let made = std::mem::take(&mut self.work.made);
                let outcome = self.spelled(Str::Scratch(&made), at, is_key);
                self.work.made = made;
                outcome
            }
        }
    }

    fn spelled(&mut self, text: Str<'m, '_, str>, at: Span, is_key: bool) -> Walk<()> {
        let spelling = Spelling::digits(text.get());
        let value = match lexical::classify(text.get()) {
            Lexical::Bool(value) => Scalar::Bool(value),
            Lexical::Int(value) => Scalar::int(value),
            Lexical::UInt(value) => Scalar::uint(value),
            Lexical::F64(value) => Scalar::F64(value, Hint::new(&spelling)),
            Lexical::Big => {
                self.budget.digits(text.get().len(), at.start)?;
                Scalar::big(text)
            }
            Lexical::Decimal => {
                self.budget.digits(text.get().len(), at.start)?;
                Scalar::decimal(text)
            }
            Lexical::Text => {
                self.no_text_key(is_key, at)?;
                Scalar::Text(text)
            }
        };
        self.scalar(value, at)
    }

    fn no_text_key(&self, is_key: bool, at: Span) -> Walk<()> {
        if !is_key {
            return Ok(());
        }
        Err(Error::data(ErrorKind::Syntax, at.start)
            .seen("text as the key of a pair")
            .expected("a key that is no text")
            .hint("a text key is the name of an element, or stands in `k` of an element `e`")
            .into())
    }

    fn marked_scalar(&mut self, tag: Tag, kind: &'t str, is_key: bool) -> Walk<()> {
        let from = self.offset(tag.start);
        let run = if tag.empty {
            self.pos = tag.after;
            self.scope.leave(tag.scope);
            Run { text: RunText::Plain(tag.after, tag.after), blank: true, at: Span::new(from, from) }
        } else {
            self.push(tag, Kind::Leaf)?;
            let run = self.run()?;
            if self.peek(self.pos) != b'<' || self.peek(self.pos + 1) != b'/' {
                return Err(self.wrong(self.pos, format!("`</{}>` after the text of a scalar", self.name_of(tag))));
            }
            self.finish()?;
            run
        };
        let at = Span::new(from, self.offset(self.pos));
        if matches!(kind, "text" | "text64") {
            self.no_text_key(is_key, at)?;
        }
        if kind == "text" {
            return self.text_of(&run, at);
        }
        let mut made = std::mem::take(&mut self.work.made);
        let text = match run.text {
            RunText::Plain(start, end) => S::lend(&self.text[start..end]),
            RunText::Made => Str::Scratch(&*made),
        };
        let outcome = self.typed(kind, text, run.at.start, at);
        made.clear();
        self.work.made = made;
        outcome
    }

    /// Reads a scalar of the kind that its mark names.
    fn typed(&mut self, kind: &str, text: Str<'m, '_, str>, from: u64, at: Span) -> Walk<()> {
        let shown = text.get();
        let wrong = |expected: &'static str| {
            let seen = format!("{:?}", shown.chars().take(40).collect::<String>());
            Halt::Error(Error::data(ErrorKind::Syntax, from).seen(seen).expected(expected))
        };
        let value = match kind {
            "null" if shown.is_empty() => Scalar::Null,
            "null" => return Err(wrong("nothing in a null")),
            "text64" => {
                self.budget.decode(shown.len() as u64, from)?;
                let decoded = text64(shown, from)?;
                return self.scalar(Scalar::Text(Str::Scratch(&decoded)), at);
            }
            "bytes" | "octets" => {
                self.budget.decode(shown.len() as u64, from)?;
                let mut bytes = std::mem::take(&mut self.work.bytes);
                bytes.clear();
                STANDARD.decode_vec(shown, &mut bytes).map_err(|_| wrong("base64"))?;
                let value = Str::Scratch(&*bytes);
                let outcome = self.scalar(if kind == "bytes" { Scalar::Bytes(value) } else { Scalar::Octets(value) }, at);
                self.work.bytes = bytes;
                return outcome;
            }
            "f32" => match shown {
                "inf" => Scalar::f32(f32::INFINITY),
                "-inf" => Scalar::f32(f32::NEG_INFINITY),
                "nan" => Scalar::f32(f32::NAN),
                _ => match shown.strip_prefix("nan:") {
                    Some(bits) => Scalar::f32(f32::from_bits(u32::from_str_radix(bits, 16).map_err(|_| wrong("the bits of a NaN"))?)),
                    None => {
                        let value: f32 = Some(shown)
                            .filter(|text| is_number(text))
                            .and_then(|text| text.parse().ok())
                            .ok_or_else(|| wrong("a number"))?;
                        Scalar::f32(value)
                    }
                },
            },
            "f64" => match shown {
                "inf" => Scalar::f64(f64::INFINITY),
                "-inf" => Scalar::f64(f64::NEG_INFINITY),
                "nan" => Scalar::f64(f64::NAN),
                _ => match shown.strip_prefix("nan:") {
                    Some(bits) => Scalar::f64(f64::from_bits(u64::from_str_radix(bits, 16).map_err(|_| wrong("the bits of a NaN"))?)),
                    None => {
                        self.budget.digits(shown.len(), from)?;
                        let value: f64 = Some(shown)
                            .filter(|text| is_number(text))
                            .and_then(|text| text.parse().ok())
                            .ok_or_else(|| wrong("a number"))?;
                        let spelling = Spelling::digits(shown);
                        let hint = if binary64(shown) == Some(value) { Hint::new(&spelling) } else { Hint::NONE };
                        return self.scalar(Scalar::F64(value, hint), at);
                    }
                },
            },
            "time" => Scalar::Time(moment(shown).ok_or_else(|| wrong("a time as RFC 3339 writes it in UTC, or `@seconds.nanoseconds`"))?),
            "decimal" => {
                self.budget.digits(shown.len(), from)?;
                let Some(number) = decimal::came(shown) else { return Err(wrong("a number")) };
                return self.scalar(number.scalar(Hint::new(&number.spelling())), at);
            }
            _ => {
                let error = Error::data(ErrorKind::Syntax, at.start).seen(format!("the kind `{kind}`"));
                return Err(error.expected("a kind of the values profile").into());
            }
        };
        self.scalar(value, at)
    }
}

/// Decodes text that is written as the base64 of its UTF-8.
fn text64(text: &str, at: u64) -> Walk<String> {
    let decoded = STANDARD.decode(text).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    decoded.ok_or_else(|| Error::data(ErrorKind::Syntax, at).seen("other characters").expected("UTF-8 text in base64").into())
}

/// Reads a timestamp as it is displayed.
fn moment(text: &str) -> Option<Timestamp> {
    let Some(far) = text.strip_prefix('@') else { return Timestamp::from_rfc3339(text) };
    let (seconds, nanos) = far.split_once('.')?;
    let moment = Timestamp::new(seconds.parse().ok()?, nanos.parse().ok()?)?;
    (moment.to_string() == text).then_some(moment)
}
