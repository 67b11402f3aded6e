//! Statements (docs/spec/ql.md 3, `select` to `describe-route`).

use super::ast::{Columns, Condition, Delete, FileClause, Insert, Member, Members, Origin, Select, Statement, StatementKind, Tail, Update};
use super::cursor::{Cursor, Fit, Miss};

impl Cursor<'_> {
    pub(super) fn statement(&mut self) -> Fit<Statement> {
        let start = self.at;
        let choices: [fn(&mut Self) -> Fit<StatementKind>; 9] = [
            |this| this.deeper(Cursor::select).map(|select| StatementKind::Select(Box::new(select))),
            |this| this.tokens(&["show", "routes"]).map(|()| StatementKind::ShowRoutes),
            |this| this.tokens(&["show", "tables"]).map(|()| StatementKind::ShowTables),
            Cursor::describe_route,
            Cursor::describe,
            |this| this.insert().map(|insert| StatementKind::Insert(Box::new(insert))),
            |this| this.delete().map(|delete| StatementKind::Delete(Box::new(delete))),
            |this| this.create().map(|create| StatementKind::Create(Box::new(create))),
            |this| this.update().map(|update| StatementKind::Update(Box::new(update))),
        ];
        for choice in choices {
            if let Some(kind) = self.maybe(choice)? {
                return Ok(Statement { kind, at: self.since(start) });
            }
        }
        Err(Miss)
    }

    pub(super) fn select(&mut self) -> Fit<Select> {
        self.token("select")?;
        self.gap();
        let columns = self.columns()?;
        self.gap();
        self.token("from")?;
        self.gap();
        let sources = self.list(Cursor::source)?;
        let conditions = self.conditions()?;
        let limit = self.counted("limit")?;
        let offset = self.counted("offset")?;
        let tail = self.tail()?;
        Ok(Select { columns, sources, conditions, limit, offset, tail })
    }

    /// Reads a word and a count, if they are there.
    pub(super) fn counted(&mut self, keyword: &'static str) -> Fit<Option<u64>> {
        self.maybe(|this| {
            this.wide();
            this.token(keyword)?;
            this.gap();
            this.count()
        })
    }

    fn tail(&mut self) -> Fit<Tail> {
        let mut one = |keyword| {
            self.maybe(|this| {
                this.wide();
                this.any_case(keyword)?;
                this.gap();
                this.count()
            })
        };
        Ok(Tail { timeout: one("timeout")?, min_delay: one("minDelay")?, max_delay: one("maxDelay")? })
    }

    fn origin(&mut self) -> Fit<Origin> {
        let name = self.name("the name of a table or variable")?;
        let alias = self.alias()?;
        Ok(Origin { name, file: None, alias })
    }

    /// Reads a source of a select: a table, a variable, or a file by its path in quotes.
    fn source(&mut self) -> Fit<Origin> {
        if !matches!(self.peek(), Some('\'' | '"')) {
            return self.origin();
        }
        let name = self.quoted()?;
        let mut file = FileClause::default();
        loop {
            if file.each.is_none()
                && let Some(each) = self.maybe(|this| this.quoted_clause(&["each"]))?
            {
                file.each = Some(each);
            } else if file.decoder.is_none()
                && let Some(decoder) = self.maybe(|this| this.codec_clause("decoder"))?
            {
                file.decoder = Some(decoder);
            } else {
                break;
            }
        }
        let alias = self.alias()?;
        Ok(Origin { name, file: Some(file), alias })
    }

    fn conditions(&mut self) -> Fit<Vec<Condition>> {
        let conditions = self.maybe(|this| {
            this.gap();
            this.token("where")?;
            this.gap();
            let mut conditions = vec![this.one_condition()?];
            loop {
                let next = this.maybe(|this| {
                    this.gap();
                    this.token("and")?;
                    this.gap();
                    this.one_condition()
                })?;
                match next {
                    Some(next) => conditions.push(next),
                    None => return Ok(conditions),
                }
            }
        })?;
        Ok(conditions.unwrap_or_default())
    }

    fn one_condition(&mut self) -> Fit<Condition> {
        let equal = self.maybe(|this| {
            let field = this.field()?;
            this.gap();
            if !this.accept("=") {
                this.token("in")?;
            }
            this.gap();
            Ok(Condition::Equal(field, this.operand()?))
        })?;
        if let Some(equal) = equal {
            return Ok(equal);
        }
        let among = self.maybe(|this| {
            let name = this.name("a name")?;
            this.gap();
            this.token("in")?;
            this.gap();
            this.token("(")?;
            this.wide();
            let start = this.at;
            let members = match this.maybe(|this| this.deeper(Cursor::select))? {
                Some(select) => Members::Select(Box::new(select), this.since(start)),
                None => Members::These(this.members()?),
            };
            this.wide();
            this.token(")")?;
            Ok(Condition::Among(name, members))
        })?;
        match among {
            Some(among) => Ok(among),
            None => self.call().map(Condition::Call),
        }
    }

    fn members(&mut self) -> Fit<Vec<Member>> {
        self.list(|this| match this.peek() {
            Some('\'' | '"') => this.quoted().map(Member::Text),
            Some('0'..='9') => this.digits().map(Member::Digits),
            _ => this.name("text in quotes, a whole number or a name").map(Member::Name),
        })
    }

    fn bracketed_members(&mut self) -> Fit<Vec<Member>> {
        self.token("(")?;
        self.wide();
        let members = self.members()?;
        self.wide();
        self.token(")")?;
        Ok(members)
    }

    fn insert(&mut self) -> Fit<Insert> {
        self.token("insert")?;
        self.gap();
        let object = self.maybe(|this| {
            let object = this.quoted()?;
            this.gap();
            Ok(object)
        })?;
        self.token("into")?;
        self.gap();
        let into = self.origin()?;
        let columns: Option<Columns> = self.maybe(|this| {
            this.gap();
            this.token("(")?;
            this.wide();
            let columns = this.columns()?;
            this.wide();
            this.token(")")?;
            Ok(columns)
        })?;
        let values = self.maybe(|this| {
            this.gap();
            this.token("values")?;
            this.gap();
            this.bracketed_members()
        })?;
        let parts = self.maybe(|this| {
            this.gap();
            this.tokens(&["with", "parts"])?;
            this.gap();
            this.members()
        })?;
        Ok(Insert { object, into, columns, values, parts: parts.unwrap_or_default(), tail: self.tail()? })
    }

    fn update(&mut self) -> Fit<Update> {
        self.token("update")?;
        self.gap();
        let source = self.origin()?;
        self.gap();
        self.token("with")?;
        self.gap();
        let object = self.quoted()?;
        Ok(Update { source, object, tail: self.tail()? })
    }

    fn delete(&mut self) -> Fit<Delete> {
        self.tokens(&["delete", "from"])?;
        self.gap();
        let source = self.origin()?;
        let conditions = self.conditions()?;
        Ok(Delete { source, conditions, tail: self.tail()? })
    }

    fn describe_keyword(&mut self) -> Fit<()> {
        if self.accept("describe") { Ok(()) } else { self.token("desc") }
    }

    fn describe(&mut self) -> Fit<StatementKind> {
        self.describe_keyword()?;
        self.gap();
        self.origin().map(StatementKind::Describe)
    }

    fn describe_route(&mut self) -> Fit<StatementKind> {
        self.describe_keyword()?;
        self.gap();
        self.token("route")?;
        self.gap();
        let path = self.quoted()?;
        self.gap();
        self.tokens(&["using", "method"])?;
        self.gap();
        Ok(StatementKind::DescribeRoute { path, method: self.http_method()? })
    }
}
