//! The bodies of the fuzz targets, which tests run too.

use crate::template::Language;

/// A template of either language: it is one, or what is wrong is on one of its lines.
///
/// # Panics
/// It is not so.
pub fn template(text: &str) {
    for language in [Language::Ejs, Language::Mustache] {
        if let Err(error) = language.check("t", text) {
            let line = error.place().map_or(0, |place| place.line as usize);
            assert!((1..=text.matches('\n').count() + 1).contains(&line), "{error}: {text}");
        }
    }
}
