//! Comments: their ends, and the documentation in them.

/// Returns the offset after the comment that starts at `start`, or `None` if it does not end.
/// Comments nest; a string in a comment is one unit.
pub fn end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b'(' if bytes.get(at + 1) == Some(&b'*') => {
                depth += 1;
                at += 2;
            }
            b'*' if bytes.get(at + 1) == Some(&b')') => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return Some(at);
                }
            }
            b'"' => at = string_end(bytes, at)?,
            _ => at += 1,
        }
    }
    None
}

fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Returns the text of a comment, without the comment marks, the stars that decorate its lines, and
/// the common indentation. `column` is the number of bytes before the comment on its line.
/// Indentation deeper than that of the first line stays.
pub fn text(comment: &str, column: usize) -> String {
    let inner = comment.strip_prefix("(*").and_then(|rest| rest.strip_suffix("*)")).unwrap_or(comment);
    let inner = inner.strip_prefix('*').unwrap_or(inner);
    let mut lines: Vec<&str> = inner.lines().map(str::trim_end).collect();
    let starred = |line: &&str| line.trim_start().starts_with('*') || line.trim().is_empty();
    if lines.len() > 1 && lines[1..].iter().all(starred) {
        for line in &mut lines[1..] {
            let rest = line.trim_start();
            let rest = rest.strip_prefix('*').unwrap_or(rest);
            *line = rest.strip_prefix(' ').unwrap_or(rest);
        }
    } else if lines.len() > 1 {
        let indent = |line: &&str| line.len() - line.trim_start_matches([' ', '\t']).len();
        let least = lines[1..].iter().filter(|line| !line.is_empty()).map(indent).min().unwrap_or(0).min(column + 3);
        for line in &mut lines[1..] {
            *line = line.get(least..).unwrap_or("");
        }
    }
    if let Some(first) = lines.first_mut() {
        *first = first.trim_start();
    }
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    let blank = lines.iter().take_while(|line| line.is_empty()).count();
    lines[blank..].join("\n")
}

/// Writes a comment that contains `text` and ends where it should. Comment marks inside it are
/// split, and quotes that would open a string become two apostrophes.
pub fn write(text: &str, indent: &str, out: &mut String) {
    let body: Vec<&str> = text.lines().map(str::trim_end).collect();
    let mut body = body.join("\n");
    let stands = |body: &str| {
        let comment = format!("(* {body} *)");
        end(comment.as_bytes(), 0) == Some(comment.len())
    };
    if !stands(&body) {
        body = body.replace('"', "''");
    }
    if !stands(&body) {
        // In two passes, so that `(*)` is split twice.
        body = body.replace("(*", "( *").replace("*)", "* )");
    }
    out.push_str("(* ");
    for (n, line) in body.lines().enumerate() {
        if n > 0 {
            out.push('\n');
            if !line.is_empty() {
                out.push_str(indent);
                out.push_str("   ");
            }
        }
        out.push_str(line);
    }
    out.push_str(" *)");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_what_people_wrote() {
        for (comment, said) in [
            ("(* one *)", "one"),
            ("(** one *)", "one"),
            ("(*one*)", "one"),
            ("(* one\n   two\n     three *)", "one\ntwo\n  three"),
            ("(**\n * one\n *\n * two\n *)", "one\n\ntwo"),
            ("(***)", ""),
            ("(**)", ""),
            ("(* *)", ""),
        ] {
            assert_eq!(text(comment, 0), said, "{comment}");
        }
    }

    #[test]
    fn what_is_written_is_one_comment() {
        for said in
            ["plain", "two\nlines", "a *) b", "(*", "(*)", "*)", "(* nested *)", "a \" b", "\"*)\"", "*", "(", ")", "\\", "\"\\", ""]
        {
            let mut out = String::new();
            write(said, "  ", &mut out);
            assert_eq!(end(out.as_bytes(), 0), Some(out.len()), "{said}: {out}");
        }
        let mut out = String::new();
        write("two\n\n  lines", "  ", &mut out);
        assert_eq!((out.as_str(), text(&out, 2).as_str()), ("(* two\n\n       lines *)", "two\n\n  lines"));
    }
}
