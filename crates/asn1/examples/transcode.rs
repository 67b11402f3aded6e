//! Reads messages in one encoding and writes them in another, for `tools/judge/asn1_ber.py`.
//!
//! The arguments are the encodings (`ber`, `der`, `cer`), the type (`Module.Type`) and the files of
//! the modules. Each message on standard input, and each answer on standard output, has its length
//! before it, in four bytes, big-endian. An error has the length of its text with the highest bit
//! set.
#![allow(clippy::print_stderr, reason = "a program for the terminal")]

use std::io::{Read, Write};
use std::process::ExitCode;
use std::sync::Arc;

use polywire_asn1::Modules;
use polywire_asn1::ber::{BerReader, BerWriter, Rules, defaults};
use polywire_asn1::walk::Plan;
use polywire_core::{Budget, Limits, Reader, Writer};

/// Reader and writer of the type of this name.
type Made = (String, Box<dyn Reader>, Box<dyn Writer>);

fn rules(name: &str) -> Option<Rules> {
    [("ber", Rules::Basic), ("der", Rules::Distinguished), ("cer", Rules::Canonical)]
        .into_iter()
        .find(|(known, _)| *known == name)
        .map(|(_, rules)| rules)
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to, name, files @ ..] = &arguments[..] else { return Err("transcode FROM TO Module.Type FILE...".into()) };
    let mut modules = Modules::new();
    for file in files {
        modules.add(file, &std::fs::read(file)?);
    }
    let model = Arc::new(modules.resolve(&Limits::DEFAULT)?);
    let mut input = Vec::new();
    std::io::stdin().lock().read_to_end(&mut input)?;
    let mut output = std::io::stdout().lock();
    let (from, to) = (rules(from).ok_or("an unknown encoding")?, rules(to).ok_or("an unknown encoding")?);
    let mut made: Option<Made> = None;
    let mut rest = &input[..];
    // Each message has the name of its type before it, so that one process takes all of a
    // specification.
    while let Some((name, message)) = next(&mut rest, name) {
        if made.as_ref().is_none_or(|(known, ..)| *known != name) {
            let (module, ty) = name.rsplit_once('.').ok_or("a type without its module")?;
            let Some(ty) = model.named(module, ty) else {
                answer(&mut output, Err(format!("no type {name}").as_bytes()))?;
                continue;
            };
            let plan = Arc::new(Plan::new(Arc::clone(&model), ty)?);
            let defaults = Arc::new(defaults(&plan));
            let reader = Box::new(BerReader::new(Arc::clone(&plan), Arc::clone(&defaults), from));
            made = Some((name, reader, Box::new(BerWriter::new(plan, defaults, to).unknown(true))));
        }
        let Some((_, reader, writer)) = &mut made else { continue };
        let mut out = Vec::new();
        let walked = reader.walk(message, 0, &mut **writer, &mut Budget::new(&Limits::DEFAULT));
        match walked.and_then(|()| writer.finish(&mut out)) {
            Ok(()) => answer(&mut output, Ok(&out))?,
            Err(error) => {
                writer.reset();
                answer(&mut output, Err(error.to_string().as_bytes()))?;
            }
        }
    }
    Ok(())
}

/// Takes the next message and the name of its type. A type named `-` comes with each message.
fn next<'i>(rest: &mut &'i [u8], name: &str) -> Option<(String, &'i [u8])> {
    let mut take = || {
        let (length, behind) = rest.split_first_chunk::<4>()?;
        let (bytes, behind) = behind.split_at_checked(u32::from_be_bytes(*length) as usize)?;
        *rest = behind;
        Some(bytes)
    };
    let name = if name == "-" { String::from_utf8_lossy(take()?).into_owned() } else { name.to_string() };
    Some((name, take()?))
}

/// Writes an answer with its length before it.
fn answer(output: &mut impl Write, answer: Result<&[u8], &[u8]>) -> std::io::Result<()> {
    let (bytes, mark) = match answer {
        Ok(bytes) => (bytes, 0),
        Err(text) => (text, 1 << 31),
    };
    output.write_all(&(bytes.len() as u32 | mark).to_be_bytes())?;
    output.write_all(bytes)
}
