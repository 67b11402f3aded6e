//! Protobuf for the types of another schema language: the messages that `polywire schema convert`
//! would make of the same schema.
//!
//! Fields are numbered in their order, cases as the schema has it or in their order. Structs are
//! messages, enums without values enums, others messages of one oneof, tuples messages whose fields
//! are `item_1` and so on, lists where only one value fits messages with the field `items`.

use std::collections::HashSet;

use polywire_core::{Error, ErrorKind, Fault, Result};
use polywire_protobuf::model::{MAX_NUMBER, RESERVED_NUMBERS};

use super::layout::{Choice, Comes, Layout, Mapped, Member, Numbers, Scalar, Wire};
use crate::plan::{Body, Carries, Case, Field, Plan, Role, Type, TypeDef};

/// The encoding of a plan.
///
/// # Errors
/// Types that have no bytes in Protobuf, or bytes of another encoding within.
pub(super) fn mapped(plan: &Plan) -> Result<Mapped> {
    let making = Making { plan };
    let mut layouts = Vec::new();
    for def in &plan.types {
        layouts.push(if def.role == Role::View { Layout::Absent } else { making.layout(def)? });
    }
    let names = plan.types.iter().map(|def| def.title.clone()).collect();
    Ok(Mapped { plan: Plan::default(), layouts, names })
}

#[cold]
fn refused(seen: String, hint: &'static str) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Schema).seen(seen).expected("types that Protobuf has bytes for").hint(hint)
}

/// Returns whether the cases of a type are nothing but names.
fn is_numbers(def: &TypeDef) -> bool {
    matches!(&def.body, Body::Sum(cases) if cases.iter().all(|case| case.carries == Carries::Nothing))
}

struct Making<'p> {
    plan: &'p Plan,
}

impl Making<'_> {
    fn layout(&self, def: &TypeDef) -> Result<Layout> {
        Ok(match &def.body {
            Body::Struct(fields) => Layout::Message(self.fields(fields, &def.title)?),
            Body::Sum(_) if is_numbers(def) && def.role == Role::Message => {
                return Err(refused(format!("the message `{}`, which is one of several names", def.title), "put it into a structure"));
            }
            Body::Sum(cases) if is_numbers(def) => Layout::Numbers(Numbers { of: numbers(cases), open: false, aliases: Vec::new() }),
            Body::Sum(cases) => {
                let choice = |(case, number): (&Case, u32)| {
                    let wire = match &case.carries {
                        Carries::Nothing => Wire::Row(Vec::new()),
                        Carries::Values(values) => match values.as_slice() {
                            [one] => self.single(one, &def.title)?,
                            many => self.row(many, &def.title)?,
                        },
                        Carries::Fields(fields) => Wire::Row(self.fields(fields, &def.title)?),
                    };
                    Ok(Choice { number, name: case.name.clone(), wire, boxed: false })
                };
                Layout::Choice(cases.iter().zip(field_numbers(cases)).map(choice).collect::<Result<Vec<Choice>>>()?)
            }
        })
    }

    fn fields(&self, fields: &[Field], title: &str) -> Result<Vec<Member>> {
        fields.iter().zip(1..).map(|(field, number)| self.field(field, number, title)).collect()
    }

    fn field(&self, field: &Field, number: u32, title: &str) -> Result<Member> {
        if field.lazy {
            let hint = "its bytes stay in the encoding that they came in; take the mark away";
            return Err(refused(format!("the lazy field `{}` of `{title}`", field.name), hint));
        }
        let (wire, comes) = match &field.ty {
            Type::Optional(inner) if matches!(**inner, Type::List(_)) => {
                let hint = "a list that is absent and one without elements are the same in Protobuf";
                return Err(refused(format!("the optional list `{}` of `{title}`", field.name), hint));
            }
            Type::Optional(inner) => (self.single(inner, title)?, Comes::Explicit),
            Type::List(element) => {
                let wire = self.single(element, title)?;
                let packed = wire.packable();
                (wire, Comes::Repeated { packed })
            }
            ty => (self.single(ty, title)?, if field.default.is_some() { Comes::Default } else { Comes::Required }),
        };
        let default = field.default.clone().filter(|_| comes == Comes::Default).map(|default| (default, field.ty.clone()));
        Ok(Member { number, name: field.name.clone(), wire, comes, boxed: false, default })
    }

    fn row(&self, parts: &[Type], title: &str) -> Result<Wire> {
        let part = |(part, number): (&Type, u32)| {
            let field = Field { name: format!("item_{number}"), doc: String::new(), ty: part.clone(), lazy: false, default: None };
            self.field(&field, number, title)
        };
        Ok(Wire::Row(parts.iter().zip(1..).map(part).collect::<Result<Vec<Member>>>()?))
    }

    /// A value where only one fits.
    fn single(&self, ty: &Type, title: &str) -> Result<Wire> {
        Ok(Wire::Scalar(match ty {
            Type::Bool => Scalar::Bool,
            Type::Byte => Scalar::Byte,
            Type::Int8 => Scalar::Int8,
            Type::Int16 => Scalar::Int16,
            Type::Uint16 => Scalar::UInt16,
            Type::Int32 => Scalar::Int32,
            Type::Uint32 => Scalar::UInt32,
            Type::Int => Scalar::Int64,
            Type::Uint => Scalar::UInt64,
            Type::Single => Scalar::Float,
            Type::Float => Scalar::Double,
            Type::Text => Scalar::String,
            Type::Bytes => Scalar::Bytes,
            Type::List(_) => {
                let field = Field { name: "items".into(), doc: String::new(), ty: ty.clone(), lazy: false, default: None };
                return Ok(Wire::Alone(Box::new(self.field(&field, 1, title)?)));
            }
            Type::Tuple(parts) => return self.row(parts, title),
            Type::Named(index) => {
                let def = &self.plan.types[*index];
                if def.role == Role::View {
                    return Err(refused(format!("`{}` in `{title}`, which only views another message", def.title), ""));
                }
                return Ok(if is_numbers(def) { Wire::Enum(*index) } else { Wire::Message(*index) });
            }
            Type::Optional(_) | Type::Boxed(_) => return Err(refused(format!("an optional value in `{title}` that is no field"), "")),
            Type::Map(..) => return Err(refused(format!("a map in `{title}` that is no field"), "")),
            Type::External(_, name) => {
                return Err(refused(format!("`{name}` in `{title}`, a message of another module"), "include its file instead"));
            }
        }))
    }
}

/// The numbers of the fields of a oneof: those that the schema gives, if fields can have them.
fn field_numbers(cases: &[Case]) -> Vec<u32> {
    let sound = |number: &u32| (1..=MAX_NUMBER).contains(number) && !RESERVED_NUMBERS.contains(number);
    let given = cases.iter().map(|case| case.number.and_then(|number| u32::try_from(number).ok()).filter(sound));
    let given: Option<Vec<u32>> = given.collect();
    let mut seen = HashSet::new();
    match given {
        Some(numbers) if numbers.iter().all(|number| seen.insert(*number)) => numbers,
        _ => (1..=cases.len() as u32).collect(),
    }
}

/// The numbers of names: those that the schema gives, if an enum can have them.
fn numbers(cases: &[Case]) -> Vec<i32> {
    let given: Option<Vec<i32>> = cases.iter().map(|case| case.number.and_then(|number| i32::try_from(number).ok())).collect();
    let mut seen = HashSet::new();
    match given {
        Some(numbers) if numbers.iter().all(|number| seen.insert(*number)) => numbers,
        _ => (0..cases.len() as i32).collect(),
    }
}
