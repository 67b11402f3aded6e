//! Blocks (docs/spec/ql.md 3, `clause`): choices, exceptions, and conditions of words.

use super::ast::{Catch, If, Item, Logic, Try};
use super::cursor::{Cursor, Fit, Miss};

impl Cursor<'_> {
    /// Reads a block, or a line.
    pub(super) fn clause_or_line(&mut self) -> Fit<Item> {
        if let Some(choice) = self.maybe(|this| this.deeper(Cursor::choice))? {
            return Ok(Item::If(choice));
        }
        if let Some(attempt) = self.maybe(|this| this.deeper(Cursor::attempt))? {
            return Ok(Item::Try(attempt));
        }
        self.line()
    }

    fn choice(&mut self) -> Fit<If> {
        self.token("if")?;
        let start = self.at;
        let condition = self.condition()?;
        let at = self.since(start);
        self.wide();
        self.token("{")?;
        let then = self.block()?;
        let otherwise = self.maybe(|this| {
            this.wide();
            this.token("else")?;
            this.wide();
            this.token("{")?;
            this.block()
        })?;
        Ok(If { condition, then, otherwise, at })
    }

    fn attempt(&mut self) -> Fit<Try> {
        let start = self.at;
        self.token("try")?;
        self.wide();
        self.token("{")?;
        let at = self.since(start);
        let body = self.block()?;
        if body.is_empty() {
            return self.fatal("empty_try", at.0, "a try with nothing in it", "write what may throw between its braces");
        }
        let mut catches = Vec::new();
        loop {
            let one = self.maybe(|this| {
                this.wide();
                this.token("catch")?;
                let start = this.at;
                let condition = this.condition().or_else(|Miss| this.commit())?;
                let at = this.since(start);
                this.wide();
                this.token("{").or_else(|Miss| this.commit())?;
                Ok(Catch { condition, body: this.block()?, at })
            })?;
            match one {
                Some(one) => catches.push(one),
                None if catches.is_empty() => return self.commit(),
                None => break,
            }
        }
        let finally = self.maybe(|this| {
            this.wide();
            this.token("finally")?;
            this.wide();
            this.token("{")?;
            this.block()
        })?;
        Ok(Try { body, catches, finally, at })
    }

    /// Reads the items behind an opening brace, and the brace that closes. Nothing else can be
    /// meant.
    fn block(&mut self) -> Fit<Vec<Item>> {
        let mut items = Vec::new();
        loop {
            self.wide();
            if self.token("}").is_ok() {
                return Ok(items);
            }
            match self.maybe(Cursor::inner)? {
                Some(item) => items.push(item),
                None => return self.commit(),
            }
        }
    }

    fn inner(&mut self) -> Fit<Item> {
        let throw = self.maybe(|this| {
            this.token("throw")?;
            // Any gaps: with fewer, a throw could be read as a call of a function `throw`.
            this.wide();
            this.token("(")?;
            this.wide();
            let name = this.word("the name of an exception")?;
            this.wide();
            this.token(")")?;
            Ok(name)
        })?;
        match throw {
            Some(name) => {
                // The grammar has no semicolon here; one does no harm.
                let before = self.at;
                self.wide();
                if !self.accept(";") {
                    self.at = before;
                }
                Ok(Item::Throw(name))
            }
            None => self.clause_or_line(),
        }
    }

    /// Reads a condition in brackets.
    fn condition(&mut self) -> Fit<Logic> {
        self.gap();
        self.token("(")?;
        self.wide();
        let condition = self.any()?;
        self.wide();
        self.token(")")?;
        Ok(condition)
    }

    fn any(&mut self) -> Fit<Logic> {
        self.joined("||", Cursor::all, Logic::Any)
    }

    fn all(&mut self) -> Fit<Logic> {
        self.joined("&&", Cursor::not, Logic::All)
    }

    fn joined(&mut self, sign: &'static str, read: fn(&mut Self) -> Fit<Logic>, make: fn(Vec<Logic>) -> Logic) -> Fit<Logic> {
        let mut parts = vec![read(self)?];
        loop {
            let next = self.maybe(|this| {
                this.wide();
                this.token(sign)?;
                this.wide();
                read(this).or_else(|Miss| this.commit())
            })?;
            match next {
                Some(next) => parts.push(next),
                None => break,
            }
        }
        Ok(if parts.len() == 1 { parts.swap_remove(0) } else { make(parts) })
    }

    fn not(&mut self) -> Fit<Logic> {
        if self.accept("!") {
            self.wide();
            return self.deeper(|this| Ok(Logic::Not(Box::new(this.not()?))));
        }
        if self.accept("(") {
            return self.deeper(|this| {
                this.wide();
                let inner = this.any()?;
                this.wide();
                this.token(")")?;
                Ok(inner)
            });
        }
        self.word("a variable").map(Logic::Word)
    }
}
