//! Spellings of timestamps, durations and field masks (ProtoJSON format, the table of types, and
//! the comments of these types' files).

use polywire_core::{Error, ErrorKind, Fault, Result};

use crate::model::WellKnown;

/// Seconds of the moments that a timestamp may have: 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z
/// (`timestamp.proto`).
const MOMENTS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

/// Seconds of the longest duration, about 10,000 years (`duration.proto`).
const LONGEST: i64 = 315_576_000_000;

/// Returns whether a type has a JSON form other than an object of its fields. In an `Any`, such a
/// form is the field `value`.
pub(crate) fn has_form(known: WellKnown) -> bool {
    !matches!(known, WellKnown::Empty | WellKnown::NullValue)
}

#[cold]
fn range(seen: String, expected: &'static str) -> Error {
    Error::new(ErrorKind::Range, Fault::Data).seen(seen).expected(expected)
}

/// Appends the fraction of a second in three, six or nine digits, or nothing.
fn fraction(nanos: u32, out: &mut Vec<u8>) {
    let text = match nanos {
        0 => return,
        nanos if nanos % 1_000_000 == 0 => format!(".{:03}", nanos / 1_000_000),
        nanos if nanos % 1_000 == 0 => format!(".{:06}", nanos / 1_000),
        nanos => format!(".{nanos:09}"),
    };
    out.extend_from_slice(text.as_bytes());
}

/// Appends a timestamp as quoted text.
pub(crate) fn timestamp(seconds: i64, nanos: i32, out: &mut Vec<u8>) -> Result<()> {
    let wrong = || range(format!("a timestamp of {seconds} seconds and {nanos} nanoseconds"), "one in the years 1 to 9999");
    let nanos = u32::try_from(nanos).ok().filter(|nanos| *nanos < 1_000_000_000).ok_or_else(wrong)?;
    if !MOMENTS.contains(&seconds) {
        return Err(wrong());
    }
    let (year, month, day) = date(seconds.div_euclid(86_400));
    let second = seconds.rem_euclid(86_400);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    out.extend_from_slice(&[b'"', b'0' + (year / 1000) as u8, b'0' + (year / 100 % 10) as u8]);
    out.extend_from_slice(&[b'0' + (year / 10 % 10) as u8, b'0' + (year % 10) as u8]);
    for (number, before) in [(month, b'-'), (day, b'-'), (hour, b'T'), (minute, b':'), (second, b':')] {
        out.extend_from_slice(&[before, b'0' + (number / 10) as u8, b'0' + (number % 10) as u8]);
    }
    fraction(nanos, out);
    out.extend_from_slice(b"Z\"");
    Ok(())
}

/// Returns year, month and day of the day that is `days` behind 1970-01-01: the inverse of
/// [`days`].
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let in_era = days.rem_euclid(146_097);
    let year_of_era = (in_era - in_era / 1460 + in_era / 36_524 - in_era / 146_096) / 365;
    let in_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Months count from March.
    let month = (5 * in_year + 2) / 153;
    let day = in_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// Appends a duration as quoted text.
pub(crate) fn duration(seconds: i64, nanos: i32, out: &mut Vec<u8>) -> Result<()> {
    let signs_agree = seconds == 0 || nanos == 0 || (seconds < 0) == (nanos < 0);
    if seconds.unsigned_abs() > LONGEST as u64 || nanos.unsigned_abs() >= 1_000_000_000 || !signs_agree {
        return Err(range(
            format!("a duration of {seconds} seconds and {nanos} nanoseconds"),
            "one of at most 10,000 years, both of one sign",
        ));
    }
    out.push(b'"');
    if seconds < 0 || nanos < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(itoa::Buffer::new().format(seconds.unsigned_abs()).as_bytes());
    fraction(nanos.unsigned_abs(), out);
    out.extend_from_slice(b"s\"");
    Ok(())
}

/// Appends a path of a field mask, with names in lowerCamelCase.
pub(crate) fn mask_path(path: &str, out: &mut Vec<u8>) -> Result<()> {
    let wrong = || {
        Error::new(ErrorKind::Unsupported, Fault::Data)
            .seen(format!("the path {path:?} of a field mask"))
            .expected("names in snake_case, which lowerCamelCase gives back")
    };
    let mut up = false;
    for c in path.bytes() {
        match c {
            b'A'..=b'Z' => return Err(wrong()),
            b'a'..=b'z' if up => {
                out.push(c.to_ascii_uppercase());
                up = false;
            }
            _ if up => return Err(wrong()),
            b'_' => up = true,
            0..0x20 | b'"' | b'\\' => return Err(wrong()),
            c => out.push(c),
        }
    }
    if up { Err(wrong()) } else { Ok(()) }
}

/// Returns the path of a field mask for its names in lowerCamelCase, or `None` if it has an
/// underscore.
pub(crate) fn path_of_mask(text: &str) -> Option<String> {
    let mut path = String::with_capacity(text.len() + 4);
    for c in text.chars() {
        match c {
            '_' => return None,
            'A'..='Z' => {
                path.push('_');
                path.push(c.to_ascii_lowercase());
            }
            c => path.push(c),
        }
    }
    Some(path)
}

/// Returns the nanoseconds of the one to nine digits behind a point.
fn nanos_of(digits: &str) -> Option<u32> {
    if digits.is_empty() || digits.len() > 9 || !digits.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    digits.parse::<u32>().ok().map(|number| number * 10u32.pow(9 - digits.len() as u32))
}

/// Reads a timestamp, with any offset from UTC, as seconds and nanoseconds.
pub(crate) fn parse_timestamp(text: &str) -> Option<(i64, i32)> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| {
        let digits = bytes.get(from..to)?;
        digits.iter().all(u8::is_ascii_digit).then(|| digits.iter().fold(0i64, |all, digit| all * 10 + i64::from(digit - b'0')))
    };
    let is = |at: usize, c: u8| bytes.get(at) == Some(&c);
    if !(is(4, b'-') && is(7, b'-') && is(10, b'T') && is(13, b':') && is(16, b':')) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let rest = text.get(19..)?;
    let zone = rest.find(['Z', '+', '-'])?;
    let (fraction, zone) = rest.split_at(zone);
    let nanos = if fraction.is_empty() { 0 } else { nanos_of(fraction.strip_prefix('.')?)? };
    let offset = match zone {
        "Z" => 0,
        zone => {
            let (sign, zone) = zone.split_at(1);
            let (hours, minutes) = zone.split_once(':').filter(|(hours, minutes)| hours.len() == 2 && minutes.len() == 2)?;
            let part = |text: &str| text.bytes().all(|c| c.is_ascii_digit()).then(|| text.parse::<i64>().ok()).flatten();
            let (hours, minutes) = (part(hours)?, part(minutes).filter(|minutes| *minutes < 60)?);
            (hours * 3600 + minutes * 60) * if sign == "-" { -1 } else { 1 }
        }
    };
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let seconds = days(year, month, day)? * 86_400 + hour * 3600 + minute * 60 + second - offset;
    MOMENTS.contains(&seconds).then_some((seconds, nanos as i32))
}

/// Returns the days from 1970-01-01 to a date of the Gregorian calendar, or `None` if there is no
/// such date.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let longest = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(leap),
        1..=12 => 31,
        _ => return None,
    };
    if year < 1 || day < 1 || day > longest {
        return None;
    }
    // Years start in March here, so that the leap day is the last.
    let year = if month <= 2 { year - 1 } else { year };
    let in_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(year * 365 + year / 4 - year / 100 + year / 400 + in_year - 719_468)
}

/// Reads a duration as seconds and nanoseconds.
pub(crate) fn parse_duration(text: &str) -> Option<(i64, i32)> {
    let text = text.strip_suffix('s')?;
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
    let (whole, nanos) = match text.split_once('.') {
        Some((whole, digits)) => (whole, nanos_of(digits)?),
        None => (text, 0),
    };
    if whole.is_empty() || whole.len() > 18 || !whole.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let seconds = whole.parse::<i64>().ok().filter(|seconds| *seconds <= LONGEST)?;
    Some(if negative { (-seconds, -(nanos as i32)) } else { (seconds, nanos as i32) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Option<String> {
        let mut out = Vec::new();
        write(&mut out).ok()?;
        String::from_utf8(out).ok()
    }

    #[test]
    fn timestamps_come_back() {
        for (shown, seconds, nanos) in [
            ("1970-01-01T00:00:00Z", 0, 0),
            ("1969-12-31T23:59:59.500Z", -1, 500_000_000),
            ("2000-02-29T12:34:56.000001Z", 951_827_696, 1000),
            ("0001-01-01T00:00:00Z", -62_135_596_800, 0),
            ("9999-12-31T23:59:59.999999999Z", 253_402_300_799, 999_999_999),
        ] {
            assert_eq!(text(|out| timestamp(seconds, nanos, out)).as_deref(), Some(&*format!("\"{shown}\"")));
            assert_eq!(parse_timestamp(shown), Some((seconds, nanos)), "{shown}");
        }
        assert_eq!(parse_timestamp("1970-01-01T01:00:00.25+01:00"), Some((0, 250_000_000)));
        for bad in [
            "",
            "1970-01-01",
            "1970-13-01T00:00:00Z",
            "1970-02-29T00:00:00Z",
            "1970-01-01T24:00:00Z",
            "1970-01-01t00:00:00Z",
            "1970-01-01T00:00:00",
            "0000-01-01T00:00:00Z",
            "1970-01-01T00:00:00.Z",
            "1970-01-01T00:00:00+1:00",
        ] {
            assert_eq!(parse_timestamp(bad), None, "{bad}");
        }
        assert!(text(|out| timestamp(0, -1, out)).is_none() && text(|out| timestamp(253_402_300_800, 0, out)).is_none());
    }

    #[test]
    fn dates_and_days_are_inverse() {
        for day in (-719_162..2_932_896).step_by(97) {
            let (year, month, date) = date(day);
            assert_eq!(days(year, month, date), Some(day));
        }
    }

    #[test]
    fn durations_come_back() {
        for (shown, seconds, nanos) in
            [("0s", 0, 0), ("1.500s", 1, 500_000_000), ("-0.000001s", 0, -1000), ("-3.000000001s", -3, -1), ("315576000000s", LONGEST, 0)]
        {
            assert_eq!(text(|out| duration(seconds, nanos, out)).as_deref(), Some(&*format!("\"{shown}\"")));
            assert_eq!(parse_duration(shown), Some((seconds, nanos)), "{shown}");
        }
        for bad in ["", "1", "s", "-s", "1.s", "1.0000000000s", "315576000001s", "+1s", "1e3s"] {
            assert_eq!(parse_duration(bad), None, "{bad}");
        }
        assert!(text(|out| duration(1, -1, out)).is_none());
    }

    #[test]
    fn masks_change_their_case() {
        let camel = |path: &str| text(|out| mask_path(path, out));
        assert_eq!(camel("foo_bar.baz_1").as_deref(), None);
        assert_eq!(camel("foo_bar.baz").as_deref(), Some("fooBar.baz"));
        assert_eq!(path_of_mask("fooBar.baz").as_deref(), Some("foo_bar.baz"));
        assert!(["Foo", "foo__bar", "foo_"].iter().all(|path| camel(path).is_none()) && path_of_mask("foo_bar").is_none());
    }
}
