//! Services as types of the common schema: structs, exceptions and messages are records.

use polywire_core::schema::language::SchemaLoss;
use polywire_core::schema::{Constraint, Enumeration, FieldType, NamedType, Record, Schema, TimeUnit, Type, Width};

use super::load::Services;
use super::syntax::{Basic, Declaration, Kind, Name, Parameter, TypeKind, TypeRef};

/// Returns the types of services whose names are resolved, with the facts that the common schema
/// cannot express. Only types of other services have the names of module and service before theirs.
pub(super) fn schema(services: &Services) -> (Schema, Vec<SchemaLoss>) {
    let visible = (0..services.services.len()).map(|number| services.visible(number)).collect();
    let mut reading = Reading { services, visible, losses: Vec::new() };
    let mut types = Vec::new();
    let mut messages = Vec::new();
    for (number, service) in services.services.iter().enumerate() {
        for declared in &service.declarations {
            let name = reading.name(number, &declared.name.text);
            let Some(ty) = reading.declaration(number, declared, &name) else { continue };
            if number == 0 && matches!(declared.kind, Kind::Message { .. }) {
                messages.push(name.clone());
            }
            types.push(NamedType { name, doc: declared.doc.clone(), ty });
        }
    }
    let root = if messages.len() == 1 { messages.pop() } else { None };
    (Schema { types, root }, reading.losses)
}

struct Reading<'s> {
    services: &'s Services,
    /// For each service, itself and those that it mixes in.
    visible: Vec<Vec<usize>>,
    losses: Vec<SchemaLoss>,
}

impl<'s> Reading<'s> {
    fn lose(&mut self, at: &str, what: &str) {
        self.losses.push(SchemaLoss { at: at.to_owned(), what: what.to_owned() });
    }

    fn name(&self, service: usize, name: &str) -> String {
        if service == 0 { name.to_owned() } else { format!("{}.{name}", self.services.services[service].name) }
    }

    fn declaration(&mut self, service: usize, declared: &'s Declaration, name: &str) -> Option<Type> {
        let parts = match &declared.kind {
            Kind::Constant => {
                self.lose(name, "a constant");
                return None;
            }
            Kind::Extern => {
                self.lose(name, "an external type, whose fields NSDL does not name");
                return Some(Type::Any);
            }
            Kind::Enum(items) => {
                let members = items.iter().map(|item| item.text.clone()).zip(0..).collect();
                return Some(Type::Enumeration(Enumeration { members, extensible: false }));
            }
            Kind::Struct { .. } | Kind::Exception { .. } => self.chain(service, declared),
            Kind::Message { parameters, returns, throws, .. } => {
                let is_void = matches!(returns.kind, TypeKind::Basic(Basic::Void));
                if !is_void || !throws.is_empty() {
                    self.lose(name, "what its reply holds");
                }
                vec![(service, parameters)]
            }
        };
        let fields: Vec<FieldType> = parts
            .into_iter()
            .flat_map(|(owner, parameters)| parameters.iter().map(move |parameter| (owner, parameter)))
            .map(|(owner, parameter)| self.field(owner, parameter))
            .collect();
        Some(Type::Record(Record { extension: Some(fields.len()), fields, unordered: false }))
    }

    /// Returns the parameters of a struct, and before them those of the types that it extends.
    fn chain(&self, service: usize, declared: &'s Declaration) -> Vec<(usize, &'s Vec<Parameter>)> {
        let mut all = Vec::new();
        let mut next = Some((service, declared));
        while let Some((service, declared)) = next {
            let (Kind::Struct { parameters, extends } | Kind::Exception { parameters, extends }) = &declared.kind else { break };
            all.insert(0, (service, parameters));
            next = extends.as_ref().and_then(|wanted| self.find(service, wanted));
        }
        all
    }

    fn find(&self, service: usize, wanted: &Name) -> Option<(usize, &'s Declaration)> {
        let services = self.services;
        self.visible[service].iter().find_map(|of| {
            let service = &services.services[*of];
            let simple = wanted.text.strip_prefix(&*service.name).and_then(|rest| rest.strip_prefix('.'));
            let is_it = |declared: &&Declaration| declared.name.text == wanted.text || Some(&*declared.name.text) == simple;
            service.declarations.iter().find(is_it).map(|declared| (*of, declared))
        })
    }

    fn field(&self, service: usize, parameter: &Parameter) -> FieldType {
        // Null is an absent field.
        let field = FieldType::required(parameter.name.text.clone(), self.ty(service, &parameter.ty));
        FieldType { doc: parameter.doc.clone(), ..field.optional() }
    }

    fn ty(&self, service: usize, ty: &TypeRef) -> Type {
        let any = || Box::new(Type::Any);
        let basic = match &ty.kind {
            TypeKind::Basic(basic) => match basic {
                Basic::Boolean => Type::Bool,
                Basic::Int(8) if ty.dimensions > 0 => Type::Bytes(Constraint::NONE),
                Basic::Int(8) => Type::Int(Width::W8),
                Basic::Int(16) => Type::Int(Width::W16),
                Basic::Int(32) => Type::Int(Width::W32),
                Basic::Int(_) => Type::Int(Width::W64),
                Basic::Float => Type::F32,
                Basic::Double => Type::F64,
                Basic::String => Type::Text(Constraint::NONE),
                Basic::Object | Basic::Void => Type::Any,
            },
            TypeKind::Named(name) => match &*name.text {
                "List" => Type::List(any(), Constraint::NONE),
                "Set" => Type::Set(any(), Constraint::NONE),
                "Map" => Type::Map(any(), any()),
                "Datetime" => Type::Timestamp(TimeUnit::Millisecond),
                _ => match self.find(service, name) {
                    Some((of, declared)) => Type::Reference(self.name(of, &declared.name.text), Vec::new()),
                    None => Type::Any,
                },
            },
        };
        let bytes = usize::from(matches!(basic, Type::Bytes(_)));
        (bytes..usize::from(ty.dimensions)).fold(basic, |inner, _| Type::List(Box::new(inner), Constraint::NONE))
    }
}
