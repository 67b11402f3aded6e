//! What a run measured: the record that is kept, and the table that is printed.

use polywire_compare::Machine;
use polywire_compare::harness::Measured;
use polywire_compare::report::layout;
use serde::Serialize;

use crate::sizes::Table;
use crate::workload::{Entry, Workload};

/// One line of the record.
#[derive(Debug, Serialize)]
pub struct Line {
    pub workload: String,
    pub title: String,
    /// Which of the title's cases; empty if it has one only.
    pub case: String,
    pub peer: String,
    pub bytes: usize,
    /// Bytes of the messages in the peer's own format; `bytes` are those of the form that the workload gives it.
    pub size: usize,
    pub messages: usize,
    /// Microseconds of a pass: quartiles and median.
    pub us: [f64; 3],
    pub mb_per_s: f64,
    /// Our time as a multiple of this peer's, round by round: quartiles and median. Where the throughput counts, our time per byte.
    pub ratio: [f64; 3],
    pub at_most: Option<f64>,
    /// Whether it is the peer that the others of its workload are compared with.
    pub ours: bool,
    pub per_byte: bool,
}

/// All of a run.
#[derive(Debug, Serialize)]
pub struct Record {
    pub machine: Machine,
    pub seconds_a_measurement: f64,
    /// Names and versions of the C and C++ libraries; empty if they were not built.
    pub native: String,
    pub lines: Vec<Line>,
    /// Sizes.
    pub tables: Vec<Table>,
}

impl Line {
    /// The line of `entry`, of which `measured` was measured; `ours` is what it is compared with, and `size` what
    /// [`Peer::size`](crate::peer::Peer::size) says.
    pub fn new(workload: &Workload, entry: &Entry, measured: &Measured, size: Option<usize>, ours: (&Entry, &Measured)) -> Option<Line> {
        let spread = measured.spread()?;
        let input = &workload.inputs[entry.input];
        let bytes = input.bytes().len();
        let scale = if entry.per_byte { bytes as f64 / workload.inputs[ours.0.input].bytes().len() as f64 } else { 1.0 };
        let ratio = ours.1.ratio(measured)?;
        Some(Line {
            workload: workload.name.clone(),
            title: workload.title.clone(),
            case: workload.case.clone(),
            peer: entry.label.clone(),
            bytes,
            size: size.unwrap_or(bytes),
            messages: input.messages.len(),
            us: [spread.q1, spread.median, spread.q3].map(|seconds| seconds * 1e6),
            mb_per_s: bytes as f64 / spread.median / 1e6,
            ratio: [ratio.q1, ratio.median, ratio.q3].map(|ratio| ratio * scale),
            at_most: entry.at_most,
            ours: std::ptr::eq(entry, ours.0),
            per_byte: entry.per_byte,
        })
    }

    /// Whether our time is within the limit, where there is one.
    pub fn met(&self) -> Option<bool> {
        self.at_most.map(|most| self.ratio[1] <= most)
    }

    /// The median of a pass, as people read times.
    pub fn time(&self) -> String {
        let us = self.us[1];
        match us {
            us if us < 1.0 => format!("{:.1} ns", us * 1e3),
            us if us < 1e3 => format!("{us:.2} µs"),
            us if us < 1e6 => format!("{:.2} ms", us / 1e3),
            us => format!("{:.2} s", us / 1e6),
        }
    }

    /// Name, time, size, throughput, ratio, quartiles, limit, verdict.
    pub fn cells(&self) -> Vec<String> {
        let ratio = |text: String| if self.ours { String::new() } else { text };
        vec![
            self.peer.clone(),
            self.time(),
            self.size.to_string(),
            // What is not looked at has no throughput.
            if self.mb_per_s < 1e6 { format!("{:.0}", self.mb_per_s) } else { "–".to_string() },
            ratio(number(self.ratio[1])),
            ratio(format!("{}–{}", number(self.ratio[0]), number(self.ratio[2]))),
            self.at_most.map_or(String::new(), number),
            self.met().map_or(String::new(), |met| if met { "met" } else { "MISSED" }.to_string()),
        ]
    }
}

/// Names of [`Line::cells`].
pub const COLUMNS: [&str; 8] = ["peer", "time", "bytes", "MB/s", "first ÷ it", "quartiles", "at most", ""];

/// Whether a column is text.
pub fn is_text(column: usize) -> bool {
    column == 0 || column == 7
}

/// Ratios of any size, in few letters.
fn number(ratio: f64) -> String {
    match ratio {
        ratio if ratio < 0.001 => format!("{ratio:.1e}"),
        ratio if ratio < 0.0995 => format!("{ratio:.4}"),
        ratio if ratio < 99.95 => format!("{ratio:.2}"),
        ratio => format!("{ratio:.0}"),
    }
}

impl Record {
    /// Workloads, in their order.
    pub fn workloads(&self) -> impl Iterator<Item = &[Line]> {
        self.lines.chunk_by(|one, other| one.workload == other.workload)
    }

    /// Whether all limits are kept.
    pub fn met(&self) -> bool {
        self.lines.iter().all(|line| line.met() != Some(false))
    }

    /// How it was measured, and what speaks for or against whom.
    pub fn method(&self) -> Vec<String> {
        let mut text = vec![
            format!("Medians of interleaved rounds, {} s a measurement; MB/s by the bytes of the input, whatever format a library makes of it first.", self.seconds_a_measurement),
            self.machine.line() + ".",
            "Each answer is checked before it is timed: every value, and what is written again.".into(),
            "Walks of ours tell every event through `dyn Sink`, but those of extprot and Protobuf, and those named so, know their sink, which counts; conversions frame the stream and look for doubled keys.".into(),
            "PSYC, JSON, XML: parsing, visiting every value, and freeing what was made. Parsers and buffers are kept where a library lets its users.".into(),
            "The rivals' way: simdjson has its padding without a copy; in-situ parsers (RapidJSON in situ, rapidxml, simd-json) get a copy inside \
             the clock; the bare quick-xml reader only finds tokens."
                .into(),
            "The published extprot message: expat keeps its parser and has no callbacks, and zlib packs all messages as one stream, which is the least \
             that either can do; XML names and texts are those of the published page."
                .into(),
            "Protobuf C++ has the arena that a program gets without options, reset before each message: its blocks are freed and allocated again. With a first \
             block of its own it frees and allocates nothing, which the row beside it shows; our arena keeps its block in any case."
                .into(),
            "Decoded is each message into values, which owning libraries free inside of the clock. Encoded are values that lie in memory in the order that \
             they are written in, made by each library's own decoder; inside of the clock are sizes and bytes, into a buffer that is there. Ours is written \
             backwards and left at the buffer's end, or moved to the start of a vector."
                .into(),
            "The bytes beside a time are those of the messages in the peer's own format, or of what it is given if it has none of its own.".into(),
            "Protobuf and its JSON, with the schema's text read at run time: from bytes to text, and from text to bytes. In C++, MessageToJsonString and JsonStringToMessage \
             need a message, which is of generated code, in an arena with its default options that is reset for each; the streams beside them go by the descriptors alone, \
             as ours. prost-reflect has a DynamicMessage. JSON is compared as values, and is that of prost-reflect where it is read."
                .into(),
            "The ticket sales: from a struct of the application to bytes in a buffer that is kept, and back into a struct. Generated structures (asn1c) and trees \
             are made, and freed, inside the clock; texts are not copied on their way out where the library allows that. What is read owns its texts, but for \
             generated code that borrows, events, documents, Protobuf C++ and upb, where they lie in the bytes or the message, and the list of vouchers is used again. The \
             structs that prost, buffa, bitcode, rkyv and our generator make are the application's own, and nothing is copied to or from them."
                .into(),
            "Protobuf C++ on the ticket sales: a message in an arena with its default options, which is reset for each, filled by setters or read by getters. Its first \
             block at hand, a message filled beforehand, and one that nothing is read of are rows of their own, without limits: the last two are less work than ours."
                .into(),
            "Events by row: a call for the vouchers' fields together, as a handler may ask for; by value: one for each. Encoders, arenas and buffers are used again.".into(),
            "Times as text are ISO 8601 with milliseconds, in UTC: by strftime, strptime and timegm beside C++ libraries, by jiff beside those of Rust."
                .into(),
            "For the rivals: RapidJSON, TinyXML2, libbson and asn1c do not look whether texts are UTF-8 unless they are asked, and are not asked. TinyXML2 has \
             attributes for fields; it reads by its tree only, and its printer alone writes without one. XER is the canonical one."
                .into(),
            "rasn has no REAL in BER and PER: its vouchers have an octet string of eight there, which those rows say. asn1c and rasn have the same module else, whose \
             integers are not bounded, for asn1c refuses bounds of 64 bits. With these, rasn's UPER is read in less time and larger."
                .into(),
            "base64 is decoded by the crate base64-simd, from where the text lies in the message.".into(),
            "All is compiled for plain x86-64 at the highest optimisation, but simdjson's front ends for this very processor, since its on-demand API \
             has no other way to its fast kernels; libraries from packages are as packaged."
                .into(),
            "Against us: messages are warm in the caches, and one core runs nothing else of ours.".into(),
        ];
        if !self.native.is_empty() {
            text.push(format!("Versions: {}; Rust libraries by peers/Cargo.lock.", self.native));
        }
        text
    }

    /// The whole as text for terminals.
    pub fn print(&self) {
        for lines in self.workloads() {
            println!("{}: {}", lines[0].workload, lines[0].title);
            let cells: Vec<Vec<String>> = lines.iter().map(Line::cells).collect();
            for line in layout(&COLUMNS, cells.iter().map(Vec::as_slice), is_text) {
                println!("  {line}");
            }
            println!();
        }
        for table in &self.tables {
            println!("{}", table.title);
            let header: Vec<&str> = table.columns.iter().map(String::as_str).collect();
            for line in layout(&header, table.rows.iter().map(Vec::as_slice), |_| false) {
                println!("  {line}");
            }
            println!();
        }
        self.method().iter().for_each(|line| println!("{line}"));
        let missed: Vec<&Line> = self.lines.iter().filter(|line| line.met() == Some(false)).collect();
        let limits = self.lines.iter().filter(|line| line.at_most.is_some()).count();
        println!("{} of {limits} limits met", limits - missed.len());
        for line in missed {
            println!("MISSED: {} beside {}: {:.3}, at most {}", line.workload, line.peer, line.ratio[1], line.at_most.unwrap_or(f64::NAN));
        }
    }
}
