//! Failures as exceptions.

use std::any::Any;

use polywire_core::Error;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};

/// The reason why a function failed: an error of the library, or an exception of Python code that
/// it called.
pub enum Failure {
    Error(Error),
    Exception(PyErr),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Error(error)
    }
}

impl From<PyErr> for Failure {
    fn from(exception: PyErr) -> Failure {
        Failure::Exception(exception)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        match failure {
            Failure::Error(error) => Python::attach(|py| exception(py, &error)),
            Failure::Exception(exception) => exception,
        }
    }
}

/// Returns an error as an exception: `polywire.Error`, or a class below it.
pub fn exception(py: Python<'_>, error: &Error) -> PyErr {
    match object(py, error) {
        Ok(object) => PyErr::from_value(object),
        Err(other) => other,
    }
}

fn object<'py>(py: Python<'py>, error: &Error) -> PyResult<Bound<'py, PyAny>> {
    static ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let facts = PyDict::new(py);
    facts.set_item("kind", error.kind().name())?;
    facts.set_item("fault", error.fault().name())?;
    let known = |text: &str| (!text.is_empty()).then(|| text.to_string());
    facts.set_item("format", error.format())?;
    facts.set_item("seen", known(error.seen_text()))?;
    facts.set_item("expected", known(error.expected_text()))?;
    facts.set_item("hint", known(error.advice()))?;
    facts.set_item("offset", error.offset())?;
    facts.set_item("decoded", error.decoded())?;
    facts.set_item("line", error.place().map(|place| place.line))?;
    facts.set_item("column", error.place().map(|place| place.column))?;
    facts.set_item("message", error.message())?;
    facts.set_item("path", error.path().map(ToString::to_string))?;
    let class = ERROR.import(py, "polywire._errors", "Error")?;
    class.call_method1("of", (error.to_string(), facts))
}

/// An exception of a callback that cannot return one. It unwinds to the border.
pub struct Unwound(pub PyErr);

/// Returns what a panic was about.
pub fn of_panic(panic: Box<dyn Any + Send>) -> Failure {
    let panic = match panic.downcast::<Unwound>() {
        Ok(unwound) => return Failure::Exception(unwound.0),
        Err(panic) => panic,
    };
    let text = panic.downcast_ref::<&str>().map(ToString::to_string).or_else(|| panic.downcast_ref::<String>().cloned());
    Failure::Error(Error::internal(text.unwrap_or_else(|| "a panic".to_string())))
}
