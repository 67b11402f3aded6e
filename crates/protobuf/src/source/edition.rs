//! `.proto` text for a parser that knows no editions. Their grammar is that of proto3 with a few
//! words more, so that the parser can check them.

use super::layout;

/// Statement that stands for the edition in the eyes of the parser.
const SYNTAX: &[u8] = b"syntax=\"proto3\";";

/// A text as the parser takes it, which has the same places. A text in an edition is proto3.
pub(super) struct Twin {
    /// The text. Words that the parser lacks are blank, or others of the same length.
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

/// Returns the twin of a text.
///
/// The parser knows neither options of a single extension number, which become blanks, nor negative
/// infinity in an option, which becomes a number. In an edition, a field's `default` becomes an
/// option of another name, and reserved names become a number. The words that only editions have
/// become blanks: `export`, `local`, and `option` after `import`.
pub(super) fn twin(text: &[u8]) -> Twin {
    let tokens: Vec<Token> = Tokens { text, at: 0 }.collect();
    let statement = statement(text, &tokens);
    let edition = statement.is_some();
    let mut twin = text.to_vec();
    let mut brackets = Vec::new();
    for (at, token) in tokens.iter().enumerate().skip(if edition { 4 } else { 0 }) {
        let follows = |by: usize, word: &[u8]| tokens.get(at + by).is_some_and(|token| token.is(text, word));
        let named = |by: usize| tokens.get(at + by).is_some_and(|token| token.is_name(text));
        let follows_word = |word: &[u8]| at.checked_sub(1).is_some_and(|before| tokens[before].is(text, word));
        match &text[token.start..token.end] {
            open @ (b"{" | b"[" | b"(" | b"<") => brackets.push(open[0]),
            b"}" | b"]" | b")" | b">" => _ = brackets.pop(),
            b"-" if follows_word(b"=") && (follows(1, b"inf") || follows(1, b"nan")) => {
                twin[tokens[at + 1].start..tokens[at + 1].end].fill(b'1');
            }
            b"extensions" if follows(2, b"[") && !named(1) => {
                if let Some(end) = closing(text, &tokens[at + 2..]) {
                    twin[tokens[at + 2].start..end].fill(b' ');
                }
            }
            b"export" | b"local" if edition && (follows(1, b"message") || follows(1, b"enum")) && named(2) && follows(3, b"{") => {
                twin[token.start..token.end].fill(b' ');
            }
            b"option" if edition && follows_word(b"import") => twin[token.start..token.end].fill(b' '),
            b"default" if edition && brackets.last() == Some(&b'[') && follows(1, b"=") => {
                twin[token.start..token.end].copy_from_slice(b"(d_opt)");
            }
            b"reserved" if edition => {
                if let Some(end) = reserved_names(text, &tokens[at + 1..]) {
                    let start = tokens[at + 1].start;
                    twin[start..end].fill(b' ');
                    twin[start] = b'1';
                }
            }
            _ => {}
        }
    }
    let Some((start, end)) = statement else { return Twin { text: twin, from: 0, by: 0 } };
    let by = SYNTAX.len().saturating_sub(end - start);
    twin[start..end].fill(b' ');
    twin.splice(start..start, std::iter::repeat_n(b' ', by));
    twin[start..start + SYNTAX.len()].copy_from_slice(SYNTAX);
    Twin { text: twin, from: end + by, by }
}

/// Returns the place of the statement that names the edition.
fn statement(text: &[u8], tokens: &[Token]) -> Option<(usize, usize)> {
    let [edition, equals, name, semicolon, ..] = tokens else { return None };
    let is_one =
        edition.is(text, b"edition") && equals.is(text, b"=") && matches!(text[name.start], b'"' | b'\'') && semicolon.is(text, b";");
    is_one.then_some((edition.start, semicolon.end))
}

/// Returns the offset behind the bracket that closes the first one.
fn closing(text: &[u8], tokens: &[Token]) -> Option<usize> {
    let mut open = 0usize;
    for token in tokens {
        match text[token.start] {
            b'[' | b'{' => open += 1,
            b']' | b'}' => open = open.checked_sub(1)?,
            b';' if open == 1 => return None,
            _ => {}
        }
        if open == 0 {
            return Some(token.end);
        }
    }
    None
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
    fn twin(text: &str) -> String {
        String::from_utf8(super::twin(text.as_bytes()).text).unwrap()
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
        for (text, expected) in [
            ("m { extensions 5 [d = {a: [1] b: \"]\"}]; }", "m { extensions 5                      ; }"),
            ("option (o) = -inf;", "option (o) = -111;"),
            ("m { extensions 5 [d = 1; }", "m { extensions 5 [d = 1; }"),
            ("m { reserved a; }", "m { reserved a; }"),
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
            assert_eq!(twin(text), text);
        }
        let short = super::twin(b"edition=\"2023\";x");
        assert_eq!((short.from, short.by), (16, 1));
    }
}
