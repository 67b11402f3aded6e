//! Types of a plan as types of Rust: one that owns its parts and, if they take memory of their own,
//! one that borrows them.

use std::fmt::Write;

use super::names::{self, Scope};
use crate::options::Options;
use crate::plan::{Body, Carries, Field, Plan, Role, Type, TypeDef, Value};

/// The two forms of a type. If no part takes memory of its own, both are one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ownership {
    /// `Vec`s; no lifetime.
    Owned,
    /// Slices that live for `'a`.
    Borrowed,
}

/// The types of a plan with their names in Rust.
#[derive(Debug)]
pub struct RustTypes<'p> {
    /// The plan.
    pub plan: &'p Plan,
    /// The options.
    pub options: &'p Options,
    names: Vec<Named>,
}

/// Names of one type.
#[derive(Debug)]
struct Named {
    name: String,
    /// For functions and constants.
    snake: String,
    /// Names of the struct's fields.
    fields: Vec<String>,
    /// Names of the cases, and of their fields.
    cases: Vec<(String, Vec<String>)>,
    /// True if the borrowing type is another one.
    lends: bool,
    /// True if equality is an equivalence: no part is a float.
    is_eq: bool,
}

impl<'p> RustTypes<'p> {
    /// Names all types.
    pub fn new(plan: &'p Plan, options: &'p Options) -> RustTypes<'p> {
        let mut types = RustTypes { plan, options, names: Vec::new() };
        let (mut scope, mut snakes) = (Scope::default(), Scope::default());
        for def in &plan.types {
            let name = scope.give_all(&names::type_name(&def.name), &["", "Ref"]);
            let snake = snakes.give(&names::snake(&name));
            let fields = |fields: &[Field]| {
                let mut scope = Scope::default();
                fields.iter().map(|field| names::field_name(&scope.give(&names::snake(&field.name)))).collect::<Vec<String>>()
            };
            let mut case_scope = Scope::default();
            let (own_fields, cases) = match &def.body {
                Body::Struct(all) => (fields(all), Vec::new()),
                Body::Sum(cases) => {
                    let cases = cases.iter().map(|case| {
                        let inside = if let Carries::Fields(all) = &case.carries { fields(all) } else { Vec::new() };
                        (case_scope.give(&names::case_name(&case.name)), inside)
                    });
                    (Vec::new(), cases.collect())
                }
            };
            types.names.push(Named { name, snake, fields: own_fields, cases, lends: false, is_eq: true });
        }
        types.settle();
        types
    }

    /// Finds out which types lend and which have an equivalence. A part may come later in the plan.
    fn settle(&mut self) {
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for (index, def) in self.plan.types.iter().enumerate() {
                let lends = parts(def).any(|(ty, lazy)| lazy || self.lends(ty));
                let is_eq = parts(def).all(|(ty, _)| self.is_eq(ty));
                has_changed |= (lends, is_eq) != (self.names[index].lends, self.names[index].is_eq);
                (self.names[index].lends, self.names[index].is_eq) = (lends, is_eq);
            }
        }
    }

    /// Returns whether values of a type take memory of their own, so that there is a borrowing
    /// form.
    pub fn lends(&self, ty: &Type) -> bool {
        match ty {
            Type::Bytes | Type::Text | Type::List(_) | Type::Map(..) | Type::Boxed(_) | Type::External(..) => true,
            Type::Optional(of) => self.lends(of),
            Type::Tuple(parts) => parts.iter().any(|part| self.lends(part)),
            Type::Named(index) => self.names[*index].lends,
            _ => false,
        }
    }

    /// Returns the forms that a type of the plan has.
    pub fn ownerships(&self, index: usize) -> Vec<Ownership> {
        if !self.def_lends(index) {
            return vec![Ownership::Owned];
        }
        [(self.options.borrowed, Ownership::Borrowed), (self.options.owned, Ownership::Owned)]
            .into_iter()
            .filter_map(|(wanted, ownership)| wanted.then_some(ownership))
            .collect()
    }

    /// Returns the same as [`lends`](Self::lends) for a type of the plan.
    pub fn def_lends(&self, index: usize) -> bool {
        self.names[index].lends
    }

    fn is_eq(&self, ty: &Type) -> bool {
        match ty {
            Type::Float | Type::Single | Type::External(..) => false,
            Type::List(inner) | Type::Optional(inner) | Type::Boxed(inner) => self.is_eq(inner),
            Type::Map(_, value) => self.is_eq(value),
            Type::Tuple(parts) => parts.iter().all(|part| self.is_eq(part)),
            Type::Named(index) => self.names[*index].is_eq,
            _ => true,
        }
    }

    /// Returns the name of the owning type, which is also the stem of other names.
    pub fn stem(&self, index: usize) -> &str {
        &self.names[index].name
    }

    /// Returns the name for functions, which is unique.
    pub fn snake(&self, index: usize) -> &str {
        &self.names[index].snake
    }

    /// Returns the name of a struct's field in code.
    pub fn field(&self, index: usize, field: usize) -> &str {
        &self.names[index].fields[field]
    }

    /// Returns the name of a case.
    pub fn case(&self, index: usize, case: usize) -> &str {
        &self.names[index].cases[case].0
    }

    /// Returns the name of a case's field in code.
    pub fn case_field(&self, index: usize, case: usize, field: usize) -> &str {
        &self.names[index].cases[case].1[field]
    }

    /// Returns the name of a type of the plan, without its lifetime.
    pub fn path(&self, index: usize, ownership: Ownership) -> String {
        let ending = if ownership == Ownership::Borrowed && self.names[index].lends { "Ref" } else { "" };
        format!("{}{ending}", self.names[index].name)
    }

    /// Returns a type of the plan with its lifetime.
    pub fn named(&self, index: usize, ownership: Ownership) -> String {
        let lifetime = if ownership == Ownership::Borrowed && self.names[index].lends { "<'a>" } else { "" };
        format!("{}{lifetime}", self.path(index, ownership))
    }

    /// Returns a type as it is used.
    pub fn ty(&self, ty: &Type, ownership: Ownership) -> String {
        let owned = ownership == Ownership::Owned;
        match ty {
            Type::Bool => "bool".into(),
            Type::Byte => "u8".into(),
            Type::Int8 => "i8".into(),
            Type::Int16 => "i16".into(),
            Type::Uint16 => "u16".into(),
            Type::Int32 => "i32".into(),
            Type::Uint32 => "u32".into(),
            Type::Int => "i64".into(),
            Type::Uint => "u64".into(),
            Type::Single => "f32".into(),
            Type::Float => "f64".into(),
            Type::Text if owned => "String".into(),
            Type::Text => "&'a str".into(),
            Type::Optional(of) => format!("Option<{}>", self.ty(of, ownership)),
            Type::Bytes if owned => "Vec<u8>".into(),
            Type::Bytes => "&'a [u8]".into(),
            Type::List(element) if owned => format!("Vec<{}>", self.ty(element, ownership)),
            Type::List(element) => format!("&'a [{}]", self.ty(element, ownership)),
            Type::Map(key, value) if owned => {
                format!("std::collections::BTreeMap<{}, {}>", self.ty(key, ownership), self.ty(value, ownership))
            }
            Type::Map(key, value) => format!("&'a [({}, {})]", self.ty(key, ownership), self.ty(value, ownership)),
            Type::Boxed(inner) if owned => format!("Box<{}>", self.ty(inner, ownership)),
            Type::Boxed(inner) => format!("&'a {}", self.ty(inner, ownership)),
            Type::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.ty(part, ownership)).collect();
                format!("({})", parts.join(", "))
            }
            Type::Named(index) => self.named(*index, ownership),
            Type::External(modules, name) => {
                let modules: Vec<String> = modules.iter().map(|module| names::field_name(&names::snake(module))).collect();
                let name = names::type_name(name);
                let end = if owned { name } else { format!("{name}Ref<'a>") };
                format!("super::{}::{end}", modules.join("::"))
            }
        }
    }

    /// Returns the type of a field.
    pub fn field_type(&self, field: &Field, ownership: Ownership) -> String {
        let ty = self.ty(&field.ty, ownership);
        match (field.lazy, ownership) {
            (false, _) => ty,
            (true, Ownership::Owned) => format!("Lazy<Vec<u8>, {ty}>"),
            (true, Ownership::Borrowed) => format!("Lazy<&'a [u8], {ty}>"),
        }
    }

    /// Returns a value of the schema as an expression of exactly its type. The expression of
    /// [`value`](Self::value) may be a reference to an array where a slice is needed.
    pub fn exact_value(&self, value: &Value, ty: &Type, ownership: Ownership) -> String {
        let text = self.value(value, ty, ownership);
        if ownership == Ownership::Borrowed && matches!(ty, Type::Bytes | Type::List(_) | Type::Map(..)) {
            format!("&{}[..]", text.trim_start_matches('&'))
        } else {
            text
        }
    }

    /// Returns a value of the schema as an expression.
    pub fn value(&self, value: &Value, ty: &Type, ownership: Ownership) -> String {
        let owned = ownership == Ownership::Owned;
        match (value, ty) {
            (Value::Bool(value), _) => value.to_string(),
            (Value::Byte(value), _) => value.to_string(),
            (Value::Int(i64::MIN), _) => "i64::MIN".into(),
            (Value::Int(value), _) => value.to_string(),
            (Value::Uint(value), _) => value.to_string(),
            (Value::Text(text), _) if owned && text.is_empty() => "String::new()".into(),
            (Value::Text(text), _) => format!("{text:?}{}", if owned { ".to_string()" } else { "" }),
            (Value::Nothing, _) => "None".into(),
            (Value::Just(value), Type::Optional(of)) => format!("Some({})", self.exact_value(value, of, ownership)),
            (Value::Float(value), _) if value.is_finite() => format!("{value:?}"),
            (Value::Float(value), ty) => {
                let name = match value {
                    _ if value.is_nan() => "NAN",
                    _ if *value < 0.0 => "NEG_INFINITY",
                    _ => "INFINITY",
                };
                format!("{}::{name}", self.ty(ty, ownership))
            }
            (Value::Bytes(bytes), _) if owned && bytes.is_empty() => "Vec::new()".into(),
            (Value::Bytes(bytes), _) => format!("b\"{}\"{}", bytes.escape_ascii(), if owned { ".to_vec()" } else { "" }),
            (Value::EmptyList, Type::Map(..)) if owned => "std::collections::BTreeMap::new()".into(),
            (Value::EmptyList, _) => if owned { "Vec::new()" } else { "&[]" }.into(),
            (Value::Tuple(values), Type::Tuple(parts)) => {
                let values: Vec<String> = values.iter().zip(parts).map(|(value, ty)| self.exact_value(value, ty, ownership)).collect();
                format!("({})", values.join(", "))
            }
            (Value::CaseOf(index, case), _) => format!("{}::{}", self.path(*index, ownership), self.case(*index, *case)),
            (Value::DefaultOf(index), _) => format!("{}::default()", self.path(*index, ownership)),
            _ => unreachable!("the value of a type is made for it"),
        }
    }

    /// Returns the default of a type of the plan as an expression, in which `Self` is the type.
    fn default(&self, index: usize, value: &Value, ownership: Ownership) -> String {
        let field = |field: &Field, value: &Value| {
            if field.lazy {
                format!("Lazy::Decoded({})", self.exact_value(value, &field.ty, ownership))
            } else {
                self.value(value, &field.ty, ownership)
            }
        };
        match (value, &self.plan.types[index].body) {
            (Value::Struct(values), Body::Struct(fields)) => {
                let fields = fields.iter().zip(values).enumerate();
                let fields: Vec<String> =
                    fields.map(|(n, (one, value))| format!("{}: {}", self.field(index, n), field(one, value))).collect();
                format!("Self {{ {} }}", fields.join(", "))
            }
            (Value::Case(case, values), Body::Sum(cases)) => {
                let name = self.case(index, *case);
                match &cases[*case].carries {
                    Carries::Fields(fields) => {
                        let fields = fields.iter().zip(values).enumerate();
                        let fields: Vec<String> = fields
                            .map(|(n, (one, value))| format!("{}: {}", self.case_field(index, *case, n), field(one, value)))
                            .collect();
                        format!("Self::{name} {{ {} }}", fields.join(", "))
                    }
                    _ => format!("Self::{name}"),
                }
            }
            _ => unreachable!("the default of a type is made for it"),
        }
    }

    /// Returns the code of all types that does not depend on an encoding.
    pub fn definitions(&self) -> String {
        let mut out = String::new();
        for index in 0..self.plan.types.len() {
            if self.options.owned || !self.def_lends(index) {
                self.definition(index, Ownership::Owned, &mut out);
            }
            if self.options.borrowed && self.def_lends(index) {
                self.definition(index, Ownership::Borrowed, &mut out);
                if self.options.owned {
                    self.conversion(index, &mut out);
                }
            } else if self.options.borrowed && self.plan.types[index].role != Role::Part {
                let name = self.stem(index);
                let note = format!("[`{name}`], which borrows nothing, under the name that a borrowing type has.");
                doc(&note, &mut out);
                let _ = writeln!(out, "#[allow(dead_code)]\npub type {name}Ref<'a> = {name};");
                if self.options.owned {
                    let _ = writeln!(
                        out,
                        "#[allow(dead_code)]\nimpl {name} {{\n/// Returns the value itself, which borrows nothing.\npub fn into_owned(self) -> {name} {{ self }}\n}}"
                    );
                }
            }
        }
        out
    }

    fn definition(&self, index: usize, ownership: Ownership, out: &mut String) {
        let def = &self.plan.types[index];
        let borrowed = ownership == Ownership::Borrowed;
        let note = match (borrowed, self.def_lends(index) && self.options.owned) {
            (true, true) => format!("\n\nBorrows from the message and an arena; [`{}`] owns its parts.", self.stem(index)),
            (true, false) => "\n\nBorrows from the message and an arena.".to_string(),
            (false, _) => String::new(),
        };
        let text = if def.doc.is_empty() { format!("`{}`.", def.title) } else { def.doc.clone() };
        doc(&format!("{text}{note}"), out);
        let mut derives = vec!["Clone"];
        if borrowed || !self.def_lends(index) {
            derives.push("Copy");
        }
        derives.extend(["Debug", "PartialEq"]);
        if self.names[index].is_eq {
            derives.extend(["Eq", "Hash"]);
        }
        if self.options.serde {
            derives.push("serde::Serialize");
            if !borrowed {
                derives.push("serde::Deserialize");
            }
        }
        let _ = writeln!(out, "#[derive({})]", derives.join(", "));
        // A program seldom needs all types of a protocol.
        let large = if matches!(def.body, Body::Sum(_)) { ", clippy::large_enum_variant" } else { "" };
        let _ = writeln!(out, "#[allow(dead_code, clippy::type_complexity{large})]");
        let name = self.named(index, ownership);
        match &def.body {
            Body::Struct(fields) => {
                let _ = writeln!(out, "pub struct {name} {{");
                for (n, field) in fields.iter().enumerate() {
                    self.member(field, self.field(index, n), ownership, "pub ", out);
                }
                out.push_str("}\n");
            }
            Body::Sum(cases) => {
                let _ = writeln!(out, "pub enum {name} {{");
                for (n, case) in cases.iter().enumerate() {
                    doc(if case.doc.is_empty() { format!("`{}`.", case.name) } else { case.doc.clone() }.as_str(), out);
                    self.rename(&case.name, self.case(index, n), out);
                    out.push_str(self.case(index, n));
                    match &case.carries {
                        Carries::Nothing => {}
                        Carries::Values(values) => {
                            let values: Vec<String> = values.iter().map(|ty| self.ty(ty, ownership)).collect();
                            let _ = write!(out, "({})", values.join(", "));
                        }
                        Carries::Fields(fields) => {
                            out.push_str(" {\n");
                            for (m, field) in fields.iter().enumerate() {
                                self.member(field, self.case_field(index, n, m), ownership, "", out);
                            }
                            out.push('}');
                        }
                    }
                    out.push_str(",\n");
                }
                out.push_str("}\n");
            }
        }
        if let Some(value) = &def.default {
            let lifetime = if borrowed { "<'_>" } else { "" };
            let _ = writeln!(
                out,
                "#[allow(clippy::derivable_impls)]\nimpl Default for {}{lifetime} {{\nfn default() -> Self {{ {} }}\n}}",
                self.path(index, ownership),
                self.default(index, value, ownership)
            );
        }
    }

    fn member(&self, field: &Field, name: &str, ownership: Ownership, visibility: &str, out: &mut String) {
        doc(if field.doc.is_empty() { format!("`{}`.", field.name) } else { field.doc.clone() }.as_str(), out);
        self.rename(&field.name, name, out);
        let _ = writeln!(out, "{visibility}{name}: {},", self.field_type(field, ownership));
    }

    /// Writes the schema's name for serde, if Rust's is another.
    fn rename(&self, schema: &str, rust: &str, out: &mut String) {
        if self.options.serde && schema != rust.trim_start_matches("r#") {
            let _ = writeln!(out, "#[serde(rename = {schema:?})]");
        }
    }

    /// Writes the function from the borrowing type to the owning one.
    fn conversion(&self, index: usize, out: &mut String) {
        let (from, to) = (self.named(index, Ownership::Borrowed).replace("'a", "'_"), self.stem(index));
        let _ = writeln!(
            out,
            "#[allow(dead_code)]\nimpl {from} {{\n/// Returns the same value, which owns its parts.\npub fn into_owned(self) -> {to} {{"
        );
        let member = |field: &Field, name: &str, place: &str| {
            let value = if field.lazy {
                format!(
                    "match {place} {{ Lazy::Raw(raw) => Lazy::Raw(raw.to_vec()), Lazy::Decoded(item) => Lazy::Decoded({}) }}",
                    self.owned(&field.ty, "item")
                )
            } else {
                self.owned(&field.ty, place)
            };
            if value == name { format!("{name}, ") } else { format!("{name}: {value}, ") }
        };
        match &self.plan.types[index].body {
            Body::Struct(fields) => {
                let _ = write!(out, "{to} {{ ");
                for (n, field) in fields.iter().enumerate() {
                    let name = self.field(index, n);
                    out.push_str(&member(field, name, &format!("self.{name}")));
                }
                out.push_str("}\n");
            }
            Body::Sum(cases) => {
                out.push_str("match self {\n");
                for (n, case) in cases.iter().enumerate() {
                    let name = self.case(index, n);
                    let _ = match &case.carries {
                        Carries::Nothing => writeln!(out, "Self::{name} => {to}::{name},"),
                        Carries::Values(values) => {
                            let places: Vec<String> = (0..values.len()).map(|m| format!("value{m}")).collect();
                            let owned: Vec<String> = values.iter().zip(&places).map(|(ty, place)| self.owned(ty, place)).collect();
                            writeln!(out, "Self::{name}({}) => {to}::{name}({}),", places.join(", "), owned.join(", "))
                        }
                        Carries::Fields(fields) => {
                            let names: Vec<&str> = (0..fields.len()).map(|m| self.case_field(index, n, m)).collect();
                            let members: Vec<String> = fields.iter().zip(&names).map(|(field, name)| member(field, name, name)).collect();
                            writeln!(out, "Self::{name} {{ {} }} => {to}::{name} {{ {} }},", names.join(", "), members.concat())
                        }
                    };
                }
                out.push_str("}\n");
            }
        }
        out.push_str("}\n}\n");
    }

    /// Returns the owned form of the borrowed value at `place`, as an expression.
    fn owned(&self, ty: &Type, place: &str) -> String {
        match ty {
            _ if !self.lends(ty) => place.to_string(),
            Type::Bytes => format!("{place}.to_vec()"),
            Type::Text => format!("{place}.to_string()"),
            Type::Optional(of) => match &**of {
                Type::Bytes => format!("{place}.map(<[u8]>::to_vec)"),
                Type::Text => format!("{place}.map(str::to_string)"),
                Type::List(element) if !self.lends(element) => format!("{place}.map(<[_]>::to_vec)"),
                of => format!("{place}.map(|item| {})", self.owned(of, "item")),
            },
            Type::List(element) if !self.lends(element) => format!("{place}.to_vec()"),
            Type::List(element) => match &**element {
                Type::Bytes => format!("{place}.iter().map(|item| item.to_vec()).collect()"),
                Type::Text => format!("{place}.iter().map(|item| item.to_string()).collect()"),
                Type::Named(_) => format!("{place}.iter().map(|item| item.into_owned()).collect()"),
                element => format!("{place}.iter().map(|item| {}).collect()", self.owned(element, "item")),
            },
            Type::Map(key, value) => {
                format!("{place}.iter().map(|item| ({}, {})).collect()", self.owned(key, "item.0"), self.owned(value, "item.1"))
            }
            Type::Boxed(inner) if !self.lends(inner) => format!("Box::new(*{place})"),
            Type::Boxed(inner) => format!("Box::new({})", self.owned(inner, place)),
            Type::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().enumerate().map(|(n, part)| self.owned(part, &format!("{place}.{n}"))).collect();
                format!("({})", parts.join(", "))
            }
            _ => format!("{place}.into_owned()"),
        }
    }
}

/// Returns the types of a definition's parts, and whether each is decoded on access.
fn parts(def: &TypeDef) -> Box<dyn Iterator<Item = (&Type, bool)> + '_> {
    match &def.body {
        Body::Struct(fields) => Box::new(fields.iter().map(|field| (&field.ty, field.lazy))),
        Body::Sum(cases) => Box::new(cases.iter().flat_map(|case| match &case.carries {
            Carries::Nothing => Vec::new(),
            Carries::Values(values) => values.iter().map(|ty| (ty, false)).collect(),
            Carries::Fields(fields) => fields.iter().map(|field| (&field.ty, field.lazy)).collect(),
        })),
    }
}

/// Writes a text as a documentation comment.
fn doc(text: &str, out: &mut String) {
    for line in text.lines() {
        let _ = writeln!(out, "///{}{}", if line.is_empty() { "" } else { " " }, line.trim_end());
    }
}
