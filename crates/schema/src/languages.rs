//! All schema languages, one line each.

use std::path::Path;

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

/// The language of a file, by its ending.
///
/// # Errors
/// No language has that ending; the error lists those that there are.
pub fn of(path: &Path) -> Result<&'static dyn SchemaLanguage> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    LANGUAGES.iter().copied().find(|language| language.extensions().contains(&ending.as_str())).ok_or_else(|| {
        let endings: Vec<&str> = LANGUAGES.iter().flat_map(|language| language.extensions()).copied().collect();
        Error::usage(path.display().to_string()).expected(format!("a file that ends in one of: {}", endings.join(", "))).hint("or name the language with --lang")
    })
}
