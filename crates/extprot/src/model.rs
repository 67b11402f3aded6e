//! A checked and reduced protocol. Aliases and applications are expanded, so only what is on the
//! wire remains, and each type keeps its declared name.
//!
//! Types are nodes of one arena, and a node comes after all its parts. Equal types are one node, so
//! a protocol that would be exponentially large when written out stays small. A program that walks
//! the nodes as a tree, without remembering the nodes it has seen, must bound the walk. extprot has
//! no recursive types, so the walk itself ends.

use std::collections::HashMap;
use std::fmt;
use std::ops::Index;

use polywire_core::text::diagnostic::{Diagnostic, Place, Source};

/// Most nodes, fields, constructors and elements of an expanded protocol.
pub const MAX_SIZE: usize = 1 << 20;

/// Maximum nesting of types, messages included.
pub const MAX_DEPTH: u32 = 500;

/// Words of a lazy stub, in the estimate of docs/spec/extprot.md 2.3.
pub const STUB_WORDS: u32 = 13;

/// Words of a list, array or string, in the estimate of docs/spec/extprot.md 2.3.
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

/// Index of a type in the arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// Returns the position in the arena.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Index of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeclarationId(pub(crate) u32);

impl DeclarationId {
    /// Returns the position among the declarations.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A `message` or a `type`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    /// Name. Messages and types share one name space.
    pub name: String,
    /// Message or type, with the parameters of a type. Only messages can be encoded at top level.
    pub kind: DeclarationKind,
    /// Comment directly before the declaration, without the comment marks.
    pub doc: String,
    /// Place of the name in the text.
    pub at: Place,
    /// True if the declaration was included. It is visible, but its code belongs to another module.
    pub included: bool,
    /// Options as written, in order.
    pub options: Vec<(String, String)>,
    /// Type that the declaration stands for; `None` if it is polymorphic.
    pub node: Option<NodeId>,
}

/// Kind of a declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeclarationKind {
    /// A message, which is encoded and decoded at top level.
    Message,
    /// A type, with the names of its parameters without the `'`.
    Type {
        /// Parameters in order.
        parameters: Vec<String>,
    },
}

/// A type.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Structure on the wire.
    pub kind: Kind,
    /// Declaration that names the type; `None` for a type written in place.
    pub origin: Option<Origin>,
    /// Host type that stands for the type (`ocaml.type`).
    pub wrapped: Option<Wrapped>,
    /// True if the type has a default value (docs/spec/extprot.md 6).
    pub default: HasDefault,
    /// True if the type can be encoded. Subsets, and types that contain one, cannot.
    pub encodable: bool,
    /// Estimated words of a decoded value, at most [`LARGE_WORDS`] (docs/spec/extprot.md 2.3).
    pub words: u32,
    /// Levels of nested types from here on: 1 for a primitive.
    pub depth: u32,
}

impl Node {
    /// Returns whether a lazy field of this type is decoded at once all the same
    /// (docs/spec/extprot.md 5.8): primitives, and types no larger than a stub.
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
    /// Type that the declaration only renames: `int` for `id<int>`, and `b` for `type a = b`.
    pub alias_of: Option<NodeId>,
}

/// Host type that replaces a declared one. Only the host value changes; the bytes do not.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Wrapped {
    /// Text of the host type, with `'a` for parameters.
    pub host: String,
    /// Text of the function that converts from the declared type.
    pub from_wire: String,
    /// Text of the function that converts to the declared type.
    pub to_wire: String,
    /// Text of the default host value.
    pub default: Option<String>,
}

/// Default value of a type: whether one is claimed, and whether one exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HasDefault {
    /// True if a tuple, a constructor or a promotion sees a default. A nested message or record
    /// always claims one, and fails later if a field has none (docs/spec/extprot.md 6).
    pub claimed: bool,
    /// True if a default exists.
    pub exists: bool,
}

impl HasDefault {
    /// No default.
    pub const NO: HasDefault = HasDefault { claimed: false, exists: false };
    /// A default.
    pub const YES: HasDefault = HasDefault { claimed: true, exists: true };
}

/// Structure of a type on the wire.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A primitive.
    Primitive {
        /// Which one.
        primitive: Primitive,
        /// Effective default, of the primitive's own type; `None` if there is none. A `bool` always
        /// has one.
        default: Option<Literal>,
    },
    /// A list or an array: same bytes, different host types.
    List {
        /// Type of the elements.
        element: NodeId,
        /// True if it is an array.
        array: bool,
    },
    /// A tuple of two or more elements.
    Tuple(Vec<NodeId>),
    /// A sum type.
    Sum(Sum),
    /// A plain message or a record.
    Record(Record),
    /// A message union.
    Union(Union),
    /// A read-only view of some fields of a plain message or record.
    Subset(Subset),
    /// A message of another module, whose structure is unknown here.
    External(ExternalPath),
}

/// Primitive type (docs/spec/extprot.md 2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Primitive {
    /// True or false.
    Bool,
    /// 0 to 255.
    Byte,
    /// Signed integer of variable length with 64 bits; the original has 63.
    Int,
    /// Signed integer of 64 bits.
    Long,
    /// IEEE 754 binary64.
    Float,
    /// Any bytes.
    String,
}

impl Primitive {
    /// All primitives.
    pub const ALL: [Primitive; 6] =
        [Primitive::Bool, Primitive::Byte, Primitive::Int, Primitive::Long, Primitive::Float, Primitive::String];

    /// Returns the keyword of the language.
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

/// Default value of a primitive.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// Value of a `bool`.
    Bool(bool),
    /// Value of a `byte`.
    Byte(u8),
    /// Value of an `int` or a `long`.
    Int(i64),
    /// Value of a `float`; finite.
    Float(f64),
    /// Value of a `string`.
    Bytes(Vec<u8>),
}

/// A sum type.
#[derive(Debug, Clone, PartialEq)]
pub struct Sum {
    /// Constructors in the order of declaration.
    pub constructors: Vec<Constructor>,
}

impl Sum {
    /// Returns the constant constructor with that number.
    pub fn constant(&self, number: u64) -> Option<&Constructor> {
        self.constructors.iter().filter(|constructor| constructor.is_constant()).nth(usize::try_from(number).ok()?)
    }

    /// Returns the constructor with arguments with that number.
    pub fn carrying(&self, number: u64) -> Option<&Constructor> {
        self.constructors.iter().filter(|constructor| !constructor.is_constant()).nth(usize::try_from(number).ok()?)
    }
}

/// A constructor of a sum type.
#[derive(Debug, Clone, PartialEq)]
pub struct Constructor {
    /// Its name.
    pub name: String,
    /// Number among the constant constructors, or among those with arguments (docs/spec/extprot.md
    /// 4.3).
    pub number: u32,
    /// Types of the arguments; empty for a constant constructor.
    pub arguments: Vec<NodeId>,
    /// The comment directly before it.
    pub doc: String,
    /// Its name in the text.
    pub at: Place,
}

impl Constructor {
    /// Returns whether the constructor has no arguments.
    pub fn is_constant(&self) -> bool {
        self.arguments.is_empty()
    }
}

/// A plain message, or a record type whose arguments are filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Name in error paths (docs/spec/extprot.md 5.6): that of the declaration with the fields, or
    /// of the message that is an alias or an application.
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
    /// True if the host gets a setter.
    pub mutable: bool,
    /// True if the field is decoded on access, `[@autolazy]` included. [`Node::decoded_at_once`]
    /// says when the field is decoded at once nevertheless.
    pub lazy: bool,
    /// Marker at the field itself.
    pub marker: Option<Regime>,
    /// The comment directly before it.
    pub doc: String,
    /// Its name in the text.
    pub at: Place,
}

/// Time when a field is decoded.
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
    /// Name in error paths.
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
    /// Record type or message that the fields come from, if they are not written in place.
    pub from: Option<NodeId>,
    /// The comment directly before it.
    pub doc: String,
    /// Its name in the text.
    pub at: Place,
}

/// A view of some fields.
#[derive(Debug, Clone, PartialEq)]
pub struct Subset {
    /// Name in error paths.
    pub name: String,
    /// Plain message or record that is viewed.
    pub source: NodeId,
    /// Wanted fields, in the order of the source.
    pub fields: Vec<Wanted>,
}

/// A field of a subset.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// Position in the source, from 0.
    pub position: u32,
    /// The field. It has the ascribed type, or else that of the source; its regime is that of the
    /// subset's marker, or else of the source.
    pub field: Field,
    /// True if the subset gives the field a type of its own.
    pub ascribed: bool,
}

/// Path of a message in other modules.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExternalPath {
    /// Modules, outermost first.
    pub modules: Vec<String>,
    /// Name of the message.
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
    /// Returns the texts that the protocol was read from: its own first, then the included ones.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Returns the warnings: valid declarations that may not mean what was intended.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Returns all declarations in order; included ones stand in the place of their `include`.
    pub fn declarations(&self) -> impl ExactSizeIterator<Item = (DeclarationId, &Declaration)> {
        self.declarations.iter().enumerate().map(|(n, declaration)| (DeclarationId(n as u32), declaration))
    }

    /// Returns the messages in order, with their types.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = (&Declaration, NodeId)> {
        let messages = self.declarations.iter().filter(|declaration| declaration.kind == DeclarationKind::Message);
        messages.filter_map(|declaration| Some((declaration, declaration.node?)))
    }

    /// Returns the message with that name.
    pub fn message(&self, name: &str) -> Option<NodeId> {
        let declaration = &self[*self.names.get(name)?];
        if declaration.kind == DeclarationKind::Message { declaration.node } else { None }
    }

    /// Returns the declaration with that name.
    pub fn declaration(&self, name: &str) -> Option<DeclarationId> {
        self.names.get(name).copied()
    }

    /// Returns all types. A type comes after its parts.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate().map(|(n, node)| (NodeId(n as u32), node))
    }

    /// Returns the parts of a type in order: element types, argument types and field types; for a
    /// subset, the types of the wanted fields.
    pub fn parts(&self, node: NodeId) -> Vec<NodeId> {
        self[node].kind.parts()
    }

    /// Returns a type as the language writes it: its declared name with arguments, or its
    /// definition if it has no name.
    pub fn type_name(&self, node: NodeId) -> String {
        let mut out = String::new();
        self.write_name(node, &mut out);
        out
    }

    /// Approximate limit of the text of [`Protocol::type_name`] in bytes.
    const NAME_LENGTH: usize = 400;

    fn write_name(&self, node: NodeId, out: &mut String) {
        // Names are written out as trees, and nested arguments may be exponentially many.
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
    /// Returns the parts of the type in order.
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

    /// Returns the amount that counts towards [`MAX_SIZE`].
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
