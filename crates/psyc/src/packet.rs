//! What a packet is (docs/spec/psyc.md 4).

/// What a modifier does to its variable (docs/spec/psyc.md 4.2).
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
    /// The operator that a byte stands for.
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

    /// Its byte on the wire.
    #[inline]
    pub const fn byte(self) -> u8 {
        self as u8
    }

    /// Whether the value of a list or dict variable is a list or dict: an update or a query holds something else.
    pub const fn takes_whole_values(self) -> bool {
        matches!(self, Operator::Set | Operator::Assign | Operator::Augment | Operator::Diminish)
    }
}

/// When a value, an element or a content is written with its size (docs/spec/psyc.md 11.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sizing {
    /// The rules of docs/spec/psyc.md 11.1 decide.
    #[default]
    Check,
    /// Always, unless it is empty.
    Need,
    /// Never: whoever says so knows that the bytes allow it.
    No,
}

/// A variable's line in a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modifier<'a> {
    /// What happens to the variable.
    pub operator: Operator,
    /// Name of the variable, a keyword.
    pub name: &'a [u8],
    /// Its value, opaque to the packet layer.
    pub value: &'a [u8],
    /// Whether its size is written, or was: in the entity header only.
    pub sizing: Sizing,
}

impl<'a> Modifier<'a> {
    /// A modifier whose size is written where docs/spec/psyc.md 11.1 says so.
    pub const fn new(operator: Operator, name: &'a [u8], value: &'a [u8]) -> Modifier<'a> {
        Modifier { operator, name, value, sizing: Sizing::Check }
    }
}

/// What a state line says (docs/spec/psyc.md 4.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// `=`: forget the state held for the sender's context.
    Reset,
    /// `?`: please send a reset.
    Resync,
}

impl State {
    /// Its byte on the wire.
    pub const fn byte(self) -> u8 {
        match self {
            State::Reset => b'=',
            State::Resync => b'?',
        }
    }
}

/// The lines of a header, in order, as often as they are asked for.
///
/// A slice of modifiers is one. Whoever keeps modifiers in another layout implements it, and renders them where they lie.
pub trait Header<'a>: Copy {
    /// Goes through the lines.
    type Lines: Iterator<Item = Modifier<'a>>;

    /// The lines. Each call gives the same ones: the lengths of a packet are computed before its bytes are written.
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
        /// What the packet is about, empty if there is no body.
        method: &'a [u8],
        /// The method's argument.
        data: &'a [u8],
    },
    /// Bytes that a router does not look into, with their last LF.
    Raw(&'a [u8]),
}

/// A packet, borrowed from wherever its parts lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet<'a, H = &'a [Modifier<'a>]> {
    /// The routing header. Values there have no sizes, whatever the modifiers say.
    pub routing: H,
    /// What follows it.
    pub content: Content<'a, H>,
    /// Whether the size of the content is written.
    pub sizing: Sizing,
}

impl<'a> Packet<'a> {
    /// A packet of a routing header, an entity header, a method and data, with sizes where docs/spec/psyc.md 11.1 says so.
    pub const fn new(routing: &'a [Modifier<'a>], entity: &'a [Modifier<'a>], method: &'a [u8], data: &'a [u8]) -> Packet<'a> {
        Packet { routing, content: Content::Parts { state: None, entity, method, data }, sizing: Sizing::Check }
    }

    /// A packet of a routing header and a content that is passed on as it came, with its last LF.
    pub const fn raw(routing: &'a [Modifier<'a>], content: &'a [u8]) -> Packet<'a> {
        Packet { routing, content: Content::Raw(content), sizing: Sizing::Check }
    }
}
