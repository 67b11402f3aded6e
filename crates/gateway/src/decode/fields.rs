//! Names and values as an object.

use std::collections::HashMap;

use polywire_doc::{Datum, Object};

/// Returns the fields as an object; repeated names become lists.
pub(crate) fn fields(pairs: impl IntoIterator<Item = (String, Datum)>) -> Datum {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut members: Vec<(String, Vec<Datum>)> = Vec::new();
    for (name, value) in pairs {
        match places.get(&name) {
            Some(&at) => members[at].1.push(value),
            None => {
                places.insert(name.clone(), members.len());
                members.push((name, vec![value]));
            }
        }
    }
    let one_or_all = |mut values: Vec<Datum>| match values.len() {
        1 => values.swap_remove(0),
        _ => Datum::from(values),
    };
    let object: Object = members.into_iter().map(|(name, values)| (name, one_or_all(values))).collect();
    Datum::Object(object)
}
