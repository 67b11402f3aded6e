//! Columns of rows, within one document.

use std::sync::Arc;

use super::datum::Datum;
use super::names::NameId;
use super::nodes::{Doc, DocNode, Node, Tag};

/// A column to select from each row.
#[derive(Debug, Clone, Copy)]
pub struct Column<'c> {
    /// Member names that lead to the value, through objects only.
    pub path: &'c [&'c str],
    /// Name of the column in the result.
    pub name: Option<&'c str>,
}

/// A column, resolved in one document.
struct Known {
    /// Per step, the name and the index at which it was found last: like rows have it there again.
    /// `None` if the document lacks one of the names.
    steps: Option<Vec<(NameId, usize)>>,
    name: NameId,
}

impl Datum {
    /// Selects columns of rows, and returns the list of the results.
    ///
    /// - A single unnamed column: its value, null where the row lacks it.
    /// - Several columns, none named: a list of their values, null where the row lacks one.
    /// - Columns with names: an object of the named columns that the row has.
    ///
    /// The rows are the elements of a list: the first `offset` are skipped, and at most `limit` are
    /// taken. Any other value is one row, and `offset` and `limit` do not apply.
    ///
    /// # Errors
    /// Returns the value unchanged if it is in no document, if others share its document, or if the
    /// result needs more than 2³² values.
    pub fn columns(self, columns: &[Column<'_>], offset: usize, limit: usize) -> Result<Datum, Datum> {
        let DocNode { doc, at } = match self {
            Datum::Node(node) => node,
            other => return Err(other),
        };
        let mut doc = Arc::try_unwrap(doc).map_err(|doc| Datum::Node(DocNode { doc, at }))?;
        let row = doc.node(at);
        let rows = match row.tag {
            Tag::List => (0..row.b).skip(offset).take(limit).map(|n| row.a + n).collect(),
            _ => vec![at],
        };
        let room = rows.len().saturating_mul(columns.len() + 1).saturating_add(doc.nodes.len() + 1);
        if u32::try_from(room).is_err() {
            return Err(Datum::Node(DocNode { doc: Arc::new(doc), at }));
        }
        let is_named = columns.iter().any(|column| column.name.is_some());
        let mut known: Vec<Known> = columns
            .iter()
            .map(|column| Known {
                steps: column.path.iter().map(|name| doc.names.find(name).map(|name| (name, 0))).collect(),
                name: column.name.map_or(NameId::NONE, |name| doc.names.intern(name)),
            })
            .collect();
        let mut shown = Vec::with_capacity(rows.len());
        for row in rows {
            let row = doc.node(row);
            let first = doc.nodes.len();
            for column in &mut known {
                let found = column.steps.as_mut().and_then(|steps| doc.follow(row, steps));
                match found {
                    Some(node) if !is_named || column.name != NameId::NONE => {
                        doc.nodes.push(Node { name: column.name, listed: false, ..node });
                    }
                    None if !is_named => doc.nodes.push(Node::new(Tag::Null, NameId::NONE, 0, 0)),
                    _ => {}
                }
            }
            let count = doc.nodes.len() - first;
            match columns.len() {
                1 if !is_named => shown.extend(doc.nodes.pop()),
                _ => shown.push(Node::new(if is_named { Tag::Object } else { Tag::List }, NameId::NONE, first as u32, count as u32)),
            }
        }
        let first = doc.nodes.len();
        doc.nodes.append(&mut shown);
        let count = doc.nodes.len() - first;
        doc.nodes.push(Node::new(Tag::List, NameId::NONE, first as u32, count as u32));
        Ok(Datum::from(doc))
    }
}

impl Doc {
    /// Returns the value that the steps lead to from `node`.
    #[inline]
    fn follow(&self, mut node: Node, steps: &mut [(NameId, usize)]) -> Option<Node> {
        for (name, place) in steps {
            let entries = match node.tag {
                Tag::Object => self.entries(node),
                _ => return None,
            };
            node = match entries.get(*place) {
                Some(entry) if entry.name == *name => *entry,
                _ => {
                    *place = entries.iter().position(|entry| entry.name == *name)?;
                    entries[*place]
                }
            };
        }
        Some(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polywire_core::value::Value;

    fn shown(rows: Datum, columns: &[Column<'_>], offset: usize, limit: usize) -> String {
        String::from_utf8(rows.columns(columns, offset, limit).unwrap().to_json()).unwrap()
    }

    #[test]
    fn rows_have_the_columns_that_are_there() {
        let row = |n: u64| {
            let inner = Value::record([("b", Value::UInt(n)), ("c", Value::List(vec![Value::Null]))]);
            match n % 2 {
                0 => Value::record([("x", Value::text("t")), ("a", inner)]),
                _ => Value::record([("a", inner), ("x", Value::Null)]),
            }
        };
        let rows = || Datum::from(&Value::List((0..3).map(row).chain([Value::UInt(7)]).collect()));
        let column = |path, name| Column { path, name };
        let two = [column(&["a", "b"], None), column(&["x"], None)];
        assert_eq!(shown(rows(), &two, 0, 9), r#"[[0,"t"],[1,null],[2,"t"],[null,null]]"#);
        assert_eq!(shown(rows(), &two, 1, 2), r#"[[1,null],[2,"t"]]"#);
        assert_eq!(shown(rows(), &two[..1], 0, 9), "[0,1,2,null]");
        let named = [column(&["a", "c"], Some("n")), column(&["x"], None), column(&["x"], Some("a"))];
        assert_eq!(shown(rows(), &named, 0, 9), r#"[{"n":[null],"a":"t"},{"n":[null],"a":null},{"n":[null],"a":"t"},{}]"#);
        assert_eq!(shown(Datum::from(&row(4)), &two, 3, 0), r#"[[4,"t"]]"#);
        assert_eq!(shown(rows(), &[column(&["nowhere"], None), column(&["a", "x"], None)], 3, 9), "[[null,null]]");
    }

    #[test]
    fn what_others_hold_stays() {
        let rows = Datum::from(&Value::List(vec![Value::text("a")]));
        let other = rows.clone();
        assert_eq!(rows.columns(&[], 0, 1).unwrap_err().to_json(), other.to_json());
        assert!(matches!(Datum::UInt(1).columns(&[], 0, 1), Err(Datum::UInt(1))));
    }
}
