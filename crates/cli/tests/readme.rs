//! The README's main example matches the program's output, and its figures match the records. The
//! test `pages` runs its other commands.
//!
//! `README=overwrite cargo test -p polywire-cli --test readme` writes the recorded figures anew.

mod common;

use std::path::PathBuf;

use serde_json::Value;

use common::root;

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).expect("a README")
}

/// Times differ from run to run, bytes do not.
#[test]
fn the_bytes_of_the_main_job_are_those_that_the_readme_shows() {
    let command = common::command(&["compare", "examples/tickets.jsonl", "--time", "0.001"]).output().expect("polywire runs");
    assert!(command.status.success());
    let printed = String::from_utf8(command.stdout).expect("text");
    let bytes: Vec<&str> = printed.lines().take_while(|line| !line.starts_with("Time per message")).collect();
    assert!(bytes.len() > 5, "{printed}");
    let readme = readme();
    for line in bytes {
        assert!(readme.lines().any(|known| known.trim_end() == line), "the README lacks: {line}");
    }
}

/// Returns the benchmark's records of the newest date, by file name; a run may cover only some
/// workloads.
fn records() -> Vec<(String, Value)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(root().join("peers/record"))
        .expect("records")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    // The longer names are those of parts, and come behind the whole.
    files.sort_by_key(|file| file.with_extension(""));
    let name = |file: &PathBuf| file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let date = |file: &PathBuf| name(file).chars().take("2026-01-01".len()).collect::<String>();
    let newest = date(files.last().expect("a record"));
    files.retain(|file| date(file) == newest);
    let read = |file: &PathBuf| serde_json::from_slice(&std::fs::read(file).expect("a record is readable")).expect("a record is JSON");
    files.iter().map(|file| (name(file), read(file))).collect()
}

/// Makes a table with a row for each workload. With several cases, each rival's worst one counts.
fn table(file: &str, record: &Value) -> String {
    let page = file.replace(".json", ".html");
    let mut table = format!(
        "From [`peers/record/{file}`](peers/record/{file}), {}; its [page](peers/record/{page}) has each case, with the quartiles:\n\n",
        record["machine"]["cpu"].as_str().expect("a processor")
    );
    table.push_str("| what | our time ÷ the time of … |\n|---|---|\n");
    let limited: Vec<&Value> = record["lines"].as_array().expect("lines").iter().filter(|line| !line["at_most"].is_null()).collect();
    let text = |line: &Value, key: &str| line[key].as_str().expect("a text").to_string();
    let mut titles: Vec<String> = Vec::new();
    for line in &limited {
        let title = text(line, "title");
        if titles.contains(&title) {
            continue;
        }
        let mut peers: Vec<(String, f64)> = Vec::new();
        for line in limited.iter().filter(|line| text(line, "title") == title) {
            let (peer, ratio) = (text(line, "peer"), line["ratio"][1].as_f64().expect("a median"));
            match peers.iter_mut().find(|(known, _)| *known == peer) {
                Some((_, worst)) => *worst = worst.max(ratio),
                None => peers.push((peer, ratio)),
            }
        }
        let peers: Vec<String> = peers.iter().map(|(peer, ratio)| format!("{peer} **{ratio:.2}**")).collect();
        table.push_str(&format!("| {title} | {} |\n", peers.join(", ")));
        titles.push(title);
    }
    table
}

#[test]
fn the_figures_are_those_of_the_newest_records() {
    const START: &str = "<!-- figures -->\n";
    const END: &str = "<!-- end of figures -->";
    let tables: Vec<String> = records().iter().map(|(file, record)| table(file, record)).collect();
    let expected = tables.join("\n");
    let readme = readme();
    let (before, rest) = readme.split_once(START).expect("the place of the figures");
    let (known, after) = rest.split_once(END).expect("the end of the figures");
    if std::env::var("README").is_ok_and(|wish| wish == "overwrite") {
        std::fs::write(root().join("README.md"), format!("{before}{START}{expected}{END}{after}")).expect("the README is written");
    } else {
        assert_eq!(known, expected);
    }
}
