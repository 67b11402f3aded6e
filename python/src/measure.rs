//! Comparisons of formats.

use polywire_arrow::alone;
use polywire_compare::{
    BlockSizes, Comparison, Given, Messages, Options, Progress, block_sizes, compare as measured, records_at_top, report,
};
use polywire_core::Error;
use polywire_core::format::payload::FAR;
use polywire_core::format::{Binder, Format};
use polywire_core::tools::{Message, Stream};
use polywire_formats::registry::{self, FORMATS};
use pyo3::prelude::*;

use crate::border::apart;
use crate::capsule;
use crate::cells;
use crate::dialect::{Given as Schema, find};
use crate::fault::{Failure, Unwound};
use crate::reading::Reading;
use crate::schema::Schema as Common;
use crate::source::Source;

/// Compares formats on the messages of an input, and returns JSON, a page and a table.
#[pyfunction]
#[pyo3(signature = (source, reading, formats = None, time = None, runs = 1, sort = None, purpose = None, whole = false, progress = None))]
#[allow(clippy::too_many_arguments)]
pub fn compare(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    reading: Reading,
    formats: Option<Vec<String>>,
    time: Option<f64>,
    runs: usize,
    sort: Option<&str>,
    purpose: Option<&str>,
    whole: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String, String)> {
    let source = Source::new(source, None)?;
    apart(py, move || {
        let (watch, name) = (source.watch(), source.name.clone());
        let (mut stream, framing) = source.open(reading.spoken.format, &reading.limits)?;
        let own = registry::unframed(framing);
        let formats = named(formats, own)?;
        let all: Vec<&'static Format> = formats.iter().copied().chain([own]).collect();
        reading.spoken.binding.is_used_by(&all)?;
        let dialect = reading.spoken.applied(reading.spoken.binding.dialect(own)?, true)?;
        let found = match &reading.each {
            None if !whole && own.name == framing.name && !dialect.is_bound() => {
                records_at_top(own, stream.peek(FAR).map_err(|error| watch.cause(error))?.0)
            }
            asked => asked.clone(),
        };
        let mut messages = Messages::new(dialect, &reading.limits).doubles(reading.doubles);
        let count = messages.add_framed(&name, &mut stream, framing, found.as_ref()).map_err(|error| watch.cause(error))?;
        if count == 0 {
            return Err(Error::truncated(stream.offset(), "a message").into());
        }
        let options = Options {
            bound: given(&reading, &formats)?,
            time,
            runs,
            sort: sort.map(str::parse).transpose()?.unwrap_or_default(),
            purpose: purpose.map(str::parse).transpose()?,
            limits: reading.limits,
            allocations: Some(polywire_cli::allocations),
            heap: Some(polywire_cli::HEAP),
            command: ["python", "polywire.compare"].map(str::to_string).to_vec(),
            ..Options::new(&formats)
        };
        let mut look = |step: Progress| look(progress.as_ref(), step);
        let kinds = messages.into_kinds();
        let comparisons =
            kinds.iter().map(|messages| measured(messages, &options, &mut look)).collect::<Result<Vec<Comparison>, Error>>()?;
        let tables: Vec<String> = comparisons.iter().map(|comparison| report::table(comparison, false)).collect();
        Ok((report::json(&comparisons)?, report::html(&comparisons)?, tables.join("\n")))
    })
}

/// Compares formats on the messages in the cells of an Arrow array, as [`compare`] does.
#[pyfunction]
#[pyo3(signature = (array, reading, formats = None, time = None))]
pub fn compare_cells(
    py: Python<'_>,
    array: &Bound<'_, PyAny>,
    reading: Reading,
    formats: Option<Vec<String>>,
    time: Option<f64>,
) -> PyResult<String> {
    let array = capsule::array(array)?;
    let cells = cells::bytes(&array)?;
    apart(py, move || {
        let own = cells::single(&reading.spoken)?;
        let formats = named(formats, own)?;
        let dialect = reading.spoken.applied(reading.spoken.binding.dialect(own)?, true)?;
        let mut messages = Messages::new(dialect, &reading.limits).doubles(reading.doubles);
        for cell in cells.into_iter().flatten() {
            messages.add("cells", &mut Stream::new(cell).exactly_one(true))?;
        }
        let options = Options { bound: given(&reading, &formats)?, time, limits: reading.limits, ..Options::new(&formats) };
        let mut look = |step: Progress| look(None, step);
        let comparison = measured(&messages, &options, &mut look)?;
        Ok(report::json(&[comparison])?)
    })
}

/// Measures the sizes of the messages in the cells of an Arrow array, in each format. `schema` is
/// for formats that need one and are given none. Returns for each format its name and its sizes, or
/// why there are none.
#[pyfunction]
#[pyo3(signature = (array, reading, formats = None, schema = None))]
#[allow(clippy::type_complexity)]
pub fn cell_sizes(
    py: Python<'_>,
    array: &Bound<'_, PyAny>,
    reading: Reading,
    formats: Option<Vec<String>>,
    schema: Option<Bound<'_, Common>>,
) -> PyResult<Vec<(String, Option<[u64; 7]>, Option<String>)>> {
    let array = capsule::array(array)?;
    let cells = cells::bytes(&array)?;
    let schema = schema.map(|schema| schema.get().clone());
    apart(py, move || {
        let own = cells::single(&reading.spoken)?;
        let formats = named(formats, own)?;
        let bound = given(&reading, &formats)?;
        let mut walker = reading.walker(own)?;
        let mut messages = Vec::new();
        for cell in cells.into_iter().flatten() {
            let (from, to) = alone(&mut walker, cell)?;
            messages.push(Message { bytes: &cell[from..to], base: from as u64 });
        }
        let measured = formats.iter().map(|format| {
            let known = bound.iter().find(|given| given.dialect.format().name == format.name);
            let dialect = match (known, format.binder.filter(|binder| binder.adopts()), &schema) {
                (Some(given), ..) => Ok(given.dialect.clone()),
                (None, Some(binder), Some(schema)) => {
                    binder.adopt(schema.common()).map(|bound| polywire_core::Dialect::bound(format, bound))
                }
                _ => Ok((*format).into()),
            };
            let sizes = dialect.and_then(|dialect| block_sizes(&mut walker, &messages, &dialect));
            match sizes {
                Ok(sizes) => {
                    let BlockSizes { messages, unfit, raw, gzip, zstd, batch_gzip, batch_zstd, .. } = sizes;
                    (format.name.to_string(), Some([messages, unfit, raw, gzip, zstd, batch_gzip, batch_zstd]), None)
                }
                Err(error) => (format.name.to_string(), None, Some(error.to_string())),
            }
        });
        Ok(measured.collect())
    })
}

/// Returns the formats with these names, or those that are compared if there are none.
fn named(names: Option<Vec<String>>, own: &'static Format) -> Result<Vec<&'static Format>, Failure> {
    match names {
        Some(names) => names.iter().map(|name| find(name)).collect(),
        None => Ok(usual(own)),
    }
}

/// Returns the formats that take the caller's schema, bound to it.
fn given(reading: &Reading, formats: &[&'static Format]) -> Result<Vec<Given>, Failure> {
    let binding = &reading.spoken.binding;
    let (file, text) = match &binding.schema {
        Some(Schema::File(path)) => (path.clone(), std::fs::read(path).map_err(|error| Error::io("reading the schema", &error))?),
        Some(Schema::Text(text)) => ("schema".into(), text.clone()),
        // Others have one inferred.
        Some(Schema::Common(_)) | None => return Ok(Vec::new()),
    };
    let bound = formats.iter().map(|format| {
        let dialect = binding.dialect(format)?;
        Ok(dialect.is_bound().then(|| Given { dialect, file: file.clone(), text: text.clone() }))
    });
    Ok(bound.collect::<Result<Vec<Option<Given>>, Error>>()?.into_iter().flatten().collect())
}

/// Returns the formats that are compared if the caller names none.
fn usual(own: &'static Format) -> Vec<&'static Format> {
    let adopts = |binder: &dyn Binder| binder.adopts();
    let is_usual = |format: &Format| {
        (format.writer.is_some() || format.binder.is_some_and(adopts))
            && registry::unframed(registry::find(format.name).unwrap_or(own)).name == format.name
            && registry::notation_of(format).is_none()
    };
    let mut formats: Vec<&'static Format> = FORMATS.iter().copied().filter(|format| is_usual(format)).collect();
    if registry::notation_of(own).is_some() {
        formats.push(own);
    }
    formats
}

/// Looks at signals, and reports a step. An exception unwinds to the border.
fn look(progress: Option<&Py<PyAny>>, step: Progress) {
    let looked = Python::attach(|py| {
        py.check_signals()?;
        progress.map_or(Ok(()), |progress| progress.call1(py, (step.stage, step.format, step.done, step.total)).map(drop))
    });
    if let Err(raised) = looked {
        std::panic::resume_unwind(Box::new(Unwound(raised)));
    }
}
