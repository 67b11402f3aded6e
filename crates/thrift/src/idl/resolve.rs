//! Texts to a model: names, typedefs, numbers, defaults.

use std::collections::{HashMap, HashSet};

use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place};

use super::constants::OfStruct;
use super::load::Texts;
use super::model::{Constant, Enum, Field, Member, Method, Model, Named, Service, Struct, Ty};
use super::syntax::{self, Base, DefinitionKind, Requiredness, StructKind, TypeKind, TypeRef};

/// Longest chain of typedefs or of constants.
pub(super) const CHAIN: u32 = 64;

/// Resolves texts.
///
/// # Errors
/// All mistakes.
pub(crate) fn resolve(texts: &Texts) -> Result<Model, Diagnostics> {
    let mut resolving =
        Resolving { texts, known: HashMap::new(), model: Model::default(), structs: Vec::new(), values: 0, findings: Vec::new() };
    resolving.reserved();
    resolving.names();
    resolving.contents();
    resolving.constants();
    let Resolving { mut model, findings, .. } = resolving;
    model.sources = texts.sources.clone();
    model.namespaces = texts.texts.first().map(|text| text.document.namespaces.clone()).unwrap_or_default();
    if !findings.is_empty() {
        return Err(Diagnostics { sources: model.sources, findings });
    }
    Ok(model)
}

/// A definition of a text, by the text and its index in it.
pub(super) type Id = (usize, usize);

/// Texts that are being resolved.
pub(super) struct Resolving<'t> {
    pub texts: &'t Texts,
    /// Definitions by text and name: that of the tree, and that of the model.
    known: HashMap<(usize, &'t str), (Id, Option<Named>)>,
    pub model: Model,
    /// Constants of structs whose fields may not be known yet.
    pub structs: Vec<OfStruct<'t>>,
    /// Number of constants that were looked at.
    pub values: u32,
    pub findings: Vec<Diagnostic>,
}

impl<'t> Resolving<'t> {
    /// Warns of reserved words in texts of Apache's dialect, where older compilers refuse them.
    fn reserved(&mut self) {
        let apache = self.texts.texts.iter().filter(|text| !text.document.facebook);
        for name in apache.flat_map(|text| &text.document.reserved) {
            let warning = Diagnostic::warning("reserved", name.at, format!("the name `{}` is a reserved word", name.text));
            self.model.warnings.push(warning.hint("compilers of other programs refuse it, as that of Thrift 0.16 does"));
        }
    }

    /// Enters the names of all definitions.
    fn names(&mut self) {
        for (index, text) in self.texts.texts.iter().enumerate() {
            for (at, definition) in text.document.definitions.iter().enumerate() {
                let name = if index == 0 { definition.name.text.clone() } else { format!("{}.{}", text.stem, definition.name.text) };
                let place = definition.name.at;
                let doc = definition.doc.clone();
                let named = match &definition.kind {
                    DefinitionKind::Struct(kind, _) => {
                        self.model.structs.push(Struct { name, kind: *kind, fields: Vec::new(), doc, at: place });
                        Some(Named::Struct(self.model.structs.len() - 1))
                    }
                    DefinitionKind::Enum(members) => {
                        self.model.enums.push(Enum { name, members: Vec::new(), doc, at: place });
                        let id = self.model.enums.len() - 1;
                        self.members(id, members);
                        Some(Named::Enum(id))
                    }
                    DefinitionKind::Service { .. } => {
                        self.model.services.push(Service { name, extends: None, methods: Vec::new(), at: place });
                        Some(Named::Service(self.model.services.len() - 1))
                    }
                    DefinitionKind::Typedef(_) | DefinitionKind::Const(..) => None,
                };
                if index == 0 {
                    self.model.own.extend(named);
                }
                if let Some(((text, first), _)) = self.known.insert((index, &definition.name.text), ((index, at), named)) {
                    let first = self.texts.texts[text].document.definitions[first].name.at;
                    self.findings.push(
                        Diagnostic::error("doubled_name", place, format!("`{}` is defined twice", definition.name.text))
                            .related(first, "first here"),
                    );
                }
            }
        }
    }

    fn contents(&mut self) {
        for (index, text) in self.texts.texts.iter().enumerate() {
            for definition in &text.document.definitions {
                let Some((_, named)) = self.known.get(&(index, definition.name.text.as_str())).copied() else { continue };
                match (&definition.kind, named) {
                    (DefinitionKind::Struct(kind, fields), Some(Named::Struct(id))) => {
                        self.model.structs[id].fields = self.fields(index, fields, *kind, &definition.name.text);
                    }
                    (DefinitionKind::Service { extends, functions }, Some(Named::Service(id))) => {
                        if let Some(base) = extends {
                            match self.find(index, &base.text) {
                                Some((_, Some(Named::Service(base)))) => self.model.services[id].extends = Some(base),
                                _ => self.unknown(&base.text, base.at, "a service"),
                            }
                        }
                        self.methods(index, id, functions);
                    }
                    (DefinitionKind::Const(ty, value), _) => {
                        let ty = self.ty(index, ty, 0);
                        let value = self.value(index, value, &ty, 0);
                        if index == 0 {
                            let (name, at) = (definition.name.text.clone(), definition.name.at);
                            self.model.constants.push(Constant { name, ty, value, at });
                        }
                    }
                    (DefinitionKind::Typedef(ty), _) => {
                        self.ty(index, ty, 0);
                    }
                    _ => {}
                }
            }
        }
        // A service that extends itself has no first method.
        for id in 0..self.model.services.len() {
            let mut seen = HashSet::from([id]);
            let mut at = id;
            while let Some(base) = self.model.services[at].extends {
                if !seen.insert(base) {
                    let (place, name) = (self.model.services[id].at, self.model.services[id].name.clone());
                    self.findings.push(Diagnostic::error("circle", place, format!("the service `{name}` extends itself")));
                    self.model.services[at].extends = None;
                    break;
                }
                at = base;
            }
        }
    }

    /// Returns the definition that a name in a text leads to.
    pub fn find(&self, text: usize, name: &str) -> Option<(Id, Option<Named>)> {
        if let Some(found) = self.known.get(&(text, name)) {
            return Some(*found);
        }
        // The name of a text may have dots itself.
        name.match_indices('.').find_map(|(dot, _)| self.find_in(text, &name[..dot], &name[dot + 1..]))
    }

    /// Returns the definition of a name in an included text of that name, or in the text itself.
    fn find_in(&self, text: usize, stem: &str, rest: &str) -> Option<(Id, Option<Named>)> {
        if self.texts.texts[text].stem == stem
            && let Some(found) = self.known.get(&(text, rest))
        {
            return Some(*found);
        }
        let includes = self.texts.texts[text].includes.iter();
        includes.filter(|include| self.texts.texts[**include].stem == stem).find_map(|include| self.known.get(&(*include, rest)).copied())
    }

    fn unknown(&mut self, name: &str, at: Place, what: &str) {
        self.findings.push(Diagnostic::error("unknown_name", at, format!("`{name}` is not {what}")).hint("define it, or include its text"));
    }

    fn ty(&mut self, text: usize, ty: &TypeRef, chain: u32) -> Ty {
        match &ty.kind {
            TypeKind::Base(base) => Ty::Base(*base),
            TypeKind::List(inner) => Ty::List(Box::new(self.ty(text, inner, chain))),
            TypeKind::Set(inner) => Ty::Set(Box::new(self.ty(text, inner, chain))),
            TypeKind::Map(key, value) => Ty::Map(Box::new(self.ty(text, key, chain)), Box::new(self.ty(text, value, chain))),
            TypeKind::Stream => Ty::Stream,
            TypeKind::Named(name) => match self.find(text, name) {
                Some((_, Some(Named::Struct(id)))) => Ty::Struct(id),
                Some((_, Some(Named::Enum(id)))) => Ty::Enum(id),
                Some(((text, at), None)) if chain < CHAIN => match &self.texts.texts[text].document.definitions[at].kind {
                    DefinitionKind::Typedef(inner) => self.ty(text, inner, chain + 1),
                    _ => {
                        self.unknown(name, ty.at, "a type");
                        Ty::Base(Base::Bool)
                    }
                },
                Some((_, None)) => {
                    self.findings.push(Diagnostic::error("circle", ty.at, format!("the type `{name}` stands for itself")));
                    Ty::Base(Base::Bool)
                }
                _ => {
                    self.unknown(name, ty.at, "a type");
                    Ty::Base(Base::Bool)
                }
            },
        }
    }

    fn members(&mut self, id: usize, members: &[syntax::Member]) {
        let mut next: i64 = 0;
        let mut names: HashMap<&str, Place> = HashMap::new();
        for member in members {
            let (number, place) = member.number.unwrap_or((next, member.name.at));
            next = number.saturating_add(1);
            if let Some(first) = names.insert(&member.name.text, member.name.at) {
                self.findings.push(
                    Diagnostic::error("doubled_name", member.name.at, format!("`{}` is in the enum twice", member.name.text))
                        .related(first, "first here"),
                );
                continue;
            }
            match i32::try_from(number) {
                Ok(number) => self.model.enums[id].members.push(Member { name: member.name.text.clone(), number, at: member.name.at }),
                Err(_) => self.findings.push(Diagnostic::error("wide_number", place, "the number of a name beyond 32 bits")),
            }
        }
    }

    fn fields(&mut self, text: usize, fields: &'t [syntax::Field], kind: StructKind, of: &str) -> Vec<Field> {
        let mut found: Vec<Field> = Vec::new();
        let mut implicit = 0i16;
        for field in fields {
            let id = match field.id {
                Some((id, place)) => match i16::try_from(id) {
                    Ok(id) => id,
                    Err(_) => {
                        self.findings.push(
                            Diagnostic::error("wide_number", place, format!("the number {id} of a field"))
                                .hint("numbers have 16 bits: at most 32767"),
                        );
                        continue;
                    }
                },
                None => {
                    implicit -= 1;
                    self.model.warnings.push(
                        Diagnostic::warning(
                            "no_number",
                            field.name.at,
                            format!("the field `{}` of `{of}` has no number: it is {implicit}", field.name.text),
                        )
                        .hint("a number that depends on the order of fields breaks when one is added"),
                    );
                    implicit
                }
            };
            if let Some(first) = found.iter().find(|known| known.id == id) {
                let finding = Diagnostic::error(
                    "doubled_number",
                    field.name.at,
                    format!("the fields `{}` and `{}` have the number {id}", first.name, field.name.text),
                );
                self.findings.push(finding.related(first.at, "first here"));
                continue;
            }
            if let Some(first) = found.iter().find(|known| known.name == field.name.text) {
                let finding = Diagnostic::error("doubled_name", field.name.at, format!("`{of}` has the field `{}` twice", field.name.text));
                self.findings.push(finding.related(first.at, "first here"));
                continue;
            }
            let ty = self.ty(text, &field.ty, 0);
            let default = field.default.as_ref().and_then(|default| self.value(text, default, &ty, 0));
            let requiredness = if kind == StructKind::Union { Requiredness::Optional } else { field.requiredness };
            let (name, doc) = (field.name.text.clone(), field.doc.clone());
            found.push(Field { id, name, ty, requiredness, default, doc, deprecated: field.deprecated, at: field.name.at });
        }
        found
    }

    fn methods(&mut self, text: usize, id: usize, functions: &'t [syntax::Function]) {
        let service = self.model.services[id].name.clone();
        for function in functions {
            let name = &function.name.text;
            if self.model.services[id].methods.iter().any(|known| known.name == *name) {
                self.findings.push(Diagnostic::error(
                    "doubled_name",
                    function.name.at,
                    format!("`{service}` has the method `{name}` twice"),
                ));
                continue;
            }
            let arguments = self.fields(text, &function.arguments, StructKind::Struct, name);
            let mut results = self.fields(text, &function.throws, StructKind::Struct, name);
            if let Some(ty) = &function.returns {
                let (ty, at) = (self.ty(text, ty, 0), ty.at);
                let success = Field {
                    id: 0,
                    name: "success".into(),
                    ty,
                    requiredness: Requiredness::Optional,
                    default: None,
                    doc: String::new(),
                    deprecated: false,
                    at,
                };
                results.insert(0, success);
            }
            let mut add = |what: &str, fields| {
                let name = format!("{service}.{name}_{what}");
                self.model.structs.push(Struct { name, kind: StructKind::Struct, fields, doc: String::new(), at: function.name.at });
                self.model.structs.len() - 1
            };
            let (arguments, result) = (add("args", arguments), add("result", results));
            let method = Method { name: name.clone(), arguments, result, oneway: function.oneway, at: function.name.at };
            self.model.services[id].methods.push(method);
        }
    }
}
