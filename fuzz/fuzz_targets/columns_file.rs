//! Any bytes as a file of columns: Arrow's IPC, or Parquet.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| polywire_fuzz::hostile_bytes::file(bytes));
