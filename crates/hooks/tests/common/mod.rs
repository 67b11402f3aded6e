//! Table directories for the tests.

#![allow(dead_code)]

#[path = "../../../gateway/tests/folder/mod.rs"]
mod folder;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use polywire_core::Limits;
use polywire_core::tools::adapt::Walker;
use polywire_doc::{Datum, DocSink, Repeated, Wanted};
use polywire_hooks::worker::WorkerProgram;
use polywire_hooks::{Hooks, Patch, Record, Reply, Settings};

use folder::Folder;

/// True in the tests of `processes.rs`, which are those of other files: calls are made in worker
/// processes.
pub const APART: bool = matches!(env!("CARGO_CRATE_NAME").as_bytes(), b"processes");

/// The program of worker processes.
pub fn worker() -> WorkerProgram {
    WorkerProgram::at(env!("CARGO_BIN_EXE_polywire-hooks-worker"))
}

/// A table directory that goes when the test ends.
pub struct Tables {
    folder: Folder,
    path: PathBuf,
}

impl Tables {
    /// A directory with these files.
    pub fn new(files: &[(&str, &str)]) -> Tables {
        let folder = Folder::new();
        let tables = Tables { path: folder.path().join("tables"), folder };
        fs::create_dir_all(&tables.path).unwrap();
        files.iter().for_each(|(name, text)| tables.write(name, text));
        tables
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file below it, or beside it by `../`.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        self.folder.write(&format!("tables/{name}"), text);
    }

    /// Hooks with one thread, so that calls follow each other in one engine, and time enough for a
    /// busy machine.
    pub fn hooks(&self) -> Hooks {
        self.hooks_with(|_| {})
    }

    /// Hooks with other limits.
    pub fn hooks_with(&self, change: impl FnOnce(&mut Settings)) -> Hooks {
        let mut settings = Settings::new(&self.path);
        settings.threads = 1;
        settings.worker = APART.then(worker);
        settings.time = Duration::from_secs(20);
        change(&mut settings);
        Hooks::new(settings).unwrap()
    }
}

/// A decoded JSON text.
pub fn json(text: &str) -> Datum {
    let body = Bytes::copy_from_slice(text.as_bytes());
    let wanted = Wanted::everything();
    let mut sink = DocSink::new(body.clone(), &wanted, Repeated::Last);
    Walker::new(&polywire_formats::json::FORMAT, &Limits::DEFAULT).walk(&body, 0, &mut sink).unwrap();
    Datum::from(sink.finish(body.len() as u64).unwrap().0)
}

/// JSON text of a datum.
pub fn text(datum: &Datum) -> String {
    String::from_utf8(datum.to_json()).unwrap()
}

/// A record with parameters.
pub fn record(params: &str) -> Record {
    Record { statement: json(r#"{"type":"select","line":1}"#), params: json(params), log: None }
}

/// The patch module `patch.js` of one script.
pub fn patch(script: &str) -> (Tables, Patch) {
    let tables = Tables::new(&[("patch.js", script)]);
    let patch = tables.hooks().patch("patch.js").wait().unwrap();
    (tables, patch)
}

/// Evaluates an expression in a module of its own, and gives its value as JSON text.
pub fn eval(expression: &str) -> String {
    let (_tables, patch) = patch(&format!("exports['patch response'] = function (args) {{ return {{ value: {expression} }}; }};"));
    match patch.patch_response(record("{}"), Reply::default(), Datum::Null).wait() {
        Ok(answer) => answer.value.view().get("value").map_or("undefined".into(), |value| text(&value.to_datum())),
        Err(error) => format!("error: {error}"),
    }
}
