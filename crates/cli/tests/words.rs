//! The words of comments and error texts: plain technical English, counted per crate.
//!
//! `words.txt` beside this file holds the counts that are still allowed, one line per crate, group
//! and kind; a line that is absent means none. A count may only fall: more than the file allows
//! fails the test, and so does less, until the number is lowered. With `WORDS=lower` in the
//! environment the test lowers the numbers itself; with `WORDS=list:` and a part of a line, such as
//! `WORDS="list:core public"`, it fails with all places that such lines count.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Columns that a line of a comment may have.
const COLUMNS: usize = 100;

/// Words that no sentence opens with. A question may.
const OPENINGS: [&str; 5] = ["Of", "To", "What", "Whether", "Who"];

/// Words for what a person does, but no function.
const TELLING: [&str; 4] = ["tell", "tells", "told", "telling"];

/// The methods of errors and diagnostics whose texts are shown to a user.
const ERROR_TEXTS: [&str; 3] = [".expected", ".hint", ".seen"];

/// The group of a comment that readers of the published documentation or of `--help` see.
const PUBLIC: &str = "public";
/// The group of every other comment.
const PRIVATE: &str = "private";
/// The group of texts of errors.
const ERRORS: &str = "errors";

/// One use of a word that the rules forbid.
struct Finding {
    /// The group and the kind, as `words.txt` has them.
    group: &'static str,
    kind: &'static str,
    line: usize,
    text: String,
}

/// A comment as the source has it: full lines of one marker below each other, or one trailing
/// comment.
struct Comment {
    group: &'static str,
    /// The number of the first line, from one.
    line: usize,
    /// The lines without their markers.
    lines: Vec<String>,
}

/// A text literal that an error shows.
struct ErrorText {
    line: usize,
    text: String,
}

#[derive(Clone, Copy, PartialEq)]
enum Marker {
    /// `//`
    Plain,
    /// `///`
    Outer,
    /// `//!`
    Inner,
}

/// A line comment with its place in the source.
struct LineComment {
    /// The number of its line, from one.
    line: usize,
    marker: Marker,
    /// True where nothing but white space stands before it.
    whole_line: bool,
    text: String,
}

/// Reads the comments and the texts of errors off a Rust source.
fn lex(source: &str) -> (Vec<LineComment>, Vec<ErrorText>) {
    let bytes = source.as_bytes();
    let (mut comments, mut texts) = (Vec::new(), Vec::new());
    let (mut at, mut line, mut line_start) = (0, 1, 0);
    while at < bytes.len() {
        let rest = &source[at..];
        let start = at;
        if rest.starts_with("//") {
            let end = rest.find('\n').map_or(source.len(), |end| at + end);
            let text = &source[at + 2..end];
            let (marker, text) = match text.as_bytes() {
                [b'/', b'/', ..] => (Marker::Plain, text),
                [b'/', ..] => (Marker::Outer, &text[1..]),
                [b'!', ..] => (Marker::Inner, &text[1..]),
                _ => (Marker::Plain, text),
            };
            let whole_line = source[line_start..at].trim().is_empty();
            comments.push(LineComment { line, marker, whole_line, text: text.to_owned() });
            at = end;
        } else if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
        } else if bytes[at] == b'"' {
            at = end_of_string(bytes, at);
            error_text(source, start, start + 1..at.saturating_sub(1), line, &mut texts);
        } else if raw_string(rest) && !source[..at].ends_with(is_word) {
            let hashes = rest[1..].bytes().take_while(|&byte| byte == b'#').count();
            let open = at + 2 + hashes;
            let close = format!("\"{}", "#".repeat(hashes));
            let end = source[open..].find(&close).map_or(source.len(), |end| open + end);
            error_text(source, start, open..end, line, &mut texts);
            at = (end + close.len()).min(source.len());
        } else if bytes[at] == b'\'' {
            at += character(rest);
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
        for (offset, byte) in source.as_bytes()[start..at].iter().enumerate() {
            if *byte == b'\n' {
                line += 1;
                line_start = start + offset + 1;
            }
        }
    }
    (comments, texts)
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// Returns the offset behind a string literal that begins at `at`.
fn end_of_string(bytes: &[u8], mut at: usize) -> usize {
    at += 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn raw_string(rest: &str) -> bool {
    rest.strip_prefix('r').is_some_and(|rest| rest.trim_start_matches('#').starts_with('"'))
}

/// Returns the length of a character literal or, for a lifetime, of its quote.
fn character(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => rest[3.min(rest.len())..].find('\'').map_or(1, |end| 3 + end + 1),
        Some((_, _)) => match chars.next() {
            Some((at, '\'')) => at + 1,
            _ => 1,
        },
        None => 1,
    }
}

/// Keeps a literal at `start` if it is the argument of a method that shows it, perhaps through
/// `format!`.
fn error_text(source: &str, start: usize, text: std::ops::Range<usize>, line: usize, texts: &mut Vec<ErrorText>) {
    let before = source[..start].trim_end();
    let before = before.strip_suffix("format!(").unwrap_or(before).trim_end();
    let Some(before) = before.strip_suffix('(') else { return };
    if ERROR_TEXTS.iter().any(|method| before.ends_with(method)) {
        texts.push(ErrorText { line, text: source[text].replace("\\\n", " ").replace("\\n", "\n") });
    }
}

/// Puts whole lines of one marker together, and finds for each comment who reads it.
fn group(source: &str, lines: Vec<LineComment>, help: bool) -> Vec<Comment> {
    let source: Vec<&str> = source.lines().collect();
    let mut comments: Vec<(Comment, LineComment)> = Vec::new();
    for line in lines {
        if let Some((comment, last)) = comments.last_mut()
            && last.whole_line
            && line.whole_line
            && last.marker == line.marker
            && last.line + 1 == line.line
        {
            comment.lines.push(line.text.clone());
            *last = line;
            continue;
        }
        let comment = Comment { group: PRIVATE, line: line.line, lines: vec![line.text.clone()] };
        comments.push((comment, line));
    }
    let mut grouped = Vec::new();
    for (mut comment, last) in comments {
        let public = match last.marker {
            Marker::Plain => false,
            Marker::Inner => true,
            Marker::Outer => help || is_public(&source, last.line),
        };
        if public {
            comment.group = PUBLIC;
        }
        grouped.push(comment);
    }
    grouped
}

/// Reports whether the item below line `above` is public: by itself, or as a variant, a field of
/// a variant or a method of a public enum or trait. Modules around it are not looked at.
fn is_public(source: &[&str], above: usize) -> bool {
    let mut rows = source[above..].iter();
    let item = loop {
        let Some(row) = rows.next() else { return false };
        let row = row.trim_start();
        if !row.starts_with("#[") && !row.starts_with("//") && !row.is_empty() {
            break row;
        }
    };
    if item.starts_with("pub ") || item.starts_with("macro_rules!") {
        return true;
    }
    if ["pub(", "fn ", "struct ", "enum ", "const fn ", "static ", "mod ", "type ", "use ", "macro_rules"]
        .iter()
        .any(|word| item.starts_with(word))
        && indent(source[above - 1]) == 0
    {
        return false;
    }
    let mut outer = indent(source[above - 1]);
    for row in source[..above].iter().rev() {
        let trimmed = row.trim_start();
        if trimmed.is_empty() || trimmed.starts_with("//") || trimmed.starts_with("#[") || indent(row) >= outer {
            continue;
        }
        outer = indent(row);
        if trimmed.starts_with("pub enum ") || trimmed.starts_with("pub trait ") {
            return true;
        }
        if outer == 0 {
            return false;
        }
    }
    false
}

fn indent(row: &str) -> usize {
    row.len() - row.trim_start().len()
}

/// Returns the paragraphs of a comment, each with the number of its first line. Code, tables and
/// text in quotes are left out.
fn paragraphs(comment: &Comment) -> Vec<(usize, String)> {
    let mut paragraphs: Vec<(usize, String)> = Vec::new();
    let (mut fenced, mut open) = (false, false);
    for (index, line) in comment.lines.iter().enumerate() {
        let text = line.trim();
        if text.starts_with("```") {
            fenced = !fenced;
            open = false;
            continue;
        }
        if fenced || text.is_empty() || text.starts_with('|') || (line.starts_with("     ") && !open) {
            open = false;
            continue;
        }
        let (text, item) = list_item(text);
        if item || !open {
            paragraphs.push((comment.line + index, String::new()));
        }
        open = true;
        let paragraph = &mut paragraphs.last_mut().expect("one was just begun").1;
        if !paragraph.is_empty() {
            paragraph.push(' ');
        }
        paragraph.push_str(text);
    }
    for (_, paragraph) in &mut paragraphs {
        *paragraph = unquoted(paragraph);
    }
    paragraphs
}

/// Takes the mark of a list's item or a heading off.
fn list_item(text: &str) -> (&str, bool) {
    for mark in ["- ", "* ", "# ", "## ", "### "] {
        if let Some(text) = text.strip_prefix(mark) {
            return (text.trim_start(), true);
        }
    }
    let digits = text.trim_start_matches(|char: char| char.is_ascii_digit());
    match digits.strip_prefix(". ") {
        Some(item) if digits.len() < text.len() => (item, true),
        _ => (text, false),
    }
}

/// Replaces code and quoted text by a word that no rule knows.
fn unquoted(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '"']) {
        let quote = &rest[at..=at];
        let Some(end) = rest[at + 1..].find(quote) else { break };
        out.push_str(&rest[..at]);
        out.push('X');
        rest = &rest[at + 1 + end + 1..];
    }
    out.push_str(rest);
    out
}

/// Returns the sentences of a paragraph, with the mark that ends each. A part behind a colon
/// that begins with a capital is a sentence of its own.
fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for (at, mark) in text.char_indices() {
        let behind = at + mark.len_utf8();
        let next = text[behind..].trim_start_matches([')', '*', '_']);
        if matches!(mark, '.' | ':' | '?' | '!' | ';') && next.starts_with(' ') && next.trim_start().starts_with(char::is_uppercase) {
            sentences.push(text[start..behind].trim());
            start = behind;
        }
    }
    sentences.push(text[start..].trim());
    sentences
}

fn words(text: &str) -> Vec<String> {
    text.split(|char: char| !char.is_alphanumeric() && char != '\'').filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Finds what the rules forbid in one paragraph. In a comment only a capital opens a sentence;
/// the text of an error begins without one.
fn judge(group: &'static str, line: usize, text: &str, findings: &mut Vec<Finding>) {
    let mut find = |kind, text: &str| findings.push(Finding { group, kind, line, text: text.to_owned() });
    for (index, sentence) in sentences(text).into_iter().enumerate() {
        let bare = sentence.trim_start_matches(['(', '*', '_']);
        let first = bare.split(|char: char| !char.is_alphanumeric()).next().unwrap_or_default();
        let any_case = group == ERRORS && index == 0;
        let opens = |opening: &str| first == opening || any_case && first.eq_ignore_ascii_case(opening);
        if !sentence.ends_with('?') && OPENINGS.iter().any(|opening| opens(opening)) {
            find("opening", sentence);
        }
    }
    let words = words(text);
    for (index, word) in words.iter().enumerate() {
        let before = index.checked_sub(1).map_or("", |before| words[before].as_str());
        let after = words.get(index + 1).map_or("", String::as_str);
        match word.as_str() {
            word if TELLING.contains(&word) => find("tell", text),
            "doubled" => find("doubled", text),
            "many" if before == "so" => find("so-many", text),
            "ending" | "endings" => {
                let of_a_line = matches!(before, "line" | "lines");
                let verb = matches!(after, "in" | "with" | "at" | "by" | "a" | "the" | "it" | "there");
                if !of_a_line && !verb {
                    find("ending", text);
                }
            }
            _ => {}
        }
    }
}

/// Finds comment lines that are too long. A line of one word, such as a link, can't be broken,
/// and a row of a table must not be.
fn long_lines(source: &str, comments: &[Comment], whole: &[usize], findings: &mut Vec<Finding>) {
    let rows: Vec<&str> = source.lines().collect();
    for comment in comments {
        let mut fenced = false;
        for (index, text) in comment.lines.iter().enumerate() {
            let line = comment.line + index;
            let text = text.trim();
            if text.starts_with("```") {
                fenced = !fenced;
            }
            let row = rows[line - 1];
            if whole.contains(&line) && !fenced && row.chars().count() > COLUMNS && text.contains(' ') && !text.starts_with('|') {
                findings.push(Finding { group: comment.group, kind: "long", line, text: text.to_owned() });
            }
        }
    }
}

/// Finds what the rules forbid in one source. `help` says that its doc comments are the help of
/// the command line.
fn findings(source: &str, help: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (lines, texts) = lex(source);
    let whole: Vec<usize> = lines.iter().filter(|line| line.whole_line).map(|line| line.line).collect();
    let comments = group(source, lines, help);
    for comment in &comments {
        for (line, text) in paragraphs(comment) {
            judge(comment.group, line, &text, &mut findings);
        }
    }
    long_lines(source, &comments, &whole, &mut findings);
    for text in texts {
        judge(ERRORS, text.line, &unquoted(&text.text), &mut findings);
    }
    findings
}

/// All Rust sources below a folder. Expected output of generators is left out: its words are
/// those of the generators.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder is readable").flatten() {
            let path = entry.path();
            let name = entry.file_name();
            if path.is_dir() {
                if !["golden", "target"].iter().any(|left_out| name == *left_out) {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

type Counts = BTreeMap<(String, String, String), usize>;

fn parse(table: &str) -> Counts {
    let mut counts = Counts::new();
    for line in table.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [krate, group, kind, count] = fields[..] else { panic!("words.txt: {line:?} has not four fields") };
        let count: usize = count.parse().unwrap_or_else(|_| panic!("words.txt: {line:?} has no number"));
        assert!(count > 0, "words.txt: {line:?}: leave out what is not there");
        let twice = counts.insert((krate.to_owned(), group.to_owned(), kind.to_owned()), count);
        assert!(twice.is_none(), "words.txt has {krate} {group} {kind} twice");
    }
    counts
}

fn print(table: &str, counts: &Counts) -> String {
    let mut text: String = table.lines().filter(|line| line.starts_with('#')).fold(String::new(), |text, line| text + line + "\n");
    for ((krate, group, kind), count) in counts {
        writeln!(text, "{krate:9} {group:7} {kind:8} {count}").expect("a string takes all");
    }
    text
}

#[test]
fn words_that_are_forbidden_only_become_fewer() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the crates are here");
    let mut counts = Counts::new();
    let mut places: BTreeMap<(String, String, String), Vec<String>> = BTreeMap::new();
    let mut read = 0;
    let python = crates.with_file_name("python");
    for path in sources(&crates).into_iter().chain(sources(&python)) {
        let inside = path.strip_prefix(&crates).or_else(|_| path.strip_prefix(crates.parent().unwrap_or(&crates)));
        let inside = inside.expect("it was found there").to_string_lossy().replace('\\', "/");
        // The rules themselves are written here.
        if inside == "cli/tests/words.rs" {
            continue;
        }
        let source = std::fs::read_to_string(&path).expect("a source is readable");
        let krate = inside.split('/').next().unwrap_or_default();
        let above = if krate == "python" { "" } else { "crates/" };
        let help = inside.starts_with("cli/src/");
        read += 1;
        for finding in findings(&source, help) {
            let key = (krate.to_owned(), finding.group.to_owned(), finding.kind.to_owned());
            *counts.entry(key.clone()).or_default() += 1;
            places.entry(key).or_default().push(format!("{above}{inside}:{}: {}", finding.line, finding.text));
        }
    }
    assert!(read > 100, "the sources were not found");

    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/words.txt");
    let table = std::fs::read_to_string(&file).expect("words.txt stands beside this test");
    let mut allowed = parse(&table);
    let mode = std::env::var("WORDS").unwrap_or_default();
    if let Some(wanted) = mode.strip_prefix("list:") {
        let mut listed = String::new();
        for ((krate, group, kind), places) in &places {
            let name = format!("{krate} {group} {kind}");
            if name.contains(wanted) {
                writeln!(listed, "{name}\n  {}", places.join("\n  ")).expect("a string takes all");
            }
        }
        panic!("{listed}");
    }
    if mode == "lower" {
        allowed.retain(|key, count| {
            *count = (*count).min(counts.get(key).copied().unwrap_or_default());
            *count > 0
        });
        std::fs::write(&file, print(&table, &allowed)).expect("words.txt can be written");
    }

    let mut complaints = String::new();
    for (key, &count) in &counts {
        let limit = allowed.get(key).copied().unwrap_or_default();
        if count > limit {
            let (krate, group, kind) = key;
            writeln!(complaints, "{krate} {group} {kind}: {count}, and at most {limit} are allowed. Among these:")
                .expect("a string takes all");
            for place in places[key].iter().take(40) {
                writeln!(complaints, "  {place}").expect("a string takes all");
            }
        }
    }
    for (key, &limit) in &allowed {
        let count = counts.get(key).copied().unwrap_or_default();
        if count < limit {
            let (krate, group, kind) = key;
            writeln!(complaints, "{krate} {group} {kind}: {count}; lower the number in words.txt from {limit} (WORDS=lower does it)")
                .expect("a string takes all");
        }
    }
    assert!(complaints.is_empty(), "CONTRIBUTING.md has the rules of words.\n{complaints}");
}

/// The kinds that a source has, each with its group and line.
fn found(source: &str) -> Vec<(&'static str, &'static str, usize)> {
    findings(source, false).into_iter().map(|finding| (finding.group, finding.kind, finding.line)).collect()
}

#[test]
fn a_sentence_is_judged_by_its_first_word() {
    assert_eq!(found("//! Of all things.\n"), [(PUBLIC, "opening", 1)]);
    assert_eq!(found("/// A thing. Who\n/// made it.\npub fn f() {}\n"), [(PUBLIC, "opening", 1)]);
    assert_eq!(found("/// One thing: What else.\nfn f() {}\n"), [(PRIVATE, "opening", 1)]);
    assert_eq!(found("fn f() {\n    // Fine.\n    //\n    // To do it.\n}\n"), [(PRIVATE, "opening", 4)]);
    assert_eq!(found("// - Whether it is.\n// - Tokens\n"), [(PRIVATE, "opening", 1)]);
    assert_eq!(found("// What for? The rest: what it is.\n// ```\n// To be code\n// ```\n"), []);
    assert_eq!(found("// It says \"To be. Or not.\" and `Who. What` too.\n"), []);
}

#[test]
fn comments_are_found_where_they_are() {
    assert_eq!(found("const A: &str = \"// To be\"; // To be\n"), [(PRIVATE, "opening", 1)]);
    assert_eq!(found("const A: &str = r#\"\n// To be\"#;\nconst B: char = '\"'; // Who is it.\n"), [(PRIVATE, "opening", 3)]);
    assert_eq!(found("fn f<'a>(a: &'a str) {} // Of f.\n"), [(PRIVATE, "opening", 1)]);
    assert_eq!(
        found("pub enum E {\n    /// Of one.\n    A,\n}\nenum F {\n    /// Of one.\n    A,\n}\n"),
        [(PUBLIC, "opening", 2), (PRIVATE, "opening", 6)]
    );
    assert_eq!(
        found("impl S {\n    /// Of one.\n    pub(crate) fn a() {}\n    /// Of one.\n    #[must_use]\n    pub fn b() {}\n}\n"),
        [(PRIVATE, "opening", 2), (PUBLIC, "opening", 4)]
    );
}

#[test]
fn words_and_lengths_are_judged() {
    assert_eq!(
        found("// It tells a doubled key's file ending so many times.\n").iter().map(|found| found.1).collect::<Vec<_>>(),
        ["tell", "doubled", "ending", "so-many"]
    );
    assert_eq!(found("// A line ending, or a line ending with a dot.\n"), []);
    assert_eq!(found(&format!("// {}\n// https://{}\n", "word ".repeat(19), "x".repeat(100))), []);
    assert_eq!(found(&format!("    // {}\n", "word ".repeat(20).trim_end())), [(PRIVATE, "long", 1)]);
}

#[test]
fn texts_of_errors_are_judged() {
    assert_eq!(
        found("fn f() { e.expected(\"of one\").hint(format!(\"told {x}\")).other(\"to be\"); }\n"),
        [(ERRORS, "opening", 1), (ERRORS, "tell", 1)]
    );
}
