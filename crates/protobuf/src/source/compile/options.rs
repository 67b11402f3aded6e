//! Options, from words to the fields of the messages that hold them (language guide, "Custom
//! Options").

use std::collections::{BTreeMap, HashMap, HashSet};

use polywire_core::{Budget, Limits};

use super::aggregate::{Reader, Wrong};
use super::fault::{At, Faults};
use super::holders::{options_at, scope};
use super::link::missing_text;
use super::names::{Found, Names, View};
use super::schema::{FieldRef, Schema};
use super::support;
use super::unit::{Holder, OptionSet, Part, Statement, Unit, Written};
use super::value;
use crate::descriptor::{label, slot};

/// The outcome of one set of options.
struct Interpreted {
    set: usize,
    /// Fields, in the order of the text.
    bytes: Vec<u8>,
    /// Paths of locations, by their index.
    moved: Vec<(u32, Vec<i32>)>,
}

/// Writes the options of a unit into its descriptor: first those of `descriptor.proto`, on which
/// the encoding of the others may depend.
pub(super) fn interpret(units: &mut [Unit], names: &Names, texts: &[&str], index: u32, faults: &mut Faults) {
    if units[index as usize].options.is_empty() {
        return;
    }
    let view = View::new(units, index, true);
    for extensions in [false, true] {
        let mut done = Vec::new();
        let schema = Schema::new(units, names);
        let own = &units[index as usize];
        for (set, options) in own.options.iter().enumerate() {
            if options.statements.iter().any(|said| said.name[0].extension == extensions) {
                let mut interpreting = Interpreting {
                    schema: &schema,
                    view: &view,
                    unit: own,
                    index,
                    text: texts[index as usize],
                    options,
                    faults,
                    set: HashSet::new(),
                    parts: BTreeMap::new(),
                    counts: HashMap::new(),
                    out: Interpreted { set, bytes: Vec::new(), moved: Vec::new() },
                };
                interpreting.all(extensions);
                done.push(interpreting.out);
            }
        }
        let own = &mut units[index as usize];
        for Interpreted { set, bytes, moved } in done {
            let options = &own.options[set];
            let Some(message) = options_at(&mut own.file, &options.path) else { continue };
            if let Err(error) = slot::read(message, &bytes, 0, &mut Budget::new(&Limits::DEFAULT)) {
                faults.path(index, &options.path, &[], format!("these options: {}", error.what()), error.advice());
            }
            let Some(info) = &mut own.file.source_code_info else { continue };
            for (location, path) in moved {
                if let Some(location) = info.location.get_mut(location as usize) {
                    location.path.0 = path;
                }
            }
        }
    }
}

struct Interpreting<'a> {
    schema: &'a Schema<'a>,
    view: &'a View,
    unit: &'a Unit,
    index: u32,
    text: &'a str,
    options: &'a OptionSet,
    faults: &'a mut Faults,
    /// Numbers of the names of singular options that were set, and of what is around them.
    set: HashSet<Vec<u32>>,
    /// Messages whose fields are set one by one, by the numbers that lead to them, with the place
    /// of the first such name.
    parts: BTreeMap<Vec<u32>, (String, (u32, u32))>,
    /// Values of each repeated option.
    counts: HashMap<Vec<i32>, i32>,
    out: Interpreted,
}

impl<'a> Interpreting<'a> {
    fn all(&mut self, extensions: bool) {
        for said in &self.options.statements {
            if said.name[0].extension == extensions
                && let Err(Wrong(at, message)) = self.one(said)
            {
                self.faults.add(At::Span(self.index, at), message, "");
            }
        }
        for (numbers, (message, at)) in &self.parts {
            let fields = self.schema.message(message).map_or(&[][..], |message| &message.field);
            let missing = fields.iter().find(|field| {
                let number = field.number.unwrap_or_default() as u32;
                field.label == Some(label::REQUIRED) && !self.set.contains(&[&numbers[..], &[number]].concat())
            });
            if let Some(field) = missing {
                let name = field.name.as_deref().unwrap_or_default();
                self.faults.add(At::Span(self.index, *at), format!("the required field `{name}` of `{message}` is missing"), "");
            }
        }
    }

    fn one(&mut self, said: &Statement) -> Result<(), Wrong> {
        let (holder, target) = self.options.holder.facts();
        let mut message = format!("google.protobuf.{holder}");
        let mut fields: Vec<FieldRef<'_>> = Vec::with_capacity(said.name.len());
        let features = !said.name[0].extension && said.name[0].name == "features";
        if self.options.holder == Holder::Message && said.plain() == Some("map_entry") {
            return Err(Wrong(said.name[0].at, "the option `map_entry`: declare a field of type `map<key, value>` instead".into()));
        }
        if features && !self.unit.syntax.is_edition() {
            return Err(Wrong(said.name[0].at, "features, which only editions have".into()));
        }
        for (index, part) in said.name.iter().enumerate() {
            let field = self.field(&message, part)?;
            if features && std::ptr::eq(field.unit, self.unit) {
                return Err(Wrong(part.at, format!("the feature `{}` in the file that defines it", part.name)));
            }
            if let Some(why) = support::refusal(&field, target, self.unit.syntax) {
                return Err(Wrong(part.at, format!("the option `{}` {why}", shown(part))));
            }
            if index + 1 < said.name.len() {
                if !field.is_message() {
                    return Err(Wrong(part.at, format!("the option `{}` is no message, and has no fields", shown(part))));
                }
                if field.repeated() {
                    return Err(Wrong(part.at, format!("the repeated option `{}`, whose values are written in braces", shown(part))));
                }
                message = field.type_name().to_string();
            }
            fields.push(field);
        }
        let Some((last, around)) = fields.split_last() else { return Ok(()) };
        let numbers: Vec<u32> = fields.iter().map(FieldRef::number).collect();
        let whole = (said.name[0].at.0, said.name[said.name.len() - 1].at.1);
        if !last.repeated() && !self.set.insert(numbers.clone()) {
            return Err(Wrong(whole, format!("the option `{}` is set twice", spelled(said))));
        }
        for end in 1..numbers.len() {
            self.set.insert(numbers[..end].to_vec());
            self.parts.entry(numbers[..end].to_vec()).or_insert_with(|| (fields[end - 1].type_name().to_string(), whole));
        }
        let mut bytes = self.value(said, last, &numbers)?;
        for field in around.iter().rev() {
            let mut outer = Vec::with_capacity(bytes.len() + 4);
            value::message(field, &bytes, &mut outer);
            bytes = outer;
        }
        self.out.bytes.extend_from_slice(&bytes);
        if let Some(location) = said.location {
            let mut path = self.options.path.clone();
            path.extend(numbers.iter().map(|number| *number as i32));
            if last.repeated() {
                let count = self.counts.entry(path.clone()).or_default();
                path.push(*count);
                *count += 1;
            }
            self.out.moved.push((location, path));
        }
        Ok(())
    }

    /// Returns the field that a part of a name means in a message.
    fn field(&self, message: &str, part: &Part) -> Result<FieldRef<'a>, Wrong> {
        let short = message.strip_prefix("google.protobuf.").unwrap_or(message);
        if !part.extension {
            let found = self.schema.field(message, &part.name).filter(|_| part.name != "uninterpreted_option");
            return found.ok_or_else(|| Wrong(part.at, format!("`{short}` has no option `{}`", part.name)));
        }
        let scope = scope(self.unit, self.options.holder, &self.options.path);
        match self.schema.extension(self.view, &scope, &part.name) {
            Ok(field) if field.field.extendee.as_deref().is_some_and(|extendee| extendee[1..] == *message) => Ok(field),
            Ok(_) => Err(Wrong(part.at, format!("the option `({})` is none of `{short}`", part.name))),
            Err(Found::Symbol(full, symbol)) => {
                Err(Wrong(part.at, format!("`{full}` is {}, not an extension of `{short}`", symbol.what.noun())))
            }
            Err(found) => {
                let (text, hint) = missing_text(&part.name, found, self.schema.units);
                Err(Wrong(part.at, format!("{text}; {hint}")))
            }
        }
    }

    /// Returns the bytes of a value, with its tag.
    fn value(&mut self, said: &Statement, field: &FieldRef<'_>, numbers: &[u32]) -> Result<Vec<u8>, Wrong> {
        let mut out = Vec::new();
        let target = (self.options.holder.facts().1, self.unit.syntax);
        match (&said.value, field.is_message()) {
            (Written::Block(start, end), true) => {
                let reader = Reader::new(self.schema, self.view, self.text, (*start, *end), target);
                let (bytes, inner) = reader.read(field.type_name())?;
                for number in inner {
                    self.set.insert([numbers, &[number]].concat());
                }
                value::message(field, &bytes, &mut out);
            }
            (_, true) => {
                let name = spelled(said);
                return Err(Wrong(
                    said.value_at,
                    format!("expected a message in braces for `{name}`, or a field of it, as `{name}.field`"),
                ));
            }
            (written, false) => {
                let encoded = value::encode(self.schema, field, written, false)
                    .map_err(|what| Wrong(said.value_at, format!("expected {what} for `{}`", spelled(said))))?;
                value::tag(field.number(), encoded.wire, &mut out);
                out.extend_from_slice(&encoded.bytes);
            }
        }
        Ok(out)
    }
}

/// Returns a part of a name as it was written.
fn shown(part: &Part) -> String {
    if part.extension { format!("({})", part.name) } else { part.name.clone() }
}

/// Returns the name of an option as it was written.
fn spelled(said: &Statement) -> String {
    said.name.iter().map(shown).collect::<Vec<_>>().join(".")
}
