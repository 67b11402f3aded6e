//! The tables that a refused message is explained by.

use std::fmt::Write;

use polywire_extprot::model::{Kind, NodeId, Primitive};

use super::plan::{Absent, Mapped};
use crate::rust::RustTypes;

/// One table for each named type.
pub(super) fn tables(mapped: &Mapped, types: &RustTypes<'_>, out: &mut String) {
    for (index, node) in mapped.nodes.iter().enumerate() {
        let _ = writeln!(out, "static {}: Shape = {};", name(types, index), whole(mapped, types, *node));
        if let Some(cases) = cases(mapped, *node) {
            let _ = writeln!(out, "static {}: Cases = {cases};", cases_name(types, index));
        }
    }
}

/// Name of a sum type's table of constructors.
pub(super) fn cases_name(types: &RustTypes<'_>, index: usize) -> String {
    format!("{}_CASES", name(types, index))
}

/// The table of a sum type whose constructors have one primitive each, or none.
pub(super) fn cases(mapped: &Mapped, id: NodeId) -> Option<String> {
    let Kind::Sum(sum) = &mapped.protocol[id].kind else { return None };
    let constants = sum.constructors.iter().filter(|constructor| constructor.is_constant()).count();
    let others = sum.constructors.iter().filter(|constructor| !constructor.is_constant());
    let others = others.map(|constructor| match constructor.arguments.as_slice() {
        [argument] => match mapped.protocol[*argument].kind {
            Kind::Primitive { primitive, .. } => Some(format!("Primitive::{}", primitive_name(primitive))),
            _ => None,
        },
        _ => None,
    });
    let others = others.collect::<Option<Vec<String>>>()?;
    Some(format!("Cases::new({constants}, &[{}])", others.join(", ")))
}

fn primitive_name(primitive: Primitive) -> &'static str {
    match primitive {
        Primitive::Bool => "Bool",
        Primitive::Byte => "Byte",
        Primitive::Int => "Int",
        Primitive::Long => "Long",
        Primitive::Float => "Float",
        Primitive::String => "String",
    }
}

/// Name of a type's table.
pub(super) fn name(types: &RustTypes<'_>, index: usize) -> String {
    types.snake(index).to_ascii_uppercase()
}

/// A reference to a type's table.
pub(super) fn reference(mapped: &Mapped, types: &RustTypes<'_>, id: NodeId) -> String {
    match mapped.protocol[id].kind {
        Kind::Sum(_) | Kind::Record(_) | Kind::Union(_) | Kind::Subset(_) => format!("&{}", name(types, mapped.index(id))),
        _ => format!("&{}", whole(mapped, types, id)),
    }
}

fn whole(mapped: &Mapped, types: &RustTypes<'_>, id: NodeId) -> String {
    let all =
        |parts: &[NodeId]| format!("&[{}]", parts.iter().map(|part| reference(mapped, types, *part)).collect::<Vec<String>>().join(", "));
    let field = |name: &str, shape: Option<NodeId>, lazy: bool| {
        let shape = shape.map_or_else(|| "None".to_string(), |shape| format!("Some({})", reference(mapped, types, shape)));
        format!("Field {{ name: {name:?}, shape: {shape}, lazy: {lazy} }}")
    };
    let form = match &mapped.protocol[id].kind {
        Kind::Primitive { primitive, .. } => {
            format!("Form::Primitive(Primitive::{})", primitive_name(*primitive))
        }
        Kind::List { element, .. } => format!("Form::List({})", reference(mapped, types, *element)),
        Kind::Tuple(parts) => format!("Form::Tuple({})", all(parts)),
        Kind::Sum(sum) => {
            let constants = sum.constructors.iter().filter(|constructor| constructor.is_constant()).count();
            let others = sum.constructors.iter().filter(|constructor| !constructor.is_constant());
            let others: Vec<String> = others.map(|constructor| all(&constructor.arguments)).collect();
            format!("Form::Sum {{ constants: {constants}, others: &[{}] }}", others.join(", "))
        }
        Kind::Record(_) | Kind::Union(_) => {
            let name = match &mapped.protocol[id].kind {
                Kind::Record(record) => &record.name,
                Kind::Union(union) => &union.name,
                _ => unreachable!("the pattern above"),
            };
            let rows = mapped.rows(id);
            let variants: Vec<String> = rows
                .iter()
                .map(|row| {
                    let fields: Vec<String> = row
                        .values
                        .iter()
                        .filter_map(|(part, one)| one.map(|one| field(&one.name, Some(*part), mapped.is_lazy(one))))
                        .collect();
                    format!("({:?}, &[{}])", row.name, fields.join(", "))
                })
                .collect();
            format!("Form::Message {{ name: {name:?}, variants: &[{}] }}", variants.join(", "))
        }
        Kind::Subset(subset) => {
            let last = subset.fields.last().map_or(0, |wanted| wanted.position + 1);
            let fields: Vec<String> = (0..last)
                .map(|position| match subset.fields.iter().find(|wanted| wanted.position == position) {
                    Some(wanted) => field(&wanted.field.name, Some(wanted.field.ty), mapped.is_lazy(&wanted.field)),
                    None => field("", None, false),
                })
                .collect();
            format!("Form::Subset {{ name: {:?}, fields: &[{}] }}", subset.name, fields.join(", "))
        }
        Kind::External(_) => {
            let ty = types.ty(&mapped.ty(id), crate::rust::Ownership::Owned);
            format!("Form::External(<super::{ty} as Validate<rt::Extprot>>::SHAPE)")
        }
    };
    let absent = match mapped.absent(id) {
        Absent::Missing => "Missing",
        Absent::Broken => "Broken",
        Absent::Default(_) => "Default",
    };
    format!("Shape {{ form: {form}, absent: Absent::{absent} }}")
}
