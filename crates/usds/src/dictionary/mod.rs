//! A dictionary: tags with their names, ids and types.
//!
//! Texts are read by [`parse`], as [`Draft`](draft::Draft)s at first; a dictionary is a draft that all checks of docs/spec/usds.md 2.4 let pass. The binary section comes
//! the same way, by [`section`].

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

use crate::failure::{Problem, Revision};

pub use types::{Default, Dictionary, Enumeration, Field, Identity, MAX_ENUMERATOR, MAX_NESTING, Tag, Type};

/// Whether texts of revision B can have it as a name.
pub(crate) fn is_name(word: &str) -> bool {
    lex::is_name(word, Revision::B)
}

/// What one dictionary cannot be: all that was found.
pub type Refused = Diagnostics;

/// The dictionary of a text, and where what it says stands.
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
    /// The dictionary of a text, of whichever revision its first words are; `name` is what people know the text by.
    ///
    /// # Errors
    /// All mistakes that can be told in one run, the one that the original would have told first in front. `usds` of a finding's details is
    /// its number by docs/spec/usds.md 8.
    pub fn parse(name: &str, text: &[u8]) -> Result<Dictionary, Refused> {
        located(name, text).map(|(_, _, dictionary)| dictionary)
    }

    /// The dictionary of these parts.
    ///
    /// # Errors
    /// Those of a text that says the same.
    pub fn new(revision: Revision, name: &str, identity: Identity, tags: &[Tag]) -> Result<Dictionary, Refused> {
        let draft = draft::Draft::of(revision, name, identity, tags);
        check::resolve(&draft).map_err(|found| check::diagnostics(found, Source::new(name, "")))
    }

    /// The text laid out in one way, with the same meaning.
    ///
    /// # Errors
    /// Its mistakes of syntax: all of them.
    pub fn format(name: &str, text: &[u8]) -> Result<String, Refused> {
        let (source, draft, findings) = parse::draft(name, text);
        match draft {
            Some(draft) if findings.is_empty() => Ok(print::print(&draft)),
            _ => Err(check::diagnostics(findings, source)),
        }
    }

    /// The dictionary as text of its revision, and what a text cannot say of it: dictionaries that come from sections may have names that are keywords, no
    /// name of their own, and structures that are no roots (B).
    ///
    /// # Errors
    /// A structure that holds itself, of which there is no value, or a tag that is an array of another tag: sections have these, and texts do not.
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
