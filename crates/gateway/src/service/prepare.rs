//! Loads the needs of a table's verb: decoder, hooks, templates.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use http::HeaderValue;
use polywire_core::walk::Path as ValuePath;
use polywire_doc::{Reads, Shape};
use polywire_hooks::{Hook, Language, Transformer};
use polywire_ql::error::QueryError;
use polywire_ql::table::{Action, Table};
use polywire_ql::template::uri::UriTemplate;

use super::looked::Looked;
use super::problem;
use super::session::Service;
use super::shelf::Prepared;
use super::soap::Soap;
use crate::decode::{Decoder, Offer};
use crate::directory::codec;
use crate::directory::files::below;

/// The largest body template of a form, in bytes.
const LARGEST_FORM: u64 = 1 << 20;

/// Returns the needs of a verb, loaded on its first call. Nothing is kept for tables that a script
/// makes.
pub(super) async fn prepared(service: &Service, table: &Arc<Table>, action: &Action) -> Result<Arc<Prepared>, QueryError> {
    if let Some(prepared) = service.shelf.get(table, action.verb) {
        return Ok(prepared);
    }
    let prepared = Arc::new(prepare(service, table, action).await?);
    if table.folder.is_some() {
        service.shelf.put(table, action.verb, prepared.clone());
    }
    Ok(prepared)
}

async fn prepare(service: &Service, table: &Arc<Table>, action: &Action) -> Result<Prepared, QueryError> {
    let folder = table.folder.as_deref().unwrap_or(&service.root);
    let path = |file: &str| path(&service.root, folder, file);
    let (decoder, accept) = decoder(service, folder, action)?;
    let transformer = match service.xformer(&table.name) {
        Some(module) => Some(service.shared.hooks.transformer(&module).await.map_err(problem::of_hook)?),
        None => None,
    };
    let transformed = transformer.as_ref().map(Transformer::accept).filter(|accept| !accept.is_empty());
    let accept = transformed.and_then(|accept| HeaderValue::from_str(accept).ok()).or(accept);
    let patch = match &action.patch {
        Some(file) => Some(service.shared.hooks.patch(&path(file)?).await.map_err(problem::of_hook)?),
        None => None,
    };
    let template = action.body.as_ref().map(|body| path(&body.template)).transpose()?;
    let auth = action.auth.as_deref().map(path).transpose()?;
    let has = |hook: &Hook| patch.as_ref().is_some_and(|patch| patch.has(*hook));
    let exported =
        [Hook::ValidateParam, Hook::PatchUri, Hook::PatchHeaders, Hook::BodyTemplate, Hook::PatchBody].iter().filter(|hook| has(hook));
    let form = match (&template, &action.body) {
        (Some(file), Some(body)) if body.media.eq_ignore_ascii_case("application/x-www-form-urlencoded") && !file.ends_with(".ejs") => {
            Some(form(&service.root, file.clone()).await)
        }
        _ => None,
    };
    let encoder = encoder(service, folder, action)?;
    let soap = action.soap.as_ref().map(|soap| Soap::new(soap, &action.method)).transpose()?;
    let is_script = template.as_deref().is_some_and(|file| Language::of(file) == Some(Language::Ejs));
    Ok(Prepared {
        hooks_before: exported.count() + usize::from(auth.is_some()) + usize::from(is_script),
        decoder,
        transformer,
        accept: accept.unwrap_or_else(|| service.accept.clone()),
        patch,
        looked: Looked::default(),
        template,
        form,
        encoder,
        soap,
        auth,
    })
}

/// Reads the body template of a form: a file with a URI template (docs/spec/ql.md 8.3).
async fn form(root: &Path, file: String) -> Result<UriTemplate, QueryError> {
    let path = root.join(&file);
    let read = tokio::task::spawn_blocking(move || {
        let mut text = String::new();
        File::open(path)?.take(LARGEST_FORM + 1).read_to_string(&mut text).map(|_| text)
    });
    let wrong = |what: String| QueryError::new("template", format!("the body template `{file}`{what}")).hint("mend the table").status(500);
    let text = read.await.map_err(std::io::Error::other).flatten().map_err(|error| wrong(format!(" cannot be read: {error}")))?;
    if text.len() as u64 > LARGEST_FORM {
        return Err(wrong(format!(" is larger than {LARGEST_FORM} bytes")));
    }
    UriTemplate::read(text.trim()).map_err(|(at, what)| wrong(format!(", byte {at}: {what}")))
}

/// Returns the path of a clause's file below the table directory: its name starts at the folder of
/// its table.
fn path(root: &Path, folder: &Path, file: &str) -> Result<String, QueryError> {
    let found = below(root, folder, file).ok_or_else(|| {
        QueryError::new("file_outside", format!("the file `{file}` lies outside of the table directory"))
            .hint("put it beside the table")
            .status(500)
    })?;
    Ok(found.to_string_lossy().into_owned())
}

fn decoder(service: &Service, folder: &Path, action: &Action) -> Result<(Decoder, Option<HeaderValue>), QueryError> {
    let wrong = |error: polywire_core::Error| QueryError::new("bad_table", error.to_string()).hint("mend the table").status(500);
    let mut decoder = Decoder::by_media_type().limits(service.limits);
    let mut accept = None;
    if let Some(clause) = &action.decoder {
        let dialect = codec::dialect(&service.root, folder, clause).map_err(wrong)?;
        accept = dialect.format().media_types.first().and_then(|media| HeaderValue::from_str(media).ok());
        decoder = decoder.dialect(dialect);
    }
    if let Some(mapping) = &action.mapping {
        decoder = decoder.convention(mapping).map_err(wrong)?;
    }
    Ok((decoder.shape(shape(&action.shape)?), accept))
}

fn encoder(service: &Service, folder: &Path, action: &Action) -> Result<Option<Offer>, QueryError> {
    let Some(clause) = &action.encoder else { return Ok(None) };
    let wrong = |what: String| QueryError::new("bad_table", what).hint("mend the table").status(500);
    if matches!(action.method.as_str(), "get" | "delete") {
        return Err(wrong(format!("a request by {} has no body to encode", action.method.to_ascii_uppercase())));
    }
    let dialect = codec::encoder(&service.root, folder, clause).map_err(|error| wrong(error.to_string()))?;
    Offer::of(dialect).map(Some).ok_or_else(|| wrong(format!("`{}` has no media type to send it by", clause.format)))
}

fn shape(declared: &polywire_ql::table::Shape) -> Result<Shape, QueryError> {
    let path = |text: &String| {
        ValuePath::parse(text).map_err(|error| QueryError::new("bad_table", error.to_string()).hint("mend the table").status(500))
    };
    let mut shape = Shape::default();
    for text in &declared.arrays {
        shape.list(&path(text)?);
    }
    for (texts, reads) in [(&declared.numbers, Reads::Number), (&declared.text, Reads::Text)] {
        for text in texts {
            shape.reads(&path(text)?, reads);
        }
    }
    Ok(shape)
}
