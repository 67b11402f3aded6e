//! A protocol that was checked and reduced: aliases and applications are expanded, so that only what is on the wire is left, and
//! each type remembers the names that it had.
//!
//! Types are nodes of one arena, and a node comes after all nodes that it is made of. Equal types are one node, so a protocol that would be exponentially large
//! when written out stays small: whoever walks the nodes as a tree, without remembering those seen, has to bound the walk.
//! There is no recursion in the types of extprot, so the walk itself ends.

use std::collections::HashMap;
use std::fmt;
use std::ops::Index;

use polywire_core::text::diagnostic::{Diagnostic, Place, Source};

/// Most nodes, fields, constructors and elements that a protocol may have when expanded.
pub const MAX_SIZE: usize = 1 << 20;

/// Most types within each other, messages included.
pub const MAX_DEPTH: u32 = 500;

/// Words that a lazy stub takes, in the estimate of docs/spec/extprot.md 2.3.
pub const STUB_WORDS: u32 = 13;

/// Words that a list, array or string is taken for, in the estimate of docs/spec/extprot.md 2.3.
pub const LARGE_WORDS: u32 = 1000;

/// A checked protocol.
#[derive(Debug, Clone, Default)]
pub struct Protocol {
    pub(crate) sources: Vec<Source>,
    pub(crate) declarations: Vec<Declaration>,
    pub(crate) names: HashMap<String, DeclarationId>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// A type of the arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// Position in the arena.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A declaration of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeclarationId(pub(crate) u32);

impl DeclarationId {
    /// Position among the declarations.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A `message` or a `type`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    /// Its name. Messages and types share one name space.
    pub name: String,
    /// Whether it can be encoded at top level, and if not, what its parameters are.
    pub kind: DeclarationKind,
    /// The comment directly before it, without the marks of the comment.
    pub doc: String,
    /// Its name in the text.
    pub at: Place,
    /// Whether it came by `include`: it is visible, but another module has its code.
    pub included: bool,
    /// Options as written, in order.
    pub options: Vec<(String, String)>,
    /// The type that it stands for; none if it is polymorphic.
    pub node: Option<NodeId>,
}

/// What is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeclarationKind {
    /// A message, which is encoded and decoded at top level.
    Message,
    /// A type, with the names of its parameters (without the `'`).
    Type {
        /// Parameters in order.
        parameters: Vec<String>,
    },
}

/// A type.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// What is on the wire.
    pub kind: Kind,
    /// The declaration that names it, none for what is written in place.
    pub origin: Option<Origin>,
    /// The type of the host language that stands for it (`ocaml.type`).
    pub wrapped: Option<Wrapped>,
    /// Whether it has a default value (docs/spec/extprot.md 6).
    pub default: HasDefault,
    /// Whether it has an encoder: a subset has none, nor has what contains one.
    pub encodable: bool,
    /// Estimated words of a decoded value, capped at [`LARGE_WORDS`]. docs/spec/extprot.md 2.3.
    pub words: u32,
    /// Types within each other down from here: 1 for a primitive.
    pub depth: u32,
}

impl Node {
    /// Whether a lazy field of this type is decoded at once nevertheless (docs/spec/extprot.md 5.8): primitives, and what is no larger than a stub.
    pub fn decoded_at_once(&self) -> bool {
        matches!(self.kind, Kind::Primitive { .. }) || self.words <= STUB_WORDS
    }
}

/// The declared name of a type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The declaration.
    pub declaration: DeclarationId,
    /// Its arguments, one per parameter.
    pub arguments: Vec<NodeId>,
    /// The type that the declaration only gives another name to: that of `id<int>` is `int`, that of `type a = b` is `b`.
    pub alias_of: Option<NodeId>,
}

/// A host type in the place of a declared one. Only the host value changes; the wire form stays.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Wrapped {
    /// Text of the host type, with `'a` for parameters.
    pub host: String,
    /// Text of the function from the wire's value.
    pub from_wire: String,
    /// Text of the function to the wire's value.
    pub to_wire: String,
    /// Text of the default host value.
    pub default: Option<String>,
}

/// Whether a type has a default value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HasDefault {
    /// Whether a tuple, a constructor or a promotion that asks is told yes. A nested message or record always says yes, and finds out when
    /// its fields are to be made up (docs/spec/extprot.md 6).
    pub claimed: bool,
    /// Whether there is one.
    pub exists: bool,
}

impl HasDefault {
    /// None.
    pub const NO: HasDefault = HasDefault { claimed: false, exists: false };
    /// One.
    pub const YES: HasDefault = HasDefault { claimed: true, exists: true };
}

/// What a type is on the wire.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A primitive.
    Primitive {
        /// Which one.
        primitive: Primitive,
        /// The default that takes effect, of the primitive's own type; none if there is none (`bool` always has one).
        default: Option<Literal>,
    },
    /// A list or an array: the same bytes, different host types.
    List {
        /// Type of the elements.
        element: NodeId,
        /// Whether it is an array.
        array: bool,
    },
    /// A tuple of two or more.
    Tuple(Vec<NodeId>),
    /// A sum type.
    Sum(Sum),
    /// A plain message or a record.
    Record(Record),
    /// A message union.
    Union(Union),
    /// A view of some fields of a plain message or record, for reading only.
    Subset(Subset),
    /// A message of another protocol's module, of which nothing is known here.
    External(ExternalPath),
}

/// The primitives of docs/spec/extprot.md 2.3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Primitive {
    /// True or false.
    Bool,
    /// 0 to 255.
    Byte,
    /// Signed, variable length, 64 bits here; the original has 63.
    Int,
    /// Signed, 64 bits.
    Long,
    /// IEEE 754 binary64.
    Float,
    /// Any bytes.
    String,
}

impl Primitive {
    /// All of them.
    pub const ALL: [Primitive; 6] =
        [Primitive::Bool, Primitive::Byte, Primitive::Int, Primitive::Long, Primitive::Float, Primitive::String];

    /// Its word in the language.
    pub const fn name(self) -> &'static str {
        match self {
            Primitive::Bool => "bool",
            Primitive::Byte => "byte",
            Primitive::Int => "int",
            Primitive::Long => "long",
            Primitive::Float => "float",
            Primitive::String => "string",
        }
    }
}

/// The default value of a primitive.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// Of a `bool`.
    Bool(bool),
    /// Of a `byte`.
    Byte(u8),
    /// Of an `int` or a `long`.
    Int(i64),
    /// Of a `float`; finite.
    Float(f64),
    /// Of a `string`.
    Bytes(Vec<u8>),
}

/// A sum type.
#[derive(Debug, Clone, PartialEq)]
pub struct Sum {
    /// Constructors in the order of declaration.
    pub constructors: Vec<Constructor>,
}

impl Sum {
    /// The constant constructor of that number.
    pub fn constant(&self, number: u64) -> Option<&Constructor> {
        self.constructors.iter().filter(|constructor| constructor.is_constant()).nth(usize::try_from(number).ok()?)
    }

    /// The constructor with arguments of that number.
    pub fn carrying(&self, number: u64) -> Option<&Constructor> {
        self.constructors.iter().filter(|constructor| !constructor.is_constant()).nth(usize::try_from(number).ok()?)
    }
}

/// A constructor of a sum type.
#[derive(Debug, Clone, PartialEq)]
pub struct Constructor {
    /// Its name.
    pub name: String,
    /// Its number: among the constant ones, or among those with arguments (docs/spec/extprot.md 4.3).
    pub number: u32,
    /// Types of its arguments; none: a constant constructor.
    pub arguments: Vec<NodeId>,
    /// The comment directly before it.
    pub doc: String,
    /// Its name in the text.
    pub at: Place,
}

impl Constructor {
    /// Whether it has no arguments.
    pub fn is_constant(&self) -> bool {
        self.arguments.is_empty()
    }
}

/// A plain message, or a record type that was made one by its arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The name in paths of errors (docs/spec/extprot.md 5.6): of the declaration that holds the fields, or of the message that is an alias or an application.
    pub name: String,
    /// Fields in order.
    pub fields: Vec<Field>,
}

/// A field of a plain message, record or variant.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: NodeId,
    /// Whether the host gets a setter.
    pub mutable: bool,
    /// Whether it is decoded on access, `[@autolazy]` included. [`Node::decoded_at_once`] tells when that makes no difference.
    pub lazy: bool,
    /// What is written at the field itself.
    pub marker: Option<Regime>,
    /// The comment directly before it.
    pub doc: String,
    /// Its name in the text.
    pub at: Place,
}

/// When a field is decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Regime {
    /// With its message.
    Eager,
    /// On access.
    Lazy,
}

/// A message of several variants.
#[derive(Debug, Clone, PartialEq)]
pub struct Union {
    /// The name in paths of errors.
    pub name: String,
    /// Variants; the position is the tag on the wire.
    pub variants: Vec<Variant>,
}

/// A variant of a message union.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// Its fields.
    pub fields: Vec<Field>,
    /// The record type or message that the fields were taken from, if they are not written here.
    pub from: Option<NodeId>,
    /// The comment directly before it.
    pub doc: String,
    /// Its name in the text.
    pub at: Place,
}

/// A view of some fields.
#[derive(Debug, Clone, PartialEq)]
pub struct Subset {
    /// The name in paths of errors.
    pub name: String,
    /// The plain message or record that is viewed.
    pub source: NodeId,
    /// Wanted fields, in the order of the source.
    pub fields: Vec<Wanted>,
}

/// A field of a subset.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// Position in the source, from 0.
    pub position: u32,
    /// The field: its type is the ascribed one where there is one, its regime that of the subset's marker, else of the source.
    pub field: Field,
    /// Whether the subset gives it a type of its own.
    pub ascribed: bool,
}

/// The path of a message in other modules.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExternalPath {
    /// Modules from the outside in.
    pub modules: Vec<String>,
    /// The message.
    pub name: String,
}

impl fmt::Display for ExternalPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for module in &self.modules {
            write!(f, "{module}.")?;
        }
        f.write_str(&self.name)
    }
}

impl Protocol {
    /// The texts that it was read from: the protocol itself, then what it includes.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// What means something, but perhaps not what was meant.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// All declarations in order; those that came by `include` stand where they were included.
    pub fn declarations(&self) -> impl ExactSizeIterator<Item = (DeclarationId, &Declaration)> {
        self.declarations.iter().enumerate().map(|(n, declaration)| (DeclarationId(n as u32), declaration))
    }

    /// Messages in order, with their types.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = (&Declaration, NodeId)> {
        let messages = self.declarations.iter().filter(|declaration| declaration.kind == DeclarationKind::Message);
        messages.filter_map(|declaration| Some((declaration, declaration.node?)))
    }

    /// The message of that name.
    pub fn message(&self, name: &str) -> Option<NodeId> {
        let declaration = &self[*self.names.get(name)?];
        if declaration.kind == DeclarationKind::Message { declaration.node } else { None }
    }

    /// The declaration of that name.
    pub fn declaration(&self, name: &str) -> Option<DeclarationId> {
        self.names.get(name).copied()
    }

    /// All types. A type comes after those that it is made of.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate().map(|(n, node)| (NodeId(n as u32), node))
    }

    /// The types that a type is made of, in order: elements, arguments, field types; of a subset those of the wanted fields.
    pub fn parts(&self, node: NodeId) -> Vec<NodeId> {
        self[node].kind.parts()
    }

    /// A type as the language writes it: its declared name with arguments, or what stands in its place.
    pub fn type_name(&self, node: NodeId) -> String {
        let mut out = String::new();
        self.write_name(node, &mut out);
        out
    }

    /// Longest text of [`Protocol::type_name`], in bytes and a bit.
    const NAME_LENGTH: usize = 400;

    fn write_name(&self, node: NodeId, out: &mut String) {
        // Names are written out as trees: arguments of arguments may be exponentially many.
        if out.len() > Protocol::NAME_LENGTH {
            out.push('…');
            return;
        }
        let several = |nodes: &[NodeId], between: &str, out: &mut String| {
            for (n, node) in nodes.iter().enumerate() {
                if n > 0 {
                    out.push_str(between);
                }
                if out.len() > Protocol::NAME_LENGTH {
                    out.push('…');
                    return;
                }
                self.write_name(*node, out);
            }
        };
        let node = &self[node];
        if let Some(origin) = &node.origin {
            out.push_str(&self[origin.declaration].name);
            if !origin.arguments.is_empty() {
                out.push('<');
                several(&origin.arguments, ", ", out);
                out.push('>');
            }
            return;
        }
        match &node.kind {
            Kind::Primitive { primitive, .. } => out.push_str(primitive.name()),
            Kind::List { element, array } => {
                out.push_str(if *array { "[| " } else { "[ " });
                self.write_name(*element, out);
                out.push_str(if *array { " |]" } else { " ]" });
            }
            Kind::Tuple(parts) => {
                out.push('(');
                several(parts, " * ", out);
                out.push(')');
            }
            Kind::Record(Record { name, .. }) | Kind::Union(Union { name, .. }) | Kind::Subset(Subset { name, .. }) => out.push_str(name),
            Kind::Sum(_) => out.push_str("sum"),
            Kind::External(path) => out.push_str(&path.to_string()),
        }
    }
}

impl Kind {
    /// The types that it is made of, in order.
    pub fn parts(&self) -> Vec<NodeId> {
        match self {
            Kind::Primitive { .. } | Kind::External(_) => Vec::new(),
            Kind::List { element, .. } => vec![*element],
            Kind::Tuple(parts) => parts.clone(),
            Kind::Sum(sum) => sum.constructors.iter().flat_map(|constructor| constructor.arguments.iter().copied()).collect(),
            Kind::Record(record) => record.fields.iter().map(|field| field.ty).collect(),
            Kind::Union(union) => union.variants.iter().flat_map(|variant| variant.fields.iter().map(|field| field.ty)).collect(),
            Kind::Subset(subset) => subset.fields.iter().map(|wanted| wanted.field.ty).collect(),
        }
    }

    /// What it adds to the size that [`MAX_SIZE`] bounds.
    pub(crate) fn size(&self) -> usize {
        1 + match self {
            Kind::Primitive { .. } | Kind::External(_) | Kind::List { .. } => 0,
            Kind::Tuple(parts) => parts.len(),
            Kind::Sum(sum) => sum.constructors.iter().map(|constructor| 1 + constructor.arguments.len()).sum(),
            Kind::Record(record) => record.fields.len(),
            Kind::Union(union) => union.variants.iter().map(|variant| 1 + variant.fields.len()).sum(),
            Kind::Subset(subset) => subset.fields.len(),
        }
    }
}

impl Index<NodeId> for Protocol {
    type Output = Node;

    fn index(&self, node: NodeId) -> &Node {
        &self.nodes[node.index()]
    }
}

impl Index<DeclarationId> for Protocol {
    type Output = Declaration;

    fn index(&self, declaration: DeclarationId) -> &Declaration {
        &self.declarations[declaration.index()]
    }
}
