//! Where an option may stand, and in which editions (descriptor.proto, `FieldOptions.targets` and
//! `FieldOptions.feature_support`).

use polywire_core::bytes::Input;

use super::schema::FieldRef;
use super::unit::Syntax;
use crate::descriptor::edition;

/// Names of the targets, from number 1 on.
const TARGETS: [&str; 9] =
    ["a file", "an extension range", "a message", "a field", "a oneof", "an enum", "an enum value", "a service", "a method"];

/// Returns why a declaration of a kind cannot have an option, in words that follow its name.
pub(super) fn refusal(field: &FieldRef<'_>, target: i32, syntax: Syntax) -> Option<String> {
    let options = field.field.options.as_ref()?;
    let mut targets = Vec::new();
    for other in &options.others {
        let mut input = Input::new(&other.bytes, 0);
        input.varint("").ok()?;
        match other.number {
            19 => targets.push(input.varint("").ok()? as i32),
            22 => {
                let length = input.varint("").ok()?;
                let (introduced, removed) = editions(input.take(length, "").ok()?)?;
                let own = match syntax {
                    Syntax::Proto2 => edition::PROTO2,
                    Syntax::Proto3 => edition::PROTO3,
                    Syntax::E2023 => edition::E2023,
                    Syntax::E2024 => edition::E2024,
                };
                if own < introduced {
                    return Some(format!("comes with edition {}", named(introduced)));
                }
                if own >= removed {
                    return Some(format!("is gone since edition {}", named(removed)));
                }
            }
            _ => {}
        }
    }
    let name = TARGETS.get(usize::try_from(target).ok()?.checked_sub(1)?)?;
    (!targets.is_empty() && !targets.contains(&target)).then(|| format!("cannot be set on {name}"))
}

/// Returns the first edition with an option and the first without it.
fn editions(bytes: &[u8]) -> Option<(i32, i32)> {
    let (mut introduced, mut removed) = (0, i32::MAX);
    let mut input = Input::new(bytes, 0);
    while input.remaining() > 0 {
        let tag = input.varint("").ok()?;
        if tag & 7 == 2 {
            let length = input.varint("").ok()?;
            input.take(length, "").ok()?;
            continue;
        }
        let value = input.varint("").ok()? as i32;
        match tag >> 3 {
            1 => introduced = value,
            4 => removed = value,
            _ => {}
        }
    }
    Some((introduced, removed))
}

fn named(number: i32) -> String {
    match number {
        edition::PROTO2 => "proto2".into(),
        edition::PROTO3 => "proto3".into(),
        edition::E2023 => "2023".into(),
        edition::E2024 => "2024".into(),
        other => other.to_string(),
    }
}
