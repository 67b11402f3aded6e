//! The parser of packets: state, mode and limits in one.

use super::parse::{Code, FLAG_ROUTING_ONLY, FLAG_START_AT_CONTENT, Limits, PacketStep, ParseState, UNUSUAL, full, quick};

/// The part of packets that is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// The packet.
    #[default]
    All,
    /// The routing header; the content is delivered opaque (docs/spec/psyc.md 6.5).
    RoutingOnly,
    /// The buffer is one whole content without the packet around it (docs/spec/psyc.md 6.6).
    Content,
}

/// An error of the parser, which cannot be used after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseError {
    /// The error.
    pub code: Code,
    /// The offset in the buffer of the wrong byte.
    pub at: usize,
}

/// The parser of packets. It does not hold the buffer: each call of [`Parser::next`] takes it, and
/// it may have grown in between.
///
/// After [`PacketStep::More`], call again with the same bytes and more appended; or call
/// [`Parser::drop_read`], and pass the bytes from [`Parser::cursor`] on with more appended. However
/// a stream is cut, no byte of an item is looked at twice.
///
/// ```
/// use polywire_psyc::wire::{Parser, PacketStep};
///
/// let packet = b":_target\tpsyc://example.org/~ann\n\n_message\nHi all\n|\n";
/// let mut parser = Parser::default();
/// assert!(matches!(parser.next(packet), Ok(PacketStep::Routing(line)) if line.name == b"_target"));
/// assert_eq!(parser.next(packet), Ok(PacketStep::Body(b"_message", b"Hi all")));
/// assert_eq!(parser.next(packet), Ok(PacketStep::Complete));
/// assert_eq!(parser.cursor(), packet.len());
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Parser {
    state: ParseState,
    limits: Limits,
}

impl Default for Parser {
    fn default() -> Self {
        Parser::new(Mode::All)
    }
}

impl Parser {
    /// Returns a parser without limits, at the start of a packet or of a content.
    pub const fn new(mode: Mode) -> Parser {
        let flags = match mode {
            Mode::All => 0,
            Mode::RoutingOnly => FLAG_ROUTING_ONLY,
            Mode::Content => FLAG_START_AT_CONTENT,
        };
        let mut state = ParseState::new(flags);
        if flags == FLAG_START_AT_CONTENT {
            state.held = UNUSUAL;
        }
        Parser { state, limits: Limits::NONE }
    }

    /// Sets the limits.
    #[must_use]
    pub const fn limits(mut self, limits: Limits) -> Parser {
        self.limits = limits;
        self.state.held |= UNUSUAL;
        self
    }

    /// Returns the state that the parser keeps between calls.
    pub const fn state(&self) -> &ParseState {
        &self.state
    }

    /// Returns the offset of the next unread byte of the buffer.
    #[inline]
    pub const fn cursor(&self) -> usize {
        self.state.cursor
    }

    /// Returns the unread bytes of the buffer.
    pub fn remaining<'b>(&self, buf: &'b [u8]) -> &'b [u8] {
        buf.get(self.state.cursor..).unwrap_or_default()
    }

    /// Declares that the next buffer starts at the cursor of this one.
    pub const fn drop_read(&mut self) {
        self.state.cursor = 0;
    }

    /// Returns the declared size of the content. It is valid after [`PacketStep::Complete`], until
    /// the next call.
    pub fn content_size(&self) -> Option<usize> {
        (self.state.contentlen_found != 0).then_some(self.state.contentlen)
    }

    /// Returns the declared size of the last value, or the size of data that follows from the size
    /// of the content.
    pub fn value_size(&self) -> Option<usize> {
        (self.state.valuelen_found != 0).then_some(self.state.valuelen)
    }

    /// Returns the least number of bytes missing, after [`PacketStep::More`] with the same buffer.
    pub fn missing(&self) -> usize {
        self.state.missing()
    }

    /// Returns the next item of `buf`. After an error, every further call returns the same error
    /// (psyc-D11).
    #[inline(always)]
    pub fn next<'b>(&mut self, buf: &'b [u8]) -> Result<PacketStep<'b>, ParseError> {
        if self.state.held == 0
            && let Some(step) = quick(&mut self.state, buf)
        {
            return Ok(step);
        }
        let (state, flat) = full(self.state, buf, &self.limits);
        self.state = state;
        flat.step().map_err(|code| ParseError { code, at: self.state.cursor })
    }
}
