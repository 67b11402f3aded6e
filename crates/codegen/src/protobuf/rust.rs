//! The code of the encoding: for each type the functions that read it, borrowing and owning, and
//! write it, backwards; and its table.

use std::fmt::Write;

use super::layout::{Comes, Layout, Mapped, Wire};
use crate::plan::{Body, Carries, Type, Value};
use crate::rust::names::Scope;
use crate::rust::{Ownership, RustTypes};

/// Returns the module with all code of the encoding. Nothing but the types is in scope, so that no
/// name of the schema can be in the way.
pub(super) fn code(mapped: &Mapped, types: &RustTypes<'_>) -> String {
    let emit = Emit { mapped, types };
    let mut items = String::new();
    for index in 0..mapped.layouts.len() {
        match &mapped.layouts[index] {
            Layout::Message(_) | Layout::Choice(_) => {
                for ownership in emit.types.ownerships(index) {
                    emit.reader(index, ownership, &mut items);
                    emit.writer(index, ownership, &mut items);
                    emit.traits(index, ownership, &mut items);
                    emit.getters(index, ownership, &mut items);
                }
                emit.table(index, &mut items);
            }
            Layout::Numbers(_) => emit.numbers(index, &mut items),
            Layout::Oneof(_) | Layout::Absent => {}
        }
    }
    format!(
        "/// The Protobuf encoding of the types.\n\
         #[allow(dead_code, non_camel_case_types, unused_mut, unused_variables, irrefutable_let_patterns, clippy::all)]\n\
         mod protobuf {{\nuse polywire_protobuf_runtime as rt;\nuse super::*;\n{items}}}\n"
    )
}

/// A value that is written, or a place that is read into: an expression, and whether that is a
/// reference to it.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub text: String,
    pub is_reference: bool,
}

impl Place {
    pub fn value(text: impl Into<String>) -> Place {
        Place { text: text.into(), is_reference: false }
    }

    pub fn reference(text: impl Into<String>) -> Place {
        Place { text: text.into(), is_reference: true }
    }

    pub fn by_reference(&self) -> String {
        if self.is_reference { self.text.clone() } else { format!("&{}", self.text) }
    }

    pub fn by_value(&self) -> String {
        if self.is_reference { format!("*{}", self.text) } else { self.text.clone() }
    }
}

pub(super) struct Emit<'e> {
    pub mapped: &'e Mapped,
    pub types: &'e RustTypes<'e>,
}

impl Emit<'_> {
    pub fn function(&self, what: &str, index: usize, ownership: Ownership) -> String {
        let borrowed = ownership == Ownership::Borrowed && self.types.def_lends(index);
        format!("{what}_{}{}", self.types.snake(index), if borrowed { "_ref" } else { "" })
    }

    /// Returns the name of a type's table.
    pub fn table_name(&self, index: usize) -> String {
        self.types.snake(index).to_ascii_uppercase()
    }

    /// Returns whether a message is made in its place, from its default. Others are made of their
    /// fields when all are read.
    pub fn has_default(&self, index: usize) -> bool {
        matches!(self.mapped.layouts[index], Layout::Message(_)) && self.types.plan.types[index].default.is_some()
    }

    /// Returns the place of unknown fields in `this`, if the message keeps them.
    pub fn keeps(&self, index: usize) -> Option<String> {
        let Layout::Message(members) = &self.mapped.layouts[index] else { return None };
        let kept = members.iter().position(|member| member.comes == Comes::Unknown)?;
        Some(format!("this.{}", self.types.field(index, kept)))
    }

    /// Writes the functions from the numbers of an enum to its cases, and back.
    fn numbers(&self, index: usize, out: &mut String) {
        let Layout::Numbers(numbers) = &self.mapped.layouts[index] else { return };
        let name = self.types.stem(index);
        let case = |case: usize| format!("{name}::{}", self.types.case(index, case));
        let arms = |wrap: &dyn Fn(String) -> String| {
            numbers.of.iter().enumerate().map(|(n, number)| format!("{number} => {},\n", wrap(case(n)))).collect::<String>()
        };
        let other = case(numbers.of.len().min(self.cases(index) - 1));
        let from = self.function("case", index, Ownership::Owned);
        let _ = if numbers.open {
            writeln!(
                out,
                "#[inline(always)]\nfn {from}(number: i32) -> {name} {{ match number {{ {} number => {other}(number) }} }}",
                arms(&|case| case)
            )
        } else {
            writeln!(
                out,
                "#[inline(always)]\nfn {from}(number: i32) -> Option<{name}> {{ match number {{ {} _ => None }} }}",
                arms(&|case| format!("Some({case})"))
            )
        };
        let mut back: String = numbers.of.iter().enumerate().map(|(n, number)| format!("{} => {number},\n", case(n))).collect();
        if numbers.open {
            let _ = write!(back, "{other}(number) => *number,");
        }
        let to = self.function("number", index, Ownership::Owned);
        let _ = writeln!(out, "#[inline(always)]\nfn {to}(value: &{name}) -> i32 {{ match value {{ {back} }} }}");
        let mut scope = Scope::default();
        for n in 0..self.cases(index) {
            scope.give(self.types.case(index, n));
        }
        let aliases = numbers.aliases.iter().map(|(alias, of)| {
            let alias = scope.give(&crate::rust::names::snake(alias).to_ascii_uppercase());
            format!("/// Another name of [`{}`].\npub const {alias}: {name} = {};\n", case(*of), case(*of))
        });
        let aliases: String = aliases.collect();
        let (some, what) = if numbers.open { ("", "Self") } else { ("", "Option<Self>") };
        let _ = writeln!(
            out,
            "impl {name} {{ {aliases}\n/// Returns the case of a number.\n#[inline]\npub fn from_number(number: i32) -> {what} {{ {some}{from}(number) }}\n\
             /// Returns its number.\n#[inline]\npub fn number(self) -> i32 {{ {to}(&self) }} }}"
        );
    }

    fn cases(&self, index: usize) -> usize {
        match &self.types.plan.types[index].body {
            Body::Sum(cases) => cases.len(),
            Body::Struct(_) => 0,
        }
    }

    /// Returns the expression that makes a case of its values.
    pub fn construct(&self, index: usize, case: usize, value: &str, ownership: Ownership) -> String {
        let path = format!("{}::{}", self.types.path(index, ownership), self.types.case(index, case));
        let Body::Sum(cases) = &self.types.plan.types[index].body else { return path };
        match &cases[case].carries {
            Carries::Nothing => format!("{{ let () = {value}; {path} }}"),
            Carries::Values(values) if values.len() == 1 => format!("{path}({value})"),
            Carries::Values(values) => {
                let parts: Vec<String> = (0..values.len()).map(|n| format!("part{n}")).collect();
                let parts = parts.join(", ");
                format!("{{ let ({parts}) = {value}; {path}({parts}) }}")
            }
            Carries::Fields(fields) => {
                let parts: String = (0..fields.len()).map(|n| format!("part{n}, ")).collect();
                let named: Vec<String> = (0..fields.len()).map(|n| format!("{}: part{n}", self.types.case_field(index, case, n))).collect();
                format!("{{ let ({parts}) = {value}; {path} {{ {} }} }}", named.join(", "))
            }
        }
    }

    /// Writes the traits that users call.
    fn traits(&self, index: usize, ownership: Ownership, out: &mut String) {
        let (options, lends) = (self.types.options, self.types.def_lends(index));
        let ty = self.types.named(index, ownership);
        let any = ty.replace("'a", "'_");
        let _ = writeln!(
            out,
            "impl rt::Validate<rt::Protobuf> for {any} {{\nconst SHAPE: &'static rt::shape::Message = &{};\n}}",
            self.table_name(index)
        );
        let read = if self.has_default(index) {
            let merge = self.function("merge", index, ownership);
            format!("let mut this = Self::default();\n{merge}(&mut this, reader)?;\nreader.end()?;\nOk(this)")
        } else {
            let read = self.function("read", index, ownership);
            format!("let this = {read}(reader)?;\nreader.end()?;\nOk(this)")
        };
        if options.borrowed && (ownership == Ownership::Borrowed || !lends) {
            let _ = writeln!(
                out,
                "impl<'a> rt::Decode<'a, rt::Protobuf> for {ty} {{\n#[inline]\nfn read(reader: &mut rt::read::Reader<'a, &'a rt::Arena>) -> rt::read::Read<Self> {{ {read} }}\n}}"
            );
        }
        if options.owned && ownership == Ownership::Owned {
            let _ = writeln!(
                out,
                "impl rt::DecodeOwned<rt::Protobuf> for {ty} {{\n#[inline]\nfn read_owned(reader: &mut rt::read::Reader<'_, rt::read::Own>) -> rt::read::Read<Self> {{ {read} }}\n}}"
            );
        }
        let _ = writeln!(
            out,
            "impl rt::Encode<rt::Protobuf> for {any} {{\n#[inline]\nfn write(&self, out: &mut rt::output::Output<'_>) {{ {}(self, out); }}\n}}",
            self.function("write", index, ownership)
        );
    }

    /// Writes the functions that return optional fields, or the defaults that the schema gives
    /// them.
    fn getters(&self, index: usize, ownership: Ownership, out: &mut String) {
        let Body::Struct(fields) = &self.types.plan.types[index].body else { return };
        let mut getters = String::new();
        for (n, field) in fields.iter().enumerate() {
            let (Some(Value::Just(default)), Type::Optional(ty)) = (&field.default, &field.ty) else { continue };
            let name = self.types.field(index, n);
            let default = self.types.value(default, ty, Ownership::Borrowed);
            let lifetime = if ownership == Ownership::Borrowed { "'a " } else { "" };
            let lent = |ty: &str| format!("&{lifetime}{ty}");
            let owned = ownership == Ownership::Owned;
            let (ty, get) = match &**ty {
                Type::Text => (lent("str"), if owned { "as_deref()." } else { "" }),
                Type::Bytes => (lent("[u8]"), if owned { "as_deref()." } else { "" }),
                ty => (self.types.ty(ty, ownership), ""),
            };
            let _ = writeln!(
                getters,
                "/// Returns `{}`, or the default that the schema gives it.\n#[inline]\npub fn {}_or_default(&self) -> {ty} {{ self.{name}.{get}unwrap_or({default}) }}",
                field.name,
                name.trim_start_matches("r#")
            );
        }
        if !getters.is_empty() {
            let generics = if ownership == Ownership::Borrowed { "<'a>" } else { "" };
            let _ = writeln!(out, "impl{generics} {} {{\n{getters}}}", self.types.named(index, ownership));
        }
    }

    /// Returns whether an enum of numbers holds all of them.
    pub fn is_open(&self, index: usize) -> bool {
        matches!(&self.mapped.layouts[index], Layout::Numbers(numbers) if numbers.open)
    }

    /// Returns the enum, if a value is a number of one that does not hold all.
    pub fn closed(&self, wire: &Wire) -> Option<usize> {
        match wire {
            Wire::Enum(index) if !self.is_open(*index) => Some(*index),
            _ => None,
        }
    }
}
