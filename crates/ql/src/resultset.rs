//! Values at a place in a reply (docs/spec/ql.md 7.2).

use polywire_doc::Datum;

/// Finds the value at `names` in a body, such as the rows. A list on the way stands for its first
/// element; a missing member is an empty list.
pub fn resultset(body: Datum, names: &[String]) -> Datum {
    let mut here = body.view();
    for name in names {
        while here.is_list() {
            match here.index(0) {
                Some(first) => here = first,
                None => return Datum::list([]),
            }
        }
        match here.get(name) {
            Some(member) => here = member,
            None => return Datum::list([]),
        }
    }
    if names.is_empty() { body } else { here.to_datum() }
}
