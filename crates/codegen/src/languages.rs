//! All schema languages that code can be made of, one line each.

use std::path::Path;

use polywire_core::{Error, Result};

use crate::encoding::{ForeignEncoding, Language};

/// Every one of them, the default one first.
#[rustfmt::skip] // One line each, so that a new language is one new line.
pub static LANGUAGES: &[&dyn Language] = &[
    &crate::extprot::Extprot,
    &crate::protobuf::Protobuf,
    &crate::usds::Usds,
];

/// Encodings that types of any language have, beside that of their own.
#[rustfmt::skip] // As above.
pub static ENCODINGS: &[&dyn ForeignEncoding] = &[
    &crate::protobuf::ForAny,
    &crate::usds::ForAny,
];

/// The language of a file by its ending. Where only one is known, it is that.
///
/// # Errors
/// No language has that ending.
pub fn by_path(path: &Path) -> Result<&'static dyn Language> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    LANGUAGES.iter().copied().find(|language| language.extensions().contains(&ending)).ok_or_else(|| {
        let endings: Vec<String> = LANGUAGES.iter().flat_map(|language| language.extensions()).map(|ending| format!(".{ending}")).collect();
        Error::usage(format!("`{}`", path.display())).expected(format!("a schema: a file with one of the endings {}", endings.join(", ")))
    })
}
