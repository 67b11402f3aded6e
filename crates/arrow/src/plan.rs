//! The mapping: from the common schema to the types of columns.
//!
//! A *plan* holds one node for each column, at any depth, with what builders and emitters have to
//! know about it.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema as ArrowSchema, SchemaRef, TimeUnit as ArrowUnit, UnionFields, UnionMode};
use polywire_core::columns::{self, Form, Shape};
use polywire_core::schema::{Constraint, FieldType, Presence, Schema, Sum, TimeUnit, Type, Width, mapping};
use polywire_core::{Error, ErrorKind, Fault, Result, Value};

use crate::options::{Bad, Decimals, Options, Rest};

/// Deepest nesting of columns. A type that is deeper becomes JSON text.
const MAX_DEPTH: u32 = 100;

/// Most columns of all levels.
const MAX_NODES: usize = 100_000;

/// Most cases of a dense union.
const MAX_CASES: usize = 126;

/// Key of the common schema in an Arrow schema's metadata.
pub(crate) const SCHEMA_KEY: &str = "polywire.schema";

/// Key of the options in an Arrow schema's metadata.
pub(crate) const OPTIONS_KEY: &str = "polywire.columns";

/// Column of fields that the schema does not have.
pub(crate) const REST: &str = "_rest";

/// Column of the reasons of bad messages.
pub(crate) const ERROR: &str = "_error";

/// Column of a message that is no record.
pub(crate) const VALUE: &str = "value";

/// Index of a node.
pub(crate) type Id = u32;

/// Contents of a column.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Null,
    Bool,
    /// A record without fields: true if it is there.
    Unit,
    Int(Width),
    UInt(Width),
    F32,
    F64,
    Number,
    /// Text in JSON's number syntax; `true` if it is whole.
    Digits(bool),
    /// A decimal of 128 or 256 bits, and whether it is whole.
    Fixed {
        precision: u8,
        scale: u8,
        whole: bool,
    },
    Text,
    Octets,
    Bytes,
    Time(TimeUnit),
    Names(Names),
    /// `one`: a value that is no list is a list of one.
    List {
        item: Id,
        one: bool,
    },
    /// A list of structs if keys may be null.
    Map {
        key: Id,
        value: Id,
    },
    Tuple(Vec<Id>),
    Record(Record),
    Sum(Cases),
    /// Any value, as JSON text.
    Json,
}

/// Names with numbers, as the values of a dictionary.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    pub names: Vec<String>,
    pub numbers: Vec<i64>,
    pub index: HashMap<String, u32, foldhash::fast::RandomState>,
    pub extensible: bool,
    /// True if they are cases of a sum type without values.
    pub cases: bool,
}

/// Fields of a record.
#[derive(Debug, Clone, Default)]
pub(crate) struct Record {
    pub fields: Vec<Member>,
    pub index: HashMap<String, u32, foldhash::fast::RandomState>,
    /// True if a missing field needs something done.
    pub checked: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub name: String,
    pub node: Id,
    pub required: bool,
    /// True if null is a value of its own beside absence.
    pub nullable: bool,
    pub default: Option<Value>,
}

/// Cases of a sum type.
#[derive(Debug, Clone)]
pub(crate) struct Cases {
    pub cases: Vec<CaseNode>,
    pub index: HashMap<String, u32, foldhash::fast::RandomState>,
    /// Column of the case's name, unless it is a union.
    pub tag: Option<Id>,
    /// Child of a union for null.
    pub null: Option<Id>,
    pub untagged: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct CaseNode {
    pub name: String,
    /// Index on the wire.
    pub number: u32,
    /// Column of the values. A constant case of a struct has none.
    pub node: Option<Id>,
    /// Number of values.
    pub carries: usize,
}

/// A column.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub kind: Kind,
    pub nullable: bool,
    /// Marks around the value, outermost first.
    pub marks: Vec<(String, u64)>,
    pub data_type: DataType,
}

/// The columns of a schema: their Arrow types, and how values come and go.
#[derive(Debug, Clone)]
pub struct Plan {
    pub(crate) nodes: Vec<Node>,
    pub(crate) root: Id,
    /// True if the messages are records, whose fields are the columns.
    pub(crate) is_record: bool,
    pub(crate) schema: SchemaRef,
    pub(crate) options: Options,
    /// The columns, for readers that fill them.
    pub(crate) shape: Arc<Shape>,
    /// Place of the column `_rest`.
    pub(crate) rest: Option<usize>,
    /// Place of the column `_error`.
    pub(crate) error: Option<usize>,
}

/// Returns the Arrow schema of a common schema's messages. [`Plan::new`] gives it with all that is
/// needed to fill its columns.
///
/// # Errors
/// As [`Plan::new`].
pub fn schema_for(schema: &Schema, options: &Options) -> Result<SchemaRef> {
    Ok(Plan::new(schema, options)?.schema)
}

impl Plan {
    /// Makes the columns of a common schema's root type.
    ///
    /// # Errors
    /// The schema has no root, or fails [`Schema::check`]; or the options have no meaning.
    pub fn new(schema: &Schema, options: &Options) -> Result<Plan> {
        options.check()?;
        schema.check()?;
        let mut opened = schema.clone();
        opened.types.iter_mut().for_each(|named| open_sums(&mut named.ty, false));
        let schema = &opened;
        let root =
            schema.root.as_ref().ok_or_else(|| Error::new(ErrorKind::Unsupported, Fault::Schema).seen("a schema without a root type"))?;
        let mut making = Making { schema, options, nodes: Vec::new(), path: Vec::new(), depth: 0 };
        let root = making.node(&Type::Reference(root.clone(), Vec::new()))?;
        let nodes = making.nodes;
        let top = &nodes[root as usize];
        let (mut fields, is_record) = match (&top.kind, &top.data_type) {
            (Kind::Record(_), DataType::Struct(fields)) if !top.nullable && top.marks.is_empty() => (fields.to_vec(), true),
            (Kind::Unit, _) if !top.nullable && top.marks.is_empty() => (Vec::new(), false),
            _ => (vec![Arc::new(field(VALUE, top))], false),
        };
        if options.bad == Bad::Column {
            fields = fields.iter().map(|field| Arc::new(field.as_ref().clone().with_nullable(true))).collect();
        }
        if matches!(top.kind, Kind::Unit) && fields.is_empty() {
            fields.push(Arc::new(Field::new(VALUE, DataType::Boolean, options.bad == Bad::Column)));
        }
        let place = |fields: &mut Vec<Arc<Field>>, name: &str, ty: DataType, json: bool| {
            let mut name = name.to_string();
            while fields.iter().any(|field| *field.name() == name) {
                name.push('_');
            }
            let field = Field::new(name, ty, true);
            fields.push(Arc::new(if json { as_json(field) } else { field }));
            fields.len() - 1
        };
        let is_open = is_record && options.rest == Rest::Column;
        let rest = is_open.then(|| place(&mut fields, REST, DataType::Utf8, true));
        let error = (options.bad == Bad::Column).then(|| place(&mut fields, ERROR, DataType::Struct(error_fields()), false));
        let mut metadata = HashMap::new();
        if let Some(text) = mapping(schema) {
            metadata.insert(SCHEMA_KEY.to_string(), text);
            metadata.insert(OPTIONS_KEY.to_string(), options.notation());
        }
        let schema = Arc::new(ArrowSchema::new(Fields::from(fields)).with_metadata(metadata));
        let shape = Arc::new(shape(&nodes, root));
        Ok(Plan { nodes, root, is_record, schema, options: options.clone(), shape, rest, error })
    }

    /// Returns the Arrow schema.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.nodes[id as usize]
    }

    /// Returns the nodes of the columns that hold values, in order.
    pub(crate) fn columns(&self) -> Vec<Id> {
        match &self.node(self.root).kind {
            Kind::Record(record) if self.is_record => record.fields.iter().map(|field| field.node).collect(),
            _ => vec![self.root],
        }
    }
}

/// Makes sum types nullable that later versions may add cases to: a case that the schema does not
/// have is null. `is_absent` is true if the value may be absent anyway.
fn open_sums(ty: &mut Type, is_absent: bool) {
    match ty {
        Type::Sum(sum) => {
            sum.cases.iter_mut().flat_map(|case| &mut case.carries).for_each(|carried| open_sums(carried, false));
            if std::mem::take(&mut sum.extensible) && !sum.untagged && !is_absent {
                *ty = Type::Nullable(Box::new(std::mem::replace(ty, Type::Null)));
            }
        }
        Type::Nullable(inner) => open_sums(inner, true),
        // A mark is around a value.
        Type::Tagged { inner, .. } => open_sums(inner, true),
        Type::List(inner, _) | Type::Set(inner, _) => open_sums(inner, false),
        Type::Map(_, value) => open_sums(value, false),
        Type::Tuple(parts) => parts.iter_mut().for_each(|part| open_sums(part, false)),
        Type::Record(record) => record.fields.iter_mut().for_each(|field| open_sums(&mut field.ty, field.presence == Presence::Optional)),
        _ => {}
    }
}

/// Returns the shape of the columns. Values of its form `Other` are those of the sink alone.
fn shape(nodes: &[Node], root: Id) -> Shape {
    let form = |node: &Node| match &node.kind {
        _ if !node.marks.is_empty() => Form::Other,
        Kind::Bool => Form::Bool,
        Kind::Int(_) | Kind::UInt(_) => Form::Whole,
        Kind::F32 => Form::F32,
        Kind::F64 => Form::F64,
        Kind::Number => Form::Number,
        Kind::Digits(whole) => Form::Digits(*whole),
        Kind::Text => Form::Text,
        Kind::Octets => Form::Octets,
        Kind::Bytes => Form::Bytes,
        Kind::Names(names) if !names.cases => Form::Names(columns::Names { keys: names.index.clone(), numbers: names.numbers.clone() }),
        Kind::Time(unit) => Form::Time((1_000_000_000 / unit.nanos()).into()),
        Kind::Sum(Cases { cases, tag: Some(tag), untagged: false, .. }) if cases.iter().all(|case| case.carries < 2) => {
            Form::Sum(columns::Cases { tag: *tag, cases: cases.iter().map(|case| (case.name.clone(), case.node)).collect() })
        }
        Kind::List { item, .. } => Form::List(*item),
        Kind::Record(record) => {
            let member = |member: &Member| columns::Member {
                name: member.name.clone(),
                node: member.node,
                required: member.required,
                lossy_null: member.nullable || (!member.required && matches!(nodes[member.node as usize].kind, Kind::Json)),
            };
            Form::Record(record.fields.iter().map(member).collect())
        }
        _ => Form::Other,
    };
    // A union has no nulls of its own, and so a column of it is padded by the sink alone.
    let has_union = nodes.iter().any(|node| matches!(&node.kind, Kind::Sum(cases) if cases.tag.is_none()));
    let form = |node: &Node| if has_union { Form::Other } else { form(node) };
    Shape { nodes: nodes.iter().map(|node| columns::Node { form: form(node), nullable: node.nullable }).collect(), root }
}

/// Returns the fields of the column `_error`.
pub(crate) fn error_fields() -> Fields {
    Fields::from(vec![
        Field::new("offset", DataType::UInt64, true),
        Field::new("path", DataType::Utf8, true),
        Field::new("expected", DataType::Utf8, true),
        Field::new("found", DataType::Utf8, true),
    ])
}

/// Marks a field of text as JSON, by Arrow's own extension type `arrow.json`.
fn as_json(field: Field) -> Field {
    let marks = [("ARROW:extension:name", "arrow.json"), ("ARROW:extension:metadata", "")];
    field.with_metadata(marks.map(|(key, value)| (key.to_string(), value.to_string())).into_iter().collect::<HashMap<String, String>>())
}

/// Returns the field of a node.
pub(crate) fn field(name: impl Into<String>, node: &Node) -> Field {
    // The nulls of a union are those of its cases, a constant case is one.
    let nullable = match &node.data_type {
        DataType::Union(cases, _) => node.nullable || cases.iter().any(|(_, case)| case.is_nullable()),
        _ => node.nullable,
    };
    let field = Field::new(name, node.data_type.clone(), nullable);
    if matches!(node.kind, Kind::Json) { as_json(field) } else { field }
}

struct Making<'s> {
    schema: &'s Schema,
    options: &'s Options,
    nodes: Vec<Node>,
    /// Names of the types that are under way.
    path: Vec<&'s str>,
    depth: u32,
}

impl<'s> Making<'s> {
    fn add(&mut self, kind: Kind, data_type: DataType, nullable: bool) -> Id {
        self.nodes.push(Node { kind, nullable, marks: Vec::new(), data_type });
        (self.nodes.len() - 1) as Id
    }

    fn json(&mut self, nullable: bool) -> Id {
        self.add(Kind::Json, DataType::Utf8, nullable)
    }

    fn field_of(&self, name: &str, id: Id) -> Field {
        field(name, &self.nodes[id as usize])
    }

    /// Makes the node of a type.
    fn node(&mut self, ty: &Type) -> Result<Id> {
        let schema = self.schema;
        // The type lives as long as the schema wherever it came by a reference.
        let mut ty: std::borrow::Cow<'_, Type> = std::borrow::Cow::Borrowed(ty);
        let (mut nullable, mut marks, mut names) = (false, Vec::new(), 0);
        let id = loop {
            match ty.as_ref() {
                Type::Nullable(_) if !marks.is_empty() => break self.json(true),
                Type::Nullable(inner) => {
                    nullable = true;
                    ty = std::borrow::Cow::Owned(inner.as_ref().clone());
                }
                Type::Tagged { space, code, inner } => {
                    marks.push((space.clone(), *code));
                    ty = std::borrow::Cow::Owned(inner.as_ref().clone());
                }
                Type::Reference(name, arguments) => {
                    let known = schema.types.iter().find(|named| named.name == *name);
                    let Some(known) = known.filter(|_| arguments.is_empty()) else { break self.json(true) };
                    if self.path.contains(&known.name.as_str()) {
                        // Columns have a depth, and a recursive type has none.
                        break self.json(true);
                    }
                    self.path.push(&known.name);
                    names += 1;
                    ty = std::borrow::Cow::Borrowed(&known.ty);
                }
                plain if self.depth >= MAX_DEPTH || self.nodes.len() >= MAX_NODES => {
                    let _ = plain;
                    break self.json(true);
                }
                plain => {
                    let plain = plain.clone();
                    self.depth += 1;
                    let id = self.plain(&plain, nullable)?;
                    self.depth -= 1;
                    break id;
                }
            }
        };
        self.path.truncate(self.path.len() - names);
        let node = &mut self.nodes[id as usize];
        if !matches!(node.kind, Kind::Json) {
            node.marks = marks;
        }
        Ok(id)
    }

    /// Makes the node of a type that is no reference, no mark, and not nullable by itself.
    fn plain(&mut self, ty: &Type, nullable: bool) -> Result<Id> {
        let (kind, data_type) = match ty {
            Type::Null => (Kind::Null, DataType::Null),
            Type::Bool => (Kind::Bool, DataType::Boolean),
            Type::Int(width) => (Kind::Int(*width), signed(*width)),
            Type::UInt(width) => (Kind::UInt(*width), unsigned(*width)),
            Type::Integer(bounds) => self.integer(bounds),
            Type::Decimal => self.decimal(false),
            Type::F32 => (Kind::F32, DataType::Float32),
            Type::F64 => (Kind::F64, DataType::Float64),
            Type::Number => (Kind::Number, DataType::Float64),
            Type::Text(_) => (Kind::Text, DataType::Utf8),
            Type::Octets(_) => (Kind::Octets, DataType::Binary),
            Type::Bytes(_) => (Kind::Bytes, DataType::Binary),
            Type::Timestamp(unit) => {
                let unit = if self.options.parquet && *unit == TimeUnit::Second { TimeUnit::Millisecond } else { *unit };
                (Kind::Time(unit), DataType::Timestamp(arrow_unit(unit), Some("UTC".into())))
            }
            Type::List(inner, _) | Type::Set(inner, _) => return self.list(inner, false, nullable),
            Type::Map(key, value) => {
                let (key, value) = (self.node(key)?, self.node(value)?);
                let pairs = self.nodes[key as usize].nullable || matches!(self.nodes[key as usize].kind, Kind::Null);
                let entries = vec![self.field_of("key", key), self.field_of("value", value)];
                let (name, ty) = (if pairs { "item" } else { "entries" }, DataType::Struct(Fields::from(entries)));
                let entries = Arc::new(Field::new(name, ty, false));
                let ty = if pairs { DataType::List(entries) } else { DataType::Map(entries, false) };
                (Kind::Map { key, value }, ty)
            }
            Type::Tuple(parts) if parts.is_empty() => (Kind::Json, DataType::Utf8),
            Type::Tuple(parts) => return self.tuple(parts, nullable),
            Type::Record(record) if record.fields.is_empty() => (Kind::Unit, DataType::Boolean),
            Type::Record(record) => {
                let mut fields = Vec::with_capacity(record.fields.len());
                for ty in &record.fields {
                    fields.push(self.member(ty)?);
                }
                let types: Vec<Field> = fields.iter().map(|field| self.field_of(&field.name, field.node)).collect();
                let checked = fields.iter().any(|field| field.required);
                let index = fields.iter().enumerate().map(|(at, field)| (field.name.clone(), at as u32)).collect();
                (Kind::Record(Record { fields, index, checked }), DataType::Struct(Fields::from(types)))
            }
            Type::Sum(sum) => return self.sum(sum, nullable),
            Type::Enumeration(members) => {
                let names = members.members.iter().map(|(name, _)| name.clone());
                let numbers = members.members.iter().map(|(_, number)| *number).collect();
                (Kind::Names(Names { extensible: members.extensible, ..Names::new(names, numbers) }), names_type())
            }
            Type::BitString { .. } | Type::ObjectIdentifier | Type::Parameter(_) | Type::Any => return Ok(self.json(true)),
            // `node` follows these.
            Type::Nullable(_) | Type::Reference(..) | Type::Tagged { .. } => return Ok(self.json(true)),
        };
        let nullable = nullable || matches!(kind, Kind::Null);
        Ok(self.add(kind, data_type, nullable))
    }

    fn list(&mut self, inner: &Type, one: bool, nullable: bool) -> Result<Id> {
        let item = self.node(inner)?;
        let ty = DataType::List(Arc::new(self.field_of("item", item)));
        Ok(self.add(Kind::List { item, one }, ty, nullable))
    }

    fn tuple(&mut self, parts: &[Type], nullable: bool) -> Result<Id> {
        let mut items = Vec::with_capacity(parts.len());
        for part in parts {
            items.push(self.node(part)?);
        }
        let fields: Vec<Field> = items.iter().enumerate().map(|(at, item)| self.field_of(&at.to_string(), *item)).collect();
        Ok(self.add(Kind::Tuple(items), DataType::Struct(Fields::from(fields)), nullable))
    }

    fn member(&mut self, ty: &FieldType) -> Result<Member> {
        let node = match ty.presence {
            Presence::Repeated => self.list(&ty.ty, true, true)?,
            _ => self.node(&ty.ty)?,
        };
        let nullable = ty.presence == Presence::Optional && self.nodes[node as usize].nullable;
        let required = ty.presence == Presence::Required;
        if !required {
            self.set_nullable(node);
        }
        let default = ty.default.clone().filter(|_| required).map(|default| match (&self.nodes[node as usize].kind, default) {
            // The constant of an enumeration, which comes as its name elsewhere.
            (Kind::Names(_), Value::Variant { name, values, .. }) if values.is_empty() => Value::text(name),
            (_, default) => default,
        });
        Ok(Member { name: ty.name.clone(), node, required, nullable, default })
    }

    /// Makes a node nullable.
    fn set_nullable(&mut self, id: Id) {
        if self.nodes[id as usize].nullable {
            return;
        }
        self.nodes[id as usize].nullable = true;
        // A union has no nulls of its own.
        let (Kind::Sum(cases), DataType::Union(fields, _)) = (&self.nodes[id as usize].kind, &self.nodes[id as usize].data_type) else {
            return;
        };
        if cases.null.is_some() {
            return;
        }
        let fields = fields.clone();
        let null = self.add(Kind::Null, DataType::Null, true);
        let number = fields.len() as i8;
        let all: Vec<Arc<Field>> =
            fields.iter().map(|(_, field)| Arc::clone(field)).chain([Arc::new(Field::new("null", DataType::Null, true))]).collect();
        let node = &mut self.nodes[id as usize];
        node.data_type = union_type(all, number as usize + 1);
        if let Kind::Sum(cases) = &mut node.kind {
            cases.null = Some(null);
        }
    }

    fn integer(&self, bounds: &Constraint) -> (Kind, DataType) {
        if let (Some(low), Some(high), false) = (bounds.low, bounds.high, bounds.extensible) {
            if let (Ok(_), Ok(high)) = (u64::try_from(low), u64::try_from(high)) {
                let width = Width::unsigned(high);
                return (Kind::UInt(width), unsigned(width));
            }
            if let (Ok(low), Ok(high)) = (i64::try_from(low), i64::try_from(high)) {
                let width = Width::signed(low, high);
                return (Kind::Int(width), signed(width));
            }
        }
        match self.options.decimals {
            Decimals::Text => self.decimal(true),
            Decimals::Fixed { precision, .. } => fixed(precision, 0, true),
        }
    }

    fn decimal(&self, whole: bool) -> (Kind, DataType) {
        match self.options.decimals {
            Decimals::Text => (Kind::Digits(whole), DataType::Utf8),
            Decimals::Fixed { precision, scale } => fixed(precision, scale, whole),
        }
    }

    fn sum(&mut self, sum: &Sum, nullable: bool) -> Result<Id> {
        if sum.cases.is_empty() || (sum.untagged && !self.is_clear(sum)?) {
            return Ok(self.json(true));
        }
        let number = |case: &polywire_core::schema::Case, at: usize| case.id.and_then(|id| u32::try_from(id).ok()).unwrap_or(at as u32);
        if !sum.untagged && sum.cases.iter().all(|case| case.carries.is_empty()) {
            let numbers = sum.cases.iter().enumerate().map(|(at, case)| i64::from(number(case, at))).collect();
            let names = Names::new(sum.cases.iter().map(|case| case.name.clone()), numbers);
            return Ok(self.add(Kind::Names(Names { extensible: sum.extensible, cases: true, ..names }), names_type(), nullable));
        }
        let is_union = self.options.is_union() && sum.cases.len() <= MAX_CASES;
        let (mut cases, mut fields) = (Vec::new(), Vec::new());
        for (at, case) in sum.cases.iter().enumerate() {
            let node = match &case.carries[..] {
                [] if is_union => Some(self.add(Kind::Null, DataType::Null, true)),
                [] => None,
                [one] => Some(self.node(one)?),
                several => Some(self.tuple(several, false)?),
            };
            if let Some(node) = node {
                if !is_union {
                    self.set_nullable(node);
                }
                fields.push(Arc::new(self.field_of(&case.name, node)));
            }
            cases.push(CaseNode { name: case.name.clone(), number: number(case, at), node, carries: case.carries.len() });
        }
        // JSON text takes any value, so its case would look like any other.
        let is_json = |case: &CaseNode| case.node.is_some_and(|node| matches!(self.nodes[node as usize].kind, Kind::Json));
        if sum.untagged && cases.iter().any(is_json) {
            return Ok(self.json(true));
        }
        let index = cases.iter().enumerate().map(|(at, case)| (case.name.clone(), at as u32)).collect();
        let mut made = Cases { cases, index, tag: None, null: None, untagged: sum.untagged };
        if is_union {
            let count = fields.len();
            let id = self.add(Kind::Sum(made), union_type(fields, count), false);
            if nullable {
                self.set_nullable(id);
            }
            return Ok(id);
        }
        let names = Names::new(made.cases.iter().map(|case| case.name.clone()), (0..made.cases.len() as i64).collect());
        let tag = self.add(Kind::Names(names), names_type(), false);
        made.tag = Some(tag);
        let mut name = "case".to_string();
        while fields.iter().any(|field| *field.name() == name) {
            name.push('_');
        }
        fields.insert(0, Arc::new(self.field_of(&name, tag)));
        Ok(self.add(Kind::Sum(made), DataType::Struct(Fields::from(fields)), nullable))
    }

    /// Reports whether the kind of a value decides about its case.
    fn is_clear(&self, sum: &Sum) -> Result<bool> {
        let (mut lists, mut records, mut floats, mut integers, mut texts, mut bytes) = (0, 0, 0, 0, 0, 0);
        for case in &sum.cases {
            let [ty] = &case.carries[..] else { return Ok(false) };
            let mut ty = self.schema.resolve(ty)?;
            let mut marked = false;
            while let Type::Tagged { inner, .. } = ty {
                ty = self.schema.resolve(inner)?;
                marked = true;
            }
            let count = match ty {
                _ if marked => continue,
                Type::List(..) | Type::Set(..) | Type::Tuple(_) => &mut lists,
                Type::Record(_) | Type::Map(..) => &mut records,
                Type::F32 | Type::F64 | Type::Decimal | Type::Number => &mut floats,
                Type::Int(_) | Type::UInt(_) | Type::Integer(_) => &mut integers,
                Type::Text(_) | Type::Enumeration(_) => &mut texts,
                Type::Octets(_) | Type::Bytes(_) => &mut bytes,
                Type::Bool | Type::Timestamp(_) => continue,
                _ => return Ok(false),
            };
            *count += 1;
        }
        Ok([lists, records, floats, integers, texts, bytes].iter().all(|count| *count <= 1))
    }
}

impl Names {
    pub(crate) fn new(names: impl Iterator<Item = String>, numbers: Vec<i64>) -> Names {
        let names: Vec<String> = names.collect();
        let index = names.iter().enumerate().map(|(at, name)| (name.clone(), at as u32)).collect();
        Names { names, numbers, index, extensible: false, cases: false }
    }
}

fn names_type() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

fn union_type(fields: Vec<Arc<Field>>, count: usize) -> DataType {
    let fields = fields.into_iter().take(count).enumerate().map(|(at, field)| (at as i8, field));
    DataType::Union(fields.collect::<UnionFields>(), UnionMode::Dense)
}

fn fixed(precision: u8, scale: u8, whole: bool) -> (Kind, DataType) {
    let kind = Kind::Fixed { precision, scale, whole };
    let scale = scale as i8;
    (kind, if precision <= 38 { DataType::Decimal128(precision, scale) } else { DataType::Decimal256(precision, scale) })
}

fn signed(width: Width) -> DataType {
    match width {
        Width::W8 => DataType::Int8,
        Width::W16 => DataType::Int16,
        Width::W32 => DataType::Int32,
        Width::W64 => DataType::Int64,
    }
}

fn unsigned(width: Width) -> DataType {
    match width {
        Width::W8 => DataType::UInt8,
        Width::W16 => DataType::UInt16,
        Width::W32 => DataType::UInt32,
        Width::W64 => DataType::UInt64,
    }
}

pub(crate) fn arrow_unit(unit: TimeUnit) -> ArrowUnit {
    match unit {
        TimeUnit::Second => ArrowUnit::Second,
        TimeUnit::Millisecond => ArrowUnit::Millisecond,
        TimeUnit::Microsecond => ArrowUnit::Microsecond,
        TimeUnit::Nanosecond => ArrowUnit::Nanosecond,
    }
}
