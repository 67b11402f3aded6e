//! Scripts, lines and returns (specification 3, `script`, `line`, `return`).

use super::ast::{CodecClause, Item, Line, Return, Rhs, Route, Script, Value, Word};
use super::cursor::{Cursor, Fit, Miss, is_word_char};

impl Cursor<'_> {
    pub(super) fn script(&mut self) -> Fit<Script> {
        if self.is_fatal() {
            return Err(Miss);
        }
        let mut script = Script::default();
        // Editors of some systems begin a file with a byte order mark.
        self.accept("\u{feff}");
        loop {
            self.wide();
            if self.rest().is_empty() {
                return Ok(script);
            }
            if let Some(result) = self.maybe(Cursor::result)? {
                script.result = Some(result);
                break;
            }
            match self.maybe(Cursor::clause_or_line)? {
                Some(item) => script.items.push(item),
                None => return self.miss("a statement"),
            }
        }
        loop {
            self.wide();
            if self.rest().is_empty() {
                return Ok(script);
            }
            match self.maybe(Cursor::comment)? {
                Some(comment) => script.trailing.push(comment),
                None => return self.miss("the end of the script"),
            }
        }
    }

    /// A comment, or a statement with the name that it is assigned to.
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
            // Only a statement can stand behind a name and an equals sign.
            Err(Miss) if name.is_some() => return self.commit(),
            rhs => rhs?,
        }];
        self.fallbacks(&mut alternatives, Cursor::rhs)?;
        let at = self.since(start);
        self.semicolon();
        Ok(Item::Line(Line { name, alternatives, at }))
    }

    fn fallbacks(&mut self, alternatives: &mut Vec<Rhs>, read: fn(&mut Self) -> Fit<Rhs>) -> Fit<()> {
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

    fn semicolon(&mut self) {
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

    /// A value that is not the beginning of a name, as `nullable(…)` would be.
    fn whole_value(&mut self) -> Fit<Value> {
        let value = self.value()?;
        let literal = matches!(value, Value::Null | Value::Bool(_));
        if literal && (self.rest().starts_with(is_word_char) || self.rest().starts_with(['.', '('])) {
            return self.miss("a value");
        }
        Ok(value)
    }

    fn result(&mut self) -> Fit<Return> {
        let start = self.at;
        // A name that only begins so is a name.
        let before = self.at;
        if let Ok(word) = self.word("return") {
            let text = word.text;
            self.gap();
            if self.rest().starts_with('=') && !text.is_empty() {
                return self.miss("return");
            }
        }
        self.at = before;
        self.token("return")?;
        self.gap();
        let mut alternatives = vec![match self.returned() {
            Err(Miss) => return self.commit(),
            Ok(rhs) => rhs,
        }];
        self.fallbacks(&mut alternatives, Cursor::returned)?;
        let at = self.since(start);
        let route = self.maybe(Cursor::route)?;
        self.semicolon();
        Ok(Return { alternatives, route, at })
    }

    fn returned(&mut self) -> Fit<Rhs> {
        if let Some(statement) = self.maybe(Cursor::statement)? {
            return Ok(Rhs::Statement(statement));
        }
        if let Some(call) = self.maybe(Cursor::call)? {
            return Ok(Rhs::Call(call));
        }
        if let Some(value) = self.maybe(Cursor::whole_value)? {
            return Ok(Rhs::Value(value));
        }
        self.word("a statement, a value or a variable").map(Rhs::Variable)
    }

    fn route(&mut self) -> Fit<Route> {
        self.wide();
        self.tokens(&["via", "route"])?;
        self.wide();
        let path = self.quoted()?;
        let mut encoders = Vec::new();
        self.encoders(&mut encoders)?;
        let optional = self.maybe(|this| {
            this.wide();
            this.tokens(&["with", "optional", "params"])
        })?;
        self.encoders(&mut encoders)?;
        let defaults = self.maybe(Cursor::defaults_clause)?;
        self.encoders(&mut encoders)?;
        self.wide();
        self.tokens(&["using", "method"])?;
        self.wide();
        let method = self.http_method()?;
        self.encoders(&mut encoders)?;
        let headers = self.maybe(Cursor::headers_clause)?;
        self.encoders(&mut encoders)?;
        Ok(Route {
            path,
            optional: optional.is_some(),
            defaults: defaults.unwrap_or_default(),
            method,
            headers: headers.unwrap_or_default(),
            encoders,
        })
    }

    /// A clause of ours: between the old ones, as often as wanted.
    fn encoders(&mut self, encoders: &mut Vec<CodecClause>) -> Fit<()> {
        while let Some(encoder) = self.maybe(|this| this.codec_clause("encoder"))? {
            encoders.push(encoder);
        }
        Ok(())
    }

    pub(super) fn http_method(&mut self) -> Fit<Word> {
        let start = self.at;
        for method in ["get", "post", "put", "delete", "patch"] {
            if self.accept(method) {
                return Ok(Word { text: method.into(), at: self.since(start) });
            }
        }
        Err(Miss)
    }
}
