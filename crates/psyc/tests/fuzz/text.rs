//! Fuzz body: templates, against a twin that makes the whole text as a list of pieces.

use polywire_psyc::text::{Filled, Status, Text};

/// The value of a name: names that begin with a small letter have one, in part empty, in part with
/// braces in it.
fn lookup(name: &[u8]) -> Option<Vec<u8>> {
    match name.first() {
        Some(b'a'..=b'h') => Some(Vec::new()),
        Some(b'i'..=b'p') => Some(b"[a]".repeat(name.len())),
        Some(b'q'..=b'z') => Some(name.to_vec()),
        _ => None,
    }
}

/// The pieces of docs/spec/psyc.md 14. None if nothing is put in.
fn twin(template: &[u8], open: &[u8], close: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut pieces = Vec::new();
    let (mut at, mut copied) = (0, 0);
    while at < template.len() && !open.is_empty() && !close.is_empty() {
        if !template[at..].starts_with(open) {
            at += 1;
            continue;
        }
        let name = at + open.len();
        let Some(end) = (name..template.len()).find(|end| template[*end..].starts_with(close)) else { break };
        if let Some(value) = lookup(&template[name..end]) {
            pieces.push(template[copied..at].to_vec());
            pieces.push(value);
            copied = end + close.len();
        }
        at = end + close.len();
    }
    if pieces.is_empty() {
        return None;
    }
    pieces.push(template[copied..].to_vec());
    Some(pieces)
}

/// Returns the pieces in buffers of one size. None if one of these fits none.
fn buffers(pieces: &[Vec<u8>], size: usize) -> Option<Vec<Vec<u8>>> {
    let mut buffers = vec![Vec::new()];
    for piece in pieces {
        if piece.len() > size {
            return None;
        }
        if buffers.last().is_none_or(|last: &Vec<u8>| last.len() + piece.len() > size) {
            buffers.push(Vec::new());
        }
        buffers.last_mut()?.extend_from_slice(piece);
    }
    Some(buffers)
}

fn check(template: &[u8], open: &[u8], close: &[u8]) {
    let shown = String::from_utf8_lossy(template);
    let start = Text::with_braces(template, open, close);
    let mut whole = b"before".to_vec();
    let found = start.append(&mut whole, lookup);
    let Some(pieces) = twin(template, open, close) else {
        assert!(!found && whole[6..] == *template, "{shown}");
        for size in [0, 1, template.len()] {
            let filled = start.clone().fill(&mut vec![0; size], lookup);
            assert_eq!(filled, Filled { status: Status::NoSubstitution, written: 0 }, "{shown}");
        }
        return;
    };
    assert!(found && whole[6..] == pieces.concat(), "{shown}: {:?}", String::from_utf8_lossy(&whole));
    let longest = pieces.iter().map(Vec::len).max().unwrap_or(0);
    for size in (0..=longest + 4).chain([whole.len()]) {
        let mut text = start;
        let mut came = Vec::new();
        let whole = loop {
            let mut out = vec![0; size];
            let Filled { status, written } = text.fill(&mut out, lookup);
            came.push(out[..written].to_vec());
            // The cursor and the template are all there is to go on.
            text = Text::with_braces(template, open, close).at(text.cursor());
            match status {
                Status::Complete => break true,
                Status::Incomplete if written == 0 && came.len() > 1 => break false,
                Status::Incomplete => {}
                Status::NoSubstitution => panic!("{shown}: something is put in"),
            }
        };
        match buffers(&pieces, size) {
            Some(expected) => assert_eq!((came, whole), (expected, true), "{shown}, buffers of {size}"),
            None => assert!(!whole, "{shown}, buffers of {size}"),
        }
    }
}

/// Whatever the template, with three kinds of braces, and all sizes of buffers.
pub fn body(template: &[u8]) {
    let template = &template[..template.len().min(200)];
    for (open, close) in [(&b"["[..], &b"]"[..]), (b"${", b"}"), (b"[[", b"]]"), (b"%", b"%"), (b"", b"]"), (b"[", b""), (b"", b"")] {
        check(template, open, close);
    }
}
