//! Replies as scripts see them: objects that are filled when they are looked at.

mod common;

use common::{json, patch, record, text};
use polywire_core::value::Value;
use polywire_doc::Datum;
use polywire_hooks::{Patch, Reply};

fn run(script: &str, body: Datum) -> Result<Datum, polywire_hooks::HookError> {
    let (_tables, patch) = patch(&format!("exports['patch response'] = function (args) {{ var body = args.body; {script} }};"));
    ask(&patch, body)
}

fn ask(patch: &Patch, body: Datum) -> Result<Datum, polywire_hooks::HookError> {
    patch.patch_response(record("{}"), Reply { status: 200, ..Reply::default() }, body).wait().map(|answer| answer.value)
}

fn shown(script: &str, body: &str) -> String {
    match run(script, json(body)) {
        Ok(value) => text(&value),
        Err(error) => format!("error: {error}"),
    }
}

/// An object and a list with more members than are filled at once.
fn large() -> String {
    let members: Vec<String> = (0..100).map(|n| format!(r#""k{n}":{{"n":{n}}}"#)).collect();
    let items: Vec<String> = (0..100).map(|n| format!(r#"{{"n":{n}}}"#)).collect();
    format!(r#"{{"o":{{{}}},"l":[{}]}}"#, members.join(","), items.join(","))
}

#[test]
fn lists_are_arrays_and_objects_are_objects() {
    let body = r#"{"a":[1,"x",null,true,{"b":[[]]}],"e":{},"z":0}"#;
    let probes = [
        ("Array.isArray(body.a)", "true"),
        ("Array.isArray(body)", "false"),
        ("body.a instanceof Array", "true"),
        ("body instanceof Object", "true"),
        ("body.a.length", "5"),
        ("body.a.map(function (x) { return typeof x; })", r#"["number","string","object","boolean","object"]"#),
        ("body.a.slice(1, 3)", r#"["x",null]"#),
        ("body.a.concat([9], body.a.slice(0, 1)).length", "7"),
        ("[].concat(body.a).length", "5"),
        ("[...body.a].length", "5"),
        ("body.a.indexOf('x')", "1"),
        ("body.a[4].b[0].length", "0"),
        ("Object.keys(body)", r#"["a","e","z"]"#),
        ("Object.keys(body.a)", r#"["0","1","2","3","4"]"#),
        ("Object.getOwnPropertyNames(body.a)", r#"["0","1","2","3","4","length"]"#),
        ("(function () { var all = []; for (var k in body) all.push(k); return all; })()", r#"["a","e","z"]"#),
        ("JSON.stringify(body)", "\"{\\\"a\\\":[1,\\\"x\\\",null,true,{\\\"b\\\":[[]]}],\\\"e\\\":{},\\\"z\\\":0}\""),
        ("JSON.parse(JSON.stringify(body)).a[4]", r#"{"b":[[]]}"#),
        ("body.hasOwnProperty('e') && !body.hasOwnProperty('f') && 'z' in body && !('y' in body) && 0 in body.a && !(5 in body.a)", "true"),
        ("typeof body.none + typeof body.a[9] + typeof body.a['-1'] + typeof body.a['01']", r#""undefinedundefinedundefinedundefined""#),
        ("Object.getOwnPropertyDescriptor(body, 'z')", r#"{"value":0,"writable":true,"enumerable":true,"configurable":true}"#),
        ("Object.getOwnPropertyDescriptor(body.a, 'length')", r#"{"value":5,"writable":true,"enumerable":false,"configurable":false}"#),
        ("body.a === body.a && body.a[4] === body.a[4] && body.e !== body.a[4]", "true"),
        ("Object.entries(body)[2]", r#"["z",0]"#),
        ("({ ...body, more: 1 })", r#"{"a":[1,"x",null,true,{"b":[[]]}],"e":{},"z":0,"more":1}"#),
        ("Object.assign({}, body).z", "0"),
        ("String(body) + Object.prototype.toString.call(body.a) + body.a.slice(0, 2).toString()", r#""[object Object][object Array]1,x""#),
        ("(function (z) { with (body) { return z; } })(1)", "0"),
        ("require('util').inspect(body.a)", r#""[ 1, 'x', null, true, { b: [ [Array] ] } ]""#),
        ("Object.isFrozen(body) || !Object.isExtensible(body)", "false"),
    ];
    for (probe, expected) in probes {
        assert_eq!(shown(&format!("return {probe};"), body), expected, "{probe}");
    }
}

#[test]
fn large_ones_behave_alike() {
    let probes = [
        (
            "[body.l.length, body.l[7].n, body.o.k50.n, typeof body.o.none, typeof body.l[100], typeof body.l.map]",
            r#"[100,7,50,"undefined","undefined","function"]"#,
        ),
        ("body.l[3] === body.l[3] && body.o.k3 === body.o.k3", "true"),
        // Members that were looked at alone are the same ones, in their places.
        (
            "(function () { var one = body.o.k50, two = body.l[50]; return [Object.keys(body.o)[50], body.o.k50 === one, body.l.indexOf(two), Object.keys(body.l).length]; })()",
            r#"["k50",true,50,100]"#,
        ),
        ("body.l.reduce(function (sum, item) { return sum + item.n; }, 0)", "4950"),
        ("body.o.toString()", r#""[object Object]""#),
    ];
    for (probe, expected) in probes {
        assert_eq!(shown(&format!("return {probe};"), &large()), expected, "{probe}");
    }
    // A change below a member that was looked at alone is not lost.
    let changed = run("body.l[60].n = 'new'; body.o.k60.n = 'new'; return body;", json(&large())).unwrap();
    assert_eq!(text(&changed), large().replace(r#""n":60}"#, r#""n":"new"}"#));
}

#[test]
fn what_is_not_changed_comes_back_as_it_was() {
    let datum = Datum::from(&Value::record([
        ("big", Value::Big("123456789012345678901234567890".into())),
        ("decimal", Value::Decimal("0.10000000000000000001".into())),
        ("float", Value::F32(599.99)),
        ("id", Value::UInt(9_007_199_254_740_993)),
        ("bytes", Value::Bytes(vec![1, 2, 255])),
        ("list", Value::List(vec![Value::Decimal("1e400".into()), Value::text("x")])),
    ]));
    let shared = |script: &str| run(script, datum.clone()).unwrap();
    for script in ["return body;", "", "return { list: body.list, rest: body }.rest;", "JSON.stringify(body.list); return body;"] {
        let same = shared(script);
        assert_eq!(text(&same), text(&datum), "{script}");
    }
    // Numbers that a script can't hold keep their digits beside a change.
    let changed = shared("body.more = typeof body.id; return body;");
    assert_eq!(text(&changed), text(&datum).replace("]}", "],\"more\":\"bigint\"}"));
    assert_eq!(text(&shared("body.list.push(1); return body.list;")), r#"[1e400,"x",1]"#);
    // A script sees the shortest number of a binary32.
    assert_eq!(
        text(&shared("return [body.float, body.id === 9007199254740993n, String(body.big), Buffer.isBuffer(body.bytes), body.bytes[2]];")),
        r#"[599.99,true,"123456789012345678901234567890",true,255]"#
    );
    assert_eq!(text(&shared("body.bytes[0] = 7; return body.bytes;")), "\"BwL/\"");
    assert_eq!(text(&shared("body.bytes[0] = 7; return body;")), text(&datum).replace("AQL/", "BwL/"));
}

#[test]
fn every_way_to_change_is_seen() {
    let body = r#"{"a":{"b":[1,2,{"c":3}]},"z":0}"#;
    let changes = [
        ("body.a.b[2].c = 4", r#"{"a":{"b":[1,2,{"c":4}]},"z":0}"#),
        ("body.a.b.push(9)", r#"{"a":{"b":[1,2,{"c":3},9]},"z":0}"#),
        ("body.a.b.pop()", r#"{"a":{"b":[1,2]},"z":0}"#),
        ("body.a.b.length = 1", r#"{"a":{"b":[1]},"z":0}"#),
        ("body.a.b.reverse()", r#"{"a":{"b":[{"c":3},2,1]},"z":0}"#),
        ("body.a.b.splice(0, 2)", r#"{"a":{"b":[{"c":3}]},"z":0}"#),
        ("body.a.b[5] = 1", r#"{"a":{"b":[1,2,{"c":3},null,null,1]},"z":0}"#),
        ("delete body.a", r#"{"z":0}"#),
        ("delete body.a.b[0]", r#"{"a":{"b":[null,2,{"c":3}]},"z":0}"#),
        ("Object.defineProperty(body, 'z', { value: 5, enumerable: true })", r#"{"a":{"b":[1,2,{"c":3}]},"z":5}"#),
        ("Object.assign(body.a, { x: body.z })", r#"{"a":{"b":[1,2,{"c":3}],"x":0},"z":0}"#),
        ("body.z = body.a", r#"{"a":{"b":[1,2,{"c":3}]},"z":{"b":[1,2,{"c":3}]}}"#),
        ("var c = body.a.b[2]; body.moved = c; c.c = 8", r#"{"a":{"b":[1,2,{"c":8}]},"z":0,"moved":{"c":8}}"#),
        (
            "body.u = undefined; body.f = function () {}; body.d = new Date(0); body.n = NaN",
            r#"{"a":{"b":[1,2,{"c":3}]},"z":0,"d":"1970-01-01T00:00:00.000Z","n":null}"#,
        ),
        ("var heir = Object.create(body); heir.own = 1", r#"{"a":{"b":[1,2,{"c":3}]},"z":0}"#),
        ("Reflect.set(body, 'z', 1)", r#"{"a":{"b":[1,2,{"c":3}]},"z":1}"#),
        ("Object.freeze(body.a)", r#"{"a":{"b":[1,2,{"c":3}]},"z":0}"#),
        ("Object.setPrototypeOf(body, null)", r#"{"a":{"b":[1,2,{"c":3}]},"z":0}"#),
    ];
    for (change, expected) in changes {
        assert_eq!(shown(&format!("{change}; return body;"), body), expected, "{change}");
    }
    assert_eq!(
        shown(
            "return (function () { 'use strict'; Object.freeze(body.a); try { body.a.x = 1; } catch (e) { return e instanceof TypeError; } })();",
            body
        ),
        "true"
    );
}

#[test]
fn names_that_mean_something_to_the_language_are_plain_members() {
    let body = r#"{"__proto__":{"polluted":1},"constructor":1,"toString":"t","length":3,"0":"zero","":"empty","é\u0000":"odd"}"#;
    assert_eq!(shown("return body;", body), body);
    assert_eq!(
        shown(
            "body.more = 1; return Object.keys(body).length + ' ' + typeof body.polluted + ' ' + body.constructor + ' ' + body['']",
            body
        ),
        r#""8 undefined 1 empty""#
    );
    assert_eq!(shown("return body.__proto__.polluted + ' ' + typeof ({}).polluted", body), r#""1 undefined""#);
    assert_eq!(shown("var merged = {}; for (var k in body) merged[k] = body[k]; return typeof ({}).polluted", body), r#""undefined""#);
}

#[test]
fn random_replies_come_back_through_every_door() {
    let mut random = fastrand::Rng::with_seed(7);
    let (_tables, patch) = patch(
        "function rebuilt(value) {
            if (Array.isArray(value)) return value.map(rebuilt);
            if (value === null || typeof value !== 'object') return value;
            var made = {};
            Object.keys(value).forEach(function (key) { Object.defineProperty(made, key, { value: rebuilt(value[key]), enumerable: true }); });
            return made;
         }
         function touch(value, depth) { if (value && typeof value === 'object') for (var k in value) if (depth > 0) touch(value[k], depth - 1); }
         exports['patch response'] = function (args) {
            switch (args.status) {
            case 200: return args.body;
            case 201: return rebuilt(args.body);
            case 202: return JSON.parse(JSON.stringify(args.body));
            case 203: touch(args.body, 2); return args.body;
            case 204: touch(args.body, 3); args.body.extra = 1; delete args.body.extra; return args.body;
            }
         };",
    );
    for _ in 0..60 {
        let body = Datum::object([("value", value(&mut random, 0))]);
        for status in 200..205 {
            let answer = patch.patch_response(record("{}"), Reply { status, ..Reply::default() }, body.clone()).wait().unwrap();
            assert_eq!(answer.value, body, "{status}: {}", text(&body));
        }
    }
}

fn value(random: &mut fastrand::Rng, depth: usize) -> Datum {
    match random.u8(0..if depth < 5 { 9 } else { 6 }) {
        0 => Datum::Null,
        1 => Datum::Bool(random.bool()),
        2 => Datum::int(random.i64(-(1 << 53) + 1..1 << 53)),
        3 => Datum::F64(f64::from(random.i32(..)) / 7.0),
        4 | 5 => {
            let length = random.usize(0..6);
            Datum::text(std::iter::repeat_with(|| random.char('\u{0}'..='\u{2ff}')).take(length).collect::<String>())
        }
        6 | 7 => {
            let count = if random.u8(0..8) == 0 { 40 } else { random.usize(0..5) };
            Datum::list((0..count).map(|_| value(random, depth + 2)))
        }
        _ => {
            let count = if random.u8(0..8) == 0 { 40 } else { random.usize(0..5) };
            Datum::object((0..count).map(|at| (format!("k{}", (at * 7) % 41), value(random, depth + 2))))
        }
    }
}
