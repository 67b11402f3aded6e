//! The schema languages that code can be generated from, and the encodings, one line each.

use std::path::Path;

use polywire_core::{Error, Result};

use crate::encoding::{ForeignEncoding, Language};

/// The schema languages.
#[rustfmt::skip] // One line each, so that a new language is one new line.
pub static LANGUAGES: &[&dyn Language] = &[
    &crate::extprot::Extprot,
    &crate::protobuf::Protobuf,
    #[cfg(feature = "thrift")]
    &crate::thrift::Thrift,
    &crate::usds::Usds,
];

/// The encodings that types of any language can have beside their own.
#[rustfmt::skip] // As above.
pub static ENCODINGS: &[&dyn ForeignEncoding] = &[
    &crate::protobuf::ForAny,
    &crate::usds::ForAny,
];

/// Returns the language of a file by its extension.
///
/// # Errors
/// No language has that extension.
pub fn by_path(path: &Path) -> Result<&'static dyn Language> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    LANGUAGES.iter().copied().find(|language| language.extensions().contains(&extension)).ok_or_else(|| {
        let extensions: Vec<String> =
            LANGUAGES.iter().flat_map(|language| language.extensions()).map(|extension| format!(".{extension}")).collect();
        Error::usage(format!("`{}`", path.display()))
            .expected(format!("a schema: a file with one of the extensions {}", extensions.join(", ")))
    })
}
