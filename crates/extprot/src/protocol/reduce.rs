//! The second group of semantic checks (docs/spec/extprot.md 3), and the reduction of a protocol:
//! aliases and applications are expanded, and equal types are shared.
//!
//! Only protocols that pass the first group get here: names refer to earlier declarations, with the
//! right number of arguments.

use std::collections::{HashMap, HashSet};

use polywire_core::text::diagnostic::{Diagnostic, Place};

use super::check;
use super::default;
use super::include::Unit;
use super::syntax::{self, Application, Entry, MessageBody, Name, Setting, Simple, SimpleKind, SubsetField, TypeBody, VariantBody};
use super::wrapped;
use crate::model::{
    Constructor, Declaration, DeclarationId, DeclarationKind, ExternalPath, Field, HasDefault, Kind, LARGE_WORDS, Literal, MAX_DEPTH,
    MAX_SIZE, Node, NodeId, Origin, Primitive, Protocol, Record, Regime, STUB_WORDS, Subset, Sum, Union, Variant, Wanted, Wrapped,
};

/// Most nested steps of expansion: brackets, arguments, and polymorphic types that use others. It
/// bounds the stack.
const MAX_STEPS: u32 = 300;

/// Expands all declarations. The findings are errors and warnings; with an error, the protocol is
/// unusable.
pub fn reduce(unit: &Unit) -> (Protocol, Vec<Diagnostic>) {
    let entries: Vec<(&Entry, bool)> = unit.entries.iter().map(|(entry, included)| (entry, *included)).collect();
    let mut names = HashMap::new();
    for (n, (entry, _)) in entries.iter().enumerate() {
        if let Some(name) = check::name(entry) {
            names.insert(name.text.as_str(), DeclarationId(n as u32));
        }
    }
    let mut findings = Findings::default();
    let mut reducer = Reducer::new(&entries, &names);
    // Polymorphic types are checked with unknown types as arguments. They are not part of the
    // protocol, and use an arena of their own.
    let mut templates = Reducer::new(&entries, &names);
    let mut declarations = Vec::new();
    for (n, (entry, included)) in entries.iter().enumerate() {
        let id = DeclarationId(n as u32);
        let (name, doc, settings, kind) = match entry {
            Entry::Message(message) => (&message.name, &message.doc, &message.options, DeclarationKind::Message),
            Entry::Type(ty) => {
                let parameters = ty.parameters.iter().map(|parameter| parameter.text.clone()).collect();
                (&ty.name, &ty.doc, &ty.options, DeclarationKind::Type { parameters })
            }
            Entry::Include(_) => continue,
        };
        let arity = if let DeclarationKind::Type { parameters } = &kind { parameters.len() } else { 0 };
        let node = if arity == 0 {
            reducer.declared(id, Vec::new(), &mut findings)
        } else {
            let unknown = (0..arity).map(|n| templates.unknown(n)).collect();
            templates.declared(id, unknown, &mut findings);
            None
        };
        if kind == DeclarationKind::Message
            && let Some(node) = node
        {
            reducer.wrapped_defaults(node, name, &mut findings);
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        declarations.push(Declaration {
            name: name.text.clone(),
            kind,
            doc: doc.clone(),
            at: name.at.0,
            included: *included,
            options: settings.iter().map(|setting| (text(&setting.key), text(&setting.value))).collect(),
            node,
        });
        if findings.stop {
            break;
        }
    }
    let nodes = reducer.nodes;
    let names = names.iter().map(|(name, id)| (name.to_string(), *id)).collect();
    (Protocol { sources: unit.sources.clone(), declarations, names, nodes, warnings: Vec::new() }, findings.all)
}

/// Findings without duplicates; a polymorphic type is expanded many times.
#[derive(Default)]
struct Findings {
    all: Vec<Diagnostic>,
    seen: HashSet<(&'static str, Place)>,
    /// Set when a limit is reached, after which nothing more is reported.
    stop: bool,
}

impl Findings {
    fn add(&mut self, finding: Diagnostic) {
        // Consequences of a limit are not errors of their own.
        if !self.stop && self.seen.insert((finding.code, finding.at)) {
            self.all.push(finding);
        }
    }
}

/// Key of a type written in place. Equal types share one node.
#[derive(Hash, PartialEq, Eq)]
enum Shape {
    Primitive(Primitive, Option<Bits>),
    List(NodeId, bool),
    Tuple(Vec<NodeId>),
    External(ExternalPath),
}

/// Bits of a default, which can be compared and hashed.
#[derive(Hash, PartialEq, Eq)]
enum Bits {
    Number(u64),
    Bytes(Vec<u8>),
}

fn bits(literal: &Literal) -> Bits {
    match literal {
        Literal::Bool(value) => Bits::Number(u64::from(*value)),
        Literal::Byte(value) => Bits::Number(u64::from(*value)),
        Literal::Int(value) => Bits::Number(*value as u64),
        Literal::Float(value) => Bits::Number(value.to_bits()),
        Literal::Bytes(bytes) => Bits::Bytes(bytes.clone()),
    }
}

struct Reducer<'u> {
    entries: &'u [(&'u Entry, bool)],
    names: &'u HashMap<&'u str, DeclarationId>,
    nodes: Vec<Node>,
    shapes: HashMap<Shape, NodeId>,
    /// Expanded declarations; `None` after an error, which was reported.
    expanded: HashMap<(DeclarationId, Vec<NodeId>), Option<NodeId>>,
    size: usize,
    /// Current nesting of expansions.
    depth: u32,
    /// Types already searched for wrapped defaults.
    searched: HashSet<NodeId>,
}

/// Context of a simple type: the declaration, and its parameters.
struct Scope<'a> {
    owner: &'a str,
    parameters: HashMap<&'a str, NodeId>,
}

impl<'u> Reducer<'u> {
    fn new(entries: &'u [(&'u Entry, bool)], names: &'u HashMap<&'u str, DeclarationId>) -> Reducer<'u> {
        Reducer {
            entries,
            names,
            nodes: Vec::new(),
            shapes: HashMap::new(),
            expanded: HashMap::new(),
            size: 0,
            depth: 0,
            searched: HashSet::new(),
        }
    }

    /// Returns an unknown type, for a parameter.
    fn unknown(&mut self, number: usize) -> NodeId {
        let path = ExternalPath { modules: Vec::new(), name: format!("'{number}") };
        let next = NodeId(self.nodes.len() as u32);
        let id = *self.shapes.entry(Shape::External(path.clone())).or_insert(next);
        if id == next {
            let node = self.measured(Kind::External(path), None, None);
            self.nodes.push(node);
        }
        id
    }

    /// Expands a declaration with arguments.
    fn declared(&mut self, id: DeclarationId, arguments: Vec<NodeId>, findings: &mut Findings) -> Option<NodeId> {
        let key = (id, arguments);
        if let Some(node) = self.expanded.get(&key) {
            return *node;
        }
        let (entry, _) = self.entries[id.index()];
        // It takes twice the stack of a bracket.
        let at = check::name(entry)?.at.0;
        self.enter(at, findings)?;
        self.enter(at, findings)?;
        let node = match entry {
            Entry::Message(message) => self.message(id, message, findings),
            Entry::Type(ty) => self.ty(id, ty, &key.1, findings),
            Entry::Include(_) => None,
        };
        self.depth -= 2;
        self.expanded.insert(key, node);
        node
    }

    /// Enters a nested expansion.
    fn enter(&mut self, at: Place, findings: &mut Findings) -> Option<()> {
        if self.depth >= MAX_STEPS {
            self.too_deep(at, findings);
            return None;
        }
        self.depth += 1;
        Some(())
    }

    fn too_deep(&mut self, at: Place, findings: &mut Findings) {
        let message = "too many nested types";
        findings.add(Diagnostic::error("too_deep", at, message).hint("flatten the types; nobody needs that many levels"));
        findings.stop = true;
    }

    fn message(&mut self, id: DeclarationId, message: &'u syntax::Message, findings: &mut Findings) -> Option<NodeId> {
        let name = &message.name.text;
        let at = message.name.at.0;
        let scope = Scope { owner: name, parameters: HashMap::new() };
        let autolazy = message.autolazy || message.options.iter().any(|setting| setting.key == b"autolazy" && setting.value != b"false");
        let mut alias_of = None;
        let mut wrapped = None;
        let kind = match message.body.as_ref()? {
            MessageBody::Record(fields) => {
                Kind::Record(Record { name: name.clone(), fields: self.fields(fields, autolazy, &scope, findings)? })
            }
            MessageBody::External(path, _) => Kind::External(path.clone()),
            MessageBody::Application(application) => {
                let target = self.application(application, &scope, findings)?;
                alias_of = Some(target);
                self.afford(self.nodes[target.index()].kind.size(), at, findings)?;
                let mut kind = self.nodes[target.index()].kind.clone();
                match &mut kind {
                    Kind::Record(record) => {
                        record.name.clone_from(name);
                        if autolazy {
                            self.marked(&mut record.fields);
                        }
                    }
                    Kind::Union(Union { name: own, .. }) | Kind::Subset(Subset { name: own, .. }) if application.arguments.is_empty() => {
                        own.clone_from(name);
                    }
                    Kind::External(_) if application.arguments.is_empty() => {}
                    _ => {
                        self.no_record(application, name, findings);
                        return None;
                    }
                }
                wrapped.clone_from(&self.nodes[target.index()].wrapped);
                kind
            }
            MessageBody::Union(variants) => {
                let mut found = Vec::with_capacity(variants.len());
                for variant in variants {
                    let (fields, from) = match &variant.body {
                        VariantBody::Record(fields) => (self.fields(fields, autolazy, &scope, findings), None),
                        VariantBody::Application(application) => match self.record(application, &scope, findings) {
                            Some((from, mut fields)) => {
                                if autolazy {
                                    self.marked(&mut fields);
                                }
                                (Some(fields), Some(from))
                            }
                            None => (None, None),
                        },
                    };
                    let fields = fields.unwrap_or_default();
                    found.push(Variant { name: variant.name.text.clone(), fields, from, doc: variant.doc.clone(), at: variant.name.at.0 });
                }
                if found.iter().any(|variant| variant.fields.is_empty()) {
                    return None;
                }
                Kind::Union(Union { name: name.clone(), variants: found })
            }
            MessageBody::Subset(source, wanted) => self.subset(source, Chosen::Named(wanted), &scope, findings)?,
            MessageBody::Without(source, names) => self.subset(source, Chosen::Without(names), &scope, findings)?,
        };
        let wrapped = self.wrapping(&message.options, name, findings).or(wrapped);
        let origin = Some(Origin { declaration: id, arguments: Vec::new(), alias_of });
        self.add(kind, origin, wrapped, at, findings)
    }

    fn ty(&mut self, id: DeclarationId, ty: &'u syntax::Type, arguments: &[NodeId], findings: &mut Findings) -> Option<NodeId> {
        let name = &ty.name.text;
        let parameters = ty.parameters.iter().map(|parameter| parameter.text.as_str()).zip(arguments.iter().copied()).collect();
        let scope = Scope { owner: name, parameters };
        let mut alias_of = None;
        let mut wrapped = None;
        let mut kind = match ty.body.as_ref()? {
            TypeBody::Record(fields) => Kind::Record(Record { name: name.clone(), fields: self.fields(fields, false, &scope, findings)? }),
            TypeBody::Sum(constructors) => {
                let (mut constant, mut carrying) = (0, 0);
                let mut found = Vec::with_capacity(constructors.len());
                for constructor in constructors {
                    let arguments: Vec<Option<NodeId>> =
                        constructor.arguments.iter().map(|argument| self.simple(argument, &scope, findings)).collect();
                    let number = if arguments.is_empty() { &mut constant } else { &mut carrying };
                    found.push(arguments.into_iter().collect::<Option<Vec<NodeId>>>().map(|arguments| Constructor {
                        name: constructor.name.text.clone(),
                        number: *number,
                        arguments,
                        doc: constructor.doc.clone(),
                        at: constructor.name.at.0,
                    }));
                    *number += 1;
                }
                Kind::Sum(Sum { constructors: found.into_iter().collect::<Option<_>>()? })
            }
            TypeBody::Simple(simple) => {
                let target = self.simple_with(simple, default_option(&ty.options), &scope, findings)?;
                let target_node = &self.nodes[target.index()];
                if matches!(simple.kind, SimpleKind::Named(_) | SimpleKind::Variable(_)) {
                    alias_of = Some(target);
                    wrapped.clone_from(&target_node.wrapped);
                }
                let size = target_node.kind.size();
                self.afford(size, ty.name.at.0, findings)?;
                self.nodes[target.index()].kind.clone()
            }
        };
        if let Kind::Primitive { primitive, default: default @ None } = &mut kind
            && let Some((text, at)) = default_option(&ty.options)
        {
            *default = Some(self.default(*primitive, text, at, name, findings)?);
        }
        let wrapped = self.wrapping(&ty.options, name, findings).or(wrapped);
        let origin = Some(Origin { declaration: id, arguments: arguments.to_vec(), alias_of });
        self.add(kind, origin, wrapped, ty.name.at.0, findings)
    }

    /// Returns the host type that options ask for.
    fn wrapping(&mut self, settings: &[Setting], owner: &str, findings: &mut Findings) -> Option<Wrapped> {
        let setting = settings.iter().find(|setting| setting.key == b"ocaml.type")?;
        let wrapped = std::str::from_utf8(&setting.value).ok().and_then(wrapped::wrapped);
        if wrapped.is_none() {
            let finding = Diagnostic::error("bad_wrapped_type", setting.at.0, format!("the host type of `{owner}` cannot be read"));
            findings.add(
                finding
                    .hint("it is `type; from_wire; to_wire` or `type; from_wire; to_wire; default`")
                    .detail("name", owner)
                    .detail("in", owner),
            );
        }
        wrapped
    }

    fn fields(&mut self, fields: &'u [syntax::Field], autolazy: bool, scope: &Scope<'_>, findings: &mut Findings) -> Option<Vec<Field>> {
        let mut found = Vec::with_capacity(fields.len());
        for field in fields {
            let ty = field.ty.as_ref().and_then(|ty| self.simple(ty, scope, findings));
            found.push(ty.map(|ty| Field {
                name: field.name.text.clone(),
                ty,
                mutable: field.mutable,
                lazy: field.marker == Some(Regime::Lazy),
                marker: field.marker,
                doc: field.doc.clone(),
                at: field.name.at.0,
            }));
        }
        let mut found = found.into_iter().collect::<Option<Vec<Field>>>()?;
        if autolazy {
            self.marked(&mut found);
        }
        Some(found)
    }

    /// Resolves `[@autolazy]`: unmarked large fields become lazy.
    fn marked(&self, fields: &mut [Field]) {
        for field in fields.iter_mut().filter(|field| field.marker.is_none()) {
            field.lazy = self.nodes[field.ty.index()].words > STUB_WORDS;
        }
    }

    /// Returns the fields of the record that an application expands to.
    fn record(&mut self, application: &'u Application, scope: &Scope<'_>, findings: &mut Findings) -> Option<(NodeId, Vec<Field>)> {
        let id = self.application(application, scope, findings)?;
        let Kind::Record(record) = &self.nodes[id.index()].kind else {
            self.no_record(application, scope.owner, findings);
            return None;
        };
        let size = record.fields.len();
        self.afford(size, application.name.at.0, findings)?;
        let Kind::Record(record) = &self.nodes[id.index()].kind else { return None };
        Some((id, record.fields.clone()))
    }

    fn no_record(&self, application: &Application, owner: &str, findings: &mut Findings) {
        let Name { text, at } = &application.name;
        let mut finding = Diagnostic::error("not_a_record", at.0, format!("`{text}` is no record"));
        if let Some(name) = self.names.get(text.as_str()).and_then(|id| check::name(self.entries[id.index()].0)) {
            finding = finding.related(name.at.0, "declared here");
        }
        findings.add(finding.hint("a message has fields: put the type into a field").detail("name", text).detail("in", owner));
    }

    fn subset(&mut self, source: &'u Name, chosen: Chosen<'u>, scope: &Scope<'_>, findings: &mut Findings) -> Option<Kind> {
        let id = *self.names.get(source.text.as_str())?;
        if let (Entry::Type(ty), _) = self.entries[id.index()]
            && !ty.parameters.is_empty()
        {
            let message = format!("`{}` needs arguments before a subset can be made of it", source.text);
            let finding = Diagnostic::error("not_simple_message", source.at.0, message).related(ty.name.at.0, "declared here");
            let hint = "declare a message that is an application of it, and take that";
            findings.add(finding.hint(hint).detail("name", &source.text).detail("in", scope.owner));
            return None;
        }
        let source_node = self.declared(id, Vec::new(), findings)?;
        let Kind::Record(record) = &self.nodes[source_node.index()].kind else {
            let message = format!("`{}` is nothing that a subset can be made of", source.text);
            findings
                .add(Diagnostic::error("not_simple_message", source.at.0, message).detail("name", &source.text).detail("in", scope.owner));
            return None;
        };
        let size = record.fields.len();
        self.afford(size, source.at.0, findings)?;
        let Kind::Record(record) = &self.nodes[source_node.index()].kind else { return None };
        let all = record.fields.clone();
        let listed: HashMap<&str, (&'u Name, Option<&'u SubsetField>)> = match chosen {
            Chosen::Named(fields) => fields.iter().map(|field| (field.name.text.as_str(), (&field.name, Some(field)))).collect(),
            Chosen::Without(names) => names.iter().map(|name| (name.text.as_str(), (name, None))).collect(),
        };
        let keep = matches!(chosen, Chosen::Named(_));
        let wanted = all.iter().filter(|field| listed.contains_key(field.name.as_str()) == keep).count();
        let name = scope.owner;
        if wanted == 0 {
            let finding = Diagnostic::error("empty_subset", source.at.0, format!("no field of `{}` is left in `{name}`", source.text));
            findings.add(finding.hint("a subset has at least one field").detail("name", name).detail("in", name));
            return None;
        }
        let known: HashSet<&str> = all.iter().map(|field| field.name.as_str()).collect();
        let names: Vec<&'u Name> = match chosen {
            Chosen::Named(fields) => fields.iter().map(|field| &field.name).collect(),
            Chosen::Without(names) => names.iter().collect(),
        };
        let mut wrong = false;
        for unknown in names.into_iter().filter(|name| !known.contains(name.text.as_str())) {
            wrong = true;
            let message = format!("`{}` has no field `{}`", source.text, unknown.text);
            let fields: Vec<&str> = all.iter().take(12).map(|field| field.name.as_str()).collect();
            let more = if all.len() > 12 { ", …" } else { "" };
            let finding = Diagnostic::error("unknown_subset_field", unknown.at.0, message);
            findings.add(finding.hint(format!("it has {}{more}", fields.join(", "))).detail("name", &unknown.text).detail("in", name));
        }
        let mut fields = Vec::with_capacity(wanted);
        for (position, mut field) in all.into_iter().enumerate() {
            let entry = listed.get(field.name.as_str()).copied();
            if entry.is_some() != keep {
                continue;
            }
            let mut ascribed = false;
            if let Some((at, Some(chosen))) = entry {
                field.at = at.at.0;
                if let Some(ty) = &chosen.ty {
                    ascribed = true;
                    match self.simple(ty, scope, findings) {
                        Some(ty) => field.ty = ty,
                        None => wrong = true,
                    }
                }
                if let Some(marker) = chosen.marker {
                    field.marker = Some(marker);
                    field.lazy = marker == Regime::Lazy;
                }
            }
            fields.push(Wanted { position: position as u32, field, ascribed });
        }
        (!wrong).then(|| Kind::Subset(Subset { name: name.to_string(), source: source_node, fields }))
    }

    fn application(&mut self, application: &'u Application, scope: &Scope<'_>, findings: &mut Findings) -> Option<NodeId> {
        let arguments: Vec<Option<NodeId>> = application.arguments.iter().map(|argument| self.simple(argument, scope, findings)).collect();
        let arguments = arguments.into_iter().collect::<Option<Vec<NodeId>>>()?;
        let id = *self.names.get(application.name.text.as_str())?;
        self.declared(id, arguments, findings)
    }

    fn simple(&mut self, simple: &'u Simple, scope: &Scope<'_>, findings: &mut Findings) -> Option<NodeId> {
        self.enter(simple.at.0, findings)?;
        let node = self.simple_with(simple, None, scope, findings);
        self.depth -= 1;
        node
    }

    /// Expands a simple type; `outer` is the default of a declaration whose whole body it is.
    fn simple_with(
        &mut self,
        simple: &'u Simple,
        outer: Option<(&'u [u8], Place)>,
        scope: &Scope<'_>,
        findings: &mut Findings,
    ) -> Option<NodeId> {
        let at = simple.at.0;
        let (shape, kind) = match &simple.kind {
            SimpleKind::Named(application) => return self.application(application, scope, findings),
            SimpleKind::Variable(name) => return scope.parameters.get(name.text.as_str()).copied(),
            SimpleKind::List(inner) | SimpleKind::Array(inner) => {
                let element = self.simple(inner, scope, findings)?;
                let array = matches!(simple.kind, SimpleKind::Array(_));
                (Shape::List(element, array), Kind::List { element, array })
            }
            SimpleKind::Tuple(parts) => {
                let nodes: Vec<Option<NodeId>> = parts.iter().map(|part| self.simple(part, scope, findings)).collect();
                if parts.len() == 1 {
                    let finding = Diagnostic::error("one_element_tuple", at, "a tuple of one element");
                    findings.add(finding.hint("leave the parentheses out").detail("in", scope.owner));
                    return None;
                }
                let nodes = nodes.into_iter().collect::<Option<Vec<NodeId>>>()?;
                (Shape::Tuple(nodes.clone()), Kind::Tuple(nodes))
            }
            SimpleKind::External(path) => (Shape::External(path.clone()), Kind::External(path.clone())),
            SimpleKind::Primitive(primitive, annotations) => {
                let own = annotations.iter().find(|annotation| annotation.key.text == "default");
                let text = own.map(|annotation| (annotation.value.bytes(), annotation.at.0)).or(outer);
                let default = match text {
                    Some((text, at)) => Some(self.default(*primitive, text, at, scope.owner, findings)?),
                    None => None,
                };
                (Shape::Primitive(*primitive, default.as_ref().map(bits)), Kind::Primitive { primitive: *primitive, default })
            }
        };
        if let Some(id) = self.shapes.get(&shape) {
            return Some(*id);
        }
        let id = self.add(kind, None, None, at, findings)?;
        self.shapes.insert(shape, id);
        Some(id)
    }

    fn default(&self, primitive: Primitive, text: &[u8], at: Place, owner: &str, findings: &mut Findings) -> Option<Literal> {
        let literal = default::literal(primitive, text);
        match &literal {
            None => {
                let hint = match primitive {
                    Primitive::Bool => "it is `true` or `false`",
                    Primitive::Byte => "it is a whole number from 0 to 255",
                    Primitive::Int | Primitive::Long => "it is a whole number of at most 64 bits",
                    _ => "it is a finite number",
                };
                let shown: String = String::from_utf8_lossy(text).chars().take(40).collect();
                let message = format!("{shown:?} is no default of a `{}`", primitive.name());
                let finding = Diagnostic::error("bad_default", at, message);
                findings.add(finding.hint(hint).detail("type", primitive.name()).detail("in", owner));
            }
            Some(Literal::Int(value)) if primitive == Primitive::Int && !(-(1i64 << 62)..1 << 62).contains(value) => {
                let mut finding = Diagnostic::error("wide_default", at, format!("the default {value} has more than 63 bits"));
                finding.severity = polywire_core::text::diagnostic::Severity::Warning;
                findings.add(finding.hint("the original implementation cannot hold it; a `long` can"));
            }
            Some(_) => {}
        }
        literal
    }

    /// Adds to the size, and fails if the limit is exceeded.
    fn afford(&mut self, size: usize, at: Place, findings: &mut Findings) -> Option<()> {
        self.size += size;
        if self.size <= MAX_SIZE {
            return Some(());
        }
        let message = format!("written out, this protocol has more than {MAX_SIZE} types and fields");
        findings
            .add(Diagnostic::error("too_large", at, message).hint("types that use polymorphic types within polymorphic types multiply"));
        findings.stop = true;
        None
    }

    fn add(&mut self, kind: Kind, origin: Option<Origin>, wrapped: Option<Wrapped>, at: Place, findings: &mut Findings) -> Option<NodeId> {
        // A copy of an alias is counted before it is made.
        let copied = origin.as_ref().is_some_and(|origin| origin.alias_of.is_some());
        self.afford(if copied { 1 } else { kind.size() }, at, findings)?;
        let node = self.measured(kind, origin, wrapped);
        if node.depth > MAX_DEPTH {
            self.too_deep(at, findings);
            return None;
        }
        self.nodes.push(node);
        Some(NodeId(self.nodes.len() as u32 - 1))
    }

    /// Returns a node with all facts derived from its parts.
    fn measured(&self, kind: Kind, origin: Option<Origin>, wrapped: Option<Wrapped>) -> Node {
        let node = |id: NodeId| &self.nodes[id.index()];
        let all = |ids: &mut dyn Iterator<Item = NodeId>| {
            let mut has = HasDefault::YES;
            for id in ids {
                let part = node(id).default;
                has = HasDefault { claimed: has.claimed && part.claimed, exists: has.exists && part.exists };
            }
            has
        };
        let words = |ids: &mut dyn Iterator<Item = NodeId>| ids.fold(1u32, |sum, id| sum.saturating_add(node(id).words)).min(LARGE_WORDS);
        // A message claims a default and fails later.
        let message = |fields: &[Field]| HasDefault { claimed: true, ..all(&mut fields.iter().map(|field| field.ty)) };
        let default = match &kind {
            Kind::Primitive { primitive: Primitive::Bool, .. } | Kind::List { .. } => HasDefault::YES,
            Kind::Primitive { default, .. } if default.is_some() => HasDefault::YES,
            Kind::Primitive { .. } => HasDefault::NO,
            Kind::Tuple(parts) => all(&mut parts.iter().copied()),
            Kind::Sum(sum) if sum.constructors.iter().any(Constructor::is_constant) => HasDefault::YES,
            Kind::Sum(_) => HasDefault::NO,
            Kind::Record(record) => message(&record.fields),
            Kind::Union(union) => union.variants.first().map_or(HasDefault::NO, |variant| message(&variant.fields)),
            Kind::Subset(subset) => HasDefault { claimed: true, ..all(&mut subset.fields.iter().map(|wanted| wanted.field.ty)) },
            // Only the other module knows. Like a nested message, it claims a default and fails
            // later.
            Kind::External(_) => HasDefault { claimed: true, exists: false },
        };
        let default = match &wrapped {
            Some(Wrapped { default: None, .. }) => HasDefault::NO,
            Some(_) => HasDefault::YES,
            None => default,
        };
        let (words, parts) = match &kind {
            Kind::Primitive { primitive: Primitive::Bool | Primitive::Byte | Primitive::Int, .. } => (1, Vec::new()),
            Kind::Primitive { primitive: Primitive::Long | Primitive::Float, .. } => (3, Vec::new()),
            Kind::Primitive { .. } | Kind::External(_) => (LARGE_WORDS, Vec::new()),
            Kind::List { element, .. } => (LARGE_WORDS, vec![*element]),
            Kind::Sum(sum) => {
                let largest = sum.constructors.iter().map(|constructor| words(&mut constructor.arguments.iter().copied())).max();
                (largest.unwrap_or(1), kind.parts())
            }
            Kind::Union(union) => {
                let largest = union.variants.iter().map(|variant| words(&mut variant.fields.iter().map(|field| field.ty))).max();
                (largest.unwrap_or(1), kind.parts())
            }
            _ => {
                let parts = kind.parts();
                (words(&mut parts.iter().copied()), parts)
            }
        };
        let encodable = !matches!(kind, Kind::Subset(_)) && parts.iter().all(|part| node(*part).encodable);
        let depth = 1 + parts.iter().map(|part| node(*part).depth).max().unwrap_or(0);
        Node { kind, origin, wrapped, default, encodable, words, depth }
    }

    /// Checks that wrapped types in a message have a default where their wire type has one.
    fn wrapped_defaults(&mut self, message: NodeId, owner: &Name, findings: &mut Findings) {
        let mut due = vec![message];
        while let Some(id) = due.pop() {
            if !self.searched.insert(id) {
                continue;
            }
            let node = &self.nodes[id.index()];
            due.extend(node.kind.parts().into_iter().rev());
            if !matches!(node.wrapped, Some(Wrapped { default: None, .. })) {
                continue;
            }
            let bare = self.measured(node.kind.clone(), None, None);
            if bare.default.exists {
                // An alias takes the host type of the declaration.
                let mut named = node;
                while let Some(target) = named.origin.as_ref().and_then(|origin| origin.alias_of)
                    && self.nodes[target.index()].wrapped == node.wrapped
                {
                    named = &self.nodes[target.index()];
                }
                let declared = named.origin.as_ref().and_then(|origin| check::name(self.entries[origin.declaration.index()].0));
                let (name, at) = declared.map_or((owner.text.as_str(), owner.at.0), |name| (name.text.as_str(), name.at.0));
                let message = format!("the host type of `{name}` has no default, and its wire type has one");
                let finding = Diagnostic::error("missing_wrapped_default", at, message).related(owner.at.0, "used in this message");
                findings.add(finding.hint("give it as the fourth part of `ocaml.type`").detail("name", name).detail("in", &owner.text));
            }
        }
    }
}

/// Fields of a subset.
#[derive(Clone, Copy)]
enum Chosen<'u> {
    Named(&'u [SubsetField]),
    Without(&'u [Name]),
}

/// Returns the first default among options.
fn default_option(settings: &[Setting]) -> Option<(&[u8], Place)> {
    let setting = settings.iter().find(|setting| setting.key == b"default")?;
    Some((&setting.value, setting.at.0))
}
