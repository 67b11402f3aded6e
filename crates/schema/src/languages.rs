//! All schema languages, one line each.

use polywire_core::error::{Error, Result};
use polywire_core::language::SchemaLanguage;

/// Every schema language, the default one first.
#[rustfmt::skip] // One line each, so that a new language is one new line.
pub static LANGUAGES: &[&dyn SchemaLanguage] = &[
    &crate::listing::Listing,
];

/// The language of that name.
///
/// # Errors
/// There is none; the error lists those that there are.
pub fn find(name: &str) -> Result<&'static dyn SchemaLanguage> {
    LANGUAGES.iter().copied().find(|language| language.name() == name).ok_or_else(|| {
        let names: Vec<&str> = LANGUAGES.iter().map(|language| language.name()).collect();
        Error::usage(format!("`{name}`")).expected(format!("one of {}", names.join(", ")))
    })
}
