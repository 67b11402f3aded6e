//! Nodes with values as text.

use std::collections::HashMap;
use std::rc::Rc;

use polywire_doc::{Datum, Kind, Ref, View};

use super::super::escape::Escape;
use super::super::texts::{File, Text};
use super::parse::{Node, parse};
use super::{Effort, Mistake, Template};
use crate::error::HookError;

/// Why there is no text.
pub(super) enum Failure {
    /// A partial cannot be read.
    Partial(HookError),
    /// A template is malformed; its name, empty for the first.
    Mistake(String, Mistake),
    /// There is no end of it.
    TooLarge,
}

/// How deep partials may lie in each other.
const DEEPEST: usize = 32;
/// How deep sections and partials together may lie in each other.
const LEVELS: usize = 150;

/// A partial.
#[derive(Clone)]
enum Partial {
    AsItIs(Text),
    Indented(Rc<Vec<Node>>),
}

struct Renderer<'r> {
    source: &'r dyn Fn(&str) -> Result<Text, HookError>,
    escape: Escape,
    /// By names and indents.
    partials: HashMap<(String, String), Partial>,
    effort: Effort,
    visited: usize,
    level: usize,
    out: String,
}

pub(super) fn run(
    template: &Template,
    source: &dyn Fn(&str) -> Result<Text, HookError>,
    scope: &Datum,
    (escape, effort): (Escape, Effort),
) -> Result<String, Failure> {
    let nodes = template.nodes().map_err(|mistake| Failure::Mistake(String::new(), mistake.clone()))?;
    let out = String::with_capacity(template.text.len());
    let mut renderer = Renderer { source, escape, partials: HashMap::new(), effort, visited: 0, level: 0, out };
    renderer.nodes(nodes, &mut vec![scope.view()], 0)?;
    Ok(renderer.out)
}

impl Renderer<'_> {
    fn nodes(&mut self, nodes: &[Node], scopes: &mut Vec<Ref<'_>>, depth: usize) -> Result<(), Failure> {
        self.level += 1;
        let done = if self.level > LEVELS { Err(Failure::TooLarge) } else { self.each(nodes, scopes, depth) };
        self.level -= 1;
        done
    }

    fn each(&mut self, nodes: &[Node], scopes: &mut Vec<Ref<'_>>, depth: usize) -> Result<(), Failure> {
        for node in nodes {
            self.visited += 1;
            if self.visited > self.effort.nodes || self.out.len() > self.effort.bytes {
                return Err(Failure::TooLarge);
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
                        return Err(Failure::TooLarge);
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

    fn within<'d>(&mut self, value: Ref<'d>, inner: &[Node], scopes: &mut [Ref<'d>], depth: usize) -> Result<(), Failure> {
        let mut deeper = scopes.to_vec();
        deeper.push(value);
        self.nodes(inner, &mut deeper, depth)
    }

    fn partial(&mut self, name: &str, indent: &str) -> Result<Partial, Failure> {
        let key = (name.to_string(), indent.to_string());
        if let Some(known) = self.partials.get(&key) {
            return Ok(known.clone());
        }
        let text = (self.source)(name).map_err(Failure::Partial)?;
        let partial = if indent.is_empty() {
            Partial::AsItIs(text)
        } else {
            let indented: String = text.template.text.split_inclusive('\n').map(|line| format!("{indent}{line}")).collect();
            Partial::Indented(Rc::new(parse(&indented).map_err(|mistake| Failure::Mistake(name.to_string(), mistake))?))
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
                // Times and bytes are texts there.
                match value.kind() {
                    Kind::Time | Kind::Bytes => json.trim_matches('"'),
                    // A whole structure stands in a JSON body for itself.
                    Kind::List | Kind::Object if self.escape == Escape::Json => {
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

fn nodes_of<'t>(text: &'t File, name: &str) -> Result<&'t [Node], Failure> {
    text.template.nodes().map_err(|mistake| Failure::Mistake(name.to_string(), mistake.clone()))
}

/// The value of a name: `.` is the innermost one. The first part is looked for from the innermost scope outwards; a member whose own name has dots is found too.
fn look_up<'d>(name: &str, scopes: &[Ref<'d>]) -> Option<Ref<'d>> {
    if name == "." {
        return scopes.last().copied();
    }
    let first = name.split('.').next().unwrap_or(name);
    for scope in scopes.iter().rev() {
        if let Some(whole) = scope.get(name) {
            return Some(whole);
        }
        if let Some(mut value) = scope.get(first) {
            let mut rest = name[first.len()..].strip_prefix('.');
            while let Some(path) = rest {
                if let Some(whole) = value.get(path) {
                    return Some(whole);
                }
                let step = path.split('.').next().unwrap_or(path);
                value = match step.parse::<usize>() {
                    Ok(index) if value.is_list() => value.index(index)?,
                    _ => value.get(step)?,
                };
                rest = path[step.len()..].strip_prefix('.');
            }
            return Some(value);
        }
    }
    None
}
