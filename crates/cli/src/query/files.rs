//! Files that scripts select from, as the other verbs read them.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use polywire_core::format::Format;
use polywire_core::tools::adapt::Walker;
use polywire_core::tools::{Bad, Message};
use polywire_core::walk::{EntryPath, Forward};
use polywire_core::{Error, Limits, Needs};
use polywire_doc::{Datum, DocSink, Repeated, Wanted};
use polywire_formats::registry;
use polywire_gateway::files::{File, Files, RowSink};
use polywire_gateway::server::QueryError;

use crate::args::query::QueryArgs;
use crate::args::schema_file::SchemaArg;
use crate::bad::BadMessages;
use crate::failure::Failure;
use crate::input::{self, Place};
use crate::message_type::Typed;
use crate::stderr;

/// Code of the error of a script whose file cannot be read.
const UNREADABLE: &str = "unreadable_file";

/// The files of a script.
pub struct LocalFiles<'a> {
    args: &'a QueryArgs,
    limits: Limits,
    bad: Option<&'a BadMessages>,
    /// True once stdin was read.
    is_stdin_read: AtomicBool,
    /// The last failure to read a file.
    failure: Mutex<Option<Failure>>,
}

/// The end of reading before that of the file.
enum Ended {
    /// The file cannot be read.
    Failed(Failure),
    /// The script has an error.
    Script(QueryError),
}

impl<T: Into<Failure>> From<T> for Ended {
    fn from(failure: T) -> Ended {
        Ended::Failed(failure.into())
    }
}

impl Files for LocalFiles<'_> {
    fn read(&self, file: &File, wanted: &Wanted, row: &mut RowSink<'_>) -> Result<(), QueryError> {
        match self.rows(file, wanted, row) {
            Ok(()) => Ok(()),
            Err(Ended::Script(error)) => Err(error),
            Err(Ended::Failed(failure)) => {
                let error = QueryError::new(UNREADABLE, format!("the file `{}` cannot be read", file.path));
                let error = match &failure {
                    Failure::Error(cause, name) => error.cause(match name {
                        Some(name) if **name != *file.path => format!("{name}: {cause}"),
                        _ => cause.to_string(),
                    }),
                    _ => error,
                };
                *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
                Err(error)
            }
        }
    }
}

impl<'a> LocalFiles<'a> {
    pub fn new(args: &'a QueryArgs, bad: Option<&'a BadMessages>) -> LocalFiles<'a> {
        let is_stdin_read = AtomicBool::new(args.script == "-");
        LocalFiles { args, limits: args.limits.limits(), bad, is_stdin_read, failure: Mutex::new(None) }
    }

    /// Returns the failure behind the error of a script, if that is a file's.
    pub fn failure(&self, error: &QueryError) -> Option<Failure> {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take().filter(|_| error.parts().code == UNREADABLE)
    }

    /// Reads the rows of all files that a path stands for.
    fn rows(&self, file: &File, wanted: &Wanted, row: &mut RowSink<'_>) -> Result<(), Ended> {
        for place in input::places(&[PathBuf::from(&*file.path)])? {
            if place.path == Path::new("-") && self.is_stdin_read.swap(true, Ordering::Relaxed) {
                let error = Error::usage("stdin, which was read already").expected("one source that is stdin");
                return Err(error.hint("assign its rows to a name: rows = select * from \"-\"").into());
            }
            if !self.rows_of_place(file, &place, wanted, row)? {
                break;
            }
        }
        Ok(())
    }

    /// Reads the rows of one file. Returns false if no more are wanted.
    fn rows_of_place(&self, file: &File, place: &Place, wanted: &Wanted, row: &mut RowSink<'_>) -> Result<bool, Ended> {
        let args = &self.args.from;
        let decoder = file.decoder.as_ref();
        let asked = decoder.map(|decoder| registry::find(&decoder.format)).transpose()?.or(args.from);
        let own_schema = decoder.and_then(|decoder| {
            let schema = PathBuf::from(decoder.schema.as_ref()?);
            Some(SchemaArg::new(Some(schema), decoder.message.clone(), Vec::new()))
        });
        let schema = own_schema.as_ref().unwrap_or(&self.args.schema);
        let mut input = input::open(Some(&place.path))?.opened(None, &self.limits)?.in_charset(&args.charset, asked)?;
        let is_empty = input.start()?.iter().all(u8::is_ascii_whitespace);
        if is_empty && asked.is_none() {
            return Ok(true);
        }
        input.wanted = wanted.all_paths().filter(|_| file.each.is_none() && self.args.each.each.is_none());
        let from: &'static Format = match input.format(asked) {
            Err(failure) if place.found && failure.is_unknown_format() => {
                stderr::say(format_args!("{}: skipped, its bytes look like no format", input.name));
                return Ok(true);
            }
            found => found?,
        };
        if own_schema.is_some() {
            schema.is_used_by(&[from])?;
        }
        let typed = Typed::new(schema, &mut input, from, &[], &self.limits)?;
        // A document that is a list stands for its elements; a line or a row is a message.
        let is_document = registry::unframed(from).name == from.name && from.structure.is_some();
        let each = file.each.clone().or_else(|| self.args.each.each.clone());
        let is_asked = each.is_some();
        let each = each.or_else(|| is_document.then(|| EntryPath::parse(ELEMENTS).ok()).flatten());
        let mut walker =
            Walker::new(args.settings.applied(typed.dialect(from)?, true)?, &self.limits).doubles(self.args.duplicates.policy()).each(each);
        input::remark_whole(&walker, &input.name);
        let mut bad = match self.bad {
            Some(bad) => {
                bad.begin(&input.name, from, is_asked)?;
                Some(bad.receiver())
            }
            None => None,
        };
        let mut count = 0_u64;
        loop {
            let failed = |error: Error| Failure::about(error, Some(&input.name));
            let Some(message) = input.stream.next(&mut walker).map_err(failed)? else { break };
            let (bytes, base) = (Bytes::copy_from_slice(message.bytes), message.base);
            let mut sink = Row(DocSink::new(bytes.clone(), wanted, Repeated::Group));
            if let Err(error) = walker.walk(&bytes, base, &mut sink) {
                let message = Message { bytes: &bytes, base };
                let allows = |bad: &&mut Bad| bad.allows(&mut walker, message, &error) || bad.allows_cut(&input.stream, &error);
                match bad.as_mut().filter(allows) {
                    Some(bad) => bad.step_over(&input.stream, &walker, error).map_err(failed)?,
                    None => return Err(failed(input.stream.explain(error)).into()),
                }
                count += 1;
                continue;
            }
            let (doc, _) = sink.0.finish(base + bytes.len() as u64).map_err(failed)?;
            count += 1;
            if !row(Datum::from(doc)).map_err(Ended::Script)? {
                return Ok(false);
            }
        }
        if count == 0 && is_asked && !from.may_be_empty {
            return Err(input::no_message(&walker, input.stream.offset(), &input.name).into());
        }
        input::remarks(&walker, &input.name);
        Ok(true)
    }
}

/// Path to the elements of a list at the top.
const ELEMENTS: &str = ".";

/// A row of a table, with lists that are whole.
struct Row<'w>(DocSink<'w>);

impl<'m, 'w> Forward<'m> for Row<'w> {
    type To = DocSink<'w>;

    fn to(&mut self) -> &mut DocSink<'w> {
        &mut self.0
    }

    fn needs(&self) -> Needs {
        Needs::GROUPED
    }
}
