//! Comparison of rows with the methods for single fields.

use polywire_core::Next;

use crate::dom::{Arena, Array, ArrayMut, Document, RowMut, Structure, StructureMut, Value};
use crate::error::DecodeError;
use crate::events::{self, Extent, Halt, Handler, MAX_DEPTH, Row, RowEnd, Scalar};
use crate::plan::{Op, Plan};

/// Handler that records its calls.
struct Record<'p> {
    plan: &'p Plan,
    /// If set, takes this number of fields of each row by their types.
    take: Option<usize>,
    told: Vec<String>,
}

impl<'m> Handler<'m> for Record<'_> {
    type Error = ();

    fn scalar(&mut self, slot: u32, value: Scalar<'m>, _: Extent) -> Result<(), ()> {
        self.told.push(format!("{slot} {value:?}"));
        Ok(())
    }

    fn structure(&mut self, slot: u32, shape: u32, _: Extent) -> Result<Next, ()> {
        self.told.push(format!("{slot} structure {shape}"));
        Ok(Next::Enter)
    }

    fn row(&mut self, slot: u32, shape: u32, row: &mut Row<'_, 'm>) -> Result<(), RowEnd<()>> {
        let Some(take) = self.take else { return row.emit(slot, shape, self) };
        self.told.push(format!("{slot} structure {shape}"));
        let plan = self.plan;
        for slot in plan.shapes[shape as usize].slots().take(take) {
            let value = match plan.ops[slot] {
                Op::Boolean => Scalar::Bool(row.bool()?),
                Op::Byte | Op::Short | Op::Int | Op::Long | Op::Varint => Scalar::Int(row.int()?),
                Op::Ubyte | Op::Ushort | Op::Uint | Op::Ulong | Op::Uvarint => Scalar::UInt(row.uint()?),
                Op::Float => Scalar::F32(row.f32()?),
                Op::Double => Scalar::F64(row.f64()?),
                Op::Text => Scalar::Text(row.text()?),
                Op::Octets => Scalar::Octets(row.octets()?),
                _ => row.scalar()?,
            };
            self.told.push(format!("{slot} {value:?}"));
        }
        self.told.push("end".into());
        Ok(())
    }

    fn end(&mut self, _: usize) -> Result<(), ()> {
        self.told.push("end".into());
        Ok(())
    }
}

/// Checks that rows give the same values as other calls, and end at the same place, also if fields
/// are left out.
///
/// # Panics
/// They differ.
pub(super) fn agree(plan: &Plan, entries: &[u8]) {
    let tell = |take: Option<usize>| {
        let mut record = Record { plan, take, told: Vec::new() };
        let ended = events::decode(plan, entries, 0, MAX_DEPTH, &mut record);
        let ended = ended.map_err(|halt| match *halt {
            Halt::Bad(failure) => failure,
            halt => panic!("{halt:?}"),
        });
        (record.told, ended)
    };
    let (told, ended) = tell(None);
    let (taken, taken_ended) = tell(Some(usize::MAX));
    assert_eq!(taken_ended, ended, "rows of {entries:02x?}");
    assert_eq!(tell(Some(1)).1, ended, "rows of {entries:02x?}, of which one field is taken");
    if ended.is_ok() {
        assert_eq!(taken, told, "rows of {entries:02x?}");
    }
}

/// Returns the entries of a copy of a document, built value by value. No root can be made a
/// polymorph.
///
/// # Panics
/// A value is refused.
pub(super) fn copied(document: &Document<'_, '_>, arena: &mut Arena) -> Option<Vec<u8>> {
    let mut copy = arena.start();
    for (tag, value) in document.roots() {
        let done = match value {
            Value::Structure(structure) => copy.add_structure(tag).and_then(|mut to| fields(structure, &mut to)),
            Value::Array(array) => copy.add_array(tag).and_then(|mut to| elements(array, &mut to)),
            Value::Scalar(scalar) => copy.add_scalar(tag, scalar),
            _ => return None,
        };
        done.unwrap_or_else(|failure| panic!("{failure}"));
    }
    let mut out = Vec::new();
    copy.encode_entries(&mut out).unwrap_or_else(|failure| panic!("{failure}"));
    Some(out)
}

fn give(row: &mut RowMut<'_>, value: Scalar<'_>) -> Result<(), DecodeError> {
    match value {
        Scalar::Bool(value) => row.bool(value),
        Scalar::Int(value) => row.int(value),
        Scalar::UInt(value) => row.uint(value),
        Scalar::F32(value) => row.f32(value),
        Scalar::F64(value) => row.f64(value),
        Scalar::Text(text) => row.text(text),
        Scalar::Octets(bytes) => row.octets(bytes),
        value => row.scalar(value),
    }
}

/// Returns the fields of a row, one by one.
fn values(mut row: crate::dom::Row<'_>) -> Vec<Scalar<'_>> {
    std::iter::from_fn(|| row.scalar()).collect()
}

/// Returns the same fields by their numbers.
fn first<'d>(structure: Structure<'d>, count: usize) -> Vec<Scalar<'d>> {
    structure.fields().take(count).filter_map(|(_, _, value)| value.and_then(Value::scalar)).collect()
}

fn same(one: &[Scalar<'_>], other: &[Scalar<'_>]) {
    // NaN is not equal to itself.
    assert_eq!(format!("{one:?}"), format!("{other:?}"));
}

fn fields(from: Structure<'_>, to: &mut StructureMut<'_>) -> Result<(), DecodeError> {
    let led = values(from.row());
    same(&led, &first(from, led.len()));
    if from.len() <= 64 {
        to.row(|row| led.iter().try_for_each(|value| give(row, *value)))?;
    }
    let by_slot = if from.len() <= 64 { led.len() } else { 0 };
    for (slot, _, value) in from.fields().skip(by_slot) {
        match value {
            None => {}
            Some(Value::Null) => to.set_null(slot)?,
            Some(Value::Scalar(scalar)) => to.set(slot, scalar)?,
            Some(Value::Structure(structure)) => fields(structure, &mut to.structure(slot)?)?,
            Some(Value::Member { tag, structure, .. }) => fields(structure, &mut to.member(slot, tag)?)?,
            Some(Value::Array(array)) => elements(array, &mut to.array(slot)?)?,
        }
    }
    Ok(())
}

fn elements(from: Array<'_>, to: &mut ArrayMut<'_>) -> Result<(), DecodeError> {
    if let Some(rows) = from.rows() {
        let rows: Vec<Vec<Scalar<'_>>> = rows.map(values).collect();
        for (row, structure) in rows.iter().zip(from.structures()) {
            same(row, &first(structure, structure.len()));
        }
        assert_eq!(rows.len(), from.len());
        // Some are added one by one, so that the array has to grow.
        let (one, many) = rows.split_at(rows.len() / 2);
        for values in one {
            to.push_row(|row| values.iter().try_for_each(|value| give(row, *value)))?;
        }
        return to.extend_rows(many, |row, values| values.iter().try_for_each(|value| give(row, *value)));
    }
    for value in from.iter() {
        match value {
            Value::Null => {}
            Value::Scalar(scalar) => to.push(scalar)?,
            Value::Structure(structure) => fields(structure, &mut to.push_structure()?)?,
            Value::Member { tag, structure, .. } => fields(structure, &mut to.push_member(tag)?)?,
            Value::Array(array) => elements(array, &mut to.push_array()?)?,
        }
    }
    Ok(())
}
