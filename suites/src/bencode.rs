//! Bencode: libtorrent's torrents, real and twisted ones.

use polywire_core::tools::adapt::Doubles;
use polywire_formats::bencode::FORMAT;

use crate::cases::Cases;
use crate::outcome::Outcome;
use crate::suite::Suite;
use crate::{files, testee};

/// libtorrent's test torrents.
pub static SUITE: Suite = Suite {
    name: "bencode",
    format: "bencode",
    title: "libtorrent's torrents",
    folder: "arvidn+libtorrent",
    needs: "test/test_torrents",
    licence: "BSD-3-Clause",
    rule: "a file that is bencode by BEP 3, as a strict reader of our own judges, is read, and comes back byte for byte if its keys are \
           sorted; any other is refused. (Most files are wrong as torrents, and right as bencode)",
    others: "",
    run,
};

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    let root = cases.root().join("test/test_torrents");
    for path in files::below(&root, |name| name.ends_with(".torrent"))? {
        let bytes = files::bytes(&path)?;
        let name = files::within(&root, &path);
        let mut judge = Judge { input: &bytes, at: 0, sorted: true, distinct: true };
        let valid = judge.value().is_some() && judge.at == bytes.len() && judge.distinct;
        if !valid {
            cases.run("refused", name, || Outcome::refused(testee::one(&FORMAT, Doubles::Refuse, &bytes)));
        } else if judge.sorted {
            cases.run("bytes", name, || {
                Outcome::read(testee::written(&FORMAT, &FORMAT, Doubles::Refuse, &bytes), |written| Outcome::same_bytes(&written, &bytes))
            });
        } else {
            cases.run("read, out of order", name, || Outcome::read(testee::one(&FORMAT, Doubles::Refuse, &bytes), |_| Outcome::Right));
        }
    }
    Ok(())
}

/// A strict reader of BEP 3, without a bound on depth.
struct Judge<'b> {
    input: &'b [u8],
    at: usize,
    sorted: bool,
    distinct: bool,
}

/// A container that the judge is in.
enum Level<'b> {
    List,
    Keys { last: Option<&'b [u8]>, keys: std::collections::BTreeSet<&'b [u8]>, value: bool },
}

impl<'b> Judge<'b> {
    fn value(&mut self) -> Option<()> {
        let mut levels: Vec<Level<'b>> = Vec::new();
        loop {
            let byte = *self.input.get(self.at)?;
            let ends = byte == b'e' && !matches!(levels.last(), None | Some(Level::Keys { value: true, .. }));
            if ends {
                self.at += 1;
                levels.pop();
            } else if let Some(Level::Keys { last, keys, value: value @ false }) = levels.last_mut() {
                *value = true;
                let key = text(self.input, &mut self.at)?;
                self.sorted &= last.is_none_or(|last| last < key);
                self.distinct &= keys.insert(key);
                *last = Some(key);
                continue;
            } else {
                match byte {
                    b'i' => self.integer()?,
                    b'l' | b'd' => {
                        self.at += 1;
                        levels.push(if byte == b'l' {
                            Level::List
                        } else {
                            Level::Keys { last: None, keys: Default::default(), value: false }
                        });
                        continue;
                    }
                    _ => {
                        text(self.input, &mut self.at)?;
                    }
                }
            }
            match levels.last_mut() {
                None => return Some(()),
                Some(Level::Keys { value, .. }) => *value = false,
                Some(Level::List) => {}
            }
        }
    }

    fn integer(&mut self) -> Option<()> {
        let rest = &self.input[self.at + 1..];
        let end = rest.iter().position(|byte| *byte == b'e')?;
        let digits = rest[..end].strip_prefix(b"-").unwrap_or(&rest[..end]);
        let negative = digits.len() < end;
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) || digits[0] == b'0' && (digits.len() > 1 || negative) {
            return None;
        }
        self.at += end + 2;
        Some(())
    }
}

fn text<'b>(input: &'b [u8], at: &mut usize) -> Option<&'b [u8]> {
    let rest = input.get(*at..)?;
    let colon = rest.iter().take(20).position(|byte| *byte == b':')?;
    let digits = &rest[..colon];
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) || digits[0] == b'0' && digits.len() > 1 {
        return None;
    }
    let len: usize = std::str::from_utf8(digits).ok()?.parse().ok()?;
    let text = rest.get(colon + 1..)?.get(..len)?;
    *at += colon + 1 + len;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_judge_is_strict() {
        let judged = |text: &str| {
            let mut judge = Judge { input: text.as_bytes(), at: 0, sorted: true, distinct: true };
            let whole = judge.value().is_some() && judge.at == text.len();
            (whole, judge.sorted, judge.distinct)
        };
        for text in ["i0e", "i-7e", "le", "de", "3:abc", "d1:ai1e1:bli2eee"] {
            assert_eq!(judged(text), (true, true, true), "{text}");
        }
        for text in ["", "ie", "i-0e", "i007e", "03:abc", "4:abc", "l", "d1:ae", "di1ei2ee", "lee", "i1"] {
            assert!(!judged(text).0, "{text}");
        }
        assert_eq!(judged("d1:bi1e1:ai1ee"), (true, false, true));
        assert!(!judged("d1:ai1e1:ai1ee").2);
    }
}
