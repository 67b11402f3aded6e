//! SEQUENCE, SET, lists and CHOICE (X.680 25 to 29).

use polywire_core::value::{Entry, View};
use polywire_core::walk::PathStep;
use polywire_core::{Error, ErrorKind, Fault, Open, Result, Scalar};

use super::super::markup::is_element;
use super::super::{is_bare, type_name};
use super::canonical::rule;
use super::{Encode, Inside};
use crate::model::{Kind, TypeId};
use crate::walk::lower::{self, Chosen, Value, below};
use crate::walk::plan::Occurrence;

impl<'t> Encode<'_, 't> {
    pub(super) fn choice(&mut self, index: u32, item: Value<'t>) -> Result<Inside> {
        let plan = self.plan;
        let choice = plan.choice(index);
        if let View::Open(Open::Variant { name, index }) = item.view()
            && choice.extensible
            && (!name.is_empty() || index == u32::MAX)
            && choice.named(name).is_none()
            && let Some(Entry::Element(value)) = item.entries().next()
            && let View::Scalar(Scalar::Bytes(bytes)) = value.view()
            && is_element(bytes.get())
        {
            // An alternative of a later version, as the reader gave it.
            return Ok(self.raw(bytes.get()));
        }
        match lower::chosen(plan, choice, item)? {
            Chosen::Known(alternative, value) => {
                let found = &choice.alternatives[alternative as usize];
                if self.keys.is_open() {
                    self.keys.put(&[alternative as u8]);
                }
                match value {
                    Some(value) => {
                        self.enter(item)?;
                        let put = self.element(&found.name, found.ty, value);
                        put.map_err(|error| below(error, PathStep::Name(found.name.to_string())))?;
                        self.depth += 1;
                        Ok(Inside::Elements)
                    }
                    None => Ok(self.word(&found.name)),
                }
            }
            Chosen::Unknown(..) => {
                let error = Error::new(ErrorKind::Unsupported, Fault::Data).seen("an alternative of a later version, without its name");
                let error = error.expected("an alternative that the module has").at(item.opening().start);
                Err(error.hint("XER writes the name of an alternative, which binary encodings do not have"))
            }
        }
    }

    pub(super) fn list(&mut self, ty: TypeId, element: TypeId, item: Value<'t>) -> Result<Inside> {
        self.enter(item)?;
        let name = type_name(self.plan, element);
        let is_bare = is_bare(self.plan.node(element).op);
        let is_set = self.rules.is_some() && matches!(self.plan.model().ty(ty).kind, Kind::SetOf(_));
        let (from, mut starts) = (self.out.len(), Vec::new());
        let mut inside = Inside::Nothing;
        for (entry, index) in lower::elements(item)?.zip(0u64..) {
            inside = Inside::Elements;
            if is_set {
                starts.push(self.out.len());
            }
            self.mark(rule::LIST);
            let put = if is_bare { self.value(element, entry.value()).map(drop) } else { self.element(&name, element, entry.value()) };
            put.map_err(|error| below(error, PathStep::Index(index)))?;
        }
        if is_set {
            self.sort(from, &starts);
        }
        self.depth += 1;
        Ok(inside)
    }

    pub(super) fn structure(&mut self, index: u32, item: Value<'t>) -> Result<Inside> {
        let plan = self.plan;
        let structure = plan.structure(index);
        self.enter(item)?;
        let start = self.given.len();
        let mut unknown = Vec::new();
        lower::components(plan, structure, item, &mut self.given, &mut unknown, self.losses)?;
        self.keys.enter();
        if structure.has_keys {
            self.put_keys(index, start)?;
        }
        let mut inside = Inside::Nothing;
        let order = self.rules.and_then(|rules| rules.order(index));
        for place in 0..structure.components.len() as u32 {
            let at = order.map_or(place, |order| order[place as usize]);
            let component = &structure.components[at as usize];
            self.mark(if structure.is_set { rule::SET } else { rule::SEQUENCE });
            let Some(value) = self.given[start + at as usize] else {
                if component.presence == Occurrence::Required && component.addition.is_none() {
                    return Err(lower::absent(plan, structure, at, item));
                }
                if component.presence == Occurrence::Default && self.default(index, at)? {
                    inside = Inside::Elements;
                }
                continue;
            };
            inside = Inside::Elements;
            let put = self.element(&component.name, component.ty, value);
            put.map_err(|error| below(error, PathStep::Name(component.name.to_string())))?;
        }
        for element in unknown {
            self.octets.clear();
            lower::bytes(element, self.losses, &mut self.octets)?;
            let octets = std::mem::take(&mut self.octets);
            inside = self.raw(&octets);
            self.octets = octets;
        }
        self.keys.leave();
        self.given.truncate(start);
        self.depth += 1;
        Ok(inside)
    }

    /// Notes the values that choose rows of tables: values that need them may come before them.
    fn put_keys(&mut self, index: u32, start: usize) -> Result<()> {
        let structure = self.plan.structure(index);
        let written = self.out.len();
        for (component, at) in structure.components.iter().zip(0u32..).filter(|(component, _)| component.is_key) {
            let Some(value) = self.given[start + at as usize] else { continue };
            self.keys.begin(at);
            let put = self.value(component.ty, value).map_err(|error| below(error, PathStep::Name(component.name.to_string())));
            self.keys.end();
            self.out.truncate(written);
            put?;
        }
        Ok(())
    }
}
