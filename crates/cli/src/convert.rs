//! `polywire convert`.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use polywire_core::format::Format;
use polywire_core::tools::adapt::Walker;
use polywire_core::tools::convert::convert;
use polywire_core::{Error, Surrogates};
use polywire_formats::registry;

use crate::args::convert::{ConvertArgs, SurrogatesArg};
use crate::failure::{Failure, unwritten};
use crate::message_type::Typed;
use crate::missed::{self, Unmatched};
use crate::{input, losses, stdout};

/// Runs the verb.
pub fn run(args: ConvertArgs) -> Result<(), Failure> {
    let output = args.output.filter(|path| path != Path::new("-"));
    let to = target(args.to, output.as_deref())?;
    let limits = args.limits.limits();
    let mut input = input::open(args.input.as_deref())?.opened(args.open.as_ref(), &limits)?;
    let from = input.format(args.from.from)?;
    args.schema.is_used_by(&[from, to])?;
    let typed = Typed::new(&args.schema, &mut input, from, &[to], &limits)?;
    let (mut source, to) = (typed.dialect(from)?, typed.dialect(to)?);
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
        .doubles(args.duplicates.policy())
        .surrogates(args.surrogates.map_or(Surrogates::Refuse, SurrogatesArg::policy))
        .select(args.select.map(|select| select.0))
        .open(args.open.and_then(|open| open.opening(input.decoded)));
    let mut sink = open_output(output.as_deref(), args.input.as_deref())?;
    input.stream = input.stream.exactly_one(args.exactly_one);
    let done = convert(&mut input.stream, &mut *sink, &mut walker, to.clone()).map_err(|error| Failure::about(error, Some(&input.name)))?;
    if done.messages == 0 && !from.may_be_empty {
        return Err(input::no_message(from, input.stream.offset(), &input.name));
    }
    let unmatched = [
        Unmatched { option: "--select", paths: walker.unselected(), fails: true },
        Unmatched { option: "--open", paths: walker.unopened(), fails: true },
    ];
    let matched = missed::remark(&unmatched, args.strict.strict_paths);
    losses::print(done.losses.cautions(), 0, &format!("other programs may not read all of this {}", to.format().name));
    if done.losses.is_empty() {
        return matched;
    }
    let advice = if args.lossy { "" } else { "; --lossy accepts that" };
    losses::print(done.losses.iter(), done.losses.others(), &format!("{} could not keep everything{advice}", to.format().name));
    matched?;
    if args.lossy { Ok(()) } else { Err(Failure::No) }
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

fn open_output(output: Option<&Path>, input: Option<&Path>) -> Result<Box<dyn Write>, Failure> {
    let Some(path) = output else { return Ok(Box::new(stdout::stdout().map_err(|error| unwritten(&error))?)) };
    let name = || Some(path.display().to_string());
    let same = |one: &Path, other: &Path| -> Option<bool> { Some(one.canonicalize().ok()? == other.canonicalize().ok()?) };
    if input.is_some_and(|input| same(input, path) == Some(true)) {
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
