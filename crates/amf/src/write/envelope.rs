//! Packets of remoting, and shared objects.

use polywire_core::value::{Entries, Item, View};
use polywire_core::{Error, Open, Result, Scalar};

use super::task::{Encoder, Task, name_of};
use super::{mismatch, unsupported};
use crate::machine::Root;
use crate::machine::envelope::{HEADER, MESSAGE, PACKET, SHARED};
use crate::marker::shared;
use crate::token::Version;

/// Returns the values of a record's parts, if it has these and no others.
fn parts<'t>(item: Item<'t, 'static>, names: [&str; 3]) -> Option<[Item<'t, 'static>; 3]> {
    let mut found = [None; 3];
    if !matches!(item.view(), View::Open(Open::Record { .. } | Open::Map(_))) {
        return None;
    }
    for entry in item.entries() {
        let name = name_of(&entry).ok()?;
        let place = names.iter().position(|known| *known == name)?;
        if found[place].replace(entry.value()).is_some() {
            return None;
        }
    }
    let [Some(one), Some(two), Some(three)] = found else { return None };
    Some([one, two, three])
}

fn text<'t>(item: Item<'t, 'static>, what: &str) -> Result<&'t [u8]> {
    match item.view() {
        View::Scalar(Scalar::Text(text)) => Ok(text.get().as_bytes()),
        View::Scalar(Scalar::Octets(octets)) => Ok(octets.get()),
        other => Err(not(other, what, "text")),
    }
}

/// Returns a version of AMF.
fn version(item: Item<'_, 'static>) -> Result<u8> {
    match item.view() {
        View::Scalar(Scalar::UInt(version @ (0 | 3), _)) => Ok(version as u8),
        View::Scalar(Scalar::UInt(other, _)) => Err(mismatch(format!("the version {other}")).expected("0 or 3")),
        other => Err(not(other, "version", "0 or 3")),
    }
}

#[cold]
fn not(seen: View<'_, '_>, what: &str, expected: &'static str) -> Error {
    let kind = match seen {
        View::Scalar(value) => value.kind(),
        View::Open(open) => open.kind(),
    };
    mismatch(format!("{kind} as `{what}`")).expected(expected)
}

impl<'t> Encoder<'_, 't> {
    /// Begins a message.
    pub(super) fn message(&mut self, root: Root, item: Item<'t, 'static>) -> Result<()> {
        match root {
            Root::Amf0 => self.tasks.push(Task::Value(item, Version::Amf0)),
            Root::Amf3 => self.tasks.push(Task::Value(item, Version::Amf3)),
            Root::Packet => return self.packet(item),
            Root::SharedObject => return self.shared(item),
        }
        Ok(())
    }

    fn packet(&mut self, item: Item<'t, 'static>) -> Result<()> {
        let Some([number, headers, messages]) = parts(item, PACKET) else {
            self.losses.value("value became the body of a message", item.opening());
            self.out.extend_from_slice(&[0, 0, 0, 0, 0, 1]);
            self.out.extend_from_slice(&[0; 4]);
            self.measured(item);
            return Ok(());
        };
        self.out.extend_from_slice(&[0, version(number)?]);
        let lists = [(headers, "headers"), (messages, "messages")].map(|(list, what)| match list.view() {
            View::Open(Open::List(_) | Open::Tuple(_)) => Ok(list.entries()),
            other => Err(not(other, what, "a list")),
        });
        let [headers, messages] = lists;
        let (headers, messages) = (headers?, messages?);
        let count = |entries: &Entries<'_, '_>| {
            let count = entries.clone().count();
            u16::try_from(count).map_err(|_| unsupported(format!("{count} headers or messages in a packet")).expected("at most 65535"))
        };
        self.out.extend_from_slice(&count(&headers)?.to_be_bytes());
        let behind = count(&messages)?.to_be_bytes();
        self.tasks.extend([Task::Parts(messages, true), Task::Bytes(behind.to_vec().into()), Task::Parts(headers, false)]);
        Ok(())
    }

    /// Writes the next header or message.
    pub(super) fn part(&mut self, mut entries: Entries<'t, 'static>, messages: bool) -> Result<()> {
        let Some(entry) = entries.next() else { return Ok(()) };
        let names = if messages { MESSAGE } else { HEADER };
        let Some([one, two, value]) = parts(entry.value(), names) else {
            return Err(mismatch(if messages { "a message of other parts" } else { "a header of other parts" })
                .expected(format!("a record of {}", names.join(", "))));
        };
        self.name0(text(one, names[0])?)?;
        if messages {
            self.name0(text(two, names[1])?)?;
        } else {
            match two.view() {
                View::Scalar(Scalar::Bool(value)) => self.out.push(u8::from(value)),
                other => return Err(not(other, names[1], "a truth value")),
            }
        }
        self.tasks.push(Task::Parts(entries, messages));
        self.measured(value);
        Ok(())
    }

    /// Writes a value behind its length.
    fn measured(&mut self, value: Item<'t, 'static>) {
        // Each value counts its objects anew.
        self.tables.clear();
        let at = self.out.len();
        let place = value.place();
        let unknown = self.unmeasured.binary_search_by_key(&place, |(place, _)| *place).map(|found| self.unmeasured[found].1);
        self.out.extend_from_slice(&unknown.unwrap_or_default().to_be_bytes());
        if unknown.is_err() {
            self.tasks.push(Task::Measure(at));
        }
        self.tasks.push(Task::Value(value, Version::Amf0));
    }

    /// Writes the length of what follows it, at `at`.
    pub(super) fn measure(&mut self, at: usize) -> Result<()> {
        let len = self.out.len() - at - 4;
        let len = u32::try_from(len)
            .ok()
            .filter(|len| *len != u32::MAX)
            .ok_or_else(|| unsupported(format!("a value of {len} bytes")).expected("at most 4294967294"))?;
        self.out[at..at + 4].copy_from_slice(&len.to_be_bytes());
        Ok(())
    }

    fn shared(&mut self, item: Item<'t, 'static>) -> Result<()> {
        let whole = parts(item, SHARED).filter(|[name, number, _]| text(*name, "").is_ok() && version(*number).is_ok());
        let (name, number, data): (&[u8], u8, _) = match whole {
            Some([name, number, data]) => (text(name, SHARED[0])?, version(number)?, data),
            None => {
                self.losses.value("value became the data of a shared object without a name", item.opening());
                (b"", 3, item)
            }
        };
        match data.view() {
            View::Open(Open::Record { name, .. }) => {
                if !name.is_empty() {
                    self.losses.value("record name dropped", data.opening());
                }
            }
            View::Open(Open::Map(_)) if super::task::has_names(data) => {}
            other => return Err(not(other, SHARED[2], "a record")),
        }
        self.out.extend_from_slice(&shared::MAGIC);
        let length = self.out.len();
        self.out.extend_from_slice(&[0; 4]);
        self.out.extend_from_slice(&shared::SIGNATURE);
        self.name0(name)?;
        self.out.extend_from_slice(&shared::PADDING);
        self.out.push(number);
        // In AMF0 the data is the first object.
        self.tables.objects0 = 1;
        let version = if number == 0 { Version::Amf0 } else { Version::Amf3 };
        self.tasks.extend([Task::Measure(length), Task::Shared(data.entries(), version)]);
        Ok(())
    }

    /// Writes the next value of a shared object.
    pub(super) fn shared_value(&mut self, mut entries: Entries<'t, 'static>, version: Version) -> Result<()> {
        let Some(entry) = entries.next() else { return Ok(()) };
        let name = name_of(&entry)?.as_bytes();
        match version {
            Version::Amf0 => self.name0(name)?,
            Version::Amf3 => self.text3(name)?,
        }
        self.tasks.extend([Task::Shared(entries, version), Task::Bytes((&[0]).into()), Task::Value(entry.value(), version)]);
        Ok(())
    }
}
