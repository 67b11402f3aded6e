//! Texts to drafts: the parts that both syntaxes share. An error discards the entry that contains
//! it, and parsing continues after it.

use polywire_core::text::diagnostic::{Place, Source};
use polywire_core::text::sources::MAX_TEXT;

use super::check::Finding;
use super::draft::{At, Draft, at};
use super::lex::{self, Word, WordKind};
use crate::error::{Problem, Revision};

/// Returns the text, its draft if there is one, and syntax errors.
pub(crate) fn draft(name: &str, bytes: &[u8]) -> (Source, Option<Draft>, Vec<Finding>) {
    let refused = |problem, message: String, shown: String, at: usize| {
        let finding = Finding::new(problem, Revision::B, lex::place(at, at), message);
        (Source::new(name, shown), None, vec![finding])
    };
    if bytes.len() > MAX_TEXT {
        return refused(Problem::Limit, format!("more than {MAX_TEXT} bytes"), String::new(), 0);
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return refused(Problem::TextEncoding, "a byte order mark of UTF-16 or UTF-32".into(), String::new(), 0);
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let at = error.valid_up_to();
            let shown = String::from_utf8_lossy(&bytes[..at]).into_owned();
            return refused(Problem::Syntax, format!("byte {:#04x} is not valid UTF-8", bytes[at]), shown, at);
        }
    };
    let revision = if lex::looks_like_a(text.trim_start_matches('\u{feff}')) { Revision::A } else { Revision::B };
    let mut parser = Parser { text, words: lex::words(text, revision), next: 0, revision, findings: Vec::new(), depth: 0, explicit: None };
    let draft = if revision.is_a() { parser.dictionary_a() } else { parser.dictionary_b() };
    (Source::new(name, text), draft, parser.findings)
}

/// An error was reported, and it ends the entry that contains it.
pub(crate) struct Reported;

pub(crate) type Parsed<T> = Result<T, Reported>;

/// Most errors reported for one text.
const MOST: usize = 100;

pub(crate) struct Parser<'t> {
    pub(crate) text: &'t str,
    words: Vec<Word>,
    next: usize,
    pub(crate) revision: Revision,
    pub(crate) findings: Vec<Finding>,
    /// Number of enclosing structures.
    pub(crate) depth: usize,
    /// True if ids are explicit, once that is known (B).
    pub(crate) explicit: Option<bool>,
}

impl<'t> Parser<'t> {
    pub(crate) fn peek(&self) -> Word {
        self.words[self.next]
    }

    pub(crate) fn take(&mut self) -> Word {
        let word = self.peek();
        if word.kind != WordKind::End {
            self.next += 1;
        }
        word
    }

    pub(crate) fn spelled(&self, word: Word) -> &'t str {
        &self.text[word.at.range()]
    }

    /// Reports that something else was expected here.
    #[cold]
    pub(crate) fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let word = self.peek();
        let seen = match word.kind {
            WordKind::End => "the end of the text".to_string(),
            WordKind::Illegal if self.spelled(word).starts_with('"') => "a text without its closing quote".to_string(),
            WordKind::Keyword(keyword) => format!("the keyword `{keyword}`"),
            _ => format!("`{}`", self.spelled(word)),
        };
        let mut finding = Finding::new(Problem::Syntax, self.revision, word.at, format!("expected {what}, saw {seen}"));
        if word.kind == WordKind::Illegal && matches!(self.spelled(word), "/" | "#") {
            finding = finding.hint("dictionaries have no comments");
        }
        self.report(finding);
        Err(Reported)
    }

    pub(crate) fn report(&mut self, finding: Finding) {
        if self.findings.len() < MOST {
            self.findings.push(finding);
        }
    }

    pub(crate) fn is(&self, kind: WordKind) -> bool {
        self.peek().kind == kind
    }

    /// Takes the word if it is of that kind.
    pub(crate) fn took(&mut self, kind: WordKind) -> Option<Word> {
        self.is(kind).then(|| self.take())
    }

    pub(crate) fn sign(&mut self, sign: u8) -> Parsed<Word> {
        match self.took(WordKind::Sign(sign)) {
            Some(word) => Ok(word),
            None => self.expected(&format!("`{}`", char::from(sign))),
        }
    }

    pub(crate) fn keyword(&mut self, keyword: &'static str) -> Parsed<Word> {
        match self.took(WordKind::Keyword(keyword)) {
            Some(word) => Ok(word),
            None => self.expected(&format!("`{keyword}`")),
        }
    }

    pub(crate) fn name(&mut self, what: &str) -> Parsed<At<String>> {
        match self.took(WordKind::Name) {
            Some(word) => Ok(at(self.spelled(word).to_string(), word.at)),
            None => self.expected(what),
        }
    }

    pub(crate) fn number(&mut self, what: &str) -> Parsed<At<i128>> {
        match self.took(WordKind::Number) {
            Some(word) => Ok(at(whole(self.spelled(word)), word.at)),
            None => self.expected(what),
        }
    }

    /// Skips the words up to the byte `end`.
    pub(crate) fn skip_to(&mut self, end: u32) {
        while self.peek().kind != WordKind::End && self.peek().at.start < end {
            self.next += 1;
        }
    }

    /// Skips the rest of an entry with an error: past its `;` or the `}` that ends its fields, or
    /// up to the `}` of the enclosing list.
    pub(crate) fn recover(&mut self) {
        let mut open = 0usize;
        loop {
            match self.peek().kind {
                WordKind::End => return,
                WordKind::Sign(b'{') => open += 1,
                WordKind::Sign(b'}') if open == 0 => return,
                WordKind::Sign(b'}') => {
                    open -= 1;
                    if open == 0 && self.revision.is_a() {
                        self.take();
                        return;
                    }
                }
                WordKind::Sign(b';') if open == 0 => {
                    self.take();
                    return;
                }
                _ => {}
            }
            self.take();
        }
    }

    /// Parses the end of a list that needs an entry.
    pub(crate) fn closing(&mut self, some: bool, what: &str) -> Parsed<Place> {
        if !some && self.is(WordKind::Sign(b'}')) {
            return self.expected(what);
        }
        self.sign(b'}').map(|word| word.at)
    }

    pub(crate) fn nothing_behind(&mut self) {
        if !self.is(WordKind::End) {
            let _ = self.expected::<()>("the end of the text");
        }
    }
}

/// Returns the number of these digits, or a number out of all bounds if there are too many.
fn whole(digits: &str) -> i128 {
    digits.parse().unwrap_or(if digits.starts_with('-') { i128::MIN } else { i128::MAX })
}
