//! Documents: head, dictionary and body, each of which may be missing (docs/spec/usds.md 5).

mod known;
mod parts;
mod roots;

pub use known::{Known, Located};
pub use parts::{Framing, Head, Parts, framed, split};
pub use roots::{Root, Roots};

use crate::dictionary::{Dictionary, section};
use crate::error::{Problem, Revision};
use crate::plan::Plan;
pub use crate::wire::signature::{body_revision, signature};
use crate::wire::{codes, put_uvarint};

/// Parts of a document. A dictionary needs a head (docs/spec/usds.md 5.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// For files, and receivers without the dictionary.
    HeadDictionaryBody,
    /// Opens a connection.
    HeadDictionary,
    /// Shows whether both sides hold the same dictionary.
    Head,
    /// For receivers that hold the dictionary.
    HeadBody,
    /// For a connection that was opened.
    Body,
}

impl Form {
    /// All forms.
    pub const ALL: [Form; 5] = [Form::HeadDictionaryBody, Form::HeadDictionary, Form::Head, Form::HeadBody, Form::Body];

    const fn has_head(self) -> bool {
        !matches!(self, Form::Body)
    }

    const fn has_dictionary(self) -> bool {
        matches!(self, Form::HeadDictionaryBody | Form::HeadDictionary)
    }

    const fn has_body(self) -> bool {
        matches!(self, Form::HeadDictionaryBody | Form::HeadBody | Form::Body)
    }
}

/// Returns the dictionary part with signature and size.
///
/// # Errors
/// [`Problem::SectionType`]: sections of the revision cannot express the dictionary.
pub fn dictionary_part(dictionary: &Dictionary, revision: Revision) -> Result<Vec<u8>, Problem> {
    let contents = section::write(dictionary, revision)?;
    let mut part = Vec::with_capacity(contents.len() + 6);
    part.push(codes::DICTIONARY);
    put_uvarint(&mut part, contents.len() as u64);
    part.extend(contents);
    Ok(part)
}

/// Writer of documents of one dictionary, whose part it keeps as bytes.
#[derive(Debug, Clone)]
pub struct Assembly {
    head: [u8; 10],
    dictionary: Vec<u8>,
}

impl Assembly {
    /// Returns a writer for a plan's dictionary.
    ///
    /// # Errors
    /// As [`dictionary_part`].
    pub fn new(plan: &Plan) -> Result<Assembly, Problem> {
        let dictionary = dictionary_part(plan.dictionary(), plan.wire())?;
        Ok(Assembly { head: plan.dictionary().identity().head(), dictionary })
    }

    /// Appends a document of that form. `body` is a body with its signature; forms without a body
    /// leave it out.
    ///
    /// # Errors
    /// [`Problem::Overflow`]: the document is too long for the size in the head.
    pub fn write(&self, form: Form, body: &[u8], out: &mut Vec<u8>) -> Result<(), Problem> {
        let dictionary: &[u8] = if form.has_dictionary() { &self.dictionary } else { &[] };
        let body = if form.has_body() { body } else { &[] };
        if form.has_head() {
            let size = dictionary.len() + body.len();
            if size > u32::MAX as usize {
                return Err(Problem::Overflow);
            }
            out.extend_from_slice(&self.head);
            put_uvarint(out, size as u64);
        }
        out.extend_from_slice(dictionary);
        out.extend_from_slice(body);
        Ok(())
    }
}
