//! Extensions that a range declares ahead (descriptor.proto, `ExtensionRangeOptions.Declaration`).

use std::collections::{HashMap, HashSet};

use polywire_core::bytes::Input;

use super::super::names::join;
use super::super::parse::scalar;
use super::Check;
use crate::descriptor::{Descriptor, FieldDescriptor, Other, label};

/// One declaration.
#[derive(Default)]
pub(super) struct Declaration {
    number: i32,
    full_name: Option<String>,
    type_name: Option<String>,
    reserved: bool,
    repeated: bool,
}

/// Value of `VerificationState`.
const UNVERIFIED: u64 = 1;

impl<'a> Check<'a, '_> {
    /// Checks the declarations of all ranges of a message.
    pub(super) fn declarations(&mut self, message: &Descriptor, path: &[i32]) {
        let mut names = HashSet::new();
        for (at, range) in (0..).zip(&message.extension_range) {
            let Some(options) = &range.options else { continue };
            let own = [path, &[5, at]].concat();
            let all = read(&options.others);
            if !all.is_empty() && super::number(&options.others, 3) == Some(UNVERIFIED) {
                self.wrong(&own, &[3], "declared extensions in a range that is not verified", "remove `verification = UNVERIFIED`");
                continue;
            }
            let mut numbers = HashSet::new();
            for found in all {
                let number = found.number;
                if !(range.start.unwrap_or(0)..range.end.unwrap_or(0)).contains(&number) {
                    self.wrong(&own, &[], format!("the declared extension {number} is outside of its range"), "");
                }
                if !numbers.insert(number) {
                    self.wrong(&own, &[], format!("extension {number} is declared twice"), "");
                }
                match (&found.full_name, &found.type_name) {
                    (Some(name), Some(type_name)) => {
                        if !names.insert(name.clone()) {
                            self.wrong(&own, &[], format!("the extension `{name}` is declared twice"), "");
                        }
                        let scalar = scalar(type_name).is_some();
                        for name in [Some(name), Some(type_name).filter(|_| !scalar)].into_iter().flatten() {
                            if !is_full(name) {
                                let hint = "write the whole name with a point in front";
                                self.wrong(&own, &[], format!("the name `{name}` in a declared extension"), hint);
                            }
                        }
                    }
                    (None, None) if found.reserved => {}
                    _ => {
                        let told = format!("the declared extension {number} without both `full_name` and `type`");
                        self.wrong(&own, &[], told, "set both, or neither and `reserved: true`");
                    }
                }
            }
        }
    }

    /// Compares an extension with its declaration, in a range of a message by its index.
    pub(super) fn declared(&mut self, field: &FieldDescriptor, scope: &str, range: (&'a str, &Descriptor, usize), path: &[i32]) {
        let (extendee, message, index) = range;
        let Some(options) = &message.extension_range[index].options else { return };
        let read = || read(&options.others).into_iter().map(|found| (found.number, found)).collect();
        // The cache is taken out for the time of the faults.
        let all: HashMap<i32, Declaration> = self.known.declared.remove(&(extendee, index)).unwrap_or_else(read);
        let number = field.number.unwrap_or_default();
        let full = format!(".{}", join(scope, field.name.as_deref().unwrap_or_default()));
        match all.get(&number) {
            Some(Declaration { reserved: true, .. }) => {
                self.wrong(path, &[3], format!("extension number {number} is reserved"), "choose another number");
            }
            Some(found) => {
                let own_type = field.type_name.clone().or_else(|| field.kind.map(|number| kind_name(number).to_string()));
                let repeated = field.label == Some(label::REPEATED);
                let expected = found.full_name.as_deref().unwrap_or_default();
                if expected != full {
                    self.wrong(
                        path,
                        &[1],
                        format!("extension {number} is declared as `{expected}`, not `{full}`"),
                        "use the declared name",
                    );
                }
                if found.type_name != own_type {
                    let expected = found.type_name.as_deref().unwrap_or_default();
                    self.wrong(path, &[6], format!("extension {number} is declared with the type `{expected}`"), "use the declared type");
                }
                if found.repeated != repeated {
                    let expected = if found.repeated { "repeated" } else { "optional" };
                    self.wrong(path, &[4], format!("extension {number} is declared as {expected}"), "use the declared label");
                }
            }
            None if !all.is_empty() || super::number(&options.others, 3) == Some(0) => {
                self.wrong(path, &[3], format!("extension {number} is not declared in its range"), "add a `declaration` to the range");
            }
            None => {}
        }
        self.known.declared.insert((extendee, index), all);
    }
}

fn kind_name(number: i32) -> &'static str {
    const NAMES: [&str; 18] = [
        "double", "float", "int64", "uint64", "int32", "fixed64", "fixed32", "bool", "string", "group", "", "bytes", "uint32", "",
        "sfixed32", "sfixed64", "sint32", "sint64",
    ];
    usize::try_from(number - 1).ok().and_then(|index| NAMES.get(index)).copied().unwrap_or_default()
}

/// Reports whether a name starts with a point and has no empty parts, which is all that `protoc`
/// asks for.
fn is_full(name: &str) -> bool {
    let part = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    name.strip_prefix('.').is_some_and(|name| name.split('.').all(part))
}

/// Returns the declarations among options that are kept as bytes.
fn read(others: &[Other]) -> Vec<Declaration> {
    others.iter().filter(|other| other.number == 2).filter_map(|other| one(&other.bytes)).collect()
}

fn one(bytes: &[u8]) -> Option<Declaration> {
    let mut input = Input::new(bytes, 0);
    input.varint("a tag").ok()?;
    let length = input.varint("a length").ok()?;
    let bytes = input.take(length, "a declaration").ok()?;
    let mut input = Input::new(bytes, 0);
    let mut found = Declaration::default();
    while input.remaining() > 0 {
        let tag = input.varint("a tag").ok()?;
        let value = input.varint("a value").ok()?;
        if tag & 7 == 2 {
            let text = std::str::from_utf8(input.take(value, "text").ok()?).ok()?.to_string();
            match tag >> 3 {
                2 => found.full_name = Some(text),
                3 => found.type_name = Some(text),
                _ => {}
            }
            continue;
        }
        match tag >> 3 {
            1 => found.number = value as i32,
            5 => found.reserved = value != 0,
            6 => found.repeated = value != 0,
            _ => {}
        }
    }
    Some(found)
}
