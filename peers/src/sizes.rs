//! How many bytes the published extprot messages take, as extprot and as XML: the size tables of the published benchmark.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use polywire_core::{Error, Result};
use serde::{Deserialize, Serialize};
use zstd::bulk::Compressor;

use crate::input::{Input, Source, Type, xml_of};
use crate::typed::Messages;
use crate::typed::extprot::{Complex, Extprot};
use crate::typed::xml::Style;

/// What is counted: `workloads/sizes.json`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    pub name: String,
    /// How many messages.
    messages: usize,
    /// Of the table of small messages, their lengths as extprot.
    small: Vec<usize>,
}

/// One table.
#[derive(Debug, Serialize)]
pub struct Table {
    pub title: String,
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

const GZIP_LEVEL: u32 = 9;
const ZSTD_LEVEL: i32 = 19;
/// Bytes of a trained dictionary, and of the messages that it is trained on, at most.
const DICTIONARY: usize = 16 << 10;
const TRAINING: usize = 4 << 20;

fn failed(error: std::io::Error) -> Error {
    Error::io("compressing in memory", &error)
}

fn gzip(bytes: &[u8]) -> Result<usize> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(GZIP_LEVEL));
    encoder.write_all(bytes).map_err(failed)?;
    Ok(encoder.finish().map_err(failed)?.len())
}

fn zstd_alone(bytes: &[u8]) -> Result<usize> {
    Ok(zstd::bulk::compress(bytes, ZSTD_LEVEL).map_err(failed)?.len())
}

/// A compressor with a dictionary that is trained on every other message, of which none is measured.
fn trained<'m>(messages: impl Iterator<Item = &'m [u8]>) -> Result<Compressor<'static>> {
    let (mut text, mut lengths) = (Vec::new(), Vec::new());
    for message in messages.skip(1).step_by(2) {
        if text.len() + message.len() > TRAINING {
            break;
        }
        text.extend_from_slice(message);
        lengths.push(message.len());
    }
    let dictionary = zstd::dict::from_continuous(&text, &lengths, DICTIONARY).map_err(failed)?;
    Compressor::with_dictionary(ZSTD_LEVEL, &dictionary).map_err(failed)
}

fn columns(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

impl Plan {
    /// The tables: all messages, and small ones each alone.
    pub fn tables(&self, root: &std::path::Path) -> Result<[Table; 2]> {
        let protobuf = Input::load(root, &Source::Messages { of: Type::Complex, count: self.messages })?;
        let extprot = Messages::of::<Extprot<Complex>>(&protobuf)?;
        let extprot: Vec<&[u8]> = extprot.each().collect();
        let forms = [Style::Full, Style::Condensed].map(|style| xml_of(protobuf.bytes(), &protobuf.messages, style));
        let [full, condensed] = forms;
        let ((full, full_at), (condensed, condensed_at)) = (full?, condensed?);
        let each = |text: &'_ str, places: &[(usize, usize)]| -> Vec<Vec<u8>> {
            places.iter().map(|(start, end)| text.as_bytes()[*start..*end].to_vec()).collect()
        };
        let (full, condensed) = (each(&full, &full_at), each(&condensed, &condensed_at));

        let whole = extprot.concat();
        let row = |name: &str, bytes: &[u8]| -> Result<Vec<String>> {
            let packed = gzip(bytes)?;
            let ratio = |size: usize| format!("{:.2}", size as f64 / whole.len() as f64);
            let mean = format!("{:.1}", bytes.len() as f64 / self.messages as f64);
            Ok(vec![name.into(), bytes.len().to_string(), mean, ratio(bytes.len()), packed.to_string(), ratio(packed)])
        };
        let all = Table {
            title: format!("Bytes of {} random messages of the published extprot benchmark", self.messages),
            columns: columns(&["form", "bytes", "a message", "÷ extprot", "gzip -9, as one", "÷ extprot"]),
            rows: vec![
                row("extprot", &whole)?,
                row("Protobuf", protobuf.bytes())?,
                row("XML", &full.concat())?,
                row("XML, condensed", &condensed.concat())?,
            ],
        };

        let mut with_extprot = trained(extprot.iter().copied())?;
        let mut with_full = trained(full.iter().map(Vec::as_slice))?;
        let mut rows = Vec::new();
        for length in &self.small {
            // Those with an even number are not trained on.
            let Some(at) = (0..extprot.len()).step_by(2).find(|at| extprot[*at].len() == *length) else {
                return Err(Error::usage(format!("no message of {length} bytes")).expected("lengths that some have"));
            };
            let (binary, text) = (extprot[at], &full[at]);
            let sizes = [
                binary.len(),
                gzip(binary)?,
                zstd_alone(binary)?,
                with_extprot.compress(binary).map_err(failed)?.len(),
                text.len(),
                condensed[at].len(),
                gzip(text)?,
                zstd_alone(text)?,
                with_full.compress(text).map_err(failed)?.len(),
            ];
            rows.push(sizes.iter().map(ToString::to_string).collect());
        }
        let names = [
            "extprot",
            "gzip -9",
            "zstd -19",
            "zstd, dictionary",
            "XML",
            "XML, condensed",
            "XML, gzip -9",
            "XML, zstd -19",
            "XML, zstd, dictionary",
        ];
        let small = Table {
            title: format!(
                "Bytes of small messages of that benchmark, each alone; dictionaries of {} KB at most, trained on other messages",
                DICTIONARY >> 10
            ),
            columns: columns(&names),
            rows,
        };
        Ok([all, small])
    }
}
