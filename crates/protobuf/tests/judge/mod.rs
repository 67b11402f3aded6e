//! The judge: a Python program that answers line by line.
#![allow(dead_code, reason = "not each test asks all")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Why there is no judge.
pub const MISSING: &str = "the Python packages `protobuf` and `grpcio-tools` are missing: run `tools/setup.sh judges`";

/// What the judge says of a message.
#[derive(Debug)]
pub enum Verdict {
    /// It cannot be parsed, or lacks required fields.
    Refused(String),
    /// It can.
    Parsed {
        /// Its canonical JSON, or why it has none.
        json: Result<String, String>,
        /// Its bytes, written again.
        bytes: Vec<u8>,
    },
}

/// The judge's process.
pub struct Judge {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

fn python() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("target/judges/bin/python")
}

impl Judge {
    /// Starts it; none if its packages are missing.
    pub fn start() -> Option<Judge> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judge/messages.py");
        let found = Command::new(python()).args(["-c", "import google.protobuf, grpc_tools"]).stderr(Stdio::null()).status();
        if !found.is_ok_and(|status| status.success()) {
            return None;
        }
        let mut child =
            Command::new(python()).arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take()?);
        Some(Judge { child, stdin, stdout })
    }

    fn ask(&mut self, question: &Value) -> Value {
        let stdin = self.stdin.as_mut().expect("the judge listens");
        writeln!(stdin, "{question}").and_then(|()| stdin.flush()).expect("the judge listens");
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("the judge answers");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?} to {question}"))
    }

    fn bytes(answer: &Value) -> Result<Vec<u8>, String> {
        match answer["bytes"].as_str().or(answer["set"].as_str()) {
            Some(bytes) => Ok(STANDARD.decode(bytes).expect("base64 is base64")),
            None => Err(answer["error"].as_str().unwrap_or("no answer").to_string()),
        }
    }

    /// Compiles a schema to a descriptor set, and knows it from then on.
    pub fn compile(&mut self, proto: &str) -> Result<Vec<u8>, String> {
        Judge::bytes(&self.ask(&json!({ "proto": proto })))
    }

    /// What the schema was resolved to, as `messages.py` says.
    #[allow(dead_code, reason = "not every test that shares this module asks for it")]
    pub fn fields(&mut self) -> Value {
        self.ask(&json!({ "fields": "" }))
    }

    /// Chooses the message type of what follows.
    pub fn root(&mut self, name: &str) {
        let answer = self.ask(&json!({ "root": name }));
        assert!(answer.get("error").is_none(), "{answer}");
    }

    /// What it says of the bytes of a message.
    pub fn message(&mut self, bytes: &[u8]) -> Verdict {
        let answer = self.ask(&json!({ "bytes": STANDARD.encode(bytes) }));
        match Judge::bytes(&answer) {
            Err(why) => Verdict::Refused(why),
            Ok(bytes) => {
                let json = answer["json"].as_str().map(str::to_string);
                Verdict::Parsed { json: json.ok_or_else(|| answer["unprintable"].to_string()), bytes }
            }
        }
    }

    /// The bytes of a message that is told in the text format.
    pub fn text(&mut self, text: &str) -> Result<Vec<u8>, String> {
        Judge::bytes(&self.ask(&json!({ "text": text })))
    }

    /// The bytes of a message that is told as JSON.
    pub fn json(&mut self, text: &str) -> Result<Vec<u8>, String> {
        Judge::bytes(&self.ask(&json!({ "json": text })))
    }
}

impl Drop for Judge {
    fn drop(&mut self) {
        // It ends when nobody asks any more.
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}
