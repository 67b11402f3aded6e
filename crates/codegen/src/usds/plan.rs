//! A dictionary as a plan. Structures, enumerations and polymorphs get names, and so do roots of
//! other types.

use polywire_core::value::Value as Literal;
use polywire_usds::dictionary::{Default as Start, Dictionary, Field as DictionaryField, Type as DictionaryType, section};
use polywire_usds::wire::codes::Simple;

use crate::plan::{Body, Carries, Case, Field, Plan, Role, Type, TypeDef, Value};

/// Deepest nesting of types. Code that reads them nests as deep.
const MAX_DEPTH: usize = 100;

/// A dictionary and its plan, and how they correspond.
pub(super) struct Mapped {
    pub dictionary: Dictionary,
    /// Contents of the dictionary section.
    pub section: Vec<u8>,
    pub plan: Plan,
    /// Layouts of the plan's types, in its order.
    pub layouts: Vec<Layout>,
    /// Type of each tag.
    pub tags: Vec<Wire>,
    /// The plan's index of each root, and its tag.
    pub roots: Vec<(usize, u32)>,
}

/// The reason why a dictionary is rejected.
#[derive(Debug)]
pub(super) struct Refused {
    pub code: &'static str,
    pub message: String,
    pub hint: &'static str,
}

/// A type where it is used.
#[derive(Debug, Clone)]
pub(super) enum Wire {
    Simple(Simple),
    Text,
    Octets,
    /// A type of the plan, by its index.
    Named(usize),
    Array(Box<Wire>),
    /// A structure that is a tuple in Rust.
    Row(Vec<Member>),
}

/// A type with a name.
#[derive(Debug, Clone)]
pub(super) enum Layout {
    Structure(Vec<Member>),
    /// Type of the numbers, and the number of each case.
    Enumeration(Simple, Vec<i64>),
    /// Tag and name of each case, and the plan's index of its structure.
    Polymorph(Vec<(u32, String, usize)>),
    /// Cases that hold their values themselves.
    Variants(Vec<Variant>),
    /// A type that is neither read nor written.
    Absent,
    /// A root that is a value or an array: the only field of a type without bytes of its own.
    Alone(Wire),
}

/// A case of an enum, as a member of a polymorph.
#[derive(Debug, Clone)]
pub(super) struct Variant {
    pub tag: u32,
    pub name: String,
    /// Layout of its values.
    pub members: Vec<Member>,
    /// True if there are values. If not, its structure has a field that is null.
    pub has_value: bool,
}

/// A field of a structure.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub name: String,
    pub wire: Wire,
    pub nullable: bool,
}

/// State of a tag, while types are defined from the inside out.
#[derive(Clone)]
enum State {
    Unseen,
    Open,
    Done(Wire),
}

struct Mapping {
    dictionary: Dictionary,
    plan: Plan,
    layouts: Vec<Layout>,
    states: Vec<State>,
}

impl Mapped {
    pub fn new(dictionary: Dictionary) -> Result<Mapped, Refused> {
        let section = section::write(&dictionary, dictionary.wire()).map_err(|problem| Refused {
            code: "section",
            message: format!("a dictionary section cannot say this dictionary: {}", problem.text()),
            hint: "",
        })?;
        let states = vec![State::Unseen; dictionary.tags().len()];
        let mut mapping = Mapping { dictionary, plan: Plan::default(), layouts: Vec::new(), states };
        let mut tags = Vec::new();
        for id in 1..=mapping.states.len() as u32 {
            tags.push(mapping.tag(id, 0)?);
        }
        let mut roots = Vec::new();
        for (wire, id) in tags.iter().zip(1..) {
            let tag = &mapping.dictionary.tags()[id as usize - 1];
            if !tag.root {
                continue;
            }
            let name = tag.name.clone();
            let index = match wire {
                Wire::Named(index) => *index,
                alone => {
                    let ty = mapping.ty(alone);
                    let default = mapping.zero(alone).map(|value| Value::Struct(vec![value]));
                    let field = Field { name: "value".into(), doc: "The value of the root.".into(), ty, lazy: false, default: None };
                    mapping.define(&name, &name, Body::Struct(vec![field]), default, Layout::Alone(alone.clone()))
                }
            };
            mapping.plan.types[index].role = Role::Message;
            roots.push((index, id));
        }
        let Mapping { dictionary, plan, layouts, .. } = mapping;
        Ok(Mapped { dictionary, section, plan, layouts, tags, roots })
    }

    /// Returns the minimum number of bytes of a value.
    pub fn least(&self, wire: &Wire) -> usize {
        match wire {
            Wire::Simple(simple) => fixed(*simple).unwrap_or(1),
            Wire::Text | Wire::Octets | Wire::Array(_) => 1,
            Wire::Row(members) => self.least_of(members),
            Wire::Named(index) => match &self.layouts[*index] {
                Layout::Structure(members) => self.least_of(members),
                Layout::Variants(variants) => 1 + variants.iter().map(|variant| self.least_of(&variant.members)).min().unwrap_or(0),
                Layout::Absent => 1,
                Layout::Enumeration(subtype, _) => fixed(*subtype).unwrap_or(1),
                Layout::Polymorph(members) => 1 + members.iter().map(|(_, _, index)| self.least(&Wire::Named(*index))).min().unwrap_or(0),
                Layout::Alone(wire) => self.least(wire),
            },
        }
    }

    fn least_of(&self, members: &[Member]) -> usize {
        let nullable = members.iter().filter(|member| member.nullable).count();
        let fields = members.iter().filter(|member| !member.nullable).map(|member| self.least(&member.wire));
        fields.fold(nullable.div_ceil(8), usize::saturating_add)
    }
}

/// Returns the number of bytes of a type of fixed size.
pub(super) const fn fixed(simple: Simple) -> Option<usize> {
    Some(match simple {
        Simple::Boolean | Simple::Byte | Simple::Ubyte => 1,
        Simple::Short | Simple::Ushort => 2,
        Simple::Int | Simple::Uint | Simple::Float => 4,
        Simple::Long | Simple::Ulong | Simple::Double => 8,
        Simple::Varint | Simple::Uvarint => return None,
    })
}

impl Mapping {
    fn tag(&mut self, id: u32, depth: usize) -> Result<Wire, Refused> {
        let index = id as usize - 1;
        let tag = &self.dictionary.tags()[index];
        match &self.states[index] {
            State::Done(wire) => return Ok(wire.clone()),
            State::Open => {
                return Err(Refused {
                    code: "recursive",
                    message: format!("`{}` holds itself, of which no code is made", tag.name),
                    hint: "read such documents with the library's events, or as a document in memory",
                });
            }
            State::Unseen => {}
        }
        let (name, ty) = (tag.name.clone(), tag.ty.clone());
        self.states[index] = State::Open;
        let wire = self.wire(&ty, &name, &name, depth)?;
        self.states[index] = State::Done(wire.clone());
        Ok(wire)
    }

    fn wire(&mut self, ty: &DictionaryType, name: &str, title: &str, depth: usize) -> Result<Wire, Refused> {
        if depth > MAX_DEPTH {
            return Err(Refused {
                code: "limit",
                message: format!("`{title}` has more than {MAX_DEPTH} types within each other"),
                hint: "",
            });
        }
        Ok(match ty {
            DictionaryType::Simple(simple) => Wire::Simple(*simple),
            DictionaryType::Text { utf8: true } => Wire::Text,
            DictionaryType::Text { utf8: false } => Wire::Octets,
            DictionaryType::Link(id) => self.tag(*id, depth + 1)?,
            DictionaryType::Array(element) => Wire::Array(Box::new(self.wire(element, name, title, depth + 1)?)),
            DictionaryType::Structure(fields) => self.structure(fields, name, title, depth)?,
            DictionaryType::Enumeration(enumeration) => {
                let case = |(name, number): &(String, i64)| Case {
                    name: name.clone(),
                    doc: String::new(),
                    carries: Carries::Nothing,
                    number: Some(*number),
                };
                let body = Body::Sum(enumeration.members.iter().map(case).collect());
                let numbers = enumeration.members.iter().map(|(_, number)| *number).collect();
                let default = (!enumeration.members.is_empty()).then(|| Value::Case(0, Vec::new()));
                Wire::Named(self.define(name, title, body, default, Layout::Enumeration(enumeration.subtype, numbers)))
            }
            DictionaryType::Polymorph(members) => {
                let mut found: Vec<(u32, String, usize)> = Vec::new();
                self.members(members, &mut found, depth)?;
                let case = |(id, name, index): &(u32, String, usize)| Case {
                    name: name.clone(),
                    doc: String::new(),
                    carries: Carries::Values(vec![Type::Named(*index)]),
                    number: Some(i64::from(*id)),
                };
                let body = Body::Sum(found.iter().map(case).collect());
                Wire::Named(self.define(name, title, body, None, Layout::Polymorph(found)))
            }
        })
    }

    /// Collects the structures that a polymorph may be. A member that is a polymorph adds its own.
    fn members(&mut self, members: &[u32], found: &mut Vec<(u32, String, usize)>, depth: usize) -> Result<(), Refused> {
        for id in members {
            let tag = &self.dictionary.tags()[*id as usize - 1];
            let name = tag.name.clone();
            if let DictionaryType::Polymorph(inner) = &tag.ty {
                let inner = inner.clone();
                if depth > MAX_DEPTH {
                    let message = format!("`{name}` has more than {MAX_DEPTH} types within each other");
                    return Err(Refused { code: "limit", message, hint: "" });
                }
                self.members(&inner, found, depth + 1)?;
            } else if !found.iter().any(|(known, ..)| known == id)
                && let Wire::Named(index) = self.tag(*id, depth + 1)?
            {
                found.push((*id, name, index));
            }
        }
        Ok(())
    }

    fn structure(&mut self, fields: &[DictionaryField], name: &str, title: &str, depth: usize) -> Result<Wire, Refused> {
        let (mut members, mut made, mut defaults) = (Vec::new(), Vec::new(), Some(Vec::new()));
        for field in fields {
            let wire = self.wire(&field.ty, &format!("{name}_{}", field.name), &format!("{title}.{}", field.name), depth + 1)?;
            let mut ty = self.ty(&wire);
            let start = field.default.as_ref().filter(|_| !field.nullable).and_then(|start| self.start(&wire, start));
            let mut default = match &field.default {
                Some(start) => self.start(&wire, start),
                None if field.nullable => Some(Value::Nothing),
                None => self.zero(&wire),
            };
            if field.nullable {
                ty = Type::Optional(Box::new(ty));
                default = default.map(|value| if value == Value::Nothing { value } else { Value::Just(Box::new(value)) });
            }
            match (&mut defaults, default) {
                (Some(all), Some(one)) => all.push(one),
                _ => defaults = None,
            }
            made.push(Field { name: field.name.clone(), doc: String::new(), ty, lazy: false, default: start });
            members.push(Member { name: field.name.clone(), wire, nullable: field.nullable });
        }
        let default = defaults.map(Value::Struct);
        Ok(Wire::Named(self.define(name, title, Body::Struct(made), default, Layout::Structure(members))))
    }

    fn define(&mut self, name: &str, title: &str, body: Body, default: Option<Value>, layout: Layout) -> usize {
        self.plan.types.push(TypeDef { name: name.into(), title: title.into(), doc: String::new(), body, default, role: Role::Part });
        self.layouts.push(layout);
        self.layouts.len() - 1
    }

    fn ty(&self, wire: &Wire) -> Type {
        match wire {
            Wire::Simple(simple) => match simple {
                Simple::Boolean => Type::Bool,
                Simple::Byte => Type::Int8,
                Simple::Ubyte => Type::Byte,
                Simple::Short => Type::Int16,
                Simple::Ushort => Type::Uint16,
                Simple::Int => Type::Int32,
                Simple::Uint => Type::Uint32,
                Simple::Long | Simple::Varint => Type::Int,
                Simple::Ulong | Simple::Uvarint => Type::Uint,
                Simple::Float => Type::Single,
                Simple::Double => Type::Float,
            },
            Wire::Text => Type::Text,
            Wire::Octets => Type::Bytes,
            Wire::Named(index) => Type::Named(*index),
            Wire::Array(element) => Type::List(Box::new(self.ty(element))),
            Wire::Row(members) => Type::Tuple(members.iter().map(|member| self.ty(&member.wire)).collect()),
        }
    }

    /// Returns the value of a type where the dictionary gives none.
    fn zero(&self, wire: &Wire) -> Option<Value> {
        Some(match wire {
            Wire::Simple(Simple::Boolean) => Value::Bool(false),
            Wire::Simple(Simple::Float | Simple::Double) => Value::Float(0.0),
            Wire::Simple(_) => Value::Int(0),
            Wire::Text => Value::Text(String::new()),
            Wire::Octets => Value::Bytes(Vec::new()),
            Wire::Array(_) => Value::EmptyList,
            Wire::Row(members) => Value::Tuple(members.iter().map(|member| self.zero(&member.wire)).collect::<Option<_>>()?),
            Wire::Named(index) => {
                self.plan.types[*index].default.as_ref()?;
                Value::DefaultOf(*index)
            }
        })
    }

    /// Returns the first value of a field. A number without an enumerator has no value of Rust's
    /// type.
    fn start(&self, wire: &Wire, start: &Start) -> Option<Value> {
        match (start, wire) {
            (Start::Number(number), Wire::Named(index)) => match &self.layouts[*index] {
                Layout::Enumeration(_, numbers) => {
                    let case = numbers.iter().position(|one| one == number)?;
                    Some(Value::CaseOf(*index, case))
                }
                _ => None,
            },
            (Start::Value(Literal::Text(text)), Wire::Octets) => Some(Value::Bytes(text.as_bytes().to_vec())),
            (Start::Value(Literal::Bool(value)), _) => Some(Value::Bool(*value)),
            (Start::Value(Literal::Int(value)), _) => Some(Value::Int(*value)),
            (Start::Value(Literal::UInt(value)), _) => Some(Value::Uint(*value)),
            (Start::Value(Literal::F32(value)), _) => finite(f64::from(*value)),
            (Start::Value(Literal::F64(value)), _) => finite(*value),
            (Start::Value(Literal::Text(text)), _) => Some(Value::Text(text.to_string())),
            _ => None,
        }
    }
}

fn finite(value: f64) -> Option<Value> {
    value.is_finite().then_some(Value::Float(value))
}
