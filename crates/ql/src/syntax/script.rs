//! Scripts and returns (docs/spec/ql.md 3, `script`, `return`).

use super::ast::{CodecClause, Return, Rhs, Route, Script};
use super::cursor::{Cursor, Fit, Miss};

impl Cursor<'_> {
    pub(super) fn script(&mut self) -> Fit<Script> {
        if self.is_fatal() {
            return Err(Miss);
        }
        let mut script = Script::default();
        // Some editors begin a file with a byte order mark.
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

    fn result(&mut self) -> Fit<Return> {
        let start = self.at;
        // A name may begin with the keyword.
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

    /// Reads a clause of ours: between the old ones, any number of times.
    fn encoders(&mut self, encoders: &mut Vec<CodecClause>) -> Fit<()> {
        while let Some(encoder) = self.maybe(|this| this.codec_clause("encoder"))? {
            encoders.push(encoder);
        }
        Ok(())
    }
}
