//! `psyc/match.h`: keywords and tables of them (docs/spec/psyc.md 12.1 and 12.4).

use core::ffi::{c_int, c_void};

use polywire_psyc::keyword;

use crate::pointer::{Array, PsycString, Ptr};

/// An entry of a table whose values are pointers of the program.
#[repr(C)]
pub struct PsycMap {
    pub key: PsycString,
    pub value: *const c_void,
}

/// An entry of a table whose values are numbers.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PsycMapInt {
    pub key: PsycString,
    pub value: isize,
}

#[unsafe(no_mangle)]
extern "C" fn psyc_inherits(sho: Ptr, slen: usize, lon: Ptr, llen: usize) -> c_int {
    keyword::inherits(sho.bytes(slen), lon.bytes(llen)).number()
}

#[unsafe(no_mangle)]
extern "C" fn psyc_matches(sho: Ptr, slen: usize, lon: Ptr, llen: usize) -> c_int {
    keyword::matches(sho.bytes(slen), lon.bytes(llen)).number()
}

#[unsafe(no_mangle)]
extern "C" fn psyc_map_lookup(map: Array<PsycMap>, size: usize, key: Ptr, keylen: usize, inherit: c_int) -> *const c_void {
    let entries = map.values(size).iter().map(|entry| (entry.key.bytes(), entry.value));
    keyword::lookup(entries, key.bytes(keylen), inherit != 0).unwrap_or(core::ptr::null())
}

#[unsafe(no_mangle)]
extern "C" fn psyc_map_lookup_int(map: Array<PsycMapInt>, size: usize, key: Ptr, keylen: usize, inherit: c_int) -> isize {
    let entries = map.values(size).iter().map(|entry| (entry.key.bytes(), entry.value));
    keyword::lookup(entries, key.bytes(keylen), inherit != 0).unwrap_or(0)
}
