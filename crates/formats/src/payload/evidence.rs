//! Evidence that a value holds a message of a format.
//!
//! Much text is a number, a word or a remark that some format would accept. So evident means: it
//! has the shape of a container, and can be read.

use polywire_core::format::{Confidence, Format, Nature};
use polywire_core::{Budget, ErrorKind, Field, Frame, Limits, Next, Note, Open, Part, Result, Scalar, Sink, Span};

use super::codecs::is_packed;
use crate::registry::{self, FORMATS};

/// Bytes of the shortest text that is taken for a message.
const SHORTEST_TEXT: usize = 6;

/// Bytes of the shortest message of a binary format.
const SHORTEST_BINARY: usize = 8;

/// Events of a broken message that leave no doubt about its format.
const ENOUGH: u64 = 8;

/// Returns the format that the value beginning with `start` holds beyond doubt.
pub fn evident(start: &[u8], whole: bool) -> Option<&'static Format> {
    let text = is_text(start);
    if start.len() < if text { SHORTEST_TEXT } else { SHORTEST_BINARY } {
        return None;
    }
    if text && is_plain(start) {
        return None;
    }
    let brackets = start.trim_ascii_start().first().is_some_and(|byte| matches!(byte, b'{' | b'[' | b'<'));
    // A compressed payload is no message itself, unless that is as certain.
    let mut best = (if is_packed(start) { Confidence::Likely } else { Confidence::Possible }, None);
    for format in FORMATS {
        // Text is in no binary format; its readers need not try.
        if text && format.nature == Nature::Binary {
            continue;
        }
        let confidence = (format.recognise)(start, whole);
        let shaped = match (format.nature, text) {
            (Nature::Text, true) => brackets || confidence == Confidence::Certain,
            // UTF-16 shows in its first bytes.
            (Nature::Text, false) => confidence == Confidence::Certain,
            (Nature::Binary, _) => true,
        };
        if shaped && confidence > best.0 && is_read(format, start, whole) {
            best = (confidence, Some(*format));
        }
    }
    best.1
}

/// Reports whether text is words, numbers and dates: no format is certain of such, and most texts
/// are.
fn is_plain(text: &[u8]) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'_' | b'.' | b'-');
    text.first().is_some_and(u8::is_ascii_alphanumeric) && text.iter().all(is_word)
}

/// Returns the most likely format of the value beginning with `start`, if there is one.
pub fn likely(start: &[u8], whole: bool) -> Option<&'static Format> {
    registry::recognise(start, whole).filter(|format| (format.recognise)(start, whole) >= Confidence::Likely)
}

/// Reports whether the bytes are UTF-8, except for a sequence cut at the end.
fn is_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// Reports whether `start` reads as containers of `format`: to the end, or as far as it goes if
/// more follows.
fn is_read(format: &Format, start: &[u8], whole: bool) -> bool {
    if !whole && format.nature == Nature::Binary {
        // Its readers stop at lengths that reach beyond the start; recognition can continue.
        return true;
    }
    let mut reader = (format.reader)();
    let mut budget = Budget::new(&Limits::DEFAULT);
    let mut seen = Seen::default();
    // A character that the cut split is no mistake.
    let start = match std::str::from_utf8(start) {
        Err(error) if !whole && error.error_len().is_none() => &start[..error.valid_up_to()],
        _ => start,
    };
    let mut rest = 0;
    loop {
        let Ok(frame) = reader.frame(&start[rest..], rest as u64, true) else { return seen.events >= ENOUGH };
        let (from, to) = match frame {
            Frame::Message { start: from, end } if end > 0 => (rest + from, (rest + end).min(start.len())),
            _ => return seen.container && seen.events > 2,
        };
        budget.reset();
        match reader.walk(&start[from..to], from as u64, &mut seen, &mut budget) {
            Ok(()) if !seen.container => return false,
            Ok(()) => rest = to,
            Err(_) if !seen.container => return false,
            Err(error) if !whole && error.kind() == ErrorKind::Truncated => return true,
            Err(_) => return seen.events >= ENOUGH && format.nature == Nature::Text,
        }
    }
}

/// Counts events, and notes whether the first value is a container.
#[derive(Debug, Default)]
struct Seen {
    events: u64,
    container: bool,
}

impl Seen {
    fn event(&mut self) {
        self.events += 1;
    }
}

impl<'m> Sink<'m> for Seen {
    fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next> {
        self.container |= self.events == 0;
        self.event();
        Ok(Next::Enter)
    }

    fn field(&mut self, _: Field<'m, '_>, _: Span) -> Result<Next> {
        self.event();
        Ok(Next::Enter)
    }

    fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> Result<()> {
        self.event();
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        self.event();
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        self.event();
        Ok(())
    }

    fn note(&mut self, _: Note<'_>, _: Span) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_format_is_certain_of_plain_text() {
        let alphabet: Vec<u8> = (0..=127).filter(|byte| is_plain(&[b'a', *byte])).collect();
        let mut seed = 1_u64;
        let mut random = |most: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % most
        };
        let mut texts: Vec<Vec<u8>> = ["i42e", "d3abe", "yaml 1.2", "0000000000", "a.b.c", "PSYC x", "true", "null", "x - y", "2026-11-26"]
            .iter()
            .map(|text| text.as_bytes().to_vec())
            .collect();
        texts.extend((0..5000).map(|_| (0..1 + random(40)).map(|_| alphabet[random(alphabet.len())]).collect::<Vec<u8>>()));
        for text in texts.iter().filter(|text| is_plain(text)) {
            for format in FORMATS.iter().filter(|format| format.nature == Nature::Text) {
                let confidence = (format.recognise)(text, true);
                assert!(confidence < Confidence::Certain, "{}: {}", format.name, String::from_utf8_lossy(text));
            }
        }
    }
}
