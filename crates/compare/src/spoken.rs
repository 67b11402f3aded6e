//! The dialect of each format: the format itself, or bound to a schema.

use std::sync::Arc;

use polywire_core::format::{Binder, Dialect, Format};
use polywire_core::schema::Schema;
use polywire_core::tools::Count;
use polywire_core::{Error, Result};
use polywire_schema::infer::Inference;
use polywire_schema::languages::LANGUAGES;

use crate::comparison::{Origin, RowSchema};
use crate::compressed::zstd_stream;
use crate::holdout::Holdout;
use crate::messages::Messages;
use crate::options::{Given, Options};

/// Format to prove, in its dialect.
pub(crate) struct Spoken {
    pub(crate) dialect: Dialect,
    /// Reason, if it cannot take part.
    pub(crate) why: Option<String>,
    /// Its schema, if it has one.
    pub(crate) schema: Option<RowSchema>,
    /// The common schema that it adopted, if that was inferred.
    pub(crate) learned: Option<Arc<Schema>>,
}

/// Returns the formats in their dialects, and the split of the messages. Formats whose bytes a
/// schema explains, and that have none, get the schema inferred from the messages that it is
/// learned on.
pub(crate) fn of(messages: &Messages, formats: &[&'static Format], options: &Options) -> Result<(Vec<Spoken>, Holdout)> {
    // Messages that are written without a schema anyway keep their form in formats of their kind.
    let own = messages.dialect().format().binder.map(Binder::endings);
    let learns = |format: &Format| {
        let takes = |binder: &dyn Binder| format.writer.is_none() || binder.adopts() && own != Some(binder.endings());
        format.binder.is_some_and(takes) && bound(format, messages, options).is_none()
    };
    let learning = formats.iter().copied().any(learns);
    let holdout = Holdout::new(messages.len(), learning);
    let inferred = if learning { Some(Arc::new(infer(messages, holdout)?)) } else { None };
    let mut all = Vec::with_capacity(formats.len());
    for &format in formats {
        let spoken = match (bound(format, messages, options), format.binder, &inferred) {
            (Some((dialect, given)), ..) => {
                Spoken { dialect: dialect.clone(), why: None, schema: Some(schema_given(format, given)?), learned: None }
            }
            (None, Some(binder), Some(schema)) if learns(format) => adopt(format, binder, schema, holdout)?,
            _ => Spoken { dialect: format.into(), why: None, schema: None, learned: None },
        };
        all.push(spoken);
    }
    Ok((all, holdout))
}

/// Returns the dialect of a format that is bound to a given schema, with that schema if the options
/// have it; the messages' own dialect may be bound without.
fn bound<'o>(format: &Format, messages: &'o Messages, options: &'o Options) -> Option<(&'o Dialect, Option<&'o Given>)> {
    let is_this = |dialect: &Dialect| dialect.format().name == format.name && dialect.is_bound();
    let given = options.bound.iter().find(|given| is_this(&given.dialect)).map(|given| (&given.dialect, Some(given)));
    given.or_else(|| Some((messages.dialect(), None)).filter(|(dialect, _)| is_this(dialect)))
}

fn schema_given(format: &Format, given: Option<&Given>) -> Result<RowSchema> {
    let extension = given.and_then(|given| given.file.extension()).and_then(|extension| extension.to_str());
    let text = given.map(|given| given.text.clone());
    Ok(RowSchema {
        file: given.map(|given| given.file.display().to_string()),
        ..with_text(format, Origin::Given, extension.unwrap_or_default(), text)?
    })
}

fn adopt(format: &'static Format, binder: &dyn Binder, schema: &Arc<Schema>, holdout: Holdout) -> Result<Spoken> {
    let (dialect, why) = match binder.adopt(schema) {
        Ok(bound) => (Dialect::bound(format, bound), None),
        // It takes part without a schema.
        Err(_) if format.writer.is_some() => {
            return Ok(Spoken { dialect: format.into(), why: None, schema: None, learned: None });
        }
        Err(error) => (format.into(), Some(format!("the schema of the messages cannot be said: {error}"))),
    };
    let language = LANGUAGES.iter().find(|language| language.extensions().iter().any(|ending| binder.endings().contains(ending)));
    // Text is for people and files; a language without a form for the schema costs the row nothing.
    let (text, no_text) = match language.map(|language| language.write_mapped(schema)) {
        Some(Ok((text, _))) => (Some(text.into_bytes()), None),
        Some(Err(error)) => (None, Some(error.to_string())),
        None => (None, Some("its language is not written".to_string())),
    };
    let extension = language.and_then(|language| language.extensions().first().copied()).unwrap_or_default();
    let schema_row = RowSchema {
        learned_on: Some(holdout.learned()),
        held_out: holdout.is_split().then(|| holdout.measured().len()),
        no_text,
        ..with_text(format, Origin::Inferred, extension, text)?
    };
    Ok(Spoken { dialect, why, schema: Some(schema_row), learned: Some(schema.clone()) })
}

/// Returns a schema with the sizes of its text.
fn with_text(format: &Format, origin: Origin, extension: &str, text: Option<Vec<u8>>) -> Result<RowSchema> {
    let dot = if extension.is_empty() { "" } else { "." };
    Ok(RowSchema {
        origin,
        file: None,
        name: format!("{}{dot}{extension}", format.name),
        bytes: text.as_ref().map(Vec::len),
        zstd: text.as_deref().map(zstd_stream).transpose().map_err(|error| Error::io("compressing in memory", &error))?,
        no_text: None,
        text,
        learned_on: None,
        held_out: None,
        unfit: 0,
        charged_as: None,
    })
}

fn infer(messages: &Messages, holdout: Holdout) -> Result<Schema> {
    let mut walker = messages.walker(messages.dialect().clone());
    let mut inference = Inference::new();
    for index in 0..messages.len() {
        let (bytes, base) = messages.get(index);
        if holdout.learns(index) {
            inference.add(|sink| walker.walk(bytes, base, sink))?;
        } else {
            // In order, those between included: a message may lean on one before it.
            walker.walk(bytes, base, &mut Count::default())?;
        }
    }
    Ok(inference.finish(None))
}
