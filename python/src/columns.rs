//! Messages as columns, by Arrow's C data interface: no library of Python is needed for it.

use std::io::Write as _;
use std::sync::{Arc, Mutex};

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use polywire::columns::{Bad as BadRows, Batches, Decimals, Options, Plan, Rest, Sums};
use polywire_core::schema::Schema as Common;
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::{Files, Loaded, Loader, NoFiles};
use polywire_core::tools::Stream;
use polywire_core::{Error, ErrorKind, Fault, Format};
use polywire_report::losses as listed;
use polywire_schema::infer::Inference;
use polywire_schema::languages;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use crate::border::apart;
use crate::capsule;
use crate::dialect::{Binding, Given, Spoken};
use crate::fault::Failure;
use crate::messages::{Bad, Input, Messages};
use crate::source::Watch;
use crate::target::Target;

/// Bytes of the input that a schema is inferred from, unless it is given.
const SAMPLE: usize = 8 << 20;

type Filling = Box<dyn Iterator<Item = Result<RecordBatch, Error>> + Send>;

/// The messages of an input as batches of columns. They are read once.
#[pyclass(module = "polywire", frozen)]
pub struct Columns {
    batches: Mutex<Option<Filling>>,
    schema: SchemaRef,
    watch: Arc<Watch>,
}

/// Makes columns of messages, of which none was read yet.
///
/// `choices` has the keys of a binding, and `sums`, `decimals`, `rest`, `rows` and `threads`.
pub fn columns(py: Python<'_>, messages: &Bound<'_, Messages>, choices: &Bound<'_, PyDict>) -> PyResult<Columns> {
    let mut input = messages.get().take()?;
    let binding = choices.extract::<Spoken>()?.binding;
    let options = options(choices, input.on_bad)?;
    let has = |key: &str| Ok::<_, PyErr>(choices.get_item(key)?.filter(|value| !value.is_none()));
    let threads = has("threads")?.map(|threads| threads.extract::<usize>()).transpose()?;
    apart(py, move || {
        if input.stream.taken() > 0 {
            let error = Error::usage("messages of which some were read").expected("columns of all of them");
            return Err(error.hint("ask for the columns first").into());
        }
        let format = input.walker.format();
        // A schema that was inferred before is that of the values as they are read.
        let has_types = !matches!(binding.schema, Some(Given::Common(_))) && input.walker.show_types();
        let given = if binding.schema.is_some() { &binding } else { &input.reading.spoken.binding };
        let schema = match common(given, format)? {
            Some(schema) => {
                if has_types {
                    input.reading.name_members(&schema);
                    input.walker = input.reading.selecting(input.walker);
                }
                input.reading.projected(schema)?
            }
            None => inferred(&mut input, options.bad)?,
        };
        let plan = Arc::new(Plan::new(&schema, &options)?);
        let watch = input.watch.clone();
        let batches = Batches::of(input.stream, input.walker, plan);
        let schema = batches.schema();
        let batches: Filling = match threads {
            Some(0 | 1) => Box::new(batches),
            threads => {
                let all = || std::thread::available_parallelism().map_or(1, usize::from);
                Box::new(batches.spawn(threads.unwrap_or_else(all))?)
            }
        };
        Ok(Columns { batches: Mutex::new(Some(batches)), schema, watch })
    })
}

/// Takes the choices about columns from a dictionary.
pub fn options(choices: &Bound<'_, PyDict>, bad: Bad) -> PyResult<Options> {
    let has = |key: &str| Ok::<_, PyErr>(choices.get_item(key)?.filter(|value| !value.is_none()));
    let word = |key: &str| has(key)?.map(|word| word.extract::<String>()).transpose();
    let refused =
        |key: &str, word: &str, expected: &'static str| Failure::Error(Error::usage(format!("{key}={word:?}")).expected(expected));
    let mut options = Options::default().with_bad(match bad {
        Bad::Fail => BadRows::Fail,
        Bad::Skip => BadRows::Skip,
        Bad::Keep => BadRows::Column,
    });
    if let Some(sums) = word("sums")? {
        options = options.with_sums(match sums.as_str() {
            "structs" => Sums::Structs,
            "union" => Sums::Union,
            other => return Err(refused("sums", other, "structs or union").into()),
        });
    }
    if let Some(rest) = word("rest")? {
        options = options.with_rest(match rest.as_str() {
            "column" => Rest::Column,
            "refuse" => Rest::Refuse,
            "drop" => Rest::Drop,
            other => return Err(refused("rest", other, "column, refuse or drop").into()),
        });
    }
    if let Some(decimals) = has("decimals")? {
        options = options.with_decimals(match decimals.extract::<(u8, u8)>() {
            Ok((precision, scale)) => Decimals::Fixed { precision, scale },
            Err(_) if decimals.extract::<String>().is_ok_and(|word| word == "text") => Decimals::Text,
            Err(_) => return Err(refused("decimals", &decimals.to_string(), "text, or a pair of digits and digits after the point").into()),
        });
    }
    if let Some(rows) = has("rows")? {
        options = options.with_rows(rows.extract()?);
    }
    Ok(options)
}

/// Returns the common schema of a binding, if there is one and its language can be read.
pub fn common(binding: &Binding, format: &Format) -> Result<Option<Common>, Failure> {
    common_by(binding, format, &mut Files::new().including(binding.include.clone()))
}

/// Does what [`common`] does, with a loader of files.
fn common_by(binding: &Binding, format: &Format, loader: &mut dyn Loader) -> Result<Option<Common>, Failure> {
    let own = |extension: &&'static str| format.binder.is_some_and(|binder| binder.endings().contains(extension));
    let language = |extension: Option<&str>| {
        let named = extension.and_then(languages::by_extension);
        named.or_else(|| languages::LANGUAGES.iter().copied().find(|language| language.extensions().iter().any(own)))
    };
    let read = |name: &str, bytes: &[u8], identity: &str, extension: Option<&str>, files: &mut dyn Loader| {
        let Some(reader) = language(extension).and_then(|language| language.reader()) else { return Ok(None) };
        let text = SchemaText { name, bytes, identity };
        Ok::<_, Failure>(Some(reader.read(&text, files).map_err(Error::from)?.schema))
    };
    let schema = match &binding.schema {
        None => return Ok(None),
        Some(Given::Common(schema)) => Some(schema.common().clone()),
        Some(Given::Text(text)) => read("schema", text, "", None, &mut NoFiles)?,
        Some(Given::File(path)) => {
            let name = path.display().to_string();
            let loaded = loader.load(&name).map_err(|error| Error::io(&format!("reading {name}"), &error))?;
            read(&name, &loaded.bytes, &loaded.identity, path.extension().and_then(|extension| extension.to_str()), loader)?
        }
    };
    let (Some(mut schema), Some(name)) = (schema.clone(), &binding.message) else {
        return Ok(schema.filter(|schema| schema.root.is_some()));
    };
    let is_named = |known: &str| known == name || known.rsplit('.').next() == name.rsplit('.').next();
    let found = schema.types.iter().find(|known| known.name == *name).or_else(|| schema.types.iter().find(|known| is_named(&known.name)));
    schema.root = found.map(|known| known.name.clone());
    Ok(Some(schema).filter(|schema| schema.root.is_some()))
}

/// Returns the files of a binding's schema, by their paths: that which is named, and those that it
/// imports.
pub fn files(binding: &Binding, format: &'static Format) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let Some(Given::File(path)) = &binding.schema else { return Ok(Vec::new()) };
    let mut loader = Recorded { files: Files::new().including(binding.include.clone()), loaded: Vec::new() };
    common_by(binding, format, &mut loader)?;
    if let Some(binder) = format.binder.filter(|_| binding.schema.as_ref().is_some_and(|schema| schema.is_for(format))) {
        let name = path.display().to_string();
        let loaded = loader.load(&name).map_err(|error| Error::io(&format!("reading {name}"), &error))?;
        let text = SchemaText { name: &name, bytes: &loaded.bytes, identity: &loaded.identity };
        binder.bind_text(&text, &mut loader, binding.message.as_deref())?;
    }
    let mut loaded = loader.loaded;
    loaded.sort();
    loaded.dedup();
    Ok(loaded)
}

/// A loader that keeps what it has loaded.
struct Recorded {
    files: Files,
    loaded: Vec<(String, Vec<u8>)>,
}

impl Loader for Recorded {
    fn load(&mut self, path: &str) -> std::io::Result<Loaded> {
        let loaded = self.files.load(path)?;
        self.loaded.push((path.to_string(), loaded.bytes.clone()));
        Ok(loaded)
    }

    fn include(&self) -> &[String] {
        self.files.include()
    }
}

/// Infers the schema from the first messages, which stay to be read.
fn inferred(input: &mut Input, bad: BadRows) -> Result<Common, Failure> {
    let format = input.walker.format();
    let mut walker = input.reading.walker(format)?;
    walker.show_types();
    let (start, whole) = input.stream.peek(SAMPLE).map_err(|error| input.watch.cause(error))?;
    let sample = Stream::new(start);
    let mut sample = if whole { sample } else { sample.only_ended() };
    let mut inference = Inference::new();
    while let Some(message) = sample.next(&mut walker)? {
        let mut trial = Inference::new();
        match trial.add(|sink| walker.walk(message.bytes, message.base, sink)) {
            Ok(()) => inference = inference.merge(trial),
            Err(error) if bad == BadRows::Fail || !walker.recover_from(message) => return Err(sample.explain(error).into()),
            Err(_) => {}
        }
    }
    if inference.samples() == 0 && whole {
        let error =
            Error::new(ErrorKind::Truncated, Fault::Data).seen("an input without messages").expected("a message to infer columns from");
        return Err(error.hint("give a schema").at(0).into());
    }
    Ok(inference.finish(None))
}

impl Columns {
    /// Makes columns of batches that are there.
    pub fn of(batches: Vec<RecordBatch>, schema: SchemaRef) -> Columns {
        let batches: Filling = Box::new(batches.into_iter().map(Ok));
        Columns { batches: Mutex::new(Some(batches)), schema, watch: Arc::default() }
    }
}

#[pymethods]
impl Columns {
    /// Hands the batches to a library that takes Arrow's streams. The wanted schema is the
    /// library's business: it casts.
    #[pyo3(name = "__arrow_c_stream__", signature = (requested_schema = None))]
    pub fn stream<'py>(&self, py: Python<'py>, requested_schema: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let taken = self.batches.try_lock().ok().and_then(|mut batches| batches.take());
        let batches = taken.ok_or_else(|| PyValueError::new_err("the columns were read already"))?;
        let exported = Exported { batches, schema: self.schema.clone(), watch: self.watch.clone() };
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(exported)), capsule::STREAM)
    }

    /// Returns the schema for libraries that take Arrow's.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema(py, &self.schema)
    }

    fn __repr__(&self) -> String {
        let names: Vec<&str> = self.schema.fields().iter().map(|field| field.name().as_str()).collect();
        format!("<polywire.Columns {}>", names.join(", "))
    }
}

/// Batches as another library takes them.
struct Exported {
    batches: Filling,
    schema: SchemaRef,
    watch: Arc<Watch>,
}

impl Iterator for Exported {
    type Item = Result<RecordBatch, ArrowError>;

    /// Returns the next batch. The library may hold the interpreter's lock, which threads need that
    /// read a file object.
    fn next(&mut self) -> Option<Self::Item> {
        let next = Python::attach(|py| py.detach(|| self.batches.next()))?;
        Some(next.map_err(|error| match self.watch.cause(error) {
            Failure::Error(error) => ArrowError::ExternalError(Box::new(error)),
            Failure::Exception(raised) => ArrowError::ExternalError(Box::new(raised)),
        }))
    }
}

impl RecordBatchReader for Exported {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// Writes columns as messages, and returns their number, and losses as JSON.
pub fn write(py: Python<'_>, data: &Bound<'_, PyAny>, target: &Bound<'_, PyAny>, spoken: &Spoken, lossy: bool) -> PyResult<(u64, String)> {
    let batches = capsule::batches(data)?;
    let mut target = Target::new(target)?;
    apart(py, move || {
        let dialect = spoken.written(spoken.format_of(target.path.as_deref())?)?;
        let failed =
            |error: ArrowError| Error::new(ErrorKind::Io, Fault::Environment).seen(format!("columns that cannot be read: {error}"));
        let batches = batches.map(|batch| batch.map_err(failed));
        let done = polywire::columns::write(batches, dialect, &mut target.writer, lossy).map_err(|error| target.cause(error))?;
        target.writer.flush().map_err(|error| target.cause(Error::io("writing", &error)))?;
        Ok((done.messages, listed(&done.losses)))
    })
}

/// Returns the Arrow schema of a common one, for `Schema.__arrow_c_schema__`.
pub fn exported<'py>(py: Python<'py>, schema: &Common) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = polywire::columns::schema_for(schema, &Options::default()).map_err(Failure::from)?;
    capsule::schema(py, &schema)
}
