//! Bytes of the engine, copied out.

#![allow(unsafe_code)]

use rquickjs::{ArrayBuffer, TypedArray, Value};

/// A copy of what a `Uint8Array`, a `Buffer` or an `ArrayBuffer` holds; `None` of anything else, and of one that was detached.
pub(crate) fn copy(value: &Value<'_>) -> Option<Vec<u8>> {
    if let Ok(array) = TypedArray::<u8>::from_value(value.clone()) {
        // SAFETY: no script runs while the slice lives: it is copied at once.
        return unsafe { array.as_bytes() }.map(<[u8]>::to_vec);
    }
    let buffer = ArrayBuffer::from_value(value.clone())?;
    // SAFETY: as above.
    unsafe { buffer.as_bytes() }.map(<[u8]>::to_vec)
}
