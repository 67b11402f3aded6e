//! Paths into values: those of columns, conditions and references (specification 3 and 5.1).
//!
//! | file | holds |
//! |---|---|
//! | `read` | a path from its text, as it stands in references |
//! | `expression` | what filters say, read |
//! | `evaluate` | what a path finds |
//! | `judge` | what an expression makes of a value |

mod evaluate;
mod expression;
mod judge;
mod read;

use std::fmt;

pub use evaluate::{column, matches};
pub use expression::Expression;

/// Steps from a value to values in it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JsonPath {
    /// One after the other.
    pub steps: Vec<Step>,
}

/// One step.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// The member of that name; of a list, `length` is the number of its elements, and a number the element at that place.
    Name(Box<str>),
    /// The members of that name, however deep.
    Descend(Box<str>),
    /// The element at that place, from 0.
    Index(u64),
    /// Elements from one place to before another; places below zero count from the end.
    Slice(Option<i64>, Option<i64>),
    /// All members or elements.
    All,
    /// The members or elements for which the expression holds.
    Filter(Expression),
    /// The member or element whose name or place the expression gives.
    Computed(Expression),
}

impl Step {
    /// The step that stands in brackets: a number, a filter, a slice, `*`, or a name.
    ///
    /// # Errors
    /// A filter whose expression cannot be read: what is wrong with it.
    pub fn bracketed(text: &str) -> Result<Step, String> {
        let inner = text.trim();
        if let Some(filter) = inner.strip_prefix("?(").and_then(|rest| rest.strip_suffix(')')) {
            return Expression::read(filter).map(Step::Filter);
        }
        if let Some(computed) = inner.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            return Expression::read(computed).map(Step::Computed);
        }
        if inner == "*" {
            return Ok(Step::All);
        }
        if !inner.is_empty() && inner.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(Step::Index(inner.parse().unwrap_or(u64::MAX)));
        }
        if let Some((from, to)) = inner.split_once(':')
            && let (Some(from), Some(to)) = (bound(from), bound(to))
        {
            return Ok(Step::Slice(from, to));
        }
        Ok(Step::Name(text.into()))
    }
}

fn bound(text: &str) -> Option<Option<i64>> {
    if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) }
}

impl JsonPath {
    /// The path of one name.
    pub fn name(name: &str) -> JsonPath {
        JsonPath { steps: vec![Step::Name(name.into())] }
    }

    /// The name that the first step says.
    pub fn first(&self) -> Option<&str> {
        match self.steps.first() {
            Some(Step::Name(name)) => Some(name),
            _ => None,
        }
    }

    /// The path without its first step.
    #[must_use]
    pub fn tail(&self) -> JsonPath {
        JsonPath { steps: self.steps.get(1..).unwrap_or_default().to_vec() }
    }

    /// The steps without a `$` before them, which is JSONPath's name for the value itself: `$..x`. A `$` alone is a member's name.
    pub(crate) fn rooted(&self) -> &[Step] {
        match &self.steps[..] {
            [Step::Name(name), rest @ ..] if &**name == "$" && !rest.is_empty() => rest,
            steps => steps,
        }
    }

    /// The names that it is made of, if it is made of names alone, and none of them may mean a list's length or an element of it.
    pub fn names(&self) -> Option<Vec<&str>> {
        let mut names = Vec::with_capacity(self.steps.len());
        for step in self.rooted() {
            match step {
                Step::Name(name) if !is_place(name) => names.push(&**name),
                _ => return None,
            }
        }
        names.last().is_some_and(|last| *last != "length").then_some(names)
    }

    /// Whether it looks for members however deep.
    pub fn descends(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Descend(_)))
    }

    /// The paths of names that it looks at, for readers that step over the rest: each with everything below.
    pub fn reads(&self) -> Vec<Vec<&str>> {
        let mut found = Vec::new();
        let mut prefixes: Vec<Vec<&str>> = vec![Vec::new()];
        for step in self.rooted() {
            match step {
                // It may be a place in a list, whose other elements must keep theirs.
                Step::Name(name) if is_place(name) => break,
                Step::Name(name) => prefixes.iter_mut().for_each(|prefix| prefix.push(name)),
                Step::Slice(..) => {}
                Step::Filter(expression) if expression.is_of_elements() => {
                    for prefix in &prefixes {
                        found.extend(expression.reads().into_iter().map(|path| prefix.iter().copied().chain(path).collect()));
                    }
                }
                // A place may be a member's name in an object; which members these others look at cannot be told beforehand.
                Step::Index(_) | Step::Descend(_) | Step::All | Step::Filter(_) | Step::Computed(_) => break,
            }
        }
        found.append(&mut prefixes);
        found
    }
}

/// As a script has it: `a.b[0]..c`. Names that are no words stand in quotes.
impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first() {
            Some(name) if is_word(name) => write!(f, "{name}{}", Behind(&self.steps[1..])),
            Some(name) => write!(f, "{}{}", Quoting(name), Behind(&self.steps[1..])),
            None => Behind(&self.steps).fmt(f),
        }
    }
}

/// Steps that are not the first.
pub(crate) struct Behind<'s>(pub(crate) &'s [Step]);

impl fmt::Display for Behind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in self.0 {
            match step {
                Step::Name(name) if is_word(name) => write!(f, ".{name}")?,
                Step::Name(name) => write!(f, "[{}]", Quoting(name))?,
                Step::Descend(name) => write!(f, "..{name}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Slice(from, to) => {
                    let side = |bound: &Option<i64>| bound.map_or_else(String::new, |bound| bound.to_string());
                    write!(f, "['{}:{}']", side(from), side(to))?;
                }
                Step::All => f.write_str("['*']")?,
                Step::Filter(expression) => write!(f, "[{}]", Quoting(&format!("?({})", expression.text())))?,
                Step::Computed(expression) => write!(f, "[{}]", Quoting(&format!("({})", expression.text())))?,
            }
        }
        Ok(())
    }
}

/// Whether a name is the number of a place.
pub(crate) fn is_place(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit()) && (name == "0" || !name.starts_with('0')) && !name.is_empty()
}

/// Whether a name can stand without quotes.
pub(crate) fn is_word(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '$' || c == ':')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == ':')
}

/// Text in the quotes that it does not hold itself.
pub(crate) struct Quoting<'t>(pub(crate) &'t str);

impl fmt::Display for Quoting<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quote = if self.0.contains('\'') { '"' } else { '\'' };
        write!(f, "{quote}{}{quote}", self.0)
    }
}
