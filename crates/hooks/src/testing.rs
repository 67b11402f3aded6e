//! Bodies of the fuzz targets, which tests run too.

use crate::template::Language;

/// Checks that a text either is a template, in each language, or has a mistake on one of its lines.
///
/// # Panics
/// A mistake has no line of the text.
pub fn template(text: &str) {
    for language in [Language::Ejs, Language::Mustache] {
        if let Err(error) = language.check("t", text) {
            let line = error.place().map_or(0, |place| place.line as usize);
            assert!((1..=text.matches('\n').count() + 1).contains(&line), "{error}: {text}");
        }
    }
}
