//! The report for spreadsheets: one line per format, library and program, all figures, bare
//! numbers.

use polywire_core::{Error, Result};

use super::grid::{complaints, program_complaints, rival_complaints};
use crate::comparison::{Comparison, Group, ProgramRow, RivalRow, Row, Time, Verdict};

const SIZES: [&str; 6] = ["raw_bytes", "gzip_bytes", "zstd_bytes", "dictionary_bytes", "stream_gzip_bytes", "stream_zstd_bytes"];
const TIMES: [&str; 7] = ["ns", "ns_q1", "ns_q3", "ns_min", "ns_max", "mb_per_s", "allocations"];
const RUNS: [&str; 4] = ["run_ns", "start_up_ns", "run_ns_per_message", "run_mb_per_s"];
const SCHEMA: [&str; 7] =
    ["group", "schema", "schema_bytes", "schema_zstd_bytes", "learned_messages", "measured_messages", "unfit_messages"];
const RATIOS: [&str; 9] = ["raw", "gzip", "zstd", "dictionary", "stream_gzip", "stream_zstd", "encode", "decode", "scan"];

/// Returns comparisons as CSV (RFC 4180) with a header. Sizes and times are per message; missing
/// figures are empty. The last column is the kind of the messages, empty if they are all of one.
///
/// # Errors
/// None for comparisons that [`compare`](crate::compare()) returned.
pub fn csv(comparisons: &[Comparison]) -> Result<String> {
    let failed = |error: String| Error::internal(format!("a record that cannot be written: {error}"));
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(header()).map_err(|error| failed(error.to_string()))?;
    for comparison in comparisons {
        let mut lines = Vec::new();
        for row in &comparison.rows {
            lines.push(cells(comparison, row));
            lines.extend(row.rivals.iter().map(|rival| rival_cells(comparison, row, rival)));
        }
        lines.extend(comparison.programs.iter().map(|program| program_cells(comparison, program)));
        for mut line in lines {
            line.push(comparison.input.kind.clone().unwrap_or_default());
            writer.write_record(line).map_err(|error| failed(error.to_string()))?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| failed(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| failed(error.to_string()))
}

fn header() -> Vec<String> {
    let mut header: Vec<String> = ["rank", "format", "verdict", "base", "messages", "by"].map(String::from).to_vec();
    header.extend(SIZES.map(String::from));
    for work in ["encode", "decode", "scan"] {
        header.extend(TIMES.map(|name| format!("{work}_{name}")));
    }
    header.extend(RATIOS.map(|name| format!("{name}_ratio")));
    header.extend(RUNS.map(String::from));
    header.push("losses".to_string());
    header.extend(SCHEMA.map(String::from));
    header.push("kind".to_string());
    header
}

/// Returns the cells of the row's group and schema.
fn schema(comparison: &Comparison, row: &Row) -> [String; 7] {
    let count = |count: Option<usize>| count.map_or_else(String::new, |count| count.to_string());
    let schema = row.schema.as_ref();
    let group = match row.group {
        Group::WithoutSchema => "without-schema",
        Group::WithSchema => "with-schema",
    };
    [
        group.to_string(),
        schema.map_or_else(String::new, |schema| schema.origin.name().to_string()),
        count(schema.and_then(|schema| schema.bytes)),
        count(schema.and_then(|schema| schema.zstd)),
        count(schema.and_then(|schema| schema.learned_on)),
        comparison.method.measured_messages.to_string(),
        count(schema.map(|schema| schema.unfit)),
    ]
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// Returns the first cells of every line. `by` is the library or program: Polywire on a format's
/// own line.
fn first(comparison: &Comparison, rank: Option<usize>, format: &str, verdict: Verdict, by: &str) -> Vec<String> {
    vec![
        rank.map_or_else(String::new, |rank| rank.to_string()),
        format.to_string(),
        format!("{verdict:?}").to_lowercase(),
        comparison.base.clone().unwrap_or_default(),
        comparison.input.messages.to_string(),
        by.to_string(),
    ]
}

fn times(time: Option<&Time>) -> [String; 7] {
    let ns = |of: fn(&Time) -> f64| number(time.map(of));
    [
        ns(|time| time.ns.median),
        ns(|time| time.ns.q1),
        ns(|time| time.ns.q3),
        ns(|time| time.ns.min),
        ns(|time| time.ns.max),
        ns(|time| time.mb_per_s),
        number(time.and_then(|time| time.allocations)),
    ]
}

/// Returns `count` empty cells.
fn empty(cells: usize) -> impl Iterator<Item = String> {
    std::iter::repeat_n(String::new(), cells)
}

fn rival_cells(comparison: &Comparison, row: &Row, rival: &RivalRow) -> Vec<String> {
    let mut cells = first(comparison, None, &row.format, rival.verdict, &rival.name);
    cells.push(number(rival.raw));
    cells.extend(empty(SIZES.len() - 1));
    for time in [rival.encode.as_ref(), rival.decode.as_ref(), None] {
        cells.extend(times(time));
    }
    let ratios = rival.ratios.as_ref();
    cells.push(number(ratios.and_then(|ratios| ratios.raw)));
    cells.extend(empty(5));
    cells.push(number(ratios.and_then(|ratios| ratios.encode)));
    cells.push(number(ratios.and_then(|ratios| ratios.decode)));
    cells.extend(empty(1 + RUNS.len()));
    cells.push(rival_complaints(rival, usize::MAX).join("; "));
    cells.extend(schema(comparison, row));
    cells
}

fn program_cells(comparison: &Comparison, program: &ProgramRow) -> Vec<String> {
    let mut cells = first(comparison, None, &comparison.input.format, program.verdict, &program.name);
    cells.extend(empty(SIZES.len() + 3 * TIMES.len() + RATIOS.len()));
    cells.extend([
        number(program.run.map(|spread| spread.median)),
        number(program.start_up.map(|spread| spread.median)),
        number(program.per_message.map(|spread| spread.median)),
        number(program.mb_per_s),
    ]);
    cells.push(program_complaints(program).join("; "));
    cells.extend(empty(SCHEMA.len()));
    cells
}

fn cells(comparison: &Comparison, row: &Row) -> Vec<String> {
    let mut cells = first(comparison, row.rank, &row.format, row.verdict, "polywire");
    let sizes = row.sizes.as_ref();
    cells.extend([
        number(sizes.map(|sizes| sizes.raw)),
        number(sizes.map(|sizes| sizes.gzip)),
        number(sizes.map(|sizes| sizes.zstd)),
        number(sizes.and_then(|sizes| sizes.dictionary.as_ref()).map(|dictionary| dictionary.zstd)),
        number(sizes.map(|sizes| sizes.batch_gzip)),
        number(sizes.map(|sizes| sizes.batch_zstd)),
    ]);
    let measured = row.times.as_ref();
    for time in [measured.map(|times| &times.encode), measured.map(|times| &times.decode), measured.map(|times| &times.scan)] {
        cells.extend(times(time));
    }
    let ratios = row.ratios.as_ref();
    cells.extend([
        number(ratios.map(|ratios| ratios.raw)),
        number(ratios.map(|ratios| ratios.gzip)),
        number(ratios.map(|ratios| ratios.zstd)),
        number(ratios.and_then(|ratios| ratios.dictionary)),
        number(ratios.map(|ratios| ratios.batch_gzip)),
        number(ratios.map(|ratios| ratios.batch_zstd)),
        number(ratios.map(|ratios| ratios.encode)),
        number(ratios.map(|ratios| ratios.decode)),
        number(ratios.map(|ratios| ratios.scan)),
    ]);
    cells.extend(empty(RUNS.len()));
    cells.push(complaints(row, usize::MAX).join("; "));
    cells.extend(schema(comparison, row));
    cells
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn every_line_has_a_cell_for_every_heading() {
        let text = csv(&[sample::comparison(1.0)]).unwrap();
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
        let width = reader.headers().unwrap().len();
        assert_eq!(width, header().len());
        let records: Vec<_> = reader.records().map(Result::unwrap).collect();
        assert_eq!(records.len(), 5 + 3 + 2);
        assert!(records.iter().all(|record| record.len() == width));
        let of = |record: usize, column: &str| {
            let column = header().iter().position(|name| name == column).unwrap();
            records[record][column].to_string()
        };
        assert_eq!(["rank", "verdict", "by"].map(|column| of(0, column)), ["1", "exact", "polywire"]);
        assert_eq!(["verdict", "raw_bytes"].map(|column| of(6, column)), ["impossible", ""]);
        assert!(of(5, "losses").contains("number became text"));
        let rival =
            ["format", "by", "raw_bytes", "raw_ratio", "encode_ns", "encode_ratio", "decode_ratio", "scan_ns", "scan_ratio", "losses"];
        assert_eq!(rival.map(|column| of(1, column)), ["second", "a-library-of-long-name", "283.4", "1", "300", "1", "1", "", "", ""]);
        assert_eq!(["by", "losses"].map(|column| of(2, column)), ["differs", "n: otherwise (2 times)"]);
        let of_schema = ["rank", "format", "group", "schema", "schema_bytes", "learned_messages", "unfit_messages"];
        assert_eq!(of_schema.map(|column| of(7, column)), ["1", "learner", "with-schema", "inferred", "1234", "50", "2"]);
        assert_eq!(["group", "schema", "unfit_messages"].map(|column| of(0, column)), ["without-schema", "", ""]);
        let program = ["format", "by", "run_ns", "start_up_ns", "run_ns_per_message", "run_mb_per_s"];
        assert_eq!(program.map(|column| of(8, column)), ["first", "mine", "1000000000", "1000000", "100000000", "1"]);
        assert!(of(9, "losses").starts_with("no figures: exit status: 3"));
    }
}
