//! Packets as slices, for vectored writes: names, values, content and data are not copied.

use super::error::RenderError;
use super::output::write_digits;
use super::packet::{check, lengths, modifier_wants_size};
use super::size::digits;
use crate::packet::{Content, Header, Modifier, Operator, Packet, State};
use crate::wire::bytes::{END, LF};

/// The longest text of a size with the bytes around it: a scratch buffer of this many bytes for
/// every value, and once more for the content, is long enough.
pub const SIZE_TEXT_MAX: usize = 22;

/// Returns the number of bytes of scratch that [`pieces`] needs for a packet: the digits of its
/// sizes, and a byte before and after each.
pub fn scratch_length<'a, H: Header<'a>>(packet: &Packet<'a, H>) -> usize {
    let lengths = lengths(packet);
    let mut needed = if lengths.sized { digits(lengths.content) + 1 } else { 0 };
    if let Content::Parts { entity, .. } = packet.content {
        for modifier in entity.lines().filter(modifier_wants_size) {
            needed += digits(modifier.value.len()) + 2;
        }
    }
    needed
}

/// Returns the slices whose bytes, one after the other, are the packet. The digits of its sizes are
/// written to `scratch`, which needs at least [`scratch_length`] bytes ([`RenderError::Buffer`]
/// otherwise).
///
/// ```
/// use polywire_psyc::packet::{Modifier, Operator, Packet};
/// use polywire_psyc::wire::render;
///
/// let entity = [Modifier::new(Operator::Assign, b"_text", b"fine weather")];
/// let packet = Packet::new(&[], &entity, b"_message", b"ok");
/// let mut scratch = [0; 2 * render::SIZE_TEXT_MAX];
/// let bytes: Vec<u8> = render::pieces(&packet, &mut scratch)?.flatten().copied().collect();
/// assert_eq!(bytes, b"35\n=_text 12\tfine weather\n_message\nok\n|\n");
/// # Ok::<(), render::RenderError>(())
/// ```
pub fn pieces<'a, H: Header<'a>>(packet: &Packet<'a, H>, scratch: &'a mut [u8]) -> Result<Pieces<'a, H>, RenderError> {
    let lengths = check(packet, usize::MAX)?;
    if scratch.len() < scratch_length(packet) {
        return Err(RenderError::Buffer);
    }
    let mut at = 0;
    let mut size = |before: &[u8], number: usize, after: u8| {
        let mut text = [0; 20];
        let start = write_digits(number, &mut text);
        for part in [before, &text[start..], &[after]] {
            scratch[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        }
    };
    if lengths.sized {
        size(b"", lengths.content, LF);
    }
    let (state, entity, method, data) = match packet.content {
        Content::Raw(raw) => (None, None, &b""[..], raw),
        Content::Parts { state, entity, method, data } => {
            for modifier in entity.lines().filter(modifier_wants_size) {
                size(b" ", modifier.value.len(), b'\t');
            }
            (state, Some(entity.lines()), method, data)
        }
    };
    Ok(Pieces {
        next: NextPiece::Routing,
        line: None,
        routing: packet.routing.lines(),
        entity,
        state,
        method,
        data,
        raw: matches!(packet.content, Content::Raw(_)),
        has_content: lengths.content > 0,
        sized: lengths.sized,
        sizes: scratch,
    })
}

/// The slices of a packet, made by [`pieces`]. None of them is empty.
#[derive(Debug, Clone)]
pub struct Pieces<'a, H: Header<'a>> {
    next: NextPiece,
    /// The line being delivered, and the next part of it.
    line: Option<(Modifier<'a>, LinePart)>,
    routing: H::Lines,
    entity: Option<H::Lines>,
    state: Option<State>,
    method: &'a [u8],
    data: &'a [u8],
    raw: bool,
    has_content: bool,
    sized: bool,
    /// The texts of the sizes not delivered yet.
    sizes: &'a [u8],
}

#[derive(Debug, Clone, Copy)]
enum NextPiece {
    Routing,
    ContentStart,
    State,
    Entity,
    Method,
    MethodEnd,
    Data,
    DataEnd,
    End,
    Done,
}

#[derive(Debug, Clone, Copy)]
enum LinePart {
    Name,
    Tab,
    SizedTab,
    Value,
    End,
}

impl<'a, H: Header<'a>> Pieces<'a, H> {
    /// Returns the slices in the form that vectored writes take.
    #[cfg(feature = "std")]
    pub fn io_slices(self) -> impl Iterator<Item = std::io::IoSlice<'a>> + use<'a, H> {
        self.map(std::io::IoSlice::new)
    }

    /// Returns the text of the next size, up to the byte after its digits.
    fn size(&mut self, first: usize) -> &'a [u8] {
        let digits = self.sizes[first..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (text, rest) = self.sizes.split_at(first + digits + 1);
        self.sizes = rest;
        text
    }

    fn part(&mut self, line: Modifier<'a>, part: LinePart) -> &'a [u8] {
        let (piece, next): (&[u8], _) = match part {
            LinePart::Name if matches!(self.next, NextPiece::Entity) && modifier_wants_size(&line) => (line.name, Some(LinePart::SizedTab)),
            LinePart::Name => (line.name, Some(LinePart::Tab)),
            LinePart::Tab => (b"\t", Some(if line.value.is_empty() { LinePart::End } else { LinePart::Value })),
            LinePart::SizedTab => (self.size(1), Some(LinePart::Value)),
            LinePart::Value => (line.value, Some(LinePart::End)),
            LinePart::End => (b"\n", None),
        };
        self.line = next.map(|next| (line, next));
        piece
    }

    fn line(&mut self, line: Modifier<'a>) -> &'a [u8] {
        self.line = Some((line, LinePart::Name));
        match line.operator {
            Operator::Set => b":",
            Operator::Assign => b"=",
            Operator::Augment => b"+",
            Operator::Diminish => b"-",
            Operator::Update => b"@",
            Operator::Query => b"?",
            Operator::Reserved => b"!",
        }
    }
}

impl<'a, H: Header<'a>> Iterator for Pieces<'a, H> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if let Some((line, part)) = self.line.take() {
            return Some(self.part(line, part));
        }
        loop {
            let (piece, next): (Option<&[u8]>, _) = match self.next {
                NextPiece::Routing => match self.routing.next() {
                    Some(line) => return Some(self.line(line)),
                    None => (None, if self.has_content { NextPiece::ContentStart } else { NextPiece::End }),
                },
                NextPiece::ContentStart if self.sized => (Some(self.size(0)), NextPiece::State),
                NextPiece::ContentStart => (Some(b"\n"), NextPiece::State),
                NextPiece::State => {
                    let text = self.state.map(|state| match state {
                        State::Reset => &b"=\n"[..],
                        State::Resync => b"?\n",
                    });
                    (text, NextPiece::Entity)
                }
                NextPiece::Entity => match self.entity.as_mut().and_then(Iterator::next) {
                    Some(line) => return Some(self.line(line)),
                    None => (None, NextPiece::Method),
                },
                NextPiece::Method if self.method.is_empty() => (None, NextPiece::Data),
                NextPiece::Method => (Some(self.method), NextPiece::MethodEnd),
                NextPiece::MethodEnd => (Some(b"\n"), NextPiece::Data),
                NextPiece::Data if self.data.is_empty() => (None, NextPiece::End),
                NextPiece::Data => (Some(self.data), if self.raw { NextPiece::End } else { NextPiece::DataEnd }),
                NextPiece::DataEnd => (Some(b"\n"), NextPiece::End),
                NextPiece::End => (Some(END), NextPiece::Done),
                NextPiece::Done => return None,
            };
            self.next = next;
            if piece.is_some() {
                return piece;
            }
        }
    }
}

impl<'a, H: Header<'a>> core::iter::FusedIterator for Pieces<'a, H> {}
