//! The variables that options give a filter, and its words.

use std::path::Path;

use polywire_core::tools::Stream;
use polywire_core::tools::adapt::Walker;
use polywire_core::{Error, Limits};
use polywire_jq::{NATIVE, Val, ValSink};

use super::bad_value;
use crate::args::jq::JqArgs;
use crate::failure::Failure;
use crate::input;

/// Returns the words of the command line that are filter and inputs, and the values of
/// `$ARGS.positional`. The first word is the filter, wherever `--args` stands.
pub fn words(args: &JqArgs) -> Result<(Vec<String>, Vec<Val>), Failure> {
    let mut words = args.words.clone();
    let mut texts = args.args.clone().unwrap_or_default();
    let mut values = args.jsonargs.clone().unwrap_or_default();
    if words.is_empty() && args.from_file.is_none() {
        let first = if texts.is_empty() { &mut values } else { &mut texts };
        if !first.is_empty() {
            words.push(first.remove(0));
        }
    }
    let mut positional: Vec<Val> = texts.iter().map(|text| Val::text(text)).collect();
    for value in values {
        positional.push(value_of(&value).map_err(|error| bad_value("--jsonargs", &error))?);
    }
    Ok((words, positional))
}

/// Returns the variables by name: those of the options, `$ARGS` and `$ENV`.
pub fn variables(args: &JqArgs, positional: Vec<Val>, limits: &Limits) -> Result<Vec<(String, Val)>, Failure> {
    let pairs = |words: &[String]| words.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect::<Vec<_>>();
    let mut found = Vec::new();
    for (name, text) in pairs(&args.arg) {
        found.push((name, Val::text(&text)));
    }
    for (name, json) in pairs(&args.argjson) {
        let value = value_of(&json).map_err(|error| bad_value(&format!("--argjson {name}"), &error))?;
        found.push((name, value));
    }
    for (name, file) in pairs(&args.slurpfile) {
        found.push((name, messages_of(Path::new(&file), limits)?));
    }
    for (name, file) in pairs(&args.rawfile) {
        let text = std::fs::read(&file).map_err(|error| Failure::about(Error::io("reading", &error), Some(&file)))?;
        let text = String::from_utf8(text).map_err(|_| Failure::about(Error::usage("a file that is no UTF-8"), Some(&file)))?;
        found.push((name, Val::from(text)));
    }
    let named = Val::object(found.iter().map(|(name, value)| (Val::text(name), value.clone())));
    let arguments = Val::object([(Val::text("positional"), Val::list(positional)), (Val::text("named"), named)]);
    let environment = Val::object(std::env::vars().map(|(name, value)| (Val::from(name), Val::from(value))));
    found.push(("ARGS".into(), arguments));
    found.push(("ENV".into(), environment));
    Ok(found)
}

/// Returns the one value of a text in the language's own format.
fn value_of(text: &str) -> Result<Val, Error> {
    let mut walker = Walker::new(NATIVE, &Limits::DEFAULT);
    let mut stream = Stream::new(text.as_bytes()).exactly_one(true);
    let mut sink = ValSink::new();
    let mut value = None;
    while let Some(message) = stream.next(&mut walker)? {
        walker.walk(message.bytes, message.base, &mut sink)?;
        value = sink.take();
    }
    value.ok_or_else(|| Error::truncated(text.len() as u64, "a value"))
}

/// Returns the list of the messages of a file, in any format.
fn messages_of(path: &Path, limits: &Limits) -> Result<Val, Failure> {
    let mut input = input::open(Some(path))?.opened(None, limits)?;
    let format = input.format(None)?;
    let mut walker = Walker::new(format, limits);
    let mut sink = ValSink::new();
    let mut messages = Vec::new();
    let failed = |error: Error| Failure::about(error, Some(&input.name));
    while let Some(message) = input.stream.next(&mut walker).map_err(failed)? {
        let walked = walker.walk(message.bytes, message.base, &mut sink);
        walked.map_err(|error| failed(input.stream.explain(error)))?;
        messages.extend(sink.take());
    }
    Ok(Val::list(messages))
}
