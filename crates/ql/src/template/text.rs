//! String templates (docs/spec/ql.md 5.2): text with tokens.

use super::token::{self, Piece};
use super::{Lookup, scalar_text};

/// The fate of a token without a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// It is removed.
    Drop,
    /// It stays, to be filled later.
    Keep,
}

/// A text with tokens. Text that is no template stands for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextTemplate {
    pieces: Vec<Piece>,
}

impl TextTemplate {
    /// Reads a template; never fails.
    pub fn read(text: &str) -> TextTemplate {
        let any = |c| c != '{' && c != '}';
        let pieces =
            token::read(text, any, |c| matches!(c, '^' | '#' | '|' | '0'..='9')).unwrap_or_else(|_| vec![Piece::Literal(text.to_string())]);
        TextTemplate { pieces }
    }

    /// Returns whether it has no token.
    pub fn is_plain(&self) -> bool {
        self.pieces.iter().all(|piece| matches!(piece, Piece::Literal(_)))
    }

    /// Returns the text with the tokens filled. Only scalars fill one.
    pub fn format(&self, values: &dyn Lookup, missing: Missing) -> String {
        let fill = |name: &str| values.usable(name).and_then(|value| scalar_text(value.view()));
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Literal(text) => out.push_str(text),
                Piece::Token(token) => match (fill(&token.name(&fill)), missing) {
                    (Some(text), _) => out.push_str(&text),
                    (None, Missing::Keep) => token.print(&mut out),
                    (None, Missing::Drop) => {}
                },
            }
        }
        out
    }

    /// Returns the first part of each token's name.
    pub fn roots(&self) -> Vec<&str> {
        let mut found = Vec::new();
        for piece in &self.pieces {
            if let Piece::Token(token) = piece {
                token.roots(&mut found);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::walk;
    use crate::testing::datum;

    #[test]
    fn tokens_are_filled_by_scalars_only() {
        let values = datum(r#"{"a":"x","n":0,"f":false,"o":{"k":[{"d":1.5}],"x":"deep"},"l":[1],"e":"","z":null}"#);
        let lookup = |name: &str| walk(values.view(), name);
        for (text, dropped, kept) in [
            ("plain", "plain", "plain"),
            ("<{a}>", "<x>", "<x>"),
            ("{n}{f}", "0false", "0false"),
            ("{o.k.d} {o.{a}}", "1.5 deep", "1.5 deep"),
            ("{l}{o}{e}{z}{zzz}.", ".", "{l}{o}{e}{z}{zzz}."),
            ("a {b c} d", "a {b c} d", "a {b c} d"),
            ("{\"a\":1}", "{\"a\":1}", "{\"a\":1}"),
            ("{a", "{a", "{a"),
            ("a}", "a}", "a}"),
            ("{}", "{}", "{}"),
        ] {
            let template = TextTemplate::read(text);
            assert_eq!(template.format(&lookup, Missing::Drop), dropped, "{text}");
            assert_eq!(template.format(&lookup, Missing::Keep), kept, "{text}");
        }
        assert_eq!(TextTemplate::read("{a.b} {c.{d}} {{e}.f}").roots(), ["a", "c", "d", "e"]);
    }
}
