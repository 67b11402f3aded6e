//! Parts of DATE, TIME-OF-DAY, DATE-TIME and DURATION (X.691 32, X.696 29).

use std::fmt;

use super::layout::Number;
use crate::model::{Bounds, Range};

/// Years of the first alternatives of PER; the last one has all others.
pub(super) const YEARS: [(i128, i128); 3] = [(2005, 2020), (2021, 2276), (1749, 2004)];

/// Hours, minutes and seconds of a day.
pub(super) const CLOCK: [(i128, i128); 3] = [(0, 24), (0, 59), (0, 60)];

/// Month, and day.
pub(super) const CALENDAR: [(i128, i128); 2] = [(1, 12), (1, 31)];

/// Parts of a duration: the letter, and the greatest number before the marker in PER. Those from
/// the fifth on are behind `T`.
pub(super) const PARTS: [(char, i128); 7] = [('Y', 31), ('M', 15), ('W', 63), ('D', 31), ('H', 31), ('M', 63), ('S', 63)];

/// Index of the first part behind `T`.
const CLOCK_PARTS: usize = 4;

/// Most digits of a fraction.
pub(super) const MAX_DIGITS: i128 = 38;

/// Returns the encoding of numbers from `low` to `high`, which has a marker in PER if `more`.
pub(super) fn number(octets: bool, aligned: bool, low: i128, high: i128, more: bool) -> Number {
    match (octets, more) {
        (true, true) => Number::of_octets(Some(Bounds { range: Range { low: Some(0), high: None }, extensible: false })),
        (true, false) => Number::of_octets(Some(Bounds { range: Range { low: Some(low), high: Some(high) }, extensible: false })),
        (false, extensible) => Number::new(Some(Bounds { range: Range { low: Some(low), high: Some(high) }, extensible }), aligned),
    }
}

/// Duration, such as `P1Y2M` or `PT1.5H`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Duration {
    /// By [`PARTS`].
    pub parts: [Option<i128>; 7],
    /// Digits behind the point of the last part: their count, and the number that they are.
    pub fraction: Option<(i128, i128)>,
}

impl Duration {
    /// Reads a duration as X.680 38.4.4 writes it. `None` if the text is none, or has numbers of
    /// more than 38 digits.
    pub fn parse(text: &str) -> Option<Duration> {
        let mut found = Duration::default();
        let mut rest = text.strip_prefix('P')?;
        let mut next = 0;
        while !rest.is_empty() {
            if let Some(clock) = rest.strip_prefix('T') {
                if next > CLOCK_PARTS || clock.is_empty() {
                    return None;
                }
                (rest, next) = (clock, CLOCK_PARTS);
            }
            let (digits, behind) = digits(rest)?;
            let mut behind = behind;
            if let Some(fraction) = behind.strip_prefix(['.', ',']) {
                let (digits, after) = self::digits(fraction)?;
                found.fraction = Some((digits.len() as i128, digits.parse().ok()?));
                behind = after;
            }
            let letter = behind.chars().next()?;
            let until = if next < CLOCK_PARTS { CLOCK_PARTS } else { PARTS.len() };
            let part = (next..until).find(|part| PARTS[*part].0 == letter)?;
            found.parts[part] = Some(digits.parse().ok()?);
            (rest, next) = (&behind[1..], part + 1);
            if found.fraction.is_some() && !rest.is_empty() {
                return None;
            }
        }
        found.parts.iter().any(Option::is_some).then_some(found)
    }
}

/// Returns the digits at the start of a text, at most 38 of them, and the rest.
fn digits(text: &str) -> Option<(&str, &str)> {
    let count = text.bytes().take_while(u8::is_ascii_digit).count();
    ((1..=MAX_DIGITS as usize).contains(&count)).then(|| text.split_at(count))
}

impl fmt::Display for Duration {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("P")?;
        let last = self.parts.iter().rposition(Option::is_some);
        let mut is_clock = false;
        for (part, value) in self.parts.iter().enumerate() {
            let Some(value) = value else { continue };
            if part >= CLOCK_PARTS && !is_clock {
                out.write_str("T")?;
                is_clock = true;
            }
            write!(out, "{value}")?;
            if let Some((digits, fraction)) = self.fraction.filter(|_| Some(part) == last) {
                write!(out, ".{fraction:0>width$}", width = usize::try_from(digits).unwrap_or(0))?;
            }
            write!(out, "{}", PARTS[part].0)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_written() {
        for text in ["P2Y10M15DT10H20M30S", "P5W", "PT1M", "P1M", "P1MT1M", "P0Y", "PT0.050S", "P1.5Y", "P1DT36H"] {
            let found = Duration::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(found.to_string(), text);
        }
        assert_eq!(Duration::parse("PT1,5H").unwrap().to_string(), "PT1.5H");
        for text in
            ["", "P", "PT", "P1", "1Y", "P1YT", "P1DT", "P1D2Y", "PT1H1Y", "P1.Y", "P1.5Y1M", "P-1Y", "P1H", "PTT1H", "P1H ", "PT1HT1M"]
        {
            assert_eq!(Duration::parse(text), None, "{text}");
        }
        assert_eq!(Duration::parse(&format!("P{}Y", "9".repeat(39))), None);
    }
}
