//! User functions, authentication modules and transformers.

mod common;

use std::sync::{Arc, Mutex};

use common::{Tables, json, text};
use polywire_doc::Datum;
use polywire_hooks::{Content, HookErrorKind, LogSink, Row, Severity};

#[test]
fn functions_are_called_by_values() {
    let tables = Tables::new(&[(
        "lib/u.js",
        "exports.f = function (a, b) { return { a: a, sum: a.n + b, given: arguments.length, last: typeof arguments[2] }; };
         exports.nothing = function () {};
         exports.fails = function () { throw new Error('no'); };
         exports.later = function (a) { return Promise.resolve(a); };
         exports.deep = { g: function () { return this.name; }, name: 'deep' };
         exports.value = 3;",
    )]);
    let hooks = tables.hooks();
    assert_eq!(hooks.functions("lib/u.js").wait().unwrap(), ["f", "nothing", "fails", "later"]);
    let call = |name: &str, args: Vec<Option<Datum>>| hooks.apply("./lib/u", name, args, None).wait();
    let made = call("f", vec![Some(json(r#"{"n":1}"#)), Some(Datum::UInt(1)), None]).unwrap().unwrap();
    assert_eq!(text(&made), r#"{"a":{"n":1},"sum":2,"given":3,"last":"undefined"}"#);
    assert_eq!(call("nothing", vec![]).unwrap(), None);
    assert_eq!(call("later", vec![Some(json("[1]"))]).unwrap(), Some(json("[1]")));
    assert_eq!(call("deep.g", vec![]).unwrap(), Some("deep".into()));
    let error = call("fails", vec![]).unwrap_err();
    assert_eq!((error.kind(), error.hook(), error.place().unwrap().line), (HookErrorKind::Thrown, "fails", 3));
    for missing in ["none", "value", "none.g"] {
        assert!(call(missing, vec![]).unwrap_err().message().contains(&format!("exports no function {missing}")));
    }
}

#[test]
fn functions_of_a_where_clause_answer_for_each_row() {
    let tables = Tables::new(&[(
        "u.js",
        "exports.keep = function (least) { return this.next(null, this.row.n >= least ? this.row : null); };
         exports.change = function (field) { this.row.at = this.index + ' of ' + this.rows.length; this.row[field] = true; this.next(null, this.row); };
         exports.replace = function () { this.callback(null, [this.row.n]); };
         exports.late = function () { var next = this.next, row = this.row; setTimeout(function () { process.nextTick(function () { next(null, row.n === 2 ? row : null); }); }, 2); };
         exports.twice = function () { this.next(null, this.row); this.next(null, null); this.next('late'); };
         exports.drops = function () { this.next(null); };
         exports.fails = function () { this.next(this.row.n === 2 ? { message: 'row two', status: 400 } : null, this.row); };
         exports.silent = function () { return true; };
         exports.count = function () { this.next(null, { rows: this.row.length }); };",
    )]);
    let hooks = tables.hooks();
    let rows = vec![json(r#"{"n":1}"#), json(r#"{"n":2}"#), json(r#"{"n":3}"#)];
    let call = |name: &str, args: Vec<Option<Datum>>| hooks.apply_to_rows("u.js", name, rows.clone(), vec![args; 3], None).wait();
    assert_eq!(call("keep", vec![Some(Datum::UInt(2))]).unwrap(), [Row::Dropped, Row::Same, Row::Same]);
    let changed = call("change", vec![Some("x".into())]).unwrap();
    assert_eq!(changed[1], Row::Replaced(json(r#"{"n":2,"at":"1 of 3","x":true}"#)));
    assert_eq!(call("replace", vec![]).unwrap()[2], Row::Replaced(json("[3]")));
    assert_eq!(call("late", vec![]).unwrap(), [Row::Dropped, Row::Same, Row::Dropped]);
    assert_eq!(call("twice", vec![]).unwrap(), [Row::Same, Row::Same, Row::Same]);
    assert_eq!(call("drops", vec![]).unwrap(), [Row::Dropped, Row::Dropped, Row::Dropped]);
    let error = call("fails", vec![]).unwrap_err();
    assert_eq!((error.message(), text(error.thrown().unwrap()).as_str()), ("row two", r#"{"message":"row two","status":400}"#));
    assert!(call("silent", vec![]).unwrap_err().message().contains("has not answered for row 0"));
    // One by one, as a caller may have them.
    let one = |name: &str, args| hooks.apply_to_row("u.js", name, (rows[1].clone(), Datum::list(rows.clone()), 1), args, None).wait();
    assert_eq!(one("keep", vec![Some(Datum::UInt(2))]).unwrap(), Row::Same);
    assert_eq!(one("keep", vec![Some(Datum::UInt(3))]).unwrap(), Row::Dropped);
    assert_eq!(one("change", vec![Some("x".into())]).unwrap(), changed[1]);
    assert!(one("silent", vec![]).unwrap_err().message().contains("for row 1"));
    // A whole body is the only row.
    let whole = hooks.apply_to_rows("u.js", "count", vec![json("[1,2,3]")], vec![], None).wait().unwrap();
    assert_eq!(whole, [Row::Replaced(json(r#"{"rows":3}"#))]);
    assert_eq!(hooks.apply_to_rows("u.js", "keep", vec![], vec![], None).wait().unwrap(), []);
}

#[test]
fn authentication_lets_pass_refuses_and_signs() {
    let tables = Tables::new(&[
        (
            "auth.js",
            "var crypto = require('crypto');
             exports.auth = function (params, config, callback) {
                if (!config.key) return callback('no key');
                if (params.user === 'bad') return setTimeout(function () { callback({ status: 401, message: 'who are you' }); }, 1);
                if (params.user === 'throws') throw new Error('thrown');
                if (params.user === 'silent') return;
                if (params.user === 'sign') params.signature = crypto.createHmac('sha1', config.key).update(params.user).digest('base64');
                process.nextTick(callback);
             };",
        ),
        ("plain.js", "module.exports = function (params, config, callback) { callback(null); };"),
    ]);
    let hooks = tables.hooks();
    let ask = |user: &str| {
        hooks
            .authenticate("auth.js", Datum::object([("user", user)].map(|(name, user)| (name, user.into()))), json(r#"{"key":"k"}"#), None)
            .wait()
    };
    assert_eq!(ask("good").unwrap(), None);
    // openssl dgst -sha1 -hmac k -binary <<< sign, without the line end
    let signed = ask("sign").unwrap().unwrap();
    assert_eq!(text(&signed), r#"{"user":"sign","signature":"GXBl8HnoOe5OYrkIxLTaK5bVbyo="}"#);
    let error = ask("bad").unwrap_err();
    assert_eq!(
        (error.hook(), error.message(), text(error.thrown().unwrap()).as_str()),
        ("auth", "who are you", r#"{"status":401,"message":"who are you"}"#)
    );
    assert_eq!(ask("throws").unwrap_err().message(), "Error: thrown");
    assert!(ask("silent").unwrap_err().message().contains("has not answered"));
    let error = hooks.authenticate("auth.js", json("{}"), json("{}"), None).wait().unwrap_err();
    assert_eq!((error.message(), error.thrown()), ("no key", Some(&"no key".into())));
    assert_eq!(hooks.authenticate("plain.js", json("{}"), json("{}"), None).wait().unwrap(), None);
}

#[test]
fn transformers_make_structures() {
    let tables = Tables::new(&[
        (
            "ini.js",
            "exports.accept = 'text/ini, text/x-ini;q=0.5'; exports.toJson = function (text, done, fail, headers) { var made = {}; text.split('\\n').forEach(function (line) { var at = line.indexOf('='); if (at > 0) made[line.slice(0, at)] = line.slice(at + 1); }); made.type = headers['content-type']; return made; };",
        ),
        (
            "later.js",
            "exports.toJson = function (body, done, fail) { setTimeout(function () { if (body.length > 2) fail(new Error('too long')); else done({ size: body.length }); }, 1); };",
        ),
        ("none.js", "exports.toJson = function () {};"),
        ("bad.js", "exports.toXml = 1;"),
    ]);
    let hooks = tables.hooks();
    let headers = || vec![("content-type".to_string(), "text/ini".to_string())];
    let ini = hooks.transformer("ini.js").wait().unwrap();
    assert_eq!(ini.accept(), "text/ini, text/x-ini;q=0.5");
    assert_eq!(
        text(&ini.to_json(Content::Text("a=1\nb=x=y".into()), headers(), None).wait().unwrap().unwrap()),
        r#"{"a":"1","b":"x=y","type":"text/ini"}"#
    );
    let later = hooks.transformer("later.js").wait().unwrap();
    assert_eq!(later.accept(), "");
    assert_eq!(later.to_json(Content::Bytes(vec![1, 2]), vec![], None).wait().unwrap(), Some(json(r#"{"size":2}"#)));
    assert_eq!(later.to_json(Content::Bytes(vec![1, 2, 3]), vec![], None).wait().unwrap_err().message(), "Error: too long");
    let none = hooks.transformer("none.js").wait().unwrap();
    assert!(none.to_json(Content::Text(String::new()), vec![], None).wait().unwrap_err().message().contains("returned nothing"));
    assert_eq!(hooks.transformer("bad.js").wait().unwrap_err().kind(), HookErrorKind::Answer);
}

#[test]
fn messages_go_to_the_log_and_are_limited() {
    let tables = Tables::new(&[(
        "u.js",
        "exports.f = function () { console.log('a %s %j', 'b', { c: 1 }, [2]); console.warn('w'); console.error(new Error('e').message); };
         exports.many = function () { for (var i = 0; i < 1200; i++) console.log('é'.repeat(20000)); };",
    )]);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = seen.clone();
    let hooks = tables.hooks_with(|settings| settings.log = LogSink::new(move |record| sink.lock().unwrap().push(record)));
    hooks.apply("u.js", "f", vec![], None).wait().unwrap();
    let records = std::mem::take(&mut *seen.lock().unwrap());
    let lines: Vec<_> = records.iter().map(|record| (record.severity, record.message.as_str(), record.hook.as_str())).collect();
    assert_eq!(lines, [(Severity::Info, "a b {\"c\":1} [ 2 ]", "f"), (Severity::Warn, "w", "f"), (Severity::Error, "e", "f")]);
    hooks.apply("u.js", "many", vec![], None).wait().unwrap();
    let records = seen.lock().unwrap();
    assert_eq!((records.len(), records[0].message.len()), (1000, 16 * 1024));
}
