//! Formatter for protocols. It keeps comments at their places and does not change the meaning.
//!
//! Records and sums stay on one line if they were on one and fit. A line break after the brace, or
//! between two constructors, puts each on a line of its own. At most one blank line in a row is
//! kept.

use polywire_core::text::diagnostic::{Diagnostics, Source};

use super::lex::{self, Token};
use super::{MAX_FINDINGS, parse};

/// Approximate limit of a line in characters.
const WIDTH: usize = 100;

/// Spaces per level of indentation.
const INDENT: usize = 4;

/// Formats a text.
///
/// # Errors
/// All syntax errors of the text.
pub fn format(name: &str, text: &str) -> Result<String, Diagnostics> {
    let mut parsed = parse::parse(text, 0);
    if !parsed.findings.is_empty() {
        parsed.findings.truncate(MAX_FINDINGS);
        return Err(Diagnostics { sources: vec![Source::new(name, text)], findings: parsed.findings });
    }
    let pieces = pieces(text);
    let mut out = Out::default();
    let starts: Vec<usize> = (0..pieces.len()).filter(|n| pieces[*n].is_entry()).collect();
    let (leading, _) = pieces.split_at(starts.first().copied().unwrap_or(pieces.len()));
    remarks(leading, 0, &mut out);
    for (n, start) in starts.iter().enumerate() {
        let end = starts.get(n + 1).copied().unwrap_or(pieces.len());
        let last = (*start..end).rev().find(|n| !pieces[*n].comment).unwrap_or(*start);
        out.start_line(0, pieces[*start].breaks);
        entry(&pieces[*start..=last], &mut out);
        let behind = &pieces[last + 1..end];
        let (beside, own) = behind.split_at(beside(behind, pieces.get(end)));
        inline(beside, &mut out);
        remarks(own, 0, &mut out);
    }
    if !out.text.is_empty() {
        out.text.push('\n');
    }
    Ok(out.text)
}

/// A token or a comment.
#[derive(Debug, Clone, Copy)]
struct Piece<'t> {
    text: &'t str,
    token: Token,
    comment: bool,
    /// Number of line breaks before the piece.
    breaks: usize,
    /// Number of bytes before the piece on its line.
    column: usize,
}

impl Piece<'_> {
    fn is_entry(&self) -> bool {
        !self.comment && self.token == Token::Reserved && matches!(self.text, "message" | "type" | "include")
    }

    fn is(&self, mark: &str) -> bool {
        !self.comment && self.token != Token::String && self.text == mark
    }
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let lexed = lex::lex(text, 0);
    let mut ranges: Vec<(usize, usize, Token, bool)> = Vec::with_capacity(lexed.tokens.len() + lexed.comments.len());
    let mut comments = lexed.comments.iter().peekable();
    for lexeme in &lexed.tokens {
        while let Some(comment) = comments.next_if(|comment| comment.start < lexeme.start) {
            ranges.push((comment.start as usize, comment.end as usize, Token::End, true));
        }
        if lexeme.token != Token::End {
            ranges.push((lexeme.start as usize, lexeme.end as usize, lexeme.token, false));
        }
    }
    let mut pieces: Vec<Piece<'_>> = Vec::with_capacity(ranges.len());
    let (mut before, mut line) = (0, 0);
    for (start, end, token, comment) in ranges {
        let gap = &text[before..start];
        if let Some(at) = gap.rfind('\n') {
            line = before + at + 1;
        }
        let breaks = gap.bytes().filter(|byte| *byte == b'\n').count();
        // `[ @` is `[@` with a blank.
        match pieces.last_mut() {
            Some(open) if token == Token::Mark("@") && open.is("[") => (open.text, open.token) = ("[@", Token::Mark("[@")),
            _ => pieces.push(Piece { text: &text[start..end], token, comment, breaks, column: start - line }),
        }
        if let Some(at) = text[start..end].rfind('\n') {
            line = start + at + 1;
        }
        before = end;
    }
    pieces
}

/// Output so far.
#[derive(Default)]
struct Out {
    text: String,
    /// Number of characters since the last line break.
    column: usize,
}

impl Out {
    fn push(&mut self, text: &str) {
        match text.rfind('\n') {
            Some(at) => self.column = text[at + 1..].chars().count(),
            None => self.column += text.chars().count(),
        }
        self.text.push_str(text);
    }

    /// Starts a line, after one blank line if the source had one; does nothing at the start of the
    /// text.
    fn start_line(&mut self, indent: usize, breaks: usize) {
        if !self.text.is_empty() {
            self.text.push_str(if breaks > 1 { "\n\n" } else { "\n" });
        }
        self.column = 0;
        self.push(&" ".repeat(indent));
    }

    fn comment(&mut self, piece: &Piece<'_>) {
        let base = self.column;
        for (n, line) in piece.text.split('\n').enumerate() {
            let line = line.trim_end();
            if n == 0 {
                self.push(line);
                continue;
            }
            let inner = line.trim_start_matches(' ');
            let indent = if inner.is_empty() { 0 } else { (base + line.len() - inner.len()).saturating_sub(piece.column) };
            self.push("\n");
            self.push(&" ".repeat(indent));
            self.push(inner);
        }
    }
}

/// Writes comments on lines of their own.
fn remarks(comments: &[Piece<'_>], indent: usize, out: &mut Out) {
    for comment in comments {
        out.start_line(indent, comment.breaks);
        out.comment(comment);
    }
}

/// Counts the comments on the line of the code before them; 0 if code follows them on that line.
fn beside(behind: &[Piece<'_>], next: Option<&Piece<'_>>) -> usize {
    let count = behind.iter().take_while(|piece| piece.comment && piece.breaks == 0).count();
    let follows = behind.get(count).or(next);
    if follows.is_none_or(|piece| piece.breaks > 0) { count } else { 0 }
}

/// Writes pieces on one line.
fn inline(pieces: &[Piece<'_>], out: &mut Out) {
    for (n, piece) in pieces.iter().enumerate() {
        let before = if n == 0 { None } else { Some(&pieces[n - 1]) };
        if before.map_or(out.column > 0 && !out.text.ends_with(' '), |before| spaced(before, piece)) {
            out.push(" ");
        }
        match piece.comment {
            true => out.comment(piece),
            false => out.push(piece.text),
        }
    }
}

/// Returns whether a blank separates two pieces.
fn spaced(left: &Piece<'_>, right: &Piece<'_>) -> bool {
    let mark = |piece: &Piece<'_>| match (piece.comment, piece.token) {
        (false, Token::Mark(mark)) => mark,
        _ => "",
    };
    match (mark(left), mark(right)) {
        // The original reads `>>` as one token.
        (">", ">") => true,
        (_, ";" | "," | ")" | ">" | ".") | ("(" | "<" | "'" | "." | "[@" | "-", _) => false,
        (_, "<") => left.comment,
        (_, "]") => !ends_annotation(left),
        _ => true,
    }
}

/// Returns whether a `]` after this piece ends an annotation. Before the `]` of a list, there is
/// the end of a type.
fn ends_annotation(piece: &Piece<'_>) -> bool {
    !piece.comment
        && match piece.token {
            Token::String | Token::Int | Token::Long | Token::Float => true,
            Token::Reserved => matches!(piece.text, "true" | "false" | "lazy" | "eager" | "autolazy"),
            _ => false,
        }
}

/// Returns whether a comment among the pieces is at the end or the start of a line.
fn has_line_comment(pieces: &[Piece<'_>], next: Option<&Piece<'_>>) -> bool {
    pieces.iter().enumerate().any(|(n, piece)| {
        piece.comment && (piece.breaks > 0 || pieces.get(n + 1).or(next).is_none_or(|next| next.breaks > 0) || piece.text.contains('\n'))
    })
}

/// Writes a declaration or an include, from its keyword to its last token.
fn entry(pieces: &[Piece<'_>], out: &mut Out) {
    let Some(equals) = pieces.iter().position(|piece| piece.is("=")) else { return inline(pieces, out) };
    let options = pieces.iter().position(|piece| piece.is("options")).unwrap_or(pieces.len());
    let (head, rest) = pieces.split_at(equals + 1);
    let (body, options) = rest.split_at(options - equals - 1);
    let bars = bars(body);
    let together = !bars.iter().any(|bar| body[*bar].breaks > 0 || body.get(bar + 1).is_some_and(|piece| piece.breaks > 0))
        && (bars.is_empty() || !has_line_comment(body, options.first()))
        && !groups_break(body);
    if together && fits(pieces, out) {
        return inline(pieces, out);
    }
    inline(head, out);
    if bars.is_empty() {
        out.push(" ");
        alternative(body, 0, out);
    } else {
        let mut comments: &[Piece<'_>] = &[];
        let mut start = 0;
        for (n, end) in bars.iter().copied().chain([body.len()]).enumerate() {
            let all = &body[start..end];
            let own = all.iter().position(|piece| !piece.comment).unwrap_or(all.len());
            let last = all.iter().rposition(|piece| !piece.comment).map_or(0, |last| last + 1);
            remarks(comments, INDENT, out);
            remarks(&all[..own], INDENT, out);
            if n == 0 {
                out.start_line(INDENT, 0);
            } else {
                out.start_line(INDENT - 2, 0);
                out.push("| ");
            }
            alternative(&all[own..last], INDENT, out);
            // Before the next `|`.
            let behind = &all[last..];
            let (same_line, others) = behind.split_at(beside(behind, body.get(end).or(options.first())));
            inline(same_line, out);
            comments = others;
            start = end + 1;
        }
        remarks(comments, INDENT, out);
    }
    if !options.is_empty() {
        settings(options, out);
    }
}

/// Returns the positions of `|` between alternatives.
fn bars(body: &[Piece<'_>]) -> Vec<usize> {
    let mut depth = 0usize;
    let mut bars = Vec::new();
    for (n, piece) in body.iter().enumerate().filter(|(_, piece)| !piece.comment) {
        match piece.token {
            Token::Mark("{" | "{|" | "(" | "[" | "[|" | "[@") => depth += 1,
            Token::Mark("}" | "|}" | ")" | "]" | "|]") => depth = depth.saturating_sub(1),
            Token::Mark("|") if depth == 0 => bars.push(n),
            _ => {}
        }
    }
    bars
}

/// Returns the positions of the braces among the pieces, and of their first field.
fn group(pieces: &[Piece<'_>]) -> Option<(usize, usize, usize)> {
    let open = pieces.iter().position(|piece| piece.is("{") || piece.is("{|"))?;
    let close = open + pieces[open..].iter().position(|piece| piece.is("}") || piece.is("|}"))?;
    let first = if pieces[open].is("{") { open } else { open + pieces[open..close].iter().position(|piece| piece.is("|"))? };
    Some((open, first + 1, close))
}

/// Returns whether a group of braces was written on several lines, or must be.
fn groups_break(mut pieces: &[Piece<'_>]) -> bool {
    while let Some((open, first, close)) = group(pieces) {
        if pieces[first].breaks > 0 || has_line_comment(&pieces[open + 1..close], pieces.get(close)) {
            return true;
        }
        pieces = &pieces[close + 1..];
    }
    false
}

fn fits(pieces: &[Piece<'_>], out: &Out) -> bool {
    let mut flat = Out { text: " ".into(), column: out.column };
    inline(pieces, &mut flat);
    flat.column <= WIDTH && !flat.text.contains('\n')
}

/// Writes a constructor, a variant or a body without alternatives, on lines indented by `indent`.
fn alternative(pieces: &[Piece<'_>], indent: usize, out: &mut Out) {
    let Some((_, first, close)) = group(pieces) else { return inline(pieces, out) };
    if !groups_break(pieces) && fits(pieces, out) {
        return inline(pieces, out);
    }
    inline(&pieces[..first], out);
    let inner = indent + INDENT;
    let separated = pieces[close].is("}");
    let mut at = first;
    while at < close {
        let end = at + pieces[at..close].iter().position(|piece| piece.is(";")).unwrap_or(close - at);
        let own = at + pieces[at..end].iter().position(|piece| !piece.comment).unwrap_or(end - at);
        remarks_below(&pieces[at..own], at == first, inner, out);
        if own == end {
            break;
        }
        // Without a `;`, comments follow the one that is inserted.
        let last = if end < close { end } else { own + pieces[own..end].iter().rposition(|piece| !piece.comment).unwrap_or(0) + 1 };
        out.start_line(inner, if own == first { 0 } else { pieces[own].breaks });
        inline(&pieces[own..last], out);
        if separated || end < close {
            out.push(";");
        }
        at = if end < close { end + 1 } else { last };
        let behind = &pieces[at..close];
        let same_line = beside(behind, pieces.get(close));
        inline(&behind[..same_line], out);
        at += same_line;
    }
    out.start_line(indent, 0);
    inline(&pieces[close..], out);
}

/// Writes comments on lines of their own, without a blank line after a brace.
fn remarks_below(comments: &[Piece<'_>], brace: bool, indent: usize, out: &mut Out) {
    for (n, comment) in comments.iter().enumerate() {
        out.start_line(indent, if brace && n == 0 { 0 } else { comment.breaks });
        out.comment(comment);
    }
}

/// Writes `options`, one per line.
fn settings(options: &[Piece<'_>], out: &mut Out) {
    out.start_line(INDENT - 2, 0);
    let column = INDENT - 2 + "options ".len();
    // A setting starts at a string without `=` before it.
    let is_key = |n: usize| {
        options[n].token == Token::String
            && !options[n].comment
            && options[..n].iter().rev().find(|piece| !piece.comment).is_some_and(|piece| !piece.is("="))
    };
    let keys: Vec<usize> = (0..options.len()).filter(|n| is_key(*n)).collect();
    let first = keys.get(1).copied().unwrap_or(options.len());
    inline(&options[..first], out);
    for (n, start) in keys.iter().enumerate().skip(1) {
        out.start_line(column, 0);
        inline(&options[*start..keys.get(n + 1).copied().unwrap_or(options.len())], out);
    }
}
