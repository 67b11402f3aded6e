//! Literal values with references in them (docs/spec/ql.md 5.1).

use std::sync::Arc;

use polywire_core::value::lexical::{Lexical, classify};
use polywire_doc::Datum;

use super::reference::{Reference, Variables};
use crate::limits::{Exhausted, Work};
use crate::syntax::ast;

/// A value whose texts may be references.
#[derive(Debug, Clone)]
pub enum ValueTemplate {
    /// A constant.
    Constant(Datum),
    /// The value of a variable.
    Reference(Reference),
    /// Values in order.
    List(Vec<ValueTemplate>),
    /// Members in order.
    Object(Vec<(Arc<str>, ValueTemplate)>),
}

impl ValueTemplate {
    /// Makes the template of a literal.
    pub fn new(value: &ast::Value) -> ValueTemplate {
        match value {
            ast::Value::Null => ValueTemplate::Constant(Datum::Null),
            ast::Value::Bool(value) => ValueTemplate::Constant(Datum::Bool(*value)),
            ast::Value::Number(text) => ValueTemplate::Constant(number(text)),
            ast::Value::Text(text) => ValueTemplate::text(text),
            ast::Value::Array(values) => {
                let values: Vec<ValueTemplate> = values.iter().map(ValueTemplate::new).collect();
                match values.iter().map(ValueTemplate::constant).collect::<Option<Vec<Datum>>>() {
                    Some(values) => ValueTemplate::Constant(Datum::from(values)),
                    None => ValueTemplate::List(values),
                }
            }
            ast::Value::Object(members) => {
                let members: Vec<(Arc<str>, ValueTemplate)> =
                    members.iter().map(|(name, value)| (name.as_str().into(), ValueTemplate::new(value))).collect();
                let constant = |(name, value): &(Arc<str>, ValueTemplate)| Some((name.clone(), value.constant()?));
                match members.iter().map(constant).collect::<Option<Vec<_>>>() {
                    Some(members) => ValueTemplate::Constant(Datum::object(members)),
                    None => ValueTemplate::Object(members),
                }
            }
        }
    }

    /// Makes the template of a text.
    pub fn text(text: &str) -> ValueTemplate {
        match Reference::read(text) {
            Some(reference) => ValueTemplate::Reference(reference),
            None => ValueTemplate::Constant(Datum::text(text)),
        }
    }

    /// Returns the value, if it is constant.
    pub fn constant(&self) -> Option<Datum> {
        match self {
            ValueTemplate::Constant(value) => Some(value.clone()),
            _ => None,
        }
    }

    /// Collects the references in it.
    pub fn references<'t>(&'t self, found: &mut Vec<&'t Reference>) {
        match self {
            ValueTemplate::Constant(_) => {}
            ValueTemplate::Reference(reference) => found.push(reference),
            ValueTemplate::List(values) => values.iter().for_each(|value| value.references(found)),
            ValueTemplate::Object(members) => members.iter().for_each(|(_, value)| value.references(found)),
        }
    }

    /// Returns the value with its references filled. An undefined value is left out of an object,
    /// and null in a list. A list or an object takes memory by its weight, as if it shared nothing.
    ///
    /// # Errors
    /// Not enough work or memory is left.
    pub fn fill(&self, variables: &dyn Variables, work: &Work) -> Result<Option<Datum>, Exhausted> {
        let value = self.filled(variables, work)?;
        if let (ValueTemplate::List(_) | ValueTemplate::Object(_), Some(value)) = (self, &value) {
            work.hold_made(value)?;
        }
        Ok(value)
    }

    fn filled(&self, variables: &dyn Variables, work: &Work) -> Result<Option<Datum>, Exhausted> {
        Ok(match self {
            ValueTemplate::Constant(value) => Some(value.clone()),
            ValueTemplate::Reference(reference) => reference.resolve(variables, work)?,
            ValueTemplate::List(values) => {
                let values = values.iter().map(|value| Ok(value.filled(variables, work)?.unwrap_or_default()));
                Some(Datum::from(values.collect::<Result<Vec<Datum>, Exhausted>>()?))
            }
            ValueTemplate::Object(members) => {
                let mut filled = Vec::with_capacity(members.len());
                for (name, value) in members {
                    if let Some(value) = value.filled(variables, work)? {
                        filled.push((name.clone(), value));
                    }
                }
                Some(Datum::object(filled))
            }
        })
    }
}

/// Returns the number of a text in JSON's syntax, exactly; leading zeros are ignored.
pub(crate) fn number(text: &str) -> Datum {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let whole = digits.bytes().take_while(u8::is_ascii_digit).count();
    let zeros = digits.bytes().take(whole.saturating_sub(1)).take_while(|byte| *byte == b'0').count();
    let text = format!("{sign}{}", &digits[zeros..]);
    match classify(&text) {
        Lexical::UInt(value) => Datum::UInt(value),
        Lexical::Int(value) => Datum::Int(value),
        Lexical::Big => Datum::Big(text.into()),
        Lexical::Decimal => Datum::Decimal(text.into()),
        // Not the shortest spelling of its float, but the same number; or an integer in another
        // spelling.
        Lexical::F64(_) | Lexical::Bool(_) | Lexical::Text => text.parse().map_or(Datum::Null, float),
    }
}

/// Returns a float as an integer, if it is one.
fn float(value: f64) -> Datum {
    if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 { Datum::int(value as i64) } else { Datum::F64(value) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::json;

    #[test]
    fn numbers_stay_exact() {
        for (text, expected) in [
            ("007", "7"),
            ("-0", "0"),
            ("1.50", "1.5"),
            ("-2.5", "-2.5"),
            ("18446744073709551616", "18446744073709551616"),
            ("0.10000000000000000001", "0.10000000000000000001"),
            ("00", "0"),
            ("1e3", "1000"),
            ("-5.0", "-5"),
            ("1e400", "1e400"),
            ("00.5", "0.5"),
        ] {
            assert_eq!(json(&number(text)), expected, "{text}");
        }
    }
}
