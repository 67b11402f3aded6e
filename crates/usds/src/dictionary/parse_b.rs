//! The syntax of revision B (docs/spec/usds.md 2.3).

use super::check::Finding;
use super::draft::{At, Draft, Entry, Literal, Named, Number, Shape, Target, at};
use super::lex::{self, WordKind};
use super::parse::{Parsed, Parser, Reported};
use super::types::MAX_NESTING;
use crate::error::Problem;
use crate::wire::codes::Simple;

impl Parser<'_> {
    pub(crate) fn dictionary_b(&mut self) -> Option<Draft> {
        let mut draft = self.head_b().ok()?;
        let entries = self.entries(true, &mut draft.tags);
        draft.end = match self.closing(entries > 0, "a tag") {
            Ok(end) => {
                self.nothing_behind();
                end
            }
            Err(_) => self.peek().at,
        };
        Some(draft)
    }

    fn head_b(&mut self) -> Parsed<Draft> {
        self.keyword("USDS")?;
        let id = match self.took(WordKind::Number) {
            Some(word) => {
                let id = at(self.spelled(word).parse().unwrap_or(i128::MAX), word.at);
                self.sign(b':')?;
                Some(id)
            }
            None => None,
        };
        let name = self.name("the name of the dictionary")?.of;
        let version = if id.is_some() || self.is(WordKind::Number) {
            let major = self.number("the major version")?;
            self.sign(b'.')?;
            Some((major, self.number("the minor version")?))
        } else {
            None
        };
        let (mut encode, mut enumerator) = (false, None);
        loop {
            if self.took(WordKind::Keyword("ENCODE:")).is_some() {
                self.keyword("UTF-8")?;
                encode = true;
            } else if self.took(WordKind::Keyword("ENUMERATOR:")).is_some() {
                enumerator = Some(self.number_type()?);
            } else {
                break;
            }
        }
        self.sign(b'{')?;
        let end = self.peek().at;
        Ok(Draft { revision: self.revision, section: false, id, name, version, encode, enumerator, tags: Vec::new(), end })
    }

    fn number_type(&mut self) -> Parsed<At<Number>> {
        let word = self.peek();
        match word.kind {
            WordKind::Keyword(keyword) => match Number::of(keyword) {
                Some(number) => {
                    self.take();
                    Ok(at(number, word.at))
                }
                None => self.expected("a type of numbers"),
            },
            _ => self.expected("a type of numbers"),
        }
    }

    /// Parses entries up to a `}`. Returns how many were started.
    fn entries(&mut self, tags: bool, into: &mut Vec<Entry>) -> usize {
        let mut begun = 0;
        while !matches!(self.peek().kind, WordKind::End | WordKind::Sign(b'}')) {
            begun += 1;
            match self.entry(tags) {
                Ok(entry) => into.push(entry),
                Err(Reported) => self.recover(),
            }
        }
        begun
    }

    fn entry(&mut self, tag: bool) -> Parsed<Entry> {
        let id = self.own_id(tag)?;
        let word = self.peek();
        let dims;
        let (shape, name) = match word.kind {
            WordKind::Keyword("STRING") => {
                self.take();
                let utf8 = self.encoding()?;
                dims = self.brackets()?;
                (Shape::Text { utf8 }, self.entry_name(tag)?)
            }
            WordKind::Keyword("ENUM") => {
                self.take();
                let subtype = if self.took(WordKind::Sign(b'<')).is_some() {
                    let subtype = self.number_type()?;
                    self.sign(b'>')?;
                    Some(subtype)
                } else {
                    None
                };
                dims = self.brackets()?;
                let name = self.entry_name(tag)?;
                (Shape::Enumeration { subtype, members: self.enumerators()? }, name)
            }
            WordKind::Keyword(keyword) if Number::of(keyword).is_some() => {
                let number = self.number_type()?;
                dims = self.brackets()?;
                (Shape::Number(number), self.entry_name(tag)?)
            }
            WordKind::Sign(b'<') => {
                self.take();
                let mut members = Vec::new();
                loop {
                    let member = self.name("the name of a tag")?;
                    members.push(at(Target::Name(member.of), member.at));
                    if self.took(WordKind::Or).is_none() {
                        break;
                    }
                }
                self.sign(b'>')?;
                dims = self.brackets()?;
                (Shape::Polymorph(members), self.entry_name(tag)?)
            }
            WordKind::Name => {
                let first = self.name("a name")?;
                dims = self.brackets()?;
                if self.is(WordKind::Sign(b'{')) {
                    (self.structure()?, first)
                } else if tag {
                    return self.expected("`{` and the fields of a structure");
                } else {
                    (Shape::Link(at(Target::Name(first.of), first.at)), self.entry_name(tag)?)
                }
            }
            _ => return self.expected("a type"),
        };
        let (mut nullable, mut default) = (false, None);
        if !tag && self.took(WordKind::Sign(b'=')).is_some() {
            if self.took(WordKind::Keyword("NULL")).is_some() {
                nullable = true;
            } else {
                default = Some(self.default(&shape, dims)?);
            }
        }
        self.sign(b';')?;
        Ok(Entry { id, name, shape, dims, not_root: false, nullable, default })
    }

    fn entry_name(&mut self, tag: bool) -> Parsed<At<String>> {
        self.name(if tag { "the name of the tag" } else { "the name of the field" })
    }

    /// Parses the explicit id, which all entries have or none.
    fn own_id(&mut self, tag: bool) -> Parsed<Option<At<i128>>> {
        let written = self.is(WordKind::Number);
        if *self.explicit.get_or_insert(written) != written {
            let what = match (written, tag) {
                (true, true) => "a tag without an id, as before",
                (true, false) => "a field without an id, as before",
                (false, true) => "the id of a tag, as before",
                (false, false) => "the id of a field, as before",
            };
            return self.expected(what);
        }
        if !written {
            return Ok(None);
        }
        let id = self.number("an id")?;
        self.sign(b':')?;
        Ok(Some(id))
    }

    fn brackets(&mut self) -> Parsed<usize> {
        let mut dims = 0;
        while let Some(word) = self.took(WordKind::Sign(b'[')) {
            self.sign(b']')?;
            dims += 1;
            if dims > MAX_NESTING {
                let message = format!("more than {MAX_NESTING} brackets");
                self.report(Finding::new(Problem::Limit, self.revision, word.at, message));
                return Err(Reported);
            }
        }
        Ok(dims)
    }

    fn structure(&mut self) -> Parsed<Shape> {
        let open = self.sign(b'{')?;
        if self.depth == MAX_NESTING {
            let message = format!("more than {MAX_NESTING} structures within each other");
            self.report(Finding::new(Problem::Limit, self.revision, open.at, message));
            // The recovery starts at the bracket again.
            let mut depth = 1usize;
            while depth > 0 && !self.is(WordKind::End) {
                match self.take().kind {
                    WordKind::Sign(b'{') => depth += 1,
                    WordKind::Sign(b'}') => depth -= 1,
                    _ => {}
                }
            }
            return Err(Reported);
        }
        self.depth += 1;
        let mut fields = Vec::new();
        let begun = self.entries(false, &mut fields);
        self.depth -= 1;
        let end = match self.closing(begun > 0, "a field") {
            Ok(end) => end,
            Err(reported) => {
                self.took(WordKind::Sign(b'}'));
                return Err(reported);
            }
        };
        Ok(Shape::Structure { fields, end })
    }

    fn enumerators(&mut self) -> Parsed<Vec<Named>> {
        self.sign(b'{')?;
        let mut members = Vec::new();
        loop {
            let member = |parser: &mut Self| -> Parsed<_> {
                let name = parser.name("the name of an enumerator")?;
                let value = match parser.took(WordKind::Sign(b'=')) {
                    Some(_) => Some(parser.number("the number of the enumerator")?),
                    None => None,
                };
                Ok((name, value))
            };
            let read = member(self).and_then(|member| {
                members.push(member);
                match self.took(WordKind::Sign(b',')) {
                    Some(_) => Ok(true),
                    None => self.sign(b'}').map(|_| false),
                }
            });
            match read {
                Ok(true) => {}
                Ok(false) => return Ok(members),
                Err(reported) => {
                    // Skips to the bracket, so that recovery finds the end of this entry.
                    while !matches!(self.peek().kind, WordKind::End | WordKind::Sign(b'}' | b';')) {
                        self.take();
                    }
                    self.took(WordKind::Sign(b'}'));
                    return Err(reported);
                }
            }
        }
    }

    /// Parses a default in the syntax of its type.
    fn default(&mut self, shape: &Shape, dims: usize) -> Parsed<At<Literal>> {
        let word = self.peek();
        let literal = match (shape, word.kind) {
            _ if dims > 0 => return self.expected("`NULL`"),
            (Shape::Number(At { of: Number::Simple(Simple::Boolean), .. }), WordKind::Keyword(keyword @ ("true" | "false"))) => {
                Literal::Bool(keyword == "true")
            }
            (Shape::Number(At { of: Number::Simple(Simple::Float | Simple::Double), .. }), _) => {
                let Some(len) = decimal(&self.text[word.at.start as usize..]) else { return self.expected("a decimal number or `NULL`") };
                let end = word.at.start + len as u32;
                self.skip_to(end);
                let at_ = lex::place(word.at.start as usize, end as usize);
                return Ok(at(Literal::Decimal(self.text[at_.range()].to_string()), at_));
            }
            (Shape::Number(At { of: Number::Simple(simple), .. }), WordKind::Number) if simple.range().is_some() => {
                return self.number("a number").map(|number| at(Literal::Whole(number.of), number.at));
            }
            (Shape::Number(At { of: Number::Simple(Simple::Boolean), .. }), _) => return self.expected("`true`, `false` or `NULL`"),
            (Shape::Number(At { of: Number::Int128 | Number::Uint128, .. }), _) => return self.expected("`NULL`"),
            (Shape::Number(_), _) => return self.expected("a number or `NULL`"),
            (Shape::Text { .. }, WordKind::Text) => Literal::Text(lex::unquoted(self.spelled(word))),
            (Shape::Text { .. }, _) => return self.expected("a text in quotes or `NULL`"),
            (Shape::Enumeration { .. }, WordKind::Name) => Literal::Name(self.spelled(word).to_string()),
            (Shape::Enumeration { .. }, WordKind::Number) => {
                return self.number("a number").map(|number| at(Literal::Whole(number.of), number.at));
            }
            (Shape::Enumeration { .. }, _) => return self.expected("an enumerator, a number or `NULL`"),
            _ => return self.expected("`NULL`"),
        };
        self.take();
        Ok(at(literal, word.at))
    }
}

/// Returns the length of the decimal number at the start: `[-]digits[.digits[exponent]]` or
/// `[-].digits[exponent]`, with an exponent of one to three digits.
fn decimal(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from.min(bytes.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let start = usize::from(bytes.first() == Some(&b'-'));
    let whole = digits(start);
    let mut at = start + whole;
    if bytes.get(at) == Some(&b'.') && digits(at + 1) > 0 {
        at += 1 + digits(at + 1);
        if matches!(bytes.get(at), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
            let exponent = digits(at + 1 + sign);
            if !(1..=3).contains(&exponent) {
                return None;
            }
            at += 1 + sign + exponent;
        }
    } else if whole == 0 {
        return None;
    }
    // The next byte does not continue a number or a name.
    (!bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))).then_some(at)
}
