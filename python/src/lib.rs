//! The Python package `polywire`: the module's functions, and the command.
//!
//! Its Python side is in the folder `polywire` beside this one, and documents what users call.
#![deny(unsafe_code)]

mod border;
mod capsule;
mod cells;
mod columns;
mod command;
mod convert;
mod dialect;
mod events;
mod explain;
mod fault;
mod grouped;
mod measure;
mod messages;
mod objects;
mod reading;
mod schema;
mod source;
mod target;
mod unpack;

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Returns the formats: name, title, file extensions and media types of each.
#[pyfunction]
fn formats(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let all = polywire::formats().iter().map(|format| {
        let row = PyDict::new(py);
        row.set_item("name", format.name)?;
        row.set_item("title", format.title)?;
        row.set_item("extensions", format.extensions)?;
        row.set_item("media_types", format.media_types)?;
        row.set_item("writes", format.writer.is_some() || format.binder.is_some_and(|binder| binder.writes()))?;
        row.set_item("schema", format.binder.is_some())?;
        Ok(row)
    });
    all.collect()
}

/// Panics, for the test of the border.
#[pyfunction]
fn panic_for_a_test(py: Python<'_>) -> PyResult<()> {
    border::apart(py, || panic!("a test"))
}

#[pymodule]
fn _polywire(module: &Bound<'_, PyModule>) -> PyResult<()> {
    polywire_core::tools::hush_caught();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<cells::CellReader>()?;
    module.add_class::<cells::CellWriter>()?;
    module.add_class::<cells::Inference>()?;
    module.add_class::<columns::Columns>()?;
    module.add_class::<messages::Messages>()?;
    module.add_class::<schema::Schema>()?;
    module.add_function(wrap_pyfunction!(cells::columns_of, module)?)?;
    module.add_function(wrap_pyfunction!(cells::cuts, module)?)?;
    module.add_function(wrap_pyfunction!(cells::schema_files, module)?)?;
    module.add_function(wrap_pyfunction!(cells::split, module)?)?;
    module.add_function(wrap_pyfunction!(cells::takes_schema, module)?)?;
    module.add_function(wrap_pyfunction!(command::command, module)?)?;
    module.add_function(wrap_pyfunction!(convert::convert, module)?)?;
    module.add_function(wrap_pyfunction!(convert::decode, module)?)?;
    module.add_function(wrap_pyfunction!(convert::encode, module)?)?;
    module.add_function(wrap_pyfunction!(convert::write, module)?)?;
    module.add_function(wrap_pyfunction!(explain::inspect, module)?)?;
    module.add_function(wrap_pyfunction!(formats, module)?)?;
    module.add_function(wrap_pyfunction!(measure::cell_sizes, module)?)?;
    module.add_function(wrap_pyfunction!(measure::compare, module)?)?;
    module.add_function(wrap_pyfunction!(measure::compare_cells, module)?)?;
    module.add_function(wrap_pyfunction!(messages::read, module)?)?;
    module.add_function(wrap_pyfunction!(panic_for_a_test, module)?)?;
    module.add_function(wrap_pyfunction!(schema::check, module)?)?;
    module.add_function(wrap_pyfunction!(schema::infer_schema, module)?)?;
    Ok(())
}
