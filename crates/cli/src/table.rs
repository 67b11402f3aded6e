//! `polywire table`.

use std::ffi::OsStr;
use std::path::Path;

use polywire_core::{Error, ErrorKind, Fault};
use polywire_formats::registry;
use polywire_gateway::draft::{self, NoDraft, Recorded, Sample};

use crate::args::table::{TableArgs, TableNewArgs, TableVerb};
use crate::failure::{Failure, unwritten};
use crate::stdout;

/// Runs the verb.
pub fn run(args: TableArgs) -> Result<(), Failure> {
    match args.verb {
        TableVerb::New(args) => new(&args),
    }
}

fn new(args: &TableNewArgs) -> Result<(), Failure> {
    let sample = sample(args)?;
    let replies = if args.reply.is_empty() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Error::io("starting", &error))?;
        vec![runtime.block_on(draft::ask(&sample)).map_err(|what| failure(&what, &args.url))?]
    } else {
        args.reply.iter().map(|file| recorded(file, args.media_type.as_deref())).collect::<Result<_, _>>()?
    };
    let text = draft::table(&sample, &replies).map_err(|what| failure(&what, &args.url))?;
    stdout::write(text.as_bytes()).map_err(|error| unwritten(&error))
}

fn sample(args: &TableNewArgs) -> Result<Sample, Failure> {
    let url = args.url.parse().map_err(|error| {
        Error::usage(format!("`{}`", args.url)).expected("an address such as http://shop.example/items?q=lamp").hint(format!("{error}"))
    })?;
    let headers = args.headers.iter().map(|header| {
        let (name, value) = header.split_once(':').ok_or_else(|| Error::usage(format!("`{header}`")).expected("NAME: VALUE"))?;
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    });
    // The arguments allow no other method.
    let method = args.method.to_ascii_uppercase().parse().unwrap_or_default();
    Ok(Sample { url, method, headers: headers.collect::<Result<_, Error>>()?, name: args.name.clone() })
}

fn recorded(file: &Path, media_type: Option<&str>) -> Result<Recorded, Failure> {
    let name = file.display().to_string();
    let body = std::fs::read(file).map_err(|error| Failure::about(Error::io("reading", &error), Some(&name)))?;
    let named = file.extension().and_then(OsStr::to_str).and_then(registry::by_extension);
    let by_bytes = || named.or_else(|| registry::recognise(&body, true)).and_then(|format| format.media_types.first().copied());
    let Some(content_type) = media_type.or_else(by_bytes) else {
        let error = Error::new(ErrorKind::UnknownFormat, Fault::Data).seen("a reply of unknown format");
        return Err(Failure::about(error.hint("set its media type with --type"), Some(&name)));
    };
    Ok(Recorded { content_type: Some(content_type.to_owned()), body: body.into() })
}

fn failure(what: &NoDraft, url: &str) -> Failure {
    let (kind, fault) = match what {
        NoDraft::Exchange(_) | NoDraft::Status(_) => (ErrorKind::Io, Fault::Environment),
        NoDraft::Reply(_) => (ErrorKind::Syntax, Fault::Data),
        NoDraft::Sample(_) => (ErrorKind::Usage, Fault::Caller),
    };
    // An exchange's error has the address.
    let about = (!matches!(what, NoDraft::Exchange(_))).then_some(url);
    Failure::about(Error::new(kind, fault).seen(what.to_string()), about)
}
