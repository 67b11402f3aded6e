//! Bytes of the engine, copied out. This is the only module of the crate with `unsafe` code.

#![allow(unsafe_code)]

use rquickjs::{ArrayBuffer, TypedArray, Value};

/// Copies the contents of a `Uint8Array`, a `Buffer` or an `ArrayBuffer`. Returns `None` for any
/// other value, and for a detached buffer.
pub(crate) fn copy(value: &Value<'_>) -> Option<Vec<u8>> {
    if let Ok(array) = TypedArray::<u8>::from_value(value.clone()) {
        // SAFETY: no script runs while the slice lives: it is copied at once.
        return unsafe { array.as_bytes() }.map(<[u8]>::to_vec);
    }
    let buffer = ArrayBuffer::from_value(value.clone())?;
    // SAFETY: as above.
    unsafe { buffer.as_bytes() }.map(<[u8]>::to_vec)
}
