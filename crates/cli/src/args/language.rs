//! Schema languages by their names.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use polywire_core::schema::language::SchemaLanguage;
use polywire_schema::languages::{self, LANGUAGES};

use crate::absent;

/// A schema language of the registry.
#[derive(Clone, Copy)]
pub struct Language(pub &'static dyn SchemaLanguage);

impl std::fmt::Debug for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Language({})", self.0.name())
    }
}

/// Returns a parser for the languages that schemas are printed in.
pub fn language_names() -> impl TypedValueParser<Value = Language> {
    named_languages(|_| true)
}

/// Returns a parser for the languages that schemas are read from.
pub fn readable_language_names() -> impl TypedValueParser<Value = Language> {
    named_languages(|language| language.reader().is_some())
}

fn named_languages(which: fn(&dyn SchemaLanguage) -> bool) -> impl TypedValueParser<Value = Language> {
    let listed = LANGUAGES.iter().copied().filter(move |language| which(*language));
    let named = listed.map(|language| PossibleValue::new(language.name()).help(language.title()));
    let absent = languages::ABSENT.iter().map(|(name, _)| PossibleValue::new(*name).hide(true));
    PossibleValuesParser::new(named.chain(absent)).try_map(|name| match languages::ABSENT.iter().find(|(known, _)| *known == name) {
        Some((known, feature)) => Err(absent::name(known, feature)),
        None => languages::find(&name).map(Language),
    })
}
