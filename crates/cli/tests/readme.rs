//! The README is short, and the tables of formats and schema languages are those of the lists in
//! the code.
//!
//! `TABLES=overwrite cargo test -p polywire-cli --all-features --test readme` writes the tables
//! anew.

mod common;

use polywire_codegen::encoding::Language;
use polywire_core::format::{Format, Framing, Nature, SchemaNeed};
use polywire_formats::registry;

use common::root;

/// Lines that the README may have.
const LINES: usize = 120;

/// The facts about a format that a table shows.
#[derive(PartialEq, Eq)]
struct Facts {
    write: &'static str,
    schema: &'static str,
    stream: &'static str,
}

impl Facts {
    fn of(format: &Format) -> Facts {
        let schema = match format.schema {
            SchemaNeed::None => "none",
            SchemaNeed::Optional => "optional",
            SchemaNeed::Required => "required",
        };
        let stream = match format.framing {
            _ if format.columns.is_some() => "as columns",
            Framing::Lines => "by line",
            Framing::Lengths => "by length",
            Framing::Counts => "by counts",
            Framing::Contents if format.marks_end => "by its end",
            Framing::Contents => "to the next",
            other => panic!("{other:?} has no words yet"),
        };
        // A format that is written with a schema only has no writer of its own.
        let writes = format.writer.is_some() || format.columns.is_some() || format.binder.is_some_and(|binder| binder.writes());
        Facts { write: if writes { "yes" } else { "no" }, schema, stream }
    }

    fn cells(&self) -> String {
        format!("yes | {} | {} | {}", self.write, self.schema, self.stream)
    }
}

/// Holds the text between two comments of a page against what the code has, or writes it.
fn hold(page: &str, name: &str, expected: &str) {
    let path = root().join(page);
    let text = std::fs::read_to_string(&path).expect("a page");
    let (start, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
    let (before, rest) = text.split_once(&start).unwrap_or_else(|| panic!("{page} lacks {start}"));
    let (known, after) = rest.split_once(&end).unwrap_or_else(|| panic!("{page} lacks {end}"));
    if std::env::var("TABLES").is_ok_and(|wish| wish == "overwrite") {
        std::fs::write(path, format!("{before}{start}{expected}{end}{after}")).expect("the page is written");
    } else {
        assert_eq!(known, expected, "the table `{name}` of {page}; TABLES=overwrite writes it");
    }
}

#[test]
fn the_readme_is_short() {
    let text = std::fs::read_to_string(root().join("README.md")).expect("a README");
    let count = text.lines().count();
    assert!(count <= LINES, "README.md has {count} lines; at most {LINES}");
}

/// Formats with the same facts share a row.
#[test]
fn the_readme_lists_the_formats_as_they_are() {
    let mut rows: Vec<(Facts, Vec<String>)> = Vec::new();
    for format in registry::all() {
        let facts = Facts::of(format);
        let link = format!("[{}](docs/formats/{}.md)", format.title, format.name);
        match rows.iter_mut().find(|(known, _)| *known == facts) {
            Some((_, links)) => links.push(link),
            None => rows.push((facts, vec![link])),
        }
    }
    let mut table = String::from("| formats | read | write | schema | in a stream |\n|---|---|---|---|---|\n");
    for (facts, links) in rows {
        table.push_str(&format!("| {} | {} |\n", links.join(", "), facts.cells()));
    }
    hold("README.md", "formats", &table);
}

#[test]
fn the_page_of_formats_lists_them_as_they_are() {
    let mut table = String::from(
        "| format | name | kind | read | write | schema | in a stream | file extensions |\n|---|---|---|---|---|---|---|---|\n",
    );
    for format in registry::all() {
        let kind = if format.nature == Nature::Text { "text" } else { "binary" };
        let extensions: Vec<String> = format.extensions.iter().map(|extension| format!("`.{extension}`")).collect();
        let (title, name) = (format.title, format.name);
        let row = format!("| [{title}]({name}.md) | `{name}` | {kind} | {} | {} |\n", Facts::of(format).cells(), extensions.join(" "));
        table.push_str(&row);
    }
    hold("docs/formats/README.md", "formats", &table);
}

#[test]
fn the_page_of_languages_lists_them_as_they_are() {
    let yes = |is: bool| if is { "yes" } else { "no" };
    let mut table =
        String::from("| language | `--lang` | file extensions | read | written | check | code |\n|---|---|---|---|---|---|---|\n");
    for language in polywire_schema::languages::LANGUAGES {
        let extensions: Vec<String> = language.extensions().iter().map(|extension| format!("`.{extension}`")).collect();
        let compiles = |known: &&dyn Language| known.extensions().iter().any(|extension| language.extensions().contains(extension));
        let compiles = polywire_codegen::languages::LANGUAGES.iter().any(compiles);
        table.push_str(&format!(
            "| {} | `{}` | {} | {} | yes | {} | {} |\n",
            language.title(),
            language.name(),
            extensions.join(" "),
            yes(language.reader().is_some()),
            yes(language.compatibility().is_some()),
            yes(compiles)
        ));
    }
    hold("docs/languages.md", "languages", &table);
}

/// The figures that the README has from other pages are still theirs.
#[test]
fn the_figures_of_the_readme_are_those_of_the_pages() {
    let read = |page: &str| std::fs::read_to_string(root().join(page)).expect("a page");
    let (readme, conformance, security) = (read("README.md"), read("docs/conformance.md"), read("docs/security.md"));
    let all = conformance.lines().find(|line| line.starts_with("| | all |")).expect("the sum of the suites");
    let counts: Vec<&str> = all.split('|').map(str::trim).filter(|cell| cell.starts_with(|char: char| char.is_ascii_digit())).collect();
    let suites = format!("{} of {} cases are right", counts[1], counts[0]);
    assert!(readme.contains(&suites), "README.md lacks: {suites}");
    let fuzzed = security.lines().find(|line| line.contains(" executions, ")).expect("the sum of the runs");
    let (fuzzed, _) = fuzzed.split_once(" processor hours").expect("hours");
    assert!(readme.contains(fuzzed), "README.md lacks: {fuzzed}");
}
