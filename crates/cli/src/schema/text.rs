//! Files in schema languages.

use std::ffi::OsStr;
use std::io::{Read, stdin};
use std::path::Path;

use polywire_core::schema::language::{SchemaLanguage, SchemaReader, SchemaText};
use polywire_core::text::diagnostic::Diagnostics;
use polywire_core::text::sources::{self, MAX_TEXT};
use polywire_core::{Error, ErrorKind, Fault};
use polywire_schema::languages::{self, LANGUAGES};

use crate::args::language::Language;
use crate::diagnostics;
use crate::failure::Failure;

/// A schema file that was read.
pub struct Opened {
    /// Path, or `stdin`.
    pub name: String,
    identity: String,
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// Its language.
    pub language: &'static dyn SchemaLanguage,
    /// The language's reader.
    pub reader: &'static dyn SchemaReader,
}

impl Opened {
    /// Returns the text as readers take it.
    pub fn text(&self) -> SchemaText<'_> {
        SchemaText { name: &self.name, bytes: &self.bytes, identity: &self.identity }
    }
}

/// Returns the language that was named, else that of the file extension.
pub fn language(path: Option<&Path>, lang: Option<Language>) -> Result<&'static dyn SchemaLanguage, Failure> {
    let extension = path.and_then(Path::extension).and_then(OsStr::to_str);
    match (lang, extension.and_then(languages::by_extension)) {
        (Some(Language(language)), _) | (None, Some(language)) => Ok(language),
        (None, None) => {
            let readable = LANGUAGES.iter().filter(|language| language.reader().is_some());
            let names: Vec<&str> = readable.map(|language| language.name()).collect();
            let error = Error::new(ErrorKind::Usage, Fault::Caller).seen("a file extension of no schema language");
            let name = path.map_or_else(|| "stdin".into(), |path| path.display().to_string());
            Err(Failure::about(error.hint(format!("name the language with --lang: {}", names.join(", "))), Some(&name)))
        }
    }
}

/// Reads a file, or stdin for `-` and `None`.
pub fn open(path: Option<&Path>, lang: Option<Language>) -> Result<Opened, Failure> {
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
    // One byte more than the limit, so that the reader rejects a longer text.
    input.by_ref().take(MAX_TEXT as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    let identity = path.map_or_else(String::new, sources::identity);
    Ok(Opened { name, identity, bytes, language, reader })
}

/// Prints why a schema was rejected. Returns the failure with exit code 3.
pub fn refused(diagnostics: &Diagnostics) -> Failure {
    diagnostics::print(diagnostics);
    Failure::Reported
}
