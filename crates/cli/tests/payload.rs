//! Messages inside of messages, as a person meets them on the command line.
//!
//! `TRYCMD=overwrite cargo test -p polywire-cli --test payload` writes the transcripts anew.

#[test]
fn transcripts() {
    trycmd::TestCases::new().case("tests/payload/*.toml").run();
}
