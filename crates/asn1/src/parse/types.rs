//! Types.

use polywire_core::text::diagnostic::Diagnostic;

use super::{By, Parsed, Parser};
use crate::lex::Kind;
use crate::syntax::{
    Argument, Component, EnumerationItem, Item, JsonInstruction, Name, NamedNumber, Optionality, Reference, StringKind, Tag, TagClass,
    TagNumber, Tagging, TimeKind, Type, TypeKind, Value, ValueKind,
};

impl Parser<'_> {
    /// Parses a type with its tags and constraints.
    pub fn ty(&mut self) -> Parsed<Type> {
        self.deeper(|parser| {
            let start = parser.at;
            let (mut tags, mut json) = (Vec::new(), Vec::new());
            while parser.is_sign('[') {
                tags.extend(parser.tag(&mut json).by("X.680 31.2")?);
            }
            let mut constraints = Vec::new();
            let kind = parser.kind(&mut constraints).by("X.680 17.1")?;
            while parser.is_sign('(') {
                constraints.push(parser.constraint().by("X.680 49.6")?);
            }
            if parser.is("SIZE") && parser.ahead(1).kind == Kind::Sign('(') {
                let start = parser.at;
                let constraint = parser.bare_size(start)?;
                parser.caution("bare_size", constraint.at, "SIZE has no parentheses around it", "write `(SIZE (…))` (X.680 51.5)");
                constraints.push(constraint);
            }
            Ok(Type { at: parser.place_from(start), span: parser.span_from(start), tags, json, kind, constraints })
        })
    }

    /// Notes that an encoding instruction of JER at the next word has no effect. No other encoding
    /// that is read has instructions.
    pub(super) fn no_instruction(&mut self) {
        let at = self.place(self.peek());
        let hint = "values are read and written as without it; BASE64, NAME and TEXT in front of types have one";
        self.caution("encoding_instruction", at, "this encoding instruction of JER has no effect", hint);
    }

    /// Parses a tag (X.680 31.1). Returns `None` for an encoding instruction (X.680 31.3): those of
    /// JER go to `json`, and others have no effect.
    fn tag(&mut self, json: &mut Vec<JsonInstruction>) -> Parsed<Option<Tag>> {
        let start = self.at;
        self.expect_sign('[')?;
        if self.is("TAG") && self.ahead(1).kind == Kind::Sign(':') {
            self.at += 2;
        }
        let class = match self.peek_text() {
            "UNIVERSAL" => TagClass::Universal,
            "APPLICATION" => TagClass::Application,
            "PRIVATE" => TagClass::Private,
            _ => TagClass::Context,
        };
        if class != TagClass::Context {
            self.at += 1;
        } else if self.is_instruction() {
            let has_reference = self.ahead(1).kind == Kind::Sign(':');
            let is_json = if has_reference { self.is("JER") } else { self.instructions.as_deref() == Some("JER") };
            if is_json {
                self.at += if has_reference { 2 } else { 0 };
                json.extend(self.json_instruction().by("X.697 9")?);
                self.expect_sign(']')?;
                return Ok(None);
            }
            while !self.eat_sign(']') {
                if self.is_done() {
                    return Err(self.expected("`]`"));
                }
                self.at += 1;
            }
            return Ok(None);
        }
        let number = match self.peek().kind {
            Kind::Number => {
                let word = self.take();
                match self.text(word).parse() {
                    Ok(number) => TagNumber::Number(number),
                    Err(_) => {
                        let place = self.place(word);
                        return Err(Box::new(Diagnostic::error("large_tag", place, "this number is too large for a tag")));
                    }
                }
            }
            Kind::Lower => TagNumber::Value(self.value()?),
            Kind::Upper if self.ahead(1).kind == Kind::Sign('.') => TagNumber::Value(self.value()?),
            Kind::Upper => {
                let mut error = self.expected("the number of a tag");
                error.hint =
                    "X.680 31.2: digits, or the name of a number; an encoding instruction names its encoding, as `[XER:LIST]`".to_string();
                return Err(error);
            }
            _ => return Err(self.expected("the number of a tag")),
        };
        self.expect_sign(']')?;
        let at = self.place_from(start);
        let tagging = if self.eat("IMPLICIT") {
            Some(Tagging::Implicit)
        } else if self.eat("EXPLICIT") {
            Some(Tagging::Explicit)
        } else {
            None
        };
        Ok(Some(Tag { at, class, number, tagging }))
    }

    /// Returns whether an encoding instruction comes next: an encoding reference with a colon, or
    /// anything in capitals where no prefix without one is a tag (X.680 31.3).
    fn is_instruction(&self) -> bool {
        let next = self.ahead(1).kind;
        self.peek().kind == Kind::Upper && (next == Kind::Sign(':') || self.instructions.is_some() && next != Kind::Sign('.'))
    }

    /// Parses a type without its tags. Constraints between SEQUENCE or SET and OF go to `before`.
    fn kind(&mut self, before: &mut Vec<crate::syntax::Constraint>) -> Parsed<TypeKind> {
        let word = self.peek();
        if word.kind == Kind::Lower {
            if self.ahead(1).kind == Kind::Sign('<') {
                let name = self.name();
                self.at += 1;
                return Ok(TypeKind::Selection(name, Box::new(self.ty()?)));
            }
            if self.ahead(1).kind == Kind::Sign('.') && matches!(self.ahead(2).kind, Kind::UpperField | Kind::LowerField) {
                return self.reference_type();
            }
            return Err(self.expected("a type"));
        }
        if word.kind != Kind::Upper {
            return Err(self.expected("a type"));
        }
        let text = self.text(word);
        if let Some(kind) = StringKind::by_word(text) {
            self.at += 1;
            return Ok(TypeKind::Text(kind));
        }
        self.at += 1;
        Ok(match text {
            "BOOLEAN" => TypeKind::Boolean,
            "NULL" => TypeKind::Null,
            "REAL" => TypeKind::Real,
            "INTEGER" => TypeKind::Integer(self.named_numbers().by("X.680 19.1")?),
            "ENUMERATED" => TypeKind::Enumerated(self.enumeration().by("X.680 20.1")?),
            "BIT" => {
                self.expect("STRING")?;
                TypeKind::Bits(self.named_numbers().by("X.680 22.1")?)
            }
            "OCTET" => {
                self.expect("STRING")?;
                TypeKind::Octets
            }
            "OBJECT" => {
                self.expect("IDENTIFIER")?;
                TypeKind::Oid
            }
            "RELATIVE-OID" => TypeKind::RelativeOid,
            "OID-IRI" => TypeKind::OidIri,
            "RELATIVE-OID-IRI" => TypeKind::RelativeOidIri,
            "EXTERNAL" => TypeKind::External,
            "EMBEDDED" => {
                self.expect("PDV")?;
                TypeKind::EmbeddedPdv
            }
            "CHARACTER" => {
                self.expect("STRING")?;
                TypeKind::CharacterString
            }
            "TIME" => TypeKind::Time(TimeKind::Time),
            "DATE" => TypeKind::Time(TimeKind::Date),
            "TIME-OF-DAY" => TypeKind::Time(TimeKind::TimeOfDay),
            "DATE-TIME" => TypeKind::Time(TimeKind::DateTime),
            "DURATION" => TypeKind::Time(TimeKind::Duration),
            "INSTANCE" => {
                self.expect("OF")?;
                TypeKind::InstanceOf(self.reference()?)
            }
            "ANY" => {
                let by = if self.eat("DEFINED") {
                    self.expect("BY")?;
                    Some(self.expect_name(Kind::Lower, "the name of a component")?)
                } else {
                    None
                };
                TypeKind::Any(by)
            }
            "CHOICE" => TypeKind::Choice(self.items("an alternative").by("X.680 29.1")?),
            "SEQUENCE" | "SET" => {
                let sequence = text == "SEQUENCE";
                if self.is_sign('{') {
                    let items = self.items("a component").by(if sequence { "X.680 25.1" } else { "X.680 27.1" })?;
                    return Ok(if sequence { TypeKind::Sequence(items) } else { TypeKind::Set(items) });
                }
                if self.is("SIZE") {
                    let start = self.at;
                    before.push(self.bare_size(start)?);
                } else {
                    while self.is_sign('(') {
                        before.push(self.constraint().by("X.680 49.6")?);
                    }
                }
                if !self.eat("OF") {
                    // X.208 had SEQUENCE and SET alone for a list of anything.
                    return Err(self.expected("`{` or OF")).by(if sequence { "X.680 25.1, 26.1" } else { "X.680 27.1, 28.1" });
                }
                // The element may have a name (X.680 26.1).
                if self.peek().kind == Kind::Lower && !matches!(self.ahead(1).kind, Kind::Sign('<' | '.')) {
                    self.at += 1;
                }
                let element = Box::new(self.ty()?);
                if sequence { TypeKind::SequenceOf(element) } else { TypeKind::SetOf(element) }
            }
            _ => {
                self.at -= 1;
                return self.reference_type();
            }
        })
    }

    fn reference_type(&mut self) -> Parsed<TypeKind> {
        let reference = self.reference()?;
        let mut fields = Vec::new();
        while self.is_sign('.') && matches!(self.ahead(1).kind, Kind::UpperField | Kind::LowerField) {
            self.at += 1;
            fields.push(self.name());
        }
        Ok(if fields.is_empty() { TypeKind::Reference(reference) } else { TypeKind::Field(reference, fields) })
    }

    /// Parses `Module.name{parameters}`, of which the name alone must be there.
    pub(super) fn reference(&mut self) -> Parsed<Reference> {
        if !matches!(self.peek().kind, Kind::Upper | Kind::Lower) {
            return Err(self.expected("a name"));
        }
        let mut name = self.name();
        if matches!(name.text.as_str(), "END" | "BEGIN" | "OPTIONAL" | "DEFAULT" | "FROM" | "OF" | "MIN" | "MAX") {
            self.at -= 1;
            return Err(self.expected("a name"));
        }
        let mut module = None;
        if self.is_sign('.') && matches!(self.ahead(1).kind, Kind::Upper | Kind::Lower) {
            self.at += 1;
            module = Some(std::mem::replace(&mut name, self.name()));
        }
        let arguments = if self.is_sign('{') { Some(self.arguments().by("X.683 9.5")?) } else { None };
        Ok(Reference { module, name, arguments })
    }

    /// Parses actual parameters (X.683 9.5).
    fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        self.deeper(|parser| {
            parser.expect_sign('{')?;
            let mut arguments = Vec::new();
            while !parser.eat_sign('}') {
                arguments.push(parser.argument()?);
                if !parser.is_sign('}') {
                    parser.expect_sign(',')?;
                }
            }
            Ok(arguments)
        })
    }

    fn argument(&mut self) -> Parsed<Argument> {
        let start = self.at;
        match self.peek().kind {
            Kind::Sign('{') => {
                let span = self.balanced()?;
                Ok(Argument::Braces(span, self.place_from(start)))
            }
            Kind::Sign('[') => Ok(Argument::Type(self.ty()?)),
            Kind::Upper if !is_value_word(self.peek_text()) => {
                let ty = self.ty()?;
                if !self.is_sign(':') {
                    return Ok(Argument::Type(ty));
                }
                self.at = start;
                Ok(Argument::Value(self.value()?))
            }
            Kind::Lower if self.ahead(1).kind == Kind::Sign('<') => Ok(Argument::Type(self.ty()?)),
            _ => Ok(Argument::Value(self.value()?)),
        }
    }

    /// Parses `{ name(1), … }` of INTEGER and BIT STRING, if it is there.
    fn named_numbers(&mut self) -> Parsed<Vec<NamedNumber>> {
        let mut numbers = Vec::new();
        if !self.eat_sign('{') {
            return Ok(numbers);
        }
        while !self.eat_sign('}') {
            if self.eat_kind(Kind::Ellipsis) {
                let at = self.place_from(self.at - 1);
                self.caution("odd_marker", at, "named numbers have no extension marker", "leave it out");
            } else {
                let name = self.item_name("the name of a number")?;
                self.expect_sign('(')?;
                let value = self.value()?;
                self.expect_sign(')')?;
                numbers.push(NamedNumber { name, value });
            }
            self.comma("a number")?;
        }
        Ok(numbers)
    }

    /// Takes an identifier; one that starts with an upper-case letter is a caution.
    fn item_name(&mut self, what: &str) -> Parsed<Name> {
        let kind = self.peek().kind;
        if !matches!(kind, Kind::Lower | Kind::Upper) {
            return Err(self.expected(what));
        }
        let name = self.name();
        if kind == Kind::Upper {
            self.caution(
                "odd_name",
                name.at,
                format!("the identifier `{}` starts with an upper-case letter", name.text),
                "X.680 12.3 wants a lower-case letter",
            );
        }
        Ok(name)
    }

    fn enumeration(&mut self) -> Parsed<Vec<EnumerationItem>> {
        self.expect_sign('{')?;
        let mut items = Vec::new();
        while !self.eat_sign('}') {
            if self.peek().kind == Kind::Ellipsis {
                let word = self.take();
                items.push(EnumerationItem::Marker(self.place(word)));
                self.exception()?;
            } else {
                let name = self.item_name("a name")?;
                let value = if self.eat_sign('(') {
                    let value = self.value()?;
                    self.expect_sign(')')?;
                    Some(value)
                } else {
                    None
                };
                items.push(EnumerationItem::Name(name, value));
            }
            self.comma("a name")?;
        }
        Ok(items)
    }

    /// Takes the comma between two parts. One that is missing at the end of a line is a caution, as
    /// is one too many.
    fn comma(&mut self, what: &str) -> Parsed<()> {
        if self.eat_sign(',') {
            while self.is_sign(',') {
                let at = self.take_place();
                self.caution("odd_comma", at, "two commas in a row", "leave one out");
            }
            if self.is_sign('}') || self.peek().kind == Kind::CloseGroup {
                let at = self.place(self.words.words[self.at - 1]);
                self.caution("odd_comma", at, "a comma behind the last part", "leave it out");
            }
            return Ok(());
        }
        let next = self.peek();
        if next.kind == Kind::Sign('}') || next.kind == Kind::CloseGroup {
            return Ok(());
        }
        if next.first && matches!(next.kind, Kind::Lower | Kind::Ellipsis | Kind::OpenGroup) {
            let at = self.place(next);
            self.caution("no_comma", at, format!("no comma before {what}"), "write `,`");
            return Ok(());
        }
        Err(self.expected("`,` or `}`"))
    }

    /// Takes an exception identification (X.680 53), if it is there.
    pub(super) fn exception(&mut self) -> Parsed<()> {
        if self.eat_sign('!') {
            let typed = self.peek().kind == Kind::Upper && self.ahead(1).kind != Kind::Sign('.');
            if typed {
                self.ty()?;
                self.expect_sign(':')?;
            }
            self.value()?;
        }
        Ok(())
    }

    /// Parses the components of a SEQUENCE, SET or CHOICE.
    fn items(&mut self, what: &str) -> Parsed<Vec<Item>> {
        self.expect_sign('{')?;
        let mut items = Vec::new();
        while !self.eat_sign('}') {
            items.push(self.item(what)?);
            self.comma(what)?;
        }
        Ok(items)
    }

    fn item(&mut self, what: &str) -> Parsed<Item> {
        let start = self.at;
        match self.peek().kind {
            Kind::Ellipsis => {
                let word = self.take();
                self.exception()?;
                Ok(Item::Marker(self.place(word)))
            }
            Kind::OpenGroup => {
                self.at += 1;
                let mut version = None;
                if self.peek().kind == Kind::Number && self.ahead(1).kind == Kind::Sign(':') {
                    version = self.peek_text().parse().ok();
                    self.at += 2;
                }
                let mut parts = Vec::new();
                while !self.eat_kind(Kind::CloseGroup) {
                    if self.is_sign('}') || matches!(self.peek().kind, Kind::OpenGroup | Kind::Ellipsis) {
                        return Err(self.expected("`]]`"));
                    }
                    parts.push(self.item(what)?);
                    self.comma(what)?;
                }
                Ok(Item::Group(parts, version, self.place_from(start)))
            }
            Kind::Upper if self.is("COMPONENTS") => {
                self.at += 1;
                self.expect("OF")?;
                Ok(Item::ComponentsOf(self.ty()?))
            }
            _ => Ok(Item::Component(self.component(what)?)),
        }
    }

    fn component(&mut self, what: &str) -> Parsed<Component> {
        let word = self.peek();
        let next = self.ahead(1).kind;
        let name = match word.kind {
            Kind::Lower if next == Kind::Sign('<') => self.no_name(),
            Kind::Lower => self.name(),
            // An upper-case name in front of a type.
            Kind::Upper
                if !crate::lex::KEYWORDS.contains(&self.text(word))
                    && (next == Kind::Upper && !self.is_word(1, "OPTIONAL") && !self.is_word(1, "DEFAULT") || next == Kind::Sign('[')) =>
            {
                self.item_name(what)?
            }
            Kind::Upper | Kind::Sign('[') => self.no_name(),
            _ => return Err(self.expected(what)),
        };
        let ty = self.ty()?;
        let optionality = if self.eat("OPTIONAL") {
            Optionality::Optional
        } else if self.eat("DEFAULT") {
            Optionality::Default(self.value()?)
        } else {
            Optionality::Required
        };
        Ok(Component { name, ty, optionality })
    }

    fn no_name(&mut self) -> Name {
        let at = self.place(self.peek());
        self.caution("no_name", at, "a component without a name", "X.208 let names be left out; X.680 25.1 does not");
        Name { text: Default::default(), at }
    }
}

/// Returns whether an upper-case word starts a value and no type.
pub(super) fn is_value_word(word: &str) -> bool {
    matches!(word, "TRUE" | "FALSE" | "PLUS-INFINITY" | "MINUS-INFINITY" | "NOT-A-NUMBER")
}

/// Returns the value as a reference to a single name, if it is one.
pub fn plain_name(value: &Value) -> Option<&Name> {
    match &value.kind {
        ValueKind::Reference(Reference { module: None, name, arguments: None }) => Some(name),
        _ => None,
    }
}
