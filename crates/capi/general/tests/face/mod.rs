//! The library as C sees it: its structs and functions, declared once more, and linked by name.
//!
//! The calls keep the rules of the header: valid pointers, true lengths, objects freed once. The
//! `unsafe` of these tests rests on nothing else.
#![allow(missing_docs, clippy::missing_safety_doc, clippy::undocumented_unsafe_blocks)]

pub mod body;

use std::ffi::{c_char, c_void};

use polywire_capi_general as _;

/// Declares structs as the header has them, each behind a pointer.
macro_rules! objects {
    ($($name:ident)*) => {$(
        #[repr(C)]
        pub struct $name {
            opaque: [u8; 0],
        }
    )*};
}

objects! { Failure FormatOfC OptionsOfC Outcome Schema StreamOfC }

pub const OK: u32 = 0;
pub const CALLER: u32 = 3;
pub const INTERNAL: u32 = 5;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct SpanOfC {
    pub start: u64,
    pub end: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Slice {
    pub data: *const u8,
    pub length: usize,
}

#[repr(C)]
pub struct OpenOfC {
    pub kind: u32,
    pub name: Slice,
    pub code: u64,
    pub length: u64,
}

#[repr(C)]
pub struct FieldOfC {
    pub name: Slice,
    pub id: u64,
    pub slot: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Time {
    pub seconds: i64,
    pub nanoseconds: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union Value {
    pub boolean: bool,
    pub integer: i64,
    pub natural: u64,
    pub real: f64,
    pub text: Slice,
    pub time: Time,
}

#[repr(C)]
pub struct ScalarOfC {
    pub kind: u32,
    pub value: Value,
    pub digits: Slice,
}

#[repr(C)]
pub struct PartOfC {
    pub kind: u32,
    pub last: bool,
    pub bytes: Slice,
    pub total: u64,
}

#[repr(C)]
pub struct NoteOfC {
    pub kind: u32,
    pub contents: Slice,
}

#[repr(C)]
pub struct SinkOfC {
    pub size: usize,
    pub needs: u32,
    pub begin: Option<extern "C" fn(*mut c_void, u64, SpanOfC) -> u32>,
    pub open: Option<extern "C" fn(*mut c_void, *const OpenOfC, SpanOfC) -> u32>,
    pub field: Option<extern "C" fn(*mut c_void, *const FieldOfC, SpanOfC) -> u32>,
    pub scalar: Option<extern "C" fn(*mut c_void, *const ScalarOfC, SpanOfC) -> u32>,
    pub part: Option<extern "C" fn(*mut c_void, *const PartOfC, SpanOfC) -> u32>,
    pub close: Option<extern "C" fn(*mut c_void, SpanOfC) -> u32>,
    pub note: Option<extern "C" fn(*mut c_void, *const NoteOfC, SpanOfC) -> u32>,
    pub end: Option<extern "C" fn(*mut c_void, u64) -> u32>,
}

pub type ReadOfC = extern "C" fn(*mut c_void, *mut u8, usize) -> isize;
pub type WriteOfC = extern "C" fn(*mut c_void, *const u8, usize) -> i32;

unsafe extern "C" {
    pub fn polywire_error_status(error: *const Failure) -> u32;
    pub fn polywire_error_text(error: *const Failure) -> *const c_char;
    pub fn polywire_error_json(error: *const Failure) -> *const c_char;
    pub fn polywire_error_offset(error: *const Failure, offset: *mut u64) -> bool;
    pub fn polywire_error_free(error: *mut Failure);

    pub fn polywire_options_new() -> *mut OptionsOfC;
    pub fn polywire_options_free(options: *mut OptionsOfC);
    pub fn polywire_options_allow_losses(options: *mut OptionsOfC, allow: bool);
    pub fn polywire_options_set_max_depth(options: *mut OptionsOfC, depth: u32);
    pub fn polywire_options_set_max_decoded(options: *mut OptionsOfC, bytes: u64);
    pub fn polywire_options_set_payload_depth(options: *mut OptionsOfC, depth: u32);

    pub fn polywire_result_bytes(result: *const Outcome, length: *mut usize) -> *const u8;
    pub fn polywire_result_messages(result: *const Outcome) -> u64;
    pub fn polywire_result_losses(result: *const Outcome) -> *const c_char;
    pub fn polywire_result_free(result: *mut Outcome);

    pub fn polywire_format_count() -> usize;
    pub fn polywire_format_at(index: usize) -> *const c_char;
    pub fn polywire_recognise(bytes: *const u8, length: usize, whole: bool) -> *const c_char;
    pub fn polywire_format_find(name: *const c_char, format: *mut *mut FormatOfC, error: *mut *mut Failure) -> u32;
    pub fn polywire_format_bind_text(
        name: *const c_char,
        schema: *const u8,
        length: usize,
        r#type: *const c_char,
        format: *mut *mut FormatOfC,
        error: *mut *mut Failure,
    ) -> u32;
    pub fn polywire_format_free(format: *mut FormatOfC);

    pub fn polywire_convert_between(
        bytes: *const u8,
        length: usize,
        from: *const FormatOfC,
        to: *const FormatOfC,
        options: *const OptionsOfC,
        result: *mut *mut Outcome,
        error: *mut *mut Failure,
    ) -> u32;
    pub fn polywire_convert_stream(
        read: Option<ReadOfC>,
        read_user: *mut c_void,
        write: Option<WriteOfC>,
        write_user: *mut c_void,
        from: *const FormatOfC,
        to: *const FormatOfC,
        options: *const OptionsOfC,
        result: *mut *mut Outcome,
        error: *mut *mut Failure,
    ) -> u32;

    pub fn polywire_walk(
        bytes: *const u8,
        length: usize,
        format: *const FormatOfC,
        options: *const OptionsOfC,
        sink: *const SinkOfC,
        user: *mut c_void,
        error: *mut *mut Failure,
    ) -> u32;
    pub fn polywire_stream_new(
        format: *const FormatOfC,
        options: *const OptionsOfC,
        sink: *const SinkOfC,
        user: *mut c_void,
        stream: *mut *mut StreamOfC,
        error: *mut *mut Failure,
    ) -> u32;
    pub fn polywire_stream_feed(stream: *mut StreamOfC, bytes: *const u8, length: usize, error: *mut *mut Failure) -> u32;
    pub fn polywire_stream_end(stream: *mut StreamOfC, error: *mut *mut Failure) -> u32;
    pub fn polywire_stream_free(stream: *mut StreamOfC);

    pub fn polywire_inspect(
        bytes: *const u8,
        length: usize,
        format: *const FormatOfC,
        options: *const OptionsOfC,
        result: *mut *mut Outcome,
        error: *mut *mut Failure,
    ) -> u32;
    pub fn polywire_schema_infer(
        bytes: *const u8,
        length: usize,
        format: *const FormatOfC,
        language: *const c_char,
        name: *const c_char,
        options: *const OptionsOfC,
        result: *mut *mut Outcome,
        error: *mut *mut Failure,
    ) -> u32;
    pub fn polywire_schema_text(
        bytes: *const u8,
        length: usize,
        language: *const c_char,
        label: *const c_char,
        schema: *mut *mut Schema,
        error: *mut *mut Failure,
    ) -> u32;
    pub fn polywire_schema_check(
        old: *const Schema,
        new: *const Schema,
        root: *const c_char,
        checks: u32,
        compatible: *mut bool,
        result: *mut *mut Outcome,
        error: *mut *mut Failure,
    ) -> u32;
    pub fn polywire_schema_free(schema: *mut Schema);
}
