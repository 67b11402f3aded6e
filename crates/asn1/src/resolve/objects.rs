//! Information objects, their sets and tables (X.681 11 to 13).

use polywire_core::text::diagnostic::Diagnostic;

use super::names::inner;
use super::{Binding, ClassRef, Entity, Governor, Object, ObjectSet, Resolver, ScopeId, SetRef, Setting, Work};
use crate::lex::Kind;
use crate::model::{Table, TableId};
use crate::parse::By;
use crate::parse::{Parsed, Parser};
use crate::syntax::{AssignmentKind, Element, Elements, FieldKind, Name, Notation, Reference, Span, Type, TypeKind, Value, ValueKind};

impl<'m> Resolver<'m> {
    /// Checks a value, object or set that a module assigns.
    pub(super) fn check_assigned(&mut self, module: u32, index: u32) {
        let scope = ScopeId(module);
        match &self.assignment(module, index).kind {
            AssignmentKind::Value { governor, value } => match self.class_named(governor, scope) {
                Some(class) => {
                    self.object(value, scope, class);
                }
                None => {
                    let ty = self.ty(governor, scope);
                    self.assigned_values.push((module, index, ty));
                }
            },
            AssignmentKind::Set { governor, set } => match self.class_named(governor, scope) {
                Some(class) => {
                    self.object_set(&SetRef { span: inner(*set), scope, governor: None }, class);
                }
                None => {
                    self.assigned_type(module, index);
                }
            },
            _ => {}
        }
    }

    /// Returns the definition of a set that is a single name.
    fn defined_set(&mut self, set: &SetRef) -> SetRef {
        let mut set = set.clone();
        for _ in 0..20 {
            if set.span.end != set.span.start + 1 {
                break;
            }
            let words = self.words(set.scope);
            let word = words.words[set.span.start as usize];
            if word.kind != Kind::Upper {
                break;
            }
            let name = Name { text: words.of(word).into(), at: words.place(word) };
            set = match self.find_quietly(None, &name, set.scope) {
                Some(Entity::Parameter(Binding::Set(next))) => next,
                Some(Entity::Assignment(module, index)) => match &self.assignment(module, index).kind {
                    AssignmentKind::Set { set, .. } if self.assignment(module, index).parameters.is_empty() => {
                        SetRef { span: inner(*set), scope: ScopeId(module), governor: None }
                    }
                    _ => break,
                },
                _ => break,
            };
        }
        set
    }

    /// Returns whether a set, which is written as a type, is a set of objects.
    pub(super) fn is_object_set(&mut self, set: &SetRef) -> bool {
        let mut parser = self.parser(set.span, set.scope);
        let Ok(Type { kind: TypeKind::Reference(reference), .. }) = parser.ty() else { return false };
        match self.find_quietly(reference.module.as_ref(), &reference.name, set.scope) {
            Some(Entity::Parameter(Binding::Set(set))) => matches!(set.governor, Some(Governor::Class(_))),
            Some(Entity::Assignment(module, index)) => match &self.assignment(module, index).kind {
                AssignmentKind::Set { governor, .. } => self.names_class(governor, ScopeId(module)),
                _ => false,
            },
            _ => false,
        }
    }

    /// Returns the table of a set, whose objects are gathered later.
    pub(super) fn table(&mut self, set: &SetRef, class: ClassRef) -> TableId {
        let set = self.defined_set(set);
        let key = (set.span, set.scope, class);
        if let Some(known) = self.table_ids.get(&key) {
            return *known;
        }
        let id = TableId(self.tables.len() as u32);
        self.tables.push(Table::default());
        self.table_ids.insert(key, id);
        self.table_sets.push((class, None));
        self.work.push(Work::Table { id, class, set });
        id
    }

    /// Gathers the objects of a table, and drafts their types.
    pub(super) fn draft_table(&mut self, id: TableId, class: ClassRef, set: &SetRef) {
        let Some(found) = self.object_set(set, class) else { return };
        self.table_sets[id.0 as usize].1 = Some(found);
        for object in self.sets[found as usize].objects.clone() {
            let class = self.objects[object as usize].class;
            let fields = &self.class(class).fields;
            for field in fields {
                if matches!(field.kind, FieldKind::Type(_)) {
                    self.setting(object, &field.name.text);
                }
            }
        }
    }

    /// Returns the objects of a set in braces.
    pub(super) fn object_set(&mut self, set: &SetRef, class: ClassRef) -> Option<u32> {
        let set = self.defined_set(set);
        let key = (set.span, set.scope, class);
        if let Some(known) = self.set_ids.get(&key) {
            return Some(*known);
        }
        let id = self.sets.len() as u32;
        self.sets.push(ObjectSet::default());
        self.set_ids.insert(key, id);
        if set.span.start >= set.span.end {
            return Some(id);
        }
        let mut parser = self.parser(set.span, set.scope);
        let result = parser.element_set('}').and_then(|elements| parser.expect_done("`|` or `}`").map(|()| elements));
        let elements = self.parsed(result.by("X.681 12.1"))?;
        let at = elements.at;
        let found = self.chained(at, |resolver| {
            let mut found = ObjectSet { objects: Vec::new(), extensible: elements.extensible };
            for part in elements.root.iter().chain(&elements.additions) {
                let more = resolver.gather(part, set.scope, class)?;
                found.extensible |= more.extensible;
                add(&mut found.objects, more.objects);
            }
            Some(found)
        })?;
        self.sets[id as usize] = found;
        Some(id)
    }

    fn gather(&mut self, elements: &Elements, scope: ScopeId, class: ClassRef) -> Option<ObjectSet> {
        Some(match elements {
            Elements::Union(parts) => {
                let mut all = ObjectSet::default();
                for part in parts {
                    // One wrong object does not hide the others.
                    if let Some(more) = self.gather(part, scope, class) {
                        all.extensible |= more.extensible;
                        add(&mut all.objects, more.objects);
                    }
                }
                all
            }
            Elements::Intersection(parts) => {
                let mut parts = parts.iter();
                let mut all = self.gather(parts.next()?, scope, class)?;
                for part in parts {
                    let other = self.gather(part, scope, class)?;
                    all.objects.retain(|object| other.objects.contains(object));
                }
                all
            }
            Elements::Except(from, without) => {
                let mut all = self.gather(from, scope, class)?;
                let other = self.gather(without, scope, class)?;
                all.objects.retain(|object| !other.objects.contains(object));
                all
            }
            Elements::AllExcept(_) => return None,
            Elements::One(element) => self.gather_one(element, scope, class)?,
        })
    }

    fn gather_one(&mut self, element: &Element, scope: ScopeId, class: ClassRef) -> Option<ObjectSet> {
        match element {
            Element::Parenthesised(set) => {
                let mut found = ObjectSet { objects: Vec::new(), extensible: set.extensible };
                for part in set.root.iter().chain(&set.additions) {
                    let more = self.gather(part, scope, class)?;
                    found.extensible |= more.extensible;
                    add(&mut found.objects, more.objects);
                }
                Some(found)
            }
            Element::Value(Value { kind: ValueKind::Field(reference, fields), at, .. })
                if fields.last().is_some_and(|field| field.text.starts_with(|first: char| first.is_ascii_uppercase())) =>
            {
                self.set_of_fields(reference, fields, scope, *at)
            }
            Element::Value(value) => {
                let object = self.object(value, scope, class)?;
                Some(ObjectSet { objects: vec![object], extensible: false })
            }
            Element::Type(Type { kind: TypeKind::Reference(reference), .. }) => {
                let (set, class) = self.referred_set(reference, scope, class)?;
                let id = self.object_set(&set, class)?;
                Some(self.sets[id as usize].clone())
            }
            Element::Type(Type { kind: TypeKind::Field(reference, fields), at, .. }) => self.set_of_fields(reference, fields, scope, *at),
            Element::Type(ty) => {
                self.error("no_object", ty.at, "a type where an object is expected", "X.681 12.10");
                None
            }
            _ => None,
        }
    }

    /// Returns the set that a name stands for. `None` if it is unknown, or none.
    fn referred_set(&mut self, reference: &Reference, scope: ScopeId, class: ClassRef) -> Option<(SetRef, ClassRef)> {
        let at = reference.name.at;
        match self.find(reference.module.as_ref(), &reference.name, scope) {
            Entity::Parameter(Binding::Set(set)) => {
                let class = match set.governor {
                    Some(Governor::Class(class)) => class,
                    _ => class,
                };
                Some((set, class))
            }
            Entity::Assignment(module, index) => {
                let assignment = self.assignment(module, index);
                let AssignmentKind::Set { governor, set } = &assignment.kind else {
                    self.error("no_set", at, format!("`{}` is no set of objects", reference.name.text), "X.681 12.10");
                    return None;
                };
                let scope = match &reference.arguments {
                    None => ScopeId(module),
                    Some(arguments) => self.instance_scope(module, index, arguments, scope, reference)?,
                };
                let class = self.class_named(governor, scope).unwrap_or(class);
                Some((SetRef { span: inner(*set), scope, governor: None }, class))
            }
            Entity::Unknown | Entity::Parameter(Binding::Unknown) => None,
            Entity::Parameter(_) => {
                self.error("no_set", at, format!("`{}` is no set of objects", reference.name.text), "X.681 12.10");
                None
            }
        }
    }

    /// Returns the objects that a field has in an object, or in all objects of a set (X.681 15).
    fn set_of_fields(
        &mut self,
        reference: &Reference,
        fields: &[Name],
        scope: ScopeId,
        at: polywire_core::text::diagnostic::Place,
    ) -> Option<ObjectSet> {
        let (mut objects, mut class) = match self.find(reference.module.as_ref(), &reference.name, scope) {
            Entity::Parameter(Binding::Set(set)) => {
                let Some(Governor::Class(class)) = set.governor else { return None };
                let id = self.object_set(&set, class)?;
                (self.sets[id as usize].objects.clone(), class)
            }
            Entity::Assignment(module, index) => match &self.assignment(module, index).kind {
                AssignmentKind::Set { governor, set } => {
                    let class = self.class_named(governor, ScopeId(module))?;
                    let id = self.object_set(&SetRef { span: inner(*set), scope: ScopeId(module), governor: None }, class)?;
                    (self.sets[id as usize].objects.clone(), class)
                }
                AssignmentKind::Value { governor, value } => {
                    let class = self.class_named(governor, ScopeId(module))?;
                    (vec![self.object(value, ScopeId(module), class)?], class)
                }
                _ => return None,
            },
            _ => return None,
        };
        for field in fields {
            let Some(Governor::Class(next)) = self.class_field(class, field) else { return None };
            let mut inside = Vec::new();
            for object in objects {
                match self.setting(object, &field.text) {
                    Some(Setting::Set(set)) => {
                        let id = self.chained(at, |resolver| resolver.object_set(&set, next))?;
                        let more = self.sets[id as usize].objects.clone();
                        add(&mut inside, more);
                    }
                    Some(Setting::Value(value, from)) => {
                        if let Some(object) = self.object(&value, from, next) {
                            add(&mut inside, vec![object]);
                        }
                    }
                    _ => {}
                }
            }
            (objects, class) = (inside, next);
        }
        Some(ObjectSet { objects, extensible: false })
    }

    /// Returns the object that a text means.
    pub(super) fn object(&mut self, value: &Value, scope: ScopeId, class: ClassRef) -> Option<u32> {
        self.chained(value.at, |resolver| resolver.object_here(value, scope, class))
    }

    fn object_here(&mut self, value: &Value, scope: ScopeId, class: ClassRef) -> Option<u32> {
        match &value.kind {
            ValueKind::Braces => {
                let key = (value.at.source, value.span, scope, class);
                if let Some(known) = self.object_ids.get(&key) {
                    return *known;
                }
                let settings = self.settings(value, scope, class)?;
                let id = self.objects.len() as u32;
                self.objects.push(Object { class, settings });
                self.object_ids.insert(key, Some(id));
                Some(id)
            }
            ValueKind::Reference(reference) => match self.find(reference.module.as_ref(), &reference.name, scope) {
                Entity::Parameter(Binding::Value(value, from)) => self.object(&value, from, class),
                Entity::Assignment(module, index) => {
                    let AssignmentKind::Value { governor, value: assigned } = &self.assignment(module, index).kind else {
                        if !matches!(self.assignment(module, index).kind, AssignmentKind::Macro) {
                            self.error("no_object", value.at, format!("`{}` is no object", reference.name.text), "X.681 11.3");
                        }
                        return None;
                    };
                    let from = match &reference.arguments {
                        None => ScopeId(module),
                        Some(arguments) => self.instance_scope(module, index, arguments, scope, reference)?,
                    };
                    match self.class_named(governor, from) {
                        Some(class) => self.object(assigned, from, class),
                        None => {
                            if !self.is_foreign(governor, from) {
                                self.error("no_object", value.at, format!("`{}` is no object", reference.name.text), "X.681 11.3");
                            }
                            None
                        }
                    }
                }
                _ => None,
            },
            ValueKind::Field(reference, fields) => {
                let start = Value { kind: ValueKind::Reference(reference.clone()), ..value.clone() };
                let (last, path) = fields.split_last()?;
                let start_class = self.object_class(reference, scope)?;
                let mut object = self.object(&start, scope, start_class)?;
                for step in path.iter().chain([last]) {
                    let class = self.objects[object as usize].class;
                    let Some(Governor::Class(next)) = self.class_field(class, step) else { return None };
                    let Some(Setting::Value(value, from)) = self.setting(object, &step.text) else { return None };
                    object = self.object(&value, from, next)?;
                }
                Some(object)
            }
            _ => {
                self.error("no_object", value.at, "a value where an object is expected", "X.681 11.3");
                None
            }
        }
    }

    /// Returns whether a governor is a name of a module that the texts lack, or of a macro.
    fn is_foreign(&mut self, governor: &Type, scope: ScopeId) -> bool {
        let TypeKind::Reference(reference) = &governor.kind else { return false };
        match self.find_quietly(reference.module.as_ref(), &reference.name, scope) {
            Some(Entity::Unknown) => true,
            Some(Entity::Assignment(module, index)) => matches!(self.assignment(module, index).kind, AssignmentKind::Macro),
            _ => false,
        }
    }

    /// Returns the class of an object that a name stands for.
    pub(super) fn object_class(&mut self, reference: &Reference, scope: ScopeId) -> Option<ClassRef> {
        match self.find(reference.module.as_ref(), &reference.name, scope) {
            Entity::Assignment(module, index) => match &self.assignment(module, index).kind {
                AssignmentKind::Value { governor, .. } | AssignmentKind::Set { governor, .. } => {
                    self.class_named(governor, ScopeId(module))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns what an object sets for a field, or the field's default.
    pub(super) fn setting(&mut self, object: u32, field: &str) -> Option<Setting> {
        let known = &self.objects[object as usize];
        if let Some((_, setting)) = known.settings.iter().find(|(name, _)| name == field) {
            return Some(setting.clone());
        }
        let class = known.class;
        let found = self.class(class).fields.iter().find(|known| known.name.text == field)?;
        let setting = match &found.kind {
            FieldKind::Type(Some(ty)) => {
                let ty = ty.clone();
                Setting::Type(self.ty(&ty, class.scope))
            }
            FieldKind::Value { default: Some(value), .. } | FieldKind::VariableValue { default: Some(value), .. } => {
                Setting::Value(value.clone(), class.scope)
            }
            FieldKind::Set { default: Some(set), .. } | FieldKind::VariableSet { default: Some(set), .. } => {
                let governor = self.class_field(class, &found.name);
                Setting::Set(SetRef { span: inner(set.span), scope: class.scope, governor })
            }
            _ => return None,
        };
        self.objects[object as usize].settings.push((field.into(), setting.clone()));
        Some(setting)
    }

    /// Parses an object in braces by the notation of its class (X.681 11.4).
    fn settings(&mut self, value: &Value, scope: ScopeId, class: ClassRef) -> Option<Vec<(smol_str::SmolStr, Setting)>> {
        let mut parser = Parser::inside(self.words(scope), value.span);
        let mut written = Vec::new();
        let definition = self.class(class);
        let fields = matches!(parser.peek().kind, Kind::UpperField | Kind::LowerField);
        let mut furthest = None;
        let result = match &definition.notation {
            Some(notation) if !fields => by_notation(&mut parser, definition, notation, &mut written, &mut furthest),
            _ => by_fields(&mut parser, definition, &mut written),
        };
        let result = result.and_then(|()| parser.expect_done("`}`, or a part of the class's notation"));
        if let Err(error) = result {
            let mut error = furthest.filter(|known| known.at > error.at).unwrap_or(error);
            let name = &self.assignment(class.module, class.index).name;
            error.related.push((name.at, format!("the notation of class `{}`", name.text)));
            error.code = "object";
            if error.hint.is_empty() {
                error.hint = "X.681 11.3".to_string();
            }
            self.report(*error);
            return None;
        }
        let mut settings = Vec::with_capacity(written.len());
        for (name, text) in written {
            let setting = match text {
                Written::Type(ty) => Setting::Type(self.ty(&ty, scope)),
                Written::Value(value) => Setting::Value(value, scope),
                Written::Set(span) => {
                    let field = definition.fields.iter().find(|field| field.name.text == name.text)?;
                    let governor = match field.kind {
                        FieldKind::Set { .. } => self.class_field(class, &field.name),
                        _ => None,
                    };
                    Setting::Set(SetRef { span, scope, governor })
                }
            };
            settings.push((name.text, setting));
        }
        Some(settings)
    }
}

/// Setting as it is written.
enum Written {
    Type(Type),
    Value(Value),
    Set(Span),
}

fn add(all: &mut Vec<u32>, more: Vec<u32>) {
    if all.is_empty() {
        *all = more;
        return;
    }
    if all.len() + more.len() > 64 {
        let known: std::collections::HashSet<u32, foldhash::fast::RandomState> = all.iter().copied().collect();
        all.extend(more.into_iter().filter(|object| !known.contains(object)));
        return;
    }
    for object in more {
        if !all.contains(&object) {
            all.push(object);
        }
    }
}

fn by_fields(parser: &mut Parser<'_>, class: &crate::syntax::Class, written: &mut Vec<(Name, Written)>) -> Parsed<()> {
    while !parser.is_done() {
        if !matches!(parser.peek().kind, Kind::UpperField | Kind::LowerField) {
            return Err(parser.expected("a field, such as `&id`"));
        }
        let name = parser.name();
        let setting = field(parser, class, &name)?;
        written.push((name, setting));
        if !parser.eat_sign(',') {
            break;
        }
    }
    Ok(())
}

fn by_notation(
    parser: &mut Parser<'_>,
    class: &crate::syntax::Class,
    notation: &[Notation],
    written: &mut Vec<(Name, Written)>,
    furthest: &mut Option<Box<Diagnostic>>,
) -> Parsed<()> {
    for part in notation {
        match part {
            Notation::Literal(word) if is_literal(parser, word) => {
                parser.take();
            }
            Notation::Literal(word) => return Err(parser.expected(&format!("`{}`", word.text))),
            Notation::Field(name) => {
                let setting = field(parser, class, name)?;
                written.push((name.clone(), setting));
            }
            Notation::Optional(parts) => {
                if parser.is_done() || matches!(parts.first(), Some(Notation::Literal(word)) if !is_literal(parser, word)) {
                    continue;
                }
                // Two groups may start alike, against X.681 10.12.
                let (position, count) = (parser.position(), written.len());
                if let Err(error) = by_notation(parser, class, parts, written, furthest) {
                    let begun = parser.position() > position;
                    if begun && furthest.as_ref().is_none_or(|known| known.at < error.at) {
                        *furthest = Some(error);
                    }
                    parser.return_to(position);
                    written.truncate(count);
                }
            }
        }
    }
    Ok(())
}

fn is_literal(parser: &Parser<'_>, word: &Name) -> bool {
    !parser.is_done() && parser.peek_text() == word.text
}

fn field(parser: &mut Parser<'_>, class: &crate::syntax::Class, name: &Name) -> Parsed<Written> {
    let found = class.fields.iter().find(|field| field.name.text == name.text);
    Ok(match found.map(|field| &field.kind) {
        None => return Err(parser.expected(&format!("a field of the class; it has no `&{}`", name.text))),
        Some(FieldKind::Type(_)) => Written::Type(parser.ty()?),
        Some(FieldKind::Value { .. } | FieldKind::VariableValue { .. }) => Written::Value(parser.value()?),
        Some(FieldKind::Set { .. } | FieldKind::VariableSet { .. }) => {
            if parser.is_sign('{') {
                Written::Set(inner(parser.balanced()?))
            } else {
                Written::Set(parser.ty()?.span)
            }
        }
    })
}
