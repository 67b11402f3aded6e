//! The report as one self-contained page: no font, no request, readable without its script.

use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polywire_core::{Error, Result};
use sha2::{Digest, Sha256};

use super::figures::{bytes, counted};
use super::grid::{Grid, Mark, grids, order, remarks, schemas, subject, unranked};
use super::script::{embedded, script};
use super::style::PAGE;
use crate::comparison::{Comparison, Made, Row, Verdict};
use crate::machine::Machine;

/// Most losses that are listed for one format.
const LOSSES: usize = 100;

/// Number of tables, from the first, that the script draws too.
const DRAWN: usize = 3;

#[derive(Template)]
#[template(path = "compare.html")]
struct Page<'a> {
    style: &'static str,
    script: String,
    /// Policy of the page: these two texts, and nothing else.
    policy: String,
    report: String,
    title: String,
    sections: Vec<Section<'a>>,
    machine: &'a Machine,
    made: &'a Made,
    command: String,
}

/// One comparison.
struct Section<'a> {
    number: usize,
    comparison: &'a Comparison,
    subject: String,
    order: String,
    /// Names of the formats that keep all values.
    exact: String,
    verdicts: Vec<(String, &'static str, String)>,
    /// Tables that the script draws, in place of these.
    grids: Vec<Grid>,
    /// Tables that stay.
    others: Vec<Grid>,
    schemas: Vec<(String, String)>,
    unranked: Vec<(String, Vec<String>)>,
    remarks: Vec<(String, Vec<String>)>,
}

impl Page<'_> {
    fn class(&self, mark: &Mark) -> &'static str {
        match mark {
            Mark::Plain => "",
            Mark::Base => "base",
            Mark::Lossy => "lossy",
            Mark::Impossible => "impossible",
            Mark::Group => "group",
        }
    }

    fn memory(&self) -> String {
        self.machine.memory.map_or_else(|| "unknown".to_string(), |memory| bytes(memory as f64))
    }

    fn load(&self) -> String {
        self.machine.load.map_or_else(|| "unknown".to_string(), |load| load.to_string())
    }
}

/// Returns comparisons as one HTML page, each with tables and charts of its own.
///
/// # Errors
/// There is no comparison.
pub fn html(comparisons: &[Comparison]) -> Result<String> {
    let [first, ..] = comparisons else { return Err(Error::usage("a page of no comparison")) };
    let script = script();
    // A browser hashes the text between the tags, as the template writes it.
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text));
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(&script),
        hash(PAGE)
    );
    let page = Page {
        style: PAGE,
        policy,
        report: embedded(&report(comparisons)?),
        script,
        title: subject(first),
        sections: comparisons.iter().enumerate().map(section).collect(),
        machine: &first.machine,
        made: &first.made,
        command: quoted(&first.made.command),
    };
    page.render().map_err(|error| Error::internal(format!("a page that cannot be made: {error}")))
}

/// Returns the JSON report, without white space.
fn report(comparisons: &[Comparison]) -> Result<String> {
    let text = match comparisons {
        [one] => serde_json::to_string(one),
        several => serde_json::to_string(several),
    };
    text.map_err(|error| Error::internal(format!("a record that cannot be written: {error}")))
}

fn section((number, comparison): (usize, &Comparison)) -> Section<'_> {
    let mut all = grids(comparison);
    let others = all.split_off(DRAWN.min(all.len()));
    Section {
        number,
        comparison,
        subject: subject(comparison),
        order: order(comparison),
        exact: {
            let exact = comparison.rows.iter().filter(|row| row.verdict == Verdict::Exact);
            exact.map(|row| row.format.as_str()).collect::<Vec<_>>().join(", ")
        },
        verdicts: comparison.rows.iter().filter_map(verdict).collect(),
        grids: all,
        others,
        schemas: schemas(comparison),
        unranked: unranked(comparison, LOSSES),
        remarks: comparison
            .rows
            .iter()
            .map(|row| (row.format.clone(), remarks(row, LOSSES)))
            .filter(|(_, lines)| !lines.is_empty())
            .collect(),
    }
}

/// Returns the name, class and result of a format that does not keep all values.
fn verdict(row: &Row) -> Option<(String, &'static str, String)> {
    let (class, result) = match row.verdict {
        Verdict::Exact => return None,
        Verdict::Unfit => ("lossy", "too few messages fit its schema".to_string()),
        Verdict::Lossy => ("lossy", format!("{} changed", counted(row.losses.len() as u64 + row.more, "place"))),
        Verdict::Impossible => ("impossible", "not possible".to_string()),
    };
    Some((row.format.clone(), class, result))
}

/// Returns a command line as a shell reads it.
fn quoted(command: &[String]) -> String {
    let quoted = |word: &String| shlex::try_quote(word).map_or_else(|_| word.clone(), std::borrow::Cow::into_owned);
    command.iter().map(quoted).collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn page(factor: f64) -> String {
        html(&[sample::comparison(factor)]).unwrap()
    }

    #[test]
    fn the_page_is_self_contained_and_escapes_the_data() {
        let page = page(1.0);
        assert_eq!(page.matches("<script").count(), 2, "a script came through");
        assert!(page.contains("&#60;script&#62;") || page.contains("&lt;script&gt;"));
        for request in ["http:", "https:", " src=", "@import", "url(", "<link", " style=", " onclick="] {
            assert!(!page.contains(request), "{request}");
        }
        assert!(!page.contains("NaN"));
        assert!(page.contains("prefers-color-scheme: dark") && page.contains("@media print") && page.contains("width=device-width"));
    }

    #[test]
    fn without_the_script_all_is_there_to_read() {
        let page = page(1.0);
        let (page, _) = page.split_once("<script").unwrap();
        assert_eq!(page.matches("<table>").count(), 5);
        assert!(page.contains("<th scope=\"rowgroup\" colspan=\"10\">with a schema</th>"), "{page}");
        assert!(page.contains("<th scope=\"row\">learner</th>") && page.contains("2 of 50 need a new version"));
        assert!(page.contains("second · differs") && page.contains("Own programs") && page.contains("Smallest with zstd: second"));
        for foot in ["2026-01-31T12:00:00Z", "0.1.0, dist build", &"ab".repeat(32), "polywire compare "] {
            assert!(page.contains(foot), "{foot}");
        }
    }

    #[test]
    fn the_page_has_the_report_and_its_policy_names_its_texts() {
        let page = page(1.0);
        let between = |start: &str, end: &str| page.split_once(start).unwrap().1.split_once(end).unwrap().0;
        let report: serde_json::Value =
            serde_json::from_str(between("<script type=\"application/json\" id=\"report\">", "</script>")).unwrap();
        assert_eq!(report["rows"].as_array().unwrap().len(), 5);
        for (start, end) in [("<script type=\"module\">", "</script>"), ("<style>", "</style>")] {
            let hash = STANDARD.encode(Sha256::digest(between(start, end)));
            assert!(page.contains(&format!("sha256-{hash}")) || page.contains(&hash.replace('+', "&#43;")), "{start}");
        }
        let two = html(&[sample::comparison(1.0), sample::comparison(2.0)]).unwrap();
        assert!(two.contains("id=\"figures-1\"") && two.contains("id=\"report\">[{"));
        assert!(html(&[]).is_err());
    }

    #[test]
    fn tags_are_balanced() {
        let page = page(1e6);
        let (page, _) = page.split_once("<script").unwrap();
        for tag in ["main", "section", "table", "thead", "tbody", "tr", "td", "th", "ul", "li", "dl", "dd", "div", "footer"] {
            let opened = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
        }
    }

    #[test]
    fn a_command_is_quoted() {
        assert_eq!(quoted(&["polywire".into(), "a b".into()]), "polywire 'a b'");
    }
}
