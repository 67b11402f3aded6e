//! Filters that only take values out of messages, such as `.a, .b` and `{a, c: .b.c}`, run without
//! making values: the reader's events of these parts go to the writer. The twin is the plan, which
//! also runs wherever anything is unusual: an error, a tag on the way, a key that comes twice.

use polywire_core::tools::Message;
use polywire_core::tools::adapt::Walker;
use polywire_core::value::{Item, View};
use polywire_core::{Field, Len, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span, Str, Tree, Writer};

use crate::plan::{Plan, Step};
use crate::results::Results;
use crate::value::{Val, emit};

/// Mark of a node that no value was met at.
const NONE: usize = usize::MAX;

/// The parts that a filter takes, and what it makes of them.
#[derive(Debug)]
pub(crate) struct Cut {
    /// The first one stands for the message.
    nodes: Vec<Node>,
    results: Vec<Shape>,
}

#[derive(Debug, Default)]
struct Node {
    fields: Vec<(Box<str>, u32)>,
    /// True if its value is taken whole.
    is_taken: bool,
}

/// A result.
#[derive(Debug)]
pub(crate) enum Shape {
    /// The value at a node; null if there is none.
    Value(u32),
    Literal(Val),
    Object(Vec<(Box<str>, Shape)>),
    List(Vec<Shape>),
}

impl Cut {
    /// Returns the cut of a plan; `None` if it does more than to take values by their names.
    pub(crate) fn of(plan: &Plan) -> Option<Cut> {
        let mut cut = Cut { nodes: vec![Node::default()], results: Vec::new() };
        cut.results = cut.shapes(plan, 0)?;
        // A value would be taken whole and in parts.
        let is_plain = |node: &Node| !node.is_taken || node.fields.is_empty();
        cut.nodes.iter().all(is_plain).then_some(cut)
    }

    fn shapes(&mut self, plan: &Plan, at: u32) -> Option<Vec<Shape>> {
        if let Some(node) = self.node(plan, at) {
            self.nodes[node as usize].is_taken = true;
            return Some(vec![Shape::Value(node)]);
        }
        Some(match plan {
            Plan::Literal(value) => vec![Shape::Literal(value.clone())],
            Plan::Comma(left, right) => {
                let mut shapes = self.shapes(left, at)?;
                shapes.extend(self.shapes(right, at)?);
                shapes
            }
            Plan::Pipe(left, right) => {
                let node = self.node(left, at)?;
                self.shapes(right, node)?
            }
            Plan::List(None) => vec![Shape::List(Vec::new())],
            Plan::List(Some(inner)) => vec![Shape::List(self.shapes(inner, at)?)],
            Plan::Object(entries) => {
                let entries = entries.iter().map(|(key, plan)| {
                    let mut shapes = self.shapes(plan, at)?;
                    let shape = shapes.pop().filter(|_| shapes.is_empty())?;
                    Some((key.as_str()?.into(), shape))
                });
                vec![Shape::Object(entries.collect::<Option<_>>()?)]
            }
            _ => return None,
        })
    }

    /// Returns the node that a path of names leads to.
    fn node(&mut self, plan: &Plan, at: u32) -> Option<u32> {
        match plan {
            Plan::Id => Some(at),
            Plan::Path(from, steps) => {
                let is_name = |(step, _): &(Step, bool)| matches!(step, Step::Index(Val::Text(_)));
                if !steps.iter().all(is_name) {
                    return None;
                }
                let mut node = self.node(from, at)?;
                for (step, _) in steps {
                    let Step::Index(Val::Text(name)) = step else { return None };
                    node = self.child(node, name.as_str());
                }
                Some(node)
            }
            _ => None,
        }
    }

    fn child(&mut self, node: u32, name: &str) -> u32 {
        let known = self.nodes[node as usize].fields.iter().find(|(known, _)| **known == *name);
        if let Some((_, child)) = known {
            return *child;
        }
        let child = self.nodes.len() as u32;
        self.nodes.push(Node::default());
        self.nodes[node as usize].fields.push((name.into(), child));
        child
    }
}

/// Runs a filter that only takes values out of messages. Nothing is allocated per message.
pub struct Cutter<'f> {
    cut: &'f Cut,
    /// Memory of the taken values.
    spare: Tree<'static>,
    /// Place in the tree of each node's value; of a value on the way, any place.
    marks: Vec<usize>,
    levels: Vec<u32>,
}

impl<'f> Cutter<'f> {
    pub(crate) fn new(cut: &'f Cut) -> Cutter<'f> {
        Cutter { cut, spare: Tree::without_spans(), marks: Vec::new(), levels: Vec::new() }
    }

    /// Adds the results on a message to `results`, and returns whether the last one is true.
    /// Returns `None`, and adds nothing, if the message has to become a value, which
    /// [`Filter::run`](crate::Filter::run) takes; that shows all errors.
    pub fn message(&mut self, walker: &mut Walker, message: Message<'_>, results: &mut Results) -> Option<bool> {
        let mut marks = std::mem::take(&mut self.marks);
        marks.clear();
        marks.resize(self.cut.nodes.len(), NONE);
        let mut levels = std::mem::take(&mut self.levels);
        levels.clear();
        let tree = std::mem::take(&mut self.spare);
        let mut taking = Taking { nodes: &self.cut.nodes, tree, marks, levels, due: Some(0), whole: 0, is_unusual: false };
        let walked = walker.walk(message.bytes, message.base, &mut taking);
        let Taking { tree, marks, levels, due, is_unusual, .. } = taking;
        let is_whole = walked.is_ok() && !is_unusual && due.is_none() && levels.is_empty();
        let last = if is_whole { results.cut(&self.cut.results, &Taken { tree: &tree, marks: &marks }) } else { None };
        (self.spare, self.marks, self.levels) = (tree.recycle(), marks, levels);
        last
    }
}

/// The values that were taken out of a message.
pub(crate) struct Taken<'t, 'm> {
    tree: &'t Tree<'m>,
    marks: &'t [usize],
}

impl<'t, 'm> Taken<'t, 'm> {
    /// Returns the value at a node, if there is one.
    fn item(&self, node: u32) -> Option<Item<'t, 'm>> {
        self.tree.item(self.marks[node as usize])
    }

    /// Returns the scalar that a result is. Numbers of the filter's own are none.
    pub(crate) fn scalar<'s>(&'s self, shape: &'s Shape) -> Option<Scalar<'m, 's>> {
        match shape {
            Shape::Literal(Val::Text(text)) => Some(Scalar::Text(Str::Scratch(text.as_str()))),
            Shape::Literal(Val::Bool(value)) => Some(Scalar::Bool(*value)),
            Shape::Literal(Val::Null) => Some(Scalar::Null),
            Shape::Value(node) => match self.item(*node).map(Item::view) {
                None => Some(Scalar::Null),
                Some(View::Scalar(scalar)) => Some(scalar),
                Some(View::Open(_)) => None,
            },
            _ => None,
        }
    }

    /// Emits a result. The events are those of the value that it stands for, without their places.
    pub(crate) fn emit(&self, shape: &Shape, writer: &mut dyn Writer) -> Result<()> {
        match shape {
            Shape::Value(node) => match self.item(*node) {
                Some(item) => item.emit(writer),
                None => writer.scalar(Scalar::Null, Span::NONE),
            },
            Shape::Literal(value) => emit(value, writer),
            Shape::Object(entries) => {
                writer.open(Open::Record { name: "", len: Len::Claimed(entries.len() as u64) }, Span::NONE)?;
                for (name, shape) in entries {
                    writer.field(Field::named(Str::Scratch(name)), Span::NONE)?;
                    self.emit(shape, writer)?;
                }
                writer.close(Span::NONE)
            }
            Shape::List(shapes) => {
                writer.open(Open::List(Len::Claimed(shapes.len() as u64)), Span::NONE)?;
                shapes.iter().try_for_each(|shape| self.emit(shape, writer))?;
                writer.close(Span::NONE)
            }
        }
    }
}

/// Takes the values of a cut out of a message.
struct Taking<'c, 'm> {
    nodes: &'c [Node],
    tree: Tree<'m>,
    marks: Vec<usize>,
    /// Nodes of the open containers, but for those within a taken value.
    levels: Vec<u32>,
    /// Node of the value that comes next.
    due: Option<u32>,
    /// Open containers of a taken value.
    whole: usize,
    /// True if the message has to become a value.
    is_unusual: bool,
}

impl Taking<'_, '_> {
    /// Marks the node of the value that begins, and returns it; `None` if it came before, or if no
    /// name announced the value.
    #[inline]
    fn node(&mut self) -> Option<u32> {
        let node = self.due.take()?;
        let mark = &mut self.marks[node as usize];
        if *mark != NONE {
            return None;
        }
        *mark = self.tree.next_place();
        Some(node)
    }

    fn unusual(&mut self) -> Next {
        self.is_unusual = true;
        Next::Stop
    }
}

impl<'m> Sink<'m> for Taking<'_, 'm> {
    fn needs(&self) -> Needs {
        Needs::GROUPED | Needs::WHOLE_TEXT
    }

    #[inline]
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        if self.whole > 0 {
            self.whole += 1;
            return self.tree.open(open, at);
        }
        let Some(node) = self.node() else { return Ok(self.unusual()) };
        let Node { fields, is_taken } = &self.nodes[node as usize];
        // Filters look through tags and cases of sum types.
        let is_usual = !matches!(open, Open::Tagged { .. } | Open::Variant { .. });
        if *is_taken && is_usual {
            self.whole = 1;
            return self.tree.open(open, at);
        }
        if fields.is_empty() && is_usual {
            return Ok(Next::Skip);
        }
        if !matches!(open, Open::Record { .. } | Open::Map(_)) {
            return Ok(self.unusual());
        }
        self.levels.push(node);
        Ok(Next::Enter)
    }

    #[inline]
    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        if self.whole > 0 {
            return self.tree.field(Field::named(field.name), at);
        }
        let Some(level) = self.levels.last() else { return Ok(self.unusual()) };
        let name = field.name.get();
        let fields = &self.nodes[*level as usize].fields;
        let Some((_, child)) = fields.iter().find(|(known, _)| known.len() == name.len() && **known == *name) else {
            return Ok(Next::Skip);
        };
        self.due = Some(*child);
        Ok(Next::Enter)
    }

    #[inline]
    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        if self.whole > 0 {
            return self.tree.scalar(value, at);
        }
        match self.node().map(|node| &self.nodes[node as usize]) {
            Some(Node { is_taken: true, .. }) => return self.tree.scalar(value, at),
            // Nothing of it is wanted, or all that is in it is null.
            Some(Node { fields, .. }) if fields.is_empty() || value == Scalar::Null => {}
            _ => self.is_unusual = true,
        }
        Ok(())
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        if self.whole > 0 {
            return self.tree.part(part, at);
        }
        self.is_unusual = true;
        Ok(())
    }

    #[inline]
    fn close(&mut self, at: Span) -> Result<()> {
        if self.whole > 0 {
            self.whole -= 1;
            return self.tree.close(at);
        }
        self.levels.pop();
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, _: Span) -> Result<()> {
        // It is counted where values are made.
        self.is_unusual |= matches!(note, Note::Unknown(_));
        Ok(())
    }
}
