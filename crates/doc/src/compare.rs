//! Equality and truth of values.

use super::datum::Datum;
use super::view::{Members, Ref, View};
use polywire_core::value::same_decimal;

impl Ref<'_> {
    /// Returns the truth of the value, as in JavaScript. Null, false, zero, NaN and the empty text
    /// are false. Everything else is true, including empty lists and objects.
    pub fn is_truthy(self) -> bool {
        match self.view() {
            View::Null => false,
            View::Bool(value) => value,
            View::UInt(value) => value != 0,
            View::F32(value) => value != 0.0 && !value.is_nan(),
            View::F64(value) => value != 0.0 && !value.is_nan(),
            View::Text(text) => !text.is_empty(),
            // A zero has none of these digits before its exponent.
            View::Decimal(text) => text.bytes().take_while(|byte| !matches!(byte, b'e' | b'E')).any(|byte| (b'1'..=b'9').contains(&byte)),
            View::Int(_) | View::Big(_) | View::Bytes(_) | View::Time(_) | View::List(_) | View::Object(_) => true,
        }
    }

    /// Returns equality as JavaScript's `==` has it for scalars: a truth value equals 0 or 1, and
    /// text equals the number that it spells, the empty text zero. Lists and objects are compared
    /// by their contents, and equal no scalar.
    pub fn loosely_equals(self, other: Ref<'_>) -> bool {
        match (self.view(), other.view()) {
            (View::Null, View::Null) => true,
            (View::Null, _) | (_, View::Null) => false,
            (View::Bool(one), View::Bool(other)) => one == other,
            (View::Text(one), View::Text(other)) => one == other,
            (View::Bool(value), _) => Datum::UInt(u64::from(value)).view().loosely_equals(other),
            (_, View::Bool(value)) => self.loosely_equals(Datum::UInt(u64::from(value)).view()),
            (View::Text(text), _) => spells(text, other),
            (_, View::Text(text)) => spells(text, self),
            _ => self == other,
        }
    }

    /// Returns a key that the value has in common with all that it
    /// [loosely equals](Ref::loosely_equals). Values of one key may still differ. Returns `None`
    /// for lists, objects, bytes and times, which equal no value that has a key.
    pub fn loose_key(self) -> Option<LooseKey> {
        let number = |float: f64| if float.is_nan() { Key::NotANumber } else { Key::Number((float + 0.0).to_bits()) };
        let key = match self.view() {
            View::Null => Key::Null,
            View::Bool(value) => number(f64::from(u8::from(value))),
            View::Text(text) => spelled(text).map_or_else(|| Key::Text(text.into()), number),
            View::Bytes(_) | View::Time(_) | View::List(_) | View::Object(_) => return None,
            _ => number(self.as_f64()?),
        };
        Some(LooseKey(key))
    }

    /// Returns the number as a float, rounded to the nearest. Returns `None` for any other value.
    pub fn as_f64(self) -> Option<f64> {
        match self.view() {
            View::Int(value) => Some(value as f64),
            View::UInt(value) => Some(value as f64),
            View::F32(value) => Some(shortest(value)),
            View::F64(value) => Some(value),
            View::Big(text) | View::Decimal(text) => text.parse().ok(),
            _ => None,
        }
    }
}

/// A key by which [loosely equal](Ref::loosely_equals) values are found.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LooseKey(Key);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Null,
    /// Bits of a float.
    Number(u64),
    NotANumber,
    /// A text that spells no number.
    Text(Box<str>),
}

/// Returns the `f64` of the shortest decimal that identifies `value` among all `f32`: 0.1 for 0.1,
/// not 0.10000000149011612.
pub fn shortest(value: f32) -> f64 {
    if value.is_finite() { ryu::Buffer::new().format_finite(value).parse().unwrap_or(f64::from(value)) } else { f64::from(value) }
}

/// Returns true if `text` spells the number `value`.
fn spells(text: &str, value: Ref<'_>) -> bool {
    let (Some(float), Some(parsed)) = (value.as_f64(), spelled(text)) else { return false };
    let text = text.trim();
    if let Some(digits) = hexadecimal(text) {
        return u64::from_str_radix(digits, 16).is_ok_and(|number| Datum::UInt(number).view() == value);
    }
    // A float keeps 15 digits exactly. Longer numbers are compared by their digits.
    parsed == float && (text.len() <= 15 || same_decimal(text.trim_start_matches('+'), &number_text(value)))
}

/// Returns the float nearest to the number that a text spells, if it spells one.
fn spelled(text: &str) -> Option<f64> {
    let text = text.trim();
    if text.is_empty() {
        return Some(0.0);
    }
    if let Some(digits) = hexadecimal(text) {
        return u64::from_str_radix(digits, 16).ok().map(|number| number as f64);
    }
    // Rust parses more than JavaScript's decimal numbers, but only with letters other than these.
    let decimal = |byte: u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
    if text.bytes().all(decimal) { text.parse().ok() } else { None }
}

fn hexadecimal(text: &str) -> Option<&str> {
    text.strip_prefix("0x").or(text.strip_prefix("0X"))
}

fn number_text(value: Ref<'_>) -> String {
    let mut out = Vec::new();
    value.write_json(&mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// Numbers are equal if they have the same value, in whatever representation. Objects are equal if
/// they have the same members in any order.
impl PartialEq for Ref<'_> {
    fn eq(&self, other: &Self) -> bool {
        let mut open = vec![(*self, *other)];
        while let Some((one, other)) = open.pop() {
            match (one.view(), other.view()) {
                (View::List(ones), View::List(others)) => {
                    if ones.len() != others.len() {
                        return false;
                    }
                    open.extend(ones.zip(others));
                }
                (View::Object(ones), View::Object(others)) => {
                    if ones.len() != others.len() {
                        return false;
                    }
                    let start = open.len();
                    let in_order = ones.clone().zip(others.clone()).all(|((one, left), (other, right))| {
                        open.push((left, right));
                        one == other
                    });
                    if !in_order {
                        open.truncate(start);
                        let sorted = |members: Members<'_>| -> Vec<usize> {
                            let names: Vec<&str> = members.map(|(name, _)| name).collect();
                            let mut order: Vec<usize> = (0..names.len()).collect();
                            order.sort_by_key(|&at| names[at]);
                            order
                        };
                        let (left, right) = (sorted(ones.clone()), sorted(others.clone()));
                        let (ones, others) = (ones.collect::<Vec<_>>(), others.collect::<Vec<_>>());
                        for (left, right) in left.into_iter().zip(right) {
                            if ones[left].0 != others[right].0 {
                                return false;
                            }
                            open.push((ones[left].1, others[right].1));
                        }
                    }
                }
                (one_view, other_view) => {
                    if !same_scalar(&one_view, &other_view, one, other) {
                        return false;
                    }
                }
            }
        }
        true
    }
}

fn same_scalar(left: &View<'_>, right: &View<'_>, one: Ref<'_>, other: Ref<'_>) -> bool {
    match (left, right) {
        (View::Null, View::Null) => true,
        (View::Bool(one), View::Bool(other)) => one == other,
        (View::Text(one), View::Text(other)) => one == other,
        (View::Bytes(one), View::Bytes(other)) => one == other,
        (View::Time(one), View::Time(other)) => one == other,
        (View::Int(one), View::Int(other)) => one == other,
        (View::UInt(one), View::UInt(other)) => one == other,
        (View::Int(_), View::UInt(_)) | (View::UInt(_), View::Int(_)) => false,
        (View::F64(one), View::F64(other)) => one == other || (one.is_nan() && other.is_nan()),
        (View::F32(one), View::F32(other)) => one == other || (one.is_nan() && other.is_nan()),
        _ => match (one.as_f64(), other.as_f64()) {
            // Equal floats do not prove equal numbers; the digits do.
            (Some(left), Some(right)) if left == right => left == 0.0 || same_decimal(&number_text(one), &number_text(other)),
            _ => false,
        },
    }
}

impl PartialEq for Datum {
    fn eq(&self, other: &Self) -> bool {
        self.view() == other.view()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loosely_equal_values_have_a_key_in_common() {
        let texts = [
            "",
            " ",
            "0",
            "-0",
            "1",
            " 1 ",
            "1.0",
            "1e0",
            "+1",
            "0x1",
            "0X1f",
            "31",
            "x",
            "0xg",
            "inf",
            "NaN",
            "1e400",
            "18446744073709551616",
        ];
        let mut values: Vec<Datum> = texts.iter().map(|text| Datum::from(*text)).collect();
        values.extend([
            Datum::Null,
            Datum::Bool(false),
            Datum::Bool(true),
            Datum::Int(-1),
            Datum::UInt(0),
            Datum::UInt(1),
            Datum::UInt(31),
        ]);
        values.extend([Datum::F64(-0.0), Datum::F64(1.0), Datum::F32(0.1), Datum::F64(0.1), Datum::F64(f64::NAN), Datum::F32(f32::NAN)]);
        values.extend([Datum::Big("18446744073709551616".into()), Datum::Decimal("1.00000000000000000001".into())]);
        values.extend([Datum::list([Datum::UInt(1)]), Datum::Bytes([b'1'][..].into()), Datum::object([("a", Datum::Null)])]);
        let mut equal = 0;
        for one in &values {
            for other in &values {
                let keys = (one.view().loose_key(), other.view().loose_key());
                if one.view().loosely_equals(other.view()) {
                    assert_eq!(keys.0, keys.1, "{one:?} == {other:?}");
                    equal += 1;
                }
            }
        }
        assert!(equal > values.len() && equal < values.len() * values.len() / 2, "{equal}");
    }
}
