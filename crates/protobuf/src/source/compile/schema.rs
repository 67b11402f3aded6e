//! Lookups in the linked files by those who write messages of their types.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use super::features::{CLOSED, DELIMITED, Features, IMPLICIT, PACKED};
use super::names::{Found, Names, Symbol, View, What, above, join};
use super::unit::{Unit, enum_at, field_at, message_at};
use crate::descriptor::{Descriptor, FieldDescriptor, kind, label};

/// Reports whether a message is the entry of a map.
pub(super) fn is_map_entry(message: &Descriptor) -> bool {
    message.options.as_ref().is_some_and(|options| options.map_entry == Some(true))
}

/// The linked files.
pub(super) struct Schema<'a> {
    pub units: &'a [Unit],
    pub names: &'a Names,
    /// Numbers of the closed enums that were asked for; `None` for an open one.
    closed: RefCell<HashMap<String, Option<HashSet<i32>>>>,
}

/// A field or extension, with its place.
#[derive(Clone, Copy)]
pub(super) struct FieldRef<'a> {
    pub field: &'a FieldDescriptor,
    pub unit: &'a Unit,
    pub symbol: &'a Symbol,
    /// It is a map, or a part of a map's entry.
    pub map: bool,
}

impl<'a> FieldRef<'a> {
    pub fn number(&self) -> u32 {
        self.field.number.unwrap_or_default() as u32
    }

    pub fn kind(&self) -> i32 {
        self.field.kind.unwrap_or_default()
    }

    pub fn name(&self) -> &'a str {
        self.field.name.as_deref().unwrap_or_default()
    }

    pub fn repeated(&self) -> bool {
        self.field.label == Some(label::REPEATED)
    }

    pub fn is_message(&self) -> bool {
        matches!(self.kind(), kind::MESSAGE | kind::GROUP)
    }

    /// Returns the full name of its type, without the point in front.
    pub fn type_name(&self) -> &'a str {
        self.field.type_name.as_deref().map_or("", |name| name.strip_prefix('.').unwrap_or(name))
    }

    pub fn features(&self) -> Features {
        Features::at(self.unit, &self.symbol.path)
    }

    /// Reports whether its values stand between tags of a group.
    pub fn delimited(&self) -> bool {
        self.kind() == kind::GROUP || (self.kind() == kind::MESSAGE && !self.map && self.features().encoding == DELIMITED)
    }

    pub fn packed(&self) -> bool {
        let packable = !matches!(self.kind(), kind::MESSAGE | kind::GROUP | kind::STRING | kind::BYTES);
        let said = self.field.options.as_ref().and_then(|options| options.packed);
        self.repeated() && packable && said.unwrap_or_else(|| self.features().repeated == PACKED)
    }

    /// Reports whether the default of the type stands for absence.
    pub fn implicit(&self) -> bool {
        let plain = self.field.oneof_index.is_none() && self.field.extendee.is_none() && !self.repeated() && !self.is_message();
        plain && self.field.label != Some(label::REQUIRED) && self.features().presence == IMPLICIT
    }
}

impl<'a> Schema<'a> {
    pub fn new(units: &'a [Unit], names: &'a Names) -> Schema<'a> {
        Schema { units, names, closed: RefCell::default() }
    }

    fn field_of(&self, symbol: &'a Symbol) -> Option<FieldRef<'a>> {
        let unit = self.units.get(symbol.unit as usize)?;
        let found = FieldRef { field: field_at(&unit.file, &symbol.path)?, unit, symbol, map: false };
        let around = message_at(&unit.file, &symbol.path[..symbol.path.len().saturating_sub(2)]);
        let map = found.is_message() && self.message(found.type_name()).is_some_and(is_map_entry);
        Some(FieldRef { map: map || around.is_some_and(is_map_entry), ..found })
    }

    pub fn message(&self, full: &str) -> Option<&'a Descriptor> {
        let symbol = self.names.get(full)?;
        message_at(&self.units.get(symbol.unit as usize)?.file, &symbol.path)
    }

    /// Returns the field of that name in a message.
    pub fn field(&self, message: &str, name: &str) -> Option<FieldRef<'a>> {
        let symbol = self.names.get(&join(message, name)).filter(|symbol| symbol.what == What::Field)?;
        self.field_of(symbol)
    }

    /// Returns the extension that a name refers to in a scope.
    pub fn extension(&self, view: &View, scope: &str, name: &str) -> Result<FieldRef<'a>, Found<'a>> {
        match self.names.find(view, scope, name, false) {
            Found::Symbol(full, symbol) => match (symbol.what, self.field_of(symbol)) {
                (What::Extension, Some(field)) => Ok(field),
                _ => Err(Found::Symbol(full, symbol)),
            },
            other => Err(other),
        }
    }

    /// Returns the number of a value of an enum.
    pub fn value(&self, enumeration: &str, name: &str) -> Option<i32> {
        let value = self.names.get(&join(above(enumeration), name)).filter(|value| value.what == What::Value)?;
        let declared = self.names.get(enumeration)?;
        if declared.unit != value.unit || !value.path.starts_with(&declared.path) {
            return None;
        }
        let found = enum_at(&self.units.get(value.unit as usize)?.file, &declared.path)?;
        found.value.get(*value.path.last()? as usize)?.number
    }

    /// Reports whether an enum has a value of that number, or takes any.
    pub fn takes(&self, enumeration: &str, number: i32) -> bool {
        if let Some(numbers) = self.closed.borrow().get(enumeration) {
            return numbers.as_ref().is_none_or(|numbers| numbers.contains(&number));
        }
        let Some(symbol) = self.names.get(enumeration) else { return false };
        let Some(unit) = self.units.get(symbol.unit as usize) else { return false };
        let closed = Features::at(unit, &symbol.path).enum_type == CLOSED;
        let found = enum_at(&unit.file, &symbol.path).filter(|_| closed);
        let numbers: Option<HashSet<i32>> = found.map(|found| found.value.iter().filter_map(|value| value.number).collect());
        let takes = numbers.as_ref().is_none_or(|numbers| numbers.contains(&number));
        self.closed.borrow_mut().insert(enumeration.to_string(), numbers);
        takes
    }
}
