//! The published extprot message as XML, in the two ways of the published benchmark.

use std::fmt::Write;

use prost::Message;

use super::model::{Case, Complex, Is};
use crate::failed::failed;
use polywire_core::Result;

/// How much of the types is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Each value is an element.
    Full,
    /// Numbers and texts stand bare, and bools are letters.
    Condensed,
}

/// Appends a message that Protobuf wrote.
pub fn append(protobuf: &[u8], style: Style, out: &mut String) -> Result<()> {
    let message = Complex::decode(protobuf).map_err(failed)?;
    Text { out, style }.message(&message);
    Ok(())
}

struct Text<'o> {
    out: &'o mut String,
    style: Style,
}

impl Text<'_> {
    fn element(&mut self, name: &str, inside: impl FnOnce(&mut Self)) {
        self.out.push('<');
        self.out.push_str(name);
        self.out.push('>');
        inside(self);
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
    }

    /// A value that stands bare where that is the style. The texts of the workload have nothing that XML escapes.
    fn value(&mut self, name: &str, value: impl std::fmt::Display) {
        if self.style == Style::Full {
            self.element(name, |text| text.value_alone(value));
        } else {
            self.value_alone(value);
        }
    }

    fn value_alone(&mut self, value: impl std::fmt::Display) {
        write!(self.out, "{value}").expect("strings take all");
    }

    /// Values that are told apart by blanks where they stand bare.
    fn values<T: std::fmt::Display>(&mut self, name: &str, values: &[T]) {
        for (number, value) in values.iter().enumerate() {
            if number > 0 && self.style == Style::Condensed {
                self.out.push(' ');
            }
            self.value(name, value);
        }
    }

    fn bools(&mut self, bools: &[bool]) {
        match self.style {
            Style::Full => self.values("bool", bools),
            Style::Condensed => bools.iter().for_each(|bool| self.out.push(if *bool { 't' } else { 'f' })),
        }
    }

    fn message(&mut self, message: &Complex) {
        match &message.is {
            Some(Case::A(a)) => self.element("complex_rtt_A", |text| {
                text.element("list", |text| {
                    for flags in &a.a1 {
                        text.element("tuple", |text| {
                            text.value("int", flags.number);
                            text.element("array", |text| text.bools(&flags.flags));
                        });
                    }
                });
                text.element("list", |text| {
                    for sum in &a.a2 {
                        match &sum.is {
                            Some(Is::Int(number)) => text.element("sum_A", |text| text.value("int", number)),
                            Some(Is::Text(value)) => text.element("sum_B", |text| text.value("string", value)),
                            Some(Is::Long(number)) => text.element("sum_C", |text| text.value("long", number)),
                            _ => text.out.push_str("<sum_D/>"),
                        }
                    }
                });
            }),
            Some(Case::B(b)) => self.element("complex_rtt_B", |text| {
                text.bools(&[b.b1]);
                let b2 = b.b2.clone().unwrap_or_default();
                text.element("tuple", |text| {
                    text.element("string", |text| text.value_alone(&b2.text));
                    text.element("list", |text| text.values("int", &b2.numbers));
                });
            }),
            None => {}
        }
    }
}
