//! Rewrites messages of one format as messages of another, for `tools/judge-amf`.
//!
//! `rewrite FROM TO`: standard input has messages, each behind a length of four bytes, big-endian.
//! Standard output has the answers in the same frames; the highest bit of a length marks an error's
//! text. A value that the target cannot hold is an error.

use std::io::{Read, Write};

use polywire_amf::{AMF0, AMF3, PACKET, SHARED_OBJECT};
use polywire_core::format::Format;
use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::{Error, Limits, Result};

fn named(name: Option<String>) -> Result<&'static Format> {
    let name = name.unwrap_or_default();
    let formats = [&AMF0, &AMF3, &PACKET, &SHARED_OBJECT];
    formats.into_iter().find(|format| format.name == name).ok_or_else(|| Error::usage(format!("the format `{name}`")))
}

fn rewrite(from: &'static Format, to: &'static Format, message: &[u8]) -> Result<Vec<u8>> {
    let Some(make) = to.writer else { return Err(Error::usage(to.name)) };
    let (mut writer, mut out) = (make(), Vec::new());
    Walker::new(from, &Limits::DEFAULT).doubles(Doubles::Keep).walk(message, 0, &mut *writer)?;
    writer.finish(&mut out)?;
    match writer.losses().first() {
        Some(lost) => Err(Error::internal(lost.what)),
        None => Ok(out),
    }
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (from, to) = (named(arguments.next())?, named(arguments.next())?);
    let mut given = Vec::new();
    std::io::stdin().read_to_end(&mut given)?;
    let (mut rest, mut answers) = (&given[..], Vec::new());
    while let Some((length, behind)) = rest.split_first_chunk::<4>() {
        let (message, behind) = behind.split_at(u32::from_be_bytes(*length) as usize);
        rest = behind;
        let (mark, answer) = match rewrite(from, to, message) {
            Ok(bytes) => (0, bytes),
            Err(error) => (1 << 31, error.to_string().into_bytes()),
        };
        answers.extend((mark | answer.len() as u32).to_be_bytes());
        answers.extend(answer);
    }
    std::io::stdout().write_all(&answers)?;
    Ok(())
}
