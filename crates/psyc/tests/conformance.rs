//! The conformance vectors: every file of `testdata/psyc`, and of `$POLYWIRE_VECTORS/psyc` if that is set.
//!
//! One line a file; a failure names the case, what was expected and what came. Cases of operations that this crate does not have are counted apart.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polywire_psyc::dict::{self, Dict};
use polywire_psyc::list::{self, List};
use polywire_psyc::packet::{Modifier, State};
use polywire_psyc::wire::{Code, Mode, Parser, Step};
use serde_json::{Value, json};

#[path = "conformance/keyword.rs"]
mod keyword;
#[path = "conformance/number.rs"]
mod number;
#[path = "conformance/render.rs"]
mod render;
#[path = "conformance/text.rs"]
mod text;
#[path = "conformance/uniform.rs"]
mod uniform;

fn main() -> ExitCode {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/psyc")];
    if let Some(folder) = std::env::var_os("POLYWIRE_VECTORS") {
        folders.push(Path::new(&folder).join("psyc"));
    }
    let mut total = 0;
    let mut failed = 0;
    for folder in folders {
        let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .flatten()
            .map(|file| file.path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
            .collect();
        files.sort();
        for file in files {
            let (passed, wrong) = run(&file);
            total += passed + wrong;
            failed += wrong;
        }
    }
    assert!(total > 0, "no case was run");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[allow(clippy::print_stdout)] // A test's report.
fn run(path: &Path) -> (u32, u32) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let file: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (mut passed, mut failed, mut absent) = (0, 0, 0);
    for case in file["cases"].as_array().expect("cases") {
        let Some((came, expected)) = outcome(case) else {
            absent += 1;
            continue;
        };
        if came == expected {
            passed += 1;
        } else {
            failed += 1;
            println!("{}: {}\n  expected {expected}\n  came     {came}", path.display(), case["id"]);
        }
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let absent = if absent > 0 { format!(", {absent} of operations that are not here") } else { String::new() };
    println!("psyc/{name}: {passed} passed, {failed} failed{absent}");
    (passed, failed)
}

/// What came of a case and what was expected, both with all byte strings in base64.
fn outcome(case: &Value) -> Option<(Value, Value)> {
    let expected = normal(&case["expect"]);
    let came = match case["op"].as_str()? {
        "parse" => parse(case),
        "parse_list" => json!({ "steps": list_steps(&bytes(&case["input"])) }),
        "parse_dict" => json!({ "steps": dict_steps(&bytes(&case["input"])) }),
        "render" => render::packet(case),
        "render_list" => render::list(case),
        "render_dict" => render::dict(case),
        "packet_id" => render::packet_id(case),
        "uniform" => uniform::uniform(case),
        "entity_type" => uniform::entity_type(case),
        "text" => text::text(case),
        "match" => keyword::relation(case),
        "variable" => keyword::variable(case),
        "method" => keyword::method(case),
        "number" => number::number(case),
        "char_classes" => number::char_classes(),
        _ => return None,
    };
    Some((came, expected))
}

fn normal(value: &Value) -> Value {
    match value {
        Value::Object(fields) if fields.len() == 1 && fields.contains_key("b64") => value.clone(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| {
                let is_bytes = matches!(name.as_str(), "value" | "name" | "method" | "type" | "key" | "output") && value.is_string();
                let value = match name.as_str() {
                    "pieces" => value.as_array().into_iter().flatten().map(|piece| b64(&bytes(piece))).collect(),
                    "parts" => value.as_object().into_iter().flatten().map(|(part, value)| (part.clone(), b64(&bytes(value)))).collect(),
                    _ if is_bytes => b64(&bytes(value)),
                    _ => normal(value),
                };
                (name.clone(), value)
            })
            .collect::<serde_json::Map<String, Value>>()
            .into(),
        Value::Array(values) => values.iter().map(normal).collect(),
        other => other.clone(),
    }
}

fn bytes(value: &Value) -> Vec<u8> {
    match value {
        Value::String(text) => text.clone().into_bytes(),
        Value::Object(fields) => STANDARD.decode(fields["b64"].as_str().expect("base64")).expect("base64"),
        _ => Vec::new(),
    }
}

fn b64(bytes: &[u8]) -> Value {
    json!({ "b64": STANDARD.encode(bytes) })
}

/// How a case is fed to the parser.
#[derive(Clone, Copy)]
enum Feed {
    Whole,
    CutAt(usize),
    ByteByByte,
}

fn parse(case: &Value) -> Value {
    let input = bytes(&case["input"]);
    let mode = match case["mode"].as_str() {
        Some("routing_only") => Mode::RoutingOnly,
        Some("content") => Mode::Content,
        _ => Mode::All,
    };
    let (codes, events, end) = feed(&input, mode, Feed::Whole);
    let mut came = json!({ "codes": codes, "events": events, "end": end });
    if case["expect"]["split_invariant"] == json!(true) {
        let feeds = (0..=input.len()).map(Feed::CutAt).chain([Feed::ByteByByte]);
        let same = feeds.map(|how| feed(&input, mode, how)).all(|(_, other, other_end)| other == events && other_end == end);
        came["split_invariant"] = json!(same);
    }
    came
}

#[derive(Default)]
struct Joiner {
    events: Vec<Value>,
    /// A sized value in parts: its event, and what was delivered.
    open: Option<(Value, Vec<u8>)>,
}

impl Joiner {
    fn part(&mut self, start: Option<Value>, part: &[u8], last: bool) {
        let (event, mut value) = self.open.take().unwrap_or_else(|| (start.unwrap_or_default(), Vec::new()));
        value.extend_from_slice(part);
        if last {
            let mut event = event;
            event["value"] = b64(&value);
            self.events.push(event);
        } else {
            self.open = Some((event, value));
        }
    }
}

fn feed(input: &[u8], mode: Mode, how: Feed) -> (Vec<i32>, Vec<Value>, &'static str) {
    let mut parser = Parser::new(mode);
    let mut codes = Vec::new();
    let mut joiner = Joiner::default();
    let mut ends: Vec<usize> = match how {
        Feed::Whole => vec![input.len()],
        Feed::CutAt(at) => vec![at, input.len()],
        Feed::ByteByByte => (1..=input.len()).collect(),
    };
    ends.reverse();
    let mut start = 0;
    let mut end = ends.pop().unwrap_or(input.len());
    let outcome = loop {
        let step = match parser.next(&input[start..end]) {
            Ok(step) => step,
            Err(fault) => {
                codes.push(fault.code.number());
                joiner.events.push(json!({ "ev": "error", "code": number(fault.code) }));
                assert_eq!(parser.next(&input[start..end]), Err(fault), "the parser is of no use after an error");
                break "error";
            }
        };
        codes.push(step.number());
        let size = parser.value_size();
        let modifier = |ev: &str, modifier: Modifier<'_>| {
            let mut event = json!({ "ev": ev, "oper": (modifier.operator.byte() as char).to_string(), "name": b64(modifier.name) });
            if ev == "entity" {
                event["length"] = json!(size);
            }
            event
        };
        let body = |method: &[u8]| match mode {
            Mode::RoutingOnly => json!({ "ev": "content" }),
            _ => json!({ "ev": "body", "method": b64(method) }),
        };
        match step {
            Step::More => {
                start += parser.cursor();
                parser.drop_read();
                match ends.pop() {
                    Some(next) => end = next,
                    None => {
                        if let Some((event, value)) = joiner.open.take() {
                            joiner.events.push(json!({ "ev": "partial", "of": event["ev"], "value": b64(&value) }));
                        }
                        break "insufficient";
                    }
                }
            }
            Step::Routing(line) => {
                joiner.part(Some(modifier("routing", line)), line.value, true);
            }
            Step::State(state) => joiner.events.push(json!({ "ev": if state == State::Reset { "reset" } else { "resync" } })),
            Step::EntityStart(line) => joiner.part(Some(modifier("entity", line)), line.value, false),
            Step::Entity(line) => joiner.part(Some(modifier("entity", line)), line.value, true),
            Step::EntityPart(part) | Step::BodyPart(part) => joiner.part(None, part, false),
            Step::EntityEnd(part) | Step::BodyEnd(part) => joiner.part(None, part, true),
            Step::BodyStart(method, part) => joiner.part(Some(body(method)), part, false),
            Step::Body(method, part) => joiner.part(Some(body(method)), part, true),
            Step::Complete => {
                joiner.events.push(json!({ "ev": "complete", "content_length": parser.content_size() }));
                if mode == Mode::Content || start + parser.cursor() == input.len() {
                    break "complete";
                }
            }
        }
    };
    (codes, joiner.events, outcome)
}

fn number(code: Code) -> i32 {
    code.number()
}

fn list_steps(input: &[u8]) -> Value {
    let mut list = List::new(input);
    let mut steps = Vec::new();
    let step = |code: i32, element: Option<list::Element<'_>>| {
        let mut step = json!({ "code": code });
        if let Some(element) = element {
            step["value"] = b64(element.value);
            if !element.kind.is_empty() {
                step["type"] = b64(element.kind);
            }
        }
        step
    };
    loop {
        let (next, last) = match list.step() {
            Ok(list::Step::Default(kind)) => (json!({ "code": 2, "type": b64(kind) }), false),
            Ok(list::Step::Element(element)) => (step(6, Some(element)), false),
            Ok(list::Step::Last(element)) => (step(7, Some(element)), true),
            Ok(list::Step::Part(element)) => (step(3, Some(element)), true),
            Ok(list::Step::More) => (step(1, None), true),
            Ok(list::Step::End) => (step(8, None), true),
            Err(fault) => (step(fault.number, None), true),
        };
        steps.push(next);
        if last {
            return steps.into();
        }
    }
}

fn dict_steps(input: &[u8]) -> Value {
    let mut dict = Dict::new(input);
    let mut steps = Vec::new();
    let value = |code: i32, element: list::Element<'_>| {
        let mut step = json!({ "code": code, "value": b64(element.value) });
        if !element.kind.is_empty() {
            step["type"] = b64(element.kind);
        }
        step
    };
    loop {
        let (next, last) = match dict.step() {
            Ok(dict::Step::Default(kind)) => (json!({ "code": 2, "type": b64(kind) }), false),
            Ok(dict::Step::Key(key)) => (json!({ "code": 6, "key": b64(key) }), false),
            Ok(dict::Step::KeyPart(key)) => (json!({ "code": 3, "key": b64(key) }), true),
            Ok(dict::Step::Value(element)) => (value(10, element), false),
            Ok(dict::Step::Last(element)) => (value(11, element), true),
            Ok(dict::Step::Part(element)) => (value(7, element), true),
            Ok(dict::Step::More) => (json!({ "code": 1 }), true),
            Ok(dict::Step::End(b"")) => (json!({ "code": 12 }), true),
            Ok(dict::Step::End(kind)) => (json!({ "code": 12, "type": b64(kind) }), true),
            Err(fault) => (json!({ "code": fault.number }), true),
        };
        steps.push(next);
        if last {
            return steps.into();
        }
    }
}
