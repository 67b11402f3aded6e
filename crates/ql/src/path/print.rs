//! Paths as scripts spell them.

use std::fmt;

use super::step::{JsonPath, PathStep};

/// As a script spells it: `a.b[0]..c`. Names that are no words stand in quotes.
impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = self.steps.iter().rposition(needs_text).map_or(0, |last| last + 1);
        if let Some(text) = text_of(&self.steps[..quoted]) {
            return write!(f, "{}{}", Quoting(&text), Behind(&self.steps[quoted..]));
        }
        match self.first() {
            Some(name) if is_word(name) => write!(f, "{name}{}", Behind(&self.steps[1..])),
            Some(name) => write!(f, "{}{}", Quoting(name), Behind(&self.steps[1..])),
            None => Behind(&self.steps).fmt(f),
        }
    }
}

/// Reports whether a step has a spelling only within the quotes of the text that a path begins
/// with: a name after two points that is no word, or one that means another step in brackets.
fn needs_text(step: &PathStep) -> bool {
    match step {
        PathStep::Name(name) => !is_word(name) && PathStep::bracketed(name).as_ref() != Ok(step),
        PathStep::Descend(name) => !is_word(name),
        _ => false,
    }
}

/// Returns the text that, in quotes, is read as these steps.
fn text_of(steps: &[PathStep]) -> Option<String> {
    let mut text = String::new();
    for step in steps {
        match step {
            PathStep::Name(name) if PathStep::bracketed(name).as_ref() == Ok(step) && !is_plain(name) => {
                text.push_str(&format!("[{name}]"));
            }
            PathStep::Name(name) => text.push_str(&format!(".{name}")),
            PathStep::Descend(name) => text.push_str(&format!("..{name}")),
            PathStep::Filter(expression) => text.push_str(&format!("[?({})]", expression.text())),
            PathStep::Computed(expression) => text.push_str(&format!("[({})]", expression.text())),
            PathStep::Index(index) => text.push_str(&format!("[{index}]")),
            PathStep::Slice(..) | PathStep::All => text.push_str(&Behind(std::slice::from_ref(step)).to_string().replace('\'', "")),
        }
    }
    let read = JsonPath::read(&text)?;
    (read.steps == steps).then(|| text.strip_prefix('.').map(str::to_string)).flatten().filter(|_| !steps.is_empty())
}

/// Reports whether a name can stand behind a point in the text of a path.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| ".[]{}()'\"".contains(c) || c.is_whitespace() || c.is_control())
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
