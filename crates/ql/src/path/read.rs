//! Paths from text that is no script: behind the variable of a reference.

use super::step::{JsonPath, PathStep};

impl JsonPath {
    /// Reads the path behind a variable: empty, or beginning with a dot or bracket. Returns `None`
    /// for anything else.
    pub fn read(text: &str) -> Option<JsonPath> {
        let mut steps = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(behind) = rest.strip_prefix("..") {
                let (name, after) = name(behind)?;
                steps.push(PathStep::Descend(name.into()));
                rest = after;
            } else if let Some(behind) = rest.strip_prefix('.') {
                let (name, after) = name(behind)?;
                steps.push(if name == "*" { PathStep::All } else { PathStep::Name(name.into()) });
                rest = after;
            } else {
                let (inner, after) = bracket(rest.strip_prefix('[')?)?;
                let quoted = inner.len() >= 2 && inner.starts_with(['\'', '"']) && inner.ends_with(&inner[..1]);
                let plain = if quoted { &inner[1..inner.len() - 1] } else { inner };
                steps.push(PathStep::bracketed(plain).ok()?);
                rest = after;
            }
        }
        Some(JsonPath { steps })
    }
}

fn name(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| matches!(c, '.' | '[' | ']' | '{' | '}' | '(' | ')' | '\'' | '"') || c.is_whitespace() || c.is_control());
    let end = end.unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// Splits a text at the bracket that closes. Brackets in quotes or in other brackets do not close.
fn bracket(text: &str) -> Option<(&str, &str)> {
    let mut quote = None;
    let mut open = 0u32;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(this), _) if this == c => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '[') => open += 1,
            (None, ']') if open == 0 => return (at > 0).then(|| (text[..at].trim(), &text[at + 1..])),
            (None, ']') => open -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_read() {
        let steps = |text| JsonPath::read(text).map(|path| path.steps);
        assert_eq!(steps(""), Some(vec![]));
        assert_eq!(steps(".a.b-c"), Some(vec![PathStep::Name("a".into()), PathStep::Name("b-c".into())]));
        assert_eq!(steps("..x[12]"), Some(vec![PathStep::Descend("x".into()), PathStep::Index(12)]));
        assert_eq!(steps(".l[1:-1].*"), Some(vec![PathStep::Name("l".into()), PathStep::Slice(Some(1), Some(-1)), PathStep::All]));
        assert_eq!(steps("['a.b']"), Some(vec![PathStep::Name("a.b".into())]));
        assert!(matches!(steps(".l[?(@.x == ']')]").unwrap()[1], PathStep::Filter(_)));
        for wrong in ["a", ".", "..", ".a b", ".a[", ".a[]", ".a]", ".a[?(@.x ~ 2)]", "}"] {
            assert_eq!(steps(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn reads_are_the_names_that_are_looked_at() {
        let reads = |text| JsonPath::read(text).unwrap().reads().iter().map(|path| path.join(".")).collect::<Vec<_>>();
        assert_eq!(reads(".a.b"), ["a.b"]);
        assert_eq!(reads(".a..b"), ["a"]);
        assert_eq!(reads(".$.a.b"), ["a.b"]);
        let of_names = |text| JsonPath::read(text).unwrap().names().is_some();
        assert!(of_names(".a.b") && !of_names(".a.length") && !of_names(".a.0.b") && !of_names(".a[0]"));
        assert_eq!(reads(".a.$"), ["a.$"]);
        assert_eq!(reads(".a[0].b"), ["a"]);
        assert_eq!(reads(".a.0.b"), ["a"]);
        assert_eq!(reads(".a[?(@.p.q > 2)].b"), ["a.p.q", "a.b"]);
    }
}
