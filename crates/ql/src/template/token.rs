//! Literal text and tokens, which may be nested: `a {b.{c}} d`.

/// Deepest nesting of tokens.
const MAX_DEPTH: usize = 16;

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Text as it stands.
    Literal(String),
    /// The content of braces.
    Token(Token),
}

/// The content of braces: flags as they were written, and a name, which may contain tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub flags: String,
    pub name: Vec<Piece>,
}

impl Token {
    /// Returns the name, with the tokens in it filled by `fill`.
    pub fn name(&self, fill: &dyn Fn(&str) -> Option<String>) -> String {
        if let [Piece::Literal(name)] = &self.name[..] {
            return name.clone();
        }
        self.name
            .iter()
            .map(|piece| match piece {
                Piece::Literal(text) => text.clone(),
                Piece::Token(token) => fill(&token.name(fill)).unwrap_or_default(),
            })
            .collect()
    }

    /// Returns the first part of the name, up to a dot or bracket, if it contains no token.
    pub fn root(&self) -> Option<&str> {
        match self.name.first() {
            Some(Piece::Literal(text)) => {
                let end = text.find(['.', '[']);
                (end.is_some() || self.name.len() == 1).then(|| &text[..end.unwrap_or(text.len())])
            }
            _ => None,
        }
    }

    /// Collects the roots of this token and of those in it.
    pub fn roots<'t>(&'t self, found: &mut Vec<&'t str>) {
        found.extend(self.root());
        for piece in &self.name {
            if let Piece::Token(token) = piece {
                token.roots(found);
            }
        }
    }

    /// Writes the token as it was read.
    pub fn print(&self, out: &mut String) {
        out.push('{');
        out.push_str(&self.flags);
        print(&self.name, out);
        out.push('}');
    }
}

/// Writes pieces as they were read.
pub(crate) fn print(pieces: &[Piece], out: &mut String) {
    for piece in pieces {
        match piece {
            Piece::Literal(text) => out.push_str(text),
            Piece::Token(token) => token.print(out),
        }
    }
}

/// Reads a template. `literal` decides which characters may stand outside of tokens, `flag` which
/// may stand before a name.
///
/// # Errors
/// The byte of the mistake, and the mistake.
pub(crate) fn read(text: &str, literal: fn(char) -> bool, flag: fn(char) -> bool) -> Result<Vec<Piece>, (usize, String)> {
    let mut reader = Reader { text, at: 0, literal, flag };
    let pieces = reader.pieces(0)?;
    debug_assert!(reader.at == text.len());
    Ok(pieces)
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    literal: fn(char) -> bool,
    flag: fn(char) -> bool,
}

impl Reader<'_> {
    /// Reads the pieces up to the end of the text or, within a token, up to its closing brace.
    fn pieces(&mut self, depth: usize) -> Result<Vec<Piece>, (usize, String)> {
        if depth > MAX_DEPTH {
            return Err((self.at, format!("more than {MAX_DEPTH} tokens within each other")));
        }
        let mut pieces = Vec::new();
        let mut from = self.at;
        loop {
            let next = self.text[self.at..].chars().next();
            let plain = match next {
                Some('{' | '}') | None => false,
                Some(c) if depth == 0 => {
                    if !(self.literal)(c) {
                        return Err((self.at, format!("{c:?} cannot stand in it")));
                    }
                    true
                }
                Some(c) => {
                    if !is_name(c) {
                        return Err((self.at, format!("{c:?} cannot stand in a token's name")));
                    }
                    true
                }
            };
            if plain {
                self.at += next.map_or(0, char::len_utf8);
                continue;
            }
            if self.at > from {
                pieces.push(Piece::Literal(self.text[from..self.at].to_string()));
            }
            match next {
                Some('{') => {
                    self.at += 1;
                    pieces.push(Piece::Token(self.token(depth)?));
                    from = self.at;
                }
                Some(_) if depth == 0 => return Err((self.at, "a closing brace without its opening".into())),
                None if depth > 0 => return Err((self.at, "a token that does not end".into())),
                _ => return Ok(pieces),
            }
        }
    }

    fn token(&mut self, depth: usize) -> Result<Token, (usize, String)> {
        let start = self.at;
        let rest = &self.text[self.at..];
        let mut flags = rest.len() - rest.trim_start_matches(self.flag).len();
        // Digits are a flag only if a bar follows them.
        while flags > 0 && rest[..flags].ends_with(|c: char| c.is_ascii_digit()) {
            flags -= 1;
        }
        self.at += flags;
        let flags = rest[..flags].to_string();
        let name = self.pieces(depth + 1)?;
        if name.is_empty() {
            return Err((start, "a token without a name".into()));
        }
        self.at += 1;
        Ok(Token { flags, name })
    }
}

fn is_name(c: char) -> bool {
    !c.is_whitespace()
        && !c.is_control()
        && !matches!(c, '"' | '\'' | '<' | '>' | '^' | '`' | '|' | '#' | '\\' | ',' | ';' | '(' | ')' | '/')
}
