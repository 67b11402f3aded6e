//! Hands the crate the optimisation level of its code, which reports of the timed loops have.

fn main() {
    println!("cargo::rustc-env=OPT_LEVEL={}", std::env::var("OPT_LEVEL").unwrap_or_default());
    println!("cargo::rerun-if-changed=build.rs");
}
