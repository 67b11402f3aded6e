//! Any bytes as messages of all protocols by a schema: what the readers and writers make of them.
//! The body of a fuzz target.

use std::cell::RefCell;

use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::NoFiles;
use polywire_core::value::ValueSink;
use polywire_core::{Budget, Limits, Reader, Value, Writer};
use polywire_thrift::{BINARY, COMPACT, JSON, SIMPLE_JSON};

const TEXT: &str = r#"
enum State { OPEN = 1, PAID = 2 }
struct Item {
  1: required string name, 2: i64 price, 3: State state, 4: list<double> sizes, 5: set<i16> codes,
  6: map<State, binary> seals, 7: uuid key, 8: bool fresh, 9: Choice choice, 10: list<Item> parts,
}
union Choice { 1: string text, 2: i8 number, 3: bool flag, 4: Item item }
exception Missing { 1: string why }
service Shop { Item get(1: string name, 2: list<bool> how) throws (1: Missing missing), oneway void ping() }
"#;

/// Reader, writer, and the writer that keeps unknown fields.
type Made = Vec<(Box<dyn Reader>, Box<dyn Writer>)>;

thread_local! {
    static MADE: RefCell<Made> = RefCell::new(make());
}

/// Makes a reader and a relay of each type, in all protocols.
fn make() -> Made {
    let text = SchemaText { name: "shop.thrift", bytes: TEXT.as_bytes(), identity: "" };
    let mut made: Made = Vec::new();
    for format in [&BINARY, &COMPACT, &JSON, &SIMPLE_JSON] {
        for name in ["Item", "Choice", "Shop"] {
            let binder = format.binder.expect("it takes schemas");
            let bound = binder.bind_text(&text, &mut NoFiles, Some(name)).expect("the schema is right");
            made.push((bound.reader(), bound.relay().or_else(|| bound.writer()).expect("it is written")));
        }
    }
    made
}

fn value(reader: &mut dyn Reader, bytes: &[u8], limits: &Limits) -> Option<Value> {
    let mut sink = ValueSink::default();
    reader.walk(bytes, 0, &mut sink, &mut Budget::new(limits)).ok()?;
    sink.finish()
}

/// Reads a message and writes it again. The first byte chooses the type and the protocol.
///
/// # Panics
/// A promise is broken: what is written means the same again, in the same bytes.
pub fn by_schema(bytes: &[u8]) {
    let Some((&chosen, message)) = bytes.split_first() else { return };
    MADE.with_borrow_mut(|made| {
        let chosen = usize::from(chosen) % made.len();
        let (reader, writer) = &mut made[chosen];
        let limits = Limits::DEFAULT.with_depth(100);
        let Some(meant) = value(&mut **reader, message, &limits) else { return };
        writer.reset();
        let mut out = Vec::new();
        let written = reader.walk(message, 0, &mut **writer, &mut Budget::new(&limits)).and_then(|()| writer.finish(&mut out));
        // A field may come twice, and the name of a method may be none.
        if written.is_err() {
            writer.reset();
            return;
        }
        let lost = !writer.losses().is_empty();
        let again = value(&mut **reader, &out, &Limits::MAX);
        // NaN equals nothing, but is spelled the same.
        let same = again.as_ref().is_some_and(|again| format!("{again:?}") == format!("{meant:?}"));
        assert!(lost || same, "{message:?} became {out:?}: {meant:?}, {again:?}");
    });
}
