//! A text as a plan: structs, unions, exceptions and enums, those of included texts that they use
//! too. Typedefs are what they stand for.

use std::collections::{HashMap, HashSet};

use polywire_core::Value as Given;
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics};
use polywire_thrift::idl::model::{Base, Enum, Field as ModelField, Model, Named, Requiredness, Struct, StructKind, Ty};

use crate::plan::{Body, Carries, Case, Field, Plan, Role, Type, TypeDef, Value};

/// The name of an enum's case for numbers that the schema does not have.
const OTHER: &str = "unknown";

/// A text's plan, and what its types are on the wire.
#[derive(Debug, Default)]
pub(super) struct Mapped {
    pub plan: Plan,
    /// In the order of the plan.
    pub layouts: Vec<Layout>,
    structs: HashMap<usize, usize>,
    enums: HashMap<usize, usize>,
    /// Numbers of the names of enums, by the index in the model.
    members: HashMap<usize, HashMap<String, i32>>,
}

/// A type on the wire.
#[derive(Debug)]
pub(super) enum Layout {
    /// Fields in the order of the text.
    Struct(Vec<Member>),
    Union(Vec<Member>),
    /// Numbers of the cases; one more case holds all others.
    Enum(Vec<i32>),
}

/// A field on the wire.
#[derive(Debug)]
pub(super) struct Member {
    pub id: i16,
    pub name: String,
    pub ty: Ty,
    pub comes: Comes,
    /// True if the value is behind a pointer: without it, the struct would be part of itself.
    pub boxed: bool,
}

/// The meaning of an absent field.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Comes {
    Required,
    /// The value is optional.
    Optional,
    /// The value is this one.
    Default(Value),
}

impl Mapped {
    /// Returns the index in the plan of a struct of the model.
    pub fn structure(&self, of: usize) -> usize {
        self.structs[&of]
    }

    /// Returns the index in the plan of an enum of the model.
    pub fn enumeration(&self, of: usize) -> usize {
        self.enums[&of]
    }

    /// Returns the number of a name of an enum of the model.
    pub fn number(&self, of: usize, name: &str) -> Option<i32> {
        self.members.get(&of)?.get(name).copied()
    }

    /// Returns a type where it is used.
    pub fn ty(&self, ty: &Ty) -> Type {
        match ty {
            Ty::Base(base) => match base {
                Base::Bool => Type::Bool,
                Base::I8 => Type::Int8,
                Base::I16 => Type::Int16,
                Base::I32 => Type::Int32,
                Base::I64 => Type::Int,
                Base::Double | Base::Float => Type::Float,
                Base::String => Type::Text,
                Base::Binary => Type::Bytes,
                Base::Uuid => Type::Tuple(vec![Type::Uint, Type::Uint]),
            },
            Ty::List(inner) | Ty::Set(inner) => Type::List(Box::new(self.ty(inner))),
            Ty::Map(key, value) if is_key(key) => Type::Map(Box::new(self.ty(key)), Box::new(self.ty(value))),
            Ty::Map(key, value) => Type::List(Box::new(Type::Tuple(vec![self.ty(key), self.ty(value)]))),
            Ty::Struct(of) => Type::Named(self.structure(*of)),
            Ty::Enum(of) => Type::Named(self.enumeration(*of)),
            Ty::Stream => Type::Bytes,
        }
    }
}

/// Returns whether values of a type have an order in Rust. A map of other keys is a list of pairs.
pub(super) fn is_key(ty: &Ty) -> bool {
    matches!(ty, Ty::Base(base) if !matches!(base, Base::Double | Base::Float))
}

/// Makes the plan of a text, with warnings.
///
/// # Errors
/// Structs that no message has: they require themselves.
pub(super) fn mapped(model: &Model) -> Result<(Mapped, Vec<Diagnostic>), Diagnostics> {
    let (structs, enums) = wanted(model);
    let inside = circles(model, &structs, |field| field.requiredness == Requiredness::Required);
    let refused = |id: &usize, message: String| Diagnostics {
        sources: model.sources.clone(),
        findings: vec![Diagnostic::error("recursive", model.structs[*id].at, message).hint("make one of the fields optional")],
    };
    if let Some((id, _)) = inside.iter().min() {
        return Err(refused(id, format!("`{}` requires itself: no message of it exists", model.structs[*id].name)));
    }
    let boxed = circles(model, &structs, |_| true);
    let mut mapped = Mapped::default();
    for id in enums.iter().copied() {
        mapped.enums.insert(id, mapped.enums.len());
    }
    for id in structs.iter().copied() {
        mapped.structs.insert(id, enums.len() + mapped.structs.len());
    }
    let mut findings = Vec::new();
    for id in enums {
        mapped.add_enum(&model.enums[id]);
        let members = &model.enums[id].members;
        mapped.members.insert(id, members.iter().map(|member| (member.name.clone(), member.number)).collect());
    }
    for id in structs {
        mapped.add_struct(model, id, &boxed, &mut findings);
    }
    Ok((mapped, findings))
}

/// Returns the structs and enums of the given text, and those that they use, in the order of the
/// model.
fn wanted(model: &Model) -> (Vec<usize>, Vec<usize>) {
    let own = |named: &Named| if let Named::Struct(id) = named { Some(*id) } else { None };
    let mut due: Vec<usize> = model.own.iter().filter_map(own).collect();
    let mut structs: HashSet<usize> = due.iter().copied().collect();
    let mut enums: HashSet<usize> =
        model.own.iter().filter_map(|named| if let Named::Enum(id) = named { Some(*id) } else { None }).collect();
    for constant in &model.constants {
        parts(&constant.ty, &mut |ty| {
            if let Ty::Enum(id) = ty {
                enums.insert(*id);
            }
        });
    }
    while let Some(id) = due.pop() {
        for field in &model.structs[id].fields {
            parts(&field.ty, &mut |ty| match ty {
                Ty::Struct(part) if structs.insert(*part) => due.push(*part),
                Ty::Enum(part) => drop(enums.insert(*part)),
                _ => {}
            });
        }
    }
    let sorted = |set: HashSet<usize>| {
        let mut all: Vec<usize> = set.into_iter().collect();
        all.sort_unstable();
        all
    };
    (sorted(structs), sorted(enums))
}

/// Calls `with` for a type and those in it.
fn parts<'t>(ty: &'t Ty, with: &mut dyn FnMut(&'t Ty)) {
    with(ty);
    match ty {
        Ty::List(inner) | Ty::Set(inner) => parts(inner, with),
        Ty::Map(key, value) => {
            parts(key, with);
            parts(value, with);
        }
        _ => {}
    }
}

/// Returns the fields whose values are structs that have the field's own struct in them, by struct
/// and number. Lists, sets and maps are behind pointers already.
fn circles(model: &Model, structs: &[usize], counts: impl Fn(&ModelField) -> bool) -> HashSet<(usize, i16)> {
    let edges: HashMap<usize, Vec<(i16, usize)>> = structs
        .iter()
        .map(|id| {
            let fields = model.structs[*id].fields.iter().filter(|field| counts(field));
            let direct = fields.filter_map(|field| if let Ty::Struct(part) = field.ty { Some((field.id, part)) } else { None });
            (*id, direct.collect())
        })
        .collect();
    let mut found = HashSet::new();
    for id in structs {
        for (field, part) in &edges[id] {
            let (mut seen, mut due) = (HashSet::from([*part]), vec![*part]);
            while let Some(at) = due.pop() {
                if at == *id {
                    found.insert((*id, *field));
                    break;
                }
                due.extend(edges[&at].iter().map(|(_, next)| *next).filter(|next| seen.insert(*next)));
            }
        }
    }
    found
}

impl Mapped {
    fn add_enum(&mut self, of: &Enum) {
        let mut cases: Vec<Case> = Vec::new();
        let mut numbers = Vec::new();
        // Messages have the first of several names with one number.
        let mut seen = HashSet::new();
        for member in of.members.iter().filter(|member| seen.insert(member.number)) {
            let number = Some(i64::from(member.number));
            cases.push(Case { name: member.name.clone(), doc: String::new(), carries: Carries::Nothing, number });
            numbers.push(member.number);
        }
        let doc = "A number that the schema does not have.".to_string();
        cases.push(Case { name: OTHER.into(), doc, carries: Carries::Values(vec![Type::Int32]), number: None });
        let (name, title) = (of.name.clone(), of.name.clone());
        self.plan.types.push(TypeDef { name, title, doc: of.doc.clone(), body: Body::Sum(cases), default: None, role: Role::Part });
        self.layouts.push(Layout::Enum(numbers));
    }

    fn add_struct(&mut self, model: &Model, id: usize, boxed: &HashSet<(usize, i16)>, findings: &mut Vec<Diagnostic>) {
        let of = &model.structs[id];
        // No value is a stream.
        let fields = of.fields.iter().filter(|field| field.ty != Ty::Stream);
        let members: Vec<Member> = fields
            .clone()
            .map(|field| Member {
                id: field.id,
                name: field.name.clone(),
                ty: field.ty.clone(),
                comes: self.comes(model, of, field, findings),
                boxed: boxed.contains(&(id, field.id)),
            })
            .collect();
        let value = |member: &Member| {
            let ty = self.ty(&member.ty);
            if member.boxed { Type::Boxed(Box::new(ty)) } else { ty }
        };
        let (name, title, doc) = (of.name.clone(), of.name.clone(), of.doc.clone());
        let docs = fields.map(|field| field.doc.clone());
        if of.kind == StructKind::Union {
            let cases = members.iter().zip(docs).map(|(member, doc)| Case {
                name: member.name.clone(),
                doc,
                carries: Carries::Values(vec![value(member)]),
                number: Some(i64::from(member.id)),
            });
            let body = Body::Sum(cases.collect());
            self.plan.types.push(TypeDef { name, title, doc, body, default: None, role: Role::Message });
            self.layouts.push(Layout::Union(members));
            return;
        }
        let made = members.iter().zip(docs).map(|(member, doc)| {
            let (ty, default) = match &member.comes {
                Comes::Required => (value(member), None),
                Comes::Optional => (Type::Optional(Box::new(value(member))), Some(Value::Nothing)),
                Comes::Default(default) => (value(member), Some(default.clone())),
            };
            Field { name: member.name.clone(), doc, ty, lazy: false, default }
        });
        let made: Vec<Field> = made.collect();
        let default = made.iter().map(|field| field.default.clone()).collect::<Option<Vec<Value>>>().map(Value::Struct);
        self.plan.types.push(TypeDef { name, title, doc, body: Body::Struct(made), default, role: Role::Message });
        self.layouts.push(Layout::Struct(members));
    }

    fn comes(&self, model: &Model, of: &Struct, field: &ModelField, findings: &mut Vec<Diagnostic>) -> Comes {
        match (field.requiredness, &field.default) {
            (Requiredness::Required, _) => Comes::Required,
            (_, None) => Comes::Optional,
            (_, Some(given)) => match self.absent(model, given, &field.ty) {
                Some(default) => Comes::Default(default),
                None => {
                    let message = format!("the default of `{}.{}` is left out: the field is optional", of.name, field.name);
                    findings.push(Diagnostic::warning("no_default", field.at, message));
                    Comes::Optional
                }
            },
        }
    }

    /// Returns a default as the plan has it.
    fn absent(&self, model: &Model, given: &Given, ty: &Ty) -> Option<Value> {
        Some(match (given, ty) {
            (Given::Bool(value), _) => Value::Bool(*value),
            (Given::Int(value), Ty::Base(_)) => Value::Int(*value),
            (Given::UInt(value), Ty::Base(_)) => Value::Int(i64::try_from(*value).ok()?),
            (Given::F64(value), _) => Value::Float(*value),
            (Given::Text(text), Ty::Base(Base::String)) => Value::Text(text.clone()),
            (Given::Bytes(bytes), _) => Value::Bytes(bytes.clone()),
            (Given::Text(name), Ty::Enum(id)) => {
                let number = model.enums[*id].members.iter().find(|member| member.name == *name)?.number;
                let index = self.enumeration(*id);
                let Layout::Enum(numbers) = &self.layouts[index] else { return None };
                Value::CaseOf(index, numbers.iter().position(|known| *known == number)?)
            }
            (Given::List(items), _) if items.is_empty() => Value::EmptyList,
            (Given::Map(pairs), _) if pairs.is_empty() => Value::EmptyList,
            _ => return None,
        })
    }
}
