//! The options of a stream (EXI 1.0, 5.4).

/// The way in which event codes and values lie in the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Alignment {
    /// Bits follow each other without a gap.
    #[default]
    BitPacked,
    /// Every event code and value starts at a byte.
    BytePacked,
    /// Bytes, with the values of each name together, ready for a compressor.
    PreCompression,
    /// The same, compressed by DEFLATE. The options document calls this `compression`.
    Compression,
}

impl Alignment {
    /// Returns whether the stream consists of blocks, in which values stand apart from structure.
    pub fn has_blocks(self) -> bool {
        matches!(self, Alignment::PreCompression | Alignment::Compression)
    }
}

/// The parts of a document that a stream keeps beyond elements, attributes and text (6.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Preserve {
    /// Comments.
    pub comments: bool,
    /// Processing instructions.
    pub instructions: bool,
    /// The document type, and references to entities.
    pub doctypes: bool,
    /// Prefixes, and the declarations of namespaces.
    pub prefixes: bool,
    /// The spelling of values. Without a schema this is about `xsi:type` only, whose value is a
    /// name otherwise.
    pub lexical: bool,
}

/// The schema that a stream says it was written by.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SchemaId {
    /// Nothing is said.
    #[default]
    Absent,
    /// No schema.
    Nil,
    /// The name of a schema. The empty one means the types that XML Schema has built in.
    Named(String),
}

/// A name with its namespace.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Expanded {
    /// Namespace, or empty.
    pub uri: String,
    /// Name within it.
    pub local: String,
}

/// The options of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The way in which event codes and values lie in the stream.
    pub alignment: Alignment,
    /// True if a schema allows no deviations. Without a schema it has no effect.
    pub strict: bool,
    /// True if the body is a fragment: any number of elements.
    pub fragment: bool,
    /// The parts of a document that are kept.
    pub preserve: Preserve,
    /// True if elements may be self-contained: readable without what is before them.
    pub self_contained: bool,
    /// The schema.
    pub schema: SchemaId,
    /// Types of a schema, and the datatypes that represent them. Without a schema it has no effect.
    pub datatypes: Vec<(Expanded, Expanded)>,
    /// Number of values in a block. Default 1,000,000.
    pub block_size: u32,
    /// Length in characters of the longest value that can be referred to. Default: any.
    pub value_max_length: Option<u32>,
    /// Number of values that can be referred to at a time. Default: any.
    pub value_partition_capacity: Option<u32>,
    /// Names of the elements that users have added to the options document.
    pub metadata: Vec<Expanded>,
}

/// Number of values in a block if the options say nothing (5.4).
pub const BLOCK_SIZE: u32 = 1_000_000;

impl Default for Options {
    fn default() -> Options {
        Options {
            alignment: Alignment::BitPacked,
            strict: false,
            fragment: false,
            preserve: Preserve::default(),
            self_contained: false,
            schema: SchemaId::Absent,
            datatypes: Vec::new(),
            block_size: BLOCK_SIZE,
            value_max_length: None,
            value_partition_capacity: None,
            metadata: Vec::new(),
        }
    }
}
