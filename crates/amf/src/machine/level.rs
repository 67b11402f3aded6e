//! What is open while a message is read.

use crate::external::Group;
use crate::token::Version;

/// One thing that is due; those below it come later.
#[derive(Debug, Clone, Copy)]
pub(super) enum Level {
    /// A value.
    Value(Version),
    /// Properties of AMF0, up to the end of the object.
    Pairs,
    /// Elements of AMF0 that are left.
    Strict(u32),
    /// The end of a value of AMF3 within AMF0.
    Switch,
    /// Members of an object of AMF3: its traits, and the next sealed one.
    Object(u32, u32),
    /// Names in traits: how many are left.
    Members(u32, u32),
    /// Elements of AMF3 that are left.
    Dense(u32),
    /// Elements with names, and the number of those with places behind them.
    Names(u32),
    /// Elements with places: how many are left, and the next place.
    Places(u32, u32),
    /// Keys and values that are left.
    Dictionary(u32),
    /// The one value of an externalizable object.
    Only(&'static str),
    /// The end of a container.
    Close,
    /// A byte of flags: the classes that are left, the flags so far, and the number of bytes so
    /// far.
    Flags(&'static [Group], u64, u8),
    /// Values whose flags are set.
    Flagged(&'static [Group], u64),
    /// A part of a packet.
    Packet(u8),
    /// Headers or messages of a packet that are left; true for messages.
    Parts(u32, bool),
    /// A part of a header or a message.
    Part(u8, bool),
    /// The end of a value whose length was given.
    Length(Option<usize>),
    /// A part of a shared object.
    Shared(u8),
    /// Values of a shared object.
    Entries,
    /// The byte behind such a value.
    Padding,
}
