//! Dictionaries: tags with their names, ids and types.
//!
//! Texts are read by [`Dictionary::parse`], as [`Draft`](draft::Draft)s at first. A dictionary is a
//! draft that passed all checks of docs/spec/usds.md 2.4. The binary section is read in the same
//! way, by [`section`].

mod check;
pub mod draft;
mod lex;
mod parse;
mod parse_a;
mod parse_b;
mod print;
pub mod section;
mod types;

use polywire_core::schema::language::SchemaLoss;
use polywire_core::text::diagnostic::{Diagnostics, Source};

use crate::error::{Problem, Revision};

pub use types::{Default, Dictionary, Enumeration, Field, Identity, MAX_ENUMERATOR, MAX_NESTING, Tag, Type};

/// Returns whether texts of revision B allow the word as a name.
pub(crate) fn is_name(word: &str) -> bool {
    lex::is_name(word, Revision::B)
}

/// All findings about a dictionary that was refused.
pub type Refused = Diagnostics;

/// Returns the dictionary of a text, and the places of its parts.
pub(crate) fn located(name: &str, text: &[u8]) -> Result<(Source, draft::Draft, Dictionary), Refused> {
    let (source, draft, mut findings) = parse::draft(name, text);
    match draft {
        Some(draft) if findings.is_empty() => match check::resolve(&draft) {
            Ok(dictionary) => Ok((source, draft, dictionary)),
            Err(found) => Err(check::diagnostics(found, source)),
        },
        Some(draft) => {
            findings.extend(check::passing(&draft));
            Err(check::diagnostics(findings, source))
        }
        None => Err(check::diagnostics(findings, source)),
    }
}

impl Dictionary {
    /// Returns the dictionary of a text; its first words determine the revision. `name` is its name
    /// in messages.
    ///
    /// # Errors
    /// All errors that can be found in one run, with the one that the original would report first
    /// in front. `usds` in a finding's details is its code of docs/spec/usds.md 8.
    pub fn parse(name: &str, text: &[u8]) -> Result<Dictionary, Refused> {
        located(name, text).map(|(_, _, dictionary)| dictionary)
    }

    /// Returns the dictionary of these parts.
    ///
    /// # Errors
    /// Those of a text with the same contents.
    pub fn new(revision: Revision, name: &str, identity: Identity, tags: &[Tag]) -> Result<Dictionary, Refused> {
        let draft = draft::Draft::of(revision, name, identity, tags);
        check::resolve(&draft).map_err(|found| check::diagnostics(found, Source::new(name, "")))
    }

    /// Formats a text; its meaning stays.
    ///
    /// # Errors
    /// All syntax errors of the text.
    pub fn format(name: &str, text: &[u8]) -> Result<String, Refused> {
        let (source, draft, findings) = parse::draft(name, text);
        match draft {
            Some(draft) if findings.is_empty() => Ok(print::print(&draft)),
            _ => Err(check::diagnostics(findings, source)),
        }
    }

    /// Returns the dictionary as text of its revision, and the losses. Dictionaries that come from
    /// sections may have keywords as names, no name of their own, and structures that are not roots
    /// (B).
    ///
    /// # Errors
    /// A structure that contains itself and so has no value, or a tag that is an array of another
    /// tag: sections can have these, texts cannot.
    pub fn to_text(&self) -> Result<(String, Vec<SchemaLoss>), Problem> {
        if self.tags.iter().any(|tag| tag.ty.is_link()) {
            return Err(Problem::TagType);
        }
        let mut losses = Vec::new();
        let draft = draft::Draft::of(self.revision, &self.name, self.identity, &self.tags).sayable(&mut losses);
        if check::resolve(&draft).is_err() {
            return Err(Problem::Recursion);
        }
        Ok((print::print(&draft), losses))
    }
}
