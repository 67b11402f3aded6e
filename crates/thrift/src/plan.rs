//! A schema as readers and writers use it: types by their index, fields by number and by name.

use std::collections::HashMap;

use polywire_core::{Error, ErrorKind, Fault, Result};

use crate::idl::model::{Model, Named, Ty};
use crate::idl::syntax::{Base, Requiredness, StructKind};
use crate::kind::Kind;
use crate::wire::envelope;

/// A type of a plan, by its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TypeId(u32);

impl TypeId {
    /// The type of values that no schema explains.
    pub const ANY: TypeId = TypeId(0);
}

/// A type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Any value, as its bytes show it.
    Any,
    Bool,
    /// An integer of that type.
    Int(Kind),
    Enum(u32),
    Double,
    Text,
    Bytes,
    Uuid,
    List(TypeId),
    Set(TypeId),
    Map(TypeId, TypeId),
    Struct(u32),
}

/// A struct, union or exception.
#[derive(Debug)]
pub(crate) struct Struct {
    pub name: String,
    pub union: bool,
    /// Fields in the order of the schema.
    pub fields: Vec<Field>,
    by_id: HashMap<i16, u32>,
    by_name: HashMap<String, u32>,
    /// Slots of the required fields.
    pub required: Vec<u32>,
}

/// A field.
#[derive(Debug)]
pub(crate) struct Field {
    pub id: i16,
    pub name: String,
    pub ty: TypeId,
    /// Place among the required fields.
    pub required: Option<u32>,
}

/// An enum.
#[derive(Debug)]
pub(crate) struct Enum {
    pub name: String,
    by_number: HashMap<i32, String>,
    by_name: HashMap<String, i32>,
}

/// A schema, and the type of messages.
#[derive(Debug)]
pub(crate) struct Plan {
    types: Vec<Shape>,
    pub structs: Vec<Struct>,
    pub enums: Vec<Enum>,
    /// Type of a struct without an envelope, and of one in the envelope of an unknown method.
    pub root: TypeId,
    /// Structs of arguments and of results, by the names of methods.
    methods: HashMap<String, (u32, u32)>,
    /// Struct of an exception that a server's library throws (`TApplicationException`).
    failure: u32,
}

impl Plan {
    /// Makes the plan of a struct, or of the methods of a service, of that name. Without a name,
    /// structs are of [`Model::root`], and enveloped messages of any service of the text.
    ///
    /// # Errors
    /// There is none of the name, or the text has no types.
    pub fn new(model: &Model, name: Option<&str>) -> Result<Plan> {
        let mut plan = Plan::of_structs(model);
        let services = match name {
            None => {
                plan.root = model.root().map_or(TypeId::ANY, |root| plan.ty(&Ty::Struct(root)));
                own_services(model)
            }
            Some(name) => match find(model, name)? {
                Named::Struct(id) => {
                    plan.root = plan.ty(&Ty::Struct(id));
                    own_services(model)
                }
                Named::Service(id) => vec![id],
                Named::Enum(_) => {
                    return Err(Error::new(ErrorKind::Usage, Fault::Caller)
                        .seen(format!("the enum `{name}`"))
                        .expected("a struct or a service"));
                }
            },
        };
        if plan.root == TypeId::ANY && services.is_empty() {
            return Err(Error::new(ErrorKind::Usage, Fault::Schema)
                .seen("a schema without structs and services")
                .expected("the type of a message"));
        }
        for service in services {
            let mut next = Some(service);
            while let Some(id) = next {
                for method in &model.services[id].methods {
                    plan.methods.entry(method.name.clone()).or_insert((method.arguments as u32, method.result as u32));
                }
                next = model.services[id].extends;
            }
        }
        Ok(plan)
    }

    /// Makes a plan of all structs, none of which is the type of messages.
    pub fn of_structs(model: &Model) -> Plan {
        let mut plan = Plan {
            types: vec![Shape::Any],
            structs: Vec::new(),
            enums: Vec::new(),
            root: TypeId::ANY,
            methods: HashMap::new(),
            failure: 0,
        };
        for found in &model.enums {
            let mut by_number = HashMap::new();
            // The first one of several names with one number is shown.
            found.members.iter().for_each(|member| {
                by_number.entry(member.number).or_insert_with(|| member.name.clone());
            });
            let by_name = found.members.iter().map(|member| (member.name.clone(), member.number)).collect();
            plan.enums.push(Enum { name: found.name.clone(), by_number, by_name });
        }
        for found in &model.structs {
            let fields = found.fields.iter().map(|field| (field.id, &*field.name, &field.ty, field.requiredness == Requiredness::Required));
            let made = plan.structure(&found.name, found.kind == StructKind::Union, fields);
            plan.structs.push(made);
        }
        let (text, number) = (Ty::Base(Base::String), Ty::Base(Base::I32));
        let failure =
            plan.structure("TApplicationException", false, [(1, "message", &text, false), (2, "type", &number, false)].into_iter());
        plan.structs.push(failure);
        plan.failure = plan.structs.len() as u32 - 1;
        plan
    }

    /// Makes a struct of the model the type of messages.
    pub fn set_root(&mut self, of: usize) {
        self.root = self.ty(&Ty::Struct(of));
    }

    fn structure<'f>(&mut self, name: &str, union: bool, given: impl Iterator<Item = (i16, &'f str, &'f Ty, bool)>) -> Struct {
        let mut made = Struct {
            name: name.to_string(),
            union,
            fields: Vec::new(),
            by_id: HashMap::new(),
            by_name: HashMap::new(),
            required: Vec::new(),
        };
        for (slot, (id, name, ty, required)) in (0..).zip(given) {
            let ty = self.ty(ty);
            made.by_id.insert(id, slot);
            made.by_name.insert(name.to_string(), slot);
            let place = required.then_some(made.required.len() as u32);
            made.required.extend(required.then_some(slot));
            made.fields.push(Field { id, name: name.to_string(), ty, required: place });
        }
        made
    }

    fn ty(&mut self, ty: &Ty) -> TypeId {
        let shape = match ty {
            Ty::Base(base) => match base {
                Base::Bool => Shape::Bool,
                Base::I8 => Shape::Int(Kind::I8),
                Base::I16 => Shape::Int(Kind::I16),
                Base::I32 => Shape::Int(Kind::I32),
                Base::I64 => Shape::Int(Kind::I64),
                Base::Double | Base::Float => Shape::Double,
                Base::String => Shape::Text,
                Base::Binary => Shape::Bytes,
                Base::Uuid => Shape::Uuid,
            },
            Ty::List(inner) => Shape::List(self.ty(inner)),
            Ty::Set(inner) => Shape::Set(self.ty(inner)),
            Ty::Map(key, value) => Shape::Map(self.ty(key), self.ty(value)),
            Ty::Struct(id) => Shape::Struct(*id as u32),
            Ty::Enum(id) => Shape::Enum(*id as u32),
            Ty::Stream => return TypeId::ANY,
        };
        let known = self.types.iter().position(|known| *known == shape);
        TypeId(known.unwrap_or_else(|| {
            self.types.push(shape);
            self.types.len() - 1
        }) as u32)
    }

    /// Returns what a type is.
    pub fn shape(&self, ty: TypeId) -> Shape {
        self.types[ty.0 as usize]
    }

    /// Returns the struct of a message's body, by the number of the message's type and the name of
    /// the method.
    pub fn body(&self, kind: u8, name: &[u8]) -> TypeId {
        let method = std::str::from_utf8(name).ok().and_then(|name| self.methods.get(name));
        let found = match (kind, method) {
            (envelope::EXCEPTION, _) => self.failure,
            (envelope::REPLY, Some((_, result))) => *result,
            (_, Some((arguments, _))) => *arguments,
            (_, None) => return self.root,
        };
        TypeId(self.types.iter().position(|known| *known == Shape::Struct(found)).unwrap_or_default() as u32)
    }

    /// Adds the types that [`Plan::body`] returns.
    pub fn with_bodies(mut self) -> Plan {
        let bodies: Vec<u32> = self.methods.values().flat_map(|(one, other)| [*one, *other]).chain([self.failure]).collect();
        for body in bodies {
            self.ty(&Ty::Struct(body as usize));
        }
        self
    }

    /// Gives the fields of a struct other names, in their order.
    pub fn rename_fields(&mut self, of: u32, names: &[&str]) {
        let of = &mut self.structs[of as usize];
        of.fields.iter_mut().zip(names).for_each(|(field, name)| field.name = (*name).to_string());
        of.by_name = of.fields.iter().zip(0..).map(|(field, slot)| (field.name.clone(), slot)).collect();
    }

    /// Gives the members of an enum other names. Their numbers count from 0.
    pub fn rename_members(&mut self, of: u32, names: &[&str]) {
        let of = &mut self.enums[of as usize];
        of.by_number = names.iter().zip(0..).map(|(name, number)| (number, (*name).to_string())).collect();
        of.by_name = names.iter().zip(0..).map(|(name, number)| ((*name).to_string(), number)).collect();
    }

    /// Returns whether values of a type have that type on the wire.
    pub fn fits(&self, ty: TypeId, kind: Kind) -> bool {
        self.kind(ty).is_none_or(|known| known == kind)
    }

    /// Returns the type that values of a type have on the wire, if it is known.
    pub fn kind(&self, ty: TypeId) -> Option<Kind> {
        Some(match self.shape(ty) {
            Shape::Any => return None,
            Shape::Bool => Kind::Bool,
            Shape::Int(kind) => kind,
            Shape::Enum(_) => Kind::I32,
            Shape::Double => Kind::Double,
            Shape::Text | Shape::Bytes => Kind::String,
            Shape::Uuid => Kind::Uuid,
            Shape::List(_) => Kind::List,
            Shape::Set(_) => Kind::Set,
            Shape::Map(..) => Kind::Map,
            Shape::Struct(_) => Kind::Struct,
        })
    }
}

impl Struct {
    /// Returns the field of a number, and its slot.
    pub fn of_id(&self, id: i16) -> Option<(u32, &Field)> {
        let slot = *self.by_id.get(&id)?;
        Some((slot, &self.fields[slot as usize]))
    }

    /// Returns the field of a name, or of a number in digits.
    pub fn of_name(&self, name: &str) -> Option<&Field> {
        let by_number = || self.by_id.get(&name.parse().ok()?);
        self.by_name.get(name).or_else(by_number).map(|slot| &self.fields[*slot as usize])
    }
}

impl Enum {
    /// Returns the numbers in ascending order.
    pub fn numbers(&self) -> Vec<i32> {
        let mut numbers: Vec<i32> = self.by_number.keys().copied().collect();
        numbers.sort_unstable();
        numbers
    }

    /// Returns the name of a number.
    pub fn name_of(&self, number: i32) -> Option<&str> {
        self.by_number.get(&number).map(String::as_str)
    }

    /// Returns the number of a name.
    pub fn number_of(&self, name: &str) -> Option<i32> {
        self.by_name.get(name).copied()
    }
}

fn own_services(model: &Model) -> Vec<usize> {
    let service = |named: &Named| if let Named::Service(id) = named { Some(*id) } else { None };
    model.own.iter().filter_map(service).collect()
}

/// Returns the definition of a name.
fn find(model: &Model, name: &str) -> Result<Named> {
    let named = |named: &Named| match named {
        Named::Struct(id) => &*model.structs[*id].name,
        Named::Enum(id) => &*model.enums[*id].name,
        Named::Service(id) => &*model.services[*id].name,
    };
    let own = model.own.iter().copied().find(|own| named(own) == name);
    // Types of included texts have the text's name before theirs.
    let included = || (0..model.structs.len()).map(Named::Struct).find(|of| named(of) == name);
    own.or_else(included).ok_or_else(|| {
        let names: Vec<&str> = model.own.iter().filter(|named| !matches!(named, Named::Enum(_))).map(named).collect();
        Error::new(ErrorKind::Usage, Fault::Caller).seen(format!("the type `{name}`")).expected(format!("one of {}", names.join(", ")))
    })
}
