//! `polywire convert`.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use polywire_core::format::Format;
use polywire_core::tools::adapt::{Missed, Walker};
use polywire_core::tools::convert::Converter;
use polywire_core::{Error, Surrogates};
use polywire_formats::registry;

use crate::args::convert::{ConvertArgs, SurrogatesArg};
use crate::failure::{Failure, unwritten};
use crate::input::Place;
use crate::message_type::Typed;
use crate::missed::{self, Unmatched};
use crate::{input, losses, stderr, stdout};

/// Runs the verb.
pub fn run(args: ConvertArgs) -> Result<(), Failure> {
    let output = args.output.filter(|path| path != Path::new("-"));
    let to = target(args.to, output.as_deref())?;
    args.to_settings.is_used_by(to)?;
    let limits = args.limits.limits();
    let places = input::places(&args.inputs)?;
    let mut sink = None;
    let mut converter = None;
    let mut sought = Sought::default();
    for place in places.iter().map(Some).chain(places.is_empty().then_some(None)) {
        let path = place.map(|place| place.path.as_path());
        let mut input = input::open(path)?.opened(args.open.as_ref(), &limits)?.in_charset(&args.from.charset, args.from.from)?;
        let from = match input.format(args.from.from) {
            Err(failure) if place.is_some_and(|place| place.found) && failure.is_unknown_format() => {
                stderr::say(format_args!("{}: skipped, its bytes look like no format", input.name));
                continue;
            }
            found => found?,
        };
        args.schema.is_used_by(&[from, to])?;
        args.from.is_used_by(&[from], Some(to))?;
        let typed = Typed::new(&args.schema, &mut input, from, &[to], &limits)?;
        let mut source = args.from.settings.applied(typed.dialect(from)?)?;
        if args.ignore_unknown {
            source = source.ignoring_unknown().ok_or_else(|| {
                Error::usage(format!("--ignore-unknown for {}", from.name))
                    .expected("a format with names that the schema has to know, and a schema")
                    .hint("--unknown drop leaves out fields that only have numbers")
            })?;
        }
        let mut walker = Walker::new(source, &limits)
            .unknown(args.unknown.policy())
            .numbers(args.numbers.policy())
            .sorted(args.layout.sort_keys)
            .doubles(args.duplicates.policy())
            .surrogates(args.surrogates.map_or(Surrogates::Refuse, SurrogatesArg::policy))
            .each(args.each.each.clone())
            .select(args.select.clone().map(|select| select.0))
            .open(args.open.as_ref().and_then(|open| open.opening(input.decoded)));
        input::remark_whole(&walker, &input.name);
        let sink = match &mut sink {
            Some(sink) => sink,
            None => sink.insert(open_output(output.as_deref(), &places)?),
        };
        let converter = match &mut converter {
            Some(converter) => converter,
            None => {
                let dialect = args.to_settings.applied(typed.dialect(to)?)?;
                converter.insert(Converter::new(dialect).layout(args.layout.layout(output.is_none())))
            }
        };
        input.stream = input.stream.exactly_one(args.exactly_one);
        let count = converter.add(&mut input.stream, &mut **sink, &mut walker).map_err(|error| Failure::about(error, Some(&input.name)))?;
        if count == 0 && !from.may_be_empty {
            return Err(input::no_message(&walker, input.stream.offset(), &input.name));
        }
        input::remarks(&walker, &input.name);
        sought.add(&walker);
    }
    let Some(converter) = converter else {
        return Err(Error::usage("no file of a known format").hint("name the format with --from").into());
    };
    let done = converter.done();
    let unmatched = [
        Unmatched { option: "--select", paths: sought.selected, fails: true },
        Unmatched { option: "--open", paths: sought.opened, fails: true },
    ];
    let matched = missed::remark(&unmatched, args.strict.strict_paths);
    losses::print(done.losses.cautions(), 0, &format!("other programs may not read all of this {}", to.name));
    if done.losses.is_empty() {
        return matched;
    }
    let advice = if args.lossy { "" } else { "; --lossy accepts that" };
    losses::print(done.losses.iter(), done.losses.others(), &format!("{} could not keep everything{advice}", to.name));
    matched?;
    if args.lossy { Ok(()) } else { Err(Failure::No) }
}

/// The paths that named nothing in any input.
#[derive(Default)]
struct Sought {
    inputs: usize,
    selected: Vec<Missed>,
    opened: Vec<Missed>,
}

impl Sought {
    /// Adds the paths of an input.
    fn add(&mut self, walker: &Walker) {
        let (selected, opened) = (walker.unselected(), walker.unopened());
        if self.inputs == 0 {
            (self.selected, self.opened) = (selected, opened);
        } else {
            self.selected.retain(|missed| selected.iter().any(|other| other.path == missed.path));
            self.opened.retain(|missed| opened.iter().any(|other| other.path == missed.path));
        }
        self.inputs += 1;
    }
}

fn target(asked: Option<&'static Format>, output: Option<&Path>) -> Result<&'static Format, Failure> {
    if let Some(format) = asked {
        return Ok(format);
    }
    let extension = output.and_then(Path::extension).and_then(|extension| extension.to_str());
    extension.and_then(registry::by_extension).ok_or_else(|| {
        let seen = extension
            .map_or_else(|| "no format to write".to_string(), |extension| format!("the file extension .{extension}, which no format has"));
        Error::usage(seen).hint("name the format to write with --to; `polywire formats` lists them").into()
    })
}

fn open_output(output: Option<&Path>, inputs: &[Place]) -> Result<Box<dyn Write>, Failure> {
    let Some(path) = output else { return Ok(Box::new(stdout::stdout().map_err(|error| unwritten(&error))?)) };
    let name = || Some(path.display().to_string());
    let same = |one: &Path, other: &Path| -> Option<bool> { Some(one.canonicalize().ok()? == other.canonicalize().ok()?) };
    if inputs.iter().any(|input| same(&input.path, path) == Some(true)) {
        return Err(Failure::Error(Error::usage("the input as the output").hint("write to another file"), name()));
    }
    let file = File::create(path).map_err(|error| Failure::Error(Error::io("creating", &error), name()))?;
    Ok(Box::new(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_comes_from_the_option_or_the_file_extension() {
        assert_eq!(target(None, Some(Path::new("a.json"))).map_err(|_| ()).unwrap().extensions[0], "json");
        assert!(target(None, Some(Path::new("a.nothing"))).is_err());
        assert!(target(None, None).is_err());
    }
}
