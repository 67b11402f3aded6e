//! Inspections in pieces and of wanted rows, held against the rows of the whole.

use std::io::Read;

use polywire_core::tools::adapt::Projection;
use polywire_core::tools::inspect::{Inspection, Needle, Options, Row, Wanted, What, inspect, inspect_from};
use polywire_core::walk::{Path, PathStep};
use polywire_core::{Format, Result};
use polywire_formats::registry::{self, FORMATS};

/// A row, as far as it is compared.
type Shown = (What, u64, u64, u64, String, Option<String>);

fn shown(row: &Row<'_>) -> Shown {
    (row.what, row.message, row.bytes.start, row.bytes.end, row.value.to_string(), row.path.map(ToString::to_string))
}

fn rows(format: &'static Format, bytes: &[u8], wanted: Wanted) -> (Vec<Shown>, Inspection) {
    let mut rows = Vec::new();
    let options = Options { wanted, ..Options::default() };
    let inspection = inspect(format, bytes, &options, &mut |row| {
        rows.push(shown(row));
        Ok(())
    });
    (rows, inspection.expect("rows are taken"))
}

fn wanted(set: impl FnOnce(&mut Wanted)) -> Wanted {
    let mut wanted = Wanted::default();
    set(&mut wanted);
    wanted
}

/// Bytes that come a few at a time.
struct Few<'b>(&'b [u8], usize);

impl Read for Few<'_> {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let few = self.1.min(buf.len());
        self.0.read(&mut buf[..few])
    }
}

/// Calls `check` with streams of all formats, whole and cut.
fn each_stream(mut check: impl FnMut(&'static Format, &[u8])) {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/corpus");
    for format in FORMATS {
        let Ok(files) = std::fs::read_dir(corpus.join(format.name)) else { continue };
        for file in files {
            let bytes = std::fs::read(file.expect("a file").path()).expect("a file");
            check(format, &bytes);
            check(format, &bytes[..bytes.len() * 2 / 3]);
            let mut twice = bytes.clone();
            twice.extend_from_slice(format.separator.as_bytes());
            twice.extend_from_slice(&bytes);
            check(format, &twice);
        }
    }
}

#[test]
fn rows_are_the_same_in_pieces() {
    let mut streams = 0;
    each_stream(|format, bytes| {
        let (whole, inspection) = rows(format, bytes, Wanted::default());
        for few in [1, 7, 1 << 20] {
            let mut pieces = Vec::new();
            let outcome: Result<Inspection> = inspect_from(format, Few(bytes, few), &Options::default(), &mut |row| {
                pieces.push(shown(row));
                Ok(())
            });
            let outcome = outcome.expect("rows are taken");
            assert_eq!(outcome.messages, inspection.messages, "{}", format.name);
            assert_eq!(outcome.end, bytes.len() as u64, "{}", format.name);
            let kinds = [&outcome, &inspection].map(|outcome| outcome.broken.as_ref().map(|error| (error.kind(), error.offset())));
            assert_eq!(kinds[0], kinds[1], "{}", format.name);
            assert_eq!(pieces, whole, "{} by {few}", format.name);
        }
        streams += 1;
    });
    assert!(streams > 100);
}

#[test]
fn each_byte_has_its_row() {
    each_stream(|format, bytes| {
        let (whole, _) = rows(format, bytes, Wanted::default());
        for at in (0..bytes.len() as u64).step_by(1 + bytes.len() / 40) {
            let (found, inspection) = rows(format, bytes, wanted(|wanted| wanted.at = Some(at)));
            let holds = |row: &&Shown| row.2 <= at && at < row.3;
            let of_byte = whole.iter().find(holds).expect("a row for each byte");
            let place = |row: &Shown| (row.0, row.1, row.2, row.3, row.4.clone());
            let row = found.iter().find(holds).unwrap_or_else(|| panic!("{} at {at}: {found:?}", format.name));
            // Bytes behind a message are one row with its last ones, unless it is stepped over.
            let behind = row.0 == What::Syntax && row.2 > of_byte.2;
            let of_byte = if behind { &(of_byte.0, of_byte.1, row.2, of_byte.3, of_byte.4.clone(), of_byte.5.clone()) } else { of_byte };
            assert_eq!(place(row), place(of_byte), "{} at {at}", format.name);
            assert!(row.5.is_some() || row.0 == What::Unread, "{} at {at}: {row:?}", format.name);
            // Beside it there are its message's heading, the value of a name, and an error.
            assert!(found.len() <= 4 && inspection.shown >= 1, "{} at {at}: {found:?}", format.name);
        }
        let beyond = wanted(|wanted| wanted.at = Some(bytes.len() as u64));
        assert!(rows(format, bytes, beyond).0.iter().all(|row| row.0 == What::Unread), "{}", format.name);
    });
}

#[test]
fn a_limit_ends_the_rows_behind_a_value() {
    each_stream(|format, bytes| {
        let (whole, _) = rows(format, bytes, Wanted::default());
        let (few, inspection) = rows(format, bytes, wanted(|wanted| wanted.limit = Some(3)));
        assert!(whole.starts_with(&few), "{}", format.name);
        assert!(inspection.values <= 3 && inspection.stopped == (few.len() < whole.len()), "{}", format.name);
    });
}

#[test]
fn messages_are_counted() {
    each_stream(|format, bytes| {
        let (whole, all) = rows(format, bytes, Wanted::default());
        for message in 0..all.messages.min(3) {
            let (found, inspection) = rows(format, bytes, wanted(|wanted| wanted.message = Some(message)));
            let heading = whole.iter().position(|row| row.0 == What::Message && row.1 == message).expect("a heading");
            let of_message: Vec<Shown> = whole[heading..].iter().take_while(|row| row.1 == message).cloned().collect();
            assert_eq!(found.first(), of_message.first(), "{}", format.name);
            assert!(found.starts_with(&of_message[..of_message.len() - 1]), "{}: {found:?}", format.name);
            assert!(inspection.shown > 0);
        }
        if all.broken.is_none() {
            let (found, inspection) = rows(format, bytes, wanted(|wanted| wanted.message = Some(all.messages)));
            assert!(found.is_empty() && !inspection.stopped && inspection.messages == all.messages, "{}", format.name);
        }
    });
}

fn json() -> &'static Format {
    registry::find("json").expect("a format")
}

/// Returns the paths that are shown, and the values.
fn places(bytes: &[u8], set: impl FnOnce(&mut Wanted)) -> Vec<(u64, String, String)> {
    let (found, _) = rows(json(), bytes, wanted(set));
    let values = found.into_iter().filter(|row| matches!(row.0, What::Value | What::Open));
    values.map(|row| (row.1, row.5.unwrap_or_default(), row.4)).collect()
}

const STREAM: &[u8] = br#"{"a": {"b": [1, 22, {"c": "x\u0079z"}]}, "d": "text"} {"d": "xyz", "a": null}"#;

#[test]
fn paths_name_values_and_all_they_hold() {
    let paths = |text: &str| Projection::new(&[Path::parse(text).expect("a path")]);
    let found = |text: &str| {
        let found = places(STREAM, |wanted| wanted.paths = Some(paths(text)));
        found.into_iter().map(|(message, path, _)| format!("{message}:{path}")).collect::<Vec<String>>()
    };
    assert_eq!(found("d"), ["0:d", "1:d"]);
    assert_eq!(found("a.b[-1]"), ["0:a.b[2]", "0:a.b[2].c"]);
    assert_eq!(found("a.b[:2]"), ["0:a.b[0]", "0:a.b[1]"]);
    assert_eq!(found("*.b.c"), ["0:a.b[2].c"]);
    assert_eq!(found("nothing"), Vec::<String>::new());
    let (_, inspection) = rows(json(), STREAM, wanted(|wanted| wanted.paths = Some(paths("a.bb"))));
    assert_eq!(inspection.missed[0].there, [PathStep::Name("b".into())]);
    // A message that breaks off is shown up to there.
    let (found, _) = rows(json(), br#"{"a": {"b": [1, 2"#, wanted(|wanted| wanted.paths = Some(paths("a.b"))));
    assert_eq!(found.iter().filter(|row| row.0 == What::Value).count(), 2);
}

#[test]
fn names_of_paths_are_shown_with_their_values() {
    let paths = Projection::new(&[Path::parse("d").expect("a path")]);
    let (found, _) = rows(json(), STREAM, wanted(|wanted| wanted.paths = Some(paths)));
    let kinds: Vec<What> = found.iter().map(|row| row.0).collect();
    let once = [What::Message, What::Field, What::Syntax, What::Value];
    assert_eq!(kinds, [once, once].concat());
}

#[test]
fn texts_and_bytes_are_found_by_place() {
    let found = |needle: &str| {
        let needle = Needle::parse(needle).expect("something to find");
        let found = places(STREAM, |wanted| wanted.find = Some(needle));
        found.into_iter().map(|(message, path, value)| format!("{message}:{path}={value}")).collect::<Vec<String>>()
    };
    // As it means, and as it is written.
    assert_eq!(found("xyz"), ["0:a.b[2].c=\"xyz\"", "1:d=\"xyz\""]);
    assert_eq!(found("u0079"), ["0:a.b[2].c=\"xyz\""]);
    assert_eq!(found("0x7a22"), ["0:a.b[2].c=\"xyz\"", "1:d=\"xyz\""]);
    assert_eq!(found("78 79"), ["1:d=\"xyz\""]);
    assert_eq!(found("22"), ["0:a.b[1]=22"]);
    // A name brings its value.
    assert_eq!(found("c"), ["0:a.b[2].c=\"xyz\""]);
    assert_eq!(found("nothing"), Vec::<String>::new());
}

#[test]
fn all_that_is_wanted_must_fit() {
    let all = |at: Option<u64>, message: Option<u64>, find: Option<&str>| {
        let find = find.map(|find| Needle::parse(find).expect("something to find"));
        let found = places(STREAM, |wanted| (wanted.at, wanted.message, wanted.find) = (at, message, find));
        found.into_iter().map(|(message, path, _)| format!("{message}:{path}")).collect::<Vec<String>>()
    };
    assert_eq!(all(None, Some(1), Some("xyz")), ["1:d"]);
    assert_eq!(all(Some(27), None, Some("xyz")), ["0:a.b[2].c"]);
    assert_eq!(all(Some(27), Some(1), None), Vec::<String>::new());
    assert_eq!(all(Some(27), None, Some("22")), Vec::<String>::new());
}
