//! DATE, TIME-OF-DAY, DATE-TIME and DURATION (X.691 32, X.696 29).

use polywire_core::{Error, ErrorKind, Fault, Result};

use super::super::layout::{Field, Number};
use super::super::times::{CALENDAR, CLOCK, Duration, PARTS, YEARS, number};
use super::Encode;
use crate::model::TimeKind;
use crate::walk::lower::{self, Value};
use crate::walk::{octets, scalars};

impl<'t> Encode<'_, 't> {
    pub(super) fn time(&mut self, kind: TimeKind, item: Value<'t>) -> Result<()> {
        if kind == TimeKind::Time {
            let error = Error::new(ErrorKind::Unsupported, Fault::Schema).seen("a value of TIME");
            let error = error.expected("DATE, TIME-OF-DAY, DATE-TIME or DURATION").at(item.opening().start);
            return Err(error.hint("BER, DER and CER have the text of TIME"));
        }
        let text = lower::time(kind, item, self.losses)?;
        if !scalars::is_time(kind, text) {
            return Err(lower::misfit(item, kind.keyword()).seen(format!("`{}`", text.chars().take(40).collect::<String>())));
        }
        self.key(text.as_bytes());
        match kind {
            TimeKind::Date => self.date(text, item),
            TimeKind::TimeOfDay => self.time_parts(text.split(':'), &CLOCK, item),
            TimeKind::DateTime => {
                let (date, clock) = text.split_once('T').unwrap_or((text, ""));
                self.date(date, item)?;
                self.time_parts(clock.split(':'), &CLOCK, item)
            }
            TimeKind::Duration | TimeKind::Time => self.duration(text, item),
        }
    }

    fn date(&mut self, text: &str, item: Value<'t>) -> Result<()> {
        let mut parts = text.split('-');
        let year: i128 = parts.next().and_then(|year| year.parse().ok()).ok_or_else(|| lower::misfit(item, "a year"))?;
        let octets = self.layout.octets;
        let known = if octets {
            Number::of_octets(None)
        } else {
            let chosen = YEARS.iter().position(|(low, high)| (*low..=*high).contains(&year)).unwrap_or(YEARS.len());
            self.field(Field::of(YEARS.len() as u128 + 1, false), chosen as u128);
            YEARS.get(chosen).map_or_else(|| Number::new(None, false), |(low, high)| number(false, self.layout.aligned, *low, *high, false))
        };
        self.time_part(&known, year, item)?;
        self.time_parts(parts, &CALENDAR, item)
    }

    fn time_parts<'s>(&mut self, texts: impl Iterator<Item = &'s str>, bounds: &[(i128, i128)], item: Value<'t>) -> Result<()> {
        for (text, (low, high)) in texts.zip(bounds) {
            let value = text.parse().map_err(|_| lower::misfit(item, "a number"))?;
            self.time_part(&number(self.layout.octets, self.layout.aligned, *low, *high, false), value, item)?;
        }
        Ok(())
    }

    fn duration(&mut self, text: &str, item: Value<'t>) -> Result<()> {
        let found = Duration::parse(text).ok_or_else(|| {
            let seen = format!("`{}`", text.chars().take(40).collect::<String>());
            lower::misfit(item, "a DURATION such as P1Y2M or PT1.5H, with numbers of at most 38 digits").seen(seen)
        })?;
        let (octets, aligned) = (self.layout.octets, self.layout.aligned);
        for value in found.parts {
            self.out.flag(value.is_some());
        }
        self.out.flag(found.fraction.is_some());
        for (value, (_, most)) in found.parts.into_iter().zip(PARTS) {
            if let Some(value) = value {
                self.time_part(&number(octets, aligned, 0, most, true), value, item)?;
            }
        }
        if let Some((digits, value)) = found.fraction {
            self.time_part(&number(octets, aligned, 1, 3, true), digits, item)?;
            self.time_part(&number(octets, aligned, 0, 999, true), value, item)?;
        }
        Ok(())
    }

    fn time_part(&mut self, known: &Number, value: i128, item: Value<'t>) -> Result<()> {
        self.octets.clear();
        octets::put_integer(value, &mut self.octets);
        self.whole(known, Some(value), item)
    }
}
