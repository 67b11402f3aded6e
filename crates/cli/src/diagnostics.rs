//! Findings about a text, for people: each with its lines and carets.

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place, Severity, Source};
use polywire_core::text::lines::TextPlace;
use polywire_core::{Error, Fault};
use serde::Serialize;

use crate::stderr;

/// Most bytes of lines that are shown.
const SHOWN: usize = 64 << 10;

/// A finding for programs: docs/errors.md describes the fields.
#[derive(Serialize)]
struct FindingLine<'f> {
    r#type: &'static str,
    kind: &'static str,
    fault: &'static str,
    text: &'f str,
    #[serde(skip_serializing_if = "str::is_empty")]
    hint: &'f str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'f str>,
    offset: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
}

impl<'f> FindingLine<'f> {
    fn new(sources: &'f [Source], finding: &'f Diagnostic) -> FindingLine<'f> {
        let source = sources.get(finding.at.source as usize);
        let place = source.map(|source| source.line_column(finding.at.start as usize));
        FindingLine {
            r#type: match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            kind: finding.code,
            fault: Fault::Schema.name(),
            text: &finding.message,
            hint: &finding.hint,
            file: source.map(|source| source.name.as_str()),
            offset: finding.at.start,
            line: place.map(|(line, _)| line),
            column: place.map(|(_, column)| column),
        }
    }
}

/// Prints all findings to stderr, and the number of errors.
pub fn print(diagnostics: &Diagnostics) {
    if stderr::is_json() {
        diagnostics.findings.iter().for_each(|finding| stderr::object(&FindingLine::new(&diagnostics.sources, finding)));
        return;
    }
    for finding in &diagnostics.findings {
        stderr::lines(format_args!("{}\n\n", Renderer::styled().render(&[group(&diagnostics.sources, finding)])));
    }
    let errors = diagnostics.findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    match errors {
        0 => {}
        1 => stderr::say(format_args!("one error")),
        errors => stderr::say(format_args!("{errors} errors")),
    }
}

/// Prints an error about a place in the text of `file`.
pub fn print_error(error: &Error, place: &TextPlace, file: &str) {
    let title = harmless(&error.headline());
    let (before, behind) = place.excerpt.split_at(place.at.min(place.excerpt.len()));
    let mark = |cut: bool| if cut { "\u{2026}" } else { "" };
    let before = harmless(&String::from_utf8_lossy(before));
    let behind = harmless(&String::from_utf8_lossy(behind));
    let line = format!("{}{before}{behind}{}", mark(place.cut_before), mark(place.cut_after));
    let start = mark(place.cut_before).len() + before.len();
    let caret = start..start + behind.chars().next().map_or(0, char::len_utf8);
    let label = error.message().map_or_else(String::new, |number| format!("message {number}"));
    let annotation = AnnotationKind::Primary.span(caret);
    let annotation = if label.is_empty() { annotation } else { annotation.label(&label) };
    let number = usize::try_from(place.line).unwrap_or(usize::MAX);
    let file = harmless(file).replace(char::is_control, "\u{fffd}");
    let mut group = Group::with_title(Level::ERROR.primary_title(&title).id(error.kind().name()))
        .element(Snippet::source(&line).path(&file).line_start(number).annotation(annotation));
    let advice = harmless(error.advice());
    if !advice.is_empty() {
        group = group.element(Level::HELP.message(&advice));
    }
    let text = Renderer::styled().render(&[group]);
    // The renderer counts columns in what it is given.
    let shown = line[..start].chars().count() + 1;
    let text = text.replacen(&format!("{file}:{number}:{shown}"), &format!("{file}:{number}:{}", place.column), 1);
    stderr::lines(format_args!("{text}\n"));
}

/// Returns the text with characters that move the cursor or the direction of writing replaced, one
/// by one. The renderer shows the controls of ASCII itself.
fn harmless(text: &str) -> String {
    let harms = |char: char| {
        char.is_control() && !char.is_ascii()
            || matches!(char, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|char| if harms(char) { char::REPLACEMENT_CHARACTER } else { char }).collect()
}

fn group<'a>(sources: &'a [Source], finding: &'a Diagnostic) -> Group<'a> {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(finding.message.as_str()).id(finding.code));
    let main = snippet(sources, finding.at, AnnotationKind::Primary, &finding.label);
    let related = finding.related.iter().filter_map(|(at, label)| snippet(sources, *at, AnnotationKind::Context, label));
    for snippet in main.into_iter().chain(related) {
        group = group.element(snippet);
    }
    if finding.hint.is_empty() { group } else { group.element(Level::HELP.message(finding.hint.as_str())) }
}

/// Returns the lines of a place. The renderer gets only these: texts may be large, and findings
/// many.
fn snippet<'a>(sources: &'a [Source], at: Place, kind: AnnotationKind, label: &'a str) -> Option<Snippet<'a, Annotation<'a>>> {
    let source = sources.get(at.source as usize)?;
    let range = at.range();
    let start = source.text.get(..range.start)?.rfind('\n').map_or(0, |line| line + 1);
    let end = source.text.get(range.end..)?.find('\n').map_or(source.text.len(), |line| range.end + line);
    let lines = source.text.get(start..end).filter(|lines| lines.len() <= SHOWN)?;
    let lines = if end > range.end { lines.strip_suffix('\r').unwrap_or(lines) } else { lines };
    let annotation = kind.span(range.start - start..range.end - start);
    let annotation = if label.is_empty() { annotation } else { annotation.label(label) };
    let (line, _) = source.line_column(range.start);
    Some(Snippet::source(lines).path(source.name.as_str()).line_start(line).annotation(annotation))
}
