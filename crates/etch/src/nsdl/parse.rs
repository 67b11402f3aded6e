//! The parser of NSDL (`docs/spec/etch.md 7`).

use polywire_core::text::diagnostic::Diagnostic;

use super::lex::{Kind as Of, Word, lex};
use super::syntax::{Basic, Declaration, Document, Kind, Name, Parameter, Statement, TypeKind, TypeRef};
use crate::wire::DIMENSIONS;

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// Words that are no names.
const KEYWORDS: [&str; 24] = [
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
    let mut parser = Parser { text, words: lex(text, source)?, at: 0 };
    parser.expect("module")?;
    let module = parser.name("the name of the module", true)?.text;
    parser.take(";");
    let oneway = parser.options()?.unwrap_or_default();
    parser.expect("service")?;
    let service = parser.name("the name of the service", false)?;
    parser.expect("{")?;
    let mut statements = Vec::new();
    while !parser.take("}") {
        statements.push(parser.statement()?);
    }
    if parser.peek().kind != Of::End {
        return Err(parser.expected("the end of the text, which has one service"));
    }
    Ok(Document { module, service, oneway, statements })
}

/// Parses a text that another one includes: statements of a service.
///
/// # Errors
/// The first mistake.
pub(super) fn included(text: &str, source: u32) -> Result<Vec<Statement>> {
    let mut parser = Parser { text, words: lex(text, source)?, at: 0 };
    let mut statements = Vec::new();
    while parser.peek().kind != Of::End {
        statements.push(parser.statement()?);
    }
    Ok(statements)
}

struct Parser<'t> {
    text: &'t str,
    words: Vec<Word>,
    at: usize,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Word {
        self.words[self.at.min(self.words.len() - 1)]
    }

    fn text_of(&self, word: Word) -> &'t str {
        &self.text[word.at.range()]
    }

    fn next(&mut self) -> Word {
        let word = self.peek();
        self.at += usize::from(word.kind != Of::End);
        word
    }

    fn take(&mut self, text: &str) -> bool {
        let word = self.peek();
        let is = matches!(word.kind, Of::Name | Of::Symbol) && self.text_of(word) == text;
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
        while self.take("@") {
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
        let oneway = self.options()?;
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
            Statement::Declaration(self.declaration(oneway)?)
        };
        self.take(";");
        Ok(statement)
    }

    fn declaration(&mut self, oneway: Option<bool>) -> Result<Declaration> {
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
            return Ok(Declaration { name, kind: Kind::Constant });
        }
        if self.take("enum") {
            let name = self.name("the name of an enumeration", false)?;
            self.expect("(")?;
            let mut items = vec![self.name("an enumerator", false)?];
            while self.take(",") {
                items.push(self.name("an enumerator", false)?);
            }
            self.expect(")")?;
            return Ok(Declaration { name, kind: Kind::Enum(items) });
        }
        if self.take("extern") {
            return Ok(Declaration { name: self.name("the name of an external type", false)?, kind: Kind::Extern });
        }
        let (is_struct, is_exception) = (self.take("struct"), self.take("exception"));
        if is_struct || is_exception {
            let name = self.name("the name of a type", false)?;
            let parameters = self.parameters()?;
            let extends = if self.take("extends") { Some(self.name("the name of a type", true)?) } else { None };
            let kind = if is_struct { Kind::Struct { parameters, extends } } else { Kind::Exception { parameters, extends } };
            return Ok(Declaration { name, kind });
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
        Ok(Declaration { name, kind: Kind::Message { parameters, returns, throws, oneway } })
    }

    fn parameters(&mut self) -> Result<Vec<Parameter>> {
        self.expect("(")?;
        let mut parameters = Vec::new();
        if self.take(")") {
            return Ok(parameters);
        }
        loop {
            let ty = self.ty(false)?;
            parameters.push(Parameter { name: self.name("the name of a parameter", false)?, ty });
            if !self.take(",") {
                self.expect(")")?;
                return Ok(parameters);
            }
        }
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
