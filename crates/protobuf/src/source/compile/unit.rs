//! A parsed text: its descriptor, places, and options that are still words.

use std::collections::HashMap;

use polywire_core::text::diagnostic::Place;

use crate::descriptor::{Descriptor, EnumDescriptor, FieldDescriptor, FileDescriptor};

/// Ways to declare a file's language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Syntax {
    Proto2,
    Proto3,
    E2023,
    E2024,
}

impl Syntax {
    pub fn is_edition(self) -> bool {
        self >= Syntax::E2023
    }
}

/// Message of `descriptor.proto` that holds options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in super::super) enum Holder {
    File,
    Message,
    Field,
    Oneof,
    Range,
    Enum,
    Value,
    Service,
    Method,
}

impl Holder {
    /// Returns the name of its message, and the value of `OptionTargetType` for what has it.
    pub fn facts(self) -> (&'static str, i32) {
        match self {
            Holder::File => ("FileOptions", 1),
            Holder::Range => ("ExtensionRangeOptions", 2),
            Holder::Message => ("MessageOptions", 3),
            Holder::Field => ("FieldOptions", 4),
            Holder::Oneof => ("OneofOptions", 5),
            Holder::Enum => ("EnumOptions", 6),
            Holder::Value => ("EnumValueOptions", 7),
            Holder::Service => ("ServiceOptions", 8),
            Holder::Method => ("MethodOptions", 9),
        }
    }
}

/// One part of an option's name.
#[derive(Debug, Clone)]
pub(in super::super) struct Part {
    pub name: String,
    /// It stood in parentheses.
    pub extension: bool,
    pub at: (u32, u32),
}

/// An option's value as the grammar knows it.
#[derive(Debug, Clone)]
pub(in super::super) enum Written {
    Word(String),
    /// An integer without a sign.
    Positive(u64),
    /// An integer behind a minus.
    Negative(i64),
    Float(f64),
    Text(Vec<u8>),
    /// Offsets of a message in the text format, braces left out.
    Block(u32, u32),
}

/// One option as it was written.
#[derive(Debug, Clone)]
pub(in super::super) struct Statement {
    pub name: Vec<Part>,
    pub value: Written,
    pub value_at: (u32, u32),
    /// Index of its location, if it has one of its own.
    pub location: Option<u32>,
}

impl Statement {
    /// Returns the name if it has one part that is no extension.
    pub fn plain(&self) -> Option<&str> {
        match &self.name[..] {
            [part] if !part.extension => Some(&part.name),
            _ => None,
        }
    }

    /// Reports whether this sets a plain option to `true`.
    pub fn switches_on(&self, name: &str) -> bool {
        self.plain() == Some(name) && matches!(&self.value, Written::Word(word) if word == "true")
    }
}

/// Options of one declaration.
#[derive(Debug)]
pub(in super::super) struct OptionSet {
    pub holder: Holder,
    /// Path of the declaration's field `options`.
    pub path: Vec<i32>,
    pub statements: Vec<Statement>,
}

/// A parsed text.
pub(in super::super) struct Unit {
    /// Index of its text among the sources, or of none for one of Google's.
    pub source: u32,
    pub syntax: Syntax,
    pub file: FileDescriptor,
    /// Offsets of each location.
    pub spans: Vec<(u32, u32)>,
    pub options: Vec<OptionSet>,
    /// Indices of the units that each import names; public ones of them.
    pub imports: Vec<u32>,
    /// Indices of units imported for options alone.
    pub option_imports: Vec<u32>,
    /// Location by path, made when the first fault needs it.
    pub index: Option<HashMap<Vec<i32>, u32>>,
}

impl Unit {
    pub fn name(&self) -> &str {
        self.file.name.as_deref().unwrap_or_default()
    }

    pub fn package(&self) -> &str {
        self.file.package.as_deref().unwrap_or_default()
    }

    /// Returns the place of a path, or of the nearest one above it.
    pub fn place(&mut self, path: &[i32]) -> Place {
        let locations = self.file.source_code_info.iter().flat_map(|info| &info.location);
        let index = self.index.get_or_insert_with(|| {
            let mut index = HashMap::new();
            for (location, at) in locations.zip(0u32..) {
                index.entry(location.path.0.clone()).or_insert(at);
            }
            index
        });
        let found = (0..=path.len()).rev().find_map(|length| index.get(&path[..length]));
        let (start, end) = found.and_then(|at| self.spans.get(*at as usize)).copied().unwrap_or_default();
        Place { source: self.source, start, end }
    }
}

/// Returns the message at a path of the descriptor, such as `[4, 0, 3, 1]`.
pub(super) fn message_at<'d>(file: &'d FileDescriptor, path: &[i32]) -> Option<&'d Descriptor> {
    let (first, rest) = path.split_first_chunk::<2>()?;
    let index = |pair: &[i32]| pair.get(1).map_or(usize::MAX, |index| *index as usize);
    let top = if first[0] == 4 { file.message_type.get(index(first))? } else { return None };
    rest.chunks(2).try_fold(top, |message, pair| if pair[0] == 3 { message.nested_type.get(index(pair)) } else { None })
}

/// Returns the enum at a path.
pub(super) fn enum_at<'d>(file: &'d FileDescriptor, path: &[i32]) -> Option<&'d EnumDescriptor> {
    match path {
        [5, index] => file.enum_type.get(*index as usize),
        [above @ .., 4, index] => message_at(file, above)?.enum_type.get(*index as usize),
        _ => None,
    }
}

/// Returns the field or extension at a path.
pub(super) fn field_at<'d>(file: &'d FileDescriptor, path: &[i32]) -> Option<&'d FieldDescriptor> {
    match path {
        [7, index] => file.extension.get(*index as usize),
        [above @ .., 2, index] => message_at(file, above)?.field.get(*index as usize),
        [above @ .., 6, index] => message_at(file, above)?.extension.get(*index as usize),
        _ => None,
    }
}
