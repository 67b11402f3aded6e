//! Fields, with their labels, types, defaults and names in JSON.

use super::super::lex::{Kind, Token};
use super::super::literal;
use super::super::unit::{Holder, OptionSet, Syntax};
use super::cursor::Parser;
use super::message::MAX_DEPTH;
use super::{Failed, Parsed};
use crate::descriptor::{Descriptor, FieldDescriptor, MessageOptions, kind, label};
use crate::model::json_name;

/// A type as a field names it.
#[derive(Default)]
struct Type {
    number: Option<i32>,
    name: Option<String>,
}

/// Returns the number of a type that has a keyword.
pub(in super::super) fn scalar(word: &str) -> Option<i32> {
    Some(match word {
        "double" => kind::DOUBLE,
        "float" => kind::FLOAT,
        "int64" => kind::INT64,
        "uint64" => kind::UINT64,
        "int32" => kind::INT32,
        "fixed64" => kind::FIXED64,
        "fixed32" => kind::FIXED32,
        "bool" => kind::BOOL,
        "string" => kind::STRING,
        "group" => kind::GROUP,
        "bytes" => kind::BYTES,
        "uint32" => kind::UINT32,
        "sfixed32" => kind::SFIXED32,
        "sfixed64" => kind::SFIXED64,
        "sint32" => kind::SINT32,
        "sint64" => kind::SINT64,
        _ => return None,
    })
}

impl Parser<'_> {
    /// Reads the label of a field, if it has one.
    pub(super) fn label(&mut self, field: &mut FieldDescriptor, path: &[i32]) -> Parsed {
        let word = self.text(self.now);
        let found = match word {
            "optional" => label::OPTIONAL,
            "repeated" => label::REPEATED,
            "required" => label::REQUIRED,
            _ => return Ok(()),
        };
        if self.syntax.is_edition() && found != label::REPEATED {
            let hint = if found == label::OPTIONAL {
                "remove it: singular fields have presence unless `features.field_presence` says otherwise"
            } else {
                "write `[features.field_presence = LEGACY_REQUIRED]` behind the number"
            };
            self.wrong(self.now, format!("the label `{word}`, which editions do not have"), hint);
        }
        let location = self.open(path, &[4]);
        self.next();
        self.close(location);
        field.label = Some(found);
        if found == label::OPTIONAL && self.syntax == Syntax::Proto3 {
            field.proto3_optional = Some(true);
        }
        Ok(())
    }

    /// Reads a field behind its label. `types` is the path of the list that a group or the entry of
    /// a map is added to.
    pub(super) fn field(
        &mut self,
        field: &mut FieldDescriptor,
        messages: &mut Vec<Descriptor>,
        types: &[i32],
        path: &[i32],
        location: usize,
    ) -> Parsed {
        let place = self.open(path, &[]);
        let first = self.now;
        let mut map = None;
        let mut found = Type::default();
        if self.try_word("map") {
            if self.at("<") {
                map = Some(self.map_type(field, first)?);
            } else {
                found.name = Some("map".into());
            }
        }
        if map.is_none() {
            if field.label.is_none() {
                if self.syntax == Syntax::Proto2 {
                    self.expected("'optional', 'required' or 'repeated'");
                }
                field.label = Some(label::OPTIONAL);
            }
            if found.name.is_none() {
                found = self.type_()?;
            }
            (field.kind, field.type_name) = (found.number, found.name);
        }
        self.locations[place].path.0.push(if field.kind.is_some() { 5 } else { 6 });
        self.close(place);
        let name = self.now;
        let place = self.open(path, &[1]);
        field.name = Some(self.name("the name of a field")?);
        self.close(place);
        self.word("=")?;
        let place = self.open(path, &[3]);
        field.number = Some(self.integer(i32::MAX as u64, "the number of the field")? as i32);
        self.close(place);
        let options = self.field_options(field, path)?;
        if field.kind == Some(kind::GROUP) {
            return self.group(field, messages, types, path, location, name);
        }
        self.end(";", location)?;
        if let Some(map) = map {
            // The entry is a message too.
            if self.depth + 1 >= MAX_DEPTH {
                self.wrong(name, format!("more than {} messages within each other", MAX_DEPTH - 1), "move inner ones to the top level");
                return Err(Failed);
            }
            self.map_entry(field, map, messages, types, options);
        }
        Ok(())
    }

    fn type_(&mut self) -> Parsed<Type> {
        match scalar(self.text(self.now)) {
            Some(number) => {
                if number == kind::GROUP && self.syntax.is_edition() {
                    let hint = "declare a message, and write `[features.message_encoding = DELIMITED]` behind the field's number";
                    self.wrong(self.now, "a group, which editions do not have", hint);
                }
                self.next();
                Ok(Type { number: Some(number), name: None })
            }
            None => Ok(Type { number: None, name: Some(self.type_name()?) }),
        }
    }

    /// Reads the name of a message or enum.
    pub(super) fn type_name(&mut self) -> Parsed<String> {
        if scalar(self.text(self.now)).is_some() {
            self.expected("the name of a message");
            let name = self.text(self.now).to_string();
            self.next();
            return Ok(name);
        }
        self.path_name("the name of a type")
    }

    fn map_type(&mut self, field: &mut FieldDescriptor, first: Token) -> Parsed<[Type; 2]> {
        let odd = match field {
            FieldDescriptor { oneof_index: Some(_), .. } => "a map in a oneof",
            FieldDescriptor { label: Some(_), .. } => "a label of a map",
            FieldDescriptor { extendee: Some(_), .. } => "a map as an extension",
            _ => "",
        };
        if !odd.is_empty() {
            self.wrong(first, odd, "maps are fields of messages, without a label; elsewhere, use a message that has the map");
            return Err(Failed);
        }
        field.label = Some(label::REPEATED);
        self.next();
        let key = self.type_()?;
        self.word(",")?;
        let value = self.type_()?;
        self.word(">")?;
        Ok([key, value])
    }

    /// Adds the message of a map's entries. Features of the field are those of key and value too.
    fn map_entry(
        &mut self,
        field: &mut FieldDescriptor,
        map: [Type; 2],
        messages: &mut Vec<Descriptor>,
        types: &[i32],
        options: Option<usize>,
    ) {
        let name = entry_name(field.name.as_deref().unwrap_or_default());
        let path = [types, &[messages.len() as i32]].concat();
        field.type_name = Some(name.clone());
        let [key, value] = map;
        let inner = |name: &str, number, found: Type| FieldDescriptor {
            name: Some(name.into()),
            label: Some(label::OPTIONAL),
            number: Some(number),
            kind: found.number,
            type_name: found.name,
            ..FieldDescriptor::default()
        };
        let entry = Descriptor {
            name: Some(name),
            field: vec![inner("key", 1, key), inner("value", 2, value)],
            options: Some(Box::new(MessageOptions { map_entry: Some(true), ..MessageOptions::default() })),
            ..Descriptor::default()
        };
        let statements = options.iter().flat_map(|set| &self.sets[*set].statements);
        let mut copied: Vec<_> = statements.filter(|said| said.name[0].name == "features" && !said.name[0].extension).cloned().collect();
        copied.iter_mut().for_each(|said| said.location = None);
        if !copied.is_empty() {
            for index in 0..2 {
                let path = [&path[..], &[2, index, 8]].concat();
                self.sets.push(OptionSet { holder: Holder::Field, path, statements: copied.clone() });
            }
        }
        messages.push(entry);
    }

    /// Reads the body of a group, which is a field and a message of one name.
    fn group(
        &mut self,
        field: &mut FieldDescriptor,
        messages: &mut Vec<Descriptor>,
        types: &[i32],
        path: &[i32],
        location: usize,
        name: Token,
    ) -> Parsed {
        let own = [types, &[messages.len() as i32]].concat();
        let place = self.open(&own, &[]);
        let start = self.spans[location].0;
        let span = self.locations[location].span.0[..2].to_vec();
        self.locations[place].span.0.copy_from_slice(&span);
        self.spans[place].0 = start;
        for (path, number) in [(&own[..], 1), (path, 6)] {
            let named = self.open(path, &[number]);
            self.start_at(named, name);
            self.end_at(named, name);
        }
        let written = field.name.take().unwrap_or_default();
        if !written.starts_with(|first: char| first.is_ascii_uppercase()) {
            self.wrong(name, format!("the name `{written}` of a group"), "a group is named as its message: start with a capital letter");
        }
        let mut message = Descriptor { name: Some(written.clone()), ..Descriptor::default() };
        field.name = Some(written.to_ascii_lowercase());
        field.type_name = Some(written);
        if !self.at("{") {
            return Err(self.expected("'{' and the fields of the group"));
        }
        self.block(&own, place, &mut message)?;
        self.close(place);
        messages.push(message);
        Ok(())
    }

    fn field_options(&mut self, field: &mut FieldDescriptor, path: &[i32]) -> Parsed<Option<usize>> {
        let mut set = None;
        if !self.at("[") {
            return Ok(set);
        }
        let options = [path, &[8]].concat();
        let location = self.open(&options, &[]);
        self.next();
        loop {
            match self.text(self.now) {
                "default" => self.default(field, path)?,
                "json_name" => {
                    let first = self.now;
                    if field.json_name.is_some() {
                        self.wrong(first, "a second `json_name`", "a field has one name in JSON");
                    }
                    let place = self.open(path, &[10]);
                    self.next();
                    self.word("=")?;
                    let value = self.open(path, &[10]);
                    field.json_name = Some(self.utf8("a name in quotes")?);
                    self.close(value);
                    self.close(place);
                    let default = field.name.as_deref().map(json_name);
                    if field.extendee.is_some() && field.json_name != default {
                        self.wrong(first, "`json_name` of an extension", "remove it: extensions are named `[full.name]` in JSON");
                    }
                }
                _ => self.option(Holder::Field, &options, &mut set, false)?,
            }
            if !self.try_word(",") {
                break;
            }
        }
        self.word("]")?;
        self.close(location);
        Ok(set)
    }

    fn default(&mut self, field: &mut FieldDescriptor, path: &[i32]) -> Parsed {
        if field.default_value.is_some() {
            self.wrong(self.now, "a second `default`", "a field has one default");
        }
        self.next();
        self.word("=")?;
        let location = self.open(path, &[7]);
        let value = self.default_value(field)?;
        field.default_value = Some(value);
        self.close(location);
        Ok(())
    }

    fn default_value(&mut self, field: &FieldDescriptor) -> Parsed<String> {
        let minus = |this: &mut Self| if this.try_word("-") { "-" } else { "" };
        Ok(match field.kind {
            // A message or an enum, which its name alone does not say.
            None => self.name("the name of a value of the enum")?,
            Some(found @ (kind::INT32 | kind::SINT32 | kind::SFIXED32 | kind::INT64 | kind::SINT64 | kind::SFIXED64)) => {
                let most = if matches!(found, kind::INT64 | kind::SINT64 | kind::SFIXED64) { i64::MAX as u64 } else { i32::MAX as u64 };
                let sign = minus(self);
                let value = self.integer(most + sign.len() as u64, "an integer")?;
                format!("{sign}{value}")
            }
            Some(found @ (kind::UINT32 | kind::FIXED32 | kind::UINT64 | kind::FIXED64)) => {
                let most = if matches!(found, kind::UINT64 | kind::FIXED64) { u64::MAX } else { u32::MAX.into() };
                if self.at("-") {
                    return Err(self.expected("an unsigned integer"));
                }
                self.integer(most, "an unsigned integer")?.to_string()
            }
            Some(found @ (kind::FLOAT | kind::DOUBLE)) => {
                let sign = if self.try_word("-") { -1.0 } else { 1.0 };
                literal::shown(sign * self.number("a number")?, found == kind::FLOAT)
            }
            Some(kind::BOOL) if self.at("true") || self.at("false") => self.name("true or false")?,
            Some(kind::BOOL) => return Err(self.expected("'true' or 'false'")),
            Some(kind::STRING) => self.utf8("a string")?,
            Some(kind::BYTES) => literal::escaped(&self.string("a string")?),
            Some(_) => {
                self.wrong(self.now, "a default of a message", "messages have no default");
                return Err(Failed);
            }
        })
    }

    /// Reads a number as binary64.
    pub(super) fn number(&mut self, what: &str) -> Parsed<f64> {
        let text = self.text(self.now);
        let value = match (self.now.kind, text) {
            (Kind::Float, _) => literal::float(text),
            (Kind::Integer, _) => literal::integer(text).map(|value| value as f64).or_else(|| {
                // Decimal digits beyond 64 bits are rounded.
                Some(text).filter(|text| !text.starts_with('0')).and_then(literal::float)
            }),
            (_, "inf") => Some(f64::INFINITY),
            (_, "nan") => Some(f64::NAN),
            _ => return Err(self.expected(what)),
        };
        if value.is_none() {
            self.wrong(self.now, "a number that is out of range", "at most 64 bits in base 8 and 16");
        }
        self.next();
        Ok(value.unwrap_or(0.0))
    }
}

/// Returns the name of the message of a map's entries.
pub(in super::super) fn entry_name(field: &str) -> String {
    let mut name = String::with_capacity(field.len() + 5);
    let mut upper = true;
    for c in field.chars() {
        if c != '_' {
            name.push(if upper { c.to_ascii_uppercase() } else { c });
        }
        upper = c == '_';
    }
    name + "Entry"
}
