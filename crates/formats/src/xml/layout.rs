//! Documents on several lines.

use memchr::{memchr, memmem};
use polywire_core::walk::Indent;

use super::frame::Markup;
use super::structure::{doctype_end, tag_end};

/// Appends `compact`, a document that a writer made without white space between its elements, with
/// each element on a line of its own. Elements with text in them stay as they are, with all that
/// they hold.
pub fn lay_out(compact: &[u8], indent: Indent, out: &mut Vec<u8>) {
    let texts = texts(compact);
    let mut elements = texts.iter();
    // Number of open elements, and of those within one that has text.
    let (mut depth, mut fixed) = (0_usize, 0_usize);
    let mut before = None;
    pieces(compact, |piece, bytes| {
        if piece == Piece::End {
            depth = depth.saturating_sub(1);
        }
        let is_line = fixed == 0 && !(piece == Piece::End && before == Some(Piece::Start));
        if piece == Piece::End {
            fixed = fixed.saturating_sub(1);
        }
        if is_line && before.is_some() {
            out.push(b'\n');
            indent.put(depth, out);
        }
        out.extend_from_slice(bytes);
        if piece == Piece::Start {
            depth += 1;
        }
        if matches!(piece, Piece::Start | Piece::Empty) {
            let has_text = elements.next().copied().unwrap_or(false);
            if piece == Piece::Start && (has_text || fixed > 0) {
                fixed += 1;
            }
        }
        before = Some(piece);
    });
}

/// A piece of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Start,
    End,
    Empty,
    Text,
    Other,
}

/// Returns for each element, in the order of the start tags, whether text stands directly in it.
fn texts(document: &[u8]) -> Vec<bool> {
    let mut texts = Vec::new();
    let mut open = Vec::new();
    pieces(document, |piece, _| match piece {
        Piece::Start => {
            open.push(texts.len());
            texts.push(false);
        }
        Piece::Empty => texts.push(false),
        Piece::End => {
            open.pop();
        }
        Piece::Text => {
            if let Some(&element) = open.last() {
                texts[element] = true;
            }
        }
        Piece::Other => {}
    });
    texts
}

/// Hands each piece to `take`, in order.
fn pieces<'d>(document: &'d [u8], mut take: impl FnMut(Piece, &'d [u8])) {
    let mut at = 0;
    while at < document.len() {
        let rest = &document[at..];
        let (piece, end) = if rest[0] != b'<' {
            (Piece::Text, memchr(b'<', rest))
        } else {
            match Markup::at(rest, false) {
                Some(Markup::Comment) => (Piece::Other, memmem::find(rest, b"-->").map(|n| n + 3)),
                Some(Markup::Instruction) => (Piece::Other, memmem::find(rest, b"?>").map(|n| n + 2)),
                Some(Markup::Doctype) => (Piece::Other, doctype_end(rest)),
                Some(Markup::Section) => (Piece::Text, memmem::find(rest, b"]]>").map(|n| n + 3)),
                Some(Markup::End) => (Piece::End, memchr(b'>', rest).map(|n| n + 1)),
                _ => {
                    let end = tag_end(rest);
                    let is_empty = end.is_some_and(|end| rest[..end].ends_with(b"/>"));
                    (if is_empty { Piece::Empty } else { Piece::Start }, end)
                }
            }
        };
        let end = end.unwrap_or(rest.len());
        take(piece, &rest[..end]);
        at += end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_without_text_have_lines() {
        let laid = |compact: &str| {
            let mut out = Vec::new();
            lay_out(compact.as_bytes(), Indent::Spaces(2), &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(laid("<a/>"), "<a/>");
        assert_eq!(laid("<a>x</a>"), "<a>x</a>");
        assert_eq!(laid("<a x='>'><b>1</b><c/></a>"), "<a x='>'>\n  <b>1</b>\n  <c/>\n</a>");
        assert_eq!(laid("<a><b>x<c><d/></c></b><e><f/></e></a>"), "<a>\n  <b>x<c><d/></c></b>\n  <e>\n    <f/>\n  </e>\n</a>");
        assert_eq!(
            laid("<!DOCTYPE a [<!ELEMENT a ANY>]><?p?><a><!--c--></a>"),
            "<!DOCTYPE a [<!ELEMENT a ANY>]>\n<?p?>\n<a>\n  <!--c-->\n</a>"
        );
        assert_eq!(laid("<a><b></b></a>"), "<a>\n  <b></b>\n</a>");
    }

    #[test]
    fn any_bytes_end() {
        let mut rng = fastrand::Rng::with_seed(5);
        for _ in 0..20_000 {
            let bytes: Vec<u8> = (0..rng.usize(..14)).map(|_| *rng.choice(b"<>/!?-[]ab \"'=").unwrap()).collect();
            let mut out = Vec::new();
            lay_out(&bytes, Indent::Spaces(1), &mut out);
            let kept = |bytes: &[u8]| bytes.iter().filter(|byte| !b" \n".contains(byte)).count();
            assert_eq!(kept(&out), kept(&bytes), "{}", String::from_utf8_lossy(&bytes));
        }
    }
}
