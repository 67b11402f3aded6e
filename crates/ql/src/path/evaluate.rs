//! Values that a path finds (docs/spec/ql.md 7.2).

use polywire_doc::{Datum, Ref, View};

use super::judge;
use super::step::{JsonPath, PathStep, is_place};
use crate::limits::{Exhausted, Work};

/// Returns all values that `path` finds in `value`, in order.
///
/// # Errors
/// Not enough work is left.
pub fn matches(path: &JsonPath, value: Ref<'_>, work: &Work) -> Result<Vec<Datum>, Exhausted> {
    work.spend(path.steps.len() as u64)?;
    match names(path, value) {
        Named::Found(found) => Ok(found.into_iter().collect()),
        Named::Walk(steps, here) => walk(steps, here, work),
    }
}

/// The place that the leading names of a path lead to.
enum Named<'p, 'd> {
    /// The path has no other steps, as nearly all.
    Found(Option<Datum>),
    /// Its other steps, and the value that they start from.
    Walk(&'p [PathStep], Ref<'d>),
}

fn names<'p, 'd>(path: &'p JsonPath, value: Ref<'d>) -> Named<'p, 'd> {
    let mut here = value;
    let steps = path.rooted();
    for (n, step) in steps.iter().enumerate() {
        match step {
            PathStep::Name(name) => match named(here, name) {
                Some(member) => here = member,
                None => return Named::Found(length(here, &steps[n..])),
            },
            _ => return Named::Walk(&steps[n..], here),
        }
    }
    Named::Found(Some(here.to_datum()))
}

/// Returns the member of that name; in a list, the element whose index the name is.
fn named<'d>(value: Ref<'d>, name: &str) -> Option<Ref<'d>> {
    if value.is_list() && is_place(name) { value.index(name.parse().ok()?) } else { value.get(name) }
}

/// Returns the length of a list, if the one step left asks for it.
fn length(value: Ref<'_>, steps: &[PathStep]) -> Option<Datum> {
    match steps {
        [PathStep::Name(name)] if &**name == "length" && value.is_list() => Some(Datum::UInt(value.len() as u64)),
        _ => None,
    }
}

fn walk(steps: &[PathStep], value: Ref<'_>, work: &Work) -> Result<Vec<Datum>, Exhausted> {
    let mut here = vec![value];
    for (n, step) in steps.iter().enumerate() {
        let mut next = Vec::new();
        for value in here {
            work.spend(1)?;
            match step {
                PathStep::Name(name) => match named(value, name) {
                    Some(member) => next.push(member),
                    None if n + 1 == steps.len() => {
                        // Only a list's length is no part of the value, and here can be only one
                        // list.
                        if let Some(length) = length(value, &steps[n..]) {
                            return Ok(vec![length]);
                        }
                    }
                    None => {}
                },
                PathStep::Descend(name) => descend(name, value, &mut next, work)?,
                PathStep::Index(index) => next.extend(at(value, *index)),
                PathStep::Slice(from, to) => {
                    let (start, end) = slice(*from, *to, value.len());
                    work.spend(end.saturating_sub(start) as u64)?;
                    next.extend(value.items().skip(start).take(end.saturating_sub(start)));
                }
                PathStep::All => {
                    work.spend(value.len() as u64)?;
                    next.extend(children(value));
                }
                PathStep::Filter(expression) => {
                    work.spend(value.len() as u64)?;
                    next.extend(children(value).filter(|child| judge::holds(expression, *child)));
                }
                PathStep::Computed(expression) => match judge::place(expression, value) {
                    Some(judge::Place::Index(index)) => next.extend(at(value, index)),
                    Some(judge::Place::Name(name)) => next.extend(value.get(&name)),
                    None => {}
                },
            }
        }
        here = next;
    }
    Ok(here.into_iter().map(Ref::to_datum).collect())
}

fn at(value: Ref<'_>, index: u64) -> Option<Ref<'_>> {
    if value.is_list() { value.index(usize::try_from(index).ok()?) } else { value.get(&index.to_string()) }
}

fn slice(from: Option<i64>, to: Option<i64>, length: usize) -> (usize, usize) {
    let place = |bound: i64| {
        let from_end = usize::try_from(bound.unsigned_abs()).unwrap_or(usize::MAX);
        if bound < 0 { length.saturating_sub(from_end) } else { from_end.min(length) }
    };
    (from.map_or(0, place), to.map_or(length, place))
}

/// Returns elements or members.
fn children(value: Ref<'_>) -> Box<dyn Iterator<Item = Ref<'_>> + '_> {
    match value.view() {
        View::List(items) => Box::new(items),
        View::Object(members) => Box::new(members.map(|(_, member)| member)),
        _ => Box::new(std::iter::empty()),
    }
}

/// Collects the members `name` of `value` and of all that it contains, in the order of a walk.
fn descend<'d>(name: &str, value: Ref<'d>, found: &mut Vec<Ref<'d>>, work: &Work) -> Result<(), Exhausted> {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        work.spend(1 + value.len() as u64)?;
        found.extend(value.get(name));
        let from = open.len();
        open.extend(children(value).filter(|child| child.is_list() || child.is_object()));
        open[from..].reverse();
    }
    Ok(())
}

/// Returns the value of a column for a row: the one value found, or a list of all; for a path that
/// descends, lists among them are flattened.
///
/// # Errors
/// Not enough work is left.
pub fn column(path: &JsonPath, row: Ref<'_>, work: &Work) -> Result<Option<Datum>, Exhausted> {
    work.spend(path.steps.len() as u64)?;
    let mut found = match names(path, row) {
        Named::Found(found) => return Ok(found),
        Named::Walk(steps, here) => walk(steps, here, work)?,
    };
    if found.is_empty() {
        return Ok(None);
    }
    if path.descends() {
        found = found
            .into_iter()
            .flat_map(|value| {
                let view = value.view();
                if view.is_list() { view.items().map(Ref::to_datum).collect() } else { vec![value] }
            })
            .collect();
    }
    Ok(Some(if found.len() == 1 { found.swap_remove(0) } else { Datum::from(found) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{datum, json};

    fn found(path: &str) -> String {
        let value =
            datum(r#"{"a":{"b":[{"x":1,"y":[1,2]},{"x":0,"z":{"x":"deep"}},{"x":null}]},"n":[5,6,7],"o":{"p":1,"q":{"p":2}},"0":"zero"}"#);
        let path = JsonPath::read(path).unwrap();
        matches(&path, value.view(), &Work::new(10_000)).unwrap().iter().map(json).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn steps_find_what_they_say() {
        assert_eq!(found(".a.b[0].y"), "[1,2]");
        assert_eq!(found(".a..x"), r#"1 0 "deep" null"#);
        assert_eq!(found(".o..p"), "1 2");
        assert_eq!(found(".$..p"), "1 2");
        assert_eq!(found(".$.o.p"), "1");
        assert_eq!(found(".$"), "", "alone it is a member's name");
        assert_eq!(found(".n[1:]"), "6 7");
        assert_eq!(found(".n[-1:]"), "7");
        assert_eq!(found(".n[:-2]"), "5");
        assert_eq!(found(".n[9]"), "");
        assert_eq!(found(".n.1"), "6", "a place may be written as a name");
        assert_eq!(found(".a.b.1.z.x"), r#""deep""#);
        assert_eq!(found(".n.9"), "");
        assert_eq!(found(".n.01"), "", "one way to write a place");
        assert_eq!(found("[0]"), r#""zero""#);
        assert_eq!(found(".o.*"), r#"1 {"p":2}"#);
        assert_eq!(found(".n.length"), "3");
        assert_eq!(found(".a.b.x"), "", "a name is not looked for in the elements of a list");
        assert_eq!(found(".n[(@.length-1)]"), "7");
        assert_eq!(found(".a.b[?(@.x == 0)].z.x"), r#""deep""#);
        assert_eq!(found(".a.b[?(@.z || @.x > 0)].x"), "1 0");
    }

    #[test]
    fn work_is_limited() {
        let value = datum(r#"{"a":[1,2,3,4,5,6,7,8,9,10]}"#);
        assert!(matches(&JsonPath::read("..x").unwrap(), value.view(), &Work::new(5)).is_err());
        assert!(matches(&JsonPath::read(".a[?(@ > 1)]").unwrap(), value.view(), &Work::new(5)).is_err());
    }

    #[test]
    fn a_column_is_one_value_or_all() {
        let row = datum(r#"{"l":[7],"d":{"v":[1,2]},"e":[{"v":[3]}],"s":{"v":[]}}"#);
        let shown = |path| column(&JsonPath::read(path).unwrap(), row.view(), &Work::new(1000)).unwrap().map(|value| json(&value));
        assert_eq!(shown(".l").as_deref(), Some("[7]"));
        assert_eq!(shown(".d..v").as_deref(), Some("[1,2]"));
        assert_eq!(shown("..v").as_deref(), Some("[1,2,3]"));
        assert_eq!(shown(".s..v").as_deref(), Some("[]"));
        assert_eq!(shown(".x"), None);
    }
}
