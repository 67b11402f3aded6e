//! What code is to be made, in no language yet: types, their names in the schema, documentation and defaults. An encoding adds how they are
//! read and written.

/// All types of one schema.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// Types; each comes after those that it is made of.
    pub types: Vec<TypeDef>,
}

/// A type that gets a name in the code.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeDef {
    /// Words of the name: the schema's own, and those of arguments.
    pub name: String,
    /// The name in the schema, as people write it.
    pub title: String,
    /// What its comment says.
    pub doc: String,
    /// What it holds.
    pub body: Body,
    /// Its default value; none if it has none.
    pub default: Option<Value>,
    /// What it is to those who send it.
    pub role: Role,
}

/// What a type is to those who send it. The code of other schemas may name one that is no part, without knowing what it holds: it always has
/// both of its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    /// Part of others.
    #[default]
    Part,
    /// A message.
    Message,
    /// Another way to read messages of other types: it is never written.
    View,
}

/// What a type holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// Named fields.
    Struct(Vec<Field>),
    /// One of several cases.
    Sum(Vec<Case>),
}

/// A named field.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name in the schema.
    pub name: String,
    /// What its comment says.
    pub doc: String,
    /// Its type.
    pub ty: Type,
    /// Whether it is decoded on access.
    pub lazy: bool,
}

/// A case of a sum.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Its name in the schema.
    pub name: String,
    /// What its comment says.
    pub doc: String,
    /// What it carries.
    pub carries: Carries,
}

/// What a case carries.
#[derive(Debug, Clone, PartialEq)]
pub enum Carries {
    /// Nothing.
    Nothing,
    /// Values in order.
    Values(Vec<Type>),
    /// Named fields.
    Fields(Vec<Field>),
}

/// A type where it is used.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// True or false.
    Bool,
    /// 0 to 255.
    Byte,
    /// Signed, 8 bits.
    Int8,
    /// Signed, 16 bits.
    Int16,
    /// Unsigned, 16 bits.
    Uint16,
    /// Signed, 32 bits.
    Int32,
    /// Unsigned, 32 bits.
    Uint32,
    /// Signed, 64 bits.
    Int,
    /// Unsigned, 64 bits.
    Uint,
    /// IEEE 754 binary32.
    Single,
    /// IEEE 754 binary64.
    Float,
    /// Text in UTF-8.
    Text,
    /// Any bytes.
    Bytes,
    /// A value, or none.
    Optional(Box<Type>),
    /// Values of one type.
    List(Box<Type>),
    /// Values of different types.
    Tuple(Vec<Type>),
    /// A type of the plan, by its index.
    Named(usize),
    /// A type of another module: modules from the outside in, and its name.
    External(Vec<String>, String),
}

/// A value that the schema gives.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// True or false.
    Bool(bool),
    /// 0 to 255.
    Byte(u8),
    /// A number.
    Int(i64),
    /// A number that is not negative.
    Uint(u64),
    /// A number; finite.
    Float(f64),
    /// Any bytes.
    Bytes(Vec<u8>),
    /// Text.
    Text(String),
    /// No value of an optional one.
    Nothing,
    /// The value of an optional one.
    Just(Box<Value>),
    /// A list without elements.
    EmptyList,
    /// Values of a tuple.
    Tuple(Vec<Value>),
    /// Values of all fields of a struct.
    Struct(Vec<Value>),
    /// A case of a sum, by its index, and values of what it carries.
    Case(usize, Vec<Value>),
    /// A case without values of a type of the plan, by the indices of both.
    CaseOf(usize, usize),
    /// The default of a type of the plan.
    DefaultOf(usize),
}
