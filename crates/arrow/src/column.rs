//! Columns of nodes, and the arrays that they become.

use std::sync::Arc;

use arrow_array::types::{Decimal128Type, Decimal256Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Decimal128Array, Decimal256Array, DictionaryArray, Float32Array, Float64Array, Int8Array,
    Int16Array, Int32Array, Int64Array, ListArray, MapArray, NullArray, PrimitiveArray, StringArray, StructArray,
    TimestampMicrosecondArray, TimestampMillisecondArray, TimestampNanosecondArray, TimestampSecondArray, UInt8Array, UInt16Array,
    UInt32Array, UInt64Array, UnionArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer, i256};
use arrow_schema::{DataType, Fields};
use polywire_core::columns::{Bits, Column, Data};
use polywire_core::schema::{TimeUnit, Width};
use polywire_core::{Error, Result};

use crate::plan::{Id, Kind, Node, Plan};
use crate::texts::text_array;

/// Makes the empty column of a node. It takes no memory.
pub(crate) fn column(node: &Node) -> Column {
    let data = match &node.kind {
        Kind::Null | Kind::Tuple(_) | Kind::Record(_) => Data::None,
        Kind::Bool | Kind::Unit => Data::Bits(Bits::default()),
        Kind::Int(Width::W8) => Data::I8(Vec::new()),
        Kind::Int(Width::W16) => Data::I16(Vec::new()),
        Kind::Int(Width::W32) => Data::I32(Vec::new()),
        Kind::Int(Width::W64) | Kind::Time(_) => Data::I64(Vec::new()),
        Kind::UInt(Width::W8) => Data::U8(Vec::new()),
        Kind::UInt(Width::W16) => Data::U16(Vec::new()),
        Kind::UInt(Width::W32) => Data::U32(Vec::new()),
        Kind::UInt(Width::W64) => Data::U64(Vec::new()),
        Kind::F32 => Data::F32(Vec::new()),
        Kind::F64 | Kind::Number => Data::F64(Vec::new()),
        Kind::Fixed { precision: ..=38, .. } => Data::I128(Vec::new()),
        Kind::Fixed { .. } => Data::I256(Vec::new()),
        Kind::Digits(_) | Kind::Text | Kind::Octets | Kind::Bytes | Kind::Json => Data::Bytes(vec![0], Vec::new()),
        Kind::Names(_) => Data::Keys(Vec::new(), Vec::new()),
        Kind::List { .. } | Kind::Map { .. } => Data::Ends(vec![0]),
        Kind::Sum(cases) if cases.tag.is_none() => Data::Union(Vec::new(), Vec::new()),
        Kind::Sum(_) => Data::None,
    };
    Column::new(data)
}

/// Takes the values of the columns below `id` as an array of `plan`'s type, and leaves them empty.
pub(crate) fn take(plan: &Plan, columns: &mut [Column], id: Id) -> Result<ArrayRef> {
    let node = plan.node(id);
    let (len, valid, data) = std::mem::replace(&mut columns[id as usize], column(node)).into_parts();
    let nulls = valid.map(|bits| NullBuffer::new(buffer_of(bits)));
    Ok(match (&node.kind, data) {
        (Kind::Null, _) => Arc::new(NullArray::new(len)),
        (_, Data::Bits(bits)) => Arc::new(BooleanArray::new(buffer_of(bits), nulls)),
        (_, Data::I8(values)) => Arc::new(Int8Array::new(values.into(), nulls)),
        (_, Data::I16(values)) => Arc::new(Int16Array::new(values.into(), nulls)),
        (_, Data::I32(values)) => Arc::new(Int32Array::new(values.into(), nulls)),
        (Kind::Time(unit), Data::I64(values)) => {
            let (values, zone) = (ScalarBuffer::from(values), "UTC");
            match unit {
                TimeUnit::Second => Arc::new(TimestampSecondArray::new(values, nulls).with_timezone(zone)),
                TimeUnit::Millisecond => Arc::new(TimestampMillisecondArray::new(values, nulls).with_timezone(zone)),
                TimeUnit::Microsecond => Arc::new(TimestampMicrosecondArray::new(values, nulls).with_timezone(zone)),
                TimeUnit::Nanosecond => Arc::new(TimestampNanosecondArray::new(values, nulls).with_timezone(zone)),
            }
        }
        (_, Data::I64(values)) => Arc::new(Int64Array::new(values.into(), nulls)),
        (_, Data::U8(values)) => Arc::new(UInt8Array::new(values.into(), nulls)),
        (_, Data::U16(values)) => Arc::new(UInt16Array::new(values.into(), nulls)),
        (_, Data::U32(values)) => Arc::new(UInt32Array::new(values.into(), nulls)),
        (_, Data::U64(values)) => Arc::new(UInt64Array::new(values.into(), nulls)),
        (_, Data::F32(values)) => Arc::new(Float32Array::new(values.into(), nulls)),
        (_, Data::F64(values)) => Arc::new(Float64Array::new(values.into(), nulls)),
        (_, Data::I128(values)) => {
            let array: Decimal128Array = PrimitiveArray::<Decimal128Type>::new(values.into(), nulls);
            Arc::new(array.with_data_type(node.data_type.clone()))
        }
        (_, Data::I256(values)) => {
            let array: Decimal256Array =
                PrimitiveArray::<Decimal256Type>::new(values.into_iter().map(i256::from_le_bytes).collect(), nulls);
            Arc::new(array.with_data_type(node.data_type.clone()))
        }
        (Kind::Octets | Kind::Bytes, Data::Bytes(ends, bytes)) => {
            Arc::new(BinaryArray::try_new(offsets(ends)?, Buffer::from_vec(bytes), nulls).map_err(made_wrong)?)
        }
        (_, Data::Bytes(ends, bytes)) => Arc::new(text_array(offsets(ends)?, bytes, nulls).map_err(made_wrong)?),
        (Kind::Names(names), Data::Keys(keys, more)) => {
            let all: StringArray = names.names.iter().chain(&more).map(|name| Some(name.as_str())).collect();
            // A dictionary needs a value if it has keys, and those of nulls are zero.
            let all = if all.is_empty() && nulls.is_some() { StringArray::from(vec![""]) } else { all };
            let keys = Int32Array::new(keys.into(), nulls);
            Arc::new(DictionaryArray::<Int32Type>::try_new(keys, Arc::new(all)).map_err(made_wrong)?)
        }
        (Kind::List { item, .. }, Data::Ends(ends)) => {
            let DataType::List(field) = &node.data_type else { return Err(no_type()) };
            let values = take(plan, columns, *item)?;
            Arc::new(ListArray::try_new(Arc::clone(field), offsets(ends)?, values, nulls).map_err(made_wrong)?)
        }
        (Kind::Map { key, value, .. }, Data::Ends(ends)) => {
            let (DataType::List(field) | DataType::Map(field, _)) = &node.data_type else { return Err(no_type()) };
            let DataType::Struct(fields) = field.data_type() else { return Err(no_type()) };
            let parts = vec![take(plan, columns, *key)?, take(plan, columns, *value)?];
            let entries = StructArray::try_new(fields.clone(), parts, None).map_err(made_wrong)?;
            match &node.data_type {
                DataType::Map(..) => {
                    Arc::new(MapArray::try_new(Arc::clone(field), offsets(ends)?, entries, nulls, false).map_err(made_wrong)?)
                }
                _ => Arc::new(ListArray::try_new(Arc::clone(field), offsets(ends)?, Arc::new(entries), nulls).map_err(made_wrong)?),
            }
        }
        (Kind::Sum(cases), Data::Union(ids, places)) => {
            let DataType::Union(fields, _) = &node.data_type else { return Err(no_type()) };
            let children = cases.cases.iter().filter_map(|case| case.node).chain(cases.null);
            let children = children.map(|child| take(plan, columns, child)).collect::<Result<Vec<ArrayRef>>>()?;
            Arc::new(UnionArray::try_new(fields.clone(), ids.into(), Some(places.into()), children).map_err(made_wrong)?)
        }
        (Kind::Tuple(items), _) => structs(plan, columns, node, items.iter().copied(), len, nulls)?,
        (Kind::Record(record), _) => structs(plan, columns, node, record.fields.iter().map(|field| field.node), len, nulls)?,
        (Kind::Sum(cases), _) => {
            let parts = cases.tag.into_iter().chain(cases.cases.iter().filter_map(|case| case.node));
            structs(plan, columns, node, parts, len, nulls)?
        }
        _ => return Err(no_type()),
    })
}

fn buffer_of(bits: Bits) -> BooleanBuffer {
    let len = bits.len();
    BooleanBuffer::new(Buffer::from_vec(bits.into_bytes()), 0, len)
}

fn structs(
    plan: &Plan,
    columns: &mut [Column],
    node: &Node,
    parts: impl Iterator<Item = Id>,
    len: usize,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let DataType::Struct(fields) = &node.data_type else { return Err(no_type()) };
    let parts = parts.map(|part| take(plan, columns, part)).collect::<Result<Vec<ArrayRef>>>()?;
    Ok(Arc::new(StructArray::try_new_with_length(fields.clone(), parts, nulls, len).map_err(made_wrong)?))
}

fn offsets(ends: Vec<i32>) -> Result<OffsetBuffer<i32>> {
    // They grow by construction; a mistake would be one of this crate.
    if ends.is_empty() || ends.windows(2).any(|pair| pair[0] > pair[1]) {
        return Err(made_wrong("offsets that fall"));
    }
    Ok(OffsetBuffer::new(ends.into()))
}

/// Returns the error of an array that cannot be made.
#[cold]
pub(crate) fn made_wrong(error: impl std::fmt::Display) -> Error {
    Error::internal(format!("columns that do not fit their types: {error}"))
}

#[cold]
fn no_type() -> Error {
    Error::internal("a column without a type")
}

/// A column of reasons, or of JSON text, beside the values.
#[derive(Default)]
pub(crate) struct Texts {
    ends: Vec<i32>,
    bytes: Vec<u8>,
    valid: Option<NullBufferBuilder>,
}

impl Texts {
    pub fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len() as i32);
        self.valid.get_or_insert_with(|| NullBufferBuilder::new(0)).append_non_null();
    }

    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn pad(&mut self, len: usize) {
        let missing = len.saturating_sub(self.ends.len());
        if missing > 0 {
            self.ends.resize(len, self.bytes.len() as i32);
            self.valid.get_or_insert_with(|| NullBufferBuilder::new(0)).append_n_nulls(missing);
        }
    }

    pub fn take(&mut self) -> Result<ArrayRef> {
        let Texts { mut ends, bytes, valid } = std::mem::take(self);
        ends.insert(0, 0);
        let nulls = valid.and_then(|mut valid| valid.finish());
        Ok(Arc::new(text_array(offsets(ends)?, bytes, nulls).map_err(made_wrong)?))
    }
}

/// The column `_error` under construction.
#[derive(Default)]
pub(crate) struct Reasons {
    offsets: Vec<Option<u64>>,
    path: Texts,
    expected: Texts,
    found: Texts,
    rows: usize,
    valid: Option<NullBufferBuilder>,
}

impl Reasons {
    /// Adds the reason of the row `row`.
    pub fn push(&mut self, row: usize, error: &Error) {
        self.pad(row);
        self.valid.get_or_insert_with(|| NullBufferBuilder::new(0)).append_non_null();
        self.rows += 1;
        self.offsets.push(error.offset());
        match error.path() {
            Some(path) if !path.0.is_empty() => self.path.push(path.to_string().as_bytes()),
            _ => self.path.pad(self.rows),
        }
        self.expected.push(error.expected_text().as_bytes());
        self.found.push(error.seen_text().as_bytes());
    }

    pub fn pad(&mut self, rows: usize) {
        let missing = rows.saturating_sub(self.rows);
        if missing > 0 {
            self.valid.get_or_insert_with(|| NullBufferBuilder::new(0)).append_n_nulls(missing);
            self.rows = rows;
            self.offsets.resize(rows, None);
            [&mut self.path, &mut self.expected, &mut self.found].into_iter().for_each(|texts| texts.pad(rows));
        }
    }

    pub fn take(&mut self, fields: &Fields) -> Result<ArrayRef> {
        let Reasons { offsets, mut path, mut expected, mut found, valid, .. } = std::mem::take(self);
        let nulls = valid.and_then(|mut valid| valid.finish());
        let rows = offsets.len();
        let parts: Vec<ArrayRef> = vec![Arc::new(UInt64Array::from(offsets)), path.take()?, expected.take()?, found.take()?];
        Ok(Arc::new(StructArray::try_new_with_length(fields.clone(), parts, nulls, rows).map_err(made_wrong)?))
    }
}
