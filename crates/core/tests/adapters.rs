//! The adapters between reader and sink, fed with events by hand.

use std::cell::RefCell;

use polywire_core::format::{Confidence, Format, Nature, Repeats};
use polywire_core::tools::adapt::{Arrange, Order, Projection, Select, Unique, Walker, Whole};
use polywire_core::value::{Tree, Value, ValueSink};
use polywire_core::walk::{Forward, Path, PathStep};
use polywire_core::{
    Budget, ErrorKind, Field, Frame, Len, Limits, Needs, Next, Note, Open, Part, PartKind, Reader, Result, Scalar, Sink, Span, Str,
};

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

/// Keys that look alike in a path, which shows the first bytes and digits, are several.
#[test]
fn keys_that_look_alike_are_all_kept() {
    let hash = |last: u8| Value::Bytes([[7; 31].as_slice(), &[last]].concat());
    let keys = [
        n(1),
        Value::F64(1.0),
        Value::Decimal("1.0".into()),
        hash(1),
        hash(2),
        Value::Octets(b"\x07".to_vec()),
        Value::Bytes(b"\x07".to_vec()),
    ];
    let value = Value::Map(keys.iter().map(|key| (key.clone(), n(5))).collect());
    for order in [Order::Group, Order::First, Order::Last, Order::Keep] {
        assert_eq!(arranged(order, &value), value, "{order:?}");
    }
    let inside = Value::Map(keys.iter().map(|key| (list([key.clone()]), n(5))).collect());
    for value in [value, inside] {
        let mut sink = ValueSink::default();
        value.emit(&mut Unique::new(&mut sink)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(sink.finish(), Some(value));
    }
}

#[test]
fn keys_that_are_containers_are_told_apart_by_their_contents() {
    let (one, two) = (list([n(1), list([n(2)])]), list([n(1), list([n(3)])]));
    let record = |value: u64| Value::record([("a", n(value))]);
    let nested = |key: Value| Value::Map(vec![(key.clone(), n(8)), (list([key]), n(9))]);
    let keys =
        [one.clone(), two.clone(), record(1), nested(one.clone()), n(1), one.clone(), record(2), record(1), nested(two), nested(one)];
    let value = Value::Map(keys.iter().cloned().zip((0..).map(n)).collect());
    let kept = |places: [u64; 7]| Value::Map([0, 1, 2, 3, 4, 6, 8].map(|at| keys[at].clone()).into_iter().zip(places.map(n)).collect());
    assert_eq!(arranged(Order::First, &value), kept([0, 1, 2, 3, 4, 6, 8]));
    assert_eq!(arranged(Order::Last, &value), kept([5, 1, 7, 9, 4, 6, 8]));
    let deep = (0..400).fold(n(1), |key, level| Value::Map(vec![(key, n(level)), (list([]), n(0)), (list([]), n(1))]));
    assert!(format!("{:?}", arranged(Order::Last, &deep)).len() < format!("{deep:?}").len());
}

#[test]
fn many_repeated_fields_are_grouped_like_few() {
    let many = Value::record((0..1000u64).map(|i| (format!("k{}", i % 100), n(i))));
    let expected = Value::record((0..100u64).map(|k| (format!("k{k}"), list((0..10).map(|i| n(i * 100 + k))))));
    assert_eq!(arranged(Order::Group, &many), expected);
}

/// Comparing each name with all others would take hours.
#[test]
fn many_names_take_linear_time() {
    let many = Value::record((0..200_000u64).map(|i| (format!("{i}"), Value::Null)));
    let mut arrange = Arrange::new(Order::Group, false);
    many.emit(&mut arrange).unwrap();
    let mut audit = Audit::default();
    arrange.finish(&mut Unique::new(&mut audit)).unwrap();
    assert!(audit.claims.is_empty());
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
    for _ in 0..3 {
        arrange.note(Note::Comment("between"), Span::NONE).unwrap();
        arrange.field(Field::named(Str::Input("a")), Span::NONE).unwrap();
        arrange.scalar(Scalar::Null, Span::NONE).unwrap();
    }
    arrange.note(Note::Comment("last"), Span::NONE).unwrap();
    arrange.close(Span::NONE).unwrap();
    let mut audit = Audit::default();
    arrange.finish(&mut audit).unwrap();
    assert_eq!(audit.notes, 5);
}

/// Notes between the keys and values of a map hide no duplicate key, and come before the entries.
#[test]
fn notes_in_a_map_survive() {
    let mut arrange = Arrange::new(Order::Last, false);
    arrange.open(Open::Map(Len::Unknown), Span::NONE).unwrap();
    for value in 1..=3 {
        arrange.note(Note::Comment("before the key"), Span::NONE).unwrap();
        arrange.open(Open::List(Len::Unknown), Span::NONE).unwrap();
        arrange.scalar(Scalar::Null, Span::NONE).unwrap();
        arrange.close(Span::NONE).unwrap();
        arrange.note(Note::Comment("before the value"), Span::NONE).unwrap();
        arrange.part(Part { bytes: &[value], kind: PartKind::Bytes, total: None, last: true }, Span::NONE).unwrap();
    }
    arrange.close(Span::NONE).unwrap();
    let mut tree = Tree::new();
    arrange.finish(&mut tree).unwrap();
    assert_eq!(Value::from(tree.root().unwrap()), Value::Map(vec![(list([Value::Null]), Value::Bytes(vec![3]))]));
    let mut seen = Audit::default();
    tree.emit(&mut seen).unwrap();
    assert_eq!(seen.notes, 6);
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

/// Walks a value by paths that may have positions. Returns the outcome, and the paths that missed.
fn picked(paths: &[&str], value: &Value) -> (Value, Vec<String>) {
    walked(&LIST_OF_VALUES, paths, value)
}

fn walked(format: &'static Format, paths: &[&str], value: &Value) -> (Value, Vec<String>) {
    let paths: Vec<Path> = paths.iter().map(|path| Path::parse(path).unwrap()).collect();
    VALUE.with_borrow_mut(|known| *known = value.clone());
    let mut walker = Walker::new(format, &Limits::DEFAULT).select(Some(Projection::new(&paths)));
    let mut sink = ValueSink::default();
    walker.walk(b"", 0, &mut sink).unwrap();
    (sink.finish().unwrap(), walker.unselected().iter().map(|missed| missed.path.to_string()).collect())
}

thread_local! {
    /// The value that the formats below read, whatever the bytes.
    static VALUE: RefCell<Value> = const { RefCell::new(Value::Null) };
}

static LIST_OF_VALUES: Format = Format::new("values", "Values", Nature::Text, |_, _| Confidence::No, || Box::new(Values));
static REPEATED: Format =
    Format::new("repeated", "Values", Nature::Text, |_, _| Confidence::No, || Box::new(Values)).repeats(Repeats::List);

struct Values;

impl Reader for Values {
    fn frame(&mut self, buf: &[u8], _: u64, _: bool) -> Result<Frame> {
        Ok(Frame::Message { start: 0, end: buf.len() })
    }

    fn walk<'m>(&mut self, _: &'m [u8], _: u64, sink: &mut dyn Sink<'m>, _: &mut Budget) -> Result<()> {
        VALUE.with_borrow(Clone::clone).emit(&mut Scratched(sink))
    }
}

/// Hands values on as if they lived for the call.
struct Scratched<'s, 'm>(&'s mut dyn Sink<'m>);

impl<'d> Sink<'d> for Scratched<'_, '_> {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.0.open(open, at)
    }

    fn field(&mut self, field: Field<'d, '_>, at: Span) -> Result<Next> {
        self.0.field(Field { name: field.name.scratch(), id: field.id, slot: field.slot }, at)
    }

    fn scalar(&mut self, value: Scalar<'d, '_>, at: Span) -> Result<()> {
        self.0.scalar(value.scratch(), at)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.0.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.0.close(at)
    }
}

#[test]
fn positions_name_elements_of_lists() {
    let item = |i: u64| Value::record([("id", n(i)), ("tags", list([n(i), n(i + 1)]))]);
    let value = Value::record([("items", list((0..5).map(item))), ("total", n(2))]);
    let of = |path: &str| picked(&[path], &value);
    let ids = |ids: &[u64]| Value::record([("items", list(ids.iter().map(|id| Value::record([("id", n(*id))]))))]);
    assert_eq!(of("items[0].id"), (ids(&[0]), vec![]));
    assert_eq!(of("items[-1].id"), (ids(&[4]), vec![]));
    assert_eq!(of("items[1:3].id"), (ids(&[1, 2]), vec![]));
    assert_eq!(of("items[-2:].id"), (ids(&[3, 4]), vec![]));
    assert_eq!(of("items[].id"), (ids(&[0, 1, 2, 3, 4]), vec![]));
    assert_eq!(of("items[3]"), (Value::record([("items", list([item(3)]))]), vec![]));
    let tags = |of: Vec<Value>| Value::record([("items", list(of.into_iter().map(|tag| Value::record([("tags", list([tag]))]))))]);
    assert_eq!(of("items.tags[-1]"), (tags((1..6).map(n).collect()), vec![]));
    assert_eq!(of("items[2].tags[0]"), (tags(vec![n(2)]), vec![]));
    assert_eq!(of("items[7].id"), (ids(&[]), vec!["items[7].id".to_string()]));
    assert_eq!(of("items[-6].id"), (ids(&[]), vec!["items[-6].id".to_string()]));
    assert_eq!(of("total[0]"), (Value::record::<&str>([]), vec!["total[0]".to_string()]));
    let both = picked(&["items[0].id", "items[4]", "total"], &value);
    let kept = list([Value::record([("id", n(0))]), item(4)]);
    assert_eq!(both, (Value::record([("items", kept), ("total", n(2))]), vec![]));
    assert_eq!(picked(&["items[0]", "items.id"], &value).0, {
        let rest = (1..5).map(|i| Value::record([("id", n(i))]));
        Value::record([("items", list([item(0)].into_iter().chain(rest)))])
    });
}

#[test]
fn positions_in_lists_of_lists_and_in_the_message_itself() {
    let value = list([list([n(1), n(2)]), list([n(3)]), n(4)]);
    let of = |path: &str| picked(&[path], &value);
    assert_eq!(of("[0]"), (list([list([n(1), n(2)])]), vec![]));
    assert_eq!(of("[0][1]"), (list([list([n(2)])]), vec![]));
    assert_eq!(of("[][0]"), (list([list([n(1)]), list([n(3)])]), vec![]));
    assert_eq!(of("[-1]"), (list([n(4)]), vec![]));
    assert_eq!(picked(&["[0]"], &n(5)), (Value::Null, vec!["[0]".to_string()]));
}

#[test]
fn positions_in_cases_tags_and_maps() {
    let tagged = |value: Value| Value::Tagged { space: "t".into(), code: 1, value: Box::new(value) };
    let case = |values: Vec<Value>| Value::Variant { name: "Paid".into(), index: 1, values };
    let value = Value::record([("a", case(vec![n(5), n(6)])), ("b", tagged(list([n(1), n(2)])))]);
    assert_eq!(picked(&["a.Paid[1]"], &value), (Value::record([("a", case(vec![n(6)]))]), vec![]));
    assert_eq!(picked(&["b[0]"], &value), (Value::record([("b", tagged(list([n(1)])))]), vec![]));
    let map = Value::Map(vec![(n(7), Value::record([("x", n(1)), ("y", n(2))])), (n(8), n(3))]);
    assert_eq!(picked(&["[7].x"], &map), (Value::Map(vec![(n(7), Value::record([("x", n(1))]))]), vec![]));
    assert_eq!(picked(&["[9]"], &map).1, ["[9]"]);
}

#[test]
fn positions_count_fields_of_one_name_where_these_are_a_list() {
    let p = |i: u64| Value::record([("id", n(i))]);
    let value = Value::record([("h", n(0)), ("p", p(1)), ("h", n(2)), ("p", p(3)), ("q", n(9))]);
    let of = |path: &str| walked(&REPEATED, &[path], &value);
    assert_eq!(of("p[-1]"), (Value::record([("p", p(3))]), vec![]));
    assert_eq!(of("p[0].id"), (Value::record([("p", p(1))]), vec![]));
    assert_eq!(of("q[0]"), (Value::record([("q", n(9))]), vec![]));
    assert_eq!(of("q[1]"), (Value::record::<&str>([]), vec!["q[1]".to_string()]));
    // Order stays.
    let kept = Value::record([("h", n(0)), ("h", n(2)), ("p", p(3))]);
    assert_eq!(walked(&REPEATED, &["h", "p[1]"], &value), (kept, vec![]));
    // A list that stands alone is counted itself.
    let value = Value::record([("p", list([n(1), n(2)]))]);
    assert_eq!(walked(&REPEATED, &["p[1]"], &value), (Value::record([("p", list([n(2)]))]), vec![]));
    // In formats where such fields are duplicate keys, a position is one in a list.
    assert_eq!(picked(&["q[0]"], &Value::record([("q", n(9))])).1, ["q[0]"]);
}

#[test]
fn a_path_that_names_nothing_is_known_with_what_is_there() {
    let item = Value::record([("sku", n(1)), ("price", n(2))]);
    let value = Value::record([("items", list([item.clone(), item]))]);
    let paths: Vec<Path> = ["items.skuu", "items[5].sku", "itmes", "items.sku"].map(|path| Path::parse(path).unwrap()).into();
    VALUE.with_borrow_mut(|known| *known = value);
    let mut walker = Walker::new(&LIST_OF_VALUES, &Limits::DEFAULT).select(Some(Projection::new(&paths)));
    walker.walk(b"", 0, &mut ValueSink::default()).unwrap();
    let missed: Vec<_> = walker.unselected().into_iter().map(|missed| (missed.path.to_string(), missed.step, missed.there)).collect();
    let names = |names: &[&str]| names.iter().map(|name| PathStep::Name((*name).to_string())).collect::<Vec<_>>();
    assert_eq!(
        missed,
        [
            ("items.skuu".to_string(), Some(1), names(&["price", "sku"])),
            ("items[5].sku".to_string(), None, names(&[])),
            ("itmes".to_string(), Some(0), names(&["items"])),
        ]
    );
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
    assert_eq!(refused(&map(n(1), Value::F64(1.0))), None);
    let long = |last: u8| Value::Bytes([&[7; 40][..], &[last]].concat());
    assert_eq!(refused(&map(long(1), long(2))), None);
    assert_eq!(refused(&map(long(1), long(1))), Some(ErrorKind::DoubledKey));
    // Elements and values are no keys, however often they come.
    assert_eq!(refused(&list([n(1), n(1), list([n(1)]), list([n(1)]), Value::Tuple(vec![n(1), n(1)])])), None);
    assert_eq!(refused(&list([n(1), n(5), n(1), n(5), n(1)])), None);
    let values = Value::Map(vec![(n(1), list([n(5)])), (n(2), list([n(5)])), (list([n(1)]), list([n(5)])), (list([n(2)]), list([n(5)]))]);
    assert_eq!(refused(&values), None);
    assert_eq!(refused(&map(list([list([n(1)]), n(2)]), list([list([n(1)]), n(2)]))), Some(ErrorKind::DoubledKey));
    let twice = Value::Map(vec![(list([n(1)]), list([n(2)])), (list([n(2)]), n(3)), (list([n(1)]), n(4))]);
    assert_eq!(refused(&twice), Some(ErrorKind::DoubledKey));
}

/// The adapters that change nothing here hand all events on.
#[test]
fn unique_keys_and_whole_values_pass() {
    fn emit(sink: &mut dyn Sink<'_>) {
        sink.open(Open::Map(Len::Unknown), Span::NONE).unwrap();
        sink.note(Note::Comment("c"), Span::NONE).unwrap();
        for key in 1..=2 {
            sink.scalar(Scalar::uint(key), Span::NONE).unwrap();
            sink.part(Part { bytes: b"x", kind: PartKind::Bytes, total: None, last: true }, Span::NONE).unwrap();
        }
        sink.field(Field::named(Str::Scratch("a")), Span::NONE).unwrap();
        sink.scalar(Scalar::Null, Span::NONE).unwrap();
        sink.close(Span::NONE).unwrap();
    }
    let x = || Value::Bytes(b"x".to_vec());
    let expected = Value::Map(vec![(n(1), x()), (n(2), x()), (Value::text("a"), Value::Null)]);
    let (mut unique, mut whole) = (Tree::new(), Tree::new());
    emit(&mut Unique::new(&mut unique));
    emit(&mut Whole::new(&mut whole));
    for tree in [unique, whole] {
        assert_eq!(Value::from(tree.root().unwrap()), expected);
        let mut seen = Audit::default();
        tree.emit(&mut seen).unwrap();
        assert_eq!(seen.notes, 1);
    }
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

/// Writes events down, and answers each container of one kind, or each field of one name, with
/// `answer`.
struct Choosy {
    at: &'static str,
    answer: Next,
    seen: Vec<String>,
}

impl Choosy {
    fn event(&mut self, what: &str) -> Result<Next> {
        self.seen.push(what.to_string());
        Ok(if what == self.at { self.answer } else { Next::Enter })
    }
}

impl<'m> Sink<'m> for Choosy {
    fn open(&mut self, open: Open<'_>, _: Span) -> Result<Next> {
        self.event(open.kind())
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        self.event(field.name.get())
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, _: Span) -> Result<()> {
        self.event(value.kind()).map(|_| ())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        panic!("a part where whole values are due");
    }

    fn close(&mut self, _: Span) -> Result<()> {
        self.event("end").map(|_| ())
    }
}

#[test]
fn a_sink_skips_and_stops_where_it_wants() {
    let value = Value::record([("a", list([n(1)])), ("b", Value::record([("x", Value::Bool(true))])), ("b", n(2)), ("c", Value::Null)]);
    let seen = |at: &'static str, answer: Next| {
        let mut sink = Choosy { at, answer, seen: Vec::new() };
        let mut arrange = Arrange::new(Order::Group, false);
        value.emit(&mut arrange).unwrap();
        arrange.finish(&mut sink).unwrap();
        sink.seen.join(" ")
    };
    assert_eq!(seen("", Next::Skip), "record a list integer end b list record x bool end integer end c null end");
    assert_eq!(seen("list", Next::Skip), "record a list b list c null end");
    assert_eq!(seen("list", Next::Stop), "record a list");
    assert_eq!(seen("b", Next::Skip), "record a list integer end b c null end");
    assert_eq!(seen("b", Next::Stop), "record a list integer end b");
    assert_eq!(seen("x", Next::Stop), "record a list integer end b list record x");
    assert_eq!(seen("x", Next::Skip), "record a list integer end b list record x end integer end c null end");
    assert_eq!(seen("record", Next::Skip), "record");
}

/// The inner containers that an adapter puts into order are skipped and stopped at like others.
#[test]
fn an_inner_record_and_map_are_skipped_and_stopped_at() {
    let inner = Value::Map(vec![(n(1), Value::Bool(true)), (n(2), Value::Null)]);
    let tuple = Value::Tuple(vec![inner.clone(), n(3)]);
    let value = Value::record([("a", inner), ("b", tuple), ("c", Value::text("x"))]);
    let seen = |at: &'static str, answer: Next| {
        let mut sink = Choosy { at, answer, seen: Vec::new() };
        let mut arrange = Arrange::new(Order::Group, false);
        value.emit(&mut arrange).unwrap();
        arrange.finish(&mut sink).unwrap();
        sink.seen.join(" ")
    };
    let map = "map integer bool integer null end";
    assert_eq!(seen("", Next::Enter), format!("record a {map} b tuple {map} integer end c text end"));
    assert_eq!(seen("map", Next::Skip), "record a map b tuple map integer end c text end");
    assert_eq!(seen("map", Next::Stop), "record a map");
    assert_eq!(seen("tuple", Next::Skip), format!("record a {map} b tuple c text end"));
    assert_eq!(seen("tuple", Next::Stop), format!("record a {map} b tuple"));
    assert_eq!(seen("record", Next::Stop), "record");
}

/// A stop ends all that the adapter holds, a skip only the container.
#[test]
fn what_comes_after_a_message_ends_at_a_stop() {
    let values = [Value::record([("a", n(1))]), Value::Null];
    for (answer, expected) in [(Next::Enter, "record a integer end null"), (Next::Skip, "record null"), (Next::Stop, "record")] {
        let mut arrange = Arrange::new(Order::Keep, false);
        values.iter().for_each(|value| value.emit(&mut arrange).unwrap());
        let mut sink = Choosy { at: "record", answer, seen: Vec::new() };
        arrange.finish(&mut sink).unwrap();
        assert_eq!(sink.seen.join(" "), expected);
    }
}

/// Hands all events on, and asks for whole texts.
struct Through<'m>(Tree<'m>);

impl<'m> Forward<'m> for Through<'m> {
    type To = Tree<'m>;

    fn to(&mut self) -> &mut Tree<'m> {
        &mut self.0
    }

    fn needs(&self) -> Needs {
        Needs::WHOLE_TEXT
    }
}

#[test]
fn all_events_are_handed_on() {
    let mut through = Through(Tree::new());
    let sink: &mut dyn Sink<'_> = &mut through;
    assert_eq!(sink.needs(), Needs::WHOLE_TEXT);
    sink.open(Open::Record { name: "r", len: Len::Unknown }, Span::NONE).unwrap();
    sink.note(Note::Comment("c"), Span::NONE).unwrap();
    sink.field(Field::named(Str::Input("a")), Span::NONE).unwrap();
    sink.scalar(Scalar::uint(1), Span::NONE).unwrap();
    sink.field(Field::named(Str::Input("b")), Span::NONE).unwrap();
    sink.part(Part { bytes: b"x", kind: PartKind::Bytes, total: None, last: true }, Span::NONE).unwrap();
    sink.close(Span::NONE).unwrap();
    let mut seen = Audit::default();
    through.0.emit(&mut seen).unwrap();
    assert_eq!(seen.notes, 1);
    let fields = vec![("a".to_string(), n(1)), ("b".to_string(), Value::Bytes(b"x".to_vec()))];
    assert_eq!(Value::from(through.0.root().unwrap()), Value::Record { name: "r".into(), fields });
}
