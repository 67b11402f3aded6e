//! The common schema of columns that others made.

use arrow_schema::{DataType, Field, Schema as ArrowSchema, TimeUnit as ArrowUnit};
use polywire_core::Result;
use polywire_core::schema::{Case, Constraint, FieldType, NamedType, Record, Schema, Sum, TimeUnit, Type, Width, mapped};

use crate::options::Options;
use crate::plan::{ERROR, OPTIONS_KEY, Plan, REST, SCHEMA_KEY};

/// Name of the message type of columns that others made.
const ROW: &str = "Row";

/// Returns the common schema of an Arrow schema's rows. Columns that this crate made have theirs
/// with them, unless it was dropped on the way.
///
/// Dates and times of day are text, durations are whole numbers. A moment without a zone is one in
/// UTC.
///
/// ```
/// use arrow_schema::{DataType, Field, Schema};
///
/// let columns = Schema::new(vec![Field::new("id", DataType::Int32, false)]);
/// let schema = polywire_arrow::common_schema(&columns);
/// assert_eq!(schema.types[0].ty.to_string(), "{id: int32}");
/// ```
pub fn common_schema(columns: &ArrowSchema) -> Schema {
    match own_plan(columns) {
        Some((schema, _)) => schema,
        None => foreign(columns),
    }
}

pub(crate) fn foreign(columns: &ArrowSchema) -> Schema {
    let fields = columns.fields().iter().map(|field| FieldType::required(field.name(), of_field(field))).collect();
    let row = NamedType { name: ROW.into(), doc: String::new(), ty: Type::Record(Record { fields, ..Record::default() }) };
    Schema { types: vec![row], root: Some(ROW.into()) }
}

/// Returns the plan by which the rows of columns become messages.
pub(crate) fn plan(columns: &ArrowSchema) -> Result<Plan> {
    if let Some((_, plan)) = own_plan(columns) {
        return Ok(plan);
    }
    let mut schema = foreign(columns);
    // Names need not be unique in Arrow.
    if let Some(Type::Record(record)) = schema.types.first_mut().map(|named| &mut named.ty) {
        unique(&mut record.fields);
    }
    Plan::new(&schema, &Options::default().with_rest(crate::Rest::Drop))
}

fn unique(fields: &mut [FieldType]) {
    let mut seen = std::collections::HashSet::new();
    for field in fields {
        while !seen.insert(field.name.clone()) {
            field.name.push('_');
        }
    }
}

/// Returns the schema and plan of columns that this crate made, if they are as they were.
pub(crate) fn own_plan(columns: &ArrowSchema) -> Option<(Schema, Plan)> {
    let metadata = columns.metadata();
    let schema = mapped(metadata.get(SCHEMA_KEY)?.as_bytes())?.ok()?;
    let mut options = Options::from_notation(metadata.get(OPTIONS_KEY)?)?;
    let plan = Plan::new(&schema, &options).ok()?;
    let values = plan.schema.fields().len();
    let fields = columns.fields();
    let same = |one: &Field, other: &Field| one.name() == other.name() && is_like(one.data_type(), other.data_type());
    if fields.len() < values || !plan.schema.fields().iter().zip(fields).all(|(one, other)| same(one, other)) {
        return None;
    }
    // `_rest` and `_error` follow, or columns of nobody.
    for field in fields.iter().skip(values) {
        match field.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View if field.name().starts_with(REST) => {
                options.rest = crate::Rest::Column;
            }
            DataType::Struct(_) if field.name().starts_with(ERROR) => options.bad = crate::Bad::Column,
            _ => return None,
        }
    }
    let plan = Plan::new(&schema, &options).ok()?;
    (plan.schema.fields().len() == fields.len()).then_some((schema, plan))
}

/// Reports whether values have the same form. Libraries change layouts on the way: those of text,
/// of binary data, of lists, of dictionaries.
fn is_like(own: &DataType, other: &DataType) -> bool {
    use DataType::{Binary, BinaryView, Dictionary, LargeBinary, LargeList, LargeUtf8, List, ListView, Map, Struct, Union, Utf8, Utf8View};
    match (own, other) {
        (Dictionary(_, own), other) => is_like(own, other),
        (own, Dictionary(_, other)) => is_like(own, other),
        (Utf8, Utf8 | LargeUtf8 | Utf8View) | (Binary, Binary | LargeBinary | BinaryView) => true,
        (List(own) | Map(own, _), List(other) | LargeList(other) | ListView(other) | Map(other, _)) => {
            is_like(own.data_type(), other.data_type())
        }
        (Struct(own), Struct(other)) => {
            own.len() == other.len() && own.iter().zip(other).all(|(own, other)| is_like(own.data_type(), other.data_type()))
        }
        (Union(own, _), Union(other, _)) => {
            own.len() == other.len() && own.iter().zip(other.iter()).all(|(own, other)| is_like(own.1.data_type(), other.1.data_type()))
        }
        (own, other) => own == other,
    }
}

fn of_field(field: &Field) -> Type {
    if field.metadata().get("ARROW:extension:name").is_some_and(|name| name == "arrow.json") {
        return Type::Any;
    }
    let ty = of(field.data_type());
    if field.is_nullable() && !matches!(ty, Type::Null) { Type::Nullable(Box::new(ty)) } else { ty }
}

fn of(ty: &DataType) -> Type {
    match ty {
        DataType::Null => Type::Null,
        DataType::Boolean => Type::Bool,
        DataType::Int8 => Type::Int(Width::W8),
        DataType::Int16 => Type::Int(Width::W16),
        DataType::Int32 => Type::Int(Width::W32),
        DataType::Int64 | DataType::Duration(_) => Type::Int(Width::W64),
        DataType::UInt8 => Type::UInt(Width::W8),
        DataType::UInt16 => Type::UInt(Width::W16),
        DataType::UInt32 => Type::UInt(Width::W32),
        DataType::UInt64 => Type::UInt(Width::W64),
        DataType::Float16 | DataType::Float32 => Type::F32,
        DataType::Float64 => Type::F64,
        DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) | DataType::Decimal256(..) => Type::Decimal,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => Type::Bytes(Constraint::NONE),
        DataType::Timestamp(unit, _) => Type::Timestamp(match unit {
            ArrowUnit::Second => TimeUnit::Second,
            ArrowUnit::Millisecond => TimeUnit::Millisecond,
            ArrowUnit::Microsecond => TimeUnit::Microsecond,
            ArrowUnit::Nanosecond => TimeUnit::Nanosecond,
        }),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _) => Type::List(Box::new(of_field(item)), Constraint::NONE),
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(parts) if parts.len() == 2 => Type::Map(Box::new(of(parts[0].data_type())), Box::new(of_field(&parts[1]))),
            _ => Type::Any,
        },
        DataType::Struct(fields) => {
            let mut fields: Vec<FieldType> = fields.iter().map(|field| FieldType::required(field.name(), of_field(field))).collect();
            unique(&mut fields);
            Type::Record(Record { fields, ..Record::default() })
        }
        DataType::Union(fields, _) => {
            let case = |(number, field): (i8, &std::sync::Arc<Field>)| Case {
                name: field.name().clone(),
                id: u64::try_from(number).ok(),
                carries: vec![of_field(field)],
                doc: String::new(),
            };
            let mut cases: Vec<Case> = fields.iter().map(case).collect();
            let mut seen = std::collections::HashSet::new();
            for case in &mut cases {
                while !seen.insert(case.name.clone()) {
                    case.name.push('_');
                }
            }
            Type::Sum(Sum { cases, ..Sum::default() })
        }
        DataType::Dictionary(_, value) => of(value),
        DataType::RunEndEncoded(_, values) => of(values.data_type()),
        _ => Type::Text(Constraint::NONE),
    }
}
