//! Enums.

use super::super::unit::Holder;
use super::Parsed;
use super::cursor::Parser;
use crate::descriptor::{EnumDescriptor, EnumValueDescriptor};

impl Parser<'_> {
    pub(super) fn enumeration(&mut self, path: &[i32], visibility: Option<i32>) -> Parsed<EnumDescriptor> {
        let location = self.open(path, &[]);
        self.next();
        let mut declared = EnumDescriptor { visibility, ..EnumDescriptor::default() };
        let named = self.open(path, &[1]);
        declared.name = Some(self.name("the name of an enum")?);
        self.close(named);
        self.end("{", location)?;
        let mut options = None;
        while !self.try_end("}", None) {
            if self.at_end() {
                return Err(self.expected("'}' at the end of an enum"));
            }
            if self.enum_statement(path, &mut declared, &mut options).is_err() {
                self.skip_statement();
            }
        }
        self.close(location);
        Ok(declared)
    }

    fn enum_statement(&mut self, path: &[i32], declared: &mut EnumDescriptor, options: &mut Option<usize>) -> Parsed {
        if self.try_end(";", None) {
            return Ok(());
        }
        match self.text(self.now) {
            "option" => self.option_statement(Holder::Enum, &[path, &[3]].concat(), options),
            "reserved" => self.reserved(path, true, &mut declared.reserved_range, &mut declared.reserved_name),
            _ => {
                let own = [path, &[2, declared.value.len() as i32]].concat();
                let value = self.enum_value(&own)?;
                declared.value.push(value);
                Ok(())
            }
        }
    }

    fn enum_value(&mut self, path: &[i32]) -> Parsed<EnumValueDescriptor> {
        let location = self.open(path, &[]);
        let mut value = EnumValueDescriptor::default();
        let place = self.open(path, &[1]);
        value.name = Some(self.name("the name of a value")?);
        self.close(place);
        self.word("=")?;
        let place = self.open(path, &[2]);
        let negative = self.try_word("-");
        let number = self.integer(i32::MAX as u64 + u64::from(negative), "the number of the value")? as i64;
        self.close(place);
        value.number = Some(if negative { -number } else { number } as i32);
        if self.at("[") {
            let options = [path, &[3]].concat();
            let place = self.open(&options, &[]);
            self.next();
            let mut set = None;
            loop {
                self.option(Holder::Value, &options, &mut set, false)?;
                if !self.try_word(",") {
                    break;
                }
            }
            self.word("]")?;
            self.close(place);
        }
        self.end(";", location)?;
        self.close(location);
        Ok(value)
    }
}
