//! Code generated from texts in Thrift's IDL. The tests of `polywire-thrift-runtime` run it.

use std::path::{Path, PathBuf};

use polywire_codegen::{Config, GenerateError};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/golden").join(name)
}

/// `UPDATE_GOLDEN=1` rewrites the file.
#[test]
fn the_generated_file_is_what_the_generator_makes() {
    let schema = golden("orders.thrift");
    let text = std::fs::read(&schema).unwrap();
    let made = Config::new().generate(&schema, &text).unwrap_or_else(|failure| panic!("{failure}")).text;
    let kept = golden("orders.rs");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&kept, &made).unwrap();
    }
    assert!(std::fs::read_to_string(&kept).unwrap() == made, "{} is out of date", kept.display());
}

fn generated(text: &str, config: Config) -> Result<(String, String), GenerateError> {
    let compiled = config.generate(Path::new("m.thrift"), text.as_bytes())?;
    Ok((compiled.text, compiled.warnings.to_string()))
}

#[test]
fn only_what_is_asked_for_is_generated() {
    let text = "struct A { 1: string s, 2: B b } struct B { 1: i32 n }";
    let (owned, _) = generated(text, Config::new().borrowed(false)).unwrap();
    assert!(owned.contains("pub struct A {") && !owned.contains("ARef"), "{owned}");
    let (borrowed, _) = generated(text, Config::new().owned(false)).unwrap();
    assert!(borrowed.contains("pub struct ARef<'a> {") && !borrowed.contains("pub struct A {"), "{borrowed}");
    let (serde, _) = generated(text, Config::new().serde(true)).unwrap();
    assert!(serde.contains("serde::Serialize"), "{serde}");
}

#[test]
fn what_no_code_is_made_of_is_named() {
    let refused = generated("struct A { 1: required B b } struct B { 1: required A a }", Config::new()).unwrap_err().to_string();
    assert!(refused.contains("`A` requires itself"), "{refused}");
    let refused = generated("struct A { 1: Unknown b }", Config::new()).unwrap_err().to_string();
    assert!(refused.contains("`Unknown` is not a type"), "{refused}");
    let (_, warnings) = generated("struct A { 1: list<i32> n = [1, 2] }", Config::new()).unwrap();
    assert!(warnings.contains("the default of `A.n` is left out"), "{warnings}");
    let (code, warnings) =
        generated("struct A { 1: i32 n } const A ONE = {\"n\": 1} const i32 TWO = 2 const list<uuid> THREE = [\"x\"]", Config::new())
            .unwrap();
    assert!(warnings.contains("the constant `ONE` is left out") && warnings.contains("the constant `THREE` is left out"), "{warnings}");
    assert!(code.contains("pub const TWO: i32 = 2;") && !code.contains("ONE") && !code.contains("THREE"), "{code}");
}
