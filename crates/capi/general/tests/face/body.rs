//! The body of the fuzz target `capi`: any bytes through the functions of `polywire.h`.
//!
//! The sanitizer watches what is read and written. The body holds that an error has a text and its
//! status, that no bug is reported, that input cut in pieces gives what it gives whole, and that
//! each answer of a callback is heeded.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};

use super::*;

/// A schema of each language that bytes are bound to, with a format of it.
const BOUND: [(&CStr, &str); 3] = [
    (c"protobuf", "syntax = \"proto3\"; message M { int32 a = 1; string b = 2; repeated M c = 3; map<string, bytes> d = 4; }"),
    (c"extprot", "message m = { a : int; b : string; c : [ (int * bool) ] }"),
    (c"protobuf-delimited", "syntax = \"proto2\"; message M { optional double a = 1; repeated sint64 b = 2 [packed = true]; }"),
];

/// Runs one input: the first bytes say what is called, and how the rest is cut.
pub fn face(data: &[u8]) {
    let [what, from, to, piece, bytes @ ..] = data else { return };
    match what % 8 {
        0 => schemas(bytes, *from, *to),
        1 => {
            let (name, schema) = BOUND[usize::from(*from) % BOUND.len()];
            if let Some(format) = Format::bind(name, schema.as_bytes()) {
                all(&format, &Format::number(*to), bytes, *piece, *what);
            }
        }
        2 => {
            // The bytes are the schema.
            let names = [c"protobuf", c"extprot", c"usds", c"protojson", c"json"];
            if let Some(format) = Format::bind(names[usize::from(*from) % names.len()], bytes) {
                walks(&format, b"\x08\x01\x12\x01a", *piece, 0);
            }
        }
        _ => all(&Format::number(*from), &Format::number(*to), bytes, *piece, *what),
    }
}

/// Calls everything that takes bytes of a format.
fn all(from: &Format, to: &Format, bytes: &[u8], piece: u8, what: u8) {
    let name = unsafe { polywire_recognise(bytes.as_ptr(), bytes.len(), what & 8 == 0) };
    assert!(name.is_null() || !unsafe { CStr::from_ptr(name) }.is_empty());
    conversions(from, to, bytes, piece, what & 16 == 0);
    walks(from, bytes, piece, what >> 4);
    let mut call = Call::new();
    let status = unsafe { polywire_inspect(bytes.as_ptr(), bytes.len(), from.0, call.options, &raw mut call.result, &raw mut call.error) };
    call.over(status);
    let mut call = Call::new();
    let languages = [c"proto", c"extprot", c"usds", c"text"];
    let language = languages[usize::from(piece) % languages.len()].as_ptr();
    let (out, error) = (&raw mut call.result, &raw mut call.error);
    let status = unsafe { polywire_schema_infer(bytes.as_ptr(), bytes.len(), from.0, language, null(), call.options, out, error) };
    call.over(status);
}

/// A format of the library, which is freed at the end.
struct Format(*mut FormatOfC);

impl Format {
    fn number(number: u8) -> Format {
        let name = unsafe { polywire_format_at(usize::from(number) % polywire_format_count()) };
        let mut format = null_mut();
        assert_eq!(unsafe { polywire_format_find(name, &raw mut format, null_mut()) }, OK);
        Format(format)
    }

    fn bind(name: &CStr, schema: &[u8]) -> Option<Format> {
        let mut format = null_mut();
        let mut call = Call::new();
        let (out, error) = (&raw mut format, &raw mut call.error);
        let status = unsafe { polywire_format_bind_text(name.as_ptr(), schema.as_ptr(), schema.len(), null(), out, error) };
        assert_eq!(status == OK, !format.is_null());
        call.over(status);
        (status == OK).then_some(Format(format))
    }
}

impl Drop for Format {
    fn drop(&mut self) {
        unsafe { polywire_format_free(self.0) }
    }
}

/// Options, result and error of a call, which are freed at the end.
struct Call {
    options: *mut OptionsOfC,
    result: *mut Outcome,
    error: *mut Failure,
}

impl Call {
    fn new() -> Call {
        let options = unsafe { polywire_options_new() };
        unsafe {
            polywire_options_set_max_depth(options, 64);
            polywire_options_set_max_decoded(options, 1 << 20);
            polywire_options_set_payload_depth(options, 3);
        }
        // The call has to set both: C programs pass variables that are not initialised.
        Call { options, result: null_mut(), error: null_mut() }
    }

    /// Holds what the header says of every call, and returns the bytes of the result.
    fn over(self, status: u32) -> Vec<u8> {
        let text = |text: *const c_char| {
            assert!(!text.is_null());
            unsafe { CStr::from_ptr(text) }.to_str().expect("text in UTF-8").to_string()
        };
        assert_eq!(unsafe { polywire_error_status(self.error) }, status);
        assert_eq!(status == OK, self.error.is_null());
        if !self.error.is_null() {
            let (shown, json) = unsafe { (text(polywire_error_text(self.error)), text(polywire_error_json(self.error))) };
            assert!(status != INTERNAL, "{shown}");
            assert!(!shown.is_empty() && !shown.contains('\n'), "{shown:?}");
            serde_json::from_str::<serde_json::Value>(&json).expect("an error in JSON");
            let mut offset = u64::MAX;
            assert_eq!(unsafe { polywire_error_offset(self.error, &raw mut offset) }, offset != u64::MAX);
        }
        if self.result.is_null() {
            return Vec::new();
        }
        let mut length = usize::MAX;
        let bytes = unsafe { polywire_result_bytes(self.result, &raw mut length) };
        // A byte 0 follows.
        let bytes = unsafe { std::slice::from_raw_parts(bytes, length + 1) };
        assert_eq!(bytes[length], 0);
        let losses = unsafe { text(polywire_result_losses(self.result)) };
        serde_json::from_str::<serde_json::Value>(&losses).expect("losses in JSON");
        bytes[..length].to_vec()
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        unsafe {
            polywire_error_free(self.error);
            polywire_result_free(self.result);
            polywire_options_free(self.options);
        }
    }
}

/// An input that is read in pieces.
struct Pieces<'b> {
    rest: &'b [u8],
    piece: usize,
}

extern "C" fn read(user: *mut c_void, buffer: *mut u8, length: usize) -> isize {
    let pieces = unsafe { &mut *user.cast::<Pieces<'_>>() };
    let count = pieces.piece.min(length).min(pieces.rest.len());
    let (now, rest) = pieces.rest.split_at(count);
    unsafe { now.as_ptr().copy_to_nonoverlapping(buffer, count) };
    pieces.rest = rest;
    count.cast_signed()
}

extern "C" fn write(user: *mut c_void, bytes: *const u8, length: usize) -> i32 {
    let out = unsafe { &mut *user.cast::<Vec<u8>>() };
    if length > 0 {
        out.extend_from_slice(unsafe { std::slice::from_raw_parts(bytes, length) });
    }
    0
}

/// A conversion gives the same from memory and from a callback.
fn conversions(from: &Format, to: &Format, bytes: &[u8], piece: u8, lossy: bool) {
    let mut whole = Call::new();
    unsafe { polywire_options_allow_losses(whole.options, lossy) };
    let (out, error) = (&raw mut whole.result, &raw mut whole.error);
    let status = unsafe { polywire_convert_between(bytes.as_ptr(), bytes.len(), from.0, to.0, whole.options, out, error) };
    assert_eq!(status == OK, !whole.result.is_null());
    let messages = unsafe { polywire_result_messages(whole.result) };
    let converted = whole.over(status);

    let mut cut = Call::new();
    unsafe { polywire_options_allow_losses(cut.options, lossy) };
    let mut pieces = Pieces { rest: bytes, piece: usize::from(piece) + 1 };
    let mut written: Vec<u8> = Vec::new();
    let (user, written_to) = ((&raw mut pieces).cast(), (&raw mut written).cast());
    let (out, error) = (&raw mut cut.result, &raw mut cut.error);
    let same = unsafe { polywire_convert_stream(Some(read), user, Some(write), written_to, from.0, to.0, cut.options, out, error) };
    assert_eq!(status, same);
    if status == OK {
        assert_eq!((messages, &converted), (unsafe { polywire_result_messages(cut.result) }, &written));
    }
    cut.over(same);
}

/// Everything that the callbacks of a walk get, and the answers that they give.
#[derive(Default)]
struct Heard {
    /// The calls, with what they got, as bytes.
    events: Vec<u8>,
    depth: usize,
    calls: u64,
    /// Every call of this number answers with POLYWIRE_SKIP; 0 for none.
    skip: u64,
    /// The call of this number answers with POLYWIRE_STOP; 0 for none.
    stop: u64,
    stopped: bool,
}

impl Heard {
    fn note(&mut self, kind: u8, texts: &[Slice], numbers: &[u64], at: SpanOfC) {
        assert!(!self.stopped, "a call after POLYWIRE_STOP");
        assert!(at.start <= at.end);
        self.calls += 1;
        self.events.push(kind);
        for number in numbers.iter().chain(&[at.start, at.end]) {
            self.events.extend_from_slice(&number.to_le_bytes());
        }
        for text in texts {
            self.events.extend_from_slice(&text.length.to_le_bytes());
            if text.length > 0 {
                // The sanitizer sees each byte read.
                self.events.extend_from_slice(unsafe { std::slice::from_raw_parts(text.data, text.length) });
            }
        }
    }

    fn answer(&mut self, skips: bool) -> u32 {
        if self.stop == self.calls {
            self.stopped = true;
            return 2;
        }
        u32::from(skips && self.skip != 0 && self.calls.is_multiple_of(self.skip))
    }
}

fn heard<'h>(user: *mut c_void) -> &'h mut Heard {
    unsafe { &mut *user.cast::<Heard>() }
}

extern "C" fn begin(user: *mut c_void, message: u64, at: SpanOfC) -> u32 {
    heard(user).note(b'<', &[], &[message], at);
    heard(user).depth = 0;
    heard(user).answer(true)
}

extern "C" fn open(user: *mut c_void, open: *const OpenOfC, at: SpanOfC) -> u32 {
    let open = unsafe { &*open };
    heard(user).note(b'(', &[open.name], &[open.kind.into(), open.code, open.length], at);
    let answer = heard(user).answer(true);
    heard(user).depth += usize::from(answer == 0);
    answer
}

extern "C" fn field(user: *mut c_void, field: *const FieldOfC, at: SpanOfC) -> u32 {
    let field = unsafe { &*field };
    heard(user).note(b'f', &[field.name], &[field.id, field.slot], at);
    heard(user).answer(true)
}

extern "C" fn scalar(user: *mut c_void, scalar: *const ScalarOfC, at: SpanOfC) -> u32 {
    let scalar = unsafe { &*scalar };
    let kind: u64 = scalar.kind.into();
    match scalar.kind {
        0 => heard(user).note(b's', &[scalar.digits], &[kind], at),
        1 => heard(user).note(b's', &[scalar.digits], &[kind, u64::from(unsafe { scalar.value.boolean })], at),
        2..=5 => heard(user).note(b's', &[scalar.digits], &[kind, unsafe { scalar.value.natural }], at),
        6..=10 => heard(user).note(b's', &[scalar.digits, unsafe { scalar.value.text }], &[kind], at),
        11 => {
            let time = unsafe { scalar.value.time };
            assert!(time.nanoseconds < 1_000_000_000);
            heard(user).note(b's', &[scalar.digits], &[kind, time.seconds.cast_unsigned(), time.nanoseconds.into()], at);
        }
        other => panic!("a scalar of the kind {other}"),
    }
    heard(user).answer(false)
}

extern "C" fn part(user: *mut c_void, part: *const PartOfC, at: SpanOfC) -> u32 {
    let part = unsafe { &*part };
    heard(user).note(b'p', &[part.bytes], &[part.kind.into(), part.last.into(), part.total], at);
    heard(user).answer(false)
}

extern "C" fn close(user: *mut c_void, at: SpanOfC) -> u32 {
    heard(user).note(b')', &[], &[], at);
    heard(user).depth = heard(user).depth.checked_sub(1).expect("an open container");
    heard(user).answer(false)
}

extern "C" fn note(user: *mut c_void, note: *const NoteOfC, at: SpanOfC) -> u32 {
    let note = unsafe { &*note };
    heard(user).note(b'n', &[note.contents], &[note.kind.into()], at);
    heard(user).answer(false)
}

extern "C" fn end(user: *mut c_void, message: u64) -> u32 {
    assert_eq!(heard(user).depth, 0);
    heard(user).note(b'>', &[], &[message], SpanOfC { start: 0, end: 0 });
    heard(user).answer(false)
}

/// A walk gives the same calls from memory and from pieces that are fed.
fn walks(format: &Format, bytes: &[u8], piece: u8, choice: u8) {
    let sink = SinkOfC {
        size: size_of::<SinkOfC>(),
        needs: u32::from(choice & 15),
        begin: Some(begin),
        open: Some(open),
        field: Some(field),
        scalar: Some(scalar),
        part: Some(part),
        close: Some(close),
        note: Some(note),
        end: Some(end),
    };
    let (skip, stop) = (u64::from(piece & 3), u64::from(piece >> 3));
    let mut whole = Heard { skip, stop, ..Heard::default() };
    let mut call = Call::new();
    let (user, error) = ((&raw mut whole).cast(), &raw mut call.error);
    let status = unsafe { polywire_walk(bytes.as_ptr(), bytes.len(), format.0, call.options, &raw const sink, user, error) };
    assert!(status == OK || !whole.stopped);
    call.over(status);

    let mut cut = Heard { skip, stop, ..Heard::default() };
    let mut call = Call::new();
    let mut stream = null_mut();
    let user = (&raw mut cut).cast();
    let made = unsafe { polywire_stream_new(format.0, call.options, &raw const sink, user, &raw mut stream, &raw mut call.error) };
    assert_eq!(made, OK);
    let mut fed = OK;
    for piece in bytes.chunks(usize::from(piece) + 1) {
        fed = unsafe { polywire_stream_feed(stream, piece.as_ptr(), piece.len(), &raw mut call.error) };
        if fed != OK {
            assert_eq!(unsafe { polywire_stream_feed(stream, piece.as_ptr(), piece.len(), null_mut()) }, CALLER);
            break;
        }
    }
    if fed == OK {
        fed = unsafe { polywire_stream_end(stream, &raw mut call.error) };
    }
    unsafe { polywire_stream_free(stream) };
    call.over(fed);
    assert_eq!(status, fed);
    if status == OK {
        assert!(whole.events == cut.events, "calls differ");
    }
}

/// Two texts of a schema language, with a zero byte between them, are compared.
fn schemas(bytes: &[u8], language: u8, checks: u8) {
    let languages = [c"proto", c"extprot", c"usds"];
    let language = languages[usize::from(language) % languages.len()];
    let (old, new) = bytes.iter().position(|byte| *byte == 0).map_or((bytes, bytes), |at| (&bytes[..at], &bytes[at + 1..]));
    let mut made = [null_mut(); 2];
    for (schema, text) in made.iter_mut().zip([old, new]) {
        let label = CString::new("a version").expect("no zero byte");
        let status = unsafe { polywire_schema_text(text.as_ptr(), text.len(), language.as_ptr(), label.as_ptr(), schema, null_mut()) };
        assert_eq!(status, OK);
    }
    let mut call = Call::new();
    let mut compatible = true;
    let (out, error) = (&raw mut call.result, &raw mut call.error);
    let status = unsafe { polywire_schema_check(made[0], made[1], null(), u32::from(checks) & 7, &raw mut compatible, out, error) };
    assert!(status == OK || !compatible);
    call.over(status);
    for schema in made {
        unsafe { polywire_schema_free(schema) };
    }
}
