//! The steps of a message, as the machine takes them.

/// The two versions of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    Amf0,
    Amf3,
}

/// Elements of a vector of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Element {
    #[default]
    Int,
    UInt,
    Double,
}

impl Element {
    /// Returns the bytes of one.
    pub fn size(self) -> usize {
        if self == Element::Double { 8 } else { 4 }
    }
}

/// One step. Its texts and numbers are in the machine's [`Found`]: a step is returned for each
/// value, and fits a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token {
    Null,
    Undefined,
    Unsupported,
    False,
    True,
    /// An integer of AMF3: `number` has its bits.
    Int,
    /// A number that AMF has no type for: a version, or the place of an element.
    Count,
    /// A number of AMF0: `float`.
    Number0,
    /// A number of AMF3: `float`.
    Number3,
    /// A text: `slice`.
    Text,
    /// A long string of AMF0.
    LongText,
    Xml,
    XmlDocument,
    /// Milliseconds since the epoch in `float`, and the time zone in `number`.
    Date,
    Bytes,
    /// A reference to an object of AMF0, by its `number`.
    Reference0,
    /// A reference to an object of AMF3, by its `number`.
    Reference3,
    /// A vector of numbers: the bytes of its elements.
    Numbers,
    /// An object of a class, which is empty if it has none, with its `mark`, or 0.
    Object,
    /// Values, as many as `number`.
    List,
    /// An ECMA array: its count is `number`.
    Ecma,
    /// An array with names.
    Named,
    /// A dictionary of `number` entries; `flag` is true if its keys are weak.
    Dictionary,
    /// A vector of objects: the name of their class, and `number` of them.
    Objects,
    /// A value of AMF3 within AMF0.
    Switch,
    /// The name of the value that comes next.
    Name,
    /// The name of a part of an envelope, or of the value of an externalizable object: `known`.
    Known,
    /// The name of the value that comes next, by a flag.
    Flag,
    /// The name of a sealed member, in the traits of a class.
    Member,
    /// Bytes around values: `known` says what they are.
    Frame,
    /// The end of the innermost container.
    Close,
    /// A step that shows nothing.
    Nothing,
    /// The end of the message.
    End,
}

impl Token {
    /// Reports whether it opens a container.
    pub fn opens(self) -> bool {
        use Token::{Dictionary, Ecma, List, Named, Object, Objects, Switch};
        matches!(self, Object | List | Ecma | Named | Dictionary | Objects | Switch)
    }
}

/// Part of the message.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Slice {
    pub start: usize,
    pub len: usize,
}

impl Slice {
    /// Returns its bytes in the message.
    #[inline]
    pub fn of(self, buf: &[u8]) -> &[u8] {
        buf.get(self.start..self.start + self.len).unwrap_or_default()
    }
}

/// Texts and numbers of the last step.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// A text, a name, or bytes.
    pub slice: Slice,
    /// True if a text or name is not spelled out here.
    pub repeated: bool,
    pub number: u32,
    pub float: f64,
    /// Mark of an object.
    pub mark: u64,
    /// True if a vector is fixed, or the keys of a dictionary are weak.
    pub flag: bool,
    pub element: Element,
    /// Number among the containers that are surveyed.
    pub surveyed: usize,
    pub known: &'static str,
    /// Place of a flag: the number of its class, and its own.
    pub place: (u8, u8),
    pub kind: Option<crate::external::Kind>,
}
