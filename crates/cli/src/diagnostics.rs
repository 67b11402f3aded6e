//! Findings about a text, for people: each with its lines and carets.

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place, Severity, Source};

use crate::stderr;

/// Most bytes of lines that are shown.
const SHOWN: usize = 64 << 10;

/// Prints all findings to stderr, and the number of errors.
pub fn print(diagnostics: &Diagnostics) {
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
