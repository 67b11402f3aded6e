//! Numbers and classes of bytes.

use polywire_psyc::number::{Prefix, signed, unsigned};
use polywire_psyc::uniform::{is_host_byte, is_name_byte};
use polywire_psyc::wire::{is_keyword_byte, is_operator};
use serde_json::{Value, json};

use super::{b64, bytes};

pub fn number(case: &Value) -> Value {
    let input = bytes(&case["input"]);
    let (read, value) = if case["fn"] == "uint" {
        let Prefix { read, value } = unsigned(&input);
        (read, value.to_string())
    } else {
        let Prefix { read, value } = signed(&input);
        (read, value.to_string())
    };
    if read == input.len() {
        json!({ "consumed": read, "complete": true, "value": b64(value.as_bytes()) })
    } else {
        json!({ "consumed": read, "complete": false })
    }
}

pub fn char_classes() -> Value {
    let members = |is_member: &dyn Fn(u8) -> bool| -> String { (0..=255u8).filter(|byte| is_member(*byte)).map(char::from).collect() };
    json!({
        "oper": members(&is_operator),
        "numeric": members(&|byte| byte.is_ascii_digit()),
        "alpha": members(&|byte| byte.is_ascii_alphabetic()),
        "alpha_numeric": members(&|byte| byte.is_ascii_alphanumeric()),
        "kw_char": members(&is_keyword_byte),
        "name_char": members(&is_name_byte),
        "host_char": members(&is_host_byte),
    })
}
