//! Moments in time, and their one text form.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use jiff::SignedDuration;
use jiff::civil::{DateTime, datetime};

/// Calendar date and time of the epoch, in UTC. A jiff timestamp ends a day before the year 9999
/// does, which calendar dates do not.
const EPOCH: DateTime = datetime(1970, 1, 1, 0, 0, 0, 0);

/// A moment: seconds since 1970-01-01T00:00:00Z, without leap seconds, and nanoseconds.
///
/// It may carry a hint that it was written as text, which equality and order ignore.
#[derive(Clone, Copy)]
pub struct Timestamp {
    seconds: i64,
    nanos: u32,
    text: bool,
}

impl Timestamp {
    /// Makes the moment `seconds` after the epoch plus `nanos`. Returns `None` unless `nanos` is
    /// below 10⁹.
    pub const fn new(seconds: i64, nanos: u32) -> Option<Timestamp> {
        if nanos < 1_000_000_000 { Some(Timestamp { seconds, nanos, text: false }) } else { None }
    }

    /// Returns the seconds since the epoch, rounded down.
    pub const fn seconds(self) -> i64 {
        self.seconds
    }

    /// Returns the nanoseconds after [`Timestamp::seconds`], below 10⁹.
    pub const fn nanos(self) -> u32 {
        self.nanos
    }

    /// Returns the same moment with the hint that it was written as text, for formats that have
    /// numbers and texts for moments.
    #[must_use]
    pub const fn as_text(self) -> Timestamp {
        Timestamp { text: true, ..self }
    }

    /// Returns whether the moment was written as text, if the reader says so.
    pub const fn is_text(self) -> bool {
        self.text
    }

    /// Returns RFC 3339 text in UTC, such as `2026-11-21T07:49:00Z`, with as many decimals as
    /// needed. Returns `None` outside the years 0 to 9999.
    pub fn to_rfc3339(self) -> Option<String> {
        let since = SignedDuration::from_secs(self.seconds).checked_add(SignedDuration::from_nanos(i64::from(self.nanos)))?;
        let moment = EPOCH.checked_add(since).ok()?;
        (moment.year() >= 0).then(|| format!("{moment}Z"))
    }

    /// Parses RFC 3339 text in any of its forms: with any offset from UTC, and with any number of
    /// decimals up to nine.
    pub fn from_any_rfc3339(text: &str) -> Option<Timestamp> {
        let form = text.len() >= 20 && text.is_ascii() && matches!(text.as_bytes()[10], b'T' | b't');
        let at = form.then(|| text.rfind(['Z', 'z', '+', '-']))?.filter(|at| *at >= 19)?;
        let (moment, offset) = text.split_at(at);
        let offset = match offset.as_bytes() {
            b"Z" | b"z" => 0,
            [sign, hours @ .., b':', tens, ones] => {
                let number = |digits: &[u8]| std::str::from_utf8(digits).ok()?.parse::<u8>().ok();
                let (hours, minutes) =
                    (number(hours).filter(|hours| *hours < 24)?, number(&[*tens, *ones]).filter(|minutes| *minutes < 60)?);
                let seconds = i64::from(hours) * 3600 + i64::from(minutes) * 60;
                if *sign == b'-' { -seconds } else { seconds }
            }
            _ => return None,
        };
        let nanos = moment.parse::<DateTime>().ok()?.duration_since(EPOCH).as_nanos();
        let seconds = i64::try_from(nanos.div_euclid(1_000_000_000)).ok()? - offset;
        Timestamp::new(seconds, u32::try_from(nanos.rem_euclid(1_000_000_000)).ok()?)
    }

    /// Parses RFC 3339 text, but only the exact form that [`Timestamp::to_rfc3339`] writes.
    pub fn from_rfc3339(text: &str) -> Option<Timestamp> {
        let moment: DateTime = text.strip_suffix('Z')?.parse().ok()?;
        let nanos = moment.duration_since(EPOCH).as_nanos();
        let seconds = i64::try_from(nanos.div_euclid(1_000_000_000)).ok()?;
        let this = Timestamp::new(seconds, u32::try_from(nanos.rem_euclid(1_000_000_000)).ok()?)?;
        (this.to_rfc3339().as_deref() == Some(text)).then_some(this)
    }
}

/// Shows the moment, without the hint.
impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timestamp").field("seconds", &self.seconds).field("nanos", &self.nanos).finish()
    }
}

impl PartialEq for Timestamp {
    fn eq(&self, other: &Timestamp) -> bool {
        (self.seconds, self.nanos) == (other.seconds, other.nanos)
    }
}

impl Eq for Timestamp {}

impl Hash for Timestamp {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.seconds, self.nanos).hash(state);
    }
}

impl Ord for Timestamp {
    fn cmp(&self, other: &Timestamp) -> Ordering {
        (self.seconds, self.nanos).cmp(&(other.seconds, other.nanos))
    }
}

impl PartialOrd for Timestamp {
    fn partial_cmp(&self, other: &Timestamp) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Writes RFC 3339 within its years, otherwise `@seconds.nanoseconds`.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_rfc3339() {
            Some(text) => f.write_str(&text),
            None => write!(f, "@{}.{:09}", self.seconds, self.nanos),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    #[test]
    fn any_offset_is_understood() {
        for (text, seconds, nanos) in [
            ("2012-12-24T12:15:30.501Z", 1_356_351_330, 501_000_000),
            ("2012-12-24T13:15:30.501+01:00", 1_356_351_330, 501_000_000),
            ("1970-01-01T00:00:00Z", 0, 0),
            ("1969-12-31T23:59:59.5-00:00", -1, 500_000_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799, 999_000_000),
            ("1969-12-31T18:30:00-05:30", 0, 0),
        ] {
            assert_eq!(Timestamp::from_any_rfc3339(text), Timestamp::new(seconds, nanos), "{text}");
        }
        for text in [
            "",
            "2012-12-24",
            "2012-12-24T12:15:30",
            "2012-12-24 12:15:30Z",
            "12:15Z",
            "2012-13-24T12:15:30Z",
            "2012-12-24T12:15:30Zx",
            "2012-12-24T12:15:30+1",
            "2012-12-24T12:15:30+01:60",
            "2012-12-24T12:15:30++1:00",
        ] {
            assert_eq!(Timestamp::from_any_rfc3339(text), None, "{text}");
        }
    }

    #[test]
    fn text_form_has_an_inverse() {
        for (seconds, nanos) in [
            (0, 0),
            (-1, 1),
            (-1, 999_999_999),
            (1_700_000_000, 120_000_000),
            (-62_135_596_800, 0),
            (253_402_207_200, 0),
            (253_402_300_799, 999_000_000),
        ] {
            let moment = Timestamp::new(seconds, nanos).unwrap();
            let text = moment.to_rfc3339().unwrap();
            assert_eq!(Timestamp::from_rfc3339(&text), Some(moment), "{text}");
        }
        let never = Timestamp::new(253_402_300_799, 999_999_999).unwrap();
        assert_eq!(never.to_rfc3339().as_deref(), Some("9999-12-31T23:59:59.999999999Z"));
        assert_eq!(Timestamp::new(253_402_300_800, 0).unwrap().to_rfc3339(), None);
        assert_eq!(Timestamp::new(-62_167_219_200, 0).unwrap().to_string(), "0000-01-01T00:00:00Z");
        assert_eq!(Timestamp::new(-62_167_219_201, 0).unwrap().to_rfc3339(), None);
    }

    #[test]
    fn equality_order_and_dumps_ignore_the_hint() {
        let moment = Timestamp::new(5, 7).unwrap();
        let text = moment.as_text();
        assert!(text.is_text() && !moment.is_text());
        assert_eq!((moment, moment.cmp(&text)), (text, std::cmp::Ordering::Equal));
        assert_eq!(format!("{moment:?}"), format!("{text:?}"));
        assert!(text < Timestamp::new(5, 8).unwrap());
    }

    #[test]
    fn other_spellings_are_not_taken_for_the_canonical_one() {
        for text in ["2013-03-21T20:04:00+00:00", "2013-03-21T21:04:00+01:00", "2013-03-21T20:04:00.0Z", "2013-03-21"] {
            assert_eq!(Timestamp::from_rfc3339(text), None, "{text}");
        }
    }

    #[test]
    fn moments_out_of_the_calendar_have_no_text() {
        assert_eq!(Timestamp::new(i64::MAX, 0).unwrap().to_rfc3339(), None);
        assert_eq!(Timestamp::new(i64::MIN, 5).unwrap().to_string(), "@-9223372036854775808.000000005");
        assert_eq!(Timestamp::new(0, 1_000_000_000), None);
    }
}
