//! Scripts printed from their tree: one layout, with the same meaning.

use std::fmt::{self, Display, Write};

use super::ast::{
    Argument, Catch, CodecClause, Column, Columns, Comment, Condition, Counted, Create, Field, FunctionCall, Insert, Item, Logic, Member,
    Members, Name, Operand, Origin, PagesBy, PagesClause, Pair, Quoted, Return, Rhs, Route, Script, Select, Statement, StatementKind, Tail,
    Value, Verb, Word,
};
use crate::path::{Quoting, is_word};

/// The script as text.
impl Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        items(f, &self.items, 0)?;
        if let Some(result) = &self.result {
            writeln!(f, "{result};")?;
        }
        self.trailing.iter().try_for_each(|comment| writeln!(f, "{comment}"))
    }
}

fn items(f: &mut fmt::Formatter<'_>, items: &[Item], depth: usize) -> fmt::Result {
    let indent = "    ".repeat(depth);
    for item in items {
        f.write_str(&indent)?;
        match item {
            Item::Comment(comment) => writeln!(f, "{comment}")?,
            Item::Throw(name) => writeln!(f, "throw ({})", name.text)?,
            Item::Line(line) => {
                if let Some(name) = &line.name {
                    write!(f, "{} = ", name.text)?;
                }
                alternatives(f, &line.alternatives)?;
                f.write_str(";\n")?;
            }
            Item::If(choice) => {
                writeln!(f, "if ({}) {{", choice.condition)?;
                self::items(f, &choice.then, depth + 1)?;
                write!(f, "{indent}}}")?;
                block(f, " else", choice.otherwise.as_deref(), depth)?;
                f.write_str("\n")?;
            }
            Item::Try(attempt) => {
                f.write_str("try {\n")?;
                self::items(f, &attempt.body, depth + 1)?;
                write!(f, "{indent}}}")?;
                for Catch { condition, body, .. } in &attempt.catches {
                    block(f, &format!(" catch ({condition})"), Some(body), depth)?;
                }
                block(f, " finally", attempt.finally.as_deref(), depth)?;
                f.write_str("\n")?;
            }
        }
    }
    Ok(())
}

fn block(f: &mut fmt::Formatter<'_>, head: &str, body: Option<&[Item]>, depth: usize) -> fmt::Result {
    let Some(body) = body else { return Ok(()) };
    writeln!(f, "{head} {{")?;
    items(f, body, depth + 1)?;
    write!(f, "{}}}", "    ".repeat(depth))
}

fn alternatives(f: &mut fmt::Formatter<'_>, alternatives: &[Rhs]) -> fmt::Result {
    separated(f, alternatives, " || ")
}

fn separated<T: Display>(f: &mut fmt::Formatter<'_>, values: &[T], separator: &str) -> fmt::Result {
    for (n, value) in values.iter().enumerate() {
        if n > 0 {
            f.write_str(separator)?;
        }
        value.fmt(f)?;
    }
    Ok(())
}

impl Display for Comment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.block { write!(f, "/*{}*/", self.text) } else { write!(f, "--{}", self.text) }
    }
}

impl Display for Rhs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rhs::Statement(statement) => statement.fmt(f),
            Rhs::Value(value) => value.fmt(f),
            Rhs::Call(call) => call.fmt(f),
            Rhs::Variable(word) => f.write_str(&word.text),
        }
    }
}

impl Display for Return {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("return ")?;
        alternatives(f, &self.alternatives)?;
        match &self.route {
            Some(route) => write!(f, "\n  {route}"),
            None => Ok(()),
        }
    }
}

impl Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "via route {}", quoted(&self.path))?;
        if self.optional {
            f.write_str(" with optional params")?;
        }
        pairs(f, " using defaults ", &self.defaults)?;
        write!(f, " using method {}", self.method.text)?;
        pairs(f, " using headers ", &self.headers)?;
        self.encoders.iter().try_for_each(|encoder| codec(f, "\n  using encoder ", encoder))
    }
}

fn codec(f: &mut fmt::Formatter<'_>, head: &str, codec: &CodecClause) -> fmt::Result {
    write!(f, "{head}{}", quoted(&codec.format))?;
    for (word, value) in [("schema", &codec.schema), ("message", &codec.message)] {
        if let Some(value) = value {
            write!(f, " {word} {}", quoted(value))?;
        }
    }
    Ok(())
}

fn pairs(f: &mut fmt::Formatter<'_>, head: &str, pairs: &[Pair]) -> fmt::Result {
    if pairs.is_empty() {
        return Ok(());
    }
    f.write_str(head)?;
    separated(f, pairs, ", ")
}

impl Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = self.name.text.split('.').all(is_word);
        if plain {
            f.write_str(&self.name.text)?;
        } else {
            quoted(&self.name).fmt(f)?;
        }
        write!(f, " = {}", self.value)
    }
}

fn quoted(word: &Quoted) -> Quoting<'_> {
    Quoting(&word.text)
}

impl Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            StatementKind::Select(select) => select.fmt(f),
            StatementKind::Insert(insert) => insert.fmt(f),
            StatementKind::Update(update) => {
                write!(f, "update {} with {}{}", update.source, quoted(&update.object), update.tail)
            }
            StatementKind::Delete(delete) => {
                write!(f, "delete from {}", delete.source)?;
                conditions(f, &delete.conditions)?;
                delete.tail.fmt(f)
            }
            StatementKind::Create(create) => create.fmt(f),
            StatementKind::ShowTables => f.write_str("show tables"),
            StatementKind::ShowRoutes => f.write_str("show routes"),
            StatementKind::Describe(origin) => write!(f, "describe {origin}"),
            StatementKind::DescribeRoute { path, method } => write!(f, "describe route {} using method {}", quoted(path), method.text),
        }
    }
}

impl Display for Select {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "select {} from ", self.columns)?;
        separated(f, &self.sources, ", ")?;
        conditions(f, &self.conditions)?;
        count(f, "limit", self.limit)?;
        count(f, "offset", self.offset)?;
        self.tail.fmt(f)
    }
}

fn count(f: &mut fmt::Formatter<'_>, word: &str, count: Option<u64>) -> fmt::Result {
    count.map_or(Ok(()), |count| write!(f, " {word} {count}"))
}

fn conditions(f: &mut fmt::Formatter<'_>, conditions: &[Condition]) -> fmt::Result {
    if conditions.is_empty() {
        return Ok(());
    }
    f.write_str(" where ")?;
    separated(f, conditions, " and ")
}

impl Display for Tail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        count(f, "timeout", self.timeout)?;
        count(f, "minDelay", self.min_delay)?;
        count(f, "maxDelay", self.max_delay)
    }
}

impl Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Columns::All => f.write_str("*"),
            Columns::These(columns) => separated(f, columns, ", "),
        }
    }
}

impl Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.field.fmt(f)?;
        alias(f, self.alias.as_ref())
    }
}

fn alias(f: &mut fmt::Formatter<'_>, alias: Option<&Name>) -> fmt::Result {
    alias.map_or(Ok(()), |alias| write!(f, " as {}", alias.text))
}

impl Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Field::Path(path) => path.path.fmt(f),
            Field::Call(call) => call.fmt(f),
        }
    }
}

impl Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            None => f.write_str(&self.name.text)?,
            Some(file) => {
                quoted(&self.name).fmt(f)?;
                if let Some(each) = &file.each {
                    write!(f, " each {}", quoted(each))?;
                }
                if let Some(decoder) = &file.decoder {
                    codec(f, " using decoder ", decoder)?;
                }
            }
        }
        alias(f, self.alias.as_ref())
    }
}

impl Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Equal(field, operand) => write!(f, "{field} = {operand}"),
            Condition::Among(name, Members::Select(select, _)) => write!(f, "{} in ({select})", name.text),
            Condition::Among(name, Members::These(members)) => {
                write!(f, "{} in (", name.text)?;
                separated(f, members, ", ")?;
                f.write_char(')')
            }
            Condition::Call(call) => call.fmt(f),
        }
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Text(word) => quoted(word).fmt(f),
            Operand::Digits(word) => f.write_str(&word.text),
            Operand::Path(path) => path.path.fmt(f),
        }
    }
}

impl Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Member::Text(word) => quoted(word).fmt(f),
            Member::Digits(word) | Member::Name(word) => f.write_str(&word.text),
        }
    }
}

impl Display for FunctionCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.name.text)?;
        separated(f, &self.arguments, ", ")?;
        f.write_char(')')
    }
}

impl Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Value(value) => value.fmt(f),
            Argument::Path(path) => path.path.fmt(f),
        }
    }
}

impl Display for Insert {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("insert ")?;
        if let Some(object) = &self.object {
            write!(f, "{} ", quoted(object))?;
        }
        write!(f, "into {}", self.into)?;
        if let Some(columns) = &self.columns {
            write!(f, " ({columns})")?;
        }
        if let Some(values) = &self.values {
            f.write_str(" values (")?;
            separated(f, values, ", ")?;
            f.write_char(')')?;
        }
        if !self.parts.is_empty() {
            f.write_str(" with parts ")?;
            separated(f, &self.parts, ", ")?;
        }
        self.tail.fmt(f)
    }
}

impl Display for Logic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Logic::Word(word) => f.write_str(&word.text),
            Logic::Not(inner) => match &**inner {
                Logic::Word(_) | Logic::Not(_) => write!(f, "!{inner}"),
                inner => write!(f, "!({inner})"),
            },
            Logic::All(parts) => nested(f, parts, " && "),
            Logic::Any(parts) => nested(f, parts, " || "),
        }
    }
}

fn nested(f: &mut fmt::Formatter<'_>, parts: &[Logic], sign: &str) -> fmt::Result {
    for (n, part) in parts.iter().enumerate() {
        if n > 0 {
            f.write_str(sign)?;
        }
        match part {
            Logic::Word(_) | Logic::Not(_) => part.fmt(f)?,
            part => write!(f, "({part})")?,
        }
    }
    Ok(())
}

impl Display for Create {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "create table {}", self.name.text)?;
        if let Some(connector) = &self.connector {
            write!(f, " via {}", connector.text)?;
        }
        self.verbs.iter().try_for_each(|verb| write!(f, "\n  {verb}"))
    }
}

impl Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "on {} ", self.kind.name())?;
        match &*self.method.text {
            method if self.connector_form => write!(f, "do {method} at ")?,
            "get" => f.write_str("get from ")?,
            method @ ("post" | "put") => write!(f, "{method} to ")?,
            method => write!(f, "{method} ")?,
        }
        quoted(&self.uri).fmt(f)?;
        pairs(f, "\n    with aliases ", &self.aliases)?;
        pairs(f, "\n    using headers ", &self.headers)?;
        for (n, (Word { text, .. }, required)) in self.expect.iter().enumerate() {
            write!(f, "{}{}{text}", if n == 0 { "\n    expect " } else { ", " }, if *required { "^" } else { "" })?;
        }
        pairs(f, "\n    using defaults ", &self.defaults)?;
        let mut clause = |head: &str, word: &Option<Quoted>| match word {
            Some(word) => write!(f, "{head}{}", quoted(word)),
            None => Ok(()),
        };
        clause("\n    using patch ", &self.patch)?;
        if let Some(body) = &self.body {
            clause("\n    using bodyTemplate ", &Some(body.template.clone()))?;
            clause(" type ", &Some(body.media.clone()))?;
            clause(" foreach ", &body.foreach)?;
        }
        clause("\n    authenticate using ", &self.auth)?;
        clause("\n    resultset ", &self.resultset)?;
        if let Some(decoder) = &self.decoder {
            codec(f, "\n    using decoder ", decoder)?;
        }
        if let Some(encoder) = &self.encoder {
            codec(f, "\n    using encoder ", encoder)?;
        }
        if let Some(soap) = &self.soap {
            write!(f, "\n    using soap {}", quoted(&soap.version))?;
            if let Some(element) = &soap.element {
                write!(f, " element {}", quoted(element))?;
            }
            for (at, name) in soap.order.iter().enumerate() {
                write!(f, "{} {}", if at == 0 { " order" } else { "," }, quoted(name))?;
            }
        }
        if let Some(mapping) = &self.mapping {
            write!(f, "\n    using mapping {}", quoted(mapping))?;
        }
        if !self.shape.is_empty() {
            f.write_str("\n    with")?;
            for (word, paths) in [("arrays", &self.shape.arrays), ("numbers", &self.shape.numbers), ("text", &self.shape.text)] {
                for (n, path) in paths.iter().enumerate() {
                    if n == 0 {
                        write!(f, " {word} ")?;
                    } else {
                        f.write_str(", ")?;
                    }
                    quoted(path).fmt(f)?;
                }
            }
        }
        if let Some(pages) = &self.pages {
            write!(f, "\n    {pages}")?;
        }
        pairs(f, "\n    with batches ", &self.batches)?;
        if let Some(shared) = self.shared {
            write!(f, "\n    with {} replies", if shared { "shared" } else { "separate" })?;
        }
        match self.expires {
            Some(seconds) => write!(f, "\n    expires {seconds}"),
            None => Ok(()),
        }
    }
}

impl Display for PagesClause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("with pages by ")?;
        let counted = |f: &mut fmt::Formatter<'_>, word: &str, counted: &Counted| {
            write!(f, "{word} {}", quoted(&counted.name))?;
            count(f, "from", counted.first)?;
            count(f, "size", counted.size)
        };
        match &self.by {
            PagesBy::Page(page) => counted(f, "page", page)?,
            PagesBy::Offset(offset) => counted(f, "offset", offset)?,
            PagesBy::Cursor { name, path } => write!(f, "cursor {} at {}", quoted(name), quoted(path))?,
            PagesBy::Link { path: None } => f.write_str("link")?,
            PagesBy::Link { path: Some(path) } => write!(f, "link at {}", quoted(path))?,
        }
        count(f, "most", self.most)
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(value) => value.fmt(f),
            Value::Number(text) => f.write_str(text),
            Value::Text(text) => string(f, text),
            Value::Array(values) => {
                f.write_char('[')?;
                separated(f, values, ", ")?;
                f.write_char(']')
            }
            Value::Object(members) => {
                f.write_char('{')?;
                for (n, (name, value)) in members.iter().enumerate() {
                    if n > 0 {
                        f.write_str(", ")?;
                    }
                    string(f, name)?;
                    write!(f, ": {value}")?;
                }
                f.write_char('}')
            }
        }
    }
}

fn string(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            c if c < ' ' || c == '\u{7f}' => write!(f, "\\u{:04x}", u32::from(c))?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}
