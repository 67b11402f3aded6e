//! No text makes the parser or the resolver of Thrift's IDL panic or hang, and the layout keeps what a text means.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| polywire_fuzz::thrift_texts::language(bytes));
