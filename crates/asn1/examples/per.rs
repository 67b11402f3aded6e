//! Reads and writes messages in PER, for `tools/judge-asn1`.
//!
//! The argument is a folder of a specification, or a file. Each line of the input is a variant
//! (`aper`, `uper`, `oer`, `coer`), a module, a type and a message in hex. The answer is one line:
//! `ok`, the message as it is written again, as a relay writes it, and its value as JSON; or
//! `error` and the reason. With a second argument N, each message is read N times:
//! the answer is `ok`, the mean nanoseconds of a walk whose sink counts, and those of a tree.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::collections::HashMap;
use std::hint::black_box;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use polywire_asn1::Modules;
use polywire_asn1::per::{Per, Variant};
use polywire_asn1::walk::Plan;
use polywire_core::tools::Count;
use polywire_core::{Budget, Limits, Reader, Tree, Writer};

#[path = "../tests/show/mod.rs"]
mod show;

use show::{bytes, hex, show};

fn main() -> ExitCode {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_default());
    let mut modules = Modules::new();
    for path in files(&folder) {
        modules.add(path.to_string_lossy(), &std::fs::read(&path).unwrap_or_default());
    }
    let model = match modules.resolve(&Limits::DEFAULT) {
        Ok(model) => Arc::new(model),
        Err(found) => {
            println!("{found}");
            return ExitCode::FAILURE;
        }
    };
    let times = std::env::args().nth(2).and_then(|times| times.parse().ok());
    let mut known: HashMap<String, Result<Per, String>> = HashMap::new();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [variant, module, name, hex] = words[..] else { continue };
        let per = known.entry(format!("{variant} {module} {name}")).or_insert_with(|| {
            let variant = match variant {
                "aper" => Variant::Aligned,
                "oer" => Variant::Octets,
                "coer" => Variant::CanonicalOctets,
                _ => Variant::Unaligned,
            };
            let ty = model.named(module, name).ok_or("no such type")?;
            let plan = Plan::new(Arc::clone(&model), ty).map_err(|error| error.to_string())?;
            Ok(Per::new(Arc::new(plan), variant))
        });
        let answer = match per {
            Ok(per) => match times {
                Some(times) => time(per, &bytes(hex), times),
                None => answer(per, &bytes(hex)),
            },
            Err(text) => Err(text.clone()),
        };
        match answer {
            Ok(text) => println!("ok {text}"),
            Err(text) => println!("error {text}"),
        }
    }
    ExitCode::SUCCESS
}

fn files(folder: &Path) -> Vec<PathBuf> {
    if folder.is_file() {
        return vec![folder.to_path_buf()];
    }
    let order = std::fs::read_to_string(folder.join("load_mod.txt")).unwrap_or_default();
    let listed: Vec<PathBuf> =
        order.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| folder.join(line)).collect();
    if !listed.is_empty() {
        return listed;
    }
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("asn") || extension == "asn1"));
    found.sort();
    found
}

fn answer(per: &Per, message: &[u8]) -> Result<String, String> {
    let mut reader = per.reader(false);
    let mut written = Vec::new();
    let text = |error: polywire_core::Error| error.to_string();
    for mut writer in [per.writer(), per.relay()] {
        reader.walk(message, 0, &mut writer, &mut Budget::new(&Limits::DEFAULT)).map_err(text)?;
        let mut out = Vec::new();
        writer.finish(&mut out).map_err(|error| format!("writing: {error}"))?;
        written.push(hex(&out));
    }
    let mut tree = Tree::new();
    reader.walk(message, 0, &mut tree, &mut Budget::new(&Limits::DEFAULT)).map_err(text)?;
    let mut json = String::new();
    tree.root().into_iter().for_each(|root| show(root, &mut json));
    Ok(format!("{} {} {json}", written[0], written[1]))
}

/// Returns the nanoseconds of a walk into a counter, and of one into a tree that is used again.
fn time(per: &Per, message: &[u8], times: u32) -> Result<String, String> {
    let mut reader = per.reader(false);
    let mut budget = Budget::new(&Limits::DEFAULT);
    let mut tree = Tree::new();
    let start = Instant::now();
    for _ in 0..times {
        budget.reset();
        let mut count = Count::default();
        reader.walk(black_box(message), 0, &mut count, &mut budget).map_err(|error| error.to_string())?;
        black_box(count);
    }
    let walked = start.elapsed();
    let start = Instant::now();
    for _ in 0..times {
        budget.reset();
        tree = tree.recycle();
        reader.walk(black_box(message), 0, &mut tree, &mut budget).map_err(|error| error.to_string())?;
        black_box(&tree);
    }
    let mean = |time: Duration| time.as_nanos() / u128::from(times.max(1));
    Ok(format!("{} {}", mean(walked), mean(start.elapsed())))
}
