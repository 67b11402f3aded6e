//! A table to be made, and its text.

use std::fmt::Write;

use polywire_ql::syntax::quoted;

/// The longest line of a comment, in characters.
const LONGEST_LINE: usize = 800;

/// The most lines of comments of one table.
const MOST_LINES: usize = 200;

/// A table to be made.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// Name, unique among those of a description.
    pub name: String,
    /// Comments before the statement: Markdown, a line each.
    pub about: Vec<String>,
    /// Its verbs, each once.
    pub actions: Vec<Action>,
}

/// A verb of a table.
#[derive(Debug, Clone, Default)]
pub struct Action {
    /// `select`, `insert`, `update` or `delete`.
    pub verb: &'static str,
    /// HTTP method in lower case.
    pub method: &'static str,
    /// Template of the URI.
    pub uri: String,
    /// Headers: name, and template of the value.
    pub headers: Vec<(String, String)>,
    /// Defaults: name, and value as it is written.
    pub defaults: Vec<(String, String)>,
    /// Clauses that make bodies and read replies, as they are written.
    pub clauses: Vec<String>,
    /// Names on the way to the rows, joined by dots.
    pub rows: Option<String>,
}

impl Table {
    /// Adds a comment: each line of `text` by itself, white space and control characters as blanks.
    pub fn comment(&mut self, text: &str) {
        for line in text.lines() {
            if self.about.len() >= MOST_LINES {
                break;
            }
            let mut rest = line.chars().map(|letter| if is_odd(letter) { ' ' } else { letter });
            let shown: String = rest.by_ref().take(LONGEST_LINE).collect();
            let cut = if rest.next().is_some() { " …" } else { "" };
            let line = format!("{}{cut}", shown.trim_end());
            if !line.is_empty() || self.about.last().is_some_and(|last| !last.is_empty()) {
                self.about.push(line);
            }
        }
    }

    /// Returns the action of that verb.
    pub fn action(&self, verb: &str) -> Option<&Action> {
        self.actions.iter().find(|action| action.verb == verb)
    }

    /// Returns the statement with its comments, as a file has it.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.about {
            let blank = if line.is_empty() { "" } else { " " };
            let _ = writeln!(text, "--{blank}{line}");
        }
        let _ = write!(text, "create table {}", self.name);
        for action in &self.actions {
            let preposition = match action.method {
                "get" => " from",
                "post" | "put" => " to",
                _ => "",
            };
            let _ = write!(text, "\n  on {} {}{preposition} '{}'", action.verb, action.method, action.uri);
            let pairs = |pairs: &[(String, String)]| pairs.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>();
            let headers: Vec<(String, String)> =
                action.headers.iter().filter_map(|(name, value)| Some((quoted(name)?, quoted(value)?))).collect();
            clause(&mut text, "using headers", &pairs(&headers));
            clause(&mut text, "using defaults", &pairs(&action.defaults));
            let (bodies, others) = action.clauses.iter().partition::<Vec<_>, _>(|words| words.starts_with("using bodyTemplate"));
            for words in bodies {
                let _ = write!(text, "\n    {words}");
            }
            clause(&mut text, "resultset", &action.rows.as_deref().and_then(quoted).into_iter().collect::<Vec<_>>());
            for words in others {
                let _ = write!(text, "\n    {words}");
            }
        }
        text.push_str(";\n");
        text
    }
}

/// Returns true for characters that end a line, or change the order in which an editor shows it.
fn is_odd(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Writes a clause on lines of its own, one entry each.
fn clause(text: &mut String, words: &str, entries: &[String]) {
    if entries.is_empty() {
        return;
    }
    let gap = format!(",\n{}", " ".repeat(4 + words.len() + 1));
    let _ = write!(text, "\n    {words} {}", entries.join(&gap));
}

/// Returns a default of a description as a clause has it; `None` also for one without a character
/// that people see.
pub fn operand(value: &str) -> Option<String> {
    if value.is_empty() || value.chars().any(char::is_control) { None } else { polywire_ql::syntax::operand(value) }
}

/// Returns text of a URI, with the characters encoded that a template's literal text cannot have
/// (docs/spec/ql.md 5.3).
pub fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() || matches!(letter, ' ' | '^' | '"' | '\'' | '<' | '>' | '{' | '}' | '|' | '`') {
            let mut bytes = [0; 4];
            for byte in letter.encode_utf8(&mut bytes).bytes() {
                let _ = write!(out, "%{byte:02X}");
            }
        } else {
            out.push(letter);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_stay_comments() {
        let mut table = Table { name: "a".into(), ..Table::default() };
        table.comment("one\r\ntwo\u{b}create table\n\n\nthree\n");
        table.actions.push(Action { verb: "select", method: "get", uri: "http://h/".into(), ..Action::default() });
        assert_eq!(table.text(), "-- one\n-- two create table\n--\n-- three\ncreate table a\n  on select get from 'http://h/';\n");
        table.comment(&"x\n".repeat(1000));
        assert_eq!(table.about.len(), MOST_LINES);
    }

    #[test]
    fn literals_and_operands() {
        assert_eq!(literal("/a b{c}'\n"), "/a%20b%7Bc%7D%27%0A");
        assert_eq!(
            ["7", "07", "a", "{a}", "it's", "\"'"].map(operand),
            [Some("7".into()), Some("'07'".into()), Some("'a'".into()), None, Some("\"it's\"".into()), None]
        );
    }
}
