//! `psyc/parse.h`: the packet parser (docs/spec/psyc.md 6).

use core::ffi::{c_char, c_int};

use polywire_psyc::wire::parse::{PacketStep, ParseState, step, usual_step};

use crate::pointer::{Out, PsycString, Ptr};

/// The state of a parser: its buffer, and the parser's own fields.
#[repr(C)]
pub struct PsycParseState {
    pub buffer: PsycString,
    pub rest: ParseState,
}

/// `PSYC_PARSE_ERROR`: the state was not made by this library.
pub const ERROR: c_int = -1;

#[unsafe(no_mangle)]
extern "C" fn psyc_parse_state_init(state: Out<PsycParseState>, flags: u8) {
    state.set(PsycParseState { buffer: PsycString::EMPTY, rest: ParseState::new(flags) });
}

#[unsafe(no_mangle)]
extern "C" fn psyc_parse_buffer_set(state: Option<&mut PsycParseState>, buffer: Ptr, length: usize) {
    if let Some(state) = state {
        state.buffer = PsycString::parts(buffer, length);
        state.rest.cursor = 0;
    }
}

#[unsafe(no_mangle)]
extern "C" fn psyc_parse_content_length(state: Option<&PsycParseState>) -> usize {
    state.map_or(0, |state| state.rest.contentlen)
}

#[unsafe(no_mangle)]
extern "C" fn psyc_parse_content_length_found(state: Option<&PsycParseState>) -> c_int {
    state.map_or(0, |state| c_int::from(state.rest.contentlen_found != 0))
}

#[unsafe(no_mangle)]
extern "C" fn psyc_parse_value_length(state: Option<&PsycParseState>) -> usize {
    state.map_or(0, |state| state.rest.valuelen)
}

#[unsafe(no_mangle)]
extern "C" fn psyc_parse_value_length_found(state: Option<&PsycParseState>) -> c_int {
    state.map_or(0, |state| c_int::from(state.rest.valuelen_found != 0))
}

#[unsafe(no_mangle)]
extern "C" fn psyc_parse_cursor(state: Option<&PsycParseState>) -> usize {
    state.map_or(0, |state| state.rest.cursor)
}

#[unsafe(no_mangle)]
extern "C" fn psyc_parse_buffer_length(state: Option<&PsycParseState>) -> usize {
    state.map_or(0, |state| state.buffer.bytes().len())
}

/// Returns the unread bytes.
fn remaining<'a>(state: &PsycParseState) -> &'a [u8] {
    state.buffer.bytes().get(state.rest.cursor..).unwrap_or_default()
}

#[unsafe(no_mangle)]
extern "C" fn psyc_parse_remaining_length(state: Option<&PsycParseState>) -> usize {
    state.map_or(0, |state| remaining(state).len())
}

#[unsafe(no_mangle)]
extern "C" fn psyc_parse_remaining_buffer(state: Option<&PsycParseState>) -> *const c_char {
    state.map_or(core::ptr::null(), |state| remaining(state).as_ptr().cast())
}

#[unsafe(no_mangle)]
extern "C" fn psyc_parse(state: Option<&mut PsycParseState>, oper: Out<u8>, name: Out<PsycString>, value: Out<PsycString>) -> c_int {
    let Some(state) = state else { return ERROR };
    // A cursor that is not in the buffer is nothing usual.
    let Some(found) = usual_step(&mut state.rest, state.buffer.bytes()) else { return unusual(state, oper, name, value) };
    store_item(found, oper, name, value)
}

/// Parses any item. It is apart, so that calls that find a usual item stay fast.
#[inline(never)]
fn unusual(state: &mut PsycParseState, oper: Out<u8>, name: Out<PsycString>, value: Out<PsycString>) -> c_int {
    let buffer = state.buffer.bytes();
    if state.rest.cursor > buffer.len() {
        return ERROR;
    }
    match step(&mut state.rest, buffer) {
        Ok(found) => store_item(found, oper, name, value),
        Err(code) => code.number(),
    }
}

/// Stores the item in the program's variables, and returns its number.
#[inline(always)]
fn store_item(found: PacketStep<'_>, oper: Out<u8>, name: Out<PsycString>, value: Out<PsycString>) -> c_int {
    match found {
        PacketStep::More | PacketStep::Complete => {}
        PacketStep::State(state) => oper.set(state.byte()),
        PacketStep::Routing(line) | PacketStep::EntityStart(line) | PacketStep::Entity(line) => {
            oper.set(line.operator.byte());
            name.set(PsycString::new(line.name));
            value.set(PsycString::new(line.value));
        }
        PacketStep::EntityPart(part) | PacketStep::EntityEnd(part) | PacketStep::BodyPart(part) | PacketStep::BodyEnd(part) => {
            value.set(PsycString::new(part));
        }
        PacketStep::BodyStart(method, data) | PacketStep::Body(method, data) => {
            // A body that goes on, or a content that is not looked into, has no method.
            if !method.is_empty() {
                name.set(PsycString::new(method));
            }
            value.set(PsycString::new(data));
        }
    }
    found.number()
}
