//! The document before and after the root element (XML 1.0, section 2.8).

use polywire_core::{Error, ErrorKind};

use super::chars::{is_space, skip_space};
use super::dtd::{Cursor, Dtd};
use super::markup;

/// The document before the root element.
#[derive(Debug, Default)]
pub struct Prolog {
    /// Its pieces in order.
    pub pieces: Vec<Piece>,
    /// Offset of the root element's `<`.
    pub root: usize,
    /// Declarations of the document type, if there is one.
    pub dtd: Option<Box<Dtd>>,
}

/// A piece of a document beside its elements.
#[derive(Debug, Clone, Copy)]
pub struct Piece {
    /// Its kind.
    pub kind: PieceKind,
    /// Offset of its first byte.
    pub start: usize,
    /// Offset after its last byte.
    pub end: usize,
}

/// The kinds of [`Piece`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceKind {
    /// White space, or the XML declaration.
    Layout,
    /// `<!--…-->`.
    Comment,
    /// `<?…?>` or `<!DOCTYPE …>`.
    Directive,
}

/// Reads the document before the root element (section 2.8).
pub fn prolog(text: &str) -> Result<Prolog, Error> {
    let bytes = text.as_bytes();
    let mut prolog = Prolog::default();
    let (mut at, mut standalone) = (0, false);
    if bytes.starts_with(b"<?xml") && bytes.get(5).copied().is_none_or(is_space) {
        (at, standalone) = declaration(text)?;
        prolog.pieces.push(Piece { kind: PieceKind::Layout, start: 0, end: at });
    }
    loop {
        match misc(text, at)? {
            Some(piece) => {
                at = piece.end;
                prolog.pieces.push(piece);
            }
            None if bytes[at..].starts_with(b"<!DOCTYPE") => {
                if prolog.dtd.is_some() {
                    return Err(Error::data(ErrorKind::Syntax, at as u64)
                        .seen("a second document type declaration")
                        .expected("the root element"));
                }
                let dtd = prolog.dtd.insert(Box::default());
                dtd.standalone = standalone;
                let end = dtd.read(text, at)?;
                prolog.pieces.push(Piece { kind: PieceKind::Directive, start: at, end });
                at = end;
            }
            None => {
                prolog.root = at;
                return Ok(prolog);
            }
        }
    }
}

/// Returns the white space, comment or processing instruction at `at`, if there is one.
pub fn misc(text: &str, at: usize) -> Result<Option<Piece>, Error> {
    let rest = &text.as_bytes()[at..];
    let (kind, end) = match rest {
        [first, ..] if is_space(*first) => (PieceKind::Layout, skip_space(text.as_bytes(), at)),
        [b'<', b'!', b'-', b'-', ..] => (PieceKind::Comment, markup::comment(text, at)?),
        [b'<', b'?', ..] => (PieceKind::Directive, markup::instruction(text, at)?),
        _ => return Ok(None),
    };
    Ok(Some(Piece { kind, start: at, end }))
}

/// Returns the end of the XML declaration at the start of `text` (section 2.8, production 23), and
/// true if it declares that the document stands alone.
fn declaration(text: &str) -> Result<(usize, bool), Error> {
    let mut cursor = Cursor { text, at: "<?xml".len() };
    let (mut next, mut standalone) = (0, false);
    loop {
        let spaced = cursor.skip_space();
        if next > 0 && cursor.eat(b"?>") {
            return Ok((cursor.at, standalone));
        }
        if !spaced {
            return Err(markup::syntax(text, cursor.at, "white space or `?>`"));
        }
        let start = cursor.at;
        let name = cursor.name("`version`, `encoding` or `standalone`")?;
        let place = ["version", "encoding", "standalone"].iter().position(|known| *known == name);
        let Some(place) = place.filter(|&place| place >= next && (next > 0 || place == 0)) else {
            return Err(markup::syntax(
                text,
                start,
                if next == 0 { "`version`" } else { "`encoding`, `standalone` or `?>`, in this order" },
            ));
        };
        next = place + 1;
        cursor.skip_space();
        cursor.expect(b"=", "`=`")?;
        cursor.skip_space();
        let (from, to) = cursor.literal("a value, in quotes")?;
        let value = &text[from..to];
        standalone = place == 2 && value == "yes";
        let good = match place {
            // Other minor versions are read as 1.0 (section 2.8).
            0 => value.strip_prefix("1.").is_some_and(|minor| !minor.is_empty() && minor.bytes().all(|byte| byte.is_ascii_digit())),
            1 => {
                value.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
                    && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
            }
            _ => matches!(value, "yes" | "no"),
        };
        if !good {
            let expected = ["version 1.0", "the name of an encoding", "`yes` or `no`"][place];
            return Err(Error::data(ErrorKind::Syntax, from as u64).seen(format!("{value:?}")).expected(expected));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_declarations_are_strict() {
        for good in ["<?xml version='1.0'?>", "<?xml version=\"1.1\" encoding = 'UTF-8' standalone='yes' ?>"] {
            assert_eq!(declaration(good).unwrap(), (good.len(), good.contains("'yes'")));
        }
        for bad in [
            "<?xml?>",
            "<?xml encoding='x'?>",
            "<?xml version='2.0'?>",
            "<?xml version='1.0' standalone='no' encoding='x'?>",
            "<?xml version='1.0'",
        ] {
            assert!(declaration(bad).is_err(), "{bad}");
        }
    }
}
