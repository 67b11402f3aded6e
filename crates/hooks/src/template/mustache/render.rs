//! Nodes with values as text.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use polywire_doc::{Datum, DatumKind, Ref, View};

use super::parse::{Node, parse};
use super::template::TemplateFile;
use crate::engine::ScriptError;
use crate::template::error::error;
use crate::template::escape::Escape;

/// Limits of one rendering.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    /// Most nodes that are visited: sections in sections multiply.
    nodes: usize,
    /// Longest text that is made, in bytes.
    bytes: usize,
}

impl Effort {
    /// The most that a template may take.
    pub const MOST: Effort = Effort { nodes: 1_000_000, bytes: 64 << 20 };
    /// So little that nobody has to wait for it.
    pub const LITTLE: Effort = Effort { nodes: 5000, bytes: 1 << 20 };
}

/// The reason why there is no text.
#[derive(Debug)]
pub(crate) enum RenderError {
    /// It takes more than it may.
    TooLarge,
    /// A template is malformed, or cannot be read.
    Wrong(ScriptError),
}

impl From<RenderError> for ScriptError {
    fn from(failed: RenderError) -> ScriptError {
        match failed {
            RenderError::TooLarge => error("the text that the template makes is too large"),
            RenderError::Wrong(error) => error,
        }
    }
}

/// Deepest nesting of partials.
const DEEPEST: usize = 32;
/// Deepest nesting of sections and partials together.
const LEVELS: usize = 150;

/// A partial.
#[derive(Clone)]
enum Partial {
    AsItIs(Arc<TemplateFile>),
    Indented(Rc<Vec<Node>>),
}

/// Finds the template itself for `None`, and its partials by name.
type Source<'s> = &'s dyn Fn(Option<&str>) -> Result<Arc<TemplateFile>, ScriptError>;

struct Renderer<'r> {
    source: Source<'r>,
    escape: Escape,
    /// By name and indent.
    partials: HashMap<(String, String), Partial>,
    effort: Effort,
    visited: usize,
    level: usize,
    out: String,
}

/// Renders a template; `file` is its name for errors.
pub(crate) fn render(source: Source<'_>, file: &str, scope: &Datum, (escape, effort): (Escape, Effort)) -> Result<String, RenderError> {
    let template = source(None).map_err(RenderError::Wrong)?;
    let nodes = nodes_of(&template, file)?;
    let out = String::with_capacity(template.text().len());
    let mut renderer = Renderer { source, escape, partials: HashMap::new(), effort, visited: 0, level: 0, out };
    renderer.nodes(nodes, &mut vec![scope.view()], 0)?;
    Ok(renderer.out)
}

impl Renderer<'_> {
    fn nodes(&mut self, nodes: &[Node], scopes: &mut Vec<Ref<'_>>, depth: usize) -> Result<(), RenderError> {
        self.level += 1;
        let done = if self.level > LEVELS { Err(RenderError::TooLarge) } else { self.each(nodes, scopes, depth) };
        self.level -= 1;
        done
    }

    fn each(&mut self, nodes: &[Node], scopes: &mut Vec<Ref<'_>>, depth: usize) -> Result<(), RenderError> {
        for node in nodes {
            self.visited += 1;
            if self.visited > self.effort.nodes || self.out.len() > self.effort.bytes {
                return Err(RenderError::TooLarge);
            }
            match node {
                Node::Text(text) => self.out.push_str(text),
                Node::Value { name, raw } => {
                    if let Some(value) = look_up(name, scopes) {
                        self.value(value, *raw);
                    }
                }
                Node::Section { name, inverted, inner } => {
                    let value = look_up(name, scopes).filter(|value| if value.is_list() { !value.is_empty() } else { value.is_truthy() });
                    match value {
                        None if *inverted => self.nodes(inner, scopes, depth)?,
                        Some(value) if !inverted => {
                            if value.is_list() {
                                for item in value.items() {
                                    self.within(item, inner, scopes, depth)?;
                                }
                            } else {
                                self.within(value, inner, scopes, depth)?;
                            }
                        }
                        _ => {}
                    }
                }
                Node::Partial { name, indent } => {
                    if depth >= DEEPEST {
                        return Err(RenderError::TooLarge);
                    }
                    match self.partial(name, indent)? {
                        Partial::Indented(nodes) => self.nodes(&nodes, scopes, depth + 1)?,
                        Partial::AsItIs(text) => self.nodes(nodes_of(&text, name)?, scopes, depth + 1)?,
                    }
                }
            }
        }
        Ok(())
    }

    fn within<'d>(&mut self, value: Ref<'d>, inner: &[Node], scopes: &mut [Ref<'d>], depth: usize) -> Result<(), RenderError> {
        let mut deeper = scopes.to_vec();
        deeper.push(value);
        self.nodes(inner, &mut deeper, depth)
    }

    fn partial(&mut self, name: &str, indent: &str) -> Result<Partial, RenderError> {
        let key = (name.to_string(), indent.to_string());
        if let Some(known) = self.partials.get(&key) {
            return Ok(known.clone());
        }
        let text = (self.source)(Some(name)).map_err(RenderError::Wrong)?;
        let partial = if indent.is_empty() {
            Partial::AsItIs(text)
        } else {
            let indented: String = text.text().split_inclusive('\n').map(|line| format!("{indent}{line}")).collect();
            Partial::Indented(Rc::new(parse(&indented).map_err(|error| RenderError::Wrong(error.in_file(name)))?))
        };
        self.partials.insert(key, partial.clone());
        Ok(partial)
    }

    fn value(&mut self, value: Ref<'_>, raw: bool) {
        let json;
        let text = match value.view() {
            View::Null => return,
            View::Text(text) => text,
            _ => {
                let mut bytes = Vec::new();
                value.write_json(&mut bytes);
                json = String::from_utf8_lossy(&bytes).into_owned();
                // Times and bytes are JSON strings.
                match value.kind() {
                    DatumKind::Time | DatumKind::Bytes => json.trim_matches('"'),
                    // A structure is inserted into a JSON body as JSON.
                    DatumKind::List | DatumKind::Object if self.escape == Escape::Json => {
                        self.out.push_str(&json);
                        return;
                    }
                    _ => &json,
                }
            }
        };
        if raw {
            self.out.push_str(text);
        } else {
            self.escape.append(text, &mut self.out);
        }
    }
}

fn nodes_of<'t>(template: &'t TemplateFile, name: &str) -> Result<&'t [Node], RenderError> {
    template.nodes().map_err(|error| RenderError::Wrong(error.clone().in_file(name)))
}

/// Returns the value of a name; `.` is the innermost one. The first part is looked up from the
/// innermost scope outwards. A member whose own name has dots comes after the parts of the name.
fn look_up<'d>(name: &str, scopes: &[Ref<'d>]) -> Option<Ref<'d>> {
    if name == "." {
        return scopes.last().copied();
    }
    let first = name.split('.').next().unwrap_or(name);
    let scope = scopes.iter().rev().find(|scope| scope.get(first).is_some() || scope.get(name).is_some())?;
    member(*scope, name)
}

/// Returns the value at the end of a path of names and indices.
fn member<'d>(value: Ref<'d>, path: &str) -> Option<Ref<'d>> {
    let Some((first, rest)) = path.split_once('.') else { return step(value, path) };
    step(value, first).and_then(|next| member(next, rest)).or_else(|| value.get(path))
}

/// Returns a member, or an element of a list by its index.
fn step<'d>(value: Ref<'d>, name: &str) -> Option<Ref<'d>> {
    match name.parse::<usize>() {
        Ok(index) if value.is_list() => value.index(index),
        _ => value.get(name),
    }
}
