//! Messages whose fields came out of order and were gathered.

use polywire_core::{Next, Result};

use super::state::{Body, EMPTY, Flow, Gathered, NONE, REPLACED, Walk, WalkLevel};
use super::visit::Visitor;
use crate::model::Cardinality;
use crate::plan::Layout;
use crate::wire::length;

impl<'m, V: Visitor<'m> + ?Sized> Walk<'_, 'm, V> {
    /// Visits the gathered fields of a message, up to its end or to the next message in it.
    pub(super) fn shuffled(&mut self, level: WalkLevel) -> Result<Flow> {
        let plan = self.plan;
        let ty = plan.message(level.message);
        let WalkLevel { at: mut n, end, mut list, mut course, .. } = level;
        while n < end {
            let found = self.scratch.gathered[n];
            if list != NONE && list != found.field {
                let close = self.span(found.start, found.start);
                self.list_end(close)?;
                list = NONE;
            }
            if found.field == NONE {
                self.unknown(found.start, found.end)?;
                n += 1;
                continue;
            }
            if found.replaced {
                let span = self.span(found.start, found.end);
                self.visitor.remark(REPLACED, span)?;
                n += 1;
                continue;
            }
            if course.skipped == found.field {
                n += 1;
                continue;
            }
            let field = &ty.fields[found.field as usize];
            let window = &self.msg[..found.end];
            // Elements of a list come one by one.
            let run = match field.cardinality {
                Cardinality::Repeated => 1,
                _ => self.scratch.gathered[n..end].iter().take_while(|other| other.field == found.field).count(),
            };
            let (base, pieces) = (self.scratch.entries.len(), self.scratch.pieces.len());
            if field.cardinality == Cardinality::Map {
                for m in n..n + run {
                    let Gathered { start, at, end, .. } = self.scratch.gathered[m];
                    self.add_entry(field, start, at, end)?;
                }
                if self.are_strays(base)? {
                    n += run;
                    continue;
                }
            }
            if list == NONE {
                if found.layout == Layout::Packed {
                    let (from, to) = length(window, found.at).map_err(|error| self.located(error))?;
                    if from == to {
                        let span = self.span(found.start, to);
                        self.visitor.remark(EMPTY, span)?;
                        n += 1;
                        continue;
                    }
                }
                let head = self.span(found.start, found.at);
                self.budget.item(head.start)?;
                match self.visitor.field(field, head)? {
                    Next::Enter => {}
                    Next::Stop => return Ok(Flow::Stop),
                    Next::Skip => {
                        self.scratch.entries.truncate(base);
                        self.scratch.pieces.truncate(pieces);
                        course.skipped = found.field;
                        n += 1;
                        continue;
                    }
                }
                if field.cardinality == Cardinality::Repeated {
                    match self.open_list(field, found.start)? {
                        Next::Enter => list = found.field,
                        Next::Stop => return Ok(Flow::Stop),
                        Next::Skip => {
                            course.skipped = found.field;
                            continue;
                        }
                    }
                }
            }
            if field.cardinality == Cardinality::Map {
                let close = self.scratch.gathered[n + run - 1].end;
                self.keep(n + run, NONE, &course);
                return self.open_map(field, found.start, base, pieces, close);
            }
            if found.layout == Layout::Packed {
                self.packed(field, window, found.at)?;
                n += 1;
            } else if let Some(message) = field.message() {
                let pieces = self.scratch.pieces.len();
                let (mut body, head, _, close) = self.bounds(field, window, found.at)?;
                if field.cardinality == Cardinality::Singular {
                    if run > 1 {
                        for m in n..n + run {
                            let Gathered { at, end, replaced, .. } = self.scratch.gathered[m];
                            if !replaced && let (Body::Whole(start, end), ..) = self.bounds(field, &self.msg[..end], at)? {
                                self.scratch.pieces.push((start, end));
                            }
                        }
                        body = Body::Pieces(pieces, self.scratch.pieces.len());
                    }
                    n += run;
                } else {
                    n += 1;
                }
                self.keep(n, list, &course);
                return self.open_in_pieces(message, body, head, close, pieces);
            } else {
                self.any_scalar(field, window, found.at)?;
                n += 1;
            }
        }
        if list != NONE {
            let close = self.span(level.close.0, level.close.0);
            self.list_end(close)?;
        }
        self.end()
    }
}
