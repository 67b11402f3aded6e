//! Bodies that are there in part: scripts see no difference.

mod common;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use common::{json, patch, record, text};
use polywire_doc::{Datum, Place, Ref, View, Wanted};
use polywire_hooks::{Parsed, Part, Patch, Reply};

/// A body of which `wanted` is given.
struct Source {
    whole: Result<Datum, String>,
    wanted: Wanted,
    /// The needed parts of the value that stands in place of the body.
    needed: Wanted,
    fetched: AtomicU32,
    looked: Mutex<Option<Wanted>>,
}

impl Part for Source {
    fn wanted(&self) -> &Wanted {
        &self.wanted
    }

    fn whole(&self) -> Result<Datum, String> {
        self.fetched.fetch_add(1, Ordering::Relaxed);
        self.whole.clone()
    }

    fn looked_at(&self, looked: &Wanted) {
        let before = self.looked.lock().unwrap().replace(looked.clone());
        assert!(before.is_none(), "told once");
    }

    fn suffices(&self, path: &[&str]) -> bool {
        self.wanted.includes(&self.needed.below(path.iter().copied()))
    }
}

impl Source {
    fn new(whole: &Datum, wanted: &Wanted) -> Source {
        Source {
            whole: Ok(whole.clone()),
            wanted: wanted.clone(),
            needed: Wanted::everything(),
            fetched: AtomicU32::new(0),
            looked: Mutex::new(None),
        }
    }

    /// The body in part, as a decoder makes it.
    fn parsed(self, whole: &Datum) -> (Parsed, Arc<Source>) {
        let value = pruned(whole.view(), &self.wanted, self.wanted.root());
        let source = Arc::new(self);
        (Parsed { value, part: Some(source.clone()) }, source)
    }

    fn fetched(&self) -> u32 {
        self.fetched.load(Ordering::Relaxed)
    }

    fn looked(&self) -> Wanted {
        self.looked.lock().unwrap().clone().unwrap()
    }
}

fn pruned(value: Ref<'_>, wanted: &Wanted, place: Place) -> Datum {
    match value.view() {
        View::Object(members) => Datum::object(
            members.filter_map(|(name, member)| wanted.member(place, name).map(|place| (name, pruned(member, wanted, place)))),
        ),
        View::List(items) => Datum::list(items.map(|item| pruned(item, wanted, place))),
        _ => value.to_datum(),
    }
}

/// Runs a program, which its parameters hold. Returns what it saw, and the value that it points to
/// at its end.
const PROGRAMS: &str = "
    function walk(value, path) {
        path.forEach(function (step) { value = value === undefined || value === null ? undefined : value[step]; });
        return value;
    }
    function seen(value) {
        if (value === undefined) return 'undefined';
        if (typeof value !== 'object' || value === null) return [typeof value, String(value)];
        return [Array.isArray(value) ? 'list of ' + value.length : 'object', Object.prototype.toString.call(value)];
    }
    var acts = {
        get: function (value) { return seen(value); },
        keys: function (value) { return value && typeof value === 'object' ? Object.keys(value) : 0; },
        names: function (value) { var all = []; for (var name in value) all.push(name); return all; },
        json: function (value) { return JSON.stringify(value); },
        has: function (value, name) { return value && typeof value === 'object' ? [name in value, 'toString' in value, Symbol.iterator in value] : 0; },
        own: function (value, name) { return value && value.hasOwnProperty ? [value.hasOwnProperty(name), value.hasOwnProperty('length')] : 0; },
        descriptor: function (value, name) { return value && typeof value === 'object' ? [Object.getOwnPropertyDescriptor(value, name)].map(function (d) { return d && [d.writable, d.enumerable, d.configurable, seen(d.value)]; }) : 0; },
        each: function (value, name) { return Array.isArray(value) ? value.map(function (each) { return each && seen(each[name]); }) : 0; },
        heir: function (value, name) { return value && typeof value === 'object' ? seen(Object.create(value)[name]) : 0; },
        copy: function (value) { return value && typeof value === 'object' ? JSON.stringify(Object.assign({}, value)) : 0; },
        set: function (value, name) { if (value && typeof value === 'object' && !Array.isArray(value)) value[name] = 'new'; return 1; },
        push: function (value) { if (Array.isArray(value)) value.push('more'); return 1; },
        drop: function (value, name) { if (value && typeof value === 'object' && !Array.isArray(value)) delete value[name]; return 1; },
    };
    exports['patch response'] = function (args) {
        var last;
        var saw = args.params.program.map(function (step) {
            var value = walk(args.body, step.path);
            var told = acts[step.act](value, step.name);
            if (walk(args.body, step.path) !== value && value === value) throw new Error('another value');
            last = value;
            return told;
        });
        if (args.params.gives === 'body') return args.body;
        if (args.params.gives === 'last') return { saw: saw, last: last };
        return saw;
    };
    exports['patch status'] = function (args) { return args.body.ack === 'no' ? 500 : 200; };";

const ACTS: [&str; 13] = ["get", "get", "get", "get", "keys", "names", "json", "has", "own", "descriptor", "each", "heir", "copy"];
const WRITES: [&str; 3] = ["set", "push", "drop"];

fn ask(patch: &Patch, program: &str, body: impl Into<Parsed>) -> Result<Datum, polywire_hooks::HookError> {
    patch.patch_response(record(program), Reply { status: 200, ..Reply::default() }, body).wait().map(|answer| answer.value)
}

#[test]
fn random_programs_see_the_whole_truth() {
    let mut random = fastrand::Rng::with_seed(21);
    let (_tables, patch) = patch(PROGRAMS);
    let (mut fetched, mut spared) = (0, 0);
    for _ in 0..400 {
        let body = Datum::object((0..random.usize(1..5)).map(|at| (format!("k{at}"), value(&mut random, 0))));
        let mut wanted = Wanted::nothing();
        for _ in 0..random.usize(0..4) {
            wanted.add(path(&mut random).iter().map(String::as_str).filter(|step| step.starts_with('k')));
        }
        let steps: Vec<String> = (0..random.usize(1..6)).map(|_| step(&mut random)).collect();
        let gives = random.choice(["saw", "saw", "last", "body"]).unwrap();
        let program = format!(r#"{{"program":[{}],"gives":"{gives}"}}"#, steps.join(","));
        let expected = ask(&patch, &program, body.clone()).map(|answer| text(&answer)).map_err(|error| error.to_string());

        let (parsed, source) = Source::new(&body, &wanted).parsed(&body);
        let found = ask(&patch, &program, parsed).map(|answer| text(&answer)).map_err(|error| error.to_string());
        assert_eq!(found, expected, "{program} of {}, {wanted} wanted", text(&body));
        assert!(source.fetched() <= 1);
        fetched += source.fetched();

        // The next time nothing is missing.
        wanted.merge(&source.looked());
        let is_all = wanted.is_everything();
        let (parsed, source) = Source::new(&body, &wanted).parsed(&body);
        let found = ask(&patch, &program, parsed).map(|answer| text(&answer)).map_err(|error| error.to_string());
        assert_eq!(found, expected, "again: {program} of {}, {wanted} wanted", text(&body));
        assert_eq!(source.fetched(), 0, "again: {program} of {}, {wanted} wanted", text(&body));
        spared += u32::from(!is_all);
    }
    assert!(fetched > 100 && spared > 100, "{fetched}, {spared}");
}

fn path(random: &mut fastrand::Rng) -> Vec<String> {
    let steps = random.usize(0..5);
    (0..steps).map(|_| if random.u8(0..4) == 0 { random.usize(0..3).to_string() } else { format!("k{}", random.usize(0..5)) }).collect()
}

fn step(random: &mut fastrand::Rng) -> String {
    let path: Vec<String> = path(random).iter().map(|step| format!("{step:?}")).collect();
    let act = if random.u8(0..8) == 0 { WRITES[random.usize(0..WRITES.len())] } else { ACTS[random.usize(0..ACTS.len())] };
    format!(r#"{{"path":[{}],"act":"{act}","name":"k{}"}}"#, path.join(","), random.usize(0..6))
}

fn value(random: &mut fastrand::Rng, depth: usize) -> Datum {
    match random.u8(0..if depth < 4 { 8 } else { 4 }) {
        0 => Datum::Null,
        1 => Datum::int(random.i64(-9..99)),
        2 => Datum::text("text"),
        3 => Datum::Decimal("0.10000000000000000001".into()),
        4 | 5 => Datum::list((0..random.usize(0..4)).map(|_| value(random, depth + 1))),
        _ => Datum::object((0..random.usize(0..6)).map(|at| (format!("k{at}"), value(random, depth + 1)))),
    }
}

#[test]
fn what_is_looked_at_is_remembered_and_no_more() {
    let body = json(r#"{"ack":"yes","error":{"id":1},"items":[{"a":1,"b":{"c":2,"d":3}},{"a":2}],"rest":{"x":1}}"#);
    // Places that are reached, and places below which everything is looked at.
    let probes: [(&str, &[&str], &[&str]); 11] = [
        ("body.ack", &["ack"], &[]),
        ("body.items[0].b.c", &["items.b.c"], &[]),
        ("body.items.length", &["items"], &[]),
        ("body.items.map(function (item) { return item.a; })", &["items.a"], &[]),
        ("!!body.error", &["error"], &[]),
        ("!body.none && !body.rest.none", &["none", "rest.none"], &[]),
        ("'x' in body.rest && body.rest.hasOwnProperty('x')", &["rest.x", "rest.hasOwnProperty"], &[]),
        ("body.error.id + body.items[1].a", &["error.id", "items.a"], &[]),
        ("Object.keys(body.rest)", &[], &["rest"]),
        ("body.rest", &[], &["rest"]),
        ("args.params.kept = body.error, 1", &[], &["error"]),
    ];
    for (probe, reached, everything) in probes {
        let (_tables, patch) =
            patch(&format!("exports['patch response'] = function (args) {{ var body = args.body; return [{probe}]; }};"));
        let (parsed, source) = Source::new(&body, &Wanted::nothing()).parsed(&body);
        ask(&patch, "{}", parsed).unwrap();
        let mut expected = Wanted::paths(everything.iter().map(|path| path.split('.')));
        reached.iter().for_each(|path| expected.reach(path.split('.')));
        let looked = source.looked();
        assert!(source.fetched() == 1 && looked.includes(&expected) && expected.includes(&looked), "{probe}: {looked:?}");
    }
}

#[test]
fn a_value_that_is_given_back_is_no_more_than_needed() {
    let body = json(r#"{"found":{"rows":[{"a":1,"b":2}],"n":1},"rest":[1,2]}"#);
    let (_tables, patch) = patch("exports['patch response'] = function (args) { return args.params.all ? args.body : args.body.found; };");
    let source = |wanted: &[&[&str]]| {
        let wanted = Wanted::paths(wanted.iter().map(|path| path.iter().copied()));
        Source { needed: Wanted::paths([["rows", "a"]]), ..Source::new(&body, &wanted) }
    };
    // The columns are there, the promise's member is not: it is asked for once.
    let (parsed, first) = source(&[&["found", "rows", "a"]]).parsed(&body);
    let answer = ask(&patch, "{}", parsed).unwrap();
    assert_eq!((text(&answer), first.fetched()), (r#"{"rows":[{"a":1,"b":2}],"n":1}"#.into(), 1));
    let mut wanted = Wanted::paths([["found", "rows", "a"]]);
    wanted.merge(&first.looked());
    let (parsed, second) = Source { needed: Wanted::paths([["rows", "a"]]), ..Source::new(&body, &wanted) }.parsed(&body);
    let answer = ask(&patch, "{}", parsed).unwrap();
    assert_eq!((text(&answer), second.fetched()), (r#"{"rows":[{"a":1}]}"#.into(), 0));
    // The needed part is not there.
    let (parsed, third) = source(&[&["found", "n"], &["found", "then"]]).parsed(&body);
    let answer = ask(&patch, "{}", parsed).unwrap();
    assert_eq!((text(&answer), third.fetched()), (r#"{"rows":[{"a":1,"b":2}],"n":1}"#.into(), 1));
}

#[test]
fn a_body_that_cannot_be_had_throws_where_it_is_looked_at() {
    let body = json(r#"{"ack":"no","b":1}"#);
    let (_tables, patch) = patch(PROGRAMS);
    for (wanted, expected) in [(["ack"], Ok(500)), (["b"], Err("patch status of patch.js: Error: the reply ends early".to_string()))] {
        let source = Source { whole: Err("the reply ends early".into()), ..Source::new(&body, &Wanted::paths([wanted])) };
        let (parsed, _) = source.parsed(&body);
        let status = patch.patch_status(record("{}"), Reply { status: 200, ..Reply::default() }, parsed).wait();
        let status = status.map(|answer| answer.value).map_err(|error| error.to_string());
        match (&status, &expected) {
            (Err(found), Err(expected)) => assert!(found.starts_with(expected), "{found}"),
            _ => assert_eq!(status, expected),
        }
    }
}

#[test]
fn hostile_names_do_not_pile_up() {
    let body = json(r#"{"a":1}"#);
    let (_tables, patch) = patch(
        "exports['patch response'] = function (args) {
            for (var n = 0; n < args.params.names; n++) args.body['n' + n];
            args.body[new Array(args.params.length).join('x')];
            return 1;
         };",
    );
    for (program, everything) in
        [(r#"{"names":10,"length":10}"#, false), (r#"{"names":1000,"length":10}"#, true), (r#"{"names":1,"length":100000}"#, true)]
    {
        let (parsed, source) = Source::new(&body, &Wanted::nothing()).parsed(&body);
        ask(&patch, program, parsed).unwrap();
        assert_eq!((source.looked().is_everything(), source.looked().places() < 100), (everything, true), "{program}");
    }
}
