//! Levels: the things that are open while a message is read.

use crate::external::{Kind, Single};

/// One thing that is open or due; those below it come later.
#[derive(Debug, Clone, Copy)]
pub(super) enum Level {
    /// Properties of AMF0, up to the end of the object.
    Pairs,
    /// Elements of AMF0 that are left.
    Strict(u32),
    /// The end of a value of AMF3 within AMF0.
    Switch,
    /// Members of an object of AMF3: its traits, and the next sealed one.
    Object(u32, u32),
    /// Names in traits: how many are left.
    Members(u32),
    /// Elements of AMF3 that are left.
    Dense(u32),
    /// Elements with names, and the number of those with places behind them.
    Names(u32),
    /// Elements with places: how many are left, and the next place.
    Places(u32, u32),
    /// Keys and values that are left.
    Dictionary(u32),
    /// The one value of an externalizable object.
    Only(Single),
    /// The end of a container.
    Close,
    /// A byte of flags, and those so far.
    Flags(Place, u64),
    /// Values whose flags are set.
    Flagged(Place, u64),
    /// A part of a packet.
    Packet(u8),
    /// Headers or messages of a packet that are left; true for messages.
    Parts(u32, bool),
    /// A part of a header or a message.
    Part(u8, bool),
    /// The end of a value whose length was given: `usize::MAX` is none.
    Length(usize),
    /// A part of a shared object.
    Shared(u8),
    /// Values of a shared object.
    Entries,
    /// The byte behind such a value.
    Padding,
}

/// A place among the flags of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The message.
    pub kind: Kind,
    /// Number of classes before.
    pub group: u8,
    /// Number of bytes of flags so far.
    pub byte: u8,
}
