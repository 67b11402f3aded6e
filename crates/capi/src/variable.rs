//! `psyc/variable.h` and `psyc/method.h`: types, routing variables and methods by name
//! (docs/spec/psyc.md 12.2, 12.3 and 12.5).

use core::ffi::{c_int, c_uint};

use polywire_psyc::method::Method;
use polywire_psyc::variable::{self, Routing, Type};

use crate::pointer::{Out, Ptr};

#[unsafe(no_mangle)]
extern "C" fn psyc_var_routing(name: Ptr, len: usize) -> c_int {
    Routing::from_name(name.bytes(len)).map_or(0, |variable| c_int::from(variable.number()))
}

#[unsafe(no_mangle)]
extern "C" fn psyc_var_type(name: Ptr, len: usize) -> c_int {
    Type::of(name.bytes(len)).map_or(0, |kind| c_int::from(kind.number()))
}

#[unsafe(no_mangle)]
extern "C" fn psyc_var_is_list(name: Ptr, len: usize) -> c_int {
    c_int::from(variable::is_list(name.bytes(len)))
}

#[unsafe(no_mangle)]
extern "C" fn psyc_method(method: Ptr, methodlen: usize, family: Out<c_int>, flag: Out<c_uint>) -> c_int {
    let known = Method::of(method.bytes(methodlen));
    family.set(known.map_or(0, |method| c_int::from(method.family().number())));
    flag.set(known.map_or(0, |method| c_uint::from(method.flags().bits())));
    known.map_or(0, |method| c_int::from(method.number()))
}
