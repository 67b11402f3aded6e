//! `ocaml.type` (docs/spec/extprot.md 2.3): a host type with its conversions, in one string.
//!
//! The parts are texts of another language and are not parsed. They are only checked for balanced
//! brackets and quotes, which a generator needs to paste them.

use crate::model::Wrapped;

/// Splits the option's text: `type; from_wire; to_wire [; default]`, or with commas. `None` if
/// there are not three or four parts.
pub fn wrapped(text: &str) -> Option<Wrapped> {
    let parts = [b';', b','].into_iter().filter_map(|separator| parts(text, separator)).find(|parts| matches!(parts.len(), 3 | 4))?;
    let mut parts = parts.into_iter().map(|part| part.trim().to_string());
    let (host, from_wire, to_wire) = (parts.next()?, parts.next()?, parts.next()?);
    let default = parts.next();
    let empty = [&host, &from_wire, &to_wire].into_iter().chain(&default).any(String::is_empty);
    let is_type = host.chars().all(|c| c.is_alphanumeric() || " \t\r\n_'.,*()->[]|<:;#?~`&".contains(c))
        && host.starts_with(|c: char| c.is_alphabetic() || "_'([".contains(c));
    (!empty && is_type).then_some(Wrapped { host, from_wire, to_wire, default })
}

/// Returns the parts between separators outside brackets, strings, characters and comments; `None`
/// if something is not closed.
fn parts(text: &str, separator: u8) -> Option<Vec<&str>> {
    let bytes = text.as_bytes();
    let mut parts = Vec::new();
    let mut open = Vec::new();
    let (mut start, mut at) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'(' if bytes.get(at + 1) == Some(&b'*') && bytes.get(at + 2) != Some(&b')') => {
                at = super::comment::end(bytes, at)?;
                continue;
            }
            b'(' => open.push(b')'),
            b'[' => open.push(b']'),
            b'{' => open.push(b'}'),
            b')' | b']' | b'}' if open.pop() != Some(byte) => return None,
            b'"' => {
                at += 1;
                while *bytes.get(at)? != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            // A character, not a type variable.
            b'\'' if bytes.get(at + 1) == Some(&b'\\') => {
                at += 3;
                while *bytes.get(at)? != b'\'' {
                    at += 1;
                }
            }
            b'\'' if bytes.get(at + 2) == Some(&b'\'') => at += 2,
            _ if byte == separator && open.is_empty() => {
                parts.push(text.get(start..at)?);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    parts.push(text.get(start..)?);
    open.is_empty().then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_closed_texts() {
        let three = wrapped("Time.t; Time.of_float; Time.to_float").unwrap();
        assert_eq!((three.host.as_str(), three.from_wire.as_str(), three.to_wire.as_str()), ("Time.t", "Time.of_float", "Time.to_float"));
        assert_eq!(three.default, None);
        assert_eq!(wrapped("'a list, List.rev, List.rev, []").unwrap().default.as_deref(), Some("[]"));
        assert_eq!(wrapped("t; (fun x -> f x; g \";)\"); (fun c -> ';'); z (* ; *)").unwrap().from_wire, "(fun x -> f x; g \";)\")");
        for bad in ["", "t", "t; f", "t; f; g; d; e", "t; (f; g", "t; f); g", "; f; g", "t; f; \"open", "1 + ; f; g"] {
            assert_eq!(wrapped(bad), None, "{bad}");
        }
    }
}
