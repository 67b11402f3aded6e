//! Limits of a call: one that exceeds them gets a clear error, and the next call an engine.

mod common;

use std::future::IntoFuture;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use common::{Tables, json, record};
use polywire_doc::Datum;
use polywire_hooks::{HookError, HookErrorKind, Patch, Reply};

/// A hook whose body is given by `params.how`, with little time and memory.
struct Tried {
    _tables: Tables,
    patch: Patch,
}

impl Tried {
    fn new(cases: &str) -> Tried {
        Tried::within(Duration::from_secs(1), cases)
    }

    fn within(time: Duration, cases: &str) -> Tried {
        let script = format!(
            "var kept = [], cases = {{ {cases} }};
             exports['patch response'] = function (args) {{ return cases[args.params.how](args.body, args); }};"
        );
        let tables = Tables::new(&[("patch.js", &script)]);
        let hooks = tables.hooks_with(|settings| {
            settings.time = time;
            settings.memory = 16 << 20;
        });
        let patch = hooks.patch("patch.js").wait().unwrap();
        Tried { _tables: tables, patch }
    }

    fn ask(&self, how: &str) -> Result<Datum, HookError> {
        self.patch
            .patch_response(record(&format!(r#"{{"how":"{how}"}}"#)), Reply::default(), json(r#"{"a":[1,2]}"#))
            .wait()
            .map(|answer| answer.value)
    }

    /// The call fails in this way, and the next one works.
    fn fails(&self, how: &str, kind: HookErrorKind) {
        let error = self.ask(how).map(|value| common::text(&value)).unwrap_err();
        assert_eq!(error.kind(), kind, "{how}: {error}");
        assert_eq!((error.hook(), error.module()), ("patch response", "patch.js"));
        assert_eq!(common::text(&self.ask("fine").unwrap()), "[1,2]", "after {how}");
    }
}

#[test]
fn loops_end() {
    let tried = Tried::new(
        "fine: function (body) { return body.a; },
         loop: function () { for (;;) {} },
         caught: function () { for (;;) { try { for (;;) {} } catch (e) {} finally { continue; } } },
         regex: function () { return /^(a+)+$/.test('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!'); },
         getter: function () { return { get a() { for (;;) {} } }; },
         proxy: function () { return new Proxy({}, { ownKeys: function () { for (;;) {} } }); },
         json: function () { return { toJSON: function () { for (;;) {} } }; },
         promise: function () { return new Promise(function again(keep) { Promise.resolve().then(function () { again(keep); }); }); },
         job: function () { Promise.resolve().then(function () { for (;;) {} }); return 1; },
         tick: function () { return new Promise(function () { (function again() { process.nextTick(again); })(); }); },
         timer: function () { return new Promise(function () { setInterval(function () {}, 1); }); },
         sleep: function () { return new Promise(function (keep) { setTimeout(keep, 3600000); }); },
         sort: function () { var a = [3, 2, 1]; for (;;) a.sort(function (x, y) { return x - y; }); },
         text: function (body, args) { args.params.how = { toString: function () { for (;;) {} } }; throw args.params.how; },
         made: function () { return Function('for (;;) {}')(); }",
    );
    for how in ["loop", "caught", "regex", "getter", "proxy", "json", "promise", "job", "tick", "timer", "sleep", "sort", "text", "made"] {
        tried.fails(how, HookErrorKind::Time);
    }
    let error = tried.ask("loop").unwrap_err();
    assert!(error.to_string().contains("took longer than it may"), "{error}");
    assert_eq!(error.place().map(|place| place.line), Some(2), "{error}");
}

#[test]
fn loading_is_limited_too() {
    let tables = Tables::new(&[
        ("loop.js", "for (;;) {}"),
        ("deep.js", "(function f() { f(); })();"),
        ("fat.js", "var a = []; for (;;) a.push('x'.repeat(1000));"),
    ]);
    let hooks = tables.hooks_with(|settings| {
        settings.time = Duration::from_secs(2);
        settings.memory = 8 << 20;
    });
    let kind = |module: &str| hooks.patch(module).wait().unwrap_err().kind();
    assert_eq!([kind("loop.js"), kind("deep.js"), kind("fat.js")], [HookErrorKind::Time, HookErrorKind::Stack, HookErrorKind::Memory]);
}

#[test]
fn memory_ends() {
    let tried = Tried::within(
        Duration::from_secs(60),
        "fine: function (body) { return body.a; },
         list: function () { var all = []; for (;;) all.push({}); },
         text: function () { var text = 'x'; for (;;) text = text + text + 'y'; },
         repeat: function () { return 'xy'.repeat(1e8); },
         flat: function () { return new Array(1e7).fill(1); },
         bytes: function () { return Buffer.alloc(1e9); },
         join: function () { return new Array(1e7).join('xxxx'); },
         keep: function () { for (;;) kept.push(new Uint8Array(1000)); },
         encoded: function () { for (;;) kept.push(Buffer.from('x'.repeat(1000))); },
         pad: function () { return ''.padStart(1e9); },
         spread: function () { var a = [1]; for (;;) a = [...a, ...a]; },
         closures: function () { var f = null; for (;;) f = (function (g) { return function () { return g; }; })(f); }",
    );
    for how in ["list", "text", "repeat", "flat", "keep", "encoded", "spread", "closures", "pad", "join"] {
        let error = tried.ask(how).map(|value| common::text(&value).len()).unwrap_err();
        // A text has a longest length besides.
        assert!(error.kind() == HookErrorKind::Memory || error.message().contains("string length"), "{how}: {error}");
        assert_eq!(common::text(&tried.ask("fine").unwrap()), "[1,2]", "after {how}");
    }
    let error = tried.ask("bytes").unwrap_err();
    assert!(matches!(error.kind(), HookErrorKind::Memory | HookErrorKind::Thrown), "{error}");
    assert!(tried.ask("fine").is_ok());
}

#[test]
fn who_goes_on_without_memory_is_stopped() {
    let tried = Tried::new(
        "fine: function (body) { return body.a; },
         again: function () { for (;;) { try { kept.push('x'.repeat(1e6) + kept.length); } catch (e) { kept.push(e); } } }",
    );
    let error = tried.ask("again").unwrap_err();
    assert!(matches!(error.kind(), HookErrorKind::Memory | HookErrorKind::Time), "{error}");
    assert_eq!(common::text(&tried.ask("fine").unwrap()), "[1,2]");
}

#[test]
fn every_amount_of_memory_is_survived() {
    let script = "exports['patch response'] = function (args) {
        var all = []; for (var i = 0;; i++) all.push({ i: String(i), f: function () { return all; }, r: /a/.exec('a'), s: [i].concat(all.slice(0, 3)) });
    };";
    for step in 0..60 {
        let tables = Tables::new(&[("patch.js", script)]);
        let hooks = tables.hooks_with(|settings| settings.memory = 300_000 + step * 17_011);
        let result =
            hooks.patch("patch.js").wait().and_then(|patch| patch.patch_response(record("{}"), Reply::default(), json("[1]")).wait());
        let kind = result.map(|answer| answer.value).unwrap_err().kind();
        assert_eq!(kind, HookErrorKind::Memory, "{step}");
    }
}

#[test]
fn recursion_ends() {
    let tried = Tried::new(
        "fine: function (body) { return body.a; },
         plain: function f() { return f() + 1; },
         getter: function () { var o = { get a() { return o.a; } }; return o.a; },
         proxy: function () { var p = new Proxy({}, { get: function (t, k) { return p[k]; } }); return p.x; },
         text: function () { var o = { toString: function () { return '' + o; } }; return '' + o; },
         sort: function f() { return [1, 2].sort(f); },
         parse: function () { return JSON.parse('['.repeat(1e6)); },
         regex: function () { return new RegExp('(?:'.repeat(1e5) + ')'.repeat(1e5)); },
         source: function () { return Function('return ' + '['.repeat(1e5)); }",
    );
    for how in ["plain", "getter", "proxy", "text", "sort", "parse", "regex", "source"] {
        tried.fails(how, HookErrorKind::Stack);
    }
}

#[test]
fn answers_are_limited() {
    let tried = Tried::new(
        "fine: function (body) { return body.a; },
         cycle: function () { var a = {}; a.a = a; return a; },
         deep: function () { var a = []; for (var i = 0; i < 1e4; i++) a = [a]; return a; },
         shared: function () { var a = ['x'.repeat(1000)]; for (var i = 0; i < 40; i++) a = [a, a]; return a; },
         sparse: function () { var a = []; a[4294967290] = 1; return a; },
         endless: function () { return { toJSON: function () { return this; } }; },
         long: function () { return new Proxy([], { get: function (t, k) { return k === 'length' ? 1e15 : 1; } }); }",
    );
    for how in ["cycle", "deep", "shared", "sparse", "endless", "long"] {
        let error = tried.ask(how).map(|value| common::text(&value).len()).unwrap_err();
        assert!(error.message().contains("the returned value is") || error.kind() == HookErrorKind::Stack, "{how}: {error}");
        assert!(tried.ask("fine").is_ok());
    }
}

#[test]
fn claimed_lengths_cost_nothing() {
    let tried = Tried::new(
        "fine: function (body) { return body.a; },
         run: function (body, args) {
            var failed = 0, names = ['indexOf', 'lastIndexOf', 'join', 'toLocaleString', 'reverse', 'fill', 'slice', 'splice', 'copyWithin', 'sort', 'unshift', 'shift', 'flat',
                'toReversed', 'toSorted', 'toSpliced', 'with', 'concat'];
            names.forEach(function (name) {
                var far = []; far[4294967290] = 1;
                try { Array.prototype[name].call(far, 0, 1, 2); } catch (e) { if (e instanceof RangeError) failed++; }
                try { Array.prototype[name].call({ length: 9007199254740991 }, 0, 1, 2); } catch (e) { if (e instanceof RangeError) failed++; }
            });
            return failed - 2 * names.length;
         }",
    );
    assert_eq!(common::text(&tried.ask("run").unwrap()), "0");
}

#[test]
fn what_no_clock_stops_is_given_up() {
    let tried = Tried::new(
        "fine: function (body) { return body.a; },
         // One step of the language, and quadratic.
         search: function () { var a = 'a'.repeat(1400000); return a.indexOf('a'.repeat(500000) + 'b'); }",
    );
    tried.fails("search", HookErrorKind::Time);
    let how = if common::APART { "its engine was ended" } else { "cannot be stopped" };
    assert!(tried.ask("search").unwrap_err().to_string().contains(how));
    assert!(tried.ask("fine").is_ok());
}

#[test]
fn waiting_calls_are_limited_and_dropped_calls_are_not_made() {
    if common::APART {
        // A slow call lets others begin, in another process.
        return;
    }
    let tables = Tables::new(&[(
        "patch.js",
        "var made = 0; exports['patch status'] = function (args) { made++; if (args.body) for (;;) {} return 200 + made; };",
    )]);
    let hooks = tables.hooks_with(|settings| {
        settings.time = Duration::from_secs(2);
        settings.waiting = 3;
    });
    let patch = hooks.patch("patch.js").wait().unwrap();
    let status = |body: Datum| patch.patch_status(record("{}"), Reply { status: 200, ..Reply::default() }, body);
    assert_eq!(status(Datum::Null).wait().unwrap().value, 201);
    let busy = status(Datum::Bool(true));
    // The thread may or may not have taken it up yet: one more than fits is refused either way.
    let waiting: Vec<_> = (0..4).map(|_| status(Datum::Null)).collect();
    let refused = waiting.into_iter().filter_map(|call| call.wait().err()).filter(|error| error.kind() == HookErrorKind::Busy).count();
    assert!((1..=2).contains(&refused), "{refused}");
    assert_eq!(busy.wait().unwrap_err().kind(), HookErrorKind::Time);

    let first = status(Datum::Bool(true));
    drop(status(Datum::Null));
    assert!(first.wait().is_err());
    // The engine is a new one, and this is its first call.
    assert_eq!(status(Datum::Null).wait().unwrap().value, 201);
}

#[test]
fn calls_are_futures_of_no_executor() {
    struct Flag(AtomicBool, std::thread::Thread);
    impl Wake for Flag {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::Release);
            self.1.unpark();
        }
    }
    let tables = Tables::new(&[("patch.js", "exports['patch status'] = function (args) { return args.body; };")]);
    let patch = tables.hooks().patch("patch.js").wait().unwrap();
    let flag = Arc::new(Flag(AtomicBool::new(false), std::thread::current()));
    let waker = Waker::from(flag.clone());
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(patch.patch_status(record("{}"), Reply::default(), Datum::UInt(299)).into_future());
    let answer = loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(answer) => break answer,
            Poll::Pending => {
                while !flag.0.swap(false, Ordering::Acquire) {
                    std::thread::park();
                }
            }
        }
    };
    assert_eq!(answer.unwrap().value, 299);
}

#[test]
fn calls_run_beside_each_other() {
    let tables = Tables::new(&[(
        "patch.js",
        "exports['patch status'] = function (args) { return new Promise(function (keep) { setTimeout(function () { keep(args.body); }, 50); }); };",
    )]);
    let hooks = tables.hooks_with(|settings| settings.threads = 4);
    let patch = hooks.patch("patch.js").wait().unwrap();
    let calls: Vec<_> = (200..264).map(|status| patch.patch_status(record("{}"), Reply::default(), Datum::UInt(status))).collect();
    for (call, status) in calls.into_iter().zip(200..) {
        assert_eq!(call.wait().unwrap().value, status);
    }
    let threads: Vec<_> = (0..8)
        .map(|thread| {
            let patch = patch.clone();
            std::thread::spawn(move || {
                for round in 0..5 {
                    let wanted = 200 + thread * 10 + round;
                    let status = patch.patch_status(record("{}"), Reply::default(), Datum::UInt(wanted)).wait().unwrap().value;
                    assert_eq!(u64::from(status), wanted);
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}
