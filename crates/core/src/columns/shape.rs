//! The shape of columns, as far as a reader needs it that fills them.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// The columns of messages: a node for each column, at any depth.
#[derive(Debug, Clone, Default)]
pub struct Shape {
    /// The nodes. Their indexes are those of the columns.
    pub nodes: Vec<Node>,
    /// The node of a message.
    pub root: u32,
}

impl Shape {
    /// Returns a node. There is one that takes no value for an index beyond all.
    #[inline(always)]
    pub fn node(&self, id: u32) -> &Node {
        self.nodes.get(id as usize).unwrap_or(&Node { form: Form::Other, nullable: false })
    }
}

/// A column.
#[derive(Debug, Clone)]
pub struct Node {
    /// The values that it takes.
    pub form: Form,
    /// True if it takes null, without a loss.
    pub nullable: bool,
}

/// The values that a column takes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Form {
    /// Values that only a walk brings.
    Other,
    /// Truth values.
    Bool,
    /// Whole numbers, as many as [`Data`](super::Data) has bits for.
    Whole,
    /// Numbers of 32 bits.
    F32,
    /// Numbers of 64 bits. A whole number is a loss, which is the walk's.
    F64,
    /// Numbers of 64 bits, whole or not. A whole float is a loss, which is the walk's.
    Number,
    /// Numbers as their digits; true if they are whole.
    Digits(bool),
    /// Text.
    Text,
    /// Text of any character set: text or octets.
    Octets,
    /// Bytes.
    Bytes,
    /// Moments, as the number of units since 1970. The number is that of units in a second.
    Time(i64),
    /// Names, as keys of a dictionary.
    Names(Names),
    /// Lists of the values of this node.
    List(u32),
    /// Records.
    Record(Vec<Member>),
    /// Values of several cases, each with a column of its own.
    Sum(Cases),
}

/// Cases of a sum type, in the order of their keys.
#[derive(Debug, Clone, Default)]
pub struct Cases {
    /// The node of the keys.
    pub tag: u32,
    /// Name of each case, and the node of its values. A constant has none.
    pub cases: Vec<(String, Option<u32>)>,
}

/// Names, whose places are their keys.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// Keys by name.
    pub keys: HashMap<String, u32, RandomState>,
    /// Numbers of the names, which may stand for them.
    pub numbers: Vec<i64>,
}

/// A field of a record.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// The node of its values.
    pub node: u32,
    /// True if its absence needs something done, which is the walk's.
    pub required: bool,
    /// True if null is not the same as its absence: this is a loss, which is the walk's.
    pub lossy_null: bool,
}
