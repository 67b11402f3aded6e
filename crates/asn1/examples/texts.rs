//! Reads and writes messages in JER and XER, for `tools/judge-asn1`.
//!
//! The argument is a folder of a specification, or a file. Each line of the input has an encoding
//! (`jer`, `xer`), a module, a type and a message in hex. The answer is one line: `ok`, the message
//! as it is written again, as a relay writes it, both in hex, and its value as JSON; or `error` and
//! the reason.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use polywire_asn1::Modules;
use polywire_asn1::jer::{Checks, Jer};
use polywire_asn1::model::Model;
use polywire_asn1::walk::Plan;
use polywire_asn1::xer::Xer;
use polywire_core::{Budget, Limits, Reader, Tree, Writer};

#[path = "../tests/show/mod.rs"]
mod show;

use show::{bytes, hex, show};

/// Reader, writer and relay of a type.
struct Made {
    reader: Box<dyn Reader>,
    writers: [Box<dyn Writer>; 2],
}

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
    // Messages of one type follow each other; the tables of all types would fill the memory.
    let mut last: (String, Result<Made, String>) = (String::new(), Err(String::new()));
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [encoding, module, name, hex] = words[..] else { continue };
        let wanted = format!("{encoding} {module} {name}");
        if last.0 != wanted {
            last = (wanted, make(encoding, &model, module, name));
        }
        match last.1.as_mut().map_err(|text| text.clone()).and_then(|made| answer(made, &bytes(hex))) {
            Ok(text) => println!("ok {text}"),
            Err(text) => println!("error {text}"),
        }
    }
    ExitCode::SUCCESS
}

fn make(encoding: &str, model: &Arc<Model>, module: &str, name: &str) -> Result<Made, String> {
    let ty = model.named(module, name).ok_or("no such type")?;
    let plan = Arc::new(Plan::new(Arc::clone(model), ty).map_err(|error| error.to_string())?);
    match encoding {
        "jer" => {
            let jer = Jer::new(plan);
            Ok(Made { reader: Box::new(jer.reader(Checks::Refuse)), writers: [Box::new(jer.writer()), Box::new(jer.relay())] })
        }
        "xer" => {
            let xer = Xer::new(plan);
            Ok(Made { reader: Box::new(xer.reader(Checks::Refuse)), writers: [Box::new(xer.writer()), Box::new(xer.relay())] })
        }
        _ => Err("no such encoding".to_string()),
    }
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

fn answer(made: &mut Made, message: &[u8]) -> Result<String, String> {
    let Made { reader, writers } = made;
    let mut written = Vec::new();
    let text = |error: polywire_core::Error| error.to_string();
    for writer in writers {
        let mut out = Vec::new();
        let walked = reader.walk(message, 0, &mut **writer, &mut Budget::new(&Limits::DEFAULT));
        if let Err(error) = walked.and_then(|()| writer.finish(&mut out)) {
            writer.reset();
            return Err(text(error));
        }
        written.push(hex(&out));
    }
    let mut tree = Tree::new();
    reader.walk(message, 0, &mut tree, &mut Budget::new(&Limits::DEFAULT)).map_err(text)?;
    let mut json = String::new();
    tree.root().into_iter().for_each(|root| show(root, &mut json));
    Ok(format!("{} {} {json}", written[0], written[1]))
}
