//! Test vectors of the CBOR working group, which are CBOR themselves.

use polywire_core::Value;
use polywire_core::tools::adapt::Doubles;
use polywire_formats::cbor::FORMAT;
use polywire_formats::cbor_diag;

use crate::cases::Cases;
use crate::outcome::Outcome;
use crate::suite::Suite;
use crate::{files, testee};

/// cbor-test-vectors of the working group.
pub static SUITE: Suite = Suite {
    name: "cbor-working-group",
    format: "CBOR",
    title: "cbor-wg/cbor-test-vectors",
    folder: "cbor-wg+cbor-test-vectors",
    needs: "tests",
    licence: "MIT",
    rule: "each `encoded` has the value of `decoded`, and comes back byte for byte unless `roundtrip` is false; with `fail` it is refused; \
           diagnostic notation gives the same back, and the notation of a file is its value",
    others: "",
    run,
};

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    let root = cases.root().join("tests");
    for path in files::below(&root, |name| name.ends_with(".cbor"))? {
        let name = files::within(&root, &path);
        let list = testee::one(&FORMAT, Doubles::Keep, &files::bytes(&path)?).map_err(|error| format!("{name}: {error}"))?;
        let notation = files::bytes(&path.with_extension("edn"))?;
        cases.run("notation", format!("{name}/notation"), || {
            Outcome::read(testee::one(&cbor_diag::FORMAT, Doubles::Keep, &notation), |value| {
                Outcome::value(alike(&value, &list), || "the notation of the file is another value".to_string())
            })
        });
        let all_fail = member(&list, "fail") == Some(&Value::Bool(true));
        let Some(Value::List(tests)) = member(&list, "tests") else { return Err(format!("{name}: no `tests`")) };
        for (index, test) in tests.iter().enumerate() {
            let about = match member(test, "description") {
                Some(Value::Text(text)) => text.as_str(),
                _ => "",
            };
            let case = format!("{name}/{index} {about}");
            let Some(Value::Bytes(bytes)) = member(test, "encoded") else {
                cases.skip("without `encoded`: a value that no encoder may write");
                continue;
            };
            if all_fail || member(test, "fail") == Some(&Value::Bool(true)) {
                cases.run("refused", case, || super::appendix::refused(bytes));
                continue;
            }
            cases.run("value", format!("{case}/value"), || {
                Outcome::read(testee::one(&FORMAT, Doubles::Keep, bytes), |value| match member(test, "decoded") {
                    Some(decoded) => Outcome::value(alike(&value, decoded), || format!("read {value:?}, not {decoded:?}")),
                    None => Outcome::Right,
                })
            });
            cases.run("notation", format!("{case}/notation"), || match member(test, "roundtrip") {
                Some(Value::Bool(false)) => same_by_notation(bytes),
                _ => super::comes_back_as_text(bytes),
            });
            if member(test, "roundtrip") != Some(&Value::Bool(false)) {
                cases.run("bytes", format!("{case}/bytes"), || super::comes_back(bytes));
            }
        }
    }
    Ok(())
}

/// Judges the notation that is written of a message: it is read as the same value.
fn same_by_notation(bytes: &[u8]) -> Outcome {
    let text = testee::written(&FORMAT, &cbor_diag::FORMAT, Doubles::Keep, bytes);
    let read = text.and_then(|text| testee::one(&cbor_diag::FORMAT, Doubles::Keep, &text));
    Outcome::read(read, |value| {
        let right = testee::one(&FORMAT, Doubles::Keep, bytes).is_ok_and(|known| alike(&known, &value));
        Outcome::value(right, || format!("read {value:?}"))
    })
}

/// Returns whether two values are the same; a NaN is the same as another.
pub fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::F32(one), Value::F32(other)) => one.to_bits() == other.to_bits(),
        (Value::F64(one), Value::F64(other)) => one.to_bits() == other.to_bits(),
        (Value::F32(one), Value::F64(other)) | (Value::F64(other), Value::F32(one)) => {
            f64::from(*one).to_bits() == other.to_bits() || one.is_nan() && other.is_nan()
        }
        (Value::List(one), Value::List(other)) => one.len() == other.len() && one.iter().zip(other).all(|(one, other)| alike(one, other)),
        (Value::Map(one), Value::Map(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| alike(&one.0, &other.0) && alike(&one.1, &other.1))
        }
        (Value::Tagged { space, code, value }, Value::Tagged { space: other, code: number, value: content }) => {
            space == other && code == number && alike(value, content)
        }
        _ => one == other,
    }
}

fn member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    match value {
        Value::Map(pairs) => pairs.iter().find(|(key, _)| matches!(key, Value::Text(text) if text == name)).map(|(_, value)| value),
        Value::Record { fields, .. } => fields.iter().find(|(key, _)| key == name).map(|(_, value)| value),
        _ => None,
    }
}
