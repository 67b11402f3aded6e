//! No text makes the query language's parser or planner panic or hang, and what parses is printed with the same meaning.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| polywire_ql::testing::fuzz_script(text));
