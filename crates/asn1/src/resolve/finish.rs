//! The model made of drafts: structures, enumerations, tags, tables.

use std::collections::HashSet;
use std::sync::Arc;

use foldhash::fast::RandomState;
use polywire_core::text::diagnostic::{Diagnostic, Place};
use smol_str::SmolStr;

use super::{Draft, DraftItem, DraftTag, Form, Governor, Resolver, ScopeId, Setting};
use crate::model::{
    Addition, Alternative, Cell, Choice, Component, Enumeration, Kind, Model, Module, Presence, Row, Structure, TableUse, Tag, Type, TypeId,
};
use crate::syntax::{EnumerationItem, FieldKind, NamedNumber, TagClass, Tagging};

impl Resolver<'_> {
    /// Makes the model. Returns it with all findings.
    pub(super) fn finish(mut self) -> (Vec<Diagnostic>, Model) {
        let mut model = Model::default();
        let mut next = 0;
        let mut tables_done = 0;
        loop {
            while let Some(work) = self.work.pop() {
                self.step(work);
            }
            if tables_done < self.tables.len() {
                self.rows(tables_done);
                tables_done += 1;
            } else if next < self.drafts.len() {
                let ty = self.finished(TypeId(next as u32));
                model.types.push(ty);
                next += 1;
            } else if let Some((module, index, ty)) = self.assigned_values.pop() {
                if let Some((ty, value)) = self.assigned_value(module, index, Some(ty)) {
                    let name = self.assignment(module, index).name.text.clone();
                    model.values.insert((module.wrapping_sub(1), name), (ty, value));
                }
            } else if let Some((value, scope, ty)) = self.given_values.pop() {
                // No use of a dummy may have asked for it.
                self.value(&value, scope, ty);
            } else {
                break;
            }
        }
        for index in 1..self.modules.len() as u32 {
            let written = self.module(index);
            let mut module = Module { name: written.name.text.clone(), oid: Vec::new(), types: Vec::new() };
            if let Some(oid) = written.oid {
                let value = crate::syntax::Value { at: written.name.at, span: oid, kind: crate::syntax::ValueKind::Braces };
                module.oid = self.oid(&value, ScopeId(index)).unwrap_or_default();
            }
            for (place, assignment) in written.assignments.iter().enumerate() {
                if let Some(id) = self.types.get(&(index, place as u32)) {
                    let name = assignment.name.text.clone();
                    model.names.insert((index - 1, name.clone()), *id);
                    module.types.push((name, *id));
                }
            }
            model.modules.push(module);
        }
        // Module 0 is that of the standard, which the model does not list.
        for ty in &mut model.types {
            if let Some((module, _)) = &mut ty.name {
                *module = module.saturating_sub(1);
            }
        }
        model.tables = std::mem::take(&mut self.tables);
        self.found.sort_by_key(|finding| finding.at);
        (self.found, model)
    }

    fn finished(&mut self, id: TypeId) -> Type {
        let base = self.base(id);
        let kind = self.kind(base);
        let tags = self.tags(id);
        let constraints = self.effective(id);
        let json = self.json(id, &kind);
        let mut table = None;
        let mut contents = None;
        // Tables and contents come from the nearest type that has them.
        let mut at = id;
        for _ in 0..10_000 {
            let draft = &self.drafts[at.0 as usize];
            if let (None, Some((id, field, relations))) = (&table, &draft.table) {
                table = Some(TableUse { table: *id, field: field.clone(), relations: relations.clone() });
            }
            contents = contents.or(draft.contents);
            match draft.form {
                Form::Alias(next) => at = next,
                _ => break,
            }
        }
        let draft = &self.drafts[id.0 as usize];
        let base = if let Form::Alias(base) = draft.form { Some(base) } else { None };
        Type { name: draft.name.clone(), at: draft.at, base, kind, tags, constraints, table, contents, json }
    }

    fn kind(&mut self, base: TypeId) -> Kind {
        let draft = &self.drafts[base.0 as usize];
        let scope = draft.scope;
        match &draft.form {
            Form::Pending | Form::Unknown | Form::Alias(_) | Form::Selection(..) => Kind::Unknown,
            Form::Boolean => Kind::Boolean,
            Form::Null => Kind::Null,
            Form::Real => Kind::Real,
            Form::Integer(names) => {
                let names = names.clone();
                Kind::Integer(self.numbers(&names, scope))
            }
            Form::Enumerated(_) => Kind::Enumerated(self.enumeration(base)),
            Form::Bits(names) => {
                let names = names.clone();
                Kind::Bits(self.numbers(&names, scope))
            }
            Form::Octets => Kind::Octets,
            Form::Oid => Kind::Oid,
            Form::RelativeOid => Kind::RelativeOid,
            Form::OidIri => Kind::OidIri,
            Form::RelativeOidIri => Kind::RelativeOidIri,
            Form::External => Kind::External,
            Form::EmbeddedPdv => Kind::EmbeddedPdv,
            Form::CharacterString => Kind::CharacterString,
            Form::Text(kind) => Kind::Text(*kind),
            Form::Time(kind) => Kind::Time(*kind),
            Form::Structure { set, .. } => {
                let set = *set;
                let structure = self.structure(base);
                if set { Kind::Set(structure) } else { Kind::Sequence(structure) }
            }
            Form::List { set: false, element } => Kind::SequenceOf(*element),
            Form::List { set: true, element } => Kind::SetOf(*element),
            Form::Choice(_) => Kind::Choice(self.choice(base)),
            Form::Open => Kind::Open,
        }
    }

    fn numbers(&mut self, names: &[NamedNumber], scope: ScopeId) -> Arc<[(SmolStr, i128)]> {
        let mut numbers = Vec::with_capacity(names.len());
        let mut known: HashSet<&str, RandomState> = HashSet::default();
        for number in names {
            if !known.insert(&number.name.text) {
                self.error("twice", number.name.at, format!("`{}` is named twice", number.name.text), "X.680 19.5 wants different names");
            }
            if let Some(value) = self.number(&number.value, scope) {
                numbers.push((number.name.text.clone(), value));
            }
        }
        numbers.into()
    }

    /// Returns the items of an enumeration with their numbers (X.680 20).
    pub(super) fn enumeration(&mut self, base: TypeId) -> Arc<Enumeration> {
        if let Some(known) = self.enumerations.get(&base) {
            return known.clone();
        }
        let draft = &self.drafts[base.0 as usize];
        let (Form::Enumerated(items), scope) = (&draft.form, draft.scope) else { return Arc::default() };
        let items = items.clone();
        let mut found = Enumeration::default();
        let implied = self.module(self.scope(scope).module).extensible;
        let mut root = Vec::new();
        let mut additions = Vec::new();
        let mut known: HashSet<SmolStr, RandomState> = HashSet::default();
        for item in items {
            match item {
                EnumerationItem::Marker(at) if found.extensible => {
                    self.error("markers", at, "an enumeration has one marker at most", "X.680 20.1");
                }
                EnumerationItem::Marker(_) => found.extensible = true,
                EnumerationItem::Name(name, value) => {
                    if !known.insert(name.text.clone()) {
                        self.error("twice", name.at, format!("`{}` is named twice", name.text), "X.680 20.2 wants different names");
                    }
                    let number = value.and_then(|value| self.number(&value, scope));
                    let list = if found.extensible { &mut additions } else { &mut root };
                    list.push((name, number));
                }
            }
        }
        // Items without a number get the lowest free ones (X.680 20.3).
        let mut used: HashSet<i128, RandomState> = root.iter().filter_map(|(_, number)| *number).collect();
        let mut free = 0;
        let numbered = root.iter().filter(|(_, number)| number.is_some()).count();
        if numbered != used.len() {
            let at = root[0].0.at;
            self.error("twice", at, "two enumerators have the same number", "X.680 20.5 wants different numbers");
        }
        for (name, number) in root {
            let number = number.unwrap_or_else(|| {
                while used.contains(&free) {
                    free += 1;
                }
                used.insert(free);
                free
            });
            found.root.push((name.text, number));
        }
        // Additions without a number get the next free one behind the addition before (X.680 20.6).
        let mut least = 0;
        for (name, number) in additions {
            let number = number.unwrap_or_else(|| {
                let mut number = least;
                while used.contains(&number) {
                    number += 1;
                }
                number
            });
            if !used.insert(number) {
                self.error("twice", name.at, format!("the number {number} is used twice"), "X.680 20.5 wants different numbers");
            }
            if number < least {
                self.caution("odd_number", name.at, "the numbers of additions do not ascend", "X.680 20.7 wants ascending numbers");
            }
            least = least.max(number.saturating_add(1));
            found.additions.push((name.text, number));
        }
        // EXTENSIBILITY IMPLIED adds the marker (X.680 13.4).
        found.extensible |= implied;
        found.root.sort_by_key(|(_, number)| *number);
        let found = Arc::new(found);
        self.enumerations.insert(base, found.clone());
        found
    }

    /// Returns whether components get automatic tags: in an environment of AUTOMATIC TAGS, if none
    /// has a tag of its own before COMPONENTS OF is expanded (X.680 25.3, 25.7, 29.2).
    fn is_automatic(&self, items: &[DraftItem], scope: ScopeId) -> bool {
        self.module(self.scope(scope).module).tagging == Tagging::Automatic && !has_tags(items)
    }

    /// Returns the type with an automatic tag (X.680 25.9).
    fn tagged(&mut self, ty: TypeId, number: u64, at: Place, scope: ScopeId, tagging: Tagging) -> TypeId {
        let value = crate::syntax::Value { at, span: Default::default(), kind: crate::syntax::ValueKind::Null };
        let tag = DraftTag { at, class: TagClass::Context, number: value, known: Some(number), scope, tagging };
        self.add(Draft {
            name: None,
            at,
            scope,
            tags: vec![tag],
            json: Vec::new(),
            form: Form::Alias(ty),
            constraints: Vec::new(),
            table: None,
            contents: None,
        })
    }

    fn component(&mut self, item: &DraftItem, scope: ScopeId) -> Option<Component> {
        let DraftItem::Component { name, ty, optional, default, json_name, .. } = item else { return None };
        let presence = match default {
            Some(value) => match self.value(value, scope, *ty) {
                Some(value) => Presence::Default(value),
                None => Presence::Default(crate::model::Value::Unknown),
            },
            None if *optional => Presence::Optional,
            None => Presence::Required,
        };
        Some(Component { name: name.text.clone(), at: name.at, ty: *ty, presence, json_name: json_name.clone() })
    }

    /// Returns the components of a SEQUENCE or SET.
    pub(super) fn structure(&mut self, base: TypeId) -> Arc<Structure> {
        if let Some(known) = self.structures.get(&base) {
            return known.clone();
        }
        let draft = &self.drafts[base.0 as usize];
        let (Form::Structure { items, set }, scope, at) = (&draft.form, draft.scope, draft.at) else { return Arc::default() };
        let (items, set) = (items.clone(), *set);
        if self.busy.len() >= 100 || !self.busy.insert(base) {
            self.error("circle", at, "COMPONENTS OF leads back to this type", "break the circle (X.680 25.5)");
            return Arc::default();
        }
        let mut found = Structure::default();
        let mut markers = 0;
        let mut tail = Vec::new();
        for item in &items {
            match item {
                DraftItem::Marker => markers += 1,
                DraftItem::Component { .. } => {
                    let Some(component) = self.component(item, scope) else { continue };
                    match markers {
                        0 => found.root.push(component),
                        1 => found.additions.push(Addition::Component(component)),
                        _ => tail.push(component),
                    }
                }
                DraftItem::ComponentsOf(of, place) => {
                    let of = self.base(*of);
                    let more = match &self.drafts[of.0 as usize].form {
                        Form::Structure { set: other, .. } if *other == set => self.structure(of).root.clone(),
                        Form::Unknown => Vec::new(),
                        _ => {
                            let kind = if set { "SET" } else { "SEQUENCE" };
                            self.error("components", *place, format!("COMPONENTS OF a type that is no {kind}"), "X.680 25.4");
                            Vec::new()
                        }
                    };
                    match markers {
                        0 => found.root.extend(more),
                        1 => found.additions.extend(more.into_iter().map(Addition::Component)),
                        _ => tail.extend(more),
                    }
                }
                DraftItem::Group(items, version) => {
                    let mut group = Vec::new();
                    for item in items {
                        match item {
                            DraftItem::ComponentsOf(of, _) => {
                                let of = self.base(*of);
                                group.extend(self.structure(of).root.iter().cloned());
                            }
                            _ => group.extend(self.component(item, scope)),
                        }
                    }
                    if markers == 0 {
                        self.error(
                            "markers",
                            at,
                            "additions in `[[ ]]` come without a marker before them",
                            "write `...,` before (X.680 25.1)",
                        );
                    }
                    found.additions.push(Addition::Group(group, *version));
                }
            }
        }
        self.busy.remove(&base);
        if markers > 2 {
            self.error("markers", at, "more than two extension markers", "X.680 25.1 has two at most");
        }
        found.first = found.root.len() as u32;
        found.root.extend(tail);
        found.extensible = markers > 0 || self.module(self.scope(scope).module).extensible;
        if self.is_automatic(&items, scope) {
            let dummies = dummies(&items);
            let additions = found.additions.iter_mut().flat_map(|addition| match addition {
                Addition::Component(component) => std::slice::from_mut(component),
                Addition::Group(group, _) => group.as_mut_slice(),
            });
            for (number, component) in (0..).zip(found.root.iter_mut().chain(additions)) {
                let tagging = if dummies.contains(&component.at) { Tagging::Explicit } else { Tagging::Implicit };
                component.ty = self.tagged(component.ty, number, component.at, scope, tagging);
            }
        }
        self.check_names(&found);
        found.order = (0..found.root.len() as u32).collect();
        if set {
            let keys: Vec<Option<Tag>> =
                found.root.iter().map(|component| component.ty).collect::<Vec<_>>().into_iter().map(|ty| self.least_tag(ty, 0)).collect();
            found.order.sort_by_key(|index| keys[*index as usize]);
        }
        let found = Arc::new(found);
        self.structures.insert(base, found.clone());
        found
    }

    fn check_names(&mut self, structure: &Structure) {
        let mut known: HashSet<&str, RandomState> = HashSet::default();
        let additions = structure.additions.iter().flat_map(|addition| match addition {
            Addition::Component(component) => std::slice::from_ref(component),
            Addition::Group(group, _) => group.as_slice(),
        });
        for component in structure.root.iter().chain(additions) {
            if !component.name.is_empty() && !known.insert(&component.name) {
                self.error(
                    "twice",
                    component.at,
                    format!("two components are called `{}`", component.name),
                    "X.680 25.11 wants different names",
                );
            }
        }
        self.check_members("components", structure.components().map(|known| (known.written(), known.json_name.is_some(), known.at)));
    }

    /// Returns the alternatives of a CHOICE.
    pub(super) fn choice(&mut self, base: TypeId) -> Arc<Choice> {
        if let Some(known) = self.choices.get(&base) {
            return known.clone();
        }
        let draft = &self.drafts[base.0 as usize];
        let (Form::Choice(items), scope, at) = (&draft.form, draft.scope, draft.at) else { return Arc::default() };
        let items = items.clone();
        let automatic = self.is_automatic(&items, scope);
        let mut found = Choice { extensible: self.module(self.scope(scope).module).extensible, ..Choice::default() };
        let mut markers = 0;
        let mut tail = Vec::new();
        let mut known: HashSet<SmolStr, RandomState> = HashSet::default();
        for item in &items {
            let alternatives: &[DraftItem] = match item {
                DraftItem::Marker => {
                    markers += 1;
                    continue;
                }
                DraftItem::Group(items, _) => items,
                item => std::slice::from_ref(item),
            };
            for item in alternatives {
                let DraftItem::Component { name, ty, json_name, .. } = item else { continue };
                if !name.text.is_empty() && !known.insert(name.text.clone()) {
                    self.error(
                        "twice",
                        name.at,
                        format!("two alternatives are called `{}`", name.text),
                        "X.680 29.5 wants different names",
                    );
                }
                let alternative = Alternative { name: name.text.clone(), at: name.at, ty: *ty, json_name: json_name.clone() };
                match markers {
                    0 => found.root.push(alternative),
                    1 => found.additions.push(alternative),
                    _ => tail.push(alternative),
                }
            }
        }
        if markers > 2 {
            self.error("markers", at, "more than two extension markers", "X.680 29.1 has two at most");
        }
        found.root.extend(tail);
        let all = found.root.iter().chain(&found.additions);
        self.check_members("alternatives", all.map(|known| (known.written(), known.json_name.is_some(), known.at)));
        found.extensible |= markers > 0;
        if automatic {
            let dummies = dummies(&items);
            for (number, alternative) in (0..).zip(found.root.iter_mut().chain(&mut found.additions)) {
                let tagging = if dummies.contains(&alternative.at) { Tagging::Explicit } else { Tagging::Implicit };
                alternative.ty = self.tagged(alternative.ty, number, alternative.at, scope, tagging);
            }
        }
        // Known before its tags are asked for: an alternative may lead back here.
        self.choices.insert(base, Arc::new(found.clone()));
        let keys: Vec<Option<Tag>> = found.root.iter().map(|alternative| self.least_tag(alternative.ty, 0)).collect();
        found.order = (0..found.root.len() as u32).collect();
        found.order.sort_by_key(|index| keys[*index as usize]);
        let all: Vec<(Option<Tag>, &Alternative)> = keys.iter().copied().zip(&found.root).collect();
        let mut first: std::collections::HashMap<Tag, &Alternative, RandomState> = std::collections::HashMap::default();
        for (tag, alternative) in all {
            if let Some(tag) = tag
                && let Some(before) = first.insert(tag, alternative)
            {
                let text = format!("the alternatives `{}` and `{}` have the same tag", before.name, alternative.name);
                self.report(
                    Diagnostic::warning("same_tag", alternative.at, text)
                        .related(before.at, "the other one")
                        .hint("X.680 29.3 wants different tags"),
                );
            }
        }
        let found = Arc::new(found);
        self.choices.insert(base, found.clone());
        found
    }

    /// Returns the least tag that a value of the type may start with (X.680 8.6).
    fn least_tag(&mut self, id: TypeId, depth: u32) -> Option<Tag> {
        if let Some(tag) = self.tags(id).first() {
            return Some(*tag);
        }
        let base = self.base(id);
        if depth > 50 || !matches!(self.drafts[base.0 as usize].form, Form::Choice(_)) {
            return None;
        }
        let choice = self.choice(base);
        choice.root.iter().filter_map(|alternative| self.least_tag(alternative.ty, depth + 1)).min()
    }

    /// Returns the tags of a type on the wire (X.680 31.2).
    fn tags(&mut self, id: TypeId) -> Vec<Tag> {
        if let Some(known) = self.tag_lists.get(&id) {
            return known.clone();
        }
        let base = self.base(id);
        let mut lineage = vec![id];
        while lineage[lineage.len() - 1] != base && lineage.len() <= 10_000 {
            let last = lineage[lineage.len() - 1];
            match &self.drafts[last.0 as usize].form {
                Form::Alias(next) => lineage.push(*next),
                Form::Selection(name, of) => {
                    let (name, of) = (name.clone(), *of);
                    match self.selected(&name, of) {
                        Some(next) => lineage.push(next),
                        None => break,
                    }
                }
                _ => break,
            }
        }
        let universal = universal(&self.drafts[base.0 as usize].form);
        let mut tags: Vec<Tag> = universal.map(|number| Tag { class: TagClass::Universal, number }).into_iter().collect();
        while let Some(step) = lineage.pop() {
            if let Some(known) = self.tag_lists.get(&step) {
                tags = known.clone();
                continue;
            }
            for tag in self.drafts[step.0 as usize].tags.clone().into_iter().rev() {
                let number = match tag.known {
                    Some(number) => number,
                    None => match self.number(&tag.number, tag.scope).map(u64::try_from) {
                        Some(Ok(number)) => number,
                        Some(Err(_)) => {
                            self.error("tag", tag.at, "this is no number of a tag", "X.680 31.2");
                            continue;
                        }
                        None => continue,
                    },
                };
                let new = Tag { class: tag.class, number };
                match tags.first_mut() {
                    // A tag in front of a choice or an open type is explicit anyway (X.680 31.2.7).
                    Some(first) if tag.tagging == Tagging::Implicit => *first = new,
                    _ => tags.insert(0, new),
                }
            }
        }
        self.tag_lists.insert(id, tags.clone());
        tags
    }

    /// Makes the rows of a table.
    fn rows(&mut self, table: usize) {
        let (_, set) = self.table_sets[table];
        let Some(set) = set else { return };
        let found = &self.sets[set as usize];
        self.tables[table].extensible = found.extensible;
        let objects = found.objects.clone();
        let mut rows = Vec::with_capacity(objects.len());
        for object in objects {
            let class = self.objects[object as usize].class;
            let mut row = Row::default();
            let fields: Vec<_> =
                self.class(class).fields.iter().map(|field| (field.name.clone(), matches!(field.kind, FieldKind::Type(_)))).collect();
            for (name, _) in fields {
                match self.setting(object, &name.text) {
                    Some(Setting::Type(ty)) => row.cells.push((name.text, Cell::Type(ty))),
                    Some(Setting::Value(value, scope)) => {
                        let governor =
                            match &self.class(class).fields.iter().find(|field| field.name.text == name.text).map(|field| &field.kind) {
                                Some(FieldKind::VariableValue { governor, .. }) => {
                                    match governor.first().and_then(|first| self.setting(object, &first.text)) {
                                        Some(Setting::Type(ty)) => Some(Governor::Type(ty)),
                                        _ => None,
                                    }
                                }
                                _ => self.class_field(class, &name),
                            };
                        if let Some(Governor::Type(ty)) = governor
                            && let Some(value) = self.value(&value, scope, ty)
                        {
                            row.cells.push((name.text, Cell::Value(ty, value)));
                        }
                    }
                    _ => {}
                }
            }
            rows.push(row);
        }
        self.tables[table].rows = rows;
    }
}

/// Returns the places of the components whose types are dummy parameters.
fn dummies(items: &[DraftItem]) -> Vec<Place> {
    let mut found = Vec::new();
    for item in items {
        match item {
            DraftItem::Component { name, dummy: true, .. } => found.push(name.at),
            DraftItem::Group(items, _) => found.extend(dummies(items)),
            _ => {}
        }
    }
    found
}

fn has_tags(items: &[DraftItem]) -> bool {
    items.iter().any(|item| match item {
        DraftItem::Component { tagged, .. } => *tagged,
        DraftItem::Group(items, _) => has_tags(items),
        _ => false,
    })
}

/// Returns the universal tag of a type (X.680 8.4), or `None` for those without one.
fn universal(form: &Form) -> Option<u64> {
    Some(match form {
        Form::Boolean => 1,
        Form::Integer(_) => 2,
        Form::Bits(_) => 3,
        Form::Octets => 4,
        Form::Null => 5,
        Form::Oid => 6,
        Form::External => 8,
        Form::Real => 9,
        Form::Enumerated(_) => 10,
        Form::EmbeddedPdv => 11,
        Form::RelativeOid => 13,
        Form::Structure { set: false, .. } | Form::List { set: false, .. } => 16,
        Form::Structure { set: true, .. } | Form::List { set: true, .. } => 17,
        Form::CharacterString => 29,
        Form::OidIri => 35,
        Form::RelativeOidIri => 36,
        Form::Text(kind) => kind.tag(),
        Form::Time(kind) => kind.tag(),
        _ => return None,
    })
}
