//! Outputs: files, bytes and Python's file objects.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use polywire_core::Error;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::fault::Failure;
use crate::source::unopened;

/// An output.
pub struct Target {
    pub writer: Box<dyn Write + Send>,
    /// Its path, if it is a file.
    pub path: Option<PathBuf>,
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl Target {
    /// Takes a path, or a file object in binary mode.
    pub fn new(object: &Bound<'_, PyAny>) -> PyResult<Target> {
        let raised = Arc::default();
        if object.hasattr("write")? {
            let writer = FileObject { object: object.clone().unbind(), raised: Arc::clone(&raised) };
            let path = object.getattr("name").ok().and_then(|name| name.extract().ok());
            return Ok(Target { writer: Box::new(writer), path, raised });
        }
        let Ok(path) = object.extract::<PathBuf>() else {
            let class = object.get_type().qualname()?;
            return Err(PyTypeError::new_err(format!("expected a path, or a file object in binary mode, got {class}")));
        };
        let file = File::create(&path).map_err(|error| unopened(&error, &path))?;
        Ok(Target { writer: Box::new(BufWriter::new(file)), path: Some(path), raised })
    }

    /// Returns why a run failed: an exception of the file object, or else `error`.
    pub fn cause(&self, error: Error) -> Failure {
        match self.raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(exception) => Failure::Exception(exception),
            None => Failure::Error(error),
        }
    }

    /// Writes what a buffer holds.
    pub fn end(&mut self) -> Result<(), Failure> {
        self.writer.flush().map_err(|error| self.cause(Error::io("writing", &error)))
    }
}

/// A file object of Python.
struct FileObject {
    object: Py<PyAny>,
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl FileObject {
    fn keep(&self, exception: PyErr) -> io::Error {
        *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(exception);
        io::Error::other("a Python exception")
    }
}

impl Write for FileObject {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = Python::attach(|py| {
            py.check_signals()?;
            let written = self.object.bind(py).call_method1("write", (PyBytes::new(py, bytes),))?;
            // Raw files return how much they took, and None if that is nothing.
            Ok::<_, PyErr>(written.extract::<usize>().unwrap_or(bytes.len()).min(bytes.len()))
        });
        written.map_err(|exception| self.keep(exception))
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = Python::attach(|py| match self.object.bind(py).getattr("flush") {
            Ok(flush) => flush.call0().map(drop),
            Err(_) => Ok(()),
        });
        flushed.map_err(|exception| self.keep(exception))
    }
}
