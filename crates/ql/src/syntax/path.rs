//! Paths, and calls of functions (docs/spec/ql.md 3, `path`, `udf`, `operand`).

use crate::path::{Behind, JsonPath, PathStep};

use super::ast::{Argument, Column, Columns, Field, FunctionCall, Operand, Path};
use super::cursor::{Cursor, Fit, Miss};

impl Cursor<'_> {
    pub(super) fn path(&mut self) -> Fit<Path> {
        let start = self.at;
        let mut steps = match self.peek() {
            // Quoted text is a path too, if it reads as one: quotes are for names that are no
            // words.
            Some('\'' | '"') => {
                let text = self.quoted()?.text;
                match JsonPath::read(&format!(".{text}")).filter(|path| path.first().is_some()) {
                    Some(path) => path.steps,
                    None => vec![PathStep::Name(text.into())],
                }
            }
            _ => vec![PathStep::Name(self.word("a name")?.text.into())],
        };
        loop {
            let before = self.at;
            if self.accept("..") {
                match self.word("a name") {
                    Ok(word) => steps.push(PathStep::Descend(word.text.into())),
                    Err(Miss) => {
                        self.at = before;
                        break;
                    }
                }
            } else if self.accept(".") {
                match self.word("a name") {
                    Ok(word) => steps.push(PathStep::Name(word.text.into())),
                    Err(Miss) => {
                        self.at = before;
                        break;
                    }
                }
            } else if self.accept("[") {
                steps.push(self.index()?);
            } else {
                break;
            }
        }
        let path = JsonPath { steps };
        let text = format!("{}{}", path.first().unwrap_or_default(), Behind(path.steps.get(1..).unwrap_or_default()));
        Ok(Path { path, text, at: self.since(start) })
    }

    fn index(&mut self) -> Fit<PathStep> {
        self.wide();
        let start = self.at;
        let step = match self.peek() {
            Some('0'..='9') => {
                let digits = self.digits()?;
                PathStep::Index(digits.text.parse().unwrap_or(u64::MAX))
            }
            Some('\'' | '"') => {
                let word = self.quoted()?;
                match PathStep::bracketed(&word.text) {
                    Ok(step) => step,
                    Err(what) => return self.bad_expression(start, &what),
                }
            }
            Some('?' | '(') => {
                let filter = self.accept("?");
                self.wide();
                self.token("(")?;
                self.wide();
                let expression = self.string()?;
                self.wide();
                self.token(")")?;
                let text = format!("{}({expression})", if filter { "?" } else { "" });
                match PathStep::bracketed(&text) {
                    Ok(step) => step,
                    Err(what) => return self.bad_expression(start, &what),
                }
            }
            _ => return self.miss("a number, a name in quotes or a filter"),
        };
        self.wide();
        self.token("]")?;
        Ok(step)
    }

    fn bad_expression<T>(&mut self, start: usize, what: &str) -> Fit<T> {
        let here = self.since(start).0;
        let hint = "an expression has paths that begin with @, numbers, text in quotes, comparisons, && || ! + - * / % and brackets";
        self.fatal("bad_filter", here, format!("an expression that cannot be read: {what}"), hint)
    }

    pub(super) fn operand(&mut self) -> Fit<Operand> {
        match self.peek() {
            Some('\'' | '"') => {
                let start = self.at;
                let word = self.quoted()?;
                // Quoted text that steps follow is a path.
                if self.rest().starts_with(['.', '[']) {
                    self.at = start;
                    return self.path().map(Operand::Path);
                }
                Ok(Operand::Text(word))
            }
            Some('0'..='9') => self.digits().map(Operand::Digits),
            Some(c) if super::cursor::is_word_start(c) => self.path().map(Operand::Path),
            _ => self.miss("text in quotes, a whole number or a path"),
        }
    }

    /// Reads `name(…)`.
    pub(super) fn call(&mut self) -> Fit<FunctionCall> {
        let start = self.at;
        let name = self.name("a name")?;
        self.gap();
        self.token("(")?;
        self.wide();
        let arguments = if self.rest().starts_with(')') { Vec::new() } else { self.list(Cursor::argument)? };
        self.wide();
        self.token(")")?;
        Ok(FunctionCall { name, arguments, at: self.since(start) })
    }

    fn argument(&mut self) -> Fit<Argument> {
        let start = self.at;
        // Quoted text may be no string, and yet the first step of a path.
        if let Some(value) = self.pardoned(Cursor::value, Cursor::path)? {
            // A name that begins with a literal's letters is a name.
            if !self.rest().starts_with(super::cursor::is_word_char) && !self.rest().starts_with(['.', '[']) {
                return Ok(Argument::Value(value));
            }
            self.at = start;
        }
        self.path().map(Argument::Path)
    }

    /// Reads a function call or a path.
    pub(super) fn field(&mut self) -> Fit<Field> {
        match self.maybe(Cursor::call)? {
            Some(call) => Ok(Field::Call(call)),
            None => self.path().map(Field::Path),
        }
    }

    pub(super) fn columns(&mut self) -> Fit<Columns> {
        if self.accept("*") {
            return Ok(Columns::All);
        }
        self.list(Cursor::column).map(Columns::These)
    }

    fn column(&mut self) -> Fit<Column> {
        let field = self.field()?;
        let alias = self.alias()?;
        Ok(Column { field, alias })
    }
}
