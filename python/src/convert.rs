//! Conversions, and objects as messages.

use std::collections::BTreeMap;
use std::io::Write as _;

use polywire_core::format::Dialect;
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::Walker;
use polywire_core::tools::convert::Converter;
use polywire_core::tools::loss::summary;
use polywire_core::value::Tree;
use polywire_core::{Error, ErrorKind, Fault, Writer};
use polywire_report::losses as listed;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyString};

use crate::border::{apart, guarded};
use crate::capsule::has_columns;
use crate::columns;
use crate::dialect::Spoken;
use crate::events;
use crate::fault::Failure;
use crate::grouped::Grouped;
use crate::messages::{Input, Messages};
use crate::objects::Names;
use crate::reading::Reading;
use crate::source::{Source, bytes_of};
use crate::target::Target;

/// Bytes of output that are collected before they are written.
const CHUNK: usize = 64 << 10;

/// Reads the one message of an input.
#[pyfunction]
pub fn decode<'py>(py: Python<'py>, data: &Bound<'py, PyAny>, reading: Reading) -> PyResult<Bound<'py, PyAny>> {
    let Some(bytes) = bytes_of(data)? else {
        let class = data.get_type().qualname()?;
        return Err(PyTypeError::new_err(format!("expected bytes, got {class}; polywire.read takes paths and file objects")));
    };
    let mut walker = apart(py, || {
        let format = match reading.spoken.format {
            Some(format) => format,
            None => polywire::recognise(&bytes).ok_or_else(|| {
                let error = Error::new(ErrorKind::UnknownFormat, Fault::Data).seen("bytes that look like no format");
                error.expected("a message").hint("name the format").at(0)
            })?,
        };
        reading.walker(format)
    })?;
    let mut stream = Stream::new(&bytes[..]).exactly_one(true);
    let mut object = py.None().into_bound(py);
    while let Some(tree) = apart(py, || next_tree(&mut stream, &mut walker))? {
        object = guarded(|| Names::default().object(py, &tree))?;
    }
    Ok(object)
}

/// Reads the next message.
fn next_tree<'s>(stream: &'s mut Stream<&[u8]>, walker: &mut Walker) -> Result<Option<Tree<'s>>, Failure> {
    if stream.next(walker)?.is_none() {
        return Ok(None);
    }
    let message = stream.last();
    let mut tree = Tree::without_spans();
    walker.walk(message.bytes, message.base, &mut Grouped(&mut tree)).map_err(|error| stream.explain(error))?;
    Ok(Some(tree))
}

/// Writes messages that come as objects.
struct Pen {
    dialect: Dialect,
    writer: Box<dyn Writer>,
    lossless: bool,
    /// True if errors have the number of the message.
    counts: bool,
    /// Kind, number and first message of each loss. Objects have no bytes that a path is found in.
    losses: BTreeMap<&'static str, (&'static str, u64, u64)>,
    count: u64,
    out: Vec<u8>,
}

impl Pen {
    fn new(spoken: &Spoken, format: &'static polywire_core::Format, lossless: bool) -> Result<Pen, Failure> {
        let dialect = spoken.written(format)?;
        let writer = dialect.writer().ok_or_else(|| {
            let error = Error::new(ErrorKind::Unsupported, Fault::Caller).seen(format!("the format `{}`", format.name));
            error.expected("a format that can be written without a schema").hint("give its schema")
        })?;
        Ok(Pen { dialect, writer, lossless, counts: false, losses: BTreeMap::new(), count: 0, out: Vec::new() })
    }

    /// Adds a message to `out`.
    fn put(&mut self, tree: &Tree<'_>) -> Result<(), Failure> {
        let name = self.dialect.format().name;
        if let (Some(instead), 1..) = (self.writer.only_one(), self.count) {
            let error = Error::new(ErrorKind::Unsupported, Fault::Caller).seen("a second message");
            return Err(error.expected("one, since this format does not mark where a message ends").hint(instead).format_is(name).into());
        }
        let start = self.out.len();
        let written = self.writer.tree(tree).and_then(|()| self.writer.finish(&mut self.out));
        let written = written.map_err(|error| error.format_is(name));
        let lost = self.writer.losses();
        let outcome = written.and_then(|()| match summary(&lost).filter(|_| self.lossless) {
            None => Ok(()),
            Some(lost) => Err(Error::new(ErrorKind::Loss, Fault::Caller).seen(lost).expected(format!("a value that {name} keeps whole"))),
        });
        if let Err(error) = outcome {
            self.writer.reset();
            self.out.truncate(start);
            return Err(if self.counts { error.or_message(self.count + 1) } else { error }.into());
        }
        self.count += 1;
        for one in lost {
            let known = self.losses.entry(one.what).or_insert((one.kind.name(), 0, self.count));
            known.1 += 1;
        }
        Ok(())
    }

    /// Returns the losses as a JSON array.
    fn losses(&self) -> String {
        let objects = self.losses.iter().map(|(what, (kind, count, message))| {
            serde_json::json!({"type": "loss", "kind": kind, "what": what, "count": count, "message": message})
        });
        serde_json::Value::Array(objects.collect()).to_string()
    }
}

/// Writes an object as one message. Returns its bytes, and losses as JSON.
#[pyfunction]
#[pyo3(signature = (object, spoken, lossy = false))]
pub fn encode<'py>(py: Python<'py>, object: &Bound<'py, PyAny>, spoken: Spoken, lossy: bool) -> PyResult<(Bound<'py, PyBytes>, String)> {
    let tree = guarded(|| events::tree(object))?;
    let pen = apart(py, || {
        let mut pen = Pen::new(&spoken, spoken.format_of(None)?, !lossy)?;
        pen.put(&tree)?;
        Ok(pen)
    })?;
    Ok((PyBytes::new(py, &pen.out), pen.losses()))
}

/// Converts all messages of an input, and returns bytes, the number of messages, and losses as
/// JSON. With a target, the bytes go there.
#[pyfunction]
#[pyo3(signature = (source, reading, spoken, lossy = false, threads = 1, target = None, progress = None))]
#[allow(clippy::too_many_arguments)]
pub fn convert<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    reading: Reading,
    spoken: Spoken,
    lossy: bool,
    threads: usize,
    target: Option<&Bound<'py, PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyBytes>, u64, String)> {
    let source = Source::new(source, progress)?;
    let target = target.map(Target::new).transpose()?;
    let (bytes, count, losses) = apart(py, move || {
        let to = spoken.format_of(target.as_ref().and_then(|target| target.path.as_deref()))?;
        let watch = source.watch();
        let (mut stream, format) = source.open(reading.spoken.format, &reading.limits)?;
        // One schema may explain both sides, as on the command line.
        let mut reading = reading;
        let mut spoken = spoken;
        let (mut given, mut wanted) = (reading.spoken.binding.clone(), spoken.binding.clone());
        if wanted.schema.is_none() {
            given.is_used_by(&[format, to])?;
            wanted = given.clone();
        }
        given.schema = given.schema.filter(|schema| schema.is_for(format));
        wanted.schema = wanted.schema.filter(|schema| spoken.binding.schema.is_some() || schema.is_for(to));
        (reading.spoken.binding, spoken.binding) = (given, wanted);
        let mut walker = reading.walker(format)?;
        let dialect = spoken.written(to)?;
        let mut converter = Converter::new(dialect).lossless(!lossy).threads(threads);
        let mut memory = Vec::new();
        let Some(mut target) = target else {
            let done = converter.add(&mut stream, &mut memory, &mut walker).and_then(|_| converter.finish(&mut memory));
            done.map_err(|error| watch.cause(error))?;
            let done = converter.into_done();
            return Ok((memory, done.messages, listed(&done.losses)));
        };
        let done = converter.add(&mut stream, &mut target.writer, &mut walker).and_then(|_| converter.finish(&mut target.writer));
        done.map_err(|error| match target.cause(error) {
            Failure::Error(error) => watch.cause(error),
            raised => raised,
        })?;
        target.end()?;
        let done = converter.into_done();
        Ok((memory, done.messages, listed(&done.losses)))
    })?;
    Ok((PyBytes::new(py, &bytes), count, losses))
}

/// Writes messages, and returns their number, and losses as JSON.
#[pyfunction]
#[pyo3(signature = (data, target, spoken, lossy = false))]
pub fn write<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    target: &Bound<'py, PyAny>,
    spoken: Spoken,
    lossy: bool,
) -> PyResult<(u64, String)> {
    if let Ok(messages) = data.cast::<Messages>() {
        let input = messages.get().take()?;
        let target = Target::new(target)?;
        return apart(py, move || copied(input, target, &spoken, lossy));
    }
    if has_columns(data)? {
        return columns::write(py, data, target, &spoken, lossy);
    }
    let is_one = data.is_instance_of::<PyString>() || data.is_instance_of::<PyBytes>() || data.is_instance_of::<PyByteArray>();
    if is_one || data.is_instance_of::<PyDict>() {
        let class = data.get_type().qualname()?;
        return Err(PyTypeError::new_err(format!("expected messages, got one {class}; put it in a list")));
    }
    let objects = data.try_iter()?;
    let mut target = Target::new(target)?;
    let mut pen = apart(py, || Pen::new(&spoken, spoken.format_of(target.path.as_deref())?, !lossy))?;
    pen.counts = true;
    pen.writer.begin_stream();
    let separator = pen.dialect.format().separator.as_bytes();
    let mut outcome = Ok(());
    for object in objects {
        let put = object.and_then(|object| {
            let tree = guarded(|| events::tree(&object))?;
            apart(py, || pen.put(&tree))
        });
        if put.is_err() {
            outcome = put;
            break;
        }
        pen.out.extend_from_slice(separator);
        if pen.out.len() >= CHUNK {
            apart(py, || flush(&mut pen, &mut target))?;
        }
    }
    // Messages before an error are written.
    apart(py, || flush(&mut pen, &mut target).and_then(|()| target.end()))?;
    outcome?;
    Ok((pen.count, pen.losses()))
}

fn flush(pen: &mut Pen, target: &mut Target) -> Result<(), Failure> {
    target.writer.write_all(&pen.out).map_err(|error| target.cause(Error::io("writing", &error)))?;
    pen.out.clear();
    Ok(())
}

/// Converts messages that no object was made of.
fn copied(mut input: Input, mut target: Target, spoken: &Spoken, lossy: bool) -> Result<(u64, String), Failure> {
    let dialect = spoken.written(spoken.format_of(target.path.as_deref())?)?;
    let mut converter = Converter::new(dialect).lossless(!lossy);
    let done = converter.add(&mut input.stream, &mut target.writer, &mut input.walker).and_then(|_| converter.finish(&mut target.writer));
    done.map_err(|error| match target.cause(error) {
        Failure::Error(error) => input.watch.cause(error),
        raised => raised,
    })?;
    target.end()?;
    let done = converter.into_done();
    Ok((done.messages, listed(&done.losses)))
}
