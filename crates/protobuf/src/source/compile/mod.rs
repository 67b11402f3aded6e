//! The front end for `.proto` text of proto2, proto3 and editions: texts become descriptors.
//!
//! [`parse`] makes the descriptor of each text; [`compile`] gives all texts of a schema their full
//! names, interprets options, and checks the rules of the language that concern whole files.

mod aggregate;
mod check;
mod comments;
mod fault;
mod features;
mod google;
mod holders;
mod lex;
mod link;
mod literal;
mod names;
mod options;
mod parse;
mod schema;
mod support;
mod unit;
mod value;
mod visible;

use polywire_core::text::diagnostic::{Diagnostic, Source};

use crate::descriptor::FileDescriptor;
use check::Check;
use fault::Faults;
use names::{Names, View};
use schema::Schema;

pub(super) use google::text as google;
pub(super) use unit::Unit;

/// Parses one text, whose index among the sources is `source`. Returns its faults as well.
pub(super) fn parse(name: &str, text: &str, source: u32) -> (Unit, Vec<Diagnostic>) {
    parse::Parser::new(text, source).file(name)
}

/// Links and checks units that come after those that they import. The texts are found by the units'
/// sources; those of Google's files have none.
pub(super) fn compile(mut units: Vec<Unit>, sources: &[Source]) -> Result<Vec<FileDescriptor>, Vec<Diagnostic>> {
    let count = units.len();
    let declares = |unit: &Unit| {
        unit.package() == "google.protobuf" && unit.file.message_type.iter().any(|message| message.name.as_deref() == Some("FileOptions"))
    };
    if !units.iter().any(declares) && units.iter().any(|unit| !unit.options.is_empty()) {
        // Options need their declarations, though nobody imports them. No unit sees these.
        if let Some(text) = google::text(google::DESCRIPTOR) {
            units.insert(0, parse(google::DESCRIPTOR, text, u32::MAX).0);
            for unit in &mut units[1..] {
                unit.imports.iter_mut().chain(&mut unit.option_imports).for_each(|import| *import += 1);
            }
        }
    }
    let texts: Vec<&str> = units
        .iter()
        .map(|unit| match sources.get(unit.source as usize) {
            Some(source) => &source.text[..],
            None => google::text(unit.name()).unwrap_or_default(),
        })
        .collect();
    let mut faults = Faults::default();
    let mut names = Names::default();
    for (unit, index) in units.iter().zip(0..) {
        names.declare(unit, index, &mut faults);
    }
    for index in 0..units.len() {
        let mut file = std::mem::take(&mut units[index].file);
        let package = file.package.clone();
        (units[index].file.package, units[index].file.public_dependency) = (package, file.public_dependency.clone());
        let view = View::new(&units, index as u32, false);
        let mut linker = link::Linker { names: &names, units: &units, unit: index as u32, view, faults: &mut faults };
        link::link(&mut file, &mut linker);
        units[index].file = file;
        options::interpret(&mut units, &names, &texts, index as u32, &mut faults);
    }
    if faults.is_empty() {
        let schema = Schema::new(&units, &names);
        let mut known = check::Known::default();
        for (unit, index) in units.iter().zip(0..) {
            Check { schema: &schema, unit, index, known: &mut known, faults: &mut faults }.file();
        }
    }
    if !faults.is_empty() {
        return Err(faults.told(&mut units));
    }
    let first = units.len() - count;
    Ok(units.into_iter().skip(first).map(|unit| unit.file).collect())
}
