//! The conformance vectors through generated code: values, bytes, errors and where they are; and the same verdict as the codec's on bytes that were
//! tampered with.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use polywire_codegen_conformance::{DOORS, Door, door};
use polywire_extprot::failure::{Cause as WalkCause, Failure, SizeLimits};
use polywire_extprot::plan::Plan;
use polywire_extprot::protocol::{NoFiles, compile};
use polywire_extprot::validate::validate;
use polywire_extprot_runtime::{Cause, Error, Limits};
use serde_json::Value;

fn main() -> ExitCode {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/extprot")];
    folders.extend(std::env::var_os("POLYWIRE_VECTORS").map(|folder| Path::new(&folder).join("extprot")));
    let (mut total, mut failed, mut samples) = (0, 0, Vec::new());
    for folder in folders {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(&folder).expect("a folder of vectors").flatten().map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
        files.sort();
        for file in files {
            let (passed, wrong) = run(&file, &mut samples);
            total += passed + wrong;
            failed += wrong;
        }
    }
    assert!(total > 60, "the vectors were not found");
    let doors = DOORS.len();
    assert!(doors > 50, "the generated code was not found");
    tampered(&samples);
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[allow(clippy::print_stdout)] // A test's report.
fn run(path: &Path, samples: &mut Vec<(&'static Door, Vec<u8>)>) -> (u32, u32) {
    let text = std::fs::read_to_string(path).expect("a file of vectors");
    let file: Value = serde_json::from_str(&text).expect("vectors are JSON");
    let (mut passed, mut failed) = (0, 0);
    for case in file["cases"].as_array().expect("cases") {
        if !["roundtrip", "decode", "decode_error"].contains(&case["kind"].as_str().unwrap_or_default()) {
            continue;
        }
        match outcome(case, samples) {
            Ok(()) => passed += 1,
            Err(what) => {
                failed += 1;
                println!("{}: {what}", case["id"]);
            }
        }
    }
    if passed + failed > 0 {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        println!("extprot/{name}: {passed} passed, {failed} failed");
    }
    (passed, failed)
}

fn outcome(case: &Value, samples: &mut Vec<(&'static Door, Vec<u8>)>) -> Result<(), String> {
    let text = |name: &str| case[name].as_str().unwrap_or_default();
    let bytes = unhex(text("hex"));
    let find = |protocol: &str, message: &str| door(text(protocol), text(message)).ok_or("no code was made of the protocol");
    if !case["writer_protocol"].is_null() {
        let writer = find("writer_protocol", "writer_message")?;
        written(writer, &bytes, &case["writer_value"])?;
        samples.push((writer, bytes.clone()));
    }
    let door = find("protocol", "message")?;
    samples.push((door, bytes.clone()));
    let limit = |name: &str| case["limits"][name].as_u64().unwrap_or(u64::MAX);
    let limits =
        Limits { message_length: limit("max_message_length"), elements: limit("max_elements"), string_length: limit("max_string_length") };
    let doors = [("borrowing", (door.borrow)(&bytes, &limits)), ("owning", (door.own)(&bytes, &limits))];
    if text("kind") == "decode_error" {
        let mut errors = vec![("checking", (door.validate)(&bytes, &limits).map(|end| (Value::Null, end)))];
        errors.extend(doors);
        for (name, came) in errors {
            let error = came.err().ok_or(format!("{name}: no error"))?;
            refused(&error, case).map_err(|what| format!("{name}: {what}"))?;
        }
        return Ok(());
    }
    for (name, came) in doors {
        let (value, _) = came.map_err(|error| format!("{name}: {error}"))?;
        if !same(&case["value"], &value) {
            return Err(format!("{name}: {value} instead of {}", case["value"]));
        }
    }
    (door.validate)(&bytes, &limits).map_err(|error| format!("checking: {error}"))?;
    if text("kind") == "roundtrip" { written(door, &bytes, &case["value"]) } else { Ok(()) }
}

/// Holds that `bytes` are the value, and that the value, encoded, is `bytes` again.
fn written(door: &Door, bytes: &[u8], value: &Value) -> Result<(), String> {
    let (came, end) = (door.own)(bytes, &Limits::NONE).map_err(|error| error.to_string())?;
    if !same(value, &came) || end != bytes.len() {
        return Err(format!("{came} up to {end}, instead of {value}"));
    }
    let (borrowing, owning) = door.encode.ok_or("no encoder")?;
    for encode in [borrowing, owning] {
        let came = encode(bytes).map_err(|error| error.to_string())?;
        if came != bytes {
            return Err(format!("encoded {} instead of {}", hex(&came), hex(bytes)));
        }
    }
    Ok(())
}

fn refused(error: &Error, case: &Value) -> Result<(), String> {
    let wanted = &case["error"];
    let fits = wanted["kind"] == error.cause().name()
        && match error.cause() {
            Cause::BadWireType(Some(code)) => {
                wanted["found"].is_null() || wanted["found"].as_str() == polywire_extprot_runtime::wire::wire_type_name(code)
            }
            Cause::UnknownTag(tag) => wanted["tag"] == tag,
            Cause::MissingTupleElement(index) => wanted["index"] == index,
            Cause::LimitExceeded(size, actual) => wanted["what"] == size.name() && wanted["actual"] == actual,
            _ => true,
        };
    let path_fits = case["path"].as_array().is_none_or(|path| path.iter().eq(error.path()));
    if fits && path_fits { Ok(()) } else { Err(format!("{error:?} instead of {wanted} at {}", case["path"])) }
}

/// Whether a value as the vectors write it is the one that serde made of a generated type.
fn same(vector: &Value, came: &Value) -> bool {
    let all =
        |vectors: &[Value], came: &[Value]| vectors.len() == came.len() && vectors.iter().zip(came).all(|(one, other)| same(one, other));
    let bytes = |bytes: &[u8], came: &[Value]| bytes.iter().map(|byte| u64::from(*byte)).eq(came.iter().filter_map(Value::as_u64));
    match (vector, came) {
        // A lazy field: its bytes are held against the vector's as it is written.
        (_, Value::Object(lazy)) if lazy.len() == 1 && lazy.contains_key("Raw") => true,
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::String(text), Value::Number(number)) => *text == number.to_string() || (text == "-0" && number.as_f64() == Some(0.0)),
        // JSON has no such floats; their bytes are held against the vector's as they are written.
        (Value::String(text), Value::Null) => ["NaN", "Infinity", "-Infinity"].contains(&text.as_str()),
        (Value::String(text), Value::Array(came)) => bytes(text.as_bytes(), came),
        (Value::Object(one), Value::Array(came)) => one.get("hex").and_then(Value::as_str).is_some_and(|text| bytes(&unhex(text), came)),
        (Value::Array(one), Value::Array(other)) => all(one, other),
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, one)| match (one, other.get(key)) {
                    (_, None) => false,
                    // A constructor: serde shows a single argument without a list around it.
                    (Value::Array(arguments), Some(came))
                        if arguments.len() == 1 && key.starts_with(|char: char| char.is_ascii_uppercase()) =>
                    {
                        same(&arguments[0], came)
                    }
                    (one, Some(came)) => same(one, came),
                })
        }
        (one, other) => one == other,
    }
}

/// Generated code and the codec agree on bytes that were tampered with: where the message ends, or what is wrong, where, and in which field.
fn tampered(samples: &[(&'static Door, Vec<u8>)]) {
    let mut random = fastrand::Rng::with_seed(5);
    let (mut refusals, mut accepted) = (0, 0);
    for (door, bytes) in samples {
        let protocol = compile("vectors", door.protocol.as_bytes(), &mut NoFiles).expect("a protocol of the vectors");
        let plan = Arc::new(Plan::new(&protocol, Some(door.message)).expect("a message of the vectors"));
        let is_lazy = door.protocol.contains("lazy]");
        for round in 0..400 {
            let mut bytes = bytes.clone();
            tamper(&mut bytes, &mut random);
            let bound = |random: &mut fastrand::Rng| if round % 4 == 0 { random.u64(0..40) } else { u64::MAX };
            let limits = SizeLimits { message_length: bound(&mut random), elements: bound(&mut random), string_length: bound(&mut random) };
            let ours = Limits { message_length: limits.message_length, elements: limits.elements, string_length: limits.string_length };
            let wanted = validate(&plan, &bytes, &limits);
            let shown = || format!("{} as {} of\n{}", hex(&bytes), door.message, door.protocol);
            agree(&wanted, (door.validate)(&bytes, &ours), &shown);
            if !is_lazy {
                agree(&wanted, (door.borrow)(&bytes, &ours).map(|(_, end)| end), &shown);
                agree(&wanted, (door.own)(&bytes, &ours).map(|(_, end)| end), &shown);
            }
            match wanted {
                Ok(_) => accepted += 1,
                Err(_) => refusals += 1,
            }
            if let (Ok((value, _)), Some((borrowing, owning))) = ((door.own)(&bytes, &Limits::NONE), door.encode) {
                let again = owning(&bytes).expect("it was decoded");
                assert_eq!(borrowing(&bytes), Ok(again.clone()), "{}", shown());
                assert_eq!((door.own)(&again, &Limits::NONE).map(|(value, _)| value), Ok(value), "{}", shown());
            }
        }
    }
    assert!(refusals > 1000 && accepted > 1000, "{refusals} refused, {accepted} accepted");
}

fn tamper(bytes: &mut Vec<u8>, random: &mut fastrand::Rng) {
    const TELLING: &[u8] = &[0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x11, 0x12, 0x7f, 0x80, 0xff];
    for _ in 0..random.usize(1..4) {
        let at = random.usize(0..=bytes.len());
        let byte = if random.bool() { random.u8(..) } else { TELLING[random.usize(0..TELLING.len())] };
        match random.u8(0..6) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, byte),
            2 if at < bytes.len() => drop(bytes.remove(at)),
            3 if at < bytes.len() => drop(bytes.splice(at..=at, [0x80 | bytes[at], 0x80, 0x00])),
            _ if at < bytes.len() => bytes[at] = byte,
            _ => {}
        }
    }
}

fn agree(wanted: &Result<usize, Failure>, came: Result<usize, Error>, shown: &dyn Fn() -> String) {
    let is_same = match (wanted, &came) {
        (Ok(one), Ok(other)) => one == other,
        (Err(one), Err(other)) => cause(one.cause) == other.cause() && one.at == other.offset() && one.path.iter().eq(other.path()),
        _ => false,
    };
    assert!(is_same, "{came:?} instead of {wanted:?}: {}", shown());
}

fn cause(cause: WalkCause) -> Cause {
    use polywire_extprot::failure::Size as WalkSize;
    use polywire_extprot_runtime::Size;
    match cause {
        WalkCause::BadWireType(wire) => Cause::BadWireType(wire.map(|wire| wire.code())),
        WalkCause::UnknownTag(tag) => Cause::UnknownTag(tag),
        WalkCause::MissingField => Cause::MissingField,
        WalkCause::MissingTupleElement(index) => Cause::MissingTupleElement(index),
        WalkCause::LimitExceeded(size, actual) => {
            let size = match size {
                WalkSize::MessageLength => Size::MessageLength,
                WalkSize::Elements => Size::Elements,
                WalkSize::StringLength => Size::StringLength,
            };
            Cause::LimitExceeded(size, actual)
        }
        WalkCause::UnexpectedEnd => Cause::UnexpectedEnd,
        WalkCause::VintOverflow => Cause::VintOverflow,
    }
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal")).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
