//! The next page that a header `Link` names (RFC 8288).

/// Returns the target of the first link whose relation is `next`. Links of another context
/// (`anchor`) do not count.
pub(super) fn next<'v>(values: impl IntoIterator<Item = &'v str>) -> Option<String> {
    values.into_iter().find_map(of_value)
}

fn of_value(value: &str) -> Option<String> {
    let mut rest = value;
    while let Some((_, after)) = rest.split_once('<') {
        let (target, after) = after.split_once('>')?;
        let (is_next, after) = parameters(after);
        if is_next {
            return Some(target.trim().to_owned());
        }
        rest = after;
    }
    None
}

/// Reads the parameters of a link. Returns whether its relation is `next`, and the text behind it.
fn parameters(text: &str) -> (bool, &str) {
    let mut rest = text.trim_start();
    let (mut relation, mut anchored) = (None, false);
    while let Some(after) = rest.strip_prefix(';') {
        let after = after.trim_start();
        let end = after.find(['=', ';', ',']).unwrap_or(after.len());
        let name = after[..end].trim_end();
        rest = &after[end..];
        let mut value = String::new();
        if let Some(after) = rest.strip_prefix('=') {
            (value, rest) = word(after.trim_start());
        }
        if name.eq_ignore_ascii_case("rel") {
            // Only the first one counts.
            relation.get_or_insert(value);
        } else if name.eq_ignore_ascii_case("anchor") {
            anchored = true;
        }
        rest = rest.trim_start();
    }
    let is_next = relation.is_some_and(|all| all.split_ascii_whitespace().any(|one| one.eq_ignore_ascii_case("next")));
    (is_next && !anchored, rest)
}

/// Reads a token or a quoted text. Returns it, and the text behind it.
fn word(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([';', ',']).unwrap_or(text.len());
        return (text[..end].trim_end().to_owned(), &text[end..]);
    };
    let mut value = String::new();
    let mut escaped = false;
    for (at, c) in quoted.char_indices() {
        match c {
            _ if std::mem::take(&mut escaped) => value.push(c),
            '\\' => escaped = true,
            '"' => return (value, &quoted[at + 1..]),
            _ => value.push(c),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::next;

    #[test]
    fn the_next_page_is_found() {
        for (value, target) in [
            ("</a?page=2>; rel=next", Some("/a?page=2")),
            ("</a>; rel=\"prev\", </c>; title=\"x, <y>; rel=next\"; rel=\"last NEXT\"", Some("/c")),
            ("<http://h/a,b;c>;rel = next , </d>;rel=next", Some("http://h/a,b;c")),
            ("</a>; rel=prev; rel=next", None),
            ("</a>; anchor=\"/other\"; rel=next", None),
            ("</a>; crossorigin; rel=\"ne\\xt\"", Some("/a")),
            ("</a>; rel=nextish", None),
            ("</a; rel=next", None),
            ("</a>; rel=\"next", Some("/a")),
            ("", None),
            (",,;<>;;;rel=next", Some("")),
        ] {
            assert_eq!(next([value]).as_deref(), target, "{value}");
        }
        assert_eq!(next(["</a>; rel=prev", "</b>; rel=next"]).as_deref(), Some("/b"));
    }
}
