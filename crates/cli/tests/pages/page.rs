//! The commands of a page, as Markdown shows them.
//!
//! A block of code holds commands if it is a transcript (`$ ` before each command, with what it
//! prints behind it), or if its first line begins with a program that pages name. Comments of HTML
//! before a block say what is special about it:
//!
//! | comment | meaning |
//! |---|---|
//! | `<!-- not run: REASON -->` | the commands need what a test has not: a network, root, an hour |
//! | `<!-- until stopped -->` | the commands run until somebody stops them, as servers do |
//! | `<!-- exits with 1 -->` | the exit code of each command; `0 or 1` if both may be |
//! | `<!-- its output -->` | the block is what the last command before it prints |
//! | `<!-- each row runs -->` | the second column of the table holds commands |
//! | `<!-- shown: REASON -->` | the block is neither a command nor a whole text of its language |
//!
//! Every other block has a language of [`LANGUAGES`], and the tests read it as that.
//!
//! `# exits with 1` at the end of a command does the same for one of them.

/// Programs that a block of commands may begin with.
const PROGRAMS: &[&str] = &[
    "./test.sh",
    "cargo",
    "cat",
    "cc",
    "cd",
    "cp",
    "curl",
    "echo",
    "for",
    "git",
    "gzip",
    "head",
    "helm",
    "jq",
    "make",
    "nginx",
    "npm",
    "pip",
    "polywire",
    "printf",
    "sed",
    "source",
    "systemctl",
    "tail",
    "zstd",
];

/// Languages of blocks that are whole texts, which the tests read.
pub const LANGUAGES: &[&str] = &["csv", "extprot", "json", "jsonl", "proto", "psyc", "ql", "tsv", "xml", "yaml"];

/// Languages of blocks that tests elsewhere compile: the README's Rust is in
/// `crates/polywire/tests/readme.rs`, `docs/serde.md` is documentation of `crates/polywire`,
/// `crates/codegen/conformance/build.rs` builds the programs of the guides, and
/// `crates/capi/general/tests/c.rs` those in C, `python/tests/test_docs.py` runs those in Python.
pub const COMPILED: &[&str] = &["c", "python", "rust", "rust,build", "rust,program"];

/// A text of one of [`LANGUAGES`].
pub struct Example {
    /// Number of its first line, from one.
    pub line: usize,
    pub language: String,
    pub text: String,
}

/// A command as it stands in a page.
pub struct Command {
    /// Number of its line, from one.
    pub line: usize,
    pub text: String,
    /// Exit codes that it may have.
    pub exits: Vec<i32>,
    /// Lines that it prints, where the page shows them.
    pub output: Option<Vec<String>>,
    pub run: Run,
}

#[derive(Clone, PartialEq, Eq)]
pub enum Run {
    ToItsEnd,
    UntilStopped,
    /// Not at all, for this reason.
    Not(String),
}

/// Meaning of the comments before a block.
#[derive(Clone)]
struct Marks {
    run: Run,
    exits: Vec<i32>,
    is_output: bool,
    has_rows: bool,
    is_shown: bool,
}

impl Marks {
    fn none() -> Marks {
        Marks { run: Run::ToItsEnd, exits: vec![0], is_output: false, has_rows: false, is_shown: false }
    }

    /// Takes a comment's text, and reports whether it is a mark.
    fn take(&mut self, comment: &str) -> bool {
        if let Some(reason) = comment.strip_prefix("not run:") {
            self.run = Run::Not(reason.trim().to_string());
        } else if let Some(reason) = comment.strip_prefix("shown:") {
            self.is_shown = !reason.trim().is_empty();
        } else if let Some(exits) = exits(comment) {
            self.exits = exits;
        } else {
            match comment {
                "until stopped" => self.run = Run::UntilStopped,
                "its output" => self.is_output = true,
                "each row runs" => self.has_rows = true,
                _ => return false,
            }
        }
        true
    }
}

/// A block of code: its first line's number, the language of its fence, and its lines.
struct Block<'a> {
    line: usize,
    language: &'a str,
    lines: Vec<&'a str>,
}

/// Returns the commands of a page, in order.
///
/// # Errors
/// A block that may hold commands, and begins with none; a block of which nothing says what it is;
/// a mark that marks nothing.
pub fn commands(text: &str) -> Result<Vec<Command>, String> {
    Ok(blocks(text)?.0)
}

/// Returns the commands of a page, and its texts of [`LANGUAGES`], each in order.
///
/// # Errors
/// Those of [`commands`].
pub fn blocks(text: &str) -> Result<(Vec<Command>, Vec<Example>), String> {
    let mut found: Vec<Command> = Vec::new();
    let mut examples = Vec::new();
    let mut marks = Marks::none();
    let mut marked = None;
    let lines: Vec<&str> = text.lines().collect();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        if let Some(comment) = line.trim().strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->")) {
            if marks.take(comment.trim()) {
                marked = Some(at + 1);
            }
            at += 1;
        } else if let Some(block) = block(&lines, at) {
            // The fences, or none.
            let fences = if block.line == at + 1 { 0 } else { 2 };
            at += block.lines.len() + fences;
            if !marks.is_shown && LANGUAGES.contains(&block.language) {
                examples.push(Example { line: block.line, language: block.language.to_string(), text: block.lines.join("\n") + "\n" });
            }
            take(&block, &marks, &mut found)?;
            (marks, marked) = (Marks::none(), None);
        } else if marks.has_rows && line.starts_with('|') {
            let end = lines[at..].iter().position(|line| !line.starts_with('|')).map_or(lines.len(), |length| at + length);
            // The first two lines are the head.
            for (row, text) in lines.iter().enumerate().take(end).skip(at + 2) {
                found.extend(row_commands(text, row + 1));
            }
            at = end;
            (marks, marked) = (Marks::none(), None);
        } else {
            if !line.trim().is_empty()
                && let Some(marked) = marked
            {
                return Err(format!("line {marked}: no block follows the comment"));
            }
            at += 1;
        }
    }
    Ok((found, examples))
}

/// Returns the block of code that begins at a line.
fn block<'a>(lines: &[&'a str], at: usize) -> Option<Block<'a>> {
    let line = lines[at];
    if let Some(language) = line.trim_start().strip_prefix("```") {
        let indent = line.len() - line.trim_start().len();
        let inside = lines[at + 1..].iter().take_while(|line| !line.trim_start().starts_with("```"));
        let inside = inside.map(|line| line.get(indent..).unwrap_or_default()).collect();
        return Some(Block { line: at + 2, language, lines: inside });
    }
    let starts = line.starts_with("    ") && (at == 0 || lines[at - 1].trim().is_empty() || lines[at - 1].trim().starts_with("<!--"));
    if !starts {
        return None;
    }
    // Empty lines belong to the block if it goes on behind them.
    let is_inside = |line: &str| line.starts_with("    ") || line.trim().is_empty();
    let mut length = lines[at..].iter().take_while(|line| is_inside(line)).count();
    while lines[at + length - 1].trim().is_empty() {
        length -= 1;
    }
    let inside = lines[at..at + length].iter().map(|line| line.get(4..).unwrap_or_default()).collect();
    Some(Block { line: at + 1, language: "", lines: inside })
}

/// Adds the commands of a block, or its text as the output of the last one.
fn take(block: &Block<'_>, marks: &Marks, found: &mut Vec<Command>) -> Result<(), String> {
    let shown = |lines: &[&str]| lines.iter().map(|line| line.trim_end().to_string()).collect::<Vec<_>>();
    if marks.is_output {
        let last = found.last_mut().ok_or_else(|| format!("line {}: no command prints this", block.line))?;
        last.output = Some(shown(&block.lines));
        return Ok(());
    }
    let command = |line: usize, text: String| {
        let exits = text.rsplit_once("# ").and_then(|(_, remark)| exits(remark)).unwrap_or_else(|| marks.exits.clone());
        Command { line, text, exits, output: None, run: marks.run.clone() }
    };
    if block.lines.iter().any(|line| line.starts_with("$ ")) {
        let mut at = 0;
        while at < block.lines.len() {
            let line = block.line + at;
            let mut text = block.lines[at].strip_prefix("$ ").ok_or_else(|| format!("line {line}: output without a command"))?.to_string();
            at += 1;
            while text.ends_with('\\') && at < block.lines.len() {
                text = format!("{text}\n{}", block.lines[at].trim_start_matches("> "));
                at += 1;
            }
            let end = block.lines[at..].iter().position(|line| line.starts_with("$ ")).map_or(block.lines.len(), |length| at + length);
            let mut output = shown(&block.lines[at..end]);
            while output.last().is_some_and(String::is_empty) {
                output.pop();
            }
            let mut command = command(line, text);
            // A command alone says nothing of what it prints.
            command.output = (!output.is_empty()).then_some(output);
            found.push(command);
            at = end;
        }
        return Ok(());
    }
    let program = |line: &str| line.split_whitespace().next().is_some_and(|word| PROGRAMS.contains(&word));
    let is_script = match block.language {
        "sh" | "bash" | "console" => true,
        "" => block.lines.first().is_some_and(|line| program(line)),
        _ => false,
    };
    if !is_script {
        let is_command = |line: &str| line.starts_with("polywire ") && !line.starts_with("polywire =");
        if let Some(at) = block.lines.iter().position(|line| is_command(line)) {
            return Err(format!("line {}: a command in a block that begins with none", block.line + at));
        }
        let held = marks.is_shown || matches!(marks.run, Run::Not(_)) || [LANGUAGES, COMPILED].concat().contains(&block.language);
        return if held { Ok(()) } else { Err(format!("line {}: nothing says what this block is, or holds it", block.line)) };
    }
    let mut scripts: Vec<Command> = Vec::new();
    for (at, line) in block.lines.iter().enumerate() {
        let goes_on =
            line.starts_with(' ') || ["done", "fi"].contains(line) || scripts.last().is_some_and(|last| last.text.ends_with('\\'));
        match scripts.last_mut() {
            Some(last) if goes_on => last.text = format!("{}\n{line}", last.text),
            _ if line.trim().is_empty() || line.starts_with('#') => {}
            _ => scripts.push(command(block.line + at, line.to_string())),
        }
    }
    found.extend(scripts);
    Ok(())
}

/// Returns the commands in the second column of a table's row.
fn row_commands(row: &str, line: usize) -> Vec<Command> {
    // A bar within a cell is escaped.
    let row = row.replace("\\|", "\0");
    let cell = row.split('|').nth(2).unwrap_or_default().replace('\0', "|");
    let exits = cell.rsplit_once('(').and_then(|(_, remark)| exits(remark.trim().trim_end_matches(')'))).unwrap_or_else(|| vec![0]);
    let codes = cell.split('`').skip(1).step_by(2);
    codes
        .filter(|code| code.contains("polywire "))
        .map(|code| Command { line, text: code.to_string(), exits: exits.clone(), output: None, run: Run::ToItsEnd })
        .collect()
}

/// Returns the code within sentences and cells of tables.
pub fn spans(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    let lines = text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        !fenced && !is_fence && !line.starts_with("    ")
    });
    lines.flat_map(|line| line.split('`').skip(1).step_by(2))
}

/// Returns the exit codes in a remark such as `exits with 1` or `times differ; exits with 0 or 1`.
fn exits(remark: &str) -> Option<Vec<i32>> {
    let (_, codes) = remark.split_once("exits with ")?;
    let codes = codes.split([':', ';', ',', ')']).next()?;
    codes.split(" or ").map(|code| code.trim().parse().ok()).collect()
}

/// Reports whether lines are those that a page shows: `…` stands for any part of a line, and alone
/// on its line for any lines.
pub fn fits(shown: &[String], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first.trim() == "…" => (0..=printed.len()).any(|skipped| fits(rest, &printed[skipped..])),
        Some((first, rest)) => printed.split_first().is_some_and(|(line, others)| line_fits(first, line.trim_end()) && fits(rest, others)),
    }
}

fn line_fits(shown: &str, printed: &str) -> bool {
    let mut parts = shown.split('…');
    let Some(mut rest) = printed.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else { return rest.is_empty() };
    for part in between {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(page: &str) -> Vec<String> {
        commands(page).expect("a page").into_iter().map(|command| command.text).collect()
    }

    #[test]
    fn commands_stand_in_blocks_of_every_kind() {
        assert_eq!(texts("a\n\n    polywire a # one\n    polywire b\n\nb\n"), ["polywire a # one", "polywire b"]);
        assert_eq!(texts("```\npolywire a \\\n  b\n```\n"), ["polywire a \\\n  b"]);
        assert_eq!(texts("```sh\nx | polywire a\n```\n```rust\nlet a = 1;\n```\n"), ["x | polywire a"]);
        assert_eq!(texts("```\n$ polywire a\n1\n$ polywire b\n```\n"), ["polywire a", "polywire b"]);
        assert_eq!(texts("    for a in b; do\n        c\n    done\n"), ["for a in b; do\n    c\ndone"]);
        let rows = "<!-- each row runs -->\n| theirs | ours |\n|---|---|\n| `jq .` | `polywire a \\| b`, `polywire c` (exits with 1) |\n";
        assert_eq!(texts(rows), ["polywire a | b", "polywire c"]);
        assert!(commands("    a: b\n    polywire a\n").is_err(), "a command that nobody runs");
        assert!(commands("    a: b\n").is_err() && commands("<!-- shown: -->\n    a: b\n").is_err(), "a block that nothing holds");
        assert!(commands("<!-- shown: a part -->\n\n    a: b\n").is_ok_and(|found| found.is_empty()));
        let examples = blocks("```json\n1\n2\n```\n").expect("a page").1;
        assert_eq!((examples.len(), examples[0].line, examples[0].text.as_str()), (1, 2, "1\n2\n"));
        assert!(commands("<!-- until stopped -->\ntext\n").is_err(), "a mark of nothing");
    }

    #[test]
    fn marks_say_how_commands_run() {
        let page = "<!-- not run: needs a network -->\n\n    polywire a\n\ntext\n\n    polywire b # exits with 3\n\n<!-- its output -->\n```text\nx\n```\n";
        let found = commands(page).expect("a page");
        assert!(found[0].run == Run::Not("needs a network".into()) && found[0].exits == [0]);
        assert!(found[1].run == Run::ToItsEnd && found[1].exits == [3]);
        assert_eq!(found[1].output, Some(vec!["x".to_string()]));
    }

    #[test]
    fn shown_lines_may_leave_things_out() {
        let fits = |shown: &[&str], printed: &[&str]| fits(&shown.iter().map(|line| line.to_string()).collect::<Vec<_>>(), printed);
        assert!(fits(&["a", "  …", "z"], &["a", "b", "c", "z"]) && fits(&["a…c"], &["abc"]) && fits(&["a …"], &["a …"]));
        assert!(!fits(&["a"], &["a", "b"]) && !fits(&["a…c"], &["ab"]) && !fits(&["a", "…", "z"], &["a"]));
    }
}
