//! Packets: operators, modifiers and contents (docs/spec/psyc.md 4).

/// The effect of a modifier on its variable (docs/spec/psyc.md 4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Operator {
    /// `:` sets the value for this packet only.
    Set = b':',
    /// `=` replaces the value in the persistent state.
    Assign = b'=',
    /// `+` adds to the state: to lists and numbers.
    Augment = b'+',
    /// `-` takes away from the state.
    Diminish = b'-',
    /// `@` changes a part of a structured variable.
    Update = b'@',
    /// `?` asks for the value.
    Query = b'?',
    /// `!` is reserved: parsed, without a meaning.
    Reserved = b'!',
}

impl Operator {
    /// Returns the operator that a byte stands for.
    #[inline]
    pub const fn from_byte(byte: u8) -> Option<Operator> {
        Some(match byte {
            b':' => Operator::Set,
            b'=' => Operator::Assign,
            b'+' => Operator::Augment,
            b'-' => Operator::Diminish,
            b'@' => Operator::Update,
            b'?' => Operator::Query,
            b'!' => Operator::Reserved,
            _ => return None,
        })
    }

    /// Returns its byte on the wire.
    #[inline]
    pub const fn byte(self) -> u8 {
        self as u8
    }

    /// Returns whether the value of a list or dict variable is a list or dict; that of an update or
    /// a query is not.
    pub const fn takes_whole_values(self) -> bool {
        matches!(self, Operator::Set | Operator::Assign | Operator::Augment | Operator::Diminish)
    }
}

/// The rule by which a value, an element or a content gets a size (docs/spec/psyc.md 11.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sizing {
    /// The rules of docs/spec/psyc.md 11.1 decide.
    #[default]
    Check,
    /// Always, unless it is empty.
    Need,
    /// Never. The caller makes sure that the bytes allow it.
    No,
}

/// A variable's line in a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modifier<'a> {
    /// The effect on the variable.
    pub operator: Operator,
    /// Name of the variable, a keyword.
    pub name: &'a [u8],
    /// Its value, opaque to the packet layer.
    pub value: &'a [u8],
    /// The rule for its size, or whether it had one when read; entity header only.
    pub sizing: Sizing,
}

impl<'a> Modifier<'a> {
    /// Returns a modifier with a size by docs/spec/psyc.md 11.1.
    pub const fn new(operator: Operator, name: &'a [u8], value: &'a [u8]) -> Modifier<'a> {
        Modifier { operator, name, value, sizing: Sizing::Check }
    }
}

/// A state line (docs/spec/psyc.md 4.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// `=`: forget the state held for the sender's context.
    Reset,
    /// `?`: please send a reset.
    Resync,
}

impl State {
    /// Returns its byte on the wire.
    pub const fn byte(self) -> u8 {
        match self {
            State::Reset => b'=',
            State::Resync => b'?',
        }
    }
}

/// The lines of a header, in order, as often as they are asked for.
///
/// A slice of modifiers is one. A caller that keeps modifiers in another layout implements this
/// trait and renders them without a copy.
pub trait Header<'a>: Copy {
    /// The iterator over the lines.
    type Lines: Iterator<Item = Modifier<'a>>;

    /// Returns the lines. Each call returns the same ones: the lengths of a packet are computed
    /// before its bytes are written.
    fn lines(self) -> Self::Lines;
}

impl<'a> Header<'a> for &'a [Modifier<'a>] {
    type Lines = core::iter::Copied<core::slice::Iter<'a, Modifier<'a>>>;

    #[inline]
    fn lines(self) -> Self::Lines {
        self.iter().copied()
    }
}

/// The content of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content<'a, H = &'a [Modifier<'a>]> {
    /// Its parts.
    Parts {
        /// The state line, if there is one.
        state: Option<State>,
        /// The entity header.
        entity: H,
        /// The method, empty if there is no body.
        method: &'a [u8],
        /// The method's argument.
        data: &'a [u8],
    },
    /// Opaque bytes, as a router passes them on, with their last LF.
    Raw(&'a [u8]),
}

/// A packet whose parts are borrowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet<'a, H = &'a [Modifier<'a>]> {
    /// The routing header. Values there have no sizes, whatever the modifiers say.
    pub routing: H,
    /// The content.
    pub content: Content<'a, H>,
    /// The rule for the size of the content.
    pub sizing: Sizing,
}

impl<'a> Packet<'a> {
    /// Returns a packet of a routing header, an entity header, a method and data, with sizes by
    /// docs/spec/psyc.md 11.1.
    pub const fn new(routing: &'a [Modifier<'a>], entity: &'a [Modifier<'a>], method: &'a [u8], data: &'a [u8]) -> Packet<'a> {
        Packet { routing, content: Content::Parts { state: None, entity, method, data }, sizing: Sizing::Check }
    }

    /// Returns a packet of a routing header and an opaque content, with its last LF.
    pub const fn raw(routing: &'a [Modifier<'a>], content: &'a [u8]) -> Packet<'a> {
        Packet { routing, content: Content::Raw(content), sizing: Sizing::Check }
    }
}
