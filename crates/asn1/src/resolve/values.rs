//! Values by their types.

use polywire_core::text::diagnostic::Place;
use smol_str::SmolStr;

use super::{Binding, DraftItem, Entity, Form, Governor, Resolver, ScopeId, Setting};
use crate::lex::Kind;
use crate::model::{self, TypeId};
use crate::parse::{Parsed, Parser};
use crate::syntax::{AssignmentKind, EnumerationItem, Name, Reference, Value, ValueKind};

impl<'m> Resolver<'m> {
    /// Returns the type that has the parts of a type: the end of its references. A circle is an
    /// error, and is cut.
    pub(super) fn base(&mut self, id: TypeId) -> TypeId {
        let mut at = id;
        for _ in 0..=self.drafts.len().min(10_000) {
            match &self.drafts[at.0 as usize].form {
                Form::Alias(next) => at = *next,
                Form::Selection(name, of) => {
                    let (name, of) = (name.clone(), *of);
                    at = match self.selected(&name, of) {
                        Some(chosen) => chosen,
                        None => {
                            self.drafts[at.0 as usize].form = Form::Unknown;
                            return at;
                        }
                    };
                }
                Form::Pending => {
                    self.finish_work();
                    if matches!(self.drafts[at.0 as usize].form, Form::Pending) {
                        self.drafts[at.0 as usize].form = Form::Unknown;
                    }
                }
                _ => return at,
            }
        }
        let place = self.drafts[id.0 as usize].at;
        self.error("circle", place, "this type is only references that lead back to it", "break the circle (X.680 16.1)");
        self.drafts[at.0 as usize].form = Form::Unknown;
        at
    }

    fn finish_work(&mut self) {
        while let Some(work) = self.work.pop() {
            self.step(work);
        }
    }

    /// Returns the alternative that a selection type names (X.680 30).
    pub(super) fn selected(&mut self, name: &Name, of: TypeId) -> Option<TypeId> {
        let found = self.chained(name.at, |resolver| Some(resolver.base(of)))?;
        let Form::Choice(items) = &self.drafts[found.0 as usize].form else {
            if !matches!(self.drafts[found.0 as usize].form, Form::Unknown) {
                self.error("no_choice", name.at, "a selection from a type that is no CHOICE", "X.680 30.2");
            }
            return None;
        };
        let found = component(items, &name.text);
        if found.is_none() {
            self.error("no_alternative", name.at, format!("the CHOICE has no alternative `{}`", name.text), "X.680 30.2");
        }
        found
    }

    /// Returns a whole number: of a tag, an enumerator, a bound. A value of another type is an
    /// error; one that is not known, or is beyond 128 bits, is none.
    pub(super) fn number(&mut self, value: &Value, scope: ScopeId) -> Option<i128> {
        let integer = self.integer_type();
        let found = self.value(value, scope, integer)?;
        if !matches!(found, model::Value::Integer(_) | model::Value::Enumerated(_) | model::Value::Digits(_) | model::Value::Unknown) {
            self.mismatch(value.at, "INTEGER");
        }
        found.as_integer()
    }

    /// Returns the type INTEGER, which is drafted on first use.
    fn integer_type(&mut self) -> TypeId {
        if let Some(known) = self.integer {
            return known;
        }
        let id = self.simple(Form::Integer(Vec::new()), Place::default(), ScopeId(0));
        self.integer = Some(id);
        id
    }

    /// Returns the value of a value assignment without parameters.
    pub(super) fn assigned_value(&mut self, module: u32, index: u32, ty: Option<TypeId>) -> Option<(TypeId, model::Value)> {
        if let Some(known) = self.known_values.get(&(module, index)) {
            return known.clone();
        }
        let AssignmentKind::Value { governor, value } = &self.assignment(module, index).kind else { return None };
        let scope = ScopeId(module);
        let ty = ty.unwrap_or_else(|| self.ty(governor, scope));
        let found = self.value(value, scope, ty).map(|value| (ty, value));
        self.known_values.insert((module, index), found.clone());
        found
    }

    /// Returns a value of a type.
    pub(super) fn value(&mut self, value: &Value, scope: ScopeId, ty: TypeId) -> Option<model::Value> {
        self.chained(value.at, |resolver| resolver.value_here(value, scope, ty))
    }

    fn value_here(&mut self, value: &Value, scope: ScopeId, ty: TypeId) -> Option<model::Value> {
        let base = self.base(ty);
        match &value.kind {
            ValueKind::Reference(reference) => self.referred_value(reference, scope, base),
            ValueKind::Field(reference, fields) => self.field_value(reference, fields, scope),
            ValueKind::Open(of, inside) => {
                let of = self.ty(of, scope);
                let inside = self.value(inside, scope, of)?;
                Some(match self.drafts[base.0 as usize].form {
                    Form::Open | Form::Unknown => model::Value::Open(of, Box::new(inside)),
                    _ => inside,
                })
            }
            ValueKind::Choice(name, inside) => {
                let found = match &self.drafts[base.0 as usize].form {
                    Form::Choice(items) => component(items, &name.text),
                    Form::Unknown | Form::Open => return Some(model::Value::Unknown),
                    _ => None,
                };
                let Some(chosen) = found else {
                    self.error("no_alternative", name.at, format!("the type has no alternative `{}`", name.text), "X.680 29.10");
                    return None;
                };
                Some(model::Value::Choice(name.text.clone(), Box::new(self.value(inside, scope, chosen)?)))
            }
            _ => self.literal(value, scope, base),
        }
    }

    fn referred_value(&mut self, reference: &Reference, scope: ScopeId, base: TypeId) -> Option<model::Value> {
        let plain = reference.module.is_none() && reference.arguments.is_none();
        let from = self.drafts[base.0 as usize].scope;
        // Names of the type itself come first (X.680 19.7, 20.8).
        if plain {
            match &self.drafts[base.0 as usize].form {
                Form::Integer(names) => {
                    if let Some(number) = names.iter().find(|number| number.name.text == reference.name.text) {
                        let number = number.value.clone();
                        return self.number(&number, from).map(model::Value::Integer);
                    }
                }
                Form::Enumerated(items)
                    if items.iter().any(|item| matches!(item, EnumerationItem::Name(name, _) if name.text == reference.name.text)) =>
                {
                    let found = self.enumeration(base);
                    let mut all = found.root.iter().chain(&found.additions);
                    return all.find(|(name, _)| *name == reference.name.text).map(|(_, number)| model::Value::Enumerated(*number));
                }
                _ => {}
            }
        }
        match self.find(reference.module.as_ref(), &reference.name, scope) {
            Entity::Parameter(Binding::Value(value, from)) => self.value(&value, from, base),
            Entity::Parameter(Binding::Unknown) | Entity::Unknown => Some(model::Value::Unknown),
            Entity::Assignment(module, index) => match &self.assignment(module, index).kind {
                AssignmentKind::Value { governor, value } => match &reference.arguments {
                    None => Some(self.assigned_value(module, index, None)?.1),
                    Some(arguments) => {
                        let inside = self.instance_scope(module, index, arguments, scope, reference)?;
                        let ty = self.ty(governor, inside);
                        self.value(value, inside, ty)
                    }
                },
                AssignmentKind::Macro => Some(model::Value::Unknown),
                _ => {
                    self.error("no_value", reference.name.at, format!("`{}` is no value", reference.name.text), "X.680 14.1");
                    None
                }
            },
            Entity::Parameter(_) => {
                self.error("no_value", reference.name.at, format!("the parameter `{}` is no value", reference.name.text), "X.683 9.5");
                None
            }
        }
    }

    /// Returns the value of a field of an object (X.681 15).
    fn field_value(&mut self, reference: &Reference, fields: &[Name], scope: ScopeId) -> Option<model::Value> {
        let class = self.object_class(reference, scope)?;
        let at = reference.name.at;
        let start = Value { at, span: Default::default(), kind: ValueKind::Reference(reference.clone()) };
        let mut object = self.object(&start, scope, class)?;
        let (last, path) = fields.split_last()?;
        for step in path {
            let class = self.objects[object as usize].class;
            let Some(Governor::Class(next)) = self.class_field(class, step) else { return None };
            let Some(Setting::Value(value, from)) = self.setting(object, &step.text) else { return None };
            object = self.object(&value, from, next)?;
        }
        let class = self.objects[object as usize].class;
        let Some(Governor::Type(ty)) = self.class_field(class, last) else { return None };
        let Some(Setting::Value(value, from)) = self.setting(object, &last.text) else { return None };
        self.value(&value, from, ty)
    }

    fn mismatch(&mut self, at: Place, what: &str) -> Option<model::Value> {
        self.error("value", at, format!("this is no value of {what}"), "X.680 17.7");
        None
    }

    fn literal(&mut self, value: &Value, scope: ScopeId, base: TypeId) -> Option<model::Value> {
        let words = self.words(scope);
        let text = || {
            let range = &words.words[value.span.start as usize..value.span.end as usize];
            let (Some(first), Some(last)) = (range.first(), range.last()) else { return "" };
            &words.text[first.start as usize..last.end as usize]
        };
        let at = value.at;
        let draft = &self.drafts[base.0 as usize];
        let from = draft.scope;
        match (&draft.form, &value.kind) {
            (Form::Unknown | Form::Open | Form::External | Form::EmbeddedPdv | Form::CharacterString, _) => Some(model::Value::Unknown),
            (Form::Boolean, ValueKind::Boolean(it)) => Some(model::Value::Boolean(*it)),
            (Form::Null, ValueKind::Null) => Some(model::Value::Null),
            (Form::Integer(_), ValueKind::Number(_)) => {
                let digits: SmolStr = text().chars().filter(|letter| !letter.is_whitespace()).collect();
                Some(digits.parse().map_or(model::Value::Digits(digits), model::Value::Integer))
            }
            (Form::Real, ValueKind::Number(_) | ValueKind::Real(_) | ValueKind::Special) => {
                Some(model::Value::Real(text().chars().filter(|letter| !letter.is_whitespace()).collect()))
            }
            (Form::Real, ValueKind::Braces) => self.real(value, scope),
            (Form::Octets, ValueKind::Hex | ValueKind::Bits) => {
                let (bytes, _) = quoted(text());
                Some(model::Value::Octets(bytes))
            }
            (Form::Bits(_), ValueKind::Hex | ValueKind::Bits) => {
                let (bytes, bits) = quoted(text());
                Some(model::Value::Bits(bytes, bits))
            }
            (Form::Bits(names), ValueKind::Braces) => {
                let names = names.clone();
                self.named_bits(value, scope, from, &names)
            }
            (Form::Text(_) | Form::Time(_) | Form::OidIri | Form::RelativeOidIri, ValueKind::Text) => {
                Some(model::Value::Text(unquoted(text())))
            }
            (Form::Text(_), ValueKind::Braces) => self.characters(value, scope, base),
            (Form::Oid | Form::RelativeOid, ValueKind::Braces) => self.oid(value, scope).map(model::Value::Oid),
            (Form::Structure { items, .. }, ValueKind::Braces) => {
                let items = items.clone();
                self.structure_value(value, scope, &items)
            }
            (Form::List { element, .. }, ValueKind::Braces) => {
                let element = *element;
                let mut parser = Parser::inside(words, value.span);
                let result = list(&mut parser);
                let parts = self.parsed(result)?;
                parts.iter().map(|part| self.value(part, scope, element)).collect::<Option<Vec<_>>>().map(model::Value::List)
            }
            // `{}` of X.208 for anything that is empty, and numbers where a name is meant.
            (Form::Enumerated(_), ValueKind::Number(_)) => {
                self.caution("odd_value", at, "a number where the name of an enumerator is expected", "write the name (X.680 20.8)");
                text().parse().ok().map(model::Value::Enumerated)
            }
            (form, _) => {
                let name = form_name(form);
                self.mismatch(at, name)
            }
        }
    }

    fn real(&mut self, value: &Value, scope: ScopeId) -> Option<model::Value> {
        let mut parser = Parser::inside(self.words(scope), value.span);
        let mut parts = [0i128, 10, 0];
        let result = named(&mut parser);
        for (name, part) in self.parsed(result)? {
            let place = ["mantissa", "base", "exponent"].iter().position(|known| *known == name.text)?;
            parts[place] = self.number(&part, scope)?;
        }
        Some(model::Value::RealParts(parts[0], parts[1], parts[2]))
    }

    fn named_bits(&mut self, value: &Value, scope: ScopeId, from: ScopeId, names: &[crate::syntax::NamedNumber]) -> Option<model::Value> {
        let mut parser = Parser::inside(self.words(scope), value.span);
        let result = list(&mut parser);
        let mut bytes = Vec::new();
        let mut bits = 0u64;
        for part in self.parsed(result)? {
            let name = crate::parse::plain_name(&part);
            let Some(known) = name.and_then(|name| names.iter().find(|known| known.name.text == name.text)) else {
                return self.mismatch(part.at, "BIT STRING: its type names no such bit");
            };
            let bit = self.number(&known.value, from)?;
            let Ok(bit) = usize::try_from(bit) else { return self.mismatch(part.at, "BIT STRING") };
            if bit >= 1 << 20 {
                return self.mismatch(part.at, "BIT STRING: the bit is too far");
            }
            if bytes.len() <= bit / 8 {
                bytes.resize(bit / 8 + 1, 0u8);
            }
            bytes[bit / 8] |= 0x80 >> (bit % 8);
            bits = bits.max(bit as u64 + 1);
        }
        Some(model::Value::Bits(bytes, bits))
    }

    /// Characters by their places, and texts in a row (X.680 41.8).
    fn characters(&mut self, value: &Value, scope: ScopeId, base: TypeId) -> Option<model::Value> {
        let mut parser = Parser::inside(self.words(scope), value.span);
        let result = list(&mut parser);
        let parts = self.parsed(result)?;
        let numbers = matches!(parts.len(), 2 | 4) && parts.iter().all(|part| matches!(part.kind, ValueKind::Number(false)));
        if numbers {
            let mut code = 0u32;
            let radix = if parts.len() == 2 { 16 } else { 256 };
            for part in &parts {
                code = code.wrapping_mul(radix).wrapping_add(u32::try_from(self.number(part, scope)?).unwrap_or(u32::MAX));
            }
            return match char::from_u32(code) {
                Some(letter) => Some(model::Value::Characters(vec![letter])),
                None => self.mismatch(value.at, "a string type: no character has this place"),
            };
        }
        let mut letters = Vec::new();
        for part in &parts {
            match self.value(part, scope, base)? {
                model::Value::Text(text) => letters.extend(text.chars()),
                model::Value::Characters(more) => letters.extend(more),
                _ => return self.mismatch(part.at, "a string type"),
            }
        }
        Some(model::Value::Characters(letters))
    }

    fn structure_value(&mut self, value: &Value, scope: ScopeId, items: &[DraftItem]) -> Option<model::Value> {
        let mut parser = Parser::inside(self.words(scope), value.span);
        let result = named(&mut parser);
        let mut parts = Vec::new();
        for (name, part) in self.parsed(result)? {
            let Some(ty) = self.component_of(items, &name.text, 0) else {
                self.error("no_component", name.at, format!("the type has no component `{}`", name.text), "X.680 25.17");
                return None;
            };
            parts.push((name.text, self.value(&part, scope, ty)?));
        }
        Some(model::Value::Structure(parts))
    }

    /// Returns the type of a component, also of those behind COMPONENTS OF.
    fn component_of(&mut self, items: &[DraftItem], name: &str, depth: u32) -> Option<TypeId> {
        if let Some(found) = component(items, name) {
            return Some(found);
        }
        for item in items {
            if let DraftItem::ComponentsOf(of, _) = item
                && depth < 20
            {
                let base = self.base(*of);
                if let Form::Structure { items, .. } = &self.drafts[base.0 as usize].form {
                    let items = items.clone();
                    if let Some(found) = self.component_of(&items, name, depth + 1) {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    /// Returns the numbers of an object identifier (X.680 32).
    pub(super) fn oid(&mut self, value: &Value, scope: ScopeId) -> Option<Vec<u128>> {
        let mut parser = Parser::inside(self.words(scope), value.span);
        let mut numbers: Vec<u128> = Vec::new();
        while !parser.is_done() {
            let word = parser.peek();
            let at = parser.place(word);
            match word.kind {
                Kind::Number => match parser.peek_text().parse() {
                    Ok(number) => {
                        parser.take();
                        numbers.push(number);
                    }
                    Err(_) => {
                        self.mismatch(at, "OBJECT IDENTIFIER: the number is too large");
                        return None;
                    }
                },
                Kind::Lower | Kind::Upper if parser.ahead(1).kind == Kind::Sign('(') => {
                    parser.take();
                    parser.take();
                    let result = parser.value();
                    let inside = self.parsed(result)?;
                    let result = parser.expect_sign(')');
                    self.parsed(result)?;
                    match self.number(&inside, scope) {
                        Some(number) if number >= 0 => numbers.push(number as u128),
                        Some(_) => {
                            self.mismatch(inside.at, "OBJECT IDENTIFIER");
                            return None;
                        }
                        None => return None,
                    }
                }
                Kind::Lower | Kind::Upper => {
                    let text = parser.peek_text();
                    if parser.ahead(1).kind != Kind::Sign('.') {
                        let name = Name { text: text.into(), at };
                        let defined = self.find_quietly(None, &name, scope).is_some();
                        if let Some(number) = known_arc(&numbers, text)
                            && (!defined || numbers.is_empty())
                        {
                            parser.take();
                            numbers.push(number);
                            continue;
                        }
                    }
                    let result = parser.value();
                    let part = self.parsed(result)?;
                    match self.oid_part(&part, scope)? {
                        model::Value::Oid(more) => numbers.extend(more),
                        model::Value::Integer(number) if number >= 0 => numbers.push(number as u128),
                        model::Value::Unknown => return Some(numbers),
                        _ => {
                            self.mismatch(part.at, "OBJECT IDENTIFIER");
                            return None;
                        }
                    }
                }
                _ => {
                    let error = parser.expected("a number or name of an object identifier");
                    self.report(*error);
                    return None;
                }
            }
        }
        Some(numbers)
    }

    /// Returns an object identifier, or a number, by its name.
    fn oid_part(&mut self, part: &Value, scope: ScopeId) -> Option<model::Value> {
        let ValueKind::Reference(reference) = &part.kind else { return self.mismatch(part.at, "OBJECT IDENTIFIER") };
        match self.find(reference.module.as_ref(), &reference.name, scope) {
            Entity::Assignment(module, index) if reference.arguments.is_none() => {
                match self.chained(part.at, |resolver| resolver.assigned_value(module, index, None)) {
                    Some((_, value)) => Some(value),
                    // The value has an error of its own, or its type is unknown.
                    None => Some(model::Value::Unknown),
                }
            }
            Entity::Parameter(Binding::Value(value, from)) => {
                let value = value.clone();
                match value.kind {
                    ValueKind::Braces => self.oid(&value, from).map(model::Value::Oid),
                    ValueKind::Number(_) => self.number(&value, from).map(model::Value::Integer),
                    _ => self.chained(part.at, |resolver| resolver.oid_part(&value, from)),
                }
            }
            _ => Some(model::Value::Unknown),
        }
    }
}

/// Returns the type of a component by its name.
fn component(items: &[DraftItem], name: &str) -> Option<TypeId> {
    items.iter().find_map(|item| match item {
        DraftItem::Component { name: known, ty, .. } if known.text == name => Some(*ty),
        DraftItem::Group(items, _) => component(items, name),
        _ => None,
    })
}

/// Parses values with commas between.
fn list(parser: &mut Parser<'_>) -> Parsed<Vec<Value>> {
    let mut parts = Vec::new();
    while !parser.is_done() {
        parts.push(parser.value()?);
        if !parser.is_done() {
            parser.expect_sign(',')?;
        }
    }
    Ok(parts)
}

/// Parses names with values, and commas between.
fn named(parser: &mut Parser<'_>) -> Parsed<Vec<(Name, Value)>> {
    let mut parts = Vec::new();
    while !parser.is_done() {
        if parser.peek().kind != Kind::Lower {
            return Err(parser.expected("the name of a component"));
        }
        let name = parser.name();
        parts.push((name, parser.value()?));
        if !parser.is_done() {
            parser.expect_sign(',')?;
        }
    }
    Ok(parts)
}

/// Returns the number of a name that X.660 gives to all.
fn known_arc(before: &[u128], name: &str) -> Option<u128> {
    Some(match (before, name) {
        ([], "itu-t" | "ccitt" | "itu-r") => 0,
        ([], "iso") => 1,
        ([], "joint-iso-itu-t" | "joint-iso-ccitt") => 2,
        ([0], "recommendation") => 0,
        ([0], "question") => 1,
        ([0], "administration") => 2,
        ([0], "network-operator") => 3,
        ([0], "identified-organization") => 4,
        ([0, 0], letter) if letter.len() == 1 && letter.as_bytes()[0].is_ascii_lowercase() => u128::from(letter.as_bytes()[0] - b'a') + 1,
        ([1], "standard") => 0,
        ([1], "registration-authority") => 1,
        ([1], "member-body") => 2,
        ([1], "identified-organization") => 3,
        _ => return None,
    })
}

/// Returns bytes and number of bits of a quoted number.
fn quoted(text: &str) -> (Vec<u8>, u64) {
    let radix_bits = if text.ends_with(['B', 'b']) { 1 } else { 4 };
    let digits = text.trim_start_matches('\'').split('\'').next().unwrap_or_default();
    let mut bytes = Vec::new();
    let mut bits = 0u64;
    for digit in digits.chars().filter_map(|digit| digit.to_digit(16)) {
        for bit in (0..radix_bits).rev() {
            if bits.is_multiple_of(8) {
                bytes.push(0);
            }
            if let Some(last) = bytes.last_mut() {
                *last |= (((digit >> bit) & 1) as u8) << (7 - bits % 8);
            }
            bits += 1;
        }
    }
    (bytes, bits)
}

/// Returns the characters of a quoted text: white space around a line break does not count (X.680
/// 12.14.1).
fn unquoted(text: &str) -> SmolStr {
    let inside = text.strip_prefix('"').unwrap_or(text);
    let inside = inside.strip_suffix('"').unwrap_or(inside).replace("\"\"", "\"");
    if !inside.contains('\n') {
        return inside.into();
    }
    let count = inside.lines().count();
    let lines = inside.lines().enumerate().map(|(line, text)| {
        let text = if line > 0 { text.trim_start() } else { text };
        if line + 1 < count { text.trim_end() } else { text }
    });
    lines.collect::<String>().into()
}

fn form_name(form: &Form) -> &'static str {
    match form {
        Form::Boolean => "BOOLEAN",
        Form::Null => "NULL",
        Form::Real => "REAL",
        Form::Integer(_) => "INTEGER",
        Form::Enumerated(_) => "ENUMERATED",
        Form::Bits(_) => "BIT STRING",
        Form::Octets => "OCTET STRING",
        Form::Oid => "OBJECT IDENTIFIER",
        Form::RelativeOid => "RELATIVE-OID",
        Form::Text(kind) => kind.keyword(),
        Form::Time(kind) => kind.keyword(),
        Form::Structure { set: false, .. } => "a SEQUENCE",
        Form::Structure { set: true, .. } => "a SET",
        Form::List { set: false, .. } => "a SEQUENCE OF",
        Form::List { set: true, .. } => "a SET OF",
        Form::Choice(_) => "a CHOICE",
        _ => "its type",
    }
}
