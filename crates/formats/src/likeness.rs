//! Plausibility of a reading of unknown bytes: binary formats without a magic number are recognised
//! by it.

use polywire_core::format::Confidence;
use polywire_core::{Budget, Field, Frame, Limits, Next, Open, Part, PartKind, Reader, Result, Scalar, Sink, Span};

/// Reads `start` as messages of one format and judges the result.
///
/// `whole` is true if nothing follows `start`. `full` frames and walks complete messages; `cut`
/// walks a message that continues beyond `start`, so that its claimed lengths may reach beyond it.
/// `container` recognises the head bytes of containers: a stream of bare scalars is rarely meant.
pub(crate) fn judge(start: &[u8], whole: bool, full: &mut dyn Reader, cut: &mut dyn Reader, container: fn(u8) -> bool) -> Confidence {
    if start.is_empty() {
        return Confidence::No;
    }
    let mut seen = Likeness::default();
    let mut budget = Budget::new(&Limits::DEFAULT);
    let text = is_text(start);
    let mut shaped = !text;
    let mut messages = 0u64;
    let mut rest = start;
    let mut partial = false;
    while let Some(&head) = rest.first() {
        shaped = shaped && container(head);
        budget.reset();
        // At the end of the stream, `frame` would hand over a truncated message like a complete
        // one.
        match full.frame(rest, 0, false) {
            Ok(Frame::Message { end, .. }) => {
                if full.walk(&rest[..end], 0, &mut seen, &mut budget).is_err() {
                    // A stream that breaks later may still be of this format.
                    return if messages > 0 && shaped { Confidence::Possible } else { Confidence::No };
                }
                rest = &rest[end..];
                messages += 1;
            }
            Ok(_) => {
                // Only the events until the error matter.
                let _ = cut.walk(rest, 0, &mut seen, &mut budget);
                partial = true;
                break;
            }
            Err(_) => return Confidence::No,
        }
    }
    // The end of a truncated message proves nothing, so it needs texts, or many values.
    let evident = seen.odd * 2 <= seen.sane && (!partial || seen.sane > 0 || (seen.values > 8 && !whole));
    // Nearly any bytes are a row of small numbers in these formats.
    let scalars = !(text || partial && whole) && (messages == 1 || seen.sane * 2 >= messages);
    match (shaped, evident, scalars) {
        (true, true, _) => Confidence::Likely,
        (true, false, _) | (false, _, true) => Confidence::Possible,
        (false, _, false) => Confidence::No,
    }
}

/// Reports whether the bytes are UTF-8, except for a sequence cut at the end.
fn is_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// Counts of things that people write, and of things that only chance makes.
#[derive(Debug, Default)]
struct Likeness {
    values: u64,
    /// Number of texts and names without control characters.
    sane: u64,
    /// Number of things that are rarely meant: control characters, strings that are no text, names
    /// mixed with other keys, unassigned numbers.
    odd: u64,
    levels: Vec<Level>,
    in_part: bool,
}

#[derive(Debug, Default)]
struct Level {
    map: bool,
    value_due: bool,
    /// True if the first key was text.
    named: Option<bool>,
}

impl Likeness {
    fn text(&mut self, text: &str) {
        let control = |byte: u8| byte == 0x7f || (byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r'));
        if text.bytes().any(control) {
            self.odd += 1;
        } else if !text.is_empty() {
            self.sane += 1;
        }
    }

    fn key(&mut self, named: bool) {
        if let Some(level) = self.levels.last_mut() {
            self.odd += u64::from(*level.named.get_or_insert(named) != named);
            level.value_due = true;
        }
    }

    /// Counts a value; returns true if it is a key.
    fn value(&mut self) -> bool {
        self.values += 1;
        match self.levels.last_mut() {
            Some(level) if level.map && !level.value_due => {
                self.key(false);
                true
            }
            Some(level) => {
                level.value_due = false;
                false
            }
            None => false,
        }
    }
}

impl<'m> Sink<'m> for Likeness {
    fn open(&mut self, open: Open<'_>, _: Span) -> Result<Next> {
        let is_key = self.value();
        // Simple values other than `undefined` are unassigned: RFC 8949, table 4.
        let unassigned = matches!(open, Open::Tagged { space: "cbor-simple", code } if code != 23);
        self.odd += u64::from(is_key) + u64::from(unassigned);
        self.levels.push(Level { map: matches!(open, Open::Map(_)), ..Level::default() });
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        self.key(true);
        self.text(field.name.get());
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, _: Span) -> Result<()> {
        let is_key = self.value();
        match value {
            Scalar::Text(text) => self.text(text.get()),
            Scalar::Octets(_) => self.odd += 1,
            Scalar::Null | Scalar::Bool(_) | Scalar::F32(..) | Scalar::F64(..) => self.odd += u64::from(is_key),
            _ => {}
        }
        Ok(())
    }

    fn part(&mut self, part: Part<'_>, _: Span) -> Result<()> {
        if !std::mem::replace(&mut self.in_part, !part.last) {
            self.value();
        }
        if part.kind == PartKind::Text {
            self.text(std::str::from_utf8(part.bytes).unwrap_or_default());
        }
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        self.levels.pop();
        Ok(())
    }
}
