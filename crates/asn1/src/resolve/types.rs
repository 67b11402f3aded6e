//! Drafts of types.

use polywire_core::text::diagnostic::{Diagnostic, Place};

use super::names::inner;
use super::{Binding, ClassRef, Draft, DraftItem, DraftTag, Entity, Form, Governor, Resolver, ScopeId, SetRef, Setting, Work};
use crate::model::{Relation, TypeId};
use crate::parse::By;
use crate::syntax::{
    AssignmentKind, Component, Constraint, ConstraintKind, Element, Elements, FieldKind, Item, JsonInstructionKind, Name, Optionality,
    Reference, TagNumber, Tagging, Type, TypeKind, Value, ValueKind,
};

impl<'m> Resolver<'m> {
    /// Returns the type of an assignment without parameters, drafted now or later.
    pub(super) fn assigned_type(&mut self, module: u32, index: u32) -> TypeId {
        if let Some(known) = self.types.get(&(module, index)) {
            return *known;
        }
        let assignment = self.assignment(module, index);
        let scope = ScopeId(module);
        let name = Some((module, assignment.name.text.clone()));
        let draft = Draft {
            name,
            at: assignment.name.at,
            scope,
            tags: Vec::new(),
            json: Vec::new(),
            form: Form::Pending,
            constraints: Vec::new(),
            table: None,
            contents: None,
        };
        let id = self.add(draft);
        self.types.insert((module, index), id);
        self.work.push(Work::Assigned { id, module, index, scope });
        id
    }

    /// Drafts the type of an assignment.
    pub(super) fn draft_assigned(&mut self, id: TypeId, module: u32, index: u32, scope: ScopeId) {
        match &self.assignment(module, index).kind {
            AssignmentKind::Type(ty) => self.fill(id, ty, scope),
            AssignmentKind::Set { governor, set } => {
                self.fill(id, governor, scope);
                self.constrain_by_set(id, *set, scope);
            }
            AssignmentKind::Macro => self.drafts[id.0 as usize].form = Form::Unknown,
            _ => {
                let name = &self.assignment(module, index).name;
                self.error("no_type", name.at, format!("`{}` is no type", name.text), "X.680 16.1");
                self.drafts[id.0 as usize].form = Form::Unknown;
            }
        }
    }

    /// Adds the elements of a value set to the constraints of its type (X.680 16.6).
    fn constrain_by_set(&mut self, id: TypeId, set: crate::syntax::Span, scope: ScopeId) {
        let mut parser = self.parser(inner(set), scope);
        let result = parser.element_set('}').and_then(|elements| parser.expect_done("`|` or `}`").map(|()| elements));
        if let Some(elements) = self.parsed(result.by("X.680 16.6")) {
            let constraint = Constraint { at: elements.at, kind: ConstraintKind::Subtype(elements) };
            self.drafts[id.0 as usize].constraints.push((constraint, scope));
        }
    }

    /// Returns the type that a text means: the one that it refers to, or a new one.
    pub(super) fn ty(&mut self, ty: &Type, scope: ScopeId) -> TypeId {
        let is_plain = ty.json.iter().all(|instruction| matches!(instruction.kind, JsonInstructionKind::Name(_)));
        if ty.tags.is_empty()
            && ty.constraints.is_empty()
            && is_plain
            && let TypeKind::Reference(reference) = &ty.kind
        {
            return self.referred_type(reference, scope);
        }
        let id = self.simple(Form::Pending, ty.at, scope);
        self.fill(id, ty, scope);
        id
    }

    /// Drafts a type from its text.
    fn fill(&mut self, id: TypeId, ty: &Type, scope: ScopeId) {
        if self.full {
            return;
        }
        let environment = match self.module(self.scope(scope).module).tagging {
            Tagging::Explicit => Tagging::Explicit,
            _ => Tagging::Implicit,
        };
        // A tag before a dummy parameter is explicit unless IMPLICIT is written (X.680 31.2.7).
        let dummy = self.is_dummy(ty, scope);
        let tags = ty.tags.iter().enumerate().map(|(place, tag)| {
            let environment = if dummy && place + 1 == ty.tags.len() { Tagging::Explicit } else { environment };
            let (number, known) = match &tag.number {
                TagNumber::Number(number) => (Value { at: tag.at, span: ty.span, kind: ValueKind::Null }, Some(*number)),
                TagNumber::Value(value) => (value.clone(), None),
            };
            DraftTag { at: tag.at, class: tag.class, number, known, scope, tagging: tag.tagging.unwrap_or(environment) }
        });
        let tags = tags.collect();
        let mut class = None;
        let form = self.form(ty, scope, &mut class);
        let draft = &mut self.drafts[id.0 as usize];
        draft.form = form;
        draft.tags = tags;
        draft.json = ty.json.clone();
        for constraint in &ty.constraints {
            match &constraint.kind {
                ConstraintKind::Table { set, relations } => {
                    let relations = relations
                        .iter()
                        .map(|relation| Relation {
                            level: relation.level,
                            path: relation.path.iter().map(|name| name.text.clone()).collect(),
                        })
                        .collect();
                    self.constrain_by_table(id, &class, SetRef { span: inner(*set), scope, governor: None }, relations, constraint.at);
                }
                ConstraintKind::Contents { ty: Some(contents), .. } => {
                    let contents = self.ty(contents, scope);
                    self.drafts[id.0 as usize].contents = Some(contents);
                }
                ConstraintKind::Subtype(elements) if class.is_some() && names_set(&elements.root) => {
                    // `(Set)` without the braces.
                    if let Some(Elements::One(one)) = &elements.root
                        && let Element::Type(set) = one.as_ref()
                    {
                        let set = SetRef { span: set.span, scope, governor: None };
                        if self.is_object_set(&set) {
                            self.constrain_by_table(id, &class, set, Vec::new(), constraint.at);
                        } else {
                            self.drafts[id.0 as usize].constraints.push((constraint.clone(), scope));
                        }
                    }
                }
                _ => self.drafts[id.0 as usize].constraints.push((constraint.clone(), scope)),
            }
        }
    }

    fn constrain_by_table(&mut self, id: TypeId, class: &Option<(ClassRef, Name)>, set: SetRef, relations: Vec<Relation>, at: Place) {
        let Some((class, field)) = class else {
            self.caution(
                "no_class",
                at,
                "a table constrains a type that is no field of a class",
                "X.682 10.3 wants `CLASS.&field`; the table has no effect",
            );
            return;
        };
        let table = self.table(&set, *class);
        self.drafts[id.0 as usize].table = Some((table, field.text.clone(), relations));
    }

    fn form(&mut self, ty: &Type, scope: ScopeId, class: &mut Option<(ClassRef, Name)>) -> Form {
        match &ty.kind {
            TypeKind::Boolean => Form::Boolean,
            TypeKind::Null => Form::Null,
            TypeKind::Real => Form::Real,
            TypeKind::Integer(names) => Form::Integer(names.clone()),
            TypeKind::Enumerated(items) => Form::Enumerated(items.clone()),
            TypeKind::Bits(names) => Form::Bits(names.clone()),
            TypeKind::Octets => Form::Octets,
            TypeKind::Oid => Form::Oid,
            TypeKind::RelativeOid => Form::RelativeOid,
            TypeKind::OidIri => Form::OidIri,
            TypeKind::RelativeOidIri => Form::RelativeOidIri,
            TypeKind::External | TypeKind::InstanceOf(_) => Form::External,
            TypeKind::EmbeddedPdv => Form::EmbeddedPdv,
            TypeKind::CharacterString => Form::CharacterString,
            TypeKind::Text(kind) => Form::Text(*kind),
            TypeKind::Time(kind) => Form::Time(*kind),
            TypeKind::Sequence(items) => Form::Structure { set: false, items: self.items(items, scope) },
            TypeKind::Set(items) => Form::Structure { set: true, items: self.items(items, scope) },
            TypeKind::SequenceOf(element) => Form::List { set: false, element: self.ty(element, scope) },
            TypeKind::SetOf(element) => Form::List { set: true, element: self.ty(element, scope) },
            TypeKind::Choice(items) => Form::Choice(self.items(items, scope)),
            TypeKind::Selection(name, ty) => Form::Selection(name.clone(), self.ty(ty, scope)),
            TypeKind::Any(_) => Form::Open,
            TypeKind::Reference(reference) => Form::Alias(self.referred_type(reference, scope)),
            TypeKind::Field(reference, fields) => self.field_type(reference, fields, scope, class, ty.at),
        }
    }

    fn items(&mut self, items: &[Item], scope: ScopeId) -> Vec<DraftItem> {
        items
            .iter()
            .map(|item| match item {
                Item::Component(Component { name, ty, optionality }) => DraftItem::Component {
                    name: name.clone(),
                    ty: self.ty(ty, scope),
                    tagged: !ty.tags.is_empty(),
                    dummy: self.is_dummy(ty, scope),
                    optional: matches!(optionality, Optionality::Optional),
                    default: match optionality {
                        Optionality::Default(value) => Some(value.clone()),
                        _ => None,
                    },
                    json_name: super::json::member(name, &ty.json),
                },
                Item::ComponentsOf(ty) => DraftItem::ComponentsOf(self.ty(ty, scope), ty.at),
                Item::Marker(_) => DraftItem::Marker,
                Item::Group(items, version, _) => DraftItem::Group(self.items(items, scope), *version),
            })
            .collect()
    }

    /// Returns whether a type is a dummy parameter (X.683 8.3).
    fn is_dummy(&self, ty: &Type, scope: ScopeId) -> bool {
        match &ty.kind {
            TypeKind::Reference(Reference { module: None, name, arguments: None }) => {
                self.scope(scope).parameters.iter().any(|(known, _)| *known == name.text)
            }
            _ => false,
        }
    }

    fn unknown(&mut self, at: Place, scope: ScopeId) -> TypeId {
        self.simple(Form::Unknown, at, scope)
    }

    /// Returns the type that a name stands for.
    pub(super) fn referred_type(&mut self, reference: &Reference, scope: ScopeId) -> TypeId {
        let at = reference.name.at;
        match self.find(reference.module.as_ref(), &reference.name, scope) {
            Entity::Unknown | Entity::Parameter(Binding::Unknown) => self.unknown(at, scope),
            Entity::Parameter(Binding::Type(id)) => id,
            Entity::Parameter(Binding::Set(SetRef { span, scope: from, governor: Some(Governor::Type(governor)) })) => {
                let id = self.simple(Form::Alias(governor), at, from);
                let set = crate::syntax::Span { start: span.start - 1, end: span.end + 1 };
                self.constrain_by_set(id, set, from);
                id
            }
            Entity::Parameter(_) => {
                self.error("no_type", at, format!("the parameter `{}` is no type", reference.name.text), "X.683 9.5");
                self.unknown(at, scope)
            }
            Entity::Assignment(module, index) => {
                let assignment = self.assignment(module, index);
                let is_type = match &assignment.kind {
                    AssignmentKind::Type(ty) => !self.names_class(ty, ScopeId(module)),
                    AssignmentKind::Set { governor, .. } => !self.names_class(governor, ScopeId(module)),
                    AssignmentKind::Macro => true,
                    _ => false,
                };
                if !is_type {
                    let text = format!("`{}` is no type", reference.name.text);
                    self.report(
                        Diagnostic::error("no_type", at, text).related(assignment.name.at, "it is defined here").hint("X.680 14.1"),
                    );
                    return self.unknown(at, scope);
                }
                match &reference.arguments {
                    None if assignment.parameters.is_empty() => self.assigned_type(module, index),
                    None => {
                        let text = format!("`{}` has parameters, and none are given; they are unknown", reference.name.text);
                        self.report(
                            Diagnostic::warning("no_parameters", at, text)
                                .related(assignment.name.at, "it is defined here")
                                .hint("give them in braces (X.683 9.5)"),
                        );
                        let bindings = assignment.parameters.iter().map(|parameter| (parameter.name.text.clone(), Binding::Unknown));
                        self.instance_of(module, index, bindings.collect(), scope, at)
                    }
                    Some(arguments) => self.instance(module, index, arguments, scope, reference),
                }
            }
        }
    }

    /// Returns the type of an assignment with actual parameters.
    fn instance(
        &mut self,
        module: u32,
        index: u32,
        arguments: &[crate::syntax::Argument],
        scope: ScopeId,
        reference: &Reference,
    ) -> TypeId {
        let at = reference.name.at;
        match self.bind(module, index, arguments, scope, reference) {
            Some(bindings) => self.instance_of(module, index, bindings, scope, at),
            None => self.unknown(at, scope),
        }
    }

    fn instance_of(&mut self, module: u32, index: u32, bindings: Vec<(smol_str::SmolStr, Binding)>, scope: ScopeId, at: Place) -> TypeId {
        let key = (module, index, bindings.iter().map(|(_, binding)| binding.key()).collect());
        if let Some(known) = self.instances.get(&key) {
            return *known;
        }
        let Some(inside) = self.new_scope(module, bindings, scope, at) else { return self.unknown(at, scope) };
        let id = self.simple(Form::Pending, at, inside);
        self.instances.insert(key, id);
        self.work.push(Work::Assigned { id, module, index, scope: inside });
        id
    }

    /// Returns the type that a field of a class, object or set stands for (X.681 14 and 15).
    fn field_type(
        &mut self,
        reference: &Reference,
        fields: &[Name],
        scope: ScopeId,
        class: &mut Option<(ClassRef, Name)>,
        at: Place,
    ) -> Form {
        let [path @ .., last] = fields else { return Form::Unknown };
        if let Some(mut found) = self.class_of(reference, scope, 0) {
            for step in path {
                match self.class_field(found, step) {
                    Some(Governor::Class(next)) => found = next,
                    _ => return Form::Unknown,
                }
            }
            let Some(field) = self.class(found).fields.iter().find(|field| field.name.text == last.text) else {
                self.no_field(found, last);
                return Form::Unknown;
            };
            *class = Some((found, last.clone()));
            return match &field.kind {
                FieldKind::Value { governor, .. } | FieldKind::Set { governor, .. } => match self.class_named(governor, found.scope) {
                    Some(_) => {
                        self.error("no_type", last.at, format!("`&{}` is no type", last.text), "X.681 14.1");
                        Form::Unknown
                    }
                    None => Form::Alias(self.ty(governor, found.scope)),
                },
                _ => Form::Open,
            };
        }
        // A field of an object or of an object set.
        let entity = self.find(reference.module.as_ref(), &reference.name, scope);
        let value = match &entity {
            Entity::Parameter(Binding::Value(value, from)) => Some((value.clone(), *from, None)),
            Entity::Assignment(module, index) => match &self.assignment(*module, *index).kind {
                AssignmentKind::Value { governor, .. } => {
                    let class = self.class_named(governor, ScopeId(*module));
                    let value = Value { at, span: crate::syntax::Span::default(), kind: ValueKind::Reference(reference.clone()) };
                    class.map(|class| (value, scope, Some(class)))
                }
                AssignmentKind::Set { governor, .. } => {
                    let class = self.class_named(governor, ScopeId(*module));
                    return self.set_field(class, last, at);
                }
                _ => None,
            },
            Entity::Parameter(Binding::Set(set)) => {
                let class = match set.governor {
                    Some(Governor::Class(class)) => Some(class),
                    _ => None,
                };
                return self.set_field(class, last, at);
            }
            Entity::Unknown | Entity::Parameter(Binding::Unknown) => return Form::Unknown,
            _ => None,
        };
        let Some((value, from, class)) = value else {
            self.error("no_field", at, format!("`{}` has no fields", reference.name.text), "X.681 15.1");
            return Form::Unknown;
        };
        let Some(class) = class else { return Form::Unknown };
        let mut value = (value, from, class);
        for step in path {
            let Some(object) = self.object(&value.0, value.1, value.2) else { return Form::Unknown };
            let Some(Governor::Class(next)) = self.class_field(value.2, step) else { return Form::Unknown };
            match self.setting(object, &step.text) {
                Some(Setting::Value(inner, from)) => value = (inner, from, next),
                _ => return Form::Unknown,
            }
        }
        let Some(object) = self.object(&value.0, value.1, value.2) else { return Form::Unknown };
        match self.setting(object, &last.text) {
            Some(Setting::Type(id)) => Form::Alias(id),
            Some(Setting::Set(SetRef { span, scope, governor: Some(Governor::Type(governor)) })) => {
                let id = self.simple(Form::Alias(governor), at, scope);
                self.constrain_by_set(id, crate::syntax::Span { start: span.start - 1, end: span.end + 1 }, scope);
                Form::Alias(id)
            }
            _ => {
                self.error("no_field", last.at, format!("the object has no type for `&{}`", last.text), "X.681 15.1");
                Form::Unknown
            }
        }
    }

    /// Returns the type of the values that a field has in the objects of a set (X.681 15).
    fn set_field(&mut self, class: Option<ClassRef>, field: &Name, _: Place) -> Form {
        let Some(class) = class else { return Form::Unknown };
        match self.class_field(class, field) {
            Some(Governor::Type(id)) => Form::Alias(id),
            _ => Form::Open,
        }
    }

    /// Returns the type or class that governs a field. Fields without one have none.
    pub(super) fn class_field(&mut self, class: ClassRef, name: &Name) -> Option<Governor> {
        let key = (class, name.text.clone());
        if let Some(known) = self.fields.get(&key) {
            return *known;
        }
        let found = self.find_class_field(class, name);
        self.fields.insert(key, found);
        found
    }

    fn find_class_field(&mut self, class: ClassRef, name: &Name) -> Option<Governor> {
        let Some(field) = self.class(class).fields.iter().find(|field| field.name.text == name.text) else {
            self.no_field(class, name);
            return None;
        };
        match &field.kind {
            FieldKind::Value { governor, .. } | FieldKind::Set { governor, .. } => Some(match self.class_named(governor, class.scope) {
                Some(class) => Governor::Class(class),
                None => Governor::Type(self.ty(governor, class.scope)),
            }),
            _ => None,
        }
    }

    fn no_field(&mut self, class: ClassRef, name: &Name) {
        let defined = self.assignment(class.module, class.index).name.clone();
        let text = format!("the class `{}` has no field `&{}`", defined.text, name.text);
        self.report(Diagnostic::error("no_field", name.at, text).related(defined.at, "the class").hint("X.681 9.13"));
    }
}

fn names_set(elements: &Option<Elements>) -> bool {
    matches!(elements, Some(Elements::One(one)) if matches!(one.as_ref(), Element::Type(ty) if matches!(ty.kind, TypeKind::Reference(_))))
}
