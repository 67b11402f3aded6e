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
    same_bytes(&again, dictionary).then_some(text)
}

/// Returns whether bodies by both dictionaries have the same bytes.
fn same_bytes(one: &Dictionary, other: &Dictionary) -> bool {
    // As deep as types nest, at most `MAX_NESTING`.
    fn same(one: &Type, other: &Type) -> bool {
        match (one, other) {
            (Type::Array(one), Type::Array(other)) => same(one, other),
            (Type::Structure(one), Type::Structure(other)) => {
                let fields = one.iter().zip(other).all(|(one, other)| one.nullable == other.nullable && same(&one.ty, &other.ty));
                one.len() == other.len() && fields
            }
            (Type::Enumeration(one), Type::Enumeration(other)) => {
                let numbers = one.members.iter().zip(&other.members).all(|((_, one), (_, other))| one == other);
                one.subtype == other.subtype && one.members.len() == other.members.len() && numbers
            }
            (one, other) => one == other,
        }
    }
    let tags = one.tags().iter().zip(other.tags()).all(|(one, other)| same(&one.ty, &other.ty));
    one.tags().len() == other.tags().len() && one.wire() == other.wire() && tags
}

/// Returns the adopted schema of the dictionary in `file`, if it has a mapping.
///
/// # Errors
/// The mapping is damaged, or belongs to other tags.
pub(crate) fn of_dictionary(dictionary: &Dictionary, file: &str) -> Option<Result<Adopted>> {
    let made = mapped(mapping(dictionary)?.as_bytes())?.and_then(|schema| adopt(&schema));
    Some(made.and_then(|adopted| match same_bytes(adopted.plan.dictionary(), dictionary) {
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
    fn the_text_of_an_adopted_schema_has_its_mapping() {
        let fields = vec![FieldType::required("Unit Price", Common::Text(Constraint::NONE))];
        let ty = Common::Record(Record { fields, ..Record::default() });
        let schema = Schema { types: vec![NamedType { name: "A b".into(), doc: String::new(), ty }], root: Some("A b".into()) };
        let text = text(&schema).unwrap();
        assert!(text.contains("1: STRING<UTF-8> Unit_Price;\n"), "{text}");
        let of_text = |text: &str| of_dictionary(&Dictionary::parse("schema", text.as_bytes()).unwrap(), "schema");
        assert_eq!(of_text(&text).unwrap().unwrap().tag, 1);
        // Names are not in messages.
        assert!(of_text(&text.replace("Unit_Price", "price")).unwrap().is_ok());
        let other = of_text(&text.replace("STRING<UTF-8> Unit_Price", "INT Unit_Price")).unwrap().unwrap_err();
        assert!(other.to_string().contains("its mapping"), "{other}");
        let bare = text.split("    2: ").next().unwrap().to_string() + "}\n";
        assert!(of_text(&bare).is_none(), "{bare}");
    }
}
