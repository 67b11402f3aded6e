//! `insert`, `update` and `delete` (docs/spec/ql.md 7.5 and 7.6).

use polywire_doc::{Datum, Object, Ref, Wanted};

use super::call::Given;
use super::condition::Test;
use super::merge::merge;
use super::operand::Named;
use super::project::rows;
use super::run::Run;
use crate::backend::Opaque;
use crate::error::QueryError;
use crate::path::PathStep;
use crate::plan::{Delete, Insert, Inserted, Member, Origin, Update};
use crate::statement::StatementInfo;
use crate::syntax::ast::VerbKind;

impl Run<'_> {
    pub(super) async fn insert(&self, insert: &Insert, info: &StatementInfo) -> Result<Option<Datum>, QueryError> {
        self.must_have(&insert.into, VerbKind::Insert)?;
        let mut named = Named::new();
        let request = self.environment.request;
        let (mut opaque, mut media) = (None, None);
        match &insert.what {
            Inserted::Object(member) => named = self.members_of(member)?,
            Inserted::Values(values) => {
                for (name, member) in values {
                    named.extend(self.member(member)?.map(|value| (name.clone(), value)));
                }
            }
            Inserted::Opaque(member) => opaque = self.member(member)?,
            Inserted::Body => match &request.sent {
                Some(sent) => (opaque, media) = (Some(sent.body.clone()), sent.media.as_deref()),
                None => opaque = request.body.clone(),
            },
        }
        match &insert.into {
            Origin::Variable(_) if matches!(insert.what, Inserted::Opaque(_) | Inserted::Body) => {
                Err(QueryError::new("insert_needs_names", format!("an insert into the variable `{}` needs names", insert.into.name()))
                    .hint("write insert into v (name) values (\"…\"), or insert \"{object}\" into v"))
            }
            Origin::Variable(name) => self.set_members(name, named).map(Some),
            Origin::File(_) => Ok(None),
            Origin::Table(name) => {
                let mut parts = Vec::with_capacity(insert.parts.len());
                for member in &insert.parts {
                    let part = self.member(member)?;
                    parts.push(part.ok_or_else(|| QueryError::new("missing_part", "a part that the request does not have"))?);
                }
                let opaque = opaque.as_ref().map(|value| Opaque { value, media });
                let given = Given { parameters: named, tail: insert.tail, opaque, parts: &parts, ..Given::default() };
                self.change_table(name, VerbKind::Insert, given, info).await
            }
        }
    }

    pub(super) async fn update(&self, update: &Update, info: &StatementInfo) -> Result<Option<Datum>, QueryError> {
        self.must_have(&update.origin, VerbKind::Update)?;
        let named = self.members_of(&update.object)?;
        match &update.origin {
            Origin::Variable(name) => self.set_members(name, named).map(Some),
            Origin::File(_) => Ok(None),
            Origin::Table(name) => {
                let given = Given { parameters: named, tail: update.tail, ..Given::default() };
                self.change_table(name, VerbKind::Update, given, info).await
            }
        }
    }

    pub(super) async fn delete(&self, delete: &Delete, info: &StatementInfo) -> Result<Option<Datum>, QueryError> {
        if !self.has_all(&delete.needed, info)? {
            return Ok(None);
        }
        self.must_have(&delete.from, VerbKind::Delete)?;
        match &delete.from {
            Origin::Table(name) => {
                let table = self.verb(name, VerbKind::Delete)?;
                let Some(action) = table.action(VerbKind::Delete) else { return Ok(None) };
                let parameters = self.parameters(action, &delete.conditions, info).await?;
                let given = Given { parameters, tail: delete.tail, ..Given::default() };
                self.change_table(name, VerbKind::Delete, given, info).await
            }
            Origin::File(_) => Ok(None),
            Origin::Variable(name) => {
                let tests = self.tests(&delete.conditions, info).await?;
                let Some(value) = self.own(name) else { return Ok(None) };
                if value.view().is_object() {
                    return self.delete_members(name, &value, delete, info).await.map(Some);
                }
                self.delete_rows(&value, delete, &tests, info).await.map(Some)
            }
        }
    }

    /// Fails for a file, and if a table lacks the verb, before anything is done for it.
    fn must_have(&self, origin: &Origin, verb: VerbKind) -> Result<(), QueryError> {
        match origin {
            Origin::Table(name) => self.verb(name, verb).map(drop),
            Origin::Variable(_) => Ok(()),
            Origin::File(file) => Err(QueryError::new("only_read", format!("the file `{}` is only read", file.path))),
        }
    }

    /// Returns the members of the object that a member refers to.
    fn members_of(&self, member: &Member) -> Result<Named, QueryError> {
        let value = self.member(member)?;
        match value.as_ref().map(Datum::view) {
            Some(object) if object.is_object() => Ok(object.members().map(|(name, value)| (name.into(), value.to_datum())).collect()),
            other => {
                let seen = other.map_or_else(|| "nothing".to_string(), |value| format!("{:?}", value.kind()).to_lowercase());
                Err(QueryError::new("no_object", format!("{seen} where an object is needed, whose members are the values")))
            }
        }
    }

    fn set_members(&self, name: &std::sync::Arc<str>, named: Named) -> Result<Datum, QueryError> {
        let value = self.own(name).unwrap_or_else(|| Datum::object::<&str>([]));
        if !value.view().is_object() {
            let seen = format!("{:?}", value.view().kind()).to_lowercase();
            return Err(QueryError::new("no_object", format!("the variable `{name}` is no object, but {seen}: it has no members to set")));
        }
        let mut object: Object = value.view().members().map(|(name, value)| (name, value.to_datum())).collect();
        named.into_iter().for_each(|(name, value)| object.insert(name, value));
        let value = Datum::Object(object);
        self.work.hold_made(&value)?;
        self.set(name, Some(value.clone()));
        Ok(value)
    }

    async fn change_table(&self, name: &str, verb: VerbKind, given: Given<'_>, info: &StatementInfo) -> Result<Option<Datum>, QueryError> {
        let table = self.verb(name, verb)?;
        let Some(action) = table.action(verb) else { return Ok(None) };
        let results = self.call(&table, action, given, &Wanted::everything(), info).await?;
        Ok(merge(results.each.into_iter().flatten().collect(), results.asked, action.merge()))
    }

    /// Returns the rows that do not match; a scalar unchanged.
    async fn delete_rows(&self, value: &Datum, delete: &Delete, tests: &[Test<'_>], info: &StatementInfo) -> Result<Datum, QueryError> {
        if !value.view().is_list() {
            return Ok(value.clone());
        }
        let mut kept = Vec::new();
        for row in rows(value) {
            self.work.pause().await;
            self.work.spend(1)?;
            let matched = self.passes(tests, row.view())?
                && !self.ask(&delete.functions, vec![row.clone()], vec![(row.clone(), None)], info).await?.is_empty();
            if !matched {
                kept.push(row);
            }
        }
        self.work.hold_slots(kept.len())?;
        Ok(Datum::from(kept))
    }

    /// Removes the members that have the given values; without conditions, all.
    async fn delete_members(
        &self,
        name: &std::sync::Arc<str>,
        value: &Datum,
        delete: &Delete,
        info: &StatementInfo,
    ) -> Result<Datum, QueryError> {
        let mut object: Object = value.view().members().map(|(name, value)| (name, value.to_datum())).collect();
        if delete.conditions.is_empty() {
            object = Object::default();
        }
        for condition in &delete.conditions {
            let operands = self
                .operand(&condition.operand, self.environment.limits.nested_requests, info)
                .await?
                .map_or_else(Vec::new, |value| rows(&value));
            let [PathStep::Name(member)] = &condition.path.steps[..] else {
                let message = format!("`{}` is no member of the object itself: nothing is deleted by it", condition.name);
                self.warn(info.line, message, None);
                continue;
            };
            let equal = match object.get(member) {
                Some(value) => self.equals_any(value.view() as Ref<'_>, &operands)?,
                None => false,
            };
            if equal {
                object.retain(|name, _| name != &**member);
            }
        }
        let value = Datum::Object(object);
        self.set(name, Some(value.clone()));
        Ok(value)
    }
}
