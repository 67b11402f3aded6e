//! Fields of structs, and arguments and results of methods.

use std::collections::{HashMap, HashSet};

use polywire_core::schema::language::Effect;

use super::comparing::{Change, Claim, Comparing};
use super::rule;
use super::sample::Wish;
use super::types::judge;
use crate::idl::model::{Field, Struct, Ty};
use crate::idl::syntax::{Requiredness, StructKind};

/// Number of the field of a result that is the method's value (`doc/specs/thrift-rpc.md`,
/// Response struct).
const SUCCESS: i16 = 0;

/// Use of a struct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Struct,
    /// Arguments of a method.
    Arguments,
    /// Value and exceptions of a method.
    Result,
}

fn required(field: &Field) -> bool {
    field.requiredness == Requiredness::Required
}

/// Fields of both versions of a struct.
struct Both<'m> {
    ids: [usize; 2],
    role: Role,
    by_id: [HashMap<i16, &'m Field>; 2],
    names: [HashSet<&'m str>; 2],
}

impl<'m> Both<'m> {
    fn new(ids: [usize; 2], role: Role, structs: [&'m Struct; 2]) -> Both<'m> {
        let by_id = structs.map(|of| of.fields.iter().map(|field| (field.id, field)).collect());
        let names = structs.map(|of| of.fields.iter().map(|field| &*field.name).collect());
        Both { ids, role, by_id, names }
    }
}

impl Comparing<'_> {
    /// Compares the fields of a struct, whose indexes in both versions are given.
    pub(super) fn fields(&mut self, root: &str, path: &str, ids: [usize; 2], role: Role) {
        let (before, after) = (&self.old.structs[ids[0]], &self.new.structs[ids[1]]);
        let both = Both::new(ids, role, [before, after]);
        let last = before.fields.iter().map(|field| field.id).filter(|id| role != Role::Result || *id != SUCCESS).max();
        for field in &after.fields {
            match both.by_id[0].get(&field.id) {
                Some(was) => self.field(root, path, &both, was, field),
                None => self.added(root, path, &both, last, field),
            }
        }
        for field in before.fields.iter().filter(|field| !both.by_id[1].contains_key(&field.id)) {
            let change = Change {
                kind: "field_removed",
                root: root.to_string(),
                path: format!("{path}.{}", field.name),
                message: format!("{} was removed", shown(role, field)),
                old: Some(field.at),
                new: None,
            };
            let backward = Claim::of(Effect::Misread, rule::REMOVED).shown(ids, Some(field.id), Wish::default());
            let forward = if required(field) {
                Claim::of(Effect::Refused, rule::REQUIRED).shown(ids, None, Wish::default())
            } else {
                lacks_value(role, field)
            };
            self.add(change, backward, forward);
        }
    }

    fn added(&mut self, root: &str, path: &str, both: &Both<'_>, last: Option<i16>, field: &Field) {
        let (ids, role) = (both.ids, both.role);
        let change = Change {
            kind: "field_added",
            root: root.to_string(),
            path: format!("{path}.{}", field.name),
            message: format!("{} was added", shown(role, field)),
            old: None,
            new: Some(field.at),
        };
        let value = role == Role::Result && field.id == SUCCESS;
        let backward = if required(field) {
            Claim::of(Effect::Refused, rule::REQUIRED).shown(ids, None, Wish::default())
        } else if value {
            lacks_value(role, field)
        } else if last.is_some_and(|last| field.id < last) {
            Claim::of(Effect::Misread, rule::MIDDLE)
        } else {
            Claim::FINE
        };
        let forward = if self.old.structs[ids[0]].kind == StructKind::Union {
            Claim::of(Effect::Misread, rule::UNION).shown(ids, Some(field.id), Wish::default())
        } else if role == Role::Result && !value {
            Claim::of(Effect::Misread, rule::RESULT).shown(ids, Some(field.id), Wish::default())
        } else {
            Claim::FINE
        };
        self.add(change, backward, forward);
    }

    /// Compares a field of one number.
    fn field(&mut self, root: &str, path: &str, both: &Both<'_>, was: &Field, is: &Field) {
        let (ids, role) = (both.ids, both.role);
        let change = |kind, message| Change {
            kind,
            root: root.to_string(),
            path: format!("{path}.{}", is.name),
            message,
            old: Some(was.at),
            new: Some(is.at),
        };
        self.types(ids, role, was, is, &change);
        if required(was) != required(is) {
            let (message, backward, forward) = if required(is) {
                let claim = Claim::of(Effect::Refused, rule::REQUIRED).shown(ids, None, Wish::default());
                ("is required now", claim, Claim::FINE)
            } else {
                let claim = Claim::of(Effect::Refused, rule::REQUIRED).shown(ids, None, Wish::default());
                ("is no longer required", Claim::FINE, claim)
            };
            self.add(change("field_requiredness_changed", format!("{} {message}", shown(role, is))), backward, forward);
        }
        if was.name != is.name {
            let moved = both.names[1].contains(&*was.name) || both.names[0].contains(&*is.name);
            let message = format!("number {} was `{}` and is `{}`", is.id, was.name, is.name);
            if moved {
                let claim = || Claim::of(Effect::Misread, rule::NUMBERS).shown(ids, Some(is.id), Wish::default());
                self.add(change("field_renumbered", message), claim(), claim());
            } else {
                self.add_named(change("field_renamed", message), rule::NAMES);
            }
        }
        // A required field is in each message.
        if was.default != is.default && !(required(was) && required(is)) {
            let message = match (&was.default, &is.default) {
                (_, None) => format!("{} has no default now", shown(role, is)),
                (None, _) => format!("{} has a default now", shown(role, is)),
                _ => format!("{} has another default", shown(role, is)),
            };
            self.add_named(change("field_default_changed", message), rule::DEFAULTS);
        }
    }

    fn types(&mut self, ids: [usize; 2], role: Role, was: &Field, is: &Field, change: &dyn Fn(&'static str, String) -> Change) {
        let (old, new) = (self.old, self.new);
        let backward = judge((old, &was.ty), (new, &is.ty));
        let forward = judge((new, &is.ty), (old, &was.ty));
        if backward.is_none() && forward.is_none() {
            return;
        }
        let message = format!("{} was {} and is {}", shown(role, is), old.text(&was.ty), new.text(&is.ty));
        let change = change("field_type_changed", message);
        let exception = role == Role::Result && is.id != SUCCESS && matches!((&was.ty, &is.ty), (Ty::Struct(_), Ty::Struct(_)));
        let claim = |judged: Option<super::types::Judged>| match judged {
            Some(judged) if exception && !judged.effect.breaks() => Claim::of(Effect::Misread, rule::EXCEPTIONS),
            judged => Claim::judged(judged, ids, is.id),
        };
        let (backward, forward) = (claim(backward), claim(forward));
        self.add(change, backward, forward);
    }
}

/// Returns the claim about a result that lacks its value.
fn lacks_value(role: Role, field: &Field) -> Claim {
    if role == Role::Result && field.id == SUCCESS { Claim::of(Effect::Refused, rule::RESULT) } else { Claim::FINE }
}

fn shown(role: Role, field: &Field) -> String {
    match role {
        Role::Struct => format!("field `{}`, number {},", field.name, field.id),
        Role::Arguments => format!("the argument `{}`, number {},", field.name, field.id),
        Role::Result if field.id == SUCCESS => "the result".to_string(),
        Role::Result => format!("the exception `{}`, number {},", field.name, field.id),
    }
}
