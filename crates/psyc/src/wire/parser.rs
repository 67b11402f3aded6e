//! The parser of packets for users of Rust: state, mode and limits in one.

use super::parse::{Code, FLAG_ROUTING_ONLY, FLAG_START_AT_CONTENT, Limits, ParseState, Step, UNUSUAL, full, quick};

/// How much of packets is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// All.
    #[default]
    All,
    /// The routing header; the content comes as it is (docs/spec/psyc.md 6.5).
    RoutingOnly,
    /// The buffer is one whole content without the packet around it (docs/spec/psyc.md 6.6).
    Content,
}

/// An error of the parser, which is of no use after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub code: Code,
    /// Offset in the buffer of the byte that is.
    pub at: usize,
}

/// The parser. It does not hold the buffer: [`Parser::next`] is given it each time, and it may have grown in between.
///
/// On [`Step::More`] there are two ways on: give it the same bytes with more behind them; or call [`Parser::drop_read`], and give it the
/// bytes from [`Parser::cursor`] on with more behind them. However a stream is cut, no byte of an item is looked at twice.
///
/// ```
/// use polywire_psyc::wire::{Parser, Step};
///
/// let packet = b":_target\tpsyc://example.org/~ann\n\n_message\nHi all\n|\n";
/// let mut parser = Parser::default();
/// assert!(matches!(parser.next(packet), Ok(Step::Routing(line)) if line.name == b"_target"));
/// assert_eq!(parser.next(packet), Ok(Step::Body(b"_message", b"Hi all")));
/// assert_eq!(parser.next(packet), Ok(Step::Complete));
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
    /// A parser at the start of a packet, or of a content, that enforces no limits.
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

    /// Sets what is refused.
    #[must_use]
    pub const fn limits(mut self, limits: Limits) -> Parser {
        self.limits = limits;
        self.state.held |= UNUSUAL;
        self
    }

    /// What the parser keeps between calls.
    pub const fn state(&self) -> &ParseState {
        &self.state
    }

    /// Offset of the next unread byte of the buffer.
    #[inline]
    pub const fn cursor(&self) -> usize {
        self.state.cursor
    }

    /// The unread bytes of the buffer.
    pub fn remaining<'b>(&self, buf: &'b [u8]) -> &'b [u8] {
        buf.get(self.state.cursor..).unwrap_or_default()
    }

    /// Says that the next buffer starts at the cursor of this one.
    pub const fn drop_read(&mut self) {
        self.state.cursor = 0;
    }

    /// The size that the content was declared with. Valid after [`Step::Complete`], until the next call.
    pub fn content_size(&self) -> Option<usize> {
        (self.state.contentlen_found != 0).then_some(self.state.contentlen)
    }

    /// The size that the last value was declared with, or that data has by that of the content.
    pub fn value_size(&self) -> Option<usize> {
        (self.state.valuelen_found != 0).then_some(self.state.valuelen)
    }

    /// How many bytes are missing at least, after [`Step::More`] with the same buffer.
    pub fn missing(&self) -> usize {
        self.state.missing()
    }

    /// The next item of `buf`. After an error, the same error for good (psyc-D11).
    #[inline(always)]
    pub fn next<'b>(&mut self, buf: &'b [u8]) -> Result<Step<'b>, Fault> {
        if self.state.held == 0
            && let Some(step) = quick(&mut self.state, buf)
        {
            return Ok(step);
        }
        let (state, flat) = full(self.state, buf, &self.limits);
        self.state = state;
        flat.step().map_err(|code| Fault { code, at: self.state.cursor })
    }
}
