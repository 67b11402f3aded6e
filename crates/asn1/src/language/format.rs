//! The one layout of modules. Words and comments stay as they are; white space is ours.
//!
//! Bodies of SEQUENCE, SET, CHOICE and CLASS have a line for each part; other braces do if they
//! exceed a line. Macros stay as they are written.

use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place, Source};

use crate::lex::{KEYWORDS, Kind, Word, Words};
use crate::parse;
use crate::syntax::AssignmentKind;

/// Most columns of a line, where its words allow it.
const WIDTH: usize = 100;

/// Columns of one level.
const STEP: usize = 2;

/// Formats a text.
pub fn format(name: &str, text: String) -> Result<String, Diagnostics> {
    let (words, mut found) = Words::new(0, text);
    let modules = parse::modules(&words, &mut found);
    let refused = |words: Words, found| Err(Diagnostics { sources: vec![Source::new(name, words.text)], findings: found });
    found.retain(|finding| finding.severity == polywire_core::text::diagnostic::Severity::Error);
    if !found.is_empty() {
        return refused(words, found);
    }
    let mut spans: Vec<Piece> = Vec::new();
    for assignment in modules.iter().flat_map(|module| &module.assignments) {
        let raw = matches!(assignment.kind, AssignmentKind::Macro);
        spans.push(Piece { start: assignment.span.start as usize, end: assignment.span.end as usize, raw });
    }
    let mut layout = Layout::new(&words);
    layout.text(&spans);
    let out = layout.finish();
    let (again, _) = Words::new(0, out);
    if let Some(at) = difference(&words, &again) {
        return refused(words, vec![Diagnostic::error("not_formatted", at, "the layout would change what is written here")]);
    }
    Ok(again.text)
}

/// Returns the first word or comment that another text does not have.
fn difference(one: &Words, other: &Words) -> Option<Place> {
    let mut words = one.words.iter().zip(&other.words);
    if let Some((word, _)) = words.find(|(word, same)| one.of(**word) != other.of(**same)) {
        return Some(one.place(*word));
    }
    let of = |words: &Words, (start, end): (u32, u32)| {
        let text = words.text[start as usize..end as usize].replace('\r', "");
        text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    };
    let mut comments = one.comments.iter().zip(&other.comments);
    let place = |start, end| Place { source: one.source, start, end };
    if let Some(((start, end), _)) = comments.find(|(comment, same)| of(one, **comment) != of(other, **same)) {
        return Some(place(*start, *end));
    }
    let missing = one.comments.get(other.comments.len()).map(|(start, end)| place(*start, *end));
    let more = one.words.len() != other.words.len() || one.comments.len() != other.comments.len();
    missing.or(more.then(|| place(0, 0)))
}

/// Words of an assignment.
#[derive(Debug, Clone, Copy)]
struct Piece {
    start: usize,
    end: usize,
    /// True for text that stays as it is.
    raw: bool,
}

struct Layout<'w> {
    words: &'w Words,
    /// Index of the word that closes the group of an opening word.
    close: Vec<usize>,
    /// Index of the word that opens the group around a word, or that a word closes.
    open: Vec<Option<usize>>,
    out: String,
    column: usize,
    /// Columns before the next word, if the line has none yet.
    indent: usize,
    next_comment: usize,
    /// End of what was written last, in the source.
    last: usize,
    /// True if a comment ends the line.
    full: bool,
}

impl<'w> Layout<'w> {
    fn new(words: &'w Words) -> Layout<'w> {
        let mut close = vec![0; words.words.len()];
        let mut open = vec![None; words.words.len()];
        let mut around: Vec<usize> = Vec::new();
        for (index, word) in words.words.iter().enumerate() {
            open[index] = around.last().copied();
            match word.kind {
                Kind::Sign('{' | '(' | '[') | Kind::OpenGroup => around.push(index),
                Kind::Sign('}' | ')' | ']') | Kind::CloseGroup => {
                    if let Some(start) = around.pop() {
                        close[start] = index;
                    }
                }
                _ => {}
            }
        }
        Layout { words, close, open, out: String::new(), column: 0, indent: 0, next_comment: 0, last: 0, full: false }
    }

    fn word(&self, index: usize) -> Word {
        self.words.words[index]
    }

    fn of(&self, index: usize) -> &'w str {
        self.words.of(self.word(index))
    }

    fn is_sign(&self, index: usize, sign: char) -> bool {
        self.word(index).kind == Kind::Sign(sign)
    }

    fn finish(mut self) -> String {
        let end = self.words.text.len();
        self.break_line(end, 0, true);
        self.comments(end, false);
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        self.out
    }

    fn text(&mut self, pieces: &[Piece]) {
        let end = self.words.words.len() - 1;
        let mut pieces = pieces.iter().peekable();
        let mut at = 0;
        let mut apart = true;
        let mut header = true;
        while at < end {
            while pieces.next_if(|piece| piece.start < at).is_some() {}
            match pieces.peek() {
                Some(piece) if piece.start == at => {
                    let piece = **piece;
                    let long = piece.raw || self.is_long(piece.start, piece.end);
                    let start = self.word(at).start as usize;
                    self.break_line(start, 0, true);
                    if (apart || long) && !self.out.is_empty() && !self.out.ends_with("\n\n") {
                        self.out.push('\n');
                    }
                    self.comments(start, true);
                    if self.column > 0 {
                        self.line(0);
                    }
                    if piece.raw {
                        self.raw(piece);
                    } else {
                        self.range(piece.start, piece.end, 0, false);
                    }
                    apart = long;
                    at = piece.end.max(at + 1);
                    header = false;
                }
                next => {
                    let stop = next.map_or(end, |piece| piece.start);
                    at = self.loose(at, stop, &mut header);
                    apart = true;
                }
            }
        }
    }

    /// Writes words outside of assignments: the head of a module, exports, imports, `END`. Returns
    /// the index of the next word.
    fn loose(&mut self, at: usize, stop: usize, header: &mut bool) -> usize {
        match self.of(at) {
            "BEGIN" => {
                self.alone(at);
                *header = false;
                at + 1
            }
            "END" => {
                self.break_line(self.word(at).start as usize, 0, false);
                if !self.out.ends_with("\n\n") && !self.out.is_empty() {
                    self.out.push('\n');
                }
                self.put(at, false);
                *header = true;
                at + 1
            }
            "EXPORTS" | "IMPORTS" if !*header => self.symbols(at, stop),
            _ => {
                // A head is on one line, as far as it fits.
                let mut end = at + 1;
                while end < stop && !matches!(self.of(end), "BEGIN" | "END") {
                    end += 1;
                }
                let start = self.word(at).start as usize;
                self.break_line(start, 0, true);
                if *header && !self.out.is_empty() && !self.out.ends_with("\n\n") {
                    self.out.push('\n');
                }
                self.range(at, end, 0, false);
                end
            }
        }
    }

    /// Writes a word on a line of its own.
    fn alone(&mut self, at: usize) {
        self.break_line(self.word(at).start as usize, 0, false);
        self.put(at, false);
    }

    /// Writes `EXPORTS` or `IMPORTS` up to its semicolon. Returns the index of the next word.
    fn symbols(&mut self, at: usize, stop: usize) -> usize {
        let mut end = at;
        while end < stop && !self.is_sign(end, ';') {
            end += 1;
        }
        let imports = self.of(at) == "IMPORTS";
        let start = self.word(at).start as usize;
        self.break_line(start, 0, false);
        if !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
        self.put(at, false);
        if imports && end > at + 1 {
            self.break_line(self.word(at + 1).start as usize, STEP, false);
        }
        let mut next = at + 1;
        while next < end {
            if imports && self.of(next) == "FROM" {
                self.break_line(self.word(next).start as usize, 2 * STEP, false);
                self.put(next, false);
                self.wrap(next + 1, 3 * STEP);
                self.put(next + 1, true);
                next += 2;
                // An object identifier, a value's name, or `WITH SUCCESSORS`.
                if next < end && self.is_sign(next, '{') {
                    let close = self.close[next].clamp(next, end - 1);
                    self.range(next, close + 1, 2 * STEP, true);
                    next = close + 1;
                } else if next < end
                    && self.word(next).kind == Kind::Lower
                    && !(next + 1 < end && matches!(self.of(next + 1), "," | "FROM"))
                {
                    self.put(next, true);
                    next += 1;
                }
                while next < end && matches!(self.of(next), "WITH" | "SUCCESSORS" | "DESCENDANTS") {
                    self.put(next, true);
                    next += 1;
                }
                if next < end {
                    self.break_line(self.word(next).start as usize, STEP, false);
                }
            } else {
                let space = self.space(next - 1, next);
                if space {
                    self.wrap(next, STEP);
                }
                self.put(next, space);
                next += 1;
            }
        }
        if end < stop {
            self.put_sign(end);
            end += 1;
        }
        end
    }

    /// Writes text as it is, from the first of its words to the last.
    fn raw(&mut self, piece: Piece) {
        let (start, end) = (self.word(piece.start).start as usize, self.word(piece.end - 1).end as usize);
        let text = self.words.text[start..end].replace('\r', "");
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        self.push(&lines.join("\n"));
        self.last = end;
        self.next_comment = self.words.comments.partition_point(|(start, _)| (*start as usize) < end);
    }

    /// Returns whether words take more than one line.
    fn is_long(&self, start: usize, end: usize) -> bool {
        (start..end).any(|index| self.must_break(index)) || self.width(start, end).is_none_or(|width| width > WIDTH)
    }

    /// Returns whether the group that a word opens has a line for each part in any case.
    fn must_break(&self, index: usize) -> bool {
        if !self.is_sign(index, '{') || self.close[index] <= index + 1 {
            return false;
        }
        let close = self.close[index];
        let is_body = index > 0 && matches!(self.of(index - 1), "SEQUENCE" | "SET" | "CHOICE" | "CLASS");
        let only_marker = close == index + 2 && self.word(index + 1).kind == Kind::Ellipsis;
        is_body && !only_marker
    }

    fn has_comment(&self, start: usize, end: usize) -> bool {
        let (from, to) = (self.word(start).start, self.word(end).end);
        let first = self.words.comments.partition_point(|(start, _)| *start < from);
        self.words.comments.get(first).is_some_and(|(start, _)| *start < to)
    }

    /// Returns the columns of words on one line, or `None` if there is a comment between them.
    fn width(&self, start: usize, end: usize) -> Option<usize> {
        if start >= end {
            return Some(0);
        }
        if self.has_comment(start, end - 1) {
            return None;
        }
        let mut width = 0;
        for index in start..end {
            width += self.of(index).chars().count() + usize::from(index > start && self.space(index - 1, index));
            if width > 10 * WIDTH {
                break;
            }
        }
        Some(width)
    }

    /// Returns whether the group that `open` opens is an actual parameter or a set in a constraint,
    /// whose braces have no blanks inside.
    fn is_tight(&self, open: usize) -> bool {
        let Some(before) = open.checked_sub(1) else { return false };
        match self.word(before).kind {
            Kind::Upper => !KEYWORDS.contains(&self.of(before)) && !self.in_head(before),
            Kind::Sign('{') => self.is_tight(before),
            Kind::Sign('(') => true,
            Kind::Sign('}') => self.is_sign(open + 1, '@'),
            _ => false,
        }
    }

    /// Returns whether a word is the name of a module, before its object identifier.
    fn in_head(&self, index: usize) -> bool {
        let close = self.close[index + 1];
        let ends = |index: usize| self.words.words.get(index).is_some_and(|word| self.words.of(*word) == "DEFINITIONS");
        index.checked_sub(1).is_some_and(|before| self.of(before) == "FROM") || ends(close + 1) || ends(close + 2)
    }

    /// Returns whether two words that follow each other have a blank between them.
    fn space(&self, before: usize, after: usize) -> bool {
        let (one, two) = (self.word(before).kind, self.word(after).kind);
        let less = |index: usize| self.word(index).kind == Kind::Sign('<');
        match (one, two) {
            (_, Kind::Sign(',' | ';' | ')' | ']' | '.')) | (Kind::Sign('(' | '[' | '@' | '.' | '-'), _) => false,
            (Kind::Sign('{'), Kind::Sign('}')) => false,
            (_, Kind::Range) | (Kind::Range, _) => false,
            (_, Kind::Sign('<')) => !(after + 1 < self.words.words.len() && self.word(after + 1).kind == Kind::Range),
            (Kind::Sign('<'), _) if less(before) && before > 0 => self.word(before - 1).kind != Kind::Range,
            (Kind::Lower, Kind::Sign('(')) => !self.is_number(after),
            (Kind::Number, Kind::Sign(':')) => !(before > 0 && self.word(before - 1).kind == Kind::OpenGroup),
            (Kind::Sign('{'), _) => !self.is_tight(before),
            (_, Kind::Sign('}')) => !self.open[after].is_some_and(|open| self.is_tight(open)),
            (Kind::Sign('}'), Kind::Sign('{')) => !self.is_sign(after + 1, '@'),
            _ => true,
        }
    }

    /// Returns whether the group that a word opens is the number of a name, as in `first(1)`: it is
    /// no constraint.
    fn is_number(&self, open: usize) -> bool {
        let negative = usize::from(self.is_sign(open + 1, '-'));
        let constrains = self.open[open].is_some_and(|around| around > 0 && self.of(around - 1) == "COMPONENTS");
        !constrains && self.close[open] == open + 2 + negative
    }

    /// Writes words, with groups on several lines where they have to be. With `lines`, a word that
    /// begins a line in the source begins one here.
    fn range(&mut self, start: usize, end: usize, indent: usize, lines: bool) {
        let mut at = start;
        while at < end {
            let word = self.word(at);
            let space = at > start && self.space(at - 1, at) || at == start && self.column > 0;
            if at > start && lines && word.first && !self.is_sign(at, ')') && !self.is_sign(at, ',') {
                self.break_line(word.start as usize, indent, false);
            }
            let close = self.close[at];
            let is_group = matches!(word.kind, Kind::Sign('{') | Kind::OpenGroup) && close > at && close < end;
            if is_group {
                let fits = |width: usize| self.column + width < WIDTH;
                let inner = (at..close).any(|index| self.must_break(index));
                if inner || close > at + 1 && !self.width(at, close + 1).is_some_and(fits) {
                    self.put(at, space);
                    self.parts(at + 1, close, indent);
                    self.put(close, false);
                    at = close + 1;
                    continue;
                }
            }
            if space {
                self.wrap(at, if lines { indent } else { indent + 2 * STEP });
            }
            self.put(at, space);
            at += 1;
        }
    }

    /// Writes the parts of a group, each on a line of its own, and goes to the line behind them.
    fn parts(&mut self, start: usize, close: usize, indent: usize) {
        let inner = indent + STEP;
        let mut at = start;
        while at < close {
            let mut end = at;
            while end < close && !matches!(self.word(end).kind, Kind::Sign(',' | '|')) {
                let skip = self.close[end];
                end = if skip > end && skip < close { skip + 1 } else { end + 1 };
            }
            if end > at {
                let first = self.word(at).start as usize;
                self.break_line(first, inner, at > start);
                self.comments(first, true);
                if self.column > 0 {
                    self.line(inner);
                }
                let whole = at == start && end == close;
                self.range(at, end, inner, whole);
            }
            if end < close {
                if self.is_sign(end, '|') {
                    self.put(end, true);
                } else {
                    self.put_sign(end);
                }
            }
            at = end + 1;
        }
        let first = self.word(close).start as usize;
        self.break_line(first, inner, false);
        self.comments(first, false);
        self.line(indent);
    }

    /// Goes to the next line if a word would exceed this one.
    fn wrap(&mut self, index: usize, indent: usize) {
        // A sign behind the word, such as a comma, stays on its line.
        let glued = index + 1 < self.words.words.len() && matches!(self.word(index + 1).kind, Kind::Sign(',' | ';' | ')'));
        if self.column > indent && self.column + 1 + self.of(index).chars().count() + usize::from(glued) > WIDTH {
            self.line(indent);
        }
    }

    /// Writes a word, with the comments before it.
    fn put(&mut self, index: usize, space: bool) {
        let word = self.word(index);
        self.comments(word.start as usize, true);
        if self.full {
            let indent = self.indent;
            self.line(indent);
        }
        if space && self.column > 0 {
            self.push(" ");
        }
        let text = self.of(index);
        self.push(text);
        self.last = self.last.max(word.end as usize);
    }

    /// Writes a sign at the end of a part, before any comments in front of it.
    fn put_sign(&mut self, index: usize) {
        if self.full {
            let indent = self.indent;
            self.line(indent);
        }
        let text = self.of(index);
        self.push(text);
        self.last = self.last.max(self.word(index).end as usize);
    }

    fn push(&mut self, text: &str) {
        if self.column == 0 {
            self.out.extend(std::iter::repeat_n(' ', self.indent));
            self.column = self.indent;
        }
        self.out.push_str(text);
        self.column = match text.rfind('\n') {
            Some(at) => text.len() - at,
            None => self.column + text.chars().count(),
        };
        // A line of nothing has a column too.
        self.column = self.column.max(1);
        self.full = false;
    }

    /// Goes to a new line, unless this one is empty.
    fn line(&mut self, indent: usize) {
        if self.column > 0 {
            self.out.push('\n');
        }
        (self.column, self.indent, self.full) = (0, indent, false);
    }

    /// Ends the line before the thing at `next`, behind the comments that belong to it. Keeps one
    /// blank line of the source, if `blank` is true.
    fn break_line(&mut self, next: usize, indent: usize, blank: bool) {
        while let Some(&(start, end)) = self.words.comments.get(self.next_comment) {
            let (start, end) = (start as usize, end as usize);
            if start >= next || self.column == 0 || self.full || self.lines_between(start) > 0 {
                break;
            }
            self.next_comment += 1;
            self.comment(start, end);
        }
        self.line(indent);
        if blank && self.lines_between(self.following(next)) > 1 && !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// Returns the offset of what follows: the next comment or `next`.
    fn following(&self, next: usize) -> usize {
        self.words.comments.get(self.next_comment).map_or(next, |(start, _)| (*start as usize).min(next))
    }

    /// Returns the line breaks between what was written last and an offset.
    fn lines_between(&self, offset: usize) -> usize {
        self.words.text.get(self.last..offset).map_or(0, |between| between.matches('\n').count())
    }

    fn comment(&mut self, start: usize, end: usize) {
        let text = &self.words.text[start..end];
        let shown: String = text.replace('\r', "").lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
        if self.column > 0 {
            self.push(" ");
        }
        self.push(&shown);
        self.last = self.last.max(end);
        let open = text.starts_with("--") && (text.len() < 4 || !text.ends_with("--"));
        let after = self.words.text[end..].trim_start_matches([' ', '\t', '\r', ',']);
        self.full = open || after.is_empty() || after.starts_with('\n');
    }

    /// Writes the comments before an offset. Keeps a blank line behind them, if `blank` is true.
    fn comments(&mut self, next: usize, blank: bool) {
        while let Some(&(start, end)) = self.words.comments.get(self.next_comment) {
            let (start, end) = (start as usize, end as usize);
            if start >= next {
                break;
            }
            self.next_comment += 1;
            let lines = self.lines_between(start);
            let indent = self.indent;
            if self.full || lines > 0 && self.column > 0 {
                self.line(indent);
            }
            if lines > 1 && self.column == 0 && !self.out.is_empty() && !self.out.ends_with("\n\n") && !self.out.ends_with("{\n") {
                self.out.push('\n');
            }
            self.comment(start, end);
        }
        if self.full && blank {
            let indent = self.indent;
            let apart = self.lines_between(next) > 1;
            self.line(indent);
            if apart {
                self.out.push('\n');
            }
        }
    }
}
