//! Inputs that a target starts from.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::common::Result;
use crate::targets::{Group, Target, Targets};

/// Longest input in bytes: of a seed, and of those that the fuzzer makes.
pub const LONGEST: usize = 8192;

/// Writes the seeds of a target into an empty folder, and returns their number. Patterns of suites
/// find nothing without a folder of suites.
pub fn write(target: &Target, targets: &Targets, root: &Path, suites: Option<&Path>, folder: &Path) -> Result<usize> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(failed)?;
    }
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut written = 0;
    for group in target.seeds.iter().filter_map(|name| targets.seeds.get(name)) {
        for input in inputs(group, root, suites)? {
            let variants: Vec<Vec<u8>> = match &target.first[..] {
                [] => vec![input],
                first => first.iter().map(|byte| [&[*byte], &input[..]].concat()).collect(),
            };
            for input in variants.iter().filter(|input| !input.is_empty() && input.len() <= LONGEST) {
                let mut hasher = DefaultHasher::new();
                input.hash(&mut hasher);
                std::fs::write(folder.join(format!("{:016x}", hasher.finish())), input).map_err(failed)?;
                written += 1;
            }
        }
    }
    Ok(written)
}

fn inputs(group: &Group, root: &Path, suites: Option<&Path>) -> Result<Vec<Vec<u8>>> {
    let mut inputs = found(&group.files, root, suites)?;
    for text in found(&group.hex, root, suites)? {
        if let Ok(value) = serde_json::from_slice(&text) {
            hexadecimal(&value, &mut inputs);
        }
    }
    for text in found(&group.pem, root, suites)? {
        inputs.extend(blocks(&String::from_utf8_lossy(&text)));
    }
    Ok(inputs)
}

/// Returns the contents of the files that patterns find.
fn found(patterns: &[String], root: &Path, suites: Option<&Path>) -> Result<Vec<Vec<u8>>> {
    let mut contents = Vec::new();
    for pattern in patterns {
        let full: PathBuf = match (pattern.strip_prefix("$SUITES/"), suites) {
            (Some(rest), Some(suites)) => suites.join(rest),
            (Some(_), None) => continue,
            (None, _) => root.join(pattern),
        };
        let full = full.to_str().ok_or_else(|| format!("{}: not UTF-8", full.display()))?;
        let paths = glob::glob(full).map_err(|error| format!("{pattern}: {error}"))?;
        contents.extend(paths.flatten().filter(|path| path.is_file()).filter_map(|path| std::fs::read(path).ok()));
    }
    Ok(contents)
}

/// Collects the strings of JSON that are bytes in hexadecimal, with or without dashes between them.
fn hexadecimal(value: &Value, out: &mut Vec<Vec<u8>>) {
    match value {
        Value::String(text) => {
            let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b'-').collect();
            let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
            if digits.iter().all(u8::is_ascii_hexdigit) && digits.len().is_multiple_of(2) {
                out.extend(digits.chunks(2).map(byte).collect::<Option<Vec<u8>>>());
            }
        }
        Value::Array(values) => values.iter().for_each(|value| hexadecimal(value, out)),
        Value::Object(fields) => fields.values().for_each(|value| hexadecimal(value, out)),
        _ => {}
    }
}

/// Returns the contents of the blocks of PEM.
fn blocks(text: &str) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut inside: Option<String> = None;
    for line in text.lines().map(str::trim) {
        if line.starts_with("-----BEGIN ") {
            inside = Some(String::new());
        } else if line.starts_with("-----END ") {
            found.extend(inside.take().and_then(|base64| STANDARD.decode(base64).ok()));
        } else if let Some(base64) = &mut inside {
            base64.push_str(line);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_found_in_hexadecimal_and_pem() {
        let mut found = Vec::new();
        hexadecimal(&serde_json::json!({"a": ["00-ff", "xyz", 7], "b": {"c": "c0DE"}, "d": "abc"}), &mut found);
        assert_eq!(found, [vec![0, 255], vec![0xc0, 0xde]]);
        assert_eq!(blocks("text\n-----BEGIN A-----\nAQ\nID\n-----END A-----\n-----BEGIN B-----\n!\n-----END B-----\n"), [vec![1, 2, 3]]);
    }

    #[test]
    fn a_choosing_byte_comes_before_each_seed() {
        let targets: Targets = toml::from_str(
            "[seeds.a]\nfiles = [\"fuzz/record.json\", \"$SUITES/x\"]\n[[target]]\nname = \"t\"\nkind = \"other\"\nholds = \"\"\nseeds = [\"a\"]\nfirst = [1, 2]\n",
        )
        .unwrap();
        let folder = std::env::temp_dir().join(format!("polywire-seeds-{}", std::process::id()));
        let root = folder.join("root");
        std::fs::create_dir_all(root.join("fuzz")).unwrap();
        std::fs::write(root.join("fuzz/record.json"), "[]").unwrap();
        let into = folder.join("seeds");
        assert_eq!(write(&targets.target[0], &targets, &root, None, &into), Ok(2));
        let mut seeds: Vec<Vec<u8>> = std::fs::read_dir(&into).unwrap().map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect();
        seeds.sort();
        assert_eq!(seeds, [b"\x01[]".to_vec(), b"\x02[]".to_vec()]);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
