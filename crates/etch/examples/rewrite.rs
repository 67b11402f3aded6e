//! Reads messages and writes them again, for `tools/judge-etch`.
//!
//! `rewrite [SCHEMA]`: standard input has messages, each behind a length of four bytes, big-endian.
//! Standard output has them as they are written again, by a schema in NSDL if one is named, in the
//! same frames; the highest bit of a length marks an error's text. A loss is an error.

use std::io::{Read, Write};
use std::path::Path;

use polywire_core::{Budget, Error, Limits, Reader, Result, Writer};
use polywire_etch::{EtchReader, EtchWriter, MESSAGE};

type Both = (Box<dyn Reader>, Box<dyn Writer>);

fn made(schema: Option<String>) -> Result<Both> {
    let Some(schema) = schema else { return Ok((Box::new(EtchReader::new(false)), Box::new(EtchWriter::new(false)))) };
    let binder = MESSAGE.binder.ok_or_else(|| Error::usage("a format without a binder"))?;
    let bound = binder.bind(Path::new(&schema), None, &[])?;
    let writer = bound.writer().ok_or_else(|| Error::usage("a format that is not written"))?;
    Ok((bound.reader(), writer))
}

fn rewrite((reader, writer): &mut Both, message: &[u8]) -> Result<Vec<u8>> {
    writer.reset();
    reader.walk(message, 0, &mut **writer, &mut Budget::new(&Limits::DEFAULT))?;
    let mut out = Vec::new();
    writer.finish(&mut out)?;
    match writer.losses().first() {
        Some(lost) => Err(Error::internal(lost.what)),
        None => Ok(out),
    }
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let mut both = made(std::env::args().nth(1))?;
    let mut given = Vec::new();
    std::io::stdin().read_to_end(&mut given)?;
    let (mut rest, mut answers) = (&given[..], Vec::new());
    while let Some((length, behind)) = rest.split_first_chunk::<4>() {
        let (message, behind) = behind.split_at(u32::from_be_bytes(*length) as usize);
        rest = behind;
        let (mark, answer) = match rewrite(&mut both, message) {
            Ok(bytes) => (0, bytes),
            Err(error) => (1 << 31, error.to_string().into_bytes()),
        };
        answers.extend((mark | answer.len() as u32).to_be_bytes());
        answers.extend(answer);
    }
    std::io::stdout().write_all(&answers)?;
    Ok(())
}
