//! Lexis (docs/spec/ql.md 2): gaps, words, quotes, digits, comments; and the error of a script that
//! does not parse.

use polywire_core::text::diagnostic::{Diagnostic, Place};

use super::ast::{At, Comment, Quoted, Word};
use super::limits::{MAX_DEPTH, MAX_SCRIPT};

/// A choice did not fit. The cursor knows more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Miss;

pub(super) type Fit<T> = Result<T, Miss>;

/// A place in a script, and the furthest place where reading failed.
pub(super) struct Cursor<'t> {
    text: &'t str,
    pub(super) at: usize,
    far: usize,
    expected: Vec<&'static str>,
    /// A mistake that no other choice makes good.
    fatal: Option<Diagnostic>,
    depth: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Cursor<'t> {
        let mut this = Cursor { text, at: 0, far: 0, expected: Vec::new(), fatal: None, depth: 0 };
        if text.len() > MAX_SCRIPT {
            let _ = this.fatal::<()>(
                "script_too_long",
                this.place(0, 0),
                format!("a script of {} bytes, more than {MAX_SCRIPT}", text.len()),
                "cut it in several",
            );
        }
        this
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(super) fn slice(&self, start: usize) -> &'t str {
        &self.text[start..self.at]
    }

    fn place(&self, start: usize, end: usize) -> Place {
        Place { source: 0, start: u32::try_from(start).unwrap_or(u32::MAX), end: u32::try_from(end).unwrap_or(u32::MAX) }
    }

    pub(super) fn since(&self, start: usize) -> At {
        At(self.place(start, self.at))
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn is_fatal(&self) -> bool {
        self.fatal.is_some()
    }

    /// Records that this choice does not fit here: `expected` would have.
    pub(super) fn miss<T>(&mut self, expected: &'static str) -> Fit<T> {
        self.miss_at(self.at, expected)
    }

    fn miss_at<T>(&mut self, at: usize, expected: &'static str) -> Fit<T> {
        if at > self.far {
            self.far = at;
            self.expected.clear();
        }
        if at == self.far && !self.expected.contains(&expected) {
            self.expected.push(expected);
        }
        Err(Miss)
    }

    /// Records a mistake: no choice can fit.
    pub(super) fn fatal<T>(&mut self, code: &'static str, at: Place, message: impl Into<String>, hint: &str) -> Fit<T> {
        if self.fatal.is_none() {
            self.fatal = Some(Diagnostic::error(code, at, message).hint(hint));
        }
        Err(Miss)
    }

    /// Records that the script is wrong where reading came furthest: no other choice is tried.
    pub(super) fn commit<T>(&mut self) -> Fit<T> {
        if self.fatal.is_none() {
            self.fatal = Some(self.furthest());
        }
        Err(Miss)
    }

    /// Returns the error.
    pub(super) fn diagnose(&mut self) -> Diagnostic {
        let furthest = self.furthest();
        self.fatal.take().unwrap_or(furthest)
    }

    fn furthest(&self) -> Diagnostic {
        let rest = &self.text[self.far..];
        let length = match rest.chars().next() {
            None => 0,
            Some(c) if is_word_start(c) || c.is_ascii_digit() => rest.find(|c| !is_word_char(c)).unwrap_or(rest.len()),
            Some(c) => c.len_utf8(),
        };
        let found = match rest.chars().next() {
            None => "the end of the script".to_string(),
            Some(c) if is_line_end(c) => "the end of the line".to_string(),
            Some(c) if is_blank(c) => "a blank".to_string(),
            Some(_) => format!("`{}`", rest[..length].chars().take(40).collect::<String>()),
        };
        let expected = match self.expected.split_last() {
            None => "nothing more".to_string(),
            Some((only, [])) => (*only).to_string(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
        };
        Diagnostic::error("syntax", self.place(self.far, self.far + length), format!("expected {expected}, saw {found}"))
            .detail("expected", self.expected.join("\n"))
            .detail("found", rest[..length].chars().take(40).collect::<String>())
            .hint(self.advice(rest))
    }

    /// Returns whether the furthest failure is at `order by` or `group by`, or between the words.
    fn sorts(&self, rest: &str) -> bool {
        ["order", "group"].iter().any(|word| {
            let by = |text: &str| text.trim_start().starts_with("by ");
            let between = self.text[..self.far].trim_end().ends_with(word) && by(rest);
            between || rest.strip_prefix(word).is_some_and(by)
        })
    }

    /// Returns a hint for the furthest failure, if its looks allow one.
    fn advice(&self, rest: &str) -> &'static str {
        let line = rest.trim_start_matches(is_line_end);
        let blank_line = |text: &str| {
            let after = text.trim_start_matches(is_blank);
            after.len() < text.len() && after.starts_with(is_line_end)
        };
        if blank_line(line) || (self.text[..self.far].ends_with(is_blank) && rest.starts_with(is_line_end)) {
            "a line that holds nothing but blanks cannot stand inside a statement: remove its blanks, or the line"
        } else if self.sorts(rest) {
            "there is no `order by` and no `group by`: sort by a parameter of the service, or in a function"
        } else if rest.starts_with("--") || rest.starts_with("/*") {
            "comments stand between statements, not inside of one"
        } else if self.expected.contains(&"a value") && rest.starts_with(is_word_start) {
            "text in a value, and each name of an object's member, stands in quotes"
        } else {
            ""
        }
    }

    /// Runs `read` one level deeper.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Fit<T>) -> Fit<T> {
        if self.depth == MAX_DEPTH {
            let here = self.place(self.at, self.at);
            return self.fatal(
                "too_deep",
                here,
                format!("more than {MAX_DEPTH} levels within each other"),
                "name the inner parts and refer to them",
            );
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Tries `read`; if it does not fit, nothing is taken.
    pub(super) fn maybe<T>(&mut self, read: impl FnOnce(&mut Self) -> Fit<T>) -> Fit<Option<T>> {
        let start = self.at;
        match read(self) {
            Ok(value) => Ok(Some(value)),
            Err(Miss) if self.fatal.is_some() => Err(Miss),
            Err(Miss) => {
                self.at = start;
                Ok(None)
            }
        }
    }

    /// Tries `read`. A mistake that no other choice makes good is forgotten if `other` fits at its
    /// place. Nothing is taken unless `read` fits.
    pub(super) fn pardoned<T, U>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Fit<T>,
        other: impl FnOnce(&mut Self) -> Fit<U>,
    ) -> Fit<Option<T>> {
        let start = self.at;
        if let Ok(value) = read(self) {
            return Ok(Some(value));
        }
        self.at = start;
        if let Some(mistake) = self.fatal.take() {
            let fits = other(self).is_ok();
            self.at = start;
            if !fits {
                self.fatal = Some(mistake);
                return Err(Miss);
            }
        }
        Ok(None)
    }

    /// Skips one gap: blanks, line ends, blanks.
    pub(super) fn gap(&mut self) {
        self.skip(is_blank);
        self.skip(is_line_end);
        self.skip(is_blank);
    }

    /// Skips any number of gaps.
    pub(super) fn wide(&mut self) {
        self.skip(|c| is_blank(c) || is_line_end(c));
    }

    fn skip(&mut self, what: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(what).len();
    }

    /// Reads a keyword or mark; anything may follow it.
    pub(super) fn token(&mut self, token: &'static str) -> Fit<()> {
        if self.rest().starts_with(token) {
            self.at += token.len();
            return Ok(());
        }
        self.miss(token)
    }

    /// Reads an optional token; returns whether it was there.
    pub(super) fn accept(&mut self, token: &'static str) -> bool {
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    /// Reads the alias behind `as`. A name before an equals sign is no alias, but the next
    /// statement.
    pub(super) fn alias(&mut self) -> Fit<Option<Word>> {
        self.maybe(|this| {
            this.gap();
            this.token("as")?;
            this.gap();
            let name = this.name("a name")?;
            let behind = this.at;
            this.gap();
            if this.rest().starts_with('=') {
                return Err(Miss);
            }
            this.at = behind;
            Ok(name)
        })
    }

    /// Reads a keyword in any letter case.
    pub(super) fn any_case(&mut self, token: &'static str) -> Fit<()> {
        match self.rest().get(..token.len()) {
            Some(head) if head.eq_ignore_ascii_case(token) => {
                self.at += token.len();
                Ok(())
            }
            _ => self.miss(token),
        }
    }

    /// Reads keywords with gaps between them.
    pub(super) fn tokens(&mut self, tokens: &[&'static str]) -> Fit<()> {
        for (n, token) in tokens.iter().enumerate() {
            if n > 0 {
                self.gap();
            }
            self.token(token)?;
        }
        Ok(())
    }

    pub(super) fn word(&mut self, what: &'static str) -> Fit<Word> {
        let start = self.at;
        match self.peek() {
            Some(c) if is_word_start(c) => self.at += 1,
            _ => return self.miss(what),
        }
        self.skip(is_word_char);
        Ok(Word { text: self.slice(start).to_string(), at: self.since(start) })
    }

    /// Reads words joined by dots.
    pub(super) fn name(&mut self, what: &'static str) -> Fit<Word> {
        let start = self.at;
        self.word(what)?;
        while self.rest().starts_with('.') && self.rest()[1..].starts_with(is_word_start) {
            self.at += 1;
            self.word("a name")?;
        }
        Ok(Word { text: self.slice(start).to_string(), at: self.since(start) })
    }

    /// Reads text in either quotes, without escapes, over line ends.
    pub(super) fn quoted(&mut self) -> Fit<Quoted> {
        let start = self.at;
        let Some(quote @ ('\'' | '"')) = self.peek() else { return self.miss("text in quotes") };
        let Some(length) = self.rest()[1..].find(quote) else {
            let here = self.place(start, start + 1);
            return self.fatal("unclosed_quote", here, "text in quotes that does not end", "close it with the quote that opens it");
        };
        self.at += length + 2;
        Ok(Word { text: self.text[start + 1..self.at - 1].to_string(), at: self.since(start) })
    }

    /// Reads a whole number, without leading zeros.
    pub(super) fn digits(&mut self) -> Fit<Word> {
        let start = self.at;
        self.skip(|c| c.is_ascii_digit());
        if self.at == start {
            return self.miss("a whole number");
        }
        let digits = self.slice(start).trim_start_matches('0');
        Ok(Word { text: if digits.is_empty() { "0" } else { digits }.to_string(), at: self.since(start) })
    }

    /// Reads a whole number that counts something.
    pub(super) fn count(&mut self) -> Fit<u64> {
        self.digits().map(|word| word.text.parse().unwrap_or(u64::MAX))
    }

    pub(super) fn comment(&mut self) -> Fit<Comment> {
        let start = self.at;
        if self.rest().starts_with("--") {
            self.at += 2;
            self.skip(|c| !is_line_end(c));
            return Ok(Comment { text: self.slice(start)[2..].to_string(), block: false, at: self.since(start) });
        }
        if self.rest().starts_with("/*") {
            let Some(length) = self.rest()[2..].find("*/") else {
                let here = self.place(start, start + 2);
                return self.fatal("unclosed_comment", here, "a comment that does not end", "close it with */");
            };
            self.at += length + 4;
            let text = &self.slice(start)[2..length + 2];
            return Ok(Comment { text: text.to_string(), block: true, at: self.since(start) });
        }
        self.miss("a comment")
    }

    /// Reads one or more items, with commas and gaps between.
    pub(super) fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Fit<T>) -> Fit<Vec<T>> {
        let mut values = vec![read(self)?];
        loop {
            let more = self.maybe(|this| {
                // The expectation is reported right behind the last value, not on the next line.
                if !this.rest().trim_start_matches(|c| is_blank(c) || is_line_end(c)).starts_with(',') {
                    return this.miss(",");
                }
                this.wide();
                this.token(",")?;
                this.wide();
                read(this)
            })?;
            match more {
                Some(value) => values.push(value),
                None => return Ok(values),
            }
        }
    }
}

pub(super) fn is_blank(c: char) -> bool {
    c == ' ' || c == '\t'
}

pub(super) fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

pub(super) fn is_word_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '$' || c == ':'
}

pub(super) fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == ':'
}
