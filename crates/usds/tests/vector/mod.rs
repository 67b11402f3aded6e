//! One case of the vectors, through all doors: the section, documents of all forms, the arena, the
//! walk and the event interface.

mod values;

use std::sync::Arc;

use polywire_core::value::ValueSink;
use polywire_core::{Budget, Limits, Reader, Writer};
use polywire_usds::dictionary::{Dictionary, section};
use polywire_usds::document::{Form, Known};
use polywire_usds::dom::Arena;
use polywire_usds::error::{DecodeError, Problem, Revision};
use polywire_usds::plan::Plan;
use polywire_usds::walk::{UsdsReader, UsdsWriter};
use polywire_usds::wire;
use serde_json::Value;

pub use values::{roots, shown};

/// Runs a case; what is wrong with what came.
pub fn run(case: &Value) -> Result<(), String> {
    let revision = match case["revision"].as_str() {
        Some("A") => Revision::A,
        Some("B") => Revision::B,
        Some("profile") => Revision::Profile,
        other => return Err(format!("a revision that is none: {other:?}")),
    };
    for text in case["preload"].as_array().into_iter().flatten() {
        parsed(text.as_str().unwrap_or_default()).map_err(|code| format!("a dictionary to load before is refused: {code}"))?;
    }
    match case["kind"].as_str().unwrap_or_default() {
        "document" => document(case),
        "json" => json(case),
        "dictionary" => dictionary(case),
        "dictionary-error" => same_code(loaded(case, revision).err(), case),
        "decode-error" => {
            let outcome = decode_error(case, revision)?;
            same_code(outcome, case)
        }
        "primitive" | "primitive-error" => primitive(case),
        kind => Err(format!("a kind that is not run: {kind}")),
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, came: &T, expected: &T) -> Result<(), String> {
    if came == expected { Ok(()) } else { Err(format!("{what}\n  expected {expected:?}\n  came     {came:?}")) }
}

fn same_code(came: Option<u64>, case: &Value) -> Result<(), String> {
    same("code", &came, &case["expect"]["error"]["code"].as_u64())
}

/// A text of the case, as a dictionary; the number of its error.
fn parsed(text: &str) -> Result<Dictionary, u64> {
    Dictionary::parse("case", text.as_bytes())
        .map_err(|found| found.findings[0].get("usds").and_then(|code| code.parse().ok()).unwrap_or(0))
}

fn code(failure: &DecodeError) -> u64 {
    failure.code().map_or(0, u64::from)
}

/// The dictionaries of the case, the last one current.
fn loaded(case: &Value, revision: Revision) -> Result<Known, u64> {
    let mut known = Known::new(revision);
    let preload = case["preload"].as_array().into_iter().flatten();
    for text in preload.chain(case.get("dictionary")) {
        let dictionary = parsed(text.as_str().unwrap_or_default())?;
        known.add(Arc::new(Plan::new(Arc::new(dictionary)))).map_err(|failure| code(&failure))?;
    }
    Ok(known)
}

fn hex(text: &Value) -> Vec<u8> {
    let text = text.as_str().unwrap_or_default();
    (0..text.len() / 2).map(|n| u8::from_str_radix(&text[2 * n..2 * n + 2], 16).expect("hex")).collect()
}

fn decode_error(case: &Value, revision: Revision) -> Result<Option<u64>, String> {
    let known = loaded(case, revision).map_err(|code| format!("the dictionary is refused: {code}"))?;
    let bytes = hex(&case["input_hex"]);
    let native = decoded(&mut known.clone(), &bytes);
    if known.plans().count() < 2 {
        let mut reader = known.current().map_or_else(UsdsReader::default, |plan| UsdsReader::documents(Arc::clone(plan)));
        same("the walk refuses", &walked(&mut reader, &bytes).is_err(), &native.is_err())?;
    }
    Ok(native.err().map(|failure| code(&failure)))
}

/// A document through the arena, its roots as a value.
fn decoded(known: &mut Known, bytes: &[u8]) -> Result<polywire_core::value::Value, DecodeError> {
    let located = known.locate(bytes)?;
    let entries = located.entries();
    let mut arena = Arena::new(Arc::clone(&located.plan));
    let document = arena.decode(&bytes[entries.clone()]).map_err(|failure| failure.after(entries.start))?;
    let mut sink = ValueSink::default();
    document.emit(&mut sink).map_err(|error| DecodeError::new(Problem::Limit, Revision::A, 0).seen(error.to_string()))?;
    sink.finish().ok_or_else(|| DecodeError::new(Problem::Limit, Revision::A, 0).seen("no value"))
}

/// A document through the walk.
fn walked(reader: &mut UsdsReader, bytes: &[u8]) -> Result<polywire_core::value::Value, String> {
    let mut sink = ValueSink::default();
    reader.walk(bytes, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT)).map_err(|error| error.to_string())?;
    sink.finish().ok_or_else(|| "no value".to_string())
}

fn document(case: &Value) -> Result<(), String> {
    let dictionary = Arc::new(parsed(case["dictionary"].as_str().unwrap_or_default()).map_err(|code| format!("refused: {code}"))?);
    let plan = Arc::new(Plan::new(Arc::clone(&dictionary)));
    let expect = &case["expect"];
    let roots = roots(&dictionary, &case["roots"]);
    let write = |form: Form| -> Result<Vec<u8>, String> {
        let mut writer = UsdsWriter::documents(Arc::clone(&plan), form).map_err(|error| error.to_string())?;
        roots.emit(&mut writer).map_err(|error| error.to_string())?;
        let mut out = Vec::new();
        writer.finish(&mut out).map_err(|error| error.to_string())?;
        Ok(out)
    };
    let forms = [
        ("head+dict+body", Form::HeadDictionaryBody),
        ("head+dict", Form::HeadDictionary),
        ("head", Form::Head),
        ("head+body", Form::HeadBody),
        ("body", Form::Body),
    ];
    let part = polywire_usds::document::dictionary_part(&dictionary, plan.wire()).map_err(|problem| problem.text().to_string())?;
    let body = write(Form::Body)?;
    for (member, came) in [
        ("document_hex", &write(Form::HeadDictionaryBody)?),
        ("body_hex", &body),
        ("head_hex", &dictionary.identity().head().to_vec()),
        ("dict_hex", &part),
    ] {
        if let Some(expected) = expect.get(member) {
            same(member, came, &hex(expected))?;
        }
    }
    if ["document_hex", "body_hex", "forms_hex"].iter().all(|member| expect.get(member).is_none()) {
        return Err("no bytes are expected".into());
    }
    for (name, expected) in expect["forms_hex"].as_object().into_iter().flatten() {
        let Some((_, form)) = forms.iter().find(|(known, _)| known == name) else { return Err(format!("an unknown form {name}")) };
        same(name, &write(*form)?, &hex(expected))?;
    }
    for (name, form) in forms {
        let bytes = write(form)?;
        // With what the bytes bring along, and with the dictionary known.
        let has_body = !matches!(form, Form::Head | Form::HeadDictionary);
        if matches!(form, Form::HeadDictionaryBody | Form::HeadDictionary) {
            let mut known = Known::default();
            let located = known.locate(&bytes).map_err(|failure| format!("{name}: {failure}"))?;
            let rebuilt =
                Dictionary::new(dictionary.revision(), dictionary.name(), dictionary.identity(), located.plan.dictionary().tags());
            same("dictionary again", &rebuilt.map_err(|found| found.to_string())?, &dictionary)?;
            if has_body {
                let value = decoded(&mut Known::default(), &bytes).map_err(|failure| failure.to_string())?;
                same(name, &shown(&value), &shown(&roots))?;
                same(name, &shown(&walked(&mut UsdsReader::default(), &bytes)?), &shown(&roots))?;
            }
        }
        if has_body {
            let mut known = Known::default();
            known.add(Arc::clone(&plan)).map_err(|failure| failure.to_string())?;
            let value = decoded(&mut known, &bytes).map_err(|failure| failure.to_string())?;
            same(name, &shown(&value), &shown(&roots))?;
            same(name, &shown(&walked(&mut UsdsReader::documents(Arc::clone(&plan)), &bytes)?), &shown(&roots))?;
        }
    }
    let mut arena = Arena::new(Arc::clone(&plan));
    let mut built = arena.start();
    values::build(&mut built, &dictionary, &case["roots"]).map_err(|failure| failure.to_string())?;
    let mut bytes = Vec::new();
    built.encode(&mut bytes).map_err(|failure| failure.to_string())?;
    same("the body of a document built in memory", &bytes, &body)?;
    let document = arena.decode(&body[1..]).map_err(|failure| failure.to_string())?;
    let mut again = Vec::new();
    document.encode(&mut again).map_err(|failure| failure.to_string())?;
    same("the arena's body", &again, &body)?;
    if let Some(text) = expect["json_text"].as_str() {
        same("legacy JSON", &document.to_legacy_json().map_err(|failure| failure.to_string())?, &text.to_string())?;
    }
    texts(&dictionary)
}

/// The text of a dictionary is read as the same one.
fn texts(dictionary: &Dictionary) -> Result<(), String> {
    let (text, losses) = dictionary.to_text().map_err(|problem| problem.text().to_string())?;
    same("losses", &losses.len(), &0)?;
    let again = Dictionary::parse("again", text.as_bytes()).map_err(|found| format!("{text}\n{found}"))?;
    same("text", &again, dictionary)?;
    let formatted = Dictionary::format("again", text.as_bytes()).map_err(|found| found.to_string())?;
    same("layout", &formatted, &text)
}

fn json(case: &Value) -> Result<(), String> {
    let dictionary = Arc::new(parsed(case["dictionary"].as_str().unwrap_or_default()).map_err(|code| format!("refused: {code}"))?);
    let plan = Arc::new(Plan::new(Arc::clone(&dictionary)));
    let mut arena = Arena::new(plan);
    let mut document = arena.start();
    values::build(&mut document, &dictionary, &case["roots"]).map_err(|failure| failure.to_string())?;
    let text = document.to_legacy_json().map_err(|failure| failure.to_string())?;
    same("legacy JSON", &text, &case["expect"]["json_text"].as_str().unwrap_or_default().to_string())
}

fn dictionary(case: &Value) -> Result<(), String> {
    let dictionary = parsed(case["dictionary"].as_str().unwrap_or_default()).map_err(|code| format!("refused: {code}"))?;
    let expect = &case["expect"];
    same("name", &dictionary.name(), &expect["name"].as_str().unwrap_or_default())?;
    let identity = dictionary.identity();
    let numbers = [u64::from(identity.id), u64::from(identity.major), u64::from(identity.minor)];
    same("identity", &numbers, &["id", "major", "minor"].map(|key| expect[key].as_u64().unwrap_or(u64::MAX)))?;
    if expect.get("dictionary_section_hex").is_some() {
        let contents = section::write(&dictionary, Revision::B).map_err(|problem| problem.text().to_string())?;
        same("section", &contents, &hex(&expect["dictionary_section_hex"]))?;
        let again = section::read(&contents, Revision::B, identity).map_err(|failure| failure.to_string())?;
        if section::lost(&dictionary, Revision::B).is_empty() {
            same("section, read", &again.tags(), &dictionary.tags())?;
        }
    }
    let wire = dictionary.wire();
    let contents = section::write(&dictionary, wire).map_err(|problem| problem.text().to_string())?;
    let again = section::read(&contents, wire, identity).map_err(|failure| failure.to_string())?;
    same("the section as it is written, read", &again.tags(), &dictionary.tags())?;
    texts(&dictionary)
}

fn primitive(case: &Value) -> Result<(), String> {
    let signed = case["type"] == "VARINT";
    let read = |bytes: &[u8]| -> Result<(i128, usize), Problem> {
        if signed {
            wire::varint(bytes, 0).map(|(value, end)| (i128::from(value), end))
        } else {
            wire::uvarint(bytes, 0).map(|(value, end)| (i128::from(value), end))
        }
    };
    if case["kind"] == "primitive-error" {
        let came = read(&hex(&case["input_hex"])).err().and_then(|problem| problem.code(Revision::B));
        return same_code(came.map(u64::from), case);
    }
    let value: i128 = case["value"].as_str().map_or_else(|| case["value"].to_string(), str::to_string).parse().map_err(|_| "no number")?;
    let bytes = hex(&case["expect"]["hex"]);
    let mut out = Vec::new();
    if signed {
        wire::put_varint(&mut out, value as i64);
    } else {
        wire::put_uvarint(&mut out, value as u64);
    }
    same("bytes", &out, &bytes)?;
    same("value", &read(&bytes), &Ok((value, bytes.len())))
}
