//! Bytes that a service may send: as a reply on a socket, as a coded body, as a head.
#![no_main]

#[path = "../../crates/gateway/tests/fuzz/bodies.rs"]
mod bodies;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| match data.split_first() {
    Some((0..=1, rest)) => bodies::reply(rest),
    Some((2..=127, rest)) => bodies::codings(rest),
    Some((_, rest)) => bodies::head(rest),
    None => {}
});
