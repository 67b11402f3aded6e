//! The report for spreadsheets: one line per format, all figures, bare numbers.

use polywire_core::error::{Error, Result};

use super::grid::complaints;
use crate::comparison::{Comparison, Row, Time};

const SIZES: [&str; 6] = ["raw_bytes", "gzip_bytes", "zstd_bytes", "dictionary_bytes", "stream_gzip_bytes", "stream_zstd_bytes"];
const TIMES: [&str; 7] = ["ns", "ns_q1", "ns_q3", "ns_min", "ns_max", "mb_per_s", "allocations"];
const RATIOS: [&str; 9] = ["raw", "gzip", "zstd", "dictionary", "stream_gzip", "stream_zstd", "encode", "decode", "scan"];

/// The comparison as CSV (RFC 4180) with a header. Sizes and times are per message; what does not exist is empty.
///
/// # Errors
/// None that a comparison from [`compare`](crate::compare()) gives.
pub fn csv(comparison: &Comparison) -> Result<String> {
    let failed = |error: String| Error::internal(format!("a record that cannot be written: {error}"));
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(header()).map_err(|error| failed(error.to_string()))?;
    for row in &comparison.rows {
        writer.write_record(cells(comparison, row)).map_err(|error| failed(error.to_string()))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| failed(error.to_string()))
}

fn header() -> Vec<String> {
    let mut header: Vec<String> = ["rank", "format", "verdict", "base", "messages"].map(String::from).to_vec();
    header.extend(SIZES.map(String::from));
    for work in ["encode", "decode", "scan"] {
        header.extend(TIMES.map(|name| format!("{work}_{name}")));
    }
    header.extend(RATIOS.map(|name| format!("{name}_ratio")));
    header.push("losses".to_string());
    header
}

fn cells(comparison: &Comparison, row: &Row) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let mut cells = vec![
        row.rank.map_or_else(String::new, |rank| rank.to_string()),
        row.format.clone(),
        format!("{:?}", row.verdict).to_lowercase(),
        comparison.base.clone().unwrap_or_default(),
        comparison.input.messages.to_string(),
    ];
    let sizes = row.sizes.as_ref();
    cells.extend([
        number(sizes.map(|sizes| sizes.raw)),
        number(sizes.map(|sizes| sizes.gzip)),
        number(sizes.map(|sizes| sizes.zstd)),
        number(sizes.and_then(|sizes| sizes.dictionary.as_ref()).map(|dictionary| dictionary.zstd)),
        number(sizes.map(|sizes| sizes.batch_gzip)),
        number(sizes.map(|sizes| sizes.batch_zstd)),
    ]);
    let times = row.times.as_ref();
    for time in [times.map(|times| &times.encode), times.map(|times| &times.decode), times.map(|times| &times.scan)] {
        let ns = |of: fn(&Time) -> f64| number(time.map(of));
        cells.extend([
            ns(|time| time.ns.median),
            ns(|time| time.ns.q1),
            ns(|time| time.ns.q3),
            ns(|time| time.ns.min),
            ns(|time| time.ns.max),
            ns(|time| time.mb_per_s),
            number(time.and_then(|time| time.allocations)),
        ]);
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
    cells.push(complaints(row, usize::MAX).join("; "));
    cells
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn every_line_has_a_cell_for_every_heading() {
        let text = csv(&sample::comparison(1.0)).unwrap();
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
        let width = reader.headers().unwrap().len();
        assert_eq!(width, header().len());
        let records: Vec<_> = reader.records().map(Result::unwrap).collect();
        assert_eq!(records.len(), 4);
        assert!(records.iter().all(|record| record.len() == width));
        assert_eq!((&records[0][0], &records[0][2], &records[3][2], &records[3][5]), ("1", "exact", "impossible", ""));
        assert!(records[2][width - 1].contains("number became text"));
    }
}
