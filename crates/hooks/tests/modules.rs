//! Modules: the things that they may require, and those that they cannot reach.

mod common;

use common::{Tables, eval, json, record, text};
use polywire_doc::Datum;
use polywire_hooks::{HookErrorKind, Reply};

/// Returns the answer of `module` for its parameters.
fn ask(tables: &Tables, module: &str) -> String {
    let hooks = tables.hooks();
    let answer = hooks.patch(module).wait().and_then(|patch| patch.patch_response(record("{}"), Reply::default(), Datum::Null).wait());
    match answer {
        Ok(answer) => text(&answer.value),
        Err(error) => format!("error: {error}"),
    }
}

fn module(expression: &str) -> String {
    format!("exports['patch response'] = function () {{ return {expression}; }};")
}

#[test]
fn files_directories_and_packages_are_found() {
    let tables = Tables::new(&[
        ("a/b/patch.js", &format!(
            "#!/usr/bin/env node\nvar one = require('./one'), two = require('../two.js'), data = require('../data'), dir = require('../dir'), main = require('../main');
             var near = require('near'), far = require('far/lib/x'), scoped = require('@scope/pkg'), here = require('./'), again = require('./one');\n{}",
            module("[one.name, two(), data.list[1], dir, main, near, far, scoped, here, one === again, __filename.slice(-13), __dirname.slice(-3), module.exports === exports, typeof require('assert'), this === exports]")
        )),
        ("a/b/one.js", "exports.name = 'one of ' + require('path').basename(__filename);"),
        ("a/b/index.js", "module.exports = 'index';"),
        ("a/two.js", "module.exports = function () { return 'two'; };"),
        ("a/data.json", r#"{"list":[1,{"deep":true}]}"#),
        ("a/dir/index.js", "module.exports = 'dir';"),
        ("a/main/package.json", r#"{"main":"./lib/start"}"#),
        ("a/main/lib/start.js", "module.exports = 'main';"),
        ("a/node_modules/near/package.json", r#"{"name":"near"}"#),
        ("a/node_modules/near/index.js", "module.exports = 'near ' + require('far/lib/x');"),
        ("node_modules/far/lib/x.js", "module.exports = 'far';"),
        ("node_modules/@scope/pkg/package.json", r#"{"main":"m.js"}"#),
        ("node_modules/@scope/pkg/m.js", "module.exports = 'scoped';"),
    ]);
    assert_eq!(
        ask(&tables, "a/b/patch.js"),
        r#"["one of one.js","two",{"deep":true},"dir","main","near far","far","scoped","index",true,"/a/b/patch.js","a/b",true,"function",true]"#
    );
    // A table names its module from the table directory, with or without the file extension; a
    // script names packages too.
    assert!(ask(&tables, "./a/b/patch").starts_with(r#"["one of"#));
    assert_eq!(tables.hooks().functions("far/lib/x.js").wait().unwrap(), [""; 0]);
}

#[test]
fn modules_that_require_each_other_see_what_is_there() {
    let tables = Tables::new(&[
        ("a.js", &format!("exports.early = 1; var b = require('./b'); exports.late = 2; {}", module("[b.early, b.late, b.a.late]"))),
        ("b.js", "var a = require('./a'); exports.early = a.early; exports.late = typeof a.late; exports.a = a;"),
    ]);
    assert_eq!(ask(&tables, "a.js"), r#"[1,"undefined",2]"#);
}

#[test]
fn failures_of_require_are_clear_and_can_be_caught() {
    let tables = Tables::new(&[
        ("catch.js", &module("(function () { try { require('./gone'); } catch (e) { return e.code + ' ' + e.message; } })()")),
        ("native.js", "require('./addon.node');"),
        ("addon.node", "x"),
        ("new.js", "require('./new.mjs');"),
        ("new.mjs", "export default 1;"),
        ("bad.js", "require('./bad.json');"),
        ("bad.json", "{\"a\": }"),
        ("net.js", "require('net');"),
        ("once.js", &module("[1, 2].map(function () { try { require('./throws'); } catch (e) { return e.message; } })")),
        ("throws.js", "throw new Error('from throws');"),
    ]);
    assert_eq!(ask(&tables, "catch.js"), r#""MODULE_NOT_FOUND Cannot find module './gone' from .""#);
    assert!(ask(&tables, "native.js").contains("native module"));
    assert!(ask(&tables, "new.js").contains("ECMAScript module"));
    assert!(ask(&tables, "bad.js").contains("bad.json"), "{}", ask(&tables, "bad.js"));
    assert!(ask(&tables, "net.js").contains("Cannot find module 'net'"));
    assert_eq!(ask(&tables, "once.js"), r#"["from throws","from throws"]"#);
}

#[test]
fn nothing_beside_the_table_directory_can_be_read() {
    let tables = Tables::new(&[
        ("../secret.js", "module.exports = 'secret';"),
        ("../secret.txt", "secret"),
        ("../node_modules/up/index.js", "module.exports = 'secret';"),
        ("ok.txt", "ok"),
    ]);
    let outside = tables.path().parent().unwrap().to_path_buf();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(outside.join("secret.txt"), tables.path().join("link.txt")).unwrap();
        std::os::unix::fs::symlink(outside.join("secret.js"), tables.path().join("link.js")).unwrap();
        std::os::unix::fs::symlink(&outside, tables.path().join("up")).unwrap();
        std::os::unix::fs::symlink("ok.txt", tables.path().join("inner.txt")).unwrap();
    }
    let requires = [
        "'../secret'",
        "'./link'",
        "'./up/secret'",
        "'up'",
        "'./x/../../secret'",
        "'/etc/passwd'",
        "'file:///etc/passwd'",
        "'../secret.js\\u0000'",
    ];
    let absolute = format!("'{}'", outside.join("secret.js").display());
    for name in requires.into_iter().chain([absolute.as_str()]) {
        tables.write("patch.js", format!("try {{ var found = require({name}); }} catch (e) {{ found = e.code; }} {}", module("found")));
        assert_eq!(ask(&tables, "patch.js"), r#""MODULE_NOT_FOUND""#, "{name}");
    }
    let files = [
        "'../secret.txt'",
        "'link.txt'",
        "'up/secret.txt'",
        "__dirname + '/../secret.txt'",
        "'/etc/passwd'",
        "'/dev/zero'",
        "'/proc/self/environ'",
        "'.'",
        "''",
    ];
    for name in files {
        tables.write("patch.js", module(&format!("(function () {{ try {{ return require('fs').readFileSync({name}, 'utf8'); }} catch (e) {{ return e.message.slice(0, 6); }} }})()")));
        assert_eq!(ask(&tables, "patch.js"), r#""ENOENT""#, "{name}");
        tables.write("patch.js", module(&format!("{name} === '.' || {name} === '' || require('fs').existsSync({name})")));
        assert_eq!(ask(&tables, "patch.js"), if name == "'.'" || name == "''" { "true" } else { "false" }, "{name}");
    }
    #[cfg(unix)]
    {
        tables.write("patch.js", module("require('fs').readFileSync(__dirname + '/inner.txt', { encoding: 'utf-8' })"));
        assert_eq!(ask(&tables, "patch.js"), r#""ok""#);
    }
    assert_eq!(tables.hooks().patch("../secret.js").wait().unwrap_err().kind(), HookErrorKind::Load);
    assert_eq!(tables.hooks().patch("up/secret.js").wait().unwrap_err().kind(), HookErrorKind::Load);
}

#[test]
fn functions_made_of_text_reach_nothing() {
    for source in [
        "this",
        "Function('return this')()",
        "(0, eval)('this')",
        "(function () { return this; })()",
        "[].constructor.constructor('return this')()",
    ] {
        let names = eval(&format!(
            "Object.getOwnPropertyNames({source}).filter(function (name) {{ return /^(require|native|host|import.*|std|os|print|load.*|fetch|XMLHttp.*|WebSocket|Worker|Atomics|Shared.*|bjson|WebAssembly|performance|WeakRef|FinalizationRegistry)$/.test(name); }})"
        ));
        assert_eq!(names, "[]", "{source}");
    }
    assert_eq!(eval("process.env.PATH"), "undefined");
    assert_eq!(eval("Object.keys(process.env)"), "[]");
    assert!(eval("process.exit(1)").contains("not for hooks"));
    assert!(eval("process.binding('fs')").starts_with("error: "));
    assert!(eval("require.main.require('fs')").starts_with("error: "));
    let (_tables, patch) = common::patch("exports['patch response'] = function () { return import('fs'); };");
    assert!(patch.patch_response(record("{}"), Reply::default(), Datum::Null).wait().is_err());
    // The host's functions do not show.
    assert_eq!(eval("typeof arguments.callee.caller"), r#""undefined""#);
}

#[test]
fn the_language_cannot_be_changed() {
    let attempts = [
        "Object.prototype.polluted = 1",
        "({}).__proto__.polluted = 1",
        "({}).constructor.prototype.polluted = 1",
        "Array.prototype.map = function () {}",
        "JSON.parse = function () {}",
        "Math.random = function () { return 4; }",
        "globalThis.Object = function () {}",
        "Buffer.prototype.toString = function () {}",
        "console.log = null",
        "process.env.X = 1",
        "require('path').join = null",
        "require('util').polluted = 1",
        "require('events').prototype.on = null",
        "Object.getPrototypeOf(function* () {}).prototype.polluted = 1",
        "Object.getPrototypeOf([][Symbol.iterator]()).next = null",
        "Object.getPrototypeOf(args.uri || {}).polluted = 1",
        "Error.prepareStackTrace = function () { return 1; }",
        "Promise.prototype.then = null",
        "setTimeout = null",
        "Object.setPrototypeOf(globalThis, { polluted: 1 })",
        "args.log.polluted = 1",
        "Object.defineProperty(Object.prototype, 'polluted', { value: 1 })",
        "JSON.parse('{\"__proto__\": {\"polluted\": 1}}').polluted.x = 1",
        "Object.assign({}, JSON.parse('{\"__proto__\": {\"polluted\": 1}}')).x = 1",
    ];
    let probe = "[typeof ({}).polluted, [1].map(String).length, JSON.parse('[1]').length, Math.random() < 1, typeof Object.keys, Buffer.from('a').toString(), typeof console.log,
        Object.keys(process.env).length, require('path').join('a', 'b'), require('util').polluted, typeof require('events').prototype.on, [...[1]].length, typeof new Error('x').stack,
        typeof Promise.prototype.then, typeof setTimeout, typeof polluted, args.log.polluted]";
    let expected =
        r#"["undefined",1,1,true,"function","a","function",0,"a/b",null,"function",1,"string","function","function","undefined",null]"#;
    for strict in ["", "'use strict';"] {
        for attempt in attempts {
            let script = format!(
                "exports['patch status'] = function (args) {{ {strict} try {{ {attempt}; }} catch (e) {{ if (!(e instanceof TypeError)) throw e; }} }};
                 exports['patch response'] = function (args) {{ return {probe}; }};"
            );
            let (_tables, patch) = common::patch(&script);
            let ask = || text(&patch.patch_response(record("{}"), Reply::default(), Datum::Null).wait().unwrap().value);
            assert_eq!(ask(), expected);
            patch
                .patch_status(record("{}"), Reply { status: 200, ..Reply::default() }, Datum::Null)
                .wait()
                .unwrap_or_else(|error| panic!("{attempt}: {error}"));
            assert_eq!(ask(), expected, "after {attempt}");
        }
    }
}

#[test]
fn objects_of_hooks_can_still_be_given_members_of_any_name() {
    assert_eq!(
        eval(
            "(function () { 'use strict'; var o = {}; o.toString = function () { return 'mine'; }; o.constructor = 1; return [String(o), o.constructor]; })()"
        ),
        r#"["mine",1]"#
    );
    assert_eq!(
        eval("(function () {
            'use strict';
            function Mine(message) { this.message = message; this.name = 'Mine'; }
            require('util').inherits(Mine, Error);
            Mine.prototype.toString = function () { return this.name + '!' + this.message; };
            function List() {} List.prototype = []; List.prototype.constructor = List; List.prototype.toString = function () { return 'list'; };
            class Late extends Error { constructor(m) { super(m); this.name = 'Late'; } }
            return [String(new Mine('m')), new Mine('x') instanceof Error, String(new List()), String(new Late('l'))];
        })()"),
        r#"["Mine!m",true,"list","Late: l"]"#
    );
}

#[test]
fn variables_that_a_call_forgot_to_declare_go_and_those_of_modules_stay() {
    let tables = Tables::new(&[
        ("patch.js", "shared = require('./lib'); var count = 0;
            exports['patch response'] = function () { for (i = 0; i < 3; i++) {} var before = typeof leaked; leaked = 1; Object.defineProperty(globalThis, 'hidden', { value: 1, configurable: true }); return [before, typeof shared, libs, ++count, i]; };
            exports['patch mediaType'] = function () { return typeof leaked + typeof hidden + typeof i + typeof shared; };"),
        ("lib.js", "libs = 'of lib';"),
    ]);
    let patch = tables.hooks().patch("patch.js").wait().unwrap();
    let ask = || text(&patch.patch_response(record("{}"), Reply::default(), Datum::Null).wait().unwrap().value);
    assert_eq!(ask(), r#"["undefined","object","of lib",1,3]"#);
    // A value that a module keeps for itself stays, as a descriptor that was loaded once.
    assert_eq!(ask(), r#"["undefined","object","of lib",2,3]"#);
    let types = patch.patch_media_type(record("{}"), Reply::default(), "").wait().unwrap().value.unwrap();
    assert_eq!(types, "undefinedundefinedundefinedobject");
}

#[test]
fn modules_are_loaded_anew_with_a_new_generation() {
    let tables = Tables::new(&[
        ("patch.js", "var lib = require('./lib'); exports['patch status'] = function () { return lib; };"),
        ("lib.js", "module.exports = 201;"),
        ("t.ejs", "one"),
        ("t.mu", "{{>part}}"),
        ("part.mu", "one"),
    ]);
    let hooks = tables.hooks();
    let patch = hooks.patch("patch.js").wait().unwrap();
    let status = || patch.patch_status(record("{}"), Reply::default(), Datum::Null).wait().unwrap().value;
    let template = |file| hooks.template(file, "", record("{}"), Default::default).wait().unwrap();
    let made = || (status(), template("t.ejs"), template("t.mu"));
    let one = (201, "one".to_string(), "one".to_string());
    assert_eq!(made(), one);
    tables.write("lib.js", "module.exports = 202;");
    tables.write("t.ejs", "two");
    tables.write("part.mu", "two");
    assert_eq!(made(), one);
    hooks.set_generation(1);
    for _ in 0..8 {
        assert_eq!(made(), (202, "two".to_string(), "two".to_string()));
    }
    // A file that is broken now is reported, and mended by the next generation.
    tables.write("lib.js", "module.exports = ;");
    hooks.set_generation(2);
    assert_eq!(patch.patch_status(record("{}"), Reply::default(), Datum::Null).wait().unwrap_err().kind(), HookErrorKind::Load);
    tables.write("lib.js", "module.exports = 203;");
    hooks.set_generation(3);
    assert_eq!(status(), 203);
}

#[test]
fn a_reply_is_gone_when_its_call_has_ended() {
    let (_tables, patch) = common::patch(
        "var kept; exports['patch response'] = function (args) { var last = kept; kept = args.body; return last ? last.a[0] : kept.b; };
         exports['patch mediaType'] = function () { return JSON.stringify(kept); };",
    );
    let ask = |body: &str| patch.patch_response(record("{}"), Reply::default(), json(body)).wait();
    assert_eq!(text(&ask(r#"{"a":["x"],"b":1}"#).unwrap().value), "1");
    let error = ask(r#"{"a":["y"],"b":2}"#).unwrap_err();
    assert!(error.message().contains("came with an earlier call"), "{error}");
    assert!(patch.patch_media_type(record("{}"), Reply::default(), "").wait().unwrap_err().message().contains("earlier call"));
}
