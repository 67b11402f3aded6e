//! Events of a walk, taken to the column that each belongs to.

use std::sync::Arc;

use polywire_core::columns::{Data, MOST};
use polywire_core::{Error, ErrorKind, Field, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span};

use super::faults::{full, mismatch};
use super::numbers::single;
use super::{Capture, Level, Open0, Rows};
use crate::plan::{Cases, Id, Kind, Plan};

impl Rows {
    /// Returns the column of the value that comes.
    #[inline(always)]
    pub(super) fn place(&mut self, at: Span) -> Result<Id> {
        let Some(level) = self.levels.last_mut() else { return Ok(self.plan.root) };
        match level.kind {
            Open0::Record | Open0::Choice => Ok(self.target),
            Open0::List => match &self.plan.nodes[level.node as usize].kind {
                Kind::List { item, .. } => Ok(*item),
                _ => Err(Error::internal("a list in no list")),
            },
            Open0::Map => {
                level.value_due = !level.value_due;
                match &self.plan.nodes[level.node as usize].kind {
                    Kind::Map { key, .. } if level.value_due => Ok(*key),
                    Kind::Map { value, .. } => Ok(*value),
                    _ => Err(Error::internal("a map in no map")),
                }
            }
            Open0::Tuple => {
                let Kind::Tuple(items) = &self.plan.nodes[level.node as usize].kind else {
                    return Err(Error::internal("a tuple in no tuple"));
                };
                let place = level.next;
                level.next += 1;
                match items.get(place as usize) {
                    Some(item) => Ok(*item),
                    None => Err(mismatch("one more value", format!("{} values, as the schema says", items.len()), at)),
                }
            }
            Open0::Case => {
                level.next += 1;
                if level.next > 1 {
                    Err(mismatch("a second value of a case", "one value, as the schema says", at))
                } else {
                    Ok(self.target)
                }
            }
            Open0::Mark(_) => {
                level.next += 1;
                Ok(level.node)
            }
            Open0::Unit | Open0::Constant => Err(mismatch("a value", "nothing, as the schema says", at)),
        }
    }

    /// Counts a value of a list or map at its end.
    pub(super) fn end_list(&mut self, id: Id, child: Id) {
        let end = self.columns[child as usize].len as i32;
        let column = &mut self.columns[id as usize];
        if let Data::Ends(ends) = &mut column.data {
            ends.push(end);
        }
        column.push();
    }

    /// Chooses the case of a sum type, and returns the column of its values.
    pub(super) fn choose(&mut self, id: Id, case: usize) -> Option<Id> {
        let plan = Arc::clone(&self.plan);
        let Kind::Sum(cases) = &plan.nodes[id as usize].kind else { return None };
        let node = cases.cases[case].node;
        match cases.tag {
            Some(tag) => {
                self.ready(id, tag);
                if let Data::Keys(keys, _) = &mut self.columns[tag as usize].data {
                    keys.push(case as i32);
                }
                self.columns[tag as usize].push();
                if let Some(node) = node {
                    self.ready(id, node);
                }
            }
            None => {
                let place = node.map_or(0, |node| self.columns[node as usize].len);
                if let Data::Union(ids, places) = &mut self.columns[id as usize].data {
                    ids.push(case as i8);
                    places.push(place as i32);
                }
                if let Some(node) = node.filter(|_| cases.cases[case].carries == 0) {
                    self.nulls(node, 1);
                }
            }
        }
        self.columns[id as usize].push();
        self.size += 8;
        node
    }

    /// Opens a container at the column of a value.
    pub(super) fn open_at(&mut self, id: Id, open: Open<'_>, at: Span) -> Result<Next> {
        let plan = Arc::clone(&self.plan);
        let node = plan.node(id);
        let marks = match self.levels.last() {
            Some(Level { kind: Open0::Mark(count), node, .. }) if *node == id => *count as usize,
            _ => 0,
        };
        let level = |node: Id, kind: Open0| Level { node, kind, next: 0, seen: 0, value_due: false };
        if let Kind::Json = node.kind {
            self.capture = Capture::Value(id);
            self.json.open(open, at, &mut self.losses);
            return Ok(Next::Enter);
        }
        if let Some((space, code)) = node.marks.get(marks) {
            let Open::Tagged { space: seen, code: number } = open else { return Err(self.unfit(id, open.kind(), at)) };
            if seen != space || number != *code {
                return Err(mismatch(format!("the mark {seen}:{number}"), format!("the mark {space}:{code}, as the schema says"), at));
            }
            self.levels.push(level(id, Open0::Mark(marks as u32 + 1)));
            return Ok(Next::Enter);
        }
        self.size += 8;
        match (&node.kind, open) {
            (Kind::Record(_), Open::Record { .. } | Open::Map(_)) => self.levels.push(level(id, Open0::Record)),
            (Kind::Unit, Open::Record { .. } | Open::Map(_)) => self.levels.push(level(id, Open0::Unit)),
            (Kind::List { .. }, Open::List(_) | Open::Tuple(_)) => self.levels.push(level(id, Open0::List)),
            (Kind::Map { .. }, Open::Record { .. } | Open::Map(_)) => self.levels.push(level(id, Open0::Map)),
            (Kind::Tuple(_), Open::List(_) | Open::Tuple(_)) => self.levels.push(level(id, Open0::Tuple)),
            (Kind::Names(names), Open::Variant { name, index }) if names.cases => {
                let known = match name {
                    "" => names.numbers.iter().position(|number| *number == i64::from(index)).map(|at| at as i32),
                    name => names.index.get(name).map(|at| *at as i32),
                };
                let Some(key) = known else { return Err(self.no_case(name, index, at)) };
                if let Data::Keys(keys, _) = &mut self.columns[id as usize].data {
                    keys.push(key);
                }
                self.columns[id as usize].push();
                self.levels.push(level(id, Open0::Constant));
            }
            (Kind::Sum(cases), Open::Variant { name, index }) if !cases.untagged => {
                let known = match name {
                    "" => cases.cases.iter().position(|case| case.number == index),
                    name => cases.index.get(name).map(|at| *at as usize),
                };
                let Some(case) = known else { return Err(self.no_case(name, index, at)) };
                let child = self.choose(id, case);
                match (child, cases.cases[case].carries) {
                    (_, 0) | (None, _) => self.levels.push(level(id, Open0::Constant)),
                    (Some(child), 1) => {
                        self.target = child;
                        self.levels.push(level(child, Open0::Case));
                    }
                    (Some(child), _) => self.levels.push(level(child, Open0::Tuple)),
                }
            }
            (Kind::Sum(cases), Open::Record { .. } | Open::Map(_)) if !cases.untagged => self.levels.push(level(id, Open0::Choice)),
            (Kind::Sum(cases), open) if cases.untagged => {
                let Some(case) = open_case(&plan, cases, &open) else { return Err(self.unfit(id, open.kind(), at)) };
                let Some(child) = self.choose(id, case) else { return Err(Error::internal("a case without a column")) };
                return self.open_at(child, open, at);
            }
            (Kind::List { item, one: true }, open) => {
                // The list of one ends with its value: `close` looks for it.
                self.levels.push(Level { next: 1, ..level(id, Open0::List) });
                return self.open_at(*item, open, at);
            }
            _ => return Err(self.unfit(id, open.kind(), at)),
        }
        Ok(Next::Enter)
    }

    #[cold]
    pub(super) fn no_case(&self, name: &str, index: u32, at: Span) -> Error {
        let seen = if name.is_empty() { format!("the case number {index}") } else { format!("the case `{name}`") };
        mismatch(seen, "a case of the schema", at)
    }

    /// Looks for fields that did not come, at the end of a record.
    pub(super) fn end_record(&mut self, level: &Level, at: Span) -> Result<()> {
        let plan = Arc::clone(&self.plan);
        let Kind::Record(record) = &plan.node(level.node).kind else { return Err(Error::internal("a record in no record")) };
        if record.checked && (level.seen as usize) < record.fields.len() {
            let row = self.columns[level.node as usize].len;
            for field in record.fields.iter().filter(|field| field.required) {
                if self.columns[field.node as usize].len > row {
                    continue;
                }
                match &field.default {
                    Some(default) => {
                        self.pad(field.node, row);
                        self.levels.push(Level { node: level.node, kind: Open0::Record, next: 0, seen: 0, value_due: false });
                        self.target = field.node;
                        default.emit(self)?;
                        self.levels.pop();
                    }
                    None if plan.node(field.node).nullable => {
                        self.losses.value("absent field became null", at);
                    }
                    None => return Err(mismatch("the end of a record", format!("the field `{}`", field.name), at)),
                }
            }
        }
        self.columns[level.node as usize].push();
        Ok(())
    }

    #[inline(always)]
    pub(super) fn value_done(&mut self) {
        if self.levels.is_empty() {
            self.done = true;
        }
    }
}

impl<'m> Sink<'m> for Rows {
    fn needs(&self) -> Needs {
        Needs::WHOLE_TEXT | Needs::GROUPED
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        if self.capture != Capture::No {
            self.json.open(open, at, &mut self.losses);
            return Ok(Next::Enter);
        }
        let id = self.place(at)?;
        if let Some(level) = self.levels.last()
            && level.kind == Open0::Tuple
        {
            let node = level.node;
            self.ready(node, id);
        }
        self.open_at(id, open, at)
    }

    #[inline]
    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        let name = field.name.get();
        if self.capture != Capture::No {
            self.json.field(name);
            return Ok(Next::Enter);
        }
        let Some(level) = self.levels.last_mut() else { return Err(Error::internal("a field of nothing")) };
        let id = level.node;
        match (level.kind, &self.plan.nodes[id as usize].kind) {
            (Open0::Record, Kind::Record(record)) => {
                let expected = level.next as usize;
                let place = match record.fields.get(expected) {
                    Some(member) if member.name == name => expected,
                    _ => match record.index.get(name) {
                        Some(place) => *place as usize,
                        None => return self.other(name, at),
                    },
                };
                level.next = place as u32 + 1;
                level.seen += 1;
                let child = record.fields[place].node;
                self.target = child;
                if !self.ready(id, child) {
                    return Err(Error::data(ErrorKind::DoubledKey, at.start).seen(format!("the field `{name}` for the second time")));
                }
                Ok(Next::Enter)
            }
            (Open0::Map, Kind::Map { key, .. }) => {
                level.value_due = true;
                let key = *key;
                self.put(key, &Scalar::Text(field.name.scratch()), at)?;
                Ok(Next::Enter)
            }
            (Open0::Choice, Kind::Sum(cases)) => {
                let Some(case) = cases.index.get(name).map(|case| *case as usize).filter(|_| level.seen == 0) else {
                    return Err(self.no_case(name, 0, at));
                };
                level.seen = 1;
                let carries = cases.cases[case].carries;
                let Some(child) = self.choose(id, case).filter(|_| carries > 0) else {
                    return Err(mismatch(format!("a value of the case `{name}`"), "none, as the schema says", at));
                };
                self.target = child;
                Ok(Next::Enter)
            }
            _ => self.other(name, at),
        }
    }

    #[inline]
    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        if self.capture != Capture::No {
            self.json.scalar(&value, at, &mut self.losses);
            return self.end_json(at);
        }
        let id = self.place(at)?;
        if let Some(level) = self.levels.last()
            && level.kind == Open0::Tuple
        {
            let node = level.node;
            self.ready(node, id);
        }
        if let Scalar::Null = value
            && let Some(Level { kind: Open0::Record, node, next, .. }) = self.levels.last()
            && let Kind::Record(record) = &self.plan.nodes[*node as usize].kind
            && record
                .fields
                .get(next.wrapping_sub(1) as usize)
                .is_some_and(|field| field.nullable || (!field.required && matches!(self.plan.node(id).kind, Kind::Json)))
        {
            self.losses.value("null became an absent field", at);
        }
        self.put(id, &value, at)?;
        self.value_done();
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Err(Error::internal("text in parts for columns"))
    }

    fn close(&mut self, at: Span) -> Result<()> {
        if self.capture != Capture::No {
            self.json.close();
            return self.end_json(at);
        }
        let Some(level) = self.levels.pop() else { return Err(Error::internal("an end of nothing")) };
        let id = level.node;
        match level.kind {
            Open0::Record => self.end_record(&level, at)?,
            Open0::Unit => {
                if let Data::Bits(bits) = &mut self.columns[id as usize].data {
                    bits.push(true);
                }
                self.columns[id as usize].push();
            }
            Open0::List => {
                let Kind::List { item, .. } = self.plan.nodes[id as usize].kind else { return Err(Error::internal("a list in no list")) };
                if self.columns[item as usize].len > MOST {
                    self.is_full = true;
                    return Err(full(at));
                }
                self.end_list(id, item);
            }
            Open0::Map => {
                let Kind::Map { key, .. } = self.plan.nodes[id as usize].kind else { return Err(Error::internal("a map in no map")) };
                if self.columns[key as usize].len > MOST {
                    self.is_full = true;
                    return Err(full(at));
                }
                self.end_list(id, key);
            }
            Open0::Tuple => {
                let plan = Arc::clone(&self.plan);
                let Kind::Tuple(items) = &plan.nodes[id as usize].kind else { return Err(Error::internal("a tuple in no tuple")) };
                let missing = items.iter().skip(level.next as usize);
                if missing.clone().any(|item| !plan.node(*item).nullable) {
                    return Err(mismatch(format!("{} values", level.next), format!("{} values, as the schema says", items.len()), at));
                }
                self.columns[id as usize].push();
            }
            Open0::Choice if level.seen == 0 => return Err(mismatch("a record without fields", "one field that names a case", at)),
            Open0::Case if level.next == 0 => {
                let child = id;
                if !self.plan.node(child).nullable || matches!(self.plan.node(child).kind, Kind::Record(_)) {
                    return Err(mismatch("a case without a value", "one value, as the schema says", at));
                }
                self.nulls(child, 1);
            }
            Open0::Mark(_) if level.next == 0 => return Err(mismatch("a mark without a value", "a value", at)),
            Open0::Choice | Open0::Case | Open0::Constant | Open0::Mark(_) => {}
        }
        // A list of one ends with its value.
        while let Some(Level { kind: Open0::List, next: 1, node, .. }) = self.levels.last() {
            let Kind::List { item, .. } = self.plan.nodes[*node as usize].kind else { break };
            let node = *node;
            self.levels.pop();
            self.end_list(node, item);
        }
        self.value_done();
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.losses.note(note, at);
        Ok(())
    }
}

/// Returns the case of an untagged sum type, or the constant case, that a scalar is.
pub(super) fn scalar_case(plan: &Plan, cases: &Cases, value: &Scalar<'_, '_>) -> Option<usize> {
    if !cases.untagged {
        let Scalar::Text(name) = value else { return None };
        return cases.index.get(name.get()).map(|case| *case as usize).filter(|case| cases.cases[*case].carries == 0);
    }
    let fits = |case: &crate::plan::CaseNode, loose: bool| {
        let Some(node) = case.node.map(|node| plan.node(node)).filter(|node| node.marks.is_empty()) else { return false };
        match (&node.kind, value) {
            (Kind::Bool, Scalar::Bool(_)) | (Kind::Time(_), Scalar::Time(_)) | (Kind::Text, Scalar::Text(_)) => true,
            (Kind::Names(names), Scalar::Text(name)) => names.extensible || names.index.contains_key(name.get()),
            (Kind::Int(_) | Kind::UInt(_), Scalar::Int(..) | Scalar::UInt(..)) => true,
            (Kind::Digits(true) | Kind::Fixed { whole: true, .. }, Scalar::Int(..) | Scalar::UInt(..) | Scalar::Big(..)) => true,
            (
                Kind::F64 | Kind::Number | Kind::Digits(false) | Kind::Fixed { .. },
                Scalar::F64(..) | Scalar::F32(..) | Scalar::Decimal(..),
            ) => true,
            (Kind::F32, Scalar::F32(..)) => true,
            (Kind::F32, Scalar::F64(..)) => single(value).is_some(),
            (Kind::Number | Kind::Digits(false) | Kind::Fixed { .. } | Kind::F64, Scalar::Int(..) | Scalar::UInt(..) | Scalar::Big(..)) => {
                loose
            }
            (Kind::Bytes, Scalar::Bytes(_)) | (Kind::Octets, Scalar::Octets(_)) => true,
            (Kind::Octets, Scalar::Text(_)) => loose,
            _ => false,
        }
    };
    let strict = cases.cases.iter().position(|case| fits(case, false));
    strict.or_else(|| cases.cases.iter().position(|case| fits(case, true)))
}

/// Returns the case of an untagged sum type that a container is.
pub(super) fn open_case(plan: &Plan, cases: &Cases, open: &Open<'_>) -> Option<usize> {
    cases.cases.iter().position(|case| {
        let Some(node) = case.node.map(|node| plan.node(node)) else { return false };
        match (node.marks.first(), open) {
            (Some((space, code)), Open::Tagged { space: seen, code: number }) => seen == space && number == code,
            (Some(_), _) => false,
            (None, Open::List(_) | Open::Tuple(_)) => matches!(node.kind, Kind::List { .. } | Kind::Tuple(_)),
            (None, Open::Record { .. } | Open::Map(_)) => matches!(node.kind, Kind::Record(_) | Kind::Map { .. } | Kind::Unit),
            _ => false,
        }
    })
}
