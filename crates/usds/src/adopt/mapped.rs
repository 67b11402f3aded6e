//! Adopted schemas as text, and dictionaries with a mapping as adopted schemas.

use polywire_core::Result;
use polywire_core::schema::{Schema, mapped, mapping_differs};
use polywire_core::value::Value;

use super::node::Adopted;
use super::types::adopt;
use crate::dictionary::{Default as Start, Dictionary, Field, Type};

/// Returns the dictionary of a schema as text with its mapping. `None` if the schema cannot be
/// adopted, or has no mapping.
pub(crate) fn text(schema: &Schema) -> Option<String> {
    let adopted = adopt(schema).ok()?;
    let dictionary = adopted.plan.dictionary();
    mapping(dictionary)?;
    let (text, _) = dictionary.to_text().ok()?;
    // Whatever a text cannot say would make the mapping one of another dictionary.
    let again = Dictionary::parse("schema", text.as_bytes()).ok()?;
    (again.tags() == dictionary.tags()).then_some(text)
}

/// Returns the adopted schema of the dictionary in `file`, if it has a mapping.
///
/// # Errors
/// The mapping is damaged, or belongs to other tags.
pub(crate) fn of_dictionary(dictionary: &Dictionary, file: &str) -> Option<Result<Adopted>> {
    let made = mapped(mapping(dictionary)?.as_bytes())?.and_then(|schema| adopt(&schema));
    Some(made.and_then(|adopted| match adopted.plan.dictionary().tags() == dictionary.tags() {
        true => Ok(adopted),
        false => Err(mapping_differs(file)),
    }))
}

/// Returns the text of a dictionary's mapping, which is the default of the only field of a tag.
fn mapping(dictionary: &Dictionary) -> Option<&str> {
    dictionary.tags().iter().rev().find_map(|tag| {
        let Type::Structure(fields) = &tag.ty else { return None };
        let [Field { default: Some(Start::Value(Value::Text(text))), .. }] = &fields[..] else { return None };
        text.starts_with("(polywire-mapping ").then_some(text.as_str())
    })
}

#[cfg(test)]
mod tests {
    use polywire_core::schema::{Constraint, FieldType, NamedType, Record, Type as Common};

    use super::*;

    #[test]
    fn the_text_of_an_adopted_schema_is_the_dictionary_with_its_mapping() {
        let fields = vec![FieldType::required("Unit Price", Common::Text(Constraint::NONE))];
        let ty = Common::Record(Record { fields, ..Record::default() });
        let schema = Schema { types: vec![NamedType { name: "A b".into(), doc: String::new(), ty }], root: Some("A b".into()) };
        let adopted = adopt(&schema).unwrap();
        let (text, _) = adopted.plan.dictionary().to_text().unwrap();
        println!("{text}");
        let again = Dictionary::parse("schema", text.as_bytes()).unwrap();
        assert_eq!(again.tags(), adopted.plan.dictionary().tags());
    }
}
