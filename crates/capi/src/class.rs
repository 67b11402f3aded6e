//! Classes of bytes, keywords and numbers of `psyc/parse.h` (docs/spec/psyc.md 1 and 16).

use core::ffi::{c_char, c_int};

use polywire_psyc::number::{self, Prefix};
use polywire_psyc::{uniform, wire};

use crate::pointer::{Out, Ptr};

#[unsafe(no_mangle)]
extern "C" fn psyc_is_oper(c: c_char) -> c_int {
    c_int::from(wire::is_operator(c as u8))
}

#[unsafe(no_mangle)]
extern "C" fn psyc_is_numeric(c: c_char) -> c_char {
    c_char::from((c as u8).is_ascii_digit())
}

#[unsafe(no_mangle)]
extern "C" fn psyc_is_alpha(c: c_char) -> c_char {
    c_char::from((c as u8).is_ascii_alphabetic())
}

#[unsafe(no_mangle)]
extern "C" fn psyc_is_alpha_numeric(c: c_char) -> c_char {
    c_char::from((c as u8).is_ascii_alphanumeric())
}

#[unsafe(no_mangle)]
extern "C" fn psyc_is_kw_char(c: c_char) -> c_char {
    c_char::from(wire::is_keyword_byte(c as u8))
}

#[unsafe(no_mangle)]
extern "C" fn psyc_is_name_char(c: c_char) -> c_char {
    c_char::from(uniform::is_name_byte(c as u8))
}

#[unsafe(no_mangle)]
extern "C" fn psyc_is_host_char(c: c_char) -> c_char {
    c_char::from(uniform::is_host_byte(c as u8))
}

#[unsafe(no_mangle)]
extern "C" fn psyc_parse_keyword(data: Ptr, len: usize) -> usize {
    wire::keyword_len(data.bytes(len))
}

/// Stores the number read, unless the input is null.
fn store_number<T>(value: Ptr, found: Prefix<T>, n: Out<T>) -> usize {
    if !value.is_null() {
        n.set(found.value);
    }
    found.read
}

#[unsafe(no_mangle)]
extern "C" fn psyc_parse_int(value: Ptr, len: usize, n: Out<i64>) -> usize {
    store_number(value, number::signed(value.bytes(len)), n)
}

#[unsafe(no_mangle)]
extern "C" fn psyc_parse_uint(value: Ptr, len: usize, n: Out<u64>) -> usize {
    store_number(value, number::unsigned(value.bytes(len)), n)
}

#[unsafe(no_mangle)]
extern "C" fn psyc_parse_list_index(value: Ptr, len: usize, n: Out<i64>) -> usize {
    let bytes = value.bytes(len);
    if bytes.first() != Some(&b'#') {
        return 0;
    }
    store_number(value, number::list_index(bytes), n)
}
