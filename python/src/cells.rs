//! Columns with a message in each cell, as the engines of clusters have them.

use std::sync::{Arc, Mutex, MutexGuard};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use polywire::columns::{Options, Plan};
use polywire_arrow::{CellReader as Reader, CellWriter as Writer, alone};
use polywire_core::tools::parallel::is_apart;
use polywire_core::{Error, ErrorKind, Fault, Format};
use polywire_formats::registry;
use polywire_report::losses as listed;
use polywire_schema::infer::Inference as State;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict};

use crate::border::{apart, guarded};
use crate::capsule;
use crate::columns::{self, Columns};
use crate::dialect::{Binding, Given, Spoken};
use crate::fault::Failure;
use crate::messages::Bad;
use crate::reading::Reading;
use crate::schema::Schema as Common;
use crate::source::Source;

/// Returns the format of messages that stand alone: JSON for JSON Lines.
pub fn single(spoken: &Spoken) -> Result<&'static Format, Failure> {
    let named = spoken.format.ok_or_else(|| {
        let error = Error::new(ErrorKind::UnknownFormat, Fault::Caller).seen("no format");
        error.expected("the format of the messages in the cells")
    })?;
    Ok(registry::unframed(named))
}

/// Returns the bytes of each cell.
pub fn bytes(array: &ArrayRef) -> PyResult<Vec<Option<&[u8]>>> {
    Ok(match array.data_type() {
        DataType::Binary => array.as_binary::<i32>().iter().collect(),
        DataType::LargeBinary => array.as_binary::<i64>().iter().collect(),
        DataType::BinaryView => array.as_binary_view().iter().collect(),
        DataType::FixedSizeBinary(_) => array.as_fixed_size_binary().iter().collect(),
        DataType::Utf8 => array.as_string::<i32>().iter().map(|cell| cell.map(str::as_bytes)).collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().map(|cell| cell.map(str::as_bytes)).collect(),
        DataType::Utf8View => array.as_string_view().iter().map(|cell| cell.map(str::as_bytes)).collect(),
        DataType::Null => vec![None; array.len()],
        other => return Err(PyTypeError::new_err(format!("expected a column of bytes or text, got one of {other}"))),
    })
}

fn locked<T>(mutex: &Mutex<T>) -> PyResult<MutexGuard<'_, T>> {
    mutex.try_lock().map_err(|_| PyRuntimeError::new_err("another thread works with it"))
}

/// Makes the plan of columns of messages that are read in some way.
fn planned(reading: &Reading, given: &Binding, format: &'static Format, options: &Options) -> Result<Arc<Plan>, Failure> {
    let binding = if given.schema.is_some() { given } else { &reading.spoken.binding };
    let schema = columns::common(binding, format)?.ok_or_else(|| {
        let error = Error::usage("no schema that columns could be made of").expected("the schema of the messages");
        error.hint("`infer_schema` finds one")
    })?;
    Ok(Arc::new(Plan::new(&reading.projected(schema)?, options)?))
}

/// Returns the columns of messages, with one for the reasons of bad ones. There are no rows.
#[pyfunction]
pub fn columns_of(py: Python<'_>, reading: Reading, choices: &Bound<'_, PyDict>) -> PyResult<Columns> {
    let options = columns::options(choices, Bad::Keep)?;
    let given = choices.extract::<Spoken>()?.binding;
    apart(py, move || {
        let plan = planned(&reading, &given, single(&reading.spoken)?, &options)?;
        Ok(Columns::of(Vec::new(), Arc::clone(plan.schema())))
    })
}

/// Reads a column of messages into columns, one row for each cell.
#[pyclass(module = "polywire._polywire", frozen)]
pub struct CellReader {
    reader: Mutex<Reader>,
    schema: SchemaRef,
}

#[pymethods]
impl CellReader {
    /// Makes a reader. `choices` are those of `Messages.columns`.
    #[new]
    #[pyo3(signature = (reading, choices, fails = false))]
    fn new(py: Python<'_>, reading: Reading, choices: &Bound<'_, PyDict>, fails: bool) -> PyResult<CellReader> {
        let options = columns::options(choices, Bad::Keep)?;
        let given = choices.extract::<Spoken>()?.binding;
        apart(py, move || {
            let format = single(&reading.spoken)?;
            let plan = planned(&reading, &given, format, &options)?;
            let mut walker = reading.walker(format)?;
            if !matches!(given.schema, Some(Given::Common(_))) {
                walker.show_types();
            }
            let reader = Reader::new(walker, plan, fails)?;
            let schema = reader.schema();
            Ok(CellReader { reader: Mutex::new(reader), schema })
        })
    }

    /// Reads the cells of an Arrow array. Errors call the first one message number `before` + 1.
    #[pyo3(signature = (array, before = 0))]
    fn read(&self, py: Python<'_>, array: &Bound<'_, PyAny>, before: u64) -> PyResult<Columns> {
        let array = capsule::array(array)?;
        let cells = bytes(&array)?;
        let mut reader = locked(&self.reader)?;
        let reader = &mut *reader;
        let batches = apart(py, move || {
            let mut batches = Vec::new();
            reader.read(before, cells, &mut |batch| {
                batches.push(batch);
                Ok(())
            })?;
            Ok(batches)
        })?;
        Ok(Columns::of(batches, Arc::clone(&self.schema)))
    }

    /// The number of cells so far that were bad.
    #[getter]
    fn bad(&self) -> PyResult<u64> {
        Ok(locked(&self.reader)?.filled().bad)
    }

    /// Returns the columns of the rows.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema(py, &self.schema)
    }
}

/// Writes rows as messages, one in each cell of a column.
#[pyclass(module = "polywire._polywire", frozen)]
pub struct CellWriter {
    writer: Mutex<Writer>,
}

#[pymethods]
impl CellWriter {
    #[new]
    #[pyo3(signature = (spoken, lossy = false))]
    fn new(py: Python<'_>, spoken: Spoken, lossy: bool) -> PyResult<CellWriter> {
        apart(py, move || {
            let format = single(&spoken)?;
            let mut spoken = spoken;
            if spoken.binding.schema.as_ref().is_some_and(|schema| !schema.is_for(format)) {
                spoken.binding.schema = None;
            }
            Ok(CellWriter { writer: Mutex::new(Writer::new(spoken.written(format)?, !lossy)?) })
        })
    }

    /// Writes the rows of columns. Errors call the first one message number `before` + 1.
    #[pyo3(signature = (rows, before = 0))]
    fn write(&self, py: Python<'_>, rows: &Bound<'_, PyAny>, before: u64) -> PyResult<Columns> {
        let rows = capsule::batches(rows)?;
        let mut writer = locked(&self.writer)?;
        let writer = &mut *writer;
        let schema: SchemaRef = Arc::new(Schema::new(vec![Field::new("value", DataType::Binary, true)]));
        let made = Arc::clone(&schema);
        let batches = apart(py, move || {
            let (mut batches, mut before) = (Vec::new(), before);
            for rows in rows {
                let rows = rows.map_err(|error| Error::usage(format!("columns that cannot be read: {error}")))?;
                writer.write(before, &rows, &mut |cells: BinaryArray| {
                    let batch = RecordBatch::try_new(Arc::clone(&made), vec![Arc::new(cells)]);
                    batches.push(batch.map_err(|error| Error::internal(error.to_string()))?);
                    Ok(())
                })?;
                before += rows.num_rows() as u64;
            }
            Ok(batches)
        })?;
        Ok(Columns::of(batches, schema))
    }

    /// The losses so far, as JSON.
    #[getter]
    fn losses(&self) -> PyResult<String> {
        Ok(listed(locked(&self.writer)?.losses()))
    }
}

/// The state of an inference: the samples so far. Processes make one each, and merge them.
#[pyclass(module = "polywire._polywire", frozen)]
pub struct Inference {
    state: Mutex<State>,
}

impl Inference {
    fn of(state: State) -> Inference {
        Inference { state: Mutex::new(state) }
    }
}

#[pymethods]
impl Inference {
    #[new]
    fn new() -> Inference {
        Inference::of(State::new())
    }

    /// Adds the cells of an Arrow array, each of them one message, and returns the number of bad
    /// ones, which are passed over if they are to be skipped.
    #[pyo3(signature = (array, reading, skip = false, before = 0))]
    fn add(&self, py: Python<'_>, array: &Bound<'_, PyAny>, reading: Reading, skip: bool, before: u64) -> PyResult<u64> {
        let array = capsule::array(array)?;
        let cells = bytes(&array)?;
        let mut held = locked(&self.state)?;
        let state = &mut *held;
        apart(py, move || {
            let mut walker = reading.walker(single(&reading.spoken)?)?;
            let mut bad = 0;
            for (cell, number) in cells.into_iter().zip(before + 1..) {
                let Some(cell) = cell else { continue };
                let mut one = State::new();
                // A message that may be passed over is added to a state of its own first.
                let to = if skip { &mut one } else { &mut *state };
                let added =
                    alone(&mut walker, cell).and_then(|(from, end)| to.add(|sink| walker.walk(&cell[from..end], from as u64, sink)));
                match added {
                    Ok(()) if skip => *state = std::mem::take(state).merge(one),
                    Ok(()) => {}
                    Err(error) if !skip => return Err(error.or_message(number).into()),
                    Err(_) => {
                        walker.recover();
                        bad += 1;
                    }
                }
            }
            Ok(bad)
        })
    }

    /// Adds the messages of an input.
    #[pyo3(signature = (source, reading, threads = 1))]
    fn read(&self, py: Python<'_>, source: &Bound<'_, PyAny>, reading: Reading, threads: usize) -> PyResult<()> {
        let source = Source::new(source, None)?;
        let mut held = locked(&self.state)?;
        let state = &mut *held;
        apart(py, move || {
            let watch = source.watch();
            let (mut stream, mut walker) = reading.open(source)?;
            state.add_stream(&mut stream, &mut walker, threads).map_err(|error| watch.cause(error))
        })
    }

    /// Adds what another one has seen.
    fn merge(&self, py: Python<'_>, other: &Inference) -> PyResult<()> {
        let bytes = locked(&other.state)?.to_bytes();
        let mut held = locked(&self.state)?;
        let state = &mut *held;
        apart(py, move || {
            *state = std::mem::take(state).merge(State::from_bytes(&bytes)?);
            Ok(())
        })
    }

    /// The number of samples.
    #[getter]
    fn samples(&self) -> PyResult<u64> {
        Ok(locked(&self.state)?.samples())
    }

    /// Returns the schema of the samples.
    #[pyo3(signature = (name = None))]
    fn finish(&self, py: Python<'_>, name: Option<&str>) -> PyResult<Common> {
        let bytes = locked(&self.state)?.to_bytes();
        apart(py, || Ok(Common::new(State::from_bytes(&bytes)?.finish(name))))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &locked(&self.state)?.to_bytes()))
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Inference> {
        Ok(guarded(|| Ok(Inference::of(State::from_bytes(bytes)?)))?)
    }

    fn __reduce__<'py>(this: &Bound<'py, Inference>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let made = this.get_type().getattr("from_bytes")?;
        Ok((made, (this.get().to_bytes(this.py())?,)))
    }
}

/// Finds pieces of an input that begin and end between messages, each of about `size` bytes.
/// Returns the format, and start, end and number of messages of each piece. The input is read once,
/// and the contents of messages are not checked. One piece is all of it if messages lean on the
/// first one.
#[pyfunction]
#[pyo3(signature = (source, reading, size))]
#[allow(clippy::type_complexity)]
pub fn split(py: Python<'_>, source: &Bound<'_, PyAny>, reading: Reading, size: u64) -> PyResult<(&'static str, Vec<(u64, u64, u64)>)> {
    let source = Source::new(source, None)?;
    apart(py, move || {
        let watch = source.watch();
        let (mut stream, mut walker) = reading.open(source)?;
        let format = walker.format();
        let mut pieces: Vec<(u64, u64, u64)> = Vec::new();
        let parts = !format.first_gives_fields && reading.each.is_none();
        loop {
            let before = stream.offset();
            match stream.next(&mut walker).map_err(|error| watch.cause(error))? {
                Some(_) => {}
                None => break,
            }
            let end = stream.offset();
            match pieces.last_mut() {
                Some((start, to, count)) if !parts || before - *start < size => {
                    *to = end;
                    *count += 1;
                }
                _ => pieces.push((before, end, 1)),
            }
        }
        if let Some(last) = pieces.last_mut() {
            last.1 = last.1.max(stream.offset());
        }
        Ok((format.name, pieces))
    })
}

/// Reports how an input of a format is cut: by its lines, by its framing, or not at all.
#[pyfunction]
pub fn cuts(name: &str) -> PyResult<&'static str> {
    let format = registry::find(name).map_err(Failure::from)?;
    Ok(match (format.framing, is_apart(format, None)) {
        (polywire_core::format::Framing::Lines, true) => "lines",
        _ if format.first_gives_fields => "whole",
        _ => "messages",
    })
}

/// Reports whether a format itself takes the schema, and not only the columns of its messages.
#[pyfunction]
pub fn takes_schema(spoken: Spoken) -> PyResult<bool> {
    let format = single(&spoken)?;
    Ok(spoken.binding.schema.as_ref().is_some_and(|schema| schema.is_for(format)))
}

/// Returns the files that a schema consists of, with their bytes: the one that is named, and those
/// that it imports.
#[pyfunction]
pub fn schema_files<'py>(py: Python<'py>, spoken: Spoken) -> PyResult<Vec<(String, Bound<'py, PyBytes>)>> {
    let files = apart(py, || {
        let format = single(&spoken)?;
        columns::files(&spoken.binding, format)
    })?;
    Ok(files.into_iter().map(|(path, bytes)| (path, PyBytes::new(py, &bytes))).collect())
}
