//! Prints the types of a specification, one a line of JSON, for `tools/judge-asn1` to compare.
//!
//! The arguments are the files of the modules.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::process::ExitCode;

use polywire_asn1::Modules;
use polywire_asn1::model::{Addition, Bounds, Component, Kind, Model, Presence, TagClass, TypeId};
use polywire_core::Limits;

fn main() -> ExitCode {
    let mut modules = Modules::new();
    for path in std::env::args().skip(1) {
        modules.add(path.clone(), &std::fs::read(&path).unwrap_or_default());
    }
    let model = match modules.resolve(&Limits::DEFAULT) {
        Ok(model) => model,
        Err(found) => {
            println!("{found}");
            return ExitCode::FAILURE;
        }
    };
    for module in &model.modules {
        for (name, id) in &module.types {
            println!("{{\"module\":\"{}\",\"name\":\"{name}\",{}}}", module.name, ty(&model, *id, 1));
        }
    }
    ExitCode::SUCCESS
}

/// Returns the members of a type. Parts that have a name are shown without their own parts.
fn ty(model: &Model, id: TypeId, depth: u32) -> String {
    let ty = model.ty(id);
    let mut members = Vec::new();
    let kind = match &ty.kind {
        Kind::Enumerated(items) => {
            let list = |items: &[(_, i128)]| {
                let items: Vec<String> = items.iter().map(|(name, number): &(_, i128)| format!("[\"{name}\",{number}]")).collect();
                items.join(",")
            };
            members.push(format!(
                "\"root\":[{}],\"additions\":[{}],\"extensible\":{}",
                list(&items.root),
                list(&items.additions),
                items.extensible
            ));
            "ENUMERATED"
        }
        Kind::Sequence(structure) | Kind::Set(structure) => {
            let component = |component: &Component| {
                let presence = match &component.presence {
                    Presence::Required => "",
                    Presence::Optional => ",\"optional\":true",
                    Presence::Default(_) => ",\"default\":true",
                };
                format!("{{\"name\":\"{}\"{presence},{}}}", component.name, part(model, component.ty, depth))
            };
            let root: Vec<String> = structure.root.iter().map(component).collect();
            let additions: Vec<String> = structure
                .additions
                .iter()
                .map(|addition| match addition {
                    Addition::Component(one) => component(one),
                    Addition::Group(group, _) => format!("[{}]", group.iter().map(component).collect::<Vec<_>>().join(",")),
                })
                .collect();
            members.push(format!(
                "\"root\":[{}],\"additions\":[{}],\"extensible\":{}",
                root.join(","),
                additions.join(","),
                structure.extensible
            ));
            if matches!(ty.kind, Kind::Set(_)) { "SET" } else { "SEQUENCE" }
        }
        Kind::SequenceOf(element) | Kind::SetOf(element) => {
            members.push(format!("\"element\":{{{}}}", part(model, *element, depth)));
            if matches!(ty.kind, Kind::SetOf(_)) { "SET OF" } else { "SEQUENCE OF" }
        }
        Kind::Choice(choice) => {
            let list = |items: Vec<&polywire_asn1::model::Alternative>| {
                let items: Vec<String> =
                    items.iter().map(|item| format!("{{\"name\":\"{}\",{}}}", item.name, part(model, item.ty, depth))).collect();
                items.join(",")
            };
            let ordered = choice.order.iter().map(|index| &choice.root[*index as usize]).collect();
            members.push(format!(
                "\"root\":[{}],\"additions\":[{}],\"extensible\":{}",
                list(ordered),
                list(choice.additions.iter().collect()),
                choice.extensible
            ));
            "CHOICE"
        }
        Kind::Open => "OPEN TYPE",
        Kind::Unknown => "UNKNOWN",
        plain => plain.keyword(),
    };
    let tags: Vec<String> = ty
        .tags
        .iter()
        .map(|tag| {
            let class = match tag.class {
                TagClass::Universal => 0,
                TagClass::Application => 1,
                TagClass::Context => 2,
                TagClass::Private => 3,
            };
            format!("[{class},{}]", tag.number)
        })
        .collect();
    members.push(format!("\"kind\":\"{kind}\",\"tags\":[{}]", tags.join(",")));
    let bounds = |name: &str, bounds: Option<Bounds>| {
        let number = |number: Option<i128>| number.map_or("null".to_string(), |number| number.to_string());
        bounds.map(|bounds| format!("\"{name}\":[{},{},{}]", number(bounds.range.low), number(bounds.range.high), bounds.extensible))
    };
    members.extend(bounds("value", ty.constraints.value));
    members.extend(bounds("size", ty.constraints.size));
    if let Some(alphabet) = &ty.constraints.alphabet {
        members.push(format!("\"alphabet\":{:?}", alphabet.ranges().iter().map(|(low, high)| [*low, *high]).collect::<Vec<_>>()));
    }
    if let Some(table) = &ty.table {
        members.push(format!("\"table\":{},\"rows\":{}", table.table.0, model.table(table.table).rows.len()));
    }
    members.join(",")
}

fn part(model: &Model, id: TypeId, depth: u32) -> String {
    match &model.ty(id).name {
        _ if depth > 12 => "\"cut\":true".to_string(),
        Some((module, name)) => format!("\"named\":\"{}.{name}\"", model.modules[*module as usize].name),
        None => ty(model, id, depth + 1),
    }
}
