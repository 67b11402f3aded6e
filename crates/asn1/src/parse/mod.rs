//! Parsing of words into the syntax tree.

mod class;
mod constraint;
mod json;
mod module;
mod types;
mod value;

pub use types::plain_name;

use polywire_core::text::diagnostic::{Diagnostic, Place};
use smol_str::SmolStr;

use crate::lex::{Kind, Word, Words};
use crate::syntax::{Module, Name, Span};

/// Result of a step of the parser. A diagnostic is an error.
pub type Parsed<T> = Result<T, Box<Diagnostic>>;

/// Reason of a refusal.
pub(crate) trait By {
    /// Names the paragraph of the standard that the text breaks, unless a step within has named its
    /// own.
    fn by(self, paragraph: &str) -> Self;
}

impl<T> By for Parsed<T> {
    fn by(self, paragraph: &str) -> Parsed<T> {
        self.map_err(|mut error| {
            if error.hint.is_empty() {
                error.hint = paragraph.to_string();
            }
            error
        })
    }
}

/// Depth of types, values and constraints within each other. Real modules stay below 30; each level
/// takes some kilobytes of stack.
pub const MAX_NESTING: u32 = 100;

/// Returns the modules of a text. Errors and cautions go to `found`; a part with an error is left
/// out, and parsing goes on behind it.
pub fn modules(words: &Words, found: &mut Vec<Diagnostic>) -> Vec<Module> {
    let mut parser = Parser::new(words);
    let modules = parser.modules();
    found.append(&mut parser.found);
    modules
}

/// Reading position in the words of a text.
#[derive(Debug)]
pub struct Parser<'w> {
    words: &'w Words,
    at: usize,
    end: usize,
    depth: u32,
    /// Encoding whose instructions are the prefixes without a reference, if these are no tags
    /// (X.680 31.3).
    pub(crate) instructions: Option<SmolStr>,
    /// Macros that the text defines (X.208).
    macros: Vec<SmolStr>,
    /// Errors and cautions so far.
    pub found: Vec<Diagnostic>,
}

impl<'w> Parser<'w> {
    /// Returns a parser of the whole text.
    pub fn new(words: &'w Words) -> Parser<'w> {
        let end = words.words.len().saturating_sub(1);
        Parser { words, at: 0, end, depth: 0, instructions: None, macros: Vec::new(), found: Vec::new() }
    }

    /// Returns a parser of some words.
    pub fn over(words: &'w Words, span: Span) -> Parser<'w> {
        Parser { at: span.start as usize, end: span.end as usize, ..Parser::new(words) }
    }

    /// Returns a parser of the words between the braces that `span` starts and ends with.
    pub fn inside(words: &'w Words, span: Span) -> Parser<'w> {
        Parser::over(words, Span { start: span.start + 1, end: span.end.saturating_sub(1).max(span.start + 1) })
    }

    /// Returns the index of the next word.
    pub fn position(&self) -> u32 {
        self.at as u32
    }

    /// Goes back to a word.
    pub fn return_to(&mut self, position: u32) {
        self.at = position as usize;
    }

    /// Returns whether no word is left.
    pub fn is_done(&self) -> bool {
        self.at >= self.end
    }

    /// Returns the word `ahead` places on.
    pub fn ahead(&self, ahead: usize) -> Word {
        let index = self.at + ahead;
        match self.words.words.get(index) {
            Some(word) if index < self.end => *word,
            // The end of a range of words is at the word behind it.
            _ => {
                let at = self.words.words.get(self.end).map_or(self.words.text.len() as u32, |word| word.start);
                Word { kind: Kind::End, first: true, start: at, end: at }
            }
        }
    }

    /// Returns the next word.
    pub fn peek(&self) -> Word {
        self.ahead(0)
    }

    /// Returns the next word as text.
    pub fn peek_text(&self) -> &'w str {
        self.text(self.peek())
    }

    fn text(&self, word: Word) -> &'w str {
        self.words.of(word)
    }

    /// Takes the next word.
    pub fn take(&mut self) -> Word {
        let word = self.peek();
        if self.at < self.end {
            self.at += 1;
        }
        word
    }

    /// Returns the place of a word.
    pub fn place(&self, word: Word) -> Place {
        self.words.place(word)
    }

    /// Takes the next word and returns its place.
    fn take_place(&mut self) -> Place {
        let word = self.take();
        self.place(word)
    }

    /// Returns the words from a position to here.
    fn span_from(&self, start: usize) -> Span {
        Span { start: start as u32, end: self.at as u32 }
    }

    /// Returns the place of the words from a position to here.
    fn place_from(&self, start: usize) -> Place {
        let first = self.words.words[start.min(self.words.words.len() - 1)];
        let last = if self.at > start { self.words.words[self.at - 1] } else { first };
        self.place(first).to(self.place(last))
    }

    /// Returns whether the word `ahead` places on is this keyword.
    pub fn is_word(&self, ahead: usize, keyword: &str) -> bool {
        let word = self.ahead(ahead);
        word.kind == Kind::Upper && self.text(word) == keyword
    }

    /// Returns whether the next word is this keyword.
    pub fn is(&self, keyword: &str) -> bool {
        self.is_word(0, keyword)
    }

    /// Takes the next word if it is this keyword.
    pub fn eat(&mut self, keyword: &str) -> bool {
        let is = self.is(keyword);
        self.at += usize::from(is);
        is
    }

    /// Returns whether the next word is this sign.
    pub fn is_sign(&self, sign: char) -> bool {
        self.peek().kind == Kind::Sign(sign)
    }

    /// Takes the next word if it is this sign.
    pub fn eat_sign(&mut self, sign: char) -> bool {
        let is = self.is_sign(sign);
        self.at += usize::from(is);
        is
    }

    /// Takes the next word if it is of this kind.
    pub fn eat_kind(&mut self, kind: Kind) -> bool {
        let is = self.peek().kind == kind && kind != Kind::End;
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, keyword: &str) -> Parsed<()> {
        if self.eat(keyword) { Ok(()) } else { Err(self.expected(&format!("`{keyword}`"))) }
    }

    /// Takes the next word, which must be this sign.
    pub fn expect_sign(&mut self, sign: char) -> Parsed<()> {
        if self.eat_sign(sign) { Ok(()) } else { Err(self.expected(&format!("`{sign}`"))) }
    }

    /// Takes a name of a kind.
    fn expect_name(&mut self, kind: Kind, what: &str) -> Parsed<Name> {
        if self.peek().kind == kind { Ok(self.name()) } else { Err(self.expected(what)) }
    }

    /// Takes the next word as a name.
    pub fn name(&mut self) -> Name {
        let word = self.take();
        let text = self.text(word);
        Name { text: SmolStr::new(text.strip_prefix('&').unwrap_or(text)), at: self.place(word) }
    }

    /// Returns the error that another word is expected here.
    pub fn expected(&self, what: &str) -> Box<Diagnostic> {
        let word = self.peek();
        let seen = match word.kind {
            Kind::End => "the end".to_string(),
            _ => format!("`{}`", shortened(self.text(word))),
        };
        Box::new(
            Diagnostic::error("unexpected_word", self.place(word), format!("{seen} where {what} is expected")).detail("expected", what),
        )
    }

    /// Notes a form that is common and not standard.
    fn caution(&mut self, code: &'static str, at: Place, message: impl Into<String>, hint: &str) {
        self.found.push(Diagnostic::warning(code, at, message).hint(hint));
    }

    /// Runs a step one level deeper.
    fn deeper<T>(&mut self, step: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            let place = self.place(self.peek());
            return Err(Box::new(
                Diagnostic::error("too_deep", place, format!("more than {MAX_NESTING} types or values are within each other"))
                    .hint("give a name to the inner ones"),
            ));
        }
        self.depth += 1;
        let result = step(self);
        self.depth -= 1;
        result
    }

    /// Takes an opening sign and everything up to its closing one.
    pub fn balanced(&mut self) -> Parsed<Span> {
        let start = self.at;
        let mut open = Vec::new();
        loop {
            let word = self.peek();
            match word.kind {
                Kind::Sign('{') => open.push('}'),
                Kind::Sign('(') => open.push(')'),
                Kind::Sign('}' | ')') => {
                    let sign = if word.kind == Kind::Sign('}') { '}' } else { ')' };
                    if open.pop() != Some(sign) {
                        return Err(self.expected("the sign that closes the one before"));
                    }
                }
                Kind::End => {
                    let opened = self.words.words[start];
                    return Err(Box::new(
                        Diagnostic::error("open_braces", self.place(opened), format!("`{}` has no closing sign", self.text(opened)))
                            .related(self.place(word), "the text ends here"),
                    ));
                }
                _ => {}
            }
            self.at += 1;
            if open.is_empty() {
                return Ok(self.span_from(start));
            }
        }
    }

    /// Fails unless all words are taken.
    pub fn expect_done(&self, what: &str) -> Parsed<()> {
        if self.is_done() { Ok(()) } else { Err(self.expected(what)) }
    }
}

/// Returns the first characters of a word, so that an error stays on one line.
fn shortened(word: &str) -> String {
    let mut short: String = word.chars().take(40).map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    if short.len() < word.len() {
        short.push('…');
    }
    short
}
