//! Golden transcripts: the very commands and what they print, run from the root of the repository.
//!
//! `TRYCMD=overwrite cargo test -p polywire-cli --test transcripts` writes them anew.

#[cfg(all(feature = "gateway", feature = "rivals"))]
use std::path::Path;
use std::process::Command;

/// The help lists what this build can do, which is everything.
#[cfg(all(feature = "gateway", feature = "rivals"))]
#[test]
fn every_verb_prints_what_its_transcript_says() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::env::set_current_dir(here.join("../..")).expect("the root of the repository");
    trycmd::TestCases::new().case(here.join("tests/transcripts/*.trycmd"));
}

#[test]
fn man_pages_cover_every_verb() {
    let program = env!("CARGO_BIN_EXE_polywire");
    let folder = std::env::temp_dir().join(format!("polywire-man-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    assert!(Command::new(program).arg("man").arg(&folder).status().expect("polywire runs").success());
    for verb in [
        "compare",
        "convert",
        "inspect",
        "diff",
        "schema-infer",
        "schema-check",
        "schema-format",
        "schema-convert",
        "schema-compile",
        "formats",
        #[cfg(feature = "gateway")]
        "table-new",
        #[cfg(feature = "gateway")]
        "import-openapi",
        #[cfg(not(feature = "gateway"))]
        "table",
    ] {
        let page = std::fs::read_to_string(folder.join(format!("polywire-{verb}.1"))).expect("a page");
        assert!(page.contains(".SH OPTIONS") && (page.contains(".SH EXAMPLES") || verb == "table"), "{verb}");
    }
    std::fs::remove_dir_all(folder).expect("the folder goes");
}
