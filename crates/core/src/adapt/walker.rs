//! A reader with all that stands between it and a sink.

use crate::adapt::{Arrange, Order, Projection, Select, Unique, Whole};
use crate::error::Result;
use crate::format::{Format, Repeats};
use crate::limits::{Budget, Limits};
use crate::loss::LossReport;
use crate::path::{Path, locate};
use crate::read::{Frame, Reader};
use crate::sink::{Needs, Sink};
use crate::write::Lost;

/// What a key that comes twice in one record means, in formats where it has no meaning of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Doubles {
    /// An error.
    #[default]
    Refuse,
    /// The first value counts.
    First,
    /// The last value counts.
    Last,
    /// Both stay, for sinks that can hold them.
    Keep,
}

/// Walks the messages of one format into any sink, with the adapters that the sink needs, and tells errors with their path.
pub struct Walker {
    format: &'static Format,
    reader: Box<dyn Reader>,
    doubles: Doubles,
    projection: Option<Projection>,
    budget: Budget,
}

impl Walker {
    /// A walker of `format`, every message within `limits`.
    pub fn new(format: &'static Format, limits: &Limits) -> Walker {
        Walker { format, reader: (format.reader)(), doubles: Doubles::default(), projection: None, budget: Budget::new(limits) }
    }

    /// Sets what doubled keys mean.
    #[must_use]
    pub fn doubles(mut self, doubles: Doubles) -> Walker {
        self.doubles = doubles;
        self
    }

    /// Walks only what `projection` names.
    #[must_use]
    pub fn select(mut self, projection: Option<Projection>) -> Walker {
        self.projection = projection;
        self
    }

    /// The format that it reads.
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// Finds the first message in a buffer: see [`Reader::frame`].
    pub fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        self.reader.frame(buf, base, eof).map_err(|error| {
            let error = error.or_at(base).format_is(self.format.name);
            // Where a message ends is not known, so no value of it is.
            if error.path().is_none() { error.path_is(Path::default()) } else { error }
        })
    }

    /// Walks one message into `sink`. Errors of the reader and of the sink carry offset and path.
    pub fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>) -> Result<()> {
        self.budget.reset();
        let outcome = self.adapted(msg, base, sink);
        outcome.map_err(|error| {
            let error = error.format_is(self.format.name);
            match (error.path(), error.offset()) {
                (None, Some(offset)) => {
                    let path = locate(self.reader.as_mut(), msg, base, offset, self.budget.limits());
                    error.path_is(path)
                }
                _ => error,
            }
        })
    }

    /// Adds to `report` what a writer lost of one message, with the paths.
    pub fn losses(&mut self, report: &mut LossReport, msg: &[u8], base: u64, lost: &[Lost]) {
        report.add(self.reader.as_mut(), msg, base, lost, self.budget.limits());
    }

    fn adapted<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>) -> Result<()> {
        let needs = sink.needs();
        let mut whole;
        let sink: &mut dyn Sink<'m> = if needs.has(Needs::WHOLE_TEXT) {
            whole = Whole::new(sink);
            &mut whole
        } else {
            sink
        };
        let order = match (self.format.repeats, self.doubles) {
            (Repeats::List, _) if needs.has(Needs::GROUPED) => Order::Group,
            (Repeats::Doubled, Doubles::First) => Order::First,
            (Repeats::Doubled, Doubles::Last) => Order::Last,
            _ => Order::Keep,
        };
        let by_slot = needs.has(Needs::SCHEMA_ORDER);
        let mut arrange = (order != Order::Keep || by_slot).then(|| Arrange::new(order, by_slot));
        match &mut arrange {
            Some(arrange) => self.checked(msg, base, arrange)?,
            None => self.checked(msg, base, &mut *sink)?,
        }
        match arrange {
            Some(arrange) => arrange.finish(sink),
            None => Ok(()),
        }
    }

    fn checked<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>) -> Result<()> {
        if self.format.repeats == Repeats::Doubled && self.doubles == Doubles::Refuse {
            self.selected(msg, base, &mut Unique::new(sink))
        } else {
            self.selected(msg, base, sink)
        }
    }

    fn selected<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>) -> Result<()> {
        match &self.projection {
            None => self.reader.walk(msg, base, sink, &mut self.budget),
            Some(projection) => {
                let mut select = Select::new(sink, projection);
                self.reader.walk(msg, base, &mut select, &mut self.budget)?;
                select.finish()
            }
        }
    }
}
