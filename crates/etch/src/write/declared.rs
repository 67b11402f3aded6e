//! Values as their declared types have them on the wire.

use polywire_core::value::{Entry, Item, ROUNDED, View, nearest_f32, nearest_f64};
use polywire_core::{Error, ErrorKind, Fault, Open, Result, Scalar};

use super::{Encoder, Task};
use crate::meant::{double, fits, float, narrow};
use crate::plan::{Plan, Shape, Ty};
use crate::wire::{ANY, ARRAY, CUSTOM, FLOAT, NONE, TRUE};

#[cold]
fn wrong(plan: &Plan, ty: Ty, seen: &str) -> Error {
    Error::new(ErrorKind::Mismatch, Fault::Data).seen(seen.to_owned()).expected(plan.shown(ty))
}

/// Returns whether all keys of a map are text.
fn has_fields(item: Item<'_, 'static>) -> bool {
    item.entries().all(|entry| matches!(entry, Entry::Field(..)))
}

impl<'t> Encoder<'_, 't> {
    /// Writes a value of a declared type. Returns false if it is written as without a schema.
    pub(super) fn declared(&mut self, plan: &'t Plan, item: Item<'t, 'static>, ty: Ty) -> Result<bool> {
        match item.view() {
            View::Scalar(value) => self.declared_scalar(plan, value, item, ty),
            View::Open(Open::List(_) | Open::Tuple(_)) => {
                if let View::Open(Open::Tuple(_)) = item.view() {
                    self.losses.value("tuple became list", item.opening());
                }
                if ty.dimensions > 0 && !ty.is_bytes() {
                    self.elements(ty.code(), plan.structure(ty.shape), ty.dimensions, item, ty.inner())?;
                    return Ok(true);
                }
                let (list, values) = match ty.shape {
                    Shape::List if ty.dimensions == 0 => ("_Etch_List", "values"),
                    Shape::Set if ty.dimensions == 0 => ("_Etch_Set", "keys"),
                    _ => return Err(wrong(plan, ty, "a list")),
                };
                self.out.push(CUSTOM);
                self.known(list)?;
                self.out.push(1);
                self.known(values)?;
                self.out.extend([ARRAY, ANY, 1]);
                self.count(item.entries().count())?;
                self.tasks.extend([Task::End, Task::Elements(item.entries(), Ty::ANY)]);
                Ok(true)
            }
            View::Open(Open::Record { name, .. }) => {
                let structure = plan.structure(ty.shape).filter(|_| ty.dimensions == 0);
                if structure.is_none() && (!ty.thrown || name.is_empty()) {
                    return Err(wrong(plan, ty, "a record"));
                }
                match (name, ty.shape, structure) {
                    ("", Shape::Map, _) => self.map(item)?,
                    ("", Shape::Enum(_) | Shape::Struct(_), Some(structure)) => {
                        self.out.push(CUSTOM);
                        self.fields(structure, item)?;
                    }
                    ("", ..) => return Err(wrong(plan, ty, "a record without a name")),
                    _ => {
                        self.reads_otherwise(name, item, ty);
                        self.out.push(CUSTOM);
                        self.fields(name, item)?;
                    }
                }
                Ok(true)
            }
            View::Open(Open::Map(_)) => match ty.shape {
                Shape::Map if ty.dimensions == 0 => {
                    self.map(item)?;
                    Ok(true)
                }
                Shape::Struct(_) if ty.dimensions == 0 && has_fields(item) => {
                    self.out.push(CUSTOM);
                    self.fields(plan.structure(ty.shape).unwrap_or_default(), item)?;
                    Ok(true)
                }
                _ => Err(wrong(plan, ty, "a map")),
            },
            View::Open(Open::Tagged { .. }) => Ok(false),
            View::Open(other) => Err(wrong(plan, ty, other.kind())),
        }
    }

    fn declared_scalar(&mut self, plan: &'t Plan, value: Scalar<'static, '_>, item: Item<'t, 'static>, ty: Ty) -> Result<bool> {
        let at = item.opening();
        if ty.dimensions > 0 {
            return match value {
                Scalar::Null => Ok(false),
                Scalar::Bytes(_) if ty.is_bytes() => Ok(false),
                other => Err(wrong(plan, ty, other.kind())),
            };
        }
        let whole = match value {
            Scalar::Int(value, _) => Some(value),
            Scalar::UInt(value, _) => i64::try_from(value).ok(),
            _ => None,
        };
        match (ty.shape, value) {
            (_, Scalar::Null) | (Shape::Bool, Scalar::Bool(_)) | (Shape::Time, Scalar::Time(_)) => return Ok(false),
            (Shape::Text, Scalar::Text(_) | Scalar::Octets(_)) | (Shape::Double, Scalar::F64(..)) => return Ok(false),
            (Shape::Float, Scalar::F32(..)) => return Ok(false),
            (Shape::Int(bits), Scalar::Int(..) | Scalar::UInt(..)) => match whole {
                Some(value) if fits(value, bits) => return Ok(false),
                _ => {
                    return Err(Error::new(ErrorKind::Range, Fault::Data)
                        .seen(format!("the integer {}", shown(value)))
                        .expected(plan.shown(ty)));
                }
            },
            (Shape::Double, Scalar::F32(value, _)) => self.double(f64::from(value)),
            (Shape::Double, Scalar::Int(..) | Scalar::UInt(..)) => {
                let exact = whole.and_then(double);
                if exact.is_none() {
                    self.losses.rounded(ROUNDED, at);
                }
                self.double(exact.unwrap_or_else(|| rounded(value)));
            }
            (Shape::Double, Scalar::Decimal(digits, hint)) => {
                let Some(value) = nearest_f64(digits.get(), hint) else {
                    return Err(wrong(plan, ty, "a decimal that must not be rounded"));
                };
                self.losses.rounded(ROUNDED, at);
                self.double(value);
            }
            (Shape::Float, Scalar::Int(..) | Scalar::UInt(..)) => {
                let exact = whole.and_then(float);
                if exact.is_none() {
                    self.losses.rounded(ROUNDED_TO_FLOAT, at);
                }
                self.float(exact.unwrap_or_else(|| rounded(value) as f32));
            }
            (Shape::Float, Scalar::F64(value, _)) => {
                let exact = narrow(value);
                if exact.is_none() {
                    self.losses.rounded(ROUNDED_TO_FLOAT, at);
                }
                self.float(exact.unwrap_or(value as f32));
            }
            (Shape::Float, Scalar::Decimal(digits, hint)) => {
                let Some(value) = nearest_f64(digits.get(), hint) else {
                    return Err(wrong(plan, ty, "a decimal that must not be rounded"));
                };
                self.losses.rounded(ROUNDED_TO_FLOAT, at);
                self.float(nearest_f32(value, Some(digits.get())));
            }
            (Shape::Enum(index), Scalar::Text(text)) => {
                let of = &plan.types[index as usize];
                if !of.fields.contains_key(text.get()) {
                    let mut names: Vec<&str> = of.fields.keys().map(String::as_str).collect();
                    names.sort_unstable();
                    return Err(Error::new(ErrorKind::Mismatch, Fault::Data)
                        .seen(format!("the enumerator `{}`", text.get()))
                        .expected(format!("one of {}, of {}", names.join(", "), of.name)));
                }
                self.out.push(CUSTOM);
                self.name(&of.name, true)?;
                self.out.push(1);
                self.name(text.get(), false)?;
                self.out.extend([TRUE, NONE]);
            }
            // An exception is expected, and no other value.
            (_, other) => return Err(wrong(plan, ty, other.kind())),
        }
        Ok(true)
    }

    fn float(&mut self, value: f32) {
        self.out.push(FLOAT);
        self.out.extend(value.to_be_bytes());
    }

    /// Returns the type of a message that has that name, which may be empty.
    pub(super) fn root(plan: Option<&'t Plan>, name: &'t str) -> Result<&'t str> {
        let Some(plan) = plan.filter(|_| name.is_empty()) else { return Ok(name) };
        plan.root.map(|root| &*plan.types[root as usize].name).ok_or_else(|| {
            Error::new(ErrorKind::Mismatch, Fault::Data)
                .seen("a message without the name of its type")
                .expected("a record with a name")
                .hint("choose the message by `--type`")
        })
    }
}

/// Loss of a number that a float does not hold.
const ROUNDED_TO_FLOAT: &str = "number rounded to the nearest 32-bit float";

/// Returns an integer as the nearest double.
fn rounded(value: Scalar<'_, '_>) -> f64 {
    match value {
        Scalar::Int(value, _) => value as f64,
        Scalar::UInt(value, _) => value as f64,
        _ => 0.0,
    }
}

fn shown(value: Scalar<'_, '_>) -> String {
    match value {
        Scalar::Int(value, _) => value.to_string(),
        Scalar::UInt(value, _) => value.to_string(),
        other => other.kind().to_string(),
    }
}
