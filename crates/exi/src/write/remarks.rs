//! Writes comments, instructions, document types and references.

use polywire_core::Result;

use super::Encoder;
use crate::bits::width;
use crate::grammar::Second;

impl Encoder {
    /// Writes the code of an event that elements and documents have alike.
    fn remark(&mut self, second: Second) -> Result<bool> {
        if let Some(level) = self.levels.last().copied() {
            let written = self.second(level.in_content, second)?;
            if written {
                self.end_tag();
            }
            return Ok(written);
        }
        let grammar = self.grammar()?;
        if self.options.fragment {
            let learned = self.tables.scope.tops.len();
            let kept = second == Second::Remark && grammar.outside.any();
            if kept {
                self.out.number(learned as u32 + 2, width(learned + 3));
            }
            return Ok(kept);
        }
        let seconds = if self.started { grammar.outside } else { grammar.before };
        let Some(code) = seconds.code(second) else { return Ok(false) };
        self.out.number(1, 1);
        self.out.number(code, seconds.width);
        Ok(true)
    }

    /// Writes a comment.
    ///
    /// # Errors
    /// As [`Encoder::start`].
    pub fn comment(&mut self, text: &str) -> Result<()> {
        let grammar = self.grammar()?;
        if grammar.comments && self.remark(Second::Remark)? {
            self.out.number(0, grammar.third());
            self.out.string(text);
        }
        Ok(())
    }

    /// Writes a processing instruction.
    ///
    /// # Errors
    /// As [`Encoder::start`].
    pub fn instruction(&mut self, target: &str, text: &str) -> Result<()> {
        let grammar = self.grammar()?;
        if grammar.instructions && self.remark(Second::Remark)? {
            self.out.number(grammar.third(), grammar.third());
            self.out.string(target);
            self.out.string(text);
        }
        Ok(())
    }

    /// Writes a document type: its name, public identifier, system identifier, and internal subset.
    ///
    /// # Errors
    /// As [`Encoder::start`].
    pub fn doctype(&mut self, parts: [&str; 4]) -> Result<()> {
        if !self.started && self.remark(Second::Doctype)? {
            parts.iter().for_each(|part| self.out.string(part));
        }
        Ok(())
    }

    /// Writes a reference to an entity.
    ///
    /// # Errors
    /// As [`Encoder::start`].
    pub fn reference(&mut self, name: &str) -> Result<()> {
        if !self.levels.is_empty() && self.remark(Second::Reference)? {
            self.out.string(name);
        }
        Ok(())
    }
}
