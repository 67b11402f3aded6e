//! The store against its rules, against a plain twin, and against its log.

use alloc::collections::BTreeMap;

use fastrand::Rng;

use super::*;
use crate::batch::{End, Tape};
use crate::packet::{Modifier, Operator};

/// Applies a stream of packets, and returns a summary of the effects of the last.
fn run(store: &mut Store, bytes: &[u8]) -> Result<(), Error> {
    let mut tape = Tape::default();
    let batch = tape.parse(bytes);
    assert_eq!(batch.end(), End::Complete, "{}", bytes.escape_ascii());
    for packet in batch {
        store.apply(&packet.to_packet())?;
    }
    Ok(())
}

/// Returns the value of `name` after lines applied to an empty store.
fn after(lines: &[&str], name: &str) -> Result<Option<String>, ErrorKind> {
    let mut store = Store::new(Limits::default());
    for line in lines {
        run(&mut store, format!("\n{line}\n|\n").as_bytes()).map_err(|error| error.kind)?;
    }
    Ok(store.get(b"", name.as_bytes()).map(|value| String::from_utf8(value.to_vec()).unwrap()))
}

#[track_caller]
fn is(lines: &[&str], name: &str, value: &str) {
    assert_eq!(after(lines, name), Ok(Some(value.to_string())));
}

#[track_caller]
fn fails(lines: &[&str], kind: ErrorKind) {
    assert_eq!(after(lines, ""), Err(kind));
}

#[test]
fn numbers() {
    is(&["=_amount_x\t5", "+_amount_x\t37"], "_amount_x", "42");
    is(&["+_time\t5", "-_time\t8"], "_time", "-3");
    is(&["=_degree\t4", "+_degree\t5"], "_degree", "9");
    fails(&["=_degree\t4", "+_degree\t6"], ErrorKind::Range);
    fails(&["=_amount\t9223372036854775807", "+_amount\t1"], ErrorKind::Range);
    fails(&["+_amount\t9223372036854775808"], ErrorKind::Range);
    fails(&["+_amount\tx"], ErrorKind::Value(0));
    fails(&["+_amount\t12x"], ErrorKind::Value(2));
    fails(&["+_amount\t"], ErrorKind::Value(0));
    fails(&["+_topic\t1"], ErrorKind::Type);
    fails(&["=_flag\t1", "-_flag\t1"], ErrorKind::Type);
}

#[test]
fn lists_and_dicts() {
    is(&["=_list\t| a", "+_list\t| b|3 c|d"], "_list", "| a| b|3 c|d");
    is(&["=_list\t_nick| a", "+_list\t| b"], "_list", "|=_nick a| b");
    is(&["=_list\t| a", "+_list\t_nick| b"], "_list", "| a|=_nick b");
    is(&["+_list\t_nick| b", "+_list\t_nick| c"], "_list", "_nick| b| c");
    is(&["=_list\t| a| b| a", "-_list\t| a"], "_list", "| b| a");
    is(&["=_list\t_nick| a", "-_list\t|=_nick a"], "_list", "_nick");
    fails(&["=_list\t| a", "-_list\t| a| a"], ErrorKind::NotThere);
    fails(&["=_list\t| a", "-_list\t|=_nick a"], ErrorKind::NotThere);
    fails(&["=_list\tx y", "+_list\t| a"], ErrorKind::Value(1));
    is(&["=_dict\t{a} 1{b} 2", "+_dict\t{b} 3{c} 4"], "_dict", "{a} 1{b} 3{c} 4");
    is(&["=_dict\t{a} 1{b} 2", "-_dict\t{a}"], "_dict", "{b} 2");
    fails(&["=_dict\t{a} 1", "-_dict\t{c}"], ErrorKind::NotThere);
    assert_eq!(after(&["=_list\t| a", "-_list\t"], "_list"), Ok(None));
    fails(&["-_list\t"], ErrorKind::NotThere);
}

#[test]
fn updates() {
    is(&["=_list\t| red| green", "@_list\t#1 = blue"], "_list", "| red| blue");
    is(&["=_list\t| red| green", "@_list\t#0 -"], "_list", "| green");
    fails(&["=_list\t| red", "@_list\t#1 = blue"], ErrorKind::NotThere);
    is(&["=_dict\t{k} v", "@_dict\t{k} -"], "_dict", "");
    fails(&["@_dict\t{k} -"], ErrorKind::NotThere);
    is(&["@_dict\t{1 9} =_amount 4", "@_dict\t{1 9} + 3"], "_dict", "{1 9}=_amount 7");
    is(&["@_dict\t{n} +_amount 4"], "_dict", "{n}=_amount 4");
    fails(&["=_dict\t{n}=_time 1", "@_dict\t{n} +_amount 4"], ErrorKind::Type);
    is(&["=_list	|=_list:3 | x", "@_list	#0 + | y"], "_list", "|=_list:6 | x| y");
    is(&["=_list	|=_dict {a} 1", "@_list	#0{b} = 2"], "_list", "|=_dict:10 {a} 1{b} 2");
    is(&["=_dict	", "@_dict	{a}{b} = 2"], "_dict", "{a}5 {b} 2");
    let layout = "=_struct_member	|=_nick|=_amount";
    is(&[layout, "=_struct_member_bob	| bob| 4", "@_struct_member_bob	._amount + 3"], "_struct_member_bob", "| bob| 7");
    is(&[layout, "=_struct_member_bob	", "@_struct_member_bob	._amount = 3"], "_struct_member_bob", "|| 3");
    is(&[layout, "=_struct_member_bob	| bob| 4", "@_struct_member_bob	._nick -"], "_struct_member_bob", "|| 4");
    is(&[layout, "=_dict	{b}=_struct_member:8 | bob| 4", "@_dict	{b}._amount + 3"], "_dict", "{b}=_struct_member | bob| 7");
    fails(&[layout, "=_struct_member_bob	| bob| 4", "@_struct_member_bob	._page = 3"], ErrorKind::NotThere);
    fails(&["@_struct_member_bob	._page = 3"], ErrorKind::NotThere);
    fails(&["=_topic	x", "@_topic	#0 = y"], ErrorKind::Type);
    fails(&["=_list	| x", "@_list	{k} = y"], ErrorKind::Type);
    fails(&["=_list	| x", "@_list	#0 ? y"], ErrorKind::Operator(Operator::Query));
    assert_eq!(after(&["=_topic	x", "@_topic	 -"], "_topic"), Ok(None));
    is(&["=_topic	x", "@_topic	 = y z"], "_topic", "y z");
    fails(&["@_topic	 =_nick y"], ErrorKind::Type);
    for (value, at) in [
        ("", 0),
        ("#", 1),
        ("#1", 2),
        ("#1x", 2),
        ("{a", 2),
        ("{3 abcX = 1", 6),
        (".", 1),
        (" x", 1),
        (" =:x", 3),
        (" =:3 ab", 7),
        (" =_a{", 4),
    ] {
        let line = format!("@_dict	{value}");
        assert_eq!(after(&[&line], ""), Err(ErrorKind::Value(at)), "{value}");
    }
    let deep = format!("@_list	{} = x", "#0".repeat(17));
    assert_eq!(after(&[&deep], ""), Err(ErrorKind::Limit("depth")));
    is(&["@_dict	{a} =:1 xyz"], "_dict", "{a} x");
}

#[test]
fn what_a_packet_sees() {
    let mut store = Store::new(Limits::default());
    run(&mut store, b":_context	c\n\n=_topic	old\n=_nick	ann\n|\n").unwrap();
    let bytes = b":_source	s\n:_context	c\n\n?\n:_topic_now	new\n:_nick	bob\n=_nick	eve\n?_nick	\n!_x	y\n|\n";
    let mut tape = Tape::default();
    let packet = tape.parse(bytes).packet(0).unwrap();
    let effects = store.apply(&packet.to_packet()).unwrap();
    assert_eq!((effects.context, effects.resync, effects.changes), (&b"c"[..], true, true));
    assert_eq!((effects.queries.clone(), effects.reserved.clone()), (vec![&b"_nick"[..]], vec![&b"_x"[..]]));
    assert_eq!(store.value(&effects, b"_nick_long"), Some(&b"bob"[..]));
    assert_eq!(store.value(&effects, b"_topic_now"), Some(&b"new"[..]));
    assert_eq!(store.value(&effects, b"_topic_then"), Some(&b"old"[..]));
    assert_eq!(store.value(&effects, b"_page"), None);
    assert_eq!(store.get(b"c", b"_nick"), Some(&b"eve"[..]));
    assert_eq!(store.get(b"c", b"_nick_long"), None);
    run(&mut store, b":_source	c\n\n=\n=_page	x\n|\n").unwrap();
    assert_eq!(store.variables(b"c").collect::<Vec<_>>(), [(&b"_page"[..], &b"x"[..])]);
    run(&mut store, b":_context	c\n\n=\n|\n").unwrap();
    assert_eq!((store.contexts().count(), store.bytes()), (0, 0));
}

/// [`Store::value`] against one look-up for each word.
#[test]
fn inherited_values_are_those_of_the_plain_twin() {
    let mut rng = Rng::with_seed(23);
    let name = |rng: &mut Rng| {
        let start = if rng.u8(..8) == 0 { "" } else { "_" };
        let rest: String = (0..rng.usize(1..7)).map(|_| *rng.choice(&['_', 'a', 'b', '_', 'Z']).unwrap()).collect();
        format!("{start}{rest}")
    };
    let (mut sets, mut states, mut nones) = (0, 0, 0);
    for _ in 0..2_000 {
        let lines: Vec<_> = (0..rng.u32(..12)).map(|n| (rng.bool(), name(&mut rng), n.to_string())).collect();
        let modifiers: Vec<_> = lines
            .iter()
            .map(|(set, name, value)| Modifier::new(if *set { Operator::Set } else { Operator::Assign }, name.as_bytes(), value.as_bytes()))
            .collect();
        let mut store = Store::new(Limits::default());
        let packet = crate::packet::Packet::new(&[], &modifiers, b"", b"");
        let effects = store.apply(&packet).unwrap();
        for _ in 0..20 {
            let name = name(&mut rng);
            let of = |wanted: bool, name: &[u8]| {
                lines.iter().rev().find(|line| line.0 == wanted && line.1.as_bytes() == name).map(|line| line.2.as_bytes())
            };
            let found = crate::keyword::resolve(name.as_bytes(), |name| {
                of(true, name).map(|value| (true, value)).or_else(|| of(false, name).map(|value| (false, value)))
            });
            assert_eq!(store.value(&effects, name.as_bytes()), found.map(|found| found.1), "{name} {lines:?}");
            match found {
                Some((true, _)) => sets += 1,
                Some((false, _)) => states += 1,
                None => nones += 1,
            }
        }
    }
    assert!(sets > 1000 && states > 1000 && nones > 1000, "{sets} {states} {nones}");
}

#[test]
fn a_struct_type_of_many_words_costs_work() {
    let kind = format!("_struct{}", "_a".repeat(20_000));
    fails(&[&format!("@{kind}\t._x = 1")], ErrorKind::Limit("work"));
    fails(&["@_struct_a\t._x = 1"], ErrorKind::NotThere);
}

#[test]
fn limits_hold_and_a_failing_packet_changes_nothing() {
    let limits = Limits { contexts: 2, variables: 2, context_bytes: 40, total_bytes: 60, depth: 2, work: 100 };
    let mut store = Store::new(limits);
    run(&mut store, b":_context	a\n\n=_x	1\n=_list	| a\n|\n:_context	b\n\n=_x	2\n|\n").unwrap();
    let kept = store.clone();
    let long = "y".repeat(40);
    for (bytes, limit) in [
        (":_context	c\n\n=_x	1\n|\n".to_string(), "contexts"),
        (":_context	a\n\n=_x	2\n=_y	1\n|\n".to_string(), "variables"),
        (format!(":_context	a\n\n=_x	{long}\n|\n"), "context_bytes"),
        (format!(":_context	b\n\n=_x	{}\n|\n:_context	a\n\n=_x	{}\n|\n", &long[..30], &long[..25]), "total_bytes"),
        (":_context	a\n\n=_x	3\n@_list	#0#0#0 = x\n|\n".to_string(), "depth"),
        (format!(":_context	a\n\n=_x	3\n{}|\n", "+_list	| aa\n".repeat(30)), "work"),
    ] {
        let mut store = store.clone();
        let error = run(&mut store, bytes.as_bytes()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Limit(limit));
        if limit != "total_bytes" {
            assert_eq!(store, kept, "{limit}");
            assert_eq!(store.bytes(), kept.bytes());
        }
    }
    let error = run(&mut store, b":_context	a\n\n=_x	3\n=_y	4\n-_amount	x\n|\n").unwrap_err();
    assert_eq!((error.line, error.name, error.kind), (2, b"_amount".to_vec(), ErrorKind::Value(0)));
    assert_eq!(store, kept);
    run(&mut store, b":_context	a\n\n=\n=_z	1\n|\n").unwrap();
    assert_eq!(store.bytes(), 2 * (2 + 1 + 1));
}

/// A value as the plain twin has it: kinds are those in effect.
#[derive(Debug, Clone, PartialEq)]
enum Plain {
    Raw(String),
    Number(i64),
    List(Vec<(String, String)>),
    Dict(Vec<(String, (String, String))>),
}

type Model = BTreeMap<(String, String), Plain>;

fn text(rng: &mut Rng) -> String {
    (0..rng.usize(0..12)).map(|_| *rng.choice(&['a', 'b', '|', '{', '}', ' ', '7', '\n', '=']).unwrap()).collect()
}

fn kind(rng: &mut Rng) -> String {
    (*rng.choice(&["", "", "_nick", "_x"]).unwrap()).to_string()
}

fn list(default: &str, items: &[(String, String)]) -> Vec<u8> {
    let items = items.iter().map(|(kind, value)| crate::wire::render::Item::typed(kind.as_bytes(), value.as_bytes()));
    let mut out = Vec::new();
    crate::wire::render::List { default: default.as_bytes(), items }.append(&mut out);
    out
}

fn dict(default: &str, entries: &[(String, (String, String))]) -> Vec<u8> {
    let entries = entries.iter().map(|(key, (kind, value))| crate::wire::render::Entry {
        key: crate::wire::render::Key { value: key.as_bytes(), sizing: crate::packet::Sizing::Check },
        item: crate::wire::render::Item::typed(kind.as_bytes(), value.as_bytes()),
    });
    let mut out = Vec::new();
    crate::wire::render::Dict { default: default.as_bytes(), entries }.append(&mut out);
    out
}

fn under(default: &str, kind: &str) -> String {
    if kind.is_empty() { default.to_string() } else { kind.to_string() }
}

/// Returns the value that the update `text` gives to a variable without structure, or `None` if it
/// is no such update (docs/spec/psyc.md 5.5). [`text`] makes no operator but `=`, and no size.
fn whole_update(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(" =")?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix(' ') }
}

/// Returns a random line and the twin's result for it, or `None` if it fails.
fn line(rng: &mut Rng, model: &mut Model, context: &str) -> (Operator, String, Vec<u8>, Option<()>) {
    let name = (*rng.choice(&["_amount_a", "_list_b", "_dict_c", "_topic"]).unwrap()).to_string();
    let place = (context.to_string(), name.clone());
    let old = model.get(&place).cloned();
    let operator = *rng
        .choice(&[Operator::Set, Operator::Assign, Operator::Augment, Operator::Augment, Operator::Diminish, Operator::Update])
        .unwrap();
    if operator == Operator::Diminish && rng.u8(..) < 40 {
        return (operator, name, Vec::new(), model.remove(&place).map(drop));
    }
    let (mut new, mut value) = (None, Vec::new());
    match &*name {
        "_amount_a" => {
            let number = rng.i64(-9..9);
            value = number.to_string().into_bytes();
            let old = match old {
                Some(Plain::Number(old)) => old,
                _ => 0,
            };
            match operator {
                Operator::Assign => new = Some(Plain::Number(number)),
                Operator::Augment => new = Some(Plain::Number(old + number)),
                Operator::Diminish => new = Some(Plain::Number(old - number)),
                Operator::Update => {
                    value = [b" + ".as_slice(), &value].concat();
                    new = Some(Plain::Number(old + number));
                }
                _ => {}
            }
        }
        "_list_b" => {
            let default = kind(rng);
            let items: Vec<_> = (0..rng.usize(1..4)).map(|_| (kind(rng), text(rng))).collect();
            value = list(&default, &items);
            let items: Vec<_> = items.into_iter().map(|(kind, value)| (under(&default, &kind), value)).collect();
            let mut there = match old {
                Some(Plain::List(old)) => old,
                _ => Vec::new(),
            };
            match operator {
                Operator::Assign => new = Some(Plain::List(items)),
                Operator::Augment => {
                    there.extend(items);
                    new = Some(Plain::List(there));
                }
                Operator::Diminish => {
                    let items = if rng.bool() { there.iter().take(1).cloned().collect() } else { items };
                    value = list("", &items);
                    if items.is_empty() {
                        return (operator, name, Vec::new(), model.remove(&place).map(drop));
                    }
                    let mut found = true;
                    for item in &items {
                        match there.iter().position(|other| other == item) {
                            Some(at) => drop(there.remove(at)),
                            None => found = false,
                        }
                    }
                    new = found.then_some(Plain::List(there));
                }
                Operator::Update => {
                    let at = rng.usize(0..4);
                    // The items have types, so that no default type is taken.
                    let (kind, text) = ("_x".to_string(), text(rng));
                    value = format!("#{at} ={kind}:{} {text}", text.len()).into_bytes();
                    if let Some(item) = there.get_mut(at) {
                        *item = (kind, text);
                        new = Some(Plain::List(there));
                    }
                }
                _ => {}
            }
        }
        "_dict_c" => {
            let default = kind(rng);
            let mut entries: Vec<(String, (String, String))> = Vec::new();
            for _ in 0..rng.usize(1..4) {
                let key = text(rng);
                if entries.iter().all(|entry| entry.0 != key) {
                    entries.push((key, (kind(rng), text(rng))));
                }
            }
            value = dict(&default, &entries);
            entries.iter_mut().for_each(|entry| entry.1.0 = under(&default, &entry.1.0));
            let mut there = match old {
                Some(Plain::Dict(old)) => old,
                _ => Vec::new(),
            };
            let set = |there: &mut Vec<(String, (String, String))>, key: String, item| match there.iter_mut().find(|entry| entry.0 == key) {
                Some(entry) => entry.1 = item,
                None => there.push((key, item)),
            };
            match operator {
                Operator::Assign => new = Some(Plain::Dict(entries)),
                Operator::Augment => {
                    entries.into_iter().for_each(|(key, item)| set(&mut there, key, item));
                    new = Some(Plain::Dict(there));
                }
                Operator::Diminish => {
                    let found = entries.iter().all(|entry| there.iter().any(|other| other.0 == entry.0));
                    there.retain(|entry| entries.iter().all(|other| other.0 != entry.0));
                    new = found.then_some(Plain::Dict(there));
                }
                Operator::Update => {
                    let key = there.first().filter(|_| rng.bool()).map_or_else(|| text(rng), |entry| entry.0.clone());
                    let step = format!("{{{} {key}}}", key.len());
                    if rng.bool() {
                        value = format!("{step} -").into_bytes();
                        let before = there.len();
                        there.retain(|entry| entry.0 != key);
                        new = (there.len() < before).then_some(Plain::Dict(there));
                    } else {
                        let text = text(rng);
                        value = format!("{step} =_x {text}").into_bytes();
                        set(&mut there, key, ("_x".to_string(), text));
                        new = Some(Plain::Dict(there));
                    }
                }
                _ => {}
            }
        }
        _ => {
            let text = text(rng);
            value.extend_from_slice(text.as_bytes());
            if operator == Operator::Assign {
                new = Some(Plain::Raw(text));
            } else if operator == Operator::Diminish && value.is_empty() {
                return (operator, name, value, model.remove(&place).map(drop));
            } else if operator == Operator::Update {
                new = whole_update(&text).map(|text| Plain::Raw(text.to_string()));
            }
        }
    }
    if operator == Operator::Set {
        return (operator, name, value, Some(()));
    }
    let done = new.map(|new| drop(model.insert(place, new)));
    (operator, name, value, done)
}

fn plain(name: &str, value: &[u8]) -> Plain {
    let string = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    match name {
        "_amount_a" => Plain::Number(string(value).parse().unwrap()),
        "_list_b" => {
            let list = structure::Items::read(value).unwrap();
            Plain::List(list.items.iter().map(|item| (string(item.kind(list.default)), string(&item.value))).collect())
        }
        "_dict_c" => {
            let dict = structure::Entries::read(value).unwrap();
            let item = |item: &structure::Item<'_>| (string(item.kind(dict.default)), string(&item.value));
            Plain::Dict(dict.entries.iter().map(|(key, value)| (string(key), item(value))).collect())
        }
        _ => Plain::Raw(string(value)),
    }
}

#[test]
fn some_texts_are_updates_of_a_variable_without_structure() {
    for (text, value) in [(" = a", Some("a")), (" =", Some("")), (" = ", Some("")), (" =  {7}", Some(" {7}")), (" =a", None)] {
        assert_eq!(whole_update(text), value);
        let expected = value.map(|value| Some(value.to_string()));
        assert_eq!(after(&["=_topic	x", &format!("@_topic	{text}")], "_topic").ok(), expected, "{text:?}");
    }
    for text in [" =a b", " ", "", "= a", "  = a", " a", "{a} = b", "{a}", " ={"] {
        assert_eq!(whole_update(text), None);
        assert!(after(&["=_topic	x", &format!("@_topic	{text}")], "_topic").is_err(), "{text:?}");
    }
}

#[test]
fn random_packets_do_what_the_plain_twin_does_and_replay() {
    let mut rng = Rng::with_seed(42);
    let (mut applied, mut failed) = (0, 0);
    for _ in 0..300 {
        let (mut store, mut log, mut model) = (Store::new(Limits::default()), Log::new(), Model::new());
        for _ in 0..rng.usize(1..60) {
            let context = ["a", "b", ""][rng.usize(..3)];
            let mut next = model.clone();
            let reset = rng.u8(..) < 12;
            if reset {
                next.retain(|place, _| place.0 != context);
            }
            let mut lines = Vec::new();
            let mut good = true;
            for _ in 0..rng.usize(0..4) {
                let (operator, name, value, done) = line(&mut rng, &mut next, context);
                lines.push((operator, name, value));
                if done.is_none() {
                    good = false;
                    break;
                }
            }
            let entity: Vec<_> = lines.iter().map(|(operator, name, value)| Modifier::new(*operator, name.as_bytes(), value)).collect();
            let routing = [Modifier::new(Operator::Set, b"_context", context.as_bytes())];
            let mut packet = crate::packet::Packet::new(&routing, &entity, b"_notice", b"");
            if let crate::packet::Content::Parts { state, .. } = &mut packet.content {
                *state = reset.then_some(crate::packet::State::Reset);
            }
            let before = store.clone();
            let done = log.apply(&mut store, &packet);
            assert_eq!(done.is_ok(), good, "{done:?} {lines:?}");
            if good {
                model = next;
                applied += 1;
            } else {
                assert_eq!(store, before);
                failed += 1;
            }
            let is: Model = ["a", "b", ""]
                .iter()
                .flat_map(|context| store.variables(context.as_bytes()).map(move |(name, value)| (*context, name, value)))
                .map(|(context, name, value)| {
                    let name = String::from_utf8(name.to_vec()).unwrap();
                    let value = plain(&name, value);
                    ((context.to_string(), name), value)
                })
                .collect();
            assert_eq!(is, model, "{lines:?}");
        }
        replays(&store, &mut log);
    }
    assert!(applied > 3000 && failed > 1000, "{applied} {failed}");
}

/// A log, and its compacted form, replay to their store.
fn replays(store: &Store, log: &mut Log) {
    let replay = Log::replay(log.bytes(), Limits::default()).unwrap();
    assert_eq!((&replay.store, replay.end), (store, log.bytes().len()));
    assert_eq!(replay.store.bytes(), store.bytes());
    log.compact(store);
    let replay = Log::replay(log.bytes(), Limits::default()).unwrap();
    assert_eq!(&replay.store, store);
}

#[test]
fn a_log_that_was_cut_is_replayed_up_to_there() {
    let mut log = Log::new();
    let mut store = Store::new(Limits::default());
    let lines = [Modifier::new(Operator::Assign, b"_topic", b"two\nlines")];
    for _ in 0..3 {
        log.apply(&mut store, &crate::packet::Packet::new(&[], &lines, b"_m", b"")).unwrap();
    }
    let whole = log.bytes().len();
    for cut in 0..whole {
        let replay = Log::replay(&log.bytes()[..cut], Limits::default()).unwrap();
        assert_eq!(replay.end, cut / (whole / 3) * (whole / 3));
    }
    assert!(matches!(Log::replay(b"|\n\n+_amount	x\n|\n", Limits::default()), Err(ReplayError::State { start: 2, .. })));
    assert!(matches!(Log::replay(b"|\n*", Limits::default()), Err(ReplayError::ParseError(fault)) if fault.at == 2));
}
