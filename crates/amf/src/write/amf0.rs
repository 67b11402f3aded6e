//! Values of AMF0.

use polywire_core::value::{Item, View};
use polywire_core::{Error, Open, Result};

use super::scalars::{Plain, plain};
use super::task::{Encoder, Task, has_names};
use super::unsupported;
use crate::marker::{amf0, amf3};
use crate::tags::SPACE;
use crate::token::Version;
use crate::u29;

impl<'t> Encoder<'_, 't> {
    /// Writes a value, and leaves its entries as tasks.
    pub(super) fn value0(&mut self, item: Item<'t, 'static>) -> Result<()> {
        let at = item.opening();
        match item.view() {
            View::Scalar(value) => {
                let plain = plain(value, Version::Amf0, at, self.losses)?;
                self.plain0(&plain)
            }
            View::Open(Open::Tagged { space: SPACE, code }) => self.marked0(code, item),
            View::Open(Open::Tagged { .. }) => {
                self.losses.value("tag dropped", at);
                self.inside(item, Version::Amf0)
            }
            View::Open(Open::List(_)) => self.list0(item),
            View::Open(Open::Tuple(_)) => {
                self.losses.value("tuple became list", at);
                self.list0(item)
            }
            View::Open(Open::Record { name, .. }) => self.object0(name, item),
            View::Open(Open::Map(_)) if has_names(item) => self.ecma0(item.entries().count(), item),
            View::Open(Open::Map(_)) => {
                self.out.push(amf0::AVM_PLUS);
                self.dictionary3(item, false)
            }
            View::Open(Open::Variant { name, index }) => {
                self.losses.value("variant became a record of its name", at);
                self.tables.objects0 += 1;
                self.out.push(amf0::OBJECT);
                match name {
                    "" => self.name0(itoa::Buffer::new().format(index).as_bytes())?,
                    name => self.name0(name.as_bytes())?,
                }
                self.tasks.push(Task::Bytes((&[0, 0, amf0::OBJECT_END]).into()));
                self.case(item, Version::Amf0)
            }
            View::Open(other) => Err(Error::unknown_event(other.kind())),
        }
    }

    fn plain0(&mut self, value: &Plain<'_>) -> Result<()> {
        match value {
            Plain::Null => self.out.push(amf0::NULL),
            Plain::Bool(value) => self.out.extend([amf0::BOOLEAN, u8::from(*value)]),
            Plain::Int(value) => self.number0(*value as f64),
            Plain::Number(value) => self.number0(*value),
            Plain::Text(text) => return self.text0(text),
            Plain::Made(text) => return self.text0(text.as_bytes()),
            Plain::Bytes(bytes) => {
                self.out.push(amf0::AVM_PLUS);
                return self.bytes3(bytes);
            }
            Plain::Date(milliseconds) => self.date0(*milliseconds, 0),
        }
        Ok(())
    }

    fn number0(&mut self, value: f64) {
        self.out.push(amf0::NUMBER);
        self.out.extend_from_slice(&value.to_be_bytes());
    }

    pub(super) fn date0(&mut self, milliseconds: f64, zone: u16) {
        self.out.push(amf0::DATE);
        self.out.extend_from_slice(&milliseconds.to_be_bytes());
        self.out.extend_from_slice(&zone.to_be_bytes());
    }

    fn text0(&mut self, text: &[u8]) -> Result<()> {
        if text.len() > usize::from(u16::MAX) {
            return self.long0(amf0::LONG_STRING, text);
        }
        self.out.push(amf0::STRING);
        self.name0(text)
    }

    /// Writes a text behind a length of four bytes.
    pub(super) fn long0(&mut self, marker: u8, text: &[u8]) -> Result<()> {
        self.out.push(marker);
        let len = count(text.len())?;
        self.out.extend_from_slice(&len);
        self.out.extend_from_slice(text);
        Ok(())
    }

    /// Writes a text behind a length of two bytes, without a type.
    pub(super) fn name0(&mut self, name: &[u8]) -> Result<()> {
        let len =
            u16::try_from(name.len()).map_err(|_| unsupported(format!("a name of {} bytes", name.len())).expected("at most 65535"))?;
        self.out.extend_from_slice(&len.to_be_bytes());
        self.out.extend_from_slice(name);
        Ok(())
    }

    fn list0(&mut self, item: Item<'t, 'static>) -> Result<()> {
        self.tables.objects0 += 1;
        self.out.push(amf0::STRICT_ARRAY);
        let len = count(item.entries().count())?;
        self.out.extend_from_slice(&len);
        self.tasks.push(Task::Values(item.entries(), Version::Amf0));
        Ok(())
    }

    fn object0(&mut self, class: &str, item: Item<'t, 'static>) -> Result<()> {
        if class.is_empty() {
            self.out.push(amf0::OBJECT);
        } else {
            self.out.push(amf0::TYPED_OBJECT);
            self.name0(class.as_bytes())?;
        }
        self.pairs0(item);
        Ok(())
    }

    /// Leaves the properties of an object as a task.
    pub(super) fn pairs0(&mut self, item: Item<'t, 'static>) {
        self.tables.objects0 += 1;
        self.tasks.push(Task::Pairs(item.entries()));
    }

    pub(super) fn ecma0(&mut self, entries: usize, item: Item<'t, 'static>) -> Result<()> {
        self.out.push(amf0::ECMA_ARRAY);
        let len = count(entries)?;
        self.out.extend_from_slice(&len);
        self.pairs0(item);
        Ok(())
    }

    /// Writes the values of a case: none as null, one as it is, several as a list.
    pub(super) fn case(&mut self, item: Item<'t, 'static>, version: Version) -> Result<()> {
        let mut entries = item.entries();
        match (entries.next(), entries.next()) {
            (None, _) => self.out.push(if version == Version::Amf0 { amf0::NULL } else { amf3::NULL }),
            (Some(only), None) => self.tasks.push(Task::Value(only.value(), version)),
            _ if version == Version::Amf0 => return self.list0(item),
            _ => return self.list3(item),
        }
        Ok(())
    }

    /// Writes what a mark stands before, without the mark.
    pub(super) fn inside(&mut self, item: Item<'t, 'static>, version: Version) -> Result<()> {
        let Some(inner) = item.entries().next() else { return Err(Error::internal("a mark without a value")) };
        self.tasks.push(Task::Value(inner.value(), version));
        Ok(())
    }

    pub(super) fn bytes3(&mut self, bytes: &[u8]) -> Result<()> {
        self.tables.objects.push(amf3::BYTE_ARRAY);
        self.out.push(amf3::BYTE_ARRAY);
        u29::put(self.out, super::tables::length(bytes.len())? << 1 | 1);
        self.out.extend_from_slice(bytes);
        Ok(())
    }
}

/// Returns a length or count of four bytes.
fn count(len: usize) -> Result<[u8; 4]> {
    let len = u32::try_from(len).map_err(|_| unsupported(format!("{len} bytes or values in one value")).expected("at most 4294967295"))?;
    Ok(len.to_be_bytes())
}
