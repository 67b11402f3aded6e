//! The meaning of bytes, row by row.

use std::io::Cursor;

use polywire_cli::dump::{Look, Printer};
use polywire_core::Error;
use polywire_core::tools::inspect::{Options, inspect_from};
use polywire_formats::payload::PAYLOADS;
use polywire_formats::registry;
use polywire_report::RowLine;
use pyo3::prelude::*;

use crate::border::apart;
use crate::fault::exception;
use crate::reading::Reading;
use crate::source::Source;

/// Explains the bytes of an input, and returns a text, the rows as lines of JSON, the number of
/// messages, and the error that ended the rows.
#[pyfunction]
#[pyo3(signature = (source, reading, depth = 0, width = 100, full = false, progress = None))]
pub fn inspect<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    reading: Reading,
    depth: u32,
    width: usize,
    full: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String, u64, Option<Bound<'py, PyAny>>)> {
    let source = Source::new(source, progress)?;
    let (text, rows, messages, broken) = apart(py, move || {
        let watch = source.watch();
        let (stream, format) = source.open(reading.spoken.format, &reading.limits)?;
        let dialect = reading.spoken.read(format)?;
        // The text shows an offset in as many digits as the length needs.
        let bytes = stream.read_all().map_err(|error| watch.cause(error))?;
        let shown = if full { usize::MAX } else { Options::default().shown };
        let options = Options {
            limits: reading.limits,
            payloads: Some(&PAYLOADS),
            depth,
            each: reading.each.clone(),
            tag_name: registry::tag_name,
            shown,
            ..Options::default()
        };
        let mut printer = Printer::new(Look::new(Some(bytes.len() as u64), width, false, full, depth));
        let (mut text, mut rows) = (Vec::new(), Vec::new());
        let failed = |error| Error::io("writing", &error);
        let outcome = inspect_from(dialect, Cursor::new(&bytes), &options, &mut |row| {
            printer.row(row, &mut text).map_err(failed)?;
            RowLine::new(row).write(&mut rows).map_err(failed)
        })?;
        printer.write(&mut text).map_err(failed)?;
        let checked = |bytes| String::from_utf8(bytes).map_err(|_| Error::internal("a text that is not UTF-8"));
        Ok((checked(text)?, checked(rows)?, outcome.messages, outcome.broken))
    })?;
    Ok((text, rows, messages, broken.map(|error| exception(py, &error).into_value(py).into_bound(py).into_any())))
}
