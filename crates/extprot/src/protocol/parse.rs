//! Tokens to a syntax tree (docs/spec/extprot.md 2.2). After an error, parsing continues at the
//! next field, constructor or entry.

use std::collections::BTreeSet;

use polywire_core::text::diagnostic::{Diagnostic, Place};

use super::comment;
use super::lex::{self, Comment, Lexeme, Token};
use super::syntax::{
    Annotation, AnnotationValue, Application, At, Constructor, Entry, Field, File, Include, Message, MessageBody, Name, Setting, Simple,
    SimpleKind, SubsetField, Type, TypeBody, Variant, VariantBody,
};
use crate::model::{ExternalPath, Primitive, Regime};

/// Most nested brackets in one type.
pub const MAX_NESTING: u32 = 200;

/// Result of parsing, as complete as the errors allow.
#[derive(Debug, Default)]
pub struct Parsed {
    /// The tree.
    pub file: File,
    /// Comments in order.
    pub comments: Vec<Comment>,
    /// Errors, in order.
    pub findings: Vec<Diagnostic>,
}

/// Parses a text. `source` is its number in places.
pub fn parse(text: &str, source: u32) -> Parsed {
    let lexed = lex::lex(text, source);
    let mut parser = Parser {
        text,
        source,
        tokens: &lexed.tokens,
        comments: &lexed.comments,
        at: 0,
        depth: 0,
        told: lexed.findings.iter().map(|finding| finding.at.start).collect(),
        findings: lexed.findings,
        silent: false,
    };
    let file = parser.file();
    let mut findings = parser.findings;
    findings.sort_by_key(|finding| finding.at);
    Parsed { file, comments: lexed.comments, findings }
}

/// An error was recorded, and the caller continues where it can.
struct Lost;

type Read<T> = Result<T, Lost>;

struct Parser<'t> {
    text: &'t str,
    source: u32,
    tokens: &'t [Lexeme],
    comments: &'t [Comment],
    at: usize,
    depth: u32,
    findings: Vec<Diagnostic>,
    /// Places of lexical errors, whose consequences are not reported again.
    told: BTreeSet<u32>,
    /// Set from an error until something is parsed again, so that consequences of the error are not
    /// reported.
    silent: bool,
}

impl<'t> Parser<'t> {
    fn file(&mut self) -> File {
        let mut file = File::default();
        while self.token() != Token::End {
            self.depth = 0;
            match self.entry() {
                Ok(entry) => file.entries.push(entry),
                Err(Lost) => {
                    file.incomplete = true;
                    self.seek_entry();
                }
            }
        }
        file
    }

    fn entry(&mut self) -> Read<Entry> {
        let doc = self.doc();
        match self.word() {
            "message" => self.message(doc).map(Entry::Message),
            "type" => self.ty(doc).map(Entry::Type),
            "include" => {
                self.advance();
                if self.token() != Token::String {
                    return Err(self.unexpected("the path of a file in quotes", ""));
                }
                let entry = Include { path: lex::unescaped(self.word().as_bytes()), at: At(self.place()) };
                self.advance();
                Ok(Entry::Include(entry))
            }
            ";" => Err(self.unexpected("`message`, `type` or `include`", "declarations are not separated by anything")),
            "options" => Err(self.unexpected("`message`, `type` or `include`", "options follow their declaration directly")),
            _ => Err(self.unexpected("`message`, `type` or `include`", "")),
        }
    }

    fn message(&mut self, doc: String) -> Read<Message> {
        self.advance();
        let name = self.lower("the name of a message")?;
        let mut message = Message { name, autolazy: false, body: None, options: Vec::new(), doc };
        let rest = self.message_rest(&mut message);
        if rest.is_err() {
            self.seek_entry();
        }
        Ok(message)
    }

    fn message_rest(&mut self, message: &mut Message) -> Read<()> {
        if self.opens_annotation() {
            self.annotation_start();
            if self.word() != "autolazy" {
                return Err(self.unexpected("`autolazy`", "single fields can be `[@lazy]` or `[@eager]`"));
            }
            self.advance();
            self.expect("]")?;
            message.autolazy = true;
        }
        if self.token() == Token::Mark("'") {
            return Err(
                self.unexpected("`=`", "messages have no parameters; a `type` can have some, and a message can be an application of it")
            );
        }
        self.expect("=")?;
        message.body = Some(self.message_body()?);
        message.options = self.options()?;
        Ok(())
    }

    fn message_body(&mut self) -> Read<MessageBody> {
        match self.token() {
            Token::Mark("{") => Ok(MessageBody::Record(self.record()?)),
            Token::Mark("{|") => self.subset(),
            Token::Lower => Ok(MessageBody::Application(self.application()?)),
            Token::Upper if self.ahead(1) == Token::Mark(".") => {
                let start = self.place();
                let path = self.external()?;
                Ok(MessageBody::External(path, At(start.to(self.before()))))
            }
            Token::Upper => {
                let mut variants = vec![self.variant(String::new())?];
                while let Some(doc) = self.bar() {
                    variants.push(self.variant(doc)?);
                }
                Ok(MessageBody::Union(variants))
            }
            Token::Mark("|") => Err(self.unexpected("the first variant", "there is no `|` before the first one")),
            _ => Err(self.unexpected("the fields of a message in braces, its variants, or the name of a record type", "")),
        }
    }

    /// Steps over a `|`. Returns the documentation in the comments before it.
    fn bar(&mut self) -> Option<String> {
        let doc = self.doc();
        self.accept("|").then_some(doc)
    }

    /// Parses a variant; `before` is the documentation before the `|`.
    fn variant(&mut self, before: String) -> Read<Variant> {
        let doc = both(before, self.doc());
        let name = self.upper("the name of a variant")?;
        let body = match self.token() {
            Token::Mark("{") => VariantBody::Record(self.record()?),
            Token::Lower => VariantBody::Application(self.application()?),
            _ => return Err(self.unexpected("the fields of the variant in braces", "a variant of a message always has fields")),
        };
        Ok(Variant { name, body, doc })
    }

    fn subset(&mut self) -> Read<MessageBody> {
        self.advance();
        let source = self.lower("the name of the message that fields are taken from")?;
        self.expect("|")?;
        let last = "the list of a subset has no `;` after the last field";
        if self.word() == "not" {
            self.advance();
            let mut names = Vec::new();
            loop {
                if !names.is_empty() && self.token() == Token::Mark("|}") {
                    return Err(self.unexpected("the name of a field", last));
                }
                names.push(self.lower("the name of a field")?);
                if !self.accept(";") {
                    break;
                }
            }
            self.expect("|}")?;
            return Ok(MessageBody::Without(source, names));
        }
        let mut fields = Vec::new();
        loop {
            if !fields.is_empty() && self.token() == Token::Mark("|}") {
                return Err(self.unexpected("the name of a field", last));
            }
            let name = self.lower("the name of a field")?;
            let marker = self.marker()?;
            let ty = if self.accept(":") { Some(self.simple()?) } else { None };
            fields.push(SubsetField { name, marker, ty });
            if !self.accept(";") {
                break;
            }
        }
        self.expect("|}")?;
        Ok(MessageBody::Subset(source, fields))
    }

    fn ty(&mut self, doc: String) -> Read<Type> {
        self.advance();
        let name = self.lower("the name of a type")?;
        let mut ty = Type { name, parameters: Vec::new(), body: None, options: Vec::new(), doc };
        let rest = self.type_rest(&mut ty);
        if rest.is_err() {
            self.seek_entry();
        }
        Ok(ty)
    }

    fn type_rest(&mut self, ty: &mut Type) -> Read<()> {
        while self.accept("'") {
            ty.parameters.push(self.lower("the name of a type parameter")?);
        }
        self.expect("=")?;
        ty.body = Some(self.type_body()?);
        ty.options = self.options()?;
        Ok(())
    }

    fn type_body(&mut self) -> Read<TypeBody> {
        match self.token() {
            Token::Mark("{") => Ok(TypeBody::Record(self.record()?)),
            Token::Upper => {
                let mut constructors = vec![self.constructor(String::new())?];
                while let Some(doc) = self.bar() {
                    constructors.push(self.constructor(doc)?);
                }
                if let (Token::Mark("."), [Constructor { arguments, .. }]) = (self.token(), &constructors[..])
                    && arguments.is_empty()
                {
                    return Err(self
                        .unexpected("the next declaration", "a type cannot be a message of another module by itself; use it in a field"));
                }
                for n in 0..constructors.len() {
                    let next = constructors.get(n + 1).map(|next| next.name.at.0.start);
                    if let Some(said) =
                        constructors[n].doc.is_empty().then(|| self.trailing(constructors[n].name.at.0.start, next)).flatten()
                    {
                        constructors[n].doc = said;
                    }
                }
                Ok(TypeBody::Sum(constructors))
            }
            Token::Mark("|") => Err(self.unexpected("the first constructor", "there is no `|` before the first one")),
            _ => Ok(TypeBody::Simple(self.simple()?)),
        }
    }

    fn constructor(&mut self, before: String) -> Read<Constructor> {
        let doc = both(before, self.doc());
        let name = self.upper("the name of a constructor")?;
        let mut arguments = Vec::new();
        while self.starts_simple() {
            arguments.push(self.simple()?);
        }
        if self.token() == Token::Mark("{") {
            let hint = "a record cannot be inside another type: declare it as a type and use its name";
            return Err(self.unexpected("`|` or the next declaration", hint));
        }
        Ok(Constructor { name, arguments, doc })
    }

    /// Returns whether a simple type starts here. `Mod.name` is one, a constructor is not.
    fn starts_simple(&self) -> bool {
        match self.token() {
            Token::Lower | Token::Mark("[" | "[|" | "(" | "'") => true,
            Token::Upper => self.ahead(1) == Token::Mark("."),
            Token::Reserved => primitive(self.word()).is_some(),
            _ => false,
        }
    }

    fn record(&mut self) -> Read<Vec<Field>> {
        self.expect("{")?;
        let mut fields: Vec<Field> = Vec::new();
        loop {
            if self.token() == Token::Mark("}") {
                if fields.is_empty() {
                    self.unexpected("a field", "a record has at least one field");
                }
                break;
            }
            let start = self.at;
            let doc = self.doc();
            match self.field(doc) {
                Ok(field) => fields.push(field),
                Err(Lost) => {
                    self.seek_field_end(start);
                    if self.token() == Token::End || self.is_entry() {
                        return Err(Lost);
                    }
                }
            }
            if let Some(field) = fields.last_mut()
                && field.doc.is_empty()
            {
                let from = field.name.at.0.start;
                let upto = self.tokens.get(self.at + 1).map(|next| next.start);
                if let Some(said) = self.trailing(from, upto.filter(|_| self.token() == Token::Mark(";"))) {
                    field.doc = said;
                }
            }
            if !self.accept(";") {
                break;
            }
        }
        if self.token() != Token::Mark("}") {
            let hint = match self.token() {
                Token::Mark(",") => "fields are separated by `;`",
                Token::Mark("[") | Token::Mark("[@") => {
                    "annotations follow primitives; `[@lazy]` and `[@eager]` follow the name of a field"
                }
                Token::Lower | Token::Reserved => "fields are separated by `;`",
                _ => "",
            };
            self.unexpected("`;` or `}`", hint);
            let start = self.at;
            self.seek_field_end(start);
            if self.token() == Token::End || self.is_entry() {
                return Err(Lost);
            }
            if self.accept(";") {
                // The rest is parsed as further fields, so that their errors are reported too.
                self.silent = false;
                let again = self.fields_after(&mut fields);
                return again.map(|()| fields);
            }
        }
        self.expect("}")?;
        Ok(fields)
    }

    /// Parses the rest of a record after a wrong separator.
    fn fields_after(&mut self, fields: &mut Vec<Field>) -> Read<()> {
        while self.token() != Token::Mark("}") {
            let start = self.at;
            let doc = self.doc();
            match self.field(doc) {
                Ok(field) => fields.push(field),
                Err(Lost) => self.seek_field_end(start),
            }
            if self.token() == Token::End || self.is_entry() {
                return Err(Lost);
            }
            if !matches!(self.token(), Token::Mark(";" | "}")) {
                let start = self.at;
                self.unexpected("`;` or `}`", "");
                self.seek_field_end(start);
            }
            if !self.accept(";") && self.token() != Token::Mark("}") {
                return Err(Lost);
            }
        }
        self.expect("}")
    }

    fn field(&mut self, doc: String) -> Read<Field> {
        let mutable = self.word() == "mutable";
        if mutable {
            self.advance();
        }
        let name = self.lower("the name of a field")?;
        let marker = self.marker()?;
        self.expect(":")?;
        let ty = Some(self.simple()?);
        Ok(Field { name, mutable, marker, ty, doc })
    }

    /// Parses `[@lazy]` or `[@eager]`, if present.
    fn marker(&mut self) -> Read<Option<Regime>> {
        if !self.opens_annotation() {
            return Ok(None);
        }
        self.annotation_start();
        let regime = match self.word() {
            "lazy" => Regime::Lazy,
            "eager" => Regime::Eager,
            _ => return Err(self.unexpected("`lazy` or `eager`", "other annotations follow a primitive")),
        };
        self.advance();
        self.expect("]")?;
        Ok(Some(regime))
    }

    fn options(&mut self) -> Read<Vec<Setting>> {
        let mut settings = Vec::new();
        if self.word() != "options" {
            return Ok(settings);
        }
        self.advance();
        while self.token() == Token::String {
            let (key, at) = (lex::unescaped(self.word().as_bytes()), At(self.place()));
            self.advance();
            self.expect("=")?;
            if self.token() != Token::String {
                return Err(self.unexpected("the value in quotes", ""));
            }
            settings.push(Setting { key, value: lex::unescaped(self.word().as_bytes()), at });
            self.advance();
        }
        Ok(settings)
    }

    fn application(&mut self) -> Read<Application> {
        let name = self.lower("the name of a type")?;
        let mut arguments = Vec::new();
        if self.accept("<") {
            self.deeper()?;
            loop {
                arguments.push(self.simple()?);
                if !self.accept(",") {
                    break;
                }
            }
            self.depth -= 1;
            self.expect(">")?;
        }
        Ok(Application { name, arguments })
    }

    fn external(&mut self) -> Read<ExternalPath> {
        let mut modules = Vec::new();
        while self.token() == Token::Upper {
            modules.push(self.word().to_string());
            self.advance();
            self.expect(".")?;
        }
        let name = self.lower("the name of a message")?.text;
        if self.token() == Token::Mark("<") {
            return Err(self.unexpected("the end of the type", "messages of other modules take no arguments"));
        }
        Ok(ExternalPath { modules, name })
    }

    fn deeper(&mut self) -> Read<()> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            let hint = format!("at most {MAX_NESTING} nested brackets are allowed; give inner types names");
            return Err(self.unexpected("a type that is less deep", &hint));
        }
        Ok(())
    }

    fn simple(&mut self) -> Read<Simple> {
        let start = self.place();
        let kind = match self.token() {
            Token::Mark(open @ ("[" | "[|")) => {
                self.deeper()?;
                self.advance();
                let inner = Box::new(self.simple()?);
                self.depth -= 1;
                if open == "[" {
                    self.expect("]")?;
                    SimpleKind::List(inner)
                } else {
                    self.expect("|]")?;
                    SimpleKind::Array(inner)
                }
            }
            Token::Mark("(") => {
                self.deeper()?;
                self.advance();
                let mut parts = vec![self.simple()?];
                while self.accept("*") {
                    parts.push(self.simple()?);
                }
                self.depth -= 1;
                if self.token() == Token::Mark(",") {
                    return Err(self.unexpected("`*` or `)`", "elements of a tuple are separated by `*`"));
                }
                self.expect(")")?;
                SimpleKind::Tuple(parts)
            }
            Token::Mark("'") => {
                self.advance();
                SimpleKind::Variable(self.lower("the name of a type parameter")?)
            }
            Token::Lower => SimpleKind::Named(self.application()?),
            Token::Upper if self.ahead(1) == Token::Mark(".") => SimpleKind::External(self.external()?),
            Token::Reserved if primitive(self.word()).is_some() => {
                let primitive = primitive(self.word()).unwrap_or(Primitive::Bool);
                self.advance();
                let mut annotations = Vec::new();
                while self.opens_annotation() {
                    annotations.push(self.annotation()?);
                }
                SimpleKind::Primitive(primitive, annotations)
            }
            Token::Mark("{") => {
                let hint = "a record cannot be inside another type: declare it as a type and use its name";
                return Err(self.unexpected("a type", hint));
            }
            Token::Upper => {
                return Err(
                    self.unexpected("a type", "names of types begin with a lower case letter; a sum type needs a declaration of its own")
                );
            }
            _ => return Err(self.unexpected("a type", "")),
        };
        Ok(Simple { kind, at: At(start.to(self.before())) })
    }

    fn opens_annotation(&self) -> bool {
        self.token() == Token::Mark("[@") || (self.token() == Token::Mark("[") && self.ahead(1) == Token::Mark("@"))
    }

    fn annotation_start(&mut self) {
        if self.token() == Token::Mark("[") {
            self.advance();
        }
        self.advance();
    }

    fn annotation(&mut self) -> Read<Annotation> {
        self.annotation_start();
        if matches!(self.word(), "lazy" | "eager") {
            return Err(self.unexpected("the key of an annotation", "a marker follows the name of the field: `name [@lazy] : type`"));
        }
        // `autolazy` is a valid key elsewhere, and a reserved word, so it never appears here.
        let key = self.lower("the key of an annotation")?;
        let at = At(self.place());
        let negative = self.accept("-");
        let sign = if negative { "-" } else { "" };
        let value = match self.token() {
            Token::Int | Token::Float => AnnotationValue::Word(format!("{sign}{}", self.word())),
            Token::Long => AnnotationValue::Long(format!("{sign}{}", self.word().trim_end_matches('L'))),
            Token::String if !negative => AnnotationValue::String(lex::unescaped(self.word().as_bytes())),
            Token::Reserved if !negative && matches!(self.word(), "true" | "false") => AnnotationValue::Word(self.word().to_string()),
            _ => return Err(self.unexpected("true, false, a number or a string", "")),
        };
        self.advance();
        let at = At(at.0.to(self.before()));
        self.expect("]")?;
        Ok(Annotation { key, value, at })
    }

    /// Parses a name with a lower case initial.
    fn lower(&mut self, what: &str) -> Read<Name> {
        match self.token() {
            Token::Lower => Ok(self.take_name()),
            Token::Reserved
                if !matches!(self.word(), "message" | "type" | "include") || matches!(self.ahead(1), Token::Mark(":" | "=" | "[@")) =>
            {
                let hint = format!("`{0}` is a word of the language; `{0}_` is not", self.word());
                self.unexpected(what, &hint);
                self.silent = false;
                Ok(self.take_name())
            }
            Token::Upper if !matches!(self.ahead(1), Token::Mark(".")) => {
                let word = self.word();
                let hint = format!("it begins with a lower case letter or `_`: `{}{}`", word[..1].to_ascii_lowercase(), &word[1..]);
                self.unexpected(what, &hint);
                self.silent = false;
                Ok(self.take_name())
            }
            _ => Err(self.unexpected(what, "")),
        }
    }

    /// Parses a name with an upper case initial.
    fn upper(&mut self, what: &str) -> Read<Name> {
        if self.token() != Token::Upper {
            return Err(self.unexpected(what, "it begins with an upper case letter"));
        }
        Ok(self.take_name())
    }

    fn take_name(&mut self) -> Name {
        let name = Name { text: self.word().to_string(), at: At(self.place()) };
        self.advance();
        name
    }

    fn token(&self) -> Token {
        self.ahead(0)
    }

    fn ahead(&self, by: usize) -> Token {
        self.tokens.get(self.at + by).map_or(Token::End, |lexeme| lexeme.token)
    }

    fn lexeme(&self) -> &'t Lexeme {
        // The last token is the end of the file, and nothing advances past it.
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn word(&self) -> &'t str {
        let lexeme = self.lexeme();
        &self.text[lexeme.start as usize..lexeme.end as usize]
    }

    fn place(&self) -> Place {
        let lexeme = self.lexeme();
        Place { source: self.source, start: lexeme.start, end: lexeme.end }
    }

    /// Returns the place of the previous token.
    fn before(&self) -> Place {
        let lexeme = &self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)];
        Place { source: self.source, start: lexeme.start, end: lexeme.end }
    }

    fn advance(&mut self) {
        self.silent = false;
        if self.token() != Token::End {
            self.at += 1;
        }
    }

    fn accept(&mut self, mark: &str) -> bool {
        let is = matches!(self.token(), Token::Mark(seen) if seen == mark);
        if is {
            self.advance();
        }
        is
    }

    fn expect(&mut self, mark: &str) -> Read<()> {
        if self.accept(mark) { Ok(()) } else { Err(self.unexpected(&format!("`{mark}`"), "")) }
    }

    /// Records that something else was expected here.
    fn unexpected(&mut self, expected: &str, hint: &str) -> Lost {
        let lexeme = self.lexeme();
        let told = self.told.range(lexeme.start..lexeme.end.max(lexeme.start + 1)).next().is_some();
        if std::mem::replace(&mut self.silent, true) || told {
            return Lost;
        }
        let seen = match self.token() {
            Token::End => "the end of the file".to_string(),
            Token::String => "a string".to_string(),
            _ => format!("`{}`", self.word()),
        };
        let finding = Diagnostic::error("syntax_error", self.place(), format!("expected {expected}, saw {seen}"));
        self.findings.push(finding.label(format!("expected {expected}")).hint(hint).detail("seen", seen).detail("expected", expected));
        Lost
    }

    fn is_entry(&self) -> bool {
        matches!(self.word(), "message" | "type" | "include") && self.token() == Token::Reserved
    }

    /// Skips tokens up to the next declaration.
    fn seek_entry(&mut self) {
        while self.token() != Token::End && !self.is_entry() {
            self.at += 1;
        }
        self.silent = false;
    }

    /// Skips tokens up to the end of a field that began at token `start`: a `;` or `}` outside
    /// brackets opened since.
    fn seek_field_end(&mut self, start: usize) {
        self.depth = 0;
        let mut open = 0usize;
        for at in start..self.at {
            match self.tokens[at].token {
                Token::Mark("{") => open += 1,
                Token::Mark("}") => open = open.saturating_sub(1),
                _ => {}
            }
        }
        while self.token() != Token::End && !self.is_entry() {
            match self.token() {
                Token::Mark("{") => open += 1,
                Token::Mark("}") if open > 0 => open -= 1,
                Token::Mark(";" | "}") if open == 0 => break,
                _ => {}
            }
            self.at += 1;
        }
        self.silent = false;
    }

    /// Returns the documentation in the comments directly before this token. Comments before a
    /// blank line, and comments that end a line of other code, do not count.
    fn doc(&self) -> String {
        let here = self.lexeme();
        let previous = if self.at == 0 { None } else { self.tokens.get(self.at - 1) };
        let first = previous.map_or(0, |lexeme| lexeme.comments) as usize;
        let mut said = Vec::new();
        let mut next = here.start as usize;
        // End of the previous token's line.
        let line_end = previous.map_or(0, |previous| {
            let rest = &self.text[previous.end as usize..next];
            rest.find('\n').map_or(next, |at| previous.end as usize + at)
        });
        for comment in self.comments[first..here.comments as usize].iter().rev() {
            let (start, end) = (comment.start as usize, comment.end as usize);
            let between = &self.text[end..next];
            if between.bytes().filter(|byte| *byte == b'\n').count() > 1 {
                break;
            }
            if previous.is_some() && start <= line_end && between.contains('\n') {
                break;
            }
            said.push(self.comment_text(start, end));
            next = start;
        }
        said.reverse();
        said.retain(|text| !text.is_empty());
        said.join("\n")
    }

    fn comment_text(&self, start: usize, end: usize) -> String {
        // A line may hold many comments, so the search for its start is limited.
        let column = self.text.as_bytes()[..start].iter().rev().take(200).take_while(|byte| **byte != b'\n').count();
        comment::text(&self.text[start..end], column)
    }

    /// Returns the documentation in a comment that ends the line of the code from `from`, if the
    /// comment is before `upto`.
    fn trailing(&self, from: u32, upto: Option<u32>) -> Option<String> {
        let upto = upto.unwrap_or(self.lexeme().start);
        let first = self.comments.partition_point(|comment| comment.start < from);
        let comment = self.comments.get(first).filter(|comment| comment.end <= upto)?;
        let (start, end) = (comment.start as usize, comment.end as usize);
        let line = !self.text[from as usize..start].contains('\n') && self.text[end..upto as usize].contains('\n');
        let ends = self.text[end..].split('\n').next().is_none_or(|rest| rest.trim().is_empty());
        (line && ends).then(|| self.comment_text(start, end)).filter(|text| !text.is_empty())
    }
}

fn both(before: String, after: String) -> String {
    match (before.is_empty(), after.is_empty()) {
        (true, _) => after,
        (_, true) => before,
        _ => format!("{before}\n{after}"),
    }
}

fn primitive(word: &str) -> Option<Primitive> {
    Primitive::ALL.into_iter().find(|primitive| primitive.name() == word)
}
