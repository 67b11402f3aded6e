//! Filters between values and text in some format: `@csv`, `@base64`, `fromjson`.

use base64::Engine;
use base64::alphabet;
use base64::engine::general_purpose::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::{Limits, Surrogates};
use polywire_formats::json;

use crate::value::{Kind, Val, ValError, ValR, ValSink};

/// Base64 whose padding may lack.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent).with_decode_allow_trailing_bits(true),
);

fn shown(value: &Val) -> String {
    format!("{} ({})", value.kind().name(), value.excerpt(14))
}

fn text_of(value: Val) -> Result<Val, ValError> {
    value.into_text().map_err(|error| ValError::str(error.what()))
}

/// Reads one value of JSON text, as jq reads its input: the last of duplicate keys counts.
pub(super) fn from_json(text: &str) -> ValR {
    if matches!(text.trim(), "nan" | "NaN") {
        return Ok(Val::F64(f64::NAN));
    }
    let failed = |error: polywire_core::Error| ValError::str(format_args!("{error} (while parsing '{text}')"));
    let mut walker = Walker::new(&json::FORMAT, &Limits::DEFAULT).doubles(Doubles::Last).surrogates(Surrogates::Replace);
    let mut stream = Stream::new(text.as_bytes()).exactly_one(true);
    let mut sink = ValSink::new();
    let mut found = None;
    while let Some(message) = stream.next(&mut walker).map_err(failed)? {
        walker.walk(message.bytes, message.base, &mut sink).map_err(failed)?;
        found = sink.take();
    }
    found.ok_or_else(|| ValError::str(format_args!("no value (while parsing '{text}')")))
}

/// Encodes text in base64; of binary data, its bytes.
pub(super) fn base64(value: Val) -> ValR {
    if let Val::Bytes(bytes) = &value {
        return Ok(Val::from(STANDARD.encode(bytes.as_slice())));
    }
    let text = text_of(value)?;
    Ok(Val::from(STANDARD.encode(text.bytes().unwrap_or_default())))
}

pub(super) fn from_base64(value: &Val) -> ValR {
    let text = text_of(value.clone())?;
    let digits: Vec<u8> = text.bytes().unwrap_or_default().iter().copied().filter(|byte| *byte != b'=').collect();
    let decoded = LENIENT.decode(&digits).ok();
    let decoded = decoded.filter(|bytes| digits.is_empty() || !bytes.is_empty());
    decoded.map(|bytes| Val::text_lossy(&bytes)).ok_or_else(|| ValError::str(format_args!("{} is not valid base64 data", shown(value))))
}

const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Encodes text in base32 (RFC 4648 6); of binary data, its bytes.
pub(super) fn base32(value: Val) -> ValR {
    let value = if matches!(value, Val::Bytes(_)) { value } else { text_of(value)? };
    let mut out = String::new();
    for block in value.bytes().unwrap_or_default().chunks(5) {
        let mut bits = [0u8; 8];
        bits[3..3 + block.len()].copy_from_slice(block);
        let bits = u64::from_be_bytes(bits);
        let digits = (block.len() * 8).div_ceil(5);
        for place in 0..8 {
            let digit = BASE32[(bits >> (35 - 5 * place)) as usize & 31];
            out.push(if place < digits { char::from(digit) } else { '=' });
        }
    }
    Ok(Val::from(out))
}

pub(super) fn from_base32(value: &Val) -> ValR {
    let text = text_of(value.clone())?;
    let error = || ValError::str(format_args!("{} is not valid base32 data", shown(value)));
    let (mut out, mut bits, mut count) = (Vec::new(), 0u32, 0);
    for byte in text.bytes().unwrap_or_default().iter().filter(|byte| **byte != b'=') {
        let digit = BASE32.iter().position(|digit| digit == byte).ok_or_else(error)?;
        bits = bits << 5 | digit as u32;
        count += 5;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    Ok(Val::text_lossy(&out))
}

pub(super) fn html(value: Val) -> ValR {
    let text = text_of(value)?;
    let mut out = String::new();
    for char in text.as_str().unwrap_or_default().chars() {
        match char {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\'' => out.push_str("&apos;"),
            '"' => out.push_str("&quot;"),
            other => out.push(other),
        }
    }
    Ok(Val::from(out))
}

/// Writes a list as a row, `text` the texts.
fn row(value: &Val, name: &str, separator: &str, text: fn(&str) -> String) -> ValR {
    let list = match value {
        Val::List(list) => list,
        other => return Err(ValError::str(format_args!("{} cannot be {name}-formatted, only an array can be", shown(other)))),
    };
    let mut out = String::new();
    for (at, cell) in list.values.iter().enumerate() {
        out.push_str(if at > 0 { separator } else { "" });
        match (cell.kind(), cell.as_str()) {
            (Kind::Null, _) => {}
            (Kind::Number | Kind::Bool, _) => out.push_str(&cell.to_json().map_err(|error| ValError::str(error.what()))?),
            (Kind::String, Some(cell)) => out.push_str(&text(cell)),
            (Kind::String, None) => out.push_str(&text(text_of(cell.clone())?.as_str().unwrap_or_default())),
            _ => return Err(ValError::str(format_args!("{} is not valid in a {name} row", shown(cell)))),
        }
    }
    Ok(Val::from(out))
}

pub(super) fn csv(value: &Val) -> ValR {
    row(value, "csv", ",", |text| format!("\"{}\"", text.replace('"', "\"\"")))
}

pub(super) fn tsv(value: &Val) -> ValR {
    row(value, "tsv", "\t", |text| text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r"))
}
