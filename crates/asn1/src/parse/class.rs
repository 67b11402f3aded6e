//! Classes of information objects.

use super::{By, MAX_NESTING, Parsed, Parser};
use crate::lex::Kind;
use crate::syntax::{Class, ClassField, FieldKind, Name, Notation, SetDefault};

impl Parser<'_> {
    /// Parses `CLASS { … } WITH SYNTAX { … }` (X.681 9.3).
    pub(super) fn class(&mut self) -> Parsed<Class> {
        let start = self.at;
        self.expect("CLASS")?;
        self.expect_sign('{')?;
        let mut fields = Vec::new();
        while !self.eat_sign('}') {
            fields.push(self.class_field().by("X.681 9.3")?);
            if !self.eat_sign(',') && !self.is_sign('}') {
                if !self.peek().first || !matches!(self.peek().kind, Kind::UpperField | Kind::LowerField) {
                    return Err(self.expected("`,` or `}`"));
                }
                let at = self.place(self.peek());
                self.caution("no_comma", at, "no comma before a field", "write `,`");
            }
        }
        let notation = if self.eat("WITH") {
            self.expect("SYNTAX")?;
            Some(self.notation().by("X.681 10.5")?)
        } else {
            None
        };
        Ok(Class { at: self.place_from(start), fields, notation })
    }

    fn class_field(&mut self) -> Parsed<ClassField> {
        let upper = match self.peek().kind {
            Kind::UpperField => true,
            Kind::LowerField => false,
            _ => return Err(self.expected("a field, such as `&id` or `&Type`")),
        };
        let name = self.name();
        let next = self.peek();
        let ends = matches!(next.kind, Kind::Sign(',' | '}')) || self.is("OPTIONAL") || self.is("DEFAULT");
        if upper && ends {
            let optional = self.eat("OPTIONAL");
            let default = if self.eat("DEFAULT") { Some(self.ty()?) } else { None };
            return Ok(ClassField { name, optional: optional || default.is_some(), kind: FieldKind::Type(default) });
        }
        if matches!(next.kind, Kind::UpperField | Kind::LowerField) {
            let mut governor = vec![self.name()];
            while self.is_sign('.') {
                self.at += 1;
                governor.push(self.name());
            }
            let optional = self.eat("OPTIONAL");
            let defaults = self.eat("DEFAULT");
            let kind = if upper {
                let default = if defaults { Some(SetDefault { span: self.balanced()? }) } else { None };
                FieldKind::VariableSet { governor, default }
            } else {
                let default = if defaults { Some(self.value()?) } else { None };
                FieldKind::VariableValue { governor, default }
            };
            return Ok(ClassField { name, kind, optional: optional || defaults });
        }
        let governor = self.ty()?;
        let unique = self.eat("UNIQUE");
        let optional = self.eat("OPTIONAL");
        let defaults = self.eat("DEFAULT");
        let kind = if upper {
            let default = if defaults { Some(SetDefault { span: self.balanced()? }) } else { None };
            FieldKind::Set { governor, default }
        } else {
            let default = if defaults { Some(self.value()?) } else { None };
            FieldKind::Value { governor, unique, default }
        };
        Ok(ClassField { name, kind, optional: optional || defaults })
    }

    /// Parses the braces behind WITH SYNTAX. Two brackets in a row are two brackets here, and no
    /// extension group.
    fn notation(&mut self) -> Parsed<Vec<Notation>> {
        self.expect_sign('{')?;
        let mut open: Vec<Vec<Notation>> = vec![Vec::new()];
        loop {
            let word = self.peek();
            let (opened, closed) = match word.kind {
                Kind::Sign('[') => (1, 0),
                Kind::OpenGroup => (2, 0),
                Kind::Sign(']') => (0, 1),
                Kind::CloseGroup => (0, 2),
                _ => (0, 0),
            };
            if opened + closed > 0 {
                for _ in 0..opened {
                    if open.len() > MAX_NESTING as usize {
                        return Err(self.expected("fewer brackets within each other"));
                    }
                    open.push(Vec::new());
                }
                for _ in 0..closed {
                    match (open.pop(), open.last_mut()) {
                        (Some(parts), Some(around)) => around.push(Notation::Optional(parts)),
                        _ => return Err(self.expected("`}`")),
                    }
                }
                self.at += 1;
                continue;
            }
            let part = match word.kind {
                Kind::UpperField | Kind::LowerField => Notation::Field(self.name()),
                Kind::Upper | Kind::Lower => Notation::Literal(self.name()),
                Kind::Sign(',') => {
                    self.at += 1;
                    Notation::Literal(Name { text: ",".into(), at: self.place(word) })
                }
                Kind::Sign('}') if open.len() == 1 => {
                    self.at += 1;
                    return Ok(open.pop().unwrap_or_default());
                }
                _ => return Err(self.expected("a word, a field, `[` or `]`")),
            };
            if let Some(parts) = open.last_mut() {
                parts.push(part);
            }
        }
    }
}
