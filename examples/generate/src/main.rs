//! Makes the message corpora of the examples folder from fixed seeds, and records the exchanges of its shop.
//!
//! `cargo run -p polywire-examples` writes them; with `--check` it compares them with what is there, and fails if they differ.

mod draw;
mod nested;
mod packets;
mod search;
mod shop;
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
    bytes: Vec<u8>,
}

/// The folder of recorded exchanges.
const RECORDED: &str = "shop/recorded";

/// All corpora, in the order of examples/README.md.
fn corpora() -> Vec<Corpus> {
    let corpus = |file, text: String| Corpus { file, bytes: text.into_bytes() };
    vec![
        corpus("packets.jsonl", packets::json_lines()),
        corpus("packets.xml", packets::xml()),
        corpus("tickets-2.json", tickets::two()),
        corpus("tickets-1000.json", tickets::thousand()),
        corpus("tickets.jsonl", tickets::day()),
        corpus("nested.jsonl", nested::json_lines()),
        corpus("search-reply.json", search::json()),
        corpus("search-reply.xml", search::xml()),
        Corpus { file: "search-reply.pb", bytes: search::protobuf() },
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
    for Corpus { file, bytes } in corpora() {
        fs::write(Path::new(FOLDER).join(file), &bytes)?;
        writeln!(io::stdout(), "{file}: {} bytes", bytes.len())?;
    }
    let folder = Path::new(FOLDER).join(RECORDED);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let exchanges = shop::recorded(Path::new(FOLDER))?;
    for (file, bytes) in &exchanges {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap_or(&folder))?;
        fs::write(path, bytes)?;
    }
    writeln!(io::stdout(), "{RECORDED}: {} files", exchanges.len())?;
    Ok(ExitCode::SUCCESS)
}

/// Compares every corpus with its file.
fn check() -> io::Result<ExitCode> {
    let mut same = true;
    for Corpus { file, bytes } in corpora() {
        let there = fs::read(Path::new(FOLDER).join(file)).unwrap_or_default();
        let equal = there == bytes;
        same &= equal;
        writeln!(io::stdout(), "{file}: {}", if equal { "same" } else { "differs" })?;
    }
    let there = shop::files(&Path::new(FOLDER).join(RECORDED)).unwrap_or_default();
    let equal = there == shop::recorded(Path::new(FOLDER))?;
    same &= equal;
    writeln!(io::stdout(), "{RECORDED}: {}", if equal { "same" } else { "differs" })?;
    Ok(if same { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_what_the_generator_makes() {
        for Corpus { file, bytes } in corpora() {
            let there = fs::read(Path::new(FOLDER).join(file)).unwrap();
            assert!(there == bytes, "{file} differs: run `cargo run -p polywire-examples`");
        }
    }

    #[test]
    fn recorded_exchanges_are_those_of_the_services() {
        let folder = Path::new(FOLDER);
        let (there, made) = (shop::files(&folder.join(RECORDED)).unwrap(), shop::recorded(folder).unwrap());
        assert_eq!(there.keys().collect::<Vec<_>>(), made.keys().collect::<Vec<_>>(), "run `cargo run -p polywire-examples`");
        for (file, bytes) in made {
            assert!(there[&file] == bytes, "{file} differs: run `cargo run -p polywire-examples`");
        }
    }

    #[test]
    fn the_readme_gives_each_size() {
        let readme = fs::read_to_string(Path::new(FOLDER).join("README.md")).unwrap();
        for Corpus { file, bytes } in corpora() {
            let size = thousands(bytes.len());
            let row = readme.lines().find(|line| line.starts_with(&format!("| [{file}]({file}) |"))).unwrap_or_default();
            assert!(row.ends_with(&format!("| {size} |")), "{file} has {size} bytes, README.md says: {row}");
        }
    }

    /// 84387 as 84,387.
    fn thousands(number: usize) -> String {
        if number < 1000 { number.to_string() } else { format!("{},{:03}", thousands(number / 1000), number % 1000) }
    }
}
