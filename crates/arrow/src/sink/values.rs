//! Scalars, appended to columns.

use std::sync::Arc;

use polywire_core::columns::{Data, MOST};
use polywire_core::schema::TimeUnit;
use polywire_core::{Error, Result, Scalar, Span, Timestamp};

use super::events::scalar_case;
use super::faults::{article, expected, full, mismatch};
use super::numbers::{digits, double, put_fixed, put_whole, single, whole};
use super::{Level, Open0, Rows};
use crate::plan::{Id, Kind};

impl Rows {
    /// Appends text or bytes to a column.
    #[inline(always)]
    pub(super) fn bytes(&mut self, id: Id, value: &[u8], at: Span) -> Result<()> {
        let column = &mut self.columns[id as usize];
        let Data::Bytes(ends, bytes) = &mut column.data else { return Err(Error::internal("text in no column of texts")) };
        if value.len() > MOST - bytes.len() {
            self.is_full = true;
            return Err(full(at));
        }
        bytes.extend_from_slice(value);
        ends.push(bytes.len() as i32);
        column.push();
        self.size += value.len() + 4;
        Ok(())
    }

    /// Appends a scalar to the column of a value.
    #[inline(always)]
    pub(super) fn put(&mut self, id: Id, value: &Scalar<'_, '_>, at: Span) -> Result<()> {
        let column = &mut self.columns[id as usize];
        // The usual values, without more than a look at both.
        match (value, &mut column.data) {
            (Scalar::Text(text), Data::Bytes(ends, bytes)) if matches!(self.plan.nodes[id as usize].kind, Kind::Text) => {
                let text = text.get().as_bytes();
                if text.len() <= MOST - bytes.len() {
                    bytes.extend_from_slice(text);
                    ends.push(bytes.len() as i32);
                    column.push();
                    self.size += text.len() + 4;
                    return Ok(());
                }
            }
            (Scalar::UInt(value, _), Data::I64(values)) if matches!(self.plan.nodes[id as usize].kind, Kind::Int(_)) => {
                if let Ok(value) = i64::try_from(*value) {
                    values.push(value);
                    column.push();
                    self.size += 8;
                    return Ok(());
                }
            }
            (Scalar::UInt(value, _), Data::U64(values)) => {
                values.push(*value);
                column.push();
                self.size += 8;
                return Ok(());
            }
            (Scalar::UInt(value, _), Data::U32(values)) => {
                if let Ok(value) = u32::try_from(*value) {
                    values.push(value);
                    column.push();
                    self.size += 4;
                    return Ok(());
                }
            }
            (Scalar::F64(value, _), Data::F64(values)) if matches!(self.plan.nodes[id as usize].kind, Kind::F64) => {
                values.push(*value);
                column.push();
                self.size += 8;
                return Ok(());
            }
            (Scalar::Bool(value), Data::Bits(bits)) if matches!(self.plan.nodes[id as usize].kind, Kind::Bool) => {
                bits.push(*value);
                column.push();
                self.size += 1;
                return Ok(());
            }
            _ => {}
        }
        self.put_any(id, value, at)
    }

    /// Appends any scalar to the column of a value.
    pub(super) fn put_any(&mut self, id: Id, value: &Scalar<'_, '_>, at: Span) -> Result<()> {
        let plan = Arc::clone(&self.plan);
        let node = plan.node(id);
        if !node.marks.is_empty()
            && !matches!(value, Scalar::Null)
            && !matches!(self.levels.last(), Some(Level { kind: Open0::Mark(_), .. }))
        {
            return Err(self.unfit(id, value.kind(), at));
        }
        self.size += 8;
        if let Kind::Json = node.kind {
            if matches!(value, Scalar::Null) && node.nullable {
                self.nulls(id, 1);
                return Ok(());
            }
            let mut json = std::mem::take(&mut self.json);
            json.scalar(value, at, &mut self.losses);
            let put = self.bytes(id, &json.out, at);
            json.clear();
            self.json = json;
            return put;
        }
        if let Scalar::Null = value {
            if !node.nullable {
                return Err(self.unfit(id, "null", at));
            }
            self.nulls(id, 1);
            return Ok(());
        }
        if let Kind::Sum(cases) = &node.kind {
            let Some(case) = scalar_case(&plan, cases, value) else { return Err(self.unfit(id, value.kind(), at)) };
            return match self.choose(id, case) {
                Some(child) if cases.cases[case].carries == 1 => self.put(child, value, at),
                _ => Ok(()),
            };
        }
        if let Kind::List { item, one: true } = node.kind {
            self.put(item, value, at)?;
            self.end_list(id, item);
            return Ok(());
        }
        match &node.kind {
            Kind::Digits(whole) => {
                let mut scratch = std::mem::take(&mut self.scratch);
                scratch.clear();
                let is_number = digits(&mut scratch, value, *whole);
                let put = if is_number { self.bytes(id, &scratch, at) } else { Err(self.unfit(id, value.kind(), at)) };
                self.scratch = scratch;
                return put;
            }
            Kind::Octets => match value {
                Scalar::Octets(bytes) => return self.bytes(id, bytes.get(), at),
                Scalar::Text(text) => return self.bytes(id, text.get().as_bytes(), at),
                _ => return Err(self.unfit(id, value.kind(), at)),
            },
            Kind::Bytes => match value {
                Scalar::Bytes(bytes) => return self.bytes(id, bytes.get(), at),
                _ => return Err(self.unfit(id, value.kind(), at)),
            },
            Kind::Text => match value {
                Scalar::Text(text) => return self.bytes(id, text.get().as_bytes(), at),
                _ => return Err(self.unfit(id, value.kind(), at)),
            },
            _ => {}
        }
        let column = &mut self.columns[id as usize];
        let is_put = match (&node.kind, &mut column.data) {
            (Kind::Bool, Data::Bits(bits)) => match value {
                Scalar::Bool(value) => {
                    bits.push(*value);
                    true
                }
                _ => false,
            },
            (Kind::Int(_) | Kind::UInt(_), data) => match whole(value) {
                Some(number) => put_whole(data, number),
                None => false,
            },
            (Kind::F32, Data::F32(values)) => match single(value) {
                Some(value) => {
                    values.push(value);
                    true
                }
                None => false,
            },
            (kind @ (Kind::F64 | Kind::Number), Data::F64(values)) => match double(value, &mut self.losses, at) {
                Some(number) => {
                    match kind {
                        Kind::Number => self.losses.whole(value, at),
                        _ if matches!(value, Scalar::Int(..) | Scalar::UInt(..) | Scalar::Big(..)) => {
                            self.losses.value("integer became a float", at);
                        }
                        _ => {}
                    }
                    values.push(number);
                    true
                }
                None => false,
            },
            (Kind::Time(unit), Data::I64(values)) => match value {
                Scalar::Time(moment) => match units(*moment, *unit) {
                    Some(count) => {
                        values.push(count);
                        true
                    }
                    None => return self.beyond(id, *moment, *unit, at),
                },
                _ => false,
            },
            (Kind::Names(names), Data::Keys(keys, more)) => match name_key(names, more, value) {
                Some(key) => {
                    keys.push(key);
                    true
                }
                None => false,
            },
            (Kind::Fixed { precision, scale, whole }, data) => {
                self.scratch.clear();
                digits(&mut self.scratch, value, *whole) && put_fixed(data, &self.scratch, *precision, *scale)
            }
            _ => false,
        };
        if !is_put {
            return Err(self.unfit(id, value.kind(), at));
        }
        self.columns[id as usize].push();
        Ok(())
    }

    /// Returns the error of a value that does not fit its column.
    #[cold]
    pub(super) fn unfit(&self, id: Id, seen: &'static str, at: Span) -> Error {
        let node = self.plan.node(id);
        mismatch(format!("{} {seen}", article(seen)), format!("{}, as the schema says", expected(&node.kind)), at)
    }
}

/// Returns the number of whole units from the epoch to a moment.
pub(super) fn units(moment: Timestamp, unit: TimeUnit) -> Option<i64> {
    let nanos = unit.nanos();
    if !moment.nanos().is_multiple_of(nanos) {
        return None;
    }
    let per_second = i128::from(1_000_000_000 / nanos);
    i64::try_from(i128::from(moment.seconds()) * per_second + i128::from(moment.nanos() / nanos)).ok()
}

/// Returns the key of a name or number.
pub(super) fn name_key(names: &crate::plan::Names, more: &mut Vec<String>, value: &Scalar<'_, '_>) -> Option<i32> {
    let name: std::borrow::Cow<'_, str> = match value {
        Scalar::Text(name) => match names.index.get(name.get()) {
            Some(key) => return Some(*key as i32),
            None => name.get().into(),
        },
        scalar => {
            let number = i64::try_from(whole(scalar)?).ok()?;
            if let Some(key) = names.numbers.iter().position(|known| *known == number) {
                return Some(key as i32);
            }
            number.to_string().into()
        }
    };
    if !names.extensible {
        return None;
    }
    let place = match more.iter().position(|known| **known == *name) {
        Some(place) => place,
        None if more.len() < 4096 => {
            more.push(name.into_owned());
            more.len() - 1
        }
        None => return None,
    };
    i32::try_from(names.names.len() + place).ok()
}
