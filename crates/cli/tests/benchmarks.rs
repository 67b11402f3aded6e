//! The page of benchmarks shows the bytes that the program prints, and the figures of the records.
//!
//! `FIGURES=overwrite cargo test -p polywire-cli --all-features --test benchmarks` writes the
//! recorded figures anew.

mod common;

use serde_json::Value;

use common::root;

const PAGE: &str = "docs/benchmarks.md";

/// Names of the records on the page, in its order; a record may cover only some workloads. A new
/// record is one line here.
const RECORDS: &[&str] =
    &["2026-11-22-amd-epyc", "2026-11-22-amd-epyc-protobuf", "2026-11-27-intel-xeon-serde", "2026-11-28-amd-epyc-asn1"];

fn page() -> String {
    std::fs::read_to_string(root().join(PAGE)).expect("a page")
}

/// Times differ from run to run, bytes do not.
#[test]
fn the_bytes_of_the_main_job_are_those_that_the_page_shows() {
    let mut command = common::command(&["compare", "examples/tickets.jsonl", "--time", "0.001"]);
    let command = command.args(common::ROWS).output().expect("polywire runs");
    assert!(command.status.success());
    let printed = String::from_utf8(command.stdout).expect("text");
    let bytes: Vec<&str> = printed.lines().take_while(|line| !line.starts_with("Time per message")).collect();
    assert!(bytes.len() > 5, "{printed}");
    let page = page();
    for line in bytes {
        assert!(page.lines().any(|known| known.trim_end() == line), "{PAGE} lacks: {line}");
    }
}

/// A rival of one workload.
struct Line {
    title: String,
    peer: String,
    /// The worst case's ratio of our time to theirs.
    ratio: f64,
    /// The limit of that case.
    at_most: f64,
    /// True if some case misses its limit.
    missed: bool,
}

/// Returns the rivals of a record for which a limit is set, in its order.
fn lines(record: &Value) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    for line in record["lines"].as_array().expect("lines") {
        let Some(at_most) = line["at_most"].as_f64() else { continue };
        let text = |key: &str| line[key].as_str().expect("a text").to_string();
        let (title, peer, ratio) = (text("title"), text("peer"), line["ratio"][1].as_f64().expect("a median"));
        let missed = ratio > at_most;
        match found.iter_mut().find(|known| known.title == title && known.peer == peer) {
            Some(known) => {
                known.missed |= missed;
                if ratio > known.ratio {
                    (known.ratio, known.at_most) = (ratio, at_most);
                }
            }
            None => found.push(Line { title, peer, ratio, at_most, missed }),
        }
    }
    found
}

/// Makes a table with a row for each workload.
fn figures(name: &str, record: &Value) -> String {
    let cpu = record["machine"]["cpu"].as_str().expect("a processor");
    let file = format!("../peers/record/{name}");
    let mut table =
        format!("From [`peers/record/{name}.json`]({file}.json), {cpu}; its [page]({file}.html) has each case, with the quartiles:\n\n");
    table.push_str("| what | our time ÷ the time of … |\n|---|---|\n");
    let lines = lines(record);
    let mut titles: Vec<&str> = Vec::new();
    for line in &lines {
        if titles.contains(&line.title.as_str()) {
            continue;
        }
        let peers = lines.iter().filter(|other| other.title == line.title);
        let peers: Vec<String> = peers.map(|line| format!("{} **{:.2}**", line.peer, line.ratio)).collect();
        table.push_str(&format!("| {} | {} |\n", line.title, peers.join(", ")));
        titles.push(&line.title);
    }
    table
}

/// Makes the table of the limits that are missed.
fn missed(records: &[Value]) -> String {
    let mut table = String::from("| what | rival | ratio | limit |\n|---|---|--:|--:|\n");
    for line in records.iter().flat_map(lines).filter(|line| line.missed) {
        // A limit such as 0.0167 needs more digits.
        let digits = if line.at_most < 0.1 { 4 } else { 2 };
        table.push_str(&format!("| {} | {} | {:.digits$} | {:.digits$} |\n", line.title, line.peer, line.ratio, line.at_most));
    }
    table
}

/// Returns a page with `text` between two comments.
fn between(page: &str, name: &str, text: &str) -> String {
    let (start, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
    let (before, rest) = page.split_once(&start).expect("the place of the figures");
    let (_, after) = rest.split_once(&end).expect("the end of the figures");
    format!("{before}{start}{text}{end}{after}")
}

#[test]
fn the_figures_are_those_of_the_records() {
    let read = |name: &&str| std::fs::read(root().join(format!("peers/record/{name}.json"))).expect("a record");
    let records: Vec<Value> = RECORDS.iter().map(|name| serde_json::from_slice(&read(name)).expect("JSON")).collect();
    let tables: Vec<String> = RECORDS.iter().zip(&records).map(|(name, record)| figures(name, record)).collect();
    let known = page();
    let expected = between(&between(&known, "figures", &tables.join("\n")), "missed", &missed(&records));
    if std::env::var("FIGURES").is_ok_and(|wish| wish == "overwrite") {
        std::fs::write(root().join(PAGE), expected).expect("the page is written");
    } else {
        assert!(known == expected, "the figures of {PAGE} are not those of its records; FIGURES=overwrite writes them");
    }
}

#[test]
fn the_newest_record_is_on_the_page() {
    let names = std::fs::read_dir(root().join("peers/record")).expect("records").flatten();
    let names: Vec<String> = names.filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(".json")?.to_string())).collect();
    let date = |name: &str| name.chars().take("2026-01-01".len()).collect::<String>();
    let newest = names.iter().map(|name| date(name)).max().expect("a record");
    for name in names.iter().filter(|name| date(name) == newest) {
        assert!(RECORDS.contains(&name.as_str()), "{name} is on no line of RECORDS");
    }
}
