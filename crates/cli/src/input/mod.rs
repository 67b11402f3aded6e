//! Inputs: opening them, taking compression off, recognising their format, and which of their
//! values are messages.

mod follow;
mod places;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, stdin};
use std::path::{Path, PathBuf};

use polywire_compare::corpus::Corpus;
use polywire_core::format::payload::raw::RAW;
use polywire_core::format::payload::{self, Codec};
use polywire_core::format::{ColumnFacts, ColumnSource, Columnar, Confidence, Format, MOST_PIPED, Nature};
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::Walker;
use polywire_core::walk::Path as MessagePath;
use polywire_core::{Error, ErrorKind, Fault, Frame, Limits, Schema};
use polywire_formats::charset::Charset;
use polywire_formats::payload::{Closed, PAYLOADS, closed, may_be_packed};
use polywire_formats::registry;

use crate::absent;
use crate::args::charset::CharsetArg;
use crate::args::paths::OpenPaths;
use crate::failure::Failure;
use crate::stderr;

pub use follow::Following;
pub use places::{Place, places};

/// Number of bytes that recognition reads. The contents of a compressed file show only after its
/// first block.
const LOOK: usize = payload::FAR;

/// Open input.
pub struct Input {
    /// Messages of the input.
    pub stream: Stream<Box<dyn Read>>,
    /// Path, or `stdin`, for messages to people.
    pub name: String,
    extension: Option<String>,
    /// File extension of the contents, where the file's own is that of a compression.
    inner_extension: Option<String>,
    /// The codecs that were taken off, outermost first.
    pub codecs: Vec<&'static Codec>,
    /// Set if messages are wanted as soon as they come, so that no more is read for recognition
    /// than it takes.
    pub live: Option<Live>,
    /// The character set that is decoded, if it is not UTF-8.
    pub charset: Option<Charset>,
    /// The file, if it is one.
    path: Option<PathBuf>,
    /// The rows that the messages are, if the input is a file of columns.
    columns: Option<Columns>,
    /// Paths to the values that are wanted of a file of columns, if not all are.
    pub wanted: Option<Vec<MessagePath>>,
}

/// A file of columns whose rows are read.
struct Columns {
    format: &'static Format,
    schema: Schema,
    is_all: bool,
}

/// The wrapping around the messages of an input.
enum Wrapped {
    /// Codecs, outermost first, and the format inside of them, if it is known.
    Codecs(Vec<&'static Codec>, Option<&'static Format>),
    /// A wrapping that another program has to take off.
    Closed(&'static Closed),
}

/// Opens `path`, or stdin for `-` and `None`.
pub fn open(path: Option<&Path>) -> Result<Input, Failure> {
    match path.filter(|path| *path != Path::new("-")) {
        None => Ok(Input {
            stream: Stream::new(Box::new(stdin().lock())),
            name: "stdin".into(),
            extension: None,
            inner_extension: None,
            codecs: Vec::new(),
            live: None,
            charset: None,
            path: None,
            columns: None,
            wanted: None,
        }),
        Some(path) => {
            let name = path.display().to_string();
            // A folder opens well on some systems, and fails only when it is read.
            let file = File::open(path).and_then(|file| match file.metadata()?.is_dir() {
                true => Err(io::ErrorKind::IsADirectory.into()),
                false => Ok(file),
            });
            let file = file.map_err(|error| Failure::Error(Error::io("opening", &error), Some(name.clone())))?;
            let (extension, inner_extension) = (extension(path), path.file_stem().map(Path::new).and_then(extension));
            Ok(Input {
                stream: Stream::new(Box::new(file)),
                name,
                extension,
                inner_extension,
                codecs: Vec::new(),
                live: None,
                charset: None,
                path: Some(path.to_path_buf()),
                columns: None,
                wanted: None,
            })
        }
    }
}

/// Opens the first bytes of a file, for a look at its messages. The last of them may be cut.
pub fn beginning(path: &Path, bytes: u64) -> Result<Input, Failure> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| Failure::about(Error::io("opening", &error), Some(&name)))?;
    let (extension, inner_extension) = (extension(path), path.file_stem().map(Path::new).and_then(extension));
    Ok(Input {
        stream: Stream::new(Box::new(file.take(bytes))),
        name,
        extension,
        inner_extension,
        codecs: Vec::new(),
        live: None,
        charset: None,
        path: None,
        columns: None,
        wanted: None,
    })
}

/// Opens bundled messages.
pub fn bundled(corpus: &'static Corpus) -> Input {
    let extension = extension(Path::new(corpus.file));
    Input {
        stream: Stream::new(Box::new(corpus.bytes)),
        name: corpus.file.into(),
        extension,
        inner_extension: None,
        codecs: Vec::new(),
        live: None,
        charset: None,
        path: None,
        columns: None,
        wanted: None,
    }
}

fn extension(path: &Path) -> Option<String> {
    path.extension().and_then(OsStr::to_str).map(str::to_string)
}

impl Input {
    /// Reports whether codecs were taken off.
    pub fn is_decoded(&self) -> bool {
        !self.codecs.is_empty()
    }

    /// Decodes compressed input as it streams. The first bytes show the codecs; those that they do
    /// not prove, such as base64, are taken off if `open` names the input itself.
    pub fn opened(mut self, open: Option<&OpenPaths>, limits: &Limits) -> Result<Input, Failure> {
        let is_asked = open.is_some_and(|open| open.root);
        self.look()?;
        let codecs = match self.wrapped()? {
            Some(Wrapped::Closed(closed)) => return Err(unreadable(closed, &self.name)),
            Some(Wrapped::Codecs(codecs, _)) if is_asked => codecs,
            Some(Wrapped::Codecs(codecs, _)) => codecs.into_iter().take_while(|codec| codec.certain).collect(),
            None => Vec::new(),
        };
        for codec in codecs {
            self.stream = self.stream.decoded(codec, limits).map_err(|error| Failure::about(error, Some(&self.name)))?;
            // The file extension is the wrapping's.
            self.extension = self.inner_extension.take();
            self.codecs.push(codec);
        }
        Ok(self)
    }

    /// Decodes text in the character set that the user names, or in UTF-16 if its byte order mark
    /// shows that. `asked` is the format that the user names.
    pub fn in_charset(mut self, arg: &CharsetArg, asked: Option<&'static Format>) -> Result<Input, Failure> {
        if let Some(format) = asked {
            arg.is_for(format)?;
        }
        let marked = match arg.charset {
            Some(_) => None,
            None => self.marked(asked)?,
        };
        let Some(charset) = arg.charset.or(marked) else { return Ok(self) };
        self.stream = self.stream.through(|input| charset.reader(input, arg.policy()));
        self.charset = Some(charset);
        Ok(self)
    }

    /// Returns the character set that a mark shows, unless the bytes are those of a format as they
    /// are.
    fn marked(&mut self, asked: Option<&'static Format>) -> Result<Option<Charset>, Failure> {
        let (start, whole) = self.look()?;
        let Some(charset) = Charset::marked(start) else { return Ok(None) };
        let is_text = |format: &'static Format| format.nature == Nature::Text && (format.recognise)(start, whole) == Confidence::No;
        // A mark is a number in some binary formats, followed by more of them.
        let unlikely = |format: &'static Format| (format.recognise)(start, whole) <= Confidence::Possible;
        let decodes = asked.map_or_else(|| registry::recognise(start, whole).is_none_or(unlikely), is_text);
        Ok(decodes.then_some(charset))
    }

    /// Reads ahead for recognition, and returns the bytes, with true if the input has no more.
    ///
    /// Bytes that come slowly are enough once they hold a message of the format that they look
    /// like.
    fn look(&mut self) -> Result<(&[u8], bool), Failure> {
        let mut wanted = LOOK;
        if let Some(live) = self.live {
            wanted = 1;
            while wanted < LOOK {
                let (start, whole) = self.stream.peek(wanted).map_err(|error| Failure::about(error, Some(&self.name)))?;
                if whole || live.is_enough(start) {
                    break;
                }
                wanted = start.len() + 1;
            }
        }
        self.stream.peek(wanted).map_err(|error| Failure::about(error, Some(&self.name)))
    }

    /// Returns the first bytes of the messages, for judging what they are.
    pub fn start(&mut self) -> Result<&[u8], Failure> {
        let read = self.stream.peek(LOOK).map(|(start, _)| start);
        read.map_err(|error| Failure::about(error, Some(&self.name)))
    }

    /// Returns the format as [`Input::format`] does, or the format of raw bytes for input that is
    /// no message but holds one.
    pub fn format_or_raw(&mut self, asked: Option<&'static Format>) -> Result<&'static Format, Failure> {
        if asked.is_none()
            && let Some(Wrapped::Codecs(_, Some(_))) = self.wrapped()?
        {
            return Ok(&RAW);
        }
        self.recognised(asked)
    }

    /// Returns the failure of a compressed input in which no format shows, if it is one.
    pub fn unclear(&mut self) -> Result<Option<Failure>, Failure> {
        match self.wrapped()? {
            Some(Wrapped::Codecs(_, None)) => Ok(self.recognised(None).err()),
            _ => Ok(None),
        }
    }

    /// Reports whether the input is text around bytes, such as base64 between lines: people want to
    /// see what is inside of it.
    pub fn is_text_around_bytes(&mut self) -> Result<bool, Failure> {
        let (start, whole) = self.look()?;
        let is_text = std::str::from_utf8(start).map_or_else(|error| error.error_len().is_none(), |_| true);
        Ok(is_text && !start.contains(&0) && !PAYLOADS.proved(start, whole).is_empty())
    }

    /// Returns what is around the messages, if the input is no message itself.
    fn wrapped(&mut self) -> Result<Option<Wrapped>, Failure> {
        let (start, whole) = self.look()?;
        let contents = PAYLOADS.look_at_start(start, whole).filter(|contents| !contents.codecs.is_empty());
        if let Some(contents) = contents {
            return Ok(Some(Wrapped::Codecs(contents.codecs, Some(contents.format))));
        }
        let proved = PAYLOADS.proved(start, whole);
        let codecs = (!proved.is_empty()).then_some(Wrapped::Codecs(proved, None));
        Ok(codecs.or_else(|| closed(start).map(Wrapped::Closed)))
    }

    /// Returns the format as [`Input::recognised`] does. The messages of a file of columns are its
    /// rows from here on.
    pub fn format(&mut self, asked: Option<&'static Format>) -> Result<&'static Format, Failure> {
        if let Some(columns) = &self.columns {
            return Ok(columns.format);
        }
        let format = self.recognised(asked)?;
        if let Some(columnar) = format.columns {
            let source = self.column_source()?;
            let rows = columnar.rows(source, self.wanted.as_deref()).map_err(|error| Failure::about(error, Some(&self.name)))?;
            self.stream = Stream::new(rows.bytes);
            self.columns = Some(Columns { format, schema: rows.schema, is_all: rows.is_all });
        }
        Ok(format)
    }

    /// Returns the schema of the messages, if they are rows of a file of columns, with true if all
    /// their fields are in it.
    pub fn columns(&self) -> Option<(&Schema, bool)> {
        self.columns.as_ref().map(|columns| (&columns.schema, columns.is_all))
    }

    /// Returns what a file of columns says about itself.
    pub fn column_facts(mut self, columnar: &dyn Columnar) -> Result<ColumnFacts, Failure> {
        let source = self.column_source()?;
        columnar.facts(source).map_err(|error| Failure::about(error, Some(&self.name)))
    }

    /// Takes the bytes, to be read as columns: a file as such, so that it is read piece by piece.
    fn column_source(&mut self) -> Result<ColumnSource, Failure> {
        let is_plain = self.codecs.is_empty() && self.charset.is_none();
        if let Some(path) = self.path.as_ref().filter(|path| is_plain && path.is_file()) {
            let file = File::open(path).map_err(|error| Failure::about(Error::io("opening", &error), Some(&self.name)))?;
            return Ok(ColumnSource::File(file));
        }
        let stream = std::mem::replace(&mut self.stream, Stream::new(Box::new(io::empty())));
        Ok(ColumnSource::Read(Box::new(stream.into_input()), MOST_PIPED))
    }

    /// Returns the format that was asked for, else the one that the first bytes show, else the file
    /// extension's.
    ///
    /// The file extension also decides if the first bytes fit many formats.
    pub fn recognised(&mut self, asked: Option<&'static Format>) -> Result<&'static Format, Failure> {
        if let Some(format) = asked {
            return Ok(format);
        }
        let name = self.name.clone();
        match self.wrapped()? {
            None => {}
            Some(Wrapped::Codecs(codecs, format)) => {
                let around: String = codecs.iter().rev().map(|codec| format!(" in {}", codec.name)).collect();
                let (inside, hint) = match format {
                    Some(format) => (format.name, "`inspect --depth 1` shows what is inside, `convert --open .` reads it"),
                    None => ("an unknown format", "`convert --open . --from FORMAT` reads it"),
                };
                let error = Error::new(ErrorKind::UnknownFormat, Fault::Data).seen(format!("{inside}{around}"));
                return Err(Failure::Error(error.expected("a message as it is").hint(hint).at(0), Some(name)));
            }
            Some(Wrapped::Closed(closed)) => return Err(unreadable(closed, &name)),
        }
        let extension = self.extension.clone();
        let (start, whole) = self.look()?;
        let chosen = registry::choose(start, whole, extension.as_deref());
        // Bytes of a format that is not there may look a little like any other.
        let feature = extension.as_deref().and_then(registry::absent);
        if let (Some(extension), Some(feature)) = (&extension, feature)
            && chosen.is_none_or(|format| (format.recognise)(start, whole) < Confidence::Likely)
        {
            return Err(Failure::Error(absent::name(extension, feature), Some(name)));
        }
        if let Some(format) = chosen {
            return Ok(format);
        }
        if whole && start.is_empty() {
            let error = Error::new(ErrorKind::Truncated, Fault::Data).seen("an empty input").expected("a message").at(0);
            return Err(Failure::Error(error, Some(name)));
        }
        let names: Vec<&str> = registry::all().map(|format| format.name).collect();
        let error = Error::new(ErrorKind::UnknownFormat, Fault::Data)
            .seen(format!("bytes that look like no format: {}", preview(start)))
            .hint(format!("name the format with --from: {}", names.join(", ")))
            .at(0);
        Err(Failure::Error(error, Some(name)))
    }
}

/// The knowledge of an input whose bytes come slowly.
#[derive(Debug, Clone, Copy)]
pub struct Live {
    /// The format that the caller named.
    pub format: Option<&'static Format>,
}

impl Live {
    /// Reports whether the first bytes are not compressed, and hold a message of the format that
    /// they look like, unless that is known.
    fn is_enough(self, start: &[u8]) -> bool {
        let likely = |format: &&Format| (format.recognise)(start, false) >= Confidence::Likely;
        let is_whole = |format: &Format| matches!((format.reader)().frame(start, 0, false), Ok(Frame::Message { .. }));
        !may_be_packed(start) && (self.format.is_some() || registry::recognise(start, false).filter(likely).is_some_and(is_whole))
    }
}

/// Returns the failure of an input without a message: it has only separators, up to byte `end`, or
/// no entry at the path that `walker` follows.
pub fn no_message(walker: &Walker, end: u64, name: &str) -> Failure {
    let error = walker.no_entry().unwrap_or_else(|| Error::truncated(end, "a message").format_is(walker.format().name));
    Failure::about(error, Some(name))
}

/// Remarks that documents are read whole for their entries, if they are.
pub fn remark_whole(walker: &Walker, name: &str) {
    if walker.reads_whole() {
        let format = walker.format().name;
        stderr::say(format_args!(
            "{name}: {format} is read whole for its entries, within the limits: it has no way to read them one by one"
        ));
    }
}

/// Prints what the reader remarked about the input.
pub fn remarks(walker: &Walker, name: &str) {
    for remark in walker.remarks() {
        stderr::say(format_args!("{name}: {remark}"));
    }
}

/// Returns the failure of an input that another program has to unpack.
fn unreadable(closed: &Closed, name: &str) -> Failure {
    let error = Error::new(ErrorKind::Unsupported, Fault::Data)
        .seen(format!("{} data", closed.name))
        .expected("a message, as it is or compressed by gzip, zstd, bzip2, xz or lz4");
    let file = if name == "stdin" { "FILE" } else { name };
    Failure::Error(error.hint(format!("unpack it first: {} {file} | polywire …", closed.unpack)).at(0), Some(name.to_string()))
}

fn preview(start: &[u8]) -> String {
    let shown: Vec<String> = start.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{}{}", shown.join(" "), if start.len() > 8 { " …" } else { "" })
}
