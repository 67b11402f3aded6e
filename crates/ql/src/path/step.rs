//! Paths, and the steps that they are made of.

use super::expression::Expression;

/// A path from a value to values in it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JsonPath {
    /// The steps, in order.
    pub steps: Vec<PathStep>,
}

/// A step of a path.
#[derive(Debug, Clone, PartialEq)]
pub enum PathStep {
    /// The member of that name. In a list, `length` is the number of elements, and a number is an
    /// index.
    Name(Box<str>),
    /// The members of that name, at any depth.
    Descend(Box<str>),
    /// The element at that index, from 0.
    Index(u64),
    /// The elements from an index to before another; negative indexes count from the end.
    Slice(Option<i64>, Option<i64>),
    /// All members or elements.
    All,
    /// The members or elements for which the expression holds.
    Filter(Expression),
    /// The member or element whose name or index the expression computes.
    Computed(Expression),
}

impl PathStep {
    /// Reads the step in brackets: a number, a filter, a slice, `*`, or a name.
    ///
    /// # Errors
    /// The mistake in the expression of a filter.
    pub fn bracketed(text: &str) -> Result<PathStep, String> {
        let inner = text.trim();
        if let Some(filter) = inner.strip_prefix("?(").and_then(|rest| rest.strip_suffix(')')) {
            return Expression::read(filter).map(PathStep::Filter);
        }
        if let Some(computed) = inner.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            return Expression::read(computed).map(PathStep::Computed);
        }
        if inner == "*" {
            return Ok(PathStep::All);
        }
        if !inner.is_empty() && inner.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(PathStep::Index(inner.parse().unwrap_or(u64::MAX)));
        }
        if let Some((from, to)) = inner.split_once(':')
            && let (Some(from), Some(to)) = (bound(from), bound(to))
        {
            return Ok(PathStep::Slice(from, to));
        }
        Ok(PathStep::Name(text.into()))
    }
}

fn bound(text: &str) -> Option<Option<i64>> {
    if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) }
}

impl JsonPath {
    /// Makes the path of one name.
    pub fn name(name: &str) -> JsonPath {
        JsonPath { steps: vec![PathStep::Name(name.into())] }
    }

    /// Returns the name of the first step, if that is a name.
    pub fn first(&self) -> Option<&str> {
        match self.steps.first() {
            Some(PathStep::Name(name)) => Some(name),
            _ => None,
        }
    }

    /// Returns the path without its first step.
    #[must_use]
    pub fn tail(&self) -> JsonPath {
        JsonPath { steps: self.steps.get(1..).unwrap_or_default().to_vec() }
    }

    /// Returns the steps without a leading `$`, which is JSONPath's name for the value itself:
    /// `$..x`. A `$` alone is a member's name.
    pub(crate) fn rooted(&self) -> &[PathStep] {
        match &self.steps[..] {
            [PathStep::Name(name), rest @ ..] if &**name == "$" && !rest.is_empty() => rest,
            steps => steps,
        }
    }

    /// Returns the names, if the path has no other steps, and no name may mean a list's length or
    /// an element of it.
    pub fn names(&self) -> Option<Vec<&str>> {
        let mut names = Vec::with_capacity(self.steps.len());
        for step in self.rooted() {
            match step {
                PathStep::Name(name) if !is_place(name) => names.push(&**name),
                _ => return None,
            }
        }
        names.last().is_some_and(|last| *last != "length").then_some(names)
    }

    /// Returns whether it looks for members at any depth.
    pub fn descends(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, PathStep::Descend(_)))
    }

    /// Returns the paths of names that it looks at, each with everything below, for readers that
    /// skip the rest.
    pub fn reads(&self) -> Vec<Vec<&str>> {
        let mut found = Vec::new();
        let mut prefixes: Vec<Vec<&str>> = vec![Vec::new()];
        for step in self.rooted() {
            match step {
                // It may be an index of a list, whose other elements must keep theirs.
                PathStep::Name(name) if is_place(name) => break,
                PathStep::Name(name) => prefixes.iter_mut().for_each(|prefix| prefix.push(name)),
                PathStep::Slice(..) => {}
                PathStep::Filter(expression) if expression.is_of_elements() => {
                    for prefix in &prefixes {
                        found.extend(expression.reads().into_iter().map(|path| prefix.iter().copied().chain(path).collect()));
                    }
                }
                // An index may be a member's name in an object. The others look at members that are
                // unknown beforehand.
                PathStep::Index(_) | PathStep::Descend(_) | PathStep::All | PathStep::Filter(_) | PathStep::Computed(_) => break,
            }
        }
        found.append(&mut prefixes);
        found
    }
}

/// Returns whether a name is an index.
pub(crate) fn is_place(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit()) && (name == "0" || !name.starts_with('0')) && !name.is_empty()
}
