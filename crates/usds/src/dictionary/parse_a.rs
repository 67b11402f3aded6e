//! The syntax of revision A (docs/spec/usds.md 2.2).

use super::draft::{At, Draft, Entry, Number, Shape, Target, at};
use super::lex::{HEAD_A, WordKind};
use super::parse::{Parsed, Parser};
use crate::wire::codes::Simple;

impl Parser<'_> {
    pub(crate) fn dictionary_a(&mut self) -> Option<Draft> {
        let revision = self.revision;
        let head = |parser: &mut Self| -> Parsed<(At<i128>, At<i128>, At<i128>)> {
            parser.keyword(HEAD_A)?;
            parser.sign(b'=')?;
            let id = parser.number("the id of the dictionary")?;
            parser.keyword("v.")?;
            let major = parser.number("the major version")?;
            parser.sign(b'.')?;
            let minor = parser.number("the minor version")?;
            parser.sign(b'{')?;
            Ok((id, major, minor))
        };
        let (id, major, minor) = head(self).ok()?;
        let mut tags = Vec::new();
        let mut entries = 0;
        while !matches!(self.peek().kind, WordKind::End | WordKind::Sign(b'}')) {
            entries += 1;
            let before = self.peek().at;
            match self.tag_a() {
                Ok(tag) => tags.push(tag),
                Err(_) => {
                    self.recover();
                    if self.peek().at == before {
                        self.take();
                    }
                }
            }
        }
        let end = match self.closing(entries > 0, "a tag") {
            Ok(end) => {
                self.nothing_behind();
                end
            }
            Err(_) => self.peek().at,
        };
        Some(Draft {
            revision,
            section: false,
            id: Some(id),
            name: String::new(),
            version: Some((major, minor)),
            encode: false,
            enumerator: None,
            tags,
            end,
        })
    }

    fn tag_a(&mut self) -> Parsed<Entry> {
        let id = self.number("the id of a tag")?;
        self.sign(b':')?;
        self.keyword("STRUCT")?;
        let name = self.name("the name of the tag")?;
        self.sign(b'{')?;
        let mut fields = Vec::new();
        let mut entries = 0;
        while !matches!(self.peek().kind, WordKind::End | WordKind::Sign(b'}')) {
            entries += 1;
            match self.field_a() {
                Ok(field) => fields.push(field),
                Err(_) => self.recover(),
            }
        }
        let end = match self.closing(entries > 0, "a field") {
            Ok(end) => end,
            Err(reported) => {
                // The structure ends all the same.
                self.took(WordKind::Sign(b'}'));
                if self.is(WordKind::End) {
                    return Err(reported);
                }
                self.peek().at
            }
        };
        let mut not_root = false;
        if self.took(WordKind::Keyword("RESTRICT")).is_some() {
            self.sign(b'{')?;
            let mut restrictions = 0;
            while !matches!(self.peek().kind, WordKind::End | WordKind::Sign(b'}')) {
                restrictions += 1;
                self.restriction()?;
                not_root = true;
            }
            self.closing(restrictions > 0, "a restriction")?;
        }
        let shape = Shape::Structure { fields, end };
        Ok(Entry { id: Some(id), name, shape, dims: 0, not_root, nullable: false, default: None })
    }

    /// Parses `notRoot;`, or its older spelling `root = false;`.
    fn restriction(&mut self) -> Parsed<()> {
        if self.took(WordKind::Keyword("notRoot")).is_none() {
            let word = self.peek();
            if word.kind != WordKind::Name || self.spelled(word) != "root" {
                return self.expected("`notRoot`");
            }
            self.take();
            self.sign(b'=')?;
            self.keyword("false")?;
        }
        self.sign(b';')?;
        Ok(())
    }

    fn field_a(&mut self) -> Parsed<Entry> {
        let id = self.number("the id of a field")?;
        self.sign(b':')?;
        let word = self.peek();
        let mut dims = 0;
        let simple = match word.kind {
            WordKind::Keyword("BOOLEAN") => Some(Simple::Boolean),
            WordKind::Keyword("INT") => Some(Simple::Int),
            WordKind::Keyword("LONG") => Some(Simple::Long),
            WordKind::Keyword("DOUBLE") => Some(Simple::Double),
            WordKind::Keyword("UNSIGNED VARINT") => Some(Simple::Uvarint),
            _ => None,
        };
        let shape = match (simple, word.kind) {
            (Some(simple), _) => {
                self.take();
                Shape::Number(at(Number::Simple(simple), word.at))
            }
            (None, WordKind::Keyword("STRING")) => {
                self.take();
                Shape::Text { utf8: self.encoding()? }
            }
            (None, WordKind::Keyword("ARRAY")) => {
                self.take();
                self.sign(b'<')?;
                let element = self.name("the name of a tag")?;
                self.sign(b'>')?;
                dims = 1;
                Shape::Link(at(Target::Name(element.of), element.at))
            }
            _ => return self.expected("a type"),
        };
        let name = self.name("the name of the field")?;
        self.sign(b';')?;
        Ok(Entry { id: Some(id), name, shape, dims, not_root: false, nullable: false, default: None })
    }

    /// Parses `<UTF-8>`, if present.
    pub(crate) fn encoding(&mut self) -> Parsed<bool> {
        if self.took(WordKind::Sign(b'<')).is_none() {
            return Ok(false);
        }
        self.keyword("UTF-8")?;
        self.sign(b'>')?;
        Ok(true)
    }
}
