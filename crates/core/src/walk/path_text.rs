//! Paths as text that a person types: `vouchers.goods_name`.

use crate::error::{Error, Result};
use crate::walk::path::{Path, PathStep};
use crate::walk::slice::Slice;

impl Path {
    /// Parses `a.b`, `a."odd name".c`, `a[3]` and `a[].b`. `*` names every field.
    ///
    /// Steps into lists are `[3]`, counted from 0; `[-1]`, counted from the end; `[2:5]`, from the
    /// first number up to, not including, the second, either of which may be left out; and `[]`,
    /// every element.
    ///
    /// # Errors
    /// The text is no path.
    pub fn parse(text: &str) -> Result<Path> {
        let bad = |at: usize, expected: &'static str| {
            Error::usage(format!("character {} of the path `{text}`", at + 1))
                .expected(expected)
                .hint("paths look like vouchers.goods_name or order.\"unit price\"")
        };
        let bytes = text.as_bytes();
        let mut steps = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b'[' => {
                    let end = at + text[at..].find(']').ok_or_else(|| bad(at, "a closing ']'"))?;
                    let step = position(&text[at + 1..end]);
                    steps.push(step.ok_or_else(|| bad(at + 1, "a position such as 3, -1 or 2:5, or nothing for every element"))?);
                    at = end + 1;
                }
                b'"' => {
                    let mut name = String::new();
                    let mut rest = text[at + 1..].chars();
                    loop {
                        match rest.next() {
                            Some('"') => break,
                            Some('\\') => name.push(rest.next().ok_or_else(|| bad(text.len(), "a closing '\"'"))?),
                            Some(other) => name.push(other),
                            None => return Err(bad(text.len(), "a closing '\"'")),
                        }
                    }
                    at = text.len() - rest.as_str().len();
                    steps.push(PathStep::Name(name));
                }
                _ => {
                    let end = text[at..].find(['.', '[']).map_or(text.len(), |n| at + n);
                    if end == at {
                        return Err(bad(at, "a name"));
                    }
                    steps.push(PathStep::Name(text[at..end].to_string()));
                    at = end;
                }
            }
            if at < bytes.len() && bytes[at] == b'.' {
                at += 1;
                if at == bytes.len() {
                    return Err(bad(at, "a name"));
                }
            } else if at < bytes.len() && bytes[at] != b'[' {
                return Err(bad(at, "'.' or '['"));
            }
        }
        if !steps.iter().any(|step| *step != PathStep::Each) {
            return Err(bad(0, "a name"));
        }
        Ok(Path(steps))
    }
}

/// Parses the text between brackets.
fn position(text: &str) -> Option<PathStep> {
    let number = |text: &str| match text.trim() {
        "" => Some(None),
        text => text.parse::<i64>().ok().map(Some),
    };
    match (text.trim(), text.split_once(':')) {
        ("" | "*", _) => Some(PathStep::Each),
        (_, Some((from, to))) => Some(PathStep::Slice(Slice { from: number(from)?, to: number(to)? })),
        (one, None) => match one.parse::<i64>().ok()? {
            at @ 0.. => Some(PathStep::Index(at.unsigned_abs())),
            at => Some(PathStep::Slice(Slice::one(at))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_print_and_parse() {
        let path = Path(vec![PathStep::Name("a".into()), PathStep::Index(17), PathStep::Name("b c".into()), PathStep::Each]);
        assert_eq!(path.to_string(), "a[17].\"b c\"[]");
        assert_eq!(path.in_schema().to_string(), "a[].\"b c\"[]");
        let parsed = Path::parse("a[17].\"b \\\" c\".@id").unwrap();
        let name = |name: &str| PathStep::Name(name.into());
        assert_eq!(parsed.0, [name("a"), PathStep::Index(17), name("b \" c"), name("@id")]);
        for text in ["a[17].b", "a[-1][0]", "[2].a", "a[2:5].b", "a[:3]", "a[-2:]", "a[][1].c", "a[:]"] {
            assert_eq!(Path::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Path::parse("a[*][ 1 ][-2:-1]").unwrap().to_string(), "a[][1][-2]");
        for bad in ["", ".a", "a.", "a..b", "a[", "\"a", "a\"b\"x\"", "[]", "a[x]", "a[1.5]", "a[1:2:3]", "a[--1]", "a[1]b"] {
            assert!(Path::parse(bad).is_err() || bad == "a\"b\"x\"", "{bad}");
        }
    }
}
