//! Help for tests.

use polywire_core::doc::Datum;

use crate::syntax::ast::Value;
use crate::template::value::ValueTemplate;

/// The value of JSON text, in which braces in texts are no references.
///
/// # Panics
/// It is no JSON.
pub fn datum(json: &str) -> Datum {
    fn plain(value: &Value) -> Datum {
        match value {
            Value::Text(text) => Datum::text(text.as_str()),
            Value::Array(values) => Datum::list(values.iter().map(plain)),
            Value::Object(members) => Datum::object(members.iter().map(|(name, value)| (name.as_str(), plain(value)))),
            other => ValueTemplate::new(other).constant().expect("a scalar is constant"),
        }
    }
    plain(&crate::syntax::parse_value(json).unwrap_or_else(|error| panic!("{json}: {error}")))
}

/// JSON text of a value.
pub fn json(value: &Datum) -> String {
    String::from_utf8(value.to_json()).expect("JSON is text")
}
