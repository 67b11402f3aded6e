//! The parser of the IDL: Apache's grammar (`doc/specs/idl.md`), and what Facebook's dialect adds,
//! which is stepped over.

use polywire_core::text::diagnostic::{Diagnostic, Place};

use super::lex::{Kind, Word, Words, lex, unquote};
use super::syntax::{
    Base, Const, ConstKind, Definition, DefinitionKind, Document, Field, Function, Member, Name, Requiredness, StructKind, TypeKind,
    TypeRef, is_reserved,
};

/// Deepest nesting of types and constants.
const DEPTH: u32 = 64;

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// Parses a text, which is the source of that number.
///
/// # Errors
/// The first mistake.
pub(crate) fn parse(text: &str, source: u32) -> Result<Document> {
    let words = lex(text, source)?;
    Parser::run(text, words).map(|(document, _, _)| document)
}

/// Places of a text that its layout depends on, by the numbers of words.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// First words of definitions.
    pub definitions: Vec<usize>,
    /// First words of fields, names of enums and methods that have lines of their own.
    pub items: Vec<usize>,
    /// Brackets around the contents of definitions.
    pub opens: Vec<usize>,
    pub closes: Vec<usize>,
    /// Brackets around arguments.
    pub calls: Vec<usize>,
    /// Separators behind fields, names of enums, methods and definitions.
    pub separators: Vec<usize>,
}

/// Parses a text for its layout.
///
/// # Errors
/// The first mistake.
pub(crate) fn layout(text: &str) -> Result<(Words, Layout)> {
    let words = lex(text, 0)?;
    Parser::run(text, words).map(|(_, words, layout)| (words, layout))
}

struct Parser<'t> {
    text: &'t str,
    words: Words,
    at: usize,
    depth: u32,
    layout: Layout,
    reserved: Vec<Name>,
    facebook: bool,
}

impl<'t> Parser<'t> {
    fn run(text: &'t str, words: Words) -> Result<(Document, Words, Layout)> {
        let mut parser = Parser { text, words, at: 0, depth: 0, layout: Layout::default(), reserved: Vec::new(), facebook: false };
        let mut document = Document::default();
        while parser.peek().kind != Kind::End {
            parser.layout.definitions.push(parser.at);
            parser.definition(&mut document)?;
        }
        document.reserved = parser.reserved;
        document.facebook = parser.facebook;
        Ok((document, parser.words, parser.layout))
    }

    /// Begins the contents of a definition.
    fn open(&mut self) -> Result<()> {
        self.layout.opens.push(self.at);
        self.expect("{").map(|_| ())
    }

    /// Ends the contents of a definition, if they end here.
    fn close(&mut self) -> bool {
        let at = self.at;
        let is = self.take("}");
        if is { &mut self.layout.closes } else { &mut self.layout.items }.push(at);
        is
    }

    fn peek(&self) -> Word {
        self.words.words[self.at.min(self.words.words.len() - 1)]
    }

    fn text_of(&self, word: Word) -> &'t str {
        &self.text[word.at.range()]
    }

    fn next(&mut self) -> Word {
        let word = self.peek();
        self.at += usize::from(word.kind != Kind::End);
        word
    }

    fn is(&self, text: &str) -> bool {
        let word = self.peek();
        matches!(word.kind, Kind::Name | Kind::Symbol) && self.text_of(word) == text
    }

    /// Reports whether the word behind the next one is `text`.
    fn is_behind(&self, text: &str) -> bool {
        self.words.words.get(self.at + 1).is_some_and(|word| word.kind != Kind::Literal && self.text_of(*word) == text)
    }

    fn take(&mut self, text: &str) -> bool {
        let is = self.is(text);
        self.at += usize::from(is);
        is
    }

    fn expected(&self, what: &str) -> Box<Diagnostic> {
        let word = self.peek();
        let seen = if word.kind == Kind::End { "the end of the text".to_string() } else { format!("`{}`", self.text_of(word)) };
        Diagnostic::error("syntax", word.at, format!("expected {what}, saw {seen}")).into()
    }

    fn expect(&mut self, text: &str) -> Result<Word> {
        if self.is(text) { Ok(self.next()) } else { Err(self.expected(&format!("`{text}`"))) }
    }

    fn name(&mut self, what: &str) -> Result<Name> {
        let word = self.peek();
        if word.kind != Kind::Name {
            return Err(self.expected(what));
        }
        self.next();
        Ok(Name { text: self.text_of(word).to_string(), at: word.at })
    }

    /// Reads a name that is given here.
    fn given(&mut self, what: &str) -> Result<Name> {
        let name = self.name(what)?;
        if is_reserved(&name.text) {
            self.reserved.push(name.clone());
        }
        Ok(name)
    }

    fn literal(&mut self, what: &str) -> Result<Name> {
        let word = self.peek();
        if word.kind != Kind::Literal {
            return Err(self.expected(what));
        }
        self.next();
        Ok(Name { text: unquote(self.text_of(word)), at: word.at })
    }

    /// Enters a type or constant in another one.
    fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(
                Diagnostic::error("deep_nesting", self.peek().at, format!("more than {DEPTH} types or values within each other")).into()
            );
        }
        Ok(())
    }

    fn separator(&mut self) {
        while self.is(",") || self.is(";") {
            self.layout.separators.push(self.at);
            self.next();
        }
    }

    /// Steps over separators within a line.
    fn comma(&mut self) {
        while self.take(",") || self.take(";") {}
    }

    /// Returns the documentation before the next word: the comments that end on the line above it,
    /// or begin a line of their own.
    fn doc(&self) -> String {
        let Some(before) = self.at.checked_sub(1) else { return self.doc_from(0, 0) };
        let word = self.words.words[before];
        self.doc_from(word.comments, word.at.end as usize)
    }

    fn doc_from(&self, first: usize, from: usize) -> String {
        let word = self.peek();
        let mut lines: Vec<String> = Vec::new();
        let mut last = from;
        for comment in &self.words.comments[first..word.comments] {
            let range = comment.at.range();
            let between = &self.text[last..range.start];
            last = range.end;
            // A comment behind the word before belongs to that; an empty line ends the comments
            // before it.
            if from > 0 && !self.text[from..range.start].contains('\n') {
                continue;
            }
            if between.matches('\n').count() > 1 {
                lines.clear();
            }
            let text = &self.text[range];
            let inner = if comment.block { text[2..text.len() - 2].trim_start_matches('*') } else { text.trim_start_matches(['/', '#']) };
            lines.extend(inner.lines().map(|line| line.trim().trim_start_matches('*').trim().to_string()));
        }
        if self.text[last..word.at.start as usize].matches('\n').count() > 1 {
            lines.clear();
        }
        let start = lines.iter().position(|line| !line.is_empty()).unwrap_or(lines.len());
        let end = lines.iter().rposition(|line| !line.is_empty()).map_or(start, |end| end + 1);
        lines[start..end].join("\n")
    }

    /// Steps over what is between brackets that are open, up to `close`.
    fn balanced(&mut self, open: &str, close: &str) -> Result<()> {
        let start = self.expect(open)?;
        let mut depth = 1;
        while depth > 0 {
            if self.peek().kind == Kind::End {
                return Err(Diagnostic::error("open_bracket", start.at, format!("`{open}` without its `{close}`")).into());
            }
            if self.is(open) {
                depth += 1;
            } else if self.is(close) {
                depth -= 1;
            }
            self.next();
        }
        Ok(())
    }

    /// Steps over annotations behind a definition, `(key = "value")`. Returns whether one says that
    /// it is deprecated.
    fn annotations(&mut self) -> Result<bool> {
        let from = self.at;
        if !self.is("(") {
            return Ok(false);
        }
        self.balanced("(", ")")?;
        Ok(self.words.words[from..self.at].iter().any(|word| word.kind == Kind::Name && self.text_of(*word) == "deprecated"))
    }

    /// Steps over structured annotations before a definition, `@Name{…}`. Returns whether one says
    /// that it is deprecated.
    fn structured(&mut self) -> Result<bool> {
        let mut deprecated = false;
        while self.take("@") {
            self.facebook = true;
            let name = self.name("the name of an annotation")?;
            deprecated |= name.text.rsplit('.').next() == Some("Deprecated");
            if self.is("{") {
                self.balanced("{", "}")?;
            } else if self.is("(") {
                self.balanced("(", ")")?;
            }
        }
        Ok(deprecated)
    }

    fn definition(&mut self, document: &mut Document) -> Result<()> {
        let doc = self.doc();
        self.structured()?;
        let keyword = self.peek();
        if keyword.kind != Kind::Name {
            return Err(self.expected("a definition, such as `struct` or `include`"));
        }
        let kind = match self.text_of(keyword) {
            "include" => {
                self.next();
                document.includes.push(self.literal("the path of a text, in quotes")?);
                if self.take("as") {
                    self.name("a name for the text")?;
                }
                self.separator();
                return Ok(());
            }
            "cpp_include" | "hs_include" => {
                self.next();
                self.literal("text in quotes")?;
                self.annotations()?;
                self.separator();
                return Ok(());
            }
            // A text may say that it has none.
            "package" => {
                self.facebook = true;
                self.next();
                if self.take(";") {
                    return Ok(());
                }
                self.literal("text in quotes")?;
                self.annotations()?;
                self.separator();
                return Ok(());
            }
            "namespace" => {
                self.next();
                let language = if self.take("*") { "*".into() } else { self.name("the language of a namespace")?.text };
                // A name, which may have hyphens, or text.
                let name = if self.peek().kind == Kind::Literal { self.literal("text")? } else { self.namespace()? };
                document.namespaces.push((language, name));
                self.annotations()?;
                self.separator();
                return Ok(());
            }
            "typedef" => {
                self.next();
                let ty = self.ty()?;
                let name = self.given("the name of a type")?;
                self.annotations()?;
                self.separator();
                document.definitions.push(Definition { name, doc, kind: DefinitionKind::Typedef(ty) });
                return Ok(());
            }
            "const" => {
                self.next();
                let ty = self.ty()?;
                let name = self.given("the name of a constant")?;
                self.expect("=")?;
                let value = self.constant()?;
                self.annotations()?;
                self.separator();
                document.definitions.push(Definition { name, doc, kind: DefinitionKind::Const(ty, value) });
                return Ok(());
            }
            "enum" | "senum" => return self.enumeration(doc, document),
            "struct" => StructKind::Struct,
            "union" => StructKind::Union,
            "exception" => StructKind::Exception,
            "safe" | "transient" | "stateful" | "permanent" | "client" | "server" => {
                // Words before an exception in Facebook's dialect.
                self.next();
                return self.definition(document);
            }
            "service" => return self.service(doc, document),
            "interaction" => {
                self.facebook = true;
                self.next();
                let name = self.name("the name of an interaction")?;
                self.balanced("{", "}")?;
                self.annotations()?;
                self.separator();
                // A method may return it, but no value is one.
                let ty = TypeRef { kind: TypeKind::Stream, at: name.at };
                document.definitions.push(Definition { name, doc, kind: DefinitionKind::Typedef(ty) });
                return Ok(());
            }
            _ => return Err(self.expected("a definition, such as `struct` or `include`")),
        };
        self.next();
        let name = self.given("the name of a type")?;
        self.take("xsd_all");
        self.open()?;
        let fields = self.fields("}")?;
        self.annotations()?;
        self.separator();
        document.definitions.push(Definition { name, doc, kind: DefinitionKind::Struct(kind, fields) });
        Ok(())
    }

    fn namespace(&mut self) -> Result<Name> {
        let mut name = self.name("the name of a namespace")?;
        // The lexer takes a hyphen for the sign of a number.
        while matches!(self.peek().kind, Kind::Int) {
            let word = self.next();
            name.text.push_str(self.text_of(word));
        }
        Ok(name)
    }

    fn enumeration(&mut self, doc: String, document: &mut Document) -> Result<()> {
        let texts = self.is("senum");
        self.next();
        let name = self.given("the name of an enum")?;
        self.open()?;
        let mut members = Vec::new();
        while !self.close() {
            if texts {
                self.literal("text in quotes, or `}`")?;
                self.separator();
                continue;
            }
            self.structured()?;
            let name = self.given("a name, or `}`")?;
            let number = if self.take("=") { Some(self.int("the number of a name")?) } else { None };
            self.annotations()?;
            self.separator();
            members.push(Member { name, number });
        }
        self.annotations()?;
        self.separator();
        let kind = if texts {
            // Names of such an enum are texts on the wire.
            DefinitionKind::Typedef(TypeRef { kind: TypeKind::Base(Base::String), at: name.at })
        } else {
            DefinitionKind::Enum(members)
        };
        document.definitions.push(Definition { name, doc, kind });
        Ok(())
    }

    fn int(&mut self, what: &str) -> Result<(i64, Place)> {
        let word = self.peek();
        if word.kind != Kind::Int {
            return Err(self.expected(what));
        }
        self.next();
        Ok((number(self.text_of(word)).ok_or_else(|| wide(word.at))?, word.at))
    }

    fn fields(&mut self, close: &str) -> Result<Vec<Field>> {
        let mut fields = Vec::new();
        while if close == "}" { !self.close() } else { !self.take(close) } {
            let doc = self.doc();
            let mut deprecated = self.structured()?;
            let id = if self.peek().kind == Kind::Int { Some(self.int("the number of a field")?) } else { None };
            if id.is_some() {
                self.expect(":")?;
            }
            deprecated |= self.structured()?;
            let mut requiredness = Requiredness::Default;
            for (word, meaning) in
                [("required", Requiredness::Required), ("optional", Requiredness::Optional), ("terse", Requiredness::Default)]
            {
                // A type may have such a name.
                if self.is(word) && !self.is_behind("=") {
                    self.next();
                    requiredness = meaning;
                    break;
                }
            }
            let ty = self.ty()?;
            self.take("&");
            let name = self.given("the name of a field")?;
            let default = if self.take("=") { Some(self.constant()?) } else { None };
            self.take("xsd_optional");
            self.take("xsd_nillable");
            if self.take("xsd_attrs") {
                self.balanced("{", "}")?;
            }
            deprecated |= self.annotations()?;
            if close == "}" {
                self.separator();
            } else {
                self.comma();
            }
            fields.push(Field { id, requiredness, ty, name, default, doc, deprecated });
        }
        Ok(fields)
    }

    fn ty(&mut self) -> Result<TypeRef> {
        self.enter()?;
        let word = self.peek();
        let name = self.name("a type")?;
        let kind = match &*name.text {
            "bool" => TypeKind::Base(Base::Bool),
            "byte" | "i8" => TypeKind::Base(Base::I8),
            "i16" => TypeKind::Base(Base::I16),
            "i32" => TypeKind::Base(Base::I32),
            "i64" => TypeKind::Base(Base::I64),
            "double" => TypeKind::Base(Base::Double),
            "float" => TypeKind::Base(Base::Float),
            "string" | "slist" => TypeKind::Base(Base::String),
            "binary" => TypeKind::Base(Base::Binary),
            "uuid" => TypeKind::Base(Base::Uuid),
            "list" | "set" | "map" | "hash_map" | "hash_set" => {
                self.cpp_type()?;
                self.expect("<")?;
                let first = Box::new(self.ty()?);
                let kind = match &*name.text {
                    "list" => TypeKind::List(first),
                    "set" | "hash_set" => TypeKind::Set(first),
                    _ => {
                        self.expect(",")?;
                        TypeKind::Map(first, Box::new(self.ty()?))
                    }
                };
                self.take(",");
                self.expect(">")?;
                self.cpp_type()?;
                kind
            }
            "stream" | "sink" if self.is("<") => {
                self.balanced("<", ">")?;
                TypeKind::Stream
            }
            _ => TypeKind::Named(name.text),
        };
        self.annotations_of_type()?;
        self.depth -= 1;
        Ok(TypeRef { kind, at: word.at })
    }

    fn cpp_type(&mut self) -> Result<()> {
        if self.take("cpp_type") {
            self.literal("a type of C++ in quotes")?;
        }
        Ok(())
    }

    /// Steps over annotations of a type. Arguments of a method also begin with `(`, but behind a
    /// name.
    fn annotations_of_type(&mut self) -> Result<()> {
        if self.is("(") { self.balanced("(", ")") } else { Ok(()) }
    }

    fn service(&mut self, doc: String, document: &mut Document) -> Result<()> {
        self.next();
        let name = self.given("the name of a service")?;
        let extends = if self.take("extends") { Some(self.name("the name of a service")?) } else { None };
        self.open()?;
        let mut functions = Vec::new();
        while !self.close() {
            self.structured()?;
            if self.is("performs") {
                self.next();
                self.name("the name of an interaction")?;
                self.separator();
                continue;
            }
            functions.push(self.function()?);
        }
        self.annotations()?;
        self.separator();
        document.definitions.push(Definition { name, doc, kind: DefinitionKind::Service { extends, functions } });
        Ok(())
    }

    fn function(&mut self) -> Result<Function> {
        let oneway = self.take("oneway") || self.take("async");
        for word in ["idempotent", "readonly", "static"] {
            if self.is(word) {
                self.next();
            }
        }
        let mut returns = if self.take("void") { None } else { Some(self.ty()?) };
        // A first reply before a stream, in Facebook's dialect.
        while self.take(",") {
            let next = if self.take("void") { None } else { Some(self.ty()?) };
            if returns.is_none() {
                returns = next;
            }
        }
        let name = self.given("the name of a method")?;
        self.layout.calls.push(self.at);
        self.expect("(")?;
        let arguments = self.fields(")")?;
        let throws = if self.take("throws") {
            self.expect("(")?;
            self.fields(")")?
        } else {
            Vec::new()
        };
        self.annotations()?;
        self.separator();
        Ok(Function { name, oneway, returns, arguments, throws })
    }

    fn constant(&mut self) -> Result<Const> {
        self.enter()?;
        let word = self.peek();
        let kind = match word.kind {
            Kind::Int => {
                self.next();
                ConstKind::Int(number(self.text_of(word)).ok_or_else(|| wide(word.at))?)
            }
            Kind::Double => {
                self.next();
                ConstKind::Double(self.text_of(word).trim_start_matches('+').parse().unwrap_or_default())
            }
            Kind::Literal => ConstKind::Text(self.literal("text")?.text),
            Kind::Name => {
                self.next();
                if self.is("{") { self.map()? } else { ConstKind::Name(self.text_of(word).to_string()) }
            }
            _ if self.is("{") => self.map()?,
            _ if self.take("[") => {
                let mut items = Vec::new();
                while !self.take("]") {
                    items.push(self.constant()?);
                    self.comma();
                }
                ConstKind::List(items)
            }
            _ => return Err(self.expected("a value")),
        };
        self.depth -= 1;
        Ok(Const { kind, at: word.at })
    }

    /// Reads `{key: value, …}`, or the fields of a struct in Facebook's dialect, `{name = value,
    /// …}`.
    fn map(&mut self) -> Result<ConstKind> {
        self.expect("{")?;
        let mut pairs = Vec::new();
        while !self.take("}") {
            let mut key = self.constant()?;
            if self.take("=") {
                if let ConstKind::Name(name) = key.kind {
                    key.kind = ConstKind::Text(name);
                }
            } else {
                self.expect(":")?;
            }
            pairs.push((key, self.constant()?));
            self.comma();
        }
        Ok(ConstKind::Map(pairs))
    }
}

fn wide(at: Place) -> Box<Diagnostic> {
    Diagnostic::error("wide_number", at, "a number of more than 64 bits").into()
}

/// Reads a whole number, in decimal or hexadecimal digits.
fn number(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes()[0] {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => i128::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    i64::try_from(if negative { -value } else { value }).ok()
}
