//! Names of components, alternatives and enumerators: those of values, and those that JER writes.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use smol_str::SmolStr;

use super::{Choice, Enumeration, Op, Plan, Structure};
use crate::model::{Kind, Model, TypeId};

/// Names of components, alternatives or enumerators.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    count: u32,
    /// Left empty for few names.
    by_name: HashMap<SmolStr, u32, RandomState>,
}

impl Names {
    /// Number of names up to which comparing each is as fast as hashing.
    const FEW: usize = 8;

    pub fn new<'n>(names: impl ExactSizeIterator<Item = &'n SmolStr>) -> Names {
        let count = names.len();
        let by_name = if count <= Names::FEW { HashMap::default() } else { names.cloned().zip(0..).collect() };
        Names { count: count as u32, by_name }
    }

    #[inline]
    pub fn find<'n>(&self, name: &str, hint: u32, name_of: impl Fn(u32) -> &'n SmolStr) -> Option<u32> {
        if hint < self.count && name_of(hint) == name {
            return Some(hint);
        }
        if self.by_name.is_empty() { (0..self.count).find(|index| name_of(*index) == name) } else { self.by_name.get(name).copied() }
    }
}

/// Names that JER writes where values have others: the module's.
#[derive(Debug, Clone)]
pub(super) struct Written {
    all: Box<[SmolStr]>,
    names: Names,
}

impl Written {
    /// Returns the names that are kept when values get others, or `None` if they are the same.
    fn keep(before: Option<Written>, old: Vec<SmolStr>, new: &[SmolStr]) -> Option<Written> {
        if before.is_some() || old == new {
            return before;
        }
        let names = Names::new(old.iter());
        Some(Written { all: old.into(), names })
    }

    /// Returns names that are not those of the values, if there is one for each.
    pub fn of<'n>(names: impl Iterator<Item = &'n SmolStr>, values: impl ExactSizeIterator<Item = &'n SmolStr>) -> Option<Written> {
        let all: Box<[SmolStr]> = names.cloned().collect();
        let is_other = all.len() == values.len() && !all.iter().eq(values);
        is_other.then(|| Written { names: Names::new(all.iter()), all })
    }

    fn find(&self, name: &str, hint: u32) -> Option<u32> {
        self.names.find(name, hint, |index| &self.all[index as usize])
    }
}

impl Structure {
    /// Returns the name of a component in JER.
    pub fn written(&self, index: u32) -> &SmolStr {
        self.written.as_ref().map_or(&self.components[index as usize].name, |written| &written.all[index as usize])
    }

    /// Returns the component of a name in JER, which is most likely `hint`.
    pub fn written_as(&self, name: &str, hint: u32) -> Option<u32> {
        self.written.as_ref().map_or_else(|| self.named(name, hint), |written| written.find(name, hint))
    }
}

impl Choice {
    /// Returns the name of an alternative in JER.
    pub fn written(&self, index: u32) -> &SmolStr {
        self.written.as_ref().map_or(&self.alternatives[index as usize].name, |written| &written.all[index as usize])
    }

    /// Returns the alternative of a name in JER.
    pub fn written_as(&self, name: &str) -> Option<u32> {
        self.written.as_ref().map_or_else(|| self.named(name), |written| written.find(name, 0))
    }
}

impl Enumeration {
    /// Returns the name of an item in JER.
    pub fn written(&self, index: u32) -> &SmolStr {
        self.written.as_ref().map_or(&self.items[index as usize].0, |written| &written.all[index as usize])
    }

    /// Returns the item of a name in JER.
    pub fn written_as(&self, name: &str) -> Option<u32> {
        self.written.as_ref().map_or_else(|| self.named(name), |written| written.find(name, 0))
    }
}

impl Plan {
    /// Gives the components, alternatives or enumerators of a type other names, in the order of the
    /// text; JER writes those of the module. Types without such parts stay as they are.
    pub(crate) fn rename(&mut self, op: Op, names: &[SmolStr]) {
        let known = Names::new(names.iter());
        match op {
            Op::Structure(index) => {
                let structure = &mut self.structures[index as usize];
                let old = structure.components.iter().map(|component| component.name.clone()).collect();
                structure.written = Written::keep(structure.written.take(), old, names);
                structure.components.iter_mut().zip(names).for_each(|(component, name)| component.name = name.clone());
                structure.names = known;
            }
            Op::Choice(index) => {
                let choice = &mut self.choices[index as usize];
                let old = choice.alternatives.iter().map(|alternative| alternative.name.clone()).collect();
                choice.written = Written::keep(choice.written.take(), old, names);
                choice.alternatives.iter_mut().zip(names).for_each(|(alternative, name)| alternative.name = name.clone());
                choice.names = known;
            }
            Op::Enumerated(index) => {
                let enumeration = &mut self.enumerations[index as usize];
                let old = enumeration.items.iter().map(|item| item.0.clone()).collect();
                enumeration.written = Written::keep(enumeration.written.take(), old, names);
                enumeration.items.iter_mut().zip(names).for_each(|(item, name)| item.0 = name.clone());
                enumeration.names = known;
            }
            _ => {}
        }
    }

    /// Makes JER write the names of another model, whose types are the first of each pair.
    pub(crate) fn write_as(&mut self, model: &Model, pairs: &[(TypeId, TypeId)]) {
        // Where two declarations stand for one type, the first one counts.
        for (declared, own) in pairs.iter().rev() {
            match (&model.ty(*declared).kind, self.node(*own).op) {
                (Kind::Sequence(known), Op::Structure(index)) => {
                    let structure = &mut self.structures[index as usize];
                    let values = structure.components.iter().map(|component| &component.name);
                    structure.written = Written::of(known.root.iter().map(|component| &component.name), values);
                }
                (Kind::Choice(known), Op::Choice(index)) => {
                    let choice = &mut self.choices[index as usize];
                    let values = choice.alternatives.iter().map(|alternative| &alternative.name);
                    choice.written = Written::of(known.root.iter().map(|alternative| &alternative.name), values);
                }
                (Kind::Enumerated(known), Op::Enumerated(index)) => {
                    let enumeration = &mut self.enumerations[index as usize];
                    let values = enumeration.items.iter().map(|(name, _)| name);
                    enumeration.written = Written::of(known.root.iter().map(|(name, _)| name), values);
                }
                _ => {}
            }
        }
    }

    /// Returns the kind of an ENUMERATED with other texts in JER, in the order of its items.
    pub(super) fn with_texts(&mut self, op: Op, texts: Option<&[SmolStr]>) -> Op {
        let (Op::Enumerated(index), Some(texts)) = (op, texts) else { return op };
        let mut own = self.enumerations[index as usize].clone();
        own.written = Written::of(texts.iter(), own.items.iter().map(|(name, _)| name));
        self.enumerations.push(own);
        Op::Enumerated(self.enumerations.len() as u32 - 1)
    }
}
