//! Hands the crate the optimisation level of its code, so that figures of the codecs can say it.

fn main() {
    println!("cargo::rustc-env=OPT_LEVEL={}", std::env::var("OPT_LEVEL").unwrap_or_default());
    println!("cargo::rerun-if-changed=build.rs");
}
