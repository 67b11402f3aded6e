//! Vectors of binary formats: bytes in hexadecimal, the value that they mean, and the bytes that
//! the writer makes of it.

// Each test target uses a part of it.
#![allow(dead_code)]

use std::path::Path;

use polywire_core::Timestamp;
use polywire_core::format::Format;
use polywire_core::value::Value;
use polywire_testing as testing;
use serde_json::Value as Json;

/// One case of a file of vectors.
pub struct Case {
    pub bytes: Vec<u8>,
    pub value: Value,
    pub written: Vec<u8>,
}

/// Reports whether the codec of a format lives in this crate. One that is a crate of its own runs
/// its vectors there.
pub fn is_here(format: &Format) -> bool {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(format.name).is_dir()
}

/// The cases of all files of a format.
pub fn of(format: &Format) -> Vec<Case> {
    let files = if is_here(format) { testing::vectors::files(format.name) } else { Vec::new() };
    files.iter().flat_map(|file| testing::vectors::cases(file)).map(|it| case(&it)).collect()
}

/// The cases of `testdata/FOLDER/FILE`.
pub fn load(file: &str) -> Vec<Case> {
    testing::vectors::cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(file)).iter().map(case).collect()
}

/// A case as its object says it.
pub fn case(case: &Json) -> Case {
    let bytes = unhex(string(&case["hex"]));
    let written = case.get("written").map_or_else(|| bytes.clone(), |hex| unhex(string(hex)));
    Case { bytes, value: value(&case["value"]), written }
}

/// Reads a case and writes it again.
///
/// # Errors
/// What is wrong with how `format` does that.
pub fn check(format: &'static Format, case: &Case) -> Result<(), String> {
    let Case { bytes, value, written } = case;
    let shown = hex(bytes);
    let tree = testing::read(format, bytes).map_err(|error| format!("{shown}: expected {value:?}, came {error}"))?;
    let read = Value::from(tree.root().expect("a value"));
    // By their text, since NaN is not equal to itself.
    if format!("{read:?}") != format!("{value:?}") {
        return Err(format!("{shown}: expected {value:?}, came {read:?}"));
    }
    let mut writer = (format.writer.expect("a writer"))();
    let mut out = Vec::new();
    tree.emit(&mut *writer)
        .and_then(|()| writer.finish(&mut out))
        .map_err(|error| format!("{value:?}: expected {}, came {error}", hex(written)))?;
    if out != *written || !writer.losses().is_empty() {
        return Err(format!("{value:?}: expected {}, came {}", hex(written), hex(&out)));
    }
    Ok(())
}

fn string(json: &Json) -> &str {
    json.as_str().unwrap_or_else(|| panic!("{json} is no string"))
}

fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(values) => Value::List(values.iter().map(value).collect()),
        Json::Number(number) => panic!("{number} has no kind"),
        Json::Object(object) => {
            let (kind, of) = object.iter().next().expect("a kind");
            match kind.as_str() {
                "int" => string(of).parse().map(Value::UInt).or_else(|_| string(of).parse().map(Value::Int)).expect("an integer"),
                "f32" => Value::F32(string(of).parse().expect("a number")),
                "f64" => Value::F64(string(of).parse().expect("a number")),
                "big" => Value::Big(string(of).to_string()),
                "decimal" => Value::Decimal(string(of).to_string()),
                "bytes" => Value::Bytes(unhex(string(of))),
                "octets" => Value::Octets(unhex(string(of))),
                "time" => {
                    let nanos = u32::try_from(of[1].as_u64().expect("nanoseconds")).expect("nanoseconds");
                    Value::Time(Timestamp::new(of[0].as_i64().expect("seconds"), nanos).expect("a moment"))
                }
                "map" => Value::Map(of.as_array().expect("pairs").iter().map(|pair| (value(&pair[0]), value(&pair[1]))).collect()),
                "tag" => {
                    let space = ["cbor", "cbor-simple", "msgpack"].into_iter().find(|space| *space == string(&of[0])).expect("a space");
                    Value::Tagged { space: space.into(), code: of[1].as_u64().expect("a code"), value: Box::new(value(&of[2])) }
                }
                other => panic!("no kind `{other}`"),
            }
        }
    }
}

/// The bytes that hexadecimal digits spell.
pub fn unhex(digits: &str) -> Vec<u8> {
    assert!(digits.len().is_multiple_of(2), "{digits}");
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits")).collect()
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
