//! Reads what is outside of elements, remarks within them, and the bounds of self-contained
//! elements.

use polywire_core::{Budget, Error, ErrorKind, Result};

use super::body::{Body, Level, Outside, Receiver, Saved, wrong_code};
use crate::bits::{Bits, width};
use crate::grammar::Second;
use crate::tables::{Piece, Tables};

/// Bytes that a self-contained element costs: the tables that it starts with.
const SCOPE: u64 = 1024;

impl Body {
    pub(super) fn outside<R: Receiver>(
        &mut self,
        tables: &mut Tables,
        bits: &mut Bits<'_>,
        receiver: &mut R,
        budget: &mut Budget,
    ) -> Result<bool> {
        let at = bits.offset();
        match self.outside {
            Outside::Nowhere => return Ok(true),
            Outside::Before => {
                if bits.number(u32::from(self.grammar.before.any()))? == 0 {
                    self.outside = Outside::After;
                    let name = tables.read_name(bits)?;
                    self.start(tables, bits, receiver, name, at, budget)?;
                    return Ok(false);
                }
                let seconds = self.grammar.before;
                self.remark(self.second(bits, &seconds, at)?, tables, bits, receiver, at, budget)?;
            }
            Outside::After => {
                if bits.number(u32::from(self.grammar.outside.any()))? == 0 {
                    return Ok(true);
                }
                self.remark(Second::Remark, tables, bits, receiver, at, budget)?;
            }
            Outside::Fragment => {
                let learned = tables.scope.tops.len();
                let code = bits.number(width(learned + 2 + usize::from(self.grammar.outside.any())))? as usize;
                if code <= learned {
                    let name = match tables.scope.tops.get((learned - code).wrapping_sub(1)) {
                        Some(name) => *name,
                        None => {
                            let name = tables.read_name(bits)?;
                            tables.scope.tops.push(name);
                            name
                        }
                    };
                    self.start(tables, bits, receiver, name, at, budget)?;
                } else if code == learned + 1 {
                    return Ok(true);
                } else if code == learned + 2 && self.grammar.outside.any() {
                    self.remark(Second::Remark, tables, bits, receiver, at, budget)?;
                } else {
                    return Err(wrong_code(at));
                }
            }
        }
        Ok(false)
    }

    /// Reads a comment, an instruction, a document type or a reference.
    pub(super) fn remark<R: Receiver>(
        &mut self,
        second: Second,
        tables: &mut Tables,
        bits: &mut Bits<'_>,
        receiver: &mut R,
        at: u64,
        budget: &mut Budget,
    ) -> Result<()> {
        match second {
            Second::Doctype => {
                let mut parts = [Piece::default(); 4];
                for part in &mut parts {
                    *part = tables.read_string(bits)?;
                }
                receiver.doctype(tables, parts, bits.since(at), budget)
            }
            Second::Reference => {
                let name = tables.read_string(bits)?;
                receiver.reference(tables, name, bits.since(at), budget)
            }
            _ => {
                let third = bits.number(self.grammar.third())?;
                if self.grammar.comments && third == 0 {
                    let text = tables.read_string(bits)?;
                    return receiver.comment(tables, text, bits.since(at), budget);
                }
                let parts = [tables.read_string(bits)?, tables.read_string(bits)?];
                receiver.instruction(tables, parts, bits.since(at), budget)
            }
        }
    }

    /// Starts a self-contained element: its tables and grammars are those of a new fragment, whose
    /// only element it is (8.4.3).
    pub(super) fn enter_scope(
        &mut self,
        tables: &mut Tables,
        bits: &mut Bits<'_>,
        level: Level,
        at: u64,
        budget: &mut Budget,
    ) -> Result<()> {
        budget.decode(SCOPE, at)?;
        bits.align();
        let scope = std::mem::take(&mut tables.scope);
        self.saved.push(Saved { scope, depth: self.levels.len() - 1 });
        tables.begin_scope()?;
        let code = bits.number(width(2 + usize::from(self.grammar.outside.any())))?;
        if code != 0 {
            return Err(wrong_code(at));
        }
        let name = tables.read_name(bits)?;
        tables.scope.tops.push(name);
        let text = |number: u32| {
            let name = &tables.names[number as usize];
            (tables.arena.get(name.uri_text), tables.arena.get(name.local))
        };
        if text(name) != text(level.name) {
            let error = Error::data(ErrorKind::Syntax, at).seen(format!("a self-contained element `{}`", text(name).1));
            return Err(error.expected(format!("`{}`, the element that it is in", text(level.name).1)));
        }
        self.prefix(tables, bits, name)?;
        if let Some(level) = self.levels.last_mut() {
            *level = Level { name, in_content: false };
        }
        Ok(())
    }

    #[cold]
    pub(super) fn leave_scope(&mut self, tables: &mut Tables, bits: &mut Bits<'_>) -> Result<()> {
        let at = bits.offset();
        let Some(saved) = self.saved.pop() else { return Ok(()) };
        let learned = tables.scope.tops.len();
        let code = bits.number(width(learned + 2 + usize::from(self.grammar.outside.any())))? as usize;
        if code != learned + 1 {
            return Err(wrong_code(at));
        }
        tables.scope = saved.scope;
        bits.align();
        Ok(())
    }
}
