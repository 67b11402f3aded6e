//! The message type of a run: the one that `--type` names, the only one of the schema, or the only
//! one that fits the first message.

use polywire_core::Limits;
use polywire_core::format::{Dialect, Format};
use polywire_core::tools::adapt::Walker;
use polywire_core::tools::trial;

use crate::args::schema_file::SchemaArg;
use crate::failure::Failure;
use crate::input::Input;
use crate::stderr;

/// The schema of a run, with its message type chosen.
#[derive(Clone)]
pub struct Typed<'a> {
    schema: &'a SchemaArg,
    /// The first format that takes the schema, bound to the type.
    chosen: Option<Dialect>,
}

impl<'a> Typed<'a> {
    /// Chooses the type of the messages of `input`, which are in the format `from` and may be
    /// written in the formats `to`. A type that the first message decides is reported on stderr.
    pub fn new(
        schema: &'a SchemaArg,
        input: &mut Input,
        from: &'static Format,
        to: &[&'static Format],
        limits: &Limits,
    ) -> Result<Typed<'a>, Failure> {
        let taker = [from].into_iter().chain(to.iter().copied()).find(|format| schema.is_for(format));
        let (Some(format), Some(path)) = (taker, &schema.schema) else { return Ok(Typed { schema, chosen: None }) };
        let candidates = match (format.binder, &schema.ty) {
            (Some(binder), None) => binder.candidates(path, &schema.include)?,
            _ => Vec::new(),
        };
        if candidates.is_empty() {
            let chosen = schema.dialect(format)?;
            // Formats that show messages as they are declared need the others to do so too.
            let shows = |format: &Format| schema.is_for(format) && format.binder.is_some_and(|binder| !binder.adopts());
            let declared = [from].iter().chain(to).any(|format| shows(format));
            let chosen = if declared { chosen.declared().unwrap_or(chosen) } else { chosen };
            return Ok(Typed { chosen: Some(chosen), schema });
        }
        let mut dialects: Vec<Dialect> = candidates.iter().map(|candidate| Dialect::bound(format, candidate.bound.clone())).collect();
        let reads = format.name == from.name;
        let source = if reads { dialects[0].clone() } else { Dialect::from(from) };
        let shown = path.display().to_string();
        let message = input.stream.peek_message(&mut Walker::new(source.clone(), limits));
        let Some(message) = message.map_err(|error| Failure::about(error, Some(&input.name)))? else {
            // Nothing has that type.
            return Ok(Typed { schema, chosen: Some(dialects.swap_remove(0)) });
        };
        let fits = |to: &Dialect| if reads { trial::reads(to, message, limits) } else { trial::writes(&source, to, message, limits) };
        let names = candidates.iter().map(|candidate| candidate.name.as_str());
        let outcomes: Vec<_> = names.zip(dialects.iter().map(fits)).collect();
        let index = trial::decide(&shown, &outcomes).map_err(|error| error.hint("name it with --type"))?;
        let others: Vec<&str> = outcomes.iter().map(|(name, _)| *name).filter(|name| *name != outcomes[index].0).collect();
        stderr::say(format_args!(
            "messages are taken for {}, as the first one does not fit {}; --type names another type",
            outcomes[index].0,
            trial::listed(&others)
        ));
        Ok(Typed { schema, chosen: Some(dialects.swap_remove(index)) })
    }

    /// Returns the format bound to the message type if it takes the schema's language, else the
    /// format by itself.
    pub fn dialect(&self, format: &'static Format) -> Result<Dialect, Failure> {
        match &self.chosen {
            Some(chosen) if chosen.format().name == format.name => Ok(chosen.clone()),
            Some(chosen) => chosen.in_format(format).map_or_else(|| Ok(self.schema.dialect(format)?), Ok),
            None => Ok(self.schema.dialect(format)?),
        }
    }
}
