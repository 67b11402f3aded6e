//! The report as one self-contained page: no script, no font, no request.

use askama::Template;
use polywire_core::{Error, Result};

use super::chart::{Bar, Group, Point, bars, scatter};
use super::figures::{bytes, counted, spread, time};
use super::grid::{Grid, Mark, grids, order, remarks, rival_name, schemas, subject, unranked};
use super::style::STYLE;
use crate::comparison::{Comparison, RivalRow, Row, Time, Times, Verdict};

/// Most losses that are listed for one format.
const LOSSES: usize = 100;

#[derive(Template)]
#[template(path = "compare.html")]
struct Page<'a> {
    style: &'static str,
    comparison: &'a Comparison,
    subject: String,
    order: String,
    verdicts: Vec<(String, &'static str, String)>,
    scatters: Vec<(&'static str, String)>,
    speeds: Vec<(&'static str, String)>,
    sizes: String,
    grids: Vec<Grid>,
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
        self.comparison.machine.memory.map_or_else(|| "unknown".to_string(), |memory| bytes(memory as f64))
    }

    fn load(&self) -> String {
        self.comparison.machine.load.map_or_else(|| "unknown".to_string(), |load| load.to_string())
    }

    fn any_lossy(&self) -> bool {
        self.comparison.rows.iter().any(|row| row.verdict == Verdict::Lossy)
    }
}

/// Returns the comparison as one HTML page.
///
/// # Errors
/// None for a comparison that [`compare`](crate::compare()) returned.
pub fn html(comparison: &Comparison) -> Result<String> {
    let page = Page {
        style: STYLE,
        comparison,
        subject: subject(comparison),
        order: order(comparison),
        verdicts: comparison.rows.iter().map(verdict).collect(),
        scatters: WORKS[..2].iter().map(|(name, _, of, _)| (*name, size_against_time(comparison, name, *of))).collect(),
        speeds: WORKS.iter().map(|(name, about, of, theirs)| (*name, speed(comparison, name, about, *of, *theirs))).collect(),
        sizes: sizes(comparison),
        grids: grids(comparison),
        schemas: schemas(comparison),
        unranked: unranked(comparison, LOSSES),
        remarks: named(comparison, |row| remarks(row, LOSSES)),
    };
    page.render().map_err(|error| Error::internal(format!("a page that cannot be made: {error}")))
}

type Part = fn(&Times) -> &Time;
type Theirs = fn(&RivalRow) -> Option<&Time>;

const WORKS: [(&str, &str, Part, Theirs); 3] = [
    ("Encode", "bytes from a tree", |times| &times.encode, |rival| rival.encode.as_ref()),
    ("Decode", "a tree from bytes", |times| &times.decode, |rival| rival.decode.as_ref()),
    ("Scan", "every value, no tree", |times| &times.scan, |_| None),
];

fn named(comparison: &Comparison, lines: impl Fn(&Row) -> Vec<String>) -> Vec<(String, Vec<String>)> {
    comparison.rows.iter().map(|row| (row.format.clone(), lines(row))).filter(|(_, lines)| !lines.is_empty()).collect()
}

fn verdict(row: &Row) -> (String, &'static str, String) {
    match row.verdict {
        Verdict::Exact => (row.format.clone(), "exact", "every value came back".to_string()),
        Verdict::Unfit => (row.format.clone(), "lossy", "too few messages fit its schema".to_string()),
        Verdict::Lossy => (row.format.clone(), "lossy", format!("{} changed", counted(row.losses.len() as u64 + row.more, "place"))),
        Verdict::Impossible => (row.format.clone(), "impossible", "not possible".to_string()),
    }
}

/// Returns the CSS class of a format's marks.
fn class(comparison: &Comparison, row: &Row) -> &'static str {
    match row.verdict {
        Verdict::Exact if comparison.base.as_ref() == Some(&row.format) => "base",
        Verdict::Exact => "",
        _ => "lossy",
    }
}

fn size_against_time(comparison: &Comparison, name: &str, of: Part) -> String {
    let point = |row: &Row| {
        let (size, time) = (row.sizes.as_ref()?, of(row.times.as_ref()?));
        Some(Point {
            label: row.format.clone(),
            class: class(comparison, row),
            bytes: size.raw,
            ns: time.ns.median,
            interval: (time.ns.q1, time.ns.q3),
        })
    };
    let points: Vec<Point> = comparison.rows.iter().filter_map(point).collect();
    let said: Vec<String> =
        points.iter().map(|point| format!("{} {} bytes, {}", point.label, bytes(point.bytes), time(point.ns))).collect();
    scatter(&format!("{name}: size against time"), &format!("Logarithmic axes; lower left is better. {}.", said.join("; ")), &points)
}

fn speed(comparison: &Comparison, name: &str, about: &str, of: Part, theirs: Theirs) -> String {
    let group = |name: &str, label: String, class: &'static str, time: &Time| {
        let ns = time.ns;
        let text = spread(ns.median, ns.relative());
        let title = format!(
            "{name}: {text}, quartiles {} and {}, fastest {}, slowest {}",
            self::time(ns.q1),
            self::time(ns.q3),
            self::time(ns.min),
            self::time(ns.max)
        );
        let bar = Bar { class: "one", value: ns.median, interval: Some((ns.q1, ns.q3)), text, title };
        Group { label, class, bars: vec![bar] }
    };
    let mut groups = Vec::new();
    for row in &comparison.rows {
        let Some(times) = &row.times else { continue };
        groups.push(group(&row.format, row.format.clone(), class(comparison, row), of(times)));
        for rival in &row.rivals {
            if let Some(time) = theirs(rival) {
                let class = if rival.verdict == Verdict::Exact { "" } else { "lossy" };
                groups.push(group(&rival_name(row, rival), format!("· {}", rival.name), class, time));
            }
        }
    }
    bars(&format!("{name}: time per message"), &format!("{about}; median, with the quartiles as a line."), &groups)
}

fn sizes(comparison: &Comparison) -> String {
    let group = |row: &Row| {
        let sizes = row.sizes.as_ref()?;
        let bar = |class: &'static str, name: &str, value: f64| Bar {
            class,
            value,
            interval: None,
            text: bytes(value),
            title: format!("{}, {name}: {} bytes per message", row.format, bytes(value)),
        };
        let bars = vec![bar("one", "raw", sizes.raw), bar("two", "zstd alone", sizes.zstd), bar("three", "zstd stream", sizes.batch_zstd)];
        Some(Group { label: row.format.clone(), class: class(comparison, row), bars })
    };
    let groups: Vec<Group> = comparison.rows.iter().filter_map(group).collect();
    bars("Bytes per message", "Raw, zstd of each message alone, and zstd of all messages as one stream.", &groups)
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn the_page_is_self_contained_and_escapes_the_data() {
        let page = html(&sample::comparison(1.0)).unwrap();
        assert!(!page.contains("<script"), "a script came through");
        assert!(page.contains("&#60;script&#62;") || page.contains("&lt;script&gt;"));
        for request in ["http://", "https://", " src=", "@import", "url(", "<link"] {
            assert!(!page.contains(request), "{request}");
        }
        assert_eq!(page.matches("<svg").count(), 6);
        assert_eq!(page.matches("<desc>").count(), 6);
        assert!(page.contains("<h2>Schemas</h2>") && page.contains("<tr class=\"group\">") && page.contains("2 of 50 need a new version"));
        assert!(page.contains("second · differs") && page.contains("Own programs"));
        assert!(!page.contains("NaN"));
        assert!(page.contains("prefers-color-scheme: dark") && page.contains("width=device-width"));
    }

    #[test]
    fn tags_are_balanced() {
        let page = html(&sample::comparison(1e6)).unwrap();
        for tag in
            ["html", "head", "body", "main", "section", "table", "tr", "td", "th", "ul", "li", "svg", "g", "text", "figure", "dl", "div"]
        {
            let opened = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
        }
    }
}
