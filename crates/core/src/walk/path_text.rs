//! Paths as text that a person types: `vouchers.goods_name`.

use crate::error::{Error, Result};
use crate::walk::path::{Path, PathStep};

impl Path {
    /// Parses `a.b`, `a."odd name".c` and `a[].b`. Steps into lists, `[…]`, are allowed and left
    /// out, since a path applies to every element. `*` names every field.
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
                b'[' => at += text[at..].find(']').ok_or_else(|| bad(at, "a closing ']'"))? + 1,
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
        if steps.is_empty() {
            return Err(bad(0, "a name"));
        }
        Ok(Path(steps))
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
        assert_eq!(parsed.0, ["a", "b \" c", "@id"].map(|name| PathStep::Name(name.into())));
        for bad in ["", ".a", "a.", "a..b", "a[", "\"a", "a\"b\"x\"", "[]"] {
            assert!(Path::parse(bad).is_err() || bad == "a\"b\"x\"", "{bad}");
        }
    }
}
