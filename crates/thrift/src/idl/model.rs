//! The resolved schema: names lead to types, typedefs to what they stand for.

use polywire_core::text::diagnostic::{Place, Source};
use polywire_core::value::Value;

use super::syntax::{Base, Name, Requiredness, StructKind};

/// A resolved schema.
#[derive(Debug, Default)]
pub(crate) struct Model {
    pub sources: Vec<Source>,
    pub structs: Vec<Struct>,
    pub enums: Vec<Enum>,
    pub services: Vec<Service>,
    /// Named types and services of the given text, in its order.
    pub own: Vec<Named>,
    /// Constants of the given text.
    pub constants: Vec<Constant>,
    /// Namespaces of the given text, by their languages.
    pub namespaces: Vec<(String, Name)>,
    /// Warnings.
    pub warnings: Vec<polywire_core::text::diagnostic::Diagnostic>,
}

/// A definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    Struct(usize),
    Enum(usize),
    Service(usize),
}

/// A type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ty {
    Base(Base),
    List(Box<Ty>),
    Set(Box<Ty>),
    Map(Box<Ty>, Box<Ty>),
    Struct(usize),
    Enum(usize),
    /// A stream, which no value is.
    Stream,
}

/// A struct, union or exception.
#[derive(Debug)]
pub(crate) struct Struct {
    /// Name; of an included text, with the name of that and a dot before it.
    pub name: String,
    pub kind: StructKind,
    pub fields: Vec<Field>,
    pub doc: String,
    pub at: Place,
}

/// A field.
#[derive(Debug)]
pub(crate) struct Field {
    pub id: i16,
    pub name: String,
    pub ty: Ty,
    pub requiredness: Requiredness,
    pub default: Option<Value>,
    pub doc: String,
    pub deprecated: bool,
    pub at: Place,
}

/// An enum.
#[derive(Debug)]
pub(crate) struct Enum {
    pub name: String,
    pub members: Vec<Member>,
    pub doc: String,
    pub at: Place,
}

/// A name of an enum.
#[derive(Debug)]
pub(crate) struct Member {
    pub name: String,
    pub number: i32,
    pub at: Place,
}

/// A constant.
#[derive(Debug)]
pub(crate) struct Constant {
    pub name: String,
    pub ty: Ty,
    /// Value. `None` for one of a struct, and for one with a mistake.
    pub value: Option<Value>,
    pub at: Place,
}

/// A service.
#[derive(Debug)]
pub(crate) struct Service {
    pub name: String,
    pub extends: Option<usize>,
    pub methods: Vec<Method>,
    pub at: Place,
}

/// A method.
#[derive(Debug)]
pub(crate) struct Method {
    pub name: String,
    /// Struct of its arguments.
    pub arguments: usize,
    /// Struct of its result and exceptions; field 0 is the result.
    pub result: usize,
    /// True if no reply comes.
    pub oneway: bool,
    pub at: Place,
}

impl Model {
    /// Returns the structs that a type is or has in it, without looking into them.
    pub fn structs_in(ty: &Ty, found: &mut Vec<usize>) {
        match ty {
            Ty::Struct(id) => found.push(*id),
            Ty::List(inner) | Ty::Set(inner) => Model::structs_in(inner, found),
            Ty::Map(key, value) => {
                Model::structs_in(key, found);
                Model::structs_in(value, found);
            }
            _ => {}
        }
    }

    /// Returns the struct that messages have where none is named: the last struct or union of the
    /// given text that no other type has in it. Failing that, the last one.
    pub fn root(&self) -> Option<usize> {
        let own: Vec<usize> = self
            .own
            .iter()
            .filter_map(|named| match named {
                Named::Struct(id) => Some(*id),
                _ => None,
            })
            .collect();
        let methods = self.services.iter().flat_map(|service| &service.methods).flat_map(|method| [method.arguments, method.result]);
        let methods: Vec<usize> = methods.collect();
        let mut used = Vec::new();
        // Arguments and results of methods do not make a struct a part of another.
        for (id, found) in self.structs.iter().enumerate().filter(|(id, _)| !methods.contains(id)) {
            let mut inside = Vec::new();
            found.fields.iter().for_each(|field| Model::structs_in(&field.ty, &mut inside));
            used.extend(inside.into_iter().filter(|inner| *inner != id));
        }
        let data = |id: &&usize| self.structs[**id].kind != StructKind::Exception;
        own.iter().rev().filter(data).find(|id| !used.contains(id)).or_else(|| own.iter().rev().find(data)).or(own.last()).copied()
    }

    /// Returns the text of a type as the IDL has it.
    pub fn text(&self, ty: &Ty) -> String {
        match ty {
            Ty::Base(base) => base.name().into(),
            Ty::List(inner) => format!("list<{}>", self.text(inner)),
            Ty::Set(inner) => format!("set<{}>", self.text(inner)),
            Ty::Map(key, value) => format!("map<{}, {}>", self.text(key), self.text(value)),
            Ty::Struct(id) => self.structs[*id].name.clone(),
            Ty::Enum(id) => self.enums[*id].name.clone(),
            Ty::Stream => "stream".into(),
        }
    }
}

impl Base {
    /// Returns its name in the IDL.
    pub fn name(self) -> &'static str {
        match self {
            Base::Bool => "bool",
            Base::I8 => "i8",
            Base::I16 => "i16",
            Base::I32 => "i32",
            Base::I64 => "i64",
            Base::Double => "double",
            Base::Float => "float",
            Base::String => "string",
            Base::Binary => "binary",
            Base::Uuid => "uuid",
        }
    }
}
