//! A filter that reads parts of messages, and has a plan, has the results and the errors that the
//! interpreter has on whole messages.

use polywire_core::tools::Message;
use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::{Dialect, Limits};
use polywire_jq::{Alone, Filter, Memory, NATIVE, Raw, Results, Stopped, ValSink};

const NAMES: [&str; 4] = ["a", "b", "c", "d e"];

/// Returns a random value as JSON.
fn value(random: &mut fastrand::Rng, depth: u32) -> String {
    let entries = random.usize(..4);
    match random.u32(..if depth == 0 { 6 } else { 10 }) {
        0 => "null".into(),
        1 => "true".into(),
        2 => "false".into(),
        3 => random.i32(-3..4).to_string(),
        4 => "\"x\"".into(),
        5 => "1.50".into(),
        6 | 7 => {
            let list: Vec<String> = (0..entries).map(|_| value(random, depth - 1)).collect();
            format!("[{}]", list.join(","))
        }
        _ => {
            let mut names = NAMES.to_vec();
            random.shuffle(&mut names);
            let entries = names[..entries].iter().map(|name| format!("\"{name}\":{}", value(random, depth - 1)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
        }
    }
}

/// Returns a random path of a filter.
fn path(random: &mut fastrand::Rng) -> String {
    let mut path = String::new();
    for _ in 0..random.usize(1..4) {
        path += &match random.u32(..8) {
            0 | 1 => "[]".to_string(),
            2 => format!("[{}]", random.u32(..3)),
            3 => ".\"d e\"".to_string(),
            4 => "[]?".to_string(),
            5 => format!(".{}?", NAMES[random.usize(..3)]),
            _ => format!(".{}", NAMES[random.usize(..3)]),
        };
    }
    if path.starts_with('.') { path } else { format!(".{path}") }
}

/// Returns a random filter of the kinds that say what they read.
fn filter(random: &mut fastrand::Rng, depth: u32) -> String {
    if depth == 0 {
        return path(random);
    }
    let one = filter(random, depth - 1);
    let other = filter(random, depth - 1);
    match random.u32(..16) {
        0 => format!("{one}, {other}"),
        1 => format!("({one}) | {other}"),
        2 => format!("{{a: ({one}), \"k\": ({other})}}"),
        3 => format!("select(({one}) == ({other}))"),
        4 => format!("select({one})"),
        5 => format!("[{one}]"),
        6 => format!("({one}) // ({other})"),
        7 => format!("if ({one}) then ({other}) else .a end"),
        8 => format!("({one}) and ({other})"),
        9 => format!("[.[]? | {one}]"),
        10 => format!("({one}) | type"),
        11 => "{a, b}".to_string(),
        12 => format!("({one})?"),
        13 => format!("({one}) | length"),
        14 => format!("map({one})"),
        _ => format!("\"\\({one})\""),
    }
}

/// Runs a filter over a message that `sink` made a value of.
fn run(filter: &Filter, message: &str, sink: &mut ValSink) -> String {
    let mut walker = Walker::new(NATIVE, &Limits::DEFAULT);
    walker.walk(message.as_bytes(), 0, sink).unwrap();
    let mut results = Results::new(NATIVE, Raw::No, &Default::default()).unwrap();
    let end = filter.run(sink.take().unwrap(), &[], &Alone, Memory::default(), &mut |value| results.add(&value));
    let mut all = String::from_utf8(results.bytes().to_vec()).unwrap();
    match end {
        Ok(_) => {}
        Err(Stopped::Raised(raised)) => all += &raised.error().to_string(),
        Err(other) => panic!("{other:?}"),
    }
    all
}

/// Returns a random filter of the kinds that only take values out of messages.
fn taking(random: &mut fastrand::Rng, depth: u32) -> String {
    let mut path = String::new();
    for _ in 0..random.usize(1..4) {
        let optional = if random.u32(..8) == 0 { "?" } else { "" };
        path += &format!(".\"{}\"{optional}", NAMES[random.usize(..4)]);
    }
    if depth == 0 {
        return path;
    }
    let (one, other) = (taking(random, depth - 1), taking(random, depth - 1));
    match random.u32(..8) {
        0 | 1 => format!("{one}, {other}"),
        2 => format!("{{a: ({one}), \"k\": ({other})}}"),
        3 => format!("[{one}, {other}]"),
        4 => format!("{path} | {other}"),
        5 => format!("{{a, b: ({one}), c: null}}"),
        6 => format!("({one}), \"x\", false"),
        _ => ".".into(),
    }
}

/// Returns the results and the error of a filter over a message, with the cutter or without.
fn cut(filter: &Filter, message: &str, doubles: Doubles, to: Dialect, raw: Raw, with: bool) -> (bool, Option<bool>, Vec<u8>, String) {
    let mut walker = Walker::new(NATIVE, &Limits::DEFAULT).doubles(doubles);
    let mut results = Results::new(to, raw, &Default::default()).unwrap();
    let message = Message { bytes: message.as_bytes(), base: 0 };
    if with && let Some(last) = filter.cutter().unwrap().message(&mut walker, message, &mut results) {
        return (true, Some(last), results.bytes().to_vec(), String::new());
    }
    assert_eq!((results.bytes(), results.count()), (&b""[..], 0));
    let mut sink = filter.sink();
    if let Err(error) = walker.walk(message.bytes, 0, &mut sink) {
        return (false, None, Vec::new(), error.to_string());
    }
    let mut last = None;
    let end = filter.run(sink.take().unwrap(), &[], &Alone, Memory::default(), &mut |value| {
        last = Some(value.is_true());
        results.add(&value)
    });
    let error = match end {
        Ok(_) => String::new(),
        Err(Stopped::Raised(raised)) => raised.error().to_string(),
        Err(Stopped::Receiver(error)) => error.to_string(),
        Err(other) => panic!("{other:?}"),
    };
    (false, last, results.bytes().to_vec(), error)
}

#[test]
fn values_that_are_taken_out_are_those_of_the_whole() {
    let mut random = fastrand::Rng::with_seed(20);
    let formats = ["json", "cbor", "msgpack", "yaml", "xml", "txtpb"].map(|name| polywire_formats::registry::find(name).unwrap());
    let (mut taken, mut failed) = (0, 0);
    for _ in 0..150 {
        let text = taking(&mut random, 2);
        let compiled = Filter::compile(&text, "random", &[]).unwrap();
        if compiled.cutter().is_none() {
            continue;
        }
        for _ in 0..20 {
            let mut message = value(&mut random, 3);
            if random.u32(..8) == 0 {
                let other = value(&mut random, 2);
                message = format!("{{\"a\":{message},\"b\":{{\"a\":1e5,\"a\":{other}}},\"a\":{other}}}");
            }
            if random.u32(..16) == 0 {
                message = message.replace("1.50", "1e400").replace("null", "\"\\ud800\"").replace("true", "tru");
            }
            let doubles = [Doubles::Refuse, Doubles::Keep, Doubles::First, Doubles::Last][random.usize(..4)];
            let raw = [Raw::No, Raw::Lines, Raw::Joined][random.usize(..3)];
            let to = Dialect::from(formats[random.usize(..formats.len())]);
            if to.writer().is_none() {
                continue;
            }
            let with = cut(&compiled, &message, doubles, to.clone(), raw, true);
            let without = cut(&compiled, &message, doubles, to, raw, false);
            taken += u32::from(with.0);
            failed += u32::from(!without.3.is_empty());
            assert_eq!((&with.1, &with.2, &with.3), (&without.1, &without.2, &without.3), "{text} of {message}, {doubles:?}");
        }
    }
    assert!(taken > 400 && failed > 200, "{taken} of the messages taken, {failed} failed");
}

#[test]
fn parts_give_the_results_of_the_whole() {
    let mut random = fastrand::Rng::with_seed(20);
    let (mut in_part, mut planned, mut failed) = (0, 0, 0);
    for _ in 0..600 {
        let text = filter(&mut random, 2);
        let Ok(compiled) = Filter::compile(&text, "random", &[]) else { panic!("{text}") };
        in_part += u32::from(compiled.reads_parts());
        planned += u32::from(compiled.is_planned());
        let interpreted = Filter::compile(&text, "random", &[]).unwrap().interpreted();
        for _ in 0..6 {
            let message = value(&mut random, 3);
            let whole = run(&interpreted, &message, &mut ValSink::new());
            failed += u32::from(whole.contains("Cannot"));
            assert_eq!(run(&compiled, &message, &mut compiled.sink()), whole, "{text} of {message}");
        }
        // As the elements of one list.
        let messages: Vec<String> = (0..4).map(|_| value(&mut random, 3)).collect();
        let list = Filter::compile(&format!("[.[] | {text}]"), "random", &[]).unwrap();
        let (mut whole, mut parts) = (ValSink::new(), list.elements_sink());
        let values = |sink: &mut ValSink| {
            let mut walker = Walker::new(NATIVE, &Limits::DEFAULT);
            let mut values = Vec::new();
            for message in &messages {
                walker.walk(message.as_bytes(), 0, sink).unwrap();
                values.extend(sink.take());
            }
            let mut results = Results::new(NATIVE, Raw::No, &Default::default()).unwrap();
            let end = list.run(values.into_iter().collect(), &[], &Alone, Memory::default(), &mut |value| results.add(&value));
            (end.is_ok(), results.bytes().to_vec())
        };
        assert_eq!(values(&mut whole), values(&mut parts), "{text} of {messages:?}");
    }
    assert!(in_part > 200 && planned > 400 && failed > 500, "{in_part} filters read parts, {planned} have a plan, {failed} failed");
}
