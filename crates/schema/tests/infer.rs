//! Inference: what becomes what, and that the schema accepts every sample, whatever the order.

use std::path::Path;

use polywire_core::format::Format;
use polywire_core::schema::{Case, FieldType, Schema, Type};
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::value::Tree;
use polywire_core::value::Value;
use polywire_core::{Limits, Timestamp};
use polywire_formats::registry;
use polywire_schema::accept::accepts;
use polywire_schema::infer::{Inference, thresholds};
use polywire_schema::listing::listing;
use polywire_testing::{self as testing, Rng, Shape};

fn infer(values: &[Value]) -> Schema {
    let mut inference = Inference::new();
    for value in values {
        inference.add(|sink| value.emit(sink)).expect("a value can be told");
    }
    inference.finish(None)
}

/// The listing of the samples' schema, which accepts each of them.
fn inferred(values: &[Value]) -> String {
    let schema = infer(values);
    schema.check().unwrap_or_else(|error| panic!("{error}:\n{}", listing(&schema)));
    for value in values {
        let mut tree = Tree::new();
        value.emit(&mut tree).expect("a tree takes any value");
        accepts(&schema, tree.root().expect("a value")).unwrap_or_else(|mismatch| panic!("{mismatch}\n{value:?}\n{}", listing(&schema)));
    }
    listing(&schema)
}

/// The same of JSON lines, without the first line, which has the number of samples.
fn of_json(lines: &str) -> String {
    let json = registry::find("json").expect("a format");
    let values: Vec<Value> = lines
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| Value::from(testing::read(json, line.as_bytes()).expect("a line of JSON").root().expect("a value")))
        .collect();
    inferred(&values).split_once('\n').expect("a line").1.to_string()
}

fn times(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|n| line(n) + "\n").collect()
}

#[test]
fn numbers_get_the_natural_width_that_holds_them_with_a_bit_to_spare() {
    for (lines, ty) in [
        ("0\n255", "uint32"),
        ("0\n2147483647", "uint32"),
        ("0\n2147483648", "uint64"),
        ("-1\n127", "int32"),
        ("-1\n1073741823", "int32"),
        ("-1\n1073741824", "int64"),
        ("-1\n9223372036854775807", "int64"),
        ("18446744073709551615\n1", "uint64"),
        ("18446744073709551615\n-1", "integer"),
        ("123456789012345678901234567890\n1", "integer"),
        ("1\n2.5", "number"),
        ("1\n2.5\n3.0", "uint32 | float64"),
        ("2.5\n3.0", "float64"),
        ("9007199254740993\n2.5", "decimal"),
        ("0.1\n0.12345678901234567890123", "float64"),
        ("0.1\n1e400", "decimal"),
        ("123456789012345678901234567890\n2.5", "decimal"),
        ("1\nnull", "uint32?"),
        ("null", "null"),
        ("1\ntrue", "bool | uint32"),
        ("1\n\"a\"\nnull", "(uint32 | text)?"),
    ] {
        assert_eq!(of_json(lines), format!("root type Message = {ty}\n"), "{lines}");
    }
    let type_of = |values: &[Value]| inferred(values).lines().last().unwrap().to_string();
    assert_eq!(type_of(&[Value::F32(1.5), Value::F32(f32::NAN)]), "root type Message = float32");
    assert_eq!(type_of(&[Value::F32(1.5), Value::UInt(3)]), "root type Message = number");
    assert_eq!(type_of(&[Value::F64(f64::NAN), Value::Decimal("1e400".into())]), "root type Message = decimal | float64");
    assert_eq!(type_of(&[Value::F64(f64::INFINITY), Value::UInt(u64::MAX)]), "root type Message = uint64 | float64");
}

#[test]
fn scalars_of_the_model_keep_their_types() {
    let moment = |nanos| Value::Time(Timestamp::new(1_700_000_000, nanos).unwrap());
    let type_of = |values: &[Value]| inferred(values).lines().last().unwrap().to_string();
    assert_eq!(type_of(&[moment(0), moment(5_000_000)]), "root type Message = timestamp(ms)");
    assert_eq!(type_of(&[moment(0)]), "root type Message = timestamp(s)");
    assert_eq!(type_of(&[moment(1), moment(1000)]), "root type Message = timestamp(ns)");
    assert_eq!(type_of(&[Value::Bytes(vec![1])]), "root type Message = bytes");
    assert_eq!(type_of(&[Value::Octets(vec![0xff]), Value::text("a")]), "root type Message = octets");
    let tagged = |code, value| Value::Tagged { space: "x".into(), code, value: Box::new(value) };
    assert_eq!(
        type_of(&[tagged(1, Value::text("a")), tagged(2, Value::UInt(1)), tagged(1, Value::Null)]),
        "root type Message = tag<x 1, text?> | tag<x 2, uint32>"
    );
}

#[test]
fn texts_that_are_few_and_come_often_are_an_enumeration() {
    let states = ["Open", "Paid", "Void"];
    let many = times(300, |n| format!("{{\"state\":\"{}\"}}", states[n % 3]));
    assert_eq!(of_json(&many), "root record Message {\n    state: State\n}\n\nenum State { Open, Paid, Void }\n");
    // Too few samples, a rare member, no names, too many members, one member only, truth values.
    for lines in [
        times(299, |n| format!("{{\"state\":\"{}\"}}", states[n % 3])),
        times(400, |n| format!("{{\"state\":\"{}\"}}", if n < 4 { "Lost" } else { states[n % 3] })),
        times(300, |n| format!("{{\"state\":\"in state {}\"}}", n % 3)),
        times(300, |n| format!("{{\"state\":\"s{n}\"}}")),
        times(300, |_| "{\"state\":\"Open\"}".into()),
        times(300, |n| format!("{{\"state\":\"{}\"}}", n % 2 == 0)),
    ] {
        assert!(of_json(&lines).contains("    state: text  # "), "{}", of_json(&lines));
    }
}

#[test]
fn texts_that_look_like_something_stay_text_with_a_remark() {
    let listing = of_json("{\"at\":\"2026-02-11T09:41:27.316Z\",\"n\":\"17\",\"x\":\"1.50\",\"b\":\"true\",\"zip\":\"007\"}");
    for line in [
        "at: text   # looks like a timestamp",
        "n: text    # looks like a whole number",
        "x: text    # looks like a number",
        "b: text    # true or false",
        "zip: text  # 3 bytes",
    ] {
        assert!(listing.contains(line), "{listing}");
    }
}

#[test]
fn numbers_that_look_like_moments_have_a_remark() {
    let listing = of_json("{\"start_time\":1773468124000,\"created\":1773468124,\"id\":1773468125,\"updated\":7}");
    for line in
        ["# 1773468124000; looks like milliseconds since 1970", "# 1773468124; looks like seconds since 1970", "# 1773468125\n", "# 7\n"]
    {
        assert!(listing.contains(line), "{listing}");
    }
}

#[test]
fn fields_are_optional_nullable_and_repeated() {
    let listing = of_json("{\"a\":1,\"c\":null}\n{\"a\":2,\"b\":\"x y\",\"c\":3}");
    assert_eq!(listing, "root record Message {\n    a: uint32   # 1 to 2\n    b?: text    # 3 bytes; in 1 of 2\n    c: uint32?  # 3\n}\n");
    let xml = registry::find("xml").expect("a format");
    let schema = of_messages(xml, b"<a><b>1</b><c/><b>2</b></a><a><b>3</b></a>", None);
    assert!(schema.contains("    b*: text  # looks like a whole number\n    c?: "), "{schema}");
}

#[test]
fn lists_whose_positions_differ_are_tuples() {
    assert_eq!(of_json("[1,\"a\"]\n[2,\"b c\"]"), "root type Message = (uint32, text)\n");
    assert_eq!(of_json("[1,2]\n[3,4]"), "root type Message = list<uint32>\n");
    assert_eq!(of_json("[1,\"a\"]\n[2]"), "root type Message = list<uint32 | text>\n");
    assert_eq!(of_json("[]"), "root type Message = list<any>\n");
    let nine = format!("[{}\"a\"]", "1,".repeat(thresholds::MAX_TUPLE));
    assert_eq!(of_json(&nine), "root type Message = list<uint32 | text>\n");
}

#[test]
fn records_whose_names_are_data_are_maps() {
    assert_eq!(of_json("{\"2026-01-01\":1,\"2026-01-02\":2}"), "root type Message = map<text, uint32>\n");
    // Hardly any record has the same names.
    let lines = times(40, |n| {
        format!(
            "{{\"user{}\":1,\"user{}\":300}}",
            "abcdefghijklmnopqrstuvwxyz".chars().nth(n % 26).unwrap(),
            (b'A' + (n % 26) as u8) as char
        )
    });
    assert_eq!(of_json(&lines), "root type Message = map<text, uint32>\n");
    let many = format!("{{{}}}", (0..=thresholds::MAX_FIELDS).map(|n| format!("\"name{n}x\":{}", n % 2)).collect::<Vec<_>>().join(","));
    assert_eq!(of_json(&many), "root type Message = map<text, uint32>\n");
    let long = format!("{{\"{}\":1}}", "n".repeat(thresholds::MAX_NAME + 1));
    assert_eq!(of_json(&long), "root type Message = map<text, uint32>\n");
    // A wide table is none.
    let wide = format!("{{{}}}", (0..500).map(|n| format!("\"column{n}\":{n}")).collect::<Vec<_>>().join(","));
    assert!(of_json(&wide).starts_with("root record Message {\n    column0: uint32"));
    let keyed = Value::Map(vec![(Value::UInt(1), Value::Bool(true)), (Value::text("a"), Value::Null)]);
    assert!(inferred(&[keyed]).ends_with("root type Message = map<uint32 | text, bool?>\n"));
}

#[test]
fn records_of_one_field_and_texts_are_a_sum_type() {
    let lines = times(12, |n| ["{\"Circle\":2.5}", "{\"Square\":{\"side\":1,\"fill\":true}}", "\"Empty\""][n % 3].into());
    assert_eq!(
        of_json(&lines),
        "root sum Message {\n    Circle(float64)  # 4 times\n    Empty\n    Square(Square)   # 4 times\n}\n\n\
         record Square {\n    side: uint32  # always 1\n    fill: bool\n}\n"
    );
    // Two samples are no evidence.
    assert!(of_json("{\"a\":1}\n{\"b\":2}").starts_with("root record Message {"));
    let case = |name: &str, index, values: Vec<Value>| Value::Variant { name: name.into(), index, values };
    let listing = inferred(&[
        case("A", 0, vec![Value::UInt(1), Value::text("x")]),
        case("A", 0, vec![Value::UInt(1)]),
        case("B", 1, vec![]),
        case("", 2, vec![Value::Null]),
    ]);
    assert!(listing.contains("root sum Message {\n    A(uint32, text?) = 0  # 2 times\n    B = 1                 # 1 time\n    case2(null) = 2       # 1 time\n}"), "{listing}");
}

#[test]
fn records_of_the_same_fields_are_one_type() {
    let line = "{\"currentPrice\":{\"amount\":1.5,\"currency\":\"EUR\"},\"lowestPrice\":{\"amount\":2,\"currency\":\"EUR\"},\"fee\":{\"amount\":300,\"currency\":\"X\"}}";
    let listing = of_json(line);
    assert!(listing.contains("    currentPrice: Price\n    lowestPrice: Price\n    fee: Price\n"), "{listing}");
    assert!(listing.contains("record Price {\n    amount: number  # 1.5 to 300.0\n"), "{listing}");
}

#[test]
fn trees_of_records_are_a_recursive_type() {
    let tree = "{\"root\":{\"name\":\"a\",\"children\":[{\"name\":\"b\",\"children\":[]},{\"name\":\"c\",\"children\":[{\"name\":\"d\",\"children\":[]}]}]}}";
    let listing = of_json(tree);
    assert_eq!(listing.matches("record ").count(), 2, "{listing}");
    assert!(listing.contains("children: list<Root>") || listing.contains("children: list<Children>"), "{listing}");
}

#[test]
fn names_that_clash_are_numbered() {
    let listing = of_json("{\"a\":{\"item\":{\"x\":1}},\"b\":{\"item\":{\"y\":1}}}");
    assert!(listing.contains("item: Item\n") && listing.contains("item: Item2\n"), "{listing}");
}

/// The listing of a stream's messages in any format, each of which its schema accepts. Walked
/// twice: for the schema, and to hold against it.
fn of_messages(format: &'static Format, bytes: &[u8], name: Option<&str>) -> String {
    let mut inference = Inference::new();
    each_message(format, bytes, |walker, message, base| inference.add(|sink| walker.walk(message, base, sink)).unwrap());
    let schema = inference.finish(name);
    schema.check().unwrap();
    each_message(format, bytes, |walker, message, base| {
        let mut tree = Tree::new();
        walker.walk(message, base, &mut tree).unwrap();
        accepts(&schema, tree.root().unwrap()).unwrap_or_else(|mismatch| panic!("{mismatch}\n{}", listing(&schema)));
    });
    listing(&schema)
}

fn each_message(format: &'static Format, bytes: &[u8], mut then: impl FnMut(&mut Walker, &[u8], u64)) {
    let mut walker = Walker::new(format, &Limits::DEFAULT).doubles(Doubles::Keep);
    let mut stream = Stream::new(bytes);
    while let Some(message) = stream.next(&mut walker).expect("a sound stream") {
        let (bytes, base) = (message.bytes.to_vec(), message.base);
        then(&mut walker, &bytes, base);
    }
}

#[test]
fn the_examples_are_accepted_by_their_schemas() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the examples").flatten() {
        let ending = entry.path().extension().and_then(|ending| ending.to_str()).unwrap_or("").to_string();
        let ending = if ending == "jsonl" { "json".to_string() } else { ending };
        let Some(format) = registry::by_extension(&ending) else { continue };
        let bytes = std::fs::read(entry.path()).expect("a readable file");
        assert_eq!(of_messages(format, &bytes, None), of_messages(format, &bytes, None), "{}", entry.path().display());
        count += 1;
    }
    assert!(count >= 8, "the examples were not found");
}

#[test]
fn random_values_are_accepted_by_their_schemas() {
    let mut rng = Rng::with_seed(3);
    for round in 0..1500 {
        let shape = if round % 2 == 0 { Shape::PLAIN } else { Shape::ANY };
        let values: Vec<Value> = (0..rng.usize(1..12)).map(|_| testing::value(&mut rng, shape)).collect();
        inferred(&values);
    }
    // Many at once, so that thresholds are crossed.
    let values: Vec<Value> = (0..4000).map(|_| testing::value(&mut rng, Shape::ANY)).collect();
    inferred(&values);
}

#[test]
fn the_order_of_samples_changes_nothing() {
    let mut rng = Rng::with_seed(11);
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        lines.sort();
        lines
    };
    let json = registry::find("json").expect("a format");
    for file in ["tickets.jsonl", "nested.jsonl", "packets.jsonl"] {
        let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(file)).unwrap();
        let mut lines: Vec<&str> = text.lines().take(300).collect();
        let first = of_messages(json, lines.join("\n").as_bytes(), None);
        for _ in 0..4 {
            rng.shuffle(&mut lines);
            assert_eq!(sorted(&of_messages(json, lines.join("\n").as_bytes(), None)), sorted(&first), "{file}");
        }
    }
}

/// A type with its references written out to some depth, fields and alternatives sorted, names of
/// types left out.
fn written_out(schema: &Schema, ty: &Type, depth: usize) -> String {
    let several = |types: &mut dyn Iterator<Item = &Type>| -> Vec<String> { types.map(|ty| written_out(schema, ty, depth)).collect() };
    let sorted = |mut texts: Vec<String>| {
        texts.sort();
        texts.join(", ")
    };
    match ty {
        Type::Reference(..) if depth == 0 => "…".into(),
        Type::Reference(name, _) => written_out(schema, schema.get(name).expect("a type"), depth - 1),
        Type::Nullable(inner) => format!("{}?", written_out(schema, inner, depth)),
        Type::List(inner, _) => format!("[{}]", written_out(schema, inner, depth)),
        Type::Map(key, value) => format!("map {} {}", written_out(schema, key, depth), written_out(schema, value, depth)),
        Type::Tuple(parts) => format!("({})", several(&mut parts.iter()).join(", ")),
        Type::Tagged { code, inner, .. } => format!("tag {code} {}", written_out(schema, inner, depth)),
        Type::Record(record) => {
            let field =
                |field: &FieldType| format!("{} {:?} {} {}", field.name, field.presence, written_out(schema, &field.ty, depth), field.doc);
            format!("{{{}}}", sorted(record.fields.iter().map(field).collect()))
        }
        Type::Sum(sum) => {
            let case = |case: &Case| {
                let name = if sum.untagged { "" } else { &case.name };
                format!("{name} {:?} ({})", case.id, several(&mut case.carries.iter()).join(", "))
            };
            format!("<{}>", sorted(sum.cases.iter().map(case).collect()))
        }
        ty => ty.to_string(),
    }
}

#[test]
fn the_order_of_random_samples_changes_nothing_but_order_and_names() {
    let shape_of = |values: &[Value]| {
        let schema = infer(values);
        written_out(&schema, &Type::Reference(schema.root.clone().expect("a root"), vec![]), 8)
    };
    let mut rng = Rng::with_seed(23);
    for round in 0..600 {
        let shape = if round % 2 == 0 { Shape::PLAIN } else { Shape::ANY };
        let count = if round == 0 { 600 } else { rng.usize(2..12) };
        let mut values: Vec<Value> = (0..count).map(|_| testing::value(&mut rng, shape)).collect();
        let first = shape_of(&values);
        rng.shuffle(&mut values);
        assert!(shape_of(&values) == first, "{values:?}\n{first}\n{}", shape_of(&values));
    }
}

/// The schema of values that are split over several states, and the states merged in some order.
fn merged(values: &[Value], rng: &mut Rng) -> Schema {
    let mut parts: Vec<Inference> = (0..rng.usize(1..6)).map(|_| Inference::new()).collect();
    for value in values {
        let part = rng.usize(..parts.len());
        parts[part].add(|sink| value.emit(sink)).expect("a value can be told");
    }
    // A random pair at a time is a random tree of merges.
    while parts.len() > 1 {
        let one = parts.swap_remove(rng.usize(..parts.len()));
        let other = parts.swap_remove(rng.usize(..parts.len()));
        parts.push(one.merge(other));
    }
    let all = parts.pop().expect("a state");
    assert_eq!(all.samples(), values.len() as u64);
    all.finish(None)
}

#[test]
fn parts_merge_to_the_same_schema_in_any_order() {
    let mut rng = Rng::with_seed(1919);
    for round in 0..1500 {
        let shape = if round % 2 == 0 { Shape::PLAIN } else { Shape::ANY };
        let count = if round % 300 == 0 { 600 } else { rng.usize(1..16) };
        let mut values: Vec<Value> = (0..count).map(|_| testing::value(&mut rng, shape)).collect();
        let first = infer(&values);
        assert_eq!(merged(&values, &mut rng), first, "{values:?}\n{}", listing(&first));
        rng.shuffle(&mut values);
        assert_eq!(infer(&values), first, "{values:?}\n{}", listing(&first));
        assert_eq!(merged(&values, &mut rng), first, "{values:?}\n{}", listing(&first));
    }
}

#[test]
fn parts_of_the_examples_merge_to_the_same_schema() {
    let json = registry::find("json").expect("a format");
    let mut rng = Rng::with_seed(7);
    for file in ["tickets.jsonl", "nested.jsonl", "packets.jsonl"] {
        let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(file)).unwrap();
        let value = |line: &str| Value::from(testing::read(json, line.as_bytes()).expect("JSON").root().expect("a value"));
        let values: Vec<Value> = text.lines().take(300).map(value).map(|value| vary(value, &mut rng)).collect();
        let first = infer(&values);
        for _ in 0..4 {
            assert_eq!(merged(&values, &mut rng), first, "{file}");
        }
    }
}

#[test]
fn fields_keep_the_order_of_records_and_contradictions_have_one_answer() {
    let order = |lines: &str| -> String {
        let listing = of_json(lines);
        listing.lines().filter_map(|line| line.strip_prefix("    ")?.split([':', '?']).next()).collect::<Vec<_>>().join(" ")
    };
    let rare = "{\"a\":true,\"d\":1}\n".repeat(4);
    let full = "{\"a\":true,\"b\":1,\"c\":1,\"d\":1}\n";
    assert_eq!(order(&format!("{rare}{full}")), "a b c d", "the mean position of d is before that of c");
    assert_eq!(order(&format!("{full}{rare}")), "a b c d");
    // Fields of unlike records are not mixed.
    let unlike = "{\"a\":true,\"z\":1}\n{\"b\":true,\"y\":1}\n";
    assert_eq!(order(unlike), "a z b y");
    let (one, other) = ("{\"x\":true,\"y\":1}\n", "{\"y\":1,\"x\":true}\n");
    assert_eq!(order(&format!("{one}{other}")), "x y");
    assert_eq!(order(&format!("{other}{one}")), "x y");
    assert_eq!(order(&format!("{other}{one}{other}")), "y x");
}

/// Limits are crossed by the parts together, though by none alone.
#[test]
fn parts_cross_the_limits_together() {
    let mut rng = Rng::with_seed(77);
    let record = |name: String, value: Value| Value::Record { name: String::new(), fields: vec![(name, value)] };
    let tag = |code: u64| Value::Tagged { space: "x".into(), code, value: Box::new(Value::List(vec![Value::UInt(code)])) };
    let case = |n: u32| Value::Variant { name: format!("C{n}"), index: n, values: vec![Value::UInt(1)] };
    let named = |n: usize| Value::Record { name: format!("R{n}"), fields: vec![(format!("f{n}"), Value::UInt(n as u64))] };
    let lists: Vec<Value> = (0..20).map(|n| Value::List(vec![Value::UInt(1); n % 11])).collect();
    let sets: Vec<Vec<Value>> = vec![
        (0..=thresholds::MAX_FIELDS).map(|n| record(format!("name{n}x"), Value::UInt(1))).collect(),
        (0..=thresholds::MAX_TAGS as u64).map(tag).collect(),
        (0..=thresholds::MAX_CASES as u32).map(case).collect(),
        (0..=thresholds::MAX_RECORD_NAMES).map(named).collect(),
        (0..=thresholds::MAX_MEMBERS).flat_map(|n| vec![Value::text(format!("m{n}")); 400]).collect(),
        lists,
    ];
    for mut values in sets {
        let first = infer(&values);
        for _ in 0..4 {
            rng.shuffle(&mut values);
            assert_eq!(merged(&values, &mut rng), first, "{}", listing(&first));
        }
    }
}

/// 10,000 messages of real size, made of the examples with what varies in practice: absent and null
/// fields, other numbers, texts and lengths.
#[test]
fn ten_thousand_varied_messages() {
    let json = registry::find("json").expect("a format");
    let mut rng = Rng::with_seed(5);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for file in ["tickets.jsonl", "nested.jsonl"] {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        let lines: Vec<Value> =
            text.lines().map(|line| Value::from(testing::read(json, line.as_bytes()).unwrap().root().unwrap())).collect();
        let values: Vec<Value> = (0..10_000).map(|n| vary(lines[n % lines.len()].clone(), &mut rng)).collect();
        assert_eq!(inferred(&values), listing(&infer(&values)), "{file}");
    }
}

fn vary(value: Value, rng: &mut Rng) -> Value {
    match value {
        Value::Record { name, fields } => {
            let keep = fields.len() == 1;
            let fields = fields.into_iter().filter(|_| keep || rng.u8(..20) > 0).collect::<Vec<_>>();
            Value::Record { name, fields: fields.into_iter().map(|(name, value)| (name, vary(value, rng))).collect() }
        }
        Value::List(values) => {
            let again = rng.usize(..3);
            let more: Vec<Value> = values.iter().take(again).cloned().collect();
            Value::List(values.into_iter().chain(more).map(|value| vary(value, rng)).collect())
        }
        _ if rng.u8(..100) == 0 => Value::Null,
        Value::UInt(number) => Value::UInt(number ^ rng.u64(..1000)),
        Value::Text(text) if rng.u8(..10) == 0 => Value::Text(format!("{text} {}", rng.u32(..))),
        other => other,
    }
}

/// Each message has names that no other has, at each of its levels: what is remembered must not
/// grow with them.
#[test]
fn hostile_samples_do_not_make_the_schema_grow() {
    let json = registry::find("json").expect("a format");
    let mut inference = Inference::new();
    let mut walker = Walker::new(json, &Limits::DEFAULT);
    let mut samples = Vec::new();
    for n in 0..600 {
        let level = |inner: String| format!("{{{}}}", (0..6).map(|m| format!("\"k{n}_{m}\":{inner}")).collect::<Vec<_>>().join(","));
        samples.push(level(level(level("[1,\"x\",{\"y\":[]}]".into()))));
    }
    for sample in &samples {
        inference.add(|sink| walker.walk(sample.as_bytes(), 0, sink)).unwrap();
    }
    let schema = inference.finish(None);
    schema.check().unwrap();
    assert!(schema.types.len() <= thresholds::MAX_PLACES && listing(&schema).len() < 20_000, "{}", listing(&schema).len());
    for sample in &samples {
        accepts(&schema, testing::read(json, sample.as_bytes()).unwrap().root().unwrap()).unwrap();
    }
}

#[test]
fn too_many_places_give_up_the_deepest_level() {
    let record = |name: &str, count: usize, inner: &dyn Fn(usize) -> String| {
        format!(
            "{{{}}}",
            (0..count)
                .map(|n| format!("\"{name}{}x\":{}", char::from(b'a' + (n % 26) as u8).to_string().repeat(n / 26 + 1), inner(n)))
                .collect::<Vec<_>>()
                .join(",")
        )
    };
    let leaf = |n: usize| if n.is_multiple_of(2) { n.to_string() } else { "\"a b\"".to_string() };
    // 200 records of 200 fields each, and other names in each of them.
    let sample = record("a", 200, &|n| record(&format!("b{}y", "z".repeat(n)), 200, &leaf));
    let listing = of_json(&sample);
    assert!(listing.starts_with("root record Message {\n    aax: any\n") && listing.matches(": any\n").count() == 200, "{listing}");
    // The same in a level that stays: values beside the deep part are seen.
    let listing =
        of_json(&format!("{{\"before\":[1],\"deep\":{sample},\"after\":[true]}}\n{{\"before\":[300],\"deep\":{sample},\"after\":[]}}"));
    assert!(listing.contains("before: list<uint32>") && listing.contains("after: list<bool>") && listing.contains("aax: any"), "{listing}");
}

#[test]
fn deep_samples_are_of_any_type_below() {
    let deep = format!("{}1{}", "[".repeat(400), "]".repeat(400));
    let text = of_json(&deep);
    assert!(text.contains("list<any>"), "{text}");
}

#[test]
fn a_schema_refuses_what_its_samples_are_not() {
    let json = registry::find("json").expect("a format");
    let mut inference = Inference::new();
    let mut walker = Walker::new(json, &Limits::DEFAULT);
    for sample in [
        "{\"id\":1,\"price\":2.5,\"tags\":[\"a b\"],\"pair\":[1,\"x\"]}",
        "{\"id\":200,\"price\":3,\"tags\":[],\"pair\":[2,\"y\"],\"note\":\"n\"}",
    ] {
        inference.add(|sink| walker.walk(sample.as_bytes(), 0, sink)).unwrap();
    }
    let schema = inference.finish(None);
    let sound = "{\"id\":1,\"price\":2,\"tags\":[\"z\"],\"pair\":[1,\"x\"]}";
    accepts(&schema, testing::read(json, sound.as_bytes()).unwrap().root().unwrap()).unwrap();
    for (bad, message) in [
        ("{\"id\":4294967296,\"price\":2,\"tags\":[],\"pair\":[1,\"x\"]}", "expected uint32, saw integer 4294967296, at byte 6, in id"),
        ("{\"id\":1,\"price\":\"2\",\"tags\":[],\"pair\":[1,\"x\"]}", "expected number, saw text \"2\", at byte 16, in price"),
        ("{\"id\":1,\"price\":2,\"tags\":[\"a\",3],\"pair\":[1,\"x\"]}", "expected text, saw integer 3, at byte 30, in tags[1]"),
        ("{\"id\":1,\"price\":2,\"tags\":[],\"pair\":[1]}", "expected (uint32, text), saw list of 1, at byte 35, in pair"),
        ("{\"id\":1,\"price\":2,\"tags\":[]}", "expected the field pair, saw record of 3, at byte 0, in the message itself"),
        ("{\"id\":1,\"price\":2,\"tags\":[],\"pair\":[1,\"x\"],\"odd\":null}", "expected no such field, saw null, at byte 49, in odd"),
    ] {
        let mismatch = accepts(&schema, testing::read(json, bad.as_bytes()).unwrap().root().unwrap()).unwrap_err();
        assert_eq!(mismatch.to_string(), message, "{bad}");
    }
}

#[test]
fn a_name_may_be_given() {
    let json = registry::find("json").expect("a format");
    assert!(of_messages(json, b"{\"a\":1}", Some("shift_report")).contains("root record ShiftReport {"));
    let named = Value::Record { name: "voucher".into(), fields: vec![("a".into(), Value::Null)] };
    assert!(inferred(&[named]).contains("root record Voucher {"));
    assert!(of_messages(json, b"{\"id\":1,\"message\":{\"a\":1}}", None).contains("root record Root {"));
    assert!(Inference::new().add(|_| Ok(())).is_err());
}
