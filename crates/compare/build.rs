//! Tells the crate what it was built with, so that every report can say it.
use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().ok().and_then(|output| String::from_utf8(output.stdout).ok());
    println!("cargo::rustc-env=BUILT_BY={}", version.as_deref().map_or("an unknown compiler", str::trim));
    for (name, source) in [("BUILT_FOR", "TARGET"), ("BUILT_WITH_OPT_LEVEL", "OPT_LEVEL")] {
        println!("cargo::rustc-env={name}={}", std::env::var(source).unwrap_or_default());
    }
    println!("cargo::rerun-if-changed=build.rs");
}
