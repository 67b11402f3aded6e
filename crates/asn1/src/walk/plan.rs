//! Plan: the types of a model, prepared once so that reading and writing look nothing up by name.

mod names;

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use polywire_core::{Error, ErrorKind, Fault, Result};
use smol_str::SmolStr;

use names::{Names, Written};

use super::checks;
use super::leaf::{Leaf, NO_OCTET};
use super::meaning::Meaning;
use super::relate::relate;
use super::table::Table;
use crate::model::{Addition, Kind, Model, Presence, StringKind, Tag, TagClass, TimeKind, TypeId};

/// Types of a model with everything that an encoding needs. Their numbers are those of the model.
#[derive(Debug)]
pub struct Plan {
    model: Arc<Model>,
    pub(crate) root: TypeId,
    pub(crate) nodes: Vec<Node>,
    pub(crate) structures: Vec<Structure>,
    /// Indexes of structures by their addresses in the model.
    by_address: HashMap<usize, u32, RandomState>,
    pub(crate) choices: Vec<Choice>,
    pub(crate) enumerations: Vec<Enumeration>,
    pub(crate) bits: Vec<Bits>,
    pub(crate) tables: Vec<Table>,
}

/// Type.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// Kind of its values.
    pub op: Op,
    /// Tags on the wire, the outermost first.
    pub tags: Box<[TagKey]>,
    /// Type of the contents of an octet or bit string.
    pub contents: Option<TypeId>,
    /// Index of the table that gives the type of an open type.
    pub table: Option<u32>,
    /// True if values may be outside of the type's constraints.
    pub constrained: bool,
    /// Content of an octet or bit string, for people.
    pub meaning: Option<Meaning>,
    /// First identifier octet of its encodings in BER: those that are primitive for a leaf, and
    /// constructed for a structure or list. [`NO_OCTET`] for other types, and for longer tags.
    pub octet: u16,
}

/// Kind of a type's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each has the name of its type in the standard")]
pub(crate) enum Op {
    Boolean,
    Null,
    Real,
    Integer,
    /// Index in [`Plan::enumerations`].
    Enumerated(u32),
    /// Index in [`Plan::bits`].
    Bits(u32),
    Octets,
    Oid,
    RelativeOid,
    /// OID-IRI and RELATIVE-OID-IRI.
    Iri,
    Text(StringKind),
    Time(TimeKind),
    /// SEQUENCE or SET: index in [`Plan::structures`].
    Structure(u32),
    /// SEQUENCE OF or SET OF, with the type of the elements.
    List(TypeId),
    /// Index in [`Plan::choices`].
    Choice(u32),
    /// A type that a table determines, or any type.
    Open,
}

/// Tag as one number: the class in the two highest bits, as in the first identifier octet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TagKey(pub u64);

impl TagKey {
    /// Greatest tag number that has a key.
    pub const MAX_NUMBER: u64 = (1 << 62) - 2;

    /// Key that no tag has.
    pub const NONE: TagKey = TagKey(u64::MAX);

    pub const fn new(class: u64, number: u64) -> TagKey {
        if number > TagKey::MAX_NUMBER { TagKey::NONE } else { TagKey(class << 62 | number) }
    }

    pub fn of(tag: Tag) -> TagKey {
        let class = match tag.class {
            TagClass::Universal => 0,
            TagClass::Application => 1,
            TagClass::Context => 2,
            TagClass::Private => 3,
        };
        TagKey::new(class, tag.number)
    }

    pub const fn class(self) -> u8 {
        (self.0 >> 62) as u8
    }

    pub const fn number(self) -> u64 {
        self.0 & ((1 << 62) - 1)
    }
}

/// SEQUENCE or SET.
#[derive(Debug)]
pub(crate) struct Structure {
    pub is_set: bool,
    /// True if later versions may add components.
    pub extensible: bool,
    /// Components in the order of the text: root, additions, root.
    pub components: Box<[Component]>,
    /// Index of the first extension addition, and the index behind the last.
    pub additions: (u32, u32),
    names: Names,
    /// Names in JER, if they are others.
    written: Option<Written>,
    /// True if a component's value chooses the row of a table.
    pub has_keys: bool,
    /// True for a SET whose components have tags in different orders, or come in any.
    pub by_tag: Box<[(TagKey, u32)]>,
    /// True for a SEQUENCE whose components are leaves, none of them with a default.
    pub is_row: bool,
}

/// Component of a structure.
#[derive(Debug)]
pub(crate) struct Component {
    pub name: SmolStr,
    pub ty: TypeId,
    pub presence: Occurrence,
    /// Index of the extension addition that has it. Components of one `[[ ]]` share it.
    pub addition: Option<u32>,
    /// Tags that its encoding may start with.
    pub first: First,
    /// True if its value chooses the row of a table.
    pub is_key: bool,
    /// Form of its values, if its type is a leaf.
    pub leaf: Option<Leaf>,
    /// First octet of its encoding in BER, see [`Node`].
    pub octet: u16,
}

/// Presence of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Occurrence {
    Required,
    Optional,
    Default,
}

/// First tags of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum First {
    /// One tag.
    One(TagKey),
    /// Those of a choice without a tag.
    Choice(u32),
    /// Any tag.
    Any,
}

/// CHOICE.
#[derive(Debug)]
pub(crate) struct Choice {
    /// Alternatives in the order of the text: root, then additions.
    pub alternatives: Box<[Alternative]>,
    pub extensible: bool,
    /// Alternatives by the tags that they may start with, in ascending order.
    by_tag: Box<[(TagKey, u32)]>,
    /// Alternative that starts with any tag.
    any: Option<u32>,
    names: Names,
    /// Names in JER, if they are others.
    written: Option<Written>,
}

/// Alternative of a CHOICE.
#[derive(Debug)]
pub(crate) struct Alternative {
    pub name: SmolStr,
    pub ty: TypeId,
}

impl Choice {
    /// Returns the alternative whose encoding starts with a tag.
    #[inline]
    pub fn tagged(&self, tag: TagKey) -> Option<u32> {
        let found = if self.by_tag.len() <= 8 {
            self.by_tag.iter().find(|(known, _)| *known == tag).map(|(_, index)| *index)
        } else {
            self.by_tag.binary_search_by_key(&tag, |(known, _)| *known).ok().map(|at| self.by_tag[at].1)
        };
        found.or(self.any)
    }

    /// Returns the lowest tag of all alternatives.
    pub fn least(&self) -> TagKey {
        self.by_tag.first().map_or(TagKey::NONE, |(tag, _)| *tag)
    }

    /// Returns the alternative of a name.
    pub fn named(&self, name: &str) -> Option<u32> {
        self.names.find(name, 0, |index| &self.alternatives[index as usize].name)
    }
}

impl Structure {
    /// Returns the index of the component of a name, which is most likely `hint`.
    #[inline]
    pub fn named(&self, name: &str, hint: u32) -> Option<u32> {
        self.names.find(name, hint, |index| &self.components[index as usize].name)
    }

    /// Returns the index of the component that starts with a tag, for structures in any order.
    pub fn tagged(&self, plan: &Plan, tag: TagKey) -> Option<u32> {
        match self.by_tag.binary_search_by_key(&tag, |(known, _)| *known) {
            Ok(at) => Some(self.by_tag[at].1),
            Err(_) => self.components.iter().position(|component| plan.starts(component.first, tag)).map(|at| at as u32),
        }
    }
}

/// ENUMERATED.
#[derive(Debug, Clone)]
pub(crate) struct Enumeration {
    /// Names and numbers: root in ascending order, then additions in the order of the text.
    pub items: Box<[(SmolStr, i128)]>,
    /// Number of root items.
    pub root: u32,
    pub extensible: bool,
    by_number: Box<[(i128, u32)]>,
    names: Names,
    /// Names in JER, if they are others.
    written: Option<Written>,
}

impl Enumeration {
    /// Returns the index of an item's number.
    pub fn numbered(&self, number: i128) -> Option<u32> {
        self.by_number.binary_search_by_key(&number, |(known, _)| *known).ok().map(|at| self.by_number[at].1)
    }

    /// Returns the index of an item's name.
    pub fn named(&self, name: &str) -> Option<u32> {
        self.names.find(name, 0, |index| &self.items[index as usize].0)
    }
}

/// BIT STRING: the form of its values.
#[derive(Debug, Clone)]
pub(crate) struct Bits {
    /// Names of bits.
    pub names: Arc<[(SmolStr, i128)]>,
    /// Number of bits that all values have, if the constraint says so and has no marker.
    pub fixed: Option<u64>,
    /// Least number of bits.
    pub least: u64,
}

impl Plan {
    /// Prepares the types of a model for messages of the type `root`.
    ///
    /// # Errors
    /// The type is not known, as its module is missing.
    pub fn new(model: Arc<Model>, root: TypeId) -> Result<Plan> {
        if matches!(model.ty(root).kind, Kind::Unknown) {
            return Err(Error::new(ErrorKind::Unsupported, Fault::Schema)
                .seen("a type of a module that the texts lack")
                .expected("a type whose module is there"));
        }
        Ok(relate(Making::new(model, root).make()))
    }

    /// Returns the same plan for messages of another type.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn of(&self, root: TypeId) -> Result<Plan> {
        Plan::new(Arc::clone(&self.model), root)
    }

    /// Returns the model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Returns the type of messages.
    pub fn root(&self) -> TypeId {
        self.root
    }

    #[inline]
    pub(crate) fn node(&self, ty: TypeId) -> &Node {
        &self.nodes[ty.0 as usize]
    }

    #[inline]
    pub(crate) fn structure(&self, index: u32) -> &Structure {
        &self.structures[index as usize]
    }

    #[inline]
    pub(crate) fn choice(&self, index: u32) -> &Choice {
        &self.choices[index as usize]
    }

    /// Returns the field that a bare list stands for: the only list of the root type.
    pub(crate) fn list_field(&self) -> Option<&str> {
        let Op::Structure(index) = self.node(self.root).op else { return None };
        let is_list = |component: &&Component| matches!(self.node(component.ty).op, Op::List(_));
        let mut lists = self.structure(index).components.iter().filter(is_list);
        lists.next().filter(|_| lists.next().is_none()).map(|component| &*component.name)
    }

    /// Returns the index of a structure of the model.
    pub(crate) fn structure_of(&self, structure: &Arc<crate::model::Structure>) -> Option<u32> {
        self.by_address.get(&(Arc::as_ptr(structure) as usize)).copied()
    }

    /// Returns the name of the assignment of a type, or an empty one.
    pub(crate) fn name(&self, ty: TypeId) -> &str {
        self.model.ty(ty).name.as_ref().map_or("", |(_, name)| name)
    }

    /// Returns whether an encoding that may start with `first` may start with a tag.
    #[inline]
    pub(crate) fn starts(&self, first: First, tag: TagKey) -> bool {
        match first {
            First::One(own) => own == tag,
            First::Choice(index) => self.choice(index).tagged(tag).is_some(),
            First::Any => true,
        }
    }

    /// Returns the tags that the encodings of a type may start with.
    pub(crate) fn first(&self, ty: TypeId) -> First {
        let node = self.node(ty);
        match (node.tags.first(), node.op) {
            (Some(tag), _) => First::One(*tag),
            (None, Op::Choice(index)) => First::Choice(index),
            (None, _) => First::Any,
        }
    }

    /// Returns the name of a type, for people: the name of its assignment, or its keyword.
    pub(crate) fn shown(&self, ty: TypeId) -> String {
        let name = self.name(ty);
        if name.is_empty() { self.keyword(ty).to_string() } else { name.to_string() }
    }

    /// Returns the keyword of a type.
    pub(crate) fn keyword(&self, ty: TypeId) -> &'static str {
        match self.node(ty).op {
            Op::Boolean => "BOOLEAN",
            Op::Null => "NULL",
            Op::Real => "REAL",
            Op::Integer => "INTEGER",
            Op::Enumerated(_) => "ENUMERATED",
            Op::Bits(_) => "BIT STRING",
            Op::Octets => "OCTET STRING",
            Op::Oid => "OBJECT IDENTIFIER",
            Op::RelativeOid => "RELATIVE-OID",
            Op::Iri => "OID-IRI",
            Op::Text(kind) => kind.keyword(),
            Op::Time(kind) => kind.keyword(),
            Op::Structure(index) if self.structure(index).is_set => "SET",
            Op::Structure(_) => "SEQUENCE",
            Op::List(_) if matches!(self.model.ty(ty).kind, Kind::SetOf(_)) => "SET OF",
            Op::List(_) => "SEQUENCE OF",
            Op::Choice(_) => "CHOICE",
            Op::Open => "an open type",
        }
    }
}

struct Making {
    plan: Plan,
    structures: HashMap<usize, u32, RandomState>,
    choices: HashMap<usize, u32, RandomState>,
    enumerations: HashMap<usize, u32, RandomState>,
}

impl Making {
    fn new(model: Arc<Model>, root: TypeId) -> Making {
        let plan = Plan {
            model,
            root,
            nodes: Vec::new(),
            structures: Vec::new(),
            by_address: HashMap::default(),
            choices: Vec::new(),
            enumerations: Vec::new(),
            bits: Vec::new(),
            tables: Vec::new(),
        };
        Making { plan, structures: HashMap::default(), choices: HashMap::default(), enumerations: HashMap::default() }
    }

    fn make(mut self) -> Plan {
        let model = Arc::clone(&self.plan.model);
        self.plan.nodes = Vec::with_capacity(model.types.len());
        for (ty, id) in model.types.iter().zip((0..).map(TypeId)) {
            let op = self.op(&model, &ty.kind, ty.constraints.size.filter(|size| !size.extensible && !ty.constraints.extensible));
            let op = self.plan.with_texts(op, ty.json.names.as_deref());
            let tags = ty.tags.iter().map(|tag| TagKey::of(*tag)).collect();
            let node = Node {
                op,
                tags,
                contents: ty.contents,
                table: None,
                constrained: checks::is_constrained(&ty.constraints),
                meaning: Meaning::of(&model, id),
                octet: NO_OCTET,
            };
            self.plan.nodes.push(Node { octet: node.first_octet(), ..node });
        }
        self.choice_tags();
        self.structure_tags();
        self.plan.by_address = self.structures;
        self.plan
    }

    fn op(&mut self, model: &Model, kind: &Kind, size: Option<crate::model::Bounds>) -> Op {
        match kind {
            Kind::Boolean => Op::Boolean,
            Kind::Null => Op::Null,
            Kind::Real => Op::Real,
            Kind::Integer(_) => Op::Integer,
            Kind::Enumerated(enumeration) => {
                let count = self.plan.enumerations.len() as u32;
                let index = *self.enumerations.entry(Arc::as_ptr(enumeration) as usize).or_insert(count);
                if index == count {
                    let items: Box<[_]> = enumeration.root.iter().chain(&enumeration.additions).cloned().collect();
                    let mut by_number: Box<[_]> = items.iter().zip(0..).map(|((_, number), index)| (*number, index)).collect();
                    by_number.sort_unstable();
                    self.plan.enumerations.push(Enumeration {
                        names: Names::new(items.iter().map(|(name, _)| name).collect::<Vec<_>>().into_iter()),
                        written: None,
                        items,
                        root: enumeration.root.len() as u32,
                        extensible: enumeration.extensible,
                        by_number,
                    });
                }
                Op::Enumerated(index)
            }
            Kind::Bits(names) => {
                let range = size.map(|size| size.range);
                let fixed = range.filter(|range| range.low == range.high && names.is_empty()).and_then(|range| range.low);
                self.plan.bits.push(Bits {
                    names: Arc::clone(names),
                    fixed: fixed.and_then(|bits| u64::try_from(bits).ok()),
                    least: range.and_then(|range| range.low).and_then(|bits| u64::try_from(bits).ok()).unwrap_or(0),
                });
                Op::Bits(self.plan.bits.len() as u32 - 1)
            }
            Kind::Octets => Op::Octets,
            Kind::Oid => Op::Oid,
            Kind::RelativeOid => Op::RelativeOid,
            Kind::OidIri | Kind::RelativeOidIri => Op::Iri,
            Kind::External => self.standard(model, "External"),
            Kind::EmbeddedPdv => self.standard(model, "EmbeddedPdv"),
            Kind::CharacterString => self.standard(model, "CharacterString"),
            Kind::Text(kind) => Op::Text(*kind),
            Kind::Time(kind) => Op::Time(*kind),
            Kind::Sequence(structure) => Op::Structure(self.structure(structure, false)),
            Kind::Set(structure) => Op::Structure(self.structure(structure, true)),
            Kind::SequenceOf(element) | Kind::SetOf(element) => Op::List(*element),
            Kind::Choice(choice) => {
                let count = self.plan.choices.len() as u32;
                let index = *self.choices.entry(Arc::as_ptr(choice) as usize).or_insert(count);
                if index == count {
                    let all = choice.root.iter().chain(&choice.additions);
                    let alternatives: Box<[_]> = all.map(|known| Alternative { name: known.name.clone(), ty: known.ty }).collect();
                    self.plan.choices.push(Choice {
                        names: Names::new(alternatives.iter().map(|known| &known.name).collect::<Vec<_>>().into_iter()),
                        written: Written::of(
                            choice.root.iter().chain(&choice.additions).map(|known| known.written()),
                            alternatives.iter().map(|known| &known.name),
                        ),
                        alternatives,
                        extensible: choice.extensible,
                        by_tag: Box::default(),
                        any: None,
                    });
                }
                Op::Choice(index)
            }
            Kind::Open | Kind::Unknown => Op::Open,
        }
    }

    /// Returns the structure that the text of the standard, which is the first, has for a type.
    fn standard(&mut self, model: &Model, name: &str) -> Op {
        let known = model.types.iter().filter(|ty| ty.at.source == 0);
        let mut named = known.filter(|ty| ty.name.as_ref().is_some_and(|(_, own)| own == name));
        match named.next().map(|ty| &ty.kind) {
            Some(Kind::Sequence(structure)) => Op::Structure(self.structure(structure, false)),
            _ => Op::Open,
        }
    }

    fn structure(&mut self, structure: &Arc<crate::model::Structure>, is_set: bool) -> u32 {
        let count = self.plan.structures.len() as u32;
        let index = *self.structures.entry(Arc::as_ptr(structure) as usize).or_insert(count);
        if index < count {
            return index;
        }
        let component = |known: &crate::model::Component, addition| Component {
            name: known.name.clone(),
            ty: known.ty,
            presence: match known.presence {
                Presence::Required => Occurrence::Required,
                Presence::Optional => Occurrence::Optional,
                Presence::Default(_) => Occurrence::Default,
            },
            addition,
            first: First::Any,
            is_key: false,
            leaf: None,
            octet: NO_OCTET,
        };
        let (one, two) = structure.root.split_at((structure.first as usize).min(structure.root.len()));
        let mut components: Vec<Component> = one.iter().map(|known| component(known, None)).collect();
        for (addition, number) in structure.additions.iter().zip(0..) {
            match addition {
                Addition::Component(known) => components.push(component(known, Some(number))),
                Addition::Group(group, _) => components.extend(group.iter().map(|known| component(known, Some(number)))),
            }
        }
        let additions = (one.len() as u32, components.len() as u32);
        components.extend(two.iter().map(|known| component(known, None)));
        let components = components.into_boxed_slice();
        self.plan.structures.push(Structure {
            is_set,
            extensible: structure.extensible,
            additions,
            names: Names::new(components.iter().map(|known| &known.name).collect::<Vec<_>>().into_iter()),
            written: Written::of(structure.components().map(|known| known.written()), components.iter().map(|known| &known.name)),
            components,
            has_keys: false,
            by_tag: Box::default(),
            is_row: false,
        });
        index
    }

    /// Finds the tags of all choices. A choice in a choice is part of the outer one.
    fn choice_tags(&mut self) {
        for index in 0..self.plan.choices.len() {
            let mut found = Vec::new();
            let mut any = None;
            for (alternative, number) in self.plan.choices[index].alternatives.iter().zip(0..) {
                let mut inside = vec![(alternative.ty, 0)];
                while let Some((ty, depth)) = inside.pop() {
                    let node = self.plan.node(ty);
                    match (node.tags.first(), node.op) {
                        (Some(tag), _) => found.push((*tag, number)),
                        (None, Op::Choice(inner)) if depth < 64 => {
                            inside.extend(self.plan.choice(inner).alternatives.iter().map(|known| (known.ty, depth + 1)));
                        }
                        _ => any = Some(number),
                    }
                }
            }
            found.sort_by_key(|(tag, _)| *tag);
            found.dedup_by_key(|(tag, _)| *tag);
            self.plan.choices[index].by_tag = found.into();
            self.plan.choices[index].any = any;
        }
    }

    fn structure_tags(&mut self) {
        for index in 0..self.plan.structures.len() {
            let components = &self.plan.structures[index].components;
            let firsts: Vec<First> = components.iter().map(|known| self.plan.first(known.ty)).collect();
            let nodes = components.iter().map(|known| self.plan.node(known.ty));
            let leaves: Vec<(Option<Leaf>, u16)> = nodes.map(|node| (node.leaf(), node.octet)).collect();
            let structure = &mut self.plan.structures[index];
            for ((component, first), (leaf, octet)) in structure.components.iter_mut().zip(&firsts).zip(leaves) {
                (component.first, component.leaf, component.octet) = (*first, leaf, octet);
            }
            let is_plain = |known: &Component| known.leaf.is_some() && known.presence != Occurrence::Default;
            structure.is_row = !structure.is_set && structure.components.iter().all(is_plain);
            let tag = |first: &First| if let First::One(tag) = first { Some(*tag) } else { None };
            let mut by_tag: Vec<(TagKey, u32)> = firsts.iter().zip(0..).filter_map(|(first, index)| Some((tag(first)?, index))).collect();
            by_tag.sort_by_key(|(tag, _)| *tag);
            structure.by_tag = by_tag.into();
        }
    }
}
