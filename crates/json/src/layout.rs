//! Compact JSON text with another look: lines, indentation, colours.

use polywire_core::walk::{Colors, Layout};

use crate::string::plain_end;

/// Appends `compact`, one JSON text without white space between its tokens, with the look `layout`.
///
/// Its values stay the same. Text that is no JSON is copied with some white space in it.
pub fn lay_out(compact: &[u8], layout: &Layout, out: &mut Vec<u8>) {
    let mut look = Look { layout, out, open: Vec::new() };
    // True if a string that comes next is a name.
    let mut named = false;
    let mut at = 0;
    while let Some(&byte) = compact.get(at) {
        match byte {
            b'{' | b'[' => {
                look.out.push(byte);
                if let Some(&end @ (b'}' | b']')) = compact.get(at + 1) {
                    look.out.push(end);
                    at += 2;
                    continue;
                }
                named = byte == b'{';
                look.open.push(named);
                look.line();
            }
            b'}' | b']' => {
                look.open.pop();
                look.line();
                look.out.push(byte);
            }
            b',' => {
                look.out.push(byte);
                named = look.open.last() == Some(&true);
                look.line();
            }
            b':' => {
                look.out.extend_from_slice(if layout.indent.is_some() { b": " } else { b":" });
                named = false;
            }
            b'"' => {
                let end = string_end(compact, at + 1);
                look.token(if named { |colors| &colors.name } else { |colors| &colors.text }, &compact[at..end]);
                at = end;
                continue;
            }
            _ => {
                let length = compact[at + 1..].iter().position(|byte| matches!(byte, b',' | b']' | b'}' | b':' | b'"' | b'[' | b'{'));
                let end = length.map_or(compact.len(), |length| at + 1 + length);
                look.token(if byte == b'n' { |colors| &colors.null } else { |colors| &colors.number }, &compact[at..end]);
                at = end;
                continue;
            }
        }
        at += 1;
    }
}

struct Look<'a> {
    layout: &'a Layout,
    out: &'a mut Vec<u8>,
    /// The open containers, true for objects.
    open: Vec<bool>,
}

impl Look<'_> {
    /// Begins a line, if there are lines.
    fn line(&mut self) {
        if let Some(indent) = self.layout.indent {
            self.out.push(b'\n');
            indent.put(self.open.len(), self.out);
        }
    }

    fn token(&mut self, color: fn(&Colors) -> &String, token: &[u8]) {
        match &self.layout.colors {
            None => self.out.extend_from_slice(token),
            Some(colors) => {
                self.out.extend_from_slice(color(colors).as_bytes());
                self.out.extend_from_slice(token);
                self.out.extend_from_slice(colors.end.as_bytes());
            }
        }
    }
}

/// Returns the offset after the string whose contents start at `at`.
fn string_end(text: &[u8], mut at: usize) -> usize {
    loop {
        at = plain_end(text, at);
        match text.get(at) {
            None => return text.len(),
            Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
        }
        if at > text.len() {
            return text.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polywire_core::walk::Indent;

    fn laid(compact: &str, layout: &Layout) -> String {
        let mut out = Vec::new();
        lay_out(compact.as_bytes(), layout, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn containers_have_lines_and_empty_ones_have_none() {
        let two = Layout::COMPACT.with_indent(Some(Indent::Spaces(2)));
        let compact = r#"{"a":[1,-2.5e3,[],{}],"b\"}":{"c":"x,]\\","d":null},"e":true}"#;
        let pretty = r#"{
  "a": [
    1,
    -2.5e3,
    [],
    {}
  ],
  "b\"}": {
    "c": "x,]\\",
    "d": null
  },
  "e": true
}"#;
        assert_eq!(laid(compact, &two), pretty);
        assert_eq!(laid(compact, &Layout::COMPACT), compact);
        assert_eq!(laid("[1]", &Layout::COMPACT.with_indent(Some(Indent::Tab))), "[\n\t1\n]");
        assert_eq!(laid("[1]", &Layout::COMPACT.with_indent(Some(Indent::Spaces(0)))), "[\n1\n]");
        for alone in ["12", "\"a,b\"", "null", "{}", "[]"] {
            assert_eq!(laid(alone, &two), alone);
        }
    }

    #[test]
    fn colours_stand_around_names_and_scalars() {
        let colors = Colors::new("N".into(), "T".into(), "D".into(), "0".into(), ".".into());
        let layout = Layout::COMPACT.with_colors(Some(colors));
        assert_eq!(laid(r#"{"a":["b",1,true,null],"c":{}}"#, &layout), r#"{N"a".:[T"b".,D1.,Dtrue.,0null.],N"c".:{}}"#);
    }

    #[test]
    fn deep_levels_keep_the_indentation_of_the_widest() {
        let depth = 2000;
        let compact = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        let out = laid(&compact, &Layout::COMPACT.with_indent(Some(Indent::Spaces(2))));
        assert!(out.len() < compact.len() * (Indent::WIDEST + 3), "{}", out.len());
    }

    #[test]
    fn any_bytes_end() {
        let mut rng = fastrand::Rng::with_seed(5);
        let layout = Layout::COMPACT.with_indent(Some(Indent::Spaces(1)));
        for _ in 0..20_000 {
            let bytes: Vec<u8> = (0..rng.usize(..12)).map(|_| *rng.choice(br#"{}[],:"\n1a"#).unwrap()).collect();
            lay_out(&bytes, &layout, &mut Vec::new());
        }
    }
}
