//! Functions that write messages, from the last field to the first.

use std::fmt::Write;

use super::layout::{Choice, Comes, Layout, Member, Scalar, Wire, tag};
use super::rust::{Emit, Place};
use crate::plan::{Body, Carries};
use crate::rust::Ownership;

/// Returns the bytes of a field's tag as an expression.
pub(super) fn tag_bytes(number: u32, wire_type: u32) -> String {
    let bytes: Vec<String> = tag(number, wire_type).iter().map(|byte| format!("{byte:#04x}")).collect();
    format!("[{}]", bytes.join(", "))
}

impl Emit<'_> {
    /// Writes the function that writes a message.
    pub(super) fn writer(&self, index: usize, ownership: Ownership, out: &mut String) {
        let ty = self.types.named(index, ownership).replace("'a", "'_");
        let body = match &self.mapped.layouts[index] {
            Layout::Message(members) => {
                let place = |n: usize| Place::value(format!("this.{}", self.types.field(index, n)));
                self.write_members(members, &place, ownership)
            }
            Layout::Choice(choices) => self.write_oneof(index, &all(choices), "this", ownership),
            _ => return,
        };
        let _ = writeln!(
            out,
            "#[inline]\nfn {}(this: &{ty}, output: &mut rt::output::Output<'_>) {{\nlet mut own = output.take();\nlet out = &mut own;\n{body}\n*output = own;\n}}",
            self.function("write", index, ownership)
        );
    }

    /// Returns statements that write the fields of a message by descending number. Unknown fields
    /// come last in the message, so they are written first.
    fn write_members(&self, members: &[Member], place: &dyn Fn(usize) -> Place, ownership: Ownership) -> String {
        let mut parts: Vec<(u32, String)> = Vec::new();
        for (n, member) in members.iter().enumerate() {
            let place = place(n);
            match (&member.wire, member.comes) {
                (_, Comes::Unknown) => parts.push((u32::MAX, format!("out.verbatim(&{}[..]);", place.text))),
                (Wire::Oneof(index), _) => {
                    let Layout::Oneof(choices) = &self.mapped.layouts[*index] else { continue };
                    let numbers = choices.iter().map(|choice| choice.number);
                    let (low, high) = (numbers.clone().min().unwrap_or_default(), numbers.max().unwrap_or_default());
                    let between = |number: u32| (low..=high).contains(&number) && !choices.iter().any(|choice| choice.number == number);
                    let apart = members.iter().any(|other| between(other.number));
                    let runs: Vec<Vec<(usize, &Choice)>> =
                        if apart { all(choices).into_iter().map(|one| vec![one]).collect() } else { vec![all(choices)] };
                    for run in runs {
                        let number = run.iter().map(|(_, choice)| choice.number).min().unwrap_or_default();
                        let body = self.write_oneof(*index, &run, "item", ownership);
                        parts.push((number, format!("if let Some(item) = {} {{ {body} }}", place.by_reference())));
                    }
                }
                _ => parts.push((member.number, self.write_member(member, &place, ownership))),
            }
        }
        parts.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
        parts.into_iter().map(|(_, text)| text).collect::<Vec<String>>().join("\n")
    }

    /// Returns statements that write the given cases of an enum; `place` is a reference to the
    /// enum.
    fn write_oneof(&self, index: usize, choices: &[(usize, &Choice)], place: &str, ownership: Ownership) -> String {
        let path = self.types.path(index, ownership);
        let Body::Sum(cases) = &self.types.plan.types[index].body else { return String::new() };
        let mut out = format!("match {place} {{\n");
        for (case, choice) in choices {
            let name = self.types.case(index, *case);
            let parts = |count: usize| (0..count).map(|n| format!("part{n}")).collect::<Vec<String>>();
            let (pattern, body) = match (&cases[*case].carries, &choice.wire) {
                (Carries::Nothing, _) => (String::new(), format!("out.octets({}, &[]);", tag_bytes(choice.number, 2))),
                (Carries::Values(values), wire) if values.len() == 1 => {
                    ("(part0)".into(), self.write_value(choice.number, wire, &Place::reference("part0"), ownership))
                }
                (Carries::Values(values), Wire::Row(members)) => {
                    let row = self.write_row(choice.number, members, &|n| Place::reference(format!("part{n}")), ownership);
                    (format!("({})", parts(values.len()).join(", ")), row)
                }
                (Carries::Fields(fields), Wire::Row(members)) => {
                    let row = self.write_row(choice.number, members, &|n| Place::reference(format!("part{n}")), ownership);
                    let named = (0..fields.len()).map(|n| format!("{}: part{n}", self.types.case_field(index, *case, n)));
                    (format!(" {{ {} }}", named.collect::<Vec<String>>().join(", ")), row)
                }
                _ => unreachable!("what a case carries is laid out as a row"),
            };
            let _ = writeln!(out, "{path}::{name}{pattern} => {{ {body} }}");
        }
        if choices.len() < cases.len() {
            out.push_str("_ => {}\n");
        }
        out.push('}');
        out
    }

    fn write_row(&self, number: u32, members: &[Member], place: &dyn Fn(usize) -> Place, ownership: Ownership) -> String {
        let body = self.write_members(members, place, ownership);
        format!("{{ let before = out.written();\n{body}\nout.wrap({}, before); }}", tag_bytes(number, 2))
    }

    fn write_member(&self, member: &Member, place: &Place, ownership: Ownership) -> String {
        let number = member.number;
        match member.comes {
            Comes::Required | Comes::Default => self.write_value(number, &member.wire, place, ownership),
            Comes::Explicit => {
                let value = self.write_value(number, &member.wire, &Place::reference("item"), ownership);
                format!("if let Some(item) = {} {{ {value} }}", place.by_reference())
            }
            Comes::Implicit => {
                let is_there = match &member.wire {
                    Wire::Scalar(Scalar::String | Scalar::Bytes) => format!("!{}.is_empty()", place.text),
                    Wire::Scalar(Scalar::Bool) => place.by_value(),
                    Wire::Scalar(Scalar::Float | Scalar::Double) => format!("{}.to_bits() != 0", place.text),
                    Wire::Enum(index) => {
                        format!("{}({}) != 0", self.function("number", *index, Ownership::Owned), place.by_reference())
                    }
                    _ => format!("{} != 0", place.by_value()),
                };
                format!("if {is_there} {{ {} }}", self.write_value(number, &member.wire, place, ownership))
            }
            Comes::Repeated { packed: true } => self.write_packed(member, place),
            Comes::Repeated { packed: false } => {
                let value = self.write_value(number, &member.wire, &Place::reference("item"), ownership);
                format!("for item in {}.iter().rev() {{ {value} }}", place.text)
            }
            Comes::Map => {
                let Wire::Entry(entry) = &member.wire else { unreachable!("a map has entries") };
                let key = self.write_value(1, &Wire::Scalar(entry.0), &Place::reference("key"), ownership);
                let value = self.write_value(2, &entry.1, &Place::reference("value"), ownership);
                format!(
                    "for (key, value) in {}.iter().rev() {{ let before = out.written();\n{value}\n{key}\nout.wrap({}, before); }}",
                    place.text,
                    tag_bytes(number, 2)
                )
            }
            Comes::Oneof | Comes::Unknown => unreachable!("they are written elsewhere"),
        }
    }

    fn write_packed(&self, member: &Member, place: &Place) -> String {
        let (tag, list) = (tag_bytes(member.number, 2), format!("&{}[..]", place.text));
        let item = Place::reference("item");
        match &member.wire {
            Wire::Scalar(Scalar::Bool) => format!("out.bools({tag}, {list});"),
            Wire::Scalar(scalar) if scalar.wire_type() != 0 => format!("out.fixeds({tag}, {list}, |item| item.to_le_bytes());"),
            wire => format!("out.varints({tag}, {list}, |item| {});", self.number(wire, &item)),
        }
    }

    /// Returns a value as the number that is written as a varint.
    fn number(&self, wire: &Wire, place: &Place) -> String {
        let value = place.by_value();
        match wire {
            Wire::Enum(index) => {
                format!("i64::from({}({})) as u64", self.function("number", *index, Ownership::Owned), place.by_reference())
            }
            Wire::Scalar(Scalar::UInt64) => value,
            Wire::Scalar(Scalar::SInt32 | Scalar::SInt64) => format!("rt::output::zigzag(i64::from({value}))"),
            Wire::Scalar(Scalar::Int32 | Scalar::Int64 | Scalar::Int8 | Scalar::Int16) => format!("i64::from({value}) as u64"),
            _ => format!("u64::from({value})"),
        }
    }

    /// Returns statements that write a value with its tag.
    fn write_value(&self, number: u32, wire: &Wire, place: &Place, ownership: Ownership) -> String {
        let tag = tag_bytes(number, wire.wire_type());
        match wire {
            Wire::Scalar(Scalar::String) => format!("out.octets({tag}, {}.as_bytes());", place.text),
            Wire::Scalar(Scalar::Bytes) => format!("out.octets({tag}, &{}[..]);", place.text),
            Wire::Scalar(Scalar::Bool) => format!("out.bool({tag}, {});", place.by_value()),
            Wire::Scalar(scalar) if scalar.wire_type() != 0 => format!("out.fixed({tag}, {}.to_le_bytes());", place.text),
            Wire::Scalar(_) | Wire::Enum(_) => format!("out.varint({tag}, {});", self.number(wire, place)),
            Wire::Message(index) => {
                let write = self.function("write", *index, ownership);
                let place = place.by_reference();
                format!("{{ let before = out.written();\nout.apart(|out| {write}({place}, out));\nout.wrap({tag}, before); }}")
            }
            Wire::Group(index) => {
                let write = self.function("write", *index, ownership);
                let (end, place) = (tag_bytes(number, 4), place.by_reference());
                format!("{{ out.put({end});\nout.apart(|out| {write}({place}, out));\nout.put({tag}); }}")
            }
            Wire::Row(members) => {
                let part = |n: usize| Place::value(format!("{}.{n}", place.text));
                self.write_row(number, members, &part, ownership)
            }
            Wire::Alone(member) => self.write_row(number, std::slice::from_ref(&**member), &|_| place.clone(), ownership),
            Wire::Oneof(_) | Wire::Entry(_) => unreachable!("they are written elsewhere"),
        }
    }
}

fn all(choices: &[Choice]) -> Vec<(usize, &Choice)> {
    choices.iter().enumerate().collect()
}
