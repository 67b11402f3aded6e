//! The messages of an input, one after the other.

use std::sync::{Arc, Mutex, MutexGuard};

use polywire_core::Error;
use polywire_core::tools::adapt::Walker;
use polywire_core::tools::{Count, Stream};
use polywire_core::value::Tree;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use crate::border::{apart, guarded};
use crate::columns::{Columns, columns};
use crate::fault::{Failure, exception};
use crate::grouped::Grouped;
use crate::objects::Names;
use crate::reading::Reading;
use crate::source::{Source, Watch, Watched};

/// Treatment of a message that cannot be read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Bad {
    /// Its error is raised.
    Fail,
    /// It is passed over.
    Skip,
    /// Its error comes in its place.
    Keep,
}

impl Bad {
    fn named(name: &str) -> Result<Bad, Failure> {
        match name {
            "fail" => Ok(Bad::Fail),
            "skip" => Ok(Bad::Skip),
            "keep" => Ok(Bad::Keep),
            other => Err(Error::usage(format!("bad={other:?}")).expected("fail, skip or keep").into()),
        }
    }
}

/// The messages of an input.
#[pyclass(module = "polywire", frozen)]
pub struct Messages {
    /// None once the input is closed, or is read by somebody else.
    input: Mutex<Option<Input>>,
    format: &'static str,
    name: String,
}

/// An open input.
pub struct Input {
    pub stream: Stream<Watched>,
    pub walker: Walker,
    pub watch: Arc<Watch>,
    pub reading: Reading,
    names: Names,
    spare: Tree<'static>,
    pub on_bad: Bad,
    bad: u64,
    ended: bool,
}

/// Opens an input.
#[pyfunction]
#[pyo3(signature = (source, reading, bad = "fail", progress = None))]
pub fn read(py: Python<'_>, source: &Bound<'_, PyAny>, reading: Reading, bad: &str, progress: Option<Py<PyAny>>) -> PyResult<Messages> {
    let source = Source::new(source, progress)?;
    let on_bad = Bad::named(bad)?;
    let name = source.name.clone();
    apart(py, move || {
        let watch = source.watch();
        let (stream, walker) = reading.open(source)?;
        let format = walker.format().name;
        let (names, spare) = (Names::default(), Tree::without_spans());
        let input = Input { stream, walker, watch, reading, names, spare, on_bad, bad: 0, ended: false };
        Ok(Messages { input: Mutex::new(Some(input)), format, name })
    })
}

/// One step of reading. It lives for a call, and nobody holds many.
#[allow(clippy::large_enum_variant)]
enum Step<'s> {
    Message(Tree<'s>),
    /// A message that cannot be read, whose error is wanted.
    Bad(Error),
    /// A message that was passed over.
    Skipped,
    End,
}

impl Input {
    /// Reads the next message.
    fn step(&mut self) -> Result<Step<'_>, Failure> {
        if self.ended {
            return Ok(Step::End);
        }
        match self.stream.next(&mut self.walker) {
            Ok(Some(_)) => {}
            Ok(None) => {
                self.ended = true;
                return Ok(Step::End);
            }
            Err(error) => {
                self.ended = true;
                return Err(self.watch.cause(error));
            }
        }
        let message = self.stream.last();
        let mut tree = std::mem::take(&mut self.spare).recycle();
        let Err(error) = self.walker.walk(message.bytes, message.base, &mut Grouped(&mut tree)) else { return Ok(Step::Message(tree)) };
        // The framing holds if it says so, or if nothing but the sink has failed.
        let goes_on = self.walker.recover_from(message) || self.walker.walk(message.bytes, message.base, &mut Count::default()).is_ok();
        self.ended = !goes_on;
        self.bad += 1;
        let error = self.stream.explain(error);
        match self.on_bad {
            Bad::Keep => Ok(Step::Bad(error)),
            Bad::Skip if goes_on => Ok(Step::Skipped),
            Bad::Fail | Bad::Skip => Err(error.into()),
        }
    }

    /// Returns the object of the next message, or its error in its place.
    fn next_object<'py>(&mut self, py: Python<'py>, names: &mut Names) -> PyResult<Option<Bound<'py, PyAny>>> {
        loop {
            match apart(py, || self.step())? {
                Step::Message(tree) => {
                    let object = guarded(|| names.object(py, &tree));
                    self.spare = tree.recycle();
                    return Ok(Some(object?));
                }
                Step::Bad(error) => return Ok(Some(exception(py, &error).into_value(py).into_bound(py).into_any())),
                Step::Skipped => {}
                Step::End => return Ok(None),
            }
        }
    }
}

impl Messages {
    /// Locks the input, without waiting for another thread that reads it.
    fn input(&self) -> PyResult<MutexGuard<'_, Option<Input>>> {
        self.input.try_lock().map_err(|_| PyRuntimeError::new_err("another thread reads these messages"))
    }

    /// Takes the input, for another reader of it.
    pub fn take(&self) -> PyResult<Input> {
        self.input()?.take().ok_or_else(closed)
    }
}

fn closed() -> PyErr {
    pyo3::exceptions::PyValueError::new_err("the messages are closed, or were read as columns or written")
}

#[pymethods]
impl Messages {
    /// The name of the format.
    #[getter]
    fn format(&self) -> &'static str {
        self.format
    }

    /// The number of messages so far.
    #[getter]
    fn count(&self) -> PyResult<u64> {
        Ok(self.input()?.as_ref().ok_or_else(closed)?.stream.taken())
    }

    /// The number of messages so far that could not be read.
    #[getter]
    fn bad(&self) -> PyResult<u64> {
        Ok(self.input()?.as_ref().ok_or_else(closed)?.bad)
    }

    /// The offset of the next message.
    #[getter]
    fn offset(&self) -> PyResult<u64> {
        Ok(self.input()?.as_ref().ok_or_else(closed)?.stream.offset())
    }

    /// Closes the input.
    fn close(&self) -> PyResult<()> {
        self.input()?.take();
        Ok(())
    }

    fn __enter__(this: Py<Messages>) -> Py<Messages> {
        this
    }

    #[pyo3(signature = (*_raised))]
    fn __exit__(&self, _raised: &Bound<'_, PyAny>) -> PyResult<()> {
        self.close()
    }

    fn __iter__(this: Py<Messages>) -> Py<Messages> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut held = self.input()?;
        let input = held.as_mut().ok_or_else(closed)?;
        let mut names = std::mem::take(&mut input.names);
        let object = input.next_object(py, &mut names);
        input.names = names;
        object
    }

    /// Returns the messages as columns, which libraries of data frames take.
    #[pyo3(signature = (schema = None, *, r#type = None, include = None, sums = None, decimals = None, rest = None, rows = None, threads = None))]
    #[allow(clippy::too_many_arguments)]
    fn columns<'py>(
        this: &Bound<'py, Messages>,
        schema: Option<Bound<'py, PyAny>>,
        r#type: Option<Bound<'py, PyAny>>,
        include: Option<Bound<'py, PyAny>>,
        sums: Option<Bound<'py, PyAny>>,
        decimals: Option<Bound<'py, PyAny>>,
        rest: Option<Bound<'py, PyAny>>,
        rows: Option<Bound<'py, PyAny>>,
        threads: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Columns> {
        let choices = PyDict::new(this.py());
        let named = [("schema", schema), ("type", r#type), ("include", include), ("sums", sums), ("decimals", decimals)];
        for (name, value) in named.into_iter().chain([("rest", rest), ("rows", rows), ("threads", threads)]) {
            choices.set_item(name, value)?;
        }
        columns(this.py(), this, &choices)
    }

    /// Hands the messages as columns to a library that takes Arrow's streams.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        this: &Bound<'py, Messages>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let py = this.py();
        columns(py, this, &PyDict::new(py))?.stream(py, requested_schema)
    }

    fn __repr__(&self) -> String {
        format!("<polywire.Messages of {} in {}>", self.name, self.format)
    }
}
