//! Results of filters as messages of a format.

use polywire_core::format::Dialect;
use polywire_core::tools::convert::lay_out;
use polywire_core::tools::loss::LossReport;
use polywire_core::walk::{Frame, Layout, Reader};
use polywire_core::{Budget, Error, ErrorKind, Fault, Limits, Result, Scalar, Sink, Writer};

use crate::cut::{Shape, Taken};
use crate::value::{Val, emit};

/// How texts are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Raw {
    /// As messages of the format.
    #[default]
    No,
    /// As they are, on a line of their own.
    Lines,
    /// As they are, and nothing follows any result.
    Joined,
}

/// Writes results, one message each, to a buffer.
pub struct Results {
    to: Dialect,
    writer: Box<dyn Writer>,
    raw: Raw,
    layout: Layout,
    sorted: bool,
    out: Vec<u8>,
    count: u64,
    losses: LossReport,
}

impl Results {
    /// Makes a stream of messages of the format or dialect `to`.
    ///
    /// # Errors
    /// The format cannot be written, or has no such look.
    pub fn new(to: impl Into<Dialect>, raw: Raw, layout: &Layout) -> Result<Results> {
        let to = to.into();
        let Some(mut writer) = to.writer() else {
            return Err(Error::new(ErrorKind::Unsupported, Fault::Caller)
                .seen(format!("the format `{}`", to.format().name))
                .expected("a format that can be written"));
        };
        lay_out(&mut *writer, layout, &to)?;
        writer.begin_stream();
        Ok(Results { to, writer, raw, layout: layout.clone(), sorted: false, out: Vec::new(), count: 0, losses: LossReport::default() })
    }

    /// Writes the keys of objects in the order of their characters.
    #[must_use]
    pub fn sorted(self, sorted: bool) -> Results {
        Results { sorted, ..self }
    }

    /// Makes the same for other results, such as those of another thread.
    ///
    /// # Errors
    /// The format cannot be written.
    pub(crate) fn fork(&self) -> Result<Results> {
        let fork = Results::new(self.to.clone(), self.raw, &self.layout)?;
        Ok(Results { losses: LossReport::part(), ..fork.sorted(self.sorted) })
    }

    /// Reports whether the format holds one result alone.
    pub(crate) fn is_only_one(&self) -> bool {
        self.writer.only_one().is_some()
    }

    /// Exchanges the buffer for another one.
    pub(crate) fn swap(&mut self, bytes: &mut Vec<u8>) {
        std::mem::swap(&mut self.out, bytes);
    }

    /// Moves what the format could not keep so far to `losses`.
    pub(crate) fn lost_to(&mut self, losses: &mut LossReport) {
        losses.join(std::mem::replace(&mut self.losses, LossReport::part()));
    }

    /// Takes over what was lost of results that others wrote.
    pub fn join(&mut self, losses: LossReport) {
        self.losses.join(losses);
    }

    /// Writes a result.
    ///
    /// # Errors
    /// The format cannot hold it, or no second message.
    pub fn add(&mut self, value: &Val) -> Result<()> {
        let sorted = self.sorted.then(|| value.clone().sorted());
        let value = sorted.as_ref().unwrap_or(value);
        let before = self.out.len();
        let text = value.as_str().filter(|_| self.raw != Raw::No);
        match text {
            Some(text) => self.out.extend_from_slice(text.as_bytes()),
            None => {
                if let (Some(instead), 1..) = (self.writer.only_one(), self.count) {
                    return Err(self.second(instead));
                }
                let written = emit(value, &mut *self.writer).and_then(|()| self.writer.finish(&mut self.out));
                if let Err(error) = written {
                    self.out.truncate(before);
                    self.writer.reset();
                    return Err(error.format_is(self.to.format().name));
                }
                self.lost(value);
            }
        }
        self.end(text.is_some());
        Ok(())
    }

    #[cold]
    fn second(&self, instead: &'static str) -> Error {
        Error::new(ErrorKind::Unsupported, Fault::Caller)
            .seen("a second result")
            .expected("one, since this format does not mark where a message ends")
            .hint(instead)
            .format_is(self.to.format().name)
    }

    /// Writes results that are parts of a message, and returns whether the last one is true.
    /// Returns `None`, and writes nothing, if one of them has to be a value before: it is lost,
    /// sorted, or more than the format can hold.
    pub(crate) fn cut(&mut self, results: &[Shape], taken: &Taken<'_, '_>) -> Option<bool> {
        if self.sorted || self.writer.only_one().is_some() {
            return None;
        }
        let (before, count) = (self.out.len(), self.count);
        let mut last = false;
        let is_written = results.iter().all(|shape| {
            let scalar = taken.scalar(shape);
            last = !matches!(scalar, Some(Scalar::Null | Scalar::Bool(false)));
            self.add_cut(shape, scalar, taken).is_ok()
        });
        if is_written && self.writer.losses().is_empty() {
            return Some(last);
        }
        self.out.truncate(before);
        self.count = count;
        self.writer.reset();
        None
    }

    #[inline]
    fn add_cut(&mut self, shape: &Shape, scalar: Option<Scalar<'_, '_>>, taken: &Taken<'_, '_>) -> Result<()> {
        let is_raw = match (self.raw, scalar) {
            (Raw::No, _) | (_, None) => false,
            (_, Some(Scalar::Text(text))) => {
                self.out.extend_from_slice(text.get().as_bytes());
                true
            }
            // Some values have a text of their own.
            (_, Some(Scalar::Time(_) | Scalar::Octets(_) | Scalar::Bytes(_))) => return Err(Error::internal("a text to be made")),
            _ => false,
        };
        if !is_raw {
            taken.emit(shape, &mut *self.writer)?;
            self.writer.finish(&mut self.out)?;
        }
        self.end(is_raw);
        Ok(())
    }

    /// Writes what stands behind a result.
    #[inline]
    fn end(&mut self, is_raw: bool) {
        match (self.raw, is_raw) {
            (Raw::Joined, _) => {}
            (Raw::Lines, true) => self.out.push(b'\n'),
            _ => self.out.extend_from_slice(self.to.format().separator.as_bytes()),
        }
        self.count += 1;
    }

    /// Adds what the writer could not keep of a result, with the paths in it.
    fn lost(&mut self, value: &Val) {
        let lost = self.writer.losses();
        if !lost.is_empty() {
            let mut again = Again(value.clone());
            self.losses.add(&mut again, &[], 0, &lost, &Limits::MAX);
        }
    }

    /// Returns the bytes that were written since [`Results::clear`].
    pub fn bytes(&self) -> &[u8] {
        &self.out
    }

    /// Empties the buffer, once its bytes were taken.
    pub fn clear(&mut self) {
        self.out.clear();
    }

    /// Returns the number of results.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns what the format could not keep. The byte offsets are numbers of events.
    pub fn losses(&self) -> &LossReport {
        &self.losses
    }
}

/// A reader that emits a value, for the paths of losses.
struct Again(Val);

impl Reader for Again {
    fn frame(&mut self, _: &[u8], _: u64, _: bool) -> Result<Frame> {
        Ok(Frame::End)
    }

    fn walk<'m>(&mut self, _: &'m [u8], _: u64, sink: &mut dyn Sink<'m>, _: &mut Budget) -> Result<()> {
        emit(&self.0, &mut Scratch(sink))
    }
}

/// Hands events on to a sink that outlives their value.
struct Scratch<'a, 'm>(&'a mut dyn Sink<'m>);

impl Sink<'_> for Scratch<'_, '_> {
    fn open(&mut self, open: polywire_core::Open<'_>, at: polywire_core::Span) -> Result<polywire_core::Next> {
        self.0.open(open, at)
    }

    fn field(&mut self, field: polywire_core::Field<'_, '_>, at: polywire_core::Span) -> Result<polywire_core::Next> {
        self.0.field(polywire_core::Field { name: polywire_core::Str::Scratch(field.name.get()), id: field.id, slot: field.slot }, at)
    }

    fn scalar(&mut self, value: Scalar<'_, '_>, at: polywire_core::Span) -> Result<()> {
        self.0.scalar(value.scratch(), at)
    }

    fn part(&mut self, part: polywire_core::Part<'_>, at: polywire_core::Span) -> Result<()> {
        self.0.part(part, at)
    }

    fn close(&mut self, at: polywire_core::Span) -> Result<()> {
        self.0.close(at)
    }
}
