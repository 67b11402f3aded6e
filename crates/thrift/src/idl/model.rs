//! The resolved schema: names lead to types, typedefs to what they stand for. Types and services
//! are known by their indexes.

use polywire_core::text::diagnostic::{Place, Source};
use polywire_core::value::Value;

pub use super::syntax::{Base, Name, Requiredness, StructKind};

/// A resolved schema.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Model {
    /// Texts.
    pub sources: Vec<Source>,
    /// Structs, unions and exceptions of all texts, and the arguments and results of methods.
    pub structs: Vec<Struct>,
    /// Enums of all texts.
    pub enums: Vec<Enum>,
    /// Services of all texts.
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
pub enum Named {
    /// A struct, union or exception.
    Struct(usize),
    /// An enum.
    Enum(usize),
    /// A service.
    Service(usize),
}

/// A type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ty {
    /// A type without parts.
    Base(Base),
    /// A list.
    List(Box<Ty>),
    /// A set.
    Set(Box<Ty>),
    /// A map of keys and values.
    Map(Box<Ty>, Box<Ty>),
    /// A struct, union or exception.
    Struct(usize),
    /// An enum.
    Enum(usize),
    /// A stream, which no value is.
    Stream,
}

/// A struct, union or exception.
#[derive(Debug)]
pub struct Struct {
    /// Name; of an included text, with the name of that and a dot before it.
    pub name: String,
    /// Kind.
    pub kind: StructKind,
    /// Fields in the order of the text.
    pub fields: Vec<Field>,
    /// Documentation.
    pub doc: String,
    /// Place of its name.
    pub at: Place,
}

/// A field.
#[derive(Debug)]
pub struct Field {
    /// Number.
    pub id: i16,
    /// Name.
    pub name: String,
    /// Type.
    pub ty: Ty,
    /// Obligation.
    pub requiredness: Requiredness,
    /// Default. `None` if there is none, and for one of a struct.
    pub default: Option<Value>,
    /// Documentation.
    pub doc: String,
    /// True if an annotation says that it is deprecated.
    pub deprecated: bool,
    /// Place of its name.
    pub at: Place,
}

/// An enum.
#[derive(Debug)]
pub struct Enum {
    /// Name; of an included text, with the name of that and a dot before it.
    pub name: String,
    /// Names with their numbers, in the order of the text.
    pub members: Vec<Member>,
    /// Documentation.
    pub doc: String,
    /// Place of its name.
    pub at: Place,
}

/// A name of an enum.
#[derive(Debug)]
pub struct Member {
    /// Name.
    pub name: String,
    /// Number on the wire.
    pub number: i32,
    /// Place of the name.
    pub at: Place,
}

/// A constant.
#[derive(Debug)]
pub struct Constant {
    /// Name.
    pub name: String,
    /// Type.
    pub ty: Ty,
    /// Value. `None` for one of a struct, and for one with a mistake.
    pub value: Option<Value>,
    /// Place of its name.
    pub at: Place,
}

/// A service.
#[derive(Debug)]
pub struct Service {
    /// Name; of an included text, with the name of that and a dot before it.
    pub name: String,
    /// The service that it extends.
    pub extends: Option<usize>,
    /// Its own methods.
    pub methods: Vec<Method>,
    /// Place of its name.
    pub at: Place,
}

/// A method.
#[derive(Debug)]
pub struct Method {
    /// Name.
    pub name: String,
    /// Struct of its arguments.
    pub arguments: usize,
    /// Struct of its result and exceptions; field 0 is the result.
    pub result: usize,
    /// True if no reply comes.
    pub oneway: bool,
    /// Place of its name.
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
