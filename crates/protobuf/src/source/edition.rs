//! Editions of `.proto` text. Their grammar is that of proto3 with a few words more, so that a
//! parser that knows no editions can check it.

use super::layout;

/// Statement that stands for the edition in the eyes of the parser.
const SYNTAX: &[u8] = b"syntax=\"proto3\";";

/// A text in an edition as proto3 that has the same places.
pub(super) struct Twin {
    /// The text. Words that proto3 lacks are blank, or words of it of the same length.
    pub text: Vec<u8>,
    /// Offset from which on places are moved.
    pub from: usize,
    /// Number of bytes by which they are moved.
    pub by: usize,
}

/// Returns the place of the keyword `edition`, if the text begins with it in place of `syntax`.
pub(super) fn keyword(text: &[u8]) -> Option<(usize, usize)> {
    let mut tokens = Tokens { text, at: 0 };
    let (word, equals) = (tokens.next()?, tokens.next()?);
    (word.is(text, b"edition") && equals.is(text, b"=")).then_some((word.start, word.end))
}

/// Returns the twin of a text that names an edition.
///
/// A field's `default` becomes an option of another name, reserved names become a number, and the
/// words that only editions have become blanks: `export`, `local`, and `option` after `import`.
pub(super) fn as_proto3(text: &[u8]) -> Option<Twin> {
    let (start, _) = keyword(text)?;
    let tokens: Vec<Token> = Tokens { text, at: start }.collect();
    let [_, _, name, semicolon, ..] = &tokens[..] else { return None };
    if !matches!(text[name.start], b'"' | b'\'') || !semicolon.is(text, b";") {
        return None;
    }
    let mut twin = text.to_vec();
    let mut brackets = Vec::new();
    for at in 4..tokens.len() {
        let token = tokens[at];
        let follows = |by: usize, word: &[u8]| tokens.get(at + by).is_some_and(|token| token.is(text, word));
        let named = |by: usize| tokens.get(at + by).is_some_and(|token| token.is_name(text));
        match &text[token.start..token.end] {
            open @ (b"{" | b"[" | b"(" | b"<") => brackets.push(open[0]),
            b"}" | b"]" | b")" | b">" => _ = brackets.pop(),
            b"export" | b"local" if (follows(1, b"message") || follows(1, b"enum")) && named(2) && follows(3, b"{") => {
                twin[token.start..token.end].fill(b' ');
            }
            b"option" if tokens[at - 1].is(text, b"import") => twin[token.start..token.end].fill(b' '),
            b"default" if brackets.last() == Some(&b'[') && follows(1, b"=") => {
                twin[token.start..token.end].copy_from_slice(b"(d_opt)");
                // Options are no negative words, which defaults of floats may be.
                if follows(2, b"-") && (follows(3, b"inf") || follows(3, b"nan")) {
                    twin[tokens[at + 3].start..tokens[at + 3].end].fill(b'1');
                }
            }
            b"extensions" if follows(2, b"[") => {
                // The parser knows options of a range only.
                if let Some(end) = tokens[at + 3..].iter().find(|token| token.is(text, b"]")).filter(|_| !named(1)) {
                    twin[tokens[at + 2].start..end.end].fill(b' ');
                }
            }
            b"reserved" => {
                if let Some(end) = reserved_names(text, &tokens[at + 1..]) {
                    let start = tokens[at + 1].start;
                    twin[start..end].fill(b' ');
                    twin[start] = b'1';
                }
            }
            _ => {}
        }
    }
    let by = SYNTAX.len().saturating_sub(semicolon.end - start);
    twin[start..semicolon.end].fill(b' ');
    twin.splice(start..start, std::iter::repeat_n(b' ', by));
    twin[start..start + SYNTAX.len()].copy_from_slice(SYNTAX);
    Some(Twin { text: twin, from: semicolon.end + by, by })
}

/// Returns the offset behind the names of a statement `reserved`, if it has names alone.
fn reserved_names(text: &[u8], tokens: &[Token]) -> Option<usize> {
    let mut rest = tokens;
    loop {
        match rest {
            [name, comma, after @ ..] if name.is_name(text) && comma.is(text, b",") => rest = after,
            [name, end, ..] if name.is_name(text) && end.is(text, b";") => return Some(name.end),
            _ => return None,
        }
    }
}

/// A word, a string, or one other byte.
#[derive(Clone, Copy)]
struct Token {
    start: usize,
    end: usize,
}

impl Token {
    fn is(self, text: &[u8], word: &[u8]) -> bool {
        &text[self.start..self.end] == word
    }

    fn is_name(self, text: &[u8]) -> bool {
        text[self.start].is_ascii_alphabetic() || text[self.start] == b'_'
    }
}

struct Tokens<'t> {
    text: &'t [u8],
    at: usize,
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let part_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
        loop {
            let start = self.at;
            let byte = self.text.get(start)?;
            if let Some(end) = layout::comment_end(self.text, start) {
                self.at = end;
                continue;
            }
            self.at = match byte {
                byte if byte.is_ascii_whitespace() || *byte == 11 => {
                    self.at += 1;
                    continue;
                }
                b'"' | b'\'' => layout::string_end(self.text, start),
                byte if part_of_word(byte) => {
                    self.text[start..].iter().position(|byte| !part_of_word(byte)).map_or(self.text.len(), |len| start + len)
                }
                _ => start + 1,
            };
            return Some(Token { start, end: self.at });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn twin(text: &str) -> String {
        String::from_utf8(as_proto3(text.as_bytes()).expect("an edition").text).unwrap()
    }

    #[test]
    fn words_of_editions_become_words_of_proto3() {
        for (text, expected) in [
            ("edition = \"2024\"; message A {}", "syntax=\"proto3\";  message A {}"),
            ("// c\nedition='2023';message A {}", "// c\nsyntax=\"proto3\";message A {}"),
            ("edition = \"2024\"; export message A {}", "syntax=\"proto3\";         message A {}"),
            ("edition = \"2024\"; local enum A {}", "syntax=\"proto3\";        enum A {}"),
            ("edition = \"2024\"; import option \"a\";", "syntax=\"proto3\";  import        \"a\";"),
            ("edition = \"2024\"; m { int32 a = 1 [default = 5]; }", "syntax=\"proto3\";  m { int32 a = 1 [(d_opt) = 5]; }"),
            ("edition = \"2024\"; m { float a = 1 [default = -inf]; }", "syntax=\"proto3\";  m { float a = 1 [(d_opt) = -111]; }"),
            (
                "edition = \"2024\"; m { extensions 6 [verification = UNVERIFIED]; }",
                "syntax=\"proto3\";  m { extensions 6                            ; }",
            ),
            ("edition = \"2024\"; m { reserved a, bc ; }", "syntax=\"proto3\";  m { reserved 1     ; }"),
        ] {
            assert_eq!(twin(text), expected);
        }
        // Names of fields and types stay.
        for text in
            ["local message = 1;", "reserved a = 1;", "reserved 1, 2;", "reserved a b;", "int32 default = 1;", "\"export message A {\""]
        {
            assert_eq!(twin(&format!("edition = \"2024\"; m {{ {text} }}")), format!("syntax=\"proto3\";  m {{ {text} }}"));
        }
        for text in ["syntax = \"proto3\";", "edition = 2023;", "edition \"2023\";", "", "edition = \"2023\" message A {}"] {
            assert!(as_proto3(text.as_bytes()).is_none(), "{text}");
        }
        let short = as_proto3(b"edition=\"2023\";x").unwrap();
        assert_eq!((short.from, short.by), (16, 1));
    }
}
