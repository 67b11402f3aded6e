//! No text makes the protocol language's parser or checks panic or hang, and formatting keeps what a text means.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| polywire_extprot::testing::language(data));
