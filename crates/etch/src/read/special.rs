//! Names, and structures that are other values in other formats.

use polywire_core::{Error, ErrorKind, Result, Str, Timestamp};

use super::Walk;
use crate::names::{hash, known};
use crate::plan::{Shape, Ty};
use crate::wire::{self, ANY, Head, Name};

/// A structure that is another value in other formats.
pub(super) enum Special<'w> {
    /// A map of as many pairs.
    Map(u32),
    Time(Timestamp),
    /// A list or a set of as many values.
    Values(u32),
    /// An enumerator of the declared type.
    Enumerator(&'w str),
}

impl<'w, 'm> Walk<'w, 'm> {
    /// Returns the name of a field, or the digits of a hash that is not known.
    pub(super) fn field_name<'d>(&self, name: Name<'m>, digits: &'d mut itoa::Buffer) -> Result<Str<'m, 'd, str>>
    where
        'w: 'd,
    {
        Ok(match name {
            Name::Text(text) => Str::Input(self.input.utf8(text)?),
            Name::Hash(number) => {
                let name = self.plan.map_or_else(|| known(number), |plan| plan.field_name(number));
                Str::Scratch(name.unwrap_or_else(|| digits.format(number)))
            }
        })
    }

    /// Returns the name of a type, or the digits of a hash that is not known.
    pub(super) fn type_name<'d>(&self, name: Name<'m>, digits: &'d mut itoa::Buffer) -> Result<Str<'m, 'd, str>>
    where
        'w: 'd,
    {
        Ok(match name {
            Name::Text(text) => Str::Input(self.input.utf8(text)?),
            Name::Hash(number) => {
                let name = self.plan.map_or_else(|| known(number), |plan| plan.type_name(number));
                Str::Scratch(name.unwrap_or_else(|| digits.format(number)))
            }
        })
    }

    /// Refuses a structure whose type is the empty string, where a schema declares one.
    pub(super) fn has_type(&self, name: Name<'m>, at: usize) -> Result<()> {
        if self.plan.is_some() && name == Name::Text(b"") {
            return Err(Error::data(ErrorKind::Mismatch, self.base + at as u64).seen("an empty name").expected("the name of a type"));
        }
        Ok(())
    }

    /// Returns whether a name is another one. Without a schema, it has to be a hash as names of the
    /// message are.
    pub(super) fn is(&self, name: Name<'m>, wanted: &str) -> bool {
        match name {
            Name::Hash(number) => (self.plan.is_some() || self.hashes) && number == hash(wanted),
            Name::Text(text) => (self.plan.is_some() || !self.hashes) && text == wanted.as_bytes(),
        }
    }

    /// Looks whether a structure is a map, a moment, or what its declared type makes of it, and
    /// where its entries begin or it ends.
    pub(super) fn special(&self, name: Name<'m>, count: u32, ty: Ty) -> Option<(Special<'w>, usize)> {
        if count != 1 {
            return None;
        }
        let mut ahead = self.input;
        let field = wire::name(&mut ahead).ok()?;
        let is = |shape| ty.is_any() || ty.is(shape);
        if let (Shape::Enum(index), Some(plan)) = (ty.shape, self.plan) {
            let of = &plan.types[index as usize];
            if !self.is(name, &of.name) {
                return None;
            }
            let mut digits = itoa::Buffer::new();
            let field = self.field_name(field, &mut digits).ok()?;
            let (known, _) = of.fields.get_key_value(field.get())?;
            let (Ok(Head::Bool(true)), Ok(Head::None)) = (wire::head(&mut ahead), wire::head(&mut ahead)) else { return None };
            return Some((Special::Enumerator(known), ahead.pos()));
        }
        let list = match ty.shape {
            Shape::List => Some(("_Etch_List", "values")),
            Shape::Set => Some(("_Etch_Set", "keys")),
            _ => None,
        };
        if let Some((list, values)) = list {
            if !self.is(name, list) || !self.is(field, values) {
                return None;
            }
            match wire::head(&mut ahead).ok()? {
                Head::Array(ANY, None, 1, count) if count as usize <= ahead.remaining() => {
                    return Some((Special::Values(count), ahead.pos()));
                }
                _ => return None,
            }
        }
        if is(Shape::Map) && self.is(name, "_Etch_Map") && self.is(field, "keysAndValues") {
            match wire::head(&mut ahead).ok()? {
                Head::Array(ANY, None, 1, count) if count.is_multiple_of(2) && count as usize <= ahead.remaining() => {
                    return Some((Special::Map(count / 2), ahead.pos()));
                }
                _ => return None,
            }
        }
        if is(Shape::Time) && self.is(name, "_Etch_Datetime") && self.is(field, "dateTime") {
            let Ok(Head::Int(milliseconds, _)) = wire::head(&mut ahead) else { return None };
            let Ok(Head::None) = wire::head(&mut ahead) else { return None };
            let moment = Timestamp::new(milliseconds.div_euclid(1000), milliseconds.rem_euclid(1000) as u32 * 1_000_000)?;
            return Some((Special::Time(moment), ahead.pos()));
        }
        None
    }
}
