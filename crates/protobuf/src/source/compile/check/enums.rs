//! Enums: their first value, numbers that are used twice, and names that differ in case alone.

use std::collections::{HashMap, HashSet};

use super::super::features::{CLOSED, Features};
use super::super::unit::Syntax;
use super::{Check, number};
use crate::descriptor::EnumDescriptor;

impl Check<'_, '_> {
    pub(super) fn enumeration(&mut self, declared: &EnumDescriptor, path: &[i32]) {
        let name = declared.name.as_deref().unwrap_or_default();
        let Some(first) = declared.value.first() else {
            return self.wrong(path, &[1], format!("the enum `{name}` has no values"), "declare at least one");
        };
        if Features::at(self.unit, path).enum_type != CLOSED && first.number != Some(0) {
            let told = format!("the first value of the enum `{name}` is {}, not 0", first.number.unwrap_or_default());
            self.wrong(path, &[2, 0, 2], told, "the first value of an open enum is its default, and has the number 0");
        }
        self.aliases(declared, name, path);
        self.enum_ranges(declared, path);
        let reserved: HashSet<&str> = declared.reserved_name.iter().map(String::as_str).collect();
        for (at, value) in (0..).zip(&declared.value) {
            let name = value.name.as_deref().unwrap_or_default();
            if reserved.contains(name) {
                self.wrong(
                    path,
                    &[2, at, 1],
                    format!("the name `{name}` is reserved"),
                    "choose another name, or remove it from `reserved`",
                );
            }
        }
        let mut names = HashSet::new();
        for (at, reserved) in (0..).zip(&declared.reserved_name) {
            if !names.insert(reserved) {
                self.wrong(path, &[5, at], format!("the name `{reserved}` is reserved twice"), "remove one of them");
            }
        }
        let legacy = declared.options.as_ref().is_some_and(|options| number(&options.others, 6) == Some(1));
        if !(legacy && self.unit.syntax == Syntax::Proto2) {
            self.similar_names(declared, name, path);
        }
        self.enum_style(declared, path);
    }

    fn aliases(&mut self, declared: &EnumDescriptor, name: &str, path: &[i32]) {
        let allowed = declared.options.as_ref().and_then(|options| options.allow_alias);
        let mut seen: HashMap<i32, i32> = HashMap::new();
        let mut found = false;
        for (at, value) in (0..).zip(&declared.value) {
            let number = value.number.unwrap_or_default();
            let Some(first) = seen.insert(number, at) else { continue };
            found = true;
            if allowed != Some(true) {
                let names = [first, at].map(|at| declared.value[at as usize].name.as_deref().unwrap_or_default());
                let told = format!("number {number} is used twice in the enum `{name}`, by `{}` and `{}`", names[0], names[1]);
                let (own, other) = ([path, &[2, at, 2]].concat(), [path, &[2, first, 2]].concat());
                self.clash(&own, &other, "first used here", told, "choose another number, or set `option allow_alias = true;`");
            }
        }
        match allowed {
            Some(false) => self.wrong(path, &[3, 2], "`allow_alias = false` has no effect", "remove the option"),
            Some(true) if !found => {
                self.wrong(path, &[3, 2], format!("the enum `{name}` allows aliases, and has none"), "remove the option `allow_alias`");
            }
            _ => {}
        }
    }

    /// Notes values whose names are the same without the enum's name, underscores and case, since
    /// generated code may strip these.
    fn similar_names(&mut self, declared: &EnumDescriptor, enum_name: &str, path: &[i32]) {
        let mut seen: HashMap<String, i32> = HashMap::new();
        for (at, value) in (0..).zip(&declared.value) {
            let name = value.name.as_deref().unwrap_or_default();
            let first = *seen.entry(camel(stripped(name, enum_name))).or_insert(at);
            let other = &declared.value[first as usize];
            if first != at && other.name != value.name && other.number != value.number {
                let told =
                    format!("the values `{}` and `{name}` have one name in generated code", other.name.as_deref().unwrap_or_default());
                let hint = "names must differ in more than case, underscores, and the enum's name in front";
                self.clash(&[path, &[2, at, 1]].concat(), &[path, &[2, first, 1]].concat(), "the other value is here", told, hint);
            }
        }
    }
}

/// Returns the name of a value without the name of its enum in front, in any case and with any
/// underscores, if something is left.
fn stripped<'n>(value: &'n str, enum_name: &str) -> &'n str {
    let mut prefix = enum_name.bytes().filter(|byte| *byte != b'_').map(|byte| byte.to_ascii_lowercase()).peekable();
    let mut at = 0;
    for byte in value.bytes() {
        let Some(expected) = prefix.peek() else { break };
        if byte != b'_' {
            if byte.to_ascii_lowercase() != *expected {
                return value;
            }
            prefix.next();
        }
        at += 1;
    }
    if prefix.peek().is_some() {
        return value;
    }
    let rest = value[at..].trim_start_matches('_');
    if rest.is_empty() { value } else { rest }
}

/// Returns a name in PascalCase.
fn camel(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut upper = true;
    for c in name.chars() {
        if c == '_' {
            upper = true;
            continue;
        }
        out.push(if upper { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() });
        upper = false;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_values_lose_that_of_the_enum() {
        for (value, enum_name, rest) in [
            ("FOO_BAR_ONE", "FooBar", "ONE"),
            ("ONE", "FooBar", "ONE"),
            ("FOO_BAR", "FooBar", "FOO_BAR"),
            ("FOOX", "Foo", "X"),
            ("F", "Foo", "F"),
        ] {
            assert_eq!(stripped(value, enum_name), rest);
        }
        assert_eq!(camel("ONE_two__3"), "OneTwo3");
    }
}
