//! Bytes that a service may send, as a reply on a socket, as a coded body, as a head; and bodies of several parts that a caller may send.
#![no_main]

#[path = "../../crates/gateway/tests/fuzz/bodies.rs"]
mod bodies;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| match data.split_first() {
    Some((0..=1, rest)) => bodies::reply(rest),
    Some((2..=100, rest)) => bodies::codings(rest),
    Some((101..=180, rest)) => bodies::parts(rest),
    Some((_, rest)) => bodies::head(rest),
    None => {}
});
