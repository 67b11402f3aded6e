//! An error as an object.

use polywire_core::Error;
use serde::Serialize;

/// An error for programs. Fields that are not known are absent.
#[derive(Debug, Clone, Serialize)]
pub struct ErrorLine<'e> {
    r#type: &'static str,
    kind: &'static str,
    fault: &'static str,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'e str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    seen: &'e str,
    #[serde(skip_serializing_if = "str::is_empty")]
    expected: &'e str,
    #[serde(skip_serializing_if = "str::is_empty")]
    hint: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bit: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decoded: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit: Option<u8>,
}

impl<'e> ErrorLine<'e> {
    /// Makes the object of an error about `file`, with the exit code of the run that it ended.
    pub fn new(error: &'e Error, file: Option<&'e str>, exit: Option<u8>) -> ErrorLine<'e> {
        ErrorLine {
            r#type: "error",
            kind: error.kind().name(),
            fault: error.fault().name(),
            text: error.to_string(),
            format: error.format(),
            seen: error.seen_text(),
            expected: error.expected_text(),
            hint: error.advice(),
            file,
            offset: error.offset(),
            bit: error.bit_offset(),
            decoded: error.decoded(),
            line: error.place().map(|place| place.line),
            column: error.place().map(|place| place.column),
            message: error.message(),
            path: error.path().map(ToString::to_string),
            exit,
        }
    }
}
