//! The tables that a message is judged and put in order by.

use std::fmt::Write;

use super::layout::{Choice, Comes, Layout, Member, Scalar, Wire};
use super::rust::Emit;

/// A field of a table: its number, and the text of it.
type Row = (u32, String);

impl Emit<'_> {
    /// The table of a message.
    pub(super) fn table(&self, index: usize, out: &mut String) {
        let (rows, keeps, chooses) = match &self.mapped.layouts[index] {
            Layout::Message(members) => (self.rows(members), members.iter().any(|member| member.comes == Comes::Unknown), false),
            Layout::Choice(choices) => (choices.iter().map(|choice| self.choice(choice, 1)).collect(), false, true),
            _ => return,
        };
        let table = message(&self.mapped.names[index], rows, keeps, chooses);
        let _ = writeln!(out, "static {}: rt::shape::Message = {table};", self.table_name(index));
    }

    fn rows(&self, members: &[Member]) -> Vec<Row> {
        let (mut rows, mut oneofs) = (Vec::new(), 0);
        for member in members {
            match (&member.wire, member.comes) {
                (_, Comes::Unknown) => {}
                (Wire::Oneof(index), _) => {
                    oneofs += 1;
                    if let Layout::Oneof(choices) = &self.mapped.layouts[*index] {
                        rows.extend(choices.iter().map(|choice| self.choice(choice, oneofs)));
                    }
                }
                (wire, comes) => {
                    let comes = match comes {
                        Comes::Required => "Required",
                        Comes::Repeated { packed: true } => "Packed",
                        Comes::Repeated { packed: false } | Comes::Map => "Repeated",
                        _ => "Once",
                    };
                    rows.push(field(member.number, &member.name, &self.kind(wire), comes, 0));
                }
            }
        }
        rows
    }

    fn choice(&self, choice: &Choice, oneof: u32) -> Row {
        field(choice.number, &choice.name, &self.kind(&choice.wire), "Once", oneof)
    }

    fn kind(&self, wire: &Wire) -> String {
        match wire {
            Wire::Scalar(Scalar::Byte) => "Range(0, 255)".into(),
            Wire::Scalar(Scalar::Int8) => "Range(-128, 127)".into(),
            Wire::Scalar(Scalar::Int16) => "Range(-32768, 32767)".into(),
            Wire::Scalar(Scalar::UInt16) => "Range(0, 65535)".into(),
            Wire::Scalar(Scalar::String) => "Text".into(),
            Wire::Scalar(scalar) => match scalar.wire_type() {
                0 => "Varint",
                1 => "Fixed64",
                5 => "Fixed32",
                _ => "Bytes",
            }
            .into(),
            Wire::Enum(index) => match &self.mapped.layouts[*index] {
                Layout::Numbers(numbers) if !numbers.open => {
                    let mut numbers = numbers.of.clone();
                    numbers.sort_unstable();
                    format!("Closed(&{numbers:?})")
                }
                _ => "Varint".into(),
            },
            Wire::Message(index) => format!("Message(&{})", self.table_name(*index)),
            Wire::Group(index) => format!("Group(&{})", self.table_name(*index)),
            Wire::Row(members) => format!("Message(&{})", message("", self.rows(members), false, false)),
            Wire::Alone(member) => format!("Message(&{})", message("", self.rows(std::slice::from_ref(&**member)), false, false)),
            Wire::Entry(entry) => {
                let (key, value) = &**entry;
                let key = field(1, "key", &self.kind(&Wire::Scalar(*key)), "Once", 0);
                let value = field(2, "value", &self.kind(value), "Once", 0);
                format!("Entry(&{})", message("", vec![key, value], false, false))
            }
            Wire::Oneof(_) => unreachable!("the fields of a oneof come one by one"),
        }
    }
}

fn message(name: &str, mut rows: Vec<Row>, keeps: bool, chooses: bool) -> String {
    rows.sort_by_key(|(number, _)| *number);
    let rows: Vec<String> = rows.into_iter().map(|(_, row)| row).collect();
    format!("rt::shape::Message {{ name: {name:?}, fields: &[{}], keeps: {keeps}, chooses: {chooses} }}", rows.join(", "))
}

fn field(number: u32, name: &str, kind: &str, comes: &str, oneof: u32) -> Row {
    let text = format!(
        "rt::shape::Field {{ number: {number}, name: {name:?}, kind: rt::shape::Kind::{kind}, comes: rt::shape::Comes::{comes}, oneof: {oneof} }}"
    );
    (number, text)
}
