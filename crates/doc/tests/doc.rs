//! Documents and data, built by hand.

use std::sync::Arc;

use bytes::Bytes;
use polywire_core::value::Value;
use polywire_core::{ErrorKind, Field, Len, Next, Open, Part, PartKind, Scalar, Sink, Span, Str};
use polywire_doc::{Builder, Datum, DatumKind, Doc, DocSink, List, Member, Object, Repeated, Wanted};

fn text(text: &str) -> Scalar<'_, '_> {
    Scalar::Text(Str::Scratch(text))
}

fn document(repeated: Repeated, value: &Value) -> Datum {
    let wanted = Wanted::everything();
    let mut sink = DocSink::new(Bytes::new(), &wanted, repeated);
    value.emit(&mut sink).unwrap();
    Datum::from(sink.finish(0).unwrap().0)
}

fn json(datum: &Datum) -> String {
    String::from_utf8(datum.to_json()).unwrap()
}

#[test]
fn members_of_one_name_become_one() {
    let n = Value::UInt;
    let value = Value::record([
        ("a", n(1)),
        ("b", Value::record([("x", n(1)), ("y", n(2)), ("x", Value::List(vec![n(3)])), ("x", Value::record([("x", n(5))]))])),
        ("c", n(4)),
        ("a", Value::Null),
    ]);
    assert_eq!(json(&document(Repeated::Group, &value)), r#"{"a":[1,null],"b":{"x":[1,[3],{"x":5}],"y":2},"c":4}"#);
    assert_eq!(json(&document(Repeated::Last, &value)), r#"{"a":null,"b":{"x":{"x":5},"y":2},"c":4}"#);
}

#[test]
fn a_listed_member_is_a_list_even_once() {
    for (repeated, twice) in [(Repeated::Group, "[1,2]"), (Repeated::Last, "[2]")] {
        let mut builder = Builder::new(Bytes::new(), repeated);
        builder.open_object(Member::ELEMENT).unwrap();
        let [one, two, none, list] = ["one", "two", "none", "list"].map(|name| Member { name: builder.name(name), listed: true });
        builder.scalar(one, text("x")).unwrap();
        builder.scalar(two, Scalar::uint(1)).unwrap();
        builder.scalar(two, Scalar::uint(2)).unwrap();
        builder.open_object(none).unwrap();
        builder.close().unwrap();
        builder.open_list(list).unwrap();
        builder.scalar(Member::ELEMENT, Scalar::Null).unwrap();
        builder.close().unwrap();
        builder.close().unwrap();
        let datum = Datum::from(builder.finish().unwrap());
        assert_eq!(json(&datum), format!(r#"{{"one":["x"],"two":{twice},"none":[{{}}],"list":[null]}}"#));
    }
}

#[test]
fn what_is_not_wanted_is_stepped_over_and_counted() {
    let wanted = Wanted::paths([vec!["a", "b"], vec!["d"]]);
    let mut sink = DocSink::new(Bytes::new(), &wanted, Repeated::Last);
    let record = Open::Record { name: "", len: Len::Unknown };
    let at = |start, end| Span::new(start, end);
    let field = |name| Field::named(Str::Input(name));
    assert_eq!(sink.open(record, at(0, 1)).unwrap(), Next::Enter);
    assert_eq!(sink.field(field("a"), at(1, 2)).unwrap(), Next::Enter);
    assert_eq!(sink.open(Open::List(Len::Unknown), at(2, 3)).unwrap(), Next::Enter);
    assert_eq!(sink.open(record, at(3, 4)).unwrap(), Next::Enter);
    assert_eq!(sink.field(field("x"), at(4, 5)).unwrap(), Next::Skip);
    assert_eq!(sink.field(field("b"), at(15, 16)).unwrap(), Next::Enter);
    sink.scalar(Scalar::uint(7), at(16, 17)).unwrap();
    sink.close(at(17, 18)).unwrap();
    sink.scalar(text("on the way"), at(18, 19)).unwrap();
    sink.close(at(19, 20)).unwrap();
    assert_eq!(sink.field(field("c"), at(20, 21)).unwrap(), Next::Skip);
    assert_eq!(sink.field(field("e"), at(26, 27)).unwrap(), Next::Skip);
    sink.close(at(30, 31)).unwrap();
    let (doc, skipped) = sink.finish(31).unwrap();
    assert_eq!(skipped, 10 + 5 + 3);
    assert_eq!(json(&Datum::from(doc)), r#"{"a":[{"b":7},"on the way"]}"#);
}

#[test]
fn keys_that_are_no_text_and_cases_become_names() {
    let case = |values: Vec<Value>| Value::Variant { name: "Case".into(), index: 1, values };
    let value = Value::List(vec![
        Value::Map(vec![
            (Value::UInt(1), case(vec![])),
            (Value::Bool(true), case(vec![Value::UInt(1)])),
            (Value::Tuple(vec![Value::Null, Value::text("a")]), case(vec![Value::UInt(1), Value::UInt(2)])),
            (Value::Bytes(vec![0, 1]), Value::Null),
            (Value::Tagged { space: "t".into(), code: 1, value: Box::new(Value::text("tagged")) }, Value::Bool(false)),
        ]),
        Value::Tagged { space: "t".into(), code: 1, value: Box::new(case(vec![Value::record([("x", Value::Null)])])) },
    ]);
    let expected = r#"[{"1":"Case","true":{"Case":1},"[null,\"a\"]":{"Case":[1,2]},"AAE=":null,"tagged":false},{"Case":{"x":null}}]"#;
    assert_eq!(json(&document(Repeated::Last, &value)), expected);
}

#[test]
fn wanted_keys_need_not_be_text() {
    let wanted = Wanted::paths([["2"], ["Case"]]);
    let mut sink = DocSink::new(Bytes::new(), &wanted, Repeated::Last);
    let pair = |n, value| (Value::UInt(n), value);
    let inner = Value::record([("x", Value::UInt(1))]);
    Value::Map(vec![pair(1, inner.clone()), pair(2, inner.clone()), pair(3, Value::Null)]).emit(&mut sink).unwrap();
    assert_eq!(json(&Datum::from(sink.finish(0).unwrap().0)), r#"{"2":{"x":1}}"#);
    let mut sink = DocSink::new(Bytes::new(), &wanted, Repeated::Last);
    let case = |name: &str, values| Value::Variant { name: name.into(), index: 0, values };
    // A case that is not wanted keeps its place and its kind.
    Value::List(vec![case("Case", vec![Value::UInt(1)]), case("Other", vec![inner]), case("Empty", vec![])]).emit(&mut sink).unwrap();
    assert_eq!(json(&Datum::from(sink.finish(0).unwrap().0)), r#"[{"Case":1},{},"Empty"]"#);
}

#[test]
fn texts_lie_in_the_message_or_the_arena() {
    let body = Bytes::from_static(b"<hello>world");
    let copy = body.clone();
    let wanted = Wanted::everything();
    let mut sink = DocSink::new(body, &wanted, Repeated::Last);
    sink.open(Open::List(Len::Unknown), Span::NONE).unwrap();
    let inside = std::str::from_utf8(&copy[7..]).unwrap();
    sink.scalar(Scalar::Text(Str::Input(inside)), Span::NONE).unwrap();
    sink.scalar(text("made"), Span::NONE).unwrap();
    sink.scalar(Scalar::Text(Str::Input(&inside[5..])), Span::NONE).unwrap();
    sink.scalar(Scalar::Octets(Str::Scratch(b"\xc3\xa4")), Span::NONE).unwrap();
    sink.scalar(Scalar::Octets(Str::Scratch(b"\xc3")), Span::NONE).unwrap();
    for (bytes, last) in [(&b"in "[..], false), (b"parts", true)] {
        sink.part(Part { bytes, kind: PartKind::Text, total: None, last }, Span::NONE).unwrap();
    }
    sink.close(Span::NONE).unwrap();
    let datum = Datum::from(sink.finish(0).unwrap().0);
    assert_eq!(json(&datum), r#"["world","made","","ä","ww==","in parts"]"#);
    let texts: Vec<Option<&str>> = datum.view().items().map(|item| item.as_str()).collect();
    assert_eq!(texts, [Some("world"), Some("made"), Some(""), Some("ä"), None, Some("in parts")]);
}

#[test]
fn values_are_found_by_name_and_index() {
    let owned = Datum::object([("list", Datum::list([Datum::UInt(1), Datum::text("two")])), ("flag", Datum::Bool(true))]);
    let kept = document(Repeated::Last, &Value::from(&owned));
    assert_eq!(owned, kept);
    for datum in [owned, kept] {
        let view = datum.view();
        assert_eq!((view.kind(), view.len(), view.is_empty()), (DatumKind::Object, 2, false));
        let list = view.get("list").unwrap();
        assert_eq!(list.index(1).and_then(|item| item.as_str()), Some("two"));
        assert!(list.index(2).is_none() && list.index(usize::MAX).is_none() && view.get("none").is_none());
        assert!(list.get("x").is_none() && view.get("flag").unwrap().index(0).is_none());
        assert!(view.path(["list", "x"]).is_none() && view.path([]) == Some(view));
        let names: Vec<&str> = view.members().map(|(name, _)| name).collect();
        assert_eq!(names, ["list", "flag"]);
        assert_eq!(list.to_datum(), Datum::list([Datum::UInt(1), Datum::text("two")]));
    }
}

#[test]
fn numbers_are_equal_by_value() {
    let equal = [
        (Datum::UInt(1), Datum::F64(1.0)),
        (Datum::F32(599.99), Datum::F64(599.99)),
        (Datum::Decimal("0.10".into()), Datum::F64(0.1)),
        (Datum::Big("100000000000000000000".into()), Datum::F64(1e20)),
        (Datum::Int(-3), Datum::F32(-3.0)),
        (Datum::UInt(0), Datum::F64(-0.0)),
    ];
    for (one, other) in equal {
        assert_eq!(one, other);
        assert_eq!(other, one);
        assert!(one.view().loosely_equals(other.view()), "{one:?} {other:?}");
    }
    let different = [
        (Datum::UInt(u64::MAX), Datum::F64(u64::MAX as f64)),
        (Datum::UInt(1), Datum::text("1")),
        (Datum::Null, Datum::Bool(false)),
        (Datum::F64(0.1), Datum::F64(0.2)),
        (Datum::Int(-1), Datum::UInt(1)),
    ];
    for (one, other) in different {
        assert_ne!(one, other);
        assert_ne!(other, one);
    }
}

#[test]
fn loose_equality_reads_text() {
    let loose = |one: &Datum, other: &Datum| one.view().loosely_equals(other.view()) && other.view().loosely_equals(one.view());
    for (text, number) in [
        ("1", Datum::UInt(1)),
        (" 1.50 ", Datum::F64(1.5)),
        ("", Datum::UInt(0)),
        ("0x10", Datum::UInt(16)),
        ("+5", Datum::UInt(5)),
        ("12345678901234567890", Datum::UInt(12_345_678_901_234_567_890)),
        ("1", Datum::Bool(true)),
        ("0", Datum::Bool(false)),
        ("-1e3", Datum::Int(-1000)),
    ] {
        assert!(loose(&Datum::text(text), &number), "{text:?} {number:?}");
    }
    for (text, number) in [
        ("1x", Datum::UInt(1)),
        ("inf", Datum::F64(f64::INFINITY)),
        ("12345678901234567891", Datum::UInt(12_345_678_901_234_567_890)),
        ("true", Datum::Bool(true)),
        ("1", Datum::list([Datum::UInt(1)])),
        ("", Datum::Null),
    ] {
        assert!(!loose(&Datum::text(text), &number), "{text:?} {number:?}");
    }
    assert!(loose(&Datum::Null, &Datum::Null) && !loose(&Datum::Null, &Datum::UInt(0)));
    assert!(loose(&Datum::Bool(true), &Datum::F64(1.0)));
}

#[test]
fn truth_is_as_in_scripts() {
    let falsy = [
        Datum::Null,
        Datum::Bool(false),
        Datum::UInt(0),
        Datum::F64(-0.0),
        Datum::F64(f64::NAN),
        Datum::text(""),
        Datum::Decimal("0.0e9".into()),
    ];
    let truthy = [
        Datum::Bool(true),
        Datum::Int(-1),
        Datum::text("0"),
        Datum::list([]),
        Datum::Object(Object::default()),
        Datum::Decimal("0.01".into()),
    ];
    assert!(falsy.iter().all(|datum| !datum.view().is_truthy()));
    assert!(truthy.iter().all(|datum| datum.view().is_truthy()));
}

#[test]
fn the_order_of_members_makes_no_difference() {
    let (one, two) = ((0..40).map(|n| (format!("m{n}"), Datum::UInt(n))), (0..40).rev().map(|n| (format!("m{n}"), Datum::UInt(n))));
    let (mut one, two): (Object, Object) = (one.collect(), two.collect());
    assert_eq!(Datum::Object(one.clone()), Datum::Object(two.clone()));
    one.insert("m3", Datum::Null);
    assert_ne!(Datum::Object(one.clone()), Datum::Object(two));
    assert_eq!((one.len(), one.get("m3"), one.get("m39")), (40, Some(&Datum::Null), Some(&Datum::UInt(39))));
    one.retain(|name, _| name.ends_with('3'));
    assert_eq!((one.len(), one.get("m33"), one.get("m4")), (4, Some(&Datum::UInt(33)), None));
}

#[test]
fn json_is_short_and_exact() {
    let datum = Datum::list([
        Datum::F32(599.99),
        Datum::F64(10.0),
        Datum::F64(1e300),
        Datum::F64(f64::NAN),
        Datum::UInt(u64::MAX),
        Datum::Int(i64::MIN),
        Datum::Decimal("0.12345678901234567890".into()),
        Datum::text("a\"\\\n\u{8}\u{1}é"),
        Datum::Bytes(Arc::from(&b"\x00\xff"[..])),
        Datum::list([]),
        Datum::object([("k\"", Datum::Null)]),
    ]);
    let expected = concat!(
        "[599.99,10,1e300,null,18446744073709551615,-9223372036854775808,0.12345678901234567890,",
        r#""a\"\\\n\b\u0001é","AP8=",[],{"k\"":null}]"#
    );
    assert_eq!(json(&datum), expected);
    assert_eq!(json(&document(Repeated::Last, &Value::from(&datum))), expected);
}

#[test]
fn depth_is_bounded_and_dropping_is_flat() {
    let mut builder = Builder::new(Bytes::new(), Repeated::Group);
    let error = (0..5000).find_map(|_| builder.open_list(Member::ELEMENT).err()).unwrap();
    assert_eq!(error.kind(), ErrorKind::Limit);
    let mut datum = Datum::Null;
    for n in 0..200_000 {
        datum = if n % 2 == 0 { Datum::list([datum]) } else { Datum::object([("n", datum)]) };
    }
    assert_eq!(json(&datum).len(), 100_000 * (2 + 6) + 4);
    drop(datum);
}

#[test]
fn shared_values_stay_as_they_are() {
    let mut list = List::from(vec![Datum::UInt(1)]);
    let before = list.clone();
    list.push(Datum::UInt(2));
    assert_eq!((before.len(), list.len()), (1, 2));
    let object: Object = [("a", Datum::List(list))].into_iter().collect();
    let mut changed = object.clone();
    changed.insert("a", Datum::Null);
    assert_eq!(object.get("a").map(|value| value.view().len()), Some(2));
}

#[test]
fn nothing_is_null() {
    assert_eq!(Datum::from(Doc::default()), Datum::Null);
    assert_eq!(Datum::from_walk(|_| Ok(())).unwrap(), Datum::Null);
    assert_eq!(Datum::from_walk(|sink| sink.scalar(Scalar::uint(3), Span::NONE)).unwrap(), Datum::UInt(3));
    assert!(Datum::from_walk(|sink| sink.open(Open::List(Len::Unknown), Span::NONE).map(|_| ())).is_err());
}
