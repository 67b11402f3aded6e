//! EJS to JavaScript. Each line of the script is the line of the template that it came from, so the
//! engine's errors name lines of the template.
//!
//! | tag | does |
//! |---|---|
//! | `<% code %>` | runs code |
//! | `<%= value %>` | inserts a value, escaped for XML and HTML |
//! | `<%- value %>` | inserts a value as it is |
//! | `<%# text %>` | nothing |
//! | `<% include name %>`, `<%- include('name', {…}) %>` | inserts another template |
//! | `<%%`, `%%>` | stand for `<%` and `%>` |
//! | `-%>` | swallows the line end behind it |
//! | `<%_`, `_%>` | swallow the blanks before and the blanks and line end behind |

use super::error::TemplateError;

/// Returns the script: a function of the scope, of a function that escapes, and of one that
/// includes.
pub(super) fn compile(template: &str) -> Result<String, TemplateError> {
    let mut script = Script { text: String::with_capacity(template.len() * 2), line: 1, owed: 0 };
    // The variables of old templates are members of the scope, by `with`.
    script.text.push_str("(function (__scope, __escape, include) { var locals = __scope, __out = ''; with (__scope) { ");
    let mut rest = template;
    let mut trim_line_end = false;
    loop {
        let open = rest.find("<%").unwrap_or(rest.len());
        let mut text = &rest[..open];
        if std::mem::take(&mut trim_line_end) {
            let trimmed = text.strip_prefix("\r\n").or(text.strip_prefix('\n')).unwrap_or(text);
            script.lines(&text[..text.len() - trimmed.len()]);
            text = trimmed;
        }
        let Some(tag) = rest.get(open + 2..).filter(|_| open < rest.len()) else {
            script.literal(text);
            break;
        };
        if let Some(behind) = tag.strip_prefix('%') {
            script.literal(text);
            script.literal("<%");
            rest = behind;
            continue;
        }
        let kind = tag.chars().next().filter(|first| matches!(first, '=' | '-' | '#' | '_'));
        if kind == Some('_') {
            text = text.trim_end_matches([' ', '\t']);
        }
        script.literal(text);
        let opened = script.line;
        let inner = &tag[kind.map_or(0, char::len_utf8)..];
        let Some(close) = end_of(inner) else {
            return Err(TemplateError { line: opened, message: "a tag opened by <% is not closed by %>".into() });
        };
        let mut code = &inner[..close];
        rest = &inner[close + 2..];
        if let Some(shorter) = code.strip_suffix('-') {
            code = shorter;
            trim_line_end = true;
        } else if let Some(shorter) = code.strip_suffix('_') {
            code = shorter;
            rest = rest.trim_start_matches([' ', '\t']);
            trim_line_end = true;
        }
        script.tag(kind, &code.replace("%%>", "%>"), opened)?;
    }
    script.text.push_str("} return __out; })");
    Ok(script.text)
}

/// Returns the end of a tag: the first `%>` that is not part of `%%>`.
fn end_of(inner: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + inner.get(from..)?.find("%>")?;
        if at == 0 || inner.as_bytes()[at - 1] != b'%' {
            return Some(at);
        }
        from = at + 2;
    }
}

struct Script {
    text: String,
    /// The line of the template that is being written.
    line: u32,
    /// Line ends that the script has beyond those of the template so far.
    owed: u32,
}

impl Script {
    /// Keeps the number of lines for line ends of the template that are not text.
    fn lines(&mut self, text: &str) {
        for _ in text.matches('\n') {
            self.line += 1;
            match self.owed.checked_sub(1) {
                Some(owed) => self.owed = owed,
                None => self.text.push('\n'),
            }
        }
    }

    /// Writes text. A semicolon comes first: code may end without one.
    fn literal(&mut self, text: &str) {
        for part in text.split_inclusive('\n') {
            self.text.push_str("; __out += '");
            for letter in part.chars() {
                match letter {
                    '\'' => self.text.push_str("\\'"),
                    '\\' => self.text.push_str("\\\\"),
                    '\n' => self.text.push_str("\\n"),
                    '\r' => self.text.push_str("\\r"),
                    '\u{2028}' => self.text.push_str("\\u2028"),
                    '\u{2029}' => self.text.push_str("\\u2029"),
                    letter => self.text.push(letter),
                }
            }
            self.text.push_str("'; ");
            self.lines(part);
        }
    }

    fn tag(&mut self, kind: Option<char>, code: &str, line: u32) -> Result<(), TemplateError> {
        if matches!(kind, Some('=' | '-')) && code.starts_with(':') {
            return Err(TemplateError { line, message: "the filters of <%=: are not supported".into() });
        }
        let (before, after) = match kind {
            Some('=') => ("; __out += __escape(", "); "),
            Some('-') => ("; __out += ((__value) => __value === undefined || __value === null ? '' : __value)(", "); "),
            Some('#') => {
                self.lines(code);
                return Ok(());
            }
            _ => match included(code) {
                Some(name) => {
                    self.text.push_str("; __out += include('");
                    self.text.push_str(&name.replace('\\', "\\\\").replace('\'', "\\'"));
                    self.text.push_str("'); ");
                    self.lines(code);
                    return Ok(());
                }
                None => ("", ""),
            },
        };
        let code = if kind.is_some() { code.trim_end().trim_end_matches(';') } else { code };
        self.text.push_str(before);
        self.text.push_str(code);
        self.line += code.matches('\n').count() as u32;
        if code.lines().next_back().is_some_and(|last| last.contains("//")) {
            // The code may end in a comment.
            self.text.push('\n');
            self.owed += 1;
        }
        self.text.push_str(after);
        self.text.push(' ');
        Ok(())
    }
}

/// Returns the name in `include name`, the old form of an include.
fn included(code: &str) -> Option<&str> {
    let name = code.trim().strip_prefix("include")?;
    if !name.starts_with(char::is_whitespace) {
        return None;
    }
    let name = name.trim();
    let plain = !name.is_empty() && !name.starts_with(['=', '(']) && !name.contains(char::is_whitespace);
    plain.then(|| name.trim_matches(['\'', '"']))
}
