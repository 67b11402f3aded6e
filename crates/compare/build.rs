//! Hands the crate what it is built with, so that every report can say it.
use std::path::Path;
use std::process::Command;

fn main() {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().ok().and_then(|output| String::from_utf8(output.stdout).ok());
    println!("cargo::rustc-env=BUILT_BY={}", version.as_deref().map_or("an unknown compiler", str::trim));
    println!("cargo::rustc-env=BUILT_FOR={}", variable("TARGET"));
    println!("cargo::rustc-env=BUILT_WITH_PROFILE={}", profile(Path::new(&variable("OUT_DIR"))));
    println!("cargo::rerun-if-changed=build.rs");
}

/// The profile's name, which cargo gives to build scripts only as the folder above `build` in
/// `OUT_DIR`.
fn profile(out: &Path) -> &str {
    let above = out.ancestors().skip_while(|folder| !folder.ends_with("build")).nth(1);
    match above.and_then(|folder| folder.file_name()?.to_str()) {
        Some("debug") => "dev",
        Some(folder) => folder,
        None => "unknown",
    }
}
