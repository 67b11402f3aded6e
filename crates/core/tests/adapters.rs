//! The adapters between reader and sink, fed with events by hand.

use polywire_core::tools::adapt::{Arrange, Order, Projection, Select, Unique, Whole};
use polywire_core::value::{Value, ValueSink};
use polywire_core::walk::Path;
use polywire_core::{ErrorKind, Field, Len, Next, Note, Open, Part, PartKind, Result, Scalar, Sink, Span, Str};

fn n(value: u64) -> Value {
    Value::UInt(value)
}

fn list(values: impl IntoIterator<Item = Value>) -> Value {
    Value::List(values.into_iter().collect())
}

fn arranged(order: Order, value: &Value) -> Value {
    let mut arrange = Arrange::new(order, false);
    value.emit(&mut arrange).unwrap();
    let mut sink = ValueSink::default();
    arrange.finish(&mut sink).unwrap();
    sink.finish().unwrap()
}

#[test]
fn repeated_fields_become_one_list() {
    let value = Value::record([
        ("a", n(1)),
        ("b", Value::record([("x", n(1)), ("y", n(2)), ("x", list([n(3)]))])),
        ("a", Value::record([("z", n(2))])),
        ("a", n(3)),
    ]);
    let expected = Value::record([
        ("a", list([n(1), Value::record([("z", n(2))]), n(3)])),
        ("b", Value::record([("x", list([n(1), list([n(3)])])), ("y", n(2))])),
    ]);
    assert_eq!(arranged(Order::Group, &value), expected);
}

#[test]
fn the_first_or_last_of_doubled_keys_counts() {
    let text = Value::text;
    let value = Value::Map(vec![(text("a"), n(1)), (n(7), n(2)), (text("a"), n(3)), (n(7), list([n(4)])), (text("7"), n(5))]);
    let with = |a: u64, seven: Value| Value::Map(vec![(text("a"), n(a)), (n(7), seven), (text("7"), n(5))]);
    assert_eq!(arranged(Order::First, &value), with(1, n(2)));
    assert_eq!(arranged(Order::Last, &value), with(3, list([n(4)])));
    assert_eq!(arranged(Order::Keep, &value), value);
}

#[test]
fn many_repeated_fields_are_grouped_like_few() {
    let many = Value::record((0..1000u64).map(|i| (format!("k{}", i % 100), n(i))));
    let expected = Value::record((0..100u64).map(|k| (format!("k{k}"), list((0..10).map(|i| n(i * 100 + k))))));
    assert_eq!(arranged(Order::Group, &many), expected);
}

#[test]
fn fields_follow_the_slots_of_their_schema() {
    let mut arrange = Arrange::new(Order::Group, true);
    arrange.open(Open::Record { name: "", len: Len::Unknown }, Span::NONE).unwrap();
    for (name, slot, value) in [("c", Some(2), 1), ("extra", None, 2), ("a", Some(0), 3), ("c", Some(2), 4), ("b", Some(1), 5)] {
        arrange.field(Field { name: Str::Input(name), id: None, slot }, Span::NONE).unwrap();
        arrange.scalar(Scalar::uint(value), Span::NONE).unwrap();
    }
    arrange.close(Span::NONE).unwrap();
    let mut sink = ValueSink::default();
    arrange.finish(&mut sink).unwrap();
    let expected = Value::record([("a", n(3)), ("b", n(5)), ("c", list([n(1), n(4)])), ("extra", n(2))]);
    assert_eq!(sink.finish().unwrap(), expected);
}

/// Counts the notes that arrive, and holds claimed lengths against what comes.
#[derive(Default)]
struct Audit {
    notes: usize,
    claims: Vec<(u64, u64)>,
}

impl Audit {
    fn seen(&mut self) {
        if let Some((_, seen)) = self.claims.last_mut() {
            *seen += 1;
        }
    }
}

impl<'m> Sink<'m> for Audit {
    fn open(&mut self, open: Open<'_>, _: Span) -> Result<Next> {
        self.seen();
        let claimed = match open {
            Open::List(Len::Claimed(len)) => len,
            Open::Map(Len::Claimed(len)) | Open::Record { len: Len::Claimed(len), .. } => 2 * len,
            _ => u64::MAX,
        };
        self.claims.push((claimed, 0));
        Ok(Next::Enter)
    }

    fn field(&mut self, _: Field<'m, '_>, _: Span) -> Result<Next> {
        self.seen();
        Ok(Next::Enter)
    }

    fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> Result<()> {
        self.seen();
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        panic!("a part where whole values are due");
    }

    fn close(&mut self, _: Span) -> Result<()> {
        let (claimed, seen) = self.claims.pop().unwrap();
        assert!(claimed == u64::MAX || claimed == seen, "{claimed} claimed, {seen} seen");
        Ok(())
    }

    fn note(&mut self, _: Note<'_>, _: Span) -> Result<()> {
        self.notes += 1;
        Ok(())
    }
}

#[test]
fn notes_survive_rearrangement_and_claims_stay_true() {
    let mut arrange = Arrange::new(Order::Group, false);
    arrange.note(Note::Comment("before"), Span::NONE).unwrap();
    arrange.open(Open::Record { name: "", len: Len::Unknown }, Span::NONE).unwrap();
    for _ in 0..2 {
        arrange.note(Note::Comment("between"), Span::NONE).unwrap();
        arrange.field(Field::named(Str::Input("a")), Span::NONE).unwrap();
        arrange.scalar(Scalar::Null, Span::NONE).unwrap();
    }
    arrange.note(Note::Comment("last"), Span::NONE).unwrap();
    arrange.close(Span::NONE).unwrap();
    let mut audit = Audit::default();
    arrange.finish(&mut audit).unwrap();
    assert_eq!(audit.notes, 4);
}

fn selected(paths: &[&str], value: &Value) -> Value {
    let paths: Vec<Path> = paths.iter().map(|path| Path::parse(path).unwrap()).collect();
    let projection = Projection::new(&paths);
    let mut sink = ValueSink::default();
    let mut select = Select::new(&mut sink, &projection);
    value.emit(&mut select).unwrap();
    select.finish().unwrap();
    sink.finish().unwrap()
}

#[test]
fn only_what_is_named_is_kept() {
    let price = |i: u64| Value::record([("sum", n(i)), ("currency", Value::text("EUR"))]);
    let item = |i: u64| Value::record([("id", n(i)), ("price", price(i)), ("tags", list([n(i)]))]);
    let value = Value::record([("items", list([item(1), item(2), n(9)])), ("total", n(2)), ("note", Value::Null)]);
    let sums = list([1, 2].map(|i| Value::record([("price", Value::record([("sum", n(i))]))])));
    assert_eq!(selected(&["items.price.sum", "total"], &value), Value::record([("items", sums), ("total", n(2))]));
    let tags = list([1, 2].map(|i| Value::record([("tags", list([n(i)]))])));
    assert_eq!(selected(&["items[].tags"], &value), Value::record([("items", tags)]));
    assert_eq!(selected(&["total.x", "nothing"], &value), Value::record::<&str>([]));
    assert_eq!(selected(&["*"], &value), value);
    assert_eq!(selected(&["a"], &n(5)), Value::Null);
}

#[test]
fn cases_and_tags_on_the_way_are_kept() {
    let pair = || Value::record([("x", n(1)), ("y", n(2))]);
    let tagged = |value: Value| Value::Tagged { space: "t".into(), code: 1, value: Box::new(value) };
    let case = Value::Variant { name: "Paid".into(), index: 1, values: vec![n(5), pair()] };
    let value = Value::record([("a", case.clone()), ("b", tagged(pair()))]);
    assert_eq!(selected(&["a.Paid"], &value), Value::record([("a", case)]));
    assert_eq!(selected(&["a.Other", "b.y"], &value), Value::record([("b", tagged(Value::record([("y", n(2))])))]));
}

#[test]
fn a_key_is_refused_the_second_time() {
    let refused = |value: &Value| {
        let mut sink = ValueSink::default();
        value.emit(&mut Unique::new(&mut sink)).err().map(|error| error.kind())
    };
    let names = |count: usize| (0..count).map(|i| (format!("k{i}"), n(1))).collect::<Vec<_>>();
    for count in [1, 15, 16, 17, 18, 500] {
        assert_eq!(refused(&Value::record(names(count))), None, "{count} different names");
        for again in [0, count / 2, count - 1] {
            let mut fields = names(count);
            fields.push((format!("k{again}"), n(2)));
            assert_eq!(refused(&Value::record(fields)), Some(ErrorKind::DoubledKey), "k{again} of {count}");
        }
    }
    let map = |first: Value, second: Value| Value::Map(vec![(first, n(1)), (second, n(2))]);
    assert_eq!(refused(&map(n(1), Value::text("1"))), None);
    assert_eq!(refused(&map(n(1), n(1))), Some(ErrorKind::DoubledKey));
    assert_eq!(refused(&map(list([n(1)]), list([n(1)]))), Some(ErrorKind::DoubledKey));
    assert_eq!(refused(&map(list([n(1)]), list([n(2)]))), None);
    assert_eq!(refused(&map(list([list([n(1)]), n(2)]), list([list([n(1), n(2)])]))), None);
}

#[test]
fn parts_arrive_whole() {
    let mut sink = ValueSink::default();
    let mut whole = Whole::new(&mut sink);
    whole.open(Open::List(Len::Unknown), Span::NONE).unwrap();
    for (kind, pieces) in [(PartKind::Text, [&b"ab"[..], b"", b"c"]), (PartKind::Bytes, [b"\xff", b"x", b""])] {
        for (index, bytes) in pieces.into_iter().enumerate() {
            let at = Span::new(index as u64, index as u64 + 1);
            whole.part(Part { bytes, kind, total: None, last: index == 2 }, at).unwrap();
        }
    }
    whole.close(Span::NONE).unwrap();
    assert_eq!(sink.finish(), Some(list([Value::text("abc"), Value::Bytes(b"\xffx".to_vec())])));
}
