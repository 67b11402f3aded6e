//! The comments between two words, by `protoc`'s rules of what they belong to (descriptor.proto,
//! `SourceCodeInfo.Location`).

use super::lex::{Lexer, Token};

/// Comments between two words.
#[derive(Default)]
pub(super) struct Comments {
    /// Belongs to what ends with the first word.
    pub trailing: String,
    /// Belong to neither.
    pub detached: Vec<String>,
    /// Belongs to what starts with the second word.
    pub leading: String,
}

/// Sorts comments, in their order.
#[derive(Default)]
struct Sorter {
    out: Comments,
    /// The last comment, whose owner is open.
    open: Option<String>,
    /// It is of lines, so that the next line may continue it.
    lines: bool,
    count: usize,
    has_trailing: bool,
    /// No empty line was seen.
    near: bool,
}

impl Sorter {
    /// Gives the open comment to the word before, or to nobody.
    fn flush(&mut self) {
        let Some(comment) = self.open.take() else { return };
        if self.near {
            self.out.trailing.push_str(&comment);
            (self.has_trailing, self.near) = (true, false);
        } else {
            self.out.detached.push(comment);
        }
        self.count += 1;
    }

    fn comment(&mut self, lexer: &mut Lexer<'_>, of_line: bool) {
        if !(of_line && self.lines) {
            self.flush();
        }
        self.lines = of_line;
        let open = self.open.get_or_insert_default();
        if of_line { lexer.line_comment(Some(open)) } else { lexer.block_comment(Some(open)) }
    }

    /// Detaches a single comment between two words of one line, since it may belong to either.
    fn detach(&mut self) {
        if self.count + usize::from(self.open.is_some()) == 1 {
            if self.has_trailing {
                self.out.detached.insert(0, std::mem::take(&mut self.out.trailing));
            }
            self.flush();
        }
    }
}

/// Returns the next word, and the comments before it. `first` holds at the start of the text.
pub(super) fn next(lexer: &mut Lexer<'_>, first: bool) -> (Token, Comments) {
    let mut sorter = Sorter { near: !first, ..Sorter::default() };
    let mut before = Some(lexer.line());
    let mut trailing_end = None;
    if first {
        before = None;
    } else {
        lexer.blanks();
        match lexer.comment_kind() {
            Some(of_line) => {
                if of_line {
                    trailing_end = Some(lexer.line());
                }
                sorter.comment(lexer, of_line);
                if !of_line {
                    trailing_end = Some(lexer.line());
                    lexer.blanks();
                }
                sorter.flush();
            }
            None if lexer.newline() => {}
            None => return (lexer.next(), Comments::default()),
        }
    }
    loop {
        lexer.blanks();
        match lexer.comment_kind() {
            Some(of_line) => {
                sorter.comment(lexer, of_line);
                if !of_line {
                    lexer.blanks();
                    lexer.newline();
                }
            }
            None if lexer.newline() => {
                sorter.flush();
                sorter.near = false;
            }
            None => break,
        }
    }
    let token = lexer.next();
    let closes = matches!(&lexer.text[token.start as usize..token.end as usize], "}" | "]" | ")" | "");
    if closes {
        sorter.flush();
    }
    let line = Some(token.line);
    if token.start != token.end && (line == before || line == trailing_end) {
        sorter.detach();
    }
    sorter.out.leading = sorter.open.take().unwrap_or_default();
    (token, sorter.out)
}
