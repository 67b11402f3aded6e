//! `polywire schema format`.

use std::path::Path;

use polywire_core::Error;

use super::text::{open, refused};
use crate::args::schema::format::FormatSchemaArgs;
use crate::failure::{Failure, unwritten};
use crate::stdout;

/// Runs the verb.
pub fn run(args: &FormatSchemaArgs) -> Result<(), Failure> {
    let files: Vec<Option<&Path>> = if args.files.is_empty() { vec![None] } else { args.files.iter().map(|file| Some(&**file)).collect() };
    let mut failure = None;
    let mut differs = false;
    for file in files {
        let opened = open(file, args.lang)?;
        let text = match opened.reader.format(&opened.text()) {
            Ok(text) => text,
            Err(diagnostics) => {
                failure = Some(refused(&diagnostics));
                continue;
            }
        };
        let same = text.as_bytes() == opened.bytes;
        if args.check {
            differs |= !same;
            if !same {
                stdout::write(format!("{}\n", opened.name).as_bytes()).map_err(|error| unwritten(&error))?;
            }
        } else if args.write {
            let path = file.filter(|path| *path != Path::new("-"));
            let path = path.ok_or_else(|| Error::usage("--write for stdin").expected("file names"))?;
            if !same {
                std::fs::write(path, text).map_err(|error| Failure::about(Error::io("writing", &error), Some(&opened.name)))?;
            }
        } else {
            stdout::write(text.as_bytes()).map_err(|error| unwritten(&error))?;
        }
    }
    match failure {
        Some(failure) => Err(failure),
        None if differs => Err(Failure::No),
        None => Ok(()),
    }
}
