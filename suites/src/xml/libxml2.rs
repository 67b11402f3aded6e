//! libxml2's test documents, judged by lxml: what it reads we read, and write so that its canonical
//! form (C14N) is the same.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use crate::cases::Cases;
use crate::outcome::{Miss, Outcome};
use crate::suite::Suite;
use crate::{files, xml};

/// libxml2's tests.
pub static SUITE: Suite = Suite {
    name: "xml-libxml2",
    format: "XML",
    title: "libxml2's documents, by C14N of lxml",
    folder: "GNOME+libxml2",
    needs: "test",
    licence: "MIT",
    rule: "a document that lxml reads is read, and the XML that we write has the same canonical form by lxml; one that lxml refuses is refused. External entities are \
           empty for both",
    others: "",
    run,
};

/// Folders below `test` with documents of XML.
const FOLDERS: &[&str] = &[
    "",
    "namespaces",
    "errors",
    "xmlid",
    "SVG",
    "VC",
    "VCM",
    "valid",
    "XInclude/docs",
    "XInclude/ents",
    "recurse",
    "c14n",
    "schemas",
    "relaxng",
];

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    let python = cases.tools.installed("python/bin/python")?;
    let script = cases.tools.home.join("judges/c14n.py");
    let root = cases.root().join("test");
    let (mut names, mut questions) = (Vec::new(), Vec::new());
    for folder in FOLDERS {
        let folder = root.join(folder);
        let found = if folder.ends_with("c14n") || folder.ends_with("VC") {
            files::below(&folder, |_| true)?
        } else {
            files::in_folder(&folder, |_| true)?
        };
        for path in found {
            let document = files::bytes(&path)?;
            let start = &document[..document.len().min(4)];
            // Folders also hold schemas' parts, paths and scripts.
            if !document.iter().take(200).any(|byte| *byte == b'<') && !start.starts_with(&[0x4c, 0x6f]) {
                continue;
            }
            let name = files::within(&root, &path);
            let read = std::panic::catch_unwind(|| xml::written(&document));
            let answer = match &read {
                Ok(Ok(written)) => json!({"path": path, "written": String::from_utf8_lossy(written)}),
                _ => json!({"path": path}),
            };
            questions.push(answer);
            names.push((name, read));
        }
    }
    let answers = ask(&python, &script, &questions)?;
    if answers.len() != names.len() {
        return Err(format!("lxml answered {} of {} questions", answers.len(), names.len()));
    }
    for ((name, read), answer) in names.into_iter().zip(answers) {
        let said = answer.as_str().unwrap_or("no answer").to_string();
        if said.starts_with("no canonical form") {
            cases.skip("without a canonical form: names of namespaces are relative");
            continue;
        }
        if said.contains("amplification") {
            // Both have a bound on entities that expand without end, and not the same one.
            cases.put("documents", name, if read.is_ok() { Outcome::Free } else { Outcome::miss(Miss::Panic, "") });
            continue;
        }
        let outcome = match (read, said.as_str()) {
            (Err(_), _) => Outcome::miss(Miss::Panic, ""),
            (Ok(Ok(_)), "same") => Outcome::Right,
            (Ok(Ok(_)), other) if other.starts_with("refused") => Outcome::miss(Miss::Accepted, said),
            (Ok(Ok(_)), _) => Outcome::miss(Miss::Value, said),
            (Ok(Err(error)), other) if other.starts_with("refused") => Outcome::refused::<()>(Err(error)),
            (Ok(Err(error)), _) => Outcome::error(&error),
        };
        cases.put("documents", name, outcome);
    }
    Ok(())
}

/// Puts all questions to one process.
fn ask(python: &std::path::Path, script: &std::path::Path, questions: &[Json]) -> Result<Vec<Json>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", script.display());
    let mut child = Command::new(python).arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(failed)?;
    let mut stdin = child.stdin.take().ok_or("no standard input")?;
    let text: String = questions.iter().map(|question| format!("{question}\n")).collect();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let out = child.wait_with_output().map_err(failed)?;
    writer.join().map_err(|_| "the writer panicked")?.map_err(failed)?;
    if !out.status.success() {
        return Err(format!("{}: {}", script.display(), out.status));
    }
    String::from_utf8_lossy(&out.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).map_err(|error| format!("{line}: {error}")))
        .collect()
}
