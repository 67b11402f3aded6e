//! Parts of clauses, for programs that write scripts.

/// Returns a text in quotes, which have no escapes; `None` if it has both kinds of quotes.
pub fn quoted(text: &str) -> Option<String> {
    match (text.contains('\''), text.contains('"')) {
        (false, _) => Some(format!("'{text}'")),
        (_, false) => Some(format!("\"{text}\"")),
        _ => None,
    }
}

/// Returns a default as a clause has it: digits unchanged, other text in quotes; `None` if a
/// template would read it otherwise.
pub fn operand(value: &str) -> Option<String> {
    let digits = !value.is_empty()
        && value.len() < 16
        && value.bytes().all(|byte| byte.is_ascii_digit())
        && (value == "0" || !value.starts_with('0'));
    match value {
        _ if digits => Some(value.to_owned()),
        _ if value.contains(['{', '}']) => None,
        _ => quoted(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_spelled_so_that_they_are_read_as_they_are() {
        let some = |text: &str| Some(text.to_string());
        assert_eq!(["a", "it's", "'\""].map(quoted), [some("'a'"), some("\"it's\""), None]);
        assert_eq!(["17", "007", "0", "x", "{x}"].map(operand), [some("17"), some("'007'"), some("0"), some("'x'"), None]);
    }
}
