//! The texts at one place.

use polywire_core::Timestamp;
use serde::{Deserialize, Serialize};

use super::thresholds::{MAX_MEMBER_NAME, MAX_MEMBERS};

/// Texts of one place.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Texts {
    pub count: u64,
    /// The different texts in order, as long as they are few and look like names; `None`
    /// afterwards.
    pub values: Option<Vec<Box<str>>>,
    /// Number of times that each of `values` came.
    pub times: Vec<u64>,
    /// Lengths in bytes.
    pub shortest: usize,
    pub longest: usize,
    /// Properties that all of them share.
    pub looks: Looks,
}

/// Forms that texts may have: each is true as long as every text has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Looks {
    pub timestamp: bool,
    pub whole: bool,
    pub number: bool,
    pub truth: bool,
}

impl Texts {
    pub fn new() -> Texts {
        let looks = Looks { timestamp: true, whole: true, number: true, truth: true };
        Texts { count: 0, values: Some(Vec::new()), times: Vec::new(), shortest: usize::MAX, longest: 0, looks }
    }

    pub fn add(&mut self, text: &str) {
        self.count += 1;
        self.length(text.len());
        let looks = &mut self.looks;
        // The test for a timestamp costs the most.
        looks.whole = looks.whole && is_whole(text);
        looks.number = looks.number && is_number(text);
        looks.truth = looks.truth && matches!(text, "true" | "false");
        looks.timestamp = looks.timestamp && looks_like_timestamp(text);
        self.remember(text, 1);
    }

    /// Adds a text that is too long to be kept in one piece.
    pub fn add_long(&mut self, length: usize) {
        self.count += 1;
        self.length(length);
        self.looks = Looks { timestamp: false, whole: false, number: false, truth: false };
        self.forget();
    }

    /// Returns the number of times that the rarest of `values` came.
    pub fn rarest(&self) -> u64 {
        self.times.iter().copied().min().unwrap_or(0)
    }

    fn forget(&mut self) {
        self.values = None;
        self.times = Vec::new();
    }

    fn length(&mut self, length: usize) {
        self.shortest = self.shortest.min(length);
        self.longest = self.longest.max(length);
    }

    fn remember(&mut self, text: &str, times: u64) {
        let Some(values) = &mut self.values else { return };
        match values.binary_search_by(|known| (**known).cmp(text)) {
            Ok(at) => self.times[at] += times,
            Err(_) if values.len() == MAX_MEMBERS || !is_name(text) => self.forget(),
            Err(at) => {
                values.insert(at, text.into());
                self.times.insert(at, times);
            }
        }
    }

    pub fn merge(&mut self, other: Texts) {
        self.count += other.count;
        self.shortest = self.shortest.min(other.shortest);
        self.longest = self.longest.max(other.longest);
        let (one, two) = (self.looks, other.looks);
        self.looks = Looks {
            timestamp: one.timestamp && two.timestamp,
            whole: one.whole && two.whole,
            number: one.number && two.number,
            truth: one.truth && two.truth,
        };
        match other.values {
            Some(values) => values.iter().zip(other.times).for_each(|(text, times)| self.remember(text, times)),
            None => self.forget(),
        }
    }
}

/// Reports whether a text could be the name of a case or member: it starts with a letter, and goes
/// on with letters, digits and `_ - . / : +`.
pub(crate) fn is_name(text: &str) -> bool {
    text.len() <= MAX_MEMBER_NAME
        && text.starts_with(char::is_alphabetic)
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':' | '+'))
}

/// Reports whether a text is a whole number in its usual form: no sign but `-`, no leading zero. So
/// it loses nothing as a number.
fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.len() <= 20 && digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'))
}

fn is_number(text: &str) -> bool {
    let (whole, rest) = text.split_once('.').unwrap_or((text, "0"));
    text.len() <= 40 && is_whole(if whole == "-0" { "0" } else { whole }) && !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit())
}

/// Reports whether a text is RFC 3339, with any offset and any number of decimals.
fn looks_like_timestamp(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() < 20 || bytes.len() > 40 || bytes[10] != b'T' {
        return false;
    }
    let (head, tail) = bytes.split_at(19);
    let decimals = match tail.strip_prefix(b".") {
        Some(rest) => rest.iter().take_while(|b| b.is_ascii_digit()).count() + 1,
        None => 0,
    };
    let offset = &tail[decimals..];
    let offset_is_sound = offset == b"Z"
        || (offset.len() == 6
            && matches!(offset[0], b'+' | b'-')
            && offset[3] == b':'
            && [1, 2, 4, 5].iter().all(|&at| offset[at].is_ascii_digit()));
    let moment = std::str::from_utf8(head).is_ok_and(|head| Timestamp::from_rfc3339(&format!("{head}Z")).is_some());
    offset_is_sound && decimals != 1 && moment
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_hold_for_all_texts_or_none() {
        let mut texts = Texts::new();
        texts.add("2026-02-11T09:41:27.316Z");
        assert!(texts.looks.timestamp && !texts.looks.number);
        texts.add("2026-02-11T09:41:27+01:00");
        assert!(texts.looks.timestamp);
        for bad in ["2026-02-11", "2026-02-11T09:41:27", "2026-02-31T09:41:27Z", "2026-02-11T09:41:27.Z", "2026-02-11T09:41:27+0100"] {
            assert!(!looks_like_timestamp(bad), "{bad}");
        }
        for (text, whole, number) in
            [("0", true, true), ("-17", true, true), ("007", false, false), ("1.50", false, true), ("", false, false), ("1.", false, false)]
        {
            assert_eq!((is_whole(text), is_number(text)), (whole, number), "{text}");
        }
    }

    #[test]
    fn the_order_of_texts_does_not_matter() {
        let words = ["b", "a", "c", "a"];
        let (mut one, mut two) = (Texts::new(), Texts::new());
        words.iter().for_each(|word| one.add(word));
        words.iter().rev().for_each(|word| two.add(word));
        assert_eq!((&one.values, &one.times), (&two.values, &vec![2, 1, 1]));
        assert_eq!((one.times.clone(), one.rarest()), (two.times.clone(), 1));
        two.merge(one.clone());
        assert_eq!(two.times, [4, 2, 2]);
        let mut many = Texts::new();
        (0..=MAX_MEMBERS).for_each(|n| many.add(&format!("w{n}")));
        assert_eq!(many.values, None);
        one.merge(many);
        assert_eq!(one.values, None);
    }
}
