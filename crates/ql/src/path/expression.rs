//! Expressions of old JSONPath filters, as far as they can do no harm: comparisons, logic,
//! arithmetic, literals, and paths from the element.

/// Deepest nesting of brackets and signs.
const MAX_DEPTH: usize = 32;

/// An expression, and its text.
#[derive(Debug, Clone)]
pub struct Expression {
    text: Box<str>,
    pub(super) root: Node,
}

impl PartialEq for Expression {
    fn eq(&self, other: &Expression) -> bool {
        self.text == other.text
    }
}

/// A step from the element.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ElementStep {
    Name(Box<str>),
    Index(u64),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Undefined,
    Null,
    Bool(bool),
    Number(f64),
    Text(Box<str>),
    /// `@` and steps.
    Element(Vec<ElementStep>),
    Not(Box<Node>),
    Minus(Box<Node>),
    Two(Operator, Box<Node>, Box<Node>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Same,
    NotSame,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// Operators by precedence, loosest first. The longer of two with a common beginning comes first.
const LEVELS: &[&[(&str, Operator)]] = &[
    &[("||", Operator::Or)],
    &[("&&", Operator::And)],
    &[("===", Operator::Same), ("!==", Operator::NotSame), ("==", Operator::Equal), ("!=", Operator::NotEqual)],
    &[("<=", Operator::LessOrEqual), (">=", Operator::GreaterOrEqual), ("<", Operator::Less), (">", Operator::Greater)],
    &[("+", Operator::Add), ("-", Operator::Subtract)],
    &[("*", Operator::Multiply), ("/", Operator::Divide), ("%", Operator::Remainder)],
];

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// The mistake, for people.
    pub fn read(text: &str) -> Result<Expression, String> {
        let mut reader = Reader { rest: text, depth: 0 };
        let root = reader.level(0)?;
        reader.blanks();
        match reader.rest.chars().next() {
            None => Ok(Expression { text: text.into(), root }),
            Some(_) => Err(format!("`{}` is left over", shown(reader.rest))),
        }
    }

    /// Returns the text as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether it looks only at members of the element, not at the element as a whole.
    pub(super) fn is_of_elements(&self) -> bool {
        let mut paths = Vec::new();
        self.root.paths(&mut paths);
        paths.iter().all(|path| matches!(path.first(), Some(ElementStep::Name(_))))
    }

    /// Returns the paths of names that it looks at, from the element.
    pub(super) fn reads(&self) -> Vec<Vec<&str>> {
        let mut paths = Vec::new();
        self.root.paths(&mut paths);
        let names = |steps: &[ElementStep]| -> usize { steps.iter().take_while(|step| matches!(step, ElementStep::Name(_))).count() };
        paths
            .into_iter()
            .map(|steps| {
                let known = steps.iter().take(names(steps));
                known.filter_map(|step| if let ElementStep::Name(name) = step { Some(&**name) } else { None }).collect()
            })
            .collect()
    }
}

impl Node {
    fn paths<'n>(&'n self, found: &mut Vec<&'n [ElementStep]>) {
        match self {
            Node::Element(steps) => found.push(steps),
            Node::Not(node) | Node::Minus(node) => node.paths(found),
            Node::Two(_, left, right) => {
                left.paths(found);
                right.paths(found);
            }
            _ => {}
        }
    }
}

struct Reader<'t> {
    rest: &'t str,
    depth: usize,
}

impl<'t> Reader<'t> {
    fn blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn level(&mut self, level: usize) -> Result<Node, String> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        let mut length = 0;
        loop {
            self.blanks();
            let Some((sign, operator)) = operators.iter().find(|(sign, _)| self.rest.starts_with(sign)) else { return Ok(left) };
            // The tree leans to the left, so it is as deep as the row is long.
            length += 1;
            if length > MAX_DEPTH * 4 {
                return Err(format!("more than {} operators in a row", MAX_DEPTH * 4));
            }
            self.rest = &self.rest[sign.len()..];
            left = Node::Two(*operator, Box::new(left), Box::new(self.level(level + 1)?));
        }
    }

    fn unary(&mut self) -> Result<Node, String> {
        if self.depth == MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} brackets and signs within each other"));
        }
        self.depth += 1;
        self.blanks();
        let node = if let Some(rest) = self.rest.strip_prefix('!') {
            self.rest = rest;
            Node::Not(Box::new(self.unary()?))
        } else if let Some(rest) = self.rest.strip_prefix('-') {
            self.rest = rest;
            Node::Minus(Box::new(self.unary()?))
        } else if let Some(rest) = self.rest.strip_prefix('(') {
            self.rest = rest;
            let node = self.level(0)?;
            self.blanks();
            self.rest = self.rest.strip_prefix(')').ok_or_else(|| format!("no `)` before `{}`", shown(self.rest)))?;
            node
        } else {
            self.primary()?
        };
        self.depth -= 1;
        Ok(node)
    }

    fn primary(&mut self) -> Result<Node, String> {
        let rest = self.rest;
        match rest.chars().next() {
            None => Err("it ends where a value should stand".into()),
            Some('@') => {
                self.rest = &rest[1..];
                self.element()
            }
            Some(quote @ ('\'' | '"')) => {
                let (text, after) = quoted(&rest[1..], quote).ok_or("text in quotes that does not end")?;
                self.rest = after;
                Ok(Node::Text(text.into()))
            }
            Some(c) if c.is_ascii_digit() || c == '.' => {
                let end = number_end(rest);
                let number = rest[..end].parse().map_err(|_| format!("the number `{}`", &rest[..end]))?;
                self.rest = &rest[end..];
                Ok(Node::Number(number))
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' || c == '$' => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$').unwrap_or(rest.len());
                self.rest = &rest[end..];
                match &rest[..end] {
                    "true" => Ok(Node::Bool(true)),
                    "false" => Ok(Node::Bool(false)),
                    "null" => Ok(Node::Null),
                    "undefined" => Ok(Node::Undefined),
                    other => Err(format!("`{other}` is no path that begins with @, and no literal")),
                }
            }
            Some(_) => Err(format!("`{}` where a value should stand", shown(rest))),
        }
    }

    /// Reads the steps behind `@`.
    fn element(&mut self) -> Result<Node, String> {
        let mut steps = Vec::new();
        loop {
            if let Some(rest) = self.rest.strip_prefix('.') {
                let end = rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$' | ':')).unwrap_or(rest.len());
                if end == 0 {
                    return Err(format!("no name behind the dot before `{}`", shown(rest)));
                }
                steps.push(ElementStep::Name(rest[..end].into()));
                self.rest = &rest[end..];
            } else if let Some(rest) = self.rest.strip_prefix('[') {
                let rest = rest.trim_start();
                let (step, after) = match rest.chars().next() {
                    Some(quote @ ('\'' | '"')) => {
                        let (text, after) = quoted(&rest[1..], quote).ok_or("text in quotes that does not end")?;
                        (ElementStep::Name(text.into()), after)
                    }
                    _ => {
                        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                        let index = rest[..end].parse().map_err(|_| format!("`{}` is no place in a list", shown(rest)))?;
                        (ElementStep::Index(index), &rest[end..])
                    }
                };
                self.rest = after.trim_start().strip_prefix(']').ok_or_else(|| format!("no `]` before `{}`", shown(after)))?;
                steps.push(step);
            } else if self.rest.starts_with('(') {
                return Err("functions cannot be called".into());
            } else {
                return Ok(Node::Element(steps));
            }
        }
    }
}

fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => out.push(chars.next()?.1),
            c if c == quote => return Some((out, &text[at + 1..])),
            c => out.push(c),
        }
    }
    None
}

fn number_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut end = 0;
    while end < bytes.len() && (bytes[end].is_ascii_digit() || bytes[end] == b'.') {
        end += 1;
    }
    if let Some(b'e' | b'E') = bytes.get(end) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            end += 1 + sign;
            while end < bytes.len() && bytes[end].is_ascii_digit() {
                end += 1;
            }
        }
    }
    end
}

fn shown(text: &str) -> String {
    if text.is_empty() { "the end".into() } else { text.chars().take(20).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_reported() {
        for (text, part) in [
            ("", "ends"),
            ("@.a >", "ends"),
            ("@.a > 2)", "left over"),
            ("(@.a", "no `)`"),
            ("@.a.match(1)", "functions"),
            ("process", "process"),
            ("@.", "no name"),
            ("@['a", "does not end"),
            ("@[x]", "no place"),
            ("'a", "does not end"),
            ("1.2.3 == 2", "1.2.3"),
        ] {
            let error = Expression::read(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        assert!(Expression::read(&"(".repeat(10_000)).is_err() && Expression::read(&"!".repeat(10_000)).is_err());
        assert!(Expression::read(&"1+".repeat(10_000)).is_err());
    }

    #[test]
    fn reads_are_the_names_that_are_looked_at() {
        let expression = Expression::read("@.a.b > 2 && (@['c'] == 'x' || !@.d[0].e)").unwrap();
        assert_eq!(expression.reads(), [vec!["a", "b"], vec!["c"], vec!["d"]]);
        assert!(expression.is_of_elements() && !Expression::read("@ > 2").unwrap().is_of_elements());
    }
}
