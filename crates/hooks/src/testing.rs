//! Bodies of the fuzz targets, which tests run too; and Mustache alone, for its public suite.

use std::path::PathBuf;
use std::sync::Arc;

use polywire_doc::Datum;

use crate::engine::ScriptError;
use crate::template::{Effort, Escape, Language, TemplateFile, error, render};

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

/// Renders a text as Mustache for a media type, over `data` as the outermost scope. Partials are
/// found by name; an absent one is an error, as an absent file is.
///
/// # Errors
/// A template is malformed, absent or too large.
pub fn mustache(text: &str, media_type: &str, data: &Datum, partials: &[(&str, &str)]) -> Result<String, String> {
    let source = |name: Option<&str>| {
        let text = match name {
            None => Some(text),
            Some(name) => partials.iter().find(|(known, _)| *known == name).map(|(_, text)| *text),
        };
        let text = text.ok_or_else(|| error(format!("there is no template {}", name.unwrap_or_default())))?;
        Ok(Arc::new(TemplateFile::new(PathBuf::from(name.unwrap_or("t")), text.to_string())))
    };
    render(&source, "t", data, (Escape::of(media_type), Effort::MOST)).map_err(|failed| ScriptError::from(failed).to_string())
}
