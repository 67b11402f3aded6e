//! Prints the events of streams of EXI, one a line: `events [OPTION…] FILE…`.
//!
//! Options are those of streams without an options document: `byte`, `precompression`,
//! `compression`, `fragment`, `comments`, `pis`, `dtd`, `prefixes`, `lexical`, `selfContained`,
//! `valueMaxLength=N`, `valuePartitionCapacity=N`, `blockSize=N`. `--time N` reads N times and
//! prints the shortest time in microseconds; `--recode FOLDER` writes the streams again by the same
//! options.
#![allow(clippy::print_stdout)]

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Instant;

use polywire_core::{Budget, Limits, Result, Span};
use polywire_exi::{Alignment, Decoder, Encoder, Events, Head, Ignore, Name, Options, Value};

#[derive(Default)]
struct Print(String);

fn full(name: Name<'_>) -> String {
    let prefix = name.prefix.map_or_else(String::new, |prefix| format!("{prefix}|"));
    format!("{prefix}{{{}}}{}", name.uri, name.local)
}

impl Events for Print {
    fn start(&mut self, name: Name<'_>, _: Span, _: &mut Budget) -> Result<()> {
        let _ = writeln!(self.0, "SE {}", full(name));
        Ok(())
    }

    fn end(&mut self, _: Span, _: &mut Budget) -> Result<()> {
        self.0.push_str("EE\n");
        Ok(())
    }

    fn namespace(&mut self, prefix: &str, uri: &str, own: bool, _: Span, _: &mut Budget) -> Result<()> {
        let _ = writeln!(self.0, "NS {prefix}={uri} {own}");
        Ok(())
    }

    fn attribute(&mut self, name: Name<'_>, value: Value<'_>, _: Span, _: &mut Budget) -> Result<()> {
        let value = match value {
            Value::Text(text) => format!("{text:?}"),
            Value::Name(name) => full(name),
        };
        let _ = writeln!(self.0, "AT {} {value}", full(name));
        Ok(())
    }

    fn text(&mut self, text: &str, _: Span, _: &mut Budget) -> Result<()> {
        let _ = writeln!(self.0, "CH {text:?}");
        Ok(())
    }

    fn comment(&mut self, text: &str, _: Span, _: &mut Budget) -> Result<()> {
        let _ = writeln!(self.0, "CM {text:?}");
        Ok(())
    }

    fn instruction(&mut self, target: &str, text: &str, _: Span, _: &mut Budget) -> Result<()> {
        let _ = writeln!(self.0, "PI {target} {text:?}");
        Ok(())
    }

    fn doctype(&mut self, parts: [&str; 4], _: Span, _: &mut Budget) -> Result<()> {
        let _ = writeln!(self.0, "DT {parts:?}");
        Ok(())
    }

    fn reference(&mut self, name: &str, _: Span, _: &mut Budget) -> Result<()> {
        let _ = writeln!(self.0, "ER {name}");
        Ok(())
    }
}

/// Counts events, as the loop of a clock.
#[derive(Default)]
struct Count(usize);

impl Events for Count {
    fn start(&mut self, name: Name<'_>, _: Span, _: &mut Budget) -> Result<()> {
        self.0 += name.local.len();
        Ok(())
    }

    fn end(&mut self, _: Span, _: &mut Budget) -> Result<()> {
        self.0 += 1;
        Ok(())
    }

    fn attribute(&mut self, name: Name<'_>, _: Value<'_>, _: Span, _: &mut Budget) -> Result<()> {
        self.0 += name.local.len();
        Ok(())
    }

    fn text(&mut self, text: &str, _: Span, _: &mut Budget) -> Result<()> {
        self.0 += text.len();
        Ok(())
    }
}

fn main() {
    let mut options = Options::default();
    let mut times = 0;
    // A stream is written again by the same options, into a folder.
    let mut recode: Option<String> = None;
    let mut decoder = Decoder::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let number = || argument.split_once('=').and_then(|(_, number)| number.parse().ok());
        match argument.split('=').next().unwrap_or("") {
            "--recode" => recode = arguments.next(),
            "--time" => times = arguments.next().and_then(|number| number.parse().ok()).unwrap_or(1),
            "byte" => options.alignment = Alignment::BytePacked,
            "precompression" => options.alignment = Alignment::PreCompression,
            "compression" => options.alignment = Alignment::Compression,
            "fragment" => options.fragment = true,
            "comments" => options.preserve.comments = true,
            "pis" => options.preserve.instructions = true,
            "dtd" => options.preserve.doctypes = true,
            "prefixes" => options.preserve.prefixes = true,
            "lexical" => options.preserve.lexical = true,
            "selfContained" => options.self_contained = true,
            "valueMaxLength" => options.value_max_length = number(),
            "valuePartitionCapacity" => options.value_partition_capacity = number(),
            "blockSize" => options.block_size = number().unwrap_or(1),
            _ => {
                let bytes = std::fs::read(&argument).expect("a file");
                let mut budget = Budget::new(&Limits::DEFAULT);
                if times > 0 {
                    let mut best = f64::MAX;
                    for _ in 0..times {
                        budget.reset();
                        let mut count = Count::default();
                        let start = Instant::now();
                        decoder.read(&bytes, 0, Some(&options), &mut count, &mut budget).expect("a stream of EXI");
                        best = best.min(start.elapsed().as_secs_f64() * 1e6);
                        std::hint::black_box(count.0);
                    }
                    println!("{best:.1}");
                    continue;
                }
                if let Some(folder) = &recode {
                    let mut encoder = Encoder::new();
                    let outcome = decoder.read(&bytes, 0, Some(&options), &mut Ignore, &mut budget).expect("a stream of EXI");
                    let head = Head { cookie: bytes.starts_with(b"$EXI"), options: outcome.has_options };
                    encoder.begin(&outcome.options, head).expect("options that can be written");
                    budget.reset();
                    decoder.read(&bytes, 0, Some(&options), &mut encoder, &mut budget).expect("events that can be written");
                    let mut out = Vec::new();
                    encoder.finish(&mut out).expect("a document");
                    let name = argument.rsplit('/').next().unwrap_or("out");
                    std::fs::write(format!("{folder}/{name}"), out).expect("a folder");
                    continue;
                }
                let mut print = Print::default();
                let outcome = decoder.read(&bytes, 0, Some(&options), &mut print, &mut budget);
                let end = match outcome {
                    Ok(outcome) => format!("ED {} of {}", outcome.len, bytes.len()),
                    Err(error) => format!("ERROR {error}"),
                };
                let _ = writeln!(std::io::stdout(), "FILE {argument}\n{}{end}", print.0);
            }
        }
    }
}
