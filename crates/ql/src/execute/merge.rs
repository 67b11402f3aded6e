//! Several results as one (docs/spec/ql.md 8.5).

use polywire_doc::{Datum, Object, Ref};

use crate::template::uri::Merge;

/// Merges the results of `asked` requests. The result of a single request is itself; no results are
/// `None`. Failed requests count as asked, but have no result: those that are left look as they
/// would beside them. As a block, the results are a list. By field, lists are joined, a scalar
/// counting as a list of one. Objects are merged: a member of several becomes a list of all its
/// values, and its lists are joined.
pub fn merge(mut results: Vec<Datum>, asked: usize, how: Merge) -> Option<Datum> {
    if results.is_empty() || asked < 2 {
        return results.pop();
    }
    if how == Merge::Block {
        return Some(Datum::from(results));
    }
    if results.iter().all(|result| result.view().is_object()) {
        return Some(objects(&results));
    }
    let mut all = Vec::new();
    results.iter().for_each(|result| append(&mut all, result.view()));
    Some(Datum::from(all))
}

fn append(all: &mut Vec<Datum>, value: Ref<'_>) {
    if value.is_list() { all.extend(value.items().map(Ref::to_datum)) } else { all.push(value.to_datum()) }
}

fn objects(results: &[Datum]) -> Datum {
    let mut names: Vec<&str> = Vec::new();
    let mut members: std::collections::HashMap<&str, Vec<Ref<'_>>> = std::collections::HashMap::new();
    for result in results {
        for (name, value) in result.view().members() {
            members
                .entry(name)
                .or_insert_with(|| {
                    names.push(name);
                    Vec::new()
                })
                .push(value);
        }
    }
    let mut merged = Object::default();
    for name in names {
        let Some(values) = members.get(name) else { continue };
        let value = match &values[..] {
            [only] => only.to_datum(),
            values => {
                let mut all = Vec::new();
                values.iter().for_each(|value| append(&mut all, *value));
                Datum::from(all)
            }
        };
        merged.insert(name, value);
    }
    Datum::Object(merged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{datum, json};

    #[test]
    fn results_become_one() {
        let left = |results: &[&str], asked, how| json(&merge(results.iter().map(|text| datum(text)).collect(), asked, how).unwrap());
        let merged = |results: &[&str], how| left(results, results.len(), how);
        assert_eq!(merged(&["[1,2]", "[3]"], Merge::Field), "[1,2,3]");
        assert_eq!(merged(&["[1,2]", "[3]"], Merge::Block), "[[1,2],[3]]");
        assert_eq!(merged(&["{\"a\":1}"], Merge::Block), "{\"a\":1}");
        assert_eq!(merged(&["1", "[2]", "{}"], Merge::Field), "[1,2,{}]");
        let objects = [r#"{"a":1,"l":[1],"x":"only"}"#, r#"{"a":2,"l":[2,3]}"#, r#"{"a":[3],"l":4}"#];
        assert_eq!(merged(&objects, Merge::Field), r#"{"a":[1,2,3],"l":[1,2,3,4],"x":"only"}"#);
        for (result, field, block) in [("[1]", "[1]", "[[1]]"), (r#"{"a":1}"#, r#"{"a":1}"#, r#"[{"a":1}]"#), ("5", "[5]", "[5]")] {
            assert_eq!(left(&[result], 2, Merge::Field), field);
            assert_eq!(left(&[result], 2, Merge::Block), block);
        }
        assert!(merge(Vec::new(), 1, Merge::Field).is_none());
    }
}
