//! Makes the message corpora of the examples folder from fixed seeds.
//!
//! `cargo run -p polywire-examples` writes them; with `--check` it compares them with what is there, and fails if they differ.

mod draw;
mod nested;
mod packets;
mod search;
mod tickets;
mod words;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

/// The folder that holds the corpora.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A file of the examples folder.
struct Corpus {
    file: &'static str,
    text: String,
}

/// All corpora, in the order of examples/README.md.
fn corpora() -> Vec<Corpus> {
    let corpus = |file, text| Corpus { file, text };
    vec![
        corpus("packets.jsonl", packets::json_lines()),
        corpus("packets.xml", packets::xml()),
        corpus("tickets-2.json", tickets::two()),
        corpus("tickets-1000.json", tickets::thousand()),
        corpus("tickets.jsonl", tickets::day()),
        corpus("nested.jsonl", nested::json_lines()),
        corpus("search-reply.json", search::json()),
        corpus("search-reply.xml", search::xml()),
    ]
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => write(),
        ["--check"] => check(),
        _ => {
            let _ = writeln!(io::stderr(), "usage: polywire-examples [--check]");
            return ExitCode::from(2);
        }
    };
    outcome.unwrap_or_else(|error| {
        let _ = writeln!(io::stderr(), "{error}");
        ExitCode::from(4)
    })
}

/// Writes every corpus.
fn write() -> io::Result<ExitCode> {
    for Corpus { file, text } in corpora() {
        fs::write(Path::new(FOLDER).join(file), &text)?;
        writeln!(io::stdout(), "{file}: {} bytes", text.len())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Compares every corpus with its file.
fn check() -> io::Result<ExitCode> {
    let mut same = true;
    for Corpus { file, text } in corpora() {
        let there = fs::read(Path::new(FOLDER).join(file)).unwrap_or_default();
        let equal = there == text.as_bytes();
        same &= equal;
        writeln!(io::stdout(), "{file}: {}", if equal { "same" } else { "differs" })?;
    }
    Ok(if same { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_what_the_generator_makes() {
        for Corpus { file, text } in corpora() {
            let there = fs::read_to_string(Path::new(FOLDER).join(file)).unwrap();
            assert!(there == text, "{file} differs: run `cargo run -p polywire-examples`");
        }
    }

    #[test]
    fn the_readme_gives_each_size() {
        let readme = fs::read_to_string(Path::new(FOLDER).join("README.md")).unwrap();
        for Corpus { file, text } in corpora() {
            let size = thousands(text.len());
            let row = readme.lines().find(|line| line.starts_with(&format!("| [{file}]({file}) |"))).unwrap_or_default();
            assert!(row.ends_with(&format!("| {size} |")), "{file} has {size} bytes, README.md says: {row}");
        }
    }

    /// 84387 as 84,387.
    fn thousands(number: usize) -> String {
        if number < 1000 { number.to_string() } else { format!("{},{:03}", thousands(number / 1000), number % 1000) }
    }
}
