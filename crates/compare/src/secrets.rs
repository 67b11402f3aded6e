//! Command lines without their secrets: a report is passed on, a password is not.

/// Parts of names whose values are secrets.
const NAMES: [&str; 9] = ["authorization", "apikey", "api-key", "bearer", "cookie", "credential", "passw", "secret", "token"];

const MASK: &str = "***";

/// Returns the arguments with `***` in place of secrets: the values of options, variables and
/// headers with names such as `--token`, `API_SECRET=` or `Authorization:`, and what stands before
/// the `@` of an address.
pub(crate) fn masked(arguments: &[String]) -> Vec<String> {
    let mut due = false;
    arguments.iter().map(|argument| in_argument(argument, &mut due)).collect()
}

/// Masks one argument, which may be a command of several words. `due` is true if the word before
/// was an option whose value follows.
fn in_argument(argument: &str, due: &mut bool) -> String {
    let mut out = String::with_capacity(argument.len());
    let mut rest = argument;
    while !rest.is_empty() {
        let is_first = rest.len() == argument.len();
        let (space, after) = rest.split_at(rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len()));
        let (word, next) = after.split_at(after.find(char::is_whitespace).unwrap_or(after.len()));
        out.push_str(space);
        rest = next;
        if std::mem::take(due) && !word.is_empty() {
            out.push_str(MASK);
            rest = behind_value(after, is_first);
        } else if let Some((name, value)) = word.split_once(['=', ':']).filter(|(name, _)| is_secret(name)) {
            let header = word[name.len()..].starts_with(':');
            out.push_str(&word[..=name.len()]);
            out.push_str(if header && value.is_empty() { " ***" } else { MASK });
            rest = if header { from_quote(&after[name.len() + 1..]) } else { behind_value(&after[name.len() + 1..], is_first) };
        } else {
            *due = word.starts_with('-') && is_secret(word);
            out.push_str(&without_user(word));
        }
    }
    out
}

/// Returns the text behind a value: one that is quoted, or an argument of its own, has spaces.
fn behind_value(text: &str, is_argument: bool) -> &str {
    let end = match text.chars().next() {
        _ if is_argument => None,
        Some(quote @ ('\'' | '"')) => text[1..].find(quote).map(|at| at + 2),
        _ => text.find(char::is_whitespace),
    };
    end.map_or("", |end| &text[end..])
}

/// Returns the text from the quote that ends a header, if it is in quotes.
fn from_quote(text: &str) -> &str {
    text.find(['\'', '"']).map_or("", |end| &text[end..])
}

fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase().replace('_', "-");
    NAMES.iter().any(|part| name.contains(part))
}

/// Returns a word without the user and password of an address in it.
fn without_user(word: &str) -> String {
    let Some(start) = word.find("://").map(|at| at + 3) else { return word.to_string() };
    let end = word[start..].find(['/', '?', '#']).map_or(word.len(), |at| start + at);
    match word[start..end].rfind('@') {
        Some(at) => format!("{}{MASK}{}", &word[..start], &word[start + at..]),
        None => word.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked_and_nothing_else_is() {
        let of = |arguments: &[&str]| masked(&arguments.iter().map(ToString::to_string).collect::<Vec<_>>());
        let plain = ["polywire", "compare", "tokens.jsonl", "--formats", "json,cbor", "--rival", "mine=./x --fast 'a  b' c:d"];
        assert_eq!(of(&plain), plain);
        for (argument, shown) in [
            ("mine=./x --token=abc --fast", "mine=./x --token=*** --fast"),
            ("mine=./x --api-key abc --fast", "mine=./x --api-key *** --fast"),
            ("mine=env API_SECRET=abc ./x", "mine=env API_SECRET=*** ./x"),
            ("mine=x -H 'Authorization: Bearer abc def' y", "mine=x -H 'Authorization: ***' y"),
            ("mine=x -H 'Authorization: Bearer abc", "mine=x -H 'Authorization: ***"),
            ("mine=x http://a:b@host/p?q=1@2", "mine=x http://***@host/p?q=1@2"),
            ("mine=x -H 'Cookie:a b' y", "mine=x -H 'Cookie:***' y"),
            ("mine=x --token='a b' y", "mine=x --token=*** y"),
            ("mine=x --token \"a b\" y", "mine=x --token *** y"),
            ("--password=ä b", "--password=***"),
        ] {
            assert_eq!(of(&[argument]), [shown]);
        }
        assert_eq!(of(&["--token", "abc d", "def"]), ["--token", "***", "def"]);
    }
}
