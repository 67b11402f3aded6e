//! Values of a protocol as the conformance vectors write them.

use polywire_core::value::Value;
use polywire_extprot::model::{Field, Kind, NodeId, Primitive, Protocol};
use serde_json::Value as Json;

use crate::twin::shown::unhex;

/// The value of type `node` that `json` stands for.
pub fn value(protocol: &Protocol, node: NodeId, json: &Json) -> Value {
    let each = |nodes: &[NodeId], json: &Json| -> Vec<Value> {
        let items = json.as_array().unwrap_or_else(|| panic!("a list is wanted: {json}"));
        assert_eq!(items.len(), nodes.len(), "{json}");
        items.iter().zip(nodes).map(|(item, node)| value(protocol, *node, item)).collect()
    };
    let record = |fields: &mut dyn Iterator<Item = &Field>, json: &Json| Value::Record {
        name: String::new(),
        fields: fields.map(|field| (field.name.clone(), value(protocol, field.ty, &json[&field.name]))).collect(),
    };
    match &protocol[node].kind {
        Kind::Primitive { primitive, .. } => scalar(*primitive, json),
        Kind::List { element, .. } => Value::List(
            json.as_array()
                .unwrap_or_else(|| panic!("a list is wanted: {json}"))
                .iter()
                .map(|item| value(protocol, *element, item))
                .collect(),
        ),
        Kind::Tuple(parts) => Value::Tuple(each(parts, json)),
        Kind::Sum(sum) => {
            let (name, arguments) = match json {
                Json::String(name) => (name, None),
                Json::Object(members) => members.iter().next().map(|(name, arguments)| (name, Some(arguments))).expect("a constructor"),
                _ => panic!("a constructor is wanted: {json}"),
            };
            let index = sum.constructors.iter().position(|one| one.name == *name).expect("a known constructor");
            let values = arguments.map_or_else(Vec::new, |arguments| each(&sum.constructors[index].arguments, arguments));
            Value::Variant { name: name.clone(), index: index as u32, values }
        }
        Kind::Record(found) => record(&mut found.fields.iter(), json),
        Kind::Subset(subset) => record(&mut subset.fields.iter().map(|wanted| &wanted.field), json),
        Kind::Union(union) => {
            let (name, inside) = json.as_object().and_then(|members| members.iter().next()).expect("a variant");
            let index = union.variants.iter().position(|one| one.name == *name).expect("a known variant");
            let values = vec![record(&mut union.variants[index].fields.iter(), inside)];
            Value::Variant { name: name.clone(), index: index as u32, values }
        }
        Kind::External(_) => panic!("vectors have no external types"),
    }
}

/// Gives each NaN of `value` the bits that it has in `decoded`: the vectors write all of them
/// alike.
pub fn take_nans(value: &mut Value, decoded: &Value) {
    match (value, decoded) {
        (Value::F64(number), Value::F64(found)) if number.is_nan() && found.is_nan() => *number = *found,
        (
            Value::List(values) | Value::Tuple(values) | Value::Variant { values, .. },
            Value::List(found) | Value::Tuple(found) | Value::Variant { values: found, .. },
        ) => {
            values.iter_mut().zip(found).for_each(|(value, found)| take_nans(value, found));
        }
        (Value::Record { fields, .. }, Value::Record { fields: found, .. }) => {
            fields.iter_mut().zip(found).for_each(|((_, value), (_, found))| take_nans(value, found));
        }
        (Value::Map(pairs), Value::Map(found)) => {
            for ((key, value), (found_key, found)) in pairs.iter_mut().zip(found) {
                take_nans(key, found_key);
                take_nans(value, found);
            }
        }
        (Value::Tagged { value, .. }, Value::Tagged { value: found, .. }) => take_nans(value, found),
        _ => {}
    }
}

fn scalar(primitive: Primitive, json: &Json) -> Value {
    match (primitive, json) {
        (Primitive::Bool, Json::Bool(value)) => Value::Bool(*value),
        (Primitive::Float, Json::String(text)) => Value::F64(text.parse().expect("a float")),
        (Primitive::Float, Json::Number(number)) => Value::F64(number.as_f64().expect("a float")),
        (Primitive::String, Json::String(text)) => Value::Text(text.clone()),
        (Primitive::String, Json::Object(members)) => {
            let bytes = unhex(members["hex"].as_str().expect("hexadecimal"));
            String::from_utf8(bytes).map_or_else(|error| Value::Octets(error.into_bytes()), Value::Text)
        }
        (Primitive::Byte | Primitive::Int | Primitive::Long, Json::String(text)) => Value::int(text.parse().expect("a whole number")),
        (Primitive::Byte | Primitive::Int | Primitive::Long, Json::Number(number)) => Value::int(number.as_i64().expect("a whole number")),
        _ => panic!("{primitive:?} as {json}"),
    }
}
