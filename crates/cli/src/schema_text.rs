//! `polywire schema format` and `polywire schema convert`: texts of schema languages.

use std::ffi::OsStr;
use std::io::{Read, Write, stdin, stdout};
use std::path::Path;

use polywire_core::schema::language::{SchemaLanguage, SchemaReader, SchemaText};
use polywire_core::text::diagnostic::Diagnostics;
use polywire_core::text::sources::{self, Files, MAX_TEXT};
use polywire_core::{Error, ErrorKind, Fault};
use polywire_schema::languages::{self, LANGUAGES};

use crate::args::{ConvertSchemaArgs, FormatSchemaArgs, Language};
use crate::diagnostics;
use crate::failure::{Failure, unwritten};
use crate::schema::lost;

/// A text that was opened.
struct Opened {
    name: String,
    identity: String,
    bytes: Vec<u8>,
    language: &'static dyn SchemaLanguage,
    reader: &'static dyn SchemaReader,
}

impl Opened {
    fn text(&self) -> SchemaText<'_> {
        SchemaText { name: &self.name, bytes: &self.bytes, identity: &self.identity }
    }
}

/// The language that was named, else that of the file's ending.
pub fn language(path: Option<&Path>, lang: Option<Language>) -> Result<&'static dyn SchemaLanguage, Failure> {
    let ending = path.and_then(Path::extension).and_then(OsStr::to_str);
    match (lang, ending.and_then(languages::by_extension)) {
        (Some(Language(language)), _) | (None, Some(language)) => Ok(language),
        (None, None) => {
            let readable = LANGUAGES.iter().filter(|language| language.reader().is_some());
            let names: Vec<&str> = readable.map(|language| language.name()).collect();
            let error = Error::new(ErrorKind::Usage, Fault::Caller).seen("a file whose ending no schema language has");
            let name = path.map_or_else(|| "stdin".into(), |path| path.display().to_string());
            Err(Failure::about(error.hint(format!("say which one it is with --lang: {}", names.join(", "))), Some(&name)))
        }
    }
}

/// Reads a file, or stdin for `-` and for nothing.
fn open(path: Option<&Path>, lang: Option<Language>) -> Result<Opened, Failure> {
    let path = path.filter(|path| *path != Path::new("-"));
    let name = path.map_or_else(|| "stdin".into(), |path| path.display().to_string());
    let language = language(path, lang)?;
    let reader = language.reader().ok_or_else(|| Error::usage(language.name()).expected("a language that can be read"))?;
    let mut bytes = Vec::new();
    let failed = |error| Failure::about(Error::io("reading", &error), Some(&name));
    let mut input: Box<dyn Read> = match path {
        None => Box::new(stdin().lock()),
        Some(path) => Box::new(std::fs::File::open(path).map_err(failed)?),
    };
    // One byte more than may be, so that the reader refuses it.
    input.by_ref().take(MAX_TEXT as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    let identity = path.map_or_else(String::new, sources::identity);
    Ok(Opened { name, identity, bytes, language, reader })
}

/// The text is refused: exit code 3.
pub fn refused(diagnostics: &Diagnostics) -> Failure {
    diagnostics::tell(diagnostics);
    Failure::Told
}

/// Runs `format`.
pub fn format(args: &FormatSchemaArgs) -> Result<(), Failure> {
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
                writeln!(stdout().lock(), "{}", opened.name).map_err(|error| unwritten(&error))?;
            }
        } else if args.write {
            let path = file.filter(|path| *path != Path::new("-"));
            let path = path.ok_or_else(|| Error::usage("--write for stdin").expected("the names of files"))?;
            if !same {
                std::fs::write(path, text).map_err(|error| Failure::about(Error::io("writing", &error), Some(&opened.name)))?;
            }
        } else {
            stdout().lock().write_all(text.as_bytes()).map_err(|error| unwritten(&error))?;
        }
    }
    match failure {
        Some(failure) => Err(failure),
        None if differs => Err(Failure::No),
        None => Ok(()),
    }
}

/// Runs `convert`.
pub fn convert(args: &ConvertSchemaArgs) -> Result<(), Failure> {
    let opened = open(args.file.as_deref(), args.lang)?;
    let mut files = Files::new().including(args.include.clone());
    if let Some(target) = &args.binary {
        let binary = opened.reader.binary(&opened.text(), &mut files);
        let binary =
            binary.ok_or_else(|| Error::usage("a language without a binary form").expected("one whose schemas have descriptors"))?;
        let bytes = binary.map_err(|diagnostics| refused(&diagnostics))?;
        std::fs::write(target, bytes).map_err(|error| Failure::about(Error::io("writing", &error), Some(&target.display().to_string())))?;
    }
    let Some(to) = args.to else { return Ok(()) };
    let own = (to.0.name() == opened.language.name()).then(|| opened.reader.own_text(&opened.text(), &mut files)).flatten();
    let (text, losses) = match own {
        Some(own) => own.map_err(|diagnostics| refused(&diagnostics))?,
        None => {
            let read = opened.reader.read(&opened.text(), &mut files).map_err(|diagnostics| refused(&diagnostics))?;
            diagnostics::tell(&Diagnostics { sources: read.sources, findings: read.warnings });
            let (text, losses) = to.0.write(&read.schema).map_err(|error| Failure::about(error, Some(&opened.name)))?;
            (text, read.losses.into_iter().chain(losses).collect())
        }
    };
    stdout().lock().write_all(text.as_bytes()).map_err(|error| unwritten(&error))?;
    if losses.is_empty() {
        return Ok(());
    }
    eprint!("{}", lost(to.0.title(), &losses));
    Err(Failure::No)
}
