//! The judge: a Python program that answers line by line, many questions a line.
#![allow(dead_code, reason = "not each test asks all")]

pub mod compare;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Why there is no judge.
const MISSING: &str = "the Python packages `protobuf` and `grpcio-tools` are missing: run `tools/setup.sh judges`";

/// A number from the environment, for longer runs by hand.
pub fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap_or_else(|error| panic!("{name}={text}: {error}")))
}

/// A message that is to be judged, as what it comes.
#[derive(Debug, Clone, Copy)]
pub enum Ask<'m> {
    /// Its bytes.
    Bytes(&'m [u8]),
    /// The text format.
    Text(&'m str),
    /// JSON.
    Json(&'m str),
}

/// What the judge says of a message.
#[derive(Debug)]
pub enum Verdict {
    /// It cannot be parsed, or lacks required fields.
    Refused(String),
    /// It can.
    Parsed {
        /// Its canonical JSON, or why it has none. Told of bytes only.
        json: Result<String, String>,
        /// Its text format. Told of that only.
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

    /// The bytes of a message that was parsed.
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
    /// Starts it.
    ///
    /// # Panics
    /// If its packages are missing.
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

    /// Compiles a schema to a descriptor set, and knows it from then on.
    pub fn compile(&mut self, proto: &str) -> Result<Vec<u8>, String> {
        bytes(&self.ask(&[json!({ "proto": proto })])[0])
    }

    /// What the schema was resolved to, as `messages.py` says.
    pub fn fields(&mut self) -> Value {
        self.ask(&[json!({ "fields": "" })]).remove(0)
    }

    /// What it says of messages of the type `root`, each.
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
        // It ends when nobody asks any more.
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}
