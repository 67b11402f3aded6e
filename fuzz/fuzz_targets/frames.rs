//! The messages of a stream are the same however it is cut. The first byte chooses the format, the second the cut.
#![no_main]

use libfuzzer_sys::fuzz_target;
use polywire_formats::registry::FORMATS;

fuzz_target!(|data: &[u8]| {
    if let [choice, cut, bytes @ ..] = data {
        polywire_testing::fuzz_frames(FORMATS[usize::from(*choice) % FORMATS.len()], bytes, usize::from(*cut));
    }
});
