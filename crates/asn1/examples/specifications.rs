//! Compiles whole specifications, for `tools/judge-asn1`.
//!
//! Each argument is a folder whose folders hold one specification each: the files that its
//! `load_mod.txt` lists, or all files of ASN.1. With `--modules`, each file of a folder and of the
//! folders in it is a specification, and the folder is where its imports are looked up. With
//! `--layout`, each file is formatted twice as well, and read as a common schema.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use polywire_asn1::Modules;
use polywire_asn1::language::Asn1;
use polywire_asn1::load::load;
use polywire_core::Limits;
use polywire_core::schema::language::{SchemaLanguage, SchemaReader, SchemaText};
use polywire_core::text::diagnostic::{Diagnostics, Severity};
use polywire_core::text::sources::{Files, Loader, NoFiles, identity};

/// Most time of one specification, in a release build.
const TIME: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut flag = |name: &str| {
        let before = arguments.len();
        arguments.retain(|argument| argument != name);
        arguments.len() < before
    };
    let (single, cautions, layout) = (flag("--modules"), flag("--cautions"), flag("--layout"));
    let mut count = [0usize; 2];
    let mut slowest = (Duration::ZERO, String::new());
    for folder in &arguments {
        let specifications = if single { modules(folder) } else { entries(Path::new(folder)) };
        for specification in specifications {
            let files = match (single, specification.is_dir()) {
                (true, _) => vec![specification.clone()],
                (false, true) => files(&specification),
                _ => continue,
            };
            if files.is_empty() {
                continue;
            }
            let start = Instant::now();
            let result = if single { compile_alone(&specification, folder) } else { compile(&files) };
            let time = start.elapsed();
            if layout && result.is_ok() {
                files.iter().for_each(|path| laid_out(path));
            }
            let name = specification.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let right = result.is_ok() && time <= TIME;
            count[usize::from(right)] += 1;
            match result {
                Ok((types, found)) => {
                    println!("{name}: {types} types, {} cautions, {} ms", found.findings.len(), time.as_millis());
                    if cautions {
                        print(&found, Severity::Warning);
                    }
                }
                Err(found) => {
                    println!("{name}: refused, {} ms", time.as_millis());
                    print(&found, Severity::Error);
                }
            }
            if time > slowest.0 {
                slowest = (time, name);
            }
        }
    }
    println!("{} of {} compile; the slowest, {}, takes {} ms", count[1], count[0] + count[1], slowest.1, slowest.0.as_millis());
    if let Ok(status) = std::fs::read_to_string("/proc/self/status")
        && let Some(peak) = status.lines().find(|line| line.starts_with("VmHWM"))
    {
        println!("most memory: {}", peak.trim_start_matches("VmHWM:").trim());
    }
    if count[0] == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn text<'t>(name: &'t str, bytes: &'t [u8]) -> SchemaText<'t> {
    SchemaText { name, bytes, identity: "" }
}

/// Prints what is wrong with the layout of a file, or with the schema that it makes.
fn laid_out(path: &Path) {
    let (name, bytes) = (path.to_string_lossy(), std::fs::read(path).unwrap_or_default());
    match Asn1.format(&text(&name, &bytes)) {
        Err(found) => println!("  no layout: {found}"),
        Ok(once) => match Asn1.format(&text(&name, once.as_bytes())) {
            Err(found) => println!("  no second layout: {found}"),
            Ok(twice) if twice != once => {
                let line = once.lines().zip(twice.lines()).position(|(one, two)| one != two);
                println!("  {name}: the layout changes with the second time, at line {:?}", line.map(|line| line + 1));
            }
            Ok(_) => {}
        },
    }
    match Asn1.read(&text(&name, &bytes), &mut Files::new()).map(|read| Asn1.write(&read.schema)) {
        Err(found) => println!("  no schema: {found}"),
        Ok(Err(error)) => println!("  {name}: the schema is not written: {error}"),
        Ok(Ok((written, _))) => {
            if let Err(found) = Asn1.read(&text("written", written.as_bytes()), &mut NoFiles) {
                println!("  {name}: the written schema is wrong: {found}");
            }
        }
    }
}

/// Prints the findings of a severity, one a line.
fn print(found: &Diagnostics, severity: Severity) {
    for finding in found.findings.iter().filter(|finding| finding.severity == severity) {
        println!("  {}: {} [{}]", found.position(finding.at), finding.message, finding.code);
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    found.sort();
    found
}

/// Returns the files of a specification.
fn files(folder: &Path) -> Vec<PathBuf> {
    let order = std::fs::read_to_string(folder.join("load_mod.txt")).unwrap_or_default();
    let listed: Vec<PathBuf> =
        order.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| folder.join(line)).collect();
    if !listed.is_empty() {
        return listed;
    }
    entries(folder).into_iter().filter(|path| is_asn1(path)).collect()
}

fn is_asn1(path: &Path) -> bool {
    path.extension().is_some_and(|extension| ["asn", "asn1"].iter().any(|known| extension.eq_ignore_ascii_case(known)))
}

/// Compiles files as one specification. Returns the number of types, and the cautions.
fn compile(files: &[PathBuf]) -> Result<(usize, Diagnostics), Diagnostics> {
    let mut modules = Modules::new();
    for path in files {
        modules.add(path.to_string_lossy(), &std::fs::read(path).unwrap_or_default());
    }
    resolved(modules)
}

/// Compiles a file with what it imports from its own folder and from a library.
fn compile_alone(path: &Path, library: &str) -> Result<(usize, Diagnostics), Diagnostics> {
    let (name, bytes) = (path.to_string_lossy(), std::fs::read(path).unwrap_or_default());
    let identity = identity(path);
    let text = SchemaText { name: &name, bytes: &bytes, identity: &identity };
    resolved(load(&text, &mut Files::new().including(vec![library.to_string()])))
}

fn resolved(modules: Modules) -> Result<(usize, Diagnostics), Diagnostics> {
    let model = modules.resolve(&Limits::DEFAULT)?;
    Ok((model.types.len(), Diagnostics { sources: model.sources, findings: model.cautions }))
}

/// Returns the files of modules in a folder and the folders in it.
fn modules(folder: &str) -> Vec<PathBuf> {
    Files::new().list(folder, true).into_iter().map(PathBuf::from).filter(|path| is_asn1(path)).collect()
}
