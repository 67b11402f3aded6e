//! Reads text by the string tables (EXI 1.0, 7.1.7, 7.1.10, 7.3).

use polywire_core::{Budget, Result};

use super::body::{missing, spend};
use crate::bits::{Bits, width};
use crate::tables::{Name, Piece, Production, Tables};

impl Tables {
    /// Reads text that is in no table.
    pub fn read_string(&mut self, bits: &mut Bits<'_>) -> Result<Piece> {
        let length = bits.unsigned()?;
        self.read_characters(bits, length)
    }

    #[inline(always)]
    fn read_characters(&mut self, bits: &mut Bits<'_>, length: u64) -> Result<Piece> {
        let (at, start) = (bits.offset(), self.arena.0.len());
        bits.characters(length, &mut self.arena.0)?;
        self.arena.since(start, at)
    }

    /// Reads a namespace, and returns its number.
    pub fn read_uri(&mut self, bits: &mut Bits<'_>) -> Result<u32> {
        let at = bits.offset();
        let count = self.scope.uris.len();
        match bits.number(width(count + 1))? {
            0 => {
                let text = self.read_string(bits)?;
                Ok(self.uri(text))
            }
            number if number as usize <= count => Ok(number - 1),
            _ => Err(missing("namespace", at)),
        }
    }

    /// Reads the prefix of a namespace.
    pub fn read_prefix(&mut self, bits: &mut Bits<'_>, uri: u32) -> Result<Piece> {
        let at = bits.offset();
        let prefixes = &self.scope.uris[uri as usize].prefixes;
        match bits.number(width(prefixes.len() + 1))? {
            0 => {
                let prefix = self.read_string(bits)?;
                self.scope.uris[uri as usize].prefixes.push(prefix);
                Ok(prefix)
            }
            number => prefixes.get(number as usize - 1).copied().ok_or_else(|| missing("prefix", at)),
        }
    }

    /// Reads the name of an element or attribute without its prefix, and returns its number.
    pub fn read_name(&mut self, bits: &mut Bits<'_>) -> Result<u32> {
        let uri = self.read_uri(bits)?;
        let at = bits.offset();
        match bits.unsigned()? {
            0 => {
                let names = &self.scope.uris[uri as usize].names;
                let number = bits.number(width(names.len()))?;
                names.get(number as usize).copied().ok_or_else(|| missing("name", at))
            }
            length => {
                let local = self.read_characters(bits, length - 1)?;
                Ok(self.name(uri, local))
            }
        }
    }

    /// Reads a value of a name.
    #[inline(always)]
    pub fn read_value(&mut self, bits: &mut Bits<'_>, name: u32, budget: &mut Budget) -> Result<Piece> {
        let at = bits.offset();
        let code = bits.unsigned()?;
        let found = match code {
            0 => {
                let values = &self.names[name as usize].values;
                values.get(bits.number(width(values.len()))? as usize)
            }
            1 => {
                let values = &self.scope.values;
                values.get(bits.number(width(values.len()))? as usize)
            }
            _ => {
                let length = code - 2;
                let value = self.read_characters(bits, length)?;
                self.value(name, value, length);
                return Ok(value);
            }
        };
        let value = found.copied().filter(|value| *value != Piece::GONE).ok_or_else(|| missing("value", at))?;
        spend(value.len, at, budget)?;
        Ok(value)
    }
}

/// Learning (8.4.3).
impl Name {
    pub fn learn_end(&mut self) {
        if !std::mem::replace(&mut self.start_has_end, true) {
            self.start.push(Production::END);
        }
    }

    pub fn learn_start_text(&mut self) {
        if !std::mem::replace(&mut self.start_has_text, true) {
            self.start.push(Production::TEXT);
        }
    }

    pub fn learn_content_text(&mut self) {
        if !std::mem::replace(&mut self.content_has_text, true) {
            self.content.push(Production::TEXT);
        }
    }

    /// Learns an attribute. Only `xsi:type` is not learned twice.
    pub fn learn_attribute(&mut self, name: u32, is_type: bool) {
        if !is_type || !std::mem::replace(&mut self.start_has_type, true) {
            self.start.push(Production::attribute(name));
        }
    }
}
