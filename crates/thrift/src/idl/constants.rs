//! Constants and defaults: values of their types.

use std::collections::{HashMap, HashSet};

use polywire_core::text::diagnostic::{Diagnostic, Place};
use polywire_core::value::Value;

use super::model::{Named, Ty};
use super::resolve::{CHAIN, Resolving};
use super::syntax::{Base, Const, ConstKind, DefinitionKind, Requiredness, StructKind};

/// Most values of constants and defaults.
const MOST_VALUES: u32 = 1 << 20;

/// A constant of a struct.
pub(super) struct OfStruct<'t> {
    text: usize,
    pairs: &'t [(Const, Const)],
    /// The struct.
    of: usize,
    at: Place,
    /// Number of constants that led to it.
    chain: u32,
}

impl<'t> Resolving<'t> {
    /// Returns a constant as a value of a type. `None` after a finding, or if the value is none of
    /// the model, as a constant of a struct.
    pub(super) fn value(&mut self, text: usize, given: &'t Const, ty: &Ty, chain: u32) -> Option<Value> {
        // A constant may have another one in it twice, and so on.
        self.values += 1;
        if self.values >= MOST_VALUES {
            if self.values == MOST_VALUES {
                self.findings.push(Diagnostic::error("large_text", given.at, format!("more than {MOST_VALUES} values of constants")));
            }
            return None;
        }
        let value = match (&given.kind, ty) {
            (ConstKind::Name(name), _) => return self.named(text, name, given.at, ty, chain),
            (ConstKind::Int(value @ (0 | 1)), Ty::Base(Base::Bool)) => Value::Bool(*value == 1),
            (ConstKind::Int(value), Ty::Base(base @ (Base::I8 | Base::I16 | Base::I32 | Base::I64))) => {
                let bits = match base {
                    Base::I8 => 8,
                    Base::I16 => 16,
                    Base::I32 => 32,
                    _ => 64,
                };
                if bits < 64 && value >> (bits - 1) != value >> 63 {
                    self.findings.push(Diagnostic::error("wide_number", given.at, format!("{value} is no {}", base.name())));
                }
                Value::int(*value)
            }
            (ConstKind::Int(value), Ty::Base(Base::Double | Base::Float)) => Value::F64(*value as f64),
            (ConstKind::Double(value), Ty::Base(Base::Double | Base::Float)) => Value::F64(*value),
            (ConstKind::Text(value), Ty::Base(Base::String | Base::Uuid)) => Value::text(value),
            (ConstKind::Text(value), Ty::Base(Base::Binary)) => Value::Bytes(value.clone().into_bytes()),
            (ConstKind::Int(value), Ty::Enum(id)) => {
                let member = self.model.enums[*id].members.iter().find(|member| i64::from(member.number) == *value);
                let Some(member) = member else {
                    if self.texts.texts[text].document.facebook {
                        return Some(Value::int(*value));
                    }
                    let message = format!("{value} is no number of the enum `{}`", self.model.enums[*id].name);
                    self.findings.push(Diagnostic::error("wrong_default", given.at, message));
                    return None;
                };
                Value::text(&member.name)
            }
            // Either brackets may be empty.
            (ConstKind::Map(pairs), Ty::List(_) | Ty::Set(_)) if pairs.is_empty() => Value::List(Vec::new()),
            (ConstKind::List(items), Ty::Map(..)) if items.is_empty() => Value::Map(Vec::new()),
            (ConstKind::List(items), Ty::List(inner) | Ty::Set(inner)) => {
                Value::List(items.iter().map(|item| self.value(text, item, inner, chain)).collect::<Option<_>>()?)
            }
            (ConstKind::Map(pairs), Ty::Map(key, value)) => {
                let mut made = Vec::new();
                for (one, other) in pairs {
                    made.push((self.value(text, one, key, chain)?, self.value(text, other, value, chain)?));
                }
                Value::Map(made)
            }
            // The fields of a struct may not be known yet.
            (ConstKind::Map(pairs), Ty::Struct(id)) => {
                self.structs.push(OfStruct { text, pairs, of: *id, at: given.at, chain });
                return None;
            }
            _ => {
                let finding = Diagnostic::error("wrong_default", given.at, format!("a value that is no {}", self.model.text(ty)));
                self.findings.push(finding);
                return None;
            }
        };
        Some(value)
    }

    /// Checks the constants of structs, whose fields are known now.
    pub(super) fn constants(&mut self) {
        let mut seen = HashSet::new();
        while let Some(OfStruct { text, pairs, of, at, chain }) = self.structs.pop() {
            if !seen.insert((at.source, at.start, of)) {
                continue;
            }
            let of = &self.model.structs[of];
            let (name, union) = (of.name.clone(), of.kind == StructKind::Union);
            let fields: HashMap<&str, (Ty, bool)> = of
                .fields
                .iter()
                .map(|field| (&*field.name, (field.ty.clone(), field.requiredness == Requiredness::Required && field.default.is_none())))
                .collect();
            let mut missing: HashSet<&str> = fields.iter().filter(|(_, (_, required))| *required).map(|(name, _)| *name).collect();
            let mut due = Vec::new();
            let mut findings = Vec::new();
            for (key, value) in pairs {
                let known = if let ConstKind::Text(key) = &key.kind { fields.get_key_value(key.as_str()) } else { None };
                match known {
                    Some((field, (ty, _))) => {
                        missing.remove(field);
                        due.push((value, ty.clone()));
                    }
                    None => findings.push(Diagnostic::error("unknown_name", key.at, format!("no name of a field of `{name}`"))),
                }
            }
            let mut missing: Vec<&str> = missing.into_iter().collect();
            missing.sort_unstable();
            for field in missing {
                findings.push(Diagnostic::error("wrong_default", at, format!("a `{name}` without its required field `{field}`")));
            }
            if union && pairs.len() > 1 {
                findings.push(Diagnostic::error("wrong_default", at, format!("a `{name}` with more than one field")));
            }
            self.findings.extend(findings);
            for (value, ty) in due {
                self.value(text, value, &ty, chain);
            }
        }
    }

    fn named(&mut self, text: usize, name: &str, at: Place, ty: &Ty, chain: u32) -> Option<Value> {
        if let (Ty::Base(Base::Bool), "true" | "false") = (ty, name) {
            return Some(Value::Bool(name == "true"));
        }
        if let Some(((text, index), None)) = self.find(text, name)
            && let DefinitionKind::Const(_, value) = &self.texts.texts[text].document.definitions[index].kind
        {
            if chain >= CHAIN {
                self.findings.push(Diagnostic::error("circle", at, format!("the constant `{name}` stands for itself")));
                return None;
            }
            return self.value(text, value, ty, chain + 1);
        }
        let (of, member) = name.rsplit_once('.').unwrap_or(("", name));
        let found = match self.find(text, of) {
            Some(((text, index), Some(Named::Enum(_)))) => Some((text, index)),
            _ => None,
        };
        if let Some((text, index)) = found
            && let DefinitionKind::Enum(members) = &self.texts.texts[text].document.definitions[index].kind
        {
            let mut next = 0;
            for known in members {
                let number = known.number.map_or(next, |(number, _)| number);
                next = number.saturating_add(1);
                if known.name.text == member {
                    return Some(if matches!(ty, Ty::Enum(_)) { Value::text(member) } else { Value::int(number) });
                }
            }
        }
        // The name may stand without that of its enum.
        if let Ty::Enum(id) = ty
            && self.model.enums[*id].members.iter().any(|known| known.name == member)
        {
            return Some(Value::text(member));
        }
        self.findings.push(Diagnostic::error("unknown_name", at, format!("`{name}` is no constant, and no name of an enum")));
        None
    }
}
