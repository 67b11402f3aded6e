//! The testee of the official Protobuf conformance runner.
//!
//!     conformance_test_runner [OPTIONS] protobuf_testee SET            by the library
//!     conformance_test_runner [OPTIONS] protobuf_testee SET PROGRAM    by the command line
//!
//! `SET` is a descriptor set of the runner's test messages and of their imports. Its files are in
//! editions too, so that `protoc` 27 or later makes it:
//!
//!     protoc -I include --include_imports --descriptor_set_out=SET include/google/protobuf/*.proto
//!
//! `PROGRAM` is `polywire`; each case is then one or two runs of `polywire convert`.
//!
//! A request and a response are each a length in four bytes, little-endian, and a message of
//! `conformance.proto`.
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

use polywire_core::{Budget, Limits, Result, Writer};
use polywire_protobuf::json::{JsonParser, JsonPrinter, ParseOptions, PrintOptions};
use polywire_protobuf::plan::Plan;
use polywire_protobuf::source::{self, Protos};
use polywire_protobuf::text::{TextParser, TextPrinter, UnknownFields};
use polywire_protobuf::walk::{ProtobufReader, ProtobufWriter};
use polywire_protobuf::wire::framing::Framing;
use polywire_protobuf::wire::varint;

/// Longest request that is read.
const LONGEST: u32 = 1 << 30;

/// Value of `ConformanceRequest.test_category` for JSON with unknown fields that are ignored.
const IGNORE_UNKNOWN: u64 = 3;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(set), program) = (arguments.next().map(PathBuf::from), arguments.next().map(PathBuf::from)) else {
        eprintln!("usage: protobuf_testee SET [PROGRAM]");
        return ExitCode::from(2);
    };
    let outcome = match program {
        Some(program) => serve(&mut |request| by_program(&program, &set, request)),
        None => Library::new(&set).and_then(|mut library| serve(&mut |request| library.answer(request))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("protobuf_testee: {error}");
            ExitCode::from(4)
        }
    }
}

/// The form of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Binary,
    Json,
    Text,
}

impl Form {
    /// Returns the form's name on the command line.
    fn name(self) -> &'static str {
        match self {
            Form::Binary => "protobuf",
            Form::Json => "protojson",
            Form::Text => "txtpb",
        }
    }
}

/// A request of the runner.
#[derive(Debug)]
struct Request {
    form: Form,
    payload: Vec<u8>,
    to: Form,
    /// Full name of the message's type.
    ty: String,
    ignore_unknown: bool,
    print_unknown: bool,
}

/// An answer to a request.
#[derive(Debug)]
enum Answer {
    Message(Form, Vec<u8>),
    ParseError(String),
    SerializeError(String),
    RuntimeError(String),
    Skipped(String),
}

/// Answers all requests on stdin.
fn serve(answer: &mut dyn FnMut(&Request) -> Answer) -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    loop {
        let mut length = [0; 4];
        if input.read(&mut length[..1])? == 0 {
            return Ok(());
        }
        input.read_exact(&mut length[1..])?;
        let length = u32::from_le_bytes(length);
        if length > LONGEST {
            return Err(io::Error::other(format!("a request of {length} bytes")));
        }
        let mut bytes = Vec::new();
        io::Read::take(&mut input, u64::from(length)).read_to_end(&mut bytes)?;
        let response = match request(&bytes) {
            Ok(request) => answer(&request),
            Err(skipped) => Answer::Skipped(skipped),
        };
        let response = written(response);
        output.write_all(&(response.len() as u32).to_le_bytes())?;
        output.write_all(&response)?;
        output.flush()?;
    }
}

/// Reads a `ConformanceRequest`. Forms that only Google uses are skipped.
fn request(bytes: &[u8]) -> Result<Request, String> {
    let mut request = Request {
        form: Form::Binary,
        payload: Vec::new(),
        to: Form::Binary,
        ty: String::new(),
        ignore_unknown: false,
        print_unknown: false,
    };
    let mut at = 0;
    let broken = |_| "a malformed request".to_string();
    while at < bytes.len() {
        let (tag, next) = varint::read(bytes, at).map_err(broken)?;
        let (value, next) = varint::read(bytes, next).map_err(broken)?;
        at = next;
        let mut content: &[u8] = &[];
        if tag & 7 == 2 {
            let end = usize::try_from(value).ok().and_then(|length| next.checked_add(length));
            content = end.and_then(|end| bytes.get(next..end)).ok_or("a cut request")?;
            at += content.len();
        }
        match tag >> 3 {
            1 => (request.form, request.payload) = (Form::Binary, content.to_vec()),
            2 => (request.form, request.payload) = (Form::Json, content.to_vec()),
            8 => (request.form, request.payload) = (Form::Text, content.to_vec()),
            7 => return Err("JSPB".to_string()),
            3 => {
                request.to = match value {
                    1 => Form::Binary,
                    2 => Form::Json,
                    4 => Form::Text,
                    other => return Err(format!("the form {other}")),
                }
            }
            4 => request.ty = String::from_utf8_lossy(content).into_owned(),
            5 => request.ignore_unknown = value == IGNORE_UNKNOWN,
            9 => request.print_unknown = value != 0,
            _ => {}
        }
    }
    Ok(request)
}

/// Writes a `ConformanceResponse`.
fn written(answer: Answer) -> Vec<u8> {
    let (number, content) = match answer {
        Answer::Message(Form::Binary, bytes) => (3, bytes),
        Answer::Message(Form::Json, bytes) => (4, bytes),
        Answer::Message(Form::Text, bytes) => (8, bytes),
        Answer::ParseError(text) => (1, text.into_bytes()),
        Answer::SerializeError(text) => (6, text.into_bytes()),
        Answer::RuntimeError(text) => (2, text.into_bytes()),
        Answer::Skipped(text) => (5, text.into_bytes()),
    };
    let mut out = vec![number << 3 | 2];
    varint::put(&mut out, content.len() as u64);
    out.extend(content);
    out
}

/// Answers by the library.
struct Library {
    protos: Protos,
    plans: HashMap<String, Arc<Plan>>,
}

impl Library {
    fn new(set: &std::path::Path) -> io::Result<Library> {
        let bytes = std::fs::read(set)?;
        let protos = source::descriptor_set(&set.display().to_string(), &bytes, &Limits::DEFAULT).map_err(io::Error::other)?;
        Ok(Library { protos, plans: HashMap::new() })
    }

    fn answer(&mut self, request: &Request) -> Answer {
        if request.ty == "conformance.FailureSet" {
            return Answer::Message(request.to, Vec::new());
        }
        let plan = match self.plan(&request.ty) {
            Ok(plan) => plan,
            Err(error) => return Answer::RuntimeError(error.to_string()),
        };
        let bytes = match parsed(&plan, request) {
            Ok(bytes) => bytes,
            Err(error) => return Answer::ParseError(error.to_string()),
        };
        match printed(&plan, request, &bytes) {
            Ok(message) => Answer::Message(request.to, message),
            Err(error) => Answer::SerializeError(error.to_string()),
        }
    }

    fn plan(&mut self, ty: &str) -> Result<Arc<Plan>> {
        if let Some(plan) = self.plans.get(ty) {
            return Ok(Arc::clone(plan));
        }
        let plan = Arc::new(Plan::named(&self.protos.pool, Some(ty))?);
        self.plans.insert(ty.to_string(), Arc::clone(&plan));
        Ok(plan)
    }
}

/// Returns the bytes of a request's message. Bytes are walked and written again, unknown fields
/// too.
fn parsed(plan: &Arc<Plan>, request: &Request) -> Result<Vec<u8>> {
    let mut budget = Budget::new(&Limits::DEFAULT);
    let mut out = Vec::new();
    match request.form {
        Form::Binary => {
            let mut writer = ProtobufWriter::new(Arc::clone(plan), Framing::Whole).unknown(true);
            ProtobufReader::new(Arc::clone(plan), Framing::Whole).walk_into(&request.payload, 0, &mut writer, &mut budget)?;
            writer.finish(&mut out)?;
        }
        Form::Json => {
            let options = ParseOptions { ignore_unknown: request.ignore_unknown };
            JsonParser::new(Arc::clone(plan), options).parse(&request.payload, 0, &mut out, &mut budget)?;
        }
        Form::Text => TextParser::new(Arc::clone(plan)).parse(&request.payload, 0, &mut out, &mut budget)?,
    }
    Ok(out)
}

/// Returns a message in the form that the request asks for.
fn printed(plan: &Arc<Plan>, request: &Request, bytes: &[u8]) -> Result<Vec<u8>> {
    let mut budget = Budget::new(&Limits::DEFAULT);
    let mut out = Vec::new();
    match request.to {
        Form::Binary => out.extend_from_slice(bytes),
        Form::Json => JsonPrinter::new(Arc::clone(plan), PrintOptions::default()).print(bytes, 0, &mut out, &mut budget)?,
        Form::Text => {
            let unknown = if request.print_unknown { UnknownFields::ByNumber } else { UnknownFields::LeftOut };
            TextPrinter::new(Arc::clone(plan)).unknown(unknown).print(bytes, 0, &mut out, &mut budget)?;
        }
    }
    Ok(out)
}

/// Answers by the command line.
fn by_program(program: &std::path::Path, set: &std::path::Path, request: &Request) -> Answer {
    if request.ty == "conformance.FailureSet" {
        return Answer::Message(request.to, Vec::new());
    }
    match run(program, set, request, request.to) {
        Ok(Ok(message)) => Answer::Message(request.to, message),
        Err(error) => Answer::RuntimeError(error.to_string()),
        // Whether the message can be read at all shows in its own form.
        Ok(Err(text)) => match run(program, set, request, Form::Binary) {
            Ok(Ok(_)) => Answer::SerializeError(text),
            Ok(Err(text)) => Answer::ParseError(text),
            Err(error) => Answer::RuntimeError(error.to_string()),
        },
    }
}

/// Runs `convert` and returns its output, or the error that it printed. Losses are errors.
fn run(program: &std::path::Path, set: &std::path::Path, request: &Request, to: Form) -> io::Result<Result<Vec<u8>, String>> {
    let mut command = Command::new(program);
    command.args(["convert", "-", "--from", request.form.name(), "--to", to.name(), "--type", &request.ty, "--schema"]).arg(set);
    if request.ignore_unknown && request.form == Form::Json {
        command.arg("--ignore-unknown");
    }
    if to != Form::Binary && !request.print_unknown {
        command.args(["--unknown", "drop"]);
    }
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut input = child.stdin.take().ok_or_else(|| io::Error::other("no stdin"))?;
    // The program may refuse the message before it has read all.
    let _ = input.write_all(&request.payload);
    drop(input);
    let output = child.wait_with_output()?;
    match output.status.code() {
        Some(0) => Ok(Ok(output.stdout)),
        Some(_) => Ok(Err(String::from_utf8_lossy(&output.stderr).into_owned())),
        None => Err(io::Error::other(format!("the program was ended: {}", output.status))),
    }
}
