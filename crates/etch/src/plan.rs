//! A schema as readers and writers use it: types and fields by their names and hashes.

use std::collections::HashMap;

use polywire_core::{Error, ErrorKind, Fault, Result};

use crate::names::{hash, known};
use crate::wire::{ANY, BYTE, CUSTOM, DOUBLE, FLOAT, INT, LONG, Name, SHORT, STRING, TRUE};

/// Shape of a declared type, without its dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Any value, as its bytes show it.
    Any,
    Bool,
    /// An integer of as many bits.
    Int(u8),
    Float,
    Double,
    Text,
    /// An enumeration, by its index.
    Enum(u32),
    /// A struct or an external type, by its index. Others that extend it may stand there.
    Struct(u32),
    List,
    Set,
    Map,
    Time,
}

/// A declared type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ty {
    pub shape: Shape,
    pub dimensions: u8,
    /// True if an exception may stand there, as in a reply.
    pub thrown: bool,
}

impl Ty {
    /// The type of values that no schema explains.
    pub const ANY: Ty = Ty::of(Shape::Any);

    pub const fn of(shape: Shape) -> Ty {
        Ty { shape, dimensions: 0, thrown: false }
    }

    /// Returns whether values may be of any type.
    pub fn is_any(self) -> bool {
        self.shape == Shape::Any && self.dimensions == 0
    }

    /// Returns whether values are of a type that is no array.
    pub fn is(self, shape: Shape) -> bool {
        self.shape == shape && self.dimensions == 0
    }

    /// Returns whether values are bytes, as arrays of `byte` are.
    pub fn is_bytes(self) -> bool {
        self.shape == Shape::Int(8) && self.dimensions == 1
    }

    /// Returns the type of an array's elements.
    pub fn inner(self) -> Ty {
        Ty { shape: self.shape, dimensions: self.dimensions.saturating_sub(1), thrown: false }
    }

    /// Returns the code of elements in an array (`docs/spec/etch.md 3.6`).
    pub fn code(self) -> u8 {
        match self.shape {
            Shape::Any => ANY,
            Shape::Bool => TRUE,
            Shape::Int(8) => BYTE,
            Shape::Int(16) => SHORT,
            Shape::Int(32) => INT,
            Shape::Int(_) => LONG,
            Shape::Float => FLOAT,
            Shape::Double => DOUBLE,
            Shape::Text => STRING,
            Shape::Enum(_) | Shape::Struct(_) | Shape::List | Shape::Set | Shape::Map | Shape::Time => CUSTOM,
        }
    }
}

/// A type that structures and messages have.
#[derive(Debug)]
pub(crate) struct Type {
    /// The name as its hash is taken, such as `examples.Clock.set`.
    pub name: String,
    pub kind: TypeKind,
    /// The declared types of fields. Those of an enumeration are its enumerators.
    pub fields: HashMap<String, Ty>,
}

/// Kind of a type's declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TypeKind {
    Enum,
    Struct,
    Exception,
    Extern,
    Message,
    Reply,
}

/// A schema, and the type of messages that name none.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub types: Vec<Type>,
    pub by_hash: HashMap<i32, u32>,
    pub by_name: HashMap<String, u32>,
    /// Names of fields, by their hashes.
    pub fields: HashMap<i32, String>,
    pub root: Option<u32>,
}

impl Plan {
    /// Chooses the type of messages that name none: that of the name, with or without those of the
    /// module and the service; without a name, the only message.
    ///
    /// # Errors
    /// There is no message of the name.
    pub fn rooted(mut self, name: Option<&str>) -> Result<Plan> {
        let messages = || (0..).zip(&self.types).filter(|(_, ty)| matches!(ty.kind, TypeKind::Message | TypeKind::Reply));
        self.root = match name {
            None => {
                let mut calls = messages().filter(|(_, ty)| ty.kind == TypeKind::Message);
                if let (Some((only, _)), None) = (calls.next(), calls.next()) { Some(only) } else { None }
            }
            Some(name) => {
                let found = messages().find(|(_, ty)| ty.name == name || ty.name.rsplit('.').next() == Some(name));
                if found.is_none() {
                    let names: Vec<&str> = messages().map(|(_, ty)| &*ty.name).collect();
                    return Err(Error::new(ErrorKind::Usage, Fault::Caller)
                        .seen(format!("the message `{name}`"))
                        .expected(format!("one of {}", names.join(", "))));
                }
                found.map(|(index, _)| index)
            }
        };
        Ok(self)
    }

    /// Returns the type of a name on the wire.
    pub fn ty(&self, name: Name<'_>) -> Option<u32> {
        match name {
            Name::Hash(number) => self.by_hash.get(&number).copied(),
            Name::Text(text) => self.named(std::str::from_utf8(text).ok()?),
        }
    }

    /// Returns the type of a name.
    pub fn named(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    /// Returns the name of a type's hash.
    pub fn type_name(&self, number: i32) -> Option<&str> {
        self.by_hash.get(&number).map(|index| &*self.types[*index as usize].name).or_else(|| known(number))
    }

    /// Returns the name of a field's hash.
    pub fn field_name(&self, number: i32) -> Option<&str> {
        self.fields.get(&number).map(String::as_str).or_else(|| known(number))
    }

    /// Returns the declared type of a field.
    pub fn field(&self, of: Option<u32>, name: &str) -> Ty {
        of.and_then(|of| self.types[of as usize].fields.get(name).copied()).unwrap_or(Ty::ANY)
    }

    /// Returns the hash of a type's or a field's name, if the schema or every service has it.
    pub fn number(&self, name: &str, is_type: bool) -> Option<i32> {
        let number = hash(name);
        let own = if is_type { self.type_name(number) } else { self.field_name(number) };
        (own == Some(name)).then_some(number)
    }

    /// Returns the name of the type that structures of a shape have.
    pub fn structure(&self, shape: Shape) -> Option<&str> {
        Some(match shape {
            Shape::Enum(index) | Shape::Struct(index) => &self.types[index as usize].name,
            Shape::List => "_Etch_List",
            Shape::Set => "_Etch_Set",
            Shape::Map => "_Etch_Map",
            Shape::Time => "_Etch_Datetime",
            _ => return None,
        })
    }

    /// Returns a declared type as people know it.
    pub fn shown(&self, ty: Ty) -> String {
        let name = match ty.shape {
            Shape::Any => "object",
            Shape::Bool => "boolean",
            Shape::Int(8) => "byte",
            Shape::Int(16) => "short",
            Shape::Int(32) => "int",
            Shape::Int(_) => "long",
            Shape::Float => "float",
            Shape::Double => "double",
            Shape::Text => "string",
            other => self.structure(other).unwrap_or_default(),
        };
        let thrown = if ty.thrown { ", or an exception" } else { "" };
        format!("{name}{}{thrown}", "[]".repeat(usize::from(ty.dimensions)))
    }
}
