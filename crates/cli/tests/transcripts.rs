//! Golden transcripts: the very commands and what they print, run from the root of the repository.
//!
//! `TRYCMD=overwrite cargo test -p polywire --test transcripts` writes them anew.

use std::path::Path;

#[test]
fn every_verb_prints_what_its_transcript_says() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::env::set_current_dir(here.join("../..")).expect("the root of the repository");
    trycmd::TestCases::new().case(here.join("tests/transcripts/*.trycmd"));
}
