//! The library as C sees it: its structs and functions, declared once more, and linked by name.
//!
//! The calls keep the rules of the headers: valid pointers, and true lengths. The `unsafe` of these
//! tests rests on nothing else.
#![allow(dead_code, missing_docs, clippy::missing_safety_doc, clippy::undocumented_unsafe_blocks)] // Each test uses a part of it.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;

use polywire_capi as _;

pub mod differential;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PsycString {
    pub length: usize,
    pub data: *const c_char,
}

impl PsycString {
    pub const EMPTY: PsycString = PsycString { length: 0, data: ptr::null() };

    pub fn new(bytes: &[u8]) -> PsycString {
        PsycString { length: bytes.len(), data: bytes.as_ptr().cast() }
    }

    /// Returns the bytes, which have to be there.
    pub unsafe fn bytes<'a>(self) -> &'a [u8] {
        if self.data.is_null() { b"" } else { unsafe { std::slice::from_raw_parts(self.data.cast(), self.length) } }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct PsycElem {
    pub kind: PsycString,
    pub value: PsycString,
    pub length: usize,
    pub flag: c_int,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct PsycDictKey {
    pub value: PsycString,
    pub length: usize,
    pub flag: c_int,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct PsycDictElem {
    pub value: PsycElem,
    pub key: PsycDictKey,
}

/// A list or a dict.
#[repr(C)]
pub struct Elems<T> {
    pub kind: PsycString,
    pub elems: *mut T,
    pub num_elems: usize,
    pub length: usize,
}

impl<T> Elems<T> {
    pub fn new() -> Elems<T> {
        Elems { kind: PsycString::EMPTY, elems: ptr::null_mut(), num_elems: 0, length: 0 }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct PsycModifier {
    pub name: PsycString,
    pub value: PsycString,
    pub flag: c_int,
    pub oper: u8,
}

#[repr(C)]
pub struct PsycHeader {
    pub lines: usize,
    pub modifiers: *mut PsycModifier,
}

#[repr(C)]
pub struct PsycPacket {
    pub routing: PsycHeader,
    pub entity: PsycHeader,
    pub method: PsycString,
    pub data: PsycString,
    pub content: PsycString,
    pub routinglen: usize,
    pub contentlen: usize,
    pub length: usize,
    pub stateop: c_int,
    pub flag: c_int,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct PsycParseState {
    pub buffer: PsycString,
    pub cursor: usize,
    pub startc: usize,
    pub routinglen: usize,
    pub contentlen: usize,
    pub content_parsed: usize,
    pub valuelen: usize,
    pub value_parsed: usize,
    pub part: c_int,
    pub flags: u8,
    pub contentlen_found: u8,
    pub valuelen_found: u8,
    pub failed: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct PsycParseListState {
    pub buffer: PsycString,
    pub cursor: usize,
    pub startc: usize,
    pub kind: PsycString,
    pub elemlen: usize,
    pub elem_parsed: usize,
    pub part: c_int,
    pub elemlen_found: u8,
    pub failed: u8,
}

/// The state of a parser of dicts, indexes or updates.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PsycParseItemState {
    pub buffer: PsycString,
    pub cursor: usize,
    pub startc: usize,
    pub elemlen: usize,
    pub elem_parsed: usize,
    pub part: c_int,
    pub elemlen_found: u8,
    pub failed: u8,
}

#[repr(C)]
pub struct PsycTextState {
    pub cursor: usize,
    pub written: usize,
    pub tmpl: PsycString,
    pub buffer: PsycString,
    pub open: PsycString,
    pub close: PsycString,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct PsycUniform {
    pub valid: u8,
    pub scheme_number: c_int,
    pub parts: [PsycString; 19],
}

/// Names of the parts of [`PsycUniform`] in their order.
pub const UNIFORM_PARTS: [&str; 19] = [
    "scheme",
    "user",
    "pass",
    "host",
    "port",
    "transport",
    "resource",
    "query",
    "channel",
    "full",
    "body",
    "user_host",
    "host_port",
    "root",
    "entity",
    "slashes",
    "slash",
    "path",
    "nick",
];

/// An entry of a table of names.
#[repr(C)]
pub struct PsycMapInt {
    pub key: PsycString,
    pub value: isize,
}

// SAFETY: the tables are never written to.
unsafe impl Sync for PsycMapInt {}

pub type TextCallback = extern "C" fn(*mut c_void, *const c_char, usize, *mut PsycString) -> c_int;

unsafe extern "C" {
    pub static psyc_rvars: [PsycMapInt; 10];
    pub static psyc_var_types: [PsycMapInt; 14];
    pub static psyc_methods: [PsycMapInt; 33];
    pub fn psyc_parse_state_init(state: *mut PsycParseState, flags: u8);
    pub fn psyc_parse_buffer_set(state: *mut PsycParseState, buffer: *const u8, length: usize);
    pub fn psyc_parse(state: *mut PsycParseState, oper: *mut u8, name: *mut PsycString, value: *mut PsycString) -> c_int;
    pub fn psyc_parse_list_state_init(state: *mut PsycParseListState);
    pub fn psyc_parse_list_buffer_set(state: *mut PsycParseListState, buffer: *const u8, length: usize);
    pub fn psyc_parse_list(state: *mut PsycParseListState, kind: *mut PsycString, elem: *mut PsycString) -> c_int;
    pub fn psyc_parse_dict_state_init(state: *mut PsycParseItemState);
    pub fn psyc_parse_dict_buffer_set(state: *mut PsycParseItemState, buffer: *const u8, length: usize);
    pub fn psyc_parse_dict(state: *mut PsycParseItemState, kind: *mut PsycString, elem: *mut PsycString) -> c_int;
    pub fn psyc_parse_index_state_init(state: *mut PsycParseItemState);
    pub fn psyc_parse_index_buffer_set(state: *mut PsycParseItemState, buffer: *const u8, length: usize);
    pub fn psyc_parse_index(state: *mut PsycParseItemState, idx: *mut PsycString) -> c_int;
    pub fn psyc_parse_update_state_init(state: *mut PsycParseItemState);
    pub fn psyc_parse_update_buffer_set(state: *mut PsycParseItemState, buffer: *const u8, length: usize);
    pub fn psyc_parse_update(state: *mut PsycParseItemState, oper: *mut u8, value: *mut PsycString) -> c_int;
    pub fn psyc_parse_int(value: *const u8, len: usize, n: *mut i64) -> usize;
    pub fn psyc_parse_uint(value: *const u8, len: usize, n: *mut u64) -> usize;
    pub fn psyc_parse_list_index(value: *const u8, len: usize, n: *mut i64) -> usize;
    pub fn psyc_parse_keyword(data: *const u8, len: usize) -> usize;
    pub fn psyc_is_oper(c: c_char) -> c_int;
    pub fn psyc_is_numeric(c: c_char) -> c_char;
    pub fn psyc_is_alpha(c: c_char) -> c_char;
    pub fn psyc_is_alpha_numeric(c: c_char) -> c_char;
    pub fn psyc_is_kw_char(c: c_char) -> c_char;
    pub fn psyc_is_name_char(c: c_char) -> c_char;
    pub fn psyc_is_host_char(c: c_char) -> c_char;
    pub fn psyc_inherits(sho: *const u8, slen: usize, lon: *const u8, llen: usize) -> c_int;
    pub fn psyc_matches(sho: *const u8, slen: usize, lon: *const u8, llen: usize) -> c_int;
    pub fn psyc_var_routing(name: *const u8, len: usize) -> c_int;
    pub fn psyc_var_type(name: *const u8, len: usize) -> c_int;
    pub fn psyc_var_is_list(name: *const u8, len: usize) -> c_int;
    pub fn psyc_method(method: *const u8, len: usize, family: *mut c_int, flag: *mut c_uint) -> c_int;
    pub fn psyc_modifier_init(
        m: *mut PsycModifier,
        oper: c_int,
        name: *const u8,
        namelen: usize,
        value: *const u8,
        valuelen: usize,
        flag: c_int,
    );
    pub fn psyc_packet_init(
        p: *mut PsycPacket,
        routing: *mut PsycModifier,
        routinglines: usize,
        entity: *mut PsycModifier,
        entitylines: usize,
        method: *const u8,
        methodlen: usize,
        data: *const u8,
        datalen: usize,
        stateop: c_char,
        flag: c_int,
    );
    pub fn psyc_packet_init_raw(
        p: *mut PsycPacket,
        routing: *mut PsycModifier,
        routinglines: usize,
        content: *const u8,
        contentlen: usize,
        flag: c_int,
    );
    pub fn psyc_render(p: *mut PsycPacket, buffer: *mut u8, buflen: usize) -> c_int;
    pub fn psyc_list_init(list: *mut Elems<PsycElem>, elems: *mut PsycElem, num_elems: usize);
    pub fn psyc_list_length_set(list: *mut Elems<PsycElem>) -> usize;
    pub fn psyc_render_list(list: *mut Elems<PsycElem>, buffer: *mut u8, buflen: usize) -> c_int;
    pub fn psyc_dict_init(dict: *mut Elems<PsycDictElem>, elems: *mut PsycDictElem, num_elems: usize);
    pub fn psyc_dict_length_set(dict: *mut Elems<PsycDictElem>) -> usize;
    pub fn psyc_render_dict(dict: *mut Elems<PsycDictElem>, buffer: *mut u8, buflen: usize) -> c_int;
    pub fn psyc_packet_id(
        list: *mut Elems<PsycElem>,
        elems: *mut PsycElem,
        context: *const u8,
        contextlen: usize,
        source: *const u8,
        sourcelen: usize,
        target: *const u8,
        targetlen: usize,
        counter: *const u8,
        counterlen: usize,
        fragment: *const u8,
        fragmentlen: usize,
    );
    pub fn psyc_text_state_init_custom(
        state: *mut PsycTextState,
        tmpl: *const u8,
        tmplen: usize,
        buffer: *mut u8,
        buflen: usize,
        open: *const u8,
        openlen: usize,
        close: *const u8,
        closelen: usize,
    );
    pub fn psyc_text_buffer_set(state: *mut PsycTextState, buffer: *mut u8, length: usize);
    pub fn psyc_text(state: *mut PsycTextState, get_value: TextCallback, cls: *mut c_void) -> c_int;
    pub fn psyc_uniform_parse(uni: *mut PsycUniform, str: *const u8, length: usize) -> c_int;
    pub fn psyc_entity_type(c: c_char) -> c_int;
}

/// Flags of the packet parser.
pub const ROUTING_ONLY: u8 = 1;
pub const START_AT_CONTENT: u8 = 2;

/// The result of a call: its number, and the values that it set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Delivered<'b> {
    pub code: c_int,
    pub oper: Option<u8>,
    /// The name, or the type.
    pub name: Option<&'b [u8]>,
    pub value: Option<&'b [u8]>,
    /// A number in the place of a value.
    pub number: Option<usize>,
}

/// Which parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Packet(u8),
    List,
    Dict,
    Index,
    Update,
}

/// A parser of the library.
pub enum Parser {
    Packet(PsycParseState),
    List(PsycParseListState),
    Dict(PsycParseItemState),
    Index(PsycParseItemState),
    Update(PsycParseItemState),
}

/// A value that no call sets.
static UNSET: [u8; 1] = [0];

impl Parser {
    pub fn new(kind: Kind) -> Parser {
        /// Room for a state, with bytes that are no state.
        fn room<T>() -> std::mem::MaybeUninit<T> {
            let mut room = std::mem::MaybeUninit::<T>::uninit();
            unsafe { room.as_mut_ptr().write_bytes(0xa5, 1) };
            room
        }
        unsafe {
            match kind {
                Kind::Packet(flags) => {
                    let mut state = room();
                    psyc_parse_state_init(state.as_mut_ptr(), flags);
                    Parser::Packet(state.assume_init())
                }
                Kind::List => {
                    let mut state = room();
                    psyc_parse_list_state_init(state.as_mut_ptr());
                    Parser::List(state.assume_init())
                }
                Kind::Dict => {
                    let mut state = room();
                    psyc_parse_dict_state_init(state.as_mut_ptr());
                    Parser::Dict(state.assume_init())
                }
                Kind::Index => {
                    let mut state = room();
                    psyc_parse_index_state_init(state.as_mut_ptr());
                    Parser::Index(state.assume_init())
                }
                Kind::Update => {
                    let mut state = room();
                    psyc_parse_update_state_init(state.as_mut_ptr());
                    Parser::Update(state.assume_init())
                }
            }
        }
    }

    /// Sets the buffer for the next call, at a cursor that an earlier call left in bytes that start
    /// the same.
    fn set(&mut self, buf: &[u8]) {
        let cursor = self.cursor();
        let (data, len) = (buf.as_ptr(), buf.len());
        unsafe {
            match self {
                Parser::Packet(state) => psyc_parse_buffer_set(state, data, len),
                Parser::List(state) => psyc_parse_list_buffer_set(state, data, len),
                Parser::Dict(state) => psyc_parse_dict_buffer_set(state, data, len),
                Parser::Index(state) => psyc_parse_index_buffer_set(state, data, len),
                Parser::Update(state) => psyc_parse_update_buffer_set(state, data, len),
            }
        }
        *self.cursor_mut() = cursor;
    }

    fn cursor_mut(&mut self) -> &mut usize {
        match self {
            Parser::Packet(state) => &mut state.cursor,
            Parser::List(state) => &mut state.cursor,
            Parser::Dict(state) | Parser::Index(state) | Parser::Update(state) => &mut state.cursor,
        }
    }

    pub fn cursor(&self) -> usize {
        match self {
            Parser::Packet(state) => state.cursor,
            Parser::List(state) => state.cursor,
            Parser::Dict(state) | Parser::Index(state) | Parser::Update(state) => state.cursor,
        }
    }

    /// Says that the next buffer starts at the cursor of this one.
    pub fn drop_read(&mut self) {
        *self.cursor_mut() = 0;
    }

    /// Returns the next item of `buf`, whose views lie in it.
    pub fn next<'b>(&mut self, buf: &'b [u8]) -> Delivered<'b> {
        self.set(buf);
        let unset = PsycString { length: 77, data: UNSET.as_ptr().cast() };
        let (mut oper, mut name, mut value) = (0, unset, unset);
        let code = unsafe {
            match self {
                Parser::Packet(state) => psyc_parse(state, &mut oper, &mut name, &mut value),
                Parser::List(state) => psyc_parse_list(state, &mut name, &mut value),
                Parser::Dict(state) => psyc_parse_dict(state, &mut name, &mut value),
                Parser::Index(state) => psyc_parse_index(state, &mut value),
                Parser::Update(state) => psyc_parse_update(state, &mut oper, &mut value),
            }
        };
        let view = |string: PsycString| {
            if string.data == unset.data || string.data.is_null() {
                return None;
            }
            let start = (string.data as usize).wrapping_sub(buf.as_ptr() as usize);
            if string.length == 0 {
                return Some(&buf[..0]);
            }
            Some(&buf[start..start + string.length])
        };
        let number = (code > 0 && value.data.is_null()).then_some(value.length);
        Delivered { code, oper: (oper != 0).then_some(oper), name: view(name), value: view(value), number }
    }
}
