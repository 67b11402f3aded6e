//! Messages and oneofs.

use std::collections::HashSet;

use super::super::unit::{Holder, Syntax};
use super::cursor::Parser;
use super::{Failed, Parsed};
use crate::descriptor::{Descriptor, FieldDescriptor, OneofDescriptor, label};
use crate::model::MAX_NUMBER;

/// Deepest nesting of messages, which is that of `protoc`.
pub(super) const MAX_DEPTH: u32 = 32;

/// Stands for `max` until the message's options are known.
pub(super) const MAX: i32 = -1;

impl Parser<'_> {
    pub(super) fn message(&mut self, path: &[i32], visibility: Option<i32>) -> Parsed<Descriptor> {
        let location = self.open(path, &[]);
        self.next();
        let mut message = Descriptor { visibility, ..Descriptor::default() };
        let named = self.open(path, &[1]);
        message.name = Some(self.name("the name of a message")?);
        self.close(named);
        self.block(path, location, &mut message)?;
        self.close(location);
        if self.syntax == Syntax::Proto3 {
            add_synthetic_oneofs(&mut message);
        }
        Ok(message)
    }

    /// Reads what stands between the braces of a message or group.
    pub(super) fn block(&mut self, path: &[i32], location: usize, message: &mut Descriptor) -> Parsed {
        if self.depth + 1 >= MAX_DEPTH {
            self.wrong(self.now, format!("more than {} messages within each other", MAX_DEPTH - 1), "move inner ones to the top level");
            return Err(Failed);
        }
        self.end("{", location)?;
        self.depth += 1;
        let mut options = None;
        let read = self.statements(path, message, &mut options);
        self.depth -= 1;
        read?;
        let message_set =
            options.is_some_and(|set: usize| self.sets[set].statements.iter().any(|said| said.switches_on("message_set_wire_format")));
        let max = if message_set { i32::MAX } else { MAX_NUMBER as i32 + 1 };
        let ends = message.extension_range.iter_mut().map(|range| &mut range.end);
        for end in ends.chain(message.reserved_range.iter_mut().map(|range| &mut range.end)) {
            if *end == Some(MAX) {
                *end = Some(max);
            }
        }
        Ok(())
    }

    fn statements(&mut self, path: &[i32], message: &mut Descriptor, options: &mut Option<usize>) -> Parsed {
        while !self.try_end("}", None) {
            if self.at_end() {
                return Err(self.expected("'}' at the end of a message"));
            }
            if self.member(path, message, options).is_err() {
                self.skip_statement();
            }
        }
        Ok(())
    }

    fn member(&mut self, path: &[i32], message: &mut Descriptor, options: &mut Option<usize>) -> Parsed {
        if self.try_end(";", None) {
            return Ok(());
        }
        let visibility = self.visibility()?;
        let below = |field: i32, index: usize| [path, &[field, index as i32]].concat();
        match self.text(self.now) {
            "message" => {
                let inner = self.message(&below(3, message.nested_type.len()), visibility)?;
                message.nested_type.push(inner);
            }
            "enum" => {
                let inner = self.enumeration(&below(4, message.enum_type.len()), visibility)?;
                message.enum_type.push(inner);
            }
            "extensions" => return self.extensions(path, &mut message.extension_range),
            "reserved" => return self.reserved(path, false, &mut message.reserved_range, &mut message.reserved_name),
            "extend" => return self.extend(path, 6, 3, &mut message.extension, &mut message.nested_type),
            "option" => return self.option_statement(Holder::Message, &[path, &[7]].concat(), options),
            "oneof" => {
                let path = below(8, message.oneof_decl.len());
                return self.oneof(&path, message);
            }
            _ => {
                let own = below(2, message.field.len());
                let location = self.open(&own, &[]);
                let mut field = FieldDescriptor::default();
                let read = self
                    .label(&mut field, &own)
                    .and_then(|()| self.field(&mut field, &mut message.nested_type, &[path, &[3]].concat(), &own, location));
                self.close(location);
                message.field.push(field);
                return read;
            }
        }
        Ok(())
    }

    fn oneof(&mut self, path: &[i32], message: &mut Descriptor) -> Parsed {
        let above = &path[..path.len() - 2];
        let index = message.oneof_decl.len() as i32;
        let location = self.open(path, &[]);
        self.next();
        let named = self.open(path, &[1]);
        let name = self.name("the name of a oneof")?;
        self.close(named);
        message.oneof_decl.push(OneofDescriptor { name: Some(name), ..OneofDescriptor::default() });
        self.end("{", location)?;
        let mut options = None;
        loop {
            if self.at_end() {
                return Err(self.expected("'}' at the end of a oneof"));
            }
            if self.at("option") {
                self.option_statement(Holder::Oneof, &[path, &[2]].concat(), &mut options)?;
            } else {
                if matches!(self.text(self.now), "required" | "optional" | "repeated") {
                    let seen = format!("the label `{}` in a oneof", self.text(self.now));
                    self.wrong(self.now, seen, "remove it: fields of a oneof have no label");
                    self.next();
                }
                let own = [above, &[2, message.field.len() as i32]].concat();
                let place = self.open(&own, &[]);
                let mut field = FieldDescriptor { label: Some(label::OPTIONAL), oneof_index: Some(index), ..FieldDescriptor::default() };
                let read = self.field(&mut field, &mut message.nested_type, &[above, &[3]].concat(), &own, place);
                self.close(place);
                message.field.push(field);
                if read.is_err() {
                    self.skip_statement();
                }
            }
            if self.try_end("}", None) {
                break;
            }
        }
        self.close(location);
        Ok(())
    }
}

/// Gives each proto3 field with the word `optional` a oneof of its own, behind the others.
fn add_synthetic_oneofs(message: &mut Descriptor) {
    if !message.field.iter().any(|field| field.proto3_optional == Some(true)) {
        return;
    }
    let fields = message.field.iter().map(|field| &field.name);
    let mut names: HashSet<String> = fields.chain(message.oneof_decl.iter().map(|oneof| &oneof.name)).flatten().cloned().collect();
    for field in message.field.iter_mut().filter(|field| field.proto3_optional == Some(true)) {
        let own = field.name.as_deref().unwrap_or_default();
        let mut name = if own.starts_with('_') { own.to_string() } else { format!("_{own}") };
        while !names.insert(name.clone()) {
            name.insert(0, 'X');
        }
        field.oneof_index = Some(message.oneof_decl.len() as i32);
        message.oneof_decl.push(OneofDescriptor { name: Some(name), ..OneofDescriptor::default() });
    }
}
