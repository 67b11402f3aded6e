//! `.proto` text of proto2 and proto3, by `protox`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::iter;

use polywire_core::Limits;
use polywire_core::schema::language::SchemaText;
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place, Source};
use polywire_core::text::sources::{Loader, MAX_TEXT};
use protox::Compiler;
use protox::file::{File, FileResolver, GoogleFileResolver};

use super::edition;
use super::imports::Roots;
use super::layout;
use super::protos::Protos;
use crate::descriptor::FileDescriptorSet;
use crate::model::{FileId, Pool};

/// Largest number of files of a schema.
const MAX_FILES: usize = 1000;

/// Largest number of bytes of all texts of a schema.
const MAX_TEXTS: usize = 64 << 20;

/// Deepest nesting of brackets. Messages may nest 32 deep, and options in them have nested values.
const MAX_BRACKETS: usize = 100;

/// Parsed files, until the compiler asks for them.
struct Parsed {
    files: RefCell<HashMap<String, File>>,
    google: GoogleFileResolver,
}

impl FileResolver for Parsed {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        match self.files.borrow_mut().remove(name) {
            Some(file) => Ok(file),
            None => self.google.open_file(name),
        }
    }
}

/// The state of reading.
#[derive(Default)]
struct Reading {
    sources: Vec<Source>,
    texts: HashMap<String, u32>,
    files: HashMap<String, File>,
    findings: Vec<Diagnostic>,
    total: usize,
}

pub(super) fn read(text: &SchemaText<'_>, files: &mut dyn Loader) -> Result<Protos, Diagnostics> {
    let roots = Roots::new(text, files.include());
    let name = roots.name_of(text);
    let mut reading = Reading::default();
    let mut due = reading.text(&name, text.name, text.bytes);
    due.reverse();
    while let Some((import, at)) = due.pop() {
        if reading.texts.contains_key(&import) {
            continue;
        }
        match roots.load(&import, files) {
            Ok(loaded) => {
                let mut imports = reading.text(&import, &import, &loaded.bytes);
                imports.reverse();
                due.extend(imports);
            }
            Err(_) if is_google(&import) => {}
            Err(error) => {
                let finding = Diagnostic::error("file_error", at, format!("the file {import:?} cannot be read: {error}"));
                let hint = "imports are paths below an include folder (-I), or below the folder of the file or one above it";
                reading.findings.push(finding.label("imported here").hint(hint).detail("name", &import));
            }
        }
        if reading.sources.len() > MAX_FILES || reading.total > MAX_TEXTS {
            let what = format!("more than {MAX_FILES} files or {MAX_TEXTS} bytes of text");
            reading.findings.push(Diagnostic::error("too_large", at, what));
            break;
        }
    }
    let Reading { sources, texts, files, findings, .. } = reading;
    if !findings.is_empty() {
        return Err(Diagnostics { sources, findings });
    }
    let mut compiler = Compiler::with_file_resolver(Parsed { files: RefCell::new(files), google: GoogleFileResolver::new() });
    compiler.include_imports(true).include_source_info(true);
    if let Err(error) = compiler.open_file(&name) {
        let findings = told(&error, error.file(), &texts);
        return Err(Diagnostics { sources, findings });
    }
    let bytes = compiler.encode_file_descriptor_set();
    let resolved = FileDescriptorSet::read(&bytes, &Limits::DEFAULT).and_then(|set| Ok((Pool::new(&set)?, set)));
    match resolved {
        Ok((pool, set)) => {
            let main = pool.files().iter().position(|file| *file.name == name).map(|index| FileId(index as u32));
            Ok(Protos { set, pool, sources, texts, main })
        }
        Err(error) => {
            let finding = Diagnostic::error("schema_error", Place::default(), error.what()).hint(error.advice());
            Err(Diagnostics { sources, findings: vec![finding] })
        }
    }
}

/// Parses one text, without its imports. A text in an edition is parsed as proto3 of its kind.
pub(super) fn parse(text: &SchemaText<'_>) -> Result<(), Diagnostics> {
    let mut reading = Reading::default();
    let bytes = text.bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text.bytes);
    let twin = edition::twin(bytes);
    reading.text(text.name, text.name, &twin.text);
    let mut findings = reading.findings;
    if findings.is_empty() {
        return Ok(());
    }
    let back = |offset: &mut u32| *offset -= if *offset as usize >= twin.from { twin.by as u32 } else { 0 };
    for finding in &mut findings {
        for place in iter::once(&mut finding.at).chain(finding.related.iter_mut().map(|(place, _)| place)) {
            back(&mut place.start);
            back(&mut place.end);
        }
    }
    Err(Diagnostics { sources: vec![Source::new(text.name, String::from_utf8_lossy(bytes))], findings })
}

fn is_google(import: &str) -> bool {
    GoogleFileResolver::new().open_file(import).is_ok()
}

/// Converts the compiler's errors, with their places.
fn told(error: &dyn miette::Diagnostic, file: Option<&str>, texts: &HashMap<String, u32>) -> Vec<Diagnostic> {
    let source = file.and_then(|file| texts.get(file)).copied().unwrap_or(0);
    let place = |label: &miette::LabeledSpan| {
        let start = u32::try_from(label.offset()).unwrap_or(u32::MAX);
        Place { source, start, end: start.saturating_add(u32::try_from(label.len()).unwrap_or(0)) }
    };
    let labels: Vec<_> = error.labels().into_iter().flatten().collect();
    let at = labels.last().map_or(Place { source, start: 0, end: 0 }, place);
    let mut finding = Diagnostic::error("schema_error", at, error.to_string());
    if let Some(label) = labels.last().and_then(|label| label.label()) {
        finding = finding.label(label);
    }
    for label in labels.iter().rev().skip(1) {
        finding = finding.related(place(label), label.label().unwrap_or_default());
    }
    if let Some(help) = error.help() {
        finding = finding.hint(help.to_string());
    }
    let mut findings = vec![finding];
    for more in error.related().into_iter().flatten() {
        findings.extend(told(more, file, texts));
    }
    findings
}

impl Reading {
    /// Parses a text and returns its imports, with their places.
    fn text(&mut self, name: &str, shown: &str, bytes: &[u8]) -> Vec<(String, Place)> {
        let source = self.sources.len() as u32;
        self.texts.insert(name.to_string(), source);
        self.total += bytes.len();
        let refuse = |this: &mut Reading, text: &str, finding: Diagnostic| {
            this.sources.push(Source::new(shown, text));
            this.findings.push(finding);
            Vec::new()
        };
        let at = |offset: usize| Place { source, start: offset as u32, end: offset as u32 };
        let text = match std::str::from_utf8(bytes) {
            Ok(text) if text.len() <= MAX_TEXT => text,
            Ok(_) => return refuse(self, "", Diagnostic::error("too_large", at(0), format!("{shown} has more than {MAX_TEXT} bytes"))),
            Err(error) => {
                let offset = error.valid_up_to();
                let message = format!("byte {:#04x} is no part of UTF-8 text", bytes[offset]);
                return refuse(
                    self,
                    &String::from_utf8_lossy(&bytes[..offset]),
                    Diagnostic::error("syntax_error", at(offset), message).hint("save the file as UTF-8"),
                );
            }
        };
        // `protoc` skips a byte order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if let Some(offset) = too_deep(text) {
            return refuse(
                self,
                text,
                Diagnostic::error("too_deep", at(offset), format!("more than {MAX_BRACKETS} brackets within each other")),
            );
        }
        self.sources.push(Source::new(shown, text));
        match File::from_source(name, text) {
            Ok(file) => {
                let descriptor = file.file_descriptor_proto();
                let locations = descriptor.source_code_info.iter().flat_map(|info| &info.location);
                let places: HashMap<&[i32], &[i32]> = locations.map(|location| (&location.path[..], &location.span[..])).collect();
                let imports = descriptor.dependency.iter().enumerate().map(|(index, import)| {
                    let span = places.get(&[3, index as i32][..]).copied().unwrap_or_default();
                    (import.clone(), line_place(text, source, span))
                });
                let imports = imports.collect();
                self.files.insert(name.to_string(), file);
                imports
            }
            Err(error) => {
                match edition::keyword(text.as_bytes()) {
                    Some((start, end)) => {
                        let place = Place { source, start: start as u32, end: end as u32 };
                        let finding = Diagnostic::error("edition", place, format!("{shown} is in an edition, which only compilers read"));
                        let hint = "make a descriptor set of it with protoc 27 or later and name that as the schema: \
                                    protoc --include_imports --descriptor_set_out=schema.binpb FILE";
                        self.findings.push(finding.hint(hint));
                    }
                    None => self.findings.extend(told(&error, Some(name), &self.texts)),
                }
                Vec::new()
            }
        }
    }
}

/// Returns the place of a span of lines and columns.
fn line_place(text: &str, source: u32, span: &[i32]) -> Place {
    let number = |index: usize| span.get(index).and_then(|number| usize::try_from(*number).ok()).unwrap_or_default();
    let line = number(0);
    let start = if line == 0 { 0 } else { text.match_indices('\n').nth(line - 1).map_or(0, |(at, _)| at + 1) };
    let end = text[start..].find('\n').map_or(text.len(), |length| start + length);
    Place { source, start: ((start + number(1)).min(end)) as u32, end: end as u32 }
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
