//! Options that schemas declare, as text: extensions of the messages of descriptor.proto, and
//! fields of those messages that this crate does not name.

use std::sync::Arc;

use polywire_core::{Budget, Field as Named, Limits, Next, Note, Open, Part, Reader, Result, Scalar, Sink, Span};

use crate::descriptor::{FileDescriptorSet, Other};
use crate::model::{MessageId, Pool};
use crate::plan::Plan;
use crate::text::TextPrinter;
use crate::walk::ProtobufReader;
use crate::wire::framing::Framing;

/// The options that a set declares.
pub(super) struct Declared {
    pool: Pool,
    plan: Plan,
}

/// An option that was set.
pub(super) struct Said {
    /// Name of the field; for an extension its full name.
    pub(super) name: String,
    pub(super) is_extension: bool,
    /// Text behind the equals sign, for each value of a repeated field.
    pub(super) values: Vec<String>,
}

impl Declared {
    /// Returns the options that a set declares, or `None` if it breaks a rule of the language or
    /// has no messages.
    pub(super) fn of(set: &FileDescriptorSet) -> Option<Declared> {
        let pool = Pool::new(set).ok()?;
        let first = pool.message_ids().next()?;
        let plan = Plan::new(&pool, first);
        Some(Declared { pool, plan })
    }

    /// Returns the option of that number from `others`, in options of the type
    /// `google.protobuf.HOLDER`. Returns `None` if no file of the set declares it, or not all of
    /// its contents.
    pub(super) fn say(&self, holder: &str, number: u32, others: &[Other]) -> Option<Said> {
        let id = self.pool.message(&format!("google.protobuf.{holder}"))?;
        let field = self.pool.field(id, number)?;
        let bytes: Vec<u8> = others.iter().filter(|other| other.number == number).flat_map(|other| &other.bytes).copied().collect();
        let values = self.values(id, &bytes).ok()??;
        Some(Said { name: field.name.to_string(), is_extension: field.json_name.starts_with('['), values })
    }

    /// Returns the values of a message's only field.
    fn values(&self, id: MessageId, bytes: &[u8]) -> Result<Option<Vec<String>>> {
        let plan = Arc::new(self.plan.of(id));
        let mut unknown = Unknown(false);
        ProtobufReader::new(Arc::clone(&plan), Framing::Whole).walk(bytes, 0, &mut unknown, &mut Budget::new(&Limits::DEFAULT))?;
        if unknown.0 {
            return Ok(None);
        }
        let mut text = Vec::new();
        TextPrinter::new(plan).print(bytes, 0, &mut text, &mut Budget::new(&Limits::DEFAULT))?;
        Ok(String::from_utf8(text).ok().map(|text| split(&text)))
    }
}

/// Splits the values of fields in the text format, each on one line.
fn split(text: &str) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for line in text.lines() {
        // The contents of a message are indented.
        if let (Some(value), true) = (values.last_mut(), line.starts_with([' ', '}'])) {
            value.push(' ');
            value.push_str(line.trim_start());
        } else if let Some(name) = line.strip_suffix(" {").filter(|name| !name.contains(": ")) {
            values.push(line[name.len() + 1..].to_string());
        } else {
            values.push(line.split_once(": ").map_or(line, |(_, value)| value).to_string());
        }
    }
    values
}

/// Records whether there are fields that the schema does not have.
struct Unknown(bool);

impl<'m> Sink<'m> for Unknown {
    fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next> {
        Ok(Next::Enter)
    }

    fn field(&mut self, _: Named<'m, '_>, _: Span) -> Result<Next> {
        Ok(Next::Enter)
    }

    fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, _: Span) -> Result<()> {
        self.0 |= matches!(note, Note::Unknown(_));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_on_one_line_each() {
        let text = "[a.b] {\n  c: 1\n  d {\n    e: \"x: {\"\n  }\n}\n[a.b] {\n}\ncount: -2\n[a.c]: \"y {\"\n";
        assert_eq!(split(text), ["{ c: 1 d { e: \"x: {\" } }", "{ }", "-2", "\"y {\""]);
    }
}
