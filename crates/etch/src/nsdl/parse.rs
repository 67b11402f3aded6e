//! The parser of NSDL (`docs/spec/etch.md 7`).

use polywire_core::text::diagnostic::Diagnostic;

use super::lex::{Kind as Of, Word, Words, lex};
use super::syntax::{Basic, Declaration, Document, Kind, Name, Parameter, Statement, TypeKind, TypeRef};
use crate::wire::DIMENSIONS;

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// Words that are no names.
pub(super) const KEYWORDS: [&str; 24] = [
    "boolean",
    "byte",
    "const",
    "double",
    "enum",
    "exception",
    "extends",
    "extern",
    "false",
    "float",
    "include",
    "int",
    "long",
    "mixin",
    "module",
    "null",
    "object",
    "service",
    "short",
    "string",
    "struct",
    "throws",
    "true",
    "void",
];

/// Parses a text of its own, which is the source of that number.
///
/// # Errors
/// The first mistake.
pub(super) fn document(text: &str, source: u32) -> Result<Document> {
    Parser::new(text, source)?.document()
}

/// Parses a text that another one includes: statements of a service.
///
/// # Errors
/// The first mistake.
pub(super) fn included(text: &str, source: u32) -> Result<Vec<Statement>> {
    Parser::new(text, source)?.statements()
}

/// Places of a text that its layout depends on, by the numbers of words.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// First words of lines, with their indentation.
    pub lines: Vec<(usize, usize)>,
    /// First word of the service, with its options.
    pub service: Option<usize>,
    /// Lists of parameters and enumerators.
    pub lists: Vec<List>,
    /// Semicolons.
    pub separators: Vec<usize>,
}

/// A list in brackets.
#[derive(Debug, Default)]
pub(super) struct List {
    pub open: usize,
    /// First words of the items.
    pub items: Vec<usize>,
    pub close: usize,
}

/// Parses a text, of its own or included, for its layout.
///
/// # Errors
/// The first mistake.
pub(super) fn layout(text: &str) -> Result<(Words, Layout)> {
    let mut parser = Parser::new(text, 0)?;
    if parser.peek().kind == Of::Name && parser.text_of(parser.peek()) == "module" {
        parser.document()?;
    } else {
        parser.statements()?;
    }
    Ok((parser.words, parser.layout))
}

struct Parser<'t> {
    text: &'t str,
    words: Words,
    at: usize,
    layout: Layout,
    /// Indentation of statements.
    indent: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, source: u32) -> Result<Parser<'t>> {
        Ok(Parser { text, words: lex(text, source)?, at: 0, layout: Layout::default(), indent: 0 })
    }

    fn document(&mut self) -> Result<Document> {
        self.line();
        self.expect("module")?;
        let module = self.name("the name of the module", true)?.text;
        self.separator();
        self.layout.service = Some(self.at);
        let oneway = self.options()?.unwrap_or_default();
        self.line();
        self.expect("service")?;
        let service = self.name("the name of the service", false)?;
        self.expect("{")?;
        self.indent = 1;
        let mut statements = Vec::new();
        while !self.is("}") {
            statements.push(self.statement()?);
        }
        self.indent = 0;
        self.line();
        self.next();
        if self.peek().kind != Of::End {
            return Err(self.expected("the end of the text, which has one service"));
        }
        Ok(Document { module, service, oneway, statements })
    }

    fn statements(&mut self) -> Result<Vec<Statement>> {
        let mut statements = Vec::new();
        while self.peek().kind != Of::End {
            statements.push(self.statement()?);
        }
        Ok(statements)
    }

    /// Begins a line of the layout.
    fn line(&mut self) {
        self.layout.lines.push((self.at, self.indent));
    }

    fn separator(&mut self) {
        if self.is(";") {
            self.layout.separators.push(self.at);
            self.next();
        }
    }

    /// Returns the documentation before the next word: a comment `/** … */` right above it.
    fn doc(&self) -> String {
        let word = self.peek();
        let before = self.at.checked_sub(1).map_or(0, |before| self.words.words[before].comments);
        let last = self.words.comments[before..word.comments].last();
        let is_doc = |range: &std::ops::Range<usize>| {
            self.text[range.clone()].starts_with("/**") && self.text[range.end..word.at.start as usize].matches('\n').count() < 2
        };
        let Some(range) = last.filter(|last| last.block).map(|last| last.at.range()).filter(is_doc) else { return String::new() };
        let inner = self.text[range].trim_start_matches(['/', '*']).trim_end_matches(['/', '*']);
        let lines: Vec<&str> = inner.lines().map(|line| line.trim().trim_start_matches('*').trim()).collect();
        lines.join("\n").trim().to_owned()
    }

    fn peek(&self) -> Word {
        self.words.words[self.at.min(self.words.words.len() - 1)]
    }

    fn text_of(&self, word: Word) -> &'t str {
        &self.text[word.at.range()]
    }

    fn next(&mut self) -> Word {
        let word = self.peek();
        self.at += usize::from(word.kind != Of::End);
        word
    }

    fn is(&self, text: &str) -> bool {
        let word = self.peek();
        matches!(word.kind, Of::Name | Of::Symbol) && self.text_of(word) == text
    }

    fn take(&mut self, text: &str) -> bool {
        let is = self.is(text);
        self.at += usize::from(is);
        is
    }

    fn expected(&self, what: &str) -> Box<Diagnostic> {
        let word = self.peek();
        let seen = if word.kind == Of::End { "the end of the text".to_owned() } else { format!("`{}`", self.text_of(word)) };
        Diagnostic::error("syntax", word.at, format!("expected {what}, saw {seen}")).into()
    }

    fn expect(&mut self, text: &str) -> Result<()> {
        if self.take(text) { Ok(()) } else { Err(self.expected(&format!("`{text}`"))) }
    }

    /// Reads a name. `qualified` means that it may have periods.
    fn name(&mut self, what: &str, qualified: bool) -> Result<Name> {
        let word = self.peek();
        let text = self.text_of(word);
        if word.kind != Of::Name || KEYWORDS.contains(&text) || (!qualified && text.contains('.')) {
            return Err(self.expected(what));
        }
        self.next();
        Ok(Name { text: text.to_owned(), at: word.at })
    }

    /// Reads options, and returns whether a message with them has no reply, if they say so.
    fn options(&mut self) -> Result<Option<bool>> {
        let mut oneway = None;
        while self.is("@") {
            self.line();
            self.next();
            let name = self.name("the name of an option", false)?;
            let mut first = None;
            if self.take("(") {
                loop {
                    let word = self.peek();
                    let is_name = word.kind == Of::Name
                        && (matches!(self.text_of(word), "true" | "false" | "null") || !KEYWORDS.contains(&self.text_of(word)));
                    if !is_name && !matches!(word.kind, Of::Number | Of::String) {
                        return Err(self.expected("a constant, a name or `null`"));
                    }
                    self.next();
                    first.get_or_insert(self.text_of(word));
                    if !self.take(",") {
                        break;
                    }
                }
                self.expect(")")?;
            }
            if name.text == "Oneway" {
                oneway = match first {
                    None | Some("true") => Some(true),
                    Some("false") => Some(false),
                    Some(other) => {
                        return Err(Diagnostic::error("option", name.at, format!("`@Oneway({other})`, whose argument is no truth value"))
                            .hint("write `@Oneway` or `@Oneway(false)`")
                            .into());
                    }
                };
            }
        }
        Ok(oneway)
    }

    fn statement(&mut self) -> Result<Statement> {
        let doc = self.doc();
        let oneway = self.options()?;
        self.line();
        let statement = if self.take("mixin") {
            Statement::Mixin(self.name("the name of a service", true)?)
        } else if self.take("include") {
            let word = self.peek();
            if word.kind != Of::String {
                return Err(self.expected("the name of a file, in quotes"));
            }
            self.next();
            // The compiler of Etch takes the quotes away, and reads no escapes.
            Statement::Include(Name { text: self.text_of(word).replace('"', ""), at: word.at })
        } else {
            let (name, kind) = self.declaration(oneway)?;
            Statement::Declaration(Declaration { name, doc, kind })
        };
        self.separator();
        Ok(statement)
    }

    fn declaration(&mut self, oneway: Option<bool>) -> Result<(Name, Kind)> {
        if self.take("const") {
            let word = self.peek();
            match Basic::of(self.text_of(word)) {
                Some(basic) if word.kind == Of::Name && !matches!(basic, Basic::Object | Basic::Void) => self.next(),
                _ => return Err(self.expected("the type of a constant: boolean, byte, short, int, long, float, double or string")),
            };
            let name = self.name("the name of a constant", false)?;
            self.expect("=")?;
            if !self.take("true") && !self.take("false") {
                match self.peek().kind {
                    Of::Number | Of::String => self.next(),
                    _ => return Err(self.expected("true, false, a number or a string")),
                };
            }
            return Ok((name, Kind::Constant));
        }
        if self.take("enum") {
            let name = self.name("the name of an enumeration", false)?;
            let mut items = Vec::new();
            self.list(|parser| {
                items.push(parser.name("an enumerator", false)?);
                Ok(())
            })?;
            return Ok((name, Kind::Enum(items)));
        }
        if self.take("extern") {
            return Ok((self.name("the name of an external type", false)?, Kind::Extern));
        }
        let (is_struct, is_exception) = (self.take("struct"), self.take("exception"));
        if is_struct || is_exception {
            let name = self.name("the name of a type", false)?;
            let parameters = self.parameters()?;
            let extends = if self.take("extends") { Some(self.name("the name of a type", true)?) } else { None };
            let kind = if is_struct { Kind::Struct { parameters, extends } } else { Kind::Exception { parameters, extends } };
            return Ok((name, kind));
        }
        let returns = self.ty(true)?;
        let name = self.name("the name of a message", false)?;
        let parameters = self.parameters()?;
        let mut throws = Vec::new();
        if self.take("throws") {
            throws.push(self.name("the name of an exception", true)?);
            while self.take(",") {
                throws.push(self.name("the name of an exception", true)?);
            }
        }
        Ok((name, Kind::Message { parameters, returns, throws, oneway }))
    }

    /// Reads a list of items in brackets.
    fn list(&mut self, mut item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        let mut list = List { open: self.at, ..List::default() };
        self.expect("(")?;
        loop {
            list.items.push(self.at);
            item(self)?;
            if !self.take(",") {
                break;
            }
        }
        list.close = self.at;
        self.expect(")")?;
        self.layout.lists.push(list);
        Ok(())
    }

    fn parameters(&mut self) -> Result<Vec<Parameter>> {
        let mut parameters = Vec::new();
        let is_empty = self.words.words.get(self.at + 1).is_some_and(|word| self.text_of(*word) == ")");
        if is_empty && self.take("(") {
            self.next();
            return Ok(parameters);
        }
        self.list(|parser| {
            let (doc, ty) = (parser.doc(), parser.ty(false)?);
            parameters.push(Parameter { name: parser.name("the name of a parameter", false)?, doc, ty });
            Ok(())
        })?;
        Ok(parameters)
    }

    /// Reads a type. With `void` it may be `void`, as the result of a message.
    fn ty(&mut self, void: bool) -> Result<TypeRef> {
        let word = self.peek();
        let basic = if word.kind == Of::Name { Basic::of(self.text_of(word)) } else { None };
        let kind = match basic {
            Some(Basic::Void) if !void => return Err(self.expected("a type")),
            Some(basic) => {
                self.next();
                TypeKind::Basic(basic)
            }
            None => TypeKind::Named(self.name(if void { "a statement" } else { "a type" }, true)?),
        };
        let mut dimensions = 0;
        while basic != Some(Basic::Void) && self.take("[") {
            self.expect("]")?;
            dimensions += 1;
            if dimensions > DIMENSIONS {
                let message = format!("an array of more than {DIMENSIONS} dimensions");
                return Err(Diagnostic::error("dimensions", word.at, message).into());
            }
        }
        Ok(TypeRef { kind, dimensions })
    }
}
