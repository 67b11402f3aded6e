//! Reads and compares texts of the IDL, for `tools/judge-thrift`.
//!
//! - `texts check OLD NEW…` prints a line for each new version: the worst effect of its changes,
//!   and the paths of those that have it.
//! - `texts read FOLDER FILE…` prints a line for each file: `read`, or the first mistake. Included
//!   texts are sought in the folder too.

use std::error::Error;
use std::io::Write;
use std::path::Path;

use polywire_core::schema::language::{Effect, SchemaLanguage, SchemaText, Version};
use polywire_core::text::sources::{Files, identity};
use polywire_thrift::idl::Idl;

fn check(old: &str, new: &str) -> Result<String, Box<dyn Error>> {
    let (old_bytes, new_bytes) = (std::fs::read(old)?, std::fs::read(new)?);
    let (old_identity, new_identity) = (identity(Path::new(old)), identity(Path::new(new)));
    let (mut old_files, mut new_files) = (Files::new(), Files::new());
    let old = Version { text: SchemaText { name: old, bytes: &old_bytes, identity: &old_identity }, files: &mut old_files };
    let new = Version { text: SchemaText { name: new, bytes: &new_bytes, identity: &new_identity }, files: &mut new_files };
    let found = Idl.compatibility().ok_or("no rules")?.compare(old, new, None)?;
    let worst = found.findings.iter().map(|finding| finding.effect()).max().unwrap_or(Effect::Fine);
    let paths = found.findings.iter().filter(|finding| finding.effect() == worst).map(|finding| &*finding.path);
    Ok(format!("{} {}", worst.name(), paths.collect::<Vec<_>>().join(" ")))
}

fn read(folder: &str, path: &str) -> Result<String, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    let text = SchemaText { name: path, bytes: &bytes, identity: &identity(Path::new(path)) };
    let reader = Idl.reader().ok_or("no reader")?;
    Ok(match reader.read(&text, &mut Files::new().including(vec![folder.to_string()])) {
        Ok(_) => "read".into(),
        Err(found) => found.findings.first().map_or_else(String::new, |first| format!("{}: {}", first.code, first.message)),
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let lines: Result<Vec<String>, _> = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["check", old, ref new @ ..] => new.iter().map(|new| check(old, new)).collect(),
        ["read", folder, ref files @ ..] => files.iter().map(|file| read(folder, file)).collect(),
        _ => Err("texts check OLD NEW… | texts read FOLDER FILE…".into()),
    };
    let mut out = std::io::stdout().lock();
    lines?.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    Ok(())
}
