//! DATE, TIME-OF-DAY, DATE-TIME and DURATION (X.691 32, X.696 29).

use std::fmt::Write;

use polywire_core::{Error, ErrorKind, Result, Scalar, Sink, Str};

use super::super::layout::{Field, Form, Number, Size};
use super::super::times::{CALENDAR, CLOCK, Duration, MAX_DIGITS, PARTS, YEARS, number};
use super::Walk;
use crate::model::TimeKind;
use crate::walk::octets;

impl<'m, S: Sink<'m> + ?Sized> Walk<'_, '_, 'm, S> {
    pub(super) fn time(&mut self, kind: TimeKind, start: u64) -> Result<()> {
        let mut text = std::mem::take(self.text);
        text.clear();
        let read = match kind {
            TimeKind::Date => self.date(&mut text, start),
            TimeKind::TimeOfDay => self.clock(&mut text, start),
            TimeKind::DateTime => self.date(&mut text, start).and_then(|()| {
                text.push('T');
                self.clock(&mut text, start)
            }),
            TimeKind::Duration => self.duration(start).map(|found| {
                // Memory never fails to take a text.
                let _ = write!(text, "{found}");
            }),
            TimeKind::Time => {
                let error = self.bits.error(ErrorKind::Unsupported, start).seen("a value of TIME");
                Err(error.expected("DATE, TIME-OF-DAY, DATE-TIME or DURATION").hint("BER, DER and CER have the text of TIME"))
            }
        };
        let read = read.and_then(|()| self.budget.decode(text.len() as u64, self.offset(start)));
        let read = read.and_then(|()| {
            if self.keys.is_open() {
                self.keys.put(text.as_bytes());
            }
            self.scalar(Scalar::Text(Str::Scratch(&text)), start)
        });
        *self.text = text;
        read
    }

    fn date(&mut self, text: &mut String, start: u64) -> Result<()> {
        let year = if self.layout.octets {
            self.time_part(&Number::of_octets(None), start)?
        } else {
            let chosen = self.field(Field::of(YEARS.len() as u128 + 1, false))?;
            let years = YEARS.get(chosen as usize);
            let known =
                years.map_or_else(|| Number::new(None, false), |(low, high)| number(false, self.layout.aligned, *low, *high, false));
            self.time_part(&known, start)?
        };
        if !(0..=9999).contains(&year) {
            return Err(self.no_time(start, format!("the year {year}"), "0 to 9999"));
        }
        let _ = write!(text, "{year:04}");
        for (low, high) in CALENDAR {
            let value = self.bounded_part(low, high, start)?;
            let _ = write!(text, "-{value:02}");
        }
        Ok(())
    }

    fn clock(&mut self, text: &mut String, start: u64) -> Result<()> {
        for (at, (low, high)) in CLOCK.into_iter().enumerate() {
            let value = self.bounded_part(low, high, start)?;
            let _ = write!(text, "{}{value:02}", if at == 0 { "" } else { ":" });
        }
        Ok(())
    }

    fn duration(&mut self, start: u64) -> Result<Duration> {
        let (octets, aligned) = (self.layout.octets, self.layout.aligned);
        let mut found = Duration::default();
        let there = self.bits.take(8)?;
        for (part, (_, most)) in PARTS.into_iter().enumerate() {
            if there & 0x80 >> part != 0 {
                found.parts[part] = Some(self.time_part(&number(octets, aligned, 0, most, true), start)?);
            }
        }
        if there & 1 != 0 {
            let digits = self.time_part(&number(octets, aligned, 1, 3, true), start)?;
            let value = self.time_part(&number(octets, aligned, 0, 999, true), start)?;
            let fits = (1..=MAX_DIGITS).contains(&digits) && value.checked_ilog10().is_none_or(|log| i128::from(log) < digits);
            if !fits {
                return Err(self.no_time(start, format!("a fraction of {digits} digits that is {value}"), "1 to 38 digits, which hold it"));
            }
            found.fraction = Some((digits, value));
        }
        if found.parts.iter().all(Option::is_none) || found.parts.iter().flatten().any(|value| *value < 0) {
            return Err(self.no_time(start, "a duration without parts, or with a negative one".into(), "one part or more, from 0 up"));
        }
        Ok(found)
    }

    fn bounded_part(&mut self, low: i128, high: i128, start: u64) -> Result<i128> {
        let known = number(self.layout.octets, self.layout.aligned, low, high, false);
        let value = self.time_part(&known, start)?;
        if (low..=high).contains(&value) {
            return Ok(value);
        }
        Err(self.no_time(start, format!("the number {value}"), "a part of a time"))
    }

    /// Reads a number, which is at most 15 octets long.
    fn time_part(&mut self, known: &Number, start: u64) -> Result<i128> {
        let is_free = known.extensible && self.bits.flag()?;
        match known.form {
            Form::Field(field) if !is_free => Ok(known.low.wrapping_add_unsigned(u128::from(self.field(field)?))),
            Form::Plain(bits, false) if !is_free => Ok(i128::from(self.bits.take(bits)?)),
            form => {
                let raw = self.gather(&Size::ANY)?;
                let octets = self.raw(raw);
                let is_unsigned = form == Form::Semi && !is_free;
                let value = match (octets, is_unsigned) {
                    ([], _) => None,
                    (octets, true) if octets.len() < 16 => Some(octets.iter().fold(0, |number, octet| number << 8 | i128::from(*octet))),
                    (_, true) => None,
                    (octets, false) => octets::integer(octets),
                };
                let zeros = octets.iter().take_while(|octet| **octet == 0).count().min(octets.len().saturating_sub(1));
                let superfluous = if is_unsigned { zeros } else { octets::superfluous(octets) };
                let length = octets.len();
                self.check_shortest(superfluous, start)?;
                value.ok_or_else(|| self.no_time(start, format!("a number of {length} octets"), "1 to 15 octets"))
            }
        }
    }

    #[cold]
    fn no_time(&self, start: u64, seen: String, expected: &'static str) -> Error {
        self.bits.error(ErrorKind::Range, start).seen(seen).expected(expected)
    }
}
