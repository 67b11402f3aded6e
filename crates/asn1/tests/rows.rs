//! Lists of structures without parts of their own are read in one loop. The events, the errors and
//! the budget are those of the way that all other values are read.

use std::sync::Arc;

use polywire_asn1::Modules;
use polywire_asn1::ber::{BerReader, BerWriter, Rules, defaults};
use polywire_asn1::per::{Per, Variant};
use polywire_asn1::walk::Plan;
use polywire_core::{Budget, Error, Field, Limits, Needs, Next, Open, Part, Reader, Result, Scalar, Sink, Span, Tree, Value, Writer};

const MODULE: &str = "M DEFINITIONS AUTOMATIC TAGS ::= BEGIN
    T ::= SEQUENCE {
        n INTEGER (0..MAX), o INTEGER OPTIONAL, s UTF8String, rows SEQUENCE OF Row, d INTEGER DEFAULT 7,
        wide SEQUENCE OF Wide, pick CHOICE { a INTEGER, rows SEQUENCE OF Row }, nested SEQUENCE OF SEQUENCE OF Row, last BOOLEAN, ...
    }
    Row ::= SEQUENCE { n INTEGER (0..MAX), m INTEGER (-128..127), r REAL, g UTF8String, o OCTET STRING OPTIONAL, b BOOLEAN }
    Wide ::= SEQUENCE { a INTEGER, b BOOLEAN OPTIONAL, ..., c INTEGER OPTIONAL }
    END";

/// Way to read a message.
#[derive(Debug, Clone, Copy)]
struct Way {
    /// Number of an event, and the answer to it.
    answer: (usize, Next),
    /// Limit of values and fields.
    items: u64,
}

const WHOLE: Way = Way { answer: (0, Next::Enter), items: 1 << 32 };

/// Keeps all events but notes. Answers one of them in another way than the rest.
struct Events {
    needs: Needs,
    answer: (usize, Next),
    log: Vec<String>,
}

impl Events {
    fn put(&mut self, event: String) -> Next {
        self.log.push(event);
        if self.log.len() == self.answer.0 { self.answer.1 } else { Next::Enter }
    }
}

impl<'m> Sink<'m> for Events {
    fn needs(&self) -> Needs {
        self.needs
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        Ok(self.put(format!("{open:?} {at:?}")))
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        Ok(self.put(format!("{field:?} {at:?}")))
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.put(format!("{value:?} {at:?}"));
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        unreachable!("values are whole");
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.put(format!("close {at:?}"));
        Ok(())
    }
}

fn row(n: i64) -> Value {
    let mut fields = vec![
        ("n", Value::int(n.abs() << (n % 40))),
        ("m", Value::int(n % 128)),
        ("r", Value::F64(n as f64 / 3.0)),
        ("g", Value::text("ab".repeat(n as usize % 70))),
    ];
    if n % 3 == 0 {
        fields.push(("o", Value::Bytes(vec![n as u8; n as usize % 9])));
    }
    fields.push(("b", Value::Bool(n % 2 == 0)));
    Value::record(fields)
}

fn wide(n: i64) -> Value {
    let mut fields = vec![("a", Value::int(-n))];
    if n % 2 == 0 {
        fields.push(("b", Value::Bool(true)));
    }
    if n % 3 == 0 {
        fields.push(("c", Value::int(n << 30)));
    }
    Value::record(fields)
}

/// Makes a message with lists of about `count` elements.
fn message(count: i64) -> Value {
    let rows = |count: i64| Value::List((0..count).map(row).collect());
    let pick = match count % 2 {
        0 => Value::Variant { name: "a".into(), index: 0, values: vec![Value::int(count)] },
        _ => Value::Variant { name: "rows".into(), index: 1, values: vec![rows(count)] },
    };
    let mut fields = vec![("n", Value::int(count)), ("s", Value::text("text"))];
    if count % 2 == 0 {
        fields.insert(1, ("o", Value::int(-1)));
    }
    fields.push(("rows", rows(count)));
    if count % 3 == 0 {
        fields.push(("d", Value::int(8)));
    }
    fields.push(("wide", Value::List((0..count).map(wide).collect())));
    fields.push(("pick", pick));
    fields.push(("nested", Value::List((0..count % 4).map(rows).collect())));
    fields.push(("last", Value::Bool(true)));
    Value::record(fields)
}

fn write(mut writer: impl Writer, value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    value.emit(&mut writer).expect("the value");
    writer.finish(&mut out).expect("the bytes");
    assert_eq!(writer.losses(), []);
    out
}

type Outcome = (Vec<String>, std::result::Result<String, String>);

fn outcome(reader: &mut dyn Reader, bytes: &[u8], needs: Needs, way: Way) -> Outcome {
    let mut sink = Events { needs, answer: way.answer, log: Vec::new() };
    let mut budget = Budget::new(&Limits::DEFAULT.with_items(way.items));
    let walked = reader.walk(bytes, 0, &mut sink, &mut budget).map_err(|error: Error| error.to_string());
    (sink.log, walked.map(|()| format!("{budget:?}")))
}

/// A sink that asks for guesses has no value read in few steps.
fn agree(reader: &mut dyn Reader, bytes: &[u8], way: Way) -> Outcome {
    let quick = outcome(reader, bytes, Needs::NONE, way);
    let slow = outcome(reader, bytes, Needs::GUESSES, way);
    assert_eq!(quick, slow, "{bytes:02x?} {way:?}");
    quick
}

/// Reads messages as they are, with each answer at each event, and with changed bytes.
fn hold(reader: &mut dyn Reader, messages: &[(Value, Vec<u8>)]) {
    let mut random = fastrand::Rng::with_seed(5);
    let mut refused = 0;
    for (value, bytes) in messages {
        let mut tree = Tree::new();
        reader.walk(bytes, 0, &mut tree, &mut Budget::new(&Limits::DEFAULT)).expect("the message");
        assert_eq!(&Value::from(tree.root().expect("a value")), value);
        let (log, walked) = agree(reader, bytes, WHOLE);
        assert!(walked.is_ok());
        for event in 0..log.len().min(150) {
            for next in [Next::Skip, Next::Stop] {
                assert!(agree(reader, bytes, Way { answer: (event, next), ..WHOLE }).1.is_ok());
            }
        }
        for _ in 0..300 {
            let mut changed = bytes.clone();
            for _ in 0..=random.usize(0..2) {
                let at = random.usize(0..changed.len());
                changed[at] = if random.bool() { random.u8(..) } else { changed[at] ^ 1 << random.u8(..8) };
            }
            changed.truncate(changed.len() - random.usize(0..4) / 3 * random.usize(0..changed.len()));
            let answer = (random.usize(0..60), if random.bool() { Next::Skip } else { Next::Enter });
            let way = Way { answer, items: random.u64(1..2_000) };
            refused += usize::from(agree(reader, &changed, way).1.is_err());
        }
    }
    assert!(refused > 100 && refused < messages.len() * 300, "{refused}");
}

fn plan() -> Arc<Plan> {
    let mut modules = Modules::new();
    modules.add("rows.asn", MODULE.as_bytes());
    let model = modules.resolve(&Limits::DEFAULT).unwrap_or_else(|found| panic!("{found}"));
    let ty = model.named("M", "T").expect("the type");
    Arc::new(Plan::new(Arc::new(model), ty).expect("a plan"))
}

#[test]
fn rows_of_ber() {
    let plan = plan();
    let defaults = Arc::new(defaults(&plan));
    let reader = |rules| BerReader::new(Arc::clone(&plan), Arc::clone(&defaults), rules);
    let with = |rules| {
        let write = |count| {
            let value = message(count);
            let bytes = write(BerWriter::new(Arc::clone(&plan), Arc::clone(&defaults), rules), &value);
            (value, bytes)
        };
        [0, 1, 2, 3, 8].map(write)
    };
    hold(&mut reader(Rules::Basic), &with(Rules::Distinguished));
    hold(&mut reader(Rules::Basic), &with(Rules::Canonical));
    hold(&mut reader(Rules::Distinguished), &with(Rules::Distinguished));
}

#[test]
fn rows_of_per_and_oer() {
    for variant in [Variant::Unaligned, Variant::Aligned, Variant::Octets] {
        let per = Per::new(plan(), variant);
        let messages = [0, 1, 2, 3, 8].map(|count| (message(count), write(per.writer(), &message(count))));
        hold(&mut per.reader(false), &messages);
    }
}
