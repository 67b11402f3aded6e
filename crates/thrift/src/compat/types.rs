//! The meaning of a value to a reader whose type is another one.

use std::collections::{HashMap, HashSet};

use polywire_core::schema::language::{Effect, Rule};

use super::rule;
use super::sample::Wish;
use crate::idl::model::{Field, Model, Struct, Ty};
use crate::idl::syntax::{Base, Requiredness, StructKind};
use crate::kind::Kind;

/// Deepest nesting of structs with other names that is followed.
const DEPTH: usize = 32;

/// The effect of another type on values.
pub(super) struct Judged {
    pub effect: Effect,
    pub rule: Rule,
    /// The value that shows it.
    pub wish: Wish,
}

impl Judged {
    fn of(effect: Effect, rule: Rule) -> Judged {
        Judged { effect, rule, wish: Wish::default() }
    }
}

/// Returns the type on the wire.
fn kind(ty: &Ty) -> Option<Kind> {
    Some(match ty {
        Ty::Base(base) => match base {
            Base::Bool => Kind::Bool,
            Base::I8 => Kind::I8,
            Base::I16 => Kind::I16,
            Base::I32 => Kind::I32,
            Base::I64 => Kind::I64,
            Base::Double | Base::Float => Kind::Double,
            Base::String | Base::Binary => Kind::String,
            Base::Uuid => Kind::Uuid,
        },
        Ty::List(_) => Kind::List,
        Ty::Set(_) => Kind::Set,
        Ty::Map(..) => Kind::Map,
        Ty::Struct(_) => Kind::Struct,
        Ty::Enum(_) => Kind::I32,
        Ty::Stream => return None,
    })
}

/// Judges values of a type of the writer's model by a type of the reader's. `None` if all of them
/// keep their meaning.
pub(super) fn judge(writer: (&Model, &Ty), reader: (&Model, &Ty)) -> Option<Judged> {
    Judging { writer: writer.0, reader: reader.0, seen: HashSet::new(), depth: 0 }.ty(writer.1, reader.1)
}

struct Judging<'m> {
    writer: &'m Model,
    reader: &'m Model,
    /// Pairs of structs that were begun.
    seen: HashSet<(usize, usize)>,
    depth: usize,
}

/// Returns the worse one, the first of equals.
fn worse(one: Option<Judged>, other: Option<Judged>) -> Option<Judged> {
    match (one, other) {
        (Some(one), Some(other)) if other.effect > one.effect => Some(other),
        (None, other) => other,
        (one, _) => one,
    }
}

impl Judging<'_> {
    fn ty(&mut self, writer: &Ty, reader: &Ty) -> Option<Judged> {
        if kind(writer) != kind(reader) {
            return Some(Judged::of(Effect::Misread, rule::KIND));
        }
        match (writer, reader) {
            (Ty::Base(Base::Binary), Ty::Base(Base::String)) => Some(Judged::of(Effect::Misread, rule::TEXT)),
            (Ty::Base(Base::String), Ty::Base(Base::Binary)) => Some(Judged::of(Effect::Warns, rule::TEXT)),
            (Ty::Enum(writer), Ty::Enum(reader)) => {
                let (writer_enum, reader_enum) = (&self.writer.enums[*writer], &self.reader.enums[*reader]);
                if writer_enum.name == reader_enum.name {
                    return None;
                }
                let known: HashSet<(&str, i32)> = reader_enum.members.iter().map(|member| (&*member.name, member.number)).collect();
                let other = writer_enum.members.iter().find(|member| !known.contains(&(&*member.name, member.number)));
                Some(match other {
                    Some(member) => {
                        let wish = Wish { number: Some((*writer, member.number)), ..Wish::default() };
                        Judged { effect: Effect::Misread, rule: rule::ENUM_NUMBERS, wish }
                    }
                    None => Judged::of(Effect::Warns, rule::NAMES),
                })
            }
            (Ty::Enum(_), _) => Some(Judged::of(Effect::Warns, rule::ENUM_NUMBERS)),
            (_, Ty::Enum(reader)) => {
                let reader = &self.reader.enums[*reader];
                let taken: HashSet<i32> = reader.members.iter().map(|member| member.number).collect();
                let free = (0..i32::MAX).find(|number| !taken.contains(number));
                let wish = Wish { int: free.map(i64::from), ..Wish::default() };
                Some(Judged { effect: Effect::Misread, rule: rule::ENUM_NUMBERS, wish })
            }
            (Ty::List(writer), Ty::List(reader)) | (Ty::Set(writer), Ty::Set(reader)) => self.ty(writer, reader),
            (Ty::Map(writer_key, writer), Ty::Map(reader_key, reader)) => {
                let key = self.ty(writer_key, reader_key);
                worse(key, self.ty(writer, reader))
            }
            (Ty::Struct(writer), Ty::Struct(reader)) => {
                if self.writer.structs[*writer].name == self.reader.structs[*reader].name
                    || self.depth >= DEPTH
                    || !self.seen.insert((*writer, *reader))
                {
                    return None;
                }
                self.depth += 1;
                let judged = self.structs(*writer, *reader);
                self.depth -= 1;
                let mut judged = worse(judged, Some(Judged::of(Effect::Warns, rule::NAMES)))?;
                judged.wish.full = true;
                Some(judged)
            }
            _ => None,
        }
    }

    /// Judges structs whose names differ by what is in them.
    fn structs(&mut self, writer: usize, reader: usize) -> Option<Judged> {
        let (writer, reader) = (&self.writer.structs[writer], &self.reader.structs[reader]);
        let union = |of: &Struct| of.kind == StructKind::Union;
        let mut judged = (union(reader) && !union(writer)).then(|| Judged::of(Effect::Misread, rule::UNION));
        let known: HashMap<i16, &Field> = reader.fields.iter().map(|field| (field.id, field)).collect();
        for field in &writer.fields {
            let found = match known.get(&field.id) {
                Some(known) => self.ty(&field.ty, &known.ty),
                None => Some(Judged::of(Effect::Misread, rule::REMOVED)),
            };
            judged = worse(judged, found);
        }
        let required = |of: &Struct| -> HashSet<i16> {
            of.fields.iter().filter(|field| field.requiredness == Requiredness::Required).map(|field| field.id).collect()
        };
        let lacks = !required(reader).is_subset(&required(writer));
        worse(judged, lacks.then(|| Judged::of(Effect::Refused, rule::REQUIRED)))
    }
}
