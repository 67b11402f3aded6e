//! Mustache text as nodes.

use crate::template::error::TemplateError;

/// A part of a template.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// Text as it is.
    Text(String),
    /// A value.
    Value { name: String, raw: bool },
    /// Nodes that are repeated for each element of a list, or shown if a value is true.
    Section { name: String, inverted: bool, inner: Vec<Node> },
    /// Another template, and the blanks that indent its lines.
    Partial { name: String, indent: String },
}

/// Deepest nesting of sections.
const DEEPEST: usize = 100;

struct Open {
    name: String,
    inverted: bool,
    line: u32,
    nodes: Vec<Node>,
}

/// The reading of braces behind the tag of a value, as in `{{x}}}` (ql-D31).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Braces {
    /// They are text, as in JSON.
    Text,
    /// They belong to the tag, as the original has it.
    Tag,
}

/// Braces of a template outside of its tags.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    opened: usize,
    closed: usize,
    /// Those closed right behind the tag of a value.
    behind_tags: usize,
}

impl Tally {
    fn add(&mut self, text: &str) {
        self.opened += text.bytes().filter(|byte| *byte == b'{').count();
        self.closed += text.bytes().filter(|byte| *byte == b'}').count();
    }

    /// Returns the reading by which the text of the template closes as many braces as it opens;
    /// `None` if neither does.
    fn reading(&self) -> Option<Braces> {
        if self.behind_tags == 0 || self.closed == self.opened {
            Some(Braces::Text)
        } else if self.closed == self.opened + self.behind_tags {
            Some(Braces::Tag)
        } else {
            None
        }
    }
}

/// Returns the nodes of a template.
pub(super) fn parse(template: &str) -> Result<Vec<Node>, TemplateError> {
    let (nodes, tally) = read(template, Braces::Text)?;
    match tally.reading() {
        Some(Braces::Tag) => read(template, Braces::Tag).map(|(nodes, _)| nodes),
        _ => Ok(nodes),
    }
}

/// Returns the doubt about a template that is read as it is: braces behind a tag that may be text,
/// or belong to the tag.
pub(super) fn doubt(template: &str) -> Result<Option<String>, TemplateError> {
    let (_, tally) = read(template, Braces::Text)?;
    Ok(tally.reading().is_none().then(|| {
        format!(
            "{} braces opened and {} closed outside of tags: those right behind a tag, as in `{{{{x}}}}}}`, are read as text",
            tally.opened, tally.closed
        )
    }))
}

fn read(template: &str, braces_behind: Braces) -> Result<(Vec<Node>, Tally), TemplateError> {
    let mut tally = Tally::default();
    let mut open: Vec<Open> = Vec::new();
    let mut nodes: Vec<Node> = Vec::new();
    let (mut left, mut right) = ("{{".to_string(), "}}".to_string());
    let mut at = 0;
    let mut line = 1;
    while let Some(found) = template[at..].find(&left) {
        let start = at + found;
        let mut text = &template[at..start];
        line += text.matches('\n').count() as u32;
        let error = |message: String| TemplateError { line, message };
        let inner = &template[start + left.len()..];
        let braces = left == "{{" && inner.starts_with('{');
        let (inner, close) = if braces { (&inner[1..], "}}}".to_string()) } else { (inner, right.clone()) };
        let kind = inner.chars().next().filter(|first| !braces && matches!(first, '#' | '^' | '/' | '!' | '>' | '&' | '='));
        let inner = &inner[kind.map_or(0, char::len_utf8)..];
        let close = if kind == Some('=') { format!("={close}") } else { close };
        let Some(length) = inner.find(&close) else { return Err(error(format!("a tag opened by {left} is not closed by {close}"))) };
        let name = inner[..length].trim();
        let mut end = template.len() - inner.len() + length + close.len();

        // A tag that shows nothing and is alone on its line takes the line with it.
        let mut indent = "";
        if matches!(kind, Some('#' | '^' | '/' | '!' | '>' | '=')) {
            let line_start =
                text.rfind('\n').map_or(if at == 0 || template[..at].ends_with('\n') { Some(0) } else { None }, |at| Some(at + 1));
            let behind = template[end..].trim_start_matches([' ', '\t']);
            let line_end =
                if behind.is_empty() { Some(0) } else { ["\r\n", "\n"].iter().find(|end| behind.starts_with(**end)).map(|end| end.len()) };
            if let (Some(line_start), Some(line_end)) = (line_start, line_end)
                && text[line_start..].bytes().all(|byte| matches!(byte, b' ' | b'\t'))
            {
                indent = &text[line_start..];
                text = &text[..line_start];
                end = template.len() - behind.len() + line_end;
            }
        }
        if matches!(kind, None | Some('&')) && left == "{{" && right == "}}" {
            let behind = template[end..].bytes().take_while(|byte| *byte == b'}').count();
            tally.behind_tags += behind;
            if braces_behind == Braces::Tag {
                end += behind;
            }
        }
        tally.add(text);
        if !text.is_empty() {
            nodes.push(Node::Text(text.to_string()));
        }
        if name.is_empty() && kind != Some('!') {
            return Err(error(format!("a tag without a name: {}", &template[start..end])));
        }
        match kind {
            None => nodes.push(Node::Value { name: name.to_string(), raw: braces }),
            Some('&') => nodes.push(Node::Value { name: name.to_string(), raw: true }),
            Some('#' | '^') => {
                if open.len() >= DEEPEST {
                    return Err(error(format!("sections are nested deeper than {DEEPEST}")));
                }
                open.push(Open { name: name.to_string(), inverted: kind == Some('^'), line, nodes: std::mem::take(&mut nodes) });
            }
            Some('/') => match open.pop() {
                Some(section) if section.name == name => {
                    let inner = std::mem::replace(&mut nodes, section.nodes);
                    nodes.push(Node::Section { name: section.name, inverted: section.inverted, inner });
                }
                Some(section) => return Err(error(format!("the section {} of line {} is closed as {name}", section.name, section.line))),
                None => return Err(error(format!("{name} is closed, but no section is open"))),
            },
            Some('>') => nodes.push(Node::Partial { name: name.to_string(), indent: indent.to_string() }),
            Some('=') => match name.split_whitespace().collect::<Vec<_>>()[..] {
                [new_left, new_right] => (left, right) = (new_left.to_string(), new_right.to_string()),
                _ => return Err(error("a tag of delimiters has to be {{=left right=}}".into())),
            },
            Some(_) => {}
        }
        line += template[start..end].matches('\n').count() as u32;
        at = end;
    }
    if let Some(section) = open.pop() {
        return Err(TemplateError { line: section.line, message: format!("the section {} is not closed", section.name) });
    }
    tally.add(&template[at..]);
    if at < template.len() {
        nodes.push(Node::Text(template[at..].to_string()));
    }
    Ok((nodes, tally))
}
