//! Values as Python objects: a sink.

use std::collections::HashMap;

use polywire_core::{Error, Field, Needs, Next, Open, Part, Result, Scalar, Sink, Span, Timestamp, Tree};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::fault::Failure;

/// Names that are kept to be used again.
const NAMES: usize = 4096;
/// Longest name that is kept, in bytes.
const SHORT: usize = 64;

/// Makes objects of trees, one after the other.
#[derive(Default)]
pub struct Names(HashMap<Box<str>, Py<PyString>>);

impl Names {
    /// Returns the object of a name. Those of fields come again and again.
    fn get<'py>(&mut self, py: Python<'py>, name: &str) -> Bound<'py, PyString> {
        if let Some(known) = self.0.get(name) {
            return known.bind(py).clone();
        }
        let made = PyString::new(py, name);
        if name.len() <= SHORT && self.0.len() < NAMES {
            self.0.insert(name.into(), made.clone().unbind());
        }
        made
    }

    /// Returns the object of a tree.
    pub fn object<'py>(&mut self, py: Python<'py>, tree: &Tree<'_>) -> std::result::Result<Bound<'py, PyAny>, Failure> {
        let mut objects = Objects { py, names: self, stack: Vec::new(), root: None, raised: None };
        let emitted = tree.emit_into(&mut objects);
        if let Some(raised) = objects.raised {
            return Err(raised.into());
        }
        emitted?;
        objects.root.ok_or_else(|| Error::internal("a message without a value").into())
    }
}

/// A container that is being read.
enum Frame<'py> {
    List(Vec<Bound<'py, PyAny>>),
    Tuple(Vec<Bound<'py, PyAny>>),
    /// Entries, in a dictionary as long as their keys allow it.
    Entries {
        name: Option<String>,
        dict: Bound<'py, PyDict>,
        pairs: Option<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>>,
        key: Option<Bound<'py, PyAny>>,
    },
    Variant(String, u32, Vec<Bound<'py, PyAny>>),
    Tagged(String, u64, Option<Bound<'py, PyAny>>),
}

struct Objects<'n, 'py> {
    py: Python<'py>,
    names: &'n mut Names,
    stack: Vec<Frame<'py>>,
    root: Option<Bound<'py, PyAny>>,
    raised: Option<PyErr>,
}

impl<'py> Objects<'_, 'py> {
    /// Keeps an exception, and returns the error that ends the walk.
    fn raise(&mut self, raised: PyErr) -> Error {
        self.raised = Some(raised);
        Error::internal("a Python exception")
    }

    fn put(&mut self, value: Bound<'py, PyAny>) -> PyResult<()> {
        match self.stack.last_mut() {
            None => self.root = Some(value),
            Some(Frame::List(values) | Frame::Tuple(values) | Frame::Variant(_, _, values)) => values.push(value),
            Some(Frame::Tagged(_, _, tagged)) => *tagged = Some(value),
            Some(Frame::Entries { dict, pairs, key, .. }) => match key.take() {
                None => *key = Some(value),
                Some(key) => put_entry(dict, pairs, key, value)?,
            },
        }
        Ok(())
    }

    fn closed(&mut self, frame: Frame<'py>) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        Ok(match frame {
            Frame::List(values) => PyList::new(py, values)?.into_any(),
            Frame::Tuple(values) => PyTuple::new(py, values)?.into_any(),
            Frame::Entries { pairs: Some(pairs), .. } => class(py, "Pairs", &PAIRS)?.call1((pairs,))?,
            Frame::Entries { name: None, dict, .. } => dict.into_any(),
            Frame::Entries { name: Some(name), dict, .. } => class(py, "Record", &RECORD)?.call1((name, dict))?,
            Frame::Variant(name, index, values) => class(py, "Variant", &VARIANT)?.call1((name, PyTuple::new(py, values)?, index))?,
            Frame::Tagged(space, code, value) => class(py, "Tagged", &TAGGED)?.call1((space, code, value))?,
        })
    }

    fn scalar_object(&mut self, scalar: Scalar<'_, '_>) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        let typed = match scalar {
            Scalar::Int(_, hint) | Scalar::UInt(_, hint) | Scalar::F64(_, hint) | Scalar::Big(_, hint) => {
                hint.exponent().and_then(|_| hint.digits())
            }
            _ => None,
        };
        if let Some(digits) = typed {
            return decimal(py, digits);
        }
        Ok(match scalar {
            Scalar::Null => py.None().into_bound(py),
            Scalar::Bool(value) => value.into_pyobject(py)?.to_owned().into_any(),
            Scalar::Int(value, _) => value.into_pyobject(py)?.into_any(),
            Scalar::UInt(value, _) => value.into_pyobject(py)?.into_any(),
            Scalar::F32(value, _) => PyFloat::new(py, f64::from(value)).into_any(),
            Scalar::F64(value, _) => PyFloat::new(py, value).into_any(),
            Scalar::Big(digits, _) => whole(py, digits.get())?,
            Scalar::Decimal(digits, _) => decimal(py, digits.get())?,
            Scalar::Text(text) => PyString::new(py, text.get()).into_any(),
            Scalar::Bytes(bytes) => PyBytes::new(py, bytes.get()).into_any(),
            Scalar::Octets(bytes) => class(py, "Octets", &OCTETS)?.call1((PyBytes::new(py, bytes.get()),))?,
            Scalar::Time(moment) => time(py, moment)?,
            other => return Err(Failure::Error(Error::unknown_event(other.kind())).into()),
        })
    }
}

/// Adds an entry. A key that no dictionary holds beside the others makes a list of pairs of it.
fn put_entry<'py>(
    dict: &Bound<'py, PyDict>,
    pairs: &mut Option<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>>,
    key: Bound<'py, PyAny>,
    value: Bound<'py, PyAny>,
) -> PyResult<()> {
    if let Some(pairs) = pairs {
        pairs.push((key, value));
        return Ok(());
    }
    // Names are hashed once: the length shows if one was there.
    let before = dict.len();
    let is_text = key.is_exact_instance_of::<PyString>();
    let fits = if is_text { true } else { key.hash().is_ok() && !dict.contains(&key)? };
    if fits && !is_text {
        dict.set_item(&key, &value)?;
        return Ok(());
    }
    if fits {
        let old = dict.get_item(&key)?;
        if old.is_none() {
            dict.set_item(&key, &value)?;
            debug_assert_eq!(dict.len(), before + 1);
            return Ok(());
        }
    }
    let mut all: Vec<_> = dict.iter().collect();
    all.push((key, value));
    *pairs = Some(all);
    Ok(())
}

static PAIRS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static RECORD: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static VARIANT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static TAGGED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static OCTETS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static MOMENT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static DECIMAL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Returns a name of the module of classes.
pub fn class<'py>(py: Python<'py>, name: &str, known: &PyOnceLock<Py<PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    Ok(known.get_or_try_init(py, || py.import("polywire._types")?.getattr(name).map(Bound::unbind))?.bind(py).clone())
}

fn decimal<'py>(py: Python<'py>, digits: &str) -> PyResult<Bound<'py, PyAny>> {
    let class = DECIMAL.get_or_try_init(py, || py.import("decimal")?.getattr("Decimal").map(Bound::unbind))?;
    class.bind(py).call1((digits,))
}

/// Returns a whole number of any length. Python bounds the digits that it reads as decimal ones, so
/// they go in pieces.
fn whole<'py>(py: Python<'py>, digits: &str) -> PyResult<Bound<'py, PyAny>> {
    const PIECE: usize = 4000;
    let class = py.get_type::<PyInt>();
    if digits.len() <= PIECE {
        return class.call1((digits,));
    }
    // Exactly as `decimal` reads them, which has no bound.
    class.call1((decimal(py, digits)?,))
}

fn time(py: Python<'_>, moment: Timestamp) -> PyResult<Bound<'_, PyAny>> {
    class(py, "moment", &MOMENT)?.call1((moment.seconds(), moment.nanos()))
}

impl<'m> Sink<'m> for Objects<'_, '_> {
    fn needs(&self) -> Needs {
        Needs::WHOLE_TEXT
    }

    fn open(&mut self, open: Open<'_>, _: Span) -> Result<Next> {
        let entries = |name: Option<String>| Frame::Entries { name, dict: PyDict::new(self.py), pairs: None, key: None };
        self.stack.push(match open {
            Open::List(_) => Frame::List(Vec::new()),
            Open::Tuple(_) => Frame::Tuple(Vec::new()),
            Open::Map(_) => entries(None),
            Open::Record { name, .. } => entries((!name.is_empty()).then(|| name.to_string())),
            Open::Variant { name, index } => Frame::Variant(name.to_string(), index, Vec::new()),
            Open::Tagged { space, code } => Frame::Tagged(space.to_string(), code, None),
            other => return Err(Error::unknown_event(other.kind())),
        });
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        let name = self.names.get(self.py, field.name.get()).into_any();
        match self.stack.last_mut() {
            Some(Frame::Entries { key, .. }) => *key = Some(name),
            _ => return Err(Error::internal("a field outside of a record")),
        }
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, _: Span) -> Result<()> {
        let put = self.scalar_object(value).and_then(|object| self.put(object));
        put.map_err(|raised| self.raise(raised))
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Err(Error::internal("a part of a value that a tree holds whole"))
    }

    fn close(&mut self, _: Span) -> Result<()> {
        let Some(frame) = self.stack.pop() else { return Err(Error::internal("an end without a start")) };
        let put = self.closed(frame).and_then(|object| self.put(object));
        put.map_err(|raised| self.raise(raised))
    }
}
