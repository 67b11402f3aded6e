//! Checks of dictionaries (docs/spec/usds.md 2.4), and the step from drafts to dictionaries.
//!
//! Checks come in the order of the original. Ids, names, numbers and enumerators are checked in the
//! order of the text, and ids of fields at the end of their structure. Ids of tags, links,
//! polymorphs and cycles follow. The first finding is the one that the original would report.

use std::collections::{HashMap, HashSet};

use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place, Source};
use polywire_core::value::Value;

use super::draft::{At, Draft, Entry, Literal, Named, Number, Shape, Target};
use super::types::{Default as Start, Dictionary, Enumeration, Field, Identity, MAX_ENUMERATOR, Tag, Type};
use crate::error::{Problem, Revision};
use crate::wire::MAX_ID;
use crate::wire::codes::Simple;

/// An error in a text or section.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub(crate) problem: Problem,
    pub(crate) revision: Revision,
    pub(crate) at: Place,
    pub(crate) message: String,
    hint: &'static str,
    related: Option<(Place, String)>,
    phase: Phase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Passing,
    TagIds,
    Links,
    Polymorphs,
    Cycles,
}

impl Finding {
    pub(crate) fn new(problem: Problem, revision: Revision, at: Place, message: impl Into<String>) -> Finding {
        Finding { problem, revision, at, message: message.into(), hint: "", related: None, phase: Phase::Passing }
    }

    pub(crate) fn hint(self, hint: &'static str) -> Finding {
        Finding { hint, ..self }
    }

    fn first(self, at: Place, label: &str) -> Finding {
        Finding { related: Some((at, label.to_string())), ..self }
    }

    fn phase(self, phase: Phase) -> Finding {
        Finding { phase, ..self }
    }
}

/// Sorts findings in the order in which the original would report them.
pub(crate) fn sorted(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by_key(|finding| (finding.phase, finding.at.start));
    findings
}

/// Converts findings to diagnostics of a text.
pub(crate) fn diagnostics(findings: Vec<Finding>, source: Source) -> Diagnostics {
    let findings = sorted(findings).into_iter().map(|finding| {
        let mut diagnostic = Diagnostic::error(word(finding.problem), finding.at, finding.message).hint(finding.hint);
        if let Some(code) = finding.problem.code(finding.revision) {
            diagnostic = diagnostic.detail("usds", code);
        }
        if let Some((at, label)) = finding.related {
            diagnostic = diagnostic.related(at, label);
        }
        diagnostic
    });
    Diagnostics { findings: findings.collect(), sources: vec![source] }
}

/// Returns the code of a problem for [`Diagnostic::code`].
fn word(problem: Problem) -> &'static str {
    match problem {
        Problem::Syntax => "syntax",
        Problem::TextEncoding => "encoding",
        Problem::DictionaryId => "dictionary_id",
        Problem::NoTags => "no_tags",
        Problem::NoFields => "no_fields",
        Problem::TagName => "tag_name",
        Problem::TagId => "tag_id",
        Problem::TagType => "tag_type",
        Problem::FieldId => "field_id",
        Problem::FieldName => "field_name",
        Problem::Recursion => "recursion",
        Problem::ElementUnknown | Problem::LinkName | Problem::LinkId => "unknown_tag",
        Problem::ArrayRecursion => "array_recursion",
        Problem::Range => "range",
        Problem::Conversion | Problem::Subtype => "enumeration_type",
        Problem::Wide => "wide_integer",
        Problem::Id => "id",
        Problem::EnumeratorLong => "enumerator_long",
        Problem::EnumeratorValue => "enumerator_value",
        Problem::EnumeratorName => "enumerator_name",
        Problem::EnumeratorUnknown => "enumerator_unknown",
        Problem::MemberType => "polymorph_member",
        Problem::PolymorphRecursion => "polymorph_recursion",
        Problem::Limit => "limit",
        _ => "dictionary",
    }
}

/// Runs the checks that follow the order of the text.
pub(crate) fn passing(draft: &Draft) -> Vec<Finding> {
    let mut passing = Passing { draft, findings: Vec::new() };
    passing.head();
    passing.entries(&draft.tags, true);
    passing.findings
}

/// Returns the dictionary of a draft with valid syntax.
pub(crate) fn resolve(draft: &Draft) -> Result<Dictionary, Vec<Finding>> {
    let mut findings = passing(draft);
    if draft.tags.is_empty() {
        findings.push(Finding::new(Problem::NoTags, draft.revision, draft.end, "a dictionary without tags"));
    }
    let mut whole = Whole { draft, findings, ids: Vec::new(), by_name: HashMap::new(), by_id: HashMap::new() };
    whole.check();
    if !whole.findings.is_empty() {
        return Err(sorted(whole.findings));
    }
    Ok(whole.dictionary())
}

struct Passing<'d> {
    draft: &'d Draft,
    findings: Vec<Finding>,
}

impl Passing<'_> {
    fn add(&mut self, problem: Problem, at: Place, message: String) {
        self.findings.push(Finding::new(problem, self.draft.revision, at, message));
    }

    fn head(&mut self) {
        let draft = self.draft;
        let most = if draft.revision.is_a() { i128::from(MAX_ID) } else { i128::from(u32::MAX) };
        if let Some(id) = &draft.id
            && !(0..=most).contains(&id.of)
        {
            self.add(Problem::DictionaryId, id.at, format!("the id of the dictionary is not within 0 to {most}"));
        }
        if let Some((major, minor)) = &draft.version {
            for part in [major, minor] {
                if !(0..=255).contains(&part.of) {
                    self.add(Problem::DictionaryId, part.at, "a part of the version is not within 0 to 255".into());
                }
            }
        }
        if let Some(subtype) = &draft.enumerator
            && !is_subtype(subtype.of)
        {
            self.add(Problem::Conversion, subtype.at, format!("enumerators cannot be of the type {}", subtype.of.keyword()));
        }
    }

    fn entries(&mut self, entries: &[Entry], tags: bool) {
        let a = self.draft.revision.is_a();
        let (kind, duplicate, wrong) =
            if tags { ("tag", Problem::TagName, Problem::TagId) } else { ("field", Problem::FieldName, Problem::FieldId) };
        let mut names: HashMap<&str, Place> = HashMap::new();
        for entry in entries {
            if let Some(id) = &entry.id {
                if id.of < 1 {
                    self.add(if a { wrong } else { Problem::Id }, id.at, format!("the id of a {kind} is {}, and ids start at 1", id.of));
                } else if id.of > i128::from(MAX_ID) {
                    self.add(if a { wrong } else { Problem::Range }, id.at, format!("the id of a {kind} is above {MAX_ID}"));
                }
            }
            match names.get(entry.name.of.as_str()) {
                Some(first) => {
                    let message = format!("a second {kind} `{}`", entry.name.of);
                    let finding = Finding::new(duplicate, self.draft.revision, entry.name.at, message);
                    self.findings.push(finding.first(*first, "the first one"));
                }
                None => {
                    names.insert(&entry.name.of, entry.name.at);
                }
            }
            self.shape(entry);
        }
    }

    fn shape(&mut self, entry: &Entry) {
        match &entry.shape {
            Shape::Number(number) => {
                if !matches!(number.of, Number::Simple(_)) {
                    self.add(Problem::Wide, number.at, "integers of 128 bits are reserved".into());
                }
                if let (Number::Simple(simple), Some(default)) = (number.of, &entry.default) {
                    self.number_default(simple, default);
                }
            }
            Shape::Structure { fields, end } => {
                self.entries(fields, false);
                self.field_ids(fields, *end);
            }
            Shape::Enumeration { subtype, members } => self.enumeration(subtype.as_ref(), members, entry.default.as_ref()),
            Shape::Text { .. } | Shape::Link(_) | Shape::Polymorph(_) => {}
        }
    }

    fn number_default(&mut self, simple: Simple, default: &At<Literal>) {
        match &default.of {
            Literal::Whole(value) => {
                if let Some((low, high)) = simple.range()
                    && !(low..=high).contains(value)
                {
                    self.add(
                        Problem::Range,
                        default.at,
                        format!("the default does not fit {}, which is {low} to {high}", simple.keyword()),
                    );
                }
            }
            Literal::Decimal(text) => {
                let fits = match simple {
                    Simple::Float => text.parse::<f32>().is_ok_and(f32::is_finite),
                    _ => text.parse::<f64>().is_ok_and(f64::is_finite),
                };
                if !fits {
                    self.add(Problem::Range, default.at, format!("the default does not fit {}", simple.keyword()));
                }
            }
            _ => {}
        }
    }

    /// Checks that explicit ids are 1…n in any order.
    fn field_ids(&mut self, fields: &[Entry], end: Place) {
        let mut ids: Vec<i128> = fields.iter().filter_map(|field| field.id.as_ref()).map(|id| id.of).collect();
        ids.sort_unstable();
        let Some(most) = ids.last().copied() else { return };
        if ids.iter().zip(1..).any(|(id, expected)| *id != expected) && ids[0] >= 1 {
            let same = most == ids.len() as i128 && !self.draft.revision.is_a();
            let problem = if same { Problem::FieldName } else { Problem::FieldId };
            self.add(problem, end, format!("the ids of {} fields are not 1 to {}", ids.len(), ids.len()));
        }
    }

    fn enumeration(&mut self, subtype: Option<&At<Number>>, members: &[Named], default: Option<&At<Literal>>) {
        if let Some(subtype) = subtype
            && !is_subtype(subtype.of)
        {
            self.add(Problem::Subtype, subtype.at, format!("enumerators cannot be of the type {}", subtype.of.keyword()));
        }
        let simple = chosen(self.draft, subtype);
        let (low, high) = simple.range().unwrap_or((i128::MIN, i128::MAX));
        let mut names: HashMap<&str, Place> = HashMap::new();
        let mut values: HashMap<i128, Place> = HashMap::new();
        for ((name, _), (value, at)) in members.iter().zip(numbers(members)) {
            if name.of.len() > MAX_ENUMERATOR {
                self.add(Problem::EnumeratorLong, name.at, format!("an enumerator of more than {MAX_ENUMERATOR} bytes"));
            }
            if !(low..=high).contains(&value) {
                self.add(Problem::Range, at, format!("`{}` is {value}, which does not fit {}", name.of, simple.keyword()));
            }
            if let Some(first) = names.insert(&name.of, name.at) {
                let finding =
                    Finding::new(Problem::EnumeratorName, self.draft.revision, name.at, format!("a second enumerator `{}`", name.of));
                self.findings.push(finding.first(first, "the first one"));
            }
            if let Some(first) = values.insert(value, at) {
                let finding = Finding::new(Problem::EnumeratorValue, self.draft.revision, at, format!("a second enumerator of {value}"));
                self.findings.push(finding.first(first, "the first one"));
            }
        }
        match default {
            Some(At { of: Literal::Name(name), at }) if !names.contains_key(name.as_str()) => {
                self.add(Problem::EnumeratorUnknown, *at, format!("there is no enumerator `{name}`"));
            }
            Some(At { of: Literal::Whole(value), at }) if i64::try_from(*value).is_err() => {
                self.add(Problem::Range, *at, "the default does not fit 64 bits".into());
            }
            _ => {}
        }
    }
}

fn is_subtype(number: Number) -> bool {
    matches!(number, Number::Simple(simple) if simple.is_subtype())
}

/// Returns the type of an enumeration's numbers: its own, that of the dictionary, or VARINT.
fn chosen(draft: &Draft, subtype: Option<&At<Number>>) -> Simple {
    match subtype.or(draft.enumerator.as_ref()) {
        Some(At { of: Number::Simple(simple), .. }) => *simple,
        _ => Simple::Varint,
    }
}

/// Returns the numbers of enumerators with their places. Without a value, they count up from 1 or
/// from the number before.
fn numbers(members: &[Named]) -> impl Iterator<Item = (i128, Place)> {
    let mut last = 0i128;
    members.iter().map(move |(name, value)| {
        let (value, at) = value.as_ref().map_or((last.saturating_add(1), name.at), |value| (value.of, value.at));
        last = value;
        (value, at)
    })
}

/// Function that returns the tags that a tag leads to, with their places.
type Edges<'e, T> = &'e dyn Fn(&T, u32) -> Vec<(u32, Place)>;

struct Whole<'d> {
    draft: &'d Draft,
    findings: Vec<Finding>,
    /// Id of each tag, in the order of the text.
    ids: Vec<u32>,
    by_name: HashMap<&'d str, u32>,
    by_id: HashMap<u32, &'d Entry>,
}

impl<'d> Whole<'d> {
    fn add(&mut self, phase: Phase, problem: Problem, at: Place, message: String) {
        self.findings.push(Finding::new(problem, self.draft.revision, at, message).phase(phase));
    }

    fn check(&mut self) {
        let draft = self.draft;
        let ids: Vec<i128> = draft.tags.iter().zip(1..).map(|(tag, automatic)| tag.id.as_ref().map_or(automatic, |id| id.of)).collect();
        let mut seen = HashSet::new();
        for (tag, id) in draft.tags.iter().zip(&ids) {
            let at = tag.id.as_ref().map_or(tag.name.at, |id| id.at);
            if *id > ids.len() as i128 {
                self.add(Phase::TagIds, Problem::TagId, at, format!("tag {id} of {}: the ids are not 1 to {}", ids.len(), ids.len()));
            } else if *id >= 1 && !seen.insert(*id) {
                self.add(Phase::TagIds, Problem::TagId, at, format!("a second tag {id}"));
            }
        }
        // Links cannot be followed if ids are wrong.
        if !self.findings.is_empty() {
            for tag in &draft.tags {
                self.by_name.insert(&tag.name.of, 0);
            }
            let known = |whole: &Self, target: &Target| match target {
                Target::Name(name) => whole.by_name.contains_key(name.as_str()),
                Target::Id(id) => ids.contains(&i128::from(*id)),
            };
            self.targets(&draft.tags, &known);
            return;
        }
        self.ids = ids.iter().map(|id| *id as u32).collect();
        for (tag, id) in draft.tags.iter().zip(self.ids.clone()) {
            self.by_name.insert(&tag.name.of, id);
            self.by_id.insert(id, tag);
        }
        let known = |whole: &Self, target: &Target| whole.target(target).is_some();
        self.targets(&draft.tags, &known);
        for (tag, id) in draft.tags.iter().zip(self.ids.clone()) {
            if let (Shape::Link(target), dims) = (&tag.shape, tag.dims) {
                if dims == 0 {
                    self.add(Phase::Links, Problem::TagType, target.at, format!("the tag `{}` is a link", tag.name.of));
                } else if dims == 1 && self.target(&target.of) == Some(id) {
                    self.add(Phase::Cycles, Problem::ArrayRecursion, target.at, format!("the elements of `{}` are itself", tag.name.of));
                }
            }
        }
        if self.findings.is_empty() {
            self.polymorphs();
        }
        if self.findings.is_empty() && !draft.section {
            self.structures();
        }
    }

    fn target(&self, target: &Target) -> Option<u32> {
        match target {
            Target::Name(name) => self.by_name.get(name.as_str()).copied(),
            Target::Id(id) => self.by_id.contains_key(id).then_some(*id),
        }
    }

    /// Checks that every link has a target.
    fn targets(&mut self, entries: &'d [Entry], known: &dyn Fn(&Self, &Target) -> bool) {
        for entry in entries {
            match &entry.shape {
                Shape::Link(target) => self.link(target, known),
                Shape::Polymorph(members) => members.iter().for_each(|member| self.link(member, known)),
                Shape::Structure { fields, .. } => self.targets(fields, known),
                _ => {}
            }
        }
    }

    fn link(&mut self, target: &At<Target>, known: &dyn Fn(&Self, &Target) -> bool) {
        if known(self, &target.of) {
            return;
        }
        let problem = match &target.of {
            _ if self.draft.revision.is_a() => Problem::ElementUnknown,
            Target::Name(_) => Problem::LinkName,
            Target::Id(_) => Problem::LinkId,
        };
        let message = match &target.of {
            Target::Name(name) => format!("there is no tag `{name}`"),
            Target::Id(id) => format!("there is no tag {id}"),
        };
        self.add(Phase::Links, problem, target.at, message);
    }

    /// Checks that members of polymorphs are structures or polymorphs, and that none reaches
    /// itself.
    fn polymorphs(&mut self) {
        fn all<'d>(entries: &'d [Entry], into: &mut Vec<&'d At<Target>>) {
            for entry in entries {
                match &entry.shape {
                    Shape::Polymorph(members) => into.extend(members),
                    Shape::Structure { fields, .. } => all(fields, into),
                    _ => {}
                }
            }
        }
        let mut members = Vec::new();
        all(&self.draft.tags, &mut members);
        for member in members {
            let tag = self.target(&member.of).and_then(|id| self.by_id.get(&id).copied());
            let fits = tag.is_some_and(|tag| tag.dims == 0 && matches!(tag.shape, Shape::Structure { .. } | Shape::Polymorph(_)));
            if !fits {
                let name = tag.map_or("", |tag| tag.name.of.as_str());
                self.add(Phase::Polymorphs, Problem::MemberType, member.at, format!("`{name}` is neither a structure nor a polymorph"));
            }
        }
        let edges = |whole: &Self, id: u32| -> Vec<(u32, Place)> {
            match whole.by_id.get(&id) {
                Some(Entry { shape: Shape::Polymorph(members), dims: 0, .. }) => {
                    members.iter().filter_map(|member| Some((whole.target(&member.of)?, member.at))).collect()
                }
                _ => Vec::new(),
            }
        };
        for at in self.cycles(&edges) {
            self.add(Phase::Polymorphs, Problem::PolymorphRecursion, at, "the polymorph reaches itself".into());
        }
    }

    /// Checks that no structure contains itself, except through an array, a polymorph or a nullable
    /// field.
    fn structures(&mut self) {
        fn held(whole: &Whole<'_>, entries: &[Entry], into: &mut Vec<(u32, Place)>) {
            for entry in entries.iter().filter(|entry| entry.dims == 0 && !entry.nullable) {
                match &entry.shape {
                    Shape::Link(target) => into.extend(whole.target(&target.of).map(|id| (id, target.at))),
                    Shape::Structure { fields, .. } => held(whole, fields, into),
                    _ => {}
                }
            }
        }
        let edges = |whole: &Self, id: u32| -> Vec<(u32, Place)> {
            let mut into = Vec::new();
            if let Some(Entry { shape: Shape::Structure { fields, .. }, dims: 0, .. }) = whole.by_id.get(&id) {
                held(whole, fields, &mut into);
            }
            into
        };
        for at in self.cycles(&edges) {
            let finding = Finding::new(Problem::Recursion, self.draft.revision, at, "a structure holds itself here, without an end");
            self.findings.push(finding.phase(Phase::Cycles).hint("add `= NULL` to a field on the way, or make it an array"));
        }
    }

    /// Returns the edges that close a cycle among the tags. Not recursive, since a path may be as
    /// long as the list of tags.
    fn cycles(&self, edges: Edges<'_, Self>) -> Vec<Place> {
        let mut found = Vec::new();
        let mut done = HashSet::new();
        for &start in &self.ids {
            if done.contains(&start) {
                continue;
            }
            let mut way = vec![(start, edges(self, start).into_iter())];
            let mut on_way = HashSet::from([start]);
            while let Some((tag, rest)) = way.last_mut() {
                let tag = *tag;
                match rest.next() {
                    Some((next, at)) if on_way.contains(&next) => found.push(at),
                    Some((next, _)) if done.contains(&next) => {}
                    Some((next, _)) => {
                        on_way.insert(next);
                        way.push((next, edges(self, next).into_iter()));
                    }
                    None => {
                        way.pop();
                        on_way.remove(&tag);
                        done.insert(tag);
                    }
                }
            }
        }
        found
    }

    fn dictionary(&self) -> Dictionary {
        let draft = self.draft;
        let mut order: Vec<(u32, &Entry)> = self.ids.iter().copied().zip(&draft.tags).collect();
        order.sort_by_key(|(id, _)| *id);
        let tags: Vec<Tag> = order
            .iter()
            .map(|(_, entry)| {
                let polymorph = matches!(entry.shape, Shape::Polymorph(_)) && entry.dims == 0;
                Tag { name: entry.name.of.clone(), ty: self.ty(entry), root: !entry.not_root && !polymorph }
            })
            .collect();
        let names = tags.iter().zip(1..).map(|(tag, id)| (tag.name.clone(), id)).collect();
        let number = |number: Option<&At<i128>>| number.map_or(0, |number| number.of);
        let (major, minor) = draft.version.as_ref().map_or((None, None), |(major, minor)| (Some(major), Some(minor)));
        let identity = Identity { id: number(draft.id.as_ref()) as u32, major: number(major) as u8, minor: number(minor) as u8 };
        Dictionary { revision: draft.revision, name: draft.name.clone(), identity, tags, names }
    }

    /// Returns the type of an entry. Recursion is bounded: structures nest at most
    /// [`MAX_NESTING`](super::types::MAX_NESTING) levels deep.
    fn ty(&self, entry: &Entry) -> Type {
        let target = |target: &At<Target>| self.target(&target.of).unwrap_or_default();
        let inner = match &entry.shape {
            Shape::Number(At { of: Number::Simple(simple), .. }) => Type::Simple(*simple),
            // Refused above.
            Shape::Number(_) => Type::Simple(Simple::Varint),
            Shape::Text { utf8 } => Type::Text { utf8: *utf8 || self.draft.encode },
            Shape::Link(link) => Type::Link(target(link)),
            Shape::Polymorph(members) => Type::Polymorph(members.iter().map(target).collect()),
            Shape::Enumeration { subtype, members } => Type::Enumeration(Enumeration {
                subtype: chosen(self.draft, subtype.as_ref()),
                members: members.iter().zip(numbers(members)).map(|((name, _), (value, _))| (name.of.clone(), value as i64)).collect(),
            }),
            Shape::Structure { fields, .. } => {
                let mut order: Vec<(i128, &Entry)> =
                    fields.iter().zip(1..).map(|(field, automatic)| (field.id.as_ref().map_or(automatic, |id| id.of), field)).collect();
                order.sort_by_key(|(id, _)| *id);
                let field = |field: &Entry| Field {
                    name: field.name.of.clone(),
                    ty: self.ty(field),
                    nullable: field.nullable,
                    default: field.default.as_ref().map(|default| start(field, &default.of)),
                };
                Type::Structure(order.into_iter().map(|(_, entry)| field(entry)).collect())
            }
        };
        (0..entry.dims).fold(inner, |inner, _| Type::Array(Box::new(inner)))
    }
}

/// Returns a default of the type of its field.
fn start(field: &Entry, literal: &Literal) -> Start {
    let value = match (literal, &field.shape) {
        (Literal::Whole(value), Shape::Enumeration { .. }) => return Start::Number(*value as i64),
        (Literal::Name(name), Shape::Enumeration { members, .. }) => {
            let number = members.iter().zip(numbers(members)).find(|((known, _), _)| known.of == *name).map(|(_, (value, _))| value);
            return Start::Number(number.unwrap_or_default() as i64);
        }
        (Literal::Bool(value), _) => Value::Bool(*value),
        (Literal::Whole(value), _) if *value < 0 => Value::Int(*value as i64),
        (Literal::Whole(value), _) => Value::UInt(*value as u64),
        (Literal::Decimal(text), Shape::Number(At { of: Number::Simple(Simple::Float), .. })) => {
            Value::F32(text.parse().unwrap_or_default())
        }
        (Literal::Decimal(text), _) => Value::F64(text.parse().unwrap_or_default()),
        (Literal::Text(text) | Literal::Name(text), _) => Value::Text(text.clone()),
        (Literal::Bits(value), _) => value.clone(),
    };
    Start::Value(value)
}
