//! A protocol as types of the common schema. Polymorphic types are expanded for each list of
//! arguments.

use std::collections::HashMap;

use polywire_core::schema::language::SchemaLoss;
use polywire_core::schema::{Case, Constraint, FieldType, NamedType, Presence, Record, Schema, Sum, Type, Width};
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place};
use polywire_core::value::Value;

use super::names::{self, Names};
use crate::model::{Field, Kind, Literal, MAX_SIZE, NodeId, Primitive, Protocol};

/// Returns the types of a protocol, with its last own message that can be written as the root, and
/// the facts that the common schema cannot express.
///
/// # Errors
/// The expanded types are too large: a protocol shares the types that replace parameters, and a
/// schema does not.
pub fn schema(protocol: &Protocol) -> Result<(Schema, Vec<SchemaLoss>), Diagnostics> {
    let mut reading = Reading { protocol, names: HashMap::new(), losses: Vec::new(), size: 0 };
    reading.name_types();
    let mut types = Vec::new();
    for (id, node) in protocol.nodes() {
        let Some(name) = reading.names.get(&id).cloned() else { continue };
        let declaration = node.origin.as_ref().map(|origin| &protocol[origin.declaration]);
        let doc = declaration.map_or_else(String::new, |declaration| declaration.doc.clone());
        for (key, _) in declaration.iter().flat_map(|declaration| &declaration.options).filter(|(key, _)| key.starts_with("ocaml.")) {
            reading.lose(&name, format!("the option {key}"));
        }
        let target = node.origin.as_ref().and_then(|origin| origin.alias_of).filter(|target| reading.names.contains_key(target));
        let is_message = declaration.is_some_and(|declaration| declaration.kind == crate::model::DeclarationKind::Message);
        let ty = match target.and_then(|target| reading.names.get(&target)) {
            // A message that is an alias has its fields under its own name.
            Some(target) if !is_message => Type::Reference(target.clone(), Vec::new()),
            _ => reading.kind(id, &name),
        };
        types.push(NamedType { name, doc, ty });
        if reading.size > MAX_SIZE {
            let at = declaration.map_or(Place::default(), |declaration| declaration.at);
            let finding = Diagnostic::error("too_large", at, format!("written out, these types have more than {MAX_SIZE} parts"));
            let finding = finding.hint("give names to the types that replace parameters");
            return Err(Diagnostics { sources: protocol.sources().to_vec(), findings: vec![finding] });
        }
    }
    let own = |encodable: bool| {
        let mut own = protocol.messages().filter(|(declaration, id)| !declaration.included && (!encodable || protocol[*id].encodable));
        own.next_back().map(|(_, id)| id)
    };
    let root = own(true).or_else(|| own(false)).and_then(|id| reading.names.get(&id).cloned());
    Ok((Schema { types, root }, reading.losses))
}

struct Reading<'p> {
    protocol: &'p Protocol,
    /// Names of the named types.
    names: HashMap<NodeId, String>,
    losses: Vec<SchemaLoss>,
    /// Number of types so far.
    size: usize,
}

impl Reading<'_> {
    /// Assigns names as declared. An application gets a name made of the names of the type and its
    /// arguments.
    fn name_types(&mut self) {
        let mut taken = Names::default();
        for (_, declaration) in self.protocol.declarations() {
            if let Some(node) = declaration.node {
                self.names.insert(node, taken.take(declaration.name.clone()));
            }
        }
        for (id, node) in self.protocol.nodes().filter(|(_, node)| node.origin.is_some()) {
            if !self.names.contains_key(&id) && node.origin.as_ref().is_some_and(|origin| !origin.arguments.is_empty()) {
                let text = self.protocol.type_name(id);
                let mut name = names::ty(&text);
                name.truncate(60);
                self.names.insert(id, taken.take(name));
            }
        }
    }

    fn lose(&mut self, at: &str, what: String) {
        self.losses.push(SchemaLoss { at: at.to_string(), what });
    }

    /// Returns a type where it is used.
    fn ty(&mut self, id: NodeId, at: &str) -> Type {
        self.size += 1;
        if let Some(name) = self.names.get(&id) {
            return Type::Reference(name.clone(), Vec::new());
        }
        if self.size > MAX_SIZE {
            return Type::Any;
        }
        self.kind(id, at)
    }

    fn kind(&mut self, id: NodeId, at: &str) -> Type {
        let protocol = self.protocol;
        match &protocol[id].kind {
            Kind::Primitive { primitive, .. } => match primitive {
                Primitive::Bool => Type::Bool,
                Primitive::Byte => Type::UInt(Width::W8),
                // No fixed width, in contrast to `long`.
                Primitive::Int => Type::Integer(Constraint::range(i128::from(i64::MIN), i128::from(i64::MAX))),
                Primitive::Long => Type::Int(Width::W64),
                Primitive::Float => Type::F64,
                Primitive::String => Type::Octets(Constraint::NONE),
            },
            Kind::List { element, array } => {
                if *array {
                    self.lose(at, "an array became a list".into());
                }
                Type::List(Box::new(self.ty(*element, at)), Constraint::NONE)
            }
            Kind::Tuple(parts) => Type::Tuple(parts.iter().map(|part| self.ty(*part, at)).collect()),
            Kind::Sum(sum) => {
                let case = |reading: &mut Self, constructor: &crate::model::Constructor| {
                    let at = format!("{at}.{}", constructor.name);
                    Case {
                        name: constructor.name.clone(),
                        id: None,
                        carries: constructor.arguments.iter().map(|argument| reading.ty(*argument, &at)).collect(),
                        doc: constructor.doc.clone(),
                    }
                };
                let cases = sum.constructors.iter().map(|constructor| case(self, constructor)).collect();
                Type::Sum(Sum { cases, extensible: false, untagged: false })
            }
            Kind::Record(record) => self.record(record.fields.iter(), at),
            Kind::Union(union) => {
                let case = |reading: &mut Self, variant: &crate::model::Variant| {
                    let at = format!("{at}.{}", variant.name);
                    let record = reading.record(variant.fields.iter(), &at);
                    Case { name: variant.name.clone(), id: None, carries: vec![record], doc: variant.doc.clone() }
                };
                let cases = union.variants.iter().map(|variant| case(self, variant)).collect();
                Type::Sum(Sum { cases, extensible: false, untagged: false })
            }
            Kind::Subset(subset) => {
                self.lose(at, format!("it is a view of `{}`, for reading only", protocol.type_name(subset.source)));
                self.record(subset.fields.iter().map(|wanted| &wanted.field), at)
            }
            Kind::External(path) => {
                self.lose(at, format!("the message {path} of another module is not known"));
                Type::Any
            }
        }
    }

    fn record<'f>(&mut self, fields: impl Iterator<Item = &'f Field>, at: &str) -> Type {
        let mut found = Vec::new();
        for field in fields {
            let at = format!("{at}.{}", field.name);
            if field.mutable {
                self.lose(&at, "`mutable`".into());
            }
            if field.lazy {
                self.lose(&at, "that it is decoded on access".into());
            }
            found.push(FieldType {
                name: field.name.clone(),
                id: None,
                ty: self.ty(field.ty, &at),
                presence: Presence::Required,
                default: self.default(field.ty),
                deprecated: false,
                doc: field.doc.clone(),
            });
        }
        // Later versions may append fields.
        let extension = Some(found.len());
        Type::Record(Record { fields: found, extension, unordered: false })
    }

    /// Returns the value of an absent field (docs/spec/extprot.md 6) if the default of its type is
    /// a single value. Defaults of tuples and messages follow from their parts.
    fn default(&self, id: NodeId) -> Option<Value> {
        let node = &self.protocol[id];
        if node.wrapped.is_some() {
            return None;
        }
        match &node.kind {
            Kind::Primitive { default: Some(literal), .. } => Some(match literal {
                Literal::Bool(value) => Value::Bool(*value),
                Literal::Byte(value) => Value::UInt(u64::from(*value)),
                Literal::Int(value) => Value::int(*value),
                Literal::Float(value) => Value::F64(*value),
                Literal::Bytes(bytes) => match std::str::from_utf8(bytes) {
                    Ok(text) => Value::text(text),
                    Err(_) => Value::Octets(bytes.clone()),
                },
            }),
            Kind::Primitive { primitive: Primitive::Bool, .. } => Some(Value::Bool(false)),
            Kind::List { .. } => Some(Value::List(Vec::new())),
            Kind::Sum(sum) => {
                let index = sum.constructors.iter().position(crate::model::Constructor::is_constant)?;
                Some(Value::Variant { name: sum.constructors[index].name.clone(), index: index as u32, values: Vec::new() })
            }
            _ => None,
        }
    }
}
