//! Externalizable objects of known classes.

use polywire_core::Result;
use polywire_core::value::{Entry, Item};

use super::amf3::EXTERNALIZABLE;
use super::task::{Encoder, Task};
use crate::external::{self, External, FLAGS, Group, MORE};
use crate::token::Version;

impl<'t> Encoder<'_, 't> {
    /// Writes an object of a known class. `bits` are those of its traits that mean
    /// nothing. Returns false, and writes nothing, if it is none.
    pub(super) fn external(&mut self, class: &'t str, bits: u32, value: Item<'t, 'static>) -> Result<bool> {
        match external::of(class.as_bytes()) {
            Some(External::One(single)) => {
                let mut entries = value.entries();
                match (entries.next(), entries.next()) {
                    (Some(Entry::Field(field, only)), None) if field == single.name() => {
                        self.traits3(class, EXTERNALIZABLE | bits << 3, &[])?;
                        self.tasks.push(Task::Value(only, Version::Amf3));
                        Ok(true)
                    }
                    _ => Ok(false),
                }
            }
            Some(External::Message(kind)) => match by_flags(kind.groups(), value) {
                Some(values) => {
                    self.traits3(class, EXTERNALIZABLE | bits << 3, &[])?;
                    self.message_values(kind.groups(), &values);
                    Ok(true)
                }
                None => Ok(false),
            },
            None => Ok(false),
        }
    }

    /// Leaves flags and values of each class as tasks.
    fn message_values(&mut self, groups: &'static [Group], values: &[(usize, usize, Item<'t, 'static>)]) {
        let mut tasks = Vec::new();
        for group in 0..groups.len() {
            let flags = values.iter().filter(|(of, ..)| *of == group).fold(0u64, |flags, (_, flag, _)| flags | 1 << flag);
            let mut bytes = Vec::new();
            let mut rest = flags;
            loop {
                let byte = rest as u8 & !MORE;
                rest >>= FLAGS;
                bytes.push(if rest == 0 { byte } else { byte | MORE });
                if rest == 0 {
                    break;
                }
            }
            tasks.push(Task::Bytes(bytes.into()));
            tasks.extend(values.iter().filter(|(of, ..)| *of == group).map(|(_, _, value)| Task::Value(*value, Version::Amf3)));
        }
        self.tasks.extend(tasks.into_iter().rev());
    }
}

/// Returns the values of a message in the order of their classes and flags, if each has one.
fn by_flags<'t>(groups: &'static [Group], value: Item<'t, 'static>) -> Option<Vec<(usize, usize, Item<'t, 'static>)>> {
    let mut values = Vec::new();
    for entry in value.entries() {
        let Entry::Field(name, value) = entry else { return None };
        let found = groups.iter().enumerate().find_map(|(group, known)| Some((group, known.number(name)?)))?;
        values.push((found.0, found.1, value));
    }
    values.sort_by_key(|(group, flag, _)| (*group, *flag));
    let twice = values.windows(2).any(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1));
    (!twice).then_some(values)
}
