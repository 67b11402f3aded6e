//! `.proto` text with its imports: finds the texts, and has them compiled.

use std::collections::HashMap;

use polywire_core::schema::language::SchemaText;
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place, Source};
use polywire_core::text::sources::{Loader, MAX_TEXT};

use super::compile::{self, Unit};
use super::imports::Roots;
use super::layout;
use super::protos::Protos;
use crate::descriptor::FileDescriptorSet;
use crate::model::{FileId, Pool};

/// Largest number of files of a schema.
const MAX_FILES: usize = 1000;

/// Largest number of bytes of all texts of a schema.
const MAX_TEXTS: usize = 64 << 20;

/// Most findings before the search for more ends.
const MAX_FINDINGS: usize = 100;

/// Deepest nesting of brackets. Messages may nest 32 deep, and options in them have nested values.
const MAX_BRACKETS: usize = 100;

/// The state of reading.
#[derive(Default)]
struct Reading {
    sources: Vec<Source>,
    /// Source of each file that was loaded, by its name.
    texts: HashMap<String, u32>,
    /// Unit of each file, by its name.
    units: HashMap<String, usize>,
    parsed: Vec<Unit>,
    findings: Vec<Diagnostic>,
    total: usize,
}

pub(super) fn read(text: &SchemaText<'_>, files: &mut dyn Loader) -> Result<Protos, Diagnostics> {
    let roots = Roots::new(text, files.include());
    let name = roots.name_of(text);
    let mut reading = Reading::default();
    reading.text(&name, text.name, text.bytes);
    let mut next = 0;
    // Units are added while their imports are looked up.
    while next < reading.parsed.len() && !reading.is_full() {
        reading.load_imports(next, &roots, files);
        next += 1;
    }
    let order = if reading.findings.is_empty() { reading.order() } else { Vec::new() };
    let Reading { sources, texts, parsed, findings, .. } = reading;
    if !findings.is_empty() {
        return Err(Diagnostics { sources, findings });
    }
    let compiled = match compile::compile(sorted(parsed, &order), &sources) {
        Ok(files) => FileDescriptorSet { file: files, ..FileDescriptorSet::default() },
        Err(findings) => return Err(Diagnostics { sources, findings }),
    };
    match Pool::new(&compiled) {
        Ok(pool) => {
            let main = pool.files().iter().position(|file| *file.name == name).map(|index| FileId(index as u32));
            Ok(Protos { set: compiled, pool, sources, texts, main })
        }
        Err(error) => {
            let finding = Diagnostic::error("schema_error", Place::default(), error.what()).hint(error.advice());
            Err(Diagnostics { sources, findings: vec![finding] })
        }
    }
}

/// Parses one text, without its imports.
pub(super) fn parse(text: &SchemaText<'_>) -> Result<(), Diagnostics> {
    let mut reading = Reading::default();
    reading.text(text.name, text.name, text.bytes);
    if reading.findings.is_empty() { Ok(()) } else { Err(Diagnostics { sources: reading.sources, findings: reading.findings }) }
}

/// Returns units in an order of their indices, with their imports' indices in that order.
fn sorted(units: Vec<Unit>, order: &[usize]) -> Vec<Unit> {
    let mut place = vec![0; units.len()];
    for (to, from) in (0..).zip(order) {
        place[*from] = to;
    }
    let mut units: Vec<Option<Unit>> = units.into_iter().map(Some).collect();
    let moved = order.iter().filter_map(|index| units[*index].take()).map(|mut unit| {
        unit.imports.iter_mut().chain(&mut unit.option_imports).for_each(|import| *import = place[*import as usize]);
        unit
    });
    moved.collect()
}

impl Reading {
    fn is_full(&self) -> bool {
        self.findings.len() > MAX_FINDINGS || self.findings.iter().any(|finding| finding.code == "too_large")
    }

    /// Loads the imports of a unit that are not there yet.
    fn load_imports(&mut self, index: usize, roots: &Roots, files: &mut dyn Loader) {
        let unit = &self.parsed[index];
        let (plain, for_options) = (unit.file.dependency.clone(), unit.file.option_dependency.clone());
        for (field, imports) in [(3, plain), (15, for_options)] {
            let mut found = Vec::with_capacity(imports.len());
            for (at, import) in (0i32..).zip(imports) {
                let place = self.parsed[index].place(&[field, at]);
                match self.import(&import, place, roots, files) {
                    Some(unit) => found.push(unit as u32),
                    None if self.is_full() => return,
                    None => {}
                }
            }
            let unit = &mut self.parsed[index];
            if field == 3 { unit.imports = found } else { unit.option_imports = found }
        }
    }

    /// Returns the unit of an import, and loads it first if need be.
    fn import(&mut self, import: &str, at: Place, roots: &Roots, files: &mut dyn Loader) -> Option<usize> {
        if let Some(index) = self.units.get(import) {
            return Some(*index);
        }
        match roots.load(import, files) {
            Ok(loaded) => self.text(import, import, &loaded.bytes),
            Err(error) => match compile::google(import) {
                Some(text) => self.add(compile::parse(import, text, u32::MAX), import),
                None => {
                    let finding = Diagnostic::error("file_error", at, format!("the file {import:?} cannot be read: {error}"));
                    let hint = "imports are paths below an include folder (-I), or below the folder of the file or one above it";
                    self.findings.push(finding.label("imported here").hint(hint).detail("name", import));
                    return None;
                }
            },
        }
        if self.units.len() > MAX_FILES || self.total > MAX_TEXTS {
            let what = format!("more than {MAX_FILES} files or {MAX_TEXTS} bytes of text");
            self.findings.push(Diagnostic::error("too_large", at, what));
            return None;
        }
        self.units.get(import).copied()
    }

    fn add(&mut self, (unit, faults): (Unit, Vec<Diagnostic>), name: &str) {
        self.units.insert(name.to_string(), self.parsed.len());
        self.findings.extend(faults);
        self.parsed.push(unit);
    }

    /// Parses a text.
    fn text(&mut self, name: &str, shown: &str, bytes: &[u8]) {
        let source = self.sources.len() as u32;
        self.texts.insert(name.to_string(), source);
        self.total += bytes.len();
        let at = |offset: usize| Place { source, start: offset as u32, end: offset as u32 };
        let (text, finding) = match std::str::from_utf8(bytes) {
            Ok(text) if text.len() <= MAX_TEXT => {
                // `protoc` skips a byte order mark.
                let text = text.strip_prefix('\u{feff}').unwrap_or(text);
                let message = || format!("more than {MAX_BRACKETS} brackets within each other");
                (text, too_deep(text).map(|offset| Diagnostic::error("too_deep", at(offset), message())))
            }
            Ok(_) => ("", Some(Diagnostic::error("too_large", at(0), format!("{shown} has more than {MAX_TEXT} bytes")))),
            Err(error) => {
                let offset = error.valid_up_to();
                let message = format!("byte {:#04x} is no part of UTF-8 text", bytes[offset]);
                let finding = Diagnostic::error("syntax_error", at(offset), message).hint("save the file as UTF-8");
                (std::str::from_utf8(&bytes[..offset]).unwrap_or_default(), Some(finding))
            }
        };
        self.sources.push(Source::new(shown, text));
        match finding {
            Some(finding) => self.findings.push(finding),
            None => {
                let (mut unit, faults) = compile::parse(name, text, source);
                // Imports are of no use if the text itself is wrong.
                if !faults.is_empty() {
                    (unit.file.dependency, unit.file.option_dependency) = (Vec::new(), Vec::new());
                }
                self.add((unit, faults), name);
            }
        }
    }

    /// Returns the units that the first one needs, each behind those that it imports. A circle of
    /// imports is a finding.
    fn order(&mut self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.parsed.len());
        let mut state = vec![0u8; self.parsed.len()];
        // Units under way, and how many of their imports were visited.
        let mut path: Vec<(usize, usize)> = vec![(0, 0)];
        while let Some((unit, visited)) = path.last_mut() {
            let index = *unit;
            state[index] = 1;
            let own = &self.parsed[index];
            let plain = own.imports.len();
            let next = own.imports.iter().chain(&own.option_imports).nth(*visited).copied();
            *visited += 1;
            let at = *visited - 1;
            match next.map(|next| next as usize) {
                None => {
                    state[index] = 2;
                    order.push(index);
                    path.pop();
                }
                Some(next) if state[next] == 0 => path.push((next, 0)),
                Some(next) if state[next] == 1 => {
                    let start = path.iter().position(|(unit, _)| *unit == next).unwrap_or(0);
                    let mut names: Vec<&str> = path[start..].iter().map(|(unit, _)| self.parsed[*unit].name()).collect();
                    names.push(self.parsed[next].name());
                    let message = format!("a circle of imports: {}", names.join(" -> "));
                    let field = if at < plain { [3, at as i32] } else { [15, (at - plain) as i32] };
                    let place = self.parsed[index].place(&field);
                    let finding = Diagnostic::error("schema_error", place, message);
                    self.findings.push(finding.hint("move what both files need to a third one"));
                    return order;
                }
                Some(_) => {}
            }
        }
        order
    }
}

/// Returns the place of the first bracket beyond the limit, outside of strings and comments.
fn too_deep(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0usize, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' | b'<' | b'(' => {
                depth += 1;
                if depth > MAX_BRACKETS {
                    return Some(at);
                }
            }
            b'}' | b']' | b'>' | b')' => depth = depth.saturating_sub(1),
            b'"' | b'\'' => at = layout::string_end(bytes, at) - 1,
            b'/' => at = layout::comment_end(bytes, at).unwrap_or(at + 1) - 1,
            _ => {}
        }
        at += 1;
    }
    None
}
