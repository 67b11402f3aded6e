//! The parts of a message that a filter looks at, found in its text before it runs.
//!
//! A place stands for a value of the message. The analysis follows what the filter does with each
//! place: where it goes deeper by a name or over all entries, where it looks only at the kind of a
//! value, and where it needs all of it. Anything that it does not know needs all.

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Term};
use jaq_core::path::{Opt, Part};

/// A place in messages, by the filter's steps to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place(u32);

impl Place {
    /// All of the value is looked at.
    pub(crate) const WHOLE: Place = Place(u32::MAX);
    /// Nothing of the value is looked at, but its kind.
    pub(crate) const NOTHING: Place = Place(u32::MAX - 1);

    pub(crate) fn is_nothing(self) -> bool {
        self == Place::NOTHING
    }
}

/// The parts of messages that a filter looks at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Node {
    whole: bool,
    fields: Vec<(Box<str>, u32)>,
    each: Option<u32>,
}

impl Wanted {
    /// Returns the parts that a filter looks at, or `None` if it may look at all of a message.
    pub(crate) fn of(filter: &Term<&str>) -> Option<Wanted> {
        let mut wanted = Wanted { nodes: vec![Node::default()] };
        let places = wanted.term(filter, &[0])?;
        wanted.all(&places);
        let root = &wanted.nodes[0];
        (!root.whole).then_some(wanted)
    }

    /// Returns the parts of the elements of a list of messages.
    pub(crate) fn of_elements(self) -> Option<Wanted> {
        let each = self.nodes[0].each?;
        if self.nodes[each as usize].whole {
            return None;
        }
        let mut elements = Wanted { nodes: vec![Node::default()] };
        elements.copy(&self, each, 0);
        Some(elements)
    }

    fn copy(&mut self, from: &Wanted, node: u32, to: usize) {
        let old = &from.nodes[node as usize];
        self.nodes[to].whole = old.whole;
        for (name, child) in &old.fields {
            let new = self.nodes.len();
            self.nodes.push(Node::default());
            self.nodes[to].fields.push((name.clone(), new as u32));
            self.copy(from, *child, new);
        }
        if let Some(each) = old.each {
            let new = self.nodes.len();
            self.nodes.push(Node::default());
            self.nodes[to].each = Some(new as u32);
            self.copy(from, each, new);
        }
    }

    /// Returns the place of a message.
    pub(crate) fn root(&self) -> Place {
        self.place(0)
    }

    fn place(&self, node: u32) -> Place {
        let found = &self.nodes[node as usize];
        match (found.whole, found.fields.is_empty() && found.each.is_none()) {
            (true, _) => Place::WHOLE,
            (false, true) => Place::NOTHING,
            (false, false) => Place(node),
        }
    }

    /// Returns the place of an entry of an object; `None` if nothing of it is looked at, not even
    /// that it is there.
    #[inline]
    pub(crate) fn field(&self, place: Place, name: &str) -> Option<Place> {
        if place == Place::WHOLE {
            return Some(place);
        }
        let node = self.nodes.get(place.0 as usize)?;
        let found = node.fields.iter().find(|(known, _)| known.len() == name.len() && **known == *name);
        found.map(|(_, child)| *child).or(node.each).map(|child| self.place(child))
    }

    /// Returns the place of the elements of a list; `None` if nothing of them is looked at, not
    /// even their number.
    pub(crate) fn each(&self, place: Place) -> Option<Place> {
        if place == Place::WHOLE {
            return Some(place);
        }
        self.nodes.get(place.0 as usize)?.each.map(|each| self.place(each))
    }

    fn all(&mut self, nodes: &[u32]) {
        for node in nodes {
            self.nodes[*node as usize].whole = true;
        }
    }

    fn child(&mut self, node: u32, name: &str) -> u32 {
        let known = self.nodes[node as usize].fields.iter().find(|(known, _)| **known == *name).map(|(_, child)| *child);
        known.unwrap_or_else(|| {
            let child = self.add();
            let node = &mut self.nodes[node as usize];
            node.fields.push((name.into(), child));
            // An entry would be in two places.
            node.whole |= node.each.is_some();
            child
        })
    }

    fn each_of(&mut self, node: u32) -> u32 {
        if let Some(each) = self.nodes[node as usize].each {
            return each;
        }
        let each = self.add();
        let node = &mut self.nodes[node as usize];
        node.each = Some(each);
        node.whole |= !node.fields.is_empty();
        each
    }

    fn add(&mut self) -> u32 {
        self.nodes.push(Node::default());
        (self.nodes.len() - 1) as u32
    }

    /// Follows a filter over values at `inputs`, and returns the places of its results. Values that
    /// the filter makes have no place. Returns `None` if it may look at anything.
    fn term(&mut self, term: &Term<&str>, inputs: &[u32]) -> Option<Vec<u32>> {
        Some(match term {
            Term::Id => inputs.to_vec(),
            Term::Num(_) => Vec::new(),
            Term::Str(None, parts) if parts.iter().all(|part| !matches!(part, StrPart::Term(_))) => Vec::new(),
            Term::Str(_, parts) => {
                for part in parts {
                    if let StrPart::Term(term) = part {
                        self.whole(term, inputs)?;
                    }
                }
                Vec::new()
            }
            Term::Arr(inner) => {
                if let Some(inner) = inner {
                    self.whole(inner, inputs)?;
                }
                Vec::new()
            }
            Term::Obj(entries) => {
                for (key, value) in entries {
                    match value {
                        Some(value) => {
                            self.whole(key, inputs)?;
                            self.whole(value, inputs)?;
                        }
                        None => {
                            let name = literal(key)?;
                            for input in inputs {
                                let child = self.child(*input, &name);
                                self.all(&[child]);
                            }
                        }
                    }
                }
                Vec::new()
            }
            Term::Neg(inner) => {
                self.whole(inner, inputs)?;
                Vec::new()
            }
            Term::Path(from, path) => {
                let mut places = self.term(from, inputs)?;
                for (part, opt) in &path.0 {
                    let _: &Opt = opt;
                    places = match part {
                        Part::Range(None, None) => places.iter().map(|place| self.each_of(*place)).collect(),
                        Part::Index(index) => match (literal(index), index) {
                            (Some(name), _) => places.iter().map(|place| self.child(*place, &name)).collect(),
                            (None, Term::Num(_)) => places.iter().map(|place| self.each_of(*place)).collect(),
                            (None, other) => {
                                self.whole(other, inputs)?;
                                self.all(&places);
                                Vec::new()
                            }
                        },
                        Part::Range(from, to) => {
                            for bound in [from, to].into_iter().flatten() {
                                self.whole(bound, inputs)?;
                            }
                            self.all(&places);
                            Vec::new()
                        }
                    };
                }
                places
            }
            Term::BinOp(left, op, right) => match op {
                BinaryOp::Pipe(None) => {
                    let places = self.term(left, inputs)?;
                    self.term(right, &places)?
                }
                BinaryOp::Comma | BinaryOp::Alt => {
                    let mut places = self.term(left, inputs)?;
                    places.extend(self.term(right, inputs)?);
                    places
                }
                BinaryOp::And | BinaryOp::Or => {
                    self.term(left, inputs)?;
                    self.term(right, inputs)?;
                    Vec::new()
                }
                BinaryOp::Cmp(_) | BinaryOp::Math(_) => {
                    self.whole(left, inputs)?;
                    self.whole(right, inputs)?;
                    Vec::new()
                }
                _ => return None,
            },
            Term::IfThenElse(cases, other) => {
                let mut places = Vec::new();
                for (condition, then) in cases {
                    self.term(condition, inputs)?;
                    places.extend(self.term(then, inputs)?);
                }
                match other {
                    Some(other) => places.extend(self.term(other, inputs)?),
                    None => places.extend(inputs),
                }
                places
            }
            // The text of an error may show a value.
            Term::TryCatch(inner, None) => self.term(inner, inputs)?,
            Term::Call(name, arguments) => self.call(name, arguments, inputs)?,
            _ => return None,
        })
    }

    /// Follows a filter all of whose results are looked at.
    fn whole(&mut self, term: &Term<&str>, inputs: &[u32]) -> Option<()> {
        let places = self.term(term, inputs)?;
        self.all(&places);
        Some(())
    }

    fn call(&mut self, name: &str, arguments: &[Term<&str>], inputs: &[u32]) -> Option<Vec<u32>> {
        Some(match (name, arguments) {
            ("empty" | "null" | "true" | "false" | "not" | "type", []) => Vec::new(),
            ("values" | "nulls" | "booleans" | "numbers" | "strings" | "arrays" | "objects" | "iterables" | "scalars", []) => {
                inputs.to_vec()
            }
            ("select", [condition]) => {
                self.term(condition, inputs)?;
                inputs.to_vec()
            }
            ("map", [inner]) => {
                let places: Vec<u32> = inputs.iter().map(|place| self.each_of(*place)).collect();
                self.whole(inner, &places)?;
                Vec::new()
            }
            ("first" | "last", [inner]) => self.term(inner, inputs)?,
            (
                "length" | "utf8bytelength" | "keys" | "keys_unsorted" | "add" | "any" | "all" | "min" | "max" | "unique" | "sort"
                | "reverse" | "tostring" | "tonumber" | "tojson" | "fromjson" | "ascii_downcase" | "ascii_upcase" | "floor" | "sqrt"
                | "round" | "ceil" | "abs" | "to_entries" | "from_entries" | "explode" | "implode" | "trim" | "ltrim" | "rtrim" | "todate"
                | "fromdate",
                [],
            ) => {
                self.all(inputs);
                Vec::new()
            }
            (
                "has" | "contains" | "inside" | "startswith" | "endswith" | "test" | "split" | "join" | "ltrimstr" | "rtrimstr" | "index"
                | "rindex" | "indices",
                [argument],
            ) => {
                self.all(inputs);
                self.whole(argument, inputs)?;
                Vec::new()
            }
            _ => return None,
        })
    }
}

/// Returns the text of a string literal without parts that are computed.
pub(crate) fn literal(term: &Term<&str>) -> Option<String> {
    let Term::Str(None, parts) = term else { return None };
    let mut text = String::new();
    for part in parts {
        match part {
            StrPart::Str(part) => text.push_str(part),
            StrPart::Char(char) => text.push(*char),
            StrPart::Term(_) => return None,
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(filter: &str) -> Option<Wanted> {
        Wanted::of(&jaq_core::load::parse(filter, |parser| parser.term()).unwrap())
    }

    fn shown(wanted: &Wanted, node: u32) -> String {
        let found = &wanted.nodes[node as usize];
        if found.whole {
            return "*".into();
        }
        let fields = found.fields.iter().map(|(name, child)| format!("{name}:{}", shown(wanted, *child)));
        let each = found.each.iter().map(|each| format!("[]:{}", shown(wanted, *each)));
        format!("{{{}}}", fields.chain(each).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_filter_looks_at_what_it_names() {
        for (filter, expected) in [
            (".a", "{a:*}"),
            (".a.b?", "{a:{b:*}}"),
            (".items[].sku", "{items:{[]:{sku:*}}}"),
            (".items[0]", "{items:{[]:*}}"),
            ("select(.x == 1) | .y", "{x:* y:*}"),
            ("select(.x) | .y", "{x:{} y:*}"),
            ("{a, b: .c.d}", "{a:* c:{d:*}}"),
            (".a, .b", "{a:* b:*}"),
            ("[.items[] | {sku, n: .qty}]", "{items:{[]:{sku:* qty:*}}}"),
            (".a // .b.c", "{a:* b:{c:*}}"),
            ("if .a then .b else .c end", "{a:{} b:* c:*}"),
            ("\"\\(.a)-\\(.b)\"", "{a:* b:*}"),
            (".items | map(.sku)", "{items:{[]:{sku:*}}}"),
            (".a | length", "{a:*}"),
            (".a.b, .a", "{a:*}"),
            ("1", "{}"),
        ] {
            assert_eq!(wanted(filter).map(|wanted| shown(&wanted, 0)).as_deref(), Some(expected), "{filter}");
        }
        for filter in [
            ".",
            "..",
            "keys",
            "select(.x == 1)",
            ".a, .",
            ".[.a]",
            "def f: .a; f",
            ".a as $x | $x",
            "input",
            ".a |= 1",
            "try .a catch .",
            "reduce .a as $x (0; 1)",
            ".a[1:2], .",
            ".a, .[]",
        ] {
            assert_eq!(wanted(filter), None, "{filter}");
        }
    }

    #[test]
    fn a_list_of_messages_is_looked_at_by_its_elements() {
        let elements = |filter| wanted(filter)?.of_elements().map(|wanted| shown(&wanted, 0));
        assert_eq!(elements("map(.a)").as_deref(), Some("{a:*}"));
        assert_eq!(elements(".[] | .a.b").as_deref(), Some("{a:{b:*}}"));
        assert_eq!(elements("length"), None);
    }
}
