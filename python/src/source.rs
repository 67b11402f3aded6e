//! Inputs: files, bytes and Python's file objects, read piece by piece.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use polywire_core::format::Format;
use polywire_core::format::payload::FAR;
use polywire_core::tools::Stream;
use polywire_core::{Error, ErrorKind, Fault, Limits};
use polywire_formats::payload::{PAYLOADS, closed};
use polywire_formats::registry;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyByteArray, PyBytes, PyString};

use crate::fault::Failure;
use crate::unpack;

/// Time between two looks at signals, and between two calls of `progress`.
const PACE: Duration = Duration::from_millis(50);

/// Bytes that a file object is asked for at least.
const PIECE: usize = 64 << 10;

/// An input.
pub type Reader = Box<dyn Read + Send>;

/// An input that is not read yet.
pub struct Source {
    reader: Reader,
    /// Path, for people.
    pub name: String,
    extension: Option<String>,
    /// File extension of the contents, where the file's own is that of a compression.
    inner_extension: Option<String>,
    watch: Arc<Watch>,
}

/// The Python side of an input: callbacks, and the exceptions that they raise.
#[derive(Default)]
pub struct Watch {
    raised: Mutex<Option<PyErr>>,
    progress: Option<Py<PyAny>>,
}

impl Watch {
    /// Keeps an exception, and returns the error that stands for it on the way up.
    fn keep(&self, exception: PyErr) -> io::Error {
        *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(exception);
        io::Error::other("a Python exception")
    }

    /// Returns why a run failed: an exception of Python code, or else `error`.
    pub fn cause(&self, error: Error) -> Failure {
        match self.raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(exception) => Failure::Exception(exception),
            None => Failure::Error(error),
        }
    }

    /// Looks at signals, and reports the number of bytes that were read.
    fn look(&self, read: u64) -> io::Result<()> {
        let looked = Python::attach(|py| {
            py.check_signals()?;
            self.progress.as_ref().map_or(Ok(()), |progress| progress.call1(py, (read,)).map(drop))
        });
        looked.map_err(|exception| self.keep(exception))
    }
}

impl Source {
    /// Takes a path, bytes, or a file object in binary mode.
    pub fn new(object: &Bound<'_, PyAny>, progress: Option<Py<PyAny>>) -> PyResult<Source> {
        let watch = Arc::new(Watch { raised: Mutex::default(), progress });
        let of = |reader: Reader, name: &str, path: Option<&Path>| Source {
            reader,
            name: name.to_string(),
            extension: path.and_then(extension),
            inner_extension: path.and_then(|path| extension(path.file_stem()?.as_ref())),
            watch: watch.clone(),
        };
        if let Some(bytes) = bytes_of(object)? {
            return Ok(of(Box::new(Held { bytes, at: 0 }), "bytes", None));
        }
        if object.hasattr("read")? {
            let file = FileObject { object: object.clone().unbind(), piece: None, at: 0, watch: watch.clone() };
            let path = object.getattr("name").ok().and_then(|name| name.extract::<PathBuf>().ok());
            let name = path.as_deref().map_or_else(|| "a file object".to_string(), |path| path.display().to_string());
            return Ok(of(Box::new(file), &name, path.as_deref()));
        }
        let Ok(path) = object.extract::<PathBuf>() else {
            let class = object.get_type().qualname()?;
            return Err(PyTypeError::new_err(format!("expected a path, bytes, or a file object in binary mode, got {class}")));
        };
        let file = File::open(&path).map_err(|error| unopened(&error, &path))?;
        Ok(of(Box::new(file), &path.display().to_string(), Some(&path)))
    }

    /// Returns where exceptions of Python code are kept.
    pub fn watch(&self) -> Arc<Watch> {
        self.watch.clone()
    }

    /// Opens the stream, takes compression off, and returns it with its format: the one that was
    /// asked for, or the one that the first bytes show.
    pub fn open(self, asked: Option<&'static Format>, limits: &Limits) -> Result<(Stream<Watched>, &'static Format), Failure> {
        let Source { reader, mut extension, inner_extension, watch, .. } = self;
        let fail = |error| watch.cause(error);
        let watched = |reader: Reader| Watched { reader, watch: watch.clone(), read: 0, looked: Instant::now() };
        let mut stream = Stream::new(watched(reader));
        let (start, whole) = stream.peek(FAR).map_err(fail)?;
        let codecs = PAYLOADS.proved(start, whole);
        if !codecs.is_empty() {
            let names: Vec<&str> = codecs.iter().rev().map(|codec| codec.name).collect();
            let names = names.join(" in ");
            let unpacked = unpack::unpacked(Box::new(stream.into_input()), codecs)?;
            stream = Stream::new(watched(Box::new(unpacked))).decoded_by(names, limits);
            extension = inner_extension;
        }
        let (start, whole) = stream.peek(FAR).map_err(fail)?;
        if let Some(format) = asked.or_else(|| registry::choose(start, whole, extension.as_deref())) {
            return Ok((stream, format));
        }
        let error = match closed(start) {
            _ if start.is_empty() => Error::new(ErrorKind::Truncated, Fault::Data).seen("an empty input").expected("a message"),
            Some(closed) => Error::new(ErrorKind::Unsupported, Fault::Data)
                .seen(format!("{} data", closed.name))
                .expected("a message, as it is or compressed by gzip, zstd, bzip2, xz or lz4"),
            None => {
                let names: Vec<&str> = registry::FORMATS.iter().map(|format| format.name).collect();
                Error::new(ErrorKind::UnknownFormat, Fault::Data)
                    .seen("bytes that look like no format")
                    .hint(format!("name the format: {}", names.join(", ")))
            }
        };
        Err(error.at(0).into())
    }
}

/// Returns the bytes of an object that holds some.
pub fn bytes_of(object: &Bound<'_, PyAny>) -> PyResult<Option<PyBackedBytes>> {
    if object.is_instance_of::<PyBytes>() || object.is_instance_of::<PyByteArray>() {
        return Ok(Some(object.extract()?));
    }
    if object.is_instance_of::<PyString>() || object.hasattr("read")? {
        return Ok(None);
    }
    // Anything else with a buffer: memoryview, mmap, arrays.
    match pyo3::types::PyMemoryView::from(object) {
        Ok(view) => Ok(Some(view.call_method0("tobytes")?.extract()?)),
        Err(_) => Ok(None),
    }
}

fn extension(path: &Path) -> Option<String> {
    path.extension()?.to_str().map(str::to_string)
}

/// Returns the exception that Python itself raises for a file that cannot be opened.
pub fn unopened(error: &io::Error, path: &Path) -> PyErr {
    let plain = || PyErr::from(io::Error::new(error.kind(), format!("{}: {error}", path.display())));
    let Some(number) = error.raw_os_error() else { return plain() };
    Python::attach(|py| {
        let text = || py.import("os")?.call_method1("strerror", (number,));
        let class = py.get_type::<pyo3::exceptions::PyOSError>();
        let made = text().and_then(|text| class.call1((number, text, path)));
        made.map_or_else(|_| plain(), PyErr::from_value)
    })
}

/// An input that looks at signals and calls `progress` from time to time.
pub struct Watched {
    reader: Reader,
    watch: Arc<Watch>,
    read: u64,
    looked: Instant,
}

impl Read for Watched {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buf)?;
        self.read += read as u64;
        if self.looked.elapsed() >= PACE || read == 0 {
            self.watch.look(self.read)?;
            self.looked = Instant::now();
        }
        Ok(read)
    }
}

/// Bytes that Python holds.
struct Held {
    bytes: PyBackedBytes,
    at: usize,
}

impl Read for Held {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = (&self.bytes[self.at..]).read(buf)?;
        self.at += read;
        Ok(read)
    }
}

/// A file object of Python.
struct FileObject {
    object: Py<PyAny>,
    /// Bytes that were read, of which those before `at` were handed on.
    piece: Option<PyBackedBytes>,
    at: usize,
    watch: Arc<Watch>,
}

impl FileObject {
    fn ask(&self, bytes: usize) -> PyResult<PyBackedBytes> {
        Python::attach(|py| {
            let piece = self.object.bind(py).call_method1("read", (bytes,))?;
            if piece.is_instance_of::<PyString>() {
                return Err(PyTypeError::new_err("the file object is in text mode: open it in binary mode"));
            }
            if piece.is_none() {
                return Err(PyValueError::new_err("the file object has no bytes yet: a non-blocking one cannot be read"));
            }
            piece.extract::<PyBackedBytes>().map_err(PyErr::from)
        })
    }
}

impl Read for FileObject {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.piece.as_ref().is_none_or(|piece| self.at == piece.len()) {
            let piece = self.ask(buf.len().max(PIECE)).map_err(|exception| self.watch.keep(exception))?;
            (self.piece, self.at) = (Some(piece), 0);
        }
        let Some(piece) = &self.piece else { return Ok(0) };
        let read = (&piece[self.at..]).read(buf)?;
        self.at += read;
        Ok(read)
    }
}
