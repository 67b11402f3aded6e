//! A record as one page that needs nothing else: tables and charts.

use askama::Template;
use polywire_compare::report::STYLE;
use polywire_compare::report::chart::{Bar, Group, bars};
use polywire_core::{Error, Result};

use crate::record::{COLUMNS, Line, Record};
use crate::sizes::Table;

#[derive(Template)]
#[template(path = "bench.html")]
struct Page<'r> {
    style: &'static str,
    columns: [&'static str; 8],
    longest: f64,
    sections: Vec<Section<'r>>,
    tables: &'r [Table],
    method: Vec<String>,
}

/// The workloads of one title, or those that have a title each.
struct Section<'r> {
    title: &'r str,
    figures: Vec<Figure<'r>>,
}

/// One workload.
struct Figure<'r> {
    case: &'r str,
    chart: String,
    rows: Vec<(&'static str, Vec<String>)>,
}

/// A bar is cut where it is that many times as long as ours, so that ours can be seen.
const LONGEST: f64 = 50.0;

fn figure(lines: &[Line]) -> Figure<'_> {
    // Where equivalent messages differ in length and the throughput counts, the longer bar is the better one; else the shorter.
    let per_byte = lines[0].per_byte;
    let longest = lines[0].us[1] * LONGEST;
    let mut order: Vec<&Line> = lines.iter().collect();
    order.sort_by(|one, other| one.us[1].total_cmp(&other.us[1]));
    if per_byte {
        order.sort_by(|one, other| other.mb_per_s.total_cmp(&one.mb_per_s));
    }
    let groups: Vec<Group> = order
        .iter()
        .map(|line| {
            let (value, interval, text) = if per_byte {
                (line.mb_per_s, None, format!("{:.0} MB/s", line.mb_per_s))
            } else if line.us[1] > longest {
                (longest, None, format!("» {}", line.time()))
            } else {
                (line.us[1], Some((line.us[0], line.us[2].min(longest))), line.time())
            };
            let title = format!("{}: {}, {:.0} MB/s", line.peer, line.time(), line.mb_per_s);
            let class = if line.ours { "base" } else { "" };
            let colour = if ["PSYC", "USDS", "extprot", "polywire"].iter().any(|ours| line.peer.starts_with(ours)) { "one" } else { "two" };
            Group { label: line.peer.clone(), class, bars: vec![Bar { class: colour, value, interval, text, title }] }
        })
        .collect();
    let about = if per_byte { "Throughput, longer is better." } else { "Time of a pass, shorter is better; the line spans the quartiles." };
    Figure {
        case: if lines[0].case.is_empty() { &lines[0].title } else { &lines[0].case },
        chart: bars(&format!("{} {}", lines[0].title, lines[0].case), about, &groups),
        rows: lines
            .iter()
            .map(|line| {
                (
                    if line.met() == Some(false) {
                        "lossy"
                    } else if line.ours {
                        "base"
                    } else {
                        ""
                    },
                    line.cells(),
                )
            })
            .collect(),
    }
}

/// The page.
///
/// # Errors
/// None that a record of a run gives.
pub fn html(record: &Record) -> Result<String> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    for lines in record.workloads() {
        let title = if lines[0].case.is_empty() { "Walks and conversions" } else { &lines[0].title };
        match sections.last_mut().filter(|section| section.title == title) {
            Some(section) => section.figures.push(figure(lines)),
            None => sections.push(Section { title, figures: vec![figure(lines)] }),
        }
    }
    let page = Page { style: STYLE, columns: COLUMNS, longest: LONGEST, sections, tables: &record.tables, method: record.method() };
    page.render().map_err(|error| Error::internal(format!("a page that cannot be made: {error}")))
}
