//! Any bytes as messages by a schema: what the readers and writers make of them; and any text as a
//! schema. The bodies of fuzz targets.

use std::cell::RefCell;

use polywire_core::schema::language::{SchemaLanguage, SchemaText};
use polywire_core::text::sources::NoFiles;
use polywire_core::value::ValueSink;
use polywire_core::{Budget, Limits, Reader, Value, Writer};
use polywire_etch::nsdl::Nsdl;
use polywire_etch::{MESSAGE, PACKET};

const TEXT: &str = include_str!("../../../../testdata/schemas/shop.etch");

type Made = Vec<(Box<dyn Reader>, Box<dyn Writer>)>;

thread_local! {
    static MADE: RefCell<Made> = RefCell::new(make());
}

fn make() -> Made {
    let text = SchemaText { name: "shop.etch", bytes: TEXT.as_bytes(), identity: "" };
    let formats = [&MESSAGE, &PACKET].into_iter();
    formats
        .map(|format| {
            let binder = format.binder.expect("it takes schemas");
            let bound = binder.bind_text(&text, &mut NoFiles, Some("put")).expect("the schema is right");
            (bound.reader(), bound.writer().expect("it is written"))
        })
        .collect()
}

fn value(reader: &mut dyn Reader, bytes: &[u8], limits: &Limits) -> Option<Value> {
    let mut sink = ValueSink::default();
    reader.walk(bytes, 0, &mut sink, &mut Budget::new(limits)).ok()?;
    sink.finish()
}

/// Reads a message, or a packet if it begins as one, and writes it again. Returns whether it was
/// read.
///
/// # Panics
/// A promise is broken: what is read is written, and means the same again.
pub fn by_schema(bytes: &[u8]) -> bool {
    MADE.with_borrow_mut(|made| {
        let message = bytes;
        let (reader, writer) = &mut made[usize::from(bytes.starts_with(b"\xde\xad\xbe\xef"))];
        let limits = Limits::DEFAULT.with_depth(100);
        let Some(meant) = value(&mut **reader, message, &limits) else { return false };
        writer.reset();
        let mut out = Vec::new();
        let written = reader.walk(message, 0, &mut **writer, &mut Budget::new(&limits)).and_then(|()| writer.finish(&mut out));
        written.unwrap_or_else(|error| panic!("{message:02x?}: {meant:?}: {error}"));
        let lost = !writer.losses().is_empty();
        let again = value(&mut **reader, &out, &Limits::MAX);
        // NaN equals nothing, but is spelled the same.
        let same = again.as_ref().is_some_and(|again| format!("{again:?}") == format!("{meant:?}"));
        assert!(lost || same, "{message:02x?} became {out:02x?}: {meant:?}, {again:?}");
        true
    })
}

/// Binds messages to any text, and reads it in each way that the schema language has. Returns
/// whether it is a schema.
///
/// # Panics
/// A promise is broken: each error has a reason, and the layout changes nothing but white space.
pub fn text(bytes: &[u8]) -> bool {
    let text = SchemaText { name: "fuzz.etch", bytes, identity: "" };
    language(&text);
    match MESSAGE.binder.expect("it takes schemas").bind_text(&text, &mut NoFiles, None) {
        Ok(bound) => bound.tables().is_some(),
        Err(error) => {
            assert!(error.to_string().contains("fuzz.etch:"), "{error}");
            assert!(error.offset().is_some_and(|at| at <= bytes.len() as u64), "{error}");
            false
        }
    }
}

fn of(text: &str) -> SchemaText<'_> {
    SchemaText { name: "fuzz.etch", bytes: text.as_bytes(), identity: "" }
}

fn language(text: &SchemaText<'_>) {
    let nsdl = Nsdl.reader().expect("NSDL is read");
    let read = nsdl.read(text, &mut NoFiles);
    if let Ok(formatted) = nsdl.format(text) {
        let again = nsdl.format(&of(&formatted)).unwrap_or_else(|found| panic!("{formatted}\n{found}"));
        assert_eq!(again, formatted);
        let again = nsdl.read(&of(&formatted), &mut NoFiles);
        assert_eq!(again.as_ref().ok().map(|read| &read.schema), read.as_ref().ok().map(|read| &read.schema), "{formatted}");
    }
    if let Ok(read) = read {
        read.schema.check().unwrap_or_else(|error| panic!("{error}"));
        // Types may nest deeper than a text allows.
        if let Ok((written, _)) = Nsdl.write(&read.schema) {
            let again = nsdl.read(&of(&written), &mut NoFiles);
            assert!(again.is_ok(), "{written}\n{}", again.err().map_or_else(String::new, |found| found.to_string()));
        }
    }
}
