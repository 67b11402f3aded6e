//! Constants of a text as constants of Rust, in a module of their own.

use std::fmt::Write;

use polywire_core::Value as Given;
use polywire_core::text::diagnostic::Diagnostic;
use polywire_thrift::idl::model::{Base, Model, Ty};

use super::plan::{Layout, Mapped};
use crate::rust::{Ownership, RustTypes, names};

/// A constant: its name, its type, its value.
#[derive(Debug)]
pub(super) struct Constant {
    name: String,
    ty: Ty,
    value: Given,
}

/// Returns the constants that have code, and adds a warning for each other one.
pub(super) fn constants(model: &Model, findings: &mut Vec<Diagnostic>) -> Vec<Constant> {
    let mut made = Vec::new();
    for constant in &model.constants {
        match &constant.value {
            Some(value) if has_code(value, &constant.ty) => {
                made.push(Constant { name: constant.name.clone(), ty: constant.ty.clone(), value: value.clone() });
            }
            _ => {
                let message = format!("the constant `{}` is left out: it has a struct, or text that is no uuid", constant.name);
                findings.push(Diagnostic::warning("constant", constant.at, message));
            }
        }
    }
    made
}

fn has_code(value: &Given, ty: &Ty) -> bool {
    match (value, ty) {
        (Given::Text(text), Ty::Base(Base::Uuid)) => uuid(text).is_some(),
        (Given::List(items), Ty::List(inner) | Ty::Set(inner)) => items.iter().all(|item| has_code(item, inner)),
        (Given::Map(pairs), Ty::Map(of_key, of_value)) => {
            pairs.iter().all(|(key, value)| has_code(key, of_key) && has_code(value, of_value))
        }
        _ => true,
    }
}

/// Returns the bits of an identifier, from 36 characters.
fn uuid(text: &str) -> Option<u128> {
    let digits: String = text.split('-').collect();
    let is_whole = text.len() == 36 && digits.len() == 32 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_whole.then(|| u128::from_str_radix(&digits, 16).ok()).flatten()
}

/// Returns the module of all constants, or nothing if there are none. Lists, sets and maps are
/// slices in the order of the text, maps of pairs.
pub(super) fn code(constants: &[Constant], mapped: &Mapped, types: &RustTypes<'_>) -> String {
    let emit = Emit { mapped, types };
    let mut items = String::new();
    for constant in constants {
        let name = names::field_name(&constant.name);
        let (ty, value) = (emit.ty(&constant.ty), emit.value(&constant.value, &constant.ty));
        let _ = writeln!(items, "/// `{}`.\npub const {name}: {ty} = {value};", constant.name);
    }
    if items.is_empty() {
        return items;
    }
    format!(
        "/// Constants of the schema.\n\
         #[allow(dead_code, non_upper_case_globals, unused_imports, clippy::all)]\n\
         pub mod constants {{\nuse super::*;\n{items}}}\n"
    )
}

struct Emit<'e> {
    mapped: &'e Mapped,
    types: &'e RustTypes<'e>,
}

impl Emit<'_> {
    fn ty(&self, ty: &Ty) -> String {
        match ty {
            Ty::Base(base) => match base {
                Base::Bool => "bool",
                Base::I8 => "i8",
                Base::I16 => "i16",
                Base::I32 => "i32",
                Base::I64 => "i64",
                Base::Double | Base::Float => "f64",
                Base::String => "&str",
                Base::Binary => "&[u8]",
                Base::Uuid => "(u64, u64)",
            }
            .into(),
            Ty::Enum(of) => self.types.stem(self.mapped.enumeration(*of)).into(),
            Ty::List(inner) | Ty::Set(inner) => format!("&[{}]", self.ty(inner)),
            Ty::Map(key, value) => format!("&[({}, {})]", self.ty(key), self.ty(value)),
            // No constant has a value of these.
            Ty::Struct(_) | Ty::Stream => "()".into(),
        }
    }

    fn value(&self, value: &Given, ty: &Ty) -> String {
        match (value, ty) {
            (Given::Bool(value), _) => value.to_string(),
            (Given::Int(number), Ty::Enum(of)) => self.number(*of, *number),
            (Given::UInt(number), Ty::Enum(of)) => self.number(*of, i64::try_from(*number).unwrap_or_default()),
            (Given::Int(i64::MIN), _) => "i64::MIN".into(),
            (Given::Int(value), _) => value.to_string(),
            (Given::UInt(value), _) => value.to_string(),
            (Given::F64(value), _) if value.is_finite() => format!("{value:?}"),
            (Given::F64(value), _) => if *value < 0.0 { "f64::NEG_INFINITY" } else { "f64::INFINITY" }.into(),
            (Given::Text(name), Ty::Enum(of)) => {
                let number = self.mapped.number(*of, name).unwrap_or_default();
                self.number(*of, i64::from(number))
            }
            (Given::Text(text), Ty::Base(Base::Uuid)) => {
                let bits = uuid(text).unwrap_or_default();
                format!("({:#x}, {:#x})", (bits >> 64) as u64, bits as u64)
            }
            (Given::Text(text), _) => format!("{text:?}"),
            (Given::Bytes(bytes), _) => format!("b\"{}\"", bytes.escape_ascii()),
            (Given::List(items), Ty::List(inner) | Ty::Set(inner)) => {
                let items: Vec<String> = items.iter().map(|item| self.value(item, inner)).collect();
                format!("&[{}]", items.join(", "))
            }
            (Given::Map(pairs), Ty::Map(of_key, of_value)) => {
                let pair = |(key, value): &(Given, Given)| format!("({}, {})", self.value(key, of_key), self.value(value, of_value));
                format!("&[{}]", pairs.iter().map(pair).collect::<Vec<_>>().join(", "))
            }
            _ => "()".into(),
        }
    }

    /// Returns the case of a number.
    fn number(&self, of: usize, number: i64) -> String {
        let index = self.mapped.enumeration(of);
        let Layout::Enum(numbers) = &self.mapped.layouts[index] else { return "()".into() };
        let path = self.types.path(index, Ownership::Owned);
        match numbers.iter().position(|known| i64::from(*known) == number) {
            Some(case) => format!("{path}::{}", self.types.case(index, case)),
            None => format!("{path}::{}({number})", self.types.case(index, numbers.len())),
        }
    }
}
