//! Columns with names of several parts as records within records.

use std::collections::HashMap;

use crate::error::{Error, ErrorKind, Result};
use crate::value::Tree;
use crate::value::tree::{Entry, Item, View};
use crate::walk::event::{Field, Len, Next, Note, Open, Part, Scalar, Span, Str};
use crate::walk::forward::Forward;
use crate::walk::sink::{Needs, Sink};

/// Passes a record on with fields such as `a.b` and `a.c` as a record `a` with the fields `b` and
/// `c`. A record whose names are 0, 1 and so on is a list. It holds the message.
///
/// Where one column is the value `a` and another one is in `a`, null gives way, and anything else
/// keeps its whole name.
pub struct Unflatten<'a, 'm, S: ?Sized> {
    inner: &'a mut S,
    separator: &'a str,
    /// Most levels of containers.
    depth: u32,
    tree: Tree<'m>,
    /// Number of open containers.
    open: usize,
}

impl<'a, S: ?Sized> Unflatten<'a, '_, S> {
    /// Makes the adapter before `inner`. Records nest at most `depth` deep.
    pub fn new(inner: &'a mut S, separator: &'a str, depth: u32) -> Self {
        Unflatten { inner, separator, depth, tree: Tree::new(), open: 0 }
    }
}

impl<'m, S: Sink<'m> + ?Sized> Unflatten<'_, 'm, S> {
    /// Passes the message on, if it is whole.
    fn end(&mut self) -> Result<()> {
        if self.open > 0 || !self.tree.is_complete() {
            return Ok(());
        }
        let tree = std::mem::take(&mut self.tree);
        let Some(root) = tree.root() else { return Ok(()) };
        let is_row = matches!(root.view(), View::Open(Open::Record { .. } | Open::Map(_)))
            && root.entries().all(|entry| matches!(entry, Entry::Field(..)))
            && root.entries().any(|entry| matches!(entry, Entry::Field(name, _) if name.contains(self.separator)));
        if !is_row {
            return tree.emit_into(&mut *self.inner);
        }
        let mut columns = Columns { nodes: vec![Node::default()], children: HashMap::new() };
        for entry in root.entries() {
            let Entry::Field(name, value) = entry else { continue };
            let levels = name.matches(self.separator).count();
            if levels as u64 >= u64::from(self.depth) {
                return Err(Error::data(ErrorKind::Limit, value.span().start)
                    .seen(format!("a name of {} parts", levels + 1))
                    .expected(format!("at most {} levels", self.depth))
                    .hint("the limit `depth` bounds the parts of a name; raise it if the message is genuine"));
            }
            columns.add(name, value, self.separator);
        }
        columns.emit(root, self.inner)
    }
}

impl<'m, S: Sink<'m> + ?Sized> Sink<'m> for Unflatten<'_, 'm, S> {
    fn needs(&self) -> Needs {
        self.inner.needs() | Needs::GROUPED | Needs::WHOLE_TEXT
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.open += 1;
        self.tree.open(open, at)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.tree.field(field, at)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.tree.scalar(value, at)?;
        self.end()
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.tree.part(part, at)?;
        self.end()
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.tree.close(at)?;
        self.open = self.open.saturating_sub(1);
        self.end()
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        // Notes between columns come before the message, since columns change their places.
        if self.open <= 1 { self.inner.note(note, at) } else { self.tree.note(note, at) }
    }
}

/// The records that columns make.
struct Columns<'t, 'm> {
    nodes: Vec<Node<'t, 'm>>,
    /// The node of each name in a node.
    children: HashMap<(usize, &'t str), usize>,
}

#[derive(Default)]
struct Node<'t, 'm> {
    name: &'t str,
    value: Option<Item<'t, 'm>>,
    entries: Vec<usize>,
}

impl<'t, 'm: 't> Columns<'t, 'm> {
    fn add(&mut self, name: &'t str, value: Item<'t, 'm>, separator: &str) {
        let is_null = |item: Item<'_, '_>| matches!(item.view(), View::Scalar(Scalar::Null));
        let mut at = 0;
        for part in name.split(separator) {
            if let Some(taken) = self.nodes[at].value {
                match is_null(taken) {
                    true => self.nodes[at].value = None,
                    false if is_null(value) => return,
                    false => return self.whole(name, value),
                }
            }
            at = self.child(at, part);
        }
        let node = &mut self.nodes[at];
        if node.value.is_none() && node.entries.is_empty() {
            node.value = Some(value);
        } else if !is_null(value) {
            self.whole(name, value);
        }
    }

    /// Adds a column by its whole name.
    fn whole(&mut self, name: &'t str, value: Item<'t, 'm>) {
        self.nodes.push(Node { name, value: Some(value), entries: Vec::new() });
        let new = self.nodes.len() - 1;
        self.nodes[0].entries.push(new);
    }

    fn child(&mut self, parent: usize, name: &'t str) -> usize {
        let new = self.nodes.len();
        let child = *self.children.entry((parent, name)).or_insert(new);
        if child == new {
            self.nodes.push(Node { name, ..Node::default() });
            self.nodes[parent].entries.push(new);
        }
        child
    }

    /// Returns the entries of a node in the order of a list, if they are the elements of one.
    fn elements(&self, at: usize) -> Option<Vec<usize>> {
        let entries = &self.nodes[at].entries;
        let mut elements = vec![usize::MAX; entries.len()];
        for entry in entries {
            let name = self.nodes[*entry].name;
            let index: usize = name.parse().ok()?;
            let place = elements.get_mut(index).filter(|place| **place == usize::MAX)?;
            *place = *entry;
            // `01` and `+1` are names.
            if index.to_string() != name {
                return None;
            }
        }
        Some(elements)
    }

    fn emit(&self, root: Item<'t, 'm>, sink: &mut (impl Sink<'m> + ?Sized)) -> Result<()> {
        let View::Open(open) = root.view() else { return Ok(()) };
        if sink.open(open.unclaimed(), root.opening())? != Next::Enter {
            return Ok(());
        }
        let mut levels = vec![(self.nodes[0].entries.clone().into_iter(), false)];
        while let Some((entries, is_list)) = levels.last_mut() {
            let Some(at) = entries.next() else {
                levels.pop();
                sink.close(Span::NONE)?;
                continue;
            };
            let node = &self.nodes[at];
            if !*is_list && sink.field(Field::named(Str::Scratch(node.name)), Span::NONE)? != Next::Enter {
                continue;
            }
            if let Some(value) = node.value {
                value.emit(&mut Through(&mut *sink))?;
                continue;
            }
            let elements = self.elements(at);
            let len = Len::Claimed(node.entries.len() as u64);
            let open = if elements.is_some() { Open::List(len) } else { Open::Record { name: "", len } };
            if sink.open(open, Span::NONE)? == Next::Enter {
                let is_list = elements.is_some();
                levels.push((elements.unwrap_or_else(|| node.entries.clone()).into_iter(), is_list));
            }
        }
        Ok(())
    }
}

/// A sink of a size that is known, for calls through a table.
struct Through<'s, S: ?Sized>(&'s mut S);

impl<'m, S: Sink<'m> + ?Sized> Forward<'m> for Through<'_, S> {
    type To = S;

    fn to(&mut self) -> &mut S {
        self.0
    }
}
