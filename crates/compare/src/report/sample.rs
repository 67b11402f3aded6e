//! A made-up comparison for the tests of the reports.

use crate::comparison::{
    CodecTimes, ColumnsRow, Comparison, Dictionary, FieldBytes, Fields, Group, Input, Lost, Machine, Made, Memory, Method, Network, Origin,
    Price, ProgramRow, Quantiles, Ratios, RivalRatios, RivalRow, Row, RowSchema, Sizes, Spread, Time, Times, VERSION, Verdict,
};

/// Two formats that keep everything, one that loses, one that is not possible, and one with a
/// schema that two messages do not fit; of the first, a library that agrees, one that differs and
/// one that fails; a program that does well and one that fails. All figures times `factor`. Its
/// texts try to break out of the reports.
pub(crate) fn comparison(factor: f64) -> Comparison {
    let hostile = "a<script>alert(\"1\")</script>\u{1b}[31m&'|`.csv";
    Comparison {
        version: VERSION,
        input: Input {
            sources: vec![hostile.to_string()],
            format: "first".into(),
            messages: 7,
            bytes: (1984.0 * factor) as usize,
            each: None,
            kind: None,
            smallest: 20,
            largest: (700.0 * factor) as usize,
            sha256: "ab".repeat(32),
        },
        base: Some("first".into()),
        sort: "bytes".into(),
        rows: vec![
            Row {
                rivals: vec![
                    rival("a-library-of-long-name", Verdict::Exact, factor),
                    RivalRow {
                        losses: vec![Lost { path: "n".into(), what: "otherwise".into(), count: 2, example: None }],
                        raw: None,
                        encode: None,
                        ..rival("differs", Verdict::Lossy, factor)
                    },
                    RivalRow {
                        why: Some(format!("message 2: {hostile}")),
                        raw: None,
                        encode: None,
                        decode: None,
                        ratios: None,
                        ..rival("fails", Verdict::Impossible, factor)
                    },
                ],
                ..row("second", Some(1), Verdict::Exact, 0.6 * factor, factor)
            },
            row("first", Some(2), Verdict::Exact, factor, factor),
            Row {
                losses: vec![
                    Lost {
                        path: "vouchers[].sum".into(),
                        what: "number became text".into(),
                        count: 7,
                        example: Some(["float64 1.5".into(), format!("text {hostile:?}")]),
                    },
                    Lost { path: "x".repeat(300), what: "gone".into(), count: u64::MAX, example: None },
                ],
                remarks: vec![Lost { path: "a".into(), what: "comment dropped".into(), count: 1, example: None }],
                ..row("loser", None, Verdict::Lossy, 1.7 * factor, factor)
            },
            Row {
                why: Some(format!("message 3 cannot be written: {hostile}")),
                sizes: None,
                times: None,
                ratios: None,
                ..row("a-format-with-a-very-long-name", None, Verdict::Impossible, 1.0, 1.0)
            },
            Row {
                group: Group::WithSchema,
                schema: Some(RowSchema {
                    origin: Origin::Inferred,
                    file: None,
                    name: "learner.schema".into(),
                    bytes: Some(1234),
                    zstd: Some(567),
                    no_text: None,
                    text: Some(b"a schema".to_vec()),
                    learned_on: Some(50),
                    held_out: Some(50),
                    unfit: 2,
                    charged_as: Some("first".into()),
                }),
                ..row("learner", Some(1), Verdict::Exact, 0.4 * factor, factor)
            },
        ],
        baseline: None,
        fields: None,
        columns: vec![ColumnsRow { format: "columns".into(), title: "Columns".into(), bytes: Some(210), ..ColumnsRow::default() }],
        programs: vec![
            ProgramRow {
                name: "mine".into(),
                command: vec!["./mine".into(), hostile.to_string()],
                verdict: Verdict::Exact,
                why: None,
                claimed: Some(7),
                run: Some(spread(1e9 * factor)),
                start_up: Some(spread(1e6 * factor)),
                no_start_up: None,
                per_message: Some(spread(1e8 * factor)),
                mb_per_s: Some(factor),
            },
            ProgramRow {
                name: format!("theirs {hostile}"),
                command: vec!["theirs".into()],
                verdict: Verdict::Impossible,
                why: Some(format!("exit status: 3: {hostile}")),
                claimed: None,
                run: None,
                start_up: None,
                no_start_up: None,
                per_message: None,
                mb_per_s: None,
            },
        ],
        method: Method {
            time: 0.3,
            runs: 1,
            measured_messages: 7,
            timed_messages: 7,
            timed_bytes: 1984,
            sample_messages: 7,
            alone_messages: 7,
            gzip_level: 6,
            zstd_level: 3,
            text: vec!["How it was done.".into(), "And why <so>.".into()],
        },
        machine: Machine {
            cpu: "Some Processor".into(),
            cores: 2,
            memory: Some(8 << 30),
            os: "linux 6.1".into(),
            load: Some(0.25),
            rustc: "rustc 1.95.0".into(),
            target: "x86_64-unknown-linux-gnu".into(),
            profile: "dist".into(),
            opt_level: "3".into(),
            debug: false,
        },
        made: Made {
            at: "2026-01-31T12:00:00Z".into(),
            version: "0.1.0".into(),
            command: vec!["polywire".into(), "compare".into(), hostile.to_string()],
        },
        advice: vec!["Smallest with zstd: second <b>.".into()],
        caveats: vec!["Only 7 messages.".into()],
    }
}

/// The same with all figures that are measured if they are asked for.
pub(crate) fn with_more(factor: f64) -> Comparison {
    let mut all = comparison(factor);
    let time = |ns: f64| Time { ns: spread(ns), samples: vec![ns; 3], runs: vec![ns], mb_per_s: 1e3, allocations: None };
    for row in all.rows.iter_mut().filter(|row| row.sizes.is_some()) {
        let codec =
            |name: &str| CodecTimes { codec: name.into(), bytes: 180.2, compress: time(500.0 * factor), decompress: time(300.0 * factor) };
        row.quantiles = Some(Quantiles { smallest: 20, p50: 280, p90: 300, p99: 690, largest: (700.0 * factor) as usize });
        row.compression = Some(["gzip -6", "zstd -3", "zstd -9", "zstd -3 with a dictionary"].map(codec).to_vec());
        row.memory = Some(Memory { message: 700, encode: (4000.0 * factor) as u64, decode: (9000.0 * factor) as u64 });
        row.network = Some(Network { raw_ns: 283.4 * factor, zstd_ns: 170.9 * factor });
        row.price = Some(Price { raw: 0.02 * factor, zstd: 0.01 * factor });
    }
    let formats = ["second", "first", "a-format-with-a-very-long-name", "learner", "loser"];
    let bytes = formats.map(|format| (format.to_string(), 100.0 * factor)).into();
    all.fields = Some(Fields {
        messages: 7,
        formats: formats.map(String::from).to_vec(),
        paths: vec![FieldBytes { path: "a<script>.\u{1b}[31m&'|`.of.a.place.that.is.long".to_string(), bytes }],
    });
    all
}

fn spread(ns: f64) -> Spread {
    Spread { median: ns, q1: ns * 0.9, q3: ns * 1.1, min: ns * 0.8, max: ns * 2.0, rounds: 21 }
}

fn rival(name: &str, verdict: Verdict, factor: f64) -> RivalRow {
    let time = |ns: f64| Time { ns: spread(ns), samples: vec![ns; 3], runs: vec![ns], mb_per_s: 1e3 / factor, allocations: Some(factor) };
    RivalRow {
        name: name.into(),
        about: "its tree".into(),
        verdict,
        why: None,
        losses: Vec::new(),
        more: 0,
        raw: Some(283.4 * factor),
        encode: Some(time(300.0 * factor)),
        decode: Some(time(700.0 * factor)),
        ratios: Some(RivalRatios { raw: Some(factor), encode: Some(factor), decode: Some(factor) }),
    }
}

fn row(name: &str, rank: Option<usize>, verdict: Verdict, size: f64, factor: f64) -> Row {
    let time = |ns: f64| Time {
        ns: spread(ns),
        samples: vec![ns; 3],
        runs: vec![ns],
        mb_per_s: size * 283.0 / ns * 1e3,
        allocations: Some(factor),
    };
    Row {
        format: name.into(),
        title: name.to_uppercase(),
        group: Group::WithoutSchema,
        schema: None,
        rank,
        verdict,
        why: None,
        losses: Vec::new(),
        remarks: Vec::new(),
        more: 0,
        sizes: Some(Sizes {
            raw: size * 283.4,
            gzip: size * 180.2,
            zstd: size * 170.9,
            dictionary: Some(Dictionary { zstd: size * 60.0, bytes: 4096, trained_on: 4, measured_on: 3 }),
            no_dictionary: None,
            batch_gzip: size * 90.0,
            batch_zstd: size * 85.5,
        }),
        times: Some(Times { encode: time(size * 400.0), decode: time(size * 900.0), scan: time(size * 500.0) }),
        quantiles: None,
        compression: None,
        memory: None,
        network: None,
        price: None,
        ratios: Some(Ratios {
            raw: size,
            gzip: size,
            zstd: size,
            dictionary: Some(size),
            batch_gzip: size,
            batch_zstd: size,
            encode: size,
            decode: size,
            scan: size,
        }),
        rivals: Vec::new(),
    }
}
