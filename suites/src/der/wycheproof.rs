//! Wycheproof: signatures of DSA and ECDSA, and what attackers make of their encoding.

use polywire_core::Value;
use polywire_core::value::same_decimal;

use crate::cases::Cases;
use crate::der;
use crate::files;
use crate::outcome::{Miss, Outcome};
use crate::suite::Suite;

/// Wycheproof.
pub static SUITE: Suite = Suite {
    name: "der-wycheproof",
    format: "DER",
    title: "Wycheproof (DSA and ECDSA)",
    folder: "C2SP+wycheproof",
    needs: "testvectors_v1",
    licence: "Apache-2.0",
    rule: "a valid signature is a list of two integers, without a remark; of all others a strict reader of our own decides: DER is read \
           without a remark, all else is refused or remarked on, and a signature flagged `BerEncodedSignature` is read",
    others: "",
    run,
};

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    let wanted =
        |name: &str| (name.starts_with("ecdsa_") || name.starts_with("dsa_")) && !name.contains("p1363") && name.ends_with("_test.json");
    for path in files::in_folder(&cases.root().join("testvectors_v1"), wanted)? {
        let name = files::name(&path);
        let file = files::json(&path)?;
        for group in file["testGroups"].as_array().into_iter().flatten() {
            for test in group["tests"].as_array().into_iter().flatten() {
                let bytes = files::hex(test["sig"].as_str().unwrap_or_default())?;
                let flagged = |flag: &str| test["flags"].as_array().into_iter().flatten().any(|known| known == flag);
                let part = if test["result"] == "valid" {
                    "valid"
                } else if flagged("BerEncodedSignature") {
                    "BerEncodedSignature"
                } else if flagged("InvalidEncoding") {
                    "InvalidEncoding"
                } else {
                    "other invalid ones"
                };
                cases.run(part, format!("{name}/{}", test["tcId"]), || match part {
                    "valid" => signature(&bytes),
                    "BerEncodedSignature" => Outcome::read(der::read(&bytes), |_| der::judged(&bytes)),
                    _ => der::judged(&bytes),
                });
            }
        }
    }
    Ok(())
}

/// Judges a valid signature: its integers are those of the bytes.
fn signature(bytes: &[u8]) -> Outcome {
    Outcome::read(der::read(bytes), |(value, remarks)| {
        if !remarks.is_empty() {
            return Outcome::miss(Miss::Remark, remarks[0]);
        }
        let integers = match &value {
            Value::List(values) if values.len() == 2 => values.iter().map(digits).collect::<Option<Vec<_>>>(),
            _ => None,
        };
        let right = integers
            .zip(integers_of(bytes))
            .is_some_and(|(ours, judge)| ours.iter().zip(&judge).all(|(one, other)| same_decimal(one, other)));
        Outcome::value(right, || format!("read {value:?}"))
    })
}

fn digits(value: &Value) -> Option<String> {
    match value {
        Value::UInt(value) => Some(value.to_string()),
        Value::Big(digits) => Some(digits.clone()),
        _ => None,
    }
}

/// Returns the digits of the two integers of a valid signature.
fn integers_of(bytes: &[u8]) -> Option<Vec<String>> {
    let long = usize::from(bytes.get(1)? & 0x80 != 0) * usize::from(bytes[1] & 0x7f);
    let mut rest = bytes.get(2 + long..)?;
    let mut found = Vec::new();
    for _ in 0..2 {
        let len = usize::from(*rest.get(1)?);
        found.push(decimal(rest.get(2..2 + len)?));
        rest = &rest[2 + len..];
    }
    Some(found)
}

/// Returns the decimal digits of a positive number's octets.
fn decimal(octets: &[u8]) -> String {
    let mut digits = vec![0u8];
    for octet in octets {
        let mut carry = u32::from(*octet);
        for digit in &mut digits {
            carry += u32::from(*digit) * 256;
            *digit = (carry % 10) as u8;
            carry /= 10;
        }
        while carry > 0 {
            digits.push((carry % 10) as u8);
            carry /= 10;
        }
    }
    digits.iter().rev().map(|digit| char::from(b'0' + digit)).collect()
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn octets_become_digits() {
        assert_eq!(decimal(&[0, 0xff, 0xff]), "65535");
        assert_eq!(decimal(&1234567890123456789u64.to_be_bytes()).trim_start_matches('0'), "1234567890123456789");
    }
}
