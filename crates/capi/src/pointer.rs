//! What C passes, as values with a safe face: the one place where this crate follows a pointer.
//!
//! Values of these types come from C, through the functions that this crate exports. Their callers keep to what C programs keep to anyway:
//!
//! - A pointer is null, or points to as many values as the length beside it says, one if there is none, and nobody else writes to them during the call.
//! - What a result is a view of lives as long as the program looks at it.
//!
//! The headers ask for no more. A null pointer is taken for nothing there, whatever its length.

use core::ffi::c_char;
use core::marker::PhantomData;
use core::slice;

/// Bytes of the program's: `PsycString`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PsycString {
    length: usize,
    data: *const c_char,
}

// SAFETY: it is an address and a number. Those of the exported tables point to bytes that never change; all others stay with the thread that called.
unsafe impl Sync for PsycString {}

impl PsycString {
    /// No bytes.
    pub const EMPTY: PsycString = PsycString { length: 0, data: core::ptr::null() };

    /// A view of bytes.
    #[inline]
    pub const fn new(bytes: &[u8]) -> PsycString {
        PsycString { length: bytes.len(), data: bytes.as_ptr().cast() }
    }

    /// A number in the place of a length, with a null pointer: how steps into lists are told (docs/spec/psyc.md 9).
    #[inline]
    pub const fn number(number: usize) -> PsycString {
        PsycString { length: number, data: core::ptr::null() }
    }

    /// A length that is not checked against anything, and a pointer.
    #[inline]
    pub fn parts(data: Ptr, length: usize) -> PsycString {
        PsycString { length, data: data.0 }
    }

    /// The bytes.
    #[inline]
    pub fn bytes<'c>(self) -> &'c [u8] {
        Ptr(self.data).bytes(self.length)
    }

    /// Where they are.
    pub const fn start(self) -> Ptr {
        Ptr(self.data)
    }

    /// The bytes, to be written to.
    #[inline]
    pub fn bytes_mut<'c>(self) -> &'c mut [u8] {
        PtrMut(self.data.cast_mut()).bytes(self.length)
    }
}

/// Bytes to be read, whose length comes beside.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Ptr(*const c_char);

impl Ptr {
    /// Where some are.
    #[inline]
    pub fn new(bytes: &[u8]) -> Ptr {
        Ptr(bytes.as_ptr().cast())
    }

    /// The bytes.
    #[inline]
    pub fn bytes<'c>(self, length: usize) -> &'c [u8] {
        Array { start: self.0.cast(), of: PhantomData }.values(length)
    }

    /// Whether there is something.
    #[inline]
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }
}

/// Bytes to be written, whose length comes beside.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct PtrMut(*mut c_char);

impl PtrMut {
    /// The same to be kept in a string, which does not say who may write.
    #[inline]
    pub fn read(self) -> Ptr {
        Ptr(self.0)
    }

    /// The bytes.
    #[inline]
    pub fn bytes<'c>(self, length: usize) -> &'c mut [u8] {
        ArrayMut { start: self.0.cast(), of: PhantomData }.values(length)
    }
}

/// Values to be read, whose number comes beside.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Array<T> {
    start: *const T,
    of: PhantomData<T>,
}

impl<T> Array<T> {
    /// The values.
    #[inline]
    pub fn values<'c>(self, number: usize) -> &'c [T] {
        if self.start.is_null() {
            return &[];
        }
        // SAFETY: what comes from C and is not null points to that many values, which nobody writes to during the call.
        unsafe { slice::from_raw_parts(self.start, number) }
    }
}

/// Values to be read and written, whose number comes beside.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct ArrayMut<T> {
    start: *mut T,
    of: PhantomData<T>,
}

impl<T> ArrayMut<T> {
    /// None.
    pub const EMPTY: ArrayMut<T> = ArrayMut { start: core::ptr::null_mut(), of: PhantomData };

    /// The values.
    #[inline]
    pub fn values<'c>(self, number: usize) -> &'c mut [T] {
        if self.start.is_null() {
            return &mut [];
        }
        // SAFETY: what comes from C and is not null points to that many values, which nobody else touches during the call.
        unsafe { slice::from_raw_parts_mut(self.start, number) }
    }
}

/// Where a result goes, unless it is null. What is there now is nothing: C programs pass variables that they did not initialise.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Puts the result there.
    #[inline]
    pub fn set(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: what comes from C and is not null points to room for a value. Nothing is dropped: these are plain values.
            unsafe { self.0.write(value) }
        }
    }
}
