//! A protocol as a plan. Aliases and applications are gone already; what gets a name is what holds
//! fields, variants or constructors.

use std::collections::HashMap;

use polywire_extprot::model::{Constructor, DeclarationKind, Field as ModelField, Kind, Literal, Node, NodeId, Primitive, Protocol};

use crate::plan::{Body, Carries, Case, Field, Plan, Role, Type, TypeDef, Value};

/// Longest name that is made of a polymorphic type and its arguments, in bytes.
const NAME_LENGTH: usize = 60;

/// A protocol, its plan, and what of one is what of the other.
pub(super) struct Mapped {
    pub protocol: Protocol,
    pub plan: Plan,
    /// Nodes that have a type of the plan, in its order.
    pub nodes: Vec<NodeId>,
    types: HashMap<NodeId, usize>,
    defaults: HashMap<NodeId, Option<Value>>,
}

/// The meaning of an absent value (docs/spec/extprot.md 6).
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Absent {
    /// There is no default.
    Missing,
    /// There is none, although the type claims one.
    Broken,
    Default(Value),
}

/// One way that the fields of a message, or the arguments of a constructor, come.
pub(super) struct RowCase<'p> {
    /// The whole prefix: tag and wire type.
    pub prefix: u64,
    /// Index of the case in the plan; none for plain messages.
    pub case: Option<usize>,
    /// The name in paths.
    pub name: &'p str,
    /// Values in order, with their fields where they have names.
    pub values: Vec<(NodeId, Option<&'p ModelField>)>,
}

impl Mapped {
    pub fn new(protocol: Protocol) -> Mapped {
        let mut mapped = Mapped { protocol, plan: Plan::default(), nodes: Vec::new(), types: HashMap::new(), defaults: HashMap::new() };
        // Types that are declared, and what they are made of. Polymorphic ones are there as often
        // as they are used.
        let mut wanted = vec![false; mapped.protocol.nodes().len()];
        for (_, declaration) in mapped.protocol.declarations() {
            if let Some(node) = declaration.node
                && (declaration.kind == DeclarationKind::Message || !mapped.is_alias(node))
            {
                wanted[node.index()] = true;
            }
        }
        let all: Vec<NodeId> = mapped.protocol.nodes().map(|(id, _)| id).collect();
        for id in all.iter().rev() {
            if wanted[id.index()] {
                for part in mapped.parts(*id) {
                    wanted[part.index()] = true;
                }
            }
        }
        for id in all {
            if wanted[id.index()] {
                mapped.define(id);
            }
        }
        mapped
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.protocol[id]
    }

    fn is_alias(&self, id: NodeId) -> bool {
        self.node(id).origin.as_ref().is_some_and(|origin| origin.alias_of.is_some())
    }

    /// The type that `id` is another name for. Messages keep their own names, which errors show.
    fn resolved(&self, id: NodeId) -> NodeId {
        let mut id = id;
        while let Node { kind: Kind::Sum(_), origin: Some(origin), .. } = self.node(id)
            && let Some(of) = origin.alias_of
        {
            id = of;
        }
        id
    }

    fn parts(&self, id: NodeId) -> Vec<NodeId> {
        let id = self.resolved(id);
        let mut parts = self.protocol.parts(id);
        parts.push(id);
        parts
    }

    /// The plan's index of a node that has a name.
    pub fn index(&self, id: NodeId) -> usize {
        self.types[&self.resolved(id)]
    }

    fn define(&mut self, id: NodeId) {
        let default = self.make_default(id);
        self.defaults.insert(id, default);
        if self.resolved(id) != id {
            return;
        }
        let node = self.node(id);
        let default = |mapped: &Mapped| mapped.defaults[&id].clone();
        let constructor = |constructor: &Constructor| Case {
            name: constructor.name.clone(),
            doc: constructor.doc.clone(),
            carries: match constructor.arguments.as_slice() {
                [] => Carries::Nothing,
                arguments => Carries::Values(arguments.iter().map(|part| self.ty(*part)).collect()),
            },
            number: None,
        };
        let body = match &node.kind {
            Kind::Record(record) => Body::Struct(record.fields.iter().map(|field| self.field(field)).collect()),
            Kind::Subset(subset) => Body::Struct(subset.fields.iter().map(|wanted| self.field(&wanted.field)).collect()),
            Kind::Sum(sum) => Body::Sum(sum.constructors.iter().map(constructor).collect()),
            Kind::Union(union) => Body::Sum(
                union
                    .variants
                    .iter()
                    .map(|variant| Case {
                        name: variant.name.clone(),
                        doc: variant.doc.clone(),
                        carries: Carries::Fields(variant.fields.iter().map(|field| self.field(field)).collect()),
                        number: None,
                    })
                    .collect(),
            ),
            _ => return,
        };
        let doc = node.origin.as_ref().map_or_else(String::new, |origin| self.protocol[origin.declaration].doc.clone());
        let is_message = node.origin.as_ref().is_some_and(|origin| self.protocol[origin.declaration].kind == DeclarationKind::Message);
        let role = match &node.kind {
            _ if !node.encodable => Role::View,
            _ if is_message => Role::Message,
            _ => Role::Part,
        };
        let def = TypeDef { name: self.name(id), title: self.protocol.type_name(id), doc, body, default: default(self), role };
        self.types.insert(id, self.plan.types.len());
        self.nodes.push(id);
        self.plan.types.push(def);
    }

    fn field(&self, field: &ModelField) -> Field {
        let default = match self.absent_in_place(field.ty) {
            Absent::Default(value) => Some(value),
            Absent::Missing | Absent::Broken => None,
        };
        Field { name: field.name.clone(), doc: field.doc.clone(), ty: self.ty(field.ty), lazy: self.is_lazy(field), default }
    }

    /// Returns whether a field is decoded on access.
    pub fn is_lazy(&self, field: &ModelField) -> bool {
        field.lazy && !self.node(field.ty).decoded_at_once()
    }

    /// A node where it is used.
    pub fn ty(&self, id: NodeId) -> Type {
        match &self.node(id).kind {
            Kind::Primitive { primitive, .. } => match primitive {
                Primitive::Bool => Type::Bool,
                Primitive::Byte => Type::Byte,
                Primitive::Int | Primitive::Long => Type::Int,
                Primitive::Float => Type::Float,
                Primitive::String => Type::Bytes,
            },
            Kind::List { element, .. } => Type::List(Box::new(self.ty(*element))),
            Kind::Tuple(parts) => Type::Tuple(parts.iter().map(|part| self.ty(*part)).collect()),
            Kind::External(path) => Type::External(path.modules.clone(), path.name.clone()),
            Kind::Sum(_) | Kind::Record(_) | Kind::Union(_) | Kind::Subset(_) => Type::Named(self.index(id)),
        }
    }

    /// Words for a type's name: of the declaration, then of its arguments.
    fn name(&self, id: NodeId) -> String {
        let node = self.node(id);
        let Some(origin) = &node.origin else {
            return match &node.kind {
                Kind::Primitive { primitive, .. } => primitive.name().to_string(),
                Kind::List { element, .. } => format!("{}_list", self.name(*element)),
                Kind::Tuple(parts) => self.names("tuple", parts),
                Kind::Record(record) => record.name.clone(),
                Kind::Union(union) => union.name.clone(),
                Kind::Subset(subset) => subset.name.clone(),
                Kind::External(path) => path.name.clone(),
                Kind::Sum(_) => "sum".to_string(),
            };
        };
        self.names(&self.protocol[origin.declaration].name, &origin.arguments)
    }

    fn names(&self, first: &str, others: &[NodeId]) -> String {
        let mut name = first.to_string();
        for other in others {
            // Arguments of arguments may be exponentially many.
            if name.len() > NAME_LENGTH {
                break;
            }
            name.push('_');
            name.push_str(&self.name(*other));
        }
        name
    }

    /// Returns the meaning of an absent value of a type.
    pub fn absent(&self, id: NodeId) -> Absent {
        match (&self.defaults[&id], self.node(id).default.claimed) {
            (Some(value), true) => Absent::Default(value.clone()),
            (None, true) if !matches!(self.node(id).kind, Kind::Primitive { .. }) => Absent::Broken,
            _ => Absent::Missing,
        }
    }

    /// The default value of a type whose parts are defined (docs/spec/extprot.md 6). Where it has
    /// a name, its value is that of the whole type.
    fn make_default(&self, id: NodeId) -> Option<Value> {
        let node = self.node(id);
        if !node.default.exists {
            return None;
        }
        let all = |parts: &mut dyn Iterator<Item = NodeId>| parts.map(|part| self.use_default(part)).collect::<Option<Vec<Value>>>();
        match &node.kind {
            Kind::Primitive { primitive, default } => match (default, primitive) {
                (Some(Literal::Bool(value)), _) => Some(Value::Bool(*value)),
                (Some(Literal::Byte(value)), _) => Some(Value::Byte(*value)),
                (Some(Literal::Int(value)), _) => Some(Value::Int(*value)),
                (Some(Literal::Float(value)), _) => Some(Value::Float(*value)),
                (Some(Literal::Bytes(bytes)), _) => Some(Value::Bytes(bytes.clone())),
                (None, Primitive::Bool) => Some(Value::Bool(false)),
                (None, _) => None,
            },
            Kind::List { .. } => Some(Value::EmptyList),
            Kind::Tuple(parts) => all(&mut parts.iter().copied()).map(Value::Tuple),
            Kind::Sum(sum) => sum.constructors.iter().position(Constructor::is_constant).map(|case| Value::Case(case, Vec::new())),
            Kind::Record(record) => all(&mut record.fields.iter().map(|field| field.ty)).map(Value::Struct),
            Kind::Subset(subset) => all(&mut subset.fields.iter().map(|wanted| wanted.field.ty)).map(Value::Struct),
            Kind::Union(union) => all(&mut union.variants[0].fields.iter().map(|field| field.ty)).map(|values| Value::Case(0, values)),
            Kind::External(_) => None,
        }
    }

    /// The default of a type where it is used.
    fn use_default(&self, id: NodeId) -> Option<Value> {
        let value = self.defaults[&id].as_ref()?;
        Some(match self.node(id).kind {
            Kind::Sum(_) | Kind::Record(_) | Kind::Subset(_) | Kind::Union(_) => Value::DefaultOf(self.index(id)),
            _ => value.clone(),
        })
    }

    /// Returns the meaning of an absent value where it is used: named types by their name.
    pub fn absent_in_place(&self, id: NodeId) -> Absent {
        match self.absent(id) {
            Absent::Default(_) => Absent::Default(self.use_default(id).expect("there is a default")),
            other => other,
        }
    }

    /// The rows that a message or sum is read from and written to.
    pub fn rows(&self, id: NodeId) -> Vec<RowCase<'_>> {
        match &self.node(id).kind {
            Kind::Record(record) => vec![RowCase { prefix: 1, case: None, name: "", values: fields(&record.fields) }],
            Kind::Subset(subset) => {
                let values = subset.fields.iter().map(|wanted| (wanted.field.ty, Some(&wanted.field))).collect();
                vec![RowCase { prefix: 1, case: None, name: "", values }]
            }
            Kind::Union(union) => {
                let variants = union.variants.iter().enumerate();
                variants
                    .map(|(n, variant)| RowCase {
                        prefix: (n as u64) << 4 | 1,
                        case: Some(n),
                        name: &variant.name,
                        values: fields(&variant.fields),
                    })
                    .collect()
            }
            Kind::Sum(sum) => {
                let constructors = sum.constructors.iter().enumerate();
                constructors
                    .map(|(n, constructor)| RowCase {
                        prefix: u64::from(constructor.number) << 4 | if constructor.is_constant() { 10 } else { 1 },
                        case: Some(n),
                        name: &constructor.name,
                        values: constructor.arguments.iter().map(|part| (*part, None)).collect(),
                    })
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// The primitive that may stand for a whole row: its first value, if all others have defaults
    /// (docs/spec/extprot.md 5).
    pub fn promoted(&self, values: &[NodeId]) -> Option<Primitive> {
        let Kind::Primitive { primitive, .. } = &self.node(*values.first()?).kind else { return None };
        values[1..].iter().all(|part| matches!(self.absent(*part), Absent::Default(_))).then_some(*primitive)
    }

    /// The fewest bytes that a value takes that can be read as this type.
    pub fn least(&self, id: NodeId) -> usize {
        let row = |values: &[NodeId]| if self.promoted(values).is_some() { 2 } else { 3 };
        match &self.node(id).kind {
            Kind::Primitive { .. } => 2,
            Kind::List { .. } | Kind::Subset(_) => 3,
            Kind::Tuple(parts) => row(parts),
            Kind::External(_) => 1,
            Kind::Sum(sum) if sum.constructors.iter().any(Constructor::is_constant) => 1,
            Kind::Sum(_) | Kind::Record(_) | Kind::Union(_) => {
                let rows = self.rows(id);
                rows.iter().map(|one| row(&one.values.iter().map(|(part, _)| *part).collect::<Vec<NodeId>>())).min().unwrap_or(1)
            }
        }
    }
}

fn fields(fields: &[ModelField]) -> Vec<(NodeId, Option<&ModelField>)> {
    fields.iter().map(|field| (field.ty, Some(field))).collect()
}
