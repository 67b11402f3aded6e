//! Values beside the columns: those of `_rest`, and JSON text.

use std::sync::Arc;

use polywire_core::schema::TimeUnit;
use polywire_core::walk::{Path, PathStep};
use polywire_core::{Next, Result, Span, Timestamp};

use super::faults::mismatch;
use super::{Capture, Level, Open0, Rows};
use crate::options::Rest;
use crate::plan::{Id, Kind};

impl Rows {
    /// Begins the text of a field that the schema does not have.
    #[cold]
    pub(super) fn other(&mut self, name: &str, at: Span) -> Result<Next> {
        if self.plan.rest.is_none() {
            if self.plan.options.rest == Rest::Refuse || !self.plan.is_record {
                return Err(mismatch(format!("the field `{name}`"), "a field of the schema", at));
            }
            self.losses.value("field dropped, as the schema does not have it", at);
            return Ok(Next::Skip);
        }
        let mut steps = self.steps();
        // The innermost record names the field itself.
        if matches!(self.levels.last(), Some(Level { kind: Open0::Record, next: 1.., .. })) {
            steps.pop();
        }
        steps.push(PathStep::Name(name.to_string()));
        self.begin_other(steps);
        self.capture = Capture::Rest;
        Ok(Next::Enter)
    }

    /// Returns the path of the value that comes next.
    pub(super) fn steps(&self) -> Vec<PathStep> {
        let mut steps = Vec::new();
        for level in &self.levels {
            let node = &self.plan.nodes[level.node as usize];
            match (&node.kind, level.kind) {
                (Kind::Record(record), Open0::Record) => {
                    steps.extend(record.fields.get(level.next.wrapping_sub(1) as usize).map(|field| PathStep::Name(field.name.clone())));
                }
                (Kind::List { item, .. }, _) => {
                    let start = self.last_end(level.node);
                    steps.push(PathStep::Index((self.columns[*item as usize].len - start) as u64));
                }
                (Kind::Map { value, .. }, _) => {
                    let start = self.last_end(level.node);
                    steps.push(PathStep::Index((self.columns[*value as usize].len - start) as u64));
                }
                (Kind::Tuple(_), _) => steps.push(PathStep::Index(u64::from(level.next.saturating_sub(1)))),
                _ => {}
            }
        }
        steps
    }

    /// Begins an entry of the row's column `_rest`, whose value follows.
    pub(super) fn begin_other(&mut self, path: Vec<PathStep>) {
        self.others.push(if self.others.is_empty() { b'{' } else { b',' });
        polywire_json::string::string(&mut self.others, &Path(path).to_string(), polywire_json::string::Short::Lines);
        self.others.push(b':');
    }

    /// Takes a moment that the unit of its column does not hold. The column gets null, and `_rest`
    /// the moment, if it is the value of a field that may be null.
    #[cold]
    pub(super) fn beyond(&mut self, id: Id, moment: Timestamp, unit: TimeUnit, at: Span) -> Result<()> {
        let plan = Arc::clone(&self.plan);
        let is_field = self.levels.last().is_some_and(|level| match &plan.node(level.node).kind {
            Kind::Record(record) => record.fields.get(level.next.wrapping_sub(1) as usize).is_some_and(|field| field.node == id),
            _ => false,
        });
        let text = moment.to_rfc3339().filter(|_| is_field && plan.node(id).nullable);
        match text {
            Some(text) if plan.rest.is_some() => {
                let path = self.steps();
                self.begin_other(path);
                polywire_json::string::string(&mut self.others, &text, polywire_json::string::Short::Lines);
            }
            Some(_) if plan.options.rest == Rest::Drop => {
                self.losses.value("moment dropped, as the unit of its column does not hold it", at);
            }
            _ => return Err(mismatch(format!("the moment {moment}"), format!("one in 64 bits of {unit:?}s"), at)),
        }
        self.nulls(id, 1);
        Ok(())
    }

    /// Ends the JSON text under way, if its value is whole.
    pub(super) fn end_json(&mut self, at: Span) -> Result<()> {
        if !self.json.is_whole() {
            return Ok(());
        }
        match std::mem::replace(&mut self.capture, Capture::No) {
            Capture::Value(id) => {
                let text = std::mem::take(&mut self.json.out);
                let put = self.bytes(id, &text, at);
                self.json.out = text;
                put?;
                self.json.clear();
                self.value_done();
                Ok(())
            }
            Capture::Rest => {
                self.others.extend_from_slice(&self.json.out);
                self.json.clear();
                Ok(())
            }
            Capture::No => Ok(()),
        }
    }
}
