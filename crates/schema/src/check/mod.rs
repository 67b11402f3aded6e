//! The gate for schema changes: does a new version go together with all of the older ones?
//!
//! [`versions`] says where older versions come from, the language's own rules compare each with the newest, and [`report`] tells the verdict.

mod json;
pub mod report;
pub mod versions;

use polywire_core::schema::language::SchemaText;
use polywire_core::schema::language::{self, Comparison, Compatibility, Direction, Effect};
use polywire_core::text::diagnostic::Diagnostics;

use versions::Version;

/// What is asked of a new version.
#[derive(Debug, Clone, Default)]
pub struct Question<'a> {
    /// The type of messages to look at; all if there is none.
    pub root: Option<&'a str>,
    /// Directions that must hold.
    pub directions: Vec<Direction>,
    /// Whether a changed name or default is a 'no' as well.
    pub strict: bool,
}

/// One old version beside the new one.
#[derive(Debug, Clone)]
pub struct Pair {
    /// What people know the old version by.
    pub old: String,
    /// What people know the new version by.
    pub new: String,
    /// What was found.
    pub comparison: Comparison,
}

/// The answer.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// Old versions in order, each beside the new one.
    pub pairs: Vec<Pair>,
    /// Directions that had to hold.
    pub directions: Vec<Direction>,
    /// The least effect that is a 'no'.
    pub from: Effect,
}

impl Verdict {
    /// Whether the new version goes together with all of the old ones.
    pub fn holds(&self) -> bool {
        self.pairs.iter().all(|pair| self.directions.iter().all(|direction| pair.comparison.effect(*direction) < self.from))
    }
}

/// Compares the last of `versions` with each of those before it.
///
/// # Errors
/// What is wrong with the text of a version.
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
