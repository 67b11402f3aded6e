//! The arguments of C as values with a safe interface: the only place where this crate follows a
//! pointer.
//!
//! Values of these types come from C, through the functions that this crate exports. Callers
//! guarantee what C programs guarantee anyway:
//!
//! - A pointer is null, or points to as many values as the length beside it says; to one value if
//!   there is no length. Nobody else writes to them during the call.
//! - The bytes that a result is a view of live as long as the program uses the result.
//!
//! The headers ask for no more. A null pointer stands for no bytes, whatever its length.

use core::ffi::c_char;
use core::marker::PhantomData;
use core::slice;

/// `PsycString`: bytes of the program.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PsycString {
    length: usize,
    data: *const c_char,
}

// SAFETY: it is an address and a number. Those of the exported tables point to constant bytes; all
// others stay with the calling thread.
unsafe impl Sync for PsycString {}

impl PsycString {
    /// No bytes.
    pub const EMPTY: PsycString = PsycString { length: 0, data: core::ptr::null() };

    /// Returns a view of bytes.
    #[inline]
    pub const fn new(bytes: &[u8]) -> PsycString {
        PsycString { length: bytes.len(), data: bytes.as_ptr().cast() }
    }

    /// Returns a number in place of a length, with a null pointer: the form of list indexes
    /// (docs/spec/psyc.md 9).
    #[inline]
    pub const fn number(number: usize) -> PsycString {
        PsycString { length: number, data: core::ptr::null() }
    }

    /// Returns an unchecked pair of length and pointer.
    #[inline]
    pub fn parts(data: Ptr, length: usize) -> PsycString {
        PsycString { length, data: data.0 }
    }

    /// Returns the bytes.
    #[inline]
    pub fn bytes<'c>(self) -> &'c [u8] {
        Ptr(self.data).bytes(self.length)
    }

    /// Returns their address.
    pub const fn start(self) -> Ptr {
        Ptr(self.data)
    }

    /// Returns the bytes, writable.
    #[inline]
    pub fn bytes_mut<'c>(self) -> &'c mut [u8] {
        PtrMut(self.data.cast_mut()).bytes(self.length)
    }
}

/// A pointer to bytes to be read. The length is an argument of its own.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Ptr(*const c_char);

impl Ptr {
    /// Returns the address of bytes.
    #[inline]
    pub fn new(bytes: &[u8]) -> Ptr {
        Ptr(bytes.as_ptr().cast())
    }

    /// Returns the bytes.
    #[inline]
    pub fn bytes<'c>(self, length: usize) -> &'c [u8] {
        Array { start: self.0.cast(), of: PhantomData }.values(length)
    }

    /// Returns whether the pointer is null.
    #[inline]
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }
}

/// A pointer to bytes to be written. The length is an argument of its own.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct PtrMut(*mut c_char);

impl PtrMut {
    /// Returns the pointer for a string, which does not record who may write.
    #[inline]
    pub fn read(self) -> Ptr {
        Ptr(self.0)
    }

    /// Returns the bytes.
    #[inline]
    pub fn bytes<'c>(self, length: usize) -> &'c mut [u8] {
        ArrayMut { start: self.0.cast(), of: PhantomData }.values(length)
    }
}

/// A pointer to values to be read. Their number is an argument of its own.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Array<T> {
    start: *const T,
    of: PhantomData<T>,
}

impl<T> Array<T> {
    /// Returns the values.
    #[inline]
    pub fn values<'c>(self, number: usize) -> &'c [T] {
        if self.start.is_null() {
            return &[];
        }
        // SAFETY: a pointer from C that is not null points to that many values, which nobody writes
        // to during the call.
        unsafe { slice::from_raw_parts(self.start, number) }
    }
}

/// A pointer to values to be read and written. Their number is an argument of its own.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct ArrayMut<T> {
    start: *mut T,
    of: PhantomData<T>,
}

impl<T> ArrayMut<T> {
    /// None.
    pub const EMPTY: ArrayMut<T> = ArrayMut { start: core::ptr::null_mut(), of: PhantomData };

    /// Returns the values.
    #[inline]
    pub fn values<'c>(self, number: usize) -> &'c mut [T] {
        if self.start.is_null() {
            return &mut [];
        }
        // SAFETY: a pointer from C that is not null points to that many values, which nobody else
        // accesses during the call.
        unsafe { slice::from_raw_parts_mut(self.start, number) }
    }
}

/// The place of a result, unless it is null. Its old value is never read: C programs pass variables
/// that are not initialised.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Stores the result.
    #[inline]
    pub fn set(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: a pointer from C that is not null points to room for a value. Nothing is
            // dropped: these are plain values.
            unsafe { self.0.write(value) }
        }
    }
}
