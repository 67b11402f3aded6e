//! Compiles whole specifications: each argument is a folder of modules, or a folder of such folders.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]
use std::path::{Path, PathBuf};
use polywire_asn1::{lex::Words, parse};

fn files(folder: &Path) -> Vec<PathBuf> {
    if let Ok(order) = std::fs::read_to_string(folder.join("load_mod.txt")) {
        let found: Vec<PathBuf> = order.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')).map(|l| folder.join(l)).collect();
        if !found.is_empty() { return found; }
    }
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "asn" || e == "asn1")).collect();
    found.sort();
    found
}

fn main() {
    let (mut good, mut all) = (0, 0);
    for argument in std::env::args().skip(1) {
        for entry in std::fs::read_dir(&argument).unwrap().flatten() {
            let folder = entry.path();
            if !folder.is_dir() { continue; }
            all += 1;
            let mut errors = 0;
            let mut modules = 0;
            let start = std::time::Instant::now();
            for path in files(&folder) {
                let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                let text = String::from_utf8(bytes).unwrap_or_else(|e| e.into_bytes().iter().map(|b| char::from(*b)).collect());
                let (words, mut found) = Words::new(0, text.clone());
                modules += parse::modules(&words, &mut found).len();
                let source = polywire_core::text::diagnostic::Source::new(path.display().to_string(), text);
                let findings = polywire_core::text::diagnostic::Diagnostics { sources: vec![source], findings: found };
                for finding in &findings.findings {
                    let error = finding.severity == polywire_core::text::diagnostic::Severity::Error;
                    errors += usize::from(error);
                    println!("{}{}: {} ({})", if error { "E " } else { "c " }, findings.position(finding.at), finding.message, finding.code);
                }
            }
            good += usize::from(errors == 0);
            println!("== {} {modules} modules, {errors} errors, {:?}", folder.display(), start.elapsed());
        }
    }
    println!("{good} of {all}");
}
