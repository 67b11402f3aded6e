//! The hooks of patch modules.

mod common;

use bytes::Bytes;
use common::{Tables, json, patch, record, text};
use polywire_doc::Datum;
use polywire_hooks::{Body, CacheKey, Content, Hook, HookErrorKind, LogSink, Record, Reply, Request, Severity};
use std::sync::{Arc, Mutex};

fn request() -> Request {
    Request {
        uri: "http://h/p?a=1".into(),
        headers: vec![("x-a".into(), "1".into()), ("x-b".into(), "2".into()), ("x-b".into(), "3".into())],
    }
}

fn reply(status: u16) -> Reply {
    Reply { uri: "http://h/p".into(), status, headers: vec![("content-type".into(), "text/plain".into())] }
}

#[test]
fn a_module_tells_its_hooks_and_the_others_have_their_defaults() {
    let (_tables, patch) = patch("exports['patch status'] = function () {}; exports['patch uri'] = 3;");
    assert!(patch.has(Hook::PatchStatus) && !patch.has(Hook::PatchUri) && !patch.has(Hook::PatchResponse));
    let none = || record("{}");
    assert!(patch.validate_param(none(), "a", Datum::Null).wait().unwrap().value);
    assert_eq!(patch.patch_uri(none(), "http://h/?a=b,c").wait().unwrap().value, ["http://h/?a=b,c"]);
    assert_eq!(patch.patch_headers(none(), request()).wait().unwrap().value, request().headers);
    assert_eq!(patch.body_template(none(), request()).wait().unwrap().value, None);
    let body = Body { content: Content::Text("x".into()), media_type: None };
    assert_eq!(patch.patch_body(none(), request(), Some(body.clone())).wait().unwrap().value, Some(body));
    assert_eq!(patch.compute_key(none(), CacheKey::default()).wait().unwrap().value, None);
    assert_eq!(patch.parse_response(none(), reply(200), vec![]).wait().unwrap().value, None);
    assert_eq!(patch.patch_media_type(none(), reply(200), "").wait().unwrap().value, None);
    assert_eq!(patch.patch_response(none(), reply(200), json("[1]")).wait().unwrap().value, json("[1]"));
    // A hook that gives nothing back leaves the status as it was.
    assert_eq!(patch.patch_status(none(), reply(201), Datum::Null).wait().unwrap().value, 201);
}

#[test]
fn validate_param_gets_name_and_value() {
    let (_tables, patch) = patch(
        "exports['validate param'] = function (args, name, value) {
            return args.params.allowed.indexOf(name + '=' + value) >= 0 && args.statement.type === 'select';
        };",
    );
    let ask = |name: &str, value: Datum| patch.validate_param(record(r#"{"allowed":["a=1","b=x"]}"#), name, value).wait().unwrap().value;
    assert!(ask("a", Datum::UInt(1)) && ask("b", "x".into()));
    assert!(!ask("a", Datum::UInt(2)));
}

#[test]
fn patch_uri_changes_copies_or_drops_the_address() {
    let (_tables, patch) = patch(
        "exports['patch uri'] = function (args) {
            var uri = args.uri;
            switch (args.params.how) {
            case 'one':
                uri.addParam('a', 2).addParam('list', ['x', 'y']).setParam('c', 'é ü').removeParam('gone').removeParam('two', 'b').removeEmptyParams();
                args.log('info', uri.getParam('a').join('+') + ' ' + uri.getParam('none') + ' ' + JSON.stringify(uri.params()));
                return uri;
            case 'many': return [uri, uri.clone().setParam('page', 2), 'http://other/'];
            case 'wrong': return { uri: 1 };
            }
        };",
    );
    let logged = Arc::new(Mutex::new(Vec::new()));
    let sink = logged.clone();
    let log = LogSink::new(move |record| sink.lock().unwrap().push(record));
    let ask = |how: &str, uri: &str| {
        let record = Record { log: Some(log.clone()), ..record(&format!(r#"{{"how":"{how}"}}"#)) };
        patch.patch_uri(record, uri).wait().map(|answer| answer.value)
    };
    assert_eq!(
        ask("one", "http://h:8/p;x?a=1,5&r=&gone=1&two=a&two=b&z=a+b%2f#top").unwrap(),
        ["http://h:8/p;x?a=1%2C5&a=2&two=a&z=a%20b%2F&list=x&list=y&c=%C3%A9%20%C3%BC#top"]
    );
    let record = logged.lock().unwrap().pop().unwrap();
    assert_eq!(record.message, r#"1,5+2 undefined {"a":["1,5","2"],"two":"a","z":"a b/","list":["x","y"],"c":"é ü"}"#);
    assert_eq!((record.severity, record.hook.as_str(), record.module.as_str()), (Severity::Info, "patch uri", "patch.js"));
    // Empty parameters stay.
    assert_eq!(ask("many", "http://h/?r=&q").unwrap(), ["http://h/?r=&q=", "http://h/?r=&q=&page=2", "http://other/"]);
    assert!(ask("none", "http://h/").unwrap().is_empty());
    let error = ask("wrong", "http://h/").unwrap_err();
    assert_eq!(error.kind(), HookErrorKind::Thrown);
    assert!(error.message().contains("has to return a URI"), "{error}");
}

#[test]
fn patch_headers_replaces_them() {
    let (_tables, patch) = patch(
        "exports['patch headers'] = function (args) {
            if (args.params.stop) throw new Error('no headers for ' + args.uri);
            if (args.params.quiet) { args.headers.z = 9; return; }
            return { 'x-list': args.headers['x-b'], n: 5, off: null, no: false, u: undefined, a: args.headers['x-a'] };
        };",
    );
    let ask = |params: &str| patch.patch_headers(record(params), request()).wait().map(|answer| answer.value);
    let pairs = |list: &[(&str, &str)]| list.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect::<Vec<_>>();
    assert_eq!(ask("{}").unwrap(), pairs(&[("x-list", "2"), ("x-list", "3"), ("n", "5"), ("a", "1")]));
    assert_eq!(ask(r#"{"quiet":1}"#).unwrap(), pairs(&[("x-a", "1"), ("x-b", "2"), ("x-b", "3"), ("z", "9")]));
    let error = ask(r#"{"stop":1}"#).unwrap_err().to_string();
    assert!(error.starts_with("patch headers of patch.js: Error: no headers for http://h/p?a=1 (patch.js:2:"), "{error}");
}

#[test]
fn bodies_are_text_bytes_or_structures() {
    let (_tables, patch) = patch(
        "exports['body template'] = function (args) { return { content: '<a>' + args.params.a + '</a>', type: 'application/xml' }; };
         exports['patch body'] = function (args) {
            var body = args.body;
            if (typeof body.content === 'string') return { content: new Buffer(body.content + '!'), type: body.type };
            if (Buffer.isBuffer(body.content)) body.content[0] = 65; else body.content.more = args.headers['x-a'];
         };",
    );
    let body = |content, media_type: Option<&str>| Body { content, media_type: media_type.map(str::to_string) };
    let made = patch.body_template(record(r#"{"a":"ä"}"#), request()).wait().unwrap().value;
    assert_eq!(made, Some(body(Content::Text("<a>ä</a>".into()), Some("application/xml"))));
    let change = |content| patch.patch_body(record("{}"), request(), Some(body(content, Some("t/x")))).wait().unwrap().value.unwrap();
    assert_eq!(change(Content::Text("é".into())), body(Content::Bytes("é!".into()), Some("t/x")));
    assert_eq!(change(Content::Bytes(b"bcd".to_vec())), body(Content::Bytes(b"Acd".to_vec()), Some("t/x")));
    assert_eq!(change(Content::Data(json(r#"{"a":[1]}"#))), body(Content::Data(json(r#"{"a":[1],"more":"1"}"#)), Some("t/x")));
}

#[test]
fn compute_key_is_told_what_makes_the_request() {
    let (_tables, patch) = patch(
        "exports['compute key'] = function (args) {
            return [args.table, args.method, args.uri, args.params.q, Object.keys(args.headers).sort(), args.body.content, args.reqIdName].join('|');
        };",
    );
    let key = CacheKey {
        table: "shop.items".into(),
        method: "post".into(),
        uri: "http://h/".into(),
        headers: request().headers,
        body: Some(Body { content: Content::Text("B".into()), media_type: None }),
        request_id_name: "request-id".into(),
    };
    assert_eq!(
        patch.compute_key(record(r#"{"q":"x"}"#), key).wait().unwrap().value.unwrap(),
        "shop.items|post|http://h/|x|x-a,x-b|B|request-id"
    );
}

#[test]
fn parse_response_gets_buffers_and_their_length() {
    let (_tables, patch) = patch(
        "exports['parse response'] = function (args) {
            var all = Buffer.concat(args.body, args.length);
            if (args.status === 200) return { content: all.toString('latin1'), type: 'text/x; a=b' };
            if (args.status === 201) return { content: { size: all.length, first: all[0], parts: args.body.length } };
            if (args.status === 202) return { content: all.slice(1) };
            if (args.status === 203) return { text: 'x' };
        };",
    );
    let ask = |status| {
        let parts = vec![Bytes::from_static(b"\xe4b"), Bytes::new(), Bytes::from_static(b"c")];
        patch.parse_response(record("{}"), reply(status), parts).wait().map(|answer| answer.value)
    };
    assert_eq!(ask(200).unwrap(), Some(Body { content: Content::Text("äbc".into()), media_type: Some("text/x; a=b".into()) }));
    assert_eq!(ask(201).unwrap(), Some(Body { content: Content::Data(json(r#"{"size":3,"first":228,"parts":3}"#)), media_type: None }));
    assert_eq!(ask(202).unwrap(), Some(Body { content: Content::Bytes(b"bc".to_vec()), media_type: None }));
    assert!(ask(203).unwrap_err().message().contains("has no content"));
    assert_eq!(ask(204).unwrap(), None);
}

#[test]
fn media_type_status_and_body_are_patched() {
    let (_tables, patch) = patch(
        "exports['patch mediaType'] = function (args) { return args.body[0] === '<' ? 'application/xml' : undefined; };
         exports['patch status'] = function (args) { return args.body.ack === 'Failure' ? '400' : args.body.status; };
         exports['patch response'] = function (args) {
            args.body.items.forEach(function (item, index) { item.at = index; });
            delete args.body.secret;
            return args.body;
         };",
    );
    let media = |text: &str| patch.patch_media_type(record("{}"), reply(200), text).wait().unwrap().value;
    assert_eq!((media("<a/>").as_deref(), media("{}")), (Some("application/xml"), None));
    let status = |body: &str| patch.patch_status(record("{}"), reply(200), json(body)).wait().map(|answer| answer.value);
    assert_eq!(status(r#"{"ack":"Failure"}"#).unwrap(), 400);
    assert_eq!(status(r#"{"status":299}"#).unwrap(), 299);
    assert_eq!(status("{}").unwrap(), 200);
    assert_eq!(status(r#"{"status":"bad"}"#).unwrap_err().kind(), HookErrorKind::Answer);
    let body = json(r#"{"secret":1,"items":[{"n":1.5},{"n":null}],"kept":{"x":[true]}}"#);
    let patched = patch.patch_response(record("{}"), reply(200), body).wait().unwrap().value;
    assert_eq!(text(&patched), r#"{"items":[{"n":1.5,"at":0},{"n":null,"at":1}],"kept":{"x":[true]}}"#);
}

#[test]
fn changed_parameters_come_back() {
    let (_tables, patch) = patch(
        "exports['patch uri'] = function (args) {
            if (args.params.offset) args.params['paginationInput.pageNumber'] = args.params.offset / args.params.limit;
            return args.uri;
        };",
    );
    let answer = patch.patch_uri(record(r#"{"limit":5,"offset":10}"#), "http://h/").wait().unwrap();
    assert_eq!(text(&answer.params.unwrap()), r#"{"limit":5,"offset":10,"paginationInput.pageNumber":2}"#);
    assert_eq!(patch.patch_uri(record(r#"{"limit":5}"#), "http://h/").wait().unwrap().params, None);
}

#[test]
fn promises_are_awaited() {
    let (_tables, patch) = patch(
        "exports['patch status'] = async function (args) { await null; return (await Promise.resolve(args.body.n)) + 1; };
         exports['patch response'] = function () { return new Promise(function () {}); };
         exports['patch mediaType'] = function () { return Promise.reject(new Error('broken')); };",
    );
    assert_eq!(patch.patch_status(record("{}"), reply(200), json(r#"{"n":204}"#)).wait().unwrap().value, 205);
    let error = patch.patch_response(record("{}"), reply(200), Datum::Null).wait().unwrap_err();
    assert!(error.message().contains("never settled"), "{error}");
    let error = patch.patch_media_type(record("{}"), reply(200), "").wait().unwrap_err();
    assert_eq!(error.message(), "Error: broken");
}

#[test]
fn errors_carry_module_line_and_hook() {
    let tables = Tables::new(&[
        (
            "a/patch.js",
            "var lib = require('../lib/deep.js');\nexports['patch status'] = function (args) {\n    return lib.look(args.body);\n};\n",
        ),
        ("lib/deep.js", "\n\nexports.look = function look(body) {\n    return body.missing.field;\n};\n"),
        ("a/throws.js", "exports['patch status'] = function () { throw { status: 503, message: 'shut', list: [1, null] }; };"),
        ("a/syntax.js", "var a = 1;\nvar b = ;\n"),
        ("a/early.js", "\nfoo();\n"),
        ("a/gone.js", "require('./nothing');"),
    ]);
    let hooks = tables.hooks();
    let status = |module: &str| {
        hooks.patch(module).wait().and_then(|patch| patch.patch_status(record("{}"), reply(200), json("{}")).wait()).unwrap_err()
    };
    let error = status("a/patch.js");
    assert_eq!(error.kind(), HookErrorKind::Thrown);
    assert_eq!((error.hook(), error.module()), ("patch status", "a/patch.js"));
    let place = error.place().unwrap();
    assert_eq!((place.file.as_str(), place.line), ("lib/deep.js", 4));
    assert!(error.message().starts_with("TypeError: ") && error.message().contains("field"), "{error}");
    assert_eq!(error.stack().len(), 2, "{:?}", error.stack());
    assert!(error.stack()[0].contains("look") && error.stack()[1].contains("a/patch.js:3"), "{:?}", error.stack());

    let error = status("a/throws.js");
    assert_eq!(error.to_string(), "patch status of a/throws.js: shut");
    assert_eq!(text(error.thrown().unwrap()), r#"{"status":503,"message":"shut","list":[1,null]}"#);

    let error = status("a/syntax.js");
    assert_eq!((error.kind(), error.place().unwrap().line), (HookErrorKind::Load, 2), "{error}");
    let error = status("a/early.js");
    assert_eq!((error.kind(), error.place().unwrap().line), (HookErrorKind::Thrown, 2), "{error}");
    let error = status("a/gone.js");
    assert_eq!(error.kind(), HookErrorKind::Load);
    assert!(error.message().contains("Cannot find module './nothing' from a"), "{error}");
    let error = status("a/none.js");
    assert_eq!(error.kind(), HookErrorKind::Load);
    assert!(error.to_string().starts_with("patch module of a/none.js: Cannot find module 'a/none.js'"), "{error}");
}
