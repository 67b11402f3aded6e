//! Inputs: opening them, and recognising their format.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, stdin};
use std::path::Path;

use polywire_compare::corpus::Corpus;
use polywire_core::format::payload::Contents;
use polywire_core::format::payload::raw::RAW;
use polywire_core::format::{Confidence, Format, SchemaNeed};
use polywire_core::tools::Stream;
use polywire_core::{Error, ErrorKind, Fault, Limits};
use polywire_formats::payload::PAYLOADS;
use polywire_formats::registry;

use crate::args::paths::OpenPaths;
use crate::failure::Failure;

/// Number of bytes that recognition reads.
const LOOK: usize = 64 << 10;

/// Open input.
pub struct Input {
    /// Messages of the input.
    pub stream: Stream<Box<dyn Read>>,
    /// Path, or `stdin`, for messages to people.
    pub name: String,
    extension: Option<String>,
}

/// Opens `path`, or stdin for `-` and `None`.
pub fn open(path: Option<&Path>) -> Result<Input, Failure> {
    match path.filter(|path| *path != Path::new("-")) {
        None => Ok(Input { stream: Stream::new(Box::new(stdin().lock())), name: "stdin".into(), extension: None }),
        Some(path) => {
            let name = path.display().to_string();
            // A folder opens well on some systems, and fails only when it is read.
            let file = File::open(path).and_then(|file| match file.metadata()?.is_dir() {
                true => Err(std::io::ErrorKind::IsADirectory.into()),
                false => Ok(file),
            });
            let file = file.map_err(|error| Failure::Error(Error::io("opening", &error), Some(name.clone())))?;
            let extension = path.extension().and_then(OsStr::to_str).map(str::to_string);
            Ok(Input { stream: Stream::new(Box::new(file)), name, extension })
        }
    }
}

/// Opens bundled messages.
pub fn bundled(corpus: &'static Corpus) -> Input {
    let extension = Path::new(corpus.file).extension().and_then(OsStr::to_str).map(str::to_string);
    Input { stream: Stream::new(Box::new(corpus.bytes)), name: corpus.file.into(), extension }
}

impl Input {
    /// Decodes compressed input as it streams, if `open` names the input itself. The first bytes
    /// show the codecs.
    pub fn opened(mut self, open: Option<&OpenPaths>, limits: &Limits) -> Result<Input, Failure> {
        if !open.is_some_and(|open| open.root) {
            return Ok(self);
        }
        let failed = |error, name: &str| Failure::about(error, Some(name));
        let (start, whole) = self.stream.peek(LOOK).map_err(|error| failed(error, &self.name))?;
        let Some(contents) = PAYLOADS.look_at_start(start, whole) else { return Ok(self) };
        for codec in contents.codecs {
            self.stream = self.stream.decoded(codec, limits).map_err(|error| failed(error, &self.name))?;
            // The file extension is the wrapping's.
            self.extension = None;
        }
        Ok(self)
    }

    /// Returns the format as [`Input::format`] does, or the format of raw bytes for input that is
    /// no message but holds one.
    pub fn format_or_raw(&mut self, asked: Option<&'static Format>) -> Result<&'static Format, Failure> {
        match self.wrapped(asked)? {
            Some(_) => Ok(&RAW),
            None => self.format(asked),
        }
    }

    /// Returns what the input holds, if it is no message itself.
    fn wrapped(&mut self, asked: Option<&'static Format>) -> Result<Option<Contents>, Failure> {
        let (start, whole) = self.stream.peek(LOOK).map_err(|error| Failure::about(error, Some(&self.name)))?;
        let contents = PAYLOADS.look_at_start(start, whole);
        Ok(contents.filter(|contents| asked.is_none() && !contents.codecs.is_empty()))
    }

    /// Returns the format that was asked for, else the one that the first bytes show, else the file
    /// extension's.
    ///
    /// The file extension also decides if the first bytes fit many formats.
    pub fn format(&mut self, asked: Option<&'static Format>) -> Result<&'static Format, Failure> {
        if let Some(format) = asked {
            return Ok(format);
        }
        let name = self.name.clone();
        if let Some(contents) = self.wrapped(asked)? {
            let error = Error::new(ErrorKind::UnknownFormat, Fault::Data).seen(contents.to_string()).expected("a message as it is");
            return Err(Failure::Error(
                error.hint("`inspect --depth 1` shows what is inside, `convert --open .` reads it").at(0),
                Some(name),
            ));
        }
        let named = self.extension.as_deref().and_then(registry::by_extension);
        let (start, whole) = self.stream.peek(LOOK).map_err(|error| Failure::Error(error, Some(name.clone())))?;
        // The bytes of a format that needs a schema look like those of another one, or of none.
        let needs_schema = |format: &Format| format.schema == SchemaNeed::Required;
        let fits = |format: &&Format| needs_schema(format) || (format.recognise)(start, whole) > Confidence::No;
        let recognised = registry::recognise(start, whole);
        // A file extension that fits the bytes decides between formats that look alike.
        let decides = |named: &&'static Format| {
            recognised.is_none_or(|format| {
                (format.recognise)(start, whole) < Confidence::Certain
                    || needs_schema(named)
                    || registry::unframed(named).name == format.name
            })
        };
        let by_extension = named.filter(fits).filter(decides);
        // Bytes that fit many formats say less than a file extension.
        let likely = recognised.filter(|format| (format.recognise)(start, whole) > Confidence::Possible);
        if let Some(format) = by_extension.or(likely).or(named).or(recognised) {
            return Ok(format);
        }
        if whole && start.is_empty() {
            let error = Error::new(ErrorKind::Truncated, Fault::Data).seen("an empty input").expected("a message").at(0);
            return Err(Failure::Error(error, Some(name)));
        }
        let names: Vec<&str> = registry::FORMATS.iter().map(|format| format.name).collect();
        let error = Error::new(ErrorKind::UnknownFormat, Fault::Data)
            .seen(format!("bytes that look like no format: {}", preview(start)))
            .hint(format!("name the format with --from: {}", names.join(", ")))
            .at(0);
        Err(Failure::Error(error, Some(name)))
    }
}

/// Returns the failure of an input without a message: it has only separators, up to byte `end`.
pub fn no_message(format: &'static Format, end: u64, name: &str) -> Failure {
    let error = Error::truncated(end, "a message").format_is(format.name);
    Failure::about(error, Some(name))
}

fn preview(start: &[u8]) -> String {
    let shown: Vec<String> = start.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{}{}", shown.join(" "), if start.len() > 8 { " …" } else { "" })
}
