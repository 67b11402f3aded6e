//! Schemas from samples.

use std::ffi::c_char;

use polywire_core::tools::Stream;
use polywire_core::tools::adapt::Walker;
use polywire_schema::infer::Inference;
use polywire_schema::languages;

use crate::error::{ErrorObject, Status};
use crate::format::{FormatObject, dialect};
use crate::guard::guard;
use crate::options::Options;
use crate::outcome::Outcome;
use crate::pointer::{BytesIn, New, TextIn};

/// Infers a schema from the messages of `bytes`, and writes it in a schema language: "proto",
/// "extprot", "usds" or "text". Null for `format` means the one that the bytes look like. `name`
/// names the message type; null leaves it to the language.
///
/// The result's bytes are the schema's text. Its losses are what the language could not say, as
/// objects with `at` and `what`.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_schema_infer(
    bytes: *const u8,
    length: usize,
    format: *const FormatObject,
    language: *const c_char,
    name: *const c_char,
    options: *const Options,
    result: *mut *mut Outcome,
    error: *mut *mut ErrorObject,
) -> Status {
    result.clear();
    guard(error, || {
        let bytes = bytes.bytes(length)?;
        let options = Options::of(options);
        let language = languages::find(language.wanted_text("the name of a schema language")?)?;
        let name = name.text("the name of a type")?;
        let mut inference = Inference::new();
        let mut walker = Walker::new(dialect(format, bytes)?, &options.limits);
        inference.add_stream(&mut Stream::new(bytes), &mut walker, options.threads)?;
        let samples = inference.samples();
        let (text, losses) = language.write_mapped(&inference.finish(name))?;
        let losses: Vec<serde_json::Value> =
            losses.into_iter().map(|loss| serde_json::json!({ "at": loss.at, "what": loss.what })).collect();
        result.make(Outcome::new(text.into_bytes(), samples, &serde_json::Value::Array(losses).to_string()));
        Ok(())
    })
}
