//! Paths as scripts spell them.

use std::fmt;

use super::step::{JsonPath, PathStep};

/// As a script spells it: `a.b[0]..c`. Names that are no words stand in quotes.
impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first() {
            Some(name) if is_word(name) => write!(f, "{name}{}", Behind(&self.steps[1..])),
            Some(name) => write!(f, "{}{}", Quoting(name), Behind(&self.steps[1..])),
            None => Behind(&self.steps).fmt(f),
        }
    }
}

/// The steps behind the first.
pub(crate) struct Behind<'s>(pub(crate) &'s [PathStep]);

impl fmt::Display for Behind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in self.0 {
            match step {
                PathStep::Name(name) if is_word(name) => write!(f, ".{name}")?,
                PathStep::Name(name) => write!(f, "[{}]", Quoting(name))?,
                PathStep::Descend(name) => write!(f, "..{name}")?,
                PathStep::Index(index) => write!(f, "[{index}]")?,
                PathStep::Slice(from, to) => {
                    let side = |bound: &Option<i64>| bound.map_or_else(String::new, |bound| bound.to_string());
                    write!(f, "['{}:{}']", side(from), side(to))?;
                }
                PathStep::All => f.write_str("['*']")?,
                PathStep::Filter(expression) => write!(f, "[{}]", Quoting(&format!("?({})", expression.text())))?,
                PathStep::Computed(expression) => write!(f, "[{}]", Quoting(&format!("({})", expression.text())))?,
            }
        }
        Ok(())
    }
}

/// Returns whether a name can stand without quotes.
pub(crate) fn is_word(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '$' || c == ':')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == ':')
}

/// Text in quotes that it does not contain.
pub(crate) struct Quoting<'t>(pub(crate) &'t str);

impl fmt::Display for Quoting<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quote = if self.0.contains('\'') { '"' } else { '\'' };
        write!(f, "{quote}{}{quote}", self.0)
    }
}
