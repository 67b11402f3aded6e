//! The way back: rows of columns become the events of messages.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DurationMicrosecondType,
    DurationMillisecondType, DurationNanosecondType, DurationSecondType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, BooleanArray, FixedSizeBinaryArray, LargeBinaryArray, LargeStringArray, RecordBatch,
    StringArray, StringViewArray,
};
use arrow_buffer::{NullBuffer, ScalarBuffer, i256};
use arrow_schema::{DataType, TimeUnit as ArrowUnit};
use polywire_core::columns::{FieldView, Mask, Pieces, Values, View};
use polywire_core::walk::{Path, PathStep};
use polywire_core::{
    Error, ErrorKind, Fault, Field, Hint, Len, Next, Note, Open, Part, Result, Scalar, Sink, Span, Spelling, Str, Timestamp, Value,
};
use polywire_json::number;

use crate::json;
use crate::plan::{Id, Kind, Names, Plan};

const AT: Span = Span::NONE;

/// Rows that become messages.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int32Array, RecordBatch};
/// use polywire_arrow::Messages;
/// use polywire_core::value::ValueSink;
///
/// let ids: ArrayRef = Arc::new(Int32Array::from(vec![7]));
/// let messages = Messages::new(&RecordBatch::try_from_iter([("id", ids)]).unwrap())?;
/// let mut sink = ValueSink::default();
/// assert!(messages.emit(0, &mut sink)?);
/// let value = sink.finish().unwrap();
/// assert_eq!(value, polywire_core::Value::record([("id", polywire_core::Value::UInt(7))]));
/// # Ok::<(), polywire_core::Error>(())
/// ```
pub struct Messages {
    rows: usize,
    is_record: bool,
    columns: Vec<(String, bool, Cells)>,
    rest: Option<Strings>,
    error: Option<ArrayRef>,
}

impl Messages {
    /// Makes the messages of a batch, by the schema that it has with it, or else by its types.
    ///
    /// # Errors
    /// A column has a type that is not known.
    pub fn new(batch: &RecordBatch) -> Result<Messages> {
        Messages::by(batch, &crate::foreign::plan(batch.schema_ref())?)
    }

    /// Makes the messages of a batch whose columns are those of `plan`.
    pub(crate) fn by(batch: &RecordBatch, plan: &Plan) -> Result<Messages> {
        let mut columns = Vec::new();
        match &plan.node(plan.root).kind {
            Kind::Record(record) if plan.is_record => {
                for (place, field) in record.fields.iter().enumerate() {
                    columns.push((field.name.clone(), field.required, Cells::new(plan, field.node, batch.column(place))?));
                }
            }
            _ => columns.push((String::new(), true, Cells::new(plan, plan.root, batch.column(0))?)),
        }
        let rest = plan.rest.map(|place| Strings::new(batch.column(place))).transpose()?;
        let error = plan.error.map(|place| Arc::clone(batch.column(place)));
        Ok(Messages { rows: batch.num_rows(), is_record: plan.is_record, columns, rest, error })
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Returns true if there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Returns the columns for a writer that makes messages of their rows without events. Nothing
    /// if rows have values beside the columns, or are no messages.
    pub fn view(&self) -> Option<View<'_>> {
        let has_rest = self.rest.as_ref().is_some_and(|rest| (0..self.rows).any(|row| rest.is_valid(row)));
        let has_errors = self.error.as_ref().is_some_and(|error| error.null_count() < error.len());
        (self.is_record && !has_rest && !has_errors).then(|| View { valid: None, values: parts_of(&self.columns) })
    }

    /// Emits the message of a row. Returns false, without an event, if the row is that of a bad
    /// message, which has a reason in its column `_error`.
    ///
    /// # Errors
    /// A value has no form, such as JSON text that is none; or the sink fails.
    pub fn emit<'m>(&'m self, row: usize, sink: &mut dyn Sink<'m>) -> Result<bool> {
        if self.error.as_ref().is_some_and(|error| error.is_valid(row)) {
            return Ok(false);
        }
        let mut others = Vec::new();
        if let Some(rest) = self.rest.as_ref().filter(|rest| rest.is_valid(row)) {
            let Value::Record { fields, .. } = json::parse(rest.get(row))? else {
                return Err(bad("a column `_rest` without an object", "a JSON object"));
            };
            for (path, value) in fields {
                others.push((Path::parse(&path)?.0, value));
            }
        }
        let mut walk = Walk { path: Vec::new(), others };
        if !self.is_record {
            if let Some((_, _, cells)) = self.columns.first() {
                cells.emit(row, sink, &mut walk)?;
            }
            return Ok(true);
        }
        walk.record(&self.columns, row, sink)?;
        Ok(true)
    }
}

#[cold]
fn bad(seen: impl Into<std::borrow::Cow<'static, str>>, expected: &'static str) -> Error {
    Error::new(ErrorKind::Syntax, Fault::Data).seen(seen).expected(expected)
}

fn parts_of(fields: &[(String, bool, Cells)]) -> Values<'_> {
    Values::Record(fields.iter().map(|(name, required, cells)| FieldView { name, required: *required, view: cells.view() }).collect())
}

/// The place in a row, and what its column `_rest` adds.
struct Walk {
    /// Followed only if there are others.
    path: Vec<PathStep>,
    others: Vec<(Vec<PathStep>, Value)>,
}

impl Walk {
    fn step(&mut self, step: impl FnOnce() -> PathStep) {
        if !self.others.is_empty() {
            self.path.push(step());
        }
    }

    fn back(&mut self) {
        self.path.pop();
    }

    /// Returns what `_rest` has for a field of the record at the path.
    fn other(&self, name: &str) -> Option<&Value> {
        let is_field =
            |path: &[PathStep]| matches!(path.split_last(), Some((PathStep::Name(last), parent)) if last == name && parent == self.path);
        self.others.iter().find(|(path, _)| is_field(path)).map(|(_, value)| value)
    }

    /// Emits a record. Returns false if the sink stops.
    fn record<'m>(&mut self, fields: &'m [(String, bool, Cells)], row: usize, sink: &mut dyn Sink<'m>) -> Result<bool> {
        match sink.open(Open::Record { name: "", len: Len::Unknown }, AT)? {
            Next::Enter => {}
            next => return Ok(next == Next::Skip),
        }
        for (name, required, cells) in fields {
            let other = if cells.is_null(row) { self.other(name) } else { None };
            if !required && cells.is_null(row) && other.is_none() {
                continue;
            }
            match sink.field(Field::named(Str::Input(name)), AT)? {
                Next::Enter => {}
                Next::Skip => continue,
                Next::Stop => return Ok(false),
            }
            if let Some(value) = other {
                // A moment that the unit of its column does not hold is among the others, as text.
                let moment = match (value, &cells.form) {
                    (Value::Text(text), Form::Time(..)) => Timestamp::from_rfc3339(text),
                    _ => None,
                };
                match moment {
                    Some(moment) => sink.scalar(Scalar::Time(moment), AT)?,
                    None => value.emit(&mut Scratched(&mut *sink))?,
                }
                continue;
            }
            self.step(|| PathStep::Name(name.clone()));
            let goes_on = cells.emit(row, sink, self)?;
            self.back();
            if !goes_on {
                return Ok(false);
            }
        }
        for (path, value) in &self.others {
            let Some((PathStep::Name(name), parent)) = path.split_last() else { continue };
            // Values in place of null came above.
            if parent == &self.path[..] && fields.iter().all(|(column, _, cells)| column != name || !cells.is_null(row)) {
                match sink.field(Field::named(Str::Scratch(name)), AT)? {
                    Next::Enter => value.emit(&mut Scratched(&mut *sink))?,
                    Next::Skip => {}
                    Next::Stop => return Ok(false),
                }
            }
        }
        sink.close(AT)?;
        Ok(true)
    }
}

/// A sink of values that end before their message.
struct Scratched<'a, 'm>(&'a mut dyn Sink<'m>);

impl<'x> Sink<'x> for Scratched<'_, '_> {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.0.open(open, at)
    }

    fn field(&mut self, field: Field<'x, '_>, at: Span) -> Result<Next> {
        let name = field.name.get();
        self.0.field(Field { name: Str::Scratch(name), id: field.id, slot: field.slot }, at)
    }

    fn scalar(&mut self, value: Scalar<'x, '_>, at: Span) -> Result<()> {
        self.0.scalar(value.scratch(), at)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.0.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.0.close(at)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.0.note(note, at)
    }
}

/// Texts in one of Arrow's layouts.
enum Strings {
    Small(StringArray),
    Large(LargeStringArray),
    View(StringViewArray),
}

impl Strings {
    fn new(array: &ArrayRef) -> Result<Strings> {
        match array.data_type() {
            DataType::Utf8 => Ok(Strings::Small(array.as_string::<i32>().clone())),
            DataType::LargeUtf8 => Ok(Strings::Large(array.as_string::<i64>().clone())),
            DataType::Utf8View => Ok(Strings::View(array.as_string_view().clone())),
            other => Err(unknown(other)),
        }
    }

    fn get(&self, row: usize) -> &str {
        match self {
            Strings::Small(array) => array.value(row),
            Strings::Large(array) => array.value(row),
            Strings::View(array) => array.value(row),
        }
    }

    fn is_valid(&self, row: usize) -> bool {
        match self {
            Strings::Small(array) => array.is_valid(row),
            Strings::Large(array) => array.is_valid(row),
            Strings::View(array) => array.is_valid(row),
        }
    }
}

enum Binaries {
    Small(BinaryArray),
    Large(LargeBinaryArray),
    View(BinaryViewArray),
    Fixed(FixedSizeBinaryArray),
}

impl Binaries {
    fn get(&self, row: usize) -> &[u8] {
        match self {
            Binaries::Small(array) => array.value(row),
            Binaries::Large(array) => array.value(row),
            Binaries::View(array) => array.value(row),
            Binaries::Fixed(array) => array.value(row),
        }
    }
}

/// The values of a column.
struct Cells {
    nulls: Option<NullBuffer>,
    /// Marks around each value.
    marks: Vec<(String, u64)>,
    form: Form,
}

enum Form {
    Null,
    Unit,
    Bool(BooleanArray),
    I8(ScalarBuffer<i8>),
    I16(ScalarBuffer<i16>),
    I32(ScalarBuffer<i32>),
    I64(ScalarBuffer<i64>),
    U8(ScalarBuffer<u8>),
    U16(ScalarBuffer<u16>),
    U32(ScalarBuffer<u32>),
    U64(ScalarBuffer<u64>),
    F32(ScalarBuffer<f32>),
    F64(ScalarBuffer<f64>),
    Number(ScalarBuffer<f64>),
    Text(Strings),
    /// Numbers as text.
    Digits(Strings),
    Json(Strings),
    Octets(Binaries),
    Bytes(Binaries),
    Decimal(ScalarBuffer<i128>, i8),
    Decimal256(ScalarBuffer<i256>, i8),
    Time(ScalarBuffer<i64>, i128),
    /// Days since the epoch.
    Date(Vec<i64>),
    /// Nanoseconds since midnight.
    Clock(Vec<i64>),
    /// Keys, and the values that they lead to.
    Dictionary(Vec<usize>, Box<Cells>),
    /// Keys, and names.
    Names(Vec<usize>, Vec<Name>),
    List(Vec<(usize, usize)>, Box<Cells>),
    Map(Vec<(usize, usize)>, Box<Cells>, Box<Cells>),
    Tuple(Vec<Cells>),
    Record(Vec<(String, bool, Cells)>),
    /// Case and place of each row, and the cases.
    Sum(Vec<(usize, usize)>, Vec<CaseCells>, bool),
}

/// A name of a dictionary.
enum Name {
    Text(String),
    Number(i64),
    Case(String, u32),
}

struct CaseCells {
    name: String,
    number: u32,
    carries: usize,
    cells: Option<Cells>,
}

/// Number of values of a union's child for null.
const NULL_CASE: usize = usize::MAX;

#[cold]
fn unknown(ty: &DataType) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Data).seen(format!("a column of the type {ty}")).expected("a type with a common meaning")
}

fn values<T: ArrowPrimitiveType>(array: &ArrayRef) -> ScalarBuffer<T::Native> {
    array.as_primitive::<T>().values().clone()
}

impl Cells {
    fn new(plan: &Plan, id: Id, array: &ArrayRef) -> Result<Cells> {
        let node = plan.node(id);
        let mut nulls = match (&node.kind, array.as_union_opt()) {
            // A case whose value is null, or that has none, is there; the case for null is not.
            (Kind::Sum(cases), Some(union)) => cases.null.map(|_| {
                let DataType::Union(fields, _) = union.data_type() else { return NullBuffer::new_valid(union.len()) };
                let null = fields.iter().nth(cases.cases.len()).map(|(number, _)| number);
                union.type_ids().iter().map(|number| Some(*number) != null).collect()
            }),
            _ => array.logical_nulls(),
        };
        if let (Kind::Sum(cases), Some(parts)) = (&node.kind, array.as_struct_opt())
            && cases.tag.is_some()
            && let Some(tag) = parts.columns().first()
        {
            // Below a null, a struct that cannot be null has parts that are.
            nulls = NullBuffer::union(nulls.as_ref(), tag.logical_nulls().as_ref());
        }
        Ok(Cells { nulls, marks: node.marks.clone(), form: Form::new(plan, id, array)? })
    }

    /// Returns the column for a writer.
    fn view(&self) -> View<'_> {
        let valid = self.nulls.as_ref().filter(|nulls| nulls.null_count() > 0).map(|nulls| Mask::new(nulls.validity(), nulls.offset()));
        View { valid, values: if self.marks.is_empty() { self.form.view() } else { Values::Other } }
    }

    fn is_null(&self, row: usize) -> bool {
        matches!(self.form, Form::Null) || self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    /// Emits a value. Returns false if the sink stops.
    fn emit<'m>(&'m self, row: usize, sink: &mut dyn Sink<'m>, walk: &mut Walk) -> Result<bool> {
        if self.is_null(row) {
            sink.scalar(Scalar::Null, AT)?;
            return Ok(true);
        }
        let mut closes = 0;
        for (space, code) in &self.marks {
            match sink.open(Open::Tagged { space, code: *code }, AT)? {
                Next::Enter => closes += 1,
                Next::Skip => {
                    for _ in 0..closes {
                        sink.close(AT)?;
                    }
                    return Ok(true);
                }
                Next::Stop => return Ok(false),
            }
        }
        if !self.form.emit(row, sink, walk)? {
            return Ok(false);
        }
        for _ in 0..closes {
            sink.close(AT)?;
        }
        Ok(true)
    }
}

/// Returns the starts and ends of lists of any layout, with the array of their items.
fn lists(array: &ArrayRef) -> Option<(Vec<(usize, usize)>, ArrayRef)> {
    fn pairs<O: Copy + TryInto<usize>>(offsets: &[O]) -> Vec<(usize, usize)> {
        let place = |offset: O| offset.try_into().unwrap_or(0);
        offsets.windows(2).map(|pair| (place(pair[0]), place(pair[1]))).collect()
    }
    fn views<O: Copy + TryInto<usize>>(offsets: &[O], sizes: &[O]) -> Vec<(usize, usize)> {
        let place = |offset: O| offset.try_into().unwrap_or(0);
        offsets.iter().zip(sizes).map(|(offset, size)| (place(*offset), place(*offset).saturating_add(place(*size)))).collect()
    }
    Some(match array.data_type() {
        DataType::List(_) => (pairs(array.as_list::<i32>().offsets()), Arc::clone(array.as_list::<i32>().values())),
        DataType::LargeList(_) => (pairs(array.as_list::<i64>().offsets()), Arc::clone(array.as_list::<i64>().values())),
        DataType::Map(..) => (pairs(array.as_map().offsets()), Arc::new(array.as_map().entries().clone()) as ArrayRef),
        DataType::FixedSizeList(_, size) => {
            let size = usize::try_from(*size).ok()?;
            ((0..array.len()).map(|row| (row * size, (row + 1) * size)).collect(), Arc::clone(array.as_fixed_size_list().values()))
        }
        DataType::ListView(_) => {
            let list = array.as_list_view::<i32>();
            (views(list.offsets(), list.sizes()), Arc::clone(list.values()))
        }
        DataType::LargeListView(_) => {
            let list = array.as_list_view::<i64>();
            (views(list.offsets(), list.sizes()), Arc::clone(list.values()))
        }
        _ => return None,
    })
}

/// Returns the place of each row's value in the values of a dictionary, zero for nulls. Other
/// arrays are their own values.
fn keys(array: &ArrayRef) -> (Vec<usize>, ArrayRef) {
    let Some(dictionary) = array.as_any_dictionary_opt() else { return ((0..array.len()).collect(), Arc::clone(array)) };
    let values = Arc::clone(dictionary.values());
    let keys = if values.is_empty() { vec![0; array.len()] } else { dictionary.normalized_keys() };
    (keys, values)
}

impl Form {
    fn new(plan: &Plan, id: Id, array: &ArrayRef) -> Result<Form> {
        let ty = array.data_type();
        let kind = &plan.node(id).kind;
        match (kind, ty) {
            (Kind::Names(names), _) => {
                let (keys, values) = keys(array);
                return Ok(Form::Names(keys, names_of(names, &values)?));
            }
            (Kind::Json, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) => return Ok(Form::Json(Strings::new(array)?)),
            (_, DataType::Dictionary(..)) => {
                let (keys, values) = keys(array);
                let cells = Cells { nulls: values.logical_nulls(), marks: Vec::new(), form: Form::new(plan, id, &values)? };
                return Ok(Form::Dictionary(keys, Box::new(cells)));
            }
            (_, DataType::RunEndEncoded(..)) => {
                let (keys, values) = runs(array).ok_or_else(|| unknown(ty))?;
                let cells = Cells { nulls: values.logical_nulls(), marks: Vec::new(), form: Form::new(plan, id, &values)? };
                return Ok(Form::Dictionary(keys, Box::new(cells)));
            }
            (Kind::Null, _) => return Ok(Form::Null),
            (Kind::Unit, _) => return Ok(Form::Unit),
            (Kind::List { item, .. }, _) => {
                let (ends, items) = lists(array).ok_or_else(|| unknown(ty))?;
                return Ok(Form::List(within(ends, items.len())?, Box::new(Cells::new(plan, *item, &items)?)));
            }
            (Kind::Map { key, value, .. }, _) => {
                let (ends, entries) = lists(array).ok_or_else(|| unknown(ty))?;
                let entries = entries.as_struct_opt().filter(|entries| entries.num_columns() == 2).ok_or_else(|| unknown(ty))?;
                let (keys, values) = (Cells::new(plan, *key, entries.column(0))?, Cells::new(plan, *value, entries.column(1))?);
                return Ok(Form::Map(within(ends, entries.len())?, Box::new(keys), Box::new(values)));
            }
            (Kind::Record(record), DataType::Struct(fields)) if fields.len() == record.fields.len() => {
                let parts = array.as_struct();
                let field = |(field, part)| {
                    let field: &crate::plan::Member = field;
                    Ok((field.name.clone(), field.required, Cells::new(plan, field.node, part)?))
                };
                return Ok(Form::Record(record.fields.iter().zip(parts.columns()).map(field).collect::<Result<_>>()?));
            }
            (Kind::Tuple(items), DataType::Struct(fields)) if fields.len() == items.len() => {
                let parts = array.as_struct().columns();
                let parts = items.iter().zip(parts).map(|(item, part)| Cells::new(plan, *item, part));
                return Ok(Form::Tuple(parts.collect::<Result<_>>()?));
            }
            (Kind::Sum(cases), DataType::Union(fields, _)) => {
                let union = array.as_union();
                let (mut made, mut numbers) = (Vec::new(), Vec::new());
                for ((number, _), case) in fields.iter().zip(cases.cases.iter().map(Some).chain([None])) {
                    numbers.push(number);
                    let cells = match case.map_or(cases.null, |case| case.node) {
                        Some(node) => Some(Cells::new(plan, node, union.child(number))?),
                        None => None,
                    };
                    let (name, number, carries) = case.map_or((String::new(), 0, 0), |case| (case.name.clone(), case.number, case.carries));
                    made.push(CaseCells { name, number, carries, cells });
                }
                let place = |row: usize| {
                    let case = numbers.iter().position(|number| *number == union.type_id(row))?;
                    Some((case, union.value_offset(row)))
                };
                let places = (0..array.len()).map(|row| place(row).ok_or_else(|| unknown(ty))).collect::<Result<Vec<_>>>()?;
                if let (Some(_), Some(case)) = (cases.null, made.get_mut(cases.cases.len())) {
                    case.carries = NULL_CASE;
                }
                return Ok(Form::Sum(places, made, cases.untagged));
            }
            (Kind::Sum(cases), DataType::Struct(_)) if cases.tag.is_some() => {
                let parts = array.as_struct();
                let (keys, values) = keys(parts.column(0));
                let names = Strings::new(&values)?;
                let mut place = 1;
                let mut made = Vec::new();
                for case in &cases.cases {
                    let cells = match case.node {
                        Some(node) => {
                            place += 1;
                            Some(Cells::new(plan, node, parts.columns().get(place - 1).ok_or_else(|| unknown(ty))?)?)
                        }
                        None => None,
                    };
                    made.push(CaseCells { name: case.name.clone(), number: case.number, carries: case.carries, cells });
                }
                // The dictionary's values may have another order than the cases.
                let count = values.len();
                let of_key: Vec<Option<usize>> = (0..count).map(|key| cases.index.get(names.get(key)).map(|case| *case as usize)).collect();
                // Below a null there may be any name, which nobody reads.
                let case = |key: &usize| of_key.get(*key).copied().flatten().unwrap_or(usize::MAX);
                let places = keys.iter().enumerate().map(|(row, key)| (case(key), row)).collect();
                return Ok(Form::Sum(places, made, cases.untagged));
            }
            (Kind::Number, DataType::Float64) => return Ok(Form::Number(values::<Float64Type>(array))),
            (Kind::Digits(_), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) => return Ok(Form::Digits(Strings::new(array)?)),
            _ => {}
        }
        let binaries = |array: &ArrayRef| match ty {
            DataType::Binary => Some(Binaries::Small(array.as_binary::<i32>().clone())),
            DataType::LargeBinary => Some(Binaries::Large(array.as_binary::<i64>().clone())),
            DataType::BinaryView => Some(Binaries::View(array.as_binary_view().clone())),
            DataType::FixedSizeBinary(_) => Some(Binaries::Fixed(array.as_fixed_size_binary().clone())),
            _ => None,
        };
        if let Some(binaries) = binaries(array) {
            return Ok(if matches!(kind, Kind::Octets) { Form::Octets(binaries) } else { Form::Bytes(binaries) });
        }
        let wide = |values: &[i32], factor: i64| values.iter().map(|value| i64::from(*value) * factor).collect::<Vec<i64>>();
        Ok(match ty {
            DataType::Boolean => Form::Bool(array.as_boolean().clone()),
            DataType::Int8 => Form::I8(values::<Int8Type>(array)),
            DataType::Int16 => Form::I16(values::<Int16Type>(array)),
            DataType::Int32 => Form::I32(values::<Int32Type>(array)),
            DataType::Int64 => Form::I64(values::<Int64Type>(array)),
            DataType::UInt8 => Form::U8(values::<UInt8Type>(array)),
            DataType::UInt16 => Form::U16(values::<UInt16Type>(array)),
            DataType::UInt32 => Form::U32(values::<UInt32Type>(array)),
            DataType::UInt64 => Form::U64(values::<UInt64Type>(array)),
            DataType::Float16 => Form::F32(values::<Float16Type>(array).iter().map(|value| value.to_f32()).collect()),
            DataType::Float32 => Form::F32(values::<Float32Type>(array)),
            DataType::Float64 => Form::F64(values::<Float64Type>(array)),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Form::Text(Strings::new(array)?),
            DataType::Decimal32(_, scale) => {
                Form::Decimal(values::<Decimal32Type>(array).iter().map(|value| i128::from(*value)).collect(), *scale)
            }
            DataType::Decimal64(_, scale) => {
                Form::Decimal(values::<Decimal64Type>(array).iter().map(|value| i128::from(*value)).collect(), *scale)
            }
            DataType::Decimal128(_, scale) => Form::Decimal(values::<Decimal128Type>(array), *scale),
            DataType::Decimal256(_, scale) => Form::Decimal256(values::<Decimal256Type>(array), *scale),
            DataType::Timestamp(unit, _) => match unit {
                ArrowUnit::Second => Form::Time(values::<TimestampSecondType>(array), 1),
                ArrowUnit::Millisecond => Form::Time(values::<TimestampMillisecondType>(array), 1_000),
                ArrowUnit::Microsecond => Form::Time(values::<TimestampMicrosecondType>(array), 1_000_000),
                ArrowUnit::Nanosecond => Form::Time(values::<TimestampNanosecondType>(array), 1_000_000_000),
            },
            DataType::Duration(unit) => Form::I64(match unit {
                ArrowUnit::Second => values::<DurationSecondType>(array),
                ArrowUnit::Millisecond => values::<DurationMillisecondType>(array),
                ArrowUnit::Microsecond => values::<DurationMicrosecondType>(array),
                ArrowUnit::Nanosecond => values::<DurationNanosecondType>(array),
            }),
            DataType::Date32 => Form::Date(wide(&values::<Date32Type>(array), 1)),
            DataType::Date64 => Form::Date(values::<Date64Type>(array).iter().map(|millis| millis.div_euclid(86_400_000)).collect()),
            DataType::Time32(ArrowUnit::Second) => Form::Clock(wide(&values::<Time32SecondType>(array), 1_000_000_000)),
            DataType::Time32(_) => Form::Clock(wide(&values::<Time32MillisecondType>(array), 1_000_000)),
            DataType::Time64(ArrowUnit::Microsecond) => {
                Form::Clock(values::<Time64MicrosecondType>(array).iter().map(|micros| micros.saturating_mul(1_000)).collect())
            }
            DataType::Time64(_) => Form::Clock(values::<Time64NanosecondType>(array).to_vec()),
            other => return Err(unknown(other)),
        })
    }

    /// Returns the values for a writer, as far as it needs no walk.
    fn view(&self) -> Values<'_> {
        match self {
            Form::Bool(array) => Values::Bool(Mask::new(array.values().values(), array.values().offset())),
            Form::I8(values) => Values::I8(values),
            Form::I16(values) => Values::I16(values),
            Form::I32(values) => Values::I32(values),
            Form::I64(values) => Values::I64(values),
            Form::U8(values) => Values::U8(values),
            Form::U16(values) => Values::U16(values),
            Form::U32(values) => Values::U32(values),
            Form::U64(values) => Values::U64(values),
            Form::F32(values) => Values::F32(values),
            Form::F64(values) => Values::F64(values),
            Form::Text(Strings::Small(array)) => Values::Text(Pieces::Small(array.value_offsets(), array.value_data())),
            Form::Text(Strings::Large(array)) => Values::Text(Pieces::Large(array.value_offsets(), array.value_data())),
            Form::Bytes(Binaries::Small(array)) => Values::Bytes(Pieces::Small(array.value_offsets(), array.value_data())),
            Form::Bytes(Binaries::Large(array)) => Values::Bytes(Pieces::Large(array.value_offsets(), array.value_data())),
            Form::Names(keys, names) => {
                fn name(name: &Name) -> Option<&str> {
                    if let Name::Text(name) = name { Some(name.as_str()) } else { None }
                }
                match names.iter().map(name).collect::<Option<Vec<&str>>>() {
                    Some(names) => Values::Names(keys, names),
                    None => Values::Other,
                }
            }
            Form::List(ends, items) => Values::List(ends, Box::new(items.view())),
            Form::Record(fields) => parts_of(fields),
            _ => Values::Other,
        }
    }

    fn emit<'m>(&'m self, row: usize, sink: &mut dyn Sink<'m>, walk: &mut Walk) -> Result<bool> {
        let scalar = match self {
            Form::Null => Scalar::Null,
            Form::Unit => {
                if sink.open(Open::Record { name: "", len: Len::Unknown }, AT)? == Next::Enter {
                    sink.close(AT)?;
                }
                return Ok(true);
            }
            Form::Bool(array) => Scalar::Bool(array.value(row)),
            Form::I8(values) => Scalar::int(i64::from(values[row])),
            Form::I16(values) => Scalar::int(i64::from(values[row])),
            Form::I32(values) => Scalar::int(i64::from(values[row])),
            Form::I64(values) => Scalar::int(values[row]),
            Form::U8(values) => Scalar::uint(u64::from(values[row])),
            Form::U16(values) => Scalar::uint(u64::from(values[row])),
            Form::U32(values) => Scalar::uint(u64::from(values[row])),
            Form::U64(values) => Scalar::uint(values[row]),
            Form::F32(values) => Scalar::f32(values[row]),
            Form::F64(values) => Scalar::f64(values[row]),
            Form::Number(values) => Scalar::number(values[row]),
            Form::Text(texts) => Scalar::Text(Str::Input(texts.get(row))),
            Form::Octets(bytes) => Scalar::Octets(Str::Input(bytes.get(row))),
            Form::Bytes(bytes) => Scalar::Bytes(Str::Input(bytes.get(row))),
            Form::Digits(texts) => return digits(texts.get(row), sink),
            Form::Json(texts) => {
                let value = json::parse(texts.get(row))?;
                value.emit(&mut Scratched(sink))?;
                return Ok(true);
            }
            Form::Decimal(values, scale) => return digits(&decimal(values[row].to_string(), *scale), &mut Scratched(sink)),
            Form::Decimal256(values, scale) => return digits(&decimal(values[row].to_string(), *scale), &mut Scratched(sink)),
            Form::Time(values, per_second) => {
                let count = i128::from(values[row]);
                let seconds = count.div_euclid(*per_second) as i64;
                let nanos = (count.rem_euclid(*per_second) * (1_000_000_000 / *per_second)) as u32;
                Scalar::Time(Timestamp::new(seconds, nanos).ok_or_else(|| Error::internal("a moment of too many nanoseconds"))?)
            }
            Form::Date(days) => {
                let seconds = days[row].saturating_mul(86_400);
                let text = Timestamp::new(seconds, 0).and_then(Timestamp::to_rfc3339);
                let text = text.and_then(|text| text.split('T').next().map(str::to_string)).unwrap_or_else(|| format!("day {}", days[row]));
                sink.scalar(Scalar::Text(Str::Scratch(&text)), AT)?;
                return Ok(true);
            }
            Form::Clock(nanos) => {
                let (seconds, nanos) = (nanos[row].div_euclid(1_000_000_000), nanos[row].rem_euclid(1_000_000_000));
                let mut text = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
                if nanos > 0 {
                    text.push_str(format!(".{nanos:09}").trim_end_matches('0'));
                }
                sink.scalar(Scalar::Text(Str::Scratch(&text)), AT)?;
                return Ok(true);
            }
            Form::Dictionary(keys, cells) => return cells.emit(keys[row], sink, walk),
            Form::Names(keys, names) => match &names[keys[row]] {
                Name::Text(name) => Scalar::Text(Str::Input(name)),
                Name::Number(number) => Scalar::int(*number),
                Name::Case(name, index) => {
                    if sink.open(Open::Variant { name, index: *index }, AT)? == Next::Enter {
                        sink.close(AT)?;
                    }
                    return Ok(true);
                }
            },
            Form::List(ends, items) => {
                let (start, end) = ends[row];
                match sink.open(Open::List(Len::Claimed((end - start) as u64)), AT)? {
                    Next::Enter => {}
                    next => return Ok(next == Next::Skip),
                }
                for place in start..end {
                    walk.step(|| PathStep::Index((place - start) as u64));
                    let goes_on = items.emit(place, sink, walk)?;
                    walk.back();
                    if !goes_on {
                        return Ok(false);
                    }
                }
                sink.close(AT)?;
                return Ok(true);
            }
            Form::Map(ends, keys, values) => {
                let (start, end) = ends[row];
                match sink.open(Open::Map(Len::Claimed((end - start) as u64)), AT)? {
                    Next::Enter => {}
                    next => return Ok(next == Next::Skip),
                }
                for place in start..end {
                    let next = match &keys.form {
                        Form::Text(texts) if !keys.is_null(place) && keys.marks.is_empty() => {
                            sink.field(Field::named(Str::Input(texts.get(place))), AT)?
                        }
                        Form::Names(indexes, names) if !keys.is_null(place) && keys.marks.is_empty() => match &names[indexes[place]] {
                            Name::Text(name) | Name::Case(name, _) => sink.field(Field::named(Str::Input(name)), AT)?,
                            Name::Number(number) => {
                                sink.scalar(Scalar::int(*number), AT)?;
                                Next::Enter
                            }
                        },
                        _ => {
                            let mut key = KeyText(Vec::new(), true);
                            keys.emit(place, &mut key, walk)?;
                            match key {
                                KeyText(text, true) => match std::str::from_utf8(&text) {
                                    Ok(text) => sink.field(Field::named(Str::Scratch(text)), AT)?,
                                    Err(_) => return Err(bad("a key of other bytes", "text")),
                                },
                                _ => match keys.emit(place, sink, walk)? {
                                    true => Next::Enter,
                                    false => Next::Stop,
                                },
                            }
                        }
                    };
                    match next {
                        Next::Enter => {}
                        Next::Skip => continue,
                        Next::Stop => return Ok(false),
                    }
                    walk.step(|| PathStep::Index((place - start) as u64));
                    let goes_on = values.emit(place, sink, walk)?;
                    walk.back();
                    if !goes_on {
                        return Ok(false);
                    }
                }
                sink.close(AT)?;
                return Ok(true);
            }
            Form::Tuple(items) => {
                match sink.open(Open::Tuple(Len::Claimed(items.len() as u64)), AT)? {
                    Next::Enter => {}
                    next => return Ok(next == Next::Skip),
                }
                if !parts(items, row, sink, walk)? {
                    return Ok(false);
                }
                sink.close(AT)?;
                return Ok(true);
            }
            Form::Record(fields) => return walk.record(fields, row, sink),
            Form::Sum(places, cases, untagged) => {
                let (case, place) = places[row];
                let case = cases.get(case).ok_or_else(|| bad("the name of no case", "a case of the schema"))?;
                match (&case.cells, case.carries) {
                    (_, NULL_CASE) => Scalar::Null,
                    (Some(cells), _) if *untagged => return cells.emit(place, sink, walk),
                    (cells, carries) => {
                        match sink.open(Open::Variant { name: &case.name, index: case.number }, AT)? {
                            Next::Enter => {}
                            next => return Ok(next == Next::Skip),
                        }
                        let goes_on = match (cells, carries) {
                            (Some(cells), 1) => cells.emit(place, sink, walk)?,
                            (Some(Cells { form: Form::Tuple(items), .. }), 2..) => parts(items, place, sink, walk)?,
                            _ => true,
                        };
                        if !goes_on {
                            return Ok(false);
                        }
                        sink.close(AT)?;
                        return Ok(true);
                    }
                }
            }
        };
        sink.scalar(scalar, AT)?;
        Ok(true)
    }
}

fn parts<'m>(items: &'m [Cells], row: usize, sink: &mut dyn Sink<'m>, walk: &mut Walk) -> Result<bool> {
    for (place, item) in items.iter().enumerate() {
        walk.step(|| PathStep::Index(place as u64));
        let goes_on = item.emit(row, sink, walk)?;
        walk.back();
        if !goes_on {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Takes a key, and whether it is text.
struct KeyText(Vec<u8>, bool);

impl<'m> Sink<'m> for KeyText {
    fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next> {
        self.1 = false;
        Ok(Next::Skip)
    }

    fn field(&mut self, _: Field<'m, '_>, _: Span) -> Result<Next> {
        Ok(Next::Skip)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, _: Span) -> Result<()> {
        match value {
            Scalar::Text(text) => self.0.extend_from_slice(text.get().as_bytes()),
            _ => self.1 = false,
        }
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        Ok(())
    }
}

/// Emits the number that a text of digits is.
fn digits<'m>(text: &'m str, sink: &mut dyn Sink<'m>) -> Result<bool> {
    match number::scan(text.as_bytes(), 0) {
        Ok(number) if number.end == text.len() => {
            // Writers keep the digits that a float would print otherwise.
            sink.scalar(number.hinted(text, Hint::new(&Spelling::digits(text))), AT)?;
            Ok(true)
        }
        _ => Err(bad(format!("`{}` in a column of numbers", text.chars().take(40).collect::<String>()), "digits of a number")),
    }
}

/// Returns the decimal that a whole number stands for, as text.
fn decimal(digits: String, scale: i8) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits.as_str()), |digits| ("-", digits));
    match usize::try_from(scale) {
        Ok(0) => format!("{sign}{digits}"),
        Ok(scale) => {
            let digits = format!("{digits:0>width$}", width = scale + 1);
            let (whole, fraction) = digits.split_at(digits.len() - scale);
            let fraction = fraction.trim_end_matches('0');
            if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
        }
        Err(_) if digits == "0" => "0".to_string(),
        Err(_) => format!("{sign}{digits}{}", "0".repeat(usize::from(scale.unsigned_abs()))),
    }
}

/// Checks that lists lie within their items.
fn within(ends: Vec<(usize, usize)>, items: usize) -> Result<Vec<(usize, usize)>> {
    if ends.iter().any(|(start, end)| start > end || *end > items) {
        return Err(bad("a list beyond its items", "offsets that rise, within the items"));
    }
    Ok(ends)
}

fn names_of(names: &Names, values: &ArrayRef) -> Result<Vec<Name>> {
    let texts = Strings::new(values)?;
    let name = |key: usize| {
        let text = if texts.is_valid(key) { texts.get(key) } else { "" };
        match (names.index.get(text), names.cases) {
            (Some(place), true) => Name::Case(text.to_string(), u32::try_from(names.numbers[*place as usize]).unwrap_or(*place)),
            (None, false) if names.extensible && text.parse::<i64>().is_ok() => Name::Number(text.parse().unwrap_or(0)),
            _ => Name::Text(text.to_string()),
        }
    };
    let mut all: Vec<Name> = (0..values.len()).map(name).collect();
    if all.is_empty() {
        // Keys of nulls are zero.
        all.push(Name::Text(String::new()));
    }
    Ok(all)
}

/// Returns the place of each row's value in an array of runs.
fn runs(array: &ArrayRef) -> Option<(Vec<usize>, ArrayRef)> {
    fn of<T: arrow_array::types::RunEndIndexType>(array: &ArrayRef) -> Option<(Vec<usize>, ArrayRef)> {
        let runs = array.as_run_opt::<T>()?;
        Some(((0..array.len()).map(|row| runs.get_physical_index(row)).collect(), Arc::clone(runs.values())))
    }
    of::<Int16Type>(array).or_else(|| of::<Int32Type>(array)).or_else(|| of::<Int64Type>(array))
}
