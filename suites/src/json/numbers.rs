//! parse-number-fxx: texts of numbers, and the binary floats that are nearest to them.

use polywire_core::tools::adapt::Doubles;
use polywire_core::{Dialect, Value};
use polywire_formats::{json, msgpack};

use crate::cases::Cases;
use crate::outcome::{Miss, Outcome};
use crate::suite::Suite;
use crate::{files, testee};

/// parse-number-fxx-test-data.
pub static SUITE: Suite = Suite {
    name: "json-numbers",
    format: "JSON",
    title: "parse-number-fxx-test-data",
    folder: "nigeltao+parse-number-fxx-test-data",
    needs: "data",
    licence: "Apache-2.0",
    rule: "a text of JSON's number syntax becomes, by JSON to MessagePack, the number itself or the nearest binary64; by JSON to \
           Protobuf exactly the nearest `double` and the nearest `float`; beyond their range it is refused, or a loss is reported; another text \
           is no JSON",
    others: "",
    run,
};

const SCHEMA: &str = "syntax = \"proto3\"; message N { double d = 1; float f = 2; }";

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    let data = cases.root().join("data");
    let file = std::env::temp_dir().join(format!("suites-number-{}.proto", std::process::id()));
    std::fs::write(&file, SCHEMA).map_err(|error| error.to_string())?;
    let bound = Dialect::with_schema(&polywire_protobuf::FORMAT, &file, Some("N"), &[]);
    let _ = std::fs::remove_file(&file);
    let message = bound.map_err(|error| error.to_string())?;
    for path in files::in_folder(&data, |name| name.ends_with(".txt"))? {
        let name = files::name(&path);
        for (index, line) in files::text(&path)?.lines().enumerate() {
            let mut words = line.split(' ');
            let (Some(_), Some(f32), Some(f64), Some(text)) = (words.next(), words.next(), words.next(), words.next()) else {
                return Err(format!("{name}:{}: four words were expected", index + 1));
            };
            let (Ok(single), Ok(double)) = (u32::from_str_radix(f32, 16), u64::from_str_radix(f64, 16)) else {
                return Err(format!("{name}:{}: a float in hexadecimal was expected", index + 1));
            };
            let (single, double) = (f32::from_bits(single), f64::from_bits(double));
            let json = serde_json::from_str::<serde_json::Number>(text).is_ok();
            let part = if json { "numbers" } else { "no JSON" };
            cases.run_unnamed(
                part,
                || format!("{name}:{}", index + 1),
                || {
                    if json {
                        number(text, single, double, &message)
                    } else {
                        Outcome::refused(testee::one(&json::FORMAT, Doubles::Refuse, text.as_bytes()))
                    }
                },
            );
        }
    }
    Ok(())
}

fn number(text: &str, single: f32, double: f64, message: &Dialect) -> Outcome {
    let packed = testee::written(&json::FORMAT, &msgpack::FORMAT, Doubles::Refuse, text.as_bytes());
    let packed = packed.and_then(|bytes| testee::one(&msgpack::FORMAT, Doubles::Refuse, &bytes));
    let outcome = Outcome::read(packed, |value| {
        let right = match &value {
            Value::F64(value) => value.to_bits() == double.to_bits(),
            Value::F32(value) => f64::from(*value).to_bits() == double.to_bits(),
            Value::UInt(value) => *value as f64 == double && crate::json_value::same_number(&Value::UInt(*value), text),
            Value::Int(value) => *value as f64 == double && crate::json_value::same_number(&Value::Int(*value), text),
            // A whole number beyond 64 bits stays as its digits, and so may one beyond binary64.
            Value::Text(digits) => digits == text && (double.is_infinite() || whole(text)),
            _ => false,
        };
        Outcome::value(right, || format!("{text} became {value:?} in MessagePack, not {double:?}"))
    });
    if !matches!(outcome, Outcome::Right) {
        return outcome;
    }
    for (field, infinite, demanded) in [
        ("d", double.is_infinite(), [&[0x09][..], &double.to_le_bytes()].concat()),
        ("f", single.is_infinite(), [&[0x15][..], &single.to_le_bytes()].concat()),
    ] {
        // Proto3 does not write a zero; the negative one is written.
        let zero = demanded[1..].iter().all(|byte| *byte == 0);
        let demanded = if zero { Vec::new() } else { demanded };
        let json = format!("{{\"{field}\":{text}}}");
        match testee::written_with_losses(&json::FORMAT, message.clone(), Doubles::Refuse, json.as_bytes()) {
            Err(_) if infinite => {}
            Err(error) => return Outcome::error(&error),
            Ok((_, false)) if infinite => return Outcome::miss(Miss::Accepted, format!("{text} as `{field}` is out of range")),
            Ok((written, _)) if written != demanded => {
                return Outcome::miss(Miss::Value, format!("{text} as `{field}` became {}", crate::outcome::short(&written)));
            }
            Ok(_) => {}
        }
    }
    Outcome::Right
}

/// Returns whether a text has digits alone.
fn whole(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}
