//! The resolved model: types with their tags, constraints and tables, as the encoding rules need
//! them.

mod bounds;
mod json;
mod keyword;
mod value;

pub use bounds::{Alphabet, Bounds, Constraints, Range, RealBounds};
pub use json::Json;
pub use value::Value;

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use polywire_core::text::diagnostic::{Diagnostic, Place, Source};
use smol_str::SmolStr;

pub use crate::syntax::{StringKind, TagClass, TimeKind};

/// Index of a type in [`Model::types`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

/// Index of an object table in [`Model::tables`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableId(pub u32);

/// Modules after resolution.
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// The texts. The first one has the types of the standard itself.
    pub sources: Vec<Source>,
    /// The modules in the order of their texts.
    pub modules: Vec<Module>,
    /// All types.
    pub types: Vec<Type>,
    /// All object tables.
    pub tables: Vec<Table>,
    /// Cautions: forms that are common and not standard, and parts without effect.
    pub cautions: Vec<Diagnostic>,
    pub(crate) names: HashMap<(u32, SmolStr), TypeId, RandomState>,
    pub(crate) values: HashMap<(u32, SmolStr), (TypeId, Value), RandomState>,
}

impl Model {
    /// Returns a type.
    ///
    /// # Panics
    /// The id is of another model.
    pub fn ty(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    /// Returns an object table.
    ///
    /// # Panics
    /// The id is of another model.
    pub fn table(&self, id: TableId) -> &Table {
        &self.tables[id.0 as usize]
    }

    /// Returns the type that a module assigns to a name.
    pub fn named(&self, module: &str, name: &str) -> Option<TypeId> {
        let module = self.modules.iter().position(|known| known.name == module)?;
        self.names.get(&(module as u32, SmolStr::new(name))).copied()
    }

    /// Returns the value that a module assigns to a name, with its type. Objects are no values.
    pub fn value(&self, module: &str, name: &str) -> Option<(TypeId, &Value)> {
        let module = self.modules.iter().position(|known| known.name == module)?;
        self.values.get(&(module as u32, SmolStr::new(name))).map(|(ty, value)| (*ty, value))
    }
}

/// Module.
#[derive(Debug, Clone, PartialEq)]
pub struct Module {
    /// Name.
    pub name: SmolStr,
    /// Object identifier, empty without one.
    pub oid: Vec<u128>,
    /// Types that the module assigns, in order. Those with parameters are left out: their instances
    /// are types without a name.
    pub types: Vec<(SmolStr, TypeId)>,
}

/// Type.
#[derive(Debug, Clone)]
pub struct Type {
    /// Module and name of the assignment, if the type is one.
    pub name: Option<(u32, SmolStr)>,
    /// Place in the text.
    pub at: Place,
    /// Kind of the type, with its parts.
    pub kind: Kind,
    /// Type that this one is, with other tags or constraints, if the text refers to one.
    pub base: Option<TypeId>,
    /// Tags on the wire, the outermost first. Empty for a choice and for an open type without tags.
    pub tags: Vec<Tag>,
    /// Constraints that PER sees (X.691 10.3).
    pub constraints: Constraints,
    /// Table that constrains the type, with the components that choose its row (X.682 10).
    pub table: Option<TableUse>,
    /// Type of the contents of an octet or bit string (X.682 11).
    pub contents: Option<TypeId>,
    /// Form in JER that encoding instructions give the type.
    pub json: Json,
}

/// Tag on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tag {
    /// Class.
    pub class: TagClass,
    /// Number.
    pub number: u64,
}

/// Kind of a type.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "each has the name of its type in the standard")]
pub enum Kind {
    Boolean,
    Null,
    Real,
    /// With the named numbers.
    Integer(Arc<[(SmolStr, i128)]>),
    Enumerated(Arc<Enumeration>),
    /// With the named bits.
    Bits(Arc<[(SmolStr, i128)]>),
    Octets,
    Oid,
    RelativeOid,
    OidIri,
    RelativeOidIri,
    External,
    EmbeddedPdv,
    CharacterString,
    Text(StringKind),
    Time(TimeKind),
    Sequence(Arc<Structure>),
    Set(Arc<Structure>),
    SequenceOf(TypeId),
    SetOf(TypeId),
    Choice(Arc<Choice>),
    /// A type that a table or another component determines, or `ANY` of X.208.
    Open,
    /// A type of a module that the texts lack.
    Unknown,
}

/// Enumeration (X.680 20).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Enumeration {
    /// Root items, in ascending order of their numbers (X.691 14.1).
    pub root: Vec<(SmolStr, i128)>,
    /// Items behind the marker, in the order of the text.
    pub additions: Vec<(SmolStr, i128)>,
    /// True if there is a marker.
    pub extensible: bool,
}

/// Components of a SEQUENCE or SET.
#[derive(Debug, Clone, Default)]
pub struct Structure {
    /// Root components in the order of the text, those of `COMPONENTS OF` in their place.
    pub root: Vec<Component>,
    /// Indexes of `root` in the order of PER and DER: for a SET by tags (X.680 8.6).
    pub order: Vec<u32>,
    /// Number of root components in front of the extension additions. The others follow these.
    pub first: u32,
    /// Extension additions.
    pub additions: Vec<Addition>,
    /// True if there is a marker.
    pub extensible: bool,
}

/// Extension addition (X.680 25.1).
#[derive(Debug, Clone)]
pub enum Addition {
    /// A component by itself.
    Component(Component),
    /// Components in `[[ ]]`, with the version number.
    Group(Vec<Component>, Option<u64>),
}

/// Component of a structure.
#[derive(Debug, Clone)]
pub struct Component {
    /// Name.
    pub name: SmolStr,
    /// Place in the text.
    pub at: Place,
    /// Type, with the tags that the component has.
    pub ty: TypeId,
    /// Presence.
    pub presence: Presence,
    /// Name of the member in JER, if an encoding instruction gives it another one (X.697 16).
    pub json_name: Option<SmolStr>,
}

/// Presence of a component.
#[derive(Debug, Clone, PartialEq)]
pub enum Presence {
    /// Always there.
    Required,
    /// May be absent.
    Optional,
    /// Absent for this value.
    Default(Value),
}

/// Alternatives of a CHOICE.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// Root alternatives in the order of the text.
    pub root: Vec<Alternative>,
    /// Indexes of `root` by ascending tags (X.680 8.6, X.691 23.2): the index of PER.
    pub order: Vec<u32>,
    /// Alternatives behind the marker, those of groups too, in the order of the text.
    pub additions: Vec<Alternative>,
    /// True if there is a marker.
    pub extensible: bool,
}

/// Alternative of a CHOICE.
#[derive(Debug, Clone)]
pub struct Alternative {
    /// Name.
    pub name: SmolStr,
    /// Place in the text.
    pub at: Place,
    /// Type, with the tags that the alternative has.
    pub ty: TypeId,
    /// Name of the member in JER, if an encoding instruction gives it another one (X.697 16).
    pub json_name: Option<SmolStr>,
}

/// Table that constrains a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableUse {
    /// The table.
    pub table: TableId,
    /// Field of the class whose column constrains the type.
    pub field: SmolStr,
    /// Components whose values choose the row. Empty if any row may hold.
    pub relations: Vec<Relation>,
}

/// Component whose value chooses a row (X.682 10.7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// 0: the path starts at the outermost type of the text. n: at the nth structure around.
    pub level: u32,
    /// Names on the way.
    pub path: Vec<SmolStr>,
}

/// Objects of a set, as rows.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// The rows.
    pub rows: Vec<Row>,
    /// True if the set has a marker.
    pub extensible: bool,
}

/// Object: the cells of its fields.
#[derive(Debug, Clone, Default)]
pub struct Row {
    /// Field names and cells. Fields that hold sets are left out.
    pub cells: Vec<(SmolStr, Cell)>,
}

impl Row {
    /// Returns the cell of a field.
    pub fn cell(&self, field: &str) -> Option<&Cell> {
        self.cells.iter().find(|(name, _)| name == field).map(|(_, cell)| cell)
    }
}

/// Cell of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// A type.
    Type(TypeId),
    /// A value with its type.
    Value(TypeId, Value),
}
