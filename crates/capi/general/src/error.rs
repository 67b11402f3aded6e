//! Errors as objects of C.

use std::ffi::{CString, c_char};
use std::ptr::null;

use polywire_core::{Error, ErrorKind, Fault};
use polywire_report::ErrorLine;

use crate::pointer::{In, InMut, Out};

/// The result of a call. A status other than POLYWIRE_STATUS_OK comes with an error object that
/// says more. Later versions may add further statuses.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The call did what it is for.
    Ok = 0,
    /// A message is malformed, cut off, or beyond a limit: its sender has to act.
    Data = 1,
    /// A schema is malformed or does not fit: its author has to act.
    Schema = 2,
    /// An argument is wrong, such as a name that no format has: the program has to act.
    Caller = 3,
    /// A file, or a callback that reads or writes, failed.
    Environment = 4,
    /// A bug in Polywire: please report it.
    Internal = 5,
    /// The target format cannot keep a message whole, and the options do not allow losses.
    Loss = 6,
}

/// An error: what was seen, what was expected, where, and what to do. Free it with
/// polywire_error_free(). Texts live as long as the object.
pub struct ErrorObject {
    status: Status,
    kind: CString,
    fault: CString,
    text: CString,
    json: CString,
    seen: Option<CString>,
    expected: Option<CString>,
    hint: Option<CString>,
    format: Option<CString>,
    path: Option<CString>,
    offset: Option<u64>,
    line: Option<u64>,
    column: Option<u64>,
    message: Option<u64>,
}

/// Returns a text for C, where a byte 0 would end it.
pub fn c_text(text: &str) -> CString {
    CString::new(text).unwrap_or_else(|_| CString::new(text.replace('\0', "\\0")).unwrap_or_default())
}

fn unless_empty(text: &str) -> Option<CString> {
    (!text.is_empty()).then(|| c_text(text))
}

impl ErrorObject {
    pub fn new(error: &Error) -> ErrorObject {
        let status = match (error.kind(), error.fault()) {
            (ErrorKind::Loss, _) => Status::Loss,
            (_, Fault::Data) => Status::Data,
            (_, Fault::Schema) => Status::Schema,
            (_, Fault::Caller) => Status::Caller,
            (_, Fault::Environment) => Status::Environment,
            (_, Fault::Us) => Status::Internal,
        };
        ErrorObject {
            status,
            kind: c_text(error.kind().name()),
            fault: c_text(error.fault().name()),
            text: c_text(&error.to_string()),
            json: c_text(&serde_json::to_string(&ErrorLine::new(error, None, None)).unwrap_or_default()),
            seen: unless_empty(error.seen_text()),
            expected: unless_empty(error.expected_text()),
            hint: unless_empty(error.advice()),
            format: error.format().map(c_text),
            path: error.path().map(|path| c_text(&path.to_string())),
            offset: error.offset(),
            line: error.place().map(|place| place.line),
            column: error.place().map(|place| place.column),
            message: error.message(),
        }
    }

    pub fn status(&self) -> Status {
        self.status
    }
}

/// Returns a text of an error, or null.
fn text(error: *const ErrorObject, of: impl FnOnce(&ErrorObject) -> Option<&CString>) -> *const c_char {
    error.object().and_then(of).map_or(null(), |text| text.as_ptr())
}

/// Stores a number of an error, and returns whether it is known.
fn number(error: *const ErrorObject, place: *mut u64, of: impl FnOnce(&ErrorObject) -> Option<u64>) -> bool {
    let number = error.object().and_then(of);
    number.is_some_and(|number| {
        place.store(number);
        true
    })
}

/// Returns the status that the call returned; POLYWIRE_STATUS_OK for null.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_error_status(error: *const ErrorObject) -> Status {
    error.object().map_or(Status::Ok, ErrorObject::status)
}

/// Returns the error on one line, for people.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_error_text(error: *const ErrorObject) -> *const c_char {
    text(error, |error| Some(&error.text))
}

/// Returns the error as a JSON object. docs/errors.md describes its fields.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_error_json(error: *const ErrorObject) -> *const c_char {
    text(error, |error| Some(&error.json))
}

/// Returns the kind of the error in a word for programs, such as "syntax", "truncated" or "limit".
/// docs/errors.md lists them.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_error_kind(error: *const ErrorObject) -> *const c_char {
    text(error, |error| Some(&error.kind))
}

/// Returns the party that has to act: "data", "schema", "caller", "polywire" or "environment".
#[unsafe(no_mangle)]
pub extern "C" fn polywire_error_fault(error: *const ErrorObject) -> *const c_char {
    text(error, |error| Some(&error.fault))
}

/// Returns what was seen, or null.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_error_seen(error: *const ErrorObject) -> *const c_char {
    text(error, |error| error.seen.as_ref())
}

/// Returns what was expected, or null.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_error_expected(error: *const ErrorObject) -> *const c_char {
    text(error, |error| error.expected.as_ref())
}

/// Returns advice on what to do, or null. It may name an option of the program polywire.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_error_hint(error: *const ErrorObject) -> *const c_char {
    text(error, |error| error.hint.as_ref())
}

/// Returns the name of the format that was read or written, or null.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_error_format(error: *const ErrorObject) -> *const c_char {
    text(error, |error| error.format.as_ref())
}

/// Returns the path of the value, such as "items[3].name", or null.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_error_path(error: *const ErrorObject) -> *const c_char {
    text(error, |error| error.path.as_ref())
}

/// Stores the byte offset in the input, from 0. Returns false, and stores nothing, if it is not
/// known.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_error_offset(error: *const ErrorObject, offset: *mut u64) -> bool {
    number(error, offset, |error| error.offset)
}

/// Stores the line, from 1, in a text format. Returns false, and stores nothing, if it is not
/// known.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_error_line(error: *const ErrorObject, line: *mut u64) -> bool {
    number(error, line, |error| error.line)
}

/// Stores the column in characters, from 1, in a text format. Returns false, and stores nothing, if
/// it is not known.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_error_column(error: *const ErrorObject, column: *mut u64) -> bool {
    number(error, column, |error| error.column)
}

/// Stores the number of the message in the input, from 1. Returns false, and stores nothing, if it
/// is not known.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_error_message(error: *const ErrorObject, message: *mut u64) -> bool {
    number(error, message, |error| error.message)
}

/// Frees an error. Null is fine.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_error_free(error: *mut ErrorObject) {
    error.free();
}
