//! All schema languages, one line each.

use polywire_core::schema::language::SchemaLanguage;
use polywire_core::{Error, Result};

/// Every schema language that is compiled in, the default one first.
#[rustfmt::skip] // One line each, so that a new language is one new line.
pub static LANGUAGES: &[&dyn SchemaLanguage] = &[
    &crate::listing::Listing,
    #[cfg(feature = "extprot")] &polywire_extprot::language::Extprot,
    #[cfg(feature = "usds")] &polywire_usds::language::Usds,
    #[cfg(feature = "protobuf")] &polywire_protobuf::language::Proto,
    #[cfg(feature = "asn1")] &polywire_asn1::language::Asn1,
    #[cfg(feature = "thrift")] &polywire_thrift::idl::Idl,
    #[cfg(feature = "etch")] &polywire_etch::nsdl::Nsdl,
];

/// Returns the language with this name.
///
/// # Errors
/// No language that is compiled in has this name; the error lists the names that exist.
pub fn find(name: &str) -> Result<&'static dyn SchemaLanguage> {
    LANGUAGES.iter().copied().find(|language| language.name() == name).ok_or_else(|| {
        let names: Vec<&str> = LANGUAGES.iter().map(|language| language.name()).collect();
        Error::usage(format!("`{name}`")).expected(format!("one of {}", names.join(", ")))
    })
}

/// The names of the languages that were not compiled in, each with the feature that brings it.
pub static ABSENT: &[(&str, &str)] = &[
    #[cfg(not(feature = "asn1"))]
    ("asn1", "asn1"),
    #[cfg(not(feature = "etch"))]
    ("etch", "etch"),
    #[cfg(not(feature = "thrift"))]
    ("thrift", "thrift"),
];

/// Returns the language of files with this extension, among those that can be read.
pub fn by_extension(ending: &str) -> Option<&'static dyn SchemaLanguage> {
    let mut readable = LANGUAGES.iter().copied().filter(|language| language.reader().is_some());
    readable.find(|language| language.extensions().iter().any(|known| known.eq_ignore_ascii_case(ending)))
}
