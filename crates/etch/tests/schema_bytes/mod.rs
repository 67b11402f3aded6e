//! Any bytes as messages by a schema: what the readers and writers make of them; and any text as a
//! schema. The bodies of fuzz targets.

use std::cell::RefCell;

use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::NoFiles;
use polywire_core::value::ValueSink;
use polywire_core::{Budget, Limits, Reader, Value, Writer};
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

/// Binds messages to any text. Returns whether it is a schema.
///
/// # Panics
/// A promise is broken: each error has a reason.
pub fn text(bytes: &[u8]) -> bool {
    let text = SchemaText { name: "fuzz.etch", bytes, identity: "" };
    match MESSAGE.binder.expect("it takes schemas").bind_text(&text, &mut NoFiles, None) {
        Ok(bound) => bound.tables().is_some(),
        Err(error) => {
            assert!(error.to_string().contains("fuzz.etch:"), "{error}");
            assert!(error.offset().is_some_and(|at| at <= bytes.len() as u64), "{error}");
            false
        }
    }
}
