//! Suites of JSON.

pub mod canonical;
pub mod checker;
pub mod numbers;
pub mod parsing;

use polywire_core::tools::adapt::Doubles;
use polywire_formats::json::FORMAT;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::json_value::same;
use crate::outcome::{Miss, Outcome};
use crate::testee;

/// Judges a text that has to be read: its value, and the text that is written of it, by serde_json.
fn accepted(text: &[u8]) -> Outcome {
    let judge = match judge(text) {
        Ok(judge) => judge,
        Err(error) => return Outcome::miss(Miss::Failed, format!("the judge refuses it: {error}")),
    };
    Outcome::read(testee::one(&FORMAT, Doubles::Last, text), |value| {
        if !same(&value, &judge) {
            return Outcome::miss(Miss::Value, format!("read {value:?}").chars().take(300).collect::<String>());
        }
        Outcome::read(testee::written(&FORMAT, &FORMAT, Doubles::Last, text), |written| {
            let again = self::judge(&written);
            Outcome::value(again.is_ok_and(|again| again == judge || same(&value, &again)), || {
                format!("wrote {}", crate::outcome::short(&written))
            })
        })
    })
}

/// Reads a text by serde_json, however deep it is: the runner's stack is large.
fn judge(text: &[u8]) -> serde_json::Result<Json> {
    let mut judge = serde_json::Deserializer::from_slice(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text));
    judge.disable_recursion_limit();
    let value = Json::deserialize(&mut judge)?;
    judge.end().map(|()| value)
}

/// Judges a text that has to be refused.
fn refused(text: &[u8]) -> Outcome {
    Outcome::refused(testee::one(&FORMAT, Doubles::Last, text))
}

/// Judges a text that may be read or refused, but not with a panic.
fn free(text: &[u8]) -> Outcome {
    let _ = testee::one(&FORMAT, Doubles::Keep, text);
    let _ = testee::written(&FORMAT, &FORMAT, Doubles::Last, text);
    Outcome::Free
}

/// Judges a text by the first letter of its file: `y`, `n`, or neither.
fn by_letter(file: &str, text: &[u8]) -> Outcome {
    match file.as_bytes().first() {
        Some(b'y') => accepted(text),
        Some(b'n') => refused(text),
        _ => free(text),
    }
}
