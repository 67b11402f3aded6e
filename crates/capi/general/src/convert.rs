//! Conversions.

use std::ffi::{c_char, c_void};
use std::io::{self, Read, Write};

use polywire::Conversion;
use polywire_core::Result;
use polywire_core::format::Dialect;
use polywire_report::losses;

use crate::error::{ErrorObject, Status};
use crate::format::{FormatObject, dialect, named};
use crate::guard::guard;
use crate::options::Options;
use crate::outcome::Outcome;
use crate::pointer::{BytesIn, In, New, TextIn};

/// Reads bytes of an input into `buffer`, at most `length`. Returns their number, 0 at the end of
/// the input, or -1 if reading failed.
pub type ReadCallback = Option<extern "C" fn(user: *mut c_void, buffer: *mut u8, length: usize) -> isize>;

/// Writes bytes of an output. Returns 0, or another number if writing failed.
pub type WriteCallback = Option<extern "C" fn(user: *mut c_void, bytes: *const u8, length: usize) -> i32>;

/// An input that C reads.
pub struct Input {
    read: ReadCallback,
    user: *mut c_void,
}

impl Input {
    pub fn new(read: ReadCallback, user: *mut c_void) -> Input {
        Input { read, user }
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(read) = self.read else { return Err(io::Error::other("a null pointer for the callback that reads")) };
        let count = read(self.user, buffer.as_mut_ptr(), buffer.len());
        match usize::try_from(count) {
            Ok(count) if count <= buffer.len() => Ok(count),
            Ok(count) => Err(io::Error::other(format!("the callback that reads returned {count} for room of {}", buffer.len()))),
            Err(_) => Err(io::Error::other(format!("the callback that reads returned {count}"))),
        }
    }
}

/// An output that C writes.
struct Output {
    write: WriteCallback,
    user: *mut c_void,
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(write) = self.write else { return Err(io::Error::other("a null pointer for the callback that writes")) };
        match write(self.user, bytes.as_ptr(), bytes.len()) {
            0 => Ok(bytes.len()),
            code => Err(io::Error::other(format!("the callback that writes returned {code}"))),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn conversion(from: Dialect, to: Dialect, options: &Options) -> Result<Conversion> {
    let conversion = Conversion::new(from, to)?.limits(options.limits).threads(options.threads);
    Ok(if options.lossy { conversion.lossy() } else { conversion })
}

fn run(bytes: &[u8], from: Dialect, to: Dialect, options: &Options, result: *mut *mut Outcome) -> Result<()> {
    let converted = conversion(from, to, options)?.run(bytes)?;
    result.make(Outcome::new(converted.bytes, converted.messages, &losses(&converted.losses)));
    Ok(())
}

/// Converts all messages of `bytes` from one format to another, both by name: "json", "msgpack".
/// Null for `from` means the format that the bytes look like.
///
/// Nothing is lost silently: a message that the target cannot keep whole is POLYWIRE_STATUS_LOSS,
/// unless the options allow losses.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_convert(
    bytes: *const u8,
    length: usize,
    from: *const c_char,
    to: *const c_char,
    options: *const Options,
    result: *mut *mut Outcome,
    error: *mut *mut ErrorObject,
) -> Status {
    result.clear();
    guard(error, || {
        let bytes = bytes.bytes(length)?;
        let to = polywire::format(to.wanted_text("the name of a format")?)?;
        run(bytes, named(from, bytes)?, to.into(), &Options::of(options), result)
    })
}

/// Converts like polywire_convert(), between formats with settings or a schema. Null for `from`
/// means the format that the bytes look like.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_convert_between(
    bytes: *const u8,
    length: usize,
    from: *const FormatObject,
    to: *const FormatObject,
    options: *const Options,
    result: *mut *mut Outcome,
    error: *mut *mut ErrorObject,
) -> Status {
    result.clear();
    guard(error, || {
        let bytes = bytes.bytes(length)?;
        let to = to.wanted("a format to convert to")?.dialect.clone();
        run(bytes, dialect(from, bytes)?, to, &Options::of(options), result)
    })
}

/// Converts all messages that `read` returns, and gives them to `write` as they come. Memory: a
/// buffer, and a small multiple of the longest message. The result has the number of messages and
/// the losses, and no bytes. Messages before an error are written.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_convert_stream(
    read: ReadCallback,
    read_user: *mut c_void,
    write: WriteCallback,
    write_user: *mut c_void,
    from: *const FormatObject,
    to: *const FormatObject,
    options: *const Options,
    result: *mut *mut Outcome,
    error: *mut *mut ErrorObject,
) -> Status {
    result.clear();
    guard(error, || {
        let from = from.wanted("a format to convert from")?.dialect.clone();
        let to = to.wanted("a format to convert to")?.dialect.clone();
        let conversion = conversion(from, to, &Options::of(options))?;
        let copied = conversion.copy(Input::new(read, read_user), &mut Output { write, user: write_user })?;
        result.make(Outcome::new(Vec::new(), copied.messages, &losses(&copied.losses)));
        Ok(())
    })
}
