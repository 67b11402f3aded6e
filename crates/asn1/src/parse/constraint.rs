//! Constraints and sets.

use super::types::is_value_word;
use super::{By, Parsed, Parser};
use crate::lex::Kind;
use crate::syntax::{Constraint, ConstraintKind, Element, ElementSet, Elements, Inner, Presence, Relation, Value};

impl Parser<'_> {
    /// Parses a constraint with its parentheses.
    pub(super) fn constraint(&mut self) -> Parsed<Constraint> {
        self.deeper(|parser| {
            let start = parser.at;
            parser.expect_sign('(')?;
            let kind = parser.constraint_kind().by("X.680 49.6")?;
            parser.exception().by("X.680 53.4")?;
            parser.expect_sign(')')?;
            Ok(Constraint { at: parser.place_from(start), kind })
        })
    }

    /// Parses `SIZE (…)` between SEQUENCE and OF, which stands for `(SIZE (…))`.
    pub(super) fn bare_size(&mut self, start: usize) -> Parsed<Constraint> {
        self.at += 1;
        let size = self.constraint()?;
        let at = self.place_from(start);
        let root = Some(Elements::One(Box::new(Element::Size(size))));
        Ok(Constraint { at, kind: ConstraintKind::Subtype(ElementSet { at, root, extensible: false, additions: None }) })
    }

    fn constraint_kind(&mut self) -> Parsed<ConstraintKind> {
        if self.is("CONSTRAINED") {
            self.at += 1;
            self.expect("BY")?;
            return Ok(ConstraintKind::UserDefined(self.balanced()?));
        }
        if self.is("CONTAINING") || self.is("ENCODED") {
            let ty = if self.eat("CONTAINING") { Some(Box::new(self.ty()?)) } else { None };
            let encoded_by = if self.eat("ENCODED") {
                self.expect("BY")?;
                Some(self.value()?)
            } else {
                None
            };
            return Ok(ConstraintKind::Contents { ty, encoded_by });
        }
        if self.is_sign('{') && self.is_table() {
            let set = self.balanced()?;
            let relations = if self.is_sign('{') { self.relations().by("X.682 10.7")? } else { Vec::new() };
            return Ok(ConstraintKind::Table { set, relations });
        }
        Ok(ConstraintKind::Subtype(self.element_set(')').by("X.680 50.1")?))
    }

    /// Returns whether the braces here hold one set, as those of a table constraint do. No value in
    /// braces starts with an upper-case name.
    fn is_table(&self) -> bool {
        self.ahead(1).kind == Kind::Upper
            && !is_value_word(self.text(self.ahead(1)))
            && !matches!(self.ahead(2).kind, Kind::Sign(':' | ','))
            && !crate::lex::KEYWORDS.contains(&self.text(self.ahead(1)))
    }

    fn relations(&mut self) -> Parsed<Vec<Relation>> {
        self.expect_sign('{')?;
        let mut relations = Vec::new();
        loop {
            let start = self.at;
            self.expect_sign('@')?;
            let mut level = 0;
            loop {
                match self.peek().kind {
                    Kind::Sign('.') => level += 1,
                    Kind::Range => level += 2,
                    Kind::Ellipsis => level += 3,
                    _ => break,
                }
                self.at += 1;
            }
            let mut path = Vec::new();
            loop {
                if !matches!(self.peek().kind, Kind::Lower | Kind::Upper) {
                    return Err(self.expected("the name of a component"));
                }
                path.push(self.name());
                if !self.eat_sign('.') {
                    break;
                }
            }
            relations.push(Relation { at: self.place_from(start), level, path });
            if self.eat_sign('}') {
                return Ok(relations);
            }
            self.expect_sign(',')?;
        }
    }

    /// Parses the contents of a constraint or set, up to the sign that closes it.
    pub fn element_set(&mut self, close: char) -> Parsed<ElementSet> {
        let start = self.at;
        let ends = |parser: &Self| parser.is_sign(close) || parser.is_sign('!') || parser.is_done();
        let mut set = ElementSet { at: self.place(self.peek()), root: None, extensible: false, additions: None };
        if !ends(self) && self.peek().kind != Kind::Ellipsis {
            set.root = Some(self.elements()?);
        }
        if set.root.is_none() || self.eat_sign(',') {
            if self.eat_kind(Kind::Ellipsis) {
                set.extensible = true;
                self.exception().by("X.680 53.4")?;
                if self.eat_sign(',') && !ends(self) {
                    set.additions = Some(self.elements()?);
                }
            } else if set.root.is_some() {
                return Err(self.expected("`...`"));
            }
        }
        set.at = self.place_from(start);
        Ok(set)
    }

    fn elements(&mut self) -> Parsed<Elements> {
        self.deeper(|parser| {
            if parser.is("ALL") && parser.is_word(1, "EXCEPT") {
                parser.at += 2;
                return Ok(Elements::AllExcept(Box::new(parser.one()?)));
            }
            let mut parts = vec![parser.intersection()?];
            while parser.eat_sign('|') || parser.eat("UNION") {
                parts.push(parser.intersection()?);
            }
            Ok(alone(parts, Elements::Union))
        })
    }

    fn intersection(&mut self) -> Parsed<Elements> {
        let mut parts = vec![self.difference()?];
        while self.eat_sign('^') || self.eat("INTERSECTION") {
            parts.push(self.difference()?);
        }
        Ok(alone(parts, Elements::Intersection))
    }

    fn difference(&mut self) -> Parsed<Elements> {
        let left = self.one()?;
        if self.eat("EXCEPT") {
            return Ok(Elements::Except(Box::new(left), Box::new(self.one()?)));
        }
        Ok(left)
    }

    fn one(&mut self) -> Parsed<Elements> {
        self.deeper(|parser| Ok(Elements::One(Box::new(parser.element().by("X.680 51.1")?))))
    }

    fn element(&mut self) -> Parsed<Element> {
        let word = self.peek();
        if word.kind == Kind::Sign('(') {
            self.at += 1;
            let set = self.element_set(')').by("X.680 50.1")?;
            self.exception().by("X.680 53.4")?;
            self.expect_sign(')')?;
            return Ok(Element::Parenthesised(set));
        }
        if word.kind == Kind::Upper {
            match self.text(word) {
                "SIZE" if self.ahead(1).kind == Kind::Sign('(') => {
                    self.at += 1;
                    return Ok(Element::Size(self.constraint()?));
                }
                "FROM" => {
                    self.at += 1;
                    return Ok(Element::From(self.constraint()?));
                }
                "WITH" => {
                    self.at += 1;
                    if self.eat("COMPONENT") {
                        return Ok(Element::Component(self.constraint()?));
                    }
                    self.expect("COMPONENTS")?;
                    return self.inner().by("X.680 51.8");
                }
                "PATTERN" => {
                    self.at += 1;
                    return Ok(Element::Pattern(self.value()?));
                }
                "SETTINGS" => {
                    self.at += 1;
                    return Ok(Element::Settings(self.value()?));
                }
                "INCLUDES" => {
                    self.at += 1;
                    return Ok(Element::Type(self.ty()?));
                }
                "MIN" => {
                    self.at += 1;
                    return self.range(word.start as usize, None).by("X.680 51.4");
                }
                _ => {}
            }
        }
        if let Some(element) = self.type_element()? {
            return Ok(element);
        }
        let value = self.value()?;
        if self.peek().kind == Kind::Range || self.is_sign('<') {
            let start = value.at.start as usize;
            return self.range(start, Some(value)).by("X.680 51.4");
        }
        Ok(Element::Value(value))
    }

    /// Parses an element that is a type or set, if it is one: its first word has an upper-case
    /// letter, and it is no value of an open type.
    fn type_element(&mut self) -> Parsed<Option<Element>> {
        let start = self.at;
        let word = self.peek();
        let upper = word.kind == Kind::Upper && !is_value_word(self.text(word));
        let null = upper && self.is("NULL") && self.ahead(1).kind != Kind::Sign('(');
        let value = upper && self.ahead(1).kind == Kind::Sign('.') && self.ahead(2).kind == Kind::Lower;
        if (!upper || null || value) && word.kind != Kind::Sign('[') {
            return Ok(None);
        }
        let ty = self.ty()?;
        if self.is_sign(':') || self.peek().kind == Kind::Range {
            self.at = start;
            return Ok(None);
        }
        Ok(Some(Element::Type(ty)))
    }

    /// Parses the rest of a range behind its lower bound (X.680 51.4).
    fn range(&mut self, start: usize, low: Option<Value>) -> Parsed<Element> {
        let low_open = self.eat_sign('<');
        if !self.eat_kind(Kind::Range) {
            return Err(self.expected("`..`"));
        }
        let high_open = self.eat_sign('<');
        let high = if self.eat("MAX") { None } else { Some(self.value()?) };
        let end = self.place(self.words.words[self.at - 1]);
        let at = polywire_core::text::diagnostic::Place { start: start as u32, ..end };
        Ok(Element::Range { at, low, low_open, high, high_open })
    }

    fn inner(&mut self) -> Parsed<Element> {
        let start = self.at;
        self.expect_sign('{')?;
        let mut partial = false;
        let mut inner = Vec::new();
        while !self.eat_sign('}') {
            if self.eat_kind(Kind::Ellipsis) {
                partial = true;
            } else {
                if !matches!(self.peek().kind, Kind::Lower | Kind::Upper) {
                    return Err(self.expected("the name of a component"));
                }
                let name = self.name();
                let constraint = if self.is_sign('(') { Some(self.constraint()?) } else { None };
                let presence = if self.eat("PRESENT") {
                    Some(Presence::Present)
                } else if self.eat("ABSENT") {
                    Some(Presence::Absent)
                } else if self.eat("OPTIONAL") {
                    Some(Presence::Optional)
                } else {
                    None
                };
                inner.push(Inner { name, constraint, presence });
            }
            if !self.is_sign('}') {
                self.expect_sign(',')?;
            }
        }
        Ok(Element::Components { at: self.place_from(start), partial, inner })
    }
}

fn alone(mut parts: Vec<Elements>, join: fn(Vec<Elements>) -> Elements) -> Elements {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            join(parts)
        }
        None => join(parts),
    }
}
