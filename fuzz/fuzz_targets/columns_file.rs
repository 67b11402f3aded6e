//! Any bytes as a file of columns: Arrow's IPC, or Parquet.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(
    init: {
        // A panic of Arrow's and Parquet's readers is caught, and is damage. One of ours ends the process all the same, without
        // a message: `polywire inspect FILE` shows it.
        std::panic::set_hook(Box::new(|_| {}));
    },
    |bytes: &[u8]| polywire_fuzz::hostile_bytes::file(bytes)
);
