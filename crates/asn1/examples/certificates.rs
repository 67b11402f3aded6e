//! Reads certificates, keys and signed messages for `tools/judge-asn1`, and prints a line for each:
//! type, serial number, object identifiers of its extensions, whether it is DER, and else why not.
//!
//! Each argument is a file of DER or PEM. A message whose values are all read is written again as
//! DER, and has to be the same if it was DER.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::process::ExitCode;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polywire_asn1::Modules;
use polywire_asn1::ber::{BerReader, BerWriter, Rules, defaults};
use polywire_asn1::walk::Plan;
use polywire_asn1::x509;
use polywire_core::value::{Item, View};
use polywire_core::{Budget, Frame, Limits, Open, Reader, Result, Scalar, Tree, Writer};

fn main() -> ExitCode {
    let mut modules = Modules::new();
    modules.add("x509", x509::MODULE.as_bytes());
    let model = Arc::new(modules.resolve(&Limits::DEFAULT).expect("the module is right"));
    let mut counts = [0usize; 4];
    for name in std::env::args().skip(1) {
        let bytes = std::fs::read(&name).expect("a file");
        let all = blocks(&bytes).unwrap_or(bytes);
        let mut reader = (x509::FORMAT.reader)();
        let mut at = 0;
        while let Ok(Frame::Message { start, end }) = reader.frame(&all[at..], at as u64, true) {
            let message = &all[at + start..at + end];
            at += end;
            counts[0] += 1;
            match one(&mut *reader, message, &model) {
                Ok(line) => {
                    counts[1] += 1;
                    counts[2] += usize::from(line.ends_with("|der"));
                    counts[3] += usize::from(line.contains("|again|"));
                    println!("{name}|{line}");
                }
                Err(error) => println!("{name}|not read: {error}"),
            }
        }
    }
    let [all, read, der, again] = counts;
    println!("{all} messages, {read} read, {der} of them DER, {again} the same when they are written");
    if all == read && der == again { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns the bytes of the blocks of PEM, if the text has any.
fn blocks(text: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(text);
    let mut bytes = Vec::new();
    for block in text.split("-----BEGIN ").skip(1) {
        let body = block.split_once("-----")?.1.split("-----END").next()?;
        let digits: String = body.lines().filter(|line| !line.contains(':')).collect::<String>().split_whitespace().collect();
        bytes.extend(STANDARD.decode(digits).ok()?);
    }
    (!bytes.is_empty()).then_some(bytes)
}

fn one(reader: &mut dyn Reader, message: &[u8], model: &Arc<polywire_asn1::model::Model>) -> Result<String> {
    let mut tree = Tree::new();
    reader.walk(message, 0, &mut tree, &mut Budget::new(&Limits::DEFAULT))?;
    let root = tree.root().expect("a value");
    let View::Open(Open::Variant { name, .. }) = root.view() else { panic!("a case") };
    let (mut serial, mut extensions) = (String::new(), Vec::new());
    collect(root, "", &mut serial, &mut extensions);
    let named = model.modules[0].types.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    let plan = named.map(|(_, ty)| *ty).map(|ty| Arc::new(Plan::new(Arc::clone(model), ty).expect("a plan")));
    let mut state = ("", "ber".to_string());
    if let Some(plan) = plan {
        let defaults = Arc::new(defaults(&plan));
        let mut der = BerReader::new(Arc::clone(&plan), Arc::clone(&defaults), Rules::Distinguished);
        let mut writer = BerWriter::new(plan, defaults, Rules::Distinguished).unknown(true);
        match der.walk(message, 0, &mut writer, &mut Budget::new(&Limits::DEFAULT)) {
            Ok(()) => {
                state.1 = "der".to_string();
                let mut out = Vec::new();
                writer.finish(&mut out)?;
                state.0 = if out == message { "again" } else { "changed" };
            }
            Err(error) => state.1 = format!("ber|{}", error.to_string().replace(['|', '\n'], " ")),
        }
    }
    Ok(format!("{name}|{serial}|{}|{}|{}", extensions.join(" "), state.0, state.1))
}

/// Collects the first serial number, and the extensions that are not within another message.
fn collect(item: Item<'_, '_>, field: &str, serial: &mut String, extensions: &mut Vec<String>) {
    if let View::Scalar(scalar) = item.view() {
        match (field, scalar) {
            ("serialNumber", Scalar::Big(digits, _)) if serial.is_empty() => serial.push_str(digits.get()),
            ("serialNumber", Scalar::UInt(number, _)) if serial.is_empty() => serial.push_str(&number.to_string()),
            ("serialNumber", Scalar::Int(number, _)) if serial.is_empty() => serial.push_str(&number.to_string()),
            ("extnID", Scalar::Text(text)) => extensions.push(text.get().to_string()),
            _ => {}
        }
        return;
    }
    for entry in item.entries() {
        match entry {
            polywire_core::value::Entry::Field(name, value) => collect(value, name, serial, extensions),
            other => collect(other.value(), field, serial, extensions),
        }
    }
}
