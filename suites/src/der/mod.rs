//! Suites of DER and BER.

pub mod boringssl;
pub mod cryptography;
mod judge;
pub mod openssl;
mod pem;
pub mod wycheproof;
pub mod zlint;

use polywire_core::{ErrorKind, Result, Value};
use polywire_formats::ber::FORMAT;

use crate::outcome::{Miss, Outcome, short};
use crate::testee::{Remarked, walk};

/// Reads one encoding: its value, and the remarks that say where it is not DER.
fn read(bytes: &[u8]) -> Result<(Value, Vec<&'static str>)> {
    let mut sink = Remarked::default();
    walk(&FORMAT, bytes, &mut sink)?;
    // The names of types and object identifiers are remarks too; a sentence is one on the form.
    let deviations = sink.remarks.into_iter().filter(|remark| is_deviation(remark)).collect();
    Ok((sink.value.finish().unwrap_or(Value::Null), deviations))
}

fn is_deviation(remark: &str) -> bool {
    // A number beyond a limit of ours is no matter of form.
    let ours = remark.contains("limit `digits`") || remark.contains("more than 128 bits");
    !ours && remark.contains(' ') && remark.starts_with(|letter: char| letter.is_lowercase())
}

/// Judges an encoding by the strict reader of our own: what is DER is read without a remark, and
/// what is not is refused or remarked on.
fn judged(bytes: &[u8]) -> Outcome {
    let strict = judge::strict(bytes);
    match (read(bytes), strict) {
        (Err(error), Ok(())) => Outcome::error(&error),
        (Ok((_, remarks)), Ok(())) if !remarks.is_empty() => Outcome::miss(Miss::Remark, format!("{} in {}", remarks[0], short(bytes))),
        (Ok(_), Ok(())) => Outcome::Right,
        (Err(error), Err(why)) if error.kind() == ErrorKind::Limit => Outcome::miss(Miss::Limit, format!("{error}; not DER: {why}")),
        (Err(_), Err(_)) => Outcome::Right,
        (Ok((_, remarks)), Err(why)) if remarks.is_empty() => Outcome::miss(Miss::Accepted, format!("not DER: {why}, in {}", short(bytes))),
        (Ok(_), Err(_)) => Outcome::Right,
    }
}
