//! The plan of the code: types, their names in the schema, documentation and defaults. An encoding
//! adds the functions that read and write them.

/// All types of one schema.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// The types, each after its parts. Types that hold themselves, by a [`Type::Boxed`], a list or
    /// a map, are in any order.
    pub types: Vec<TypeDef>,
}

impl Plan {
    /// Returns the first type that holds itself.
    pub fn recursive(&self) -> Option<&TypeDef> {
        // A type is done when its parts are. The types that are never done hold themselves, or a
        // type that does.
        let mut made_of: Vec<Vec<usize>> = self.types.iter().map(TypeDef::made_of).collect();
        let mut used_in = vec![Vec::new(); self.types.len()];
        for (index, parts) in made_of.iter_mut().enumerate() {
            parts.sort_unstable();
            parts.dedup();
            parts.iter().for_each(|part| used_in[*part].push(index));
        }
        let mut left: Vec<usize> = made_of.iter().map(Vec::len).collect();
        let mut due: Vec<usize> = (0..left.len()).filter(|index| left[*index] == 0).collect();
        while let Some(index) = due.pop() {
            for user in &used_in[index] {
                left[*user] -= 1;
                if left[*user] == 0 {
                    due.push(*user);
                }
            }
        }
        let holds_itself = |start: usize| {
            let (mut seen, mut due) = (vec![false; left.len()], made_of[start].clone());
            while let Some(index) = due.pop() {
                if index == start {
                    return true;
                }
                if !std::mem::replace(&mut seen[index], true) {
                    due.extend(&made_of[index]);
                }
            }
            false
        };
        (0..left.len()).find(|index| left[*index] > 0 && holds_itself(*index)).map(|index| &self.types[index])
    }
}

/// A type with a name in the code.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeDef {
    /// The words of its name: those of the schema's name, and of its arguments.
    pub name: String,
    /// The name in the schema, as people write it.
    pub title: String,
    /// The text of its comment.
    pub doc: String,
    /// The contents.
    pub body: Body,
    /// The default value, if any.
    pub default: Option<Value>,
    /// The role in messages.
    pub role: Role,
}

impl TypeDef {
    /// Returns the types of the plan that are part of it, by their indices.
    pub fn made_of(&self) -> Vec<usize> {
        let mut found = Vec::new();
        self.types().for_each(|ty| ty.named(&mut found));
        found
    }

    /// Returns the types of its fields, or of the values of its cases.
    pub fn types(&self) -> Box<dyn Iterator<Item = &Type> + '_> {
        match &self.body {
            Body::Struct(fields) => Box::new(fields.iter().map(|field| &field.ty)),
            Body::Sum(cases) => Box::new(cases.iter().flat_map(|case| match &case.carries {
                Carries::Nothing => Vec::new(),
                Carries::Values(values) => values.iter().collect(),
                Carries::Fields(fields) => fields.iter().map(|field| &field.ty).collect(),
            })),
        }
    }
}

/// The role of a type in messages. The code of other schemas may name a type that is no part,
/// without knowing its contents, so such a type always has both of its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    /// A part of other types.
    #[default]
    Part,
    /// A message.
    Message,
    /// A view of the messages of another type, which is never written.
    View,
}

/// The contents of a type.
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
    /// The name in the schema.
    pub name: String,
    /// The text of its comment.
    pub doc: String,
    /// The type.
    pub ty: Type,
    /// True if it is decoded on access.
    pub lazy: bool,
    /// The value if a message lacks the field; none if the field is required. For an optional
    /// field, the value that stands for none.
    pub default: Option<Value>,
}

/// A case of a sum.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// The name in the schema.
    pub name: String,
    /// The text of its comment.
    pub doc: String,
    /// The values.
    pub carries: Carries,
    /// The number, if the schema gives one.
    pub number: Option<i64>,
}

/// The values of a case.
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
    /// Values by keys.
    Map(Box<Type>, Box<Type>),
    /// A value behind a pointer, so that a type may hold itself.
    Boxed(Box<Type>),
    /// Values of different types.
    Tuple(Vec<Type>),
    /// A type of the plan, by its index.
    Named(usize),
    /// A type of another module: the modules from the outside in, and the name.
    External(Vec<String>, String),
}

impl Type {
    /// Adds the types of the plan that are part of it.
    fn named(&self, found: &mut Vec<usize>) {
        match self {
            Type::Named(index) => found.push(*index),
            Type::Optional(inner) | Type::List(inner) | Type::Boxed(inner) => inner.named(found),
            Type::Map(key, value) => {
                key.named(found);
                value.named(found);
            }
            Type::Tuple(parts) => parts.iter().for_each(|part| part.named(found)),
            _ => {}
        }
    }
}

/// A value in a schema.
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
    /// A number.
    Float(f64),
    /// Any bytes.
    Bytes(Vec<u8>),
    /// Text.
    Text(String),
    /// No value, for an optional type.
    Nothing,
    /// A value, for an optional type.
    Just(Box<Value>),
    /// A list without elements, or a map.
    EmptyList,
    /// Values of a tuple.
    Tuple(Vec<Value>),
    /// Values of all fields of a struct.
    Struct(Vec<Value>),
    /// A case of a sum, by its index, and its values.
    Case(usize, Vec<Value>),
    /// A case without values of a type of the plan, by the indices of both.
    CaseOf(usize, usize),
    /// The default of a type of the plan.
    DefaultOf(usize),
}
