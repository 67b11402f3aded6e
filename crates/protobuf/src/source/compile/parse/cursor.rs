//! The parser's place in the text, and the locations that it records.

use polywire_core::text::diagnostic::{Diagnostic, Place};

use super::super::comments::{self, Comments};
use super::super::lex::{Kind, Lexer, Token};
use super::super::literal;
use super::super::unit::{OptionSet, Syntax};
use super::{Failed, Parsed};
use crate::descriptor::{Location, Packed};

/// Reads words one at a time, and records what they make up.
pub(in super::super) struct Parser<'t> {
    pub(super) lexer: Lexer<'t>,
    /// The word to be read next.
    pub(super) now: Token,
    /// The last word that was read.
    pub(super) last: Token,
    pub(super) syntax: Syntax,
    pub(super) locations: Vec<Location>,
    pub(super) spans: Vec<(u32, u32)>,
    pub(super) sets: Vec<OptionSet>,
    /// Messages around the current one.
    pub(super) depth: u32,
    /// Places that were copied for the options of several extension ranges.
    pub(super) copied: usize,
    /// Comments before the next word.
    leading: String,
    detached: Vec<String>,
}

impl<'t> Parser<'t> {
    pub fn new(text: &'t str, source: u32) -> Parser<'t> {
        let mut lexer = Lexer::new(text, source);
        let (now, Comments { detached, leading, .. }) = comments::next(&mut lexer, true);
        Parser {
            lexer,
            now,
            last: now,
            syntax: Syntax::Proto2,
            locations: Vec::new(),
            spans: Vec::new(),
            sets: Vec::new(),
            depth: 0,
            copied: 0,
            leading,
            detached,
        }
    }

    pub(super) fn text(&self, token: Token) -> &'t str {
        &self.lexer.text[token.start as usize..token.end as usize]
    }

    pub(super) fn at(&self, word: &str) -> bool {
        self.text(self.now) == word
    }

    pub(super) fn at_end(&self) -> bool {
        self.now.kind == Kind::End
    }

    pub(super) fn place(&self, token: Token) -> Place {
        self.lexer.place(token.start as usize, token.end as usize)
    }

    pub(super) fn next(&mut self) {
        self.last = self.now;
        self.now = self.lexer.next();
    }

    /// Notes a fault at a word.
    pub(super) fn wrong(&mut self, token: Token, message: impl Into<String>, hint: &str) {
        let place = self.place(token);
        self.lexer.fault(Diagnostic::error("schema_error", place, message).hint(hint));
    }

    /// Notes that the next word is another than expected.
    #[cold]
    pub(super) fn expected(&mut self, what: &str) -> Failed {
        let seen = if self.at_end() { "the end of the text".to_string() } else { format!("'{}'", shortened(self.text(self.now))) };
        let place = self.place(self.now);
        self.lexer.fault(Diagnostic::error("schema_error", place, format!("expected {what}, but found {seen}")).label("found here"));
        Failed
    }

    pub(super) fn try_word(&mut self, word: &str) -> bool {
        let found = self.at(word);
        if found {
            self.next();
        }
        found
    }

    pub(super) fn word(&mut self, word: &str) -> Parsed {
        if self.try_word(word) { Ok(()) } else { Err(self.expected(&format!("'{word}'"))) }
    }

    pub(super) fn name(&mut self, what: &str) -> Parsed<String> {
        if self.now.kind != Kind::Word {
            return Err(self.expected(what));
        }
        let name = self.text(self.now).to_string();
        self.next();
        Ok(name)
    }

    /// Reads names with points between them, after an optional first point.
    pub(super) fn path_name(&mut self, what: &str) -> Parsed<String> {
        let mut name = String::new();
        if self.try_word(".") {
            name.push('.');
        }
        name.push_str(&self.name(what)?);
        while self.try_word(".") {
            name.push('.');
            name.push_str(&self.name("a name behind the point")?);
        }
        Ok(name)
    }

    /// Reads an integer up to a limit. A larger one is a fault, and read as 0.
    pub(super) fn integer(&mut self, most: u64, what: &str) -> Parsed<u64> {
        if self.now.kind != Kind::Integer {
            return Err(self.expected(what));
        }
        let value = literal::integer(self.text(self.now)).filter(|value| *value <= most);
        if value.is_none() {
            self.wrong(self.now, format!("the number {} is out of range", shortened(self.text(self.now))), &format!("at most {most}"));
        }
        self.next();
        Ok(value.unwrap_or(0))
    }

    /// Reads one or more strings, which are one.
    pub(super) fn string(&mut self, what: &str) -> Parsed<Vec<u8>> {
        if self.now.kind != Kind::Text {
            return Err(self.expected(what));
        }
        let mut value = Vec::new();
        while self.now.kind == Kind::Text {
            if literal::string(self.text(self.now), &mut value).is_none() {
                self.wrong(self.now, "an escape that strings do not have", "write `\\\\` for a backslash");
            }
            self.next();
        }
        Ok(value)
    }

    /// Reads a string that is text.
    pub(super) fn utf8(&mut self, what: &str) -> Parsed<String> {
        let first = self.now;
        let bytes = self.string(what)?;
        match String::from_utf8(bytes) {
            Ok(text) => Ok(text),
            Err(_) => {
                self.wrong(first, "a string that is no UTF-8 text", "write the characters themselves");
                Ok(String::new())
            }
        }
    }

    /// Reads the word that ends a declaration or its head, if it is next. The comments behind it go
    /// to the location.
    pub(super) fn try_end(&mut self, word: &str, location: Option<usize>) -> bool {
        if !self.at(word) {
            return false;
        }
        self.last = self.now;
        let (now, found) = comments::next(&mut self.lexer, false);
        self.now = now;
        let leading = std::mem::replace(&mut self.leading, found.leading);
        match location {
            Some(at) => {
                let detached = std::mem::replace(&mut self.detached, found.detached);
                let some = |text: String| (!text.is_empty()).then_some(text);
                let location = &mut self.locations[at];
                location.leading_comments = some(leading);
                location.trailing_comments = some(found.trailing);
                location.leading_detached_comments = detached;
            }
            None if word == "}" => self.detached = found.detached,
            None => self.detached.extend(found.detached),
        }
        true
    }

    pub(super) fn end(&mut self, word: &str, location: usize) -> Parsed {
        if self.try_end(word, Some(location)) { Ok(()) } else { Err(self.expected(&format!("'{word}'"))) }
    }

    /// Starts a location at the next word, and returns its index.
    pub(super) fn open(&mut self, path: &[i32], more: &[i32]) -> usize {
        let span = vec![self.now.line as i32, self.now.column as i32];
        let path = Packed([path, more].concat());
        self.locations.push(Location { path, span: Packed(span), ..Location::default() });
        self.spans.push((self.now.start, self.now.end));
        self.locations.len() - 1
    }

    /// Moves the start of a location to an earlier word.
    pub(super) fn start_at(&mut self, location: usize, token: Token) {
        self.locations[location].span.0[..2].copy_from_slice(&[token.line as i32, token.column as i32]);
        self.spans[location].0 = token.start;
    }

    /// Ends a location behind a word.
    pub(super) fn end_at(&mut self, location: usize, token: Token) {
        let span = &mut self.locations[location].span.0;
        span.truncate(2);
        if span[0] != token.line as i32 {
            span.push(token.line as i32);
        }
        span.push(token.end_column as i32);
        self.spans[location].1 = token.end.max(self.spans[location].0);
    }

    /// Ends a location behind the last word.
    pub(super) fn close(&mut self, location: usize) {
        self.end_at(location, self.last);
    }

    /// Steps over the rest of a statement.
    pub(super) fn skip_statement(&mut self) {
        while !self.at_end() && !self.try_end(";", None) {
            if self.at("}") {
                return;
            }
            if self.try_word("{") {
                return self.skip_block();
            }
            self.next();
        }
    }

    fn skip_block(&mut self) {
        let mut open = 1u32;
        while !self.at_end() {
            if self.try_end("}", None) {
                open -= 1;
                if open == 0 {
                    return;
                }
            } else {
                open += u32::from(self.at("{"));
                self.next();
            }
        }
    }
}

/// Returns the start of a word.
pub(in super::super) fn shortened(word: &str) -> &str {
    word.char_indices().nth(60).map_or(word, |(end, _)| &word[..end])
}
