//! Files with a mapping, in a comment behind the last declaration. The declarations are those of
//! the plan of the adopted schema.

use std::collections::{HashMap, HashSet};

use polywire_core::Result;
use polywire_core::schema::language::SchemaLoss;
use polywire_core::schema::{Schema, Type, mapped, mapping, mapping_differs};

use super::make::{comments, entry_name};
use super::names::{self, Names};
use super::print::print;
use crate::adopt::adopt;
use crate::descriptor::{
    Descriptor, FieldDescriptor, FieldOptions, FileDescriptor, FileDescriptorSet, MessageOptions, OneofDescriptor, kind, label,
};
use crate::model::{Cardinality, Kind, MessageId, Pool};
use crate::plan::{Field, Message, Plan};

/// Writes a schema with its mapping. `None` if the schema cannot be adopted, or has no mapping.
///
/// # Errors
/// The declarations cannot be printed.
pub fn write(schema: &Schema) -> Result<Option<(String, Vec<SchemaLoss>)>> {
    let (Ok(plan), Some(mapping)) = (adopt(schema), mapping(schema)) else { return Ok(None) };
    let Declared { set, root, losses } = declare(schema, &plan);
    let pool = Pool::new(&set)?;
    let same = pool.message(&root).is_some_and(|root| same_bytes(&Plan::new(&pool, root), &plan));
    let (mut text, unsaid) = print(&set, 0)?;
    text.push_str(&format!("\n/* Names and types as messages have them.\n{mapping} */\n"));
    Ok((same && unsaid.is_empty()).then_some((text, losses)))
}

/// Returns the plan of the adopted schema whose mapping is in the text of `file`, and that of its
/// declarations. `roots` are the messages of `pool` that may be its root.
///
/// # Errors
/// The mapping is damaged, or belongs to other declarations.
pub(crate) fn of_file(file: &str, text: &[u8], pool: &Pool, roots: impl Iterator<Item = MessageId>) -> Option<Result<(Plan, Plan)>> {
    let made = mapped(text)?.and_then(|schema| adopt(&schema));
    Some(made.and_then(|adopted| {
        let all = pool.message_ids().next().map(|first| Plan::new(pool, first));
        let declared = all.and_then(|all| roots.map(|root| all.of(root)).find(|declared| same_bytes(declared, &adopted)));
        declared.map(|declared| (adopted, declared)).ok_or_else(|| mapping_differs(file))
    }))
}

/// Returns whether messages by both plans have the same bytes.
fn same_bytes(declared: &Plan, adopted: &Plan) -> bool {
    let mut seen = HashSet::new();
    let mut due = vec![(declared.root, adopted.root)];
    while let Some((one, other)) = due.pop() {
        if !seen.insert((one, other)) {
            continue;
        }
        let (one, other) = (&declared.message(one).fields, &adopted.message(other).fields);
        let same = one.len() == other.len()
            && one.iter().zip(other).all(|(one, other)| {
                let kinds = match (one.message(), other.message()) {
                    (Some(one), Some(other)) => {
                        due.push((one, other));
                        true
                    }
                    _ => one.kind == other.kind,
                };
                kinds && (one.number, one.cardinality, one.packed, one.wire) == (other.number, other.cardinality, other.packed, other.wire)
            });
        if !same {
            return false;
        }
    }
    true
}

/// The declarations of a plan.
struct Declared {
    set: FileDescriptorSet,
    /// Full name of the root.
    root: String,
    losses: Vec<SchemaLoss>,
}

struct Declaring<'p> {
    schema: &'p Schema,
    plan: &'p Plan,
    /// Full names of messages.
    names: HashMap<u32, String>,
    /// Names at top level.
    top: Names,
    docs: HashMap<String, String>,
    losses: Vec<SchemaLoss>,
    /// Messages at top level, in order.
    due: Vec<u32>,
    /// Names in the message at top level, and in each message in that.
    scopes: Vec<Scope>,
    /// Messages in the message at top level, with their names.
    inner: Vec<(u32, String)>,
}

/// Index of the scope of a message at top level.
const TOP: usize = 0;

/// Declares the messages of a plan: those of named types and the root at top level, the others
/// within the one that uses them.
fn declare(schema: &Schema, plan: &Plan) -> Declared {
    let mut declaring = Declaring {
        schema,
        plan,
        names: HashMap::new(),
        top: Names::default(),
        docs: HashMap::new(),
        losses: Vec::new(),
        due: Vec::new(),
        scopes: Vec::new(),
        inner: Vec::new(),
    };
    let root = declaring.top_name(plan.root, schema.root.as_deref().unwrap_or_default());
    let mut file = FileDescriptor { name: Some("schema.proto".into()), syntax: Some("proto3".into()), ..FileDescriptor::default() };
    let mut next = 0;
    while let Some(&index) = declaring.due.get(next) {
        next += 1;
        file.message_type.push(declaring.top_message(index));
    }
    file.source_code_info = comments(&file, "", &declaring.docs);
    Declared { set: FileDescriptorSet { file: vec![file], others: Vec::new() }, root, losses: declaring.losses }
}

/// Names of one message: those of fields and oneofs, and of the messages in it.
#[derive(Default)]
struct Scope {
    names: Names,
    /// Names of fields without case and underscores, which compilers compare for JSON.
    folded: HashSet<String>,
}

impl Scope {
    fn field(&mut self, name: &str) -> String {
        let wish = names::identifier(name, "field");
        let mut own = wish.clone();
        let mut number = 2;
        while self.names.has(&own) || !self.folded.insert(folded(&own)) {
            own = format!("{wish}_{number}");
            number += 1;
        }
        self.names.take(&own)
    }
}

fn folded(name: &str) -> String {
    name.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect()
}

impl<'p> Declaring<'p> {
    /// Gives a message a name at top level. Returns it.
    fn top_name(&mut self, index: u32, name: &str) -> String {
        if let Some(known) = self.names.get(&index) {
            return known.clone();
        }
        let own = self.top.take(&names::identifier(name, "Message"));
        if own != name {
            self.losses.push(SchemaLoss { at: name.to_string(), what: format!("its name became `{own}`") });
        }
        self.names.insert(index, own.clone());
        self.due.push(index);
        own
    }

    fn top_message(&mut self, index: u32) -> Descriptor {
        let top = self.names[&index].clone();
        let is_root = |name: &String| index == self.plan.root && Some(name) == self.schema.root.as_ref();
        let own = self.schema.types.iter().find(|named| *named.name == *self.plan.message(index).name || is_root(&named.name));
        if let Some(doc) = own.map(|named| &named.doc).filter(|doc| !doc.is_empty()) {
            self.docs.insert(top.clone(), doc.clone());
        }
        self.scopes = vec![Scope::default()];
        self.inner.clear();
        let mut made = self.message(index, &top, &top, TOP);
        // All messages in it lie side by side, since compilers bound how deep messages nest.
        let mut next = 0;
        while let Some((index, name)) = self.inner.get(next).cloned() {
            next += 1;
            self.scopes.push(Scope::default());
            let mut nested = self.message(index, &top, &format!("{top}.{name}"), self.scopes.len() - 1);
            nested.name = Some(name);
            made.nested_type.push(nested);
        }
        made.name = Some(top);
        made
    }

    /// Makes the message `full`, at top level or in the message `top`, without its name.
    fn message(&mut self, index: u32, top: &str, full: &str, scope: usize) -> Descriptor {
        let message = self.plan.message(index);
        let owns: Vec<String> = message.fields.iter().map(|field| self.scopes[scope].field(&usual(message, field))).collect();
        let mut made = Descriptor::default();
        // One value of several kinds.
        let is_choice = message.wrapper && message.fields.len() > 1 && message.fields.iter().all(|field| !field.is_repeated());
        if is_choice {
            let name = self.scopes[scope].names.take("kind");
            made.oneof_decl.push(OneofDescriptor { name: Some(name), ..OneofDescriptor::default() });
        }
        for ((field, name), json) in message.fields.iter().zip(&owns).zip(json_names(message, &owns)) {
            if **name != *field.name && !field.name.is_empty() {
                let what = format!("its name became `{name}`, and in JSON it stays");
                self.losses.push(SchemaLoss { at: format!("{full}.{}", field.name), what });
            }
            if let Some(doc) = self.doc(message, field) {
                self.docs.insert(format!("{full}.{name}"), doc);
            }
            let (kind, type_name) = if field.cardinality == Cardinality::Map {
                let entry = self.scopes[scope].names.take(&format!("{}Entry", entry_name(name)));
                let type_name = format!(".{full}.{entry}");
                made.nested_type.push(self.entry(field, entry, top));
                (kind::MESSAGE, Some(type_name))
            } else {
                self.kind(field, &field.name, top)
            };
            let mut described = described(field, name, kind, type_name);
            if json.is_some() {
                described.json_name = json;
            }
            if field.is_repeated() {
                described.label = Some(label::REPEATED);
                if field.packable && !field.packed {
                    described.options = Some(Box::new(FieldOptions { packed: Some(false), ..FieldOptions::default() }));
                }
            } else if is_choice {
                described.oneof_index = Some(0);
            } else if kind != kind::MESSAGE {
                described.proto3_optional = Some(true);
            }
            made.field.push(described);
        }
        // Oneofs for `optional` come behind the others (descriptor.proto, `proto3_optional`).
        for field in made.field.iter_mut().filter(|field| field.proto3_optional == Some(true)) {
            field.oneof_index = Some(made.oneof_decl.len() as i32);
            let name = self.scopes[scope].names.take(&format!("_{}", field.name.as_deref().unwrap_or_default()));
            made.oneof_decl.push(OneofDescriptor { name: Some(name), ..OneofDescriptor::default() });
        }
        made
    }

    /// Makes the entry of a map.
    fn entry(&mut self, field: &Field, name: String, top: &str) -> Descriptor {
        let pair = field.message().map_or(&[][..], |entry| &self.plan.message(entry).fields);
        let mut parts = Vec::new();
        for part in pair {
            let (kind, type_name) = self.kind(part, &field.name, top);
            parts.push(described(part, &part.name, kind, type_name));
        }
        let options = Some(Box::new(MessageOptions { map_entry: Some(true), ..MessageOptions::default() }));
        Descriptor { name: Some(name), field: parts, options, ..Descriptor::default() }
    }

    /// Returns the number of a field's type, and the full name of its message.
    fn kind(&mut self, field: &Field, name: &str, top: &str) -> (i32, Option<String>) {
        let Some(index) = field.message() else { return (number_of(field.kind), None) };
        let message = self.plan.message(index);
        if !message.name.is_empty() || index == self.plan.root {
            let full = self.top_name(index, &message.name);
            return (kind::MESSAGE, Some(format!(".{full}")));
        }
        let wish = names::ty(if name.is_empty() { "Item" } else { name });
        let mut own = self.scopes[TOP].names.take(&wish);
        // A name at top level would be hidden.
        while self.top.has(&own) {
            own = self.scopes[TOP].names.take(&format!("{wish}Value"));
        }
        let full = format!(".{top}.{own}");
        self.inner.push((index, own));
        (kind::MESSAGE, Some(full))
    }

    /// Returns the documentation of a field of a named type.
    fn doc(&self, message: &Message, field: &Field) -> Option<String> {
        let Some(Type::Record(record)) = self.schema.get(&message.name) else { return None };
        let doc = record.fields.iter().find(|own| *own.name == *field.name).map(|own| own.doc.clone());
        doc.filter(|doc| !doc.is_empty())
    }
}

/// Returns the name of a field, which elements of a row do not have.
fn usual(message: &Message, field: &Field) -> String {
    match (&*field.name, &message.row) {
        ("", Some(_)) => format!("item_{}", field.number),
        (name, _) => name.to_string(),
    }
}

/// Returns the names in JSON that are not the usual ones. Each field keeps the name it has in
/// messages, and no two fields meet.
fn json_names(message: &Message, owns: &[String]) -> Vec<Option<String>> {
    let usual: Vec<String> = owns.iter().map(|own| crate::model::json_name(own)).collect();
    let changed = |(own, field): (&String, &Field)| !field.name.is_empty() && *own != *field.name;
    let any = owns.iter().zip(&message.fields).any(changed);
    let meets = any && {
        let mut all: HashSet<&str> = HashSet::new();
        owns.iter()
            .zip(&message.fields)
            .zip(&usual)
            .any(|((own, field), usual)| !all.insert(if changed((own, field)) { &field.name } else { usual }))
    };
    // The language does not allow these.
    let allowed = |name: &str| !(name.is_empty() || name.contains('\0') || name.starts_with('[') && name.ends_with(']'));
    owns.iter()
        .zip(&message.fields)
        .map(|(own, field)| (meets || changed((own, field))).then(|| field.name.to_string()).filter(|name| allowed(name)))
        .collect()
}

fn described(field: &Field, name: &str, kind: i32, type_name: Option<String>) -> FieldDescriptor {
    FieldDescriptor {
        name: Some(name.to_string()),
        number: Some(field.number as i32),
        label: Some(label::OPTIONAL),
        kind: Some(kind),
        type_name,
        json_name: Some(crate::model::json_name(name)),
        ..FieldDescriptor::default()
    }
}

/// Returns the number of a type in descriptors.
fn number_of(of: Kind) -> i32 {
    match of {
        Kind::Double => kind::DOUBLE,
        Kind::Float => kind::FLOAT,
        Kind::Int64 => kind::INT64,
        Kind::UInt64 => kind::UINT64,
        Kind::Int32 => kind::INT32,
        Kind::Fixed64 => kind::FIXED64,
        Kind::Fixed32 => kind::FIXED32,
        Kind::Bool => kind::BOOL,
        Kind::String => kind::STRING,
        Kind::Bytes => kind::BYTES,
        Kind::UInt32 => kind::UINT32,
        Kind::SFixed32 => kind::SFIXED32,
        Kind::SFixed64 => kind::SFIXED64,
        Kind::SInt32 => kind::SINT32,
        Kind::SInt64 => kind::SINT64,
        Kind::Enum(_) => kind::ENUM,
        Kind::Message(_) => kind::MESSAGE,
        Kind::Group(_) => kind::GROUP,
    }
}
