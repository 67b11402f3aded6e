//! The check of schema changes: is a new version compatible with all older ones?
//!
//! [`versions`] reads older versions from files and git, the language's own rules compare each with
//! the newest, and [`report`] prints the verdict.

mod json;
pub mod report;
mod spelling;
pub mod versions;

use polywire_core::schema::language::SchemaText;
use polywire_core::schema::language::{self, Comparison, Compatibility, Direction, Effect};
use polywire_core::text::diagnostic::Diagnostics;

use versions::Version;

/// Conditions that a new version must meet.
#[derive(Debug, Clone, Default)]
pub struct Question<'a> {
    /// The message type to check; `None` for all types.
    pub root: Option<&'a str>,
    /// Directions that must hold.
    pub directions: Vec<Direction>,
    /// True if a changed name or default breaks compatibility as well.
    pub strict: bool,
}

/// One old version beside the new one.
#[derive(Debug, Clone)]
pub struct Pair {
    /// Label of the old version: a path, or a revision and a path.
    pub old: String,
    /// Label of the new version.
    pub new: String,
    /// The findings.
    pub comparison: Comparison,
}

/// The result of a check.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// Old versions in order, each beside the new one.
    pub pairs: Vec<Pair>,
    /// Directions that were required.
    pub directions: Vec<Direction>,
    /// The smallest effect that breaks compatibility.
    pub from: Effect,
}

impl Verdict {
    /// Returns true if the new version is compatible with all old ones.
    pub fn holds(&self) -> bool {
        self.pairs.iter().all(|pair| self.directions.iter().all(|direction| pair.comparison.effect(*direction) < self.from))
    }
}

impl Verdict {
    /// Adds the pairs of a check with the same question, of another file.
    pub fn add(&mut self, other: Verdict) {
        self.pairs.extend(other.pairs);
    }
}

/// Compares the last of `versions` with each of those before it.
///
/// # Errors
/// A version's text is malformed.
pub fn check(rules: &dyn Compatibility, versions: &mut [Version], question: &Question<'_>) -> Result<Verdict, Diagnostics> {
    let mut pairs = Vec::new();
    if let Some((new, olds)) = versions.split_last_mut() {
        for old in olds {
            let comparison = rules.compare(old.version(), new.version(), question.root)?;
            pairs.push(Pair { old: old.label.clone(), new: new.label.clone(), comparison });
        }
    }
    let directions = if question.directions.is_empty() { Direction::ALL.to_vec() } else { question.directions.clone() };
    Ok(Verdict { pairs, directions, from: if question.strict { Effect::Warns } else { Effect::Misread } })
}

impl Version {
    fn version(&mut self) -> language::Version<'_> {
        let text = SchemaText { name: &self.label, bytes: &self.bytes, identity: &self.identity };
        language::Version { text, files: &mut *self.files }
    }
}
