//! Completions: a shell's script asks this program, which knows its verbs and options, its formats,
//! and the fields of the file that the command line names.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::ArgMatches;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::{CompleteEnv, Shells};
use polywire_core::format::Format;
use polywire_core::tools::adapt::Walker;
use polywire_core::tools::field_paths::FieldPaths;
use polywire_core::walk::{EntryPath, Path};
use polywire_core::{Error, Limits};

use crate::args::schema_file::SchemaArg;
use crate::{args, input, started};

/// Environment variable by which a script asks.
const VARIABLE: &str = "POLYWIRE_COMPLETE";

/// Bytes of a file that are looked at for its fields.
const START: u64 = 1 << 20;

/// Time in which fields are looked for: a person waits.
const PATIENCE: Duration = Duration::from_millis(100);

/// Number of paths that are offered at most.
const OFFERED: usize = 1000;

/// Prints completions and ends the process, if a shell's script asks for them.
pub fn answer_if_asked() {
    let folder = std::env::current_dir().ok();
    let asked = CompleteEnv::with_factory(args::program).var(VARIABLE).try_complete(started::arguments(), folder.as_deref());
    if asked.unwrap_or_else(|error| error.exit()) {
        std::process::exit(0);
    }
}

/// Returns the script for a shell. It calls `polywire`, found in the shell's path.
pub fn script(shell: clap_complete::Shell) -> Result<Vec<u8>, Error> {
    let shells = Shells::builtins();
    let shell = shells.completer(&shell.to_string()).ok_or_else(|| Error::usage("a shell without completions"))?;
    let mut script = Vec::new();
    let written = shell.write_registration(VARIABLE, "polywire", "polywire", "polywire", &mut script);
    written.and_then(|()| script.flush()).map_err(|error| Error::io("writing the script", &error))?;
    Ok(script)
}

/// Returns a completer for paths of fields, after commas too.
pub fn paths() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| candidates(current, true))
}

/// Returns a completer for the path of `--each`, which leads through whole documents.
pub fn entry_paths() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| candidates(current, false))
}

fn candidates(current: &OsStr, of_entries: bool) -> Vec<CompletionCandidate> {
    let Some(current) = current.to_str() else { return Vec::new() };
    // Words of the command line stand behind the program's own.
    let words: Vec<OsString> = started::arguments().iter().skip_while(|word| *word != "--").skip(1).cloned().collect();
    let (before, typed) = current.rfind(',').map_or(("", current), |at| current.split_at(at + 1));
    // One level more than was typed: a message may have thousands of fields.
    let levels = typed.matches('.').count() + 1 + usize::from(!typed.is_empty());
    let found = fields(words, of_entries).unwrap_or_default();
    let fitting = found.iter().filter(|path| path.0.len() <= levels).map(ToString::to_string).filter(|path| path.starts_with(typed));
    fitting.map(|path| CompletionCandidate::new(format!("{before}{path}"))).collect()
}

/// Returns the paths of fields in the first messages of the file that the words name. A file that
/// cannot be read to its end has those that were found before.
fn fields(words: Vec<OsString>, of_entries: bool) -> Option<Vec<Path>> {
    // The words are unfinished: what can be understood of them counts.
    let matches = args::program().ignore_errors(true).try_get_matches_from(words).ok()?;
    let mut verb = &matches;
    while let Some((_, inner)) = verb.subcommand() {
        verb = inner;
    }
    let limits = Limits::DEFAULT;
    let mut input = input::beginning(&file(verb)?, START).ok()?.opened(None, &limits).ok()?;
    let format = input.format(one::<&'static Format>(verb, "from")).ok()?;
    let include = verb.try_get_many::<String>("include").ok().flatten().map(|names| names.cloned().collect());
    let schema = SchemaArg::new(one(verb, "schema"), one(verb, "ty"), include.unwrap_or_default());
    let dialect = schema.dialect(format).ok()?;
    let mut walker = Walker::new(dialect, &limits).each(one::<EntryPath>(verb, "each").filter(|_| of_entries));
    let mut sink = FieldPaths::new(OFFERED, Instant::now() + PATIENCE);
    while !sink.is_done() {
        let Ok(Some(message)) = input.stream.next(&mut walker) else { break };
        sink.next_message();
        if walker.walk(message.bytes, message.base, &mut sink).is_err() {
            break;
        }
    }
    Some(sink.paths().to_vec())
}

/// Returns the value of an argument, if the verb has it and it was given.
fn one<T: Clone + Send + Sync + 'static>(verb: &ArgMatches, id: &str) -> Option<T> {
    verb.try_get_one::<T>(id).ok().flatten().cloned()
}

/// Returns the first file that a verb's arguments name.
fn file(verb: &ArgMatches) -> Option<PathBuf> {
    let named = ["inputs", "input", "files", "left", "right"].iter();
    let named = named.filter_map(|id| verb.try_get_many::<PathBuf>(id).ok().flatten()).flatten().cloned();
    let words = verb.try_get_many::<String>("words").ok().flatten().into_iter().flatten().map(PathBuf::from);
    named.chain(words).find(|file| file.is_file())
}
