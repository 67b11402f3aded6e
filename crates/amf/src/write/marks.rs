//! Values with a mark of AMF's own.

use polywire_core::value::{Entry, Item, View};
use polywire_core::{Open, Result, Scalar};

use super::amf3::DYNAMIC;
use super::task::{Encoder, Task, has_names};
use crate::marker::{amf0, amf3};
use crate::tags;
use crate::token::Version;
use crate::u29;
use crate::values::moment;

/// Loss of a mark that does not fit.
const DROPPED: &str = "tag dropped: its value is of another type";
/// Loss of a mark that the other version of AMF has.
const OF_OTHER: &str = "tag dropped: only the other version of AMF has it";
/// Loss of a reference.
const NO_OBJECT: &str = "reference dropped: no object of its number was written";

/// Returns the milliseconds of a date, if it is one.
fn milliseconds(value: Item<'_, 'static>) -> Option<f64> {
    match value.view() {
        View::Scalar(Scalar::F64(value, _)) => Some(value),
        View::Scalar(Scalar::Time(moment)) if moment.nanos().is_multiple_of(1_000_000) => {
            let whole = i128::from(moment.seconds()) * 1000 + i128::from(moment.nanos() / 1_000_000);
            (whole.unsigned_abs() <= crate::values::EXACT as u128).then_some(whole as f64)
        }
        _ => None,
    }
}

/// Returns the bytes of a text.
fn text<'t>(value: Item<'t, 'static>) -> Option<&'t [u8]> {
    match value.view() {
        View::Scalar(Scalar::Text(text)) => Some(text.get().as_bytes()),
        View::Scalar(Scalar::Octets(octets)) if std::str::from_utf8(octets.get()).is_err() => Some(octets.get()),
        _ => None,
    }
}

fn index(value: Item<'_, 'static>) -> Option<u32> {
    let View::Scalar(Scalar::UInt(index, _)) = value.view() else { return None };
    u32::try_from(index).ok()
}

fn is_null(value: Item<'_, 'static>) -> bool {
    matches!(value.view(), View::Scalar(Scalar::Null))
}

/// Returns the name of a record whose keys are all text, or of a map like that, which has none.
fn record<'t>(value: Item<'t, 'static>) -> Option<&'t str> {
    match value.view() {
        View::Open(Open::Record { name, .. }) => Some(name),
        View::Open(Open::Map(_)) if has_names(value) => Some(""),
        _ => None,
    }
}

impl<'t> Encoder<'_, 't> {
    fn dropped(&mut self, what: &'static str, item: Item<'t, 'static>, version: Version) -> Result<()> {
        self.losses.value(what, item.opening());
        self.inside(item, version)
    }

    /// Writes a value with a mark in AMF0.
    pub(super) fn marked0(&mut self, code: u64, item: Item<'t, 'static>) -> Result<()> {
        let Some(value) = item.entries().next().map(|entry| entry.value()) else { return self.inside(item, Version::Amf0) };
        let (kind, number) = tags::split(code);
        match code {
            tags::UNDEFINED if is_null(value) => self.out.push(amf0::UNDEFINED),
            tags::UNSUPPORTED if is_null(value) => self.out.push(amf0::UNSUPPORTED),
            tags::REFERENCE_0 => match index(value).and_then(|index| u16::try_from(index).ok()) {
                Some(index) if u32::from(index) < self.tables.objects0 => {
                    self.out.push(amf0::REFERENCE);
                    self.out.extend_from_slice(&index.to_be_bytes());
                }
                _ => return self.dropped(NO_OBJECT, item, Version::Amf0),
            },
            tags::LONG_STRING => match text(value) {
                Some(text) if text.len() <= usize::from(u16::MAX) => self.long0(amf0::LONG_STRING, text)?,
                _ => return self.dropped(DROPPED, item, Version::Amf0),
            },
            tags::XML_DOCUMENT => match text(value) {
                Some(text) => self.long0(amf0::XML_DOCUMENT, text)?,
                None => return self.dropped(DROPPED, item, Version::Amf0),
            },
            tags::DATE => match milliseconds(value) {
                Some(value) if moment(value).is_none() => self.date0(value, 0),
                _ => return self.dropped(DROPPED, item, Version::Amf0),
            },
            _ if kind == tags::ZONED && number != 0 => match (milliseconds(value), u16::try_from(number)) {
                (Some(milliseconds), Ok(zone)) if is_date(value, milliseconds) => self.date0(milliseconds, zone),
                _ => return self.dropped(DROPPED, item, Version::Amf0),
            },
            tags::TYPED if record(value) == Some("") => {
                self.out.extend([amf0::TYPED_OBJECT, 0, 0]);
                self.pairs0(value);
            }
            _ if kind == tags::ECMA_ARRAY
                && record(value) == Some("")
                && usize::try_from(number).is_ok_and(|count| count != value.entries().count()) =>
            {
                self.ecma0(number as usize, value)?;
            }
            tags::AMF3 if !is_always3(value) => {
                self.out.push(amf0::AVM_PLUS);
                self.tasks.push(Task::Value(value, Version::Amf3));
            }
            tags::AMF3 | tags::REFERENCE_3 | tags::XML | tags::ARRAY..=tags::SEALED => {
                return self.dropped(OF_OTHER, item, Version::Amf0);
            }
            _ if matches!(kind, tags::DYNAMIC | tags::EXTERNAL) => return self.dropped(OF_OTHER, item, Version::Amf0),
            _ => return self.dropped(DROPPED, item, Version::Amf0),
        }
        Ok(())
    }

    /// Writes a value with a mark in AMF3.
    pub(super) fn marked3(&mut self, code: u64, item: Item<'t, 'static>) -> Result<()> {
        let Some(value) = item.entries().next().map(|entry| entry.value()) else { return self.inside(item, Version::Amf3) };
        let (kind, number) = tags::split(code);
        match code {
            tags::UNDEFINED if is_null(value) => self.out.push(amf3::UNDEFINED),
            tags::REFERENCE_3 => match index(value).and_then(|index| Some((index, *self.tables.objects.get(index as usize)?))) {
                Some((index, marker)) if i64::from(index) <= u29::MAX_SIGNED => {
                    self.out.push(marker);
                    u29::put(self.out, index << 1);
                }
                _ => return self.dropped(NO_OBJECT, item, Version::Amf3),
            },
            tags::XML | tags::XML_DOCUMENT => match text(value) {
                Some(text) => {
                    self.head3(if code == tags::XML { amf3::XML } else { amf3::XML_DOCUMENT }, text.len())?;
                    self.out.extend_from_slice(text);
                }
                None => return self.dropped(DROPPED, item, Version::Amf3),
            },
            tags::DATE => match milliseconds(value) {
                Some(value) if moment(value).is_none() => self.date3(value),
                _ => return self.dropped(DROPPED, item, Version::Amf3),
            },
            tags::ARRAY if is_array(value) => {
                let places = value.entries().filter(|entry| matches!(entry, Entry::Pair(..))).count();
                self.head3(amf3::ARRAY, places)?;
                self.tasks.push(Task::Named(value.entries(), true));
            }
            tags::DICTIONARY if record(value) == Some("") => self.dictionary3(value, false)?,
            tags::WEAK_DICTIONARY if matches!(value.view(), View::Open(Open::Map(_) | Open::Record { name: "", .. })) => {
                self.dictionary3(value, true)?;
            }
            tags::VECTOR_INT..tags::VECTOR_OBJECT => return self.numbers(code, value, item),
            tags::VECTOR_OBJECT | 21 => return self.objects(code, value, item),
            tags::SEALED if record(value) == Some("") => self.object3("", 0, value.entries().count(), value)?,
            _ if kind == tags::DYNAMIC => match record(value) {
                Some(class) if (!class.is_empty() || number > 0) && number as usize <= value.entries().count() => {
                    self.object3(class, DYNAMIC, number as usize, value)?;
                }
                _ => return self.dropped(DROPPED, item, Version::Amf3),
            },
            _ if kind == tags::EXTERNAL => match record(value) {
                Some(class) if number < 1 << 26 && self.external(class, number, value)? => {}
                _ => return self.dropped(DROPPED, item, Version::Amf3),
            },
            tags::UNSUPPORTED | tags::REFERENCE_0 | tags::LONG_STRING | tags::TYPED | tags::AMF3 => {
                return self.dropped(OF_OTHER, item, Version::Amf3);
            }
            _ if matches!(kind, tags::ZONED | tags::ECMA_ARRAY) => return self.dropped(OF_OTHER, item, Version::Amf3),
            _ => return self.dropped(DROPPED, item, Version::Amf3),
        }
        Ok(())
    }

    /// Writes a vector of numbers.
    fn numbers(&mut self, code: u64, value: Item<'t, 'static>, item: Item<'t, 'static>) -> Result<()> {
        let fixed = code & 1;
        let (marker, size) = match code - fixed {
            tags::VECTOR_INT => (amf3::VECTOR_INT, 4),
            tags::VECTOR_UINT => (amf3::VECTOR_UINT, 4),
            _ => (amf3::VECTOR_DOUBLE, 8),
        };
        let mut bytes = Vec::new();
        let mut fits = matches!(value.view(), View::Open(Open::List(_)));
        for entry in value.entries() {
            if !fits {
                break;
            }
            match (marker, entry.value().view()) {
                (amf3::VECTOR_INT, View::Scalar(Scalar::Int(value, _))) if i32::try_from(value).is_ok() => {
                    bytes.extend_from_slice(&(value as i32).to_be_bytes());
                }
                (amf3::VECTOR_INT, View::Scalar(Scalar::UInt(value, _))) if i32::try_from(value).is_ok() => {
                    bytes.extend_from_slice(&(value as i32).to_be_bytes());
                }
                (amf3::VECTOR_UINT, View::Scalar(Scalar::UInt(value, _))) if u32::try_from(value).is_ok() => {
                    bytes.extend_from_slice(&(value as u32).to_be_bytes());
                }
                (amf3::VECTOR_DOUBLE, View::Scalar(Scalar::F64(value, _))) => bytes.extend_from_slice(&value.to_be_bytes()),
                (amf3::VECTOR_DOUBLE, View::Scalar(Scalar::F32(value, _))) => bytes.extend_from_slice(&f64::from(value).to_be_bytes()),
                _ => fits = false,
            }
        }
        if !fits {
            return self.dropped(DROPPED, item, Version::Amf3);
        }
        self.head3(marker, bytes.len() / size)?;
        self.out.push(fixed as u8);
        self.out.extend_from_slice(&bytes);
        Ok(())
    }

    /// Writes a vector of objects.
    fn objects(&mut self, code: u64, value: Item<'t, 'static>, item: Item<'t, 'static>) -> Result<()> {
        let mut parts = value.entries();
        let (View::Open(Open::Tuple(_)), Some(class), Some(list), None) = (value.view(), parts.next(), parts.next(), parts.next()) else {
            return self.dropped(DROPPED, item, Version::Amf3);
        };
        let (Some(class), View::Open(Open::List(_))) = (text(class.value()), list.value().view()) else {
            return self.dropped(DROPPED, item, Version::Amf3);
        };
        let entries = list.value().entries();
        self.head3(amf3::VECTOR_OBJECT, entries.clone().count())?;
        self.out.push((code & 1) as u8);
        self.text3(class)?;
        self.tasks.push(Task::Values(entries, Version::Amf3));
        Ok(())
    }
}

/// Reports whether a date reads back as the value that it was written of.
fn is_date(value: Item<'_, 'static>, milliseconds: f64) -> bool {
    matches!(value.view(), View::Scalar(Scalar::Time(_))) == moment(milliseconds).is_some()
}

/// Reports whether a value of AMF3 within AMF0 needs no mark: AMF0 always has it so.
fn is_always3(value: Item<'_, 'static>) -> bool {
    match value.view() {
        View::Scalar(Scalar::Bytes(_)) => true,
        View::Open(Open::Map(_)) => !has_names(value),
        _ => false,
    }
}

/// Reports whether a map is an array with names: these first, at least one of them, then places
/// from zero on.
fn is_array(value: Item<'_, 'static>) -> bool {
    let (mut names, mut places) = (false, 0);
    let entries = match value.view() {
        View::Open(Open::Map(_) | Open::Record { name: "", .. }) => value.entries(),
        _ => return false,
    };
    for entry in entries {
        match entry {
            Entry::Field(name, _) if places == 0 => names |= !name.is_empty(),
            Entry::Pair(key, _) if index(key) == Some(places) => places += 1,
            _ => return false,
        }
    }
    names
}
