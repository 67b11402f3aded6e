//! The judge: a Python program that answers line by line, many questions a line.
#![allow(dead_code, reason = "not each test asks all")]

pub mod compare;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// The reason why there is no judge.
const MISSING: &str = "the Python packages `protobuf` and `grpcio-tools` are missing: run `tools/setup.sh judges`";

/// Reads a number from the environment, for longer runs by hand.
pub fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap_or_else(|error| panic!("{name}={text}: {error}")))
}

/// A message to judge, in one of its encodings.
#[derive(Debug, Clone, Copy)]
pub enum Ask<'m> {
    /// Its bytes.
    Bytes(&'m [u8]),
    /// The text format.
    Text(&'m str),
    /// JSON.
    Json(&'m str),
}

/// The judge's verdict on a message.
#[derive(Debug)]
pub enum Verdict {
    /// The message cannot be parsed, or lacks required fields.
    Refused(String),
    /// The message is valid.
    Parsed {
        /// Its canonical JSON, or the reason why it has none. Only for bytes.
        json: Result<String, String>,
        /// Its text format. Only for the text format.
        text: Option<String>,
        /// Its bytes, written again.
        bytes: Vec<u8>,
    },
}

impl Verdict {
    fn of(answer: &Value) -> Verdict {
        match bytes(answer) {
            Err(why) => Verdict::Refused(why),
            Ok(bytes) => {
                let json = answer["json"].as_str().map(str::to_string);
                Verdict::Parsed {
                    json: json.ok_or_else(|| answer["unprintable"].to_string()),
                    text: answer["text"].as_str().map(str::to_string),
                    bytes,
                }
            }
        }
    }

    /// Returns the bytes of a valid message.
    pub fn bytes(&self) -> Result<&[u8], &str> {
        match self {
            Verdict::Refused(why) => Err(why),
            Verdict::Parsed { bytes, .. } => Ok(bytes),
        }
    }
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

fn bytes(answer: &Value) -> Result<Vec<u8>, String> {
    match answer["bytes"].as_str().or(answer["set"].as_str()) {
        Some(bytes) => Ok(STANDARD.decode(bytes).expect("base64 is base64")),
        None => Err(answer["error"].as_str().unwrap_or("no answer").to_string()),
    }
}

impl Judge {
    /// Starts the judge.
    ///
    /// # Panics
    /// Its packages are missing.
    pub fn start() -> Judge {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judge/messages.py");
        let found = Command::new(python()).args(["-c", "import google.protobuf, grpc_tools"]).stderr(Stdio::null()).status();
        assert!(found.is_ok_and(|status| status.success()), "{MISSING}");
        let mut child = Command::new(python())
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Python starts");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("the judge answers"));
        Judge { child, stdin, stdout }
    }

    fn ask(&mut self, questions: &[Value]) -> Vec<Value> {
        let stdin = self.stdin.as_mut().expect("the judge listens");
        let line = serde_json::to_string(questions).expect("questions are JSON");
        writeln!(stdin, "{line}").and_then(|()| stdin.flush()).expect("the judge listens");
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("the judge answers");
        let answers: Vec<Value> = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?} to {questions:?}"));
        assert_eq!(answers.len(), questions.len());
        answers
    }

    /// Compiles a schema to a descriptor set, which later questions use.
    pub fn compile(&mut self, proto: &str) -> Result<Vec<u8>, String> {
        bytes(&self.ask(&[json!({ "proto": proto })])[0])
    }

    /// Returns the resolved schema, in the form of `messages.py`.
    pub fn fields(&mut self) -> Value {
        self.ask(&[json!({ "fields": "" })]).remove(0)
    }

    /// Returns the verdicts on messages of the type `root`.
    pub fn verdicts(&mut self, root: &str, messages: &[Ask<'_>]) -> Vec<Verdict> {
        let asked = messages.iter().map(|message| match message {
            Ask::Bytes(bytes) => json!({ "bytes": STANDARD.encode(bytes) }),
            Ask::Text(text) => json!({ "text": text }),
            Ask::Json(text) => json!({ "json": text }),
        });
        let questions: Vec<Value> = std::iter::once(json!({ "root": root })).chain(asked).collect();
        let answers = self.ask(&questions);
        assert!(answers[0].get("error").is_none(), "{}", answers[0]);
        answers[1..].iter().map(Verdict::of).collect()
    }
}

impl Drop for Judge {
    fn drop(&mut self) {
        // The process ends when its input does.
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}
