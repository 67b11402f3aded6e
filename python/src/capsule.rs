//! Capsules of Arrow's C data interface that other libraries made: pointers to structs of C.
//!
//! The protocol: <https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>
#![allow(unsafe_code)]

use std::ffi::CStr;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_schema::{ArrowError, Schema};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// Names that the protocol gives to capsules.
pub const STREAM: &CStr = c"arrow_array_stream";
pub const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// Batches of another library.
pub type Foreign = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// Reports whether an object gives columns.
pub fn has_columns(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(object.hasattr("__arrow_c_stream__")? || object.hasattr("__arrow_c_array__")?)
}

/// Takes the batches of an object that has `__arrow_c_stream__` or `__arrow_c_array__`.
pub fn batches(object: &Bound<'_, PyAny>) -> PyResult<Foreign> {
    if object.hasattr("__arrow_c_stream__")? {
        let capsule = object.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
        let pointer = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
        // SAFETY: a capsule of this name points to a stream that the receiver moves out of it. The
        // rest is marked as released, and the capsule's destructor passes over it. The capsule
        // lives until then.
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) };
        return Ok(Box::new(RecordBatchStreamReader::try_new(stream).map_err(refused)?));
    }
    let array = array(object)?;
    let Some(records) = array.as_any().downcast_ref::<StructArray>() else {
        return Err(PyValueError::new_err(format!("expected an array of structs, got one of {}", array.data_type())));
    };
    Ok(Box::new(std::iter::once(Ok(RecordBatch::from(records)))))
}

/// Takes the array of an object that has `__arrow_c_array__`.
pub fn array(object: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let (schema, array) = object.call_method0("__arrow_c_array__")?.extract::<(Bound<'_, PyCapsule>, Bound<'_, PyCapsule>)>()?;
    let schema = schema.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
    // SAFETY: as above, for capsules of these names.
    let (array, schema) = unsafe { (FFI_ArrowArray::from_raw(array.as_ptr()), FFI_ArrowSchema::from_raw(schema.as_ptr())) };
    // SAFETY: both were made for each other, and nothing else has them any more.
    let mut data = unsafe { from_ffi(array, &schema) }.map_err(refused)?;
    // Other libraries may leave buffers unaligned, which the protocol permits.
    data.align_buffers();
    data.validate_full().map_err(refused)?;
    Ok(arrow_array::make_array(data))
}

/// Hands an Arrow schema to another library.
pub fn schema<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema).map_err(refused)?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

fn refused(error: ArrowError) -> PyErr {
    PyValueError::new_err(format!("columns that cannot be taken: {error}"))
}
