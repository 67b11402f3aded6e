//! Python objects as values: events that a tree takes.

use polywire_core::value::Tree;
use polywire_core::walk::{Path, PathStep};
use polywire_core::{Error, ErrorKind, Fault, Field, Hint, Len, Limits, Open, Scalar, Sink, Span, Str, Timestamp};
use polywire_formats::decimal;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};

use crate::fault::Failure;
use crate::objects::class;

/// Something that is still to be emitted.
enum Step<'py> {
    /// A value, at an index of its container.
    Element(u64, Bound<'py, PyAny>),
    /// A field.
    Field(Bound<'py, PyString>, Bound<'py, PyAny>),
    /// A key that is no text.
    Key(Bound<'py, PyAny>),
    /// Its value.
    OfKey(Bound<'py, PyAny>),
    Close,
}

/// The events of one message.
struct Events<'py> {
    tree: Tree<'static>,
    /// Steps to come, the next one last.
    steps: Vec<Step<'py>>,
    /// Steps from the message to the current value.
    path: Vec<PathStep>,
}

/// Makes a tree of an object.
pub fn tree(object: &Bound<'_, PyAny>) -> Result<Tree<'static>, Failure> {
    let mut events = Events { tree: Tree::without_spans(), steps: vec![Step::Element(0, object.clone())], path: Vec::new() };
    let done = events.run();
    done.map_err(|failure| match failure {
        Failure::Error(error) if error.path().is_none() => {
            // The first step leads to the message itself.
            Failure::Error(error.path_is(Path(events.path.split_off(events.path.len().min(1)))))
        }
        other => other,
    })?;
    Ok(events.tree)
}

fn unsupported(seen: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Caller).seen(seen)
}

impl<'py> Events<'py> {
    fn run(&mut self) -> Result<(), Failure> {
        while let Some(step) = self.steps.pop() {
            let (label, value) = match step {
                Step::Close => {
                    self.path.pop();
                    self.tree.close(Span::NONE)?;
                    continue;
                }
                Step::Element(index, value) => (PathStep::Index(index), value),
                Step::Field(name, value) => {
                    let name = name.to_str().map_err(|_| unsupported("a name with a lone surrogate").expected("Unicode text"))?;
                    self.tree.field(Field::named(Str::Scratch(name)), Span::NONE)?;
                    (PathStep::Name(name.to_string()), value)
                }
                Step::Key(value) => (PathStep::Key(value.repr()?.to_string()), value),
                Step::OfKey(value) => (self.path.last().cloned().unwrap_or(PathStep::Each), value),
            };
            // Entries of one container follow each other in the same place of the path.
            self.path.push(label);
            if !self.value(&value)? {
                self.path.pop();
            }
        }
        Ok(())
    }

    /// Emits a scalar, or the start of a container; then returns true.
    fn value(&mut self, value: &Bound<'py, PyAny>) -> Result<bool, Failure> {
        if let Some(opened) = self.container(value)? {
            if !opened {
                return Ok(false);
            }
            if self.path.len() > Limits::MAX_DEPTH as usize {
                let error =
                    Error::new(ErrorKind::Limit, Fault::Caller).seen(format!("containers nested more than {} deep", Limits::MAX_DEPTH));
                // The whole path helps nobody.
                self.path.truncate(8);
                return Err(error.into());
            }
            return Ok(true);
        }
        self.scalar(value)?;
        Ok(false)
    }

    fn emit(&mut self, scalar: Scalar<'static, '_>) -> Result<(), Failure> {
        Ok(self.tree.scalar(scalar, Span::NONE)?)
    }

    fn scalar(&mut self, value: &Bound<'py, PyAny>) -> Result<(), Failure> {
        if value.is_none() {
            return self.emit(Scalar::Null);
        }
        if let Ok(text) = value.cast::<PyString>() {
            let text = text.to_str().map_err(|_| unsupported("text with a lone surrogate").expected("Unicode text"))?;
            return self.emit(Scalar::Text(Str::Scratch(text)));
        }
        if let Ok(value) = value.cast::<PyBool>() {
            return self.emit(Scalar::Bool(value.is_true()));
        }
        if value.is_instance_of::<PyInt>() {
            return self.whole(value);
        }
        if let Ok(number) = value.cast::<PyFloat>() {
            return self.emit(Scalar::f64(number.value()));
        }
        if let Ok(bytes) = value.cast::<PyBytes>() {
            let is_octets = value.is_instance(&class(value.py(), "Octets", &OCTETS)?)?;
            let bytes = Str::Scratch(bytes.as_bytes());
            return self.emit(if is_octets { Scalar::Octets(bytes) } else { Scalar::Bytes(bytes) });
        }
        if value.is_instance_of::<PyByteArray>() || value.is_instance_of::<pyo3::types::PyMemoryView>() {
            let bytes = value.py().get_type::<PyBytes>().call1((value,))?.cast_into::<PyBytes>().map_err(PyErr::from)?;
            return self.emit(Scalar::Bytes(Str::Scratch(bytes.as_bytes())));
        }
        self.rare(value)
    }

    fn whole(&mut self, value: &Bound<'py, PyAny>) -> Result<(), Failure> {
        if let Ok(number) = value.extract::<i64>() {
            return self.emit(Scalar::int(number));
        }
        if let Ok(number) = value.extract::<u64>() {
            return self.emit(Scalar::uint(number));
        }
        // Python bounds the digits of decimal text, but not those of `decimal`.
        let digits: String = class(value.py(), "digits", &DIGITS)?.call1((value,))?.extract()?;
        self.emit(Scalar::big(Str::Scratch(&digits)))
    }

    /// Emits a value of a class that `_types.taken` knows.
    fn rare(&mut self, value: &Bound<'py, PyAny>) -> Result<(), Failure> {
        let py = value.py();
        let taken = class(py, "taken", &TAKEN)?.call1((value,))?;
        if taken.is_none() {
            let name = value.get_type().fully_qualified_name()?;
            return Err(unsupported(format!("an object of the class {name}"))
                .expected("None, bool, int, float, Decimal, str, bytes, datetime, list, tuple, dict, or a class of polywire")
                .into());
        }
        let (kind, parts) = taken.extract::<(String, Bound<'py, PyTuple>)>()?;
        match kind.as_str() {
            "decimal" => {
                let (mantissa, exponent) = parts.extract::<(String, i64)>()?;
                let number = decimal::spell(&mantissa, exponent).ok_or_else(|| unsupported("a decimal number with a huge exponent"))?;
                let spelling = number.spelling();
                self.emit_scratch(number.scalar(Hint::new(&spelling)))
            }
            "time" => {
                let (seconds, nanos) = parts.extract::<(i64, u32)>()?;
                let moment = Timestamp::new(seconds, nanos).ok_or_else(|| unsupported("a moment with too many nanoseconds"))?;
                self.emit(Scalar::Time(moment))
            }
            "int" => self.whole(&parts.get_item(0)?),
            "float" => {
                let number = parts.get_item(0)?.extract::<f64>()?;
                self.emit(Scalar::f64(number))
            }
            "refused" => {
                let (seen, expected) = parts.extract::<(String, String)>()?;
                Err(unsupported(seen).expected(expected).into())
            }
            other => Err(Error::internal(format!("a taken {other}")).into()),
        }
    }

    fn emit_scratch(&mut self, scalar: Scalar<'static, '_>) -> Result<(), Failure> {
        self.emit(scalar)
    }

    /// Opens a container and plans its parts. Returns `None` for a scalar.
    fn container(&mut self, value: &Bound<'py, PyAny>) -> Result<Option<bool>, Failure> {
        let py = value.py();
        if let Ok(list) = value.cast::<PyList>() {
            if value.is_instance(&class(py, "Pairs", &PAIRS)?)? {
                return self.pairs(list).map(Some);
            }
            let values: Vec<_> = list.iter().collect();
            self.tree.open(Open::List(Len::Claimed(values.len() as u64)), Span::NONE)?;
            self.elements(values);
            return Ok(Some(true));
        }
        if let Ok(tuple) = value.cast::<PyTuple>() {
            return self.tuple(value, tuple).map(Some);
        }
        if let Ok(dict) = value.cast::<PyDict>() {
            return self.entries(value, dict.iter().collect()).map(Some);
        }
        // Strings and bytes are no mappings; the look costs.
        if value.is_instance_of::<PyString>() || value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>() || value.is_none() {
            return Ok(None);
        }
        if let Ok(mapping) = value.cast::<PyMapping>() {
            let mut entries = Vec::new();
            for entry in mapping.items()?.iter() {
                entries.push(entry.extract::<(Bound<'py, PyAny>, Bound<'py, PyAny>)>()?);
            }
            return self.entries(value, entries).map(Some);
        }
        Ok(None)
    }

    /// Opens a tuple, or a class of ours that is one.
    fn tuple(&mut self, value: &Bound<'py, PyAny>, tuple: &Bound<'py, PyTuple>) -> Result<bool, Failure> {
        let py = value.py();
        if !value.is_exact_instance_of::<PyTuple>() {
            if value.is_instance(&class(py, "Variant", &VARIANT)?)? {
                let (name, values, index) = tuple.extract::<(String, Bound<'py, PyTuple>, u32)>()?;
                self.tree.open(Open::Variant { name: &name, index }, Span::NONE)?;
                self.elements(values.iter().collect());
                return Ok(true);
            }
            if value.is_instance(&class(py, "Tagged", &TAGGED)?)? {
                let (space, code, tagged) = tuple.extract::<(String, u64, Bound<'py, PyAny>)>()?;
                self.tree.open(Open::Tagged { space: &space, code }, Span::NONE)?;
                self.elements(vec![tagged]);
                return Ok(true);
            }
            if value.is_instance(&class(py, "Timestamp", &TIMESTAMP)?)? {
                self.rare(value)?;
                return Ok(false);
            }
        }
        let values: Vec<_> = tuple.iter().collect();
        self.tree.open(Open::Tuple(Len::Claimed(values.len() as u64)), Span::NONE)?;
        self.elements(values);
        Ok(true)
    }

    fn elements(&mut self, values: Vec<Bound<'py, PyAny>>) {
        self.steps.push(Step::Close);
        self.steps.extend(values.into_iter().enumerate().rev().map(|(index, value)| Step::Element(index as u64, value)));
    }

    /// Opens a record, or a map if a key is no text.
    fn entries(&mut self, of: &Bound<'py, PyAny>, entries: Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>) -> Result<bool, Failure> {
        let py = of.py();
        let len = Len::Claimed(entries.len() as u64);
        if entries.iter().all(|(key, _)| key.is_instance_of::<PyString>()) {
            let is_named = !of.is_exact_instance_of::<PyDict>() && of.is_instance(&class(py, "Record", &RECORD)?)?;
            let name = if is_named { of.getattr("name")?.extract::<String>()? } else { String::new() };
            self.tree.open(Open::Record { name: &name, len }, Span::NONE)?;
        } else {
            self.tree.open(Open::Map(len), Span::NONE)?;
        }
        self.plan(entries)?;
        Ok(true)
    }

    fn pairs(&mut self, pairs: &Bound<'py, PyList>) -> Result<bool, Failure> {
        let mut entries = Vec::new();
        for pair in pairs.iter() {
            let pair = pair.extract::<(Bound<'py, PyAny>, Bound<'py, PyAny>)>();
            entries.push(pair.map_err(|_| PyTypeError::new_err("expected pairs of a key and a value in polywire.Pairs"))?);
        }
        self.tree.open(Open::Map(Len::Claimed(entries.len() as u64)), Span::NONE)?;
        self.plan(entries)?;
        Ok(true)
    }

    fn plan(&mut self, entries: Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>) -> Result<(), Failure> {
        self.steps.push(Step::Close);
        for (key, value) in entries.into_iter().rev() {
            match key.cast_into::<PyString>() {
                Ok(name) => self.steps.push(Step::Field(name, value)),
                Err(key) => {
                    self.steps.push(Step::OfKey(value));
                    self.steps.push(Step::Key(key.into_inner()));
                }
            }
        }
        Ok(())
    }
}

static PAIRS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static RECORD: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static VARIANT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static TAGGED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static TIMESTAMP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static OCTETS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static TAKEN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static DIGITS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
