//! Vectors of binary formats: bytes in hexadecimal, the value that they mean, and the bytes that the writer makes of it.

// Each test target uses a part of it.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

use polywire_core::format::Format;
use polywire_core::testing;
use polywire_core::time::Timestamp;
use polywire_core::tree::Tree;
use polywire_core::value::Value;
use serde_json::Value as Json;

/// One case of a file of vectors.
pub struct Case {
    pub bytes: Vec<u8>,
    pub value: Value,
    pub written: Vec<u8>,
}

/// The files of vectors of a format: those of `testdata/<format>/`, and of `$POLYWIRE_VECTORS/<format>/` if that is set. None of
/// a codec that is a crate of its own, and runs its vectors there.
pub fn of(format: &'static Format) -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    if !here.join("src").join(format.name).is_dir() {
        return Vec::new();
    }
    let mut folders = vec![here.join("../../testdata")];
    folders.extend(std::env::var_os("POLYWIRE_VECTORS").map(PathBuf::from));
    let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder.join(format.name)).ok()).flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    files
}

/// The cases of `testdata/FOLDER/FILE`.
pub fn load(file: &str) -> Vec<Case> {
    load_from(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(file))
}

/// The cases of a file.
pub fn load_from(path: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let json: Json = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let cases = json["cases"].as_array().expect("an array of cases");
    assert!(!cases.is_empty(), "{} has no cases", path.display());
    cases
        .iter()
        .map(|case| {
            let bytes = unhex(string(&case["hex"]));
            let written = case.get("written").map_or_else(|| bytes.clone(), |hex| unhex(string(hex)));
            Case { bytes, value: value(&case["value"]), written }
        })
        .collect()
}

/// What is wrong with how `format` reads and writes a case.
pub fn wrong(format: &'static Format, case: &Case) -> Option<String> {
    let Case { bytes, value, written } = case;
    let shown = hex(bytes);
    let tree = match testing::read(format, bytes) {
        Ok(tree) => tree,
        Err(error) => return Some(format!("{shown}: expected {value:?}, came {error}")),
    };
    let read = Value::from(tree.root().expect("a value"));
    // By their text, since NaN is not equal to itself.
    if format!("{read:?}") != format!("{value:?}") {
        return Some(format!("{shown}: expected {value:?}, came {read:?}"));
    }
    let mut writer = (format.writer.expect("a writer"))();
    let mut out = Vec::new();
    if let Err(error) = tree.emit(&mut *writer).and_then(|()| writer.finish(&mut out)) {
        return Some(format!("{value:?}: expected {}, came {error}", hex(written)));
    }
    if out != *written || !writer.losses().is_empty() {
        return Some(format!("{value:?}: expected {}, came {}", hex(written), hex(&out)));
    }
    None
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
                    Value::Tagged { space, code: of[1].as_u64().expect("a code"), value: Box::new(value(&of[2])) }
                }
                other => panic!("no kind `{other}`"),
            }
        }
    }
}

/// Holds that two values are equal in the sense of `polywire_core::diff`.
pub fn assert_same(left: &Value, right: &Value, what: &str) {
    let (mut one, mut other) = (Tree::new(), Tree::new());
    left.emit(&mut one).expect("a tree takes any value");
    right.emit(&mut other).expect("a tree takes any value");
    let found = polywire_core::diff::differences(one.root().expect("a value"), other.root().expect("a value"), 3);
    assert!(found.is_empty(), "{what}: {found:?} in {left:?}");
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
