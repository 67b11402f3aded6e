//! The arguments of C as values with a safe interface: the only place where this crate follows a
//! pointer.
//!
//! The pointers come from C, through the functions that this crate exports. Callers guarantee what
//! `polywire.h` asks for:
//!
//! - A pointer is null, or points to as many values as the length beside it says; to one value if
//!   there is no length. Nobody writes to them during the call.
//! - A text ends with a byte 0.
//! - A handle is null, or comes from [`into_handle`] or [`New::make`] and was not freed.

use std::ffi::{CStr, c_char};
use std::slice;

use polywire_core::{Error, Result};

#[cold]
fn null(what: &str) -> Error {
    Error::usage("a null pointer").expected(what.to_string())
}

/// Bytes to be read. Their number is an argument of its own.
pub trait BytesIn {
    /// Returns the bytes.
    ///
    /// # Errors
    /// The pointer is null, and the length is not 0; or no object is as long.
    fn bytes<'c>(self, length: usize) -> Result<&'c [u8]>;
}

impl BytesIn for *const u8 {
    fn bytes<'c>(self, length: usize) -> Result<&'c [u8]> {
        if length == 0 {
            return Ok(&[]);
        }
        if self.is_null() {
            return Err(null("a pointer to bytes").seen(format!("a null pointer for {length} bytes")));
        }
        if isize::try_from(length).is_err() {
            return Err(Error::usage(format!("{length} bytes")).expected("at most half of the address space"));
        }
        // SAFETY: a pointer from C that is not null points to that many bytes, which nobody writes
        // to during the call.
        Ok(unsafe { slice::from_raw_parts(self, length) })
    }
}

/// A text that ends with a byte 0.
pub trait TextIn: Sized {
    /// Returns the text; `None` for a null pointer.
    ///
    /// # Errors
    /// It is not UTF-8.
    fn text<'c>(self, what: &str) -> Result<Option<&'c str>>;

    /// Returns the text.
    ///
    /// # Errors
    /// The pointer is null, or the text is not UTF-8.
    fn wanted_text<'c>(self, what: &str) -> Result<&'c str> {
        self.text(what)?.ok_or_else(|| null(what))
    }
}

impl TextIn for *const c_char {
    fn text<'c>(self, what: &str) -> Result<Option<&'c str>> {
        if self.is_null() {
            return Ok(None);
        }
        // SAFETY: a text from C that is not null ends with a byte 0, and nobody writes to it during
        // the call.
        let text = unsafe { CStr::from_ptr(self) };
        text.to_str().map(Some).map_err(|_| Error::usage(format!("{what} that is no UTF-8")).expected("text in UTF-8"))
    }
}

/// An object of this library, to be looked at.
pub trait In<T>: Sized {
    /// Returns the object; `None` for a null pointer.
    fn object<'c>(self) -> Option<&'c T>;

    /// Returns the object.
    ///
    /// # Errors
    /// The pointer is null.
    fn wanted<'c>(self, what: &str) -> Result<&'c T>
    where
        T: 'c,
    {
        self.object().ok_or_else(|| null(what))
    }
}

impl<T> In<T> for *const T {
    fn object<'c>(self) -> Option<&'c T> {
        // SAFETY: a handle from C is null, or one that this library made and that was not freed.
        // Nobody changes the object during the call.
        unsafe { self.as_ref() }
    }
}

/// A struct of the program, whose first member is its size.
pub trait SizedIn<T: Copy> {
    /// Returns a copy of the struct.
    ///
    /// # Errors
    /// The pointer is null, or the size is another one than this version of the struct has.
    fn sized(self, what: &str) -> Result<T>;
}

impl<T: Copy> SizedIn<T> for *const T {
    fn sized(self, what: &str) -> Result<T> {
        if self.is_null() {
            return Err(null(what));
        }
        // SAFETY: a pointer from C that is not null points to a struct that begins with its size.
        let size = unsafe { self.cast::<usize>().read() };
        if size != size_of::<T>() {
            return Err(Error::usage(format!("{what} of {size} bytes")).expected(format!("one of {}", size_of::<T>())));
        }
        // SAFETY: the struct has as many bytes as this one. Its members are numbers and functions,
        // which are null or those of the program.
        Ok(unsafe { self.read() })
    }
}

/// An object of this library, to be changed or freed.
pub trait InMut<T>: Sized {
    /// Returns the object; `None` for a null pointer.
    fn object_mut<'c>(self) -> Option<&'c mut T>;

    /// Returns the object.
    ///
    /// # Errors
    /// The pointer is null.
    fn wanted_mut<'c>(self, what: &str) -> Result<&'c mut T>
    where
        T: 'c,
    {
        self.object_mut().ok_or_else(|| null(what))
    }

    /// Frees the object, if there is one.
    fn free(self);
}

impl<T> InMut<T> for *mut T {
    fn object_mut<'c>(self) -> Option<&'c mut T> {
        // SAFETY: a handle from C is null, or one that this library made and that was not freed. No
        // other call uses the object at the same time.
        unsafe { self.as_mut() }
    }

    fn free(self) {
        if !self.is_null() {
            // SAFETY: a handle that is not null comes from `into_handle`, and is freed once.
            drop(unsafe { Box::from_raw(self) });
        }
    }
}

/// Returns an object as a handle, until its function takes it back.
pub fn into_handle<T>(object: T) -> *mut T {
    Box::into_raw(Box::new(object))
}

/// The place of a plain result, unless it is null. Its old value is never read: C programs pass
/// variables that are not initialised.
pub trait Out<T: Copy> {
    /// Stores the value.
    fn store(self, value: T);
}

impl<T: Copy> Out<T> for *mut T {
    fn store(self, value: T) {
        if !self.is_null() {
            // SAFETY: a pointer from C that is not null points to room for a value. Nothing is
            // dropped: these are plain values.
            unsafe { self.write(value) }
        }
    }
}

/// The place of an object that a call makes, unless it is null.
pub trait New<T>: Copy {
    /// Stores a null pointer.
    fn clear(self);

    /// Stores a handle of an object. The object is dropped if nobody wants it.
    fn make(self, object: T);
}

impl<T> New<T> for *mut *mut T {
    fn clear(self) {
        self.store(std::ptr::null_mut());
    }

    fn make(self, object: T) {
        if !self.is_null() {
            self.store(into_handle(object));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ptr::{null, null_mut};

    use super::*;

    #[test]
    fn null_pointers_are_errors_or_nothing() {
        assert_eq!(null::<u8>().bytes(0).unwrap(), b"");
        assert!(null::<u8>().bytes(1).is_err());
        assert!(b"x".as_ptr().bytes(usize::MAX).is_err());
        assert!(null::<c_char>().text("a name").unwrap().is_none() && null::<c_char>().wanted_text("a name").is_err());
        assert!(c"\xff".as_ptr().text("a name").is_err());
        assert!(null::<u64>().wanted("a number").is_err() && null_mut::<u64>().wanted_mut("a number").is_err());
        null_mut::<u64>().store(1);
        null_mut::<*mut u64>().make(1);
        null_mut::<*mut u64>().clear();
        null_mut::<u64>().free();
    }

    #[test]
    fn an_object_lives_until_it_is_freed() {
        let mut handle: *mut u64 = null_mut();
        (&raw mut handle).make(5_u64);
        *handle.wanted_mut("a number").unwrap() += 1;
        assert_eq!(handle.cast_const().object(), Some(&6));
        handle.free();
    }
}
