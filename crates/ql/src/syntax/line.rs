//! Lines: statements with the names that they are assigned to (docs/spec/ql.md 3, `line`).

use super::ast::{Item, Line, Rhs, Value};
use super::cursor::{Cursor, Fit, Miss, is_word_char};

impl Cursor<'_> {
    /// Reads a comment, or a statement with the name that it is assigned to.
    pub(super) fn line(&mut self) -> Fit<Item> {
        if let Some(comment) = self.maybe(Cursor::comment)? {
            return Ok(Item::Comment(comment));
        }
        let start = self.at;
        let name = self.maybe(|this| {
            let name = this.word("a name")?;
            this.gap();
            this.token("=")?;
            this.gap();
            Ok(name)
        })?;
        let mut alternatives = vec![match self.rhs() {
            // Only a statement can follow a name and an equals sign.
            Err(Miss) if name.is_some() => return self.commit(),
            rhs => rhs?,
        }];
        self.fallbacks(&mut alternatives, Cursor::rhs)?;
        let at = self.since(start);
        self.semicolon();
        Ok(Item::Line(Line { name, alternatives, at }))
    }

    pub(super) fn fallbacks(&mut self, alternatives: &mut Vec<Rhs>, read: fn(&mut Self) -> Fit<Rhs>) -> Fit<()> {
        loop {
            let next = self.maybe(|this| {
                this.gap();
                this.token("||")?;
                this.gap();
                read(this).or_else(|Miss| this.commit())
            })?;
            match next {
                Some(next) => alternatives.push(next),
                None => return Ok(()),
            }
        }
    }

    pub(super) fn semicolon(&mut self) {
        let start = self.at;
        self.wide();
        if !self.accept(";") {
            self.at = start;
        }
    }

    fn rhs(&mut self) -> Fit<Rhs> {
        if let Some(statement) = self.maybe(Cursor::statement)? {
            return Ok(Rhs::Statement(statement));
        }
        if let Some(value) = self.maybe(Cursor::whole_value)? {
            return Ok(Rhs::Value(value));
        }
        self.call().map(Rhs::Call)
    }

    /// Reads a value that is not the beginning of a name, as `nullable(…)` would be.
    pub(super) fn whole_value(&mut self) -> Fit<Value> {
        let value = self.value()?;
        let literal = matches!(value, Value::Null | Value::Bool(_));
        if literal && (self.rest().starts_with(is_word_char) || self.rest().starts_with(['.', '('])) {
            return self.miss("a value");
        }
        Ok(value)
    }
}
