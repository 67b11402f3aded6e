//! Names across modules, and actual parameters.

use polywire_core::text::diagnostic::Diagnostic;

use super::{Binding, ClassRef, Entity, Governor, Key, Map, Resolver, ScopeId, SetRef, oid_numbers};
use crate::lex::Kind;
use crate::model::TypeId;
use crate::parse::Parser;
use crate::syntax::{Argument, AssignmentKind, Name, Reference, Span, Type, TypeKind, ValueKind};

impl<'m> Resolver<'m> {
    pub(super) fn index_names(&mut self) {
        for module in self.modules {
            let mut assigned: Map<&'m str, u32> = Map::default();
            for (index, assignment) in module.assignments.iter().enumerate() {
                let name = &assignment.name;
                if let Some(before) = assigned.insert(&name.text, index as u32) {
                    let before = module.assignments[before as usize].name.at;
                    self.found.push(
                        Diagnostic::warning("twice", name.at, format!("`{}` is assigned twice; the second one counts", name.text))
                            .related(before, "the first one")
                            .hint("X.680 13.8 wants one"),
                    );
                }
            }
            let mut imported: Map<&'m str, u32> = Map::default();
            for (index, import) in module.imports.iter().enumerate() {
                for symbol in &import.symbols {
                    imported.insert(&symbol.text, index as u32);
                }
            }
            self.assigned.push(assigned);
            self.imported.push(imported);
        }
        for index in 1..self.modules.len() as u32 {
            let module = self.module(index);
            for import in &module.imports {
                if !import.symbols.is_empty() && !self.by_name.contains_key(import.from.text.as_str()) {
                    self.caution(
                        "missing_module",
                        import.from.at,
                        format!("the module `{}` is not there; its types are unknown", import.from.text),
                        "give its text too, or a folder that holds it",
                    );
                }
            }
        }
    }

    /// Returns the module of a name that another one imports from. Several modules may have it: the
    /// one with the same object identifier is meant.
    fn module_named(&self, module: u32, name: &str, oid: Option<Span>) -> Option<u32> {
        let found = self.by_name.get(name)?;
        if found.len() > 1
            && let Some(oid) = oid
        {
            let text = |module: u32, span: Span| oid_numbers(&self.texts[self.module(module).name.at.source as usize], span);
            let wanted = text(module, oid);
            let same = found.iter().find(|other| self.module(**other).oid.is_some_and(|oid| text(**other, oid) == wanted));
            if let Some(same) = same {
                return Some(*same);
            }
        }
        found.iter().copied().find(|other| *other != module).or(found.first().copied())
    }

    /// Returns whether an import may mean another edition of the module that was found: the object
    /// identifiers are not the same.
    fn is_other_edition(&self, module: u32, import: u32) -> bool {
        let import = &self.module(module).imports[import as usize];
        let numbers = |module: u32, oid: Option<Span>| {
            oid.map(|oid| oid_numbers(&self.texts[self.module(module).name.at.source as usize], oid)).unwrap_or_default()
        };
        let found = self.module_named(module, &import.from.text, import.oid);
        found.is_some_and(|found| numbers(module, import.oid) != numbers(found, self.module(found).oid))
    }

    /// Looks a name up in a module and its imports.
    fn find_in(&self, module: u32, name: &str, depth: u32) -> Option<Entity> {
        if let Some(index) = self.assigned[module as usize].get(name) {
            return Some(Entity::Assignment(module, *index));
        }
        if depth > 8 {
            return None;
        }
        let import = &self.module(module).imports[*self.imported[module as usize].get(name)? as usize];
        match self.module_named(module, &import.from.text, import.oid) {
            None => Some(Entity::Unknown),
            Some(from) if from == module => None,
            Some(from) => self.find_in(from, name, depth + 1),
        }
    }

    /// Looks a name up. An unknown one is an error.
    pub(super) fn find(&mut self, module: Option<&Name>, name: &Name, scope: ScopeId) -> Entity {
        self.find_quietly(module, name, scope).unwrap_or_else(|| {
            let own = self.scope(scope).module;
            let mut elsewhere =
                (1..self.modules.len() as u32).filter(|other| self.assigned[*other as usize].contains_key(name.text.as_str()));
            let (one, other) = (elsewhere.next(), elsewhere.next());
            let imported = self.imported[own as usize].get(name.text.as_str()).copied();
            if let Some(one) = one
                && (other.is_none() || imported.is_some())
            {
                let from = &self.module(one).name.text;
                self.caution(
                    "not_imported",
                    name.at,
                    format!("`{}` is not imported; that of module `{from}` is taken", name.text),
                    &format!("import it FROM {from} (X.680 13.10)"),
                );
                return Entity::Assignment(one, self.assigned[one as usize][name.text.as_str()]);
            }
            if let Some(import) = imported {
                let from = &self.module(own).imports[import as usize].from;
                let text = format!("the module `{}` does not define `{}`", from.text, name.text);
                let finding = match self.is_other_edition(own, import) {
                    true => Diagnostic::warning("other_edition", name.at, format!("{text}; its type is unknown"))
                        .hint("the import names another edition of that module, by its object identifier"),
                    false => Diagnostic::error("not_exported", name.at, text).hint("X.680 13.16 wants it defined there"),
                };
                self.report(finding.related(from.at, "imported from here"));
                return Entity::Unknown;
            }
            let hint = match one {
                Some(one) => format!("import it FROM {}, or from another module that defines it (X.680 13.10)", self.module(one).name.text),
                None => "define it, or import it (X.680 13.10)".to_string(),
            };
            self.report(
                Diagnostic::error("unknown_name", name.at, format!("`{}` is not defined", name.text)).hint(hint).detail("name", &name.text),
            );
            Entity::Unknown
        })
    }

    /// Looks a name up, without an error if there is none.
    pub(super) fn find_quietly(&self, module: Option<&Name>, name: &Name, scope: ScopeId) -> Option<Entity> {
        let here = self.scope(scope);
        if let Some(module) = module {
            if self.module(here.module).name.text == module.text {
                return self.find_in(here.module, &name.text, 0);
            }
            let oid = self.module(here.module).imports.iter().find(|import| import.from.text == module.text).and_then(|import| import.oid);
            return match self.module_named(here.module, &module.text, oid) {
                None => Some(Entity::Unknown),
                Some(other) => self.find_in(other, &name.text, 0),
            };
        }
        if let Some((_, binding)) = here.parameters.iter().find(|(known, _)| *known == name.text) {
            return Some(Entity::Parameter(binding.clone()));
        }
        if let Some(found) = self.find_in(here.module, &name.text, 0) {
            return Some(found);
        }
        self.assigned[0].get(name.text.as_str()).map(|index| Entity::Assignment(0, *index))
    }

    /// Returns whether a type is the name of a class.
    pub(super) fn names_class(&mut self, ty: &Type, scope: ScopeId) -> bool {
        self.class_named(ty, scope).is_some()
    }

    /// Returns the class that a governor names, or `None` if it is a type.
    pub(super) fn class_named(&mut self, ty: &Type, scope: ScopeId) -> Option<ClassRef> {
        match &ty.kind {
            TypeKind::Reference(reference) if ty.tags.is_empty() && ty.constraints.is_empty() => self.class_of(reference, scope, 0),
            _ => None,
        }
    }

    pub(super) fn class_of(&mut self, reference: &Reference, scope: ScopeId, depth: u32) -> Option<ClassRef> {
        match self.find_quietly(reference.module.as_ref(), &reference.name, scope)? {
            Entity::Parameter(Binding::Class(class)) => Some(class),
            Entity::Assignment(module, index) => match &self.assignment(module, index).kind {
                AssignmentKind::Class(_) => {
                    let scope = match &reference.arguments {
                        None => ScopeId(module),
                        Some(arguments) => self.instance_scope(module, index, arguments, scope, reference)?,
                    };
                    Some(ClassRef { module, index, scope })
                }
                AssignmentKind::Type(Type { kind: TypeKind::Reference(next), tags, constraints, .. })
                    if depth < 20 && tags.is_empty() && constraints.is_empty() =>
                {
                    self.class_of(next, ScopeId(module), depth + 1)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the scope of an assignment with actual parameters.
    pub(super) fn instance_scope(
        &mut self,
        module: u32,
        index: u32,
        arguments: &[Argument],
        scope: ScopeId,
        from: &Reference,
    ) -> Option<ScopeId> {
        let bindings = self.bind(module, index, arguments, scope, from)?;
        let key = (module, index, bindings.iter().map(|(_, binding)| binding.key()).collect::<Vec<Key>>());
        if let Some(known) = self.instance_scopes.get(&key) {
            return Some(*known);
        }
        let made = self.new_scope(module, bindings, scope, from.name.at)?;
        self.instance_scopes.insert(key, made);
        Some(made)
    }

    /// Binds actual parameters to dummies.
    pub(super) fn bind(
        &mut self,
        module: u32,
        index: u32,
        arguments: &[Argument],
        scope: ScopeId,
        from: &Reference,
    ) -> Option<Vec<(smol_str::SmolStr, Binding)>> {
        let assignment = self.assignment(module, index);
        let parameters = &assignment.parameters;
        if parameters.len() != arguments.len() {
            let text = format!("`{}` has {} parameters, and {} are given", assignment.name.text, parameters.len(), arguments.len());
            let own = self.scope(scope).module;
            let import = self.imported[own as usize].get(from.name.text.as_str()).copied();
            let finding = match import.is_some_and(|import| self.is_other_edition(own, import)) {
                true => Diagnostic::warning("other_edition", from.name.at, format!("{text}; its type is unknown"))
                    .hint("the import names another edition of that module, by its object identifier"),
                false => Diagnostic::error("parameters", from.name.at, text).hint("X.683 9.2 wants as many"),
            };
            self.report(finding.related(assignment.name.at, "it is defined here"));
            return None;
        }
        let mut bindings: Vec<(smol_str::SmolStr, Binding)> = Vec::with_capacity(parameters.len());
        for (parameter, argument) in parameters.iter().zip(arguments) {
            let governor = match &parameter.governor {
                None => None,
                Some(ty) => {
                    // The governor may be an earlier or later parameter.
                    if let TypeKind::Reference(reference) = &ty.kind
                        && let Some(place) = parameters.iter().position(|other| other.name.text == reference.name.text)
                    {
                        match argument_binding(self, &arguments[place], scope) {
                            Some(Binding::Class(class)) => Some(Governor::Class(class)),
                            Some(Binding::Type(id)) => Some(Governor::Type(id)),
                            _ => None,
                        }
                    } else if let Some(class) = self.class_named(ty, ScopeId(module)) {
                        Some(Governor::Class(class))
                    } else {
                        Some(Governor::Type(self.ty(ty, ScopeId(module))))
                    }
                }
            };
            let upper = parameter.name.text.starts_with(|first: char| first.is_ascii_uppercase());
            let binding = self.argument(argument, scope, governor, upper);
            bindings.push((parameter.name.text.clone(), binding));
        }
        Some(bindings)
    }

    fn argument(&mut self, argument: &Argument, scope: ScopeId, governor: Option<Governor>, upper: bool) -> Binding {
        match argument {
            Argument::Type(ty) => {
                if governor.is_some() && upper {
                    // A set without its braces.
                    if let TypeKind::Reference(Reference { module, name, .. }) = &ty.kind
                        && let Entity::Parameter(binding) = self.find(module.as_ref(), name, scope)
                    {
                        return binding;
                    }
                    return Binding::Set(SetRef { span: ty.span, scope, governor });
                }
                argument_binding(self, argument, scope).unwrap_or(Binding::Unknown)
            }
            Argument::Value(value) => {
                if let ValueKind::Reference(Reference { module: None, name, arguments: None }) = &value.kind
                    && let Some(Entity::Parameter(binding)) = self.find_quietly(None, name, scope)
                {
                    return binding;
                }
                if let (Some(Governor::Type(ty)), false) = (governor, upper) {
                    self.given_values.push((value.clone(), scope, ty));
                }
                Binding::Value(value.clone(), scope)
            }
            Argument::Braces(span, at) => {
                let words = self.words(scope);
                if upper {
                    // `{Set}` hands a parameter on.
                    if span.end - span.start == 3 {
                        let word = words.words[span.start as usize + 1];
                        let name = Name { text: words.of(word).into(), at: words.place(word) };
                        if word.kind == Kind::Upper
                            && let Some(Entity::Parameter(binding)) = self.find_quietly(None, &name, scope)
                        {
                            return binding;
                        }
                    }
                    return Binding::Set(SetRef { span: inner(*span), scope, governor });
                }
                Binding::Value(crate::syntax::Value { at: *at, span: *span, kind: ValueKind::Braces }, scope)
            }
        }
    }

    /// Returns the parser of a span in a scope.
    pub(super) fn parser(&self, span: Span, scope: ScopeId) -> Parser<'m> {
        let mut parser = Parser::over(self.words(scope), span);
        parser.instructions = self.module(self.scope(scope).module).instructions.clone();
        parser
    }
}

/// Returns the words between the braces.
pub(super) fn inner(span: Span) -> Span {
    Span { start: span.start + 1, end: span.end.saturating_sub(1).max(span.start + 1) }
}

fn argument_binding(resolver: &mut Resolver<'_>, argument: &Argument, scope: ScopeId) -> Option<Binding> {
    let ty = super::argument_type(argument)?;
    if let TypeKind::Reference(Reference { module: None, name, arguments: None }) = &ty.kind
        && ty.tags.is_empty()
        && ty.constraints.is_empty()
        && let Some(Entity::Parameter(binding)) = resolver.find_quietly(None, name, scope)
    {
        return Some(binding);
    }
    if let Some(class) = resolver.class_named(ty, scope) {
        return Some(Binding::Class(class));
    }
    let id: TypeId = resolver.ty(ty, scope);
    Some(Binding::Type(id))
}
