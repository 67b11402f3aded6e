//! Documents to events.

use polywire_core::{Field, Len, Next, Open, Result, Scalar as Event, Sink, Span, Str};

use super::arena::Document;
use super::value::{Structure, Value};
use crate::events::Scalar;
use crate::plan::Plan;

impl Document<'_, '_> {
    /// Emits the document to `sink` as [`UsdsReader`](crate::walk::UsdsReader) does: a record of
    /// the roots, named by their tags. All spans are empty. A field that is not set is emitted like
    /// one that is null.
    ///
    /// # Errors
    /// The sink's error.
    pub fn emit<'s>(&'s self, sink: &mut dyn Sink<'s>) -> Result<()> {
        let plan = self.plan();
        if sink.open(Open::Record { name: "", len: Len::Unknown }, Span::NONE)? != Next::Enter {
            return Ok(());
        }
        for (tag, value) in self.roots() {
            let field = Field { name: Str::Input(plan.tag_name(tag)), id: Some(u64::from(tag)), slot: Some(tag - 1) };
            match sink.field(field, Span::NONE)? {
                Next::Enter => {
                    if !emit_value(plan, value, sink)? {
                        return Ok(());
                    }
                }
                Next::Skip => {}
                Next::Stop => return Ok(()),
            }
        }
        sink.close(Span::NONE)
    }
}

/// Returns false if the sink stopped.
fn emit_value<'s>(plan: &'s Plan, value: Value<'s>, sink: &mut dyn Sink<'s>) -> Result<bool> {
    let scalar = match value {
        Value::Null => Event::Null,
        Value::Scalar(scalar) => match scalar {
            Scalar::Bool(value) => Event::Bool(value),
            Scalar::Int(value) => Event::int(value),
            Scalar::UInt(value) => Event::uint(value),
            Scalar::F32(value) => Event::f32(value),
            Scalar::F64(value) => Event::f64(value),
            Scalar::Text(text) => Event::Text(Str::Input(text)),
            Scalar::Octets(bytes) => match crate::wire::utf8(bytes) {
                Some(text) => Event::Text(Str::Input(text)),
                None => Event::Octets(Str::Input(bytes)),
            },
            Scalar::Enumerator { enumeration, position, .. } => {
                let name = plan.enumerator(enumeration, position);
                return within(Open::Variant { name, index: position }, sink, |_| Ok(true));
            }
        },
        Value::Structure(structure) => return fields(plan, structure, sink),
        Value::Member { tag, position, structure } => {
            let open = Open::Variant { name: plan.tag_name(tag), index: position };
            return within(open, sink, |sink| fields(plan, structure, sink));
        }
        Value::Array(array) => {
            let open = Open::List(Len::Claimed(array.len() as u64));
            return within(open, sink, |sink| {
                for value in array.iter() {
                    if !emit_value(plan, value, sink)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            });
        }
    };
    sink.scalar(scalar, Span::NONE)?;
    Ok(true)
}

fn within<'s>(open: Open<'_>, sink: &mut dyn Sink<'s>, inside: impl FnOnce(&mut dyn Sink<'s>) -> Result<bool>) -> Result<bool> {
    match sink.open(open, Span::NONE)? {
        Next::Enter => {}
        next => return Ok(next == Next::Skip),
    }
    if !inside(sink)? {
        return Ok(false);
    }
    sink.close(Span::NONE)?;
    Ok(true)
}

fn fields<'s>(plan: &'s Plan, structure: Structure<'s>, sink: &mut dyn Sink<'s>) -> Result<bool> {
    within(Open::Record { name: "", len: Len::Unknown }, sink, |sink| {
        for ((_, name, value), id) in structure.fields().zip(1u32..) {
            let Some(value) = value.filter(|value| !matches!(value, Value::Null)) else { continue };
            match sink.field(Field { name: Str::Input(name), id: Some(u64::from(id)), slot: Some(id - 1) }, Span::NONE)? {
                Next::Enter => {
                    if !emit_value(plan, value, sink)? {
                        return Ok(false);
                    }
                }
                Next::Skip => {}
                Next::Stop => return Ok(false),
            }
        }
        Ok(true)
    })
}
