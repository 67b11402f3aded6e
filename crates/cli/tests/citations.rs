//! Citations of the specifications in `docs/spec`: every one names a section, a step or a deviation
//! that is there.
//!
//! A citation is the document and a section, `docs/spec/ql.md 8.6`, or several sections,
//! `docs/spec/psyc.md 7, 8 and 11.5`, or a numbered step, `docs/spec/ql.md 7.1 step 4`. A deviation
//! is cited by its id, `ql-D22`, alone.

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use common::root;

/// The documents, each with the least number of citations of its sections and of its deviations.
const DOCUMENTS: [(&str, usize, usize); 5] = [("etch", 8, 0), ("extprot", 80, 1), ("psyc", 150, 25), ("ql", 140, 40), ("usds", 30, 1)];

/// The folders whose code follows one of the documents: a bare "section 4.2" is no citation there.
const FOLLOWERS: [&str; 11] = [
    "crates/capi/",
    "crates/codegen/",
    "crates/extprot/",
    "crates/gateway/",
    "crates/hooks/",
    "crates/psyc/",
    "crates/ql/",
    "crates/runtime/",
    "crates/usds/",
    "fuzz/",
    "peers/",
];

/// A document of `docs/spec`, as far as it is cited.
struct Document {
    name: &'static str,
    /// The numbers of its headings, such as `4`, `4.2` and `A.3`.
    sections: BTreeSet<String>,
    /// Numbered steps: the section, and the step.
    steps: BTreeSet<(String, String)>,
    /// The ids of its deviations.
    deviations: BTreeSet<String>,
    /// The fragments that links to its headings have.
    anchors: BTreeSet<String>,
}

impl Document {
    fn read(name: &'static str) -> Document {
        let text = std::fs::read_to_string(root().join(format!("docs/spec/{name}.md"))).expect("the document is there");
        let mut document =
            Document { name, sections: BTreeSet::new(), steps: BTreeSet::new(), deviations: BTreeSet::new(), anchors: BTreeSet::new() };
        let mut section = String::new();
        for line in text.lines() {
            let start = line.trim_start_matches('#');
            if start.len() < line.len() && start.starts_with(' ') {
                let heading = start.trim();
                assert!(document.anchors.insert(anchor(heading)), "{name}.md has two headings {heading}");
                let number = heading.strip_prefix("Annex ").unwrap_or(heading).split(' ').next().unwrap_or_default();
                if is_number(number) {
                    section = number.to_string();
                    assert!(document.sections.insert(section.clone()), "{name}.md has two sections {section}");
                }
            } else if let Some((step, _)) = line.split_once(". ")
                && !step.is_empty()
                && step.bytes().all(|byte| byte.is_ascii_digit())
            {
                document.steps.insert((section.clone(), step.to_string()));
            } else if let Some(id) = line.trim_start_matches(['|', '*', ' ']).split([' ', '*']).next()
                && line.starts_with(['|', '*'])
                && deviation(id) == Some(name)
            {
                assert!(document.deviations.insert(id.to_string()), "{name}.md has two deviations {id}");
            }
        }
        // Nothing deviates from a specification that is written from its only implementation.
        let has_deviations = document.deviations.len() > 10 || name == "etch";
        assert!(document.sections.len() > 8 && has_deviations, "{name}.md was not read");
        for number in 1..=document.deviations.len() {
            assert!(document.deviations.contains(&format!("{name}-D{number}")), "{name}.md lacks {name}-D{number}");
        }
        document
    }
}

/// Returns the fragment of links to a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// Returns whether a word is the number of a section, `4`, `12.1` or `A.3`, or the letter of an
/// annex.
fn is_number(word: &str) -> bool {
    let mut parts = word.split('.');
    let first = parts.next().unwrap_or_default();
    let digits = |part: &str| !part.is_empty() && part.len() <= 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    (digits(first) || first.len() == 1 && first.as_bytes()[0].is_ascii_uppercase()) && parts.all(digits)
}

/// Returns whether a word is the number of a section, and not the letter of an annex alone.
fn has_digit(word: &str) -> bool {
    is_number(word) && word.bytes().any(|byte| byte.is_ascii_digit())
}

/// Returns the document of a deviation's id.
fn deviation(word: &str) -> Option<&'static str> {
    let (name, number) = word.split_once("-D")?;
    let (name, ..) = DOCUMENTS.iter().find(|document| document.0 == name)?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(name)
}

/// A word of a file, without marks of comments.
struct Word<'t> {
    line: usize,
    text: &'t str,
    /// True in a comment or in prose, and not in code.
    prose: bool,
}

impl Word<'_> {
    /// Returns the word without the punctuation around it.
    fn bare(&self) -> &str {
        self.text.trim_matches(|c: char| !c.is_alphanumeric() && c != '§')
    }
}

/// Returns the words of a file: a citation may be broken over two lines of a comment.
fn words<'t>(path: &str, text: &'t str) -> Vec<Word<'t>> {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let mut found = Vec::new();
    let (mut block, mut fence) = (false, false);
    for (number, line) in text.lines().enumerate() {
        // Where the comment of the line starts.
        let start = match extension {
            "md" => {
                fence ^= line.trim_start().starts_with("```");
                if fence || line.starts_with("    ") { line.len() } else { 0 }
            }
            "rs" | "c" | "cc" | "h" | "js" => match line.find("/*") {
                _ if block => 0,
                Some(start) => start,
                None => line.match_indices("//").find(|(at, _)| !line[..*at].ends_with(':')).map_or(line.len(), |(at, _)| at),
            },
            _ => line.find('#').unwrap_or(line.len()),
        };
        if matches!(extension, "c" | "cc" | "h" | "js" | "rs") {
            block = (block || line.contains("/*")) && !line.contains("*/");
        }
        let mut code_span = false;
        for text in line.split_whitespace() {
            let at = text.as_ptr().addr() - line.as_ptr().addr();
            let marks = text.bytes().filter(|byte| *byte == b'`').count();
            let spanned = code_span || marks > 0;
            code_span ^= marks % 2 == 1;
            if text.bytes().all(|byte| matches!(byte, b'/' | b'*' | b'!' | b'#' | b'|')) {
                continue;
            }
            found.push(Word { line: number + 1, text, prose: at >= start && (!spanned || text.contains("docs/spec/")) });
        }
    }
    found
}

/// Returns all files whose citations are checked, by their paths from the root.
fn files() -> Vec<String> {
    const EXTENSIONS: [&str; 13] = ["rs", "c", "cc", "h", "js", "md", "mk", "in", "py", "sh", "toml", "trycmd", "ql"];
    let root = root();
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> =
        ["crates", "docs", "peers", "fuzz", "examples", "tools", "testdata", "python"].iter().map(|name| root.join(name)).collect();
    for entry in std::fs::read_dir(&root).expect("the root is readable").flatten() {
        if entry.path().is_file() {
            found.push(entry.path());
        }
    }
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(&folder).expect("a folder is readable").flatten().map(|entry| entry.path()) {
            if path.is_file() {
                found.push(path);
            } else if path.is_dir() && path.file_name().is_some_and(|name| name != "target" && name != "node_modules") {
                folders.push(path);
            }
        }
    }
    let known = |path: &Path| {
        let extension = path.extension().map_or_else(|| "mk".into(), |extension| extension.to_string_lossy());
        EXTENSIONS.contains(&&*extension)
    };
    found.retain(|path| known(path));
    found.iter().map(|path| path.strip_prefix(&root).expect("below the root").to_string_lossy().replace('\\', "/")).collect()
}

/// Returns the sections cited from word `at` on, which follows the name of a document, and the step
/// of the last.
fn cited(words: &[Word<'_>], mut at: usize) -> (Vec<String>, Option<String>) {
    let (mut sections, mut step) = (Vec::new(), None);
    while let Some(word) = words.get(at) {
        if matches!(word.bare(), "and" | "to" | "Annex") {
            at += 1;
            continue;
        }
        let annex = words[at - 1].bare() == "Annex";
        let number: String =
            word.text.trim_start_matches(['(', '`', '[']).chars().take_while(|c| c.is_alphanumeric() || *c == '.').collect();
        let number = number.trim_end_matches('.');
        if !(has_digit(number) || annex && is_number(number)) {
            break;
        }
        sections.push(number.to_string());
        at += 1;
        let next = |at: usize| words.get(at).map(Word::bare);
        if next(at) == Some("step") {
            step = next(at + 1).map(String::from);
            break;
        }
        // It goes on after a comma or a conjunction.
        if !(word.text.ends_with(',') || matches!(next(at), Some("and" | "to"))) {
            break;
        }
    }
    (sections, step)
}

#[test]
fn every_cited_section_is_there() {
    let documents = DOCUMENTS.map(|(name, ..)| Document::read(name));
    let mut count = [(0, 0); DOCUMENTS.len()];
    let mut wrong = Vec::new();
    for path in files() {
        let Ok(text) = std::fs::read_to_string(root().join(&path)) else { continue };
        let words = words(&path, &text);
        for (n, word) in words.iter().enumerate() {
            let place = format!("{path}:{}", word.line);
            for (document, count) in documents.iter().zip(&mut count) {
                let name = document.name;
                if let Some((_, after)) = word.text.split_once(&format!("docs/spec/{name}.md"))
                    && after.bytes().all(|byte| byte == b'`')
                {
                    let (sections, step) = cited(&words, n + 1);
                    for section in &sections {
                        count.0 += 1;
                        if !document.sections.contains(section) {
                            wrong.push(format!("{place}: {name}.md has no section {section}"));
                        }
                    }
                    if let (Some(section), Some(step)) = (sections.last(), step)
                        && !document.steps.contains(&(section.clone(), step.clone()))
                    {
                        wrong.push(format!("{place}: section {section} of {name}.md has no step {step}"));
                    }
                }
                if let Some((_, link)) = word.text.split_once(&format!("spec/{name}.md#")) {
                    let fragment = link.split([')', '>', '"']).next().unwrap_or_default();
                    if !document.anchors.contains(fragment) {
                        wrong.push(format!("{place}: {name}.md has no heading #{fragment}"));
                    }
                }
            }
            for id in word.text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-') {
                let Some(name) = deviation(id) else { continue };
                for (document, count) in documents.iter().zip(&mut count).filter(|(document, _)| document.name == name) {
                    count.1 += usize::from(!path.starts_with("docs/spec/"));
                    if !document.deviations.contains(id) {
                        wrong.push(format!("{place}: {name}.md has no deviation {id}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for ((name, sections, deviations), found) in DOCUMENTS.iter().zip(count) {
        assert!(found.0 >= *sections && found.1 >= *deviations, "{name}.md is cited {found:?} times: the citations were not found");
    }
}

/// Old forms don't say which document is meant.
#[test]
fn no_citation_leaves_its_document_out() {
    let mut wrong = Vec::new();
    let mut read = 0;
    for path in files() {
        let Ok(text) = std::fs::read_to_string(root().join(&path)) else { continue };
        if path.starts_with("docs/spec/") || path == "CHANGELOG.md" || path.ends_with("tests/citations.rs") {
            continue;
        }
        read += 1;
        let follower = FOLLOWERS.iter().any(|folder| path.starts_with(folder));
        let words = words(&path, &text);
        for (n, word) in words.iter().enumerate().filter(|(_, word)| word.prose) {
            let bare = word.bare();
            let next = words.get(n + 1).map_or("", |word| word.bare());
            let before = |back: usize| n.checked_sub(back).map_or("", |n| words[n].bare());
            let public = (1..=3).any(|back| before(back) == "RFC") || ["XML", "YAML"].contains(&before(2));
            let lone_deviation = bare.len() <= 3 && bare.strip_prefix('D').is_some_and(|number| !number.is_empty() && is_number(number));
            let refers = match bare {
                "spec" | "specification" => has_digit(next),
                "section" | "sections" | "Section" | "Sections" => follower && !public && has_digit(next),
                "Annex" | "annex" => follower && is_number(next) && !before(1).contains("docs/spec/"),
                "psyc" | "extprot" | "ql" | "usds" | "PSYC" | "USDS" => next.contains('.') && is_number(next) && next != "1.0",
                _ => lone_deviation || follower && bare.strip_prefix('§').is_some_and(is_number),
            };
            let named = ["psyc.md", "extprot.md", "usds.md", "ql.md"].iter().any(|name| word.text.ends_with(name));
            let unplaced = named && !word.text.contains("docs/spec/") && next.contains('.') && is_number(next);
            if refers || unplaced {
                wrong.push(format!("{path}:{}: {} {next}", word.line, word.text));
            }
        }
    }
    assert!(read > 500, "the files were not found");
    assert!(wrong.is_empty(), "cite as `docs/spec/ql.md 8.6` or `ql-D22`:\n{}", wrong.join("\n"));
}

/// Reports of schema checks name the section of each rule, as a value of its own.
#[test]
fn every_section_of_a_rule_is_there() {
    for (krate, name) in [("extprot", "extprot"), ("usds", "usds")] {
        let document = Document::read(name);
        let text = std::fs::read_to_string(root().join(format!("crates/{krate}/src/compat/rule.rs"))).expect("the rules are there");
        let literals = text.split('"').skip(1).step_by(2);
        let sections: Vec<&str> = literals.flat_map(|literal| literal.split(", ")).filter(|part| is_number(part)).collect();
        assert!(sections.len() > 8, "the rules of {krate} were not found");
        for section in sections {
            assert!(document.sections.contains(section), "{name}.md has no section {section}, which a rule of crates/{krate} names");
        }
    }
}

#[test]
fn citations_are_understood() {
    let sections = |text: &str| {
        let words = words("x.md", text);
        let (sections, step) = cited(&words, 1);
        (sections.join(" "), step.unwrap_or_default())
    };
    for (text, expected, step) in [
        ("docs/spec/psyc.md 4.2, a rule", "4.2", ""),
        ("docs/spec/psyc.md 7 to 10)", "7 10", ""),
        ("docs/spec/psyc.md 7, 8 and 11.5.", "7 8 11.5", ""),
        ("docs/spec/psyc.md Annex A).", "A", ""),
        ("docs/spec/psyc.md A.7), field", "A.7", ""),
        ("docs/spec/ql.md 7.1 step 4).", "7.1", "4"),
        ("docs/spec/ql.md is long", "", ""),
        ("docs/spec/ql.md A script", "", ""),
    ] {
        assert_eq!(sections(text), (expected.to_string(), step.to_string()), "{text}");
    }
    assert_eq!(anchor("8.6 Redirects"), "86-redirects");
    assert!(has_digit("A.3") && !has_digit("A") && is_number("12.1") && !is_number("123") && !is_number("1.") && !is_number("x"));
}
