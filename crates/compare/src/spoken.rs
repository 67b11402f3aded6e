//! The dialect of each format: the format itself, or bound to a schema.

use polywire_core::Result;
use polywire_core::format::{Binder, Dialect, Format};
use polywire_core::schema::Schema;
use polywire_schema::infer::Inference;

use crate::messages::Messages;
use crate::options::Options;

/// Format to prove, in its dialect.
pub(crate) struct Spoken {
    pub(crate) dialect: Dialect,
    /// Reason, if it cannot take part.
    pub(crate) why: Option<String>,
}

/// Returns the formats in their dialects. Formats that need a schema and have none get the schema
/// inferred from all messages.
pub(crate) fn of(messages: &Messages, formats: &[&'static Format], options: &Options) -> Result<Vec<Spoken>> {
    let mut inferred: Option<Schema> = None;
    let mut all = Vec::with_capacity(formats.len());
    for format in formats {
        let is_this = |dialect: &&Dialect| dialect.format().name == format.name && dialect.is_bound();
        let bound = options.bound.iter().chain([messages.dialect()]).find(is_this);
        let (dialect, why) = match (bound, format.writer, format.binder) {
            (Some(dialect), ..) => (dialect.clone(), None),
            (None, None, Some(binder)) => {
                let schema = match inferred.take() {
                    Some(schema) => schema,
                    None => infer(messages)?,
                };
                let adopted = adopt(format, binder, &schema);
                inferred = Some(schema);
                adopted
            }
            _ => (Dialect::from(*format), None),
        };
        all.push(Spoken { dialect, why });
    }
    Ok(all)
}

fn adopt(format: &'static Format, binder: &dyn Binder, schema: &Schema) -> (Dialect, Option<String>) {
    match binder.adopt(schema) {
        Ok(bound) => (Dialect::bound(format, bound), None),
        Err(error) => (format.into(), Some(format!("the schema of the messages cannot be said: {error}"))),
    }
}

fn infer(messages: &Messages) -> Result<Schema> {
    let mut walker = messages.walker(messages.dialect().clone());
    let mut inference = Inference::new();
    for index in 0..messages.len() {
        let (bytes, base) = messages.get(index);
        inference.add(|sink| walker.walk(bytes, base, sink))?;
    }
    Ok(inference.finish(None))
}
