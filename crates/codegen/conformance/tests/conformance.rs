//! Runs the conformance vectors through generated code: values, bytes, errors and their offsets.
//! Generated code and the codec give the same verdict on tampered bytes.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use polywire_codegen_conformance::bytes::{hex, tamper};
use polywire_codegen_conformance::sample::sample;
use polywire_codegen_conformance::twin::{Twin, fuzz};
use polywire_codegen_conformance::{DOORS, Door, door};
use polywire_extprot::error::SizeLimits;
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
    random();
    fuzzed(&samples);
    hostile();
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
            let error = match came {
                // An error within a lazy field is reported on access.
                Ok((value, _)) if has_raw(&value) => continue,
                came => came.err().ok_or(format!("{name}: no error"))?,
            };
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

/// Checks that `bytes` decode to the value, and that the value encodes to `bytes`.
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
    let path_fits =
        case["path"].as_array().is_none_or(|path| path.iter().map(Value::as_str).eq(error.path().iter().map(|step| step.name())));
    if fits && path_fits { Ok(()) } else { Err(format!("{error:?} instead of {wanted} at {}", case["path"])) }
}

/// Returns true if lazy fields of a value are still bytes.
fn has_raw(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(name, member)| name == "Raw" || has_raw(member)),
        Value::Array(values) => values.iter().any(has_raw),
        _ => false,
    }
}

/// Returns true if a vector's value equals the one that serde made from a generated type.
fn same(vector: &Value, came: &Value) -> bool {
    let all =
        |vectors: &[Value], came: &[Value]| vectors.len() == came.len() && vectors.iter().zip(came).all(|(one, other)| same(one, other));
    let bytes = |bytes: &[u8], came: &[Value]| bytes.iter().map(|byte| u64::from(*byte)).eq(came.iter().filter_map(Value::as_u64));
    match (vector, came) {
        // A lazy field: its bytes are compared with the vector's when it is encoded.
        (_, Value::Object(lazy)) if lazy.len() == 1 && lazy.contains_key("Raw") => true,
        // A lazy field that has its default.
        (vector, Value::Object(lazy)) if lazy.len() == 1 && lazy.contains_key("Decoded") => same(vector, &lazy["Decoded"]),
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::String(text), Value::Number(number)) => *text == number.to_string() || (text == "-0" && number.as_f64() == Some(0.0)),
        // JSON has no such floats; their bytes are compared with the vector's when they are
        // encoded.
        (Value::String(text), Value::Null) => ["NaN", "Infinity", "-Infinity"].contains(&text.as_str()),
        (Value::String(text), Value::Array(came)) => bytes(text.as_bytes(), came),
        (Value::Object(one), Value::Array(came)) => one.get("hex").and_then(Value::as_str).is_some_and(|text| bytes(&unhex(text), came)),
        (Value::Array(one), Value::Array(other)) => all(one, other),
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, one)| match (one, other.get(key)) {
                    (_, None) => false,
                    // A constructor: serde writes a single argument without a list around it.
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

/// Compares generated code with the codec on tampered bytes.
fn tampered(samples: &[(&'static Door, Vec<u8>)]) {
    let mut random = fastrand::Rng::with_seed(5);
    let mut seen = [0, 0];
    for (door, bytes) in samples {
        let twin = Twin::new(door);
        for round in 0..400 {
            seen[usize::from(one(&twin, bytes, round, &mut random))] += 1;
        }
    }
    assert!(seen[0] > 1000 && seen[1] > 1000, "{seen:?}");
}

/// Does the same for random messages of random protocols.
fn random() {
    let mut random = fastrand::Rng::with_seed(6);
    let mut seen = [0, 0];
    for door in DOORS {
        let twin = Twin::new(door);
        let node = twin.protocol.message(door.message).expect("the message is there");
        for round in 0..300 {
            let bytes = sample(&twin.protocol, node, &mut random);
            // The field types of a subset may not read the source's. There, only the verdicts must
            // agree.
            let accepted = twin.agree(&bytes, &SizeLimits::NONE);
            if let Some((borrowing, owning)) = door.encode {
                assert!(accepted, "a message is refused: {}", hex(&bytes));
                assert_eq!(
                    (borrowing(&bytes), owning(&bytes)),
                    (Ok(bytes.clone()), Ok(bytes.clone())),
                    "{} of\n{}",
                    door.message,
                    door.protocol
                );
            }
            seen[usize::from(one(&twin, &bytes, round, &mut random))] += 1;
        }
    }
    assert!(seen[0] > 1000 && seen[1] > 1000, "{seen:?}");
}

/// Checks that both sides agree on bytes made from `bytes`. Returns true if those are a message.
fn one(twin: &Twin, bytes: &[u8], round: u32, random: &mut fastrand::Rng) -> bool {
    let mut bytes = bytes.to_vec();
    tamper(&mut bytes, random);
    let bound = |random: &mut fastrand::Rng| if round.is_multiple_of(4) { random.u64(0..40) } else { u64::MAX };
    let limits = SizeLimits { message_length: bound(random), elements: bound(random), string_length: bound(random) };
    twin.agree(&bytes, &limits)
}

/// Runs the body of the fuzz target on bytes that are close to messages.
fn fuzzed(samples: &[(&'static Door, Vec<u8>)]) {
    let mut random = fastrand::Rng::with_seed(7);
    for (door, bytes) in samples {
        let index = DOORS.iter().position(|one| std::ptr::eq(one, *door)).expect("a door");
        for _ in 0..20 {
            let mut bytes = bytes.clone();
            tamper(&mut bytes, &mut random);
            fuzz(&[&[index as u8, (index >> 8) as u8, random.u8(..)], &bytes[..]].concat());
        }
    }
}

/// Tests counts and lengths that no input can hold.
fn hostile() {
    let huge: &[&[u8]] = &[
        &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10],
        &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
        &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
        &[0xff, 0xff, 0xff, 0xff, 0x0f],
    ];
    for door in DOORS {
        let twin = Twin::new(door);
        for number in huge {
            for (before, after) in [
                (&[][..], &[0x00][..]),
                (&[1][..], &[0]),
                (&[1, 0x7f], &[]),
                (&[1, 0x0d, 1, 5, 0x0b], &[]),
                (&[1, 4, 1, 5], &[0, 0]),
                (&[1, 4, 1, 3], &[0]),
            ] {
                twin.agree(&[before, number, after].concat(), &SizeLimits::NONE);
                let bytes = [before, number, after, &[2; 100]].concat();
                twin.agree(&bytes, &SizeLimits::NONE);
            }
        }
    }
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal")).collect()
}
